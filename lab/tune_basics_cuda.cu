#include <algorithm>

#include "shared/cuda_check.cuh"
#include "shared/processors.cuh"
#include "tune_basics.hxx"

namespace hepta
{

constexpr int threads = 256; /* of a thread block of copies and sums */

static __global__ void empty_kernel()
{
}

static __global__ void barrier_kernel(int times)
{
  for (int k = 0; k < times; k++) __syncthreads();
}

/* Two thread blocks wait for each other's number in turn */
static __global__ void handover_kernel(volatile unsigned *turn, unsigned times)
{
  for (unsigned k = blockIdx.x; k < 2 * times; k += 2) {
    while (*turn != k) {}
    *turn = k + 1;
  }
}

static __global__ void copy_kernel(std::size_t n, const double2 *from, double2 *to)
{
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;

  for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < n; k += step) to[k] = from[k];
}

static __global__ void sum_kernel(std::size_t n, const double2 *from, double *sum)
{
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
  double            own  = 0;
  __shared__ double warps[threads / 32];

  for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < n; k += step) own += from[k].x + from[k].y;
  for (int lane = 16; lane; lane /= 2) own += __shfl_down_sync(~0u, own, lane);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x) return;
  for (unsigned w = 1; w < blockDim.x / 32; w++) own += warps[w];
  atomicAdd(sum, own);
}

namespace
{

/* A stream, two events and memory, all freed in the end */
struct Bench {
  cudaStream_t stream = nullptr;
  cudaEvent_t  begin = nullptr, end = nullptr;
  double2     *from = nullptr, *to = nullptr;
  int          rounds;

  explicit Bench(int rounds) : rounds(rounds) {}
  ~Bench()
  {
    cudaFree(from);
    cudaFree(to);
    if (begin) cudaEventDestroy(begin);
    if (end) cudaEventDestroy(end);
    if (stream) cudaStreamDestroy(stream);
  }
  Status make(std::size_t bytes)
  {
    if (Status bad = cuda_status(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))) return bad;
    if (Status bad = cuda_status(cudaEventCreate(&begin))) return bad;
    if (Status bad = cuda_status(cudaEventCreate(&end))) return bad;
    if (Status bad = cuda_status(cudaMalloc(&from, bytes))) return bad;
    if (Status bad = cuda_status(cudaMalloc(&to, bytes))) return bad;
    return cuda_status(cudaMemsetAsync(from, 0, bytes, stream));
  }
  /* *us <- microseconds of f */
  template <class F> Status time(const F &f, double *us)
  {
    std::vector<float> ms(rounds);

    f();
    for (float &t : ms) {
      cudaEventRecord(begin, stream);
      f();
      cudaEventRecord(end, stream);
      if (Status bad = cuda_status(cudaEventSynchronize(end))) return bad;
      cudaEventElapsedTime(&t, begin, end);
    }
    std::nth_element(ms.begin(), ms.begin() + rounds / 2, ms.end());
    *us = 1000. * ms[rounds / 2];
    return launched();
  }
};

} // namespace

/* *us <- microseconds of one of `times` launches that are recorded one after the other */
template <class F> static Status time_recorded(Bench &b, int times, const F &f, double *us)
{
  cudaGraph_t     graph = nullptr;
  cudaGraphExec_t ready = nullptr;

  if (Status bad = cuda_status(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal))) return bad;
  for (int k = 0; k < times; k++) f();
  Status bad = cuda_status(cudaStreamEndCapture(b.stream, &graph));
  if (!bad) bad = cuda_status(cudaGraphInstantiate(&ready, graph, 0));
  if (!bad) bad = b.time([&] { cudaGraphLaunch(ready, b.stream); }, us);
  if (ready) cudaGraphExecDestroy(ready);
  if (graph) cudaGraphDestroy(graph);
  *us /= times;
  return bad;
}

static Status measure_steps(Bench &b, BasicTimes *t)
{
  constexpr int   times = 1000;
  unsigned *const turn  = reinterpret_cast<unsigned *>(b.to);
  const auto      empty = [&] { empty_kernel<<<1, 32, 0, b.stream>>>(); };
  const auto      many  = [&] {
    for (int k = 0; k < times; k++) empty();
  };
  const auto hand = [&] {
    cudaMemsetAsync(turn, 0, sizeof(unsigned), b.stream);
    handover_kernel<<<2, 1, 0, b.stream>>>(turn, times);
  };
  double none = 0;

  if (Status bad = b.time(many, &t->launch)) return bad;
  if (Status bad = time_recorded(b, times, empty, &t->recorded)) return bad;
  if (Status bad = b.time([&] { barrier_kernel<<<1, 1024, 0, b.stream>>>(0); }, &none)) return bad;
  if (Status bad = b.time([&] { barrier_kernel<<<1, 1024, 0, b.stream>>>(times); }, &t->barrier)) return bad;
  if (Status bad = b.time(hand, &t->handover)) return bad;
  t->launch /= times;
  t->barrier  = (t->barrier - none) / times;
  t->handover = t->handover / (2 * times);
  return nullptr;
}

Status measure_basics_cuda(std::size_t most, int rounds, BasicTimes *t)
{
  Bench b(rounds);

  if (Status bad = b.make(most)) return bad;
  if (Status bad = measure_steps(b, t)) return bad;
  for (std::size_t bytes = 16384; bytes <= most; bytes *= 2) {
    const std::size_t n      = bytes / sizeof(double2);
    const unsigned    blocks = unsigned(std::min<std::size_t>(8 * std::size_t(processors()), (n + threads - 1) / threads));
    const int         times  = int(std::max<std::size_t>(2, std::min<std::size_t>(50, (std::size_t(1) << 28) / bytes)));
    double            copy = 0, sum = 0;

    if (Status bad = time_recorded(b, times, [&] { copy_kernel<<<blocks, threads, 0, b.stream>>>(n, b.from, b.to); }, &copy))
      return bad;
    if (Status bad =
          time_recorded(b, times, [&] { sum_kernel<<<blocks, threads, 0, b.stream>>>(n, b.from, (double *)b.to); }, &sum))
      return bad;
    t->sizes.push_back({double(bytes), copy, sum});
  }
  return nullptr;
}

} // namespace hepta
