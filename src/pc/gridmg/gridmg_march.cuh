/*
   Red-black sweeps that march along the last axis. A thread has the two cells next to each other at (2 l, y) of a tile and goes
   through its planes (lines in two dimensions): in step k it reads plane k + 1, while pass s is at plane k - s. So the arrays of
   a level are read once; values and couplings of the last planes are in registers. Neighbors are the thread's own other cell and
   planes, lanes of the warp, which has a line of 64 cells, and in three dimensions the warps of the lines beside, by way of
   shared memory. A pass needs of these what the pass before has made of the same plane one step ago, so that one barrier a step
   suffices, and in two dimensions none.

   A tile has 2 sweeps cells around its own ones, except beyond the grid, which its neighbors compute too: a pass is valid on one
   cell less a side than the pass before.
*/
#pragma once

#include "gridmg_row.hxx"
#include "gridmg_tiles.cuh"

namespace hepta::gridmg
{

using Uindex = std::make_unsigned_t<Index>;

/* A tile, of which this thread has the cells at i and i + 1, and in three dimensions the line j */
template <int D> struct Tile {
  Index first[3];         /* the cell of L at the first one, around the own cells */
  Index begin[3], end[3]; /* the own cells of L */
  Index steps, planes;    /* to march, and to read */
  Index before, own;      /* of these the planes before the own ones, and those */
  Index i, j, m, stride;  /* m: the index of cell i of plane 0, stride: that of planes */
  bool  odd;              /* is cell i of plane 0 black? */
  bool  any, inside;      /* inside the grid along the other axes? */

  __device__ Index index(Index p) const { return m + p * stride; }
  __device__ bool  owns(Index x) const { return x >= begin[0] && x < end[0] && (D < 3 || (j >= begin[1] && j < end[1])); }
  __device__ bool  owns_plane(Index p) const { return Uindex(p - before) < Uindex(own); }
};

template <int D, int S, class T, class U> __device__ Tile<D> this_tile(const Level<T, U> &L, const Tiles &t)
{
  const Index warp = threadIdx.y, at[3] = {D == 1 ? Index(blockIdx.x * blockDim.y + warp) : Index(blockIdx.x),
                                           D == 2 ? Index(blockIdx.y * blockDim.y + warp) : Index(blockIdx.y), Index(blockIdx.z)};
  Tile<D> x;

  x.any = at[0] < t.count[0] && at[1] < t.count[1];
  for (int a = 0; a < 3; a++) {
    const Index below = a + 1 == D ? L.g.below : 0, above = a + 1 == D ? L.g.above : 0;
    x.begin[a] = below + (at[a] ? t.lead[a] + at[a] * t.own[a] : 0);
    x.end[a]   = at[a] + 1 == t.count[a] ? L.g.n[a] - above : below + t.lead[a] + (at[a] + 1) * t.own[a];
    x.first[a] = a < D && x.begin[a] > 2 * S ? x.begin[a] - 2 * S : 0;
  }
  x.first[0] &= ~Index(1); /* two cells are read at once */
  const Index left = D < 2 ? 1 : L.g.n[D - 1] - x.first[D - 1];
  x.before         = D < 2 ? 0 : x.begin[D - 1] - x.first[D - 1];
  x.own            = D < 2 ? 1 : x.end[D - 1] - x.begin[D - 1];
  x.steps          = x.before + x.own + 2 * S;
  x.planes         = x.steps < left ? x.steps : left;
  x.i              = x.first[0] + 2 * Index(threadIdx.x);
  x.j              = D < 3 ? 0 : x.first[1] + warp;
  x.m              = cell_index(L.g, x.i, D == 2 ? x.first[1] : x.j, D == 3 ? x.first[2] : 0);
  x.stride         = L.g.stride[D - 1];
  x.odd            = color(L.g, x.i, x.j, D < 2 ? 0 : x.first[D - 1]) == BLACK;
  x.inside         = x.i < L.g.n[0] && (D < 3 || x.j < L.g.n[1]);
  return x;
}

/* Two numbers, of the red cell and of the black one, in registers; taken by value, since references would move them to memory */
template <class U> struct Two {
  U red, black;

  template <int COLOR> __device__ __forceinline__ U of() const { return COLOR == RED ? red : black; }
};

template <> struct Two<Bf16> {
  unsigned bits;

  template <int COLOR> __device__ __forceinline__ float of() const
  {
    return __uint_as_float(COLOR == RED ? bits << 16 : bits & 0xffff0000u);
  }
};

/* Those of two cells next to each other, of which the first one is red, or with `swap` the second */
template <class U> __device__ __forceinline__ Two<U> two_at(const U *p, bool swap)
{
  if constexpr (std::is_same_v<U, Bf16>) return {__byte_perm(*reinterpret_cast<const unsigned *>(p), 0, swap ? 0x1032 : 0x3210)};
  else {
    const Pair<U> v = pair_at(p);
    return {swap ? v.v[1] : v.v[0], swap ? v.v[0] : v.v[1]};
  }
}

/* What a thread knows of its two cells of a plane */
template <int D, class T, class U> struct Cells {
  Two<T> e, r, z;
  Two<U> far, next; /* couplings with the neighbor in the first axis that is another thread's, and with the next plane */
  Two<U> up, low;   /* with the lines beside, in three dimensions */
  T      near;      /* of the two with each other */
};

/* x of another lane */
template <class T> __device__ __forceinline__ T shuffled(T x, int lane)
{
  return __shfl_sync(~0u, x, lane);
}

/* c.near and c.far from the couplings along the first axis; the first cell of a tile has none with the cell before */
template <int D, class T, class U>
__device__ __forceinline__ void take_couplings(const Pair<U> &along, bool swap, Cells<D, T, U> *c)
{
  const int lane = int(threadIdx.x) - 1;

  c->near = T(along.v[0]);
  if constexpr (std::is_same_v<U, Bf16>) {
    unsigned bits;
    memcpy(&bits, &along, sizeof(bits));
    const unsigned before = shuffled(bits, lane);
    c->far.bits           = __byte_perm(lane < 0 ? 0 : before, bits, swap ? 0x3276 : 0x7632);
  } else {
    const U other = shuffled(along.v[1], lane), before = lane < 0 ? U(0) : other, after = along.v[1];
    c->far = {swap ? after : before, swap ? before : after};
  }
}

/*
   The cells of plane p, all zero outside of the grid; swap: is the second one red? z <- first(the cells, the plane, their index,
   swap)
*/
template <int D, class T, class U, class F>
__device__ __forceinline__ Cells<D, T, U> fetch(const Level<T, U> &L, const Tile<D> &t, Index p, bool swap, const F &first)
{
  Cells<D, T, U> c     = {};
  Pair<U>        along = {};

  if (t.inside && p < t.planes) {
    const Index m = t.index(p);
    c.e           = two_at(L.e + m, swap);
    c.r           = two_at(L.s + m, swap);
    along         = pair_at(L.a[0] + m);
    if constexpr (D > 1) c.next = two_at(L.a[D - 1] + m, swap);
    if constexpr (D > 2) {
      c.up  = two_at(L.a[1] + m, swap);
      c.low = two_at(L.a[1] + m - L.g.stride[1], swap);
    }
    c.z = first(c, p, m, swap);
  }
  take_couplings(along, swap, &c);
  return c;
}

/* The values of a plane of a color in shared memory: a line for each warp, with a line of zeros at both ends */
template <int S, int LINES> struct Lines {
  static constexpr int PERIOD = 2 * S + 2, SIZE = (LINES + 2) * WARP, ALL = 2 * PERIOD * SIZE;

  static __device__ __forceinline__ int at(int slot, int of)
  {
    return (slot * 2 + of) * SIZE + (int(threadIdx.y) + 1) * WARP + int(threadIdx.x);
  }
};

/* The sum of a_mq z_q over the neighbors of a plane's cell of a color, with the planes that were read after and before it */
template <int D, int COLOR, class T, class U>
__device__ __forceinline__ T neighbors(const Cells<D, T, U> &after, const Cells<D, T, U> &c, const Cells<D, T, U> &before,
                                       bool swap, const T *line)
{
  constexpr int OTHER = COLOR == RED ? BLACK : RED;
  const T beside = c.z.template of<OTHER>(), beyond = shuffled(beside, int(threadIdx.x) + ((COLOR == RED) == swap ? 1 : -1));
  T       sum = c.near * beside + T(c.far.template of<COLOR>()) * beyond;

  if constexpr (D > 1) sum += T(before.next.template of<OTHER>()) * before.z.template of<OTHER>();
  if constexpr (D > 2) {
    sum += T(c.up.template of<COLOR>()) * line[WARP];
    sum += T(c.low.template of<COLOR>()) * line[-WARP];
  }
  if constexpr (D > 1) sum += T(c.next.template of<COLOR>()) * after.z.template of<OTHER>(); /* the last one to be known */
  return sum;
}

/*
   Marches through a tile. fetch() takes `first`; the passes s = 1 ... 2 S, black ones first, set the cell of a plane p to
   update(s, p, swap, its z, its r, its e, the sum of neighbors()); then end(p, swap, cells) gets each plane, and after() is
   called after the barrier of each step. A plane stays in its registers and in its lines for `period` steps, all of which the
   compiler has before it: nothing is moved, and places in shared memory are constants.
*/
template <int D, int S, int LINES, class T, class U, class B, class F, class G, class H>
__device__ __forceinline__ void march(const Level<T, U> &L, const Tile<D> &t, T *shared, const B &first, const F &update,
                                      const G &end, const H &after)
{
  using Line                   = Lines<S, LINES>;
  constexpr int  period        = Line::PERIOD;
  Cells<D, T, U> plane[period] = {}, ahead = fetch(L, t, 0, t.odd, first);

#pragma unroll 1
  for (Index k = 0;; k += period) {
#pragma unroll
    for (int q = 0; q < period; q++) {
      if (k + q == t.steps) return;
      plane[q] = ahead;
      if constexpr (D > 2) shared[Line::at(q, RED)] = plane[q].z.red;
      ahead = fetch(L, t, k + q + 1, t.odd == bool(q & 1), first);
#pragma unroll
      for (int s = 1; s <= 2 * S; s++) { /* planes before the first one and after the last one are zero */
        const int   at = (q - s + period) % period, newer = (at + 1) % period, older = (at + period - 1) % period;
        const Index p    = k + q - s;
        const bool  swap = t.odd != bool(at & 1);
        if (s & 1) {
          const T sum       = neighbors<D, BLACK>(plane[newer], plane[at], plane[older], swap, shared + Line::at(at, RED));
          plane[at].z.black = update(s, p, swap, plane[at].z.black, plane[at].r.black, plane[at].e.black, sum);
          if constexpr (D > 2) shared[Line::at(at, BLACK)] = plane[at].z.black;
        } else {
          const T sum     = neighbors<D, RED>(plane[newer], plane[at], plane[older], swap, shared + Line::at(at, BLACK));
          plane[at].z.red = update(s, p, swap, plane[at].z.red, plane[at].r.red, plane[at].e.red, sum);
          if (s == 2 * S) end(p, swap, plane[at]);
          else if constexpr (D > 2) shared[Line::at(at, RED)] = plane[at].z.red;
        }
      }
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
  T                 *shared;  /* two buffers of the lines of a block */
  Index begin, end, J, lines; /* boxes along the first axis; the boxes of this thread along the second one, and the end of them */
  Index K, last;              /* the boxes along the last axis that are being summed, and their last plane */
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
