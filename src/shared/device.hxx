/* Device memory for the PETSc side: launchers like the others, they return nullptr or a sentence */
#pragma once

#include "hepta_hd.hxx"

namespace hepta
{

/* cudaStream_t, without CUDA's headers */
using Stream = void *;

/* *p <- room for `bytes`, whatever is in it, to be used first in this stream; null when bytes is 0. It comes from the device's default pool, like PETSc's own arrays. */
Status device_alloc(std::size_t bytes, Stream, void **p);
/* gives p back when the stream is through with what it has been given; nothing waits */
Status device_free(void *p, Stream);
/* the same of memory that MPI can share among processes, which memory of a pool is not; the second waits for all that runs on the device */
Status device_alloc_sent(std::size_t bytes, void **p);
Status device_free_sent(void *p);
/* memory of the host that copies from the device need not wait for and the device addresses as well, zeroed: *p for the host, *device (may be null) for the device */
Status mapped_alloc(std::size_t bytes, void **p, void **device);
Status mapped_free(void *p);
/* one that does not wait for the default stream */
Status new_stream(Stream *);
Status free_stream(Stream);
/* in the order of the stream */
Status device_zero(void *p, std::size_t bytes, Stream stream);
/* how often memory was given back: addresses that were kept are still good if it is the same as then */
unsigned long device_frees();
/* for memory that is given back in another way, or used for something else */
void count_device_free();
/* both return when `to` holds the bytes */
Status copy_to_device(void *to, const void *from, std::size_t bytes, Stream stream);
Status copy_to_host(void *to, const void *from, std::size_t bytes, Stream stream);
/* in the order of the stream */
Status copy_on_device(void *to, const void *from, std::size_t bytes, Stream stream);

} // namespace hepta
