/* The passes of fused CG on the host; at the end the passes with a single reduction */
#include "../pass_loop.hxx"
#include "float_launch.hxx"

namespace hepta::ksp
{

HEPTA_HOST_PASS(direction, CG, NewDirection<Scalar>)
HEPTA_HOST_PASS(inner_sums, CG, InnerSums<Scalar>)

/* The launcher of the update of vectors of T */
#define HEPTA_UPDATE(T) \
  static HEPTA_CLONES void update_outside(const CGOf<T> &c) \
  { \
    loop_pass(pass_of<Update<T, Inner::outside>>(c)); \
  } \
  static HEPTA_CLONES void update_identity(const CGOf<T> &c) \
  { \
    loop_pass(pass_of<Update<T, Inner::identity>>(c)); \
  } \
  static HEPTA_CLONES void update_diagonal(const CGOf<T> &c) \
  { \
    loop_pass(pass_of<Update<T, Inner::diagonal>>(c)); \
  } \
  static HEPTA_CLONES void update_blocks(const CGOf<T> &c) \
  { \
    loop_pass(by_blocks(c)); \
  }
HEPTA_UPDATE(double)
HEPTA_UPDATE(float)

template <class T> Status update_host(const CGOf<T> &c, Inner inner)
{
  switch (inner) {
  case Inner::outside: update_outside(c); break;
  case Inner::identity: update_identity(c); break;
  case Inner::diagonal: update_diagonal(c); break;
  case Inner::blocks: update_blocks(c); break;
  }
  return nullptr;
}

HEPTA_INSTANCES(update_host)

/* y <- A x */
HEPTA_HD void multiply_floats(const bdia::View<float> &A, const float *x, float *y)
{
  for (Index i = 0; i < A.all_rows(); i++) {
    Scalar sum = 0;

    bdia::for_row(A, i, [&](Index j, std::size_t slot) { sum += Scalar(A.v[slot]) * x[j]; });
    y[i] = float(sum);
  }
}

static HEPTA_CLONES void float_direction(const CGOf<float> &c, const bdia::View<float> &A)
{
  const float *const p = c.p[0];

  loop_pass(pass_of<NewDirection<float>>(c));
  multiply_floats(A, p, c.q);
  sum_over<1>(c.n, c.state->sum + index_pq, [&](std::size_t i, Scalar sum[]) { sum[0] += Scalar(p[i]) * c.q[i]; });
}

static HEPTA_CLONES void float_inner(const CGOf<float> &c, const bdia::View<float> &M)
{
  multiply_floats(M, c.r, c.z);
  loop_pass(pass_of<InnerSums<float>>(c));
}

Status float_direction_host(const CGOf<float> &c, const bdia::View<float> &A)
{
  if (!c.state->pause) float_direction(c, A);
  return nullptr;
}

Status float_inner_host(const CGOf<float> &c, const bdia::View<float> &M)
{
  if (!c.state->pause) float_inner(c, M);
  return nullptr;
}

HEPTA_HOST_PASS(single_sums, SingleCG, SingleSums)
HEPTA_HOST_PASS(step_outside, SingleCG, SingleStep<Inner::outside>)
HEPTA_HOST_PASS(step_identity, SingleCG, SingleStep<Inner::identity>)
HEPTA_HOST_PASS(step_diagonal, SingleCG, SingleStep<Inner::diagonal>)

Status single_step_host(const SingleCG &c, Inner inner)
{
  return inner == Inner::identity   ? step_identity_host(c)
         : inner == Inner::diagonal ? step_diagonal_host(c)
                                    : step_outside_host(c);
}

} // namespace hepta::ksp
