"""Patterns of two substances that react and diffuse (Gray and Scott), by implicit time steps, on one process.

    python patterns.py -n 256 -ts_max_time 2000
    python patterns.py -n 1024 -device -use_gpu_aware_mpi 0    # on a GPU, with CuPy

    u' = 8e-5 lap u - u v^2 + 0.024 (1 - u),   v' = 4e-5 lap v + u v^2 - 0.084 v   in a square of side 2.5

The two unknowns of a cell make a block. Residuals and blocks of the Jacobian are arrays of NumPy or CuPy in the memory where
PETSc has its vectors. Hepta (bdia, fusedbcgs) and PETSc (aij, bcgs) solve with pbjacobi. Options: -n cells a side, -device, -plot
the name of the picture, and all of TS.
"""

import sys
import time

import hepta
import numpy
from matplotlib import pyplot
from petsc4py import PETSc

options = PETSc.Options()
n, device = options.getInt("n", 128), options.getBool("device", False)
if PETSc.COMM_WORLD.size > 1:
    sys.exit("patterns.py runs on one process")
if device:
    import cupy as xp
else:
    xp = numpy
DU, DV, F, K = 8e-5 * (n / 2.5) ** 2, 4e-5 * (n / 2.5) ** 2, 0.024, 0.06


def laplacian(w):
    """Differences to the neighbors, without flow through the boundary"""
    dx, dy = w[:, 1:] - w[:, :-1], w[1:] - w[:-1]
    change = xp.zeros_like(w)
    change[:, :-1] += dx
    change[:, 1:] -= dx
    change[:-1] += dy
    change[1:] -= dy
    return change


def residual(ts, t, x, rate, f):
    with hepta.vec_array(x, "r") as a, hepta.vec_array(rate, "r") as b, hepta.vec_array(f, "w") as c:
        w, dw, r = (xp.asarray(array).reshape(n, n, 2) for array in (a, b, c))
        u, v = w[..., 0], w[..., 1]
        reaction = u * v**2
        r[..., 0] = dw[..., 0] - DU * laplacian(u) + reaction - F * (1 - u)
        r[..., 1] = dw[..., 1] - DV * laplacian(v) - reaction + (F + K) * v


class Jacobian:
    """A block for each cell, then two for each pair of neighbors"""

    def __init__(self, mat_type):
        self.A = PETSc.Mat().create()
        self.A.setSizes((2 * n * n, 2 * n * n), bsize=2)
        self.A.setType(mat_type)
        cell = xp.arange(n * n, dtype=PETSc.IntType).reshape(n, n)
        low, high = (
            xp.concatenate([cell[:, :-1].ravel(), cell[:-1].ravel()]),
            xp.concatenate([cell[:, 1:].ravel(), cell[1:].ravel()]),
        )
        rows, cols = xp.concatenate([cell.ravel(), low, high]), xp.concatenate([cell.ravel(), high, low])
        hepta.HeptaMatSetPreallocationCOOBlocked(self.A, rows, cols)
        self.blocks = xp.zeros((len(rows), 2, 2))
        self.blocks[n * n :, 0, 0], self.blocks[n * n :, 1, 1] = -DU, -DV
        self.neighbors = xp.bincount(xp.concatenate([low, high]), minlength=n * n)

    def __call__(self, ts, t, x, rate, shift, J, P):
        with hepta.vec_array(x, "r") as array:
            u, v = xp.asarray(array).reshape(n * n, 2).T
            own = self.blocks[: n * n]
            own[:, 0, 0] = shift + DU * self.neighbors + v**2 + F
            own[:, 0, 1] = 2 * u * v
            own[:, 1, 0] = -(v**2)
            own[:, 1, 1] = shift + DV * self.neighbors - 2 * u * v + F + K
        hepta.set_values_coo(P, self.blocks)


def start(x):
    """Two substances at rest, and a disturbance in the middle"""
    w = numpy.ones((n, n, 2)) * (1, 0)
    middle = numpy.s_[2 * n // 5 : 3 * n // 5, 2 * n // 5 : 3 * n // 5]
    w[middle] = (0.5, 0.25) + 0.02 * numpy.random.default_rng(3).random(w[middle].shape)
    x.setArray(w.ravel())


def run(mat_type, ksp_type):
    jacobian = Jacobian(mat_type)
    x, f = jacobian.A.createVecs()
    start(x)
    ts = PETSc.TS().create()
    ts.setType("bdf")
    ts.setIFunction(residual, f)
    ts.setIJacobian(jacobian, jacobian.A)
    ts.setTimeStep(1)
    ts.setMaxTime(1000)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
    ts.getSNES().getKSP().setType(ksp_type)
    ts.getSNES().getKSP().getPC().setType("pbjacobi")
    ts.setFromOptions()
    steps = [0.0]
    ts.setMonitor(lambda ts, k, t, x: steps.append(t))
    begin = time.perf_counter()
    ts.solve(x)
    seconds = time.perf_counter() - begin
    its = ts.getKSPIterations()
    name = f"{jacobian.A.getType()}, {ts.getSNES().getKSP().getType()}"
    print(f"{name:22} {ts.getStepNumber():4} steps, {ts.getSNESIterations():5} Jacobians, {its:6} iterations, {seconds:.3f} s")
    return x, steps


def main():
    x, steps = run("bdiacuda" if device else "bdia", "fusedbcgs")
    y, _ = run("aijcusparse" if device else "aij", "bcgs")
    difference = (x - y).norm() / y.norm()
    print(f"{n} x {n} cells until t = {steps[-1]:g}; the ends differ by {difference:.0e}")
    assert difference < 1e-3
    figure, (pattern, sizes) = pyplot.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
    image = pattern.imshow(x.getArray().reshape(n, n, 2)[..., 1], origin="lower", extent=(0, 2.5, 0, 2.5), cmap="magma")
    figure.colorbar(image, ax=pattern, label="v")
    sizes.semilogy(steps[2:], numpy.diff(steps)[1:], ".")
    sizes.set(xlabel="time", ylabel="time step")
    figure.savefig(options.getString("plot", "patterns.png"), dpi=120)


main()
