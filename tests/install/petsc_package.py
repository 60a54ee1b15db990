"""petsc_package.py SOURCE PETSC_DIR WORK: PETSc's configure takes packaging/petsc/hepta.py among its packages and hears the option
--download-hepta; nothing is configured or built. PETSc knows the attributes, the tarball has the project's version, and the rules for
make name options of Hepta's CMake and the library that CMake installs."""

import os
import pathlib
import re
import shutil
import sys
import types

source, petsc, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
if not (petsc / "config/BuildSystem/config/package.py").exists():
    print(f"skipped: {petsc} is PETSc without its sources, which have configure")
    sys.exit(77)
shutil.rmtree(work, ignore_errors=True)
shutil.copytree(petsc / "config", work / "config")
for folder in ("include", "lib"):
    (work / folder).symlink_to(petsc / folder)
shutil.copy(source / "packaging/petsc/hepta.py", work / "config/BuildSystem/config/packages")
os.chdir(work)
for name in ("PETSC_DIR", "PETSC_ARCH"):
    os.environ.pop(name, None)
sys.path[:0] = ["config/BuildSystem", "config"]
import config.framework  # noqa: E402  (PETSc's)
import config.package  # noqa: E402

if not hasattr(config.package.Package, "addPost"):
    try:
        import config.packages.hepta  # noqa: F401
    except RuntimeError as error:
        assert "needs PETSc 3.24 or later" in str(error), error
        sys.exit(0)
    sys.exit(f"hepta.py takes {petsc}, whose configure builds no packages after PETSc")
cmake = (source / "CMakeLists.txt").read_text()
version = re.search(r"^project\(hepta VERSION ([0-9.]+)", cmake, re.M)[1]


def configure():
    """PETSc's configure, its options read and its packages made, and Hepta's package among them"""
    tarball = work / f"hepta-{version}.tar.gz"
    tarball.touch()
    options = ["--configModules=PETSc.Configure", f"--download-hepta={tarball}", f"PETSC_DIR={work}", "PETSC_ARCH=arch"]
    framework = config.framework.Framework([*options, "--download-hepta-cmake-arguments=-DHEPTA_TESTS=ON"], loadArgDB=0)
    framework.setup()
    package = framework.require("config.packages.hepta", None)
    assert framework.argDB["download-hepta"] == str(tarball)
    helped = {framework.help.getArgName(name) for name in framework.help.sections["HEPTA"][1]}
    assert {"download-hepta", "download-hepta-cmake-arguments"} <= helped, helped
    return framework, package


def check_attributes(framework, package):
    unknown = set(vars(type(package)(framework))) - set(vars(config.package.Package(framework)))
    assert not unknown, f"PETSc's packages have no {unknown}"
    text = (source / "packaging/petsc/hepta.py").read_text()
    assert set(re.findall(r"hepta-([0-9.]+)\.tar", text)) == {version}, f"hepta.py names another version than {version}"
    assert package.builtafterpetsc and not package.linkedbypetsc and not package.complex and package.download


def rules(package, prefix, cuda, found=True, shared=True):
    """What make would run, and the library that programs load"""
    package.argDB["prefix"] = prefix
    package.arch, package.packageDir, package.installDir = "arch", "/sources", "/installed"
    package.petscdir, package.cuda = types.SimpleNamespace(dir="/petsc"), types.SimpleNamespace(found=cuda)
    package.cmake = types.SimpleNamespace(found=found, cmake="/bin/cmake")
    package.sharedLibraries = types.SimpleNamespace(useShared=shared)
    package.setCompilers = types.SimpleNamespace(sharedLibraryExt="so")
    assert callable(package.addPost) and callable(package.logPrintBox)
    made, package.logPrintBox = [], lambda *_: None
    package.addPost = lambda folder, lines: made.extend([folder, *lines])
    assert package.Install() == "/installed"
    return made, package.lib


def check_rules(package):
    known = set(re.findall(r"\b(?:option|set)\((HEPTA_\w+)", cmake))
    for prefix, petsc_dir, petsc_arch, folder in (("", "/petsc", "arch", "/petsc/arch"), ("/where", "/where", "", "/where")):
        for cuda, switch in ((1, "ON"), (0, "OFF")):
            (made_in, first, second, third), libraries = rules(package, prefix, cuda)
            given = dict(re.findall(r"-D(\w+)=(\S*)", first))
            options = {name: given.pop(name) for name in list(given) if name.startswith("HEPTA_")}
            assert options == {"HEPTA_TESTS": "ON", "HEPTA_CUDA": switch} and set(options) <= known, options
            assert given == {"PETSC_DIR": petsc_dir, "PETSC_ARCH": petsc_arch, "CMAKE_INSTALL_PREFIX": folder}, given
            build = re.search(r" -B (\S+)", first)[1]
            assert made_in == "/sources" and f" --build {build} " in second and third.endswith(f" --install {build}")
            assert libraries == [f"{folder}/lib/libhepta.so"]
    assert re.search(r"add_library\(hepta SHARED", cmake), "the library has another name than libhepta.so"


def check_refusals(package):
    for wrong, words in (({"found": False}, "CMake"), ({"shared": False}, "shared libpetsc")):
        try:
            rules(package, "", 0, **wrong)
        except RuntimeError as error:
            assert words in str(error), error
        else:
            raise AssertionError(f"{wrong} is not refused")


framework, package = configure()
check_attributes(framework, package)
check_rules(package)
check_refusals(package)
print(f"PETSc's configure knows --download-hepta, for hepta-{version}.tar.gz")
