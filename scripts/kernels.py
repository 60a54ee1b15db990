"""Where the time of an iteration goes: what Nsight Compute has measured of each kernel, as tables and a roofline

kernels.py OUT NAME=LOG...: writes tables to OUT.md and a roofline to OUT.svg from logs of

    ncu METRICS --csv --page raw --print-units base --launch-skip N --launch-count M PROGRAM ...

where METRICS are the options that kernels.py prints without arguments. NAME heads the table of a log.
"""
import csv
import re
import sys
from pathlib import Path

TIME, READ, WRITTEN, L2 = 'gpu__time_duration.sum', 'dram__bytes_read.sum', 'dram__bytes_write.sum', 'lts__t_bytes.sum'
OCCUPANCY = 'sm__warps_active.avg.pct_of_peak_sustained_active'
BUSY = {'memory': 'dram__throughput.avg.pct_of_peak_sustained_elapsed', 'L2': 'lts__t_bytes.avg.pct_of_peak_sustained_elapsed',
        'instructions': 'sm__inst_executed.avg.pct_of_peak_sustained_elapsed'}
FLOPS = {f'smsp__sass_thread_inst_executed_op_{kind}{op}_pred_on.sum': 2 if op == 'fma' else 1 for kind in 'df' for op in ('add', 'mul', 'fma')}
METRICS = [TIME, READ, WRITTEN, L2, OCCUPANCY, *BUSY.values(), *FLOPS]
LIMITING = 60  # percent of a peak from which on it is what limits a kernel
PEAK_GBS, PEAK_DOUBLE, PEAK_FLOAT = 4800, 34e3, 67e3  # of an H200, from its data sheet: GB/s, GFLOP/s without tensor cores


def short(name):
    """The name of a kernel without namespaces and, of its arguments, the pass or the function that it runs"""
    name = re.sub(r'(\w)<unnamed>::', r'\1<', name)  # ncu drops a bracket there
    name = re.sub(r'\(anonymous namespace\)::|<unnamed>::|hepta::|\bksp::|\bgridmg::|\bsubdeflation::|void ', '', name)
    head, kind = re.match(r'([\w:]+)([<(]?)', name).groups()
    inside = name[len(head):] if kind == '<' and '_kernel' in head else ''
    what = re.findall(r'(\w+)\(', inside) if head == 'each_kernel' else re.findall(r'\b[A-Z]\w*[a-z]\w*', inside.split('>(')[0])
    what = [word for word in what if word not in ('Bf16', 'Arguments', 'lambda')]
    return head + (f' {what[0]}' if what else '')


def rows(path):
    """A dictionary for each launch of a log"""
    lines = Path(path).read_text().splitlines()
    begin = next((k for k, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        sys.exit(f'kernels.py: {path} has no table of ncu: run it with --csv --page raw')
    table = csv.DictReader([lines[begin]] + lines[begin + 2:])  # a line of units follows the head
    return [row for row in table if row.get(TIME)]


def number(row, metric):
    return float((row.get(metric) or '0').replace(',', '') or 0)


def kernels(path):
    """{name: sums over its launches}, the longest first"""
    found = {}
    for row in rows(path):
        k = found.setdefault(short(row['Kernel Name']), dict(calls=0, ns=0, bytes=0, l2=0, flops=0, occupancy=0, **{b: 0 for b in BUSY}))
        ns = number(row, TIME)
        k['calls'] += 1
        k['ns'] += ns
        k['bytes'] += number(row, READ) + number(row, WRITTEN)
        k['l2'] += number(row, L2)
        k['flops'] += sum(times * number(row, metric) for metric, times in FLOPS.items())
        k['occupancy'] += ns * number(row, OCCUPANCY)
        for name, metric in BUSY.items():
            k[name] += ns * number(row, metric)
    return dict(sorted(found.items(), key=lambda item: -item[1]['ns']))


def limit(k):
    """What limits a kernel: the busiest unit, or latency where none is busy"""
    name = max(BUSY, key=lambda b: k[b])
    percent = k[name] / k['ns']
    return f'{name}, {percent:.0f} %' if percent >= LIMITING else f'latency ({name} {percent:.0f} %)'


def table(name, found):
    total = sum(k['ns'] for k in found.values())
    lines = [f'## {name}', '', '| kernel | calls | us a call | share | MB a call | GB/s | flop/byte | occupancy | what limits it |', '|---|---|---|---|---|---|---|---|---|']
    for kernel, k in found.items():
        calls, size = k['calls'], k['bytes']
        lines.append(f"| `{kernel}` | {calls} | {k['ns'] / calls / 1e3:.1f} | {k['ns'] / total:.2f} | {size / calls / 1e6:.2f} | {size / k['ns']:.0f} "
                     f"| {k['flops'] / max(size, 1):.2f} | {k['occupancy'] / k['ns']:.0f} % | {limit(k)} |")
    return '\n'.join(lines) + '\n'


def draw(tables, path):
    """Each kernel in the roofline: flop for each byte of device memory, GFLOP/s; the area is its share of the time"""
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(8, 5))
    xs = [0.01 * 1.1 ** k for k in range(90)]
    for peak, what in ((PEAK_DOUBLE, 'double'), (PEAK_FLOAT, 'float')):
        axes.loglog(xs, [min(peak, PEAK_GBS * x) for x in xs], 'k-', linewidth=0.7)
        axes.text(xs[-1], peak, what, fontsize=7, ha='right', va='bottom')
    for name, found in tables.items():
        total = sum(k['ns'] for k in found.values())
        shown = [k for k in found.values() if k['flops'] and k['bytes']]
        axes.scatter([k['flops'] / k['bytes'] for k in shown], [k['flops'] / k['ns'] for k in shown], [10 + 300 * k['ns'] / total for k in shown], label=name, alpha=0.6)
    axes.set_xlabel('flop / byte of device memory')
    axes.set_ylabel('GFLOP/s')
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path)


def main(out, logs):
    tables = {name: kernels(path) for name, path in (log.split('=', 1) for log in logs)}
    Path(out + '.md').write_text('\n'.join(table(name, found) for name, found in tables.items()))
    draw(tables, out + '.svg')


if __name__ == '__main__':
    if len(sys.argv) < 3:
        print('--metrics ' + ','.join(METRICS))
    else:
        main(sys.argv[1], sys.argv[2:])
