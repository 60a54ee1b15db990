"""Hepta's matrices, preconditioners and Krylov methods in petsc4py.

``import hepta`` registers the types; options and ``setType()`` take them then::

    import hepta
    from petsc4py import PETSc
    A.setType("brow"); ksp.setType("fusedcg"); ksp.getPC().setType("aggmg")

The functions have the names of hepta.h and take petsc4py's objects. Enumerations are given by their names in options.
Beside them set_values_coo(), set_preallocation_coo(), vec_array() and vec_from_array() share memory with NumPy, CuPy, PyTorch and JAX.
"""
import ctypes

from ._arrays import HeptaMatSetPreallocationCOOBlocked, VecArray, set_preallocation_coo, set_values_coo, vec_array, vec_from_array
from ._library import Int as _Int, Real as _Real, call as _call, lib as _lib, library, of as _of
from ._petsc import PETSc, new_object


def _names(array):
    """The names of an enumeration, as the library has them: they end before the name of the type"""
    names = ctypes.cast(ctypes.addressof((ctypes.c_char_p * 1).in_dll(_lib, array)), ctypes.POINTER(ctypes.c_char_p))
    found = []
    for name in names:
        if name.decode().startswith("Hepta"):
            return found
        found.append(name.decode())


def _enum(array, value):
    names = _names(array)
    if value not in names:
        raise ValueError(f"{value!r} is none of {', '.join(names)}")
    return ctypes.c_int(names.index(value))


_call("HeptaRegisterAll")


def HeptaSetTuning(name, value):
    """Sets one of the numbers by which kernels are chosen, in this process."""
    _call("HeptaSetTuning", name.encode(), _Real(value))


def HeptaGetTuning(name):
    """One of the numbers by which kernels are chosen."""
    value = _Real()
    _call("HeptaGetTuning", name.encode(), ctypes.byref(value))
    return value.value


def MatBDIASetGrid(A, J, H, I):
    """The grid of the rows in natural order, J cells along the first axis, for a bdia matrix before its set-up."""
    _call("MatBDIASetGrid", _of(A), _Int(J), _Int(H), _Int(I))


def MatBDIASetHalf(A, half):
    """Whether a symmetric bdia matrix keeps only its diagonal and upper half."""
    _call("MatBDIASetHalf", _of(A), ctypes.c_int(bool(half)))


def MatBDIASetStorage(A, storage):
    """The type of a bdia matrix' values: "double" or "single"."""
    _call("MatBDIASetStorage", _of(A), _enum("HeptaMatStorages", storage))


def MatBDIAGetOffsets(A):
    """The offsets of the block diagonals in block columns, ascending."""
    n, offsets = _Int(), ctypes.POINTER(_Int)()
    _call("MatBDIAGetOffsets", _of(A), ctypes.byref(n), ctypes.byref(offsets))
    return offsets[: n.value]


def MatBDIAGetFill(A):
    """The value slots of a bdia matrix over its entries."""
    fill = _Real()
    _call("MatBDIAGetFill", _of(A), ctypes.byref(fill))
    return fill.value


def MatBROWSetTileSize(A, bs):
    """The rows and columns of the tiles of a brow matrix, before its assembly; 0: the size that takes the fewest bytes."""
    _call("MatBROWSetTileSize", _of(A), _Int(bs))


def MatBROWGetTileSize(A):
    """The rows and columns of the tiles of an assembled brow matrix."""
    bs = _Int()
    _call("MatBROWGetTileSize", _of(A), ctypes.byref(bs))
    return bs.value


def MatBROWSetStorage(A, storage):
    """The type of a brow matrix' values: "double" or "single"."""
    _call("MatBROWSetStorage", _of(A), _enum("HeptaMatStorages", storage))


def HeptaMatGetBalancedRows(A, bs=0):
    """The rows that this process should have for all processes to have as many tiles of bs rows and columns, as an IS."""
    rows = ctypes.c_void_p()
    _call("HeptaMatGetBalancedRows", _of(A), _Int(bs), ctypes.byref(rows))
    found = new_object("IS", rows.value)
    _call("ISDestroy", ctypes.byref(rows))
    return found


def HeptaMatGetLevels(A, upper):
    """(levels, blocks, ell): of the upper or lower triangle the number of levels, of level blocks, and the longest row in blocks."""
    levels, blocks, ell = _Int(), _Int(), _Int()
    _call("HeptaMatGetLevels", _of(A), ctypes.c_int(bool(upper)), ctypes.byref(levels), ctypes.byref(blocks), ctypes.byref(ell), None)
    return levels.value, blocks.value, ell.value


def PCBlockICSetBlocks(pc, blocks, size=-1):
    """Which blocks blockic factors, "lines", "boxes" or "rows", and their size; -1: the default."""
    _call("PCBlockICSetBlocks", _of(pc), _enum("HeptaBlockICBlockNames", blocks), _Int(size))


def PCBBSSetTriangle(pc, triangle):
    """What the matrix of bbs is: "auto", "upper", "lower" or "both"."""
    _call("PCBBSSetTriangle", _of(pc), _enum("HeptaBBSTriangles", triangle))


def PCIPSetVariant(pc, variant):
    """Which approximate inverse ip makes: "scaled", "published" or "full"."""
    _call("PCIPSetVariant", _of(pc), _enum("HeptaIPVariants", variant))


def PCIPSetStorage(pc, storage):
    """The type of the values of ip: "double" or "single"."""
    _call("PCIPSetStorage", _of(pc), _enum("HeptaMatStorages", storage))


def PCGridMGSetGrid(pc, J, H, I):
    """The grid of the rows in natural order, J cells along the first axis."""
    _call("PCGridMGSetGrid", _of(pc), _Int(J), _Int(H), _Int(I))


def PCGridMGSetSweeps(pc, sweeps):
    """The red-black sweeps of gridmg before and after each coarse correction: 1 or 2."""
    _call("PCGridMGSetSweeps", _of(pc), _Int(sweeps))


def PCAggMGSetThreshold(pc, threshold):
    """Couplings of at most this times the roots of the diagonals do not aggregate in aggmg: from 0 to below 1."""
    _call("PCAggMGSetThreshold", _of(pc), _Real(threshold))


def PCAggMGSetReuseInterpolation(pc, reuse):
    """Whether aggmg keeps its prolongation when values change and the structure does not."""
    _call("PCAggMGSetReuseInterpolation", _of(pc), ctypes.c_int(bool(reuse)))


def PCSubdeflationSetType(pc, kind):
    """The subdomains of subdeflation: "stripes", "boxes", "graph", "material", "materialboxes", "labels", "vectors" or "auto"."""
    _call("PCSubdeflationSetType", _of(pc), _enum("HeptaSubdeflationTypes", kind))


def PCSubdeflationSetVariant(pc, variant):
    """How subdeflation joins its preconditioner and its coarse correction: "def1", "def2", "adef1", "adef2" or "bnn"."""
    _call("PCSubdeflationSetVariant", _of(pc), _enum("HeptaSubdeflationVariants", variant))


def PCSubdeflationSetCoarse(pc, coarse):
    """The coarse solver of subdeflation: "inverse", "cholesky" or "ksp"."""
    _call("PCSubdeflationSetCoarse", _of(pc), _enum("HeptaSubdeflationCoarses", coarse))


def PCSubdeflationSetLabels(pc, labels):
    """The subdomain of each block row of this process, an IS."""
    _call("PCSubdeflationSetLabels", _of(pc), _of(labels))


def PCSubdeflationSetVectors(pc, vectors):
    """Deflation vectors in place of subdomains."""
    handles = (ctypes.c_void_p * len(vectors))(*[v.handle for v in vectors])
    _call("PCSubdeflationSetVectors", _of(pc), _Int(len(vectors)), handles)


def PCSubdeflationGetPC(pc):
    """The preconditioner inside subdeflation; None for a preconditioner of another type."""
    inner = ctypes.c_void_p()
    _call("PCSubdeflationGetPC", _of(pc), ctypes.byref(inner))
    return new_object("PC", inner.value) if inner.value else None


def KSPFusedCGSetFlexible(ksp, flexible):
    """Whether fusedcg is flexible: for preconditioners that differ from application to application."""
    _call("KSPFusedCGSetFlexible", _of(ksp), ctypes.c_int(bool(flexible)))


def KSPFusedCGSetSingleReduction(ksp, single):
    """Whether fusedcg adds up all sums of an iteration at once."""
    _call("KSPFusedCGSetSingleReduction", _of(ksp), ctypes.c_int(bool(single)))


def KSPFusedCGSetPrecision(ksp, precision):
    """The type of the vectors of fusedcg with gridmg: "double" or "single"."""
    _call("KSPFusedCGSetPrecision", _of(ksp), _enum("HeptaMatStorages", precision))


def KSPFusedCGSetTrueResidual(ksp, residual):
    """Whether fusedcg converges only if b - A x passes the convergence test too."""
    _call("KSPFusedCGSetTrueResidual", _of(ksp), ctypes.c_int(bool(residual)))


def KSPFusedCGSetErrorEstimate(ksp, estimate):
    """Whether the tolerances of fusedcg are for the estimated energy norm of the error."""
    _call("KSPFusedCGSetErrorEstimate", _of(ksp), ctypes.c_int(bool(estimate)))


def KSPFusedCGGetErrorEstimate(ksp):
    """The latest iteration of fusedcg whose error is estimated, and its energy norm; (-1, 0.0) if none is."""
    it, error = _Int(), _Real()
    _call("KSPFusedCGGetErrorEstimate", _of(ksp), ctypes.byref(it), ctypes.byref(error))
    return it.value, error.value


def KSPDPCGSetRecycle(ksp, k):
    """The number of deflation vectors that dpcg makes from an earlier solve; 0 for none."""
    _call("KSPDPCGSetRecycle", _of(ksp), _Int(k))


def KSPBiCGCRSetSymmetric(ksp, symmetric):
    """Whether bicgcr takes the matrix for symmetric, which saves the products with the transpose."""
    _call("KSPBiCGCRSetSymmetric", _of(ksp), ctypes.c_int(bool(symmetric)))


def info():
    """A dictionary: library, petsc, cuda (can matrices have their vectors on a GPU?), transports and types."""
    A = PETSc.Mat().create(PETSc.COMM_SELF)
    A.setSizes((1, 1))
    PETSc.Sys.pushErrorHandler("python")
    try:
        A.setType("seqbdiacuda")
        cuda = True
    except PETSc.Error:
        cuda = False
    finally:
        PETSc.Sys.popErrorHandler()
    A.destroy()
    version = ".".join(str(n) for n in PETSc.Sys.getVersion())
    return {"library": library(), "petsc": version, "cuda": cuda, "mat": ["bdia", "brow"] + (["bdiacuda", "browcuda"] if cuda else []),
            "pc": ["gridmg", "aggmg", "subdeflation", "ip", "blockic", "bbs"], "ksp": ["fusedcg", "fusedbcgs", "dpcg", "bicgcr"]}
