#!/usr/bin/env python3
"""The model of docs/scaling.md on cases that are counted by hand."""
import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'scripts'))
import scaling
from model import COUNTS, fitted, microseconds
from scaling import IPC_BANDWIDTH, IPC_LATENCY, Machine, faces, iteration, levels, on_host, parts, terms


def check(what, found, expected):
    def near(a, b):
        if isinstance(b, float):
            return math.isclose(a, b, rel_tol=1e-9)
        return len(a) == len(b) and all(map(near, a, b)) if isinstance(b, (list, tuple)) else a == b

    if not near(found, expected):
        sys.exit(f'test_scaling.py: {what}: {found}, expected {expected}')


def check_times():
    """A sigmoid of latency 2 and bandwidth 8: 2^mu / nu = 2, sigma = 1 / ln 2; measured 1, 2 and 4 times as long"""
    one = {'mu': 4.0, 'sigma': 1 / math.log(2), 'nu': 8.0}
    check('latency + bytes / bandwidth', [fitted(one, size) for size in (16, 64, 256)], [4.0, 10.0, 34.0])
    one['at'] = [(256, 4 * 34.0), (16, 4.0), (64, 20.0)]
    check('measured times', [microseconds(one, size) for size in (16, 64, 256)], [4.0, 20.0, 136.0])
    check('between two of them', [microseconds(one, size) for size in (32, 128)], [6 * 2**0.5, 18 * 2**1.5])
    check('before the first, and beyond the last', [microseconds(one, size) for size in (8, 1024)], [3.0, 136.0 + 768 * 116.0 / 192])


def check_counts():
    check('matrices, vectors, more, exchanges', [COUNTS[m] for m, _, _ in scaling.METHODS.values()],
          [(1.0, 12.0, 0.0, 1.0), (2.0, 21.0, 0.0, 1.5), (0.0, 5.0, 76.0, 3.0)])
    check('all methods of the model', len(COUNTS), 9)
    # hepta-tune counts the same bytes, and cuts off what is below one
    for model, size in (('fusedcg_jacobi', 152 * 120**3), ('fusedbcgs_jacobi', 280 * 120**3), ('fusedcg_gridmg_single', 116 * 120**3)):
        last = scaling.THROUGHPUTS[f'iteration_bdia_{model}']['at'][-1]
        check(f'bytes of 120^3 rows, {model}', last[0] - size in (-1, 0), True)
        check(f'us of 120^3 rows, {model}', abs(iteration(model, 56, 120**3) / last[1] - 1) < 1e-6, True)


def check_parts():
    cube = (1024, 1024, 1024)
    check('parts near to cubes', parts(cube, 64), (4, 4, 4))
    check('slabs', parts(cube, 64, True), (1, 1, 64))
    check('a host of cubes', on_host(cube, (4, 4, 4), 8), (2, 2, 2))
    check('a host of slabs', on_host(cube, (1, 1, 64), 8), (1, 1, 8))
    check('cubes: three faces within, three between', faces(cube, (4, 4, 4), (2, 2, 2)), (3 * 256.0**2, 3 * 256.0**2))
    check('planes at the end of a host', faces(cube, (1, 1, 64), (1, 1, 8)), (1024.0**2, 1024.0**2))
    check('planes on one host', faces(cube, (1, 1, 8), (1, 1, 8)), (2 * 1024.0**2, 0.0))
    check('two slabs have one neighbor each', faces(cube, (1, 1, 2), (1, 1, 2)), (1024.0**2, 0.0))
    check('16.8 million rows a GPU', [scaling.problem(scaling.WEAK, n) for n in (1, 2, 8, 16)],
          [(256, 256, 256), (256, 256, 512), (512, 512, 512), (512, 512, 1024)])


def check_levels():
    check('256^3 cells: three levels in slabs, 32^3 gathered', levels((256, 256, 256), (1, 1, 2)), (3, 32**3))
    check('16 slabs of 32 planes: 4 of 32^2 x 64', levels((256, 256, 512), (1, 1, 16)), (3, 32 * 32 * 64))
    check('64 slabs of 8 planes: the second level has 4', levels((256, 256, 512), (1, 1, 64)), (1, 128 * 128 * 256))
    check('256 slabs of 2 planes: 33.5 million cells', levels((256, 256, 512), (1, 1, 256)), None)
    check('32 slabs of 1024^3: the fourth level has 4 planes', levels((1024, 1024, 1024), (1, 1, 32)), (3, 128**3))
    check('64 slabs: 256^3 cells are too many', levels((1024, 1024, 1024), (1, 1, 64)), None)
    check('64 cubes', levels((1024, 1024, 1024), (4, 4, 4)), (5, 32**3))


def check_terms():
    m, grid = Machine(latency=1000.0, bandwidth=100.0, doubling=50.0), (256, 256, 512)

    def found(method, gpus, machine=m):
        return list(terms(machine, method, grid, gpus).values())

    check('one GPU', found('`fusedcg`', 1), [iteration('fusedcg_jacobi', 56, 2**25), 0.0, 0.0, 0.0, 0.0])
    check('two: an exchange of a plane', found('`fusedcg`', 2),
          [iteration('fusedcg_jacobi', 56, 2**24), IPC_LATENCY + 8 * 65536 / IPC_BANDWIDTH, 0.0, 0.0, 0.0])
    # 32 parts of 128 x 64 x 128 cells: one face along each axis within a host, and one between along the last two
    check('parts on four hosts', (parts(grid, 32), on_host(grid, (2, 4, 4), 8)), ((2, 4, 4), (2, 2, 2)))
    near, far = 64 * 128.0 + 128 * 128 + 128 * 64, 128.0 * 128 + 128 * 64
    check('faces', faces(grid, (2, 4, 4), (2, 2, 2)), (near, far))
    check('a message, and two sums of 100 us', found('`fusedcg`', 32)[1:],
          [IPC_LATENCY + 8 * near / IPC_BANDWIDTH, 1000 + 8 * far / 100, 0.0, 200.0])
    check('two messages, and three sums', found('`fusedbcgs`', 32)[1:],
          [1.5 * (IPC_LATENCY + 8 * near / IPC_BANDWIDTH), 2000 + 16 * far / 100, 0.0, 300.0])
    single = found('`fusedcg`', 32, Machine(doubling=50.0, single_reduction=True))
    check('a single reduction', [single[0], single[4]], [iteration('fusedcg_jacobi', 96, 2**20), 100.0])
    # floats: 6 and 1 planes of 256^2 cells, 6 and 2 of 128^2 and of 64^2
    planes = 4 * (7 * 65536 + 8 * 16384 + 8 * 4096)
    check('four sums of gridmg, and 2 exchanges on 3 levels within a host', [found('`gridmg`', 16)[k] for k in (1, 4)],
          [10 * IPC_LATENCY + planes / IPC_BANDWIDTH, 200.0])
    check('2-D, four levels of 4096^2 cells', levels((4096, 4096), (1, 2)), (4, 65536))
    check('six messages', found('`gridmg`', 16)[2], 6e3 + planes / 100)
    whole, part = (iteration('fusedcg_gridmg_single', 56, rows) for rows in (65536, 4096))
    check('65536 cells gathered', found('`gridmg`', 16)[3], 50.0 + 4 * 65536 / 100 + whole - part)
    check('too few planes', terms(m, '`gridmg`', grid, 256), None)
    check('and on parts near to cubes enough, of 32 x 32 x 64', terms(Machine(cubes=True), '`gridmg`', grid, 256) is None, False)


if __name__ == '__main__':
    check_times()
    check_counts()
    check_parts()
    check_levels()
    check_terms()
