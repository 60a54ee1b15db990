#include "operator.h"

PetscErrorCode HeptaIsBDIA(Mat A, bool *is)
{
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &flg, MATSEQBDIA, MATMPIBDIA, MATSEQBDIACUDA, MATMPIBDIACUDA, ""));
  *is = flg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B, new or again, <- P as block diagonals, with vectors where P's are */
static PetscErrorCode Convert(PC pc, Mat P, MatReuse reuse, Mat *B)
{
  VecType   type;
  PetscBool cuda;
  Mat       aij = nullptr;
  bool      half   = false;

  PetscFunctionBegin;
  PetscCall(MatGetVecType(P, &type));
  PetscCall(PetscStrcmpAny(type, &cuda, VECCUDA, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(HeptaIsBDIA(P, &half)); /* half storage comes here to be stored in full */
  if (half) PetscCall(MatConvert(P, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCheck(P->rmap->N == P->cmap->N, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_SIZ, "The preconditioner %s needs a square matrix, not %" PetscInt_FMT " x %" PetscInt_FMT, ((PetscObject)pc)->type_name, P->rmap->N, P->cmap->N);
  PetscCall(MatConvert(aij ? aij : P, cuda ? MATBDIACUDA : MATBDIA, reuse, B));
  PetscCall(MatDestroy(&aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaOperator::Update(PC pc, bool full, bool *same_structure)
{
  Mat              P = pc->pmat;
  PetscObjectId    now;
  PetscObjectState values;
  bool             bdia = false;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)P, &now));
  PetscCall(PetscObjectStateGet((PetscObject)P, &values));
  *same_structure = A && id == now && structure == P->nonzerostate;
  PetscCall(HeptaIsBDIA(P, &bdia));
  if (bdia && !(full && MatBDIA(P)->diag->half)) {
    if (A != P) {
      PetscCall(Reset());
      PetscCall(PetscObjectReference((PetscObject)P));
      A = P;
    }
  } else if (!*same_structure) {
    PetscCall(Reset());
    PetscCall(Convert(pc, P, MAT_INITIAL_MATRIX, &A));
    owned = true;
  } else if (state != values) PetscCall(Convert(pc, P, MAT_REUSE_MATRIX, &A));
  id        = now;
  state     = values;
  structure = P->nonzerostate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaOperator::Reset()
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&A));
  owned = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaOperatorSpace(Mat A, HeptaSpace *space)
{
  VecType   type;
  PetscBool cuda;

  PetscFunctionBegin;
  PetscCall(MatGetVecType(A, &type));
  PetscCall(PetscStrcmpAny(type, &cuda, VECCUDA, VECSEQCUDA, VECMPICUDA, ""));
  if (cuda) PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, space));
  else PetscCall(MatBDIA(A)->diag->values.Space(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}
