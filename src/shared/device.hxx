/* Device memory for the PETSc side: launchers like the others, they return nullptr or a sentence */
#pragma once

#include "hepta_hd.hxx"

namespace hepta
{

/* cudaStream_t, without CUDA's headers */
using Stream = void *;

/* *p <- room for `bytes`, whatever is in it; null when bytes is 0 */
Status device_alloc(std::size_t bytes, void **p);
/* the same in the order of the stream, where it is used first, and sooner; but MPI cannot share such memory among processes */
Status device_alloc_own(std::size_t bytes, Stream stream, void **p);
/* in the order of the stream */
Status device_zero(void *p, std::size_t bytes, Stream stream);
/* waits for what uses p */
Status device_free(void *p);
/* how often that was done: addresses that were kept are still good if it is the same as then */
unsigned long device_frees();
/* both return when `to` holds the bytes */
Status copy_to_device(void *to, const void *from, std::size_t bytes, Stream stream);
Status copy_to_host(void *to, const void *from, std::size_t bytes, Stream stream);
/* in the order of the stream */
Status copy_on_device(void *to, const void *from, std::size_t bytes, Stream stream);

} // namespace hepta
