/* Upper triangular solves through cuSPARSE's generic interface, called directly */
#pragma once

#include <petscdevice_cuda.h>

#include "cusparse.h"
#include "trisolve.h"

struct TriCusparse {
  cusparseHandle_t     handle = nullptr;
  DeviceMatrix         csr;
  cusparseSpMatDescr_t matrix = nullptr;
  cusparseDnVecDescr_t vb = nullptr, vx = nullptr;
  cusparseSpSVDescr_t  sv = nullptr;
  cusparseDnMatDescr_t mb = nullptr, mx = nullptr;
  cusparseSpSMDescr_t  sm        = nullptr;
  void                *sv_buffer = nullptr, *sm_buffer = nullptr;

  PetscErrorCode Create(const CSR &U, const TriVectors &v);
  PetscErrorCode Destroy();
  /* A new descriptor with its buffer, which the analysis fills */
  PetscErrorCode PrepareVector();
  PetscErrorCode AnalyzeVector();
  /* One solve for each of n right-hand sides */
  PetscErrorCode SolveVectors(const TriVectors &v, PetscInt n);
  /* Descriptor, buffer and analysis for n right-hand sides at once */
  PetscErrorCode PrepareMatrix(const TriVectors &v, PetscInt n);
  PetscErrorCode SolveMatrix();
};
