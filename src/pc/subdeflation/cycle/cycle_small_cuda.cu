/* The levels of few cells in one kernel: a cluster of thread blocks, which waits at barriers where kernels would begin and end */
#include <atomic>

#include <cooperative_groups.h>

#include "../../../shared/overlap.cuh"
#include "cycle_launch.hxx"
#include "cycle_small.hxx"

namespace hepta::cycle
{

constexpr int SMALL_BLOCKS  = 16; /* of the cluster: more than 8 are not portable, so the device is asked whether it holds them */
constexpr int SMALL_THREADS = 256;
constexpr int WARP          = 32;

/* All threads of the cluster */
struct Cluster {
  __device__ void sync() const
  {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync(); /* what one block has written before, the others read after */
#endif
  }
  template <class F> __device__ __forceinline__ void cells(const Grid &g, const F &f) const
  {
    const unsigned n0 = unsigned(g.n[0]), n1 = unsigned(g.n[1]), all = n0 * n1 * unsigned(g.n[2]);

    for (unsigned c = blockIdx.x * blockDim.x + threadIdx.x; c < all; c += gridDim.x * blockDim.x) {
      const unsigned line = c / n0, plane = line / n1;
      f(Index(c - line * n0), Index(line - plane * n1), Index(plane));
    }
    sync();
  }
  template <class T> __device__ __forceinline__ void dense(const Level<T> &L, std::size_t n, const double *inverse) const
  {
    const int lane = threadIdx.x % WARP;

    for (std::size_t e = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; e < n; e += gridDim.x * blockDim.x / WARP) {
      double sum = dense_row(L, n, inverse, e, lane, WARP);
      for (int step = WARP / 2; step; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
      if (!lane) L.z[place_of(L.g, Index(e))] = T(sum);
    }
    sync();
  }
};

template <int D, int B, class T> __global__ void __launch_bounds__(SMALL_THREADS, 1) small_kernel(T weight, const __grid_constant__ SmallLevels<T> S, std::size_t n, const double *inverse)
{
  let_next_begin();
  end_after_first();
  if (S.level[0].stop && *S.level[0].stop) return;
  solve_small<D, B>(Cluster(), weight, S, n, inverse);
}

static cudaLaunchConfig_t small_launch(cudaLaunchAttribute attribute[2], Stream stream)
{
  cudaLaunchConfig_t config = {};

  attribute[0].id                                         = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim                             = {SMALL_BLOCKS, 1, 1};
  attribute[1].id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[1].val.programmaticStreamSerializationAllowed = 1;
  config.gridDim                                          = dim3(SMALL_BLOCKS);
  config.blockDim                                         = dim3(SMALL_THREADS);
  config.stream                                           = (cudaStream_t)stream;
  config.attrs                                            = attribute;
  config.numAttrs                                         = 2;
  return config;
}

/* Boxes of two cells along all axes of all levels but the last? */
template <int D, class T> static bool has_pairs(const SmallLevels<T> &S)
{
  for (int l = 0; l + 1 < S.levels; l++) {
    for (int a = 0; a < D; a++) {
      if (S.level[l].g.box[a] != 2) return false;
    }
  }
  return true;
}

template <class T> Status solve_small_cuda(int D, T weight, const SmallLevels<T> &S, std::size_t n, const double *inverse, Stream stream)
{
  return by_axes(D, [&](auto axes) {
    constexpr int       d = axes;
    cudaLaunchAttribute attribute[2];
    const auto          config = small_launch(attribute, stream);
    const auto          launch = [&](auto side) { return cuda_status(cudaLaunchKernelEx(&config, small_kernel<d, side, T>, weight, S, n, inverse)); };

    return has_pairs<d>(S) ? launch(std::integral_constant<int, 2>()) : launch(std::integral_constant<int, 0>());
  });
}

/* Does the current device hold such a cluster? Asked once for each kernel and each of the first 64 devices */
template <int D, int B, class T> static bool kernel_fits()
{
  enum { unknown, no, yes };
  static std::atomic<int> known[64];
  cudaLaunchAttribute     attribute[2];
  int                     device = 64, clusters = 0, answer = unknown;

  (void)cudaGetDevice(&device);
  if (device < 64) answer = known[device].load(std::memory_order_relaxed);
  if (answer != unknown) return answer == yes;
  const cudaLaunchConfig_t config = small_launch(attribute, nullptr);
  if (cudaFuncSetAttribute(small_kernel<D, B, T>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess || cudaOccupancyMaxActiveClusters(&clusters, small_kernel<D, B, T>, &config) != cudaSuccess) (void)cudaGetLastError();
  answer = clusters > 0 ? yes : no;
  if (device < 64) known[device].store(answer, std::memory_order_relaxed);
  return answer == yes;
}

template <class T> bool small_levels_fit_cuda(int D)
{
  if (lowest_built() < 900 || device_attribute<cudaDevAttrComputeCapabilityMajor>() < 9) return false;
  bool fits = false;
  (void)by_axes(D, [&](auto axes) {
    fits = kernel_fits<axes, 2, T>() && kernel_fits<axes, 0, T>();
    return nullptr;
  });
  return fits;
}

#define HEPTA_CYCLE_SMALL(T) \
  template Status solve_small_cuda(int, T, const SmallLevels<T> &, std::size_t, const double *, Stream); \
  template bool   small_levels_fit_cuda<T>(int);
HEPTA_CYCLE_SMALL(float)
HEPTA_CYCLE_SMALL(double)

} // namespace hepta::cycle
