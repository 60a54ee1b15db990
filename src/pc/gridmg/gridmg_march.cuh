/*
   Red-black sweeps that march along the last axis. A thread has the two cells next to each other at (2 l, y) of a tile and goes
   through its planes (lines in two dimensions): in step k it reads plane k, while pass s is at plane k - s. So the arrays of a
   level are read once; values and couplings of the last planes are in registers. Neighbors are the thread's own other cell and
   planes, lanes of the warp, which has a line of 64 cells, and in three dimensions the warps of the lines beside, by way of
   shared memory. A pass needs of these what the pass before has made of the same plane one step ago, so that one barrier a step
   suffices, and in two dimensions none.

   A tile has 2 sweeps cells around its own ones, which its neighbors compute too: a pass is valid on one cell less a side than
   the pass before.
*/
#pragma once

#include "gridmg_row.hxx"

namespace hepta::gridmg
{

constexpr int WARP = 32;
constexpr int WIDE = 2 * WARP; /* cells of a tile along the first axis */

/* The tiles of a pass */
struct Tiles {
  Index own[3];   /* cells of a tile along each axis, in whole boxes; the last tile along an axis has the remaining cells too */
  Index count[3]; /* tiles along each axis */
};

/* A tile, of which this thread has the cells at i and i + 1, and in three dimensions the line j */
template <int D> struct Tile {
  Index first[3];         /* the cell of L at the first one, around the own cells */
  Index begin[3], end[3]; /* the own cells of L */
  Index planes;           /* to march through */
  Index i, j;
  int   parity; /* the color of cell i of plane 0 */
  bool  any;

  /* is the second one of a thread's two cells of plane p red? */
  __device__ bool swapped(Index p) const { return (parity + int(p)) & 1; }
  __device__ bool owns(Index x) const { return x >= begin[0] && x < end[0] && (D < 3 || (j >= begin[1] && j < end[1])); }
  __device__ bool owns_plane(Index p) const
  {
    return D < 2 ? p == 0 : first[D - 1] + p >= begin[D - 1] && first[D - 1] + p < end[D - 1];
  }
};

template <int D, int S, class T, class U> __device__ Tile<D> this_tile(const Level<T, U> &L, const Tiles &t)
{
  const Index warp = threadIdx.y, at[3] = {D == 1 ? Index(blockIdx.x * blockDim.y + warp) : Index(blockIdx.x),
                                           D == 2 ? Index(blockIdx.y * blockDim.y + warp) : Index(blockIdx.y), Index(blockIdx.z)};
  Tile<D> x;

  x.any = at[0] < t.count[0] && at[1] < t.count[1];
  for (int a = 0; a < 3; a++) {
    const Index below = a + 1 == D ? L.g.below : 0, above = a + 1 == D ? L.g.above : 0;
    x.begin[a] = below + at[a] * t.own[a];
    x.end[a]   = at[a] + 1 == t.count[a] ? L.g.n[a] - above : x.begin[a] + t.own[a];
    x.first[a] = a < D ? x.begin[a] - 2 * S : 0;
  }
  x.first[0] &= ~Index(1); /* two cells are read at once */
  x.planes = D < 2 ? 1 : x.end[D - 1] - x.first[D - 1] + 2 * S;
  x.i      = x.first[0] + 2 * Index(threadIdx.x);
  x.j      = D < 3 ? 0 : x.first[1] + warp;
  x.parity = color(L.g, x.i, x.j, D < 2 ? 0 : x.first[D - 1]);
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
    const cycle::Pair<U> v = cycle::pair_at(p);
    return {swap ? v.v[1] : v.v[0], swap ? v.v[0] : v.v[1]};
  }
}

/* What a thread knows of its two cells of a plane */
template <int D, class T, class U> struct Cells {
  Two<T> e, u, z;
  Two<U> far, next; /* couplings with the neighbor in the first axis that is another thread's, and with the next plane */
  Two<U> up, low;   /* with the lines beside, in three dimensions */
  T      near;      /* of the two with each other */
};

/* x of another lane */
template <class T> __device__ __forceinline__ T shuffled(T x, int lane)
{
  return __shfl_sync(~0u, x, lane);
}

/* c.near and c.far from the couplings along the first axis */
template <int D, class T, class U>
__device__ __forceinline__ void take_couplings(const cycle::Pair<U> &along, bool swap, Cells<D, T, U> *c)
{
  const int lane = int(threadIdx.x) - 1;

  c->near = T(along.v[0]);
  if constexpr (std::is_same_v<U, Bf16>) {
    unsigned bits;
    memcpy(&bits, &along, sizeof(bits));
    c->far.bits = __byte_perm(shuffled(bits, lane), bits, swap ? 0x3276 : 0x7632);
  } else {
    const U before = shuffled(along.v[1], lane), after = along.v[1];
    c->far = {swap ? after : before, swap ? before : after};
  }
}

/*
   The cells of plane p, all zero outside of the grid; z <- first(the cells, the index of the first one, where it is, and whether
   the second one is red)
*/
template <int D, class T, class U, class F>
__device__ __forceinline__ Cells<D, T, U> fetch(const Level<T, U> &L, const Tile<D> &t, Index p, const F &first)
{
  const Index    y = D == 2 ? t.first[1] + p : t.j, k = D == 3 ? t.first[2] + p : 0;
  const bool     swap  = t.swapped(p);
  Cells<D, T, U> c     = {};
  cycle::Pair<U> along = {};

  if (p < t.planes && t.i >= 0 && t.i < L.g.n[0] && y >= 0 && y < L.g.n[1] && k >= 0 && k < L.g.n[2]) {
    const Index m = cycle::cell_index(L.g, t.i, y, k);
    c.e           = two_at(L.e + m, swap);
    c.u           = two_at(L.s + m, swap);
    c.u           = {c.e.red * c.u.red, c.e.black * c.u.black};
    along         = cycle::pair_at(L.a[0] + m);
    if constexpr (D > 1) c.next = two_at(L.a[D - 1] + m, swap);
    if constexpr (D > 2) {
      c.up  = two_at(L.a[1] + m, swap);
      c.low = two_at(L.a[1] + m - L.g.stride[1], swap);
    }
    c.z = first(c, m, y, k, swap);
  }
  take_couplings(along, swap, &c);
  return c;
}

/*
   The lines of the planes in shared memory: of each plane the red cells of all threads and the black ones, with a line of zeros
   at each end
*/
template <class T> struct Lines {
  T  *z;
  int size; /* threads of a plane with both ends */

  __device__ __forceinline__ T *at(int slot, int of) const
  {
    return z + ((slot * 2 + of) * size + (int(threadIdx.y) + 1) * WARP + int(threadIdx.x));
  }
};

/* The sum of a_mq z_q over the neighbors of a plane's cell of a color, with the planes that were read after and before it */
template <int D, int COLOR, class T, class U>
__device__ __forceinline__ T neighbors(const Cells<D, T, U> &after, const Cells<D, T, U> &c, const Cells<D, T, U> &before,
                                       bool swap, const Lines<T> &lines, int slot)
{
  constexpr int OTHER = COLOR == RED ? BLACK : RED;
  const T beside = c.z.template of<OTHER>(), beyond = shuffled(beside, int(threadIdx.x) + ((COLOR == RED) == swap ? 1 : -1));
  T       sum = c.near * beside + T(c.far.template of<COLOR>()) * beyond;

  if constexpr (D > 1)
    sum += T(c.next.template of<COLOR>()) * after.z.template of<OTHER>() +
           T(before.next.template of<OTHER>()) * before.z.template of<OTHER>();
  if constexpr (D > 2) {
    const T *z = lines.at(slot, OTHER);
    sum += T(c.up.template of<COLOR>()) * z[WARP] + T(c.low.template of<COLOR>()) * z[-WARP];
  }
  return sum;
}

/*
   Marches through a tile. fetch() takes `first`; the passes s = 1 ... N, black ones first, set the cell of a plane p to
   update(s, p, cells, its z, its u, its e, the sum of neighbors());
   then end(p, cells, sum) gets each plane, with the sum of the red cell, and after() is called after the barrier of each step.
*/
template <int D, int N, class T, class U, class B, class F, class G, class H>
__device__ __forceinline__ void march(const Level<T, U> &L, const Tile<D> &t, const Lines<T> &lines, const B &first,
                                      const F &update, const G &end, const H &after)
{
  constexpr int  RING         = N + 2;
  Cells<D, T, U> plane[N + 3] = {}, ahead = fetch(L, t, 0, first);
  int            slot = 0;

#pragma unroll 2
  for (Index k = 0; k < t.planes + N + 1; k++) {
#pragma unroll
    for (int age = N + 2; age > 0; age--) plane[age] = plane[age - 1];
    plane[0] = ahead;
    if constexpr (D > 2) {
      *lines.at(slot, RED)   = plane[0].z.red;
      *lines.at(slot, BLACK) = plane[0].z.black;
    }
    ahead = fetch(L, t, k + 1, first);
#pragma unroll
    for (int s = 1; s <= N + 1; s++) { /* planes before the first one and after the last one are zero */
      const int at = slot < s ? slot - s + RING : slot - s;
      if (s <= N && s & 1) {
        const T sum      = neighbors<D, BLACK>(plane[s - 1], plane[s], plane[s + 1], t.swapped(k - s), lines, at);
        plane[s].z.black = update(s, k - s, plane[s], plane[s].z.black, plane[s].u.black, plane[s].e.black, sum);
        if constexpr (D > 2) *lines.at(at, BLACK) = plane[s].z.black;
      } else {
        const T sum = neighbors<D, RED>(plane[s - 1], plane[s], plane[s + 1], t.swapped(k - s), lines, at);
        if (s > N) end(k - s, plane[s], sum);
        else plane[s].z.red = update(s, k - s, plane[s], plane[s].z.red, plane[s].u.red, plane[s].e.red, sum);
        if constexpr (D > 2) {
          if (s <= N) *lines.at(at, RED) = plane[s].z.red;
        }
      }
    }
    slot = slot + 1 == RING ? 0 : slot + 1;
    if constexpr (D > 2) __syncthreads();
    else __syncwarp();
    after();
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
  __device__ void add(Index p, T r)
  {
    const bool swap = t.swapped(p);

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
    for (Index I = begin + Index(threadIdx.x); I < end && J < lines; I += WARP) {
      T all = 0;
      for (Index j = D < 3 ? 0 : box_begin(L, C, D, 1, J); j < (D < 3 ? 1 : box_begin(L, C, D, 1, J + 1)); j++) {
        for (Index i = box_begin(L, C, D, 0, I); i < box_begin(L, C, D, 0, I + 1); i++)
          all += line(D < 3 ? Index(threadIdx.y) : j - t.first[1])[i - t.first[0]];
      }
      C.s[D == 1 ? I : D == 2 ? cycle::cell_index(C.g, I, K, 0) : cycle::cell_index(C.g, I, J, K)] = all;
    }
    complete = false;
    K++;
    last = last_plane();
  }
};

} // namespace hepta::gridmg
