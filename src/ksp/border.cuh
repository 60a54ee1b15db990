/*
   The pass over the border rows, which completes a product on several ranks. The product pass before it has multiplied with the rank's own columns while the ghost values were being sent. A pass P is a
   Pass with sums, first, begin(state) and end(state) as in pass.cuh, and

     ghosts(xg)       a function object that returns a ghost value of the vector that is multiplied, perhaps computed from values that were sent
     keep(j, x)       stores ghost value j if the method needs it
     add(i, Bx, sum)  adds Bx, the sum over the ghost columns, to row i of the product, and the row to the sums
*/
#pragma once

#include "../mat/blocked/blocked_row.hxx"
#include "sums.cuh"

namespace hepta::ksp
{

constexpr int border_blocks = 4; /* thread blocks of a multiprocessor, all of which are resident, so that none has to wait for another to end while it waits for the neighbors */

/* Reads ghost values from the ghost vector or, if that is null, from the mailbox; NaN if a neighbor is late */
struct Sent {
  const Scalar       *x;
  transport::Arriving arriving;

  __device__ __forceinline__ Scalar operator()(std::size_t j) const { return x ? x[j] : transport::receive<Scalar>(arriving.box, j, arriving.turn, *arriving.waiting); }
};

template <class P, class V> __global__ void __launch_bounds__(pass_threads, border_blocks) border_kernel(P p, const blocked::GhostView<V> B, const Scalar *xg, const __grid_constant__ transport::Mailboxes m)
{
  const std::size_t begin = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x, stride = std::size_t(gridDim.x) * blockDim.x;
  Scalar            sum[P::sums] = {};

  begin_pass(p.team);
  if (p.state->pause) return;
  if (p.begin(*p.state)) {
    const auto x = p.ghosts(Sent{xg, m.progress ? transport::arriving(m) : transport::Arriving{}});

    for (std::size_t e = begin; e < std::size_t(B.nb) * B.bs; e += stride) {
      const Index b = Index(e / B.bs), r = Index(e % B.bs);
      Scalar      Bx = 0;

      blocked::for_ghost_row(B, b, r, [&](Index j, std::size_t at) { Bx += Scalar(B.v[at]) * x(j); });
      p.add(std::size_t(B.row[b]) * B.bs + r, Bx, sum);
    }
    for (std::size_t j = begin; j < std::size_t(B.ng) * B.bs; j += stride) p.keep(j, x(j));
  }
#pragma unroll
  for (int k = 0; k < P::sums; k++) {
    if (!begin) sum[k] += p.state->sum[p.first + k]; /* the sums of the other rows */
  }
  if (m.progress) transport::end_exchange(m);
  end_pass(sum, p.first, p.state, p.partial, p.team, [&] {
    if (p.ends) p.end(*p.state);
  });
}

/* xg: the ghost values; or null, with the mailboxes in which they arrive */
template <class P, class V> Status launch_border(const P &p, const blocked::GhostView<V> &B, const Scalar *xg, const transport::Mailboxes *arriving, Stream stream)
{
  const std::size_t items = std::size_t(B.nb > B.ng ? B.nb : B.ng) * B.bs;

  return launch_next(true, border_kernel<P, V>, pass_blocks(items, pass_threads, border_blocks), dim3(pass_threads), 0, (cudaStream_t)stream, p, B, xg, arriving ? *arriving : transport::Mailboxes{});
}

} // namespace hepta::ksp
