/* Red-black multigrid on the host, in place: each pass goes over all cells of a level */
#include <algorithm>
#include <vector>

#include "../../shared/clones.hxx"
#include "gridmg_launch.hxx"
#include "gridmg_row.hxx"

namespace hepta::gridmg
{

enum Pass {
  INCREMENT, /* z <- -e sum a z, added to t in red cells; t is laid out as on a device */
  SOLUTION   /* z <- e (r - sum a z) */
};

/*
   Calls f(m, c, j, k) with the index and the color of the first cell of each line of L, without `margin` planes at an end with
   planes of a neighbor
*/
template <int D, class T, class U, class F> HEPTA_HD void lines(const Level<T, U> &L, Index margin, const F &f)
{
  const Index low = L.g.below ? margin : 0, high = L.g.n[D - 1] - (L.g.above ? margin : 0);

  for (Index k = D < 3 ? 0 : low; k < (D < 3 ? 1 : high); k++) {
    for (Index j = D == 2 ? low : 0; j < (D == 2 ? high : L.g.n[1]); j++)
      f(cell_index(L.g, D == 1 ? low : 0, j, k), color(L.g, D == 1 ? low : 0, j, k), j, k);
  }
}

/*
   f(i, place) for the red cells i of a line of n cells with first color c; place: of cell i in t from the line's first cell on,
   see t_index()
*/
template <int D, class F> HEPTA_HD void red_cells(Index n, int c, F f)
{
  const Index first = (c & 1) == RED ? 0 : 1, red = (n - first + 1) / 2;

#pragma GCC ivdep
  for (Index k = 0; k < red; k++) f(first + 2 * k, D == 1 ? first + 2 * k : k);
}

/*
   A pass of the color `of` over n cells from `first` on, with first color c. All cells are computed, and cells of the color are
   stored, so that the loop can be vectorized.
*/
template <int D, Pass PASS, class T, class U> HEPTA_HD void pass_line(const Level<T, U> &L, Index first, Index n, int c, int of)
{
#pragma GCC ivdep
  for (Index i = 0; i < n; i++) {
    const Index m    = first + i;
    const bool  mine = ((i + c) & 1) == of;
    const T     z    = relaxed<D>(L, PASS == INCREMENT ? T(0) : L.s[m], m, [=](Index q, int, int) { return L.z[q]; });
    L.z[m]           = mine ? z : L.z[m];
  }
  if (PASS == INCREMENT && of == RED)
    red_cells<D>(n, c, [z = L.z + first, t = L.t + first](Index i, Index place) { t[place] += z[i]; });
}

/* z <- e r, and t <- z in red cells unless t is null */
template <int D, class T> HEPTA_HD void start_line(Index n, int c, const T *e, const T *r, T *z, T *t)
{
#pragma GCC ivdep
  for (Index i = 0; i < n; i++) z[i] = e[i] * r[i];
  if (t) red_cells<D>(n, c, [=](Index i, Index place) { t[place] = z[i]; });
}

/* The residual of n cells from `first` on: -sum a z in red cells, zero in black cells */
template <int D, class T, class U> HEPTA_HD void residual_line(const Level<T, U> &L, Index first, Index n, int c, T *r)
{
  const T *z = L.z;

#pragma GCC ivdep
  for (Index i = 0; i < n; i++) {
    const T sum = -over_neighbors<D>(L, first + i, [=](Index q, int, int) { return z[q]; });
    r[i]        = ((i + c) & 1) == RED ? sum : T(0);
  }
}

/* The cells of a line of L that are no neighbor's */
template <int D, class T, class U> HEPTA_HD Index line_cells(const Level<T, U> &L)
{
  return L.g.n[0] - (D == 1 ? L.g.below + L.g.above : 0);
}

/* s[box] <- s[box] + the sum of r over the box's cells, for a line of n cells and a line of boxes */
template <class T> HEPTA_HD void add_to_boxes(Index n, Index side, Index boxes, const T *r, T *s)
{
  const Index pairs = side == 2 ? boxes : 0;

  for (Index I = 0; I < pairs; I++) s[I] += r[2 * I] + r[2 * I + 1];
  for (Index i = 2 * pairs; i < n; i++) s[std::min(i / side, boxes - 1)] += r[i];
}

/* z <- z + weight times s[box], on a line of n cells */
template <class T> HEPTA_HD void add_from_boxes(Index n, Index side, Index boxes, T weight, const T *s, T *z)
{
  const Index pairs = side == 2 ? boxes : 0;

#pragma GCC ivdep
  for (Index I = 0; I < pairs; I++) {
    z[2 * I] += weight * s[I];
    z[2 * I + 1] += weight * s[I];
  }
  for (Index i = 2 * pairs; i < n; i++) z[i] += weight * s[std::min(i / side, boxes - 1)];
}

/* The passes for one number of axes and types of values, compiled for several instruction sets */
#define HEPTA_GRIDMG_PASSES(D, T, U) \
  HEPTA_CLONES static void pass(Axes<D>, const Level<T, U> &level, Pass pass, Index margin, int of) \
  { \
    const Level<T, U> L = level; \
    const Index       n = L.g.n[0] - (D == 1 ? ((L.g.below > 0) + (L.g.above > 0)) * margin : 0); \
    if (pass == INCREMENT) lines<D>(L, margin, [=](Index m, int c, Index, Index) { pass_line<D, INCREMENT>(L, m, n, c, of); }); \
    else lines<D>(L, margin, [=](Index m, int c, Index, Index) { pass_line<D, SOLUTION>(L, m, n, c, of); }); \
  } \
  HEPTA_CLONES static void sum_residual(Axes<D>, const Level<T, U> &level, const Level<T, U> &coarse) \
  { \
    const Level<T, U> L = level, C = coarse; \
    const Index       n = line_cells<D>(L); \
    std::vector<T>    line((std::size_t)n); \
    T *const          r = line.data(); \
    for (Index M = 0, N = C.g.n[1] * C.g.n[2]; M < N; M++) \
      std::fill_n(C.s + cell_index(C.g, 0, M % C.g.n[1], M / C.g.n[1]), C.g.n[0], T(0)); \
    lines<D>(L, D == 1 ? L.g.below : std::max(L.g.below, L.g.above), [=](Index m, int c, Index j, Index k) { \
      residual_line<D>(L, m, n, c, r); \
      add_to_boxes(n, L.g.box[0], C.g.n[0], r, C.s + box_index<D, false>(L, C, D == 1 ? L.g.below : 0, j, k)); \
    }); \
  } \
  HEPTA_CLONES static void start(Axes<D>, const Level<T, U> &level) \
  { \
    const Level<T, U> L = level; \
    lines<D>(L, 0, \
             [=](Index m, int c, Index, Index) { start_line<D>(L.g.n[0], c, L.e + m, L.s + m, L.z + m, L.t ? L.t + m : L.t); }); \
  } \
  HEPTA_CLONES static void prolong(Axes<D>, T weight, const Level<T, U> &level, const Level<T, U> &coarse, bool from_t) \
  { \
    const Level<T, U> L = level, C = coarse; \
    lines<D>(L, 0, [=](Index m, int c, Index j, Index k) { \
      T *const       z = L.z + m; \
      const T *const t = L.t + m; \
      if (from_t) red_cells<D>(L.g.n[0], c, [=](Index i, Index place) { z[i] = t[place]; }); \
      if (D > 1) add_from_boxes(L.g.n[0], L.g.box[0], C.g.n[0], weight, C.z + box_index<D, true>(L, C, 0, j, k), z); \
      else \
        for (Index i = 0; i < L.g.n[0]; i++) z[i] += weight * C.z[box_index<D, true>(L, C, i, j, k)]; \
    }); \
  } \
  HEPTA_CLONES static void finish(Axes<D>, const Level<T, U> &level, double scale, Scalar *y) \
  { \
    const Level<T, U> L  = level; \
    const Index       n  = line_cells<D>(L); \
    Scalar           *to = y; \
    lines<D>(L, D == 1 ? L.g.below : std::max(L.g.below, L.g.above), [=, &to](Index m, int, Index, Index) { \
      for (Index i = 0; i < n; i++) to[i] = Scalar(L.z[m + i] * scale); \
      to += n; \
    }); \
  }
#define HEPTA_GRIDMG_AXES(T, U) \
  HEPTA_GRIDMG_PASSES(1, T, U) \
  HEPTA_GRIDMG_PASSES(2, T, U) \
  HEPTA_GRIDMG_PASSES(3, T, U)
HEPTA_GRIDMG_AXES(float, Bf16)
HEPTA_GRIDMG_AXES(float, float)
HEPTA_GRIDMG_AXES(double, double)
#undef HEPTA_GRIDMG_AXES
#undef HEPTA_GRIDMG_PASSES

template <class T, class U> Status down_host(int D, int sweeps, const Level<T, U> &L, const Level<T, U> &C, Scales *scales)
{
  if (scales) take_largest(scales);
  return by_axes(D, [&](auto axes) {
    start(axes, L);
    pass(axes, L, SOLUTION, 1, BLACK);
    for (int s = 2; s < 2 * sweeps; s++) pass(axes, L, INCREMENT, s, s & 1 ? BLACK : RED);
    sum_residual(axes, L, C);
    return Status(nullptr);
  });
}

template <class T, class U>
Status up_host(int D, int sweeps, T weight, const Level<T, U> &L, const Level<T, U> &C, const Scales *scales, Scalar *y)
{
  return by_axes(D, [&](auto axes) {
    if (sweeps == 1) start(axes, L);
    prolong(axes, weight, L, C, sweeps > 1);
    for (int s = 1; s <= 2 * sweeps; s++) pass(axes, L, SOLUTION, s, s & 1 ? BLACK : RED);
    if (y) finish(axes, L, scales->output, y);
    return Status(nullptr);
  });
}

HEPTA_LEVELS(down_host)
HEPTA_LEVELS(up_host)

} // namespace hepta::gridmg
