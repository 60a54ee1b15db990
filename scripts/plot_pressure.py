#!/usr/bin/env python3
"""plot_pressure.py JSON PICTURE: draws the iterations over the grid that `bench/pressure -part weak -json` measures, 2-D and 3-D side by side; a hollow mark did not reach the tolerance"""

import json
import sys


def weak_scaling(path):
    """{problem: {preconditioner: [(n, iterations, reached)]}} and the dimension of each problem, from the table whose rows have n and iterations"""
    with open(path) as f:
        rows = [row for table in json.load(f) for row in table["rows"] if "n" in row and "iterations" in row]
    curves, dimension = {}, {}
    for row in rows:
        dimension[row["problem"]] = row["dimension"]
        if row["iterations"] is not None:
            curves.setdefault(row["problem"], {}).setdefault(row["preconditioner"], []).append((row["n"], row["iterations"], row["reached"] == "yes"))
    return curves, dimension


def draw(ax, curves, title, dimension):
    every = [point for points in curves.values() for point in points]
    for (name, points), color, mark in zip(sorted(curves.items(), key=lambda c: "deflation" not in c[0]), ("C0", "C1", "C2", "C3", "C4"), "osD^v"):
        n, iterations, _ = zip(*points)
        ax.loglog(n, iterations, color=color, linewidth=2.5 if "deflation" in name else 1.3)
        for x, y, reached in points:
            ax.plot(x, y, mark, color=color, markerfacecolor=color if reached else "white", markersize=7)
            ax.annotate(str(y), (x, y), textcoords="offset points", xytext=(0, 7), ha="center", fontsize=8, color=color)
        ax.plot([], [], mark + "-", color=color, label=name)
    if not all(reached for _, _, reached in every):
        ax.plot([], [], "o", color="gray", markerfacecolor="white", label="tolerance not reached")
    sizes = sorted({n for n, _, _ in every})
    ax.set_xticks(sizes, [f"{n}$^{dimension}$" for n in sizes])
    ax.minorticks_off()
    ax.margins(x=0.1)
    ax.set_title(title)
    ax.set_xlabel("cells")
    ax.grid(True, which="major", alpha=0.4)
    ax.legend(title="cg with", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"plot_pressure.py: {sys.executable} has no matplotlib, no picture is made (HEPTA_PYTHON of scripts/env.sh has it)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    curves, dimension = weak_scaling(argv[1])
    if not curves:
        sys.exit(f"plot_pressure.py: {argv[1]} has no iterations over the grid: run bench/pressure with -part weak")
    figure, axes = pyplot.subplots(1, len(curves), figsize=(5.5 * len(curves), 5.2), layout="constrained", squeeze=False, sharey=True)
    for ax, (problem, lines) in zip(axes[0], curves.items()):
        draw(ax, lines, f"{problem}, {dimension[problem]}-D", dimension[problem])
    iterations = [i for lines in curves.values() for points in lines.values() for _, i, _ in points]
    axes[0][0].set_ylim(max(min(iterations), 1) / 2, 2 * max(iterations))
    axes[0][0].set_ylabel("iterations")
    figure.savefig(argv[2], dpi=150)


if __name__ == "__main__":
    main(sys.argv)
