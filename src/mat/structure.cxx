/* Records of a matrix's structure, and nonzero states that only increase */
#include "structure.h"

#include "blocked/blocked.h"

static std::array<PetscInt, 4> Sizes(Mat A)
{
  return {A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N};
}

void HeptaStructure::Note(Mat A)
{
  id    = ((PetscObject)A)->id;
  state = A->nonzerostate;
  type  = ((PetscObject)A)->type_name;
  size  = Sizes(A);
}

bool HeptaStructure::Of(Mat A) const
{
  return id == ((PetscObject)A)->id && state == A->nonzerostate && type == ((PetscObject)A)->type_name && size == Sizes(A);
}

PetscErrorCode HeptaRaiseNonzeroState(Mat A, PetscObjectState old)
{
  const PetscObjectState state = PetscMax(A->nonzerostate, old) + 1;
  PetscBool              parts;
  Mat                    block;

  PetscFunctionBegin;
  A->nonzerostate = state;
  /* the assembly of these types sets it to the sum of the states of their parts */
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &parts, MATMPIAIJ, MATMPIBAIJ, MATMPISBAIJ, ""));
  if (!parts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetDiagonalBlock(A, &block));
  block->nonzerostate += state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTakeHeader(PetscErrorCode (*take)(Mat, Mat *), Mat A, Mat *C)
{
  const PetscObjectState old = A->nonzerostate;

  PetscFunctionBegin;
  PetscCall(take(A, C));
  PetscCall(HeptaRaiseNonzeroState(A, old));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactorFailed(Mat A)
{
  PetscFunctionBegin;
  A->nonzerostate++;
  if (HeptaIsBlocked(A)) MatBlocked(A)->failures++;
  PetscFunctionReturn(PETSC_SUCCESS);
}
