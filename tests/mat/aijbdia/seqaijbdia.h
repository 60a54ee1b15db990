/*
   MATAIJ made under -mat_seqaij_type seqaijbdia, or seqaijbrow with HEPTA_TEST_TYPE=brow, and plain MATAIJ as its oracle.
   Included by the test programs of these types.
*/
#pragma once

#include "precision.h"

#include <petscksp.h>

#include <cstdlib>
#include <string>
#include <vector>

/* Matrices made while one is alive have sequential parts of the type; the oracle is made without */
struct Subtype {
  Subtype()
  {
    const char *kind = std::getenv("HEPTA_TEST_TYPE");

    (void)PetscOptionsSetValue(nullptr, "-mat_seqaij_type", (std::string("seqaij") + (kind ? kind : "bdia")).c_str());
  }
  ~Subtype() { (void)PetscOptionsClearValue(nullptr, "-mat_seqaij_type"); }
};

static const std::vector<PetscInt> Stencil = {-9, -1, 0, 1, 9};

/* A number between -1 and 1 from row, column and seed */
static inline PetscScalar Number(PetscInt i, PetscInt j, PetscInt seed)
{
  return 2.0 * (((uint32_t)(i * 2654435761u) ^ (uint32_t)(j * 40503u + 77) ^ (uint32_t)(seed * 97u)) * 2246822519u % 100003u) /
           100003.0 -
         1;
}

static inline PetscErrorCode Fill(Mat A, PetscInt bs, PetscInt nb, const std::vector<PetscInt> &off, PetscInt seed,
                                  InsertMode mode)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt o : off) {
      const PetscInt m = i / bs + o;
      for (PetscInt j = m * bs; m >= 0 && m < nb && j < (m + 1) * bs; j++) {
        const PetscScalar v = Number(i, j, seed) + (i == j ? 6 * bs : 0);
        PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, mode));
      }
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode Create(PetscInt bs, PetscInt nb, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, bs * nb, bs * nb));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(Fill(*A, bs, nb, Stencil, 1, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode Same(Vec a, Vec b, const std::string &what)
{
  PetscReal norm, diff;
  Vec       d;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(a, &d));
  PetscCall(VecWAXPY(d, -1, a, b));
  PetscCall(VecNorm(a, NORM_2, &norm));
  PetscCall(VecNorm(d, NORM_2, &diff));
  PetscCall(VecDestroy(&d));
  PetscCheck(diff <= TestTolerance(1e-12) * (norm + 1), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: differs from plain aij by %g of %g", what.c_str(), (double)diff, (double)norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The four products of A and of the oracle O */
static inline PetscErrorCode Products(Mat A, Mat O, const std::string &what)
{
  Vec x, y, a, b, c, d;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(O, &x, &y));
  PetscCall(VecSetRandom(x, nullptr));
  PetscCall(VecSetRandom(y, nullptr));
  PetscCall(VecDuplicate(y, &a));
  PetscCall(VecDuplicate(y, &b));
  PetscCall(VecDuplicate(x, &c));
  PetscCall(VecDuplicate(x, &d));
  PetscCall(MatMult(O, x, a));
  PetscCall(MatMult(A, x, b));
  PetscCall(Same(a, b, what + ", mult"));
  PetscCall(MatMultAdd(O, x, y, a));
  PetscCall(MatMultAdd(A, x, y, b));
  PetscCall(Same(a, b, what + ", multadd"));
  PetscCall(MatMultAdd(O, x, a, a));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(Same(a, b, what + ", multadd in place"));
  PetscCall(MatMultTranspose(O, y, c));
  PetscCall(MatMultTranspose(A, y, d));
  PetscCall(Same(c, d, what + ", multtranspose"));
  PetscCall(MatMultTransposeAdd(O, y, x, c));
  PetscCall(MatMultTransposeAdd(A, y, x, d));
  PetscCall(Same(c, d, what + ", multtransposeadd"));
  for (Vec *v : {&x, &y, &a, &b, &c, &d}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
