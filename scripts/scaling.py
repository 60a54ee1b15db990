#!/usr/bin/env python3
"""The tables of docs/scaling.md: what an iteration takes on 1 to 4096 GPUs by the model of scripts/scaling_model.py, and the model beside what was measured.

    scaling.py           writes the tables between their markers, and with matplotlib the picture docs/scaling.svg
    scaling.py --check   fails if a table does not say what the model gives
"""

import json
import math
import re
import sys

from performance import RESULTS, ROOT, filled
from scaling_cycle import Shape, gathered, levels
from scaling_model import BORDER, Machine, Network, cells, cycle_points, device, exchange, fusedcg_points, grid_of, measured_cycles, measured_solves, pageable, parts, product_points, transfer

BCGS_SUMS = 4  # of an iteration of PETSc's bcgs

GPUS = [1, 2, 4, 8, 16, 64, 256, 1024, 4096]
STRONG = {'33.5 million rows': (256, 256, 512), '1.07 billion rows': (1024, 1024, 1024)}
METHODS = {'product': Machine.product, '`fusedcg`': Machine.fusedcg, 'cycle': Machine.cycle}


def weak_grid(gpus):
    """16.8 million rows for each GPU"""
    grid = [256, 256, 256]
    while math.prod(grid) < gpus * 256**3:
        grid[min(range(3), key=lambda a: (grid[a], -a))] *= 2
    return tuple(grid)


def problem(name, gpus):
    return STRONG.get(name) or weak_grid(gpus)


def time(machine, method, name, gpus, slabs=False):
    """Microseconds, or None where there is no such partition, or no cycle on it"""
    grid = problem(name, gpus)
    split = parts(grid, gpus, slabs)
    terms = METHODS[method](machine, grid, split) if split else None
    return sum(terms.values()) if terms else None


def speed(machine, method, name, gpus):
    """Times as fast as one GPU; of problems that grow with the GPUs, the part of its speed that each still has"""
    return time(machine, method, name, 1) / time(machine, method, name, gpus)


def efficiency(machine, method, name, gpus, slabs=False):
    t = time(machine, method, name, gpus, slabs)
    return time(machine, method, name, 1) / t / (gpus if name in STRONG else 1) if t else None


def markdown(head, rows):
    return '\n'.join('| ' + ' | '.join(r) + ' |' for r in [head, ['---'] * len(head)] + rows)


def number(t):
    return '-' if t is None else f'{t:.0f}' if t >= 100 else f'{t:.1f}'


def largest_error(points, fitted):
    return max(abs((c * fitted.latency + n / fitted.bandwidth) / t - 1) for c, n, t in points)


def parameters():
    d, net = device(), Network()
    rows = []
    for what, fitted, points, source in (
        ('products', d.product, product_points(), 'spmv-h200'), ('kernels of `fusedcg` with `jacobi`', d.passes, fusedcg_points(), 'krylov-h200'), ('kernels of the cycle', d.cycle, cycle_points(d.passes), 'pressure-h200')
    ):
        rows.append([what, f'{max(fitted.latency, 0):.1f}', f'{fitted.bandwidth / 1000:.0f}', f'{100 * largest_error(points, fitted):.0f}', f'fitted to {len(points)} measured times of [one GPU](../bench/results/{source}.md)'])
    for way in ('ipc', 'nccl', 'mpi'):
        pair = exchange(way)
        rows.append([f'exchange of two GPUs, `{way}`', f'{pair.latency:.1f}', f'{pair.bandwidth / 1000:.1f}', '', f'`{way}_latency` and `{way}_bandwidth` of `src/shared/tuning.hxx`'])
    pair, error = pageable()
    rows.append(['exchange of two GPUs, pageable memory of the host', f'{pair.latency:.1f}', f'{pair.bandwidth / 1000:.1f}', f'{error:.0f}', 'fitted by the benchmark `transfer` on [two GPUs](../bench/results/transfer-2gpus.md)'])
    rows.append(['sum of two GPUs, `ipc`', f'{exchange("ipc").latency:.1f}', '', '', '**assumed**: the latency of an exchange, for all GPUs of a host'])
    rows.append(['exchange between hosts', f'{net.latency:.0f}', f'{net.bandwidth / 1000:.0f}', '', f'**assumed**: {net.gpus} GPUs a host, 400 Gb/s for each, four fifths reached'])
    rows.append(['sum, each time the hosts double', f'{net.doubling:.0f}', '', '', '**assumed**: a step up and a step down a tree'])
    return markdown(['what', 'latency, us', 'GB/s', 'largest error, %', 'source'], rows)


def by_host(one, r):
    """PETSc's exchange through pageable memory: copies in the stream of the product, messages beside it. (block diagonals alone, exchange, product, iteration of bcgs); one: the same on one GPU"""
    J, H, _ = r['grid']
    nc, rows, size = r['nc'], r['rows'] / r['ranks'], 8 * r['most_ghosts']
    local = (8 * nc * (7 * rows - 2 * nc * (1 + J + J * H)) + 16 * rows) / device().product.bandwidth
    message = pageable()[0].time(size)
    copies = sum(transfer('transfer-h200', way='copy, pageable memory', mode='asynchronous', direction=d)[0].time(size) for d in ('from the device', 'to the device'))
    product = copies + max(local, message - copies)
    vectors = (one['bcgs_iteration_us'] - 2 * one['product_us']) * (rows / one['rows'])
    return local, message, product, 2 * product + vectors + BCGS_SUMS * exchange('mpi').latency


def both(measured, computed):
    return f'{number(measured)}, {number(computed)} ({100 * (computed / measured - 1):+.0f})'


def check_gpus():
    """Measured, computed and the error in percent"""
    rows, all_rows = [], json.loads((RESULTS / 'halo-4gpus.json').read_text())
    for scaling in ('strong', 'weak'):
        measured = [r for r in all_rows if r['type'] == 'bdiacuda' and r['scaling'] == scaling]
        for r in measured[1:]:
            values = [r[k] for k in ('local_us', 'halo_us', 'product_us', 'bcgs_iteration_us')]
            rows.append([str(r['ranks']), scaling] + [both(m, c) for m, c in zip(values, by_host(measured[0], r))])
    return markdown(['GPUs', 'scaling', 'block diagonals alone', 'exchange alone', 'product', 'iteration of `bcgs`'], rows)


def first_numbers(cell):
    """The mean of the numbers before a bracket"""
    found = [float(x) for x in re.findall(r'[.0-9]+', cell.split('(')[0])]
    return sum(found) / len(found)


def check_shared():
    """With mpi nothing is recorded: kernels as in cg on one rank, which has the whole GPU, and what exchanges and sums add"""
    rows, then = [], Shape(gather=16384, once=False)  # as it was when they were measured
    m = Machine('mpi', shape=then)
    found = {(r['problem'], r['method']): r for r in cells('ranks-h200') if 'method' in r}
    iterations = {grid: its for grid, its, _ in measured_solves()}
    for name, method in found:
        if method != 'fusedcg':
            continue
        grid = grid_of(name)
        split, plane = parts(grid, 2, True), math.prod(grid[:-1])
        whole = gathered(grid, split, then)
        border = m.device.cycle.latency + 40 * plane / m.device.product.bandwidth
        added = m.pair.time(8 * plane) + border + m.boxes(grid, split, whole) + m.gather(2, 4 * math.prod(levels(grid, then)[whole])) + 3 * m.sum(2)
        one, two = first_numbers(found[name, 'cg']['one rank']), first_numbers(found[name, 'fusedcg']['two ranks, `mpi`'])
        rows.append([name, both(1000 * two, 1000 * one + (iterations[grid] + 1) * added)])
    return markdown(['solve by two ranks on one GPU', '`mpi`'], rows)


def general_hepta(cells, gpus):
    """(product, iteration of fusedbcgs without a preconditioner) with 4 unknowns a cell: five passes, the border rows after two of them, three sums; 19 vectors, of which the products have four"""
    m, nc, rows, plane = Machine(), 4, 4 * math.prod(cells), 4 * math.prod(cells[:-1])
    d = m.device
    local = (8 * nc * (7 * rows - 2 * nc * (1 + cells[0] + math.prod(cells[:-1]))) + 16 * rows) / gpus / d.product.bandwidth
    border = (8 * nc + BORDER - 8) * plane / d.product.bandwidth if gpus > 1 else 0.0

    def product(latency):
        return local + latency + (max(0.0, m.pair.time(8 * plane) - local) + border + latency if gpus > 1 else 0.0)

    return product(d.cycle.latency), 2 * product(d.passes.latency) + 3 * d.passes.latency + 15 * 8 * rows / gpus / d.passes.bandwidth + 3 * m.sum(gpus)


def check_pairs():
    """Two H200s against one: times as fast, measured, computed and the error in percent. The first table of bench/results/ranks-2gpus.md: a line without a name is of what the line before is of"""
    m, rows, method = Machine(), [], ''
    measured = [r for r in cells('ranks-2gpus') if 'aim' in r]
    for r in measured:
        method, argument = r['what'] or method, r['arguments of `halo`']
        if '`-J' in argument:
            grid, general = tuple(int(n) for n in re.findall(r'-[JHI] (\d+)', argument)), '-nc 1' not in argument
            whole = (*grid[:2], 2 * grid[2]) if '-weak' in argument else grid
            unknowns = math.prod(whole) * (4 if general else 1)
            if general:
                what = ('iteration of `fusedbcgs`' if 'fusedbcgs' in argument else 'product') + ', General Hepta'
                found = [general_hepta(grid, gpus)['fusedbcgs' in argument] for gpus in (1, 2)]
            else:
                what = 'iteration of `fusedcg`' + (', one GPU with half of the rows' if '-weak' in argument else '')
                found = [sum(m.fusedcg(g, s).values()) for g, s in ((grid, (1, 1, 1)), (whole, (1, 1, 2)))]
            unit = 1
        else:
            grid = grid_of(r['what'])
            what, unit, unknowns = f'set-up and solve with the cycle, {" ".join(r["what"].split()[-2:])}', 1000, math.prod(grid)
            found = [sum(m.cycle(grid, s).values()) for s in ((1,) * len(grid), (1,) * (len(grid) - 1) + (2,))]
        one, two = unit * float(r['one GPU']), unit * float(r['two'])
        ratio, computed = one / two, found[0] / found[1]
        rows.append([what, str(unknowns), f'{one:.5g}', f'{two:.5g}', f'{ratio:.2f}, {computed:.2f} ({100 * (computed / ratio - 1):+.0f})'])
    return markdown(['transport `ipc`', 'rows', 'one GPU, us', 'two GPUs, us', 'times as fast'], rows)


def check_one():
    rows = [('x'.join(map(str, grid)), t, sum(Machine().cycle(grid, (1,) * len(grid)).values())) for grid, t in measured_cycles()]
    return markdown(['`fusedcg` with the cycle, one GPU'] + [r[0] for r in rows], [['an iteration'] + [both(*r[1:]) for r in rows]])


def scaling(name):
    m, rows = Machine(), []
    for gpus in GPUS:
        row = [str(gpus), 'x'.join(map(str, parts(problem(name, gpus), gpus)))]
        for method in METHODS:
            row += [number(time(m, method, name, gpus)), f'{speed(m, method, name, gpus):.{1 if name in STRONG else 2}f}']
        rows.append(row + [number(time(m, method, name, gpus, True)) for method in METHODS])
    ratio = 'times as fast' if name in STRONG else 'one GPU / it'
    return markdown(['GPUs', 'parts', 'product, us', ratio, '`fusedcg`, us', ratio, 'cycle, us', ratio, 'slabs: product, us', '`fusedcg`, us', 'cycle, us'], rows)


def stops():
    """Where the efficiency falls below a half, and what the iteration consists of there"""
    m, rows = Machine(), []
    for name in list(STRONG) + ['16.8 million rows a GPU']:
        for method in METHODS:
            good = [2**k for k in range(13) if efficiency(m, method, name, 2**k) >= 0.5]
            gpus = min(2 * good[-1], 4096)
            grid = problem(name, gpus)
            terms = METHODS[method](m, grid, parts(grid, gpus))
            rows.append([name, method, 'all' if good[-1] == 4096 else str(good[-1]), str(gpus)] + [number(terms.get(t)) for t in ('kernels', 'exchanges', 'gathered', 'sums')])
    return markdown(['problem', 'what', 'at least half efficient to', 'terms on GPUs', 'kernels, us', 'exchanges, us', 'gathered levels, us', 'sums, us'], rows)


VARIANTS = {
    'as assumed': Machine(),
    'network: half the latencies': Machine(network=Network(latency=7.5, doubling=5)),
    'network: twice the latencies': Machine(network=Network(latency=30, doubling=20)),
    'network: twice the bandwidth': Machine(network=Network(bandwidth=80e3)),
    'hosts of 64 GPUs': Machine(network=Network(gpus=64)),
    '`fusedcg` with a single reduction': Machine(sums=1),
    'one sum, beside product and preconditioner (pipelined)': Machine(sums=1, hidden=True),
    'levels of at most 16384 cells gathered': Machine(shape=Shape(gather=16384)),
    'levels of at most 262144 cells gathered': Machine(shape=Shape(gather=1 << 18)),
    'boxes of 2, 2 and then 4 cells a side': Machine(shape=Shape(sides=(2, 2, 4))),
    'boxes of 4 cells a side': Machine(shape=Shape(sides=(4,))),
}
POINTS = [('33.5 million rows', 64), ('1.07 billion rows', 512), ('16.8 million rows a GPU', 4096)]


def variants():
    rows = [[what] + [number(time(m, method, name, gpus)) for method in ('`fusedcg`', 'cycle') for name, gpus in POINTS] for what, m in VARIANTS.items()]
    return markdown(['microseconds of an iteration'] + [f'{method}, {name}, {gpus} GPUs' for method in ('`fusedcg`', 'cycle') for name, gpus in POINTS], rows)


def tables():
    return {'PARAMETERS': parameters(), 'ONE GPU': check_one(), 'SEVERAL GPUS': check_gpus(), 'TWO GPUS': check_pairs(), 'SHARED GPU': check_shared(), 'STRONG SMALL': scaling('33.5 million rows'), 'STRONG LARGE': scaling('1.07 billion rows'), 'WEAK': scaling('16.8 million rows a GPU'), 'STOPS': stops(), 'VARIANTS': variants()}


def draw(path):
    import matplotlib

    matplotlib.use('svg')
    matplotlib.rcParams.update({'svg.hashsalt': 'hepta', 'svg.fonttype': 'none'})  # the same file for the same figures, with text as text
    import matplotlib.pyplot as plt

    m, all_gpus = Machine(), [2**k for k in range(13)]
    fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout='constrained', sharey=True)
    for ax, name in zip(axes, list(STRONG) + ['16.8 million rows a GPU']):
        for method, color in zip(METHODS, ('#3b6ea5', '#c5532d', '#4c8c4a')):
            for slabs, line in ((False, '-'), (True, '--')):
                points = [(g, efficiency(m, method, name, g, slabs)) for g in all_gpus]
                ax.plot(*zip(*[p for p in points if p[1]]), line, color=color, linewidth=1.6, label=method.replace('`', '') + (', slabs' if slabs else ''))
        ax.axvspan(1, m.network.gpus, color='0.93')
        ax.text(1.1, 0.02, 'one host', fontsize=8, color='0.35')
        ax.set_xscale('log', base=2)
        ax.set_xticks([1, 8, 64, 512, 4096], ['1', '8', '64', '512', '4096'])
        ax.set(title=name, xlabel='GPUs', ylim=(0, 1.05), xlim=(1, 4096))
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
