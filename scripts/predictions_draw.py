"""The pictures of predictions.py: iterations, throughputs, and on how many GPUs an iteration is fastest"""

from model import COUNTS, SLOWER, fitted, microseconds


def plot():
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    return plt


def throughputs(found, path):
    """Measured throughputs over bytes, with the sigmoid and with latency + bytes / bandwidth; below, what the sigmoid is off by"""
    plt = plot()
    shown = [name for name in found if found[name]['at'] and ('product' in name or 'bdia_fused' in name and 'setup' not in name or name in ('copy', 'sum'))]
    if not shown:
        return
    figure, axes = plt.subplots(2, len(shown), figsize=(2.4 * len(shown), 4.5), sharex='col', sharey='row', squeeze=False)
    for k, name in enumerate(shown):
        one = found[name]
        sizes, times = zip(*one['at'])
        fine = [sizes[0] * (sizes[-1] / sizes[0]) ** (j / 60) for j in range(61)]
        axes[0][k].loglog(sizes, [1e-3 * s / t for s, t in one['at']], 'o', markersize=3)
        axes[0][k].loglog(fine, [1e-3 * s / fitted(one, s) for s in fine], '-', linewidth=0.8, label='sigmoid')
        axes[0][k].loglog(fine, [1e-3 * s / (times[0] + s * times[-1] / sizes[-1]) for s in fine], ':', linewidth=0.8, label='latency + bytes / bandwidth')
        axes[0][k].set_title(name.replace('iteration_', ''), fontsize=7)
        axes[1][k].semilogx(sizes, [fitted(one, s) / t - 1 for s, t in one['at']], 'o-', markersize=3, linewidth=0.6)
        axes[1][k].set_xlabel('bytes', fontsize=7)
    axes[0][0].set_ylabel('GB/s')
    axes[1][0].set_ylabel('fitted / measured - 1')
    axes[0][0].legend(fontsize=5)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def iterations(cases, path):
    """Iterations of each problem, measured and predicted, on one GPU and on two; and all times, predicted over measured"""
    plt = plot()
    figure, axes = plt.subplots(1, 2, figsize=(13, 5), width_ratios=(2, 1))
    for kind, color in (('iteration, fusedcg_jacobi', 'C0'), ('iteration, fusedcg_jacobi, 2 GPUs', 'C1')):
        some = sorted((c['measured_us'], c['predicted_us'], c['matrix']) for c in cases if c['what'] == kind)
        axes[0].semilogy([name for _, _, name in some], [m for m, _, _ in some], 'o', color=color, markersize=4, label=kind + ', measured')
        axes[0].semilogy([name for _, _, name in some], [p for _, p, _ in some], 'x', color=color, markersize=5, label='predicted')
    axes[0].tick_params(axis='x', rotation=90, labelsize=6)
    axes[0].set_ylabel('us')
    for kind in sorted({c['what'] for c in cases}):
        some = [c for c in cases if c['what'] == kind]
        axes[1].loglog([c['measured_us'] for c in some], [c['predicted_us'] for c in some], '.', markersize=3, label=kind)
    ends = [min(c['measured_us'] for c in cases), max(c['measured_us'] for c in cases)]
    axes[1].loglog(ends, ends, 'k-', linewidth=0.5)
    axes[1].set_xlabel('measured, us')
    axes[1].set_ylabel('predicted, us')
    for ax in axes:
        ax.legend(fontsize=5)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def time(data, method, rows, entries, gpus):
    """An iteration with bdia, of a cube of cells whose layers of cells are the parts' borders"""
    matrices, vectors, more, exchanges = COUNTS[method]
    bytes_of = [(matrices * 8 * n + 8 * vectors + more) * rows / gpus for n in (entries, 7)]
    ghosts = 0 if gpus == 1 else (1 if gpus == 2 else 2) * rows ** (2 / 3)
    exchange = data['numbers']['ipc_latency'] + 8 * ghosts / data['numbers']['ipc_bandwidth']
    return microseconds(data['throughputs']['iteration_bdia_' + method], *bytes_of) + (gpus > 1) * exchanges * exchange


# of an iteration, as the library counts flops: for each entry and for each row
FLOPS = {'fusedcg_jacobi': (2, 10), 'fusedbcgs_jacobi': (4, 22)}


def gflops(method, rows, entries, us):
    of_entry, of_row = FLOPS[method]
    return 1e-3 * (of_entry * entries + of_row * rows) / us


def tiles(cases, points, path):
    """As figures 7 and 10 of paper 001: throughputs of `brow` over bytes by tile, and iterations of fusedcg of each matrix in GFLOPS"""
    plt = plot()
    figure, axes = plt.subplots(1, 2, figsize=(13, 4.5))
    for bs, some in points.items():
        if some:
            axes[0].semilogx([size for size, _ in some], [1e-3 * size / us for size, us in some], 'o', markersize=3, label=f'tiles of {bs}')
    axes[0].set(xlabel='bytes', ylabel='GB/s')
    for kind, color in (('iteration, fusedcg_jacobi', 'C0'), ('iteration, fusedcg_jacobi, 2 GPUs', 'C1')):
        some = sorted((c for c in cases if c['what'] == kind), key=lambda c: (c['rows'], c['matrix']))
        for name, marker in (('measured_us', 'o-'), ('predicted_us', 'x--')):
            axes[1].semilogy([c['matrix'] for c in some], [gflops('fusedcg_jacobi', c['rows'], c['entries'], c[name]) for c in some], marker, color=color, markersize=4, linewidth=0.6, label=kind + ', ' + name[:-3])
    axes[1].tick_params(axis='x', rotation=90, labelsize=6)
    axes[1].set_ylabel('GFLOPS')
    for ax in axes:
        ax.legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def speedups(data, path):
    """As figure 8 of paper 001: for rows and entries, GFLOPS of an iteration on one GPU and on two, and how many times as fast it is on two and on eight; those measured on two as dots"""
    plt = plot()
    methods = [m for m in ('fusedcg_jacobi', 'fusedbcgs_jacobi') if 'iteration_bdia_' + m in data['throughputs']]
    if not methods or not data['numbers'].get('ipc_latency'):
        return
    rows, each = [10 ** (3 + 5 * k / 60) for k in range(61)], [10 ** (2.5 * k / 30) for k in range(31)]
    figure, axes = plt.subplots(len(methods), 4, figsize=(20, 4 * len(methods)), squeeze=False)
    for k, method in enumerate(methods):
        for ax, gpus in ((axes[k][2], 1), (axes[k][3], 2)):
            speed = [[gflops(method, r, r * e, time(data, method, r, e, gpus)) for r in rows] for e in each]
            figure.colorbar(ax.contourf(rows, each, speed, levels=20, cmap='viridis'), ax=ax)
            ax.set(xscale='log', yscale='log', xlabel='rows', ylabel='stored values of a row', title=f'{method}: GFLOPS, {gpus} GPU' + 's' * (gpus > 1))
        for ax, gpus, levels in ((axes[k][0], 2, [0.5, 0.7, 0.9, 1, 1.2, 1.4, 1.6, 1.8, 2]), (axes[k][1], 8, [0.5, 1, 2, 3, 4, 5, 6, 7, 8])):
            faster = [[time(data, method, r, e, 1) / time(data, method, r, e, gpus) for r in rows] for e in each]
            figure.colorbar(ax.contourf(rows, each, faster, levels=levels, cmap='viridis', extend='both'), ax=ax)
            ax.contour(rows, each, faster, levels=[1], colors='k', linewidths=1)
            ax.set(xscale='log', yscale='log', xlabel='rows', ylabel='stored values of a row', title=f'{method}: times as fast on {gpus} GPUs')
        one = {c['matrix']: c for c in data['cases'] if c['what'] == 'iteration, ' + method and c.get('measured_us')}
        for c in data['cases']:
            if c['what'] == f'iteration, {method}, 2 GPUs' and c.get('measured_us') and c['matrix'] in one:
                faster = c['measured_us'] < SLOWER * one[c['matrix']]['measured_us']
                axes[k][0].plot(c['rows'], c['entries'] / c['rows'], 'o' if faster else 'x', color='r', markersize=5)
    axes[0][0].plot([], [], 'ro', label='measured: faster')
    axes[0][0].plot([], [], 'rx', label='measured: not faster')
    axes[0][0].legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def draw_all(data, cases, points, out):
    """cases: those that are predicted and measured; points: bytes and times of products, by tile"""
    iterations(cases, out + '.png')
    throughputs(data['throughputs'], out + '-throughput.png')
    speedups(data, out + '-gpus.png')
    tiles(cases, points, out + '-tiles.png')
