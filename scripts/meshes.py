#!/usr/bin/env python3
"""meshes.py OUT KIND ROWS [--jitter X] [--seed N]: the symmetric positive definite matrix of linear finite elements on an unstructured mesh, with about
ROWS rows, as the PETSc binary file OUT, its block size in OUT.info and, for elasticity, the coordinates of the nodes in OUT.coordinates, from which
MatNullSpaceCreateRigidBody() makes the near null space.

  laplace-2d, laplace-3d  -div(grad u)
  jumps-2d, jumps-3d      25 balls conduct 1000 times less
  aniso-2d, aniso-3d      one direction conducts 100 times less; in 2-D it is turned by half a radian
  elasticity-3d           linear elasticity on tetrahedra, three unknowns a node
  elasticity-box          the same with trilinear elements on cubes

The elements are the Delaunay triangulation of a lattice of points, squares in 2-D and body-centered cubes in 3-D, with each coordinate moved at
random by up to X of the lattice's spacing. With X = 0.1, the default, they are well shaped; there are slivers from 0.2 on in 3-D, many with 0.5, and
from 0.5 on in 2-D. u is 0 where the first coordinate is 0 and, but for elasticity, where it is 1; these rows are left out. Rows are numbered by reverse
Cuthill-McKee."""
import argparse
import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.spatial import Delaunay

KINDS = ("laplace-2d", "laplace-3d", "jumps-2d", "jumps-3d", "aniso-2d", "aniso-3d", "elasticity-3d", "elasticity-box")
MAT, VEC = 1211216, 1211214  # PETSc's class identifiers, which begin a binary file
LAME = 0.3 / (1.3 * 0.4), 1 / 2.6  # of Young's modulus 1 and Poisson's ratio 0.3
SLAB = 100000  # points or elements that are worked on at a time, so that memory stays small


def cells_for(nodes, count):
    """Cells a side with which count(cells) is closest to `nodes`"""
    k = 2
    while count(k) < nodes:
        k += 1
    return k if k == 2 or count(k) - nodes < nodes - count(k - 1) else k - 1


def lattice(k, dim, jitter, rng):
    """Points of a lattice with k cells a side, in the order of the first coordinate; its spacing is 1, and points on the surface stay on it"""
    x = np.indices([k + 1] * dim).reshape(dim, -1).T.astype(float)
    if dim == 3:  # with the centers no five points have a common circumsphere, which without them makes slivers of any jitter
        x = np.concatenate([x, np.indices([k] * dim).reshape(dim, -1).T + 0.5])
    inner = (x > 0) & (x < k)
    x += np.where(inner, max(jitter, 1e-3) * (2 * rng.random(x.shape) - 1), 0)
    x = np.where(inner, k - abs(k - abs(x)), x)  # what would leave the box is reflected
    return x[np.argsort(x[:, 0], kind="stable")]


def slabs(x, k, jitter):
    """The Delaunay triangulation by slabs across the first coordinate: of the elements of a slab's points and a halo, those with their centroid in it"""
    halo = 2 + 6 * jitter  # more than the diameter of any element's circumsphere
    count = max(1, min(len(x) // SLAB, int(k / (4 * halo))))
    edges = np.linspace(0, k, count + 1)
    edges[0], edges[-1] = -1, k + 1
    for low, high in zip(edges[:-1], edges[1:]):
        first, last = np.searchsorted(x[:, 0], [low - halo, high + halo])
        elements = Delaunay(x[first:last]).simplices + first
        centroid = x[elements, 0].mean(1)
        yield elements[(centroid >= low) & (centroid < high)]


def gradients(x, elements):
    """Elements but the flat ones that the surface has, their volumes, and the gradients of the hat functions as (element, node, axis)"""
    edges = x[elements[:, 1:]] - x[elements[:, :1]]
    volume = np.abs(np.linalg.det(edges))
    kept = volume > 1e-3 * np.median(volume)
    inverse = np.linalg.inv(edges[kept]).transpose(0, 2, 1)
    g = np.concatenate([-inverse.sum(1, keepdims=True), inverse], 1)
    return elements[kept], volume[kept] / (2 if x.shape[1] == 2 else 6), g


def elastic(g, weight):
    """Integrals of lambda div u div v + 2 mu eps(u) : eps(v), as (element, node, node, axis, axis)"""
    lam, mu = LAME
    pairs = np.einsum("eai,ebj->eabij", g, g)
    trace = np.einsum("eabii->eab", pairs)
    return weight[:, None, None, None, None] * (lam * pairs + mu * pairs.swapaxes(3, 4) + mu * trace[..., None, None] * np.eye(g.shape[2]))


def blocks(nodes, parts):
    """Sums of element matrices: of parts (elements, matrices as (element, node, node, row, column)) a csr matrix of each row and column of the blocks"""
    summed = []
    for elements, matrices in parts:  # those of a slab, which shrink to a sixth before the next slab's come
        n = elements.shape[1]
        i, j = np.repeat(elements, n, 1).ravel(), np.tile(elements, (1, n)).ravel()
        bs = matrices.shape[3]
        values = (matrices[..., r, c].ravel() for r in range(bs) for c in range(bs))
        sums = [sp.coo_matrix((v, (i, j)), shape=(nodes, nodes)).tocsr().tocoo() for v in values]
        summed.append((sums[0].row, sums[0].col, [s.data for s in sums]))
    i, j = (np.concatenate([part[m] for part in summed]) for m in (0, 1))
    values = [np.concatenate(v) for v in zip(*(part[2] for part in summed))]
    return [sp.coo_matrix((v, (i, j)), shape=(nodes, nodes)).tocsr() for v in values]


def conductivity(kind, dim, rng):
    """A function of centroids in the unit cube that gives a factor, and a matrix, for -div(factor matrix grad u)"""
    balls = [(rng.random(dim), 0.05 + 0.07 * rng.random()) for _ in range(25)] if kind == "jumps" else []
    matrix = np.diag([1.0] * (dim - 1) + [1e-2]) if kind == "aniso" else np.eye(dim)
    if kind == "aniso" and dim == 2:
        turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
        matrix = turn @ matrix @ turn.T

    def factor(centroids):
        inside = np.zeros(len(centroids), bool)
        for center, radius in balls:
            inside |= ((centroids - center)**2).sum(1) < radius**2
        return np.where(inside, 1e-3, 1.0)
    return factor, matrix


def simplices(kind, dim, nodes, jitter, rng):
    """Coordinates, and matrices of the elements for blocks()"""
    surface = 1 if kind == "elasticity" else 2  # faces whose nodes have no rows
    k = cells_for(nodes, lambda k: (k + 1 - surface) * (k + 1)**(dim - 1) + (k**3 if dim == 3 else 0))
    x = lattice(k, dim, jitter, rng)
    factor, matrix = conductivity(kind, dim, rng)

    def parts():
        for slab in slabs(x, k, jitter):
            elements, volume, g = gradients(x, slab)
            if kind == "elasticity":
                yield elements, elastic(g, volume)
            else:
                weight = volume * factor(x[elements].mean(1) / k)
                yield elements, np.einsum("e,eai,ij,ebj->eab", weight, g, matrix, g, optimize=True)[..., None, None]
    return x / k, parts()


def cubes(nodes):
    """As simplices(), for elasticity with trilinear elements"""
    k = cells_for(nodes, lambda k: k * (k + 1)**2)
    x = np.indices([k + 1] * 3).reshape(3, -1).T
    corners = np.indices([2] * 3).reshape(3, -1).T
    elements = (x[(x < k).all(1)] @ [(k + 1)**2, k + 1, 1])[:, None] + corners @ [(k + 1)**2, k + 1, 1]
    matrix = 0
    for point in 0.5 + (corners - 0.5) / np.sqrt(3):  # Gauss
        hats = np.where(corners, point, 1 - point)
        g = np.stack([np.where(corners[:, a], 1, -1) * np.delete(hats, a, 1).prod(1) for a in range(3)], 1)
        matrix = matrix + elastic(g[None], np.array([1 / 8]))

    def parts():
        for part in np.array_split(elements, max(1, len(elements) // SLAB)):
            yield part, np.broadcast_to(matrix, (len(part),) + matrix.shape[1:])
    return x / k, parts()


def generate(kind, rows, jitter=0.1, seed=7):
    """The matrix as scipy's csr, its block size, and the coordinates of its nodes"""
    rng = np.random.default_rng(seed)
    name, shape = kind.split("-")
    bs = 3 if name == "elasticity" else 1
    x, parts = cubes(rows / bs) if shape == "box" else simplices(name, int(shape[0]), rows / bs, jitter, rng)
    sums = blocks(len(x), parts)
    free = np.flatnonzero((x[:, 0] > 0) & ((x[:, 0] < 1) | (bs > 1)) & (sums[0].diagonal() > 0))
    order = free[reverse_cuthill_mckee(sums[0][free][:, free], True)]
    sums = [s[order][:, order] for s in sums]
    if bs == 1:
        return sums[0], 1, x[order]
    for s in sums:
        s.sort_indices()
    values = np.stack([s.data for s in sums], 1).reshape(-1, bs, bs)
    A = sp.bsr_matrix((values, sums[0].indices, sums[0].indptr), shape=(bs * len(order), bs * len(order)))
    return A.tocsr(), bs, x[order]


def write(path, A, bs, x):
    """PETSc's binary format"""
    A.sort_indices()
    with open(path, "wb") as file:
        np.array([MAT, *A.shape, A.nnz], ">i4").tofile(file)
        np.diff(A.indptr).astype(">i4").tofile(file)
        A.indices.astype(">i4").tofile(file)
        A.data.astype(">f8").tofile(file)
    with open(path + ".info", "w", encoding="ascii") as file:
        file.write(f"-matload_block_size {bs}\n")
    if bs > 1:
        with open(path + ".coordinates", "wb") as file:
            np.array([VEC, x.size], ">i4").tofile(file)
            x.astype(">f8").tofile(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("kind", metavar="KIND", choices=KINDS)
    parser.add_argument("rows", metavar="ROWS", type=int)
    parser.add_argument("--jitter", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    if args.rows < 1 or not 0 <= args.jitter <= 1:
        parser.error("ROWS must be positive, and --jitter from 0 to 1")
    A, bs, x = generate(args.kind, args.rows, args.jitter, args.seed)
    write(args.out, A, bs, x)
    print(f"{args.out}: {A.shape[0]} rows, {A.nnz / A.shape[0]:.1f} entries a row, block size {bs}")


if __name__ == "__main__":
    sys.exit(main())
