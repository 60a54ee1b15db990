#!/usr/bin/env python3
"""triangular_plot.py CSV PICTURE: draws how many rows each level of a triangle has (columns level, rows), as examples/triangular writes them"""

import csv
import sys


def read(path):
    with open(path, newline="") as f:
        return [int(row["rows"]) for row in csv.DictReader(f)]


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"triangular_plot.py: {sys.executable} has no matplotlib, no picture is made (HEPTA_PYTHON of scripts/env.sh has it)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = read(argv[1])
    figure, (profile, histogram) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    profile.stairs(rows, [level + 0.5 for level in range(len(rows) + 1)], fill=True, baseline=0.5)
    if rows and max(rows) > 50 * sorted(rows)[len(rows) // 2]:
        profile.set_yscale("log")
    profile.set_ylim(bottom=0.5)
    profile.set_xlabel("level")
    profile.set_ylabel("rows that can be solved at the same time")
    bins = [1]
    while rows and bins[-1] <= max(rows):
        bins.append(2 * bins[-1])
    histogram.hist(rows, bins=bins, edgecolor="white")
    histogram.set_xscale("log", base=2)
    histogram.set_xlabel("rows of a level")
    histogram.set_ylabel("levels")
    for axes in (profile, histogram):
        axes.grid(True, axis="y", alpha=0.4)
        axes.set_axisbelow(True)
    figure.suptitle(f"{sum(rows)} rows in {len(rows)} levels")
    figure.savefig(argv[2], dpi=150)


if __name__ == "__main__":
    main(sys.argv)
