/* PETSc matrices of several types from one CSR, for host and device benches alike */
#pragma once

#include <hepta.h>

#include <string>
#include <vector>

#include "csr.h"

/* aij converted to a type, with an option set meanwhile (null for none); "seqsellcuda" goes through seqsell, which is quicker */
PetscErrorCode BenchConvert(Mat aij, MatType type, const char option[], const char value[], Mat *B);
/* Vectors that B multiplies, x filled */
PetscErrorCode BenchCreateVecs(Mat B, const std::vector<PetscScalar> &values, Vec *x, Vec *y);
PetscErrorCode BenchGet(Vec y, std::vector<double> &values);
/* Numbers between -1 and 1 that float rounds */
std::vector<PetscScalar> BenchVector(PetscInt n);
/* Whether there is a GPU to run on; where there is none, prints the line that marks a skipped test, or fails with
   HEPTA_TEST_GPU=1 */
PetscErrorCode BenchHaveDevice(PetscBool *have);
