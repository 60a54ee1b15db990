"""What advise -predict -measure says of many matrices, beside what it measures: a table of the errors is printed, a picture and JSON are written

predictions.py OUT LOG...: each log is the output of one run; OUT.png and OUT.json are written
"""
import json
import re
import statistics
import sys
from pathlib import Path

PRODUCT = re.compile(r'^(aij|bdia|brow|sell) +(\S+) +\d+ +\S+ +[-\d]\S* +\S+ +(\d\S*) +(\d\S*)')  # type, block size, ..., predicted and measured on the device


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


def table(cases):
    """A line for each kind: how many, the mean and the largest relative error, and where"""
    lines = ['| what | cases | mean error | largest, where |', '|---|---|---|---|']
    for kind in sorted({kind for _, kind, _, _ in cases}):
        errors = [(abs(p / m - 1), name) for name, k, p, m in cases if k == kind]
        worst = max(errors)
        lines.append(f'| {kind} | {len(errors)} | {statistics.mean(e for e, _ in errors):.3f} | {worst[0]:.2f}, {worst[1]} |')
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


def draw(cases, path):
    """Predicted over measured times"""
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(6, 6))
    for kind in sorted({kind for _, kind, _, _ in cases}):
        axes.loglog([m for _, k, _, m in cases if k == kind], [p for _, k, p, _ in cases if k == kind], '.', label=kind)
    ends = [min(m for _, _, _, m in cases), max(m for _, _, _, m in cases)]
    axes.loglog(ends, ends, 'k-', linewidth=0.5)
    axes.set_xlabel('measured, us')
    axes.set_ylabel('predicted, us')
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main(out, logs):
    logs = {log: read(log) for log in logs}
    cases = [(Path(log).stem, kind, p, m) for log, found in logs.items() for kind, p, m, _ in found]
    if not cases:
        sys.exit('predictions.py: no log has a prediction beside a measured time')
    Path(out + '.json').write_text(json.dumps([dict(zip(('matrix', 'what', 'predicted_us', 'measured_us'), case)) for case in cases], indent=0) + '\n')
    draw(cases, out + '.png')
    print(table(cases))
    print(pays(logs))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
