#!/usr/bin/env python3
"""plot_convergence.py CSV PICTURE: draws the residual histories (columns matrix, iteration, residual) that the examples write"""

import csv
import sys


def histories(path):
    """Name and relative residuals of each solve, in the order of the file; a solve begins with iteration 0"""
    solves = []
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            if int(row["iteration"]) == 0:
                solves.append((row["matrix"], []))
            solves[-1][1].append((int(row["iteration"]), float(row["residual"])))
    return [(name, [(i, r / h[0][1]) for i, r in h if r > 0]) for name, h in solves if h[0][1] > 0]


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"plot_convergence.py: {sys.executable} has no matplotlib, no picture is made (HEPTA_PYTHON of scripts/env.sh has it)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    # equal histories lie on each other: the first is a broad line under the others
    for k, (name, history) in enumerate(histories(argv[1])):
        axes.semilogy([i for i, _ in history], [r for _, r in history], label=name, linewidth=4 if k == 0 else 1.5, linestyle="-" if k == 0 else "--")
    axes.set_xlabel("iteration")
    axes.set_ylabel("residual norm / initial residual norm")
    axes.grid(True, which="major", alpha=0.4)
    axes.legend(title="matrix type")
    figure.savefig(argv[2], dpi=150)


if __name__ == "__main__":
    main(sys.argv)
