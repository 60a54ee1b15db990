/* Loops of aggmg beyond Each: over rows, whose terms several threads share on a device, over the tiles of rows, and sums */
#pragma once

#include <cmath>
#include <cstring>

#include "../../shared/group.hxx"
#include "aggmg_kernels.hxx"

namespace hepta::aggmg
{

/* A number that looks random in its high bits: two steps of SplitMix64 */
HEPTA_HD std::uint64_t scrambled(std::uint64_t n)
{
  std::uint64_t h = n + 0x9e3779b97f4a7c15ULL;

  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
}

/* *largest <- max(*largest, x) of positive numbers, as bits, atomically */
HEPTA_HD void note_largest(long long *largest, double x)
{
  long long bits;

  memcpy(&bits, &x, sizeof(bits));
#if defined(__CUDA_ARCH__)
  atomicMax(largest, bits);
#else
  if (bits > *largest) *largest = bits;
#endif
}

HEPTA_HD double noted(long long largest)
{
  double x;

  memcpy(&x, &largest, sizeof(x));
  return x;
}

/* end(i, sum of part(i, lane, lanes) over the lanes, own(i)) for i < n, in any order, unless *stop; terms: of all rows, which tell how many lanes pay. own(i) is what the end needs, loaded before the terms. */
template <class O, class P, class F> Status each_row(const HostEach &, std::size_t n, std::size_t, const int *, O own, P part, F end)
{
  for (std::size_t i = 0; i < n; i++) end(i, part(i, 0, 1), own(i));
  return nullptr;
}

/* f(m, e) for all tiles e of rows m */
template <class F> Status each_tile(const HostEach &, const Pattern &A, std::size_t, F f)
{
  for (Index m = 0; m < A.rows; m++) {
    for (Index e = A.first[m]; e < A.first[m + 1]; e++) f(m, e);
  }
  return nullptr;
}

/* work[0] + ... + work[SUMS - 1] <- the sum of term(i) for i < n, in a fixed order; work has PARTS + SUMS numbers */
template <class F> Status sum_of(const HostEach &, std::size_t n, double *work, F term)
{
  double sum = 0;

  for (std::size_t i = 0; i < n; i++) sum += term(i);
  for (int k = 0; k < SUMS; k++) work[k] = k ? 0 : sum;
  return nullptr;
}

HEPTA_HD double take_sum(const double *work)
{
  double sum = 0;

  for (int k = 0; k < SUMS; k++) sum += work[k];
  return sum;
}


#if defined(__CUDACC__)
template <class O, class P, class F> __global__ void row_kernel(std::size_t n, int lanes, const int *stop, O own, P part, F end)
{
  const std::size_t thread = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x, i = thread / lanes, at = i < n ? i : n - 1;
  const int         lane   = int(thread % lanes);

  if (stop && *stop) return;
  const auto mine = own(at);
  auto       sum  = part(at, lane, lanes);
  for (int d = lanes / 2; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, lanes);
  if (i < n && !lane) end(i, sum, mine);
}

template <class O, class P, class F> Status each_row(const DeviceEach &each, std::size_t n, std::size_t terms, const int *stop, O own, P part, F end)
{
  int lanes = 1;

  while (lanes < 32 && terms > 4 * n * lanes) lanes *= 2; /* up to four terms each */
  const std::size_t blocks = (n * lanes + 255) / 256;
  if (n) row_kernel<<<(unsigned)blocks, 256, 0, (cudaStream_t)each.stream>>>(n, lanes, stop, own, part, end);
  return launched();
}

template <class F> Status each_tile(const DeviceEach &each, const Pattern &A, std::size_t entries, F f)
{
  return each(entries, [=] __device__(std::size_t e) { f(A.row[e], Index(e)); });
}

template <class F> Status sum_of(const DeviceEach &each, std::size_t n, double *work, F term)
{
  double *const part = work + SUMS;

  const Status bad = each(PARTS, [=] __device__(std::size_t k) {
    double sum = 0;
    for (std::size_t i = k; i < n; i += PARTS) sum += term(i);
    part[k] = sum;
  });
  return bad ? bad : each(SUMS, [=] __device__(std::size_t k) {
    double sum = 0;
    for (int i = int(k); i < PARTS; i += SUMS) sum += part[i];
    work[k] = sum;
  });
}
#endif

} // namespace hepta::aggmg
