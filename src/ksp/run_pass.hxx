/*
   The launchers of passes. CMake compiles the lists of passes, by HEPTA_PASS in a _launch.cxx, for host and device. The form
   of a pass stands in pass.cuh.
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
