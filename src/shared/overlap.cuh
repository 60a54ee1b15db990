/*
   Overlap of two successive, independent kernels of a stream: the first kernel lets the next kernel begin, and the next kernel
   ends after the first kernel, so that later kernels find both done. Devices before compute capability 9, and code built for such
   devices, run the kernels one after the other. Capturing such a pair into a graph takes CUDA 12.3 or later.

   Also the launches of kernels: in clusters of thread blocks that share their memories, and with more shared memory than a kernel
   has without asking.
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

/*
   let_next_begin() and end_after_first(), for the start of a kernel that works after the preceding kernel. Returns whether there
   is work: false if stop is not null and *stop is set.
*/
__device__ inline bool begin_in_turn(const int *stop)
{
  let_next_begin();
  end_after_first();
  return !stop || !*stop;
}

/*
   Lets a kernel without static shared memory have most_shared(): with the lower limit of the last launch, Nsight Compute could
   not repeat recorded launches that need more.
*/
template <class K> Status allow_most_shared(K kernel)
{
  return cuda_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(most_shared())));
}

/* Can the current device overlap kernels? */
inline bool overlaps()
{
  return lowest_built() >= 900 && device_attribute<cudaDevAttrComputeCapabilityMajor>() >= 9;
}

/* Can thread blocks of the current device share their memories in clusters? */
inline bool has_clusters()
{
  return overlaps();
}

/*
   A launch of the next kernel, in clusters of `cluster` blocks; overlap: the preceding kernel of the stream calls
   let_next_begin()
*/
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
  NextLaunch(const NextLaunch &) = delete; /* config points to attributes */
};

/*
   Does the current device, which has clusters, have room for a cluster? A small part of a device (MIG, MPS) may not. The kernel
   may use `shared` bytes.
*/
template <class K> bool cluster_fits(int cluster, K kernel, dim3 threads, std::size_t shared)
{
  const NextLaunch launch(false, cluster, dim3(unsigned(cluster)), threads, shared, nullptr);
  int              clusters = 0;

  return !cuda_status(cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config)) && clusters > 0;
}

template <class K, class... A>
Status launch_clusters(bool overlap, int cluster, K kernel, dim3 blocks, dim3 threads, std::size_t shared, cudaStream_t stream,
                       const A &...args)
{
  const NextLaunch launch(overlap, cluster, blocks, threads, shared, stream);

  return cuda_status(cudaLaunchKernelEx(&launch.config, kernel, args...));
}

/* launch_clusters() without clusters */
template <class K, class... A>
Status launch_next(bool overlap, K kernel, dim3 blocks, dim3 threads, std::size_t shared, cudaStream_t stream, const A &...args)
{
  return launch_clusters(overlap, 1, kernel, blocks, threads, shared, stream, args...);
}

} // namespace hepta
