#include <cmath>

#include "recycle_kernels.hxx"

namespace hepta::ksp
{

template <class E>
Status keep_direction(const E &each, std::size_t n, const State *s, const Scalar *even, const Scalar *odd, Index most,
                      float *kept)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    const int    m    = s->it;
    const Scalar size = std::sqrt(magnitude(s->rho));
    if (m < most) kept[m * n + i] = float((m & 1 ? odd : even)[i] / size);
  });
}

template <class E> Status combine(const E &each, std::size_t n, Index count, const float *kept, const Scalar *factor, Scalar *w)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    Scalar sum = 0;
    for (Index m = 0; m < count; m++) sum += factor[m] * Scalar(kept[m * n + i]);
    w[i] = sum;
  });
}

template <class E> Status narrow(const E &each, std::size_t n, Index e, const Scalar *w, float *few)
{
  float *const at = few + e / recycle_group * n * recycle_group + e % recycle_group;

  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { at[i * recycle_group] = float(w[i]); });
}

template <class E>
Status add_vectors(const E &each, std::size_t n, Index groups, const State *s, const float *w, const Scalar *q, Scalar *z)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    if (s && s->pause) return;
    const Four *four = (const Four *)w + i;
    Scalar      sum  = z[i];
    for (Index g = 0; g < groups; g++) {
      const Four v = four[g * n];
      for (int e = 0; e < recycle_group; e++) sum += q[g * recycle_group + e] * Scalar(v.of[e]);
    }
    z[i] = sum;
  });
}

HEPTA_EACH(keep_direction)
HEPTA_EACH(combine)
HEPTA_EACH(narrow)
HEPTA_EACH(add_vectors)

} // namespace hepta::ksp
