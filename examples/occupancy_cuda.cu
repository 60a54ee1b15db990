/* Kernels of different numbers of registers that meet at a barrier of the grid */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

#include "occupancy.h"

namespace
{

constexpr int most_live = 272, most_threads = 1024;

__device__ float    values[most_live * most_threads];
__device__ unsigned arrived, early;

/* The registers of a multiprocessor shared by `BLOCKS` blocks of `THREADS` threads are what the compiler may take; LIVE values
   that are needed at a time make it take them */
template <int THREADS, int BLOCKS, int LIVE> __global__ void __launch_bounds__(THREADS, BLOCKS) barrier_kernel(int rounds)
{
  float v[LIVE], sum = 0;

#pragma unroll
  for (int k = 0; k < LIVE; k++) v[k] = values[k * most_threads + threadIdx.x];
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < LIVE; k++) v[k] = v[k] * v[(k + LIVE / 2) % LIVE] + v[(k + 1) % LIVE];
  }
#pragma unroll
  for (int k = 0; k < LIVE; k++) sum += v[k];
  if (sum != 0) values[threadIdx.x] = sum; /* never, for the values are zeros, but the compiler does not know */
  if (threadIdx.x == 0) atomicAdd(&arrived, 1u);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0 && atomicAdd(&arrived, 0u) != gridDim.x) atomicAdd(&early, 1u);
}

const void *const kernels[] = {
  (const void *)barrier_kernel<1024, 2, 8>,  (const void *)barrier_kernel<768, 2, 48>,  (const void *)barrier_kernel<1024, 1, 72>,
  (const void *)barrier_kernel<640, 1, 104>, (const void *)barrier_kernel<512, 1, 136>, (const void *)barrier_kernel<256, 1, 264>,
};

/* A refused call leaves no mark for the next one */
const char *sentence(cudaError_t error)
{
  if (error == cudaSuccess) return nullptr;
  (void)cudaGetLastError();
  return cudaGetErrorString(error);
}

/* The counters before and after a launch */
const char *clear_counters()
{
  const unsigned zero  = 0;
  cudaError_t    error = cudaMemcpyToSymbol(arrived, &zero, sizeof(zero));

  if (!error) error = cudaMemcpyToSymbol(early, &zero, sizeof(zero));
  return sentence(error);
}

const char *read_counters(OccupancyRun *run)
{
  cudaError_t error = cudaMemcpyFromSymbol(&run->arrived, arrived, sizeof(unsigned));

  if (!error) error = cudaMemcpyFromSymbol(&run->early, early, sizeof(unsigned));
  return sentence(error);
}

/* Launches between two events */
cudaError_t launch(const void *kernel, int threads, int dynamic, int grid, cudaEvent_t begin, cudaEvent_t end, OccupancyRun *run)
{
  int   rounds = 4;
  void *args[] = {&rounds};

  cudaError_t error = cudaEventRecord(begin, nullptr);
  if (!error)
    error = cudaLaunchCooperativeKernel(kernel, dim3(unsigned(grid)), dim3(unsigned(threads)), args, size_t(dynamic), nullptr);
  run->too_large = error == cudaErrorCooperativeLaunchTooLarge;
  if (!error) error = cudaEventRecord(end, nullptr);
  if (!error) error = cudaEventSynchronize(end);
  if (!error) error = cudaEventElapsedTime(&run->us, begin, end);
  run->us *= 1000;
  return error;
}

} // namespace

const char *OccupancyDevice(char *name, int room)
{
  int            device;
  cudaDeviceProp properties;
  cudaError_t    error = cudaGetDevice(&device);

  if (!error) error = cudaGetDeviceProperties(&properties, device);
  if (!error) std::snprintf(name, size_t(room), "%s", properties.name);
  return sentence(error);
}

int OccupancyKernels()
{
  return int(sizeof(kernels) / sizeof(kernels[0]));
}

const char *OccupancyKernelGet(int k, OccupancyKernel *kernel)
{
  cudaFuncAttributes f;
  int                device, most = 0;
  cudaError_t        error = cudaGetDevice(&device);

  if (!error) error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (!error) error = cudaFuncGetAttributes(&f, kernels[k]);
  if (!error)
    error = cudaFuncSetAttribute(kernels[k], cudaFuncAttributeMaxDynamicSharedMemorySize, most - int(f.sharedSizeBytes));
  if (!error) *kernel = {f.numRegs, int(f.sharedSizeBytes), f.maxThreadsPerBlock};
  return sentence(error);
}

const char *OccupancyCalculator(int k, int threads, int dynamic, int *blocks)
{
  return sentence(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernels[k], threads, size_t(dynamic)));
}

const char *OccupancyLaunch(int k, int threads, int dynamic, int grid, OccupancyRun *run)
{
  cudaEvent_t begin = nullptr, end = nullptr;

  *run            = {};
  const char *bad = clear_counters();
  if (!bad) bad = sentence(cudaEventCreate(&begin));
  if (!bad) bad = sentence(cudaEventCreate(&end));
  if (!bad) bad = sentence(launch(kernels[k], threads, dynamic, grid, begin, end, run));
  if (begin) (void)cudaEventDestroy(begin);
  if (end) (void)cudaEventDestroy(end);
  if (run->too_large) bad = nullptr;
  return bad ? bad : read_counters(run);
}
