/*
   Red-black sweeps over the cells of a thread block, for levels too small to keep the device busy. A thread has a cube of 2^D
   cells, the first cell red, with couplings, in registers. Threads of adjacent cubes share values in shared memory, with one
   array for cell q of all cubes. A pass over the cells of a color takes a barrier, and less time than a step of march().
*/
#pragma once

#include "gridmg_row.hxx"

namespace hepta::gridmg
{

/*
   The most cubes of a thread block along each axis, and the cubes' arrays in shared memory, with a zero element after each line
   and plane. Constants make the places of a cube's neighbors constants.
*/
template <int D> struct Cubes {
  static constexpr int N   = D == 1 ? 1024 : D == 2 ? 32 : 8;
  static constexpr int ALL = D == 3 ? N * N * N : 1024; /* in all */

  /* of axis a in an array */
  static HEPTA_HD constexpr int stride(int a) { return a == 0 ? 1 : a == 1 ? N + 1 : (N + 1) * (N + 1); }
  static constexpr int          BEFORE =
    stride(0) + (D > 1 ? stride(1) : 0) + (D > 2 ? stride(2) : 0); /* elements before the first cube */
  static constexpr int SIZE   = BEFORE + N * stride(D - 1) + 1;    /* of an array */
  static constexpr int SHARED = SIZE << D;                         /* of all arrays */

  /* The place of a cube in an array */
  static HEPTA_HD constexpr int at(int x, int y, int z)
  {
    return BEFORE + x + (D > 1 ? y * stride(1) : 0) + (D > 2 ? z * stride(2) : 0);
  }
};

/* The color of cell q of a cube, and the number of cell q on a face along axis a */
HEPTA_HD constexpr int cube_color(int q)
{
  return (q ^ q >> 1 ^ q >> 2) & 1;
}

HEPTA_HD constexpr int on_face(int q, int a)
{
  return (q & ((1 << a) - 1)) | q >> (a + 1) << a;
}

/* Calls f(q) for the cells q of a color */
template <int D, int COLOR, class F> __device__ __forceinline__ void of_color(const F &f)
{
  HEPTA_DEVICE_UNROLL
  for (int q = 0; q < 1 << D; q++) {
    if (cube_color(q) == COLOR) f(q);
  }
}

/* The place of a cell among the arrays of the cubes; x: from the first cell of them all on */
template <int D> HEPTA_HD int cube_place(const Index x[3])
{
  const int u = int(x[0]), v = D < 2 ? 0 : int(x[1]), w = D < 3 ? 0 : int(x[2]);

  return ((u & 1) + 2 * (v & 1) + 4 * (w & 1)) * Cubes<D>::SIZE + Cubes<D>::at(u >> 1, v >> 1, w >> 1);
}

/* Nothing is shared yet */
template <int D, class T> __device__ __forceinline__ void clear_arrays(T *shared)
{
  for (int k = int(threadIdx.x); k < Cubes<D>::SHARED; k += int(blockDim.x)) shared[k] = 0;
  __syncthreads();
}

/* Is each box of a level a cube? */
template <int D> HEPTA_HD bool boxes_are_cubes(const Grid &g)
{
  bool all = true;

  HEPTA_DEVICE_UNROLL
  for (int a = 0; a < D; a++) all = all && g.box[a] == 2 && g.n[a] % 2 == 0;
  return all;
}

/*
   put(box, the sum of the residual in it), from the residual that cubes share, for the boxes from begin[] to end[]; first: the
   first cell of the cubes
*/
template <int D, class T, class U, class F>
__device__ void sum_boxes(const T *arrays, const Index first[3], const Level<T, U> &L, const Level<T, U> &C, const Index begin[3],
                          const Index end[3], const F &put)
{
  const int n[2]  = {int(end[0] - begin[0]), D < 2 ? 1 : int(end[1] - begin[1])},
            boxes = n[0] * n[1] * (D < 3 ? 1 : int(end[2] - begin[2]));

  for (int b = int(threadIdx.x); b < boxes; b += int(blockDim.x)) {
    const Index I[3] = {begin[0] + b % n[0], begin[1] + b / n[0] % n[1], begin[2] + b / n[0] / n[1]};
    const Index x[3] = {box_begin(L, C, D, 0, I[0]), box_begin(L, C, D, 1, I[1]), box_begin(L, C, D, 2, I[2])};
    const Index y[3] = {box_begin(L, C, D, 0, I[0] + 1), box_begin(L, C, D, 1, I[1] + 1), box_begin(L, C, D, 2, I[2] + 1)};
    T           sum  = 0;
    for (Index k = x[2]; k < y[2]; k++) {
      for (Index j = x[1]; j < y[1]; j++) {
        for (Index i = x[0] + ((x[0] + j + k) & 1); i < y[0]; i += 2) {
          const Index at[3] = {i - first[0], j - first[1], k - first[2]};
          sum += arrays[cube_place<D>(at)];
        }
      }
    }
    put(I, sum);
  }
}

template <int D, class T> struct Cube {
  static constexpr int CELLS = 1 << D, FACE = CELLS / 2;

  T     e[CELLS], s[CELLS], z[CELLS];
  T     a[D][3][FACE]; /* couplings along each axis with the cube below, within, and with the cube above */
  T    *shared;        /* the arrays of all cubes, from this one on */
  Index cell[3];       /* where its first cell is in the level */
  bool  any;           /* are there cells? */

  /* The cube of this thread; first: the first cell of them all; arrays: of Cubes<D>::SHARED elements */
  __device__ Cube(const Grid &g, T *arrays, const Index first[3])
  {
    constexpr int N    = Cubes<D>::N;
    const int     t    = int(threadIdx.x);
    const int     x[3] = {t % N, D < 2 ? 0 : t / N % N, D < 3 ? 0 : t / N / N};

    any    = true;
    shared = arrays + Cubes<D>::at(x[0], x[1], x[2]);
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < 3; k++) {
      cell[k] = first[k] + 2 * x[k];
      any     = any && (k >= D || cell[k] < g.n[k]);
    }
  }
  /* Of the cube along axis a, and of its box where boxes are cubes */
  __device__ __forceinline__ Index place(int a) const { return a < D ? cell[a] / 2 : 0; }
  __device__ __forceinline__ Index index(const Grid &g, int q) const
  {
    return cell_index(g, cell[0] + (q & 1), cell[1] + (q >> 1 & 1), cell[2] + (q >> 2));
  }
  /* Is cell q in the level? Cell q + 1 of an even q is in the level too, or padding, where arrays are zero. */
  __device__ __forceinline__ bool inside(const Grid &g, int q) const
  {
    return any && cell[0] < g.n[0] && (D < 2 || cell[1] + (q >> 1 & 1) < g.n[1]) && (D < 3 || cell[2] + (q >> 2) < g.n[2]);
  }
  template <class U> __device__ __forceinline__ void load_right_hand_side(const Level<T, U> &L)
  {
    HEPTA_DEVICE_UNROLL
    for (int q = 0; q < CELLS; q += 2) take(inside(L.g, q), L.s + index(L.g, q), s + q);
  }
  template <class U> __device__ __forceinline__ void load_matrix(const Level<T, U> &L)
  {
    HEPTA_DEVICE_UNROLL
    for (int q = 0; q < CELLS; q += 2) {
      const bool  in = inside(L.g, q);
      const Index m  = index(L.g, q);
      T           along[2];
      take(in, L.e + m, e + q);
      take(in, L.a[0] + m, along);
      a[0][0][q / 2] = in ? T(L.a[0][m - 1]) : T(0);
      a[0][1][q / 2] = along[0];
      a[0][2][q / 2] = along[1];
      HEPTA_DEVICE_UNROLL
      for (int x = 1; x < D; x++) {
        const int up = q >> x & 1;
        take(in, L.a[x] + m, a[x][up + 1] + on_face(q, x));
        if (!up) take(in, L.a[x] + m - L.g.stride[x], a[x][0] + on_face(q, x));
      }
    }
  }
  /* The sum of a z over the neighbors of cell q */
  __device__ __forceinline__ T around(int q) const
  {
    T sum = 0;

    HEPTA_DEVICE_UNROLL
    for (int x = 0; x < D; x++) {
      const int other = q ^ 1 << x, up = q >> x & 1, beside = up ? Cubes<D>::stride(x) : -Cubes<D>::stride(x);
      sum += a[x][1][on_face(q, x)] * z[other];
      sum += a[x][2 * up][on_face(q, x)] * shared[other * Cubes<D>::SIZE + beside];
    }
    return sum;
  }
  /* Lets the other threads see the cells of a color */
  template <int COLOR> __device__ __forceinline__ void share()
  {
    if (any) of_color<D, COLOR>([&](int q) { shared[q * Cubes<D>::SIZE] = z[q]; });
    __syncthreads();
  }
  /* z <- e (r - sum a z) in the cells of a color; r: the right-hand side, or zero */
  template <int COLOR> __device__ __forceinline__ void relax(bool r)
  {
    if (any) of_color<D, COLOR>([&](int q) { z[q] = e[q] * ((r ? s[q] : T(0)) - around(q)); });
    share<COLOR>();
  }
  /*
     The sweeps before the coarse correction, as in gridmg_kernels.hxx; t <- z of the red cells, then z of the red cells <- the
     residual
  */
  __device__ __forceinline__ void down(int sweeps, T t[FACE])
  {
    of_color<D, RED>([&](int q) { z[q] = t[q / 2] = e[q] * s[q]; });
    share<RED>();
    for (int k = 0; k < sweeps; k++) {
      relax<BLACK>(!k);
      if (k + 1 == sweeps) break;
      relax<RED>(false);
      of_color<D, RED>([&](int q) { t[q / 2] += z[q]; });
    }
    if (any) of_color<D, RED>([&](int q) { z[q] = -around(q); });
  }
  /*
     put(box, the sum of the residual in it) for the boxes from begin[] to end[]; first: the first cell of all cubes
  */
  template <class U, class F>
  __device__ __forceinline__ void restrict_residual(const T *arrays, const Index first[3], const Level<T, U> &L,
                                                    const Level<T, U> &C, const Index begin[3], const Index end[3], const F &put)
  {
    if (!boxes_are_cubes<D>(L.g)) {
      share<RED>();
      sum_boxes<D>(arrays, first, L, C, begin, end, put);
      return;
    }
    const Index I[3] = {place(0), place(1), place(2)};
    bool        own  = any;
    T           sum  = 0;
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < D; k++) own = own && I[k] >= begin[k] && I[k] < end[k];
    of_color<D, RED>([&](int q) { sum += z[q]; });
    if (own) put(I, sum);
  }
  /* z of the red cells <- t and the correction, weight times coarse(box), the next level's solution */
  template <class U, class F>
  __device__ __forceinline__ void correct(const T t[FACE], T weight, const Level<T, U> &L, const Level<T, U> &C, const F &coarse)
  {
    of_color<D, RED>([&](int q) { z[q] = 0; });
    if (boxes_are_cubes<D>(L.g)) {
      const Index I[3] = {place(0), place(1), place(2)};
      const T     add  = any ? weight * coarse(I) : T(0);
      of_color<D, RED>([&](int q) { z[q] = t[q / 2] + add; });
      return;
    }
    of_color<D, RED>([&](int q) {
      const Index x[3] = {cell[0] + (q & 1), cell[1] + (q >> 1 & 1), cell[2] + (q >> 2)};
      Index       I[3] = {0, 0, 0};
      HEPTA_DEVICE_UNROLL
      for (int k = 0; k < D; k++) I[k] = box_along<D, false>(L, C, k, x[k]);
      if (inside(L.g, q & ~1)) z[q] = t[q / 2] + weight * coarse(I);
    });
  }
  /* The sweeps after the coarse correction, from z of the red cells */
  __device__ __forceinline__ void up(int sweeps)
  {
    share<RED>();
    for (int k = 0; k < sweeps; k++) {
      relax<BLACK>(true);
      relax<RED>(true);
    }
  }

private:
  template <class U> static __device__ __forceinline__ void take(bool in, const U *from, T to[2])
  {
    const Pair<U> v = in ? pair_at(from) : Pair<U>{};

    to[0] = T(v.v[0]);
    to[1] = T(v.v[1]);
  }
};

} // namespace hepta::gridmg
