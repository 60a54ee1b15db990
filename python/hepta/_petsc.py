"""petsc4py, initialized if the program has not done so, and what it does not offer: objects from the library's pointers"""
import ctypes
import sys

if "petsc4py.PETSc" not in sys.modules:
    import petsc4py

    petsc4py.init([sys.executable if sys.argv[0] == "-m" else sys.argv[0], *sys.argv[1:]])  # python -m hepta
from petsc4py import PETSc  # noqa: E402  (the arguments come first)

if PETSc.ScalarType().dtype.kind != "f":
    raise ImportError("Hepta works with real scalars, and this petsc4py was built with complex ones")


def check_same_petsc(lib, path):
    """An error if the library has another libpetsc than petsc4py: that one is not initialized"""
    flag = ctypes.c_int(0)
    lib.PetscInitialized(ctypes.byref(flag))
    if not flag.value:
        version = ".".join(str(n) for n in PETSc.Sys.getVersion())
        raise ImportError(f"{path} was built for another PETSc than petsc4py, whose PETSc is {version}: build both with the same PETSC_DIR and PETSC_ARCH")


def _c_function(name, result, *arguments):
    """A function of petsc4py's C interface, which raises the Python exception that it sets"""
    capsule, api = PETSc.__pyx_capi__[name], ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.PYFUNCTYPE(result, *arguments)(api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule)))


def new_object(kind, pointer):
    """A petsc4py object for a pointer of PETSc's, with a reference of its own; kind: "PC", "IS", ..."""
    return _c_function(f"PyPetsc{kind}_New", ctypes.py_object, ctypes.c_void_p)(pointer)


def raise_error(code):
    """Raises PETSc.Error with the messages of PETSc's functions since the error"""
    _c_function("PyPetscError_Set", ctypes.c_int, ctypes.c_int)(code)
