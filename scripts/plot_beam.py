#!/usr/bin/env python3
"""plot_beam.py FILE PICTURE: draws the beam of a VTK file, .vtu or .vts with a displacement, as examples/elasticity writes it"""

import re
import sys
import xml.etree.ElementTree as xml

TYPES = {"Float64": "f8", "Float32": "f4", "Int64": "i8", "Int32": "i4", "UInt8": "u1", "UInt64": "u8", "UInt32": "u4"}
SIDES = {
    4: [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]],
    8: [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]],
}


def pieces(np, path):
    """Extent and arrays of each process's piece; the arrays stand after the XML's _, each after its number of bytes"""
    with open(path, "rb") as f:
        text = f.read()
    start = re.search(rb'<AppendedData encoding="raw">\s*_', text)
    head = xml.fromstring(text[: start.start()] + b"</VTKFile>")
    size = np.dtype(TYPES[head.get("header_type", "UInt32")])
    for piece in head.iter("Piece"):
        arrays = {}
        for array in piece.iter("DataArray"):
            kind, width = TYPES[array.get("type")], int(array.get("NumberOfComponents", 1))
            at = start.end() + int(array.get("offset"))
            count = int(np.frombuffer(text, size, 1, at)[0]) // np.dtype(kind).itemsize
            arrays[array.get("Name")] = np.frombuffer(text, kind, count, at + size.itemsize).reshape(-1, width)
        yield [int(n) for n in piece.get("Extent", "").split()], arrays


def unstructured(np, parts):
    """Nodes that several processes have are one"""
    first = np.cumsum([0] + [len(arrays["Position"]) for _, arrays in parts])
    x, u = (np.concatenate([arrays[name] for _, arrays in parts]) for name in ("Position", "displacement"))
    cells = np.concatenate([arrays["connectivity"].reshape(-1, 4) + first[k] for k, (_, arrays) in enumerate(parts)])
    _, one, same = np.unique(np.round(x / np.ptp(x), 9), axis=0, return_index=True, return_inverse=True)
    return x[one], u[one], same.reshape(-1)[cells]


def structured(np, parts):
    """PETSc's pieces leave out the cells between them; the whole grid has them"""
    n = [1 + max(extent[2 * c + 1] for extent, _ in parts) for c in (2, 1, 0)]
    fields = {name: np.empty([*n, 3]) for name in ("Position", "displacement")}
    for e, arrays in parts:
        part = np.s_[e[4] : e[5] + 1, e[2] : e[3] + 1, e[0] : e[1] + 1]
        for name, field in fields.items():
            field[part] = arrays[name].reshape(field[part].shape)
    node = np.arange(np.prod(n)).reshape(n)
    ends = (np.s_[:-1], np.s_[1:])
    cells = np.stack([node[k, j, i].reshape(-1) for k in ends for j in ends for i in ends], axis=1)
    return fields["Position"].reshape(-1, 3), fields["displacement"].reshape(-1, 3), cells


def surface(np, cells):
    """Sides that one cell alone has"""
    sides = np.concatenate([cells[:, side] for side in SIDES[cells.shape[1]]])
    _, first, count = np.unique(np.sort(sides, axis=1), axis=0, return_index=True, return_counts=True)
    return sides[first[count == 1]]


def draw(np, pyplot, x, u, sides, picture):
    """Seen from the side, from the free end and from above; sides nearer to the eye are drawn later"""
    from matplotlib.collections import LineCollection, PolyCollection

    right, back = np.array([0.94, 0.342, 0]), np.array([-0.33, 0.9, -0.28])
    paper = np.stack([right, np.cross(right, back)], axis=1)
    bent, length = (x + u)[sides], np.linalg.norm(u, axis=1)[sides].mean(axis=1)
    order = np.argsort(-(bent.mean(axis=1) @ back))
    corners = np.array([[(x.min(axis=0), x.max(axis=0))[k >> c & 1][c] for c in range(3)] for k in range(8)]) @ paper
    edges = [corners[[a, a | 1 << c]] for a in range(8) for c in range(3) if not a >> c & 1]
    figure, ax = pyplot.subplots(figsize=(10, 4.5), layout="constrained")
    ax.add_collection(LineCollection(edges, colors="gray", linestyles="dashed", linewidths=0.8))
    width = 0.3 if len(sides) < 10000 else 0
    beam = PolyCollection((bent @ paper)[order], array=length[order], cmap="viridis", linewidths=width)
    beam.set_edgecolor("#00000060" if width else "face")
    ax.add_collection(beam)
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set_axis_off()
    figure.colorbar(beam, ax=ax, shrink=0.8, label="length of the displacement")
    end = -u[x[:, 0] > x[:, 0].max() * (1 - 1e-9), 2].mean()
    ax.set_title(f"{len(x)} nodes, the end goes down by {end:.3g} (dashed: without load)")
    figure.savefig(picture, dpi=150)


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    try:
        import matplotlib
        import numpy as np
    except ImportError:
        sys.exit(f"plot_beam.py: {sys.executable} has no matplotlib, no picture is made (HEPTA_PYTHON of scripts/env.sh has it)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    parts = list(pieces(np, argv[1]))
    x, u, cells = (structured if parts[0][0] else unstructured)(np, parts)
    draw(np, pyplot, x, u, surface(np, cells), argv[2])


if __name__ == "__main__":
    main(sys.argv)
