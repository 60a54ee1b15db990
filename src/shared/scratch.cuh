/* Device memory that a launcher needs while it works */
#pragma once

#include "cuda_check.cuh"

namespace hepta
{

/* One piece of memory, freed in the order of the stream by the destructor */
class Scratch {
public:
  explicit Scratch(cudaStream_t s) : stream(s) {}
  Scratch(const Scratch &)            = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch()
  {
    if (memory) (void)cudaFreeAsync(memory, stream);
  }

  /* Take(n, &p, m, &q, ...): p <- room for n elements of its type, q <- room for m, ...; may be called once */
  template <class... Args> Status Take(Args... args)
  {
    bytes = 0;
    Assign(nullptr, args...);
    const Status bad = bytes ? cuda_status(cudaMallocAsync(&memory, bytes, stream)) : nullptr;
    bytes            = 0;
    Assign((char *)memory, args...);
    return bad;
  }
  Status Zero() { return cuda_status(cudaMemsetAsync(memory, 0, bytes, stream)); }

private:
  cudaStream_t stream;
  void        *memory = nullptr;
  std::size_t  bytes  = 0;

  void                                   Assign(char *) {}
  template <class T, class... Rest> void Assign(char *base, std::size_t n, T **p, Rest... rest)
  {
    *p = base ? (T *)(base + bytes) : nullptr;
    bytes += (n * sizeof(T) + 255) / 256 * 256;
    Assign(base, rest...);
  }
};

/* Calls call(work, bytes), a function of CUB, twice: first for the size of the work space, then with the work space */
template <class F> Status with_work(cudaStream_t stream, const F &call)
{
  std::size_t bytes = 0;
  char       *work;
  Scratch     scratch(stream);

  Status bad = cuda_status(call((void *)nullptr, bytes));
  if (!bad) bad = scratch.Take(bytes, &work);
  return bad ? bad : cuda_status(call((void *)work, bytes));
}

} // namespace hepta
