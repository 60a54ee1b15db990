"""Where the numbers of an array are, by __cuda_array_interface__, the buffer protocol, or DLPack. Nothing is copied."""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

import numpy

from ._library import call, lib


@dataclasses.dataclass
class Memory:
    """The numbers of an array; owners keep them alive"""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None  # in bytes; None: contiguous
    dtype: str
    readonly: bool
    device: bool
    owners: tuple[Any, ...]

    @property
    def size(self) -> int:
        size = 1
        for n in self.shape:
            size *= n
        return size

    def contiguous(self, itemsize: int) -> bool:
        """Whether the numbers follow each other, the last index first"""
        expected = itemsize
        for n, stride in zip(reversed(self.shape), reversed(self.strides or ())):
            if n > 1 and stride != expected and self.size:
                return False
            expected *= n
        return True


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int),
        ("device_id", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_HOST, _CUDA = (1, 3), (2, 13)  # device types of DLPack: host and pinned host memory, device and managed memory
_STREAM = 1  # CUDA's legacy default stream, which the library of an array then lets wait for the work on the array
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}


def _from_cuda(array: Any, interface: dict[str, Any]) -> Memory:
    pointer, readonly = interface["data"]
    strides = interface.get("strides")
    if hasattr(array, "__dlpack__"):
        array.__dlpack__(stream=_STREAM)  # JAX may not have launched its work yet, and only this waits for it
    return Memory(
        pointer or 0,
        tuple(interface["shape"]),
        strides and tuple(strides),
        str(numpy.dtype(interface["typestr"])),
        readonly,
        True,
        (array,),
    )


def _from_numpy(array: numpy.ndarray) -> Memory:
    return Memory(array.ctypes.data, array.shape, array.strides, str(array.dtype), not array.flags.writeable, False, (array,))


def _from_dlpack(array: Any, what: str) -> Memory:
    kind = array.__dlpack_device__()[0]
    if kind not in _HOST + _CUDA:
        raise ValueError(
            f"{what}: the array is on a device of DLPack type {int(kind)}, not the host or an NVIDIA GPU: copy it there"
        )
    capsule = array.__dlpack__(stream=_STREAM) if kind in _CUDA else array.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _DLTensor.from_address(get(capsule, b"dltensor"))
    lanes = f"x{tensor.lanes}" if tensor.lanes > 1 else ""
    dtype = f"{_KINDS.get(tensor.code, f'type {tensor.code} of ')}{tensor.bits}{lanes}"
    strides = tuple(n * tensor.bits // 8 for n in tensor.strides[: tensor.ndim]) if tensor.strides else None
    return Memory(
        (tensor.data or 0) + tensor.byte_offset,
        tuple(tensor.shape[: tensor.ndim]),
        strides,
        dtype,
        False,
        kind in _CUDA,
        (array, capsule),
    )


def _find(array: Any, dtype: numpy.dtype, what: str) -> Memory:
    if isinstance(array, (list, tuple, range)):
        array = numpy.array(array, dtype)
    if isinstance(array, numpy.ndarray):
        return _from_numpy(array)
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _from_cuda(array, interface)
    try:
        return _from_numpy(numpy.asarray(memoryview(array)))
    except TypeError:
        pass
    if hasattr(array, "__dlpack__"):
        return _from_dlpack(array, what)
    raise TypeError(
        f"{what}: {type(array).__name__} has none of __cuda_array_interface__, __dlpack__ and the buffer protocol: give an array"
    )


class _Attributes(ctypes.Structure):
    """cudaPointerAttributes, whose later fields nobody reads"""

    _fields_ = [("type", ctypes.c_int), ("device", ctypes.c_int), ("rest", ctypes.c_char * 128)]


def device_of_petsc() -> int:
    """The number of the GPU that PETSc works on in this process"""
    context, device, number = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int64()
    call("PetscDeviceContextGetCurrentContext", ctypes.byref(context))
    call("PetscDeviceContextGetDevice", context, ctypes.byref(device))
    call("PetscDeviceGetDeviceId", device, ctypes.byref(number))
    return number.value & 0x7FFFFFFF  # a PetscInt of 32 or 64 bits


def wait_for_device() -> None:
    """Until the GPU has done what PETSc and others gave it, in all streams"""
    code = lib.cudaDeviceSynchronize()
    if code:
        raise RuntimeError(
            f"the GPU has failed with CUDA error {code}: an error of an earlier kernel, perhaps of another library"
        )


def _check_device(memory: Memory, what: str) -> None:
    if not hasattr(lib, "cudaPointerGetAttributes"):
        raise ValueError(f"{what}: the array is in GPU memory, and this PETSc has no CUDA: copy the array to the host")
    found = _Attributes()
    code = lib.cudaPointerGetAttributes(ctypes.byref(found), ctypes.c_void_p(memory.pointer))
    if code:
        raise ValueError(
            f"{what}: the array is in GPU memory, and CUDA finds no GPU here (CUDA error {code}): copy the array to the host"
        )
    if found.type not in (2, 3):  # cudaMemoryTypeDevice, cudaMemoryTypeManaged
        raise ValueError(f"{what}: the array says that it is in GPU memory, and CUDA knows no such memory at {memory.pointer:#x}")
    if found.device != device_of_petsc():
        raise ValueError(
            f"{what}: the array is on GPU {found.device}, and PETSc works on GPU {device_of_petsc()}: make the array there"
        )


def memory_of(array: Any, dtype: numpy.dtype, what: str, size: int | None = None, write: bool = False) -> Memory:
    """The memory of a contiguous array of this dtype, after all work of other libraries on it; errors begin with what"""
    memory = _find(array, dtype, what)
    if memory.dtype != str(dtype):
        raise TypeError(f"{what}: the array is of {memory.dtype}, and this PETSc has {dtype} here: convert the array")
    if not memory.contiguous(dtype.itemsize):
        raise ValueError(f"{what}: the array of shape {memory.shape} is not contiguous in C order: give a contiguous copy")
    if size is not None and memory.size != size:
        raise ValueError(f"{what}: the array has {memory.size} numbers where {size} are needed")
    if write and memory.readonly:
        raise ValueError(f"{what}: the array is read-only: give a copy that may be written")
    if memory.device and memory.size:
        _check_device(memory, what)
        wait_for_device()
    return memory
