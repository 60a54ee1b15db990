"""scikit-build-core, which refuses before pip builds another PETSc for petsc4py, where the build cannot see one

pip asks for the requirements of Hepta's build, and without build isolation for its metadata, before those of petsc4py, which
without a PETSc requires the package petsc: PETSc compiled, without CUDA and beside the PETSc of the user's programs.
"""

import importlib.util
import os
import shutil
import subprocess
import sys

from scikit_build_core import build as _build
from scikit_build_core.build import build_editable, build_sdist, build_wheel, get_requires_for_build_sdist  # noqa: F401

REFUSED = (
    "hepta: PETSC_DIR is not set, and this build sees neither the package petsc nor petsc4py. Set PETSC_DIR (and PETSC_ARCH), or "
    "with petsc or petsc4py and scikit-build-core installed, use `pip install --no-build-isolation .`: pip would compile a second "
    "PETSc."
)


def _named(settings):
    """Whether PETSC_DIR is in the environment or among the arguments of CMake"""
    variables = [os.environ.get(name, "") for name in ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "SKBUILD_CMAKE_DEFINE")]
    return bool(os.environ.get("PETSC_DIR")) or "PETSC_DIR" in f"{variables} {settings}"


def _installed():
    """Whether Python or pkg-config knows a PETSc"""
    known = shutil.which("pkg-config") and not subprocess.run(["pkg-config", "--exists", "PETSc"], check=False).returncode
    return known or any(importlib.util.find_spec(package) for package in ("petsc", "petsc4py"))


def _checked(hook):
    def checked(*args, **named):
        settings = named.get("config_settings", next((a for a in args if isinstance(a, dict)), None))
        if not _named(settings) and not _installed():
            sys.exit(REFUSED)
        return hook(*args, **named)

    return checked


get_requires_for_build_wheel = _checked(_build.get_requires_for_build_wheel)
get_requires_for_build_editable = _checked(_build.get_requires_for_build_editable)
prepare_metadata_for_build_wheel = _checked(_build.prepare_metadata_for_build_wheel)
prepare_metadata_for_build_editable = _checked(_build.prepare_metadata_for_build_editable)
