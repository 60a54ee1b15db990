/* Values with which iterations go on for as long as they are measured */
#include "predict.h"

#include <algorithm>

#include "shared/rows.h"

/* All entries of this process <- -1 */
static PetscErrorCode SetOnes(Mat A)
{
  Mat       parts[2] = {A, nullptr};
  PetscBool alone;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &alone));
  if (!alone) PetscCall(MatMPIAIJGetSeqAIJ(A, &parts[0], &parts[1], nullptr));
  for (Mat part : parts) {
    PetscScalar *v;
    MatInfo      info;
    if (!part) continue;
    PetscCall(MatGetInfo(part, MAT_LOCAL, &info));
    PetscCall(MatSeqAIJGetArrayWrite(part, &v));
    std::fill_n(v, (size_t)info.nz_used, PetscScalar(-1));
    PetscCall(MatSeqAIJRestoreArrayWrite(part, &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictDominant(Mat A)
{
  PetscInt missing = A->rmap->n;
  Vec      one, rows, cols;

  PetscFunctionBegin;
  PetscCall(
    HeptaForRows(A, A->rmap->rstart, A->rmap->rend, false, [&](PetscInt i, PetscInt n, const PetscInt *j, const PetscScalar *) {
      if (std::find(j, j + n, i) != j + n) missing--;
      return PETSC_SUCCESS;
    }));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)A)));
  if (missing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SetOnes(A));
  PetscCall(MatCreateVecs(A, &one, &rows));
  PetscCall(VecDuplicate(rows, &cols));
  PetscCall(VecSet(one, -1));
  PetscCall(MatMult(A, one, rows));
  PetscCall(MatMultTranspose(A, one, cols));
  PetscCall(VecPointwiseMax(rows, rows, cols));
  PetscCall(VecSetRandom(cols, nullptr));
  PetscCall(VecAXPY(rows, 0.1, cols));
  PetscCall(VecShift(rows, -0.9)); /* the sum of the others, and 0.1 to 0.2 */
  PetscCall(MatDiagonalSet(A, rows, INSERT_VALUES));
  PetscCall(VecDestroy(&one));
  PetscCall(VecDestroy(&rows));
  PetscCall(VecDestroy(&cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}
