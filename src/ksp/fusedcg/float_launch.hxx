/* The launchers of iterations in float that host and device share, see FloatSolve */
#pragma once

#include "../../mat/bdia/bdia_row.hxx"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

template <class E, class V> Status find_unit(const E &each, const bdia::View<V> &A, int main, FloatSolve *w)
{
  return each(1, [=] HEPTA_LAMBDA(std::size_t) {
    const Scalar a = main < 0 ? Scalar(0) : Scalar(A.v[bdia::slot(A, main, 0, 0, 0)]);

    w->a = a > 0 && finite(a) && finite(1 / a) ? a : Scalar(1);
    if (!(w->m > 0)) w->m = w->a;
  });
}

template <class E, class V>
Status take_floats(const E &each, std::size_t n, const V *from, const FloatSolve *w, bool divide, float *to)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) { to[k] = float(divide ? from[k] / w->a : from[k] * w->a); });
}

template <class E> Status begin_outer(const E &each, std::size_t n, const Scalar *residual, const CGOf<float> &c)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    c.r[i] = float(residual[i] / c.floats->rho);
    c.x[i] = 0;
  });
}

template <class E> Status end_outer(const E &each, std::size_t n, const CGOf<float> &c, Scalar *x)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { x[i] += c.floats->rho / c.floats->a * c.x[i]; });
}

HEPTA_EACH_OF(find_unit)
HEPTA_EACH_OF(take_floats)
HEPTA_EACH(begin_outer)
HEPTA_EACH(end_outer)

} // namespace hepta::ksp
