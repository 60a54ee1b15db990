/*
   The lower part of a V-cycle, from a level of few cells down to the dense inverse and up again, for threads that go through it together: of a pass over few cells hardly anything
   but the start of its kernel takes time. Run has

     cells(grid, f)             calls f(i, j, k) for every cell
     dense(level, n, inverse)   z <- A^-1 r of the last level

   and both return when all threads have done their part and see what the others have written.
*/
#pragma once

#include "cycle_row.hxx"

namespace hepta::cycle
{

/* The right-hand side is S.level[0].s, the solution S.level[0].z */
template <int D, int B, class Run, class T> HEPTA_HD void solve_small(const Run &run, T weight, const SmallLevels<T> &S, std::size_t n, const double *inverse)
{
  const int last = S.levels - 1;

  for (int l = 0; l < last; l++) {
    const Level<T> &L = S.level[l], &C = S.level[l + 1];

    run.cells(L.g, [&](Index i, Index j, Index k) {
      const Index m = place(L.g, i, j, k);
      L.z[m]        = smooth<D>(L, m);
    });
    run.cells(C.g, [&](Index I, Index J, Index K) { restrict_cell<D, B>(L, C, I, J, K); });
  }
  run.dense(S.level[last], n, inverse);
  for (int l = last; l-- > 0;) {
    const Level<T> &L = S.level[l], &C = S.level[l + 1];

    run.cells(L.g, [&](Index i, Index j, Index k) { correct_cell<D, B>(weight, L, C, i, j, k); });
    run.cells(L.g, [&](Index i, Index j, Index k) {
      const Index m = place(L.g, i, j, k);
      L.z[m]        = L.t[m] + smooth<D>(L, m);
    });
  }
}

} // namespace hepta::cycle
