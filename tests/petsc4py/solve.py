"""A 2-D Laplacian in a bdia matrix through petsc4py, solved and compared with MATAIJ. The plugin comes by option."""

import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402  (the arguments come first)

NX, NY = 12, 9


def laplacian(mat_type):
    """The 5-point matrix of an NX x NY grid."""
    n = NX * NY
    A = PETSc.Mat().create()
    A.setSizes((n, n))
    A.setType(mat_type)
    A.setUp()
    start, end = A.getOwnershipRange()
    for row in range(start, end):
        i, j = row % NX, row // NX
        A.setValue(row, row, 4.0)
        for col, inside in ((row - 1, i > 0), (row + 1, i < NX - 1), (row - NX, j > 0), (row + NX, j < NY - 1)):
            if inside:
                A.setValue(row, col, -1.0)
    A.assemble()
    return A


def solve(A, b):
    """CG with Jacobi to a small residual."""
    ksp = PETSc.KSP().create()
    ksp.setOperators(A)
    ksp.setType("cg")
    ksp.getPC().setType("jacobi")
    ksp.setTolerances(rtol=1e-12, max_it=200)
    x = A.createVecRight()
    ksp.solve(b, x)
    assert ksp.getConvergedReason() > 0, f"not converged: {ksp.getConvergedReason()}"
    return x, ksp.getIterationNumber()


def main():
    A, B = laplacian("aij"), laplacian("bdia")
    assert B.getType() == "seqbdia", B.getType()

    u = A.createVecRight()
    for row in range(NX * NY):
        u[row] = 1.0 + row % 7
    u.assemble()
    b = A.createVecLeft()
    A.mult(u, b)

    (x, its), (y, its_bdia) = solve(A, b), solve(B, b)
    assert its == its_bdia, (its, its_bdia)
    y.axpy(-1.0, x)
    assert y.norm() <= 1e-9 * x.norm(), (y.norm(), x.norm())

    back = B.convert("seqaij", PETSc.Mat())
    assert back.equal(A), "bdia converted to aij is not the matrix that was assembled"
    print(f"petsc4py: {B.getType()} and {A.getType()} agree after {its} iterations")


main()
