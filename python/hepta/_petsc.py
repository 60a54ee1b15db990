"""petsc4py, initialized if the program has not done so, and what it does not offer: objects from the library's pointers"""
from __future__ import annotations

import ctypes
import re
import sys
from typing import Any, Callable

if "petsc4py.PETSc" not in sys.modules:
    import petsc4py

    petsc4py.init([sys.executable if sys.argv[0] in ("-m", "-c") else sys.argv[0], *sys.argv[1:]])  # no options of PETSc's
from petsc4py import PETSc  # noqa: E402  (the arguments come first)


def words() -> str:
    """petsc4py's PETSc, as HeptaBuiltFor has that of the library"""
    version = ".".join(str(n) for n in PETSc.Sys.getVersion())
    scalars = "complex" if PETSc.ScalarType().dtype.kind == "c" else "real"
    precision = {4: "single", 8: "double", 16: "quadruple"}[PETSc.RealType().itemsize]
    return f"PETSc {version}, {scalars} scalars in {precision} precision, {8 * PETSc.IntType().itemsize}-bit indices"


def _compatible(text: str) -> str:
    """The words without the last number of the version, which changes nothing that the library uses"""
    return re.sub(r"^(PETSc \d+\.\d+)[.\d]*", r"\1", text)


def check_same_petsc(lib: ctypes.CDLL, path: str) -> None:
    """An error if the library was built for another PETSc than petsc4py's, or has another libpetsc, which is not initialized"""
    both = "build both with the same PETSC_DIR and PETSC_ARCH"
    built = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(lib, "HeptaBuiltFor"))).decode()
    if _compatible(built) != _compatible(words()):
        raise ImportError(f"{path} was built for {built}, and petsc4py has {words()}: {both}")
    flag = ctypes.c_int(0)
    lib.PetscInitialized(ctypes.byref(flag))
    if not flag.value:
        raise ImportError(f"{path}, built for {built}, has another libpetsc than petsc4py: {both}")


def _c_function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A function of petsc4py's C interface, which raises the Python exception that it sets"""
    capsule, api = PETSc.__pyx_capi__[name], ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.PYFUNCTYPE(result, *arguments)(api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule)))


def new_object(kind: str, pointer: int | None) -> Any:
    """A petsc4py object for a pointer of PETSc's, with a reference of its own; kind: "PC", "IS", ..."""
    return _c_function(f"PyPetsc{kind}_New", ctypes.py_object, ctypes.c_void_p)(pointer)


def raise_error(code: int) -> None:
    """Raises PETSc.Error with the messages of PETSc's functions since the error"""
    _c_function("PyPetscError_Set", ctypes.c_int, ctypes.c_int)(code)
