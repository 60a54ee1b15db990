/* Values: those of the first level, diagonals, the bound of the eigenvalues, products */
#pragma once

#include "aggmg_each.hxx"

namespace hepta::aggmg
{

/* val[q] <- the value of slot from[q], times *unit; 0 where there is none */
template <class E, class V, class T> Status take_values(const E &each, std::size_t n, const long long *from, const V *v, const double *unit, T *val)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t q) { val[q] = from[q] < 0 ? T(0) : T(*unit * v[from[q]]); });
}

/* *unit <- 1 / the first diagonal entry, where it is positive: float has too small a range for units of all kinds */
template <class E, class V> Status take_unit(const E &each, const Pattern &A, int bs, const long long *from, const V *v, double *unit)
{
  return each(1, [=] HEPTA_LAMBDA(std::size_t) {
    const Index  e = find_tile(A, 0, 0);
    const double a = e < 0 || from[std::size_t(e) * bs * bs] < 0 ? 0 : double(v[from[std::size_t(e) * bs * bs]]);
    *unit = a > 0 ? 1 / a : 1;
  });
}

/* w <- 1 / D, square[m] <- the sum of squares of diagonal tiles, *rowsum <- max the sum of |a_ij| / a_ii. A row of zeros, which a column of P that is zero makes, has w = 0. */
template <class E, class T> Status take_diagonal(const E &each, const Tiles<T> &A, bool zeros, double *w, double *square, long long *rowsum, Found *found)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t m) {
    const Index d = find_tile(A, Index(m), Index(m));
    double      sum2 = 0;
    for (int r = 0; r < A.br; r++) {
      const std::size_t i = m * A.br + r;
      const double      a = d < 0 ? 0 : double(A.val[(std::size_t(d) * A.br + r) * A.bc + r]);
      double            sum = 0;
      for (Index e = A.first[m]; e < A.first[m + 1]; e++) {
        for (int c = 0; c < A.bc; c++) sum += std::fabs(double(A.val[(std::size_t(e) * A.br + r) * A.bc + c]));
      }
      for (int c = 0; c < A.bc && d >= 0; c++) sum2 += double(A.val[(std::size_t(d) * A.br + r) * A.bc + c]) * A.val[(std::size_t(d) * A.br + r) * A.bc + c];
      if (!(sum < HUGE_VAL)) note_first(&found->finite, (long long)i);
      else if (!(a > 0) && !(zeros && sum == 0)) note_first(&found->diagonal, (long long)i);
      w[i] = a > 0 ? 1 / a : 0;
      if (a > 0 && sum < HUGE_VAL) note_largest(rowsum, sum / a);
    }
    square[m] = sum2;
  });
}

/* v <- a vector of random signs and sizes of norm 1 */
template <class E> Status begin_lanczos(const E &each, std::size_t n, const double *w, const Lanczos &l)
{
  const Lanczos s   = l;
  Status        bad = sum_of(each, n, s.work, [=] HEPTA_LAMBDA(std::size_t i) {
    std::uint64_t h = std::uint64_t(i) + 0x9e3779b97f4a7c15ULL;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
    s.v[i] = w[i] > 0 ? double(h >> 11) / double(1ULL << 52) - 1 : 0;
    return s.v[i] * s.v[i];
  });
  if (!bad)
    bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) {
      const double sum = take_sum(s.work);
      s.v[i] *= sum > 0 ? 1 / std::sqrt(sum) : 0;
      s.before[i] = 0;
      s.y[i]      = std::sqrt(w[i]) * s.v[i];
    });
  return bad;
}

/* Step j of the Lanczos method for sqrt(W) A sqrt(W) */
template <class E, class T> Status step_lanczos(const E &each, const Tiles<T> &A, std::size_t entries, const double *w, int j, const Lanczos &l)
{
  const Lanczos     s = l;
  const std::size_t n = std::size_t(A.rows) * A.br;

  Status bad = each_row(
    each, n, entries * A.bc, (const int *)nullptr,
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) {
      const Index m = Index(i / A.br), r = Index(i % A.br), begin = A.first[m], size = (A.first[m + 1] - begin) * A.bc;
      double      sum = 0;
      for (Index q = lane; q < size; q += lanes) sum += double(A.val[(std::size_t(begin + q / A.bc) * A.br + r) * A.bc + q % A.bc]) * s.y[A.col[begin + q / A.bc] * A.bc + q % A.bc];
      return sum;
    },
    [=] HEPTA_LAMBDA(std::size_t i, double sum) { s.u[i] = std::sqrt(w[i]) * sum - (j ? s.beta[j - 1] * s.before[i] : 0); });
  if (!bad) bad = sum_of(each, n, s.work, [=] HEPTA_LAMBDA(std::size_t i) { return s.u[i] * s.v[i]; });
  if (!bad) bad = each(1, [=] HEPTA_LAMBDA(std::size_t) { s.alpha[j] = take_sum(s.work); });
  if (!bad)
    bad = sum_of(each, n, s.work, [=] HEPTA_LAMBDA(std::size_t i) {
      s.u[i] -= s.alpha[j] * s.v[i];
      return s.u[i] * s.u[i];
    });
  if (!bad) bad = each(1, [=] HEPTA_LAMBDA(std::size_t) { s.beta[j] = std::sqrt(take_sum(s.work)); });
  return bad ? bad : each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    s.before[i] = s.v[i];
    s.v[i]      = s.beta[j] > 0 ? s.u[i] / s.beta[j] : 0;
    s.y[i]      = std::sqrt(w[i]) * s.v[i];
  });
}

/* How many eigenvalues of the tridiagonal matrix are below x */
HEPTA_HD int count_below(const double *alpha, const double *beta, int n, double x)
{
  double d = 1;
  int    count = 0;

  for (int k = 0; k < n; k++) {
    d = alpha[k] - x - (k ? beta[k - 1] * beta[k - 1] / d : 0);
    if (d == 0) d = 1e-300;
    count += d < 0;
  }
  return count;
}

/*
   *rho <- a bound of the largest eigenvalue: that of the tridiagonal matrix, by bisection, and the norm of its residual, since some
   eigenvalue is as near as that, with a twentieth more, or the largest row sum if that is less
*/
template <class E> Status bound_of(const E &each, const double *alpha, const double *beta, const long long *rowsum, double *rho)
{
  return each(1, [=] HEPTA_LAMBDA(std::size_t) {
    const double most = noted(*rowsum);
    double       low = 0, high = most > 0 ? most : 1, last = 1, before = 0, norm = 1;
    int          n = 1;
    while (n < STEPS && beta[n - 1] > 1e-6 * high) n++; /* a subspace that is invariant ends the steps */
    for (int k = 0; k < 60; k++) {
      const double mid = (low + high) / 2;
      if (count_below(alpha, beta, n, mid) < n) low = mid;
      else high = mid;
    }
    for (int k = 0; k + 1 < n; k++) { /* the eigenvector, by its recurrence */
      const double next = ((high - alpha[k]) * last - (k ? beta[k - 1] * before : 0)) / beta[k];
      before = last;
      last   = next;
      norm += next * next;
    }
    const double residual = beta[n - 1] * std::fabs(last) / std::sqrt(norm), bound = 1.05 * high + residual;
    *rho = most > 0 ? (bound < most ? bound : most) : 1;
  });
}

/* w <- w / *rho; the same in the type of the cycle */
template <class E, class T> Status scale_diagonal(const E &each, std::size_t n, const double *rho, double *w, T *to)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    w[i] /= *rho;
    to[i] = T(w[i]);
  });
}

/* The tiles of P_0 from rows of orthonormal columns */
template <class E> Status take_tentative(const E &each, Index nodes, int size, const Index *aggregate, const Index *first, const double *T, double *val)
{
  return each(std::size_t(nodes), [=] HEPTA_LAMBDA(std::size_t m) {
    for (int k = 0; aggregate[m] >= 0 && k < size; k++) val[std::size_t(first[m]) * size + k] = T[m * size + k];
  });
}

/* Values of C = A B, whose pattern is C's */
template <class E, class TA, class TB, class TC> Status multiply(const E &each, const Tiles<TA> &A, const Tiles<TB> &B, const Pattern &C, std::size_t entries, TC *val)
{
  return each_tile(each, C, entries, [=] HEPTA_LAMBDA(Index m, Index e) {
    for (int r = 0; r < A.br; r++) {
      for (int c = 0; c < B.bc; c++) {
        double sum = 0;
        for (Index a = A.first[m]; a < A.first[m + 1]; a++) {
          const Index b = find_tile(B, A.col[a], C.col[e]);
          for (int s = 0; b >= 0 && s < A.bc; s++) sum += double(A.val[(std::size_t(a) * A.br + r) * A.bc + s]) * double(B.val[(std::size_t(b) * B.br + s) * B.bc + c]);
        }
        val[(std::size_t(e) * A.br + r) * B.bc + c] = TC(sum);
      }
    }
  });
}

/* P <- P_0 - 4/3 W (A P_0), which val holds, with the pattern P */
template <class E, class T> Status smooth(const E &each, const Tiles<double> &P0, const double *w, double factor, const Pattern &P, std::size_t entries, const double *product, T *val)
{
  return each_tile(each, P, entries, [=] HEPTA_LAMBDA(Index m, Index e) {
    const Index t = find_tile(P0, m, P.col[e]);
    for (int r = 0; r < P0.br; r++) {
      for (int c = 0; c < P0.bc; c++) {
        const std::size_t at = (std::size_t(e) * P0.br + r) * P0.bc + c;
        const double      p  = t < 0 ? 0 : P0.val[(std::size_t(t) * P0.br + r) * P0.bc + c];
        val[at] = T(p - factor * w[std::size_t(m) * P0.br + r] * product[at]);
      }
    }
  });
}

/* The tiles of the transpose: tile t is that number at[t] of P, transposed */
template <class E, class T> Status transpose_values(const E &each, std::size_t entries, int br, int bc, const Index *at, const T *from, T *to)
{
  return each(entries, [=] HEPTA_LAMBDA(std::size_t t) {
    for (int r = 0; r < br; r++) {
      for (int c = 0; c < bc; c++) to[(t * bc + c) * br + r] = from[(std::size_t(at[t]) * br + r) * bc + c];
    }
  });
}

/* Tiles below the diagonal <- the transpose of those above, which are equal but for rounding */
template <class E, class T> Status mirror(const E &each, const Tiles<T> &A, std::size_t entries, T *val)
{
  return each_tile(each, Pattern{A.rows, A.first, A.col}, entries, [=] HEPTA_LAMBDA(Index m, Index e) {
    if (A.col[e] > m) return;
    const Index t = find_tile(A, A.col[e], m);
    for (int r = 0; t >= 0 && r < A.br; r++) {
      for (int c = 0; c < A.bc; c++) {
        if (t != e || c < r) val[(std::size_t(e) * A.br + r) * A.bc + c] = val[(std::size_t(t) * A.br + c) * A.bc + r];
      }
    }
  });
}

/* The last level, scaled to a unit diagonal, in N x N numbers, for eliminate() of gridmg; rows without a diagonal are those of the identity. dense is zero before. */
template <class E, class T> Status fill_dense(const E &each, const Tiles<T> &A, const double *w, std::size_t N, double *dense)
{
  return each(N, [=] HEPTA_LAMBDA(std::size_t i) {
    const Index m = Index(i / A.br), r = Index(i % A.br);
    dense[i * N + i] = 1;
    for (Index e = m < A.rows ? A.first[m] : 0; m < A.rows && e < A.first[m + 1]; e++) {
      for (int c = 0; c < A.bc; c++) {
        const std::size_t j = std::size_t(A.col[e]) * A.bc + c;
        if (i != j) dense[i * N + j] = std::sqrt(w[i] * w[j]) * double(A.val[(std::size_t(e) * A.br + r) * A.bc + c]);
      }
    }
  });
}

/* inverse <- that of the last level, of n rows, from the eliminated matrix, which is minus the inverse */
template <class E, class T> Status take_dense(const E &each, std::size_t n, std::size_t N, const double *w, const double *dense, T *inverse)
{
  return each(n * n, [=] HEPTA_LAMBDA(std::size_t k) {
    const std::size_t i = k / n, j = k % n, low = i < j ? i : j, high = i < j ? j : i;
    inverse[k] = T(-dense[low * N + high] * std::sqrt(w[i] * w[j]));
  });
}

} // namespace hepta::aggmg
