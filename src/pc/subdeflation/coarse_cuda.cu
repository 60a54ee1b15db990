/* Inverses of dense coarse matrices through cuSOLVER */
#include <cusolverDn.h>
#include <type_traits>
#include <vector>

#include "../../shared/scratch.cuh"
#include "subdeflation_kernels.hxx"

namespace hepta::subdeflation
{

namespace
{

constexpr cudaDataType REAL = std::is_same<Scalar, double>::value ? CUDA_R_64F : CUDA_R_32F;

struct Solver {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  std::vector<char>  on_host; /* work space; kept with the solver, since the stream may use on_host after a call returns */

  ~Solver()
  {
    if (params) (void)cusolverDnDestroyParams(params);
    if (handle) (void)cusolverDnDestroy(handle);
  }
};

Status check(cusolverStatus_t status)
{
  return status == CUSOLVER_STATUS_SUCCESS ? nullptr
                                           : "cuSOLVER failed: is there enough device memory for the dense coarse matrix?";
}

#define HEPTA_TRY(...) \
  do { \
    const Status status_ = __VA_ARGS__; \
    if (status_) return status_; \
  } while (0)

} // namespace

Status invert_dense_cuda(std::shared_ptr<void> &solver, std::size_t d, bool symmetric, Scalar *B, Scalar *X, int *bad,
                         Stream stream)
{
  if (!solver) solver = std::make_shared<Solver>();
  Solver            &s     = *(Solver *)solver.get();
  const cudaStream_t cs    = (cudaStream_t)stream;
  const int64_t      n     = int64_t(d);
  std::size_t        bytes = 0, host = 0;
  Scratch            scratch(cs);
  char              *memory;
  int64_t           *pivots;
  int               *info;

  if (!s.handle) HEPTA_TRY(check(cusolverDnCreate(&s.handle)));
  if (!s.params) HEPTA_TRY(check(cusolverDnCreateParams(&s.params)));
  HEPTA_TRY(check(cusolverDnSetStream(s.handle, cs)));
  if (symmetric)
    HEPTA_TRY(check(cusolverDnXpotrf_bufferSize(s.handle, s.params, CUBLAS_FILL_MODE_LOWER, n, REAL, B, n, REAL, &bytes, &host)));
  else HEPTA_TRY(check(cusolverDnXgetrf_bufferSize(s.handle, s.params, n, n, REAL, B, n, REAL, &bytes, &host)));
  if (s.on_host.size() < host) {
    HEPTA_TRY(cuda_status(cudaStreamSynchronize(cs)));
    s.on_host.resize(host);
  }
  HEPTA_TRY(scratch.Take(bytes, &memory, d, &pivots, 1, &info));
  if (symmetric)
    HEPTA_TRY(check(cusolverDnXpotrf(s.handle, s.params, CUBLAS_FILL_MODE_LOWER, n, REAL, B, n, REAL, memory, bytes,
                                     s.on_host.data(), s.on_host.size(), info)));
  else
    HEPTA_TRY(check(cusolverDnXgetrf(s.handle, s.params, n, n, REAL, B, n, pivots, REAL, memory, bytes, s.on_host.data(),
                                     s.on_host.size(), info)));
  HEPTA_TRY(cuda_status(cudaMemcpyAsync(bad, info, sizeof(int), cudaMemcpyDeviceToHost, cs)));
  HEPTA_TRY(cuda_status(cudaStreamSynchronize(cs)));
  if (*bad) return nullptr;
  HEPTA_TRY(DeviceEach{stream}(d * d, [=] HEPTA_LAMBDA(std::size_t k) { X[k] = k / d == k % d; })); /* the right-hand sides */
  /* cuSOLVER reads B, which is stored by rows, as B^T; X is stored by rows too */
  if (symmetric) return check(cusolverDnXpotrs(s.handle, s.params, CUBLAS_FILL_MODE_LOWER, n, n, REAL, B, n, REAL, X, n, info));
  return check(cusolverDnXgetrs(s.handle, s.params, CUBLAS_OP_N, n, n, REAL, B, n, pivots, REAL, X, n, info));
}

} // namespace hepta::subdeflation
