"""import hepta in any order with petsc4py; python -m hepta; errors of a library for another PETSc; annotations, enumerations.

The libraries for another PETSc are stubs that a C compiler (CC) makes.
"""

import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

import hepta
from hepta._petsc import words

# Of a library that has the PETSc of petsc4py, and of another libpetsc, which petsc4py has not initialized
STUB = """const char HeptaBuiltFor[] = "%s";
int PetscInitialized(int *flag) { *flag = 0; return 0; }
"""
FIRST = {
    "petsc4py with arguments": "import petsc4py; petsc4py.init(['program', '-mat_type', 'brow']); import hepta",
    "petsc4py without": "from petsc4py import PETSc; import hepta; PETSc.Options()['mat_type'] = 'brow'",
    "hepta": "import sys; sys.argv += ['-mat_type', 'brow']; import hepta",
}
THEN = "; from petsc4py import PETSc; A = PETSc.Mat().create(); A.setSizes((4, 4)); A.setFromOptions(); print(A.getType())"


def python(*arguments, **environment):
    """Another process, which is none of this mpiexec"""
    alone = {k: v for k, v in os.environ.items() if not k.startswith(("PMI", "HYDI", "HYDRA", "MPI", "OMPI"))}
    return subprocess.run([sys.executable, *arguments], env=alone | environment, capture_output=True, text=True)


def check_order():
    for name, program in FIRST.items():
        done = python("-c", program + THEN)
        assert done.stdout.strip() == "seqbrow", f"{name} first: {done.stdout}{done.stderr}"


def check_module():
    done = python("-m", "hepta")
    assert done.returncode == 0, done.stderr
    assert "-pc_type aggmg" in done.stdout and done.stdout.startswith("\n".join(hepta._view())), done.stdout


def error_of(library):
    done = python("-c", "import hepta", HEPTA_LIBRARY=str(library))
    found = re.search(r"^ImportError: (.*)$", done.stderr, re.M)
    assert found, done.stderr
    return found[1]


def stub_of(folder, text):
    """A library that was built for a PETSc in these words"""
    source, library = folder / "stub.c", folder / "stub.so"
    source.write_text(STUB % text)
    library.unlink(missing_ok=True)
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-Wl,-Bsymbolic", "-o", library, source], check=True)
    return library


def check_other_petsc(folder):
    ours = words()
    version = ours.split()[1].rstrip(",")
    others = (ours.replace(version, "3.1.0"), ours.replace("real", "complex"), re.sub(r"\d+-bit", "16-bit", ours))
    for theirs in others:
        stub = stub_of(folder, theirs)
        sentence = f"{stub} was built for {theirs}, and petsc4py has {ours}: build both with the same PETSC_DIR"
        assert sentence in error_of(stub), error_of(stub)
    later = ours.replace(version, f"{version}9")
    stub = stub_of(folder, later)
    assert f"{stub}, built for {later}, has another libpetsc than petsc4py: build both" in error_of(stub), error_of(stub)
    stub.write_text("no library")
    assert f"Was {stub} built for the PETSc of petsc4py, {ours}?" in error_of(stub), error_of(stub)
    assert f"{folder / 'none.so'} is missing: install Hepta by pip, or set HEPTA_LIBRARY" in error_of(folder / "none.so")


def check_annotations():
    here = pathlib.Path(hepta.__file__).parent
    assert (here / "py.typed").exists()
    for path in here.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                arguments = (*node.args.args, *node.args.kwonlyargs)
                bare = [a.arg for a in arguments if a.annotation is None and a.arg != "self"]
                bare += ["its result"] if node.returns is None else []
                assert not bare, f"{path.name}: {node.name}() lacks annotations: {', '.join(bare)}"
    for name, function in vars(hepta).items():
        if not name.startswith("_") and inspect.isfunction(function):
            typing.get_type_hints(function)


def check_enumerations():
    kinds = [name for name, what in vars(hepta).items() if typing.get_origin(what) is typing.Literal]
    assert len(kinds) == 7, kinds
    for kind in kinds:
        array = {"HeptaBlockICBlocks": "HeptaBlockICBlockNames"}.get(kind, f"{kind}s")
        assert list(typing.get_args(getattr(hepta, kind))) == hepta._names(array), (kind, hepta._names(array))


def main():
    check_enumerations()
    check_annotations()
    check_order()
    check_module()
    with tempfile.TemporaryDirectory() as folder:
        check_other_petsc(pathlib.Path(folder))
    print("import hepta: in any order, for one PETSc")


main()
