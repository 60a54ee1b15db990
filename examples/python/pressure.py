"""Water pushes oil through a rock from left to right: a pressure equation with a new matrix in each time step.

    python pressure.py -n 256 -steps 40
    mpiexec -n 2 python pressure.py                                       # each process has whole lines of cells, as gridmg needs
    python pressure.py -n 1024 -dm_mat_type bdiacuda -dm_vec_type cuda -use_gpu_aware_mpi 0    # on a GPU

A step solves -div(k m(s) grad p) = q for the pressure p by Hepta (bdia, fusedcg, gridmg) and again by PETSc (aij, cg, gamg), then
moves the saturation s of the water. Options: -n cells a side, -steps, -plot the name of the picture.
"""

import time

import hepta
import numpy
from matplotlib import pyplot
from petsc4py import PETSc

options = PETSc.Options()
n, steps = options.getInt("n", 128), options.getInt("steps", 30)


def mobilities(s):
    """Of water, which is ten times thinner than oil, and of both"""
    return 10 * s**2, 10 * s**2 + (1 - s) ** 2


def permeability(x, y):
    """Waves of random directions, which all processes make alike"""
    k = numpy.zeros(x.shape)
    for kx, ky, phase in numpy.random.default_rng(1).uniform((-40, -40, 0), (40, 40, 2 * numpy.pi), (30, 3)):
        k += numpy.cos(kx * x + ky * y + phase)
    return numpy.exp(0.5 * k)


class Reservoir:
    """The cells of this process and the neighbors around them, as arrays whose first index is the line"""

    def __init__(self, da):
        self.da = da
        (first, last), (start, end) = da.getRanges()[1], da.getGhostRanges()[1]  # lines; each is whole
        self.own = slice(first - start, last - start)
        y, x = numpy.meshgrid((numpy.arange(start, end) + 0.5) / n, (numpy.arange(n) + 0.5) / n, indexing="ij")
        self.k = permeability(x, y)
        self.s, self.b, self.work = (da.createGlobalVec() for _ in range(3))
        self.local = da.createLocalVec()
        self.b.setArray(numpy.tile(numpy.eye(1, n)[0], last - first))  # inflow on the left; on the right the pressure is zero

    def ghosted(self, vec):
        self.da.globalToLocal(vec, self.local)
        return self.local.getArray(readonly=True).reshape(self.k.shape).copy()

    def entries(self):
        """Rows, columns and values of the matrix in own rows, face by face; sums of repeated locations are taken"""
        m = self.k * mobilities(self.ghosted(self.s))[1]
        self.tx, self.ty = 2 / (1 / m[:, 1:] + 1 / m[:, :-1]), 2 / (1 / m[1:] + 1 / m[:-1])  # harmonic means
        self.right = 2 * m[:, -1:]
        cell = self.da.getLGMap().getIndices().reshape(self.k.shape)
        mine = numpy.zeros(cell.shape, bool)
        mine[self.own] = True
        rows, cols, values = [cell[self.own, -1]], [cell[self.own, -1]], [self.right[self.own, 0]]
        for low, high, t in ((numpy.s_[:, :-1], numpy.s_[:, 1:], self.tx), (numpy.s_[:-1], numpy.s_[1:], self.ty)):
            for a, b in ((low, high), (high, low)):
                here = mine[a]
                rows += [cell[a][here], cell[a][here]]
                cols += [cell[a][here], cell[b][here]]
                values += [t[here], -t[here]]
        return *(numpy.concatenate(part).astype(PETSc.IntType) for part in (rows, cols)), numpy.concatenate(values)

    def move(self, p, duration):
        """Moves the water with the flow of the pressure p, in steps in which no cell passes more on than it has"""
        p = self.ghosted(p)
        fx = numpy.hstack([1 + 0 * p[:, :1], self.tx * (p[:, :-1] - p[:, 1:]), self.right * p[:, -1:]])
        fy = self.ty * (p[:-1] - p[1:])
        leaving = numpy.maximum(fx[:, 1:], 0) - numpy.minimum(fx[:, :-1], 0)
        leaving[:-1] += numpy.maximum(fy, 0)
        leaving[1:] -= numpy.minimum(fy, 0)
        self.work.setArray(leaving[self.own].ravel())
        substeps = int(duration * self.work.max()[1] * 2.5) + 1  # 2.5: the largest derivative of that part
        for _ in range(substeps):
            s = self.ghosted(self.s)
            f = numpy.divide(*mobilities(s))  # the part of the flow that is water
            wx = fx * numpy.where(fx > 0, numpy.insert(f, 0, 1, axis=1), numpy.append(f, f[:, -1:], axis=1))
            wy = fy * numpy.where(fy > 0, f[:-1], f[1:])
            change = wx[:, :-1] - wx[:, 1:]
            change[:-1] -= wy
            change[1:] += wy
            self.s.setArray((s + duration / substeps * change)[self.own].ravel())


class Solver:
    """A type of matrix with a method, and what it took"""

    def __init__(self, da, ksp_type, pc_type):
        self.A, self.iterations, self.seconds, self.p = da.createMat(), 0, 0.0, da.createGlobalVec()
        self.A.setOption(PETSc.Mat.Option.SPD, True)
        self.name = f"{self.A.getType()}, {ksp_type}, {pc_type}"
        self.ksp = PETSc.KSP().create()
        self.ksp.setOperators(self.A)
        self.ksp.setType(ksp_type)
        self.ksp.getPC().setType(pc_type)
        self.ksp.setTolerances(rtol=1e-8)
        self.ksp.setInitialGuessNonzero(True)  # the pressure of the step before

    def solve(self, i, j, values, b):
        if not self.iterations:
            hepta.set_preallocation_coo(self.A, i, j)
        start = time.perf_counter()
        hepta.set_values_coo(self.A, values)
        self.ksp.solve(b, self.p)
        self.seconds += time.perf_counter() - start
        assert self.ksp.getConvergedReason() > 0, f"{self.name}: not converged"
        self.iterations += self.ksp.getIterationNumber()


def plot(**fields):
    """Process 0 gets the fields line by line, because each process has whole lines"""
    figure, axes = pyplot.subplots(1, len(fields), figsize=(10, 4.5), layout="constrained")
    for axis, (title, vec) in zip(axes, fields.items()):
        scatter, whole = PETSc.Scatter.toZero(vec)
        scatter.scatter(vec, whole)
        if PETSc.COMM_WORLD.rank == 0:
            image = axis.imshow(whole.getArray().reshape(n, n), origin="lower", extent=(0, 1, 0, 1))
            figure.colorbar(image, ax=axis, label=title)
    if PETSc.COMM_WORLD.rank == 0:
        figure.savefig(options.getString("plot", "pressure.png"), dpi=120)


def main():
    da = PETSc.DMDA().create((n, n), proc_sizes=(1, PETSc.COMM_WORLD.size), stencil_type="star", stencil_width=1, setup=False)
    da.setMatType("bdia")
    da.setFromOptions()
    da.setUp()
    reservoir = Reservoir(da)
    solvers = [Solver(da, "fusedcg", "gridmg")]
    da.setMatType("aijcusparse" if "cuda" in reservoir.b.getType() else "aij")
    solvers.append(Solver(da, "cg", "gamg"))
    for _ in range(steps):
        entries = reservoir.entries()
        for solver in solvers:
            solver.solve(*entries, reservoir.b)
        reservoir.move(solvers[0].p, 0.5 * n / steps)
    difference = (solvers[0].p - solvers[1].p).norm() / solvers[0].p.norm()
    PETSc.Sys.Print(f"{n} x {n} cells, {steps} steps; the pressures differ by {difference:.0e}")
    assert difference < 1e-5
    for solver in solvers:
        PETSc.Sys.Print(f"{solver.name:30} {solver.iterations / steps:5.1f} iterations and {solver.seconds / steps:.4f} s a step")
    plot(water=reservoir.s, pressure=solvers[0].p)


main()
