/* The steps of a cycle */
#pragma once

#include "aggmg_each.hxx"

namespace hepta::aggmg
{

constexpr std::size_t SEARCHERS = 65536; /* threads that look for the largest number */

template <class E> Status find_largest(const E &each, std::size_t n, const Scalar *x, Scale *scale, const int *stop)
{
  const std::size_t threads = n < SEARCHERS ? n : SEARCHERS;

  return each(threads, [=] HEPTA_LAMBDA(std::size_t k) {
    double most = 0;
    if (stop && *stop) return;
    for (std::size_t i = k; i < n; i += threads) most = std::fabs(x[i]) > most ? std::fabs(x[i]) : most;
    note_largest(&scale->largest, most);
  });
}

template <class E, class T> Status take_input(const E &each, const Level<T> &L, const Scalar *x, const Scaling &scaling, T factor)
{
  const std::size_t n = std::size_t(L.A.rows) * L.A.br;

  return each_row(each, n, n, L.stop, [=] HEPTA_LAMBDA(const Place &at) {
    const T b = T(x[at.row] / size_of(scaling));
    if (!at.ends) return;
    L.b[at.row] = b;
    if (L.d[0]) L.d[0][at.row] = factor * L.w[at.row] * b;
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

template <class E, class T> Status find_residual(const E &each, const Level<T> &L)
{
  return each_product(each, L.A, L.tiles, L.stop, [=] HEPTA_LAMBDA(const Place &at) {
    const T b = L.b[at.row], sum = product_at(L.A, (const T *)L.z, at);
    if (at.ends) L.r[at.row] = b - sum;
  });
}

template <class E, class T> Status smooth_step(const E &each, const Level<T> &L, const Step<T> &s)
{
  const T *const d = L.d[s.from];
  T *const       e = L.d[1 - s.from];

  return each_product(each, L.A, L.tiles, L.stop, [=] HEPTA_LAMBDA(const Place &at) {
    const std::size_t i      = at.row;
    const T           before = s.zero ? L.b[i] : L.r[i], d_i = d[i], w = L.w[i], z_i = s.zero ? T(0) : L.z[i];
    const T           r = before - product_at(L.A, d, at), next = s.a * d_i + s.b * w * r,
                      z = z_i + (s.first ? s.begin * d_i : T(0)) + s.beta * next;
    if (!at.ends) return;
    if (!s.last) {
      L.r[i] = r;
      e[i]   = next;
    }
    if (s.y) s.y[i] = Scalar(double(z) * s.scaling.scale->unit * size_of(s.scaling));
    else L.z[i] = z;
  });
}

template <class E, class T>
Status restrict_residual(const E &each, const Level<T> &L, const Tiles<T> &R, std::size_t tiles, const Level<T> &C, T factor)
{
  return each_product(each, R, tiles, L.stop, [=] HEPTA_LAMBDA(const Place &at) {
    const T w = C.d[0] ? C.w[at.row] : T(0), sum = product_at(R, (const T *)L.r, at);
    if (!at.ends) return;
    C.b[at.row] = sum;
    if (C.d[0]) C.d[0][at.row] = factor * w * sum;
  });
}

template <class E, class T>
Status correct(const E &each, const Level<T> &L, const Tiles<T> &P, const Tiles<T> &AP, std::size_t tiles, const Level<T> &C,
               T weight, T factor)
{
  return each_product(each, AP, tiles, L.stop, [=] HEPTA_LAMBDA(const Place &at) {
    const T *const    x = C.z;
    const std::size_t i = at.row;
    const T           z = L.z[i] + weight * product_at(P, x, at), r = L.r[i] - weight * product_at(AP, x, at);
    if (!at.ends) return;
    L.z[i]    = z;
    L.r[i]    = r;
    L.d[0][i] = factor * L.w[i] * r;
  });
}

template <class E, class T>
Status solve_dense(const E &each, const Level<T> &L, std::size_t n, const T *inverse, const Scaling &scaling, Scalar *y)
{
  return each_row(each, n, n * n, L.stop, [=] HEPTA_LAMBDA(const Place &at) {
    const T sum = sum_lanes(at, sum_terms<T>(Index(n), at, [&](Index j) { return inverse[at.row * n + j] * L.b[j]; }));
    if (!at.ends) return;
    if (y) y[at.row] = Scalar(double(sum) * scaling.scale->unit * size_of(scaling));
    else L.z[at.row] = sum;
  });
}

} // namespace hepta::aggmg
