/* Products y <- A x through cuSPARSE's generic interface, called directly */
#pragma once

#include <petscdevice_cuda.h>

#include <vector>

#include "csr.h"

enum class Format {
  CSR,
  Blocks, /* values of a block in rows */
  BlockColumns,
  Slices
};
constexpr PetscInt SLICE = 32; /* rows of a slice of sliced ELL: a warp */

/* A in a format; `made` holds it where it is not A itself */
const CSR &ConvertTo(const CSR &A, Format format, CSR &made);

/* A's arrays on the device, values in PetscScalar or float */
struct DeviceMatrix {
  Format   format = Format::CSR;
  PetscInt rows = 0, nc = 1;
  size_t   nnz = 0, ncol = 0, nval = 0; /* entries of the matrix; lengths of the arrays */
  bool     single = false;
  void    *ptr = nullptr, *col = nullptr, *val = nullptr;

  /* from what ConvertTo() made of A */
  PetscErrorCode Create(const CSR &A, const CSR &converted, Format form, bool use_single);
  PetscErrorCode Destroy();
};

/* One algorithm on one matrix, with vectors of its own, in PetscScalar or float; several products may share a matrix */
struct CusparseProduct {
  cusparseHandle_t     handle = nullptr;
  cusparseSpMatDescr_t matrix = nullptr;
  cusparseDnVecDescr_t vx = nullptr, vy = nullptr;
  cusparseSpMVAlg_t    alg     = CUSPARSE_SPMV_ALG_DEFAULT;
  cudaDataType         compute = CUDA_R_64F;
  cusparseStatus_t     status  = CUSPARSE_STATUS_NOT_INITIALIZED; /* of the first product: success, or why it was refused */
  size_t               rows    = 0;
  void                *x = nullptr, *y = nullptr, *buffer = nullptr;

  PetscErrorCode Create(cusparseHandle_t h, const DeviceMatrix &A, cusparseSpMVAlg_t algorithm, bool single_vectors,
                        const std::vector<PetscScalar> &values);
  PetscErrorCode Run();
  PetscErrorCode Get(std::vector<double> &values) const;
  PetscErrorCode Destroy();

private:
  cusparseStatus_t Multiply();
  PetscErrorCode   Prepare();
};
