#!/usr/bin/env python3
"""studies_float.py: iterations of preconditioned CG whose vectors are floats, beside those in double, as a table of Markdown.

The increment d of x, the residual r, p, z and q = A p are floats, sums are in double, and A is in double or in float. When the norm of r has
fallen by 1000 from its largest value (10, once a replaced residual was 10 percent larger than r), x gets d, and b - A x in double replaces r."""
import numpy as np
import scipy.sparse as sp

PROBLEMS = [(2, 256, 1), (2, 512, 1), (2, 256, 1e3), (3, 48, 1), (3, 64, 1), (3, 64, 1e3)]  # dimensions, cells a side, contrast
TYPES = [(np.float64, np.float64), (np.float32, np.float64), (np.float32, np.float32)]  # of vectors and M, of A
TOLERANCE = 1e-8


def bubbles(dim, n, contrast):
    """The coefficient of each cell: `contrast` inside balls, 1 outside"""
    random = np.random.default_rng(0)
    x = np.meshgrid(*[(np.arange(n) + 0.5) / n] * dim, indexing="ij")
    k = np.ones((n,) * dim)
    for _ in range(8 if dim == 3 else 12):
        center, radius = random.random(dim), 0.08 + 0.06 * random.random()
        k[sum((a - c) ** 2 for a, c in zip(x, center)) < radius**2] = contrast
    return k


def matrix(k):
    """Harmonic means between cells; walls with a pressure at the ends of the last axis"""
    number = np.arange(k.size).reshape(k.shape)
    diagonal, rows, columns, values = np.zeros(k.size), [], [], []
    for axis in range(k.ndim):
        low, high = (number.take(range(s, number.shape[axis] - 1 + s), axis).ravel() for s in (0, 1))
        w = 2 / (1 / k.ravel()[low] + 1 / k.ravel()[high])
        rows += [low, high]
        columns += [high, low]
        values += [-w, -w]
        np.add.at(diagonal, np.concatenate([low, high]), np.concatenate([w, w]))
    for end in (0, -1):
        wall = number.take(end, k.ndim - 1).ravel()
        diagonal[wall] += 2 * k.ravel()[wall]
    A = sp.coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(k.size,) * 2)
    return (A + sp.diags(diagonal)).tocsr()


def incomplete_poisson(A):
    """(I - D^-1 L^T) D^-1 (I - L D^-1) in the pattern of A"""
    D = sp.diags(1 / A.diagonal())
    factor = sp.identity(A.shape[0]) - sp.tril(A, -1) @ D
    pattern = A.copy()
    pattern.data[:] = 1
    return (factor.T @ D @ factor).multiply(pattern).tocsr()


def cg(A, M, b, vector, stored):
    """Iterations and replaced residuals until the norm of b - A x is TOLERANCE times that of b"""
    A_p, M = A.astype(stored), M.astype(vector)
    x, full, first = np.zeros_like(b), b.copy(), np.linalg.norm(b)
    r = (full / first).astype(vector)
    d, p = np.zeros_like(r), np.zeros_like(r)
    z, most, fall, before, count = M @ r, 1.0, 1e-3, np.inf, 0
    for iteration in range(1, 20000):
        rz = np.dot(r.astype(float), z)
        p = (z + vector(rz / before) * p).astype(vector)
        q = (A_p @ p).astype(vector)
        alpha = vector(rz / np.dot(p.astype(float), q))
        d, r, before = d + alpha * p, r - alpha * q, rz
        norm = np.linalg.norm(r.astype(float))
        most = max(most, norm)
        if norm <= max(fall * most, TOLERANCE):
            x += first * d
            full -= first * (A @ d.astype(float))
            d[:], count, true = 0, count + 1, np.linalg.norm(full) / first
            if true <= TOLERANCE:
                break
            fall = 0.1 if true > 1.1 * norm else fall
            r, most = (full / first).astype(vector), true
        z = M @ r
    return iteration, count


def main():
    print("| cells | contrast | preconditioner | double | vectors and M in float | all in float | double / all in float |")
    print("|---" * 7 + "|")
    for dim, n, contrast in PROBLEMS:
        A = matrix(bubbles(dim, n, contrast))
        b = A @ np.random.default_rng(1).random(A.shape[0])
        for name, M in ("jacobi", sp.diags(1 / A.diagonal()).tocsr()), ("ip", incomplete_poisson(A)):
            runs = [cg(A, M, b, *types) for types in TYPES]
            cells = [f"{iterations} ({count})" for iterations, count in runs]
            print(f"| {n}^{dim} | {contrast:g} | `{name}` | {' | '.join(cells)} | {runs[0][0] / runs[2][0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
