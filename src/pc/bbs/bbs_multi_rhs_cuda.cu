/*
   Engine `together`: many right-hand sides at once. A warp solves a row for a pack of 32 vectors. The 32 values of a row are
   contiguous: one access of a warp. Entries are read from the factors, once for 32 vectors. Rows are taken by level; a warp waits
   for each value, which is its own flag.
*/
#include "bbs_device.cuh"

namespace hepta::bbs
{

constexpr int      side  = pack_size;
constexpr int      batch = 4; /* values that a lane waits for at once */
constexpr unsigned warps = 8, threads = side * warps;

/*
   v.work has the right-hand sides of all packs, then the solutions. rhs_at(), solution_at(): row i of the pack from vector
   `first` on.
*/
__device__ static Scalar *rhs_at(const Vectors &v, Index n, int first, Index i)
{
  return (Scalar *)v.work + std::size_t(first) * n + std::size_t(i) * side;
}

__device__ static Scalar *solution_at(const Vectors &v, Index n, int first, Index i)
{
  return rhs_at(v, n, first + packs_of(v) * side, i);
}

/*
   Transposes the right-hand sides of 32 rows and a pack into v.work, through shared memory for coalesced loads and stores; marks
   the solutions as unset
*/
static __global__ void __launch_bounds__(threads) collect_kernel(Index n, const __grid_constant__ Vectors v)
{
  __shared__ Scalar tile[side][side + 1];
  const int         lane = int(threadIdx.x % side), warp = int(threadIdx.x / side), first = int(blockIdx.y) * side;
  const Index       begin = Index(blockIdx.x) * side;

  for (int k = warp; k < side && first + k < v.count; k += warps) {
    if (begin + lane < n) tile[k][lane] = right_hand_side(v, first + k, begin + lane);
  }
  __syncthreads();
  for (int r = warp; r < side && begin + r < n && first + lane < v.count; r += warps) {
    rhs_at(v, n, first, begin + r)[lane]      = tile[lane][r];
    solution_at(v, n, first, begin + r)[lane] = from_bits<Scalar>(unset<Scalar>);
  }
}

/*
   Transposes the solutions back to columns. Rows of a diagonal block that belong to another thread block are read from global
   memory.
*/
static __global__ void __launch_bounds__(threads) store_kernel(Index n, const __grid_constant__ Vectors v)
{
  __shared__ Scalar tile[side][side + 1];
  const int         lane = int(threadIdx.x % side), warp = int(threadIdx.x / side), first = int(blockIdx.y) * side;
  const Index       begin = Index(blockIdx.x) * side;

  for (int r = warp; r < side && begin + r < n && first + lane < v.count; r += warps)
    tile[lane][r] = solution_at(v, n, first, begin + r)[lane];
  __syncthreads();
  for (int k = warp; k < side && first + k < v.count && begin + lane < n; k += warps) {
    store_solution(v, first + k, begin + lane,
                   [&](Index c) { return c >= begin && c < begin + side ? tile[k][c - begin] : solution_at(v, n, first, c)[k]; });
  }
}

/* sum += the products of `count` entries with values of this lane's vector, whose solution is y; lane e has the e-th entry */
__device__ static void add_products(bool mine, int count, Index column, Scalar value, const Scalar *y, Scalar &sum)
{
  for (int e = 0; e < count; e += batch) {
    Index  j[batch];
    Scalar x[batch];
    for (int u = 0; u < batch; u++) {
      j[u] = __shfl_sync(0xffffffffu, column, e + u);
      x[u] = mine && e + u < count ? from_bits<Scalar>(unset<Scalar>) : Scalar(0);
    }
    while (!look_for(x, [&](int u) { return y + std::size_t(j[u]) * side; })) continue;
    for (int u = 0; u < batch; u++) {
      const Scalar a = __shfl_sync(0xffffffffu, value, e + u);
      if (e + u < count) sum += a * x[u];
    }
  }
}

/* A thread block takes rows of a pack when it begins, in the order of the levels: it waits only for rows taken before */
static __global__ void __launch_bounds__(threads, 6)
  rows_kernel(const __grid_constant__ Blocks B, bool upper, bool scale, const __grid_constant__ Vectors v, unsigned packs,
              unsigned *ticket)
{
  __shared__ unsigned taken;

  if (threadIdx.x == 0) taken = atomicInc(ticket, gridDim.x - 1); /* the last thread block resets ticket to zero */
  __syncthreads();
  const StrictTriangle T = {B.n, B.bs, upper, B.i, B.j, B.diag};
  const Index          n = B.n * B.bs, k = Index(taken / packs * warps + threadIdx.x / side);
  const int            lane = int(threadIdx.x % side), first = int(taken % packs) * side;
  if (k >= n) return;
  const Index i = B.order[k / B.bs] * B.bs + k % B.bs, length = strict_length(T, i);
  const bool  mine = first + lane < v.count;
  Scalar     *y    = solution_at(v, n, first, 0) + lane;
  Scalar      sum  = mine ? rhs_at(v, n, first, i)[lane] : Scalar(0);

  for (Index begin = 0; begin < length; begin += side) {
    const Index  e = begin + lane, column = e < length ? strict_column(T, i, e) : 0;
    const Scalar value = e < length ? solve_value(B, scale, strict_source(T, i, e)) : Scalar(0);
    add_products(mine, int(length - begin < side ? length - begin : side), column, value, y, sum);
  }
  if (mine) publish(y + std::size_t(i) * side, sum);
}

Status solve_multi_rhs_cuda(const Blocks &B, bool upper, bool scale, const Vectors &v, unsigned *ticket, Stream s)
{
  const cudaStream_t stream = (cudaStream_t)s;
  const Index        n      = B.n * B.bs;
  const unsigned     packs = unsigned(packs_of(v)), groups = unsigned((n + Index(warps) - 1) / Index(warps));
  const dim3         tiles(unsigned((n + side - 1) / side), packs);

  if (!n || !v.count) return nullptr;
  collect_kernel<<<tiles, threads, 0, stream>>>(n, v);
  Status bad = launched();
  if (bad) return bad;
  rows_kernel<<<groups * packs, threads, 0, stream>>>(B, upper, scale, v, packs, ticket);
  bad = launched();
  if (bad) return bad;
  store_kernel<<<tiles, threads, 0, stream>>>(n, v);
  return launched();
}

} // namespace hepta::bbs
