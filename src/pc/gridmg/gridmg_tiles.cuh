/*
   The tiles of a level for thread blocks: a tile has own cells, and around its own cells a margin that its neighbors compute too
*/
#pragma once

#include <algorithm>

#include "../../shared/overlap.cuh"
#include "../../shared/warp.cuh"
#include "gridmg_kernels.hxx"

namespace hepta::gridmg
{

constexpr int WARP = 32;
constexpr int WIDE = 2 * WARP; /* cells of a tile along the first axis */
constexpr int WAIT = 4;        /* the time of a step without lines, in lines */

/* Puts the part of a sum of the warp, of which this thread has `own`, into `parts`, in the order of warps and thread blocks */
__device__ __forceinline__ void put_part(Scalar own, Scalar *parts)
{
  const std::size_t block = blockIdx.x + gridDim.x * (blockIdx.y + std::size_t(gridDim.y) * blockIdx.z);
  const unsigned    warps = blockDim.x * blockDim.y / WARP, warp = (threadIdx.x + blockDim.x * threadIdx.y) / WARP;
  const Scalar      all = warp_sum(own);

  if (threadIdx.x % WARP == 0) parts[block * warps + warp] = all;
}

/* The tiles of a pass */
struct Tiles {
  Index own[3];   /* cells of a tile along each axis, in whole boxes; the last tile along an axis has the remaining cells too */
  Index lead[3];  /* further own cells of the first tile, which has no margin before */
  Index count[3]; /* tiles along each axis */
};

/* The own cells *begin ... *end - 1 of tile `at` along axis a, for a level with the cells first ... last - 1 */
HEPTA_HD void own_cells(const Tiles &t, int a, Index at, Index first, Index last, Index *begin, Index *end)
{
  *begin = first + (at ? t.lead[a] + at * t.own[a] : 0);
  *end   = at + 1 == t.count[a] ? last : first + t.lead[a] + (at + 1) * t.own[a];
}

/*
   The number of tiles along the last axis, at most `most`, that takes the device the fewest steps, for n planes and `others`
   tiles along the other axes; *steps <- the number of steps. The device has `slots` tiles at once; a tile has a step for each own
   plane, and `around` further steps.
*/
inline Index tiles_to_march(Index n, Index most, Index others, Index slots, Index around, Index *steps)
{
  Index best = 1;

  *steps = 0;
  for (Index count = 1; count <= most; count += 1 + count / 16) {
    const Index all = (others * count + slots - 1) / slots * ((n + count - 1) / count + around);
    if (*steps && all >= *steps) continue;
    best   = count;
    *steps = all;
  }
  return best;
}

/*
   Tiles of a level over D axes in boxes[] boxes of box[] cells; room: for the cells of a tile with its margin, 0 along the last
   axis for marching tiles. The device has `slots` tiles at once; *steps <- the steps of all tiles.
*/
inline Tiles make_tiles(int D, int sweeps, const Index room[3], const Grid &g, const Index boxes[3], const Index box[3],
                        Index slots = 1, Index *steps = nullptr)
{
  /* in one dimension the neighbors' planes are cells of the warp's line */
  const Index halo = D == 1 && g.slab ? planes_down(sweeps) : 2 * Index(sweeps);
  Tiles       t{};

  for (int a = 0; a < 3; a++) {
    const Index n = g.n[a] - (a + 1 == D ? g.below + g.above : 0), left = n - boxes[a] * box[a];
    const Index most = std::max<Index>(1, (room[a] - 2 * halo - left) / box[a]);
    const bool  slab = a + 1 == D && g.slab; /* a slab has cells before its first cell */
    const Index lead = slab ? 0 : halo / box[a], shared = std::max<Index>(1, boxes[a] - 2 * lead);
    Index       few = a >= D || (!slab && n <= room[a]) ? 1 : (shared + most - 1) / most;
    if (a && a + 1 == D && !room[a])
      few = tiles_to_march(n, shared, t.count[0] * (D < 3 ? 1 : t.count[1]), slots, 2 * halo, steps);
    const Index share = (shared + few - 1) / few; /* boxes of tiles of nearly the same size */
    t.own[a]          = share * box[a];
    t.count[a]        = (shared + share - 1) / share;
    t.lead[a]         = lead * box[a];
  }
  return t;
}

/*
   The place in a level's t of the red cell of the pair of cells that begins at m, cell i of a line: in the first half of the
   line, since the memory reads the surroundings of a number that is written alone. In one dimension a line is many planes.
*/
template <int D> HEPTA_HD Index t_index(Index m, Index i, bool swap)
{
  return D == 1 ? m + swap : m - i / 2;
}

/* Lines of a tile of one box in three dimensions: the box's cells, fewer remaining cells, and the margin */
inline Index least_lines(int sweeps, const Index box[3])
{
  return 4 * Index(sweeps) + 2 * box[1];
}

/*
   Tiles for march(); along the first axis a tile may begin one cell earlier. In one and two dimensions a multiprocessor works on
   gridmg_tiles tiles at once. In three dimensions a multiprocessor has room for most_lines lines. The lines of a tile minimize
   steps times (lines at work + WAIT), with at least two boxes and the margin.
*/
inline Tiles tiles_of_lines(int D, int sweeps, Index most_lines, const Grid &g, const Index boxes[3], const Index box[3])
{
  const Index least = least_lines(sweeps, box);
  Tiles       best{};
  Index       fastest = 0;

  for (Index lines = std::max(most_lines, least); !fastest || (D == 3 && lines >= least); lines -= 2) {
    const Index room[3]  = {WIDE - box[0] % 2, D < 3 ? 0 : lines, 0},
                together = D < 3 ? std::min(whole(tuning().gridmg_tiles), 64) : std::max<Index>(1, most_lines / lines);
    Index       steps    = 1;
    const Tiles t        = make_tiles(D, sweeps, room, g, boxes, box, processors() * together, &steps);
    const Index time     = steps * (together * lines + WAIT);
    if (fastest && time >= fastest) continue;
    best    = t;
    fastest = time;
  }
  return best;
}

/*
   Is the level, in boxes of box[] cells, too small to keep the device busy with march()? If so, *tiles <- tiles in float for all
   cells at once, in cubes of 2^D cells; a thread block has cubes[] cubes along the axes.
*/
bool cut_into_cubes(int D, int sweeps, const Grid &g, const Index box[3], Tiles *, Index cubes[3]);
template <class T, class U>
Status down_cubes_cuda(int D, int sweeps, const Tiles &, const Index cubes[3], const Level<T, U> &L, const Level<T, U> &C,
                       Scales *, Stream);
template <class T, class U>
Status up_cubes_cuda(int D, int sweeps, const Tiles &, const Index cubes[3], T weight, const Level<T, U> &L, const Level<T, U> &C,
                     const Scales *, Scalar *y, Scalar *parts, Stream);

} // namespace hepta::gridmg
