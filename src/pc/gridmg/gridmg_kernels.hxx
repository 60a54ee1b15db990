/*
   Launchers of red-black multigrid on the levels of gridmg_level.hxx. The cell (i, j, k) of a level is red if i + j + k is even,
   else black; red cells are coupled with black cells only. With the right-hand side r, the inverse diagonal e, u = e r, and the
   couplings a, negative but for roundings, a sweep from zero is

     red: z <- u,   black: z <- u - e sum a z

   Further sweeps before the coarse correction compute increments, red: d <- -e sum a d, black: d <- -e sum a d, with d = z at
   first. The residual is then r = -sum a d in red cells and zero in black cells. No sum subtracts nearly equal numbers, so the
   residual over a box that is weakly coupled with other boxes is exact to the rounding of its own terms. Sweeps after the
   correction take the black cells first, z <- u - e sum a z, which makes the cycle symmetric.
*/
#pragma once

#include "gridmg_level.hxx"

namespace hepta::gridmg
{

/* The number of warps whose parts of (r, z) up_cuda() puts into `parts`, for a level in float with couplings in U */
template <class U> std::size_t up_parts(int D, int sweeps, const Grid &);

/*
   C.s <- the box sums of the residual after `sweeps` sweeps from zero; with several sweeps L.t <- z of the red cells. L is a
   whole level, or a slab with planes_down() planes of its neighbors, of which the nearest planes_up() planes get L.t too. For the
   first level: scales->output <- largest / diagonal, scales->largest <- 0.
*/
template <class T, class U> Status down_host(int D, int sweeps, const Level<T, U> &L, const Level<T, U> &C, Scales *scales);
template <class T, class U>
Status down_cuda(int D, int sweeps, const Level<T, U> &L, const Level<T, U> &C, Scales *scales, Stream stream);
/*
   L.z <- the solution after the correction, weight times C.z prolonged, and `sweeps` sweeps; of the first level y <- the solution
   with both scales. L: a whole level, or a slab with planes_up() planes of its neighbors. parts, without y: each warp's part of
   (r, z), see up_parts(); null: not wanted
*/
template <class T, class U>
Status up_host(int D, int sweeps, T weight, const Level<T, U> &L, const Level<T, U> &C, const Scales *scales, Scalar *y);
template <class T, class U>
Status up_cuda(int D, int sweeps, T weight, const Level<T, U> &L, const Level<T, U> &C, const Scales *scales, Scalar *y,
               Scalar *parts, Stream stream);

/*
   Successive levels that one launch solves in float, the last level by its inverse. The launch reads the matrices before earlier
   launches have ended: a set-up, which writes the matrices, ends with a wait of the host, and a later MakeMatrix() of the first
   level writes equal numbers. fit_block() sets at, bytes and blocks.
*/
constexpr int most_in_block = 8;
template <class T, class U> struct Bottom {
  int           levels;
  Level<T, U>   level[most_in_block];
  const double *inverse;
  Scales       *scales;            /* with the first level of the cycle, as in down_cuda(); otherwise null */
  int           at[most_in_block]; /* where each level's numbers begin in a thread block */
  std::size_t   bytes;             /* of shared memory */
  int           blocks;            /* of the cluster */
};

/* Does a thread block hold the levels of *b? */
template <class T, class U> bool fit_block(int D, Bottom<T, U> *);
/* the first level's z <- the cycle from this level on */
template <class T, class U> Status bottom_cuda(int D, int sweeps, T weight, const Bottom<T, U> &, Stream stream);

} // namespace hepta::gridmg
