/*
   Red-black sweeps that march along the last axis. A thread has the two adjacent cells at (2 l, y) of a tile, and goes through
   the tile's planes (lines in two dimensions): step k takes plane k, while pass s is at plane k - s. The arrays of a level are
   read once; values and couplings of the last planes are in registers. Neighbor values come from the thread's own other cell and
   planes, from lanes of the warp, which has a line of 64 cells, and in three dimensions from the warps of the adjacent lines, by
   shared memory. A pass needs adjacent lines' values of the pass before in the same plane, made one step ago: one barrier a step,
   none in two dimensions.

   A tile has 2 sweeps cells around its own cells, except beyond the grid, and on the way down at the ends of a slab planes_down()
   planes of the neighbors, of which it makes t in the nearest planes_up(). Neighboring tiles compute these cells too: a pass is
   valid on one cell less at each side than the pass before.
*/
#pragma once

#include "gridmg_planes.cuh"

namespace hepta::gridmg
{

/*
   The values of the last planes, by color, in shared memory: a line of each plane for each warp, with lines of zeros at both ends
*/
template <int S> struct Lines {
  static constexpr int PERIOD = 2 * S + 2, SIZE = 2 * PERIOD * WARP; /* planes, and numbers of a warp */

  static __device__ __forceinline__ int at(int slot, int of)
  {
    return (int(threadIdx.y) + 1) * SIZE + (slot * 2 + of) * WARP + int(threadIdx.x);
  }
};

/* The sum of a_mq z_q over the neighbors of a plane's cell of a color, with the planes that were read after and before it */
template <int D, int S, int COLOR, class T, class U>
__device__ __forceinline__ T neighbors(const Cells<D, T, U> &after, const Cells<D, T, U> &c, const Cells<D, T, U> &before,
                                       bool swap, const T *line)
{
  constexpr int OTHER = COLOR == RED ? BLACK : RED;
  const T beside = c.z.template of<OTHER>(), beyond = shuffled(beside, int(threadIdx.x) + ((COLOR == RED) == swap ? 1 : -1));
  T       sum = c.near * beside + T(c.far.template of<COLOR>()) * beyond;

  if constexpr (D > 1) sum += T(before.next.template of<OTHER>()) * before.z.template of<OTHER>();
  if constexpr (D > 2) {
    sum += T(c.up.template of<COLOR>()) * line[Lines<S>::SIZE];
    sum += T(c.low.template of<COLOR>()) * line[-Lines<S>::SIZE];
  }
  if constexpr (D > 1) sum += T(c.next.template of<COLOR>()) * after.z.template of<OTHER>(); /* last, since known last */
  return sum;
}

/* What update() makes of the cell of a color of plane p, c, in pass s, with the planes that were read after and before it */
template <int D, int S, int COLOR, class T, class U, class F>
__device__ __forceinline__ T updated(const Cells<D, T, U> &after, const Cells<D, T, U> &c, const Cells<D, T, U> &before, int s,
                                     Index p, bool swap, const T *line, const F &update)
{
  const T sum = neighbors<D, S, COLOR>(after, c, before, swap, line);

  return update(s, p, swap, c.z.template of<COLOR>(), c.r.template of<COLOR>(), c.e.template of<COLOR>(), sum);
}

/* The passes of step k + q of march(), q of a period; planes before the first one and after the last one are zero */
template <int D, int S, int N, class T, class U, class F, class G>
__device__ __forceinline__ void passes(Cells<D, T, U> (&plane)[N], Index k, int q, bool odd, T *shared, const F &update,
                                       const G &end)
{
  using Line = Lines<S>;

#pragma unroll
  for (int s = 1; s <= 2 * S; s++) {
    const int   at = (q - s + N) % N, newer = (at + 1) % N, older = (at + N - 1) % N;
    const Index p    = k + q - s;
    const bool  swap = odd != bool(at & 1);
    if (s & 1) {
      const T *line     = shared + Line::at(at, RED);
      plane[at].z.black = updated<D, S, BLACK>(plane[newer], plane[at], plane[older], s, p, swap, line, update);
      if constexpr (D > 2) shared[Line::at(at, BLACK)] = plane[at].z.black;
    } else {
      const T *line   = shared + Line::at(at, BLACK);
      plane[at].z.red = updated<D, S, RED>(plane[newer], plane[at], plane[older], s, p, swap, line, update);
      if (s == 2 * S) end(p, swap, plane[at]);
      else if constexpr (D > 2) shared[Line::at(at, RED)] = plane[at].z.red;
    }
  }
}

/*
   Marches through a tile, with planes from `arriving`. The passes s = 1 ... 2 S, black ones first, set the cell of a plane
   p to update(s, p, swap, its z, its r, its e, the sum of neighbors()); then end(p, swap, cells) gets each plane, and after() is
   called after the barrier of each step. A plane stays in its registers and in its lines for `period` steps, all of which the
   compiler has before it: nothing is moved, and places in shared memory are constants.
*/
template <int D, int S, bool UP, class T, class U, class B, class F, class G, class H>
__device__ __forceinline__ void march(const Level<T, U> &L, const Tile<D> &t, T *shared, Arriving<D, UP, T, U> *arriving,
                                      const B &first, const F &update, const G &end, const H &after)
{
  using Line            = Lines<S>;
  constexpr int  period = Line::PERIOD, deep = DEEP<T>;
  constexpr bool late          = D > 2 && deep > 1; /* just before the barrier warps have time */
  Cells<D, T, U> plane[period] = {};
  const auto     ask           = [&](Index p, int q) { ask_plane(L, t, p, t.odd != bool(q & 1), first, arriving + q % deep); };

  for (int q = 0; q < deep; q++) ask(q, q);
#pragma unroll 1
  for (Index k = 0;; k += period) {
#pragma unroll
    for (int q = 0; q < period; q++) {
      if (k + q == t.steps) {
        __pipeline_wait_prior(0); /* no copy may arrive after the thread block has ended */
        return;
      }
      __pipeline_wait_prior(deep - 1);
      plane[q] = take_plane(arriving[q % deep], t.odd != bool(q & 1), first);
      if constexpr (!late) ask(k + q + deep, q + deep);
      if constexpr (D > 2) shared[Line::at(q, RED)] = plane[q].z.red;
      passes<D, S>(plane, k, q, t.odd, shared, update, end);
      if constexpr (late) ask(k + q + deep, q + deep);
      if constexpr (D > 2) __syncthreads();
      else __syncwarp();
      after();
    }
  }
}

/*
   The box sums of a tile: values of its cells, summed along the last axis, are put into shared memory, from which C.s takes the
   sums over boxes
*/
template <int D, class T, class U> struct BoxSums {
  const Level<T, U> &L, &C;
  const Tile<D>     &t;
  T                 *shared; /* two buffers of the lines of a block */
  /* boxes along the first axis; this thread's box J along the second axis, and the end of the boxes */
  Index begin, end, J, lines;
  Index K, last;               /* the present boxes along the last axis; the boxes' last plane */
  T     first = 0, second = 0; /* sums of the thread's two cells */
  bool  complete = false;
  int   buffer   = 0;

  __device__ BoxSums(const Level<T, U> &L, const Level<T, U> &C, const Tile<D> &t, T *shared) : L(L), C(C), t(t), shared(shared)
  {
    const Index below = D == 1 ? L.g.below : 0, above = D == 1 ? L.g.above : 0;

    begin = (t.begin[0] - below) / L.g.box[0];
    end   = t.end[0] == L.g.n[0] - above ? C.g.n[0] : (t.end[0] - below) / L.g.box[0];
    J     = D < 3 ? 0 : t.begin[1] / L.g.box[1] + Index(threadIdx.y);
    lines = D < 3 ? 1 : t.end[1] == L.g.n[1] ? C.g.n[1] : t.end[1] / L.g.box[1];
    K     = D < 2 ? 0 : (t.begin[D - 1] - L.g.below) / L.g.box[D - 1];
    last  = last_plane();
  }
  __device__ Index last_plane() const { return D < 2 ? 0 : box_begin(L, C, D, D - 1, K + 1) - t.first[D - 1] - 1; }
  __device__ T    *line(Index y) const { return shared + (std::size_t(buffer) * blockDim.y + y) * WIDE; }
  /* adds r in the red cell of plane p */
  __device__ void add(Index p, bool swap, T r)
  {
    first += swap ? T(0) : r;
    second += swap ? r : T(0);
    if (p != last) return;
    complete                               = true;
    buffer                                 = !buffer;
    line(threadIdx.y)[2 * threadIdx.x]     = first;
    line(threadIdx.y)[2 * threadIdx.x + 1] = second;
    first = second = 0;
  }
  /* after the barrier */
  __device__ void take()
  {
    if (!complete) return;
#pragma unroll 1 /* the code is there many times */
    for (Index I = begin + Index(threadIdx.x); I < end && J < lines; I += WARP) {
      T all = 0;
#pragma unroll 1
      for (Index j = D < 3 ? 0 : box_begin(L, C, D, 1, J); j < (D < 3 ? 1 : box_begin(L, C, D, 1, J + 1)); j++) {
#pragma unroll 1
        for (Index i = box_begin(L, C, D, 0, I); i < box_begin(L, C, D, 0, I + 1); i++)
          all += line(D < 3 ? Index(threadIdx.y) : j - t.first[1])[i - t.first[0]];
      }
      C.s[D == 1 ? I : D == 2 ? cell_index(C.g, I, K, 0) : cell_index(C.g, I, J, K)] = all;
    }
    complete = false;
    K++;
    last = last_plane();
  }
};

} // namespace hepta::gridmg
