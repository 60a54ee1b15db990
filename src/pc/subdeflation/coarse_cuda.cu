/* Inverses of dense coarse matrices through cuSOLVER */
#include <cusolverDn.h>
#include <type_traits>
#include <vector>

#include "../../shared/cuda_check.cuh"
#include "subdeflation_kernels.hxx"

namespace hepta::subdeflation
{

namespace
{

constexpr cudaDataType REAL = std::is_same<Scalar, double>::value ? CUDA_R_64F : CUDA_R_32F;

struct Solver {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  void              *work   = nullptr;
  std::size_t        bytes  = 0;
  int64_t           *pivots = nullptr;
  std::size_t        rows   = 0;
  int               *info   = nullptr;
  std::vector<char>  on_host;
};

Status check(cusolverStatus_t status)
{
  return status == CUSOLVER_STATUS_SUCCESS ? nullptr : "cuSOLVER failed: is there enough device memory for the dense coarse matrix?";
}

#define HEPTA_TRY(...) \
  do { \
    const Status status_ = __VA_ARGS__; \
    if (status_) return status_; \
  } while (0)

/* *p <- room for so many of its type; what is recorded stays zero until there is room, so that a later call after a failure tries again */
template <class T> Status reserve(T **p, std::size_t *recorded, std::size_t wanted, std::size_t bytes)
{
  if (*recorded >= wanted) return nullptr;
  (void)cudaFree(*p);
  *p        = nullptr;
  *recorded = 0;
  HEPTA_TRY(cuda_status(cudaMalloc(p, bytes)));
  *recorded = wanted;
  return nullptr;
}

Status prepare(Solver &s, std::size_t d, cudaStream_t stream)
{
  if (!s.handle) HEPTA_TRY(check(cusolverDnCreate(&s.handle)));
  if (!s.params) HEPTA_TRY(check(cusolverDnCreateParams(&s.params)));
  if (!s.info) HEPTA_TRY(cuda_status(cudaMalloc(&s.info, sizeof(int))));
  HEPTA_TRY(check(cusolverDnSetStream(s.handle, stream)));
  return reserve(&s.pivots, &s.rows, d, d * sizeof(int64_t));
}

/* Work space on the device, and on the host, where it lasts as long as the solver: the stream may still use it when a call returns */
Status reserve_work(Solver &s, std::size_t device, std::size_t host, cudaStream_t stream)
{
  if (s.on_host.size() < host) {
    HEPTA_TRY(cuda_status(cudaStreamSynchronize(stream)));
    s.on_host.resize(host);
  }
  return reserve(&s.work, &s.bytes, device, device);
}

/* B <- its factor */
Status factor(Solver &s, int64_t d, bool symmetric, Scalar *B, cudaStream_t stream)
{
  std::size_t device = 0, host = 0;

  if (symmetric) {
    HEPTA_TRY(check(cusolverDnXpotrf_bufferSize(s.handle, s.params, CUBLAS_FILL_MODE_LOWER, d, REAL, B, d, REAL, &device, &host)));
    HEPTA_TRY(reserve_work(s, device, host, stream));
    return check(cusolverDnXpotrf(s.handle, s.params, CUBLAS_FILL_MODE_LOWER, d, REAL, B, d, REAL, s.work, device, s.on_host.data(), host, s.info));
  }
  HEPTA_TRY(check(cusolverDnXgetrf_bufferSize(s.handle, s.params, d, d, REAL, B, d, REAL, &device, &host)));
  HEPTA_TRY(reserve_work(s, device, host, stream));
  return check(cusolverDnXgetrf(s.handle, s.params, d, d, REAL, B, d, s.pivots, REAL, s.work, device, s.on_host.data(), host, s.info));
}

} // namespace

Status invert_dense_cuda(void **solver, std::size_t d, bool symmetric, Scalar *B, Scalar *X, int *bad, Stream stream)
{
  if (!*solver) *solver = new Solver;
  Solver            &s  = *(Solver *)*solver;
  const cudaStream_t cs = (cudaStream_t)stream;
  const int64_t      n  = int64_t(d);

  HEPTA_TRY(prepare(s, d, cs));
  HEPTA_TRY(factor(s, n, symmetric, B, cs));
  HEPTA_TRY(cuda_status(cudaMemcpyAsync(bad, s.info, sizeof(int), cudaMemcpyDeviceToHost, cs)));
  HEPTA_TRY(cuda_status(cudaStreamSynchronize(cs)));
  if (*bad) return nullptr;
  HEPTA_TRY(identity_cuda(d, X, stream));
  /* B is the matrix by rows, which cuSOLVER takes for its transpose, and so the answer comes by rows */
  if (symmetric) return check(cusolverDnXpotrs(s.handle, s.params, CUBLAS_FILL_MODE_LOWER, n, n, REAL, B, n, REAL, X, n, s.info));
  return check(cusolverDnXgetrs(s.handle, s.params, CUBLAS_OP_N, n, n, REAL, B, n, s.pivots, REAL, X, n, s.info));
}

Status solver_free(void *solver)
{
  Solver *s = (Solver *)solver;

  if (!s) return nullptr;
  (void)cudaFree(s->work);
  (void)cudaFree(s->pivots);
  (void)cudaFree(s->info);
  if (s->params) (void)cusolverDnDestroyParams(s->params);
  if (s->handle) (void)cusolverDnDestroy(s->handle);
  delete s;
  return nullptr;
}

} // namespace hepta::subdeflation
