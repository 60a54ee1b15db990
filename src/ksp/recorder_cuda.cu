#include <vector>

#include "../shared/cuda_check.cuh"
#include "recorder.hxx"

namespace hepta::ksp
{

Status record(Stream stream)
{
  return cuda_status(cudaStreamBeginCapture((cudaStream_t)stream, cudaStreamCaptureModeThreadLocal));
}

/* *kernels <- the number of nodes of the graph that are kernels, and not copies */
static cudaError_t count_kernels(cudaGraph_t graph, int *kernels)
{
  std::size_t n   = 0;
  cudaError_t bad = cudaGraphGetNodes(graph, nullptr, &n);

  std::vector<cudaGraphNode_t> nodes(n);
  if (!bad) bad = cudaGraphGetNodes(graph, nodes.data(), &n);
  *kernels = 0;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;

    if (bad || (bad = cudaGraphNodeGetType(node, &type))) return bad;
    *kernels += type == cudaGraphNodeTypeKernel;
  }
  return bad;
}

Status record_end(Stream stream, void **graph, int *kernels)
{
  cudaGraph_t  recorded = nullptr;
  const Status bad      = cuda_status(cudaStreamEndCapture((cudaStream_t)stream, &recorded));
  Status       worse    = nullptr;

  *graph = nullptr;
  if (!bad) worse = cuda_status(count_kernels(recorded, kernels));
  if (!bad && !worse) worse = cuda_status(cudaGraphInstantiate((cudaGraphExec_t *)graph, recorded, 0));
  if (worse) *graph = nullptr;
  if (recorded) (void)cudaGraphDestroy(recorded);
  return bad ? bad : worse;
}

Status replay(void *graph, Stream stream)
{
  return cuda_status(cudaGraphLaunch((cudaGraphExec_t)graph, (cudaStream_t)stream));
}

Status graph_free(void *graph)
{
  return graph ? cuda_status(cudaGraphExecDestroy((cudaGraphExec_t)graph)) : nullptr;
}

static __global__ void publish_kernel(const Report *from, Report *to)
{
  const int done = from->it, seen = to->it;

  for (int it = seen + 1 + int(threadIdx.x); it <= done; it += blockDim.x)
    to->entry[it % Report::size] = from->entry[it % Report::size];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x) return;
  to->breakdown = from->breakdown;
  if (done > seen) to->it = done;
  __threadfence_system();
  if (from->pause) to->pause = 1;
}

Status publish_cuda(const Report *from, Report *to, Stream stream)
{
  publish_kernel<<<1, 32, 0, (cudaStream_t)stream>>>(from, to);
  return launched();
}

Status stream_idle(Stream stream, bool *idle)
{
  const cudaError_t error = cudaStreamQuery((cudaStream_t)stream);

  *idle = error != cudaErrorNotReady;
  return *idle ? cuda_status(error) : nullptr;
}

} // namespace hepta::ksp
