#include "trisolve_cusparse.h"

static const cudaDataType        type  = sizeof(PetscScalar) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;
static const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
static const PetscScalar         one   = 1;

PetscErrorCode TriCusparse::Create(const CSR &U, const TriVectors &v)
{
  const cusparseIndexType_t index = sizeof(PetscInt) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  cusparseFillMode_t        fill  = CUSPARSE_FILL_MODE_UPPER;
  cusparseDiagType_t        diag  = CUSPARSE_DIAG_TYPE_NON_UNIT;

  PetscFunctionBegin;
  PetscCallCUSPARSE(cusparseCreate(&handle));
  PetscCall(csr.Create(U, U, Format::CSR, sizeof(PetscScalar) == sizeof(float)));
  PetscCallCUSPARSE(cusparseCreateCsr(&matrix, csr.rows, csr.rows, (int64_t)csr.nnz, csr.ptr, csr.col, csr.val, index, index,
                                      CUSPARSE_INDEX_BASE_ZERO, type));
  PetscCallCUSPARSE(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
  PetscCallCUSPARSE(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof(diag)));
  PetscCallCUSPARSE(cusparseCreateDnVec(&vb, csr.rows, v.b, type));
  PetscCallCUSPARSE(cusparseCreateDnVec(&vx, csr.rows, v.x, type));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Free(void **p)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaFree(*p));
  *p = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriCusparse::Destroy()
{
  PetscFunctionBegin;
  if (sv) PetscCallCUSPARSE(cusparseSpSV_destroyDescr(sv));
  if (sm) PetscCallCUSPARSE(cusparseSpSM_destroyDescr(sm));
  if (mb) PetscCallCUSPARSE(cusparseDestroyDnMat(mb));
  if (mx) PetscCallCUSPARSE(cusparseDestroyDnMat(mx));
  if (vb) PetscCallCUSPARSE(cusparseDestroyDnVec(vb));
  if (vx) PetscCallCUSPARSE(cusparseDestroyDnVec(vx));
  if (matrix) PetscCallCUSPARSE(cusparseDestroySpMat(matrix));
  PetscCall(Free(&sv_buffer));
  PetscCall(Free(&sm_buffer));
  PetscCall(csr.Destroy());
  if (handle) PetscCallCUSPARSE(cusparseDestroy(handle));
  *this = TriCusparse();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriCusparse::PrepareVector()
{
  size_t bytes = 0;

  PetscFunctionBegin;
  if (sv) PetscCallCUSPARSE(cusparseSpSV_destroyDescr(sv));
  sv = nullptr;
  PetscCall(Free(&sv_buffer));
  PetscCallCUSPARSE(cusparseSpSV_createDescr(&sv));
  PetscCallCUSPARSE(cusparseSpSV_bufferSize(handle, plain, &one, matrix, vb, vx, type, CUSPARSE_SPSV_ALG_DEFAULT, sv, &bytes));
  PetscCallCUDA(cudaMalloc(&sv_buffer, PetscMax(bytes, (size_t)16)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriCusparse::AnalyzeVector()
{
  PetscFunctionBegin;
  PetscCallCUSPARSE(cusparseSpSV_analysis(handle, plain, &one, matrix, vb, vx, type, CUSPARSE_SPSV_ALG_DEFAULT, sv, sv_buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriCusparse::SolveVectors(const TriVectors &v, PetscInt n)
{
  PetscFunctionBegin;
  PetscCheck(sv, PETSC_COMM_SELF, PETSC_ERR_ORDER, "There is no analysis to solve with: it failed");
  for (PetscInt k = 0; k < n; k++) {
    PetscCallCUSPARSE(cusparseDnVecSetValues(vb, v.b + (size_t)k * v.rows));
    PetscCallCUSPARSE(cusparseDnVecSetValues(vx, v.x + (size_t)k * v.rows));
    PetscCallCUSPARSE(cusparseSpSV_solve(handle, plain, &one, matrix, vb, vx, type, CUSPARSE_SPSV_ALG_DEFAULT, sv));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriCusparse::PrepareMatrix(const TriVectors &v, PetscInt n)
{
  size_t bytes = 0;

  PetscFunctionBegin;
  if (sm) PetscCallCUSPARSE(cusparseSpSM_destroyDescr(sm));
  sm = nullptr;
  if (mb) PetscCallCUSPARSE(cusparseDestroyDnMat(mb));
  mb = nullptr;
  if (mx) PetscCallCUSPARSE(cusparseDestroyDnMat(mx));
  mx = nullptr;
  PetscCall(Free(&sm_buffer));
  PetscCallCUSPARSE(cusparseCreateDnMat(&mb, v.rows, n, v.rows, v.b, type, CUSPARSE_ORDER_COL));
  PetscCallCUSPARSE(cusparseCreateDnMat(&mx, v.rows, n, v.rows, v.x, type, CUSPARSE_ORDER_COL));
  PetscCallCUSPARSE(cusparseSpSM_createDescr(&sm));
  PetscCallCUSPARSE(
    cusparseSpSM_bufferSize(handle, plain, plain, &one, matrix, mb, mx, type, CUSPARSE_SPSM_ALG_DEFAULT, sm, &bytes));
  PetscCallCUDA(cudaMalloc(&sm_buffer, PetscMax(bytes, (size_t)16)));
  PetscCallCUSPARSE(
    cusparseSpSM_analysis(handle, plain, plain, &one, matrix, mb, mx, type, CUSPARSE_SPSM_ALG_DEFAULT, sm, sm_buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriCusparse::SolveMatrix()
{
  PetscFunctionBegin;
  PetscCheck(sm, PETSC_COMM_SELF, PETSC_ERR_ORDER, "There is no analysis to solve with: it failed");
  PetscCallCUSPARSE(cusparseSpSM_solve(handle, plain, plain, &one, matrix, mb, mx, type, CUSPARSE_SPSM_ALG_DEFAULT, sm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
