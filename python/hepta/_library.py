"""libhepta.so, its types for ctypes, and calls that raise PETSc's errors"""

import ctypes
import os
import pathlib

from ._petsc import PETSc, check_same_petsc, raise_error

_HERE = pathlib.Path(__file__).resolve().parent


def library():
    """The path of libhepta.so: that of the environment variable HEPTA_LIBRARY, or of this package."""
    path = pathlib.Path(os.environ.get("HEPTA_LIBRARY") or _HERE / "libhepta.so")
    if not path.is_file():
        raise ImportError(
            f"{path} is missing: install Hepta by pip, or set HEPTA_LIBRARY to the libhepta.so that `make` has built"
        )
    return str(path)


lib = ctypes.CDLL(library())  # knows the functions of libpetsc and the CUDA runtime too, which it is linked to
check_same_petsc(lib, library())
Int = ctypes.c_int64 if PETSc.IntType().itemsize == 8 else ctypes.c_int32
Real = ctypes.c_double if PETSc.RealType().itemsize == 8 else ctypes.c_float


def call(name, *args):
    code = getattr(lib, name)(*args)
    if code:
        raise_error(code)


def of(obj):
    return ctypes.c_void_p(obj.handle)
