/* The product pass of CG in float on the device */
#include <algorithm>

#include "../sums.cuh"
#include "grid_kernels.hxx"

namespace hepta::ksp
{

namespace
{

constexpr int WARP = 32, FOUR = 4;

struct alignas(16) Four {
  float v[FOUR];
};

__device__ __forceinline__ Four four_at(const float *p)
{
  return *reinterpret_cast<const Four *>(p);
}

/* The new direction, z + beta p */
struct NewP {
  const float *z, *p;
  float        beta;

  __device__ __forceinline__ float one(std::ptrdiff_t m) const { return z[m] + beta * p[m]; }
  __device__ __forceinline__ Four  four(std::ptrdiff_t m) const
  {
    const Four a = four_at(z + m), b = four_at(p + m);

    return {{a.v[0] + beta * b.v[0], a.v[1] + beta * b.v[1], a.v[2] + beta * b.v[2], a.v[3] + beta * b.v[3]}};
  }
};

/* sum <- sum + a (p of the neighbors - own) */
__device__ __forceinline__ void add_neighbors(const Four &a, const Four &p, const Four &own, Four &sum)
{
#pragma unroll
  for (int k = 0; k < FOUR; k++) sum.v[k] += a.v[k] * (p.v[k] - own.v[k]);
}

/* Four numbers, shifted by one: before, then own without its last number */
__device__ __forceinline__ Four shifted_up(float before, const Four &own)
{
  return {{before, own.v[0], own.v[1], own.v[2]}};
}

__device__ __forceinline__ Four shifted_down(const Four &own, float after)
{
  return {{own.v[1], own.v[2], own.v[3], after}};
}

/* The neighbors along the first axis, from the adjacent lanes but for the ends of the warp */
__device__ __forceinline__ void add_along(const float *coupling, const NewP &p, std::ptrdiff_t m, const Four &own, Four &sum)
{
  const int  lane   = threadIdx.x % WARP;
  const Four a      = four_at(coupling + m);
  float      p_left = __shfl_up_sync(~0u, own.v[3], 1), a_left = __shfl_up_sync(~0u, a.v[3], 1);
  float      p_right = __shfl_down_sync(~0u, own.v[0], 1);

  if (lane == 0) p_left = p.one(m - 1), a_left = coupling[m - 1];
  if (lane == WARP - 1) p_right = p.one(m + FOUR);
  add_neighbors(a, shifted_down(own, p_right), own, sum);
  add_neighbors(shifted_up(a_left, a), shifted_up(p_left, own), own, sum);
}

/*
   Four cells of a plane in a thread, which goes through the planes first to end - 1. Each plane's direction is read and computed
   once; the directions of the neighbors' planes before the first plane and after the last plane are stored too. A plane is flat:
   the neighbors of a line's last cell along the first axis are cells of other lines, with a coupling of zero.
*/
template <int D>
__device__ __forceinline__ void march(const GridCG &c, const NewP &p, float *to, Index x, bool mine, Index first, Index end,
                                      Scalar &pq)
{
  const std::ptrdiff_t plane = D == 1 ? 0 : c.step[D - 1];
  std::ptrdiff_t       m     = x + first * plane;
  Four                 own = p.four(m), before = own, a_before = {};

  if (D > 1) before = p.four(m - plane), a_before = four_at(c.matrix.a[D - 1] + m - plane);
  if (c.halo && mine && first == 0) *reinterpret_cast<Four *>(to + m - plane) = before;
  for (Index k = first; k < end; k++, m += plane) {
    const Four after = D > 1 ? p.four(m + plane) : own, s = four_at(c.matrix.row_sum + m);
    Four       sum;
#pragma unroll
    for (int n = 0; n < FOUR; n++) sum.v[n] = s.v[n] * own.v[n];
    add_along(c.matrix.a[0], p, m, own, sum);
    if constexpr (D > 2) {
      const Index line = c.step[1];
      add_neighbors(four_at(c.matrix.a[1] + m), p.four(m + line), own, sum);
      add_neighbors(four_at(c.matrix.a[1] + m - line), p.four(m - line), own, sum);
    }
    if constexpr (D > 1) {
      const Four b = four_at(c.matrix.a[D - 1] + m);
      add_neighbors(b, after, own, sum);
      add_neighbors(a_before, before, own, sum);
      a_before = b;
    }
    if (mine) {
      *reinterpret_cast<Four *>(to + m)  = own;
      *reinterpret_cast<Four *>(c.q + m) = sum;
#pragma unroll
      for (int n = 0; n < FOUR; n++) pq += Scalar(own.v[n]) * sum.v[n];
    }
    before = own;
    own    = after;
  }
  if (c.halo && mine && end == c.planes) *reinterpret_cast<Four *>(to + m) = own;
}

/* Tiles of pass_threads times four cells of `planes` planes */
template <int D>
__global__ void __launch_bounds__(pass_threads) grid_product_kernel(GridCG c, Index across, Index along, Index planes)
{
  Scalar sum[1] = {};

  begin_pass(c.team);
  if (c.state->pause) return;
  const int   it    = c.state->it;
  const NewP  p     = {c.z, direction_before(c, it), float(c.state->beta)};
  float      *to    = direction(c, it);
  const Index plane = c.planes ? c.cells / c.planes : FOUR, last = plane - FOUR;
  for (Index tile = Index(blockIdx.x); tile < across * along; tile += Index(gridDim.x)) {
    const Index x = (tile % across * pass_threads + Index(threadIdx.x)) * FOUR, first = tile / across * planes;
    march<D>(c, p, to, x <= last ? x : last, x <= last, first, min(first + planes, c.planes), sum[0]);
  }
  end_pass(sum, index_pq, c, 0, [](State &) {});
}

template <int D> Status launch_product(const GridCG &c, Stream stream)
{
  const Index plane  = c.planes ? c.cells / c.planes : 0; /* an MPI process may have no planes */
  const Index across = (plane / FOUR + pass_threads - 1) / pass_threads, room = Index(processors()) * 8;
  const Index planes = std::clamp<Index>(Index((long long)across * c.planes / room), 1, 16),
              along  = (c.planes + planes - 1) / planes;

  return launch_next(true, grid_product_kernel<D>, pass_blocks(std::size_t(across) * along, 1, blocks_of_device),
                     dim3(pass_threads), 0, (cudaStream_t)stream, c, across, along, planes);
}

} // namespace

Status grid_product_cuda(const GridCG &c, Stream stream)
{
  return c.axes == 1 ? launch_product<1>(c, stream) : c.axes == 2 ? launch_product<2>(c, stream) : launch_product<3>(c, stream);
}

} // namespace hepta::ksp
