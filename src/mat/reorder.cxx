/* Requirements that orderings and levels have of a matrix */
#include "reorder.h"

PetscErrorCode HeptaCheckSequentialSquare(Mat A, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(A->rmap->size == 1, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%s needs a matrix on one MPI process: of one on %d processes take a process's part by MatGetDiagonalBlock()", what,
             A->rmap->size);
  PetscCheck(A->rmap->N == A->cmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "%s needs a square matrix, not one of %" PetscInt_FMT " x %" PetscInt_FMT, what, A->rmap->N, A->cmap->N);
  PetscCheck(A->assembled, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "%s needs an assembled matrix: call MatAssemblyBegin() and MatAssemblyEnd() first", what);
  PetscCheck(!A->factortype, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "%s needs the matrix itself, not its factor: ILU(0) and ICC(0) have entries where the matrix has", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLeaveInodes(Mat A)
{
  PetscBool        aij;
  PetscInt         nodes;
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  if (!aij) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatInodeGetInodeSizes(A, &nodes, nullptr, nullptr));
  if (!nodes || nodes == A->rmap->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(A, "This ordering separates the rows of i-nodes: the matrix is used without them from now on\n"));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  PetscCall(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); /* the option takes effect at assembly */
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscObjectStateSet((PetscObject)A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}
