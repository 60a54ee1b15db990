/* The steps of a cycle */
#pragma once

#include "aggmg_each.hxx"

namespace hepta::aggmg
{

template <class E> Status find_largest(const E &each, std::size_t n, const Scalar *x, Scale *scale, const int *stop)
{
  const std::size_t parts = n < 4096 ? n : 4096;

  return each(parts, [=] HEPTA_LAMBDA(std::size_t k) {
    double most = 0;
    if (stop && *stop) return;
    for (std::size_t i = k; i < n; i += parts) most = std::fabs(x[i]) > most ? std::fabs(x[i]) : most;
    note_largest(&scale->largest, most);
  });
}

/* b <- x scaled, d[0] <- factor W b */
template <class E, class T> Status take_input(const E &each, const Level<T> &L, const Scalar *x, const Scale *scale, T factor)
{
  return each(std::size_t(L.A.rows) * L.A.br, [=] HEPTA_LAMBDA(std::size_t i) {
    if (L.stop && *L.stop) return;
    const double largest = noted(scale->largest);
    const T      b = T(largest > 0 ? x[i] / largest : x[i]);
    L.b[i] = b;
    if (L.d[0]) L.d[0][i] = factor * L.w[i] * b;
  });
}

/* r <- b - A z, and, unless factor is zero, d[0] <- factor W r */
template <class E, class T> Status find_residual(const E &each, const Level<T> &L, T factor)
{
  return each_row(
    each, std::size_t(L.A.rows) * L.A.br, L.tiles * L.A.bc * L.A.br, L.stop,
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) { return part_of_row(L.A, (const T *)L.z, Index(i), lane, lanes); },
    [=] HEPTA_LAMBDA(std::size_t i, T sum) {
      const T r = L.b[i] - sum;
      L.r[i] = r;
      if (factor != 0) L.d[0][i] = factor * L.w[i] * r;
    });
}

/* See Step */
template <class E, class T> Status smooth_step(const E &each, const Level<T> &L, const Step<T> &s)
{
  const T *const d = L.d[s.from];
  T *const       e = L.d[1 - s.from];

  return each_row(
    each, std::size_t(L.A.rows) * L.A.br, L.tiles * L.A.bc * L.A.br, L.stop,
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) { return part_of_row(L.A, d, Index(i), lane, lanes); },
    [=] HEPTA_LAMBDA(std::size_t i, T sum) {
      const T r = (s.zero ? L.b[i] : L.r[i]) - sum, next = s.a * d[i] + s.b * L.w[i] * r;
      T       z = s.zero ? T(0) : L.z[i];
      if (s.first) z += s.begin * d[i];
      L.r[i] = r;
      e[i]   = next;
      L.z[i] = z + s.beta * next;
    });
}

/* the next level's b <- P^T r, and its d[0] <- factor W b where it has one */
template <class E, class T> Status restrict_residual(const E &each, const Level<T> &L, const Tiles<T> &R, std::size_t tiles, const Level<T> &C, T factor)
{
  return each_row(
    each, std::size_t(R.rows) * R.br, tiles * R.bc * R.br, L.stop,
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) { return part_of_row(R, (const T *)L.r, Index(i), lane, lanes); },
    [=] HEPTA_LAMBDA(std::size_t i, T sum) {
      C.b[i] = sum;
      if (C.d[0]) C.d[0][i] = factor * C.w[i] * sum;
    });
}

/* z <- z + P times the next level's z */
template <class E, class T> Status prolong(const E &each, const Level<T> &L, const Tiles<T> &P, std::size_t tiles, const Level<T> &C)
{
  return each_row(
    each, std::size_t(P.rows) * P.br, tiles * P.bc * P.br, L.stop,
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) { return part_of_row(P, (const T *)C.z, Index(i), lane, lanes); },
    [=] HEPTA_LAMBDA(std::size_t i, T sum) { L.z[i] += sum; });
}

/* z <- inverse b on the last level */
template <class E, class T> Status solve_dense(const E &each, const Level<T> &L, std::size_t n, const T *inverse)
{
  return each_row(
    each, n, n * n, L.stop,
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) {
      T sum = 0;
      for (std::size_t j = lane; j < n; j += lanes) sum += inverse[i * n + j] * L.b[j];
      return sum;
    },
    [=] HEPTA_LAMBDA(std::size_t i, T sum) { L.z[i] = sum; });
}

/* y <- z with both scales; the largest entry is forgotten in the next launch */
template <class E, class T> Status give_output(const E &each, const Level<T> &L, Scale *scale, Scalar *y)
{
  const Status bad = each(std::size_t(L.A.rows) * L.A.br, [=] HEPTA_LAMBDA(std::size_t i) {
    if (L.stop && *L.stop) return;
    const double largest = noted(scale->largest);
    y[i] = Scalar(L.z[i] * scale->unit * (largest > 0 ? largest : 1));
  });
  return bad ? bad : each(1, [=] HEPTA_LAMBDA(std::size_t) {
    if (!L.stop || !*L.stop) scale->largest = 0;
  });
}

} // namespace hepta::aggmg
