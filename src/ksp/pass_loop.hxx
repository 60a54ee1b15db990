/* The passes of pass.cuh as loops of the host */
#pragma once

#include "../shared/clones.hxx"
#include "iteration.hxx"

namespace hepta::ksp
{

constexpr std::size_t lanes = 8; /* independent partial sums, so that an addition need not wait for the previous one */

/* Calls f(m, sums) for m < n; sum <- the totals of the sums */
template <int N, class F> HEPTA_HD void sum_over(std::size_t n, Scalar *sum, F f)
{
  Scalar      part[lanes][N] = {};
  std::size_t m              = 0;

  for (; m + lanes <= n; m += lanes) {
    for (std::size_t l = 0; l < lanes; l++) f(m + l, part[l]);
  }
  for (; m < n; m++) f(m, part[0]);
  for (int k = 0; k < N; k++) {
    sum[k] = 0;
    for (std::size_t l = 0; l < lanes; l++) sum[k] += part[l][k];
  }
}

/* To be called in a function marked HEPTA_CLONES */
template <class P> HEPTA_HD void loop_pass(P p)
{
  State &s = *p.state;

  if (p.idle()) return;
  const std::size_t n = p.begin(s) ? p.n : 0;
  if constexpr (P::sums > 0) {
    sum_over<P::sums>(n, s.sum + p.first, [&](std::size_t i, Scalar sum[]) { p.put(i, p.get(i), sum); });
    if (p.ends) p.end(s);
  } else {
    for (std::size_t i = 0; i < n; i++) p.put(i, p.get(i), nullptr);
  }
}

/* Instances of run_pass() for a pass. target_clones takes no templates, so each pass has a plain function. */
#define HEPTA_PASS(...) \
  static HEPTA_CLONES void clone_loop(const __VA_ARGS__ &p) \
  { \
    loop_pass(p); \
  } \
  template <> Status run_pass(const HostEach &, const __VA_ARGS__ &p) \
  { \
    clone_loop(p); \
    return nullptr; \
  }
#define HEPTA_PASS_END(P)

} // namespace hepta::ksp
