"""libhepta.so, its types for ctypes, and calls that raise PETSc's errors"""

from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any

from ._petsc import PETSc, check_same_petsc, raise_error, words

_HERE = pathlib.Path(__file__).resolve().parent


def library() -> str:
    """The path of libhepta.so: that of the environment variable HEPTA_LIBRARY, or of this package."""
    path = pathlib.Path(os.environ.get("HEPTA_LIBRARY") or _HERE / "libhepta.so")
    if not path.is_file():
        raise ImportError(
            f"{path} is missing: install Hepta by pip, or set HEPTA_LIBRARY to the libhepta.so that `make` has built"
        )
    return str(path)


def _load(path: str) -> ctypes.CDLL:
    """The library, which knows the functions of libpetsc and the CUDA runtime too: it is linked to both"""
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{error}. Was {path} built for the PETSc of petsc4py, {words()}?") from error
    check_same_petsc(loaded, path)
    return loaded


lib = _load(library())
Int = ctypes.c_int64 if PETSc.IntType().itemsize == 8 else ctypes.c_int32
Real = ctypes.c_double if PETSc.RealType().itemsize == 8 else ctypes.c_float


def call(name: str, *args: Any) -> None:
    code = getattr(lib, name)(*args)
    if code:
        raise_error(code)


def of(obj: PETSc.Object) -> ctypes.c_void_p:
    return ctypes.c_void_p(obj.handle)
