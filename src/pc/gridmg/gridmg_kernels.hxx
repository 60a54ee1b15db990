/*
   Launchers of red-black multigrid on the levels of gridmg_level.hxx. The cell (i, j, k) of a level is red if i + j
   + k is even, else black; cells of one color are coupled with those of the other alone. With the right-hand side r, e the
   inverse of the diagonal, u = e r, and the couplings a, all of which but roundings are negative, a sweep from zero is

     red: z <- u,   black: z <- u - e sum a z

   Further sweeps before the coarse correction compute increments, red: d <- -e sum a d, black: d <- -e sum a d, with d = z at
   first; the residual that is left is r = -sum a d in red cells and zero in black ones. None of these sums subtracts numbers
   that are nearly equal, so the residual over a box that is weakly coupled with the others is exact to the rounding of its own
   terms. After the correction, sweeps take the black cells first: z <- u - e sum a z. So the cycle is symmetric.
*/
#pragma once

#include "gridmg_level.hxx"

namespace hepta::gridmg
{

/* The number of warps whose parts of (r, z) up_cuda() puts into `parts`, for a level in float with couplings in U */
template <class U> std::size_t up_parts(int D, int sweeps, const Grid &);

/*
   C.s <- the box sums of the residual after `sweeps` sweeps from zero; L.t <- z of the red cells, if there are
   several sweeps. L is a slab with 2 sweeps planes of its neighbors, or a whole level. scales, with the first level:
   output <- largest / diagonal, largest <- 0.
*/
template <class T, class U> Status down_host(int D, int sweeps, const Level<T, U> &L, const Level<T, U> &C, Scales *scales);
template <class T, class U>
Status down_cuda(int D, int sweeps, const Level<T, U> &L, const Level<T, U> &C, Scales *scales, Stream stream);
/*
   L.z <- the solution after the correction, weight times C.z prolonged, and `sweeps` sweeps; of the first level y <- this with
   both scales. L as before. parts, without y: each warp's part of (r, z), see up_parts(); null: not
   wanted
*/
template <class T, class U>
Status up_host(int D, int sweeps, T weight, const Level<T, U> &L, const Level<T, U> &C, const Scales *scales, Scalar *y);
template <class T, class U>
Status up_cuda(int D, int sweeps, T weight, const Level<T, U> &L, const Level<T, U> &C, const Scales *scales, Scalar *y,
               Scalar *parts, Stream stream);

/*
   Successive levels that one launch solves in float, the last one with its inverse. It reads their matrices before the launches
   before it have ended: a set-up, which writes them, ends with a wait of the host, and a later MakeMatrix() of the first level writes
   the same numbers. The rest is set by fit_block().
*/
constexpr int most_in_block = 8;
template <class T, class U> struct Bottom {
  int           levels;
  Level<T, U>   level[most_in_block];
  const double *inverse;
  Scales       *scales;            /* with the first level of all, as down_cuda(); otherwise null */
  int           at[most_in_block]; /* where the numbers of each level begin that a thread block keeps */
  std::size_t   bytes;             /* of shared memory */
  int           blocks;            /* of the cluster */
};

/* Does a thread block hold these levels? */
template <class T, class U> bool fit_block(int D, Bottom<T, U> *);
/* the first level's z <- the cycle from this level on */
template <class T, class U> Status bottom_cuda(int D, int sweeps, T weight, const Bottom<T, U> &, Stream stream);

} // namespace hepta::gridmg
