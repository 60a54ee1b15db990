"""Matrices from compressed rows by setPreallocationCSR(), of bdia and brow, compared with MATAIJ. The plugin comes by option."""

import sys

import petsc4py

petsc4py.init(sys.argv)
import numpy  # noqa: E402  (the arguments come first)
from petsc4py import PETSc  # noqa: E402

N = 30


def compressed_rows(start, end):
    """Rows start to end of a matrix with entries near the diagonal and far from it."""
    i, j, v = [0], [], []
    for row in range(start, end):
        for col in sorted({row, max(row - 1, 0), (row + 7) % N}):
            j.append(col)
            v.append(1.0 + row + 0.01 * col)
        i.append(len(j))
    return numpy.array(i, PETSc.IntType), numpy.array(j, PETSc.IntType), numpy.array(v, PETSc.ScalarType)


def matrix(mat_type, both_sizes, values):
    """Of local and global sizes or of global ones: with both, the matrix must be set up before, on one process."""
    local = N // PETSc.COMM_WORLD.size + (PETSc.COMM_WORLD.rank < N % PETSc.COMM_WORLD.size)
    A = PETSc.Mat().create()
    A.setSizes(((local, N), (local, N)) if both_sizes else ((None, N), (None, N)))
    A.setType(mat_type)
    if both_sizes and mat_type != "aij" and PETSc.COMM_WORLD.size == 1:
        A.setUp()
    start = PETSc.COMM_WORLD.rank * (N // PETSc.COMM_WORLD.size) + min(PETSc.COMM_WORLD.rank, N % PETSc.COMM_WORLD.size)
    i, j, v = compressed_rows(start, start + local)
    A.setPreallocationCSR((i, j, v) if values else (i, j))
    A.assemble()
    assert A.getOwnershipRange() == (start, start + local)
    return A


def main():
    for both_sizes in (False, True):
        for values in (True, False):
            A = matrix("aij", both_sizes, values)
            for mat_type in ("bdia", "brow"):
                B = matrix(mat_type, both_sizes, values)
                assert mat_type in B.getType(), B.getType()
                assert B.getInfo()["nz_used"] == A.getInfo()["nz_used"], (mat_type, both_sizes, values)
                assert B.convert("aij", PETSc.Mat()).equal(A), f"{mat_type} from compressed rows is another matrix"
                assert (B.norm() > 0) == values
    PETSc.Sys.Print("petsc4py: compressed rows give bdia and brow what they give aij")


main()
