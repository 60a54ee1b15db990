#!/usr/bin/env python3
"""plot_exchanges.py [PICTURE]: draws who sends what when in an iteration of fusedcg on two ranks, with the transports mpi, nccl and ipc, as src/shared/transport does it; docs/exchanges.svg if no picture is named. Lengths are not to scale."""

import pathlib
import sys

COMPUTE, EXCHANGE, COPY, HOST, WAIT = '#bcd3ea', '#f3c9a5', '#f7e3a1', '#dddddd', '#ffffff'
DELAY = 0.8  # rank 1 begins later

# (lane, begin, end, color, text) of rank 0, from its start on; those of rank 1 are DELAY later, but for what it ends together with rank 0
MPI = [
    ('stream', 0.0, 1.9, COMPUTE, 'p ← z + βp'),
    ('stream', 2.0, 2.9, EXCHANGE, 'pack'),
    ('stream', 3.0, 9.6, COMPUTE, 'q ← A p with the block diagonals'),
    ('stream', 10.4, 11.5, EXCHANGE, 'unpack'),
    ('stream', 11.6, 13.0, COMPUTE, 'border\nrows'),
    ('stream', 13.1, 14.2, COMPUTE, '(p, q)'),
    ('copies', 3.0, 4.6, COPY, 'to the host'),
    ('host', 0.0, 2.9, HOST, 'launches'),
    ('host', 3.0, 4.6, WAIT, 'waits'),
    ('copies', 8.8, 10.3, COPY, 'to the GPU'),
    ('host', 14.3, 15.3, HOST, 'reads'),
]
MPI_TOGETHER = [('host', 5.5, 8.7, EXCHANGE, 'MPI_Isend, MPI_Waitall'), ('host', 16.1, 18.0, EXCHANGE, 'MPI_Allreduce'), ('host', 18.0, 18.9, HOST, 'writes'), ('stream', 19.0, 21.8, COMPUTE, 'x, r, z and\ntheir sums')]
NCCL = [
    ('stream', 0.0, 1.1, EXCHANGE, 'pack z'),
    ('stream', 1.2, 8.9, COMPUTE, 'p ← z + βp,  q ← A p with the block diagonals'),
    ('stream', 9.0, 10.1, EXCHANGE, 'unpack'),
    ('stream', 10.2, 12.5, COMPUTE, 'border rows\nand (p, q)'),
]
NCCL_TOGETHER = [('messages', 2.0, 5.6, EXCHANGE, 'ncclSend, ncclRecv'), ('stream', 13.4, 16.0, EXCHANGE, 'ncclAllGather'), ('stream', 16.1, 17.1, EXCHANGE, 'adds'), ('stream', 17.2, 20.0, COMPUTE, 'x, r, z and\ntheir sums')]
IPC = [
    ('beside', 0.0, 1.3, EXCHANGE, 'put z'),
    ('stream', 0.2, 8.9, COMPUTE, 'p ← z + βp,  q ← A p with the block diagonals'),
    ('stream', 9.0, 11.3, COMPUTE, 'border rows\nand (p, q)'),
]
IPC_TOGETHER = [('mailbox', 12.0, 14.6, COPY, '       sums of all ranks'), ('stream', 14.7, 17.5, COMPUTE, 'x, r, z and\ntheir sums')]


def box(ax, y, begin, end, color, text):
    import matplotlib.patches as patches

    ax.add_patch(patches.Rectangle((begin, y - 0.36), end - begin, 0.72, facecolor=color, edgecolor='0.35', linewidth=0.7, linestyle='--' if color == WAIT else '-'))
    ax.text((begin + end) / 2, y, text, ha='center', va='center', fontsize=7.5, linespacing=0.95)


def arrow(ax, begin, end, dashed=False):
    ax.annotate('', xy=end, xytext=begin, arrowprops={'arrowstyle': '->', 'color': '#a03020', 'linewidth': 1.1, 'linestyle': '--' if dashed else '-', 'shrinkA': 0, 'shrinkB': 0})


def frame(ax, title, lanes, end):
    """{(rank, lane): its height}"""
    heights = {lane: len(lanes) - 1 - k for k, lane in enumerate(lanes)}
    for y in heights.values():
        ax.axhline(y, color='0.9', zorder=0)
    ax.set_yticks(list(heights.values()), [f'rank {rank}: {lane}' for rank, lane in lanes], fontsize=8)
    ax.set(xlim=(-0.2, end), ylim=(-0.6, len(lanes) - 0.4), xticks=[])
    ax.set_title(title, fontsize=10, loc='left')
    ax.tick_params(length=0)
    ax.spines[['top', 'right', 'left']].set_visible(False)
    ax.set_xlabel('time →', loc='right', fontsize=8)
    return heights


def draw_mpi(ax):
    at = frame(ax, 'mpi: through pinned memory of the host', [(0, 'stream'), (0, 'copies'), (0, 'host'), (1, 'host'), (1, 'copies'), (1, 'stream')], 23)
    for rank in (0, 1):
        y = {lane: at[rank, lane] for lane in ('stream', 'copies', 'host')}
        later, inward = DELAY * rank, 0.36 if rank else -0.36  # towards the other rank
        for lane, begin, end, color, text in MPI:
            shift = 0 if text == 'to the GPU' else later
            box(ax, y[lane], begin + shift, end + shift, color, text)
        for lane, begin, end, color, text in MPI_TOGETHER:
            box(ax, y[lane], begin, end, color, text)
        arrow(ax, (2.9 + later, y['stream'] + inward), (3.0 + later, y['copies'] - inward))
        arrow(ax, (4.6 + later, y['copies'] + inward), (5.5, y['host'] - inward))
        arrow(ax, (8.7, y['host'] - inward), (8.8, y['copies'] + inward))
        arrow(ax, (10.3, y['copies'] - inward), (10.4 + later, y['stream'] + inward))
        arrow(ax, (14.2 + later, y['stream'] + inward), (14.3 + later, y['host'] - inward))
        arrow(ax, (18.9, y['host'] - inward), (19.0, y['stream'] + inward))
    for begin, end in ((5.6, 8.5), (16.3, 17.8)):
        arrow(ax, (begin, at[0, 'host'] - 0.36), (end, at[1, 'host'] + 0.36))
        arrow(ax, (begin, at[1, 'host'] + 0.36), (end, at[0, 'host'] - 0.36))


def draw_nccl(ax):
    lanes = ['host', 'stream', 'messages']
    at = frame(ax, "nccl: NCCL's kernels send from one GPU to the other, and everything stands in one recording", [(0, lane) for lane in lanes] + [(1, lane) for lane in reversed(lanes)], 23)
    for rank in (0, 1):
        later, inward = DELAY * rank, 0.36 if rank else -0.36
        y = {lane: at[rank, lane] for lane in lanes}
        box(ax, y['host'], 0, 22.4, HOST, 'launches recordings ahead, as many as the other rank; reads the norms that come back')
        for lane, begin, end, color, text in NCCL:
            box(ax, y[lane], begin + later, end + later, color, text)
        for lane, begin, end, color, text in NCCL_TOGETHER:
            box(ax, y[lane], begin, end, color, text)
        arrow(ax, (1.1 + later, y['stream'] + inward), (2.1, y['messages'] - inward))
        arrow(ax, (5.6, y['messages'] - inward), (9.0 + later, y['stream'] + inward))
    arrow(ax, (2.2, at[0, 'messages'] - 0.36), (5.4, at[1, 'messages'] + 0.36))
    arrow(ax, (2.2, at[1, 'messages'] + 0.36), (5.4, at[0, 'messages'] - 0.36))
    arrow(ax, (13.6, at[0, 'stream'] - 0.36), (15.8, at[1, 'stream'] + 0.36))
    arrow(ax, (13.6, at[1, 'stream'] + 0.36), (15.8, at[0, 'stream'] - 0.36))
    ax.text(16.1, 2.5, 'a kernel of one warp adds by ascending rank', fontsize=7.5, va='center')


def draw_ipc(ax):
    lanes = ['host', 'stream', 'beside', 'mailbox']
    at = frame(ax, "ipc: kernels write into the other GPU's memory, and everything stands in one recording", [(0, lane) for lane in lanes] + [(1, lane) for lane in reversed(lanes)], 23)
    for rank in (0, 1):
        later, inward = DELAY * rank, 0.36 if rank else -0.36
        y, other = {lane: at[rank, lane] for lane in lanes}, at[1 - rank, 'mailbox']
        box(ax, y['host'], 0, 22.4, HOST, 'launches recordings ahead, reads the norms that come back')
        for lane, begin, end, color, text in IPC:
            box(ax, y[lane], begin + later, end + later, color, text)
        came = 1.3 + DELAY * (1 - rank)
        box(ax, y['mailbox'], came, 11.0 + later, COPY, f'z of rank {1 - rank}, each number with the number of its exchange')
        box(ax, y['stream'], 11.3 + later, 14.6, EXCHANGE, 'last block adds')
        for lane, begin, end, color, text in IPC_TOGETHER:
            box(ax, y[lane], begin, end, color, text)
        arrow(ax, (0.9 + later, y['beside'] + inward), (1.4 + later, other - inward))
        arrow(ax, (9.4 + later, y['mailbox'] - inward), (9.8 + later, y['stream'] + inward))
        arrow(ax, (11.5 + later, y['stream'] + inward), (12.1 + later * 0.6, other - inward), True)
    ax.text(14.8, 3.5, 'each rank writes its sums to all, waits for theirs,\nadds by ascending rank', fontsize=7.5, va='center')


def main(argv):
    path = pathlib.Path(argv[1]) if len(argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / 'docs' / 'exchanges.svg'
    try:
        import matplotlib
    except ImportError:
        sys.exit(f'plot_exchanges.py: {sys.executable} has no matplotlib, no picture is made (HEPTA_PYTHON of scripts/env.sh has it)')
    matplotlib.use('svg' if path.suffix == '.svg' else 'Agg')
    matplotlib.rcParams.update({'svg.hashsalt': 'hepta', 'svg.fonttype': 'none'})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(3, 1, figsize=(12, 12), height_ratios=(6, 6, 8), layout='constrained')
    draw_mpi(axes[0])
    draw_nccl(axes[1])
    draw_ipc(axes[2])
    figure.savefig(path, dpi=100, metadata={'Date': None} if path.suffix == '.svg' else None)


if __name__ == '__main__':
    main(sys.argv)
