/*
   Passes over the rows of vectors on the device. A pass P is a Pass with

     sums, first    the number of sums, and the index of the first sum in State::sum
     Row            the values of a row that the pass reads
     idle()         true if the pass does nothing; Pass has an idle() for the pause of the iterations
     begin(state)   takes the scalars that the pass needs; false if the scalars are not usable and no row may change
     get(i)         reads row i
     put(i, row, sum)   writes row i and adds to the sums
     end(state)     called after the sums are complete

   Pass has an empty begin() and an empty end(). Each thread has the loads of several rows in flight at once.
*/
#pragma once

#include "iteration.hxx"
#include "sums.cuh"

namespace hepta::ksp
{

constexpr int rows_in_flight = 4; /* the rows whose loads a thread has in flight at once */
constexpr int row_blocks     = 3; /* thread blocks of a multiprocessor with so many rows in flight */

template <class P> __global__ void __launch_bounds__(pass_threads, row_blocks) pass_kernel(P p)
{
  constexpr int     U                          = rows_in_flight;
  const std::size_t stride                     = std::size_t(gridDim.x) * blockDim.x;
  Scalar            sum[P::sums ? P::sums : 1] = {};

  begin_pass(p.team);
  if (p.idle()) return;
  const std::size_t n = p.begin(*p.state) ? p.n : 0;
  for (std::size_t first = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; first < n; first += U * stride) {
    typename P::Row row[U];

#pragma unroll
    for (int u = 0; u < U; u++) {
      if (first + u * stride < n) row[u] = p.get(first + u * stride);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
      if (first + u * stride < n) p.put(first + u * stride, row[u], sum);
    }
  }
  if constexpr (P::sums > 0) {
    end_pass(sum, p.first, p, 0, [&](State &s) {
      if (p.ends) p.end(s);
    });
  }
}

template <class E, class P> Status run_pass(const E &each, const P &p)
{
  return launch_next(true, pass_kernel<P>, pass_blocks(p.n, rows_in_flight * pass_threads, row_blocks), dim3(pass_threads), 0,
                     (cudaStream_t)each.stream, p);
}

/* Instances of run_pass() for a pass, and of end_pass_cuda() */
#define HEPTA_PASS(...)   template Status run_pass(const DeviceEach &, const __VA_ARGS__ &);
#define HEPTA_PASS_END(P) template Status end_pass_cuda(const P &, const RankSums &, Stream);

} // namespace hepta::ksp
