/* A dense matrix as blocked rows against cuBLAS's gemv */
#include <cublas_v2.h>
#include <petscdevice_cuda.h>

#include "contest.h"

/* Values by columns in T, T either double or float, with vectors of its own */
template <class T> struct Gemv {
  cublasHandle_t handle = nullptr;
  int            n      = 0;
  T             *a = nullptr, *x = nullptr, *y = nullptr;

  ~Gemv()
  {
    for (T *p : {a, x, y}) (void)cudaFree(p);
    if (handle) (void)cublasDestroy(handle);
  }
  PetscErrorCode Create(const CSR &A, const std::vector<PetscScalar> &values, cudaStream_t stream)
  {
    const size_t         size = (size_t)A.rows;
    std::vector<T>       columns(size * size), narrow(values.begin(), values.end());
    const cublasStatus_t made = cublasCreate(&handle);

    PetscFunctionBegin;
    PetscCallCUBLAS(made);
    PetscCallCUBLAS(cublasSetStream(handle, stream));
    n = A.rows;
    for (size_t i = 0; i < size; i++) {
      for (size_t j = 0; j < size; j++) columns[j * size + i] = (T)A.val[i * size + j];
    }
    PetscCallCUDA(cudaMalloc(&a, size * size * sizeof(T)));
    PetscCallCUDA(cudaMalloc(&x, size * sizeof(T)));
    PetscCallCUDA(cudaMalloc(&y, size * sizeof(T)));
    PetscCallCUDA(cudaMemcpy(a, columns.data(), size * size * sizeof(T), cudaMemcpyHostToDevice));
    PetscCallCUDA(cudaMemcpy(x, narrow.data(), size * sizeof(T), cudaMemcpyHostToDevice));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Run(bool transposed)
  {
    const T                 one = 1, zero = 0;
    const cublasOperation_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;

    PetscFunctionBegin;
    if constexpr (sizeof(T) == sizeof(double)) PetscCallCUBLAS(cublasDgemv(handle, op, n, n, &one, a, n, x, 1, &zero, y, 1));
    else PetscCallCUBLAS(cublasSgemv(handle, op, n, n, &one, a, n, x, 1, &zero, y, 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Get(std::vector<double> &v)
  {
    std::vector<T> narrow(n);

    PetscFunctionBegin;
    PetscCallCUDA(cudaMemcpy(narrow.data(), y, n * sizeof(T), cudaMemcpyDeviceToHost));
    v.assign(narrow.begin(), narrow.end());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* Values as those of the others: off the diagonal negative, the sum of a row 1 */
static CSR DenseRows(PetscInt n)
{
  CSR A;

  A.rows = n;
  A.ptr.assign(1, 0);
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      A.col.push_back(j);
      A.val.push_back(i == j ? n : -1. / (1 + (i + 2 * j) % 7));
    }
    A.ptr.push_back((PetscInt)A.col.size());
  }
  return A;
}

template <class T> static PetscErrorCode AddGemv(Bench &b, Contest &c, int table, double tolerance)
{
  auto q = std::make_shared<Gemv<T>>();

  PetscFunctionBegin;
  PetscCall(q->Create(c.A, c.x, b.timer.stream));
  c.contestants.push_back({"gemv", table, Way::Device, tolerance, [q]() { return q->Run(false); },
                           [q](std::vector<double> &y) { return q->Get(y); }, c.calls});
  c.contestants.push_back({"gemv, transposed", table, Way::Device, tolerance, [q]() { return q->Run(true); }, nullptr, c.calls});
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareDense(Bench &b, PetscInt n)
{
  Contest c;

  PetscFunctionBegin;
  c.A = DenseRows(n);
  PetscCall(Start(c));
  PetscCall(AddCusparse(b, c, DENSE_DOUBLE, DENSE_SINGLE));
  PetscCall(AddGemv<double>(b, c, DENSE_DOUBLE, 1e-12));
  PetscCall(AddGemv<float>(b, c, DENSE_SINGLE, 1e-5));
  PetscCall(AddMat(c, MATSEQBROWCUDA, "-mat_brow_bs", "auto", 1e-12, {{DENSE_DOUBLE, "brow"}}));
  PetscCall(AddMat(c, MATSEQBROWCUDA, "-mat_brow_storage", "single", 1e-5, {{DENSE_SINGLE, "brow single"}}));
  const double nn = (double)n * n;
  PetscCall(Finish(b, c, "dense", {{DENSE_DOUBLE, 8 * nn + 16. * n}, {DENSE_SINGLE, 4 * nn + 16. * n}}));
  PetscFunctionReturn(PETSC_SUCCESS);
}
