/* The arithmetic of the cycle's last level, whose inverse is dense, once for host and device */
#pragma once

#include "cycle_row.hxx"

namespace hepta::cycle
{

/* The diagonal entry of the last level's cell m, whose couplings are not scaled */
template <class T> HEPTA_HD double last_diagonal(int D, const Level<T> &L, Index m)
{
  double sum = L.row_sum[m];

  for (int a = 0; a < D; a++) sum -= double(L.u[a][m]) + double(L.u[a][m - L.g.stride[a]]);
  return L.w[m] > 0 ? sum : 0;
}

/* Entry p of the last level's null vector, scaled as the matrix and of length 1, if all row sums are zero; otherwise zero */
template <class T> HEPTA_HD double null_entry(int D, const Level<T> &L, std::size_t p)
{
  const std::size_t n    = std::size_t(L.g.n[0]) * L.g.n[1] * L.g.n[2];
  double            sum  = 0;
  bool              null = p < n;

  for (std::size_t q = 0; q < n && null; q++) {
    const Index m = place_of(L.g, Index(q));
    null          = L.row_sum[m] == 0;
    sum += last_diagonal(D, L, m);
  }
  return null && sum > 0 ? sqrt(last_diagonal(D, L, place_of(L.g, Index(p))) / sum) : 0;
}

/* Entry (e, f) of the last level's matrix, scaled to a unit diagonal */
template <class T> HEPTA_HD double dense_entry(int D, const Level<T> &L, std::size_t e, std::size_t f)
{
  const Index *n = L.g.n, cells = n[0] * n[1] * n[2];

  if (e == f) return 1;
  if (Index(e) >= cells || Index(f) >= cells) return 0;
  const Index lower = place_of(L.g, Index(e < f ? e : f)), upper = place_of(L.g, Index(e < f ? f : e));
  for (int a = 0; a < D; a++) {
    if (lower + L.g.stride[a] != upper) continue;
    const double d = last_diagonal(D, L, lower) * last_diagonal(D, L, upper);
    return d > 0 ? L.u[a][lower] / sqrt(d) : 0;
  }
  return 0;
}

/* Row e of the product with the last level's dense inverse, in entries f = first, first + step, ... In double: with large contrasts entries nearly cancel, and an inverse rounded to float is indefinite. */
template <class T> HEPTA_HD double dense_row(const Level<T> &L, std::size_t n, const double *inverse, std::size_t e, std::size_t first, std::size_t step)
{
  double sum = 0;

  for (std::size_t f = first; f < n; f += step) sum += inverse[e * n + f] * L.r[place_of(L.g, Index(f))];
  return sum;
}

/* A pivot of a matrix with a unit diagonal that is zero but for rounding */
constexpr double ZERO_PIVOT = 1e-13;

/* 1 in place of such a pivot, of a null vector that null_entry() does not know, adds to one diagonal entry: the inverse is positive definite, so that no part of a residual is lost, and solves consistent systems still */
HEPTA_HD double inverse_pivot(double pivot)
{
  return pivot > ZERO_PIVOT ? 1 / pivot : 1;
}

/* One step of Gauss-Jordan elimination in a symmetric matrix, in place: after all, it is minus the inverse */
HEPTA_HD void eliminate_one(std::size_t N, std::size_t p, double *E)
{
  const double inverse = inverse_pivot(E[p * N + p]);

  for (std::size_t i = 0; i < N; i++) {
    const double f = E[i * N + p] * inverse;
    if (i == p || f == 0) continue;
    for (std::size_t j = 0; j < N; j++) E[i * N + j] -= f * E[p * N + j];
    E[i * N + p] = f;
  }
  for (std::size_t j = 0; j < N; j++) E[p * N + j] *= inverse;
  E[p * N + p] = -inverse;
}

} // namespace hepta::cycle
