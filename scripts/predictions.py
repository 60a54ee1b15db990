"""What advise -predict -measure says of many matrices, beside what it measures: a table of the errors is printed, a picture and JSON are written

predictions.py OUT LOG...: each log is the output of one run; OUT.png and OUT.json are written
"""
import json
import re
import statistics
import sys
from pathlib import Path

PRODUCT = re.compile(r'^(aij|bdia|brow|sell) +(\S+) +\d+ +\S+ +[-\d]\S* +\S+ +(\d\S*) +(\d\S*)')  # type, block size, ..., predicted and measured on the device
ITERATION = re.compile(r'^(fused\w+) +(\S+) +\S+ +\S+ +\S+ +\d +\S+ +\S+ +(\S+)')  # method, predicted on 1, 2, 4, 8 GPUs, which is best, uncertainty, host, measured


def read(path):
    """The predicted and measured times of a log, in microseconds"""
    found, measured = [], False
    for line in Path(path).read_text().splitlines():
        if line.startswith(('type ', 'method ')):
            measured = 'measured' in line
        if not measured:
            continue
        if match := PRODUCT.match(line):
            found.append((f'product, {match[1]}', 1e6 * float(match[3]), 1e6 * float(match[4])))
        elif (match := ITERATION.match(line)) and match[3] != 'refused':
            found.append((f'iteration, {match[1]}', float(match[2]), float(match[3])))
    return found


def table(cases):
    """A line for each kind: how many, the mean and the largest relative error, and where"""
    lines = ['| what | cases | mean error | largest, where |', '|---|---|---|---|']
    for kind in sorted({kind for _, kind, _, _ in cases}):
        errors = [(abs(p / m - 1), name) for name, k, p, m in cases if k == kind]
        worst = max(errors)
        lines.append(f'| {kind} | {len(errors)} | {statistics.mean(e for e, _ in errors):.3f} | {worst[0]:.2f}, {worst[1]} |')
    return '\n'.join(lines) + '\n'


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
    cases = [(Path(log).stem, kind, p, m) for log in logs for kind, p, m in read(log)]
    if not cases:
        sys.exit('predictions.py: no log has a prediction beside a measured time')
    Path(out + '.json').write_text(json.dumps([dict(zip(('matrix', 'what', 'predicted_us', 'measured_us'), case)) for case in cases], indent=0) + '\n')
    draw(cases, out + '.png')
    print(table(cases))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
