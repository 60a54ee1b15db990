#!/usr/bin/env python3
"""The model of docs/scaling.md on cases that are counted by hand."""
import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'scripts'))
from scaling_cycle import Shape, cycle_work, gathered, levels, planes
from scaling_model import Link, Machine, Network, exchange, faces, fit, on_host, pageable, parts


def check(what, found, expected):
    def near(a, b):
        if isinstance(b, float):
            return math.isclose(a, b, rel_tol=1e-9)
        if isinstance(b, dict):
            return set(a) == set(b) and all(near(a[k], b[k]) for k in b)
        return len(a) == len(b) and all(map(near, a, b)) if isinstance(b, (list, tuple)) else a == b

    close = near(found, expected)
    if not close:
        sys.exit(f'test_scaling.py: {what}: {found}, expected {expected}')


def check_fit():
    a, b = fit([(c, n, 3 * c + n / 50) for c, n in ((1, 10), (2, 1000), (7, 40))])
    check('latency of exact times', round(a, 9), 3.0)
    check('bandwidth of exact times', round(1 / b, 6), 50.0)
    check('a transfer of nothing takes no time', Link(3.0, 50.0).time(0), 0.0)


def check_parts():
    cube = (1024, 1024, 1024)
    check('parts near to cubes', parts(cube, 64), (4, 4, 4))
    check('slabs', parts(cube, 64, True), (1, 1, 64))
    check('slabs of less than a plane', parts(cube, 2048, True), None)
    check('a host of cubes', on_host(cube, (4, 4, 4), 8), (2, 2, 2))
    check('a host of slabs', on_host(cube, (1, 1, 64), 8), (1, 1, 8))
    check('faces of cubes: three within, three between', faces(cube, (4, 4, 4), (2, 2, 2)), (3 * 256.0**2, 3 * 256.0**2))
    check('planes of slabs at the end of a host', faces(cube, (1, 1, 64), (1, 1, 8)), (1024.0**2, 1024.0**2))
    check('planes of slabs on one host', faces(cube, (1, 1, 8), (1, 1, 8)), (2 * 1024.0**2, 0.0))
    check('two slabs have one neighbor each', faces(cube, (1, 1, 2), (1, 1, 2)), (1024.0**2, 0.0))


def check_levels():
    check('1024^2 cells', [n[0] for n in levels((1024, 1024))], [1024, 512, 256, 128, 64, 32, 16])
    host = Shape(gather=16384)
    check('128^2 cells are gathered, as bench/results/ranks-h200.md has it: 11 exchanges', gathered((1024, 1024), (1, 2), host), 3)
    check('256^2 cells are gathered on GPUs', gathered((1024, 1024), (1, 2)), 2)
    check('16 slabs of 32 planes: 8192 cells', gathered((256, 256, 512), (1, 1, 16), host), 4)
    check('16 slabs of 32 planes on GPUs: 65536 cells', gathered((256, 256, 512), (1, 1, 16)), 3)
    check('64 slabs of 8 planes: one plane is less than a box', gathered((256, 256, 512), (1, 1, 64), host), 3)
    check('256 slabs of 2 planes: 4 million cells are not gathered', gathered((256, 256, 512), (1, 1, 256)), None)
    check('a larger level gathered', gathered((1024, 1024, 1024), (4, 4, 4), Shape(gather=1 << 18)), 4)
    check('boxes of four', levels((64, 64, 64), Shape(sides=(4,))), [(64, 64, 64), (16, 16, 16), (4, 4, 4)])
    check('boxes of two, then of four', levels((64, 64, 64), Shape(sides=(2, 4))), [(64, 64, 64), (32, 32, 32), (8, 8, 8), (2, 2, 2)])
    check('kernels of 64^3 cells', [k for k, _ in cycle_work((64, 64, 64))], [5, 4, 4, 4, 1])
    check('bytes of the first level of one rank, and of one of eight', [cycle_work((64, 64, 64), s)[0][1] / 64**3 for s in (None, (2, 2, 2))], [80 + 48 + 1.5, (80 + 48 + 1.5) / 8])
    check('and with an exchange before each pass', cycle_work((64, 64, 64), (2, 2, 2), Shape(once=False))[0][1] / 64**3, (80 + 48 + 1.5 + 8) / 8)
    check('planes of an exchange, boxes of two cells', [planes(level, Shape()) for level in range(4)], [3, 4, 5, 5])
    check('of four cells', [planes(level, Shape(sides=(4,))) for level in range(3)], [3, 4, 4])


def check_terms():
    m, grid = Machine(network=Network(latency=1000.0, doubling=50.0)), (256, 256, 256)
    check('a sum of one host', m.sum(8), exchange('ipc').latency)
    check('a sum of four hosts', m.sum(32), exchange('ipc').latency + 100.0)
    check('one GPU exchanges nothing', [m.fusedcg(grid, (1, 1, 1))[t] for t in ('exchanges', 'sums')], [0.0, 0.0])
    check('two sums of an iteration', m.fusedcg(grid, (2, 2, 8))['sums'], 2 * m.sum(32))
    check('and of one with the cycle', m.cycle(grid, (2, 2, 8))['sums'], 2 * m.sum(32))

    def far(grid, split, shape):
        return Machine(network=m.network, shape=shape).cycle(grid, split)['exchanges'] - Machine(network=Network(latency=0.0), shape=shape).cycle(grid, split)['exchanges']

    product, message = m.device.passes.latency + 2**20 * 88 / m.device.passes.bandwidth, 8 * 128**2 / 40e3
    hidden = product - message
    check('3 exchanges of three levels, beside which nothing runs, and one that a product hides in part, wait for the network', abs(4e3 - hidden - far(grid, (2, 2, 4), Shape())) < 1, True)
    check('11 before each pass', abs(12e3 - hidden - far(grid, (2, 2, 4), Shape(once=False))) < 1, True)
    check('and of 4 planes of the third level, where an exchange brings 5', far((256, 256, 256), (1, 1, 16), Shape()) > 11e3, True)
    check('an exchange of two GPUs', m.exchange(1000.0, 0.0), exchange('ipc').time(1000.0))


def check_beside():
    m, slabs = Machine(), (1, 1, 2)
    d, plane = m.device, 1024.0**2
    border = d.cycle.latency + 48 * plane / d.product.bandwidth
    product = d.cycle.latency + plane * 72 / d.product.bandwidth
    check('256 planes hide an exchange but for the border rows', m.product((1024, 1024, 512), slabs), {'kernels': d.cycle.latency + 256 * plane * 72 / d.product.bandwidth, 'exchanges': border})
    check('one plane does not', m.product((1024, 1024, 2), slabs)['exchanges'], m.pair.time(8 * plane) - product + border)
    check('152 bytes a row in two kernels, on one GPU and on each of two', [m.fusedcg(g, s)['kernels'] for g, s in (((1024, 1024, 64), (1, 1, 1)), ((1024, 1024, 128), slabs))], [2 * d.passes.latency + 64 * plane * 152 / d.passes.bandwidth] * 2)
    check('three with the cycle', m.fusedcg((1024, 1024, 128), slabs, True)['kernels'], 3 * d.passes.latency + 64 * plane * 152 / d.passes.bandwidth)
    check('a single reduction: kernels of MatMult, 192 bytes in three', Machine(sums=1).fusedcg((1024, 1024, 2), slabs)['kernels'], product + plane * 120 / d.passes.bandwidth + d.passes.latency + d.cycle.latency)


if __name__ == '__main__':
    check_fit()
    check_parts()
    check_levels()
    check_terms()
    check_beside()
