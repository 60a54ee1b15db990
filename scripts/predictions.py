"""What advise -predict -measure says of many matrices, beside what it measures

predictions.py OUT TUNING LOG...: TUNING is the file of hepta-tune, each log the output of one run of advise; those of several processes
measure as many GPUs. A table of errors and of throughputs is printed; OUT.json, OUT.png (each problem) and OUT-throughput.png are written
"""
import json
import math
import re
import statistics
import sys
from pathlib import Path

PRODUCT = re.compile(r'^(aij|bdia|brow|sell) +(\S+) +\d+ +\S+ +[-\d]\S* +\S+ +(\d\S*) +(\d\S*)')  # type, block size, ..., predicted and measured on the device
MODEL = re.compile(r'^model (\w+?)_(mu|sigma|nu|off|at_\d+) (\S+)')


def read(path):
    """The predicted and measured times of a log, in microseconds, and for each method the numbers of GPUs with their predicted times"""
    found, head = [], []
    text = Path(path).read_text()
    alone = ' on 1 rank:' in text  # products on several processes are measured with exchanges, and predicted without
    for line in text.splitlines():
        if line.startswith(('type ', 'method ')):
            head = re.split(r' {2,}', line.strip())
        if 'measured' not in head:
            continue
        if alone and (match := PRODUCT.match(line)):
            found.append((f'product, {match[1]}', 1e6 * float(match[3]), 1e6 * float(match[4]), {}))
        elif re.match(r'fused|dpcg', line) and 'refuses' not in line:
            words = line.split()
            gpus = [int(word.split()[0]) for word in head if word.endswith(('GPU', 'GPUs'))]
            times = {n: float(word) for n, word in zip(gpus, words[1:]) if word != '-'}
            here = gpus[1] if len(gpus) == 2 else 1  # a log of several processes has the columns of one GPU and of theirs
            if words[-1] != 'refused' and here in times:
                found.append((f'iteration, {words[0]}' + (f', {here} GPUs' if here > 1 else ''), times[here], float(words[-1]), times))
    return found


def errors(cases):
    """A line for each kind: how many, the mean relative error, its variance, and the largest"""
    lines = ['| what | cases | mean error | variance | largest, where |', '|---|---|---|---|---|']
    for kind in sorted({kind for _, kind, _, _ in cases}):
        off = [(abs(p / m - 1), name) for name, k, p, m in cases if k == kind]
        worst = max(off)
        lines.append(f'| {kind} | {len(off)} | {statistics.mean(e for e, _ in off):.3f} | {statistics.pvariance(e for e, _ in off):.3f} | {worst[0]:.2f}, {worst[1]} |')
    return '\n'.join(lines) + '\n'


def pays(logs):
    """Whether two GPUs pay: what is predicted beside what both logs of a matrix, with the same name in two folders, have measured"""
    one, two = {}, {}
    for log, found in logs.items():
        for kind, _, measured, times in found:
            name = (Path(log).stem, kind.split(', ')[1]) if times else None
            if name and 'GPUs' in kind:
                two[name] = (times[2] < 0.98 * times[1], measured)
            elif name:
                one[name] = measured
    both = [(name, two[name][0], two[name][1] < 0.98 * one[name]) for name in two if name in one]
    wrong = [f'{matrix} with {method}' for (matrix, method), predicted, measured in both if predicted != measured]
    return f'two GPUs pay: predicted rightly in {len(both) - len(wrong)} of {len(both)} cases' + (', not for ' + '; '.join(wrong) if wrong else '') + '\n'


def throughputs(path):
    """{name: its numbers, and under `at` the measured (bytes, us)} of a tuning file"""
    found = {}
    for line in Path(path).read_text().splitlines():
        if match := MODEL.match(line):
            one = found.setdefault(match[1], {'at': []})
            if match[2].startswith('at_'):
                one['at'].append((int(match[2][3:]), float(match[3])))
            else:
                one[match[2]] = float(match[3])
    return {name: one for name, one in found.items() if 'nu' in one}


def fitted(one, size):
    return size / one['nu'] * (1 + math.exp(-(math.log2(size) - one['mu']) / one['sigma']))


def microseconds(one, size):
    """As HeptaThroughput::Time() of lab/model.cxx: between two measured sizes the logarithm of measured over fitted times is linear, beyond the last one the time"""
    before, before_size = 0.0, 0
    points = sorted(one['at'])
    if len(points) > 1 and size > points[-1][0]:
        (x, y), (last_x, last_y) = points[-2:]
        return last_y + (size - last_x) * (last_y - y) / (last_x - x)
    for at, us in points:
        here = math.log(us / fitted(one, at))
        if size <= at:
            part = math.log(size / before_size) / math.log(at / before_size) if before_size else 1.0
            return fitted(one, size) * math.exp(before + part * (here - before))
        before, before_size = here, at
    return fitted(one, size) * math.exp(before)


def fits(found):
    lines = ['| what | mu | sigma | nu, TB/s | between sizes off by | from the sigmoid, at most |', '|---|---|---|---|---|---|']
    for name, one in found.items():
        far = max((abs(fitted(one, size) / us - 1) for size, us in one['at']), default=0)
        lines.append(f"| {name} | {one['mu']:.2f} | {one['sigma']:.2f} | {one['nu'] / 1e6:.2f} | {one['off']:.3f} | {far:.2f} |")
    return '\n'.join(lines) + '\n'


def draw_throughputs(found, path):
    """Measured throughputs over bytes, with the sigmoid and with latency + bytes / bandwidth; below, what the sigmoid is off by"""
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    shown = [name for name in found if found[name]['at'] and ('product' in name or 'bdia_fused' in name and 'setup' not in name)]
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


def draw(cases, path):
    """Iterations of each problem, measured and predicted, on one GPU and on two; and all times, predicted over measured"""
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 2, figsize=(13, 5), width_ratios=(2, 1))
    for kind, color in (('iteration, fusedcg_jacobi', 'C0'), ('iteration, fusedcg_jacobi, 2 GPUs', 'C1')):
        some = sorted((m, p, name) for name, k, p, m in cases if k == kind)
        axes[0].semilogy([name for _, _, name in some], [m for m, _, _ in some], 'o', color=color, markersize=4, label=kind + ', measured')
        axes[0].semilogy([name for _, _, name in some], [p for _, p, _ in some], 'x', color=color, markersize=5, label='predicted')
    axes[0].tick_params(axis='x', rotation=90, labelsize=6)
    axes[0].set_ylabel('us')
    for kind in sorted({kind for _, kind, _, _ in cases}):
        axes[1].loglog([m for _, k, _, m in cases if k == kind], [p for _, k, p, _ in cases if k == kind], '.', markersize=3, label=kind)
    ends = [min(m for _, _, _, m in cases), max(m for _, _, _, m in cases)]
    axes[1].loglog(ends, ends, 'k-', linewidth=0.5)
    axes[1].set_xlabel('measured, us')
    axes[1].set_ylabel('predicted, us')
    for ax in axes:
        ax.legend(fontsize=5)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main(out, tuning, names):
    logs = {name: read(name) for name in names}
    cases = [(Path(log).stem, kind, p, m) for log, found in logs.items() for kind, p, m, _ in found]
    if not cases:
        sys.exit('predictions.py: no log has a prediction beside a measured time')
    Path(out + '.json').write_text(json.dumps([dict(zip(('matrix', 'what', 'predicted_us', 'measured_us'), case)) for case in cases], indent=0) + '\n')
    draw(cases, out + '.png')
    draw_throughputs(throughputs(tuning), out + '-throughput.png')
    print('\n'.join((errors(cases), pays(logs), fits(throughputs(tuning)))))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
