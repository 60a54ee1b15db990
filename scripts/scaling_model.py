"""The time of an iteration on several GPUs, from numbers that were measured on one and two, which stand in bench/results and src/shared/tuning.hxx, and from assumptions about a network, as docs/scaling.md describes it. Times in microseconds, rates in bytes a microsecond."""

import math
import re
from dataclasses import dataclass

from performance import RESULTS, ROOT, table
from scaling_cycle import Shape, cycle_work, exchanged_once, gathered, levels, planes

# Bytes of an entry of a border row: value, column and line, x with the numbers of its exchange, y read and written; in fusedcg also p of the ghost value read and written, and p of the row
BORDER = 48
UPDATE = 64  # of a row in fusedcg's update, or in update and sums where the preconditioner stands between them


@dataclass(frozen=True)
class Link:
    latency: float
    bandwidth: float

    def time(self, size):
        return self.latency + size / self.bandwidth if size else 0.0


@dataclass(frozen=True)
class Network:
    """ASSUMED: no network was at hand. 400 Gb/s for each GPU, of which four fifths are reached, from device memory to device memory without the host"""

    latency: float = 15.0  # of an exchange with neighbors on other hosts
    bandwidth: float = 0.8 * 50e3
    doubling: float = 10.0  # what a sum takes longer each time the hosts double: up and down one more step of a tree
    gpus: int = 8  # of a host


def fit(points):
    """(a, b) of count * a + bytes * b nearest to the times: the sum of the squares of the relative errors is least. points: (count, bytes, time)"""
    rows = [(c / t, n / t) for c, n, t in points]
    cc, cn, nn = (sum(r[i] * r[j] for r in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    c, n = (sum(r[i] for r in rows) for i in (0, 1))
    d = cc * nn - cn * cn
    return (c * nn - n * cn) / d, (n * cc - c * cn) / d


# What was measured between two GPUs


def cells(file):
    """The rows of all tables of bench/results/<file>.md: {heading: cell}"""
    head, found = None, []
    for line in (RESULTS / f'{file}.md').read_text().splitlines():
        row = [c.strip() for c in line.strip('|').split('|')] if line.startswith('|') else None
        if row and head and not set(''.join(row)) <= set('-: '):
            found.append(dict(zip(head, row)))
        head = head or row if row else None
    return found


def transfer(file, **where):
    """The fit of a way of bench/transfer, the row of bench/results/<file>.md, and its largest error in percent"""
    r = next(r for r in cells(file) if 'latency, us' in r and all(r[k] == v for k, v in where.items()))
    return Link(float(r['latency, us']), 1000 * float(r['bandwidth, GB/s'])), float(r['largest error, %'])


def pageable():
    """MPI from the host's pageable memory and copies to it and back, as PETSc's exchange has them without an MPI that knows device memory"""
    return transfer('transfer-2gpus', way='MPI through pageable memory', mode='asynchronous', direction='both at once')


def tuning(name):
    """A number of src/shared/tuning.hxx"""
    return float(re.search(rf'double {name} += ([-.0-9e]+);', (ROOT / 'src' / 'shared' / 'tuning.hxx').read_text())[1])


def exchange(way):
    """ipc, nccl or mpi between two GPUs of one host, as the library takes them when it chooses"""
    return Link(tuning(f'{way}_latency'), tuning(f'{way}_bandwidth'))


# What was measured on one GPU


def product_points():
    """The products of General Hepta matrices: values once, x and y once"""
    return [(1, 8 * r['nnz'] + 16 * r['rows'], 1000 * r['times']['bdia']) for r in table('spmv-h200', 'Products in double against cuSPARSE') if r['what'] == 'General Hepta']


def fusedcg_points():
    """Two kernels with sums; the bytes of their passes"""
    rows = table('krylov-h200', 'Iterations of ours over the floor of their passes')
    return [(2, 1e6 * r['MB'], r['us']) for r in rows if r['case'].startswith('Poisson') and r['preconditioner'] == 'jacobi' and r['ours'] == 'fusedcg on bdiacuda']


def product_bytes(axes):
    """Values of a row, with z, p and q"""
    return 8 * (2 * axes + 1) + 32


def around_time(grid, passes):
    """What fusedcg does around a preconditioner on one GPU: direction, product and sum; update; sums"""
    return math.prod(grid) * (product_bytes(len(grid)) + UPDATE) / passes.bandwidth + 3 * passes.latency


def grid_of(name):
    """Of a problem such as bubbles 128^3"""
    n, axes = re.search(r'(\d+)\^(\d)', name).groups()
    return (int(n),) * int(axes)


def measured_solves():
    """[(grid, iterations, milliseconds)] of `fusedcg` with the cycle: the table of bench/results/pressure-h200.md with no columns but these"""
    return [(grid_of(r['problem']), int(r['iterations']), float(r['solve'])) for r in cells('pressure-h200') if set(r) == {'problem', 'rows', 'setup', 'solve', 'iterations'}]


def measured_cycles():
    """[(grid, microseconds of an iteration)]; a solve has one product and one application more than iterations"""
    return [(grid, 1000 * ms / (iterations + 1)) for grid, iterations, ms in measured_solves()]


def cycle_points(passes):
    sums = [(grid, t - around_time(grid, passes), cycle_work(grid)) for grid, t in measured_cycles()]
    return [(sum(k for k, _ in work), sum(b for _, b in work), t) for _, t, work in sums]


@dataclass(frozen=True)
class Device:
    """Fitted to one GPU: products, kernels with sums and passes of fusedcg, kernels of the cycle"""

    product: Link
    passes: Link
    cycle: Link


def device():
    def fitted(points):
        latency, slope = fit(points)
        return Link(latency, 1 / slope)

    passes = fitted(fusedcg_points())
    return Device(fitted(product_points()), passes, fitted(cycle_points(passes)))


# Parts of a grid, one for each GPU


def parts(grid, gpus, slabs=False):
    """Parts along each axis, near to cubes, or slabs of the last axis; None where a slab would have less than a plane. gpus: a power of two"""
    split = [1] * len(grid)
    if slabs:
        split[-1] = gpus
        return tuple(split) if gpus <= grid[-1] else None
    while math.prod(split) < gpus:
        axis = max(range(len(grid)), key=lambda a: (grid[a] / split[a], -split[a], a))
        split[axis] *= 2
    return tuple(split)


def on_host(grid, split, gpus):
    """How many of the parts along each axis are on one host: as few faces as possible are between hosts"""
    host = [1] * len(grid)
    while math.prod(host) < min(gpus, math.prod(split)):
        axis = min((a for a in range(len(grid)) if host[a] < split[a]), key=lambda a: (host[a], grid[a] / split[a], a))
        host[axis] *= 2
    return tuple(host)


def faces(n, split, host):
    """Cells that the part with the most neighbors on other hosts sends within its host, and to others. n: the grid of the level"""
    within = between = 0.0
    for axis, (p, h) in enumerate(zip(split, host)):
        face = math.prod(c / s for a, (c, s) in enumerate(zip(n, split)) if a != axis)
        neighbors = min(p - 1, 2)
        far = 0 if p == h else neighbors if h == 1 else 1
        within += (neighbors - far) * face
        between += far * face
    return within, between


class Machine:
    """A model of an iteration; each method returns {term: microseconds}. sums: of an iteration of fusedcg; hidden: pipelined, a sum goes on beside product and preconditioner"""

    def __init__(self, way='ipc', network=Network(), shape=Shape(), sums=2, hidden=False):
        self.network, self.shape, self.sums, self.hidden = network, shape, sums, hidden
        self.device, self.pair = device(), exchange(way)

    def doublings(self, gpus):
        """From one host to all"""
        return max(0.0, math.log2(gpus / self.network.gpus))

    def exchange(self, within, between):
        """With all neighbors at a time, and nothing meanwhile; over the network a kernel packs and another unpacks"""
        far = 2 * self.device.cycle.latency + self.network.latency + between / self.network.bandwidth if between else 0.0
        return max(self.pair.time(within), far)

    def sum(self, gpus):
        """Within a host an exchange of few numbers: its latency"""
        return self.pair.latency + self.network.doubling * self.doublings(gpus) if gpus > 1 else 0.0

    def gather(self, gpus, size):
        steps = self.doublings(gpus)
        return self.pair.time(size) + (self.network.doubling * steps + size / self.network.bandwidth if steps else 0.0)

    def ghosts(self, grid, split, product, latency, entry):
        """What ghost values add to a kernel that takes `product` meanwhile, and the kernel of the border rows with this latency and bytes of an entry. Over the network a kernel packs and another unpacks, in the stream of the product"""
        if math.prod(split) == 1:
            return 0.0
        within, between = faces(grid, split, on_host(grid, split, self.network.gpus))
        near = max(0.0, self.pair.time(8 * within) - product)
        far = 2 * self.device.cycle.latency + max(0.0, self.network.latency + 8 * between / self.network.bandwidth - product) if between else 0.0
        return max(near, far) + latency + entry * (within + between) / self.device.product.bandwidth

    def product(self, grid, split):
        d, rows = self.device, math.prod(grid) / math.prod(split)
        local = d.cycle.latency + rows * (8 * (2 * len(grid) + 1) + 16) / d.product.bandwidth
        return {'kernels': local, 'exchanges': self.ghosts(grid, split, local, d.cycle.latency, BORDER)}

    def fusedcg(self, grid, split, around=False):
        """With jacobi inside a pass; around: what is around another preconditioner, whose result has sums of its own"""
        gpus, rows, d = math.prod(split), math.prod(grid) / math.prod(split), self.device
        sums = self.sums * self.sum(gpus)
        if gpus == 1 or self.sums == 2:  # direction, product and sum, the border rows after them; update
            inside = d.passes.latency + rows * product_bytes(len(grid)) / d.passes.bandwidth
            kernels = inside + rows * UPDATE / d.passes.bandwidth + (1 + around) * d.passes.latency
            return {'kernels': kernels, 'exchanges': self.ghosts(grid, split, inside, d.passes.latency, BORDER + 24), 'sums': sums}
        # MatMult and passes: with a single reduction step and sums; pipelined eight recurrences, and m = d w
        product, vectors = self.product(grid, split), 144 + (0 if around else 24) if self.hidden else 24 + 16 + UPDATE if around else 96 + 24
        kernels = product['kernels'] + rows * vectors / d.passes.bandwidth + self.sums * d.passes.latency + (1 + around) * d.cycle.latency
        return {'kernels': kernels, 'exchanges': product['exchanges'], 'sums': max(0.0, sums - product['kernels']) if self.hidden else sums}

    def boxes(self, grid, split, whole):
        """The exchanges of the levels before the one that is gathered, and what is computed on the neighbors' planes: smooth_first on all but one, correct on one less and smooth_last on one less than that"""
        host, time, nested = on_host(grid, split, self.network.gpus), 0.0, levels(grid, self.shape)[:whole]
        once = exchanged_once(nested, split, self.shape)
        for level, n in enumerate(nested):
            face = faces(n, split, host)
            if not once:
                time += (4 if level + 1 < whole else 3) * self.exchange(*(4 * f for f in face))
                continue
            deep = planes(level, self.shape)
            again = sum(face) * ((deep - 1) * (12 + 4 * len(grid)) + (deep - 2) * (24 + 4 * len(grid)) + (deep - 3) * (16 + 4 * len(grid)))
            time += self.exchange(*(4 * deep * f for f in face)) + again / self.device.cycle.bandwidth
        return time

    def cycle(self, grid, split):
        """fusedcg with the cycle; None where it is not taken. The levels that are gathered are the same work on every GPU"""
        gpus, d = math.prod(split), self.device
        if gpus == 1:
            return {'kernels': around_time(grid, d.passes) + sum(k * d.cycle.latency + b / d.cycle.bandwidth for k, b in cycle_work(grid)), 'exchanges': 0.0, 'gathered': 0.0, 'sums': 0.0}
        whole = gathered(grid, split, self.shape)
        if whole is None:
            return None
        work, nested = cycle_work(grid, split, self.shape), levels(grid, self.shape)
        terms = self.fusedcg(grid, split, True)
        time = [k * d.cycle.latency + b / d.cycle.bandwidth for k, b in work]
        terms['kernels'] += sum(time[:whole])
        terms['exchanges'] += self.boxes(grid, split, whole)
        terms['gathered'] = sum(time[whole:]) + self.gather(gpus, 4 * math.prod(nested[whole]))
        if self.hidden:
            terms['sums'] = 0.0
        return terms
