/* The passes of fused CG on the host */
#include "../../shared/clones.hxx"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

namespace
{

constexpr std::size_t lanes = 8; /* sums side by side, so that an addition need not wait for the one before */

/* Calls f(m, sums) for m < n, and gives the sums to the state */
template <class F> HEPTA_HD void sum_over(std::size_t n, State &state, F f)
{
  Scalar      sum[lanes][most_sums] = {};
  std::size_t m                     = 0;

  for (; m + lanes <= n; m += lanes) {
    for (std::size_t l = 0; l < lanes; l++) f(m + l, sum[l]);
  }
  for (; m < n; m++) f(m, sum[0]);
  for (int k = 0; k < most_sums; k++) {
    state.sum[k] = 0;
    for (std::size_t l = 0; l < lanes; l++) state.sum[k] += sum[l][k];
  }
}

HEPTA_CLONES void directions(const CG &c, Scalar *p, const Scalar *before)
{
  const Scalar beta = c.state->beta;

  for (std::size_t i = 0; i < c.n; i++) p[i] = c.z[i] + beta * before[i];
}

HEPTA_CLONES void product_sums(const CG &c, const Scalar *p)
{
  sum_over(c.n, *c.state, [&](std::size_t i, Scalar sum[]) { sum[0] += p[i] * c.q[i]; });
}

HEPTA_CLONES void update_outside(const CG &c, const Scalar *p)
{
  const Scalar alpha = c.state->alpha;

  for (std::size_t i = 0; i < c.n; i++) update_row<Inner::outside>(c, i, alpha, get_row<Inner::outside>(c, p, i), nullptr);
}

HEPTA_CLONES void update_identity(const CG &c, const Scalar *p)
{
  const Scalar alpha = c.state->alpha;

  sum_over(c.n, *c.state, [&](std::size_t i, Scalar sum[]) { update_row<Inner::identity>(c, i, alpha, get_row<Inner::identity>(c, p, i), sum); });
}

HEPTA_CLONES void update_diagonal(const CG &c, const Scalar *p)
{
  const Scalar alpha = c.state->alpha;

  sum_over(c.n, *c.state, [&](std::size_t i, Scalar sum[]) { update_row<Inner::diagonal>(c, i, alpha, get_row<Inner::diagonal>(c, p, i), sum); });
}

HEPTA_CLONES void update_blocks(const CG &c, const Scalar *p)
{
  const Scalar alpha = c.state->alpha;

  sum_over(c.n / c.bs, *c.state, [&](std::size_t m, Scalar sum[]) { update_block(c, m * c.bs, alpha, p, sum); });
}

HEPTA_CLONES void sums_with_z(const CG &c)
{
  sum_over(c.n, *c.state, [&](std::size_t i, Scalar sum[]) { add_sums(c, c.r[i], c.z[i], c.q[i], sum); });
}

} // namespace

Status direction_host(const CG &c)
{
  if (!c.state->pause) directions(c, direction(c, c.state->it), direction_before(c, c.state->it));
  return nullptr;
}

Status product_sum_host(const CG &c)
{
  if (c.state->pause) return nullptr;
  product_sums(c, direction(c, c.state->it));
  if (c.ends) end_direction(c, *c.state);
  return nullptr;
}

Status update_host(const CG &c)
{
  const Scalar *p = direction(c, c.state->it);

  if (c.state->pause) return nullptr;
  switch (c.inner) {
  case Inner::outside: update_outside(c, p); return nullptr;
  case Inner::identity: update_identity(c, p); break;
  case Inner::diagonal: update_diagonal(c, p); break;
  case Inner::blocks: update_blocks(c, p); break;
  }
  if (c.ends) end_update(c, *c.state);
  return nullptr;
}

Status inner_sums_host(const CG &c)
{
  if (c.state->pause) return nullptr;
  sums_with_z(c);
  if (c.ends) end_update(c, *c.state);
  return nullptr;
}

} // namespace hepta::ksp
