#!/usr/bin/env python3
"""plot_flow.py NAME: draws NAME_fields.csv (density and pressure, or the known solution) and NAME_convergence.csv (residual norms), as examples/bubbly writes them, into .png files of the same names"""

import csv
import sys


def columns(path):
    """The columns of a file of numbers, by name"""
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    return {name: [float(r[name]) for r in rows] for name in rows[0]}


def histories(path):
    """Name and residuals of each solve in the order of the file; a solve begins with iteration 0"""
    solves = []
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            if int(row["iteration"]) == 0:
                solves.append((row["preconditioner"], []))
            if float(row["residual"]) > 0:
                solves[-1][1].append((int(row["iteration"]), float(row["residual"])))
    return [(name, history) for name, history in solves if history]


def image(values, nx):
    return [values[k : k + nx] for k in range(0, len(values), nx)]


def draw_fields(pyplot, colors, name):
    fields = columns(name + "_fields.csv")
    x, y, z, solution = fields["x"], fields["y"], fields["z"], list(fields)[-1]
    nx = next((k for k in range(1, len(y)) if y[k] != y[0]), len(y))
    half = (x[1] - x[0]) / 2
    extent = (x[0] - half, x[-1] + half, y[0] - half, y[-1] + half)
    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4.4), layout="constrained", sharey=True)
    low, high = min(fields["density"]), max(fields["density"])
    norm = colors.LogNorm(low, high) if high > 20 * low else None
    for ax, what, kind in ((axes[0], "density", {"cmap": "Blues", "norm": norm}), (axes[1], solution, {"cmap": "viridis"})):
        drawn = ax.imshow(image(fields[what], nx), origin="lower", extent=extent, interpolation="nearest", **kind)
        ax.set_title(what + (f" at z = {z[0]:.3g}" if z[0] > 0 else ""))
        ax.set_xlabel("x")
        figure.colorbar(drawn, ax=ax, shrink=0.9)
    low, high = min(fields[solution]), max(fields[solution])
    if solution == "pressure" and high > low:
        lines = [low + (high - low) * k / 12 for k in range(1, 12)]
        axes[1].contour(x[:nx], y[::nx], image(fields[solution], nx), lines, colors="white", linewidths=0.6, linestyles="solid")
    axes[0].set_ylabel("y (up)")
    figure.savefig(name + "_fields.png", dpi=150)


def draw_convergence(pyplot, name):
    figure, ax = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for k, (label, history) in enumerate(histories(name + "_convergence.csv")):
        ax.semilogy([i for i, _ in history], [r for _, r in history], label=f"{label}, {history[-1][0]}", linewidth=3 if k == 0 else 1.2, linestyle="-" if k == 0 else "--")
    ax.set_xlabel("iteration")
    ax.set_ylabel("residual norm / norm of the right-hand side")
    ax.grid(True, which="major", alpha=0.4)
    ax.legend(title="preconditioner, iterations")
    figure.savefig(name + "_convergence.png", dpi=150)


def main(argv):
    if len(argv) != 2:
        sys.exit(__doc__)
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"plot_flow.py: {sys.executable} has no matplotlib, no picture is made (HEPTA_PYTHON of scripts/env.sh has it)")
    matplotlib.use("Agg")
    from matplotlib import colors, pyplot

    draw_fields(pyplot, colors, argv[1])
    draw_convergence(pyplot, argv[1])


if __name__ == "__main__":
    main(sys.argv)
