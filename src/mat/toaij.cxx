#include "toaij.h"

/*
   PETSc assembles a MATIS from local matrices of type seqaij, seqbaij, seqsbaij and seqdense only, except on one process, where
   the local matrix is the whole one. Is A a MATIS with other local matrices? The types may differ between processes, but all must
   do the same.
*/
static PetscErrorCode HasOtherLocals(Mat A, bool *others)
{
  Mat       local;
  PetscBool is, theirs;

  PetscFunctionBegin;
  *others = false;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATIS, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatISGetLocalMat(A, &local));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)local, &theirs, MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ, MATSEQDENSE, ""));
  PetscCall(MatISRestoreLocalMat(A, &local));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &theirs, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)A)));
  *others = !theirs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* S <- the MATIS A with local matrices of type seqaij, copies of A's. The mappings are those from which PETSc has removed entries
   without a row. */
static PetscErrorCode WithLocalAIJ(Mat A, Mat *S)
{
  ISLocalToGlobalMapping rows, cols;
  Mat                    local, aij;
  PetscBool              repeated;

  PetscFunctionBegin;
  PetscCall(MatISGetLocalToGlobalMapping(A, &rows, &cols));
  PetscCall(MatISGetAllowRepeated(A, &repeated));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), S));
  PetscCall(MatSetSizes(*S, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetType(*S, MATIS));
  PetscCall(MatISSetAllowRepeated(*S, repeated));
  PetscCall(MatSetLocalToGlobalMapping(*S, rows, cols));
  PetscCall(MatISGetLocalMat(A, &local));
  PetscCall(MatConvert(local, MATSEQAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCall(MatISRestoreLocalMat(A, &local));
  PetscCall(MatISSetLocalMat(*S, aij));
  PetscCall(MatDestroy(&aij));
  PetscCall(MatAssemblyBegin(*S, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*S, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaConvertToAIJ(Mat A, MatReuse reuse, Mat *B)
{
  Mat  S, aij;
  bool others = false;

  PetscFunctionBegin;
  PetscCall(HasOtherLocals(A, &others));
  if (!others) {
    PetscCall(MatConvert(A, MATAIJ, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(WithLocalAIJ(A, &S));
  PetscCall(MatConvert(S, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCall(MatDestroy(&S));
  if (reuse == MAT_REUSE_MATRIX) { /* PETSc would need the local matrices of the first conversion */
    PetscCall(MatCopy(aij, *B, SAME_NONZERO_PATTERN));
    PetscCall(MatDestroy(&aij));
  } else *B = aij;
  PetscFunctionReturn(PETSC_SUCCESS);
}
