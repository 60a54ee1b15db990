/*
   The launchers of passes. Sources that list passes by HEPTA_PASS are compiled for host and device (CMake's hepta_launchers());
   the form of a pass stands in pass.cuh.
*/
#pragma once

#include "iteration.hxx"

namespace hepta::ksp
{

/* Runs the pass, which does nothing while the state's `pause` is set; on the device in the order of the stream */
template <class E, class P> Status run_pass(const E &, const P &);
/* Adds the sums of all ranks, and then calls end(state) of the pass */
template <class P> Status end_pass_cuda(const P &, const RankSums &, Stream);

} // namespace hepta::ksp
