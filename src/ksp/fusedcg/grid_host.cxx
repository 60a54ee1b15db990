/* The product pass of CG in float on the host */
#include "../../shared/unroll.hxx"
#include "../pass_loop.hxx"
#include "grid_kernels.hxx"

namespace hepta::ksp
{

/* p <- z + beta p, then q <- A p and the sum */
template <int D> HEPTA_HD void product_loop(const GridCG &given)
{
  const GridCG c = given;
  float *const p = c.p[0], *const q = c.q;
  const float *const z    = c.z;
  State             &s    = *c.state;
  const float        beta = float(s.beta);

  if (s.pause) return;
#pragma GCC ivdep
  for (Index m = -c.halo; m < c.cells + c.halo; m++) p[m] = z[m] + beta * p[m];
#pragma GCC ivdep
  for (Index m = 0; m < c.cells; m++) {
    const float own = p[m];
    float       sum = c.matrix.row_sum[m] * own;
    HEPTA_DEVICE_UNROLL
    for (int a = 0; a < D; a++) {
      const Index n = c.step[a];
      sum += c.matrix.a[a][m] * (p[m + n] - own) + c.matrix.a[a][m - n] * (p[m - n] - own);
    }
    q[m] = sum;
  }
  sum_over<1>(std::size_t(c.cells), s.sum + index_pq, [=](std::size_t m, Scalar sum[]) { sum[0] += Scalar(p[m]) * q[m]; });
}

#define HEPTA_GRID_PRODUCT(D) \
  static HEPTA_CLONES void product_##D(const GridCG &c) \
  { \
    product_loop<D>(c); \
  }
HEPTA_GRID_PRODUCT(1)
HEPTA_GRID_PRODUCT(2)
HEPTA_GRID_PRODUCT(3)

Status grid_product_host(const GridCG &c)
{
  c.axes == 1 ? product_1(c) : c.axes == 2 ? product_2(c) : product_3(c);
  return nullptr;
}

} // namespace hepta::ksp
