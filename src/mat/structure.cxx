/* Records of a matrix's structure, and nonzero states that only increase */
#include "structure.h"

#include <algorithm>

#include "blocked/blocked.h"

static void Sizes(Mat A, PetscInt size[4])
{
  size[0] = A->rmap->n;
  size[1] = A->cmap->n;
  size[2] = A->rmap->N;
  size[3] = A->cmap->N;
}

void HeptaStructure::Note(Mat A)
{
  id    = ((PetscObject)A)->id;
  state = A->nonzerostate;
  type  = ((PetscObject)A)->type_name;
  Sizes(A, size);
}

bool HeptaStructure::Of(Mat A) const
{
  PetscInt now[4];

  Sizes(A, now);
  return id == ((PetscObject)A)->id && state == A->nonzerostate && type == ((PetscObject)A)->type_name && std::equal(now, now + 4, size);
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
