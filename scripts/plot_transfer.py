#!/usr/bin/env python3
"""plot_transfer.py JSON PICTURE: draws the times that `bench/transfer -json` measures over the bytes, both on logarithmic axes; lines are the models latency + bytes / bandwidth. One panel for each group that measured: one rank, a pair, all at once"""

import json
import math
import sys

COLORS = {"copy, pageable memory": "C7", "copy, pinned memory": "C0", "kernel, mapped memory": "C2", "peer copy, access off": "C7", "peer copy, access on": "C0", "MPI, host memory": "black", "MPI through pageable memory": "C7",
          "MPI through pinned memory": "C0", "MPI on device memory": "C4", "CUDA IPC, kernel and flag": "C3", "CUDA IPC, number and turn": "C6", "NCCL, send and receive": "C1"}
MARKS = {"to the device": ">", "first to second": ">", "one direction": ">", "from the device": "<", "second to first": "<", "both at once": "o"}


def panels(series):
    """{who measured: its series}, in the order of the file"""
    who = {}
    for s in series:
        who.setdefault(s["who"], []).append(s)
    return who


def draw(ax, title, series, sizes):
    steps = 1 + round(16 * math.log2(sizes[-1] / sizes[0]))
    between = [sizes[0] * (sizes[-1] / sizes[0]) ** (k / max(steps - 1, 1)) for k in range(steps)]
    for s in series:
        color, synchronous = COLORS[s["way"]], s["mode"] == "synchronous"
        line = {"synchronous": "-", "asynchronous": "--", "recorded": ":"}[s["mode"]]
        ax.plot(sizes, s["us"], MARKS[s["direction"]], color=color, markerfacecolor=color if synchronous else "white", markersize=4.5)
        ax.plot(between, [s["latency_us"] + n * s["us_per_byte"] for n in between], color=color, linewidth=0.9, linestyle=line)
    for way in dict.fromkeys(s["way"] for s in series):
        ax.plot([], [], "-", color=COLORS[way], label=way)
    for direction in dict.fromkeys(s["direction"] for s in series):
        ax.plot([], [], MARKS[direction], color="gray", label=direction)
    if any(s["mode"] == "asynchronous" for s in series):
        ax.plot([], [], "o--", color="gray", markerfacecolor="white", label="hollow, dashed: asynchronous")
    if any(s["mode"] == "recorded" for s in series):
        ax.plot([], [], "o:", color="gray", markerfacecolor="white", label="hollow, dotted: recorded")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ticks = [n for n in (8, 512, 32768, 2097152, 67108864) if sizes[0] <= n <= sizes[-1]]
    ax.set_xticks(ticks, [{8: "8 B", 512: "512 B", 32768: "32 KB", 2097152: "2 MB", 67108864: "64 MB"}[n] for n in ticks])
    ax.set_title(title, fontsize=10)
    ax.grid(True, which="major", alpha=0.4)
    ax.legend(fontsize=7, loc="upper left")


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"plot_transfer.py: {sys.executable} has no matplotlib, no picture is made (HEPTA_PYTHON of scripts/env.sh has it)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    with open(argv[1]) as f:
        measured = json.load(f)
    who = panels(measured["series"])
    if not who:
        sys.exit(f"plot_transfer.py: {argv[1]} has no times: run bench/transfer on two ranks or with -device")
    figure, axes = pyplot.subplots(1, len(who), figsize=(5.2 * len(who), 5), layout="constrained", squeeze=False, sharey=True)
    for ax, (title, series) in zip(axes[0], who.items()):
        draw(ax, title, series, measured["bytes"])
        ax.set_xlabel("bytes")
    axes[0][0].set_ylabel("microseconds")
    figure.suptitle(measured["machine"], fontsize=9)
    figure.savefig(argv[2], dpi=150)


if __name__ == "__main__":
    main(sys.argv)
