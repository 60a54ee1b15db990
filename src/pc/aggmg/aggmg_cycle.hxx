/* The steps of a cycle */
#pragma once

#include "aggmg_each.hxx"

namespace hepta::aggmg
{

template <class E> Status forget_largest(const E &each, Scale *scale)
{
  return each(1, [=] HEPTA_LAMBDA(std::size_t) { scale->largest = 0; });
}

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

/*
   The scale of x: its largest entry or, with the product (x, y) of an application shortly before, sqrt(product / unit), which is between
   that entry and the square root of a condition number times it
*/
HEPTA_HD double size_of(const Scale &scale, const Scalar *product)
{
  const double size = product ? std::sqrt(std::fabs(double(*product) / scale.unit)) : noted(scale.largest);

  return size > 0 && size < HUGE_VAL ? size : 1;
}

template <class E, class T> Status take_input(const E &each, const Level<T> &L, const Scalar *x, const Scale *scale, const Scalar *product, T factor)
{
  return each(std::size_t(L.A.rows) * L.A.br, [=] HEPTA_LAMBDA(std::size_t i) {
    if (L.stop && *L.stop) return;
    const T b = T(x[i] / size_of(*scale, product));
    L.b[i] = b;
    if (L.d[0]) L.d[0][i] = factor * L.w[i] * b;
  });
}

template <class E, class T> Status begin_level(const E &each, const Level<T> &L, T factor)
{
  return each(std::size_t(L.A.rows) * L.A.br, [=] HEPTA_LAMBDA(std::size_t i) {
    if (!L.stop || !*L.stop) L.d[0][i] = factor * L.w[i] * L.b[i];
  });
}

template <class E> Status largest_of(const E &each, int n, const long long *from, long long *to)
{
  return each(1, [=] HEPTA_LAMBDA(std::size_t) {
    long long most = 0;
    for (int k = 0; k < n; k++) most = from[k] > most ? from[k] : most;
    *to = most;
  });
}

/* What the end of a row needs of its own */
template <class T> struct Own {
  T b, r, z, d, w;
};

template <class E, class T> Status find_residual(const E &each, const Level<T> &L, T factor)
{
  return each_row(
    each, std::size_t(L.A.rows) * L.A.br, L.tiles * L.A.bc * L.A.br, L.stop, [=] HEPTA_LAMBDA(std::size_t i) { return Own<T>{L.b[i], 0, 0, 0, factor != 0 ? L.w[i] : T(0)}; },
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) { return part_of_row(L.A, (const T *)L.z, Index(i), lane, lanes); },
    [=] HEPTA_LAMBDA(std::size_t i, T sum, const Own<T> &own) {
      const T r = own.b - sum;
      L.r[i] = r;
      if (factor != 0) L.d[0][i] = factor * own.w * r;
    });
}

template <class E, class T> Status smooth_step(const E &each, const Level<T> &L, const Step<T> &s)
{
  const T *const d = L.d[s.from];
  T *const       e = L.d[1 - s.from];

  return each_row(
    each, std::size_t(L.A.rows) * L.A.br, L.tiles * L.A.bc * L.A.br, L.stop,
    [=] HEPTA_LAMBDA(std::size_t i) { return Own<T>{0, s.zero ? L.b[i] : L.r[i], s.zero ? T(0) : L.z[i], d[i], L.w[i]}; },
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) { return part_of_row(L.A, d, Index(i), lane, lanes); },
    [=] HEPTA_LAMBDA(std::size_t i, T sum, const Own<T> &own) {
      const T r = own.r - sum, next = s.a * own.d + s.b * own.w * r;
      if (!s.last) {
        L.r[i] = r;
        e[i]   = next;
      }
      const T z = own.z + (s.first ? s.begin * own.d : T(0)) + s.beta * next;
      if (s.y) s.y[i] = Scalar(double(z) * s.scale->unit * size_of(*s.scale, s.product));
      else L.z[i] = z;
    });
}

template <class E, class T> Status restrict_residual(const E &each, const Level<T> &L, const Tiles<T> &R, std::size_t tiles, const Level<T> &C, T factor)
{
  return each_row(
    each, std::size_t(R.rows) * R.br, tiles * R.bc * R.br, L.stop, [=] HEPTA_LAMBDA(std::size_t i) { return C.d[0] ? C.w[i] : T(0); },
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) { return part_of_row(R, (const T *)L.r, Index(i), lane, lanes); },
    [=] HEPTA_LAMBDA(std::size_t i, T sum, T w) {
      C.b[i] = sum;
      if (C.d[0]) C.d[0][i] = factor * w * sum;
    });
}

template <class E, class T> Status prolong(const E &each, const Level<T> &L, const Tiles<T> &P, std::size_t tiles, const Level<T> &C)
{
  return each_row(
    each, std::size_t(P.rows) * P.br, tiles * P.bc * P.br, L.stop, [=] HEPTA_LAMBDA(std::size_t i) { return L.z[i]; },
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) { return part_of_row(P, (const T *)C.z, Index(i), lane, lanes); },
    [=] HEPTA_LAMBDA(std::size_t i, T sum, T z) { L.z[i] = z + sum; });
}

template <class E, class T> Status solve_dense(const E &each, const Level<T> &L, std::size_t n, const T *inverse)
{
  return each_row(
    each, n, n * n, L.stop, [=] HEPTA_LAMBDA(std::size_t) { return 0; },
    [=] HEPTA_LAMBDA(std::size_t i, int lane, int lanes) { return sum_terms<T>(0, Index(n), lane, lanes, [&](Index j) { return inverse[i * n + j] * L.b[j]; }); },
    [=] HEPTA_LAMBDA(std::size_t i, T sum, int) { L.z[i] = sum; });
}

template <class E, class T> Status give_output(const E &each, const Level<T> &L, const Scale *scale, const Scalar *product, Scalar *y)
{
  return each(std::size_t(L.A.rows) * L.A.br, [=] HEPTA_LAMBDA(std::size_t i) {
    if (!L.stop || !*L.stop) y[i] = Scalar(double(L.z[i]) * scale->unit * size_of(*scale, product));
  });
}

} // namespace hepta::aggmg
