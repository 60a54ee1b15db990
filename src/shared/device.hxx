/* Device memory for the PETSc side; the launchers return nullptr or a sentence */
#pragma once

#include "hepta_hd.hxx"

namespace hepta
{

/* cudaStream_t, without CUDA's headers */
using Stream = void *;

/*
   *p <- uninitialized memory of `bytes` bytes, to be used first in this stream; null when bytes is 0. The memory comes from the
   device's default pool, like PETSc's own arrays.
*/
Status device_alloc(std::size_t bytes, Stream, void **p);
/* frees p in the order of the stream; the host does not wait. counts: may a recording have the address? See device_frees(). */
Status device_free(void *p, Stream, bool counts = true);
/*
   *p <- memory that MPI can share among processes, unlike memory of a pool; device_free_sent() waits for all work on the device
*/
Status device_alloc_sent(std::size_t bytes, void **p);
Status device_free_sent(void *p);
/* pinned memory of the host, zeroed, that the device addresses as well: *p is its address for the host, *device (may be null) for
   the device */
Status mapped_alloc(std::size_t bytes, void **p, void **device);
Status mapped_free(void *p);
/* creates a stream that does not wait for the default stream */
Status new_stream(Stream *);
Status free_stream(Stream);
/* zeros the memory in the order of the stream */
Status device_zero(void *p, std::size_t bytes, Stream stream);
/* the number of times that device memory of recordings was freed; kept addresses are valid while this number does not change */
unsigned long device_frees();
/* to be called when memory is freed in another way, or reused */
void count_device_free();
/* both copies return when `to` holds the bytes */
Status copy_to_device(void *to, const void *from, std::size_t bytes, Stream stream);
Status copy_to_host(void *to, const void *from, std::size_t bytes, Stream stream);
/* copies in the order of the stream */
Status copy_on_device(void *to, const void *from, std::size_t bytes, Stream stream);

} // namespace hepta
