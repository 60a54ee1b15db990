/*
   Matrices of so many rows that each has a thread of the device for itself, which then takes several diagonals at a time, and
   that a thread block of a pass takes several tiles; and their products by loops over the slots, since a dense matrix would have
   no room.
*/
#pragma once

#include "memory.h"

namespace hepta::test
{

/* More rows than 160 multiprocessors hold threads of a pass: 16 thread blocks of 128 on each */
inline Shape many_rows(int bs, const std::vector<Index> &off, bool half = false)
{
  const Index nbr = 330000 / bs + 1;

  return {nbr, nbr, bs, off, half};
}

/* Calls f(i, j, v) for each slot inside the matrix, entry (i, j) */
template <class V, class F> void for_slots(Stored<V> &A, F f)
{
  const Shape &p = A.p;

  for (std::size_t d = 0; d < p.off.size(); d++) {
    for (Index m = std::max(Index(0), -p.off[d]); m < p.nbr && m + p.off[d] < p.nbc; m++) {
      for (int s = 0; s < p.bs; s++) {
        for (int r = 0; r < p.bs; r++) f(m * p.bs + r, (m + p.off[d]) * p.bs + s, A.v[(d * p.bs + s) * A.ld + m * p.bs + r]);
      }
    }
  }
}

template <class V> Stored<V> filled(const Shape &p)
{
  Stored<V> A(p);

  for_slots(A, [&](Index i, Index j, V &v) {
    v = V(number(std::size_t(p.half ? std::min(i, j) : i) * 10007 + (p.half ? std::max(i, j) : j)));
  });
  return A;
}

/* A x or A^T x */
template <class V> Vector times(Stored<V> &A, const Vector &x, bool transposed)
{
  Vector y(std::size_t(A.p.nbr) * A.p.bs, 0);

  for_slots(A, [&](Index i, Index j, V v) {
    if (A.p.half || !transposed) y[i] += v * x[j];
    if (A.p.half ? i / A.p.bs != j / A.p.bs : transposed) y[j] += v * x[i];
  });
  return y;
}

} // namespace hepta::test
