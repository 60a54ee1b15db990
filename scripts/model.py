"""lab/model.cxx for scripts: what hepta-tune has measured, the bytes of methods, times by throughputs in microseconds"""

import math
import re
from pathlib import Path

from performance import ROOT

MODEL = re.compile(r'^model (\w+?)_(mu|sigma|nu|off|at_\d+) (\S+)')
# hepta_model_methods: matrices, vectors, more bytes a row, exchanges
ENTRY = r'\{"(\w+)",[^{}]*?' + r'\s+([\d.]+),' * 4 + r'\s+(?:true|false),'
COUNTS = {name: tuple(map(float, n)) for name, *n in re.findall(ENTRY, (ROOT / 'lab' / 'model.cxx').read_text())}
SLOWER = 0.98  # several GPUs pay if they take less of the time


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


def slope(one):
    """Microseconds of a byte more, beyond the last measured size"""
    points = sorted(one['at'])
    if len(points) < 2:
        return 1 / one['nu']
    (x, y), (last_x, last_y) = points[-2:]
    return (last_y - y) / (last_x - x)


def microseconds(one, size, usual=None):
    """As HeptaThroughput::Time(): between two measured sizes the logarithm of measured over fitted times is linear, beyond the
    last one the time"""
    if usual is not None and size > usual:
        return min(microseconds(one, size), microseconds(one, usual) + (size - usual) * slope(one))
    before, before_size = 0.0, 0
    points = sorted(one['at'])
    if len(points) > 1 and size > points[-1][0]:
        return points[-1][1] + (size - points[-1][0]) * slope(one)
    for at, us in points:
        here = math.log(us / fitted(one, at))
        if size <= at:
            part = math.log(size / before_size) / math.log(at / before_size) if before_size else 1.0
            return fitted(one, size) * math.exp(before + part * (here - before))
        before, before_size = here, at
    return fitted(one, size) * math.exp(before)
