"""Hepta's matrices, preconditioners and Krylov methods in petsc4py.

``import hepta`` registers the types; options and ``setType()`` take them then::

    import hepta
    from petsc4py import PETSc
    A.setType("brow"); ksp.setType("fusedcg"); ksp.getPC().setType("aggmg")

The functions have the names of hepta.h and take petsc4py's objects. Enumerations are given by their names in options.
Beside them set_values_coo(), set_preallocation_coo(), vec_array() and vec_from_array() share memory with NumPy, CuPy, PyTorch and
JAX.
"""

from __future__ import annotations

import ctypes
import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any, Literal

from ._arrays import (
    HeptaMatSetPreallocationCOOBlocked,
    VecArray,
    set_preallocation_coo,
    set_values_coo,
    vec_array,
    vec_from_array,
)
from ._library import Int as _Int, Real as _Real, call as _call, lib as _lib, library, of as _of
from ._petsc import PETSc, new_object

# The enumerations of hepta.h by their names in options
HeptaMatStorage = Literal["double", "single"]
HeptaIPVariant = Literal["scaled", "published", "full"]
HeptaBlockICBlocks = Literal["lines", "boxes", "rows"]
HeptaBBSTriangle = Literal["auto", "upper", "lower", "both"]
HeptaSubdeflationType = Literal["stripes", "boxes", "graph", "material", "materialboxes", "labels", "vectors", "auto"]
HeptaSubdeflationVariant = Literal["def1", "def2", "adef1", "adef2", "bnn"]
HeptaSubdeflationCoarse = Literal["inverse", "cholesky", "ksp"]


def _names(array: str) -> list[str]:
    """The names of an enumeration, as the library has them: they end before the name of the type"""
    names = ctypes.cast(ctypes.addressof((ctypes.c_char_p * 1).in_dll(_lib, array)), ctypes.POINTER(ctypes.c_char_p))
    found = []
    for name in names:
        if name.decode().startswith("Hepta"):
            return found
        found.append(name.decode())


def _enum(array: str, value: str) -> ctypes.c_int:
    names = _names(array)
    if value not in names:
        raise ValueError(f"{value!r} is none of {', '.join(names)}")
    return ctypes.c_int(names.index(value))


_call("HeptaRegisterAll")


def HeptaView(viewer: PETSc.Viewer | None = None) -> None:
    """Prints the library and its version, PETSc, the GPU, the transport between processes, the tuning file and the types.

    Collective on PETSc.COMM_WORLD. viewer: an ASCII viewer; None: the standard output.
    """
    _call("HeptaView", _of(viewer or PETSc.Viewer.STDOUT(PETSc.COMM_WORLD)))


def HeptaSetTuning(name: str, value: float) -> None:
    """Sets one of the numbers by which kernels are chosen, in this process."""
    _call("HeptaSetTuning", name.encode(), _Real(value))


def HeptaGetTuning(name: str) -> float:
    """One of the numbers by which kernels are chosen."""
    value = _Real()
    _call("HeptaGetTuning", name.encode(), ctypes.byref(value))
    return value.value


def MatBDIASetGrid(A: PETSc.Mat, J: int, H: int, I: int) -> None:
    """The grid of the rows in natural order, J cells along the first axis, for a bdia matrix before its set-up."""
    _call("MatBDIASetGrid", _of(A), _Int(J), _Int(H), _Int(I))


def MatBDIASetHalf(A: PETSc.Mat, half: bool) -> None:
    """Whether a symmetric bdia matrix keeps only its diagonal and upper half."""
    _call("MatBDIASetHalf", _of(A), ctypes.c_int(bool(half)))


def MatBDIASetStorage(A: PETSc.Mat, storage: HeptaMatStorage) -> None:
    """The type of a bdia matrix' values: "double" or "single"."""
    _call("MatBDIASetStorage", _of(A), _enum("HeptaMatStorages", storage))


def MatBDIAGetOffsets(A: PETSc.Mat) -> list[int]:
    """The offsets of the block diagonals in block columns, ascending."""
    n, offsets = _Int(), ctypes.POINTER(_Int)()
    _call("MatBDIAGetOffsets", _of(A), ctypes.byref(n), ctypes.byref(offsets))
    return offsets[: n.value]


def MatBDIAGetFill(A: PETSc.Mat) -> float:
    """The value slots of a bdia matrix over its entries."""
    fill = _Real()
    _call("MatBDIAGetFill", _of(A), ctypes.byref(fill))
    return fill.value


def MatBROWSetTileSize(A: PETSc.Mat, bs: int) -> None:
    """The rows and columns of the tiles of a brow matrix, before its assembly; 0: the size that takes the fewest bytes."""
    _call("MatBROWSetTileSize", _of(A), _Int(bs))


def MatBROWGetTileSize(A: PETSc.Mat) -> int:
    """The rows and columns of the tiles of an assembled brow matrix."""
    bs = _Int()
    _call("MatBROWGetTileSize", _of(A), ctypes.byref(bs))
    return bs.value


def MatBROWSetStorage(A: PETSc.Mat, storage: HeptaMatStorage) -> None:
    """The type of a brow matrix' values: "double" or "single"."""
    _call("MatBROWSetStorage", _of(A), _enum("HeptaMatStorages", storage))


def HeptaMatGetBalancedRows(A: PETSc.Mat, bs: int = 0) -> PETSc.IS:
    """The rows that this process should have for all processes to have as many tiles of bs rows and columns, as an IS."""
    rows = ctypes.c_void_p()
    _call("HeptaMatGetBalancedRows", _of(A), _Int(bs), ctypes.byref(rows))
    found = new_object("IS", rows.value)
    _call("ISDestroy", ctypes.byref(rows))
    return found


def HeptaMatGetLevels(A: PETSc.Mat, upper: bool) -> tuple[int, int, int]:
    """(levels, blocks, ell): of the upper or lower triangle numbers of levels and level blocks, longest row in blocks."""
    levels, blocks, ell = _Int(), _Int(), _Int()
    found = [ctypes.byref(number) for number in (levels, blocks, ell)]
    _call("HeptaMatGetLevels", _of(A), ctypes.c_int(bool(upper)), *found, None)
    return levels.value, blocks.value, ell.value


def PCBlockICSetBlocks(pc: PETSc.PC, blocks: HeptaBlockICBlocks, size: int = -1) -> None:
    """Which blocks blockic factors, "lines", "boxes" or "rows", and their size; -1: the default."""
    _call("PCBlockICSetBlocks", _of(pc), _enum("HeptaBlockICBlockNames", blocks), _Int(size))


def PCBBSSetTriangle(pc: PETSc.PC, triangle: HeptaBBSTriangle) -> None:
    """What the matrix of bbs is: "auto", "upper", "lower" or "both"."""
    _call("PCBBSSetTriangle", _of(pc), _enum("HeptaBBSTriangles", triangle))


def PCIPSetVariant(pc: PETSc.PC, variant: HeptaIPVariant) -> None:
    """Which approximate inverse ip makes: "scaled", "published" or "full"."""
    _call("PCIPSetVariant", _of(pc), _enum("HeptaIPVariants", variant))


def PCIPSetStorage(pc: PETSc.PC, storage: HeptaMatStorage) -> None:
    """The type of the values of ip: "double" or "single"."""
    _call("PCIPSetStorage", _of(pc), _enum("HeptaMatStorages", storage))


def PCGridMGSetGrid(pc: PETSc.PC, J: int, H: int, I: int) -> None:
    """The grid of the rows in natural order, J cells along the first axis."""
    _call("PCGridMGSetGrid", _of(pc), _Int(J), _Int(H), _Int(I))


def PCGridMGSetSweeps(pc: PETSc.PC, sweeps: int) -> None:
    """The red-black sweeps of gridmg before and after each coarse correction: 1 or 2."""
    _call("PCGridMGSetSweeps", _of(pc), _Int(sweeps))


def PCAggMGSetThreshold(pc: PETSc.PC, threshold: float) -> None:
    """Couplings of at most this times the roots of the diagonals do not aggregate in aggmg: from 0 to below 1."""
    _call("PCAggMGSetThreshold", _of(pc), _Real(threshold))


def PCAggMGSetReuseInterpolation(pc: PETSc.PC, reuse: bool) -> None:
    """Whether aggmg keeps its prolongation when values change and the structure does not."""
    _call("PCAggMGSetReuseInterpolation", _of(pc), ctypes.c_int(bool(reuse)))


def PCSubdeflationSetType(pc: PETSc.PC, kind: HeptaSubdeflationType) -> None:
    """The subdomains of subdeflation: "stripes", "boxes", "graph", "material", "materialboxes", "labels", "vectors" or "auto"."""
    _call("PCSubdeflationSetType", _of(pc), _enum("HeptaSubdeflationTypes", kind))


def PCSubdeflationSetVariant(pc: PETSc.PC, variant: HeptaSubdeflationVariant) -> None:
    """How subdeflation joins its preconditioner and its coarse correction: "def1", "def2", "adef1", "adef2" or "bnn"."""
    _call("PCSubdeflationSetVariant", _of(pc), _enum("HeptaSubdeflationVariants", variant))


def PCSubdeflationSetCoarse(pc: PETSc.PC, coarse: HeptaSubdeflationCoarse) -> None:
    """The coarse solver of subdeflation: "inverse", "cholesky" or "ksp"."""
    _call("PCSubdeflationSetCoarse", _of(pc), _enum("HeptaSubdeflationCoarses", coarse))


def PCSubdeflationSetLabels(pc: PETSc.PC, labels: PETSc.IS) -> None:
    """The subdomain of each block row of this process, an IS."""
    _call("PCSubdeflationSetLabels", _of(pc), _of(labels))


def PCSubdeflationSetVectors(pc: PETSc.PC, vectors: Sequence[PETSc.Vec]) -> None:
    """Deflation vectors in place of subdomains."""
    handles = (ctypes.c_void_p * len(vectors))(*[v.handle for v in vectors])
    _call("PCSubdeflationSetVectors", _of(pc), _Int(len(vectors)), handles)


def PCSubdeflationGetPC(pc: PETSc.PC) -> PETSc.PC | None:
    """The preconditioner inside subdeflation; None for a preconditioner of another type."""
    inner = ctypes.c_void_p()
    _call("PCSubdeflationGetPC", _of(pc), ctypes.byref(inner))
    return new_object("PC", inner.value) if inner.value else None


def KSPFusedCGSetFlexible(ksp: PETSc.KSP, flexible: bool) -> None:
    """Whether fusedcg is flexible: for preconditioners that differ from application to application."""
    _call("KSPFusedCGSetFlexible", _of(ksp), ctypes.c_int(bool(flexible)))


def KSPFusedCGSetSingleReduction(ksp: PETSc.KSP, single: bool) -> None:
    """Whether fusedcg adds up all sums of an iteration at once."""
    _call("KSPFusedCGSetSingleReduction", _of(ksp), ctypes.c_int(bool(single)))


def KSPFusedCGSetPrecision(ksp: PETSc.KSP, precision: HeptaMatStorage) -> None:
    """The type of the vectors of fusedcg with gridmg: "double" or "single"."""
    _call("KSPFusedCGSetPrecision", _of(ksp), _enum("HeptaMatStorages", precision))


def KSPFusedCGSetTrueResidual(ksp: PETSc.KSP, residual: bool) -> None:
    """Whether fusedcg converges only if b - A x passes the convergence test too."""
    _call("KSPFusedCGSetTrueResidual", _of(ksp), ctypes.c_int(bool(residual)))


def KSPFusedCGSetErrorEstimate(ksp: PETSc.KSP, estimate: bool) -> None:
    """Whether the tolerances of fusedcg are for the estimated energy norm of the error."""
    _call("KSPFusedCGSetErrorEstimate", _of(ksp), ctypes.c_int(bool(estimate)))


def KSPFusedCGGetErrorEstimate(ksp: PETSc.KSP) -> tuple[int, float]:
    """The latest iteration of fusedcg whose error is estimated, and its energy norm; (-1, 0.0) if none is."""
    it, error = _Int(), _Real()
    _call("KSPFusedCGGetErrorEstimate", _of(ksp), ctypes.byref(it), ctypes.byref(error))
    return it.value, error.value


def KSPDPCGSetRecycle(ksp: PETSc.KSP, k: int) -> None:
    """The number of deflation vectors that dpcg makes from an earlier solve; 0 for none."""
    _call("KSPDPCGSetRecycle", _of(ksp), _Int(k))


def KSPBiCGCRSetSymmetric(ksp: PETSc.KSP, symmetric: bool) -> None:
    """Whether bicgcr takes the matrix for symmetric, which saves the products with the transpose."""
    _call("KSPBiCGCRSetSymmetric", _of(ksp), ctypes.c_int(bool(symmetric)))


def _cuda() -> bool:
    A = PETSc.Mat().create(PETSc.COMM_SELF)
    A.setSizes((1, 1))
    PETSc.Sys.pushErrorHandler("python")
    try:
        A.setType("seqbdiacuda")
        return True
    except PETSc.Error:
        return False
    finally:
        PETSc.Sys.popErrorHandler()
        A.destroy()


def _view() -> list[str]:
    """The lines of HeptaView()"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "view")
        viewer = PETSc.Viewer().createASCII(str(path), comm=PETSc.COMM_SELF)
        HeptaView(viewer)
        viewer.destroy()
        return path.read_text().splitlines()


def info() -> dict[str, Any]:
    """What HeptaView() prints, as a dictionary; collective on PETSc.COMM_WORLD.

    library, version, petsc, gpu, transport (between processes; None for a single process), tuning, mat, pc and ksp (lists of
    types), and cuda: can matrices have their vectors on a GPU? Without it mat leaves types of GPUs out.
    """
    head, petsc, *lines = _view()
    found, cuda = dict(line.strip().split(": ", 1) for line in lines), _cuda()
    return {
        "library": library(),
        "version": head.split()[1].rstrip(":"),
        "petsc": petsc.split()[1].rstrip(","),
        "gpu": found["GPU of the first process"],
        "cuda": cuda,
        "transport": found.get("ghost values of ranks"),
        "tuning": found["tuning"],
        "mat": [name for name in found["Mat"].split() if cuda or not name.endswith("cuda")],
        "pc": found["PC"].split(),
        "ksp": found["KSP"].split(),
    }
