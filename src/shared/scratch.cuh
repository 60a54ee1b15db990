/* Device memory that a launcher needs while it works */
#pragma once

#include "cuda_check.cuh"

namespace hepta
{

/* The pool that scratch memory and small tables come from: it keeps some of what is given back, since mapping memory anew takes longer than most launchers work */
Status scratch_pool(cudaMemPool_t *pool);

/* One piece of memory, given back in the order of the stream when this goes out of scope */
class Scratch {
public:
  explicit Scratch(cudaStream_t s) : stream(s) {}
  Scratch(const Scratch &)            = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch()
  {
    if (memory) (void)cudaFreeAsync(memory, stream);
  }

  /* Take(n, &p, m, &q, ...): p <- room for n of its type, q <- room for m, ...; once */
  template <class... Args> Status Take(Args... args)
  {
    cudaMemPool_t pool;

    bytes      = 0;
    Status bad = scratch_pool(&pool);
    Place(nullptr, args...);
    if (!bad && bytes) bad = cuda_status(cudaMallocFromPoolAsync(&memory, bytes, pool, stream));
    bytes = 0;
    Place((char *)memory, args...);
    return bad;
  }
  Status Zero() { return cuda_status(cudaMemsetAsync(memory, 0, bytes, stream)); }

private:
  cudaStream_t stream;
  void        *memory = nullptr;
  std::size_t  bytes  = 0;

  void                                   Place(char *) {}
  template <class T, class... Rest> void Place(char *base, std::size_t n, T **p, Rest... rest)
  {
    *p = base ? (T *)(base + bytes) : nullptr;
    bytes += (n * sizeof(T) + 255) / 256 * 256;
    Place(base, rest...);
  }
};

} // namespace hepta
