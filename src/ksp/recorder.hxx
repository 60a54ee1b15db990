/*
   CUDA graphs, which record work for the device once and replay it. The launchers return nullptr or a sentence, and exist only
   with CUDA.
*/
#pragma once

#include "../shared/device.hxx"
#include "iteration.hxx"

namespace hepta::ksp
{

/* From here on launches in the stream are recorded, not run */
Status record(Stream);
/*
   Ends the recording; *graph <- the recorded graph, or null with a sentence if the graph cannot be replayed; *kernels <- the
   number of its kernels
*/
Status record_end(Stream, void **graph, int *kernels);
/* Replays the graph in the order of the stream */
Status replay(void *graph, Stream);
Status graph_free(void *graph);

/*
   Copies the iterations of `from`, on the device, that are not yet in `to`, which the host reads; the host sees an iteration's
   number only after its entry. In the order of the stream.
*/
Status publish_cuda(const Report *from, Report *to, Stream);

/* Has all work in the stream ended, with success or an error? */
Status stream_idle(Stream, bool *idle);

} // namespace hepta::ksp
