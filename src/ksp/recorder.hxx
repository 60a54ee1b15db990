/*
   Work for the device recorded once and repeated, as a CUDA graph, and memory that host and device both address. Launchers
   like the others: they return nullptr or a sentence. Without CUDA none of this is there.
*/
#pragma once

#include "../shared/device.hxx"
#include "iteration.hxx"

namespace hepta::ksp
{

/* mapped_free() when the stream is through with what writes to the memory */
Status shared_free(void *p, Stream);

/* What is launched on the stream from here on is recorded, not run */
Status record(Stream);
/* *graph <- what was recorded, or null with a sentence if that cannot be repeated; ends the recording in any case */
Status record_end(Stream, void **graph);
/* Runs it once more, in the order of the stream */
Status replay(void *graph, Stream);
Status graph_free(void *graph);

/* What `from`, on the device, says beyond `to`, which the host reads: it sees an iteration when its entry is there. In the order of the stream. */
Status publish_cuda(const Report *from, Report *to, Stream);

/* Has all work on the stream ended, well or with an error? */
Status stream_idle(Stream, bool *idle);

} // namespace hepta::ksp
