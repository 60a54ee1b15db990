"""Memory shared with other libraries: COO assembly and vectors beside dense arithmetic of NumPy.

With HEPTA_TEST_DEVICE=1 arrays and vectors are on a GPU, with CuPy, and with PyTorch and JAX where they are installed. On a
machine that has the bundle of `make bundle` and, in the folder petsc4py-abi3, a petsc4py of the same PETSc (for Python 3.11 and
later if it was built with PETSC4PY_BUILD_PYSABI=3.11):

    export HEPTA_TEST_DEVICE=1 HEPTA_TEST_GPU=1 HEPTA_LIBRARY=$PWD/hepta-bundle/lib/libhepta.so
    export PYTHONPATH=$PWD/petsc4py-abi3:$PWD/python
    hepta-bundle/run.sh exec -n 2 python3 tests/python/test_arrays.py -use_gpu_aware_mpi 0
"""

import gc
import os
import sys

import numpy

import hepta
from petsc4py import PETSc

DEVICE = os.environ.get("HEPTA_TEST_DEVICE") == "1"
COMM = PETSc.COMM_WORLD
BLOCKS, BS = 7, 3
N = BLOCKS * BS


class DLPackOnly:
    """An array of which nothing but DLPack is known"""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def jax_array(array):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the GPU is PETSc's too
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.device_put(array, jax.devices("cuda" if DEVICE else "cpu")[0])


def torch_array(array):
    import torch

    return torch.as_tensor(array, device="cuda" if DEVICE else "cpu")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def libraries():
    """{name: a function that makes an array of NumPy's one of the library, where DEVICE says}, and the library for arithmetic"""
    if DEVICE:
        try:
            import cupy
        except ImportError:
            skip("CuPy is not installed: pip install cupy-cuda13x")
        if os.environ.get("HEPTA_TEST_GPU") != "1" and not hepta.info()["cuda"]:
            skip("no CUDA device was found")
        found, xp = {"cupy": cupy.asarray, "dlpack": lambda array: DLPackOnly(cupy.asarray(array))}, cupy
    else:
        found, xp = {"numpy": numpy.asarray, "memoryview": memoryview, "dlpack": lambda array: DLPackOnly(array)}, numpy
    for name, make in (("torch", torch_array), ("jax", jax_array)):
        try:
            make(numpy.arange(3.0))
            found[name] = make
        except Exception as error:  # noqa: BLE001  (not installed, or without CUDA)
            PETSc.Sys.Print(f"without {name}: {type(error).__name__}")
    return found, xp


def locations(rows, count, seed):
    """Random locations of each process, with repetitions and rows of others: {rank: (i, j)}"""
    found = {}
    for rank in range(COMM.size):
        random = numpy.random.default_rng(seed + rank)
        i, j = random.integers(0, rows, (2, count)).astype(PETSc.IntType)
        found[rank] = (
            numpy.concatenate([i, numpy.arange(rows, dtype=i.dtype)]),
            numpy.concatenate([j, numpy.arange(rows, dtype=i.dtype)]),
        )
    return found


def matrix(kind, bs):
    A = PETSc.Mat().create(COMM)
    local = BLOCKS // COMM.size + (COMM.rank < BLOCKS % COMM.size)
    A.setSizes(((local * BS, N), (local * BS, N)), bsize=bs)
    A.setType(kind + "cuda" * (DEVICE and kind != "aij") if kind != "aij" or not DEVICE else "aijcusparse")
    A.setOptionsPrefix("loose_")
    A.setFromOptions()
    return A


def dense(A):
    """The rows of this process, by products with unit vectors"""
    x, y = A.createVecs()
    start, end = A.getOwnershipRange()
    columns = []
    for col in range(N):
        x.set(0)
        if start <= col < end:
            x.setValue(col, 1)
        x.assemble()
        A.mult(x, y)
        columns.append(y.getArray(readonly=True).copy())
    return numpy.array(columns).T


def check_coo(name, kind, make, blocked):
    """Values of a library, then others added to them"""
    b = BS if blocked else 1
    where = locations(N // b, 40, 11)
    A = matrix(kind, BS)
    i, j = (make(k) for k in where[COMM.rank])
    (hepta.HeptaMatSetPreallocationCOOBlocked if blocked else hepta.set_preallocation_coo)(A, i, j)
    expected = numpy.zeros((N, N))
    for factor, add in ((1.0, False), (0.5, True)):
        for rank, (rows, cols) in where.items():
            values = factor * numpy.random.default_rng(rank).random((len(rows), b, b))
            for r in range(b):
                for c in range(b):
                    numpy.add.at(expected, (rows * b + r, cols * b + c), values[:, r, c])
            if rank == COMM.rank:
                hepta.set_values_coo(A, make(values), add)
    start, end = A.getOwnershipRange()
    error = numpy.abs(dense(A) - expected[start:end]).max(initial=0)
    assert error < 1e-12, (name, kind, blocked, error)


def pointer(array):
    return array.data.ptr if DEVICE else array.ctypes.data


def check_vec_array(xp):
    """Values, norms that PETSc keeps, no copies, the end of the access"""
    x = PETSc.Vec().create(COMM)
    x.setSizes(N)
    x.setType("cuda" if DEVICE else "standard")
    x.set(2)
    norm = x.norm()
    with hepta.vec_array(x) as array:
        a = xp.asarray(array)
        a *= 3
        at = pointer(a)
    assert abs(x.norm() - 3 * norm) < 1e-12 * norm
    state = x.stateGet()
    with hepta.vec_array(x, "r") as array:
        a = xp.asarray(array)
        assert pointer(a) == at and bool((a == 6).all()) and a.shape == (x.getLocalSize(),)
        if not DEVICE:
            assert not a.flags.writeable and not numpy.from_dlpack(array).flags.writeable
    assert x.stateGet() == state
    with hepta.vec_array(x, "w") as array:
        xp.from_dlpack(array)[:] = xp.arange(*x.getOwnershipRange(), dtype=PETSc.ScalarType)
    assert abs(x.sum() - N * (N - 1) / 2) < 1e-9
    first = hepta.vec_array(x)
    for late in (lambda: xp.asarray(array), lambda: array.__dlpack__(), lambda: xp.from_dlpack(first)):
        expect(RuntimeError, "inside `with hepta.vec_array", late)
    with hepta.vec_array(x, "r") as array:
        a = xp.asarray(array)
    assert x.getRefCount() > 1  # so that the memory of a stays
    x.destroy()
    gc.collect()
    assert bool((a >= 0).all())
    expect(ValueError, "mode is one of rw, r, w, not 'x'", lambda: hepta.vec_array(x, "x"))


def check_torch(xp):
    import torch

    x = hepta.vec_from_array(torch_array(numpy.arange(4.0)))
    with hepta.vec_array(x) as array:
        tensor = torch.from_dlpack(array)
        tensor *= 2
    assert abs(x.sum() - 12 * COMM.size) < 1e-12


def check_jax(xp):
    import jax

    x = hepta.vec_from_array(xp.arange(4.0))
    x.scale(2)
    with hepta.vec_array(x, "r") as array:
        assert float(jax.dlpack.from_dlpack(array).sum()) == 12


def check_vec_from_array(xp):
    """A vector on an array, which stays alive with it; blocks; a solve into it"""
    x = hepta.vec_from_array(xp.arange(1000.0) + 0, bsize=2)
    gc.collect()
    other = [xp.full(1000, 7.0) for _ in range(3)]
    assert abs(x.sum() - COMM.size * 499500) < 1e-6 and x.getBlockSize() == 2 and len(other) == 3
    assert ("cuda" in x.getType()) == DEVICE
    a = xp.full(BS if COMM.rank == 0 else 0, 1.0)
    y = hepta.vec_from_array(a)
    with hepta.vec_array(y, "r") as array:
        assert pointer(xp.asarray(array)) == pointer(a) or not a.size
    y.scale(4)
    with hepta.vec_array(y, "r") as array:
        assert bool((a == 4).all())
    assert y.getSize() == BS


def expect(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), (text, str(error))
    else:
        raise AssertionError(f"no error where this one was expected: {text}")


class Elsewhere:
    """An array that says to be in GPU memory where there is none"""

    def __init__(self, data):
        self.__cuda_array_interface__ = {"shape": (2,), "typestr": "<f8", "data": (data, False), "version": 3}


def check_refusals(xp):
    A = matrix("brow", 1)
    two = xp.arange(2, dtype=PETSc.IntType)
    expect(ValueError, "call set_preallocation_coo() first", lambda: hepta.set_values_coo(A, xp.ones(2)))
    expect(ValueError, "2 rows and 1 columns", lambda: hepta.set_preallocation_coo(A, two, two[:1]))
    wrong = "int32" if PETSc.IntType().itemsize == 8 else "int64"
    expect(
        TypeError,
        f"set_preallocation_coo(), i: the array is of {wrong}",
        lambda: hepta.set_preallocation_coo(A, two.astype(wrong), two),
    )
    hepta.set_preallocation_coo(A, two, two)
    for array, kind, text in (
        (xp.ones(3), ValueError, "set_values_coo(), values: the array has 3 numbers where 2 are needed"),
        (xp.ones(2, "float32"), TypeError, "is of float32, and this PETSc has float64 here"),
        (xp.ones(4)[::2], ValueError, "shape (2,) is not contiguous"),
        (DLPackOnly(xp.ones((2, 2)).T), ValueError, "shape (2, 2) is not contiguous"),
        (DLPackOnly(xp.arange(2)), TypeError, "is of int64"),
        (3.0, TypeError, "float has none of"),
        (Elsewhere(64), ValueError, "CUDA knows no such memory at 0x40" if DEVICE else "the array is in GPU memory, and"),
    ):
        expect(kind, text, lambda array=array: hepta.set_values_coo(A, array))
    beyond = xp.asarray([0, 70], dtype=PETSc.IntType)
    expect(PETSc.Error, "row 70, column 0, outside the 21 x 21 matrix", lambda: hepta.set_preallocation_coo(A, beyond, two * 0))
    if DEVICE:
        expect(ValueError, "i is in host memory and j in GPU memory", lambda: hepta.set_preallocation_coo(A, [0, 1], two))
        with hepta.vec_array(A.createVecRight(), "r") as array:
            expect(TypeError, "cupy.asarray()", lambda: numpy.asarray(array))
    else:
        array = numpy.ones(2)
        array.flags.writeable = False
        expect(ValueError, "read-only", lambda: hepta.vec_from_array(array))


def main():
    found, xp = libraries()
    PETSc.Options().setValue("loose_mat_bdia_max_offsets", 1000)
    PETSc.Options().setValue("loose_mat_bdia_max_fill", 1000)
    for name, make in found.items():
        for kind in ("bdia", "brow", "aij"):
            check_coo(name, kind, make, False)
            check_coo(name, kind, make, True)
        if name in ("torch", "jax"):
            {"torch": check_torch, "jax": check_jax}[name](xp)
    check_vec_array(xp)
    check_vec_from_array(xp)
    check_refusals(xp)
    PETSc.Sys.Print(f"arrays of {', '.join(found)} {'on the GPU' if DEVICE else 'on the host'}: as dense arithmetic")


main()
