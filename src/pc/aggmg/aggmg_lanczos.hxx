/* A bound of the largest eigenvalue of D^-1 A: the method of Lanczos for sqrt(W) A sqrt(W), W = 1 / D, with equal eigenvalues */
#pragma once

#include "aggmg_each.hxx"

namespace hepta::aggmg
{

template <class E>
Status begin_lanczos(const E &each, std::size_t n, std::size_t start, const double *w, double *v, double *square)
{
  return sum_of(each, n, square, [=] HEPTA_LAMBDA(std::size_t i) {
    v[i] = w[i] > 0 ? double(scrambled(start + i) >> 11) / double(1ULL << 52) - 1 : 0;
    return v[i] * v[i];
  });
}

template <class E> Status normalize(const E &each, std::size_t n, const double *w, const double *square, double *v, double *y)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    v[i] *= *square > 0 ? 1 / std::sqrt(*square) : 0;
    y[i] = std::sqrt(w[i]) * v[i];
  });
}

template <class E, class T>
Status multiply_scaled(const E &each, const Tiles<T> &A, std::size_t tiles, const double *w, const double *y,
                       const double *square, const double *before, double *u)
{
  return each_row(each, A, tiles, (const int *)nullptr, [=] HEPTA_LAMBDA(const Place &at) {
    const double own = w[at.row], sum = product_at(A, y, at);
    if (at.ends) u[at.row] = std::sqrt(own) * sum - (before ? std::sqrt(*square) * before[at.row] : 0);
  });
}

template <class E> Status dot(const E &each, std::size_t n, const double *u, const double *v, double *product)
{
  return sum_of(each, n, product, [=] HEPTA_LAMBDA(std::size_t i) { return u[i] * v[i]; });
}

template <class E> Status subtract(const E &each, std::size_t n, const double *alpha, const double *v, double *u, double *square)
{
  return sum_of(each, n, square, [=] HEPTA_LAMBDA(std::size_t i) {
    u[i] -= *alpha * v[i];
    return u[i] * u[i];
  });
}

/* How many eigenvalues of the tridiagonal matrix are below x */
HEPTA_HD int count_below(const double *alpha, const double *beta, int n, double x)
{
  double d     = 1;
  int    count = 0;

  for (int k = 0; k < n; k++) {
    d = alpha[k] - x - (k ? beta[k - 1] * beta[k - 1] / d : 0);
    if (d == 0) d = 1e-300;
    count += d < 0;
  }
  return count;
}

/*
   A bound of the largest eigenvalue, an eigenvalue being within `residual` of `value`: min(1.05 value + residual, the largest row
   sum)
*/
HEPTA_HD double bound_from(double value, double residual, double rowsum)
{
  const double bound = 1.05 * value + residual;

  return rowsum > 0 ? (bound < rowsum && bound > 0 ? bound : rowsum) : 1;
}

template <class E> Status bound_of(const E &each, const double *sums, const long long *rowsum, double *rho)
{
  return each(1, [=] HEPTA_LAMBDA(std::size_t) {
    const double most = noted(*rowsum);
    double       alpha[STEPS], beta[STEPS], low = 0, high = most > 0 ? most : 1, norm = 1, part = 1, before = 0;
    int          n = 1;
    for (int k = 0; k < STEPS; k++) {
      alpha[k] = sums[(2 * k + 1) * SUM];
      beta[k]  = std::sqrt(sums[(2 * k + 2) * SUM]);
    }
    while (n < STEPS && beta[n - 1] > 1e-6 * high) n++; /* an invariant subspace ends the steps */
    for (int k = 0; k < 40; k++) {
      const double mid = (low + high) / 2;
      if (count_below(alpha, beta, n, mid) < n) low = mid;
      else high = mid;
    }
    for (int k = 0; k + 1 < n; k++) { /* the last entry of the eigenvector, by its recurrence */
      const double next = ((high - alpha[k]) * part - (k ? beta[k - 1] * before : 0)) / beta[k];
      before            = part;
      part              = next;
      norm += part * part;
    }
    *rho = bound_from(high, beta[n - 1] * std::fabs(part) / std::sqrt(norm), most);
  });
}

template <class E> Status bound_by_rows(const E &each, const long long *rowsum, double *rho)
{
  return each(1, [=] HEPTA_LAMBDA(std::size_t) { *rho = bound_from(0, 0, noted(*rowsum)); });
}

template <class E, class T>
Status scale_diagonal(const E &each, std::size_t n, bool again, const double *rho, const double *sums, double *ratio, double *w,
                      T *to)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    const double now = sums[i] * w[i], grown = *rho * (again && ratio[i] > 0 ? now / ratio[i] : 1),
                 bound = now < grown ? now : grown;
    if (!again) ratio[i] = now;
    w[i] /= bound > *rho ? bound : *rho;
    to[i] = T(w[i]);
  });
}

} // namespace hepta::aggmg
