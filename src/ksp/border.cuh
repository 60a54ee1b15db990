/*
   The pass over the border rows, which completes a product on several ranks. The preceding product pass has multiplied with the
   rank's own columns while the ghost values were being sent, and has left the sums of its thread blocks to the border pass
   (Pass::leaves). A border pass P is a Pass with sums, first, begin(state), whose result is not used here, and end(state) as in
   pass.cuh, and

     ghosts(xg)       a ghost function object as in blocked_arriving.cuh for the multiplied vector, sent or computed
     keep(x, j)       stores ghost value j of the ghost function object x if the method needs the value
     add(i, Bx, sum)  adds Bx, the sum over the ghost columns, to row i of the product, and the row to the sums

   Where the values arrive in a mailbox, begin(), ghosts() and keep() may be called before the product pass has ended.
*/
#pragma once

#include "../mat/blocked/blocked_arriving.cuh"
#include "sums.cuh"

namespace hepta::ksp
{

/*
   thread blocks of a multiprocessor, all resident once the product has ended, so that no block waits for the end of a block that
   waits for the neighbors
*/
constexpr int border_blocks = 4;

/* Ghost values in the ghost vector or, if that is null, in the mailbox */
struct Sent {
  const Scalar    *x;
  blocked::Arrived arrived;

  __device__ __forceinline__ void operator()(std::size_t j, int n, Scalar (&to)[blocked::ghosts_at_once]) const
  {
    if (!x) arrived(j, n, to);
    else {
#pragma unroll
      for (int u = 0; u < blocked::ghosts_at_once; u++) {
        if (u < n) to[u] = x[j + u];
      }
    }
  }
};

template <class P, class V>
__global__ void __launch_bounds__(pass_threads, border_blocks)
  border_kernel(P p, const blocked::GhostView<V> B, const Scalar *xg, const __grid_constant__ transport::Mailboxes m)
{
  const std::size_t begin = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x, stride = std::size_t(gridDim.x) * blockDim.x;
  Scalar            sum[P::sums] = {};

  begin_pass(p.team, m.progress);
  if (p.state->pause) return end_after_first();
  p.begin(*p.state);
  const auto x = p.ghosts(Sent{xg, m.progress ? blocked::Arrived{transport::arriving(m)} : blocked::Arrived{}});
  for (std::size_t j = begin; j < std::size_t(B.ng) * B.bs; j += stride) p.keep(x, j);
  blocked::for_arriving_rows(B, x, [&](std::size_t i, Scalar Bx) { p.add(i, Bx, sum); });
  if (m.progress) transport::end_exchange(m);
  /* read past the first-level cache, which may hold an older `left` from before the end of the product pass */
  end_pass(sum, p.first, p, __ldcg(&p.state->left), [&](State &s) {
    if (p.ends) p.end(s);
  });
}

/* xg: the ghost values, or null with the mailboxes in which the ghost values arrive */
template <class P, class V>
Status launch_border(const P &p, const blocked::GhostView<V> &B, const Scalar *xg, const transport::Mailboxes *arriving,
                     Stream stream)
{
  const std::size_t items = std::size_t(B.nb > B.ng ? B.nb : B.ng) * B.bs;

  return launch_next(true, border_kernel<P, V>, pass_blocks(items, pass_threads, border_blocks), dim3(pass_threads), 0,
                     (cudaStream_t)stream, p, B, xg, arriving ? *arriving : transport::Mailboxes{});
}

} // namespace hepta::ksp
