/*
   The cells of a plane (a line in two dimensions) of a thread of march(), and planes on their way from the arrays to a warp. Each
   thread copies the numbers of its own cells into shared memory, past the registers, while earlier steps go on.
*/
#pragma once

#include <cuda_pipeline.h>

#include "gridmg_row.hxx"
#include "gridmg_tiles.cuh"

namespace hepta::gridmg
{

using Uindex = std::make_unsigned_t<Index>;

/* A tile, of which this thread has the cells at i and i + 1, and in three dimensions the line j */
template <int D> struct Tile {
  Index first[3];         /* the cell of L at the tile's first cell, around the own cells */
  Index begin[3], end[3]; /* the own cells of L */
  Index steps, planes;    /* to march, and to read */
  Index before, own;      /* planes before the own planes; own planes */
  Index t_below, t_above; /* planes of the slabs below and above whose t this tile stores too */
  Index i, j, m, stride;  /* m: the index of cell i of plane 0, stride: that of planes */
  bool  odd;              /* is cell i of plane 0 black? */
  bool  any, inside;      /* inside the grid along the other axes? */

  __device__ Index index(Index p) const { return m + p * stride; }
  __device__ bool  owns(Index x) const { return x >= begin[0] && x < end[0] && (D < 3 || (j >= begin[1] && j < end[1])); }
  __device__ bool  owns_plane(Index p) const { return Uindex(p - before) < Uindex(own); }
  /* is t of cell x of plane p, in one dimension of x, stored by this tile? */
  __device__ bool stores_t(Index x, Index p) const
  {
    if (D == 1) return x >= begin[0] - t_below && x < end[0] + t_above && owns_plane(p);
    return owns(x) && Uindex(p - before + t_below) < Uindex(t_below + own + t_above);
  }
};

template <int D, int S, class T, class U> __device__ Tile<D> this_tile(const Level<T, U> &L, const Tiles &t)
{
  const Index warp  = threadIdx.y,
              all   = t.count[0] * t.count[1]; /* below three dimensions, where warps have tiles one after the other */
  const Index k     = D < 3 ? Index(blockIdx.x * blockDim.y + warp) : 0;
  const Index at[3] = {D < 3 ? k % t.count[0] : Index(blockIdx.x), D < 3 ? k / t.count[0] : Index(blockIdx.y), Index(blockIdx.z)};
  Tile<D>     x;
  Index       more = 0; /* planes of the slab above beyond those with t */

  x.any = D == 3 || k < all;
  for (int a = 0; a < 3; a++) {
    const bool along = a + 1 == D;
    own_cells(t, a, at[a], along ? L.g.below : 0, L.g.n[a] - (along ? L.g.above : 0), &x.begin[a], &x.end[a]);
    x.first[a] = a < D && at[a] && x.begin[a] > 2 * S ? x.begin[a] - 2 * S : 0;
    if (!along) continue;
    x.t_below = at[a] ? 0 : min(L.g.below, planes_up(S));
    x.t_above = at[a] + 1 < t.count[a] ? 0 : min(L.g.above, planes_up(S));
    more      = at[a] + 1 < t.count[a] ? 0 : max(L.g.above - planes_up(S), Index(0));
  }
  x.first[0] &= ~Index(1); /* two cells are read at once */
  const Index left = D < 2 ? 1 : L.g.n[D - 1] - x.first[D - 1];
  x.before         = D < 2 ? 0 : x.begin[D - 1] - x.first[D - 1];
  x.own            = D < 2 ? 1 : x.end[D - 1] - x.begin[D - 1];
  x.steps          = x.before + x.own + 2 * S + (D < 2 ? 0 : more);
  x.planes         = x.steps < left ? x.steps : left;
  x.i              = x.first[0] + 2 * Index(threadIdx.x);
  x.j              = D < 3 ? 0 : x.first[1] + warp;
  x.m              = cell_index(L.g, x.i, D == 2 ? x.first[1] : x.j, D == 3 ? x.first[2] : 0);
  x.stride         = L.g.stride[D - 1];
  x.odd            = color(L.g, x.i, x.j, D < 2 ? 0 : x.first[D - 1]) == BLACK;
  x.inside         = x.i < L.g.n[0] && (D < 3 || x.j < L.g.n[1]);
  return x;
}

/* Two numbers, of the red and of the black cell, in registers; passed by value, since references would need memory */
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

/* The numbers of two adjacent cells; the first cell is red, with `swap` the second cell */
template <class U> __device__ __forceinline__ Two<U> two_at(const U *p, bool swap)
{
  if constexpr (std::is_same_v<U, Bf16>) return {__byte_perm(*reinterpret_cast<const unsigned *>(p), 0, swap ? 0x1032 : 0x3210)};
  else {
    const Pair<U> v = pair_at(p);
    return {swap ? v.v[1] : v.v[0], swap ? v.v[0] : v.v[1]};
  }
}

/* A thread's numbers of its two cells of a plane */
template <int D, class T, class U> struct Cells {
  Two<T> e, r, z;
  Two<U> far, next; /* couplings with another thread's neighbor along the first axis, and with the next plane */
  Two<U> up, low;   /* with the lines beside, in three dimensions */
  T      near;      /* the coupling of the two cells */
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

/* A plane on its way from the arrays to a warp, in shared memory; UP: for up_kernel, which sums up no boxes */
template <int D, bool UP, class T, class U> struct Arriving {
  static constexpr bool boxes = !UP;

  Pair<T> e[WARP], r[WARP];
  T       t[UP ? WARP : 1]; /* of the red cell */
  Pair<U> along[WARP], next[D > 1 ? WARP : 1], up[D > 2 ? WARP : 1], low[D > 2 ? WARP : 1];
  T       coarse[UP ? WARP : 1]; /* the next level's solution in the box of the red cell */
};

/*
   Planes on their way to a warp at a time: two in float, one in double, with twice the bytes. So many bytes cover the latency of
   the memory.
*/
template <class T> constexpr int DEEP = sizeof(T) == 4 ? 2 : 1;

/* to <- *from once it has arrived, or zero */
template <class U> __device__ __forceinline__ void ask(bool in, U *to, const void *from)
{
  __pipeline_memcpy_async(to, from, sizeof(U), in ? 0 : sizeof(U));
}

/* Asks for plane p, which is zero outside of the grid; swap: is the second cell red? first.ask() asks for the rest */
template <int D, bool UP, class T, class U, class B>
__device__ __forceinline__ void ask_plane(const Level<T, U> &L, const Tile<D> &t, Index p, bool swap, const B &first,
                                          Arriving<D, UP, T, U> *to)
{
  const int   lane = int(threadIdx.x);
  const bool  in   = t.inside && p < t.planes;
  const Index m    = in ? t.index(p) : 0;

  ask(in, to->e + lane, L.e + m);
  ask(in, to->r + lane, L.s + m);
  ask(in, to->along + lane, L.a[0] + m);
  if constexpr (D > 1) ask(in, to->next + lane, L.a[D - 1] + m);
  if constexpr (D > 2) {
    ask(in, to->up + lane, L.a[1] + m);
    ask(in, to->low + lane, L.a[1] + m - L.g.stride[1]);
  }
  first.ask(in, p, m, swap, to);
  __pipeline_commit();
}

/* The cells of the plane that has arrived; z <- first(the cells, the plane) */
template <int D, bool UP, class T, class U, class B>
__device__ __forceinline__ Cells<D, T, U> take_plane(const Arriving<D, UP, T, U> &from, bool swap, const B &first)
{
  const int      lane = int(threadIdx.x);
  Cells<D, T, U> c    = {};

  c.e = two_at(from.e[lane].v, swap);
  c.r = two_at(from.r[lane].v, swap);
  if constexpr (D > 1) c.next = two_at(from.next[lane].v, swap);
  if constexpr (D > 2) {
    c.up  = two_at(from.up[lane].v, swap);
    c.low = two_at(from.low[lane].v, swap);
  }
  c.z = first(c, from);
  take_couplings(from.along[lane], swap, &c);
  return c;
}

/* A warp's planes that are on their way, in the first part of the shared memory, and the rest of it */
template <class A, class T> __device__ A *this_warp(double *shared)
{
  return reinterpret_cast<A *>(shared) + threadIdx.y * DEEP<T>;
}

template <class A, class T> __device__ T *after_warps(double *shared)
{
  return reinterpret_cast<T *>(reinterpret_cast<A *>(shared) + blockDim.y * DEEP<T>);
}

} // namespace hepta::gridmg
