/*
   One loop for host and device: a launcher written as a template over Each serves both. The loop's body is a HEPTA_LAMBDA, called
   for every k < n in any order. X_launch.cxx, which CMake compiles for host and device, lists the instances, for HostEach and
   for DeviceEach, or a header that X_host.cxx and X_cuda.cu include. The PETSc side calls the launcher by HeptaLaunchEach().
*/
#pragma once

#include <cstdint>
#include <cstring>

#include "device.hxx"

#if defined(__CUDACC__)
  #define HEPTA_LAMBDA __device__
#else
  #define HEPTA_LAMBDA
#endif

namespace hepta
{

struct HostEach {
  template <class F> Status operator()(std::size_t n, F f) const
  {
    for (std::size_t k = 0; k < n; k++) f(k);
    return nullptr;
  }
};

/* Runs the loop in the order of the stream; defined in cuda_check.cuh */
struct DeviceEach {
  Stream                    stream;
  template <class F> Status operator()(std::size_t n, F f) const;
};

/* The bits of |a|, which are in the order of |a|; NaN has the largest bits */
HEPTA_HD std::uint64_t magnitude_bits(double a)
{
  std::uint64_t bits;

  memcpy(&bits, &a, sizeof(bits));
  return bits & 0x7fffffffffffffffULL;
}

/*
   Notes the least number of all calls, such as the first row with an error, whatever the order of the calls. *code starts as zero
   for no number and grows as the number shrinks; first_noted() decodes *code.
*/
HEPTA_HD void note_first(long long *code, long long k)
{
  const long long mark = 0x7fffffffffffffffLL - k;
#if defined(__CUDA_ARCH__)
  atomicMax(code, mark);
#else
  if (mark > *code) *code = mark;
#endif
}

/* *total <- *total + 1, atomically */
HEPTA_HD void note_one(long long *total)
{
#if defined(__CUDA_ARCH__)
  atomicAdd((unsigned long long *)total, 1ULL);
#else
  ++*total;
#endif
}

/* The number that note_first() noted, -1 for none */
HEPTA_HD long long first_noted(long long code)
{
  return code ? 0x7fffffffffffffffLL - code : -1;
}

} // namespace hepta

#if defined(__CUDACC__)
  #define HEPTA_EACH_HERE hepta::DeviceEach
#else
  #define HEPTA_EACH_HERE hepta::HostEach
#endif

/* Instances of templates over Each: of template <class E>, <class E, ...>, <class E, class V> for both types of stored values */
#define HEPTA_EACH(f)           HEPTA_INSTANCE(f, HEPTA_EACH_HERE)
#define HEPTA_EACH_WITH(f, ...) HEPTA_INSTANCE(f, HEPTA_EACH_HERE, __VA_ARGS__)
#define HEPTA_EACH_OF(f) \
  HEPTA_EACH_WITH(f, double) \
  HEPTA_EACH_WITH(f, float)
