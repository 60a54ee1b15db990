/*
   Overlap of two successive kernels of a stream that do not depend on each other: the first lets the next begin, and the next ends after the first, so that later
   kernels find both done. Devices before compute capability 9, and code built for them, run them one after the other. Capturing such a pair into a graph takes CUDA 12.3 or later.
   The launches themselves, also of clusters of thread blocks, which share their memories, and with more shared memory than a kernel has without asking.
*/
#pragma once

#include "cuda_check.cuh"
#include "processors.cuh"

namespace hepta
{

/* The lowest architecture that the library has code for, as in __CUDA_ARCH__: 900 for sm_90 */
constexpr int lowest_built()
{
#if defined(__CUDA_ARCH_LIST__)
  constexpr int built[] = {__CUDA_ARCH_LIST__};
  return built[0];
#else
  return 0;
#endif
}

/* To be called in the first kernel, as soon as its thread blocks run */
__device__ inline void let_next_begin()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* To be called in the next kernel, after its work; one of its threads is enough */
__device__ inline void end_after_first()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* To be called at the start of a kernel that works after the one before it: both. Is there something to do? Not if *stop is set; null: always */
__device__ inline bool begin_in_turn(const int *stop)
{
  let_next_begin();
  end_after_first();
  return !stop || !*stop;
}

/*
   Lets a kernel without static shared memory have most_shared(). A lower limit, of the last launch, would be below what launches in
   a recording need: Nsight Compute cannot repeat these then.
*/
template <class K> Status allow_most_shared(K kernel)
{
  return cuda_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(most_shared())));
}

/* Can the current device overlap kernels so? */
inline bool overlaps()
{
  return lowest_built() >= 900 && device_attribute<cudaDevAttrComputeCapabilityMajor>() >= 9;
}

/* Can thread blocks of the current device share their memories in clusters? */
inline bool has_clusters()
{
  return overlaps();
}

/* A launch of the next kernel, in clusters of `cluster` blocks; overlap: the kernel before it in the stream calls let_next_begin() */
struct NextLaunch {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t  config        = {};

  NextLaunch(bool overlap, int cluster, dim3 blocks, dim3 threads, std::size_t shared, cudaStream_t stream)
  {
    attributes[0].id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = overlap;
    attributes[1].id                                         = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x                           = unsigned(cluster);
    attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
    config.gridDim                                                  = blocks;
    config.blockDim                                                 = threads;
    config.dynamicSmemBytes                                         = shared;
    config.stream                                                   = stream;
    config.attrs                                                    = attributes;
    config.numAttrs                                                 = !overlaps() ? 0 : cluster > 1 ? 2 : 1;
  }
  NextLaunch(const NextLaunch &) = delete; /* it points into itself */
};

/* Is there room on the current device, which has clusters, for one? Not on a small part of it (MIG, MPS). The kernel may use the shared memory. */
template <class K> bool cluster_fits(int cluster, K kernel, dim3 threads, std::size_t shared)
{
  const NextLaunch launch(false, cluster, dim3(unsigned(cluster)), threads, shared, nullptr);
  int              clusters = 0;

  return !cuda_status(cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config)) && clusters > 0;
}

template <class K, class... A>
Status launch_clusters(bool overlap, int cluster, K kernel, dim3 blocks, dim3 threads, std::size_t shared, cudaStream_t stream, const A &...args)
{
  const NextLaunch launch(overlap, cluster, blocks, threads, shared, stream);

  return cuda_status(cudaLaunchKernelEx(&launch.config, kernel, args...));
}

/* The same without clusters */
template <class K, class... A> Status launch_next(bool overlap, K kernel, dim3 blocks, dim3 threads, std::size_t shared, cudaStream_t stream, const A &...args)
{
  return launch_clusters(overlap, 1, kernel, blocks, threads, shared, stream, args...);
}

} // namespace hepta
