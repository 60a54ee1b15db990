#include "cusparse.h"

#include <type_traits>

template <class T, class S> static PetscErrorCode UploadAs(const std::vector<S> &v, void **d)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMalloc(d, PetscMax(v.size(), (size_t)1) * sizeof(T)));
  if constexpr (std::is_same<T, S>::value) PetscCallCUDA(cudaMemcpy(*d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  else {
    const std::vector<T> w(v.begin(), v.end());
    PetscCallCUDA(cudaMemcpy(*d, w.data(), w.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UploadValues(const std::vector<PetscScalar> &v, bool single, void **d)
{
  return single ? UploadAs<float>(v, d) : UploadAs<PetscScalar>(v, d);
}

/* Of floats, or of PetscScalars */
static cudaDataType TypeOf(bool single)
{
  return single || sizeof(PetscScalar) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F;
}

const CSR &ConvertTo(const CSR &A, Format format, CSR &made)
{
  switch (format) {
  case Format::CSR: return A;
  case Format::Slices: made = CSRToSlices(A, SLICE); return made;
  default: made = CSRToBlocks(A, format == Format::BlockColumns); return made;
  }
}

PetscErrorCode DeviceMatrix::Create(const CSR &A, const CSR &converted, Format form, bool use_single)
{
  PetscFunctionBegin;
  format = form;
  single = use_single;
  rows   = A.rows;
  nc     = A.nc;
  nnz    = A.val.size();
  ncol   = converted.col.size();
  nval   = converted.val.size();
  PetscCall(UploadAs<PetscInt>(converted.ptr, &ptr));
  PetscCall(UploadAs<PetscInt>(converted.col, &col));
  PetscCall(UploadValues(converted.val, single, &val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceMatrix::Destroy()
{
  PetscFunctionBegin;
  for (void **p : {&ptr, &col, &val}) {
    PetscCallCUDA(cudaFree(*p));
    *p = nullptr;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateDescriptor(const DeviceMatrix &A, cusparseSpMatDescr_t *matrix)
{
  const cusparseIndexType_t index = sizeof(PetscInt) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  const cudaDataType        type  = TypeOf(A.single);

  PetscFunctionBegin;
  switch (A.format) {
  case Format::CSR:
    PetscCallCUSPARSE(cusparseCreateCsr(matrix, A.rows, A.rows, (int64_t)A.nnz, A.ptr, A.col, A.val, index, index,
                                        CUSPARSE_INDEX_BASE_ZERO, type));
    break;
  case Format::Slices:
    PetscCallCUSPARSE(cusparseCreateSlicedEll(matrix, A.rows, A.rows, (int64_t)A.nnz, (int64_t)A.nval, SLICE, A.ptr, A.col, A.val,
                                              index, index, CUSPARSE_INDEX_BASE_ZERO, type));
    break;
  default:
    PetscCallCUSPARSE(cusparseCreateBsr(matrix, A.rows / A.nc, A.rows / A.nc, (int64_t)A.ncol, A.nc, A.nc, A.ptr, A.col, A.val,
                                        index, index, CUSPARSE_INDEX_BASE_ZERO, type,
                                        A.format == Format::Blocks ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CusparseProduct::Create(cusparseHandle_t h, const DeviceMatrix &A, cusparseSpMVAlg_t algorithm,
                                       bool single_vectors, const std::vector<PetscScalar> &values)
{
  PetscFunctionBegin;
  handle  = h;
  alg     = algorithm;
  compute = TypeOf(single_vectors);
  rows    = values.size();
  PetscCall(CreateDescriptor(A, &matrix));
  PetscCall(UploadValues(values, single_vectors, &x));
  PetscCall(UploadValues(std::vector<PetscScalar>(rows, 0), single_vectors, &y));
  PetscCallCUSPARSE(cusparseCreateDnVec(&vx, (int64_t)rows, x, compute));
  PetscCallCUSPARSE(cusparseCreateDnVec(&vy, (int64_t)rows, y, compute));
  PetscCall(Prepare());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* alpha = 1 and beta = 0 in the type that cuSPARSE computes in */
static const double doubles[2] = {1, 0};
static const float  floats[2]  = {1, 0};

static const void *Coefficient(cudaDataType compute, int k)
{
  return compute == CUDA_R_64F ? (const void *)&doubles[k] : (const void *)&floats[k];
}

cusparseStatus_t CusparseProduct::Multiply()
{
  return cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, Coefficient(compute, 0), matrix, vx, Coefficient(compute, 1), vy,
                      compute, alg, buffer);
}

static bool Refused(cusparseStatus_t s)
{
  return s == CUSPARSE_STATUS_NOT_SUPPORTED || s == CUSPARSE_STATUS_INVALID_VALUE || s == CUSPARSE_STATUS_ARCH_MISMATCH;
}

/* Workspace, analysis and a first product. A combination that cuSPARSE does not have is refused on the way, which is no error */
PetscErrorCode CusparseProduct::Prepare()
{
  const void      *one = Coefficient(compute, 0), *zero = Coefficient(compute, 1);
  size_t           bytes = 0;
  cusparseStatus_t analysis;

  PetscFunctionBegin;
  PetscCallCUDA(cudaDeviceSynchronize()); /* the uploads went by another stream than cuSPARSE's */
  status = cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one, matrix, vx, zero, vy, compute, alg, &bytes);
  if (Refused(status)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUSPARSE(status);
  PetscCallCUDA(cudaMalloc(&buffer, PetscMax(bytes, (size_t)16)));
  analysis = cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one, matrix, vx, zero, vy, compute, alg, buffer);
  if (!Refused(analysis)) PetscCallCUSPARSE(analysis); /* a format without analysis may refuse it and multiply all the same */
  status = Multiply();
  if (Refused(status)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUSPARSE(status);
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CusparseProduct::Run()
{
  PetscFunctionBegin;
  PetscCallCUSPARSE(Multiply());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CusparseProduct::Get(std::vector<double> &values) const
{
  std::vector<float> narrow;

  PetscFunctionBegin;
  values.resize(rows);
  if (compute == CUDA_R_64F) PetscCallCUDA(cudaMemcpy(values.data(), y, rows * sizeof(double), cudaMemcpyDeviceToHost));
  else {
    narrow.resize(rows);
    PetscCallCUDA(cudaMemcpy(narrow.data(), y, rows * sizeof(float), cudaMemcpyDeviceToHost));
    values.assign(narrow.begin(), narrow.end());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CusparseProduct::Destroy()
{
  PetscFunctionBegin;
  if (matrix) PetscCallCUSPARSE(cusparseDestroySpMat(matrix));
  if (vx) PetscCallCUSPARSE(cusparseDestroyDnVec(vx));
  if (vy) PetscCallCUSPARSE(cusparseDestroyDnVec(vy));
  PetscCallCUDA(cudaFree(x));
  PetscCallCUDA(cudaFree(y));
  PetscCallCUDA(cudaFree(buffer));
  *this = CusparseProduct();
  PetscFunctionReturn(PETSC_SUCCESS);
}
