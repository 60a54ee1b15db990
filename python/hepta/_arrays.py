"""Arrays of other libraries for COO assembly and as vectors, and vectors as arrays, in host or GPU memory, not copied.

petsc4py has setPreallocationCOO() and setValuesCOO() for host arrays, whose number of values it does not check,
createWithDLPack(), which checks neither type nor strides and keeps no array alive, and toDLPack(), which ends its access before
the array is used.
"""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

import numpy

from ._library import Int, call, of
from ._memory import Memory, device_of_petsc, memory_of, wait_for_device
from ._petsc import PETSc, new_object

_INT, _SCALAR = numpy.dtype(PETSc.IntType), numpy.dtype(PETSc.ScalarType)
_COUNT = "hepta_coo_values"  # the attribute of a Mat that says how many values its COO locations take
_ACCESS = {"rw": "", "r": "Read", "w": "Write"}


def _indices(name: str, i: Any, j: Any) -> tuple[Memory, Memory]:
    rows, cols = memory_of(i, _INT, f"{name}(), i"), memory_of(j, _INT, f"{name}(), j")
    if rows.size != cols.size:
        raise ValueError(f"{name}(): {rows.size} rows and {cols.size} columns: there must be as many")
    if rows.device != cols.device and rows.size:
        raise ValueError(f"{name}(): i is in {_place(rows)} memory and j in {_place(cols)} memory: give both in one")
    return rows, cols


def _place(memory: Memory) -> str:
    return "GPU" if memory.device else "host"


def _set_locations(name: str, mat: PETSc.Mat, rows: Memory, cols: Memory, values: int) -> None:
    """values: how many a location has"""
    mat.setAttr(_COUNT, None)
    call(name, of(mat), ctypes.c_ssize_t(rows.size), ctypes.c_void_p(rows.pointer), ctypes.c_void_p(cols.pointer))
    mat.setAttr(_COUNT, rows.size * values)


def _copy(memory: Memory) -> Memory:
    """The indices again where they are on the host, because some types of PETSc sort them in place"""
    if memory.device:
        return memory
    copy = (Int * memory.size)()
    ctypes.memmove(copy, memory.pointer, ctypes.sizeof(copy))
    return dataclasses.replace(memory, pointer=ctypes.addressof(copy), owners=(copy,))


def set_preallocation_coo(mat: PETSc.Mat, i: Any, j: Any) -> None:
    """The rows i and columns j whose values set_values_coo() takes.

    Collective. Rows of other processes and repeated locations are allowed; their values are sent and added. i and j are
    contiguous arrays of PETSc.IntType, both on the host or both on PETSc's GPU, or lists. The GPU analyzes locations on the GPU,
    and all locations of bdiacuda and browcuda.

    Raises TypeError for another type of numbers, ValueError for an array that cannot be taken as it is, PETSc.Error for a
    location outside mat.
    """
    rows, cols = _indices("set_preallocation_coo", i, j)
    _set_locations("MatSetPreallocationCOO", mat, _copy(rows), _copy(cols), 1)


def HeptaMatSetPreallocationCOOBlocked(A: PETSc.Mat, i: Any, j: Any) -> None:
    """The block rows i and block columns j whose values set_values_coo() takes, block by block, each row by row.

    Collective. i and j are arrays as for set_preallocation_coo().
    """
    name = "HeptaMatSetPreallocationCOOBlocked"
    rows, cols = _indices(name, i, j)
    high, wide = A.getBlockSizes()
    _set_locations(name, A, rows, cols, high * wide)


def set_values_coo(mat: PETSc.Mat, values: Any, add: bool = False) -> None:
    """The values at the locations of set_preallocation_coo() or HeptaMatSetPreallocationCOOBlocked(), in their order.

    Collective; mat is assembled afterwards. values is a contiguous array of PETSc.ScalarType of any shape, such as (blocks, bs,
    bs), on the host or on PETSc's GPU, or a list; nothing is copied, and the array may be changed afterwards. add: the values are
    added to those of mat instead of replacing them.

    Raises TypeError for another type of numbers, ValueError for an array that cannot be taken as it is and for another number of
    values.
    """
    count = mat.getAttr(_COUNT)
    if count is None:
        raise ValueError("set_values_coo(): the matrix has no locations: call set_preallocation_coo() first")
    memory = memory_of(values, _SCALAR, "set_values_coo(), values", count)
    mode = PETSc.InsertMode.ADD_VALUES if add else PETSc.InsertMode.INSERT_VALUES
    call("MatSetValuesCOO", of(mat), ctypes.c_void_p(memory.pointer if count else None), ctypes.c_int(mode))
    if memory.device and count:
        wait_for_device()


class VecArray:
    """The numbers of a vector on this process as an array for NumPy, CuPy, PyTorch and JAX, see vec_array()"""

    def __init__(self, vec: PETSc.Vec, mode: str) -> None:
        self._vec = new_object("Vec", vec.handle)  # a reference of its own, for arrays that outlive vec
        self._mode = mode
        self._pointer = None

    def __enter__(self) -> VecArray:
        pointer, kind = ctypes.c_void_p(), ctypes.c_int()
        call(f"VecGetArray{_ACCESS[self._mode]}AndMemType", of(self._vec), ctypes.byref(pointer), ctypes.byref(kind))
        self._pointer, self.shape, self.device = pointer.value or 0, (self._vec.getLocalSize(),), bool(kind.value)
        if self.device:
            wait_for_device()
        return self

    def __exit__(self, *error: Any) -> None:
        if self.device:
            wait_for_device()
        pointer, self._pointer = ctypes.c_void_p(self._pointer), None
        call(f"VecRestoreArray{_ACCESS[self._mode]}AndMemType", of(self._vec), ctypes.byref(pointer))

    def _begun(self) -> int:
        if self._pointer is None:
            raise RuntimeError(
                "the access to the vector has not begun or has ended: use the array inside `with hepta.vec_array(vec) as array:`"
            )
        return self._pointer

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        pointer = self._begun()
        if not self.device:
            raise AttributeError("the vector is in host memory: take numpy.asarray()")
        return {"shape": self.shape, "typestr": _SCALAR.str, "data": (pointer, self._mode == "r"), "version": 3}

    def _host_array(self, readonly: bool) -> numpy.ndarray:
        pointer = self._begun()
        memory = (ctypes.c_byte * (self.shape[0] * _SCALAR.itemsize)).from_address(pointer)
        memory.vec = self._vec
        array = numpy.frombuffer(memory, _SCALAR)
        array.flags.writeable = not readonly
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        self._begun()
        if self.device:
            raise TypeError("the vector is in GPU memory: take cupy.asarray(), torch.from_dlpack() or jax.dlpack.from_dlpack()")
        return numpy.array(self._host_array(self._mode == "r"), dtype, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        self._begun()
        return (2, device_of_petsc()) if self.device else (1, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        """stream is not needed: the GPU has done all work on the vector"""
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("hepta.vec_array() gives the memory of the vector and no copy on another device")
        if self.device:
            return self._vec.toDLPack(self._mode)
        versioned = max_version is not None and max_version[0] >= 1  # an older capsule cannot say that it is read-only
        array = self._host_array(self._mode == "r" and versioned)
        return array.__dlpack__(max_version=max_version) if versioned else array.__dlpack__()


def vec_array(vec: PETSc.Vec, mode: str = "rw") -> VecArray:
    """The numbers of vec on this process, where vec works, as an array that other libraries share::

        with hepta.vec_array(x) as array:
            a = cupy.asarray(array)  # or numpy.asarray(array), torch.from_dlpack(array), jax.dlpack.from_dlpack(array)
            a *= 2

    Logically collective; with mode "r" not collective. mode: "r" to read; "w" to write all numbers, whose old values are
    undefined; "rw" for both. The access begins and ends with the block, each time when the GPU has done all work. Afterwards vec
    may be used, and a must not be. With "r" arrays of NumPy are read-only, and those of other libraries must not be written to.

    Raises ValueError for another mode, RuntimeError for use outside the block, PETSc.Error for write access to a vector that is
    locked for reading.
    """
    if mode not in _ACCESS:
        raise ValueError(f"vec_array(): mode is one of {', '.join(_ACCESS)}, not {mode!r}")
    return VecArray(vec, mode)


def vec_from_array(array: Any, comm: Any = None, bsize: int | None = None) -> PETSc.Vec:
    """A vector whose numbers on this process are those of a contiguous array of PETSc.ScalarType, on the host or on PETSc's GPU.

    Collective on comm, PETSc's default one unless given; all processes give arrays in the same kind of memory. The vector keeps
    the array alive. From then on change the numbers by functions of PETSc or through vec_array(), because PETSc keeps norms and
    copies.

    Raises TypeError for another type of numbers, ValueError for an array that cannot be taken as it is.
    """
    memory = memory_of(array, _SCALAR, "vec_from_array(), array", write=True)
    size = ((memory.size, None), bsize)
    vec = PETSc.Vec()
    if memory.device:
        vec.createCUDAWithArrays(None, memory.pointer, *size, comm)
    else:
        numbers = (ctypes.c_byte * (memory.size * _SCALAR.itemsize)).from_address(memory.pointer)
        vec.createWithArray(numpy.frombuffer(numbers, _SCALAR), *size, comm)
    vec.setAttr("hepta_array", memory.owners)
    return vec
