"""A matrix of scipy.sparse, of finite elements on triangles, solved by Hepta (brow, fusedcg, aggmg) and by PETSc (aij, cg, gamg).

    python mesh.py -points 100000
    mpiexec -n 2 python mesh.py                        # each process gives its rows
    python mesh.py -points 1000000 -device -use_gpu_aware_mpi 0    # on a GPU

Random points in a square are joined by scipy.spatial.Delaunay. Heat flows from a disk, where u = 1, to the boundary, where u = 0,
through a material and ten times worse a ring of another. Options: -points, -device, -plot the name of the picture.
"""

import time

import hepta  # noqa: F401  (registers the types)
import numpy
import scipy.sparse.csgraph
import scipy.spatial
from matplotlib import pyplot
from petsc4py import PETSc

options = PETSc.Options()
cuda = "cuda" if options.getBool("device", False) else ""


def mesh(count):
    """Points and triangles; all processes make the same ones"""
    side = numpy.linspace(0, 1, int(count**0.5))
    edges = [
        numpy.stack(edge, axis=1) for edge in ((side, 0 * side), (side, 0 * side + 1), (0 * side, side), (0 * side + 1, side))
    ]
    points = numpy.unique(numpy.concatenate([numpy.random.default_rng(2).random((count, 2)), *edges]), axis=0)
    return points, scipy.spatial.Delaunay(points).simplices


def stiffness(points, triangles, conductivity):
    """Linear elements: the entry of two nodes is the integral of conductivity grad a . grad b"""
    corners = points[triangles]
    opposite = numpy.roll(corners, -1, axis=1) - numpy.roll(
        corners, -2, axis=1
    )  # edges; gradients are these, turned, over 2 areas
    twice_area = numpy.abs(opposite[:, 0, 0] * opposite[:, 1, 1] - opposite[:, 0, 1] * opposite[:, 1, 0])
    values = opposite @ opposite.transpose(0, 2, 1) * (conductivity / (2 * twice_area))[:, None, None]
    rows, cols = numpy.repeat(triangles, 3, axis=1), numpy.tile(triangles, 3)
    return scipy.sparse.coo_matrix((values.ravel(), (rows.ravel(), cols.ravel()))).tocsr()


def to_petsc(matrix, mat_type):
    """The matrix in PETSc: each process gives its rows"""
    A = PETSc.Mat().create()
    A.setSizes(((None, matrix.shape[0]), (None, matrix.shape[1])))
    A.setType(mat_type)
    A.setUp()
    mine = matrix[slice(*A.getOwnershipRange())]
    A.setPreallocationCSR((mine.indptr.astype(PETSc.IntType), mine.indices.astype(PETSc.IntType), mine.data))
    A.setOption(PETSc.Mat.Option.SPD, True)
    return A


def solve(A, right_hand_side, ksp_type, pc_type):
    """The solution and the residuals; times are those of a second solver, when all libraries have been loaded"""
    x, b = A.createVecs()
    b.setArray(right_hand_side[slice(*b.getOwnershipRange())])
    for _ in range(2):
        ksp = PETSc.KSP().create()
        ksp.setOperators(A)
        ksp.setType(ksp_type)
        ksp.getPC().setType(pc_type)
        ksp.setTolerances(rtol=1e-8)
        ksp.setConvergenceHistory()
        start = time.perf_counter()
        ksp.setUp()
        ready = time.perf_counter()
        ksp.solve(b, x)
        done = time.perf_counter()
    name = f"{A.getType()}, {ksp_type}, {pc_type}"
    times = f"set-up {ready - start:.4f} s, solve {done - ready:.4f} s"
    PETSc.Sys.Print(f"{name:26} {ksp.getIterationNumber():4} iterations, {times}")
    assert ksp.getConvergedReason() > 0, f"{name}: not converged"
    return x, name, ksp.getConvergenceHistory()


def plot(points, triangles, u, histories):
    figure, (field, residuals) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    field.set_aspect("equal")
    figure.colorbar(field.tripcolor(*points.T, triangles, u, shading="gouraud"), ax=field, label="temperature")
    for name, history in histories:
        residuals.semilogy(history / history[0], label=name)
    residuals.set(xlabel="iteration", ylabel="residual / first residual")
    residuals.legend()
    figure.savefig(options.getString("plot", "mesh.png"), dpi=120)


def main():
    points, triangles = mesh(options.getInt("points", 20000))
    radius = numpy.hypot(*(points - 0.5).T)
    ring = (radius[triangles].mean(axis=1) > 0.3) & (radius[triangles].mean(axis=1) < 0.35)
    K = stiffness(points, triangles, numpy.where(ring, 0.1, 1.0))
    u = (radius < 0.2).astype(float)
    given = (radius < 0.2) | numpy.any((points == 0) | (points == 1), axis=1)
    free = numpy.flatnonzero(~given)
    free = free[scipy.sparse.csgraph.reverse_cuthill_mckee(K[free][:, free], symmetric_mode=True)]  # neighbors near each other
    matrix, b = K[free][:, free], -K[free] @ u
    x, *first = solve(to_petsc(matrix, "brow" + cuda), b, "fusedcg", "aggmg")
    y, *second = solve(to_petsc(matrix, "aijcusparse" if cuda else "aij"), b, "cg", "gamg")
    difference = (x - y).norm() / y.norm()
    PETSc.Sys.Print(f"{len(points)} points, {len(free)} unknowns; the solutions differ by {difference:.0e}")
    assert difference < 1e-5
    scatter, whole = PETSc.Scatter.toZero(x)
    scatter.scatter(x, whole)
    if PETSc.COMM_WORLD.rank == 0:
        u[free] = whole.getArray()
        plot(points, triangles, u, (first, second))


main()
