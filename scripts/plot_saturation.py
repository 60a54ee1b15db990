#!/usr/bin/env python3
"""plot_saturation.py FILE PICTURE: draws permeability and saturation of a .vts file, as examples/twophase writes it: the top and bottom layers, or a line"""

import sys

from plot_beam import pieces


def fields(np, path):
    """x, y and the fields by layers; PETSc's pieces do not overlap"""
    parts = list(pieces(np, path))
    n = [1 + max(extent[2 * c + 1] for extent, _ in parts) for c in (2, 1, 0)]
    found = {}
    for e, arrays in parts:
        part = np.s_[e[4] : e[5] + 1, e[2] : e[3] + 1, e[0] : e[1] + 1]
        for name, values in arrays.items():
            whole = found.setdefault(name, np.empty([*n, values.shape[1]]))
            whole[part] = values.reshape(whole[part].shape)
    x, y = found["Position"][0, 0, :, 0], found["Position"][0, :, 0, 1]
    return x, y, found["permeability"][..., 0], found["saturation"][..., 0]


def edges(x):
    """Outer edges of cells with these centers"""
    half = (x[1] - x[0]) / 2 if len(x) > 1 else 0.5
    return x[0] - half, x[-1] + half


def draw_line(pyplot, x, permeability, saturation):
    figure, axes = pyplot.subplots(2, 1, figsize=(8, 5), layout="constrained", sharex=True)
    axes[0].semilogy(x, permeability[0, 0])
    axes[0].set_ylabel("permeability in mD")
    axes[1].plot(x, saturation[0, 0])
    axes[1].set_ylabel("saturation of water")
    axes[1].set_xlabel("x in m")
    return figure


def draw_layers(np, pyplot, x, y, permeability, saturation):
    layers = sorted({0, len(saturation) - 1})
    figure, axes = pyplot.subplots(len(layers), 2, figsize=(10, 4 * len(layers)), layout="constrained", squeeze=False)
    for row, layer in zip(axes, layers):
        extent = (*edges(x), *edges(y))
        k = np.log10(permeability)
        for ax, what, values, low, high, colors in (
            (row[0], "log10 of the permeability in mD", k, k.min(), k.max(), "viridis"),
            (row[1], "saturation of water", saturation, 0.2, 0.8, "Blues"),
        ):
            drawn = ax.imshow(values[layer], origin="lower", extent=extent, vmin=low, vmax=high, cmap=colors, aspect="auto")
            ax.set_title(f"{what}, layer {layer + 1}")
            figure.colorbar(drawn, ax=ax, shrink=0.9)
        row[0].set_ylabel("y in m")
    axes[-1][0].set_xlabel("x in m")
    axes[-1][1].set_xlabel("x in m")
    return figure


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    try:
        import matplotlib
        import numpy as np
    except ImportError:
        sys.exit(f"plot_saturation.py: {sys.executable} has no matplotlib, no picture is made (HEPTA_PYTHON of scripts/env.sh has it)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    x, y, permeability, saturation = fields(np, argv[1])
    if saturation.shape[0] * saturation.shape[1] == 1:
        figure = draw_line(pyplot, x, permeability, saturation)
    else:
        figure = draw_layers(np, pyplot, x, y, permeability, saturation)
    figure.savefig(argv[2], dpi=150)


if __name__ == "__main__":
    main(sys.argv)
