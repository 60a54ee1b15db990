#include <chrono>

#include "queued.hxx"
#include "shared/cuda_check.cuh"

namespace hepta
{

static __global__ void hold_kernel(unsigned long long ns)
{
  unsigned long long begin, now;

  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < ns);
}

Status time_queued_cuda(double hold, const std::function<void()> &f, void *stream, double *us, double *launching)
{
  const auto  on    = (cudaStream_t)stream;
  cudaEvent_t begin = nullptr, end = nullptr;
  float       ms = 0;

  Status bad = cuda_status(cudaEventCreate(&begin));
  if (!bad) bad = cuda_status(cudaEventCreate(&end));
  if (!bad) bad = cuda_status(cudaStreamSynchronize(on));
  if (!bad) {
    const auto start = std::chrono::steady_clock::now();
    hold_kernel<<<1, 1, 0, on>>>((unsigned long long)(1e3 * hold));
    cudaEventRecord(begin, on);
    f();
    cudaEventRecord(end, on);
    *launching = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    bad        = launched();
  }
  if (!bad) bad = cuda_status(cudaEventSynchronize(end));
  if (!bad) bad = cuda_status(cudaEventElapsedTime(&ms, begin, end));
  if (begin) cudaEventDestroy(begin);
  if (end) cudaEventDestroy(end);
  *us = 1e3 * ms;
  return bad;
}

} // namespace hepta
