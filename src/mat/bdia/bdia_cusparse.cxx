/*
   Values from and to aijcusparse on the device. The entries set, in the order of the compressed rows, have known slots; where
   both matrices are known to have the same entries, values go straight from one to the other.
*/
#include "bdia.h"

using namespace hepta::bdia;

#if defined(PETSC_HAVE_CUDA)
/* The slots of the set entries in the order of the compressed rows, found once for a structure */
static PetscErrorCode GetPlan(Mat A, CSRPlan **plan)
{
  Mat_BDIA *a = MatBDIA(A);

  PetscFunctionBegin;
  if (!a->csr || a->csr->nonzerostate != A->nonzerostate) {
    a->csr               = std::make_unique<CSRPlan>();
    a->csr->nonzerostate = A->nonzerostate;
    for (PetscInt i = 0; i < A->rmap->n; i++) HeptaForSetInRow(A, i, [&](bool ghost, PetscInt, size_t at) { (ghost ? a->csr->ghost_slot : a->csr->slot).push_back(at); });
  }
  *plan = a->csr.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrices that hold the compressed rows of an aijcusparse: itself, or its two parts */
static PetscErrorCode GetParts(Mat C, Mat parts[2])
{
  PetscBool seq;

  PetscFunctionBegin;
  parts[0] = C;
  parts[1] = nullptr;
  PetscCall(PetscObjectTypeCompare((PetscObject)C, MATSEQAIJCUSPARSE, &seq));
  if (!seq) PetscCall(MatMPIAIJGetSeqAIJ(C, &parts[0], &parts[1], nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From now on C is known to have A's entries and no others, while neither structure changes */
static PetscErrorCode Remember(Mat A, Mat C)
{
  CSRPlan *plan;

  PetscFunctionBegin;
  PetscCall(GetPlan(A, &plan));
  PetscCall(PetscObjectGetId((PetscObject)C, &plan->partner));
  plan->partner_nonzerostate = C->nonzerostate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBDIAKnowsCUSPARSE(Mat A, Mat C, bool *known)
{
  const Mat_BDIA *a = MatBDIA(A);
  PetscObjectId   id;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)C, &id));
  *known = a->csr && a->csr->nonzerostate == A->nonzerostate && a->csr->partner == id && a->csr->partner_nonzerostate == C->nonzerostate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool MatBDIAConvertsOnDevice(Mat C, Mat A)
{
  PetscBool cusparse;

  return !PetscObjectTypeCompareAny((PetscObject)C, &cusparse, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, "") && cusparse && !C->boundtocpu && !MatBDIA(A)->set.half;
}

PetscErrorCode MatBDIAToCUSPARSE(Mat A, Mat C)
{
  Mat_BDIA     *a = MatBDIA(A);
  HeptaSpace    space;
  CSRPlan      *plan;
  Mat           parts[2];
  const size_t *slot;
  PetscScalar  *w;

  PetscFunctionBegin;
  PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &space));
  PetscCall(Remember(A, C));
  PetscCall(GetPlan(A, &plan));
  PetscCall(GetParts(C, parts));
  PetscCall(plan->tables[0].Get(space, plan->slot, &slot));
  PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(parts[0], &w));
  PetscCall(HeptaVisit(*a->diag, space, HeptaAccess::read, [&](auto D) {
    HeptaLaunch(space, gather, plan->slot.size(), slot, D.v, w);
    return PETSC_SUCCESS;
  }));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(parts[0], &w));
  if (parts[1]) {
    PetscCall(plan->tables[1].Get(space, plan->ghost_slot, &slot));
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(parts[1], &w));
    PetscCall(HeptaVisit(a->ghost, space, HeptaAccess::read, [&](auto B) {
      HeptaLaunch(space, gather, plan->ghost_slot.size(), slot, B.v, w);
      return PETSC_SUCCESS;
    }));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(parts[1], &w));
    PetscCall(PetscObjectStateIncrease((PetscObject)C));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBDIAFromCUSPARSE(Mat C, Mat A)
{
  Mat_BDIA          *a = MatBDIA(A);
  HeptaSpace         space;
  CSRPlan           *plan;
  Mat                parts[2];
  const size_t      *slot;
  const PetscScalar *w;

  PetscFunctionBegin;
  PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &space));
  PetscCall(Remember(A, C));
  PetscCall(GetPlan(A, &plan));
  PetscCall(GetParts(C, parts));
  PetscCall(plan->tables[0].Get(space, plan->slot, &slot));
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(parts[0], &w));
  PetscCall(HeptaVisit(*a->diag, space, HeptaAccess::read_write, [&](auto D) {
    HeptaLaunch(space, scatter, plan->slot.size(), slot, w, D.v);
    return PETSC_SUCCESS;
  }));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(parts[0], &w));
  if (parts[1]) {
    PetscCall(plan->tables[1].Get(space, plan->ghost_slot, &slot));
    PetscCall(MatSeqAIJCUSPARSEGetArrayRead(parts[1], &w));
    PetscCall(HeptaVisit(a->ghost, space, HeptaAccess::read_write, [&](auto B) {
      HeptaLaunch(space, scatter, plan->ghost_slot.size(), slot, w, B.v);
      return PETSC_SUCCESS;
    }));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(parts[1], &w));
  }
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode MatBDIAKnowsCUSPARSE(Mat, Mat, bool *known)
{
  *known = false;
  return PETSC_SUCCESS;
}

bool MatBDIAConvertsOnDevice(Mat, Mat)
{
  return false;
}

/* Never called: there is no aijcusparse, and no values are on a device */
PetscErrorCode MatBDIAFromCUSPARSE(Mat, Mat)
{
  return PETSC_ERR_PLIB;
}

PetscErrorCode MatBDIAToCUSPARSE(Mat, Mat)
{
  return PETSC_ERR_PLIB;
}
#endif
