#!/usr/bin/env python3
"""The tables of docs/scaling.md: an iteration on 1 to 4096 GPUs by the model of `advise -predict` and an assumed network.

    scaling.py           writes the tables between their markers, and with matplotlib the picture docs/scaling.svg
    scaling.py --check   fails if a table does not say what the model gives

Times in microseconds, rates in bytes a microsecond.
"""
import math
import re
import sys
from dataclasses import dataclass, replace

from model import COUNTS, microseconds, throughputs
from performance import RESULTS, ROOT, filled

TUNING = RESULTS / 'tuning-h200.txt'
THROUGHPUTS = throughputs(TUNING)
IPC_LATENCY, IPC_BANDWIDTH = (float(re.search(rf'^ipc_{what} (\S+)', TUNING.read_text(), re.M)[1])
                              for what in ('latency', 'bandwidth'))
# The name in the model, messages to neighbors on other hosts and sums of an iteration; gridmg sends on each level
METHODS = {'`fusedcg`': ('fusedcg_jacobi', 1, 2), '`fusedbcgs`': ('fusedbcgs_jacobi', 2, 3),
           '`gridmg`': ('fusedcg_gridmg_single', 0, 4)}
POINTS_7 = 56  # bytes of a row of a 7-point matrix
# Of gridmg with two sweeps: the planes of right-hand sides and of solutions in the messages of a level in slabs, of the first level
# with one plane of solutions; the cells up to which a level is gathered, and may be for want of planes
PLANES, SOLUTIONS, GATHER, LARGEST_GATHERED = 6, 2, 131072, 1 << 22
WEAK = '16.8 million rows a GPU'
GRIDS = {'33.5 million rows': (256, 256, 512), '1.07 billion rows': (1024, 1024, 1024), WEAK: None}


@dataclass(frozen=True)
class Machine:
    """ASSUMED: no network was at hand. 400 Gb/s for each GPU, four fifths reached; packing and unpacking are in the latency"""

    latency: float = 15.0  # of a message between hosts
    bandwidth: float = 0.8 * 50e3
    doubling: float = 10.0  # of a sum, each time the hosts double
    gpus: int = 8  # of a host
    # variants of the library
    single_reduction: bool = False  # of fusedcg: one sum, 40 bytes more a row
    cubes: bool = False  # gridmg on parts near to cubes


def iteration(model, matrix, rows):
    """On one GPU; matrix: bytes a row"""
    matrices, vectors, more, _ = COUNTS[model]
    return microseconds(THROUGHPUTS['iteration_bdia_' + model], (matrices * matrix + 8 * vectors + more) * rows)


def within_host(model, ghosts):
    """Exchanges and sums of the GPUs of one host"""
    return COUNTS[model][3] * (IPC_LATENCY + 8 * ghosts / IPC_BANDWIDTH)


def parts(grid, gpus, slabs=False):
    """Parts along each axis, near to cubes, or slabs of the last axis. gpus: a power of two"""
    split = [1] * len(grid)
    while math.prod(split) < gpus:
        split[len(grid) - 1 if slabs else max(range(len(grid)), key=lambda a: (grid[a] / split[a], -split[a], a))] *= 2
    return tuple(split)


def on_host(grid, split, gpus):
    """How many parts along each axis are on one host: as few faces as possible are between hosts"""
    host = [1] * len(grid)
    while math.prod(host) < min(gpus, math.prod(split)):
        host[min((a for a in range(len(grid)) if host[a] < split[a]), key=lambda a: (host[a], grid[a] / split[a], a))] *= 2
    return tuple(host)


def faces(grid, split, host):
    """Cells next to the part with the most neighbors on other hosts, on its own host and on others"""
    within = between = 0.0
    for axis, (p, h) in enumerate(zip(split, host)):
        face = math.prod(n / s for a, (n, s) in enumerate(zip(grid, split)) if a != axis)
        far = 0 if p == h else min(p - 1, 2) if h == 1 else 1
        within += (min(p - 1, 2) - far) * face
        between += far * face
    return within, between


def levels(grid, split):
    """How many levels of gridmg are in slabs, and the cells of the level that is gathered; None where gridmg is an error"""
    cells, planes = math.prod(grid), min(n // s for n, s in zip(grid, split) if s > 1)
    for level in range(64):
        if cells <= GATHER or planes < PLANES:
            return (level, cells) if cells <= LARGEST_GATHERED else None
        cells, planes = cells >> len(grid), planes // 2


def terms(m, method, grid, gpus):
    """{term: microseconds} of an iteration, or None where gridmg is an error"""
    (model, count, sums), gridmg = METHODS[method], method == '`gridmg`'
    split, matrix = parts(grid, gpus, gridmg and not m.cubes), POINTS_7
    if m.single_reduction and method == '`fusedcg`':
        sums, matrix = 1, POINTS_7 + 40
    time = dict.fromkeys(('kernels', 'within a host', 'messages', 'gathered level', 'sums'), 0.0)
    time['kernels'] = iteration(model, matrix, math.prod(grid) / gpus)
    found = levels(grid, split) if gridmg and gpus > 1 else (0, 0)
    if not found:
        return None
    within, between = faces(grid, split, on_host(grid, split, m.gpus))
    steps = max(math.log2(gpus / m.gpus), 0)
    planes = [4 * n / 2**((len(grid) - 1) * level) for level in range(found[0]) for n in (PLANES, SOLUTIONS if level else 1)]
    if gpus > 1 and gridmg:
        time['within a host'] = sums * IPC_LATENCY + sum(IPC_LATENCY + b * within / IPC_BANDWIDTH for b in planes)
    elif gpus > 1:
        time['within a host'] = within_host(model, within)
    if gpus > 1 and gridmg:  # every GPU has the whole level, and computes what all others do
        again = iteration(model, matrix, found[1]) - iteration(model, matrix, found[1] / gpus)
        time['gathered level'] = m.doubling * steps + (4 * found[1] / m.bandwidth if between else 0) + again
    if between:
        time['messages'] = sum(m.latency + size / m.bandwidth for size in [8 * between] * count + [between * b for b in planes])
        time['sums'] = sums * m.doubling * steps
    return time


def problem(name, gpus):
    return GRIDS[name] or tuple(256 * p for p in parts((256, 256, 256), gpus))


def total(m, method, name, gpus):
    found = terms(m, method, problem(name, gpus), gpus)
    return sum(found.values()) if found else None


def efficiency(m, method, name, gpus):
    """The part of its speed that each GPU still has"""
    time = total(m, method, name, gpus)
    return total(m, method, name, 1) / time / (1 if name == WEAK else gpus) if time else None


def markdown(head, rows):
    return '\n'.join('| ' + ' | '.join(r) + ' |' for r in [head, ['---'] * len(head)] + rows)


def number(t):
    return '-' if not t else f'{t:.0f}' if t >= 100 else f'{t:.1f}'


def both(measured, computed, form=number):
    return f'{form(measured)}, {form(computed)} ({100 * (computed / measured - 1):+.0f})'


def cells(file, *heads):
    """The rows of the tables of bench/results/<file>.md that have all these headings: {heading: cell}"""
    head, found = None, []
    for line in (RESULTS / f'{file}.md').read_text().splitlines():
        row = [c.strip() for c in line.strip('|').split('|')] if line.startswith('|') else None
        if row and head and not set(''.join(row)) <= set('-: ') and set(heads) <= set(head):
            found.append(dict(zip(head, row)))
        head = head or row if row else None
    return found


def compare(what, rows, measured, computed, at=0):
    """Each time, and how many times as fast two GPUs are as one, which is number `at`"""
    ratios = both(measured[at] / measured[at + 1], computed[at] / computed[at + 1], '{:.2f}'.format)
    return [what, str(rows), *map(both, measured, computed), ratios]


def check_krylov():
    """The iterations of bench/results/ranks-2gpus.md, on slabs"""
    rows = []
    for r, four in zip(cells('ranks-2gpus', 'aim'), cells('ranks-2gpus', 'four', 'aim of four')):
        if '-ksp_type' not in (options := r['arguments of `halo`']):
            continue
        grid, weak = tuple(int(n) for n in re.findall(r'-[JHI] (\d+)', options)), '-weak' in options
        nc, model, what = ((1, 'fusedcg_jacobi', '`fusedcg`, `jacobi`') if '-nc 1' in options
                           else (4, 'fusedbcgs_none', '`fusedbcgs`, General Hepta'))
        unknowns, plane = nc * math.prod(grid), nc * math.prod(grid[:-1])
        computed = [iteration(model, POINTS_7 * nc, unknowns / (1 if weak else gpus))
                    + (within_host(model, plane * min(gpus - 1, 2)) if gpus > 1 else 0.0) for gpus in (1, 2, 4)]
        measured = [float(t) for t in (r['one GPU'], r['two'], four['four'])]
        rows.append(compare(what + (', for each GPU' if weak else ''), unknowns, measured, computed))
    return markdown(['iteration', 'rows', 'one GPU', 'two', 'four', 'two, times as fast'], rows)


def check_gridmg():
    """The solves of bench/results/ranks-4gpus.md over their iterations"""
    rows = []
    for r in cells('ranks-4gpus', 'cells', 'one / four'):
        n, axes = (int(x) for x in re.search(r'(\d+)\^(\d)', r['problem']).groups())
        times = [re.search(r'\+ (\S+) \((\d+)\)', r[head]) for head in ('one GPU', 'two GPUs', 'four GPUs')]
        measured = [1000 * float(t[1]) / int(t[2]) if t else None for t in times]
        computed = [sum(terms(M, '`gridmg`', (n,) * axes, gpus).values()) for gpus in (1, 2, 4)]
        pairs = [both(*t) if t[0] else '-' for t in zip(measured, computed)]
        ratio = both(measured[1] / measured[2], computed[1] / computed[2], '{:.2f}'.format)
        rows.append([r['problem'], str(n**axes), *pairs, ratio])
    return markdown(['iteration with `gridmg`', 'rows', 'one GPU', 'two', 'four', 'two / four'], rows)


def parameters():
    rows = []
    for name, (model, count, sums) in METHODS.items():
        matrices, vectors, more, exchanges = COUNTS[model]
        most = THROUGHPUTS['iteration_bdia_' + model]['at'][-1][0] / 1e6
        rows.append([name, f'{matrices * POINTS_7 + 8 * vectors + more:.0f}', f'{most:.0f}',
                     f'{exchanges:g}' if count else f'2 L and {sums} sums',
                     str(count or '2 L'), str(sums)])
    head = ['method', 'bytes a row', 'measured to, MB', 'exchanges within a host', 'messages between hosts', 'sums']
    return markdown(head, rows) + '\n\n' + markdown(['what', 'latency, us', 'GB/s', 'source'], [
        ['exchange within a host, `ipc`, with sums', f'{IPC_LATENCY:.1f}', f'{IPC_BANDWIDTH / 1e3:.0f}', 'measured'],
        ['message between hosts', f'{M.latency:.0f}', f'{M.bandwidth / 1e3:.0f}', '**assumed**: 400 Gb/s, four fifths reached'],
        [f'sum, each time the hosts of {M.gpus} GPUs double', f'{M.doubling:.0f}', '', '**assumed**: up and down a tree']])


def scaling():
    """Times, and how many times as fast as one GPU; in weak scaling the part of its speed that each still has"""
    def cell(name, method, gpus):
        time, e = total(M, method, name, gpus), efficiency(M, method, name, gpus)
        return f'{number(time)} (' + (f'{e:.2f})' if name == WEAK else f'{e * gpus:.1f})') if time else '-'

    columns = [(name, method) for name in GRIDS for method in METHODS]
    rows = [[str(gpus)] + [cell(*column, gpus) for column in columns] for gpus in (1, 2, 4, 8, 16, 64, 256, 1024, 4096)]
    return markdown(['GPUs'] + [f'{name}: {method}' if method == '`fusedcg`' else method for name, method in columns], rows)


def stops():
    """Where the efficiency falls below a half, and what an iteration consists of on twice as many GPUs"""
    rows = []
    for name, method in ((name, method) for name in GRIDS for method in METHODS):
        there = [2**k for k in range(13) if total(M, method, name, 2**k)]
        good = max(g for g in there if efficiency(M, method, name, g) >= 0.5)
        gpus = min(2 * good, there[-1])
        found = terms(M, method, problem(name, gpus), gpus)
        rows.append([name, method, str(good), str(gpus)] + [number(t) for t in found.values()])
    return markdown(['problem', 'method', 'half efficient to', 'terms on GPUs', *found], rows)


M = Machine()
VARIANTS = {
    'as assumed': M,
    'network: half the latencies': replace(M, latency=M.latency / 2, doubling=M.doubling / 2),
    'network: twice the bandwidth': replace(M, bandwidth=2 * M.bandwidth),
    'hosts of 64 GPUs': replace(M, gpus=64),
    '`fusedcg` with a single reduction': replace(M, single_reduction=True),
    '`gridmg` on parts near to cubes': replace(M, cubes=True)}
POINTS = [(method, name, gpus) for method, all_gpus in (('`fusedcg`', (64, 512, 4096)), ('`gridmg`', (16, 32, 32)))
          for name, gpus in zip(GRIDS, all_gpus)]


def tables():
    rows = [[what] + [number(total(m, *point)) for point in POINTS] for what, m in VARIANTS.items()]
    variants = markdown(['us'] + [f'{method}, {name}, {gpus} GPUs' for method, name, gpus in POINTS], rows)
    return {'PARAMETERS': parameters(), 'KRYLOV': check_krylov(), 'GRIDMG': check_gridmg(), 'SCALING': scaling(),
            'STOPS': stops(), 'VARIANTS': variants}


def draw(path):
    import matplotlib
    matplotlib.use('svg')
    matplotlib.rcParams.update({'svg.hashsalt': 'hepta', 'svg.fonttype': 'none'})  # the same file for the same figures
    import matplotlib.pyplot as plt
    fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout='constrained', sharey=True)
    for ax, name in zip(axes, GRIDS):
        for method, color, line in zip(METHODS, ('#3b6ea5', '#c5532d', '#4c8c4a'), ('-', '-', '--')):
            points = [(2**k, e) for k in range(13) if (e := efficiency(M, method, name, 2**k))]
            ax.plot(*zip(*points), line, color=color, linewidth=1.6, label=method.strip('`'))
        ax.axvspan(1, M.gpus, color='0.93', label='one host')
        ax.set_xscale('log', base=2)
        ax.set(title=name, xlabel='GPUs', ylim=(0, 1.05), xlim=(1, 4096), xticks=[1, 8, 64, 512, 4096])
        ax.xaxis.set_major_formatter('{x:.0f}')
        ax.grid(alpha=0.4)
    axes[0].set_ylabel('efficiency, computed')
    axes[0].legend(fontsize=8, loc='upper right')
    fig.savefig(path, metadata={'Date': None})


def main():
    path = ROOT / 'docs' / 'scaling.md'
    old = new = path.read_text()
    for marker, table in tables().items():
        new = filled(new, marker, table)
    if '--check' not in sys.argv:
        path.write_text(new)
        draw(ROOT / 'docs' / 'scaling.svg')
    elif new != old:
        sys.exit('scaling.py: docs/scaling.md: the tables are not those of the model; run scripts/scaling.py')


if __name__ == '__main__':
    main()
