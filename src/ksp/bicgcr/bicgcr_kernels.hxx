/* Launchers of the passes of BiCGCR, as in ../product.hxx */
#pragma once

#include "../../shared/device.hxx"
#include "bicgcr_row.hxx"

namespace hepta::ksp
{

Status bicgcr_update_host(const BiCGCR &);
Status bicgcr_direction_host(const BiCGCR &);
Status bicgcr_sum_host(const BiCGCR &);

Status bicgcr_update_cuda(const BiCGCR &, Stream);
Status bicgcr_direction_cuda(const BiCGCR &, Stream);
Status bicgcr_sum_cuda(const BiCGCR &, Stream);
/* rank_sums_cuda(), and then the end of the iteration */
Status end_bicgcr_cuda(const BiCGCR &, const RankSums &, Stream);

} // namespace hepta::ksp
