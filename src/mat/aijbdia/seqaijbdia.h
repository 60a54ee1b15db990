/* The seqaijbdia matrix: what it keeps beside PETSc's compressed rows */
#pragma once

#include "../bdia/bdia.h"

namespace hepta::aijbdia
{

/* Hangs on the matrix as a container, so that A->data and A->spptr stay PETSc's */
struct Extra {
  PetscInt         max_offsets = 27; /* limits beyond which the products stay with the compressed rows */
  PetscReal        max_fill    = 4.0;
  bool             current     = false; /* diag and why show the matrix as it is, unless one of these moved: */
  PetscObjectState state = -1, nonzerostate = -1;
  void            *data        = nullptr; /* A->data: MatHeaderMerge() exchanges it */
  PetscCount       entries     = 0;
  PetscInt         filled_rows = 0; /* rows with entries */
  std::string      why;             /* why the compressed rows are kept; empty: diag holds the matrix */
  bdia::Diagonals  diag;
};

} // namespace hepta::aijbdia

#define HEPTA_SEQAIJBDIA_KEY "HeptaSeqAIJBDIA"

/* A's extra part; makes one if A has none */
PETSC_INTERN PetscErrorCode MatSeqAIJBDIAGetExtra(Mat A, hepta::aijbdia::Extra **);
/* the same, diag and why showing A as it is now */
PETSC_INTERN PetscErrorCode MatSeqAIJBDIARefresh(Mat A, hepta::aijbdia::Extra **);
/* PETSc's own operations, as they were before the first conversion */
const struct _MatOps *MatSeqAIJBDIABaseOps(void);

PETSC_INTERN PetscErrorCode MatMult_SeqAIJBDIA(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultAdd_SeqAIJBDIA(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTranspose_SeqAIJBDIA(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_SeqAIJBDIA(Mat, Vec, Vec, Vec);
