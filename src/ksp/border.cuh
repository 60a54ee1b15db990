/*
   The pass that ends a product on several ranks, over the border rows. The product pass before it has multiplied with the rank's own columns while the ghost values were under way. A pass P is a
   Pass with sums, first, begin(state) and end(state) as in pass.cuh, and

     ghosts(xg)       a function object that gives a ghost value of the vector that is multiplied, which may compute it from what has been sent
     keep(j, x)       takes ghost value j
     add(i, Bx, sum)  takes what row i of the product gets from them, and adds the row to the sums
*/
#pragma once

#include "../mat/blocked/blocked_row.hxx"
#include "sums.cuh"

namespace hepta::ksp
{

constexpr int border_blocks = 4; /* thread blocks of a multiprocessor, which holds as many at a time: none waits for another to end before it waits for the neighbors */

/* Ghost values, in the ghost vector or, if there is none, where they arrive; NaN where a neighbor is late */
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
    if (!begin) sum[k] += p.state->sum[p.first + k]; /* of the other rows */
  }
  if (m.progress) transport::end_exchange(m);
  end_pass(sum, p.first, p.state, p.partial, p.team, [&] {
    if (p.ends) p.end(*p.state);
  });
}

/* xg: the ghost values, or, if they arrive meanwhile, null and their mailboxes */
template <class P, class V> Status launch_border(const P &p, const blocked::GhostView<V> &B, const Scalar *xg, const transport::Mailboxes *arriving, Stream stream)
{
  const std::size_t items = std::size_t(B.nb > B.ng ? B.nb : B.ng) * B.bs;

  return launch_next(true, border_kernel<P, V>, pass_blocks(items, pass_threads, border_blocks), dim3(pass_threads), 0, (cudaStream_t)stream, p, B, xg, arriving ? *arriving : transport::Mailboxes{});
}

} // namespace hepta::ksp
