/* Sums with dpcg's deflation vectors on the host */
#include "recycle_kernels.hxx"

namespace hepta::ksp
{

Status recycle_sums_host(std::size_t n, Index groups, const float *w, const float *aw, const Scalar *r, const Scalar *z, Scalar *,
                         Scalar *q)
{
  for (Index g = 0; g < groups; g++) {
    const Four *wg = (const Four *)w + g * n, *ag = (const Four *)aw + g * n;
    Scalar      sum[recycle_group] = {};

    for (std::size_t i = 0; i < n; i++) {
      for (int e = 0; e < recycle_group; e++) sum[e] += Scalar(wg[i].of[e]) * r[i] - Scalar(ag[i].of[e]) * z[i];
    }
    for (int e = 0; e < recycle_group; e++) q[g * recycle_group + e] = sum[e];
  }
  return nullptr;
}

} // namespace hepta::ksp
