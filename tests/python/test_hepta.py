"""The functions of the Python package beside hepta.h, and what they do: a setter shows in the view or in the solve."""
import inspect
import pathlib
import re

import hepta
from petsc4py import PETSc

ROOT = pathlib.Path(__file__).resolve().parents[2]
N = 12


def laplacian(kind):
    A = PETSc.Mat().create()
    A.setSizes((N * N, N * N))
    A.setType(kind)
    if kind == "bdia":
        hepta.MatBDIASetGrid(A, N, N, 1)
    A.setUp()
    start, end = A.getOwnershipRange()
    for row in range(start, end):
        i, j = row % N, row // N
        A.setValue(row, row, 4.0 + (row == 0))
        for col, inside in ((row - 1, i > 0), (row + 1, i < N - 1), (row - N, j > 0), (row + N, j < N - 1)):
            if inside:
                A.setValue(row, col, -1.0)
    A.assemble()
    A.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    return A


def view(obj):
    path = f"view{PETSc.COMM_WORLD.size}.tmp"  # the tests of other numbers of ranks run in the same folder
    viewer = PETSc.Viewer().createASCII(path)
    viewer.pushFormat(PETSc.Viewer.Format.ASCII_INFO)
    obj.view(viewer)
    viewer.destroy()
    PETSc.COMM_WORLD.barrier()
    text = pathlib.Path(path).read_text()
    PETSc.COMM_WORLD.barrier()
    return text


def solve(A, pc_type, choose=lambda pc: None, ksp_type="fusedcg"):
    """The solver after a solve with a known solution"""
    ksp = PETSc.KSP().create()
    ksp.setOperators(A)
    ksp.setType(ksp_type)
    ksp.setTolerances(rtol=1e-10)
    ksp.getPC().setType(pc_type)
    choose(ksp.getPC())
    x, u, b = A.createVecRight(), A.createVecRight(), A.createVecLeft()
    u.setRandom()
    A.mult(u, b)
    ksp.solve(b, x)
    x.axpy(-1, u)
    assert ksp.getConvergedReason() > 0, (pc_type, ksp.getConvergedReason())
    assert x.norm() < 1e-7 * u.norm(), (pc_type, x.norm())
    return ksp


def check_names():
    header = (ROOT / "include/hepta.h").read_text()
    there = set(re.findall(r"^PETSC_EXTERN PetscErrorCode (\w+)\(", header, re.M)) - {"HeptaRegisterAll"}
    here = {name for name, what in vars(hepta).items() if re.match("(Hepta|Mat|PC|KSP)[A-Z]", name) and inspect.isfunction(what)}
    assert there == here, (sorted(there - here), sorted(here - there))
    assert all(getattr(hepta, name).__doc__ for name in here)


def check_info():
    i, text = hepta.info(), "\n".join(hepta._view())
    assert f"hepta {i['version']}: {i['library']}" in text and f"PETSc {i['petsc']}, " in text, text
    for key, title in (("gpu", "GPU of the first process"), ("tuning", "tuning"), ("transport", "ghost values of ranks")):
        assert i[key] is None and key == "transport" and PETSc.COMM_WORLD.size == 1 or f"  {title}: {i[key]}" in text, (key, text)
    assert {"bdia", "brow", "seqaijbdia"} <= set(i["mat"]) and i["cuda"] == ("bdiacuda" in i["mat"]), i["mat"]
    assert "aggmg" in i["pc"] and "fusedcg" in i["ksp"] and f"KSP: {' '.join(i['ksp'])}" in text


def check_matrices(A, B):
    assert sorted(hepta.MatBDIAGetOffsets(A)) == [-N, -1, 0, 1, N] or A.comm.size > 1
    assert hepta.MatBDIAGetFill(A) >= 1
    assert hepta.MatBROWGetTileSize(B) >= 1
    rows = hepta.HeptaMatGetBalancedRows(B, 1)
    assert A.comm.size == 1 and rows.getLocalSize() == N * N or A.comm.size > 1
    if A.comm.size == 1:
        levels, blocks, ell = hepta.HeptaMatGetLevels(B, True)
        assert levels == 2 * N - 1 and blocks >= levels and ell >= 1, (levels, blocks, ell)
    C = PETSc.Mat().create()
    C.setSizes(((2 * (C.comm.rank == 0), None), (2 * (C.comm.rank == 0), None)), bsize=2)
    C.setType("brow")
    hepta.MatBROWSetTileSize(C, 2)
    hepta.MatBROWSetStorage(C, "single")
    first = C.comm.rank == 0
    hepta.HeptaMatSetPreallocationCOOBlocked(C, [0] if first else [], [0] if first else [])
    C.setValuesCOO([1, 2, 3, 4] if first else [])
    assert abs(C.norm() - 30**0.5) < 1e-12
    for half, storage in ((True, "single"), (False, "double")):
        D = PETSc.Mat().create()
        D.setSizes((4, 4))
        D.setType("bdia")
        hepta.MatBDIASetHalf(D, half)
        hepta.MatBDIASetStorage(D, storage)
        D.setUp()
        for row in range(*D.getOwnershipRange()):
            D.setValue(row, row, 1.0)
        D.assemble()
        assert f"storage: {storage}, {'diagonal and upper half' if half else 'full'}" in view(D)


def check_solvers(A, B):
    assert "1 red-black sweep before" in view(solve(A, "gridmg", lambda pc: (hepta.PCGridMGSetGrid(pc, N, N, 1), hepta.PCGridMGSetSweeps(pc, 1))))
    assert "weaker than 0.2 of" in view(solve(B, "aggmg", lambda pc: (hepta.PCAggMGSetThreshold(pc, 0.2), hepta.PCAggMGSetReuseInterpolation(pc, False))))
    assert "independent blocks (rows): 16 block rows" in view(solve(B, "blockic", lambda pc: hepta.PCBlockICSetBlocks(pc, "rows", 16)))
    assert "variant full, values in single" in view(solve(A, "ip", lambda pc: (hepta.PCIPSetVariant(pc, "full"), hepta.PCIPSetStorage(pc, "single"))))

    def deflate(pc):
        hepta.PCSubdeflationSetType(pc, "stripes")
        hepta.PCSubdeflationSetVariant(pc, "bnn")
        hepta.PCSubdeflationSetCoarse(pc, "cholesky")
        hepta.PCSubdeflationGetPC(pc).setType("jacobi")

    text = view(solve(A, "subdeflation", deflate))
    assert "subdomains stripes, variant bnn, coarse solver cholesky" in text and "type: jacobi" in text, text
    start, end = A.getOwnershipRange()
    labels = PETSc.IS().createGeneral([row * 4 // (N * N) for row in range(start, end)])
    assert "4 coarse unknowns" in view(solve(A, "subdeflation", lambda pc: hepta.PCSubdeflationSetLabels(pc, labels)))
    vectors = [A.createVecRight() for _ in range(2)]
    vectors[0].set(1)
    vectors[1].setRandom()
    assert "2 coarse unknowns" in view(solve(A, "subdeflation", lambda pc: hepta.PCSubdeflationSetVectors(pc, vectors)))
    ksp = solve(A, "jacobi")
    assert hepta.PCSubdeflationGetPC(ksp.getPC()) is None
    hepta.KSPFusedCGSetFlexible(ksp, True)
    hepta.KSPFusedCGSetSingleReduction(ksp, False)
    hepta.KSPFusedCGSetPrecision(ksp, "double")
    assert hepta.KSPFusedCGGetErrorEstimate(ksp) == (-1, 0)
    hepta.KSPFusedCGSetTrueResidual(ksp, True)
    assert "b - A x passes the test too" in view(ksp)
    hepta.KSPFusedCGSetErrorEstimate(ksp, True)
    x, b = A.createVecs()
    b.set(1)
    ksp.solve(b, x)
    it, error = hepta.KSPFusedCGGetErrorEstimate(ksp)
    assert 0 <= it < ksp.getIterationNumber() and 0 < error < 1 and "tolerances for the energy norm of the error" in view(ksp)
    dpcg = solve(A, "subdeflation", ksp_type="dpcg")
    hepta.KSPDPCGSetRecycle(dpcg, 3)
    assert "to recycle 3 vectors" in view(dpcg)
    hepta.KSPBiCGCRSetSymmetric(solve(A, "jacobi", ksp_type="bicgcr"), True)


def check_errors(A):
    number = hepta.HeptaGetTuning("recording")
    hepta.HeptaSetTuning("recording", 2 * number)
    assert hepta.HeptaGetTuning("recording") == 2 * number
    hepta.HeptaSetTuning("recording", number)
    for call in (lambda: hepta.MatBDIASetStorage(A, "half"), lambda: hepta.HeptaMatSetPreallocationCOOBlocked(A, [0], [])):
        try:
            call()
        except ValueError as error:
            assert "double, single" in str(error) or "1 rows and 0 columns" in str(error), error
        else:
            raise AssertionError("no error")
    try:
        hepta.PCGridMGSetSweeps(PETSc.PC().create(), 3)
    except PETSc.Error as error:
        assert error.ierr == 63, error.ierr
    else:
        raise AssertionError("no error")


def main():
    check_names()
    check_info()
    A, B = laplacian("bdia"), laplacian("brow")
    check_matrices(A, B)
    check_solvers(A, B)
    check_errors(A)
    if A.comm.rank == 0:
        print("hepta in Python: as in hepta.h")


main()
