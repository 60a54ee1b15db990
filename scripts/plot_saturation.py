#!/usr/bin/env python3
"""plot_saturation.py FILE PICTURE: draws permeability, saturation and concentration of a .vts file, as examples/twophase writes it: the top and bottom layers, or a line"""

import sys

from plot_beam import pieces

TEXTS = {"saturation": "saturation of water", "concentration": "concentration of polymer"}


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
    return x, y, {name: values[..., 0] for name, values in found.items()}


def edges(x):
    """Outer edges of cells with these centers"""
    half = (x[1] - x[0]) / 2 if len(x) > 1 else 0.5
    return x[0] - half, x[-1] + half


def draw_line(pyplot, x, found):
    shown = [name for name in ("permeability", *TEXTS) if name in found]
    figure, axes = pyplot.subplots(len(shown), 1, figsize=(8, 2.5 * len(shown)), layout="constrained", sharex=True)
    for ax, name in zip(axes, shown):
        ax.plot(x, found[name][0, 0])
        ax.set_ylabel(TEXTS.get(name, "permeability in mD"))
    axes[0].set_yscale("log")
    axes[-1].set_xlabel("x in m")
    return figure


def draw_layers(np, pyplot, x, y, found):
    k = np.log10(found["permeability"])
    shown = [("log10 of the permeability in mD", k, k.min(), k.max(), "viridis"), (TEXTS["saturation"], found["saturation"], 0.2, 0.8, "Blues")]
    if "concentration" in found:
        shown.append((TEXTS["concentration"], found["concentration"], 0, 1, "Oranges"))
    layers = sorted({0, len(k) - 1})
    extent = (*edges(x), *edges(y))
    figure, axes = pyplot.subplots(len(layers), len(shown), figsize=(5 * len(shown), 4 * len(layers)), layout="constrained", squeeze=False)
    for row, layer in zip(axes, layers):
        for ax, (what, values, low, high, colors) in zip(row, shown):
            drawn = ax.imshow(values[layer], origin="lower", extent=extent, vmin=low, vmax=high, cmap=colors, aspect="auto")
            ax.set_title(f"{what}, layer {layer + 1}")
            figure.colorbar(drawn, ax=ax, shrink=0.9)
        row[0].set_ylabel("y in m")
    for ax in axes[-1]:
        ax.set_xlabel("x in m")
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

    x, y, found = fields(np, argv[1])
    layers, lines, _ = found["saturation"].shape
    if layers * lines == 1:
        figure = draw_line(pyplot, x, found)
    else:
        figure = draw_layers(np, pyplot, x, y, found)
    figure.savefig(argv[2], dpi=150)


if __name__ == "__main__":
    main(sys.argv)
