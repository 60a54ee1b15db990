"""The lowest tones of a drum in the shape of an L, by slepc4py: the smallest eigenvalues of A x = lambda x.

    python drum.py -n 200 -tones 6
    mpiexec -n 2 python drum.py
    python drum.py -n 1000 -device -use_gpu_aware_mpi 0        # on a GPU

SLEPc's method LOBPCG applies A and a preconditioner to blocks of vectors: Hepta's brow with aggmg, and PETSc's aij with gamg.
Options: -n points a side, -tones, -device, -plot the name of the picture, all of SLEPc's EPS.

SLEPc and slepc4py for the same PETSc take two to four minutes on two cores, without -O0 eleven and 8 GB of memory. slepc4py needs
petsc4py, numpy, cython, setuptools and wheel:

    export PETSC_DIR=... PETSC_ARCH=...
    pip install --no-deps "slepc==3.26.*"
    export SLEPC_DIR=$(python -m slepc --prefix) CFLAGS=-O0
    pip install --no-deps --no-build-isolation "slepc4py==3.26.*"
"""

import sys
import time

try:
    import slepc4py
except ImportError:
    sys.exit("skipped: drum.py needs slepc4py; the text at the beginning of drum.py says how to install it")
slepc4py.init(sys.argv)
import hepta  # noqa: E402, F401  (registers the types)
import numpy  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from petsc4py import PETSc  # noqa: E402
from slepc4py import SLEPc  # noqa: E402

options = PETSc.Options()
n, tones = options.getInt("n", 99), options.getInt("tones", 6)
cuda = "cuda" if options.getBool("device", False) else ""
h = 2 / (n + 1)


def drum():
    """The numbers of the points of a square of side 2 in lines, without its upper right quarter, which has -1"""
    inside = numpy.ones((n, n), bool)
    inside[n // 2 :, n // 2 :] = False
    return numpy.where(inside, numpy.cumsum(inside).reshape(n, n) - 1, -1)


def laplacian(number, mat_type):
    """Five points; neighbors on the boundary are zero. Each process gives its rows"""
    A = PETSc.Mat().create()
    size = number.max() + 1
    A.setSizes(((None, size), (None, size)))
    A.setType(mat_type)
    A.setUp()
    start, end = A.getOwnershipRange()
    pairs = [(number.ravel(), number.ravel(), 4)]
    for low, high in ((number[:, :-1].ravel(), number[:, 1:].ravel()), (number[:-1].ravel(), number[1:].ravel())):
        pairs += [(low, high, -1), (high, low, -1)]
    i, j, values = (numpy.concatenate(part) for part in zip(*((i, j, numpy.full(i.shape, v / h**2)) for i, j, v in pairs)))
    mine = (i >= start) & (i < end) & (j >= 0)
    hepta.set_preallocation_coo(A, i[mine].astype(PETSc.IntType), j[mine].astype(PETSc.IntType))
    hepta.set_values_coo(A, values[mine])
    A.setOption(PETSc.Mat.Option.SPD, True)
    return A


def solve(A, pc_type):
    """The eigenvalues, and the eigenvectors on process 0"""
    eps = SLEPc.EPS().create()
    eps.setOperators(A)
    eps.setProblemType(SLEPc.EPS.ProblemType.HEP)
    eps.setType("lobpcg")
    eps.setWhichEigenpairs(SLEPc.EPS.Which.SMALLEST_REAL)
    eps.setDimensions(tones)
    eps.setTolerances(1e-6, 500)
    eps.getST().setType("precond")
    eps.getST().getKSP().setType("preonly")  # the preconditioner alone
    eps.getST().getKSP().getPC().setType(pc_type)
    eps.setFromOptions()
    begin = time.perf_counter()
    eps.solve()
    seconds = time.perf_counter() - begin
    name = f"{A.getType()}, {eps.getST().getKSP().getPC().getType()}"
    assert eps.getConverged() >= tones, f"{name}: {eps.getConverged()} of {tones} tones have converged"
    PETSc.Sys.Print(f"{name:16} {eps.getIterationNumber():4} iterations of lobpcg, {seconds:.3f} s")
    x, vectors = A.createVecRight(), []
    for k in range(tones):
        eps.getEigenvector(k, x)
        scatter, whole = PETSc.Scatter.toZero(x)
        scatter.scatter(x, whole)
        vectors.append(whole.getArray().copy())
    return numpy.array([eps.getEigenvalue(k).real for k in range(tones)]), vectors


def main():
    number = drum()
    values, vectors = solve(laplacian(number, "brow" + cuda), "aggmg")
    others, _ = solve(laplacian(number, "aijcusparse" if cuda else "aij"), "gamg")
    difference = numpy.abs(values / others - 1).max()
    PETSc.Sys.Print(
        f"{number.max() + 1} points, eigenvalues {numpy.array2string(values, precision=4)}, which differ by {difference:.0e}"
    )
    if tones > 2:
        PETSc.Sys.Print(f"the third is {values[2] / (2 * numpy.pi**2) - 1:+.1e} off 2 pi^2, that of a quarter")
    assert difference < 1e-5
    if PETSc.COMM_WORLD.rank == 0:
        figure, axes = pyplot.subplots(1, tones, figsize=(2.2 * tones, 2.5), layout="constrained", squeeze=False)
        for axis, value, vector in zip(axes[0], values, vectors):
            picture = numpy.full((n, n), numpy.nan)
            picture[number >= 0] = vector
            limit = numpy.abs(vector).max()
            axis.imshow(picture, origin="lower", cmap="RdBu", vmin=-limit, vmax=limit)
            axis.set(title=f"{value:.2f}", xticks=[], yticks=[])
        figure.savefig(options.getString("plot", "drum.png"), dpi=120)


main()
