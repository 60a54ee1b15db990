/* Launchers of the passes of fused BiCGStab, as in ../product.hxx */
#pragma once

#include "../../shared/device.hxx"
#include "fusedbcgs_row.hxx"

namespace hepta::ksp
{

Status bcgs_direction_host(const BCGS &);
Status bcgs_half_host(const BCGS &);
Status bcgs_update_host(const BCGS &);

Status bcgs_direction_cuda(const BCGS &, Stream);
Status bcgs_half_cuda(const BCGS &, Stream);
Status bcgs_update_cuda(const BCGS &, Stream);
/* rank_sums_cuda(), and then the end of the iteration */
Status end_bcgs_cuda(const BCGS &, const RankSums &, Stream);

} // namespace hepta::ksp
