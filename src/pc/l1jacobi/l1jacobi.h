/* The l1-Jacobi preconditioner on the PETSc side */
#pragma once

#include "../operator.h"
#include "l1jacobi_kernels.hxx"

/* The rows of a matrix as launchers read them: their diagonal blocks, and sums over other columns */
struct HeptaL1Rows {
  HeptaValues block, sum, count, root, found;

  /* reads the rows of A, a MATBDIA or MATBROW, in the given space, with diagonal blocks of size bs; `weighted`: w_ij is not 1; *found <- zeros there; collective */
  PetscErrorCode Read(const HeptaSpace &, Mat A, PetscInt bs, bool weighted, hepta::l1jacobi::Rows *, hepta::l1jacobi::Found **);
  PetscErrorCode Free();

private:
  PetscErrorCode ReadRoots(const HeptaSpace &, Mat A, hepta::l1jacobi::Rows *);
};

struct PC_L1Jacobi : HeptaPCData {
  HeptaOperator op;
  HeptaL1Rows   rows; /* whose blocks are inverted */
  HeptaValues   pivot;
};

/* z <- z + M^-1 (x - t), or with M^-T, in one launch, if pc is a PC l1jacobi; otherwise only *added <- false */
PETSC_INTERN PetscErrorCode HeptaL1JacobiCorrect(PC, Vec x, Vec t, Vec z, bool transposed, bool *added);
/*
   *row <- the first row of A, a MATBDIA or MATBROW with block size 1, that has more than `most` entries, or whose diagonal entry is
   not positive or less than the sum of the others' magnitudes; -1 if there is none. Collective
*/
PETSC_INTERN PetscErrorCode HeptaFirstRowNotDominant(Mat A, PetscInt most, PetscInt *row);
