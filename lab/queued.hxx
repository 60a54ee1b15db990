/* Times of operations that the device runs without waiting for the host */
#pragma once

#include <functional>

#include "shared/hepta_hd.hxx"

namespace hepta
{

/*
   *us <- microseconds that the device needs for what f launches on the stream, beginning when f has returned: a kernel that ends
   `hold` microseconds later precedes it. *launching <- the microseconds of f: if more than `hold`, *us has gaps.
*/
Status time_queued_cuda(double hold, const std::function<void()> &f, void *stream, double *us, double *launching);

} // namespace hepta
