#!/usr/bin/env python3
"""What advise -predict -measure says of many matrices, beside what it measures.

    predictions.py OUT TUNING FILE...   OUT.json from the tuning file of hepta-tune and logs of advise, of one process or of as many
                                        as GPUs, and earlier OUT.json; then as below. A number in a later file replaces an earlier
                                        one: advise -predict on a machine without a GPU gives new predictions beside old times.
    predictions.py JSON                 writes the tables of its .md between their markers, and the pictures beside it
    predictions.py --check JSON         fails if a table is not that of the JSON
"""

import json
import math
import re
import statistics
import sys
from pathlib import Path

from model import SLOWER, fitted, throughputs
from performance import filled
from predictions_draw import draw_all

# type, block size, bytes, fill, host, [measured there,] predicted and measured on the device; the measured times are missing without -measure
PRODUCT = re.compile(r'^(aij|bdia|brow|sell) +(\S+) +(\d+) +(\S+)((?: +(?:[-\d]\S*|refused))+)(.*)')

# Paper 001: mu for elements of 4 bytes, sigma, nu in GB/s, on a GTX 280; mean error and variance of iterations of CG
PAPER_VECTORS = {'CG1, 9 vectors': (19.2, 1.45, 94), 'CG2, 2': (19, 1.45, 117), 'CG3, 3': (19, 1.45, 120), 'CG4, 9': (19.3, 1.45, 116), 'CG5, 6': (19.2, 1.45, 106), 'sum, 1': (19.7, 1.4, 120)}
PAPER_PRODUCTS = {1: (19.08, 1.35, 52.12), 2: (19.65, 1.15, 80.92), 4: (20.39, 1.28, 117.70), 8: (20.81, 1.51, 132.39)}
PAPER_ERRORS = {(1, 1): (0.18, 0.108), (2, 1): (0.12, 0.037), (4, 1): (0.07, 0.008), (8, 1): (0.06, 0.004), (1, 2): (0.16, 0.042), (2, 2): (0.14, 0.023), (4, 2): (0.11, 0.012), (8, 2): (0.07, 0.006)}


def number(pattern, text, default=None):
    match = re.search(pattern, text, re.M)
    return float(match[1]) if match else default


def product(match, head):
    """A product's numbers from its line of the table"""
    words = dict(enumerate(re.findall(r'[-\d]\S*|refused', match[5])))
    at = head.index('device') - head.index('host') if 'device' in head else None
    us = [1e6 * float(word) if word and word[0].isdigit() else None for word in (words.get(at), words.get(at + 1 + ('+- %' in head)))] if at else [None, None]
    return {'what': f'product, {match[1]}', 'bs': int(match[2]) if match[2] != '-' else None, 'ordered': True if 'reordered' in match[6] else None,
            'bytes': int(match[3]), 'chain': number(r'chain of (\d+)', match[6]), 'alone': number(r'(\d+) rows alone', match[6]),
            'predicted_us': us[0], 'measured_us': us[1] if head.count('measured') else None}


def cell(words, head, name):
    """The number in a column, None for one that is missing, unknown or refused"""
    word = words[head.index(name)] if name in head else '-'
    return float(word) if word not in ('-', 'refused') else None


def iteration(line, head):
    """An iteration's numbers from its line, and its set-up's; the columns of several processes are those of one GPU and of theirs"""
    words = line.split()
    gpus = [int(word.split()[0]) for word in head if word.endswith(('GPU', 'GPUs'))]
    times = {n: float(word) for n, word in zip(gpus, words[1:]) if word != '-'}
    here = gpus[1] if len(gpus) == 2 else 1
    found = [{'what': f'iteration, {words[0]}' + (f', {here} GPUs' if here > 1 else ''), 'predicted_us': times.get(here), 'measured_us': cell(words, head, 'measured') or None}]
    set_up = {'predicted_us': cell(words, head, 'set-up'), 'measured_us': cell(words, head, 'new values'), 'first_us': cell(words, head, 'first set-up')}
    if here == 1 and any(set_up.values()):  # of several processes it is not predicted
        found.append({'what': f'set-up, {words[0]}', **set_up})
    return found


def read(path):
    """The products and iterations of a log, in microseconds"""
    text = Path(path).read_text()
    sizes = re.search(r'^(\d+) x \d+ matrix with (\d+) entries on (\d+) rank', text, re.M)
    if not sizes:
        sys.exit(f'predictions.py: {path} is no output of advise')
    found, head = [], []
    for line in text.splitlines():
        if line.startswith(('type ', 'method ')):
            head = re.split(r' {2,}', line.strip())
            head = [word for part in head for word in (('best', '+- %') if part == 'best +- %' else (part,))]
        match = PRODUCT.match(line)
        if match and sizes[3] == '1' and 'does not fit' not in line:  # of several processes with exchanges, which are not predicted
            found.append(product(match, head))
        elif re.match(r'fused|dpcg', line) and 'refuses' not in line:
            found += iteration(line, head)
    levels = number(r'^  triangles of \d+ entries in (\d+) levels', text)
    for case in found:
        case.update(matrix=Path(path).stem, rows=int(sizes[1]), entries=int(sizes[2]))
        if 'icc' in case['what']:
            case['levels'] = levels
    return found


def load(path):
    """The GPU, its numbers and throughputs, and the cases"""
    return json.loads(Path(path).read_text())


def merged(files):
    cases = {}
    for path in files:
        for case in load(path)['cases'] if path.endswith('.json') else read(path):
            key = (case['matrix'], case['what'], case.get('bs', 0) or 0, bool(case.get('ordered')))
            cases.setdefault(key, {}).update({k: float(f'{v:.4g}') if k.endswith('_us') else v for k, v in case.items() if v is not None})
    return [cases[key] for key in sorted(cases)]


def both(cases):
    """Those that are predicted and measured"""
    return [c for c in cases if c.get('predicted_us') and c.get('measured_us')]


def off(cases):
    return [abs(c['predicted_us'] / c['measured_us'] - 1) for c in cases]


def half(cases, other):
    """Of each kind every second case, in the order of the file: those to which the constants of lab/model_times.cxx are fitted, or the others"""
    return [c for kind in {c['what'] for c in cases} for c in [c for c in cases if c['what'] == kind][other::2]]


def errors(cases):
    """A line for each kind: how many, the mean relative error, its variance, and the largest; mean and largest of the halves"""
    lines = ['| what | cases | mean error | variance | largest, where | fitted half | other half |', '|' + '---|' * 7]
    kinds = {'*all products*': lambda c: 'product' in c['what'], '*all iterations but icc, 1 GPU*': lambda c: 'iteration' in c['what'] and 'GPUs' not in c['what'] and 'icc' not in c['what'],
             '*all set-ups for new values, 1 GPU*': lambda c: 'set-up' in c['what'], '*all iterations, 2 GPUs*': lambda c: 'GPUs' in c['what']}
    for kind in sorted({c['what'] for c in cases}):
        kinds[kind] = lambda c, kind=kind: c['what'] == kind
    for kind, within in kinds.items():
        some = [c for c in cases if within(c)]
        if some:
            error, worst = max(zip(off(some), (c['matrix'] for c in some)))
            halves = [f'{statistics.mean(found):.3f}, {max(found):.2f}' if found else '' for found in (off(half(some, 0)), off(half(some, 1)))]
            lines.append(f'| {kind} | {len(some)} | {statistics.mean(off(some)):.3f} | {statistics.pvariance(off(some)):.3f} | {error:.2f}, {worst} | {halves[0]} | {halves[1]} |')
    return '\n'.join(lines)


def setups(cases):
    """Measured set-ups of each method and preconditioner"""
    lines = ['| set-up of | cases | first, ms: least, median, most | new values, ms: least, median, most | first over new values, median |', '|' + '---|' * 5]
    for kind in sorted({c['what'] for c in cases}):
        some = [c for c in cases if c['what'] == kind]
        cells = [', '.join(f'{1e-3 * us:.3g}' for us in (min(found), statistics.median(found), max(found))) for found in ([c[name] for c in some] for name in ('first_us', 'measured_us'))]
        lines.append(f"| {kind.removeprefix('set-up, ')} | {len(some)} | {cells[0]} | {cells[1]} | {statistics.median(c['first_us'] / c['measured_us'] for c in some):.1f} |")
    return '\n'.join(lines)


def pays(cases):
    """Whether two GPUs pay: what is predicted beside what is measured"""
    one = {(c['matrix'], c['what']): c for c in cases}
    pairs = [(one[c['matrix'], c['what'][:-8]], c) for c in cases if c['what'].endswith(', 2 GPUs') and (c['matrix'], c['what'][:-8]) in one]
    wrong = [f"{a['matrix']} with {a['what'][11:]}" for a, b in pairs if (b['predicted_us'] < SLOWER * a['predicted_us']) != (b['measured_us'] < SLOWER * a['measured_us'])]
    return f'Whether two GPUs pay is predicted rightly in {len(pairs) - len(wrong)} of {len(pairs)} cases' + (', not for ' + '; '.join(wrong) if wrong else '') + '.'


def paper_errors(cases):
    """Paper 001, table 6, with ours: products by tile, and iterations of fusedcg"""
    lines = ['| tiles | GPUs | paper: CG | variance | ours: product of `brow` | variance | ours: `fusedcg` | variance |', '|' + '---|' * 8]
    for (bs, gpus), (mean, variance) in PAPER_ERRORS.items():
        products = off(c for c in cases if c['what'] == 'product, brow' and c['bs'] == bs and not c.get('ordered') and gpus == 1)
        solves = off(c for c in cases if c['what'] in [f'iteration, fusedcg_{pc}' + (', 2 GPUs' if gpus == 2 else '') for pc in ('none', 'jacobi')] and bs == 1)
        cells = [f'{statistics.mean(some):.3f} | {statistics.pvariance(some):.3f}' if some else ' | ' for some in (products, solves)]
        lines.append(f'| {bs} x {bs} | {gpus} | {mean} | {variance} | {cells[0]} | {cells[1]} |')
    return '\n'.join(lines) + '\n\nThe paper has a tile for the whole test; ours of `fusedcg` are of `bdia`, or of `brow` with the tile of the fewest bytes, and stand in the first line.'


def fits(found):
    lines = ['| what | mu | sigma | nu, TB/s | between sizes off by | from the sigmoid, at most |', '|---|---|---|---|---|---|']
    for name, one in found.items():
        far = max((abs(fitted(one, size) / us - 1) for size, us in one['at']), default=0)
        lines.append(f"| {name} | {one['mu']:.2f} | {one['sigma']:.2f} | {one['nu'] / 1e6:.2f} | {one['off']:.3f} | {far:.2f} |")
    return '\n'.join(lines)


def of_tiles(cases, bs):
    """Products of `brow` with tiles of this size: bytes, of the matrix, x and y, and measured microseconds"""
    return sorted((c['bytes'] + 16 * c['rows'], c['measured_us']) for c in cases if c['what'] == 'product, brow' and c['bs'] == bs and not c.get('ordered'))


def sigmoid(points):
    """mu, sigma and nu with the least squares of logarithms, mu and sigma to a twentieth; in twentieths: the range, then the best one's neighbors"""
    best = (math.inf, (0, 0), 0.0)
    for mus, sigmas in ((range(300, 561, 10), range(16, 45, 4)), (range(-10, 11), range(-4, 5))):
        middle = best[1] if mus.step == 1 else (0, 0)
        for mu, sigma in ((middle[0] + m, middle[1] + k) for m in mus for k in sigmas):
            logs = [math.log(size / us * (1 + math.exp((mu - 20 * math.log2(size)) / sigma))) for size, us in points]
            best = min(best, (statistics.pvariance(logs), (mu, sigma), math.exp(statistics.mean(logs))))
    return {'mu': best[1][0] / 20, 'sigma': best[1][1] / 20, 'nu': best[2]}


def paper_fits(found, cases):
    """Paper 001, tables 2 and 3, with ours, mu for elements: of 4 bytes there, of 8 here"""
    found = {**found, **{f'tiles of {bs}': sigmoid(of_tiles(cases, bs)) for bs in PAPER_PRODUCTS if len(of_tiles(cases, bs)) > 3}}
    lines = ['| paper, GTX 280, float | mu | sigma | nu, GB/s | ours, double | mu | sigma | nu, GB/s |', '|' + '---|' * 8]
    ours = {'CG2, 2': 'copy', 'sum, 1': 'sum', 'CG4, 9': 'iteration_bdia_fusedcg_none', **{f'{bs} x {bs}': f'tiles of {bs}' for bs in PAPER_PRODUCTS}}
    rows = list(PAPER_VECTORS.items()) + [(f'{bs} x {bs}', numbers) for bs, numbers in PAPER_PRODUCTS.items()]
    for name, (mu, sigma, nu) in rows:
        one = found.get(ours.get(name))
        cells = f"`{ours[name]}` | {one['mu'] - 3:.2f} | {one['sigma']:.2f} | {one['nu'] / 1e3:.0f}" if one else ' | | | '
        lines.append(f"| {name if 'x' not in name else 'product of tiles ' + name + ', average'} | {mu} | {sigma} | {nu} | {cells} |")
    return '\n'.join(lines)


def tables(data):
    cases, first = both(data['cases']), [c for c in data['cases'] if c.get('first_us') and c.get('measured_us')]
    found = {'ERRORS': errors(cases), 'PAYS': pays(cases), 'PAPER ERRORS': paper_errors(cases), 'FITS': fits(data['throughputs']), 'PAPER FITS': paper_fits(data['throughputs'], cases)}
    return {**found, 'SET-UPS': setups(first)} if first else found


def write(data, path):
    """A line for each case"""
    head = json.dumps({k: v for k, v in data.items() if k != 'cases'}, indent=0)
    path.write_text(head[:-2] + ',\n"cases": [\n' + ',\n'.join(json.dumps(c, sort_keys=True) for c in data['cases']) + '\n]\n}\n')


def make(out, tuning, files):
    text = Path(tuning).read_text()
    data = {'gpu': re.search(r'^gpu (.*)', text, re.M)[1], 'numbers': {name: number(rf'^{name} (\S+)', text) for name in ('ipc_latency', 'ipc_bandwidth')},
            'throughputs': throughputs(tuning), 'cases': merged(files)}
    if not both(data['cases']):
        sys.exit('predictions.py: no file has a prediction beside a measured time')
    write(data, Path(out + '.json'))
    return Path(out + '.json')


def main(arguments):
    check = arguments[:1] == ['--check']
    arguments = arguments[check:]
    path = Path(arguments[0]) if len(arguments) == 1 else make(arguments[0], arguments[1], arguments[2:])
    data, page = load(path), path.with_suffix('.md')
    old = new = page.read_text() if page.exists() else ''
    for marker, table in tables(data).items():
        if f'<!-- {marker} -->' not in new:
            new += f'\n<!-- {marker} -->\n\n<!-- END {marker} -->\n'
        new = filled(new, marker, table)
    if check:
        sys.exit(f'predictions.py: {page}: the tables are not those of {path}; run scripts/predictions.py {path}' if new != old else 0)
    page.write_text(new)
    cases = both(data['cases'])
    draw_all(data, cases, {bs: of_tiles(cases, bs) for bs in PAPER_PRODUCTS}, str(path.with_suffix('')))


if __name__ == '__main__':
    main(sys.argv[1:])
