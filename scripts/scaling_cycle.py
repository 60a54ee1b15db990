"""The levels of the cycle over nested boxes of an earlier PC subdeflation, whose place gridmg has taken: what one rank has of them, and what it does on them"""

import math
from dataclasses import dataclass

GATHERED, LAST = 1 << 20, 256  # cells of the largest level that is gathered for want of planes, and of the last level


@dataclass(frozen=True)
class Shape:
    """Of the cycle: -pc_gridmg_gather and -pc_gridmg_size"""

    gather: int = 131072  # as it is on GPUs
    once: bool = True  # a level is exchanged once, and each rank computes on planes of its neighbors too; otherwise before each pass
    sides: tuple = (2,)  # of the boxes of each level, the last for all that follow

    def side(self, level):
        return self.sides[min(level, len(self.sides) - 1)]


def levels(grid, shape=Shape()):
    """The grids of the levels of one rank"""
    found = [tuple(grid)]
    while math.prod(found[-1]) > LAST:
        found.append(tuple(max(n // shape.side(len(found) - 1), 1) for n in found[-1]))
    return found


def gathered(grid, split, shape=Shape()):
    """The first level that every rank has the whole of: few cells, or parts of less than a box; None where that level is too large, and the cycle is not taken"""
    for level, n in enumerate(levels(grid, shape)):
        few = math.prod(n) <= max(shape.gather, LAST)
        if few or any(p > 1 and c < shape.side(level) * p for c, p in zip(n, split)):
            return level if few or math.prod(n) <= GATHERED else None


def cycle_work(grid, split=None, shape=Shape()):
    """[(kernels, bytes)] for each level on one rank, in float under double vectors: each array that a kernel reads or writes counts once"""
    axes, all_levels = len(grid), levels(grid, shape)
    several = split is not None
    whole = gathered(grid, split, shape) if several else 0
    work = []
    for level, n in enumerate(all_levels):
        cells = math.prod(n) / (math.prod(split) if several and level < whole else 1)
        couplings = 4 * axes
        if level + 1 == len(all_levels):
            work.append((1, 8 * cells**2 + 12 * cells))
        elif level:  # smooth_first, restrict_residual, correct, smooth_last
            work.append((4, cells * (68 + 4 * couplings + 12 / shape.side(level) ** axes)))
        else:  # guess_scale, smooth_input, restrict_residual, correct, finish; on several ranks scale_input as well, of planes alone if a level is exchanged once, and then smooth_first of planes
            kernels = (7 if shape.once else 6) if several else 5
            work.append((kernels, cells * (80 + 4 * couplings + 12 / shape.side(level) ** axes + (8 if several and not shape.once else 0))))
    return work


def planes(level, shape):
    """Of each neighbor, that the exchange of a level brings: three more than those on which its solution must be known for the level before"""
    beyond = 0
    for l in range(level):
        beyond = -(-(beyond + 2) // shape.side(l))
    return beyond + 3


def exchanged_once(nested, split, shape):
    """Has each rank as many planes of these levels as an exchange brings, and as its neighbors need to know their boxes? For cubes as for slabs"""
    enough = [max(planes(level, shape), planes(level, shape) - 2 + shape.side(level)) for level in range(len(nested))]
    return shape.once and all(c // p >= least for least, n in zip(enough, nested) for c, p in zip(n, split) if p > 1)
