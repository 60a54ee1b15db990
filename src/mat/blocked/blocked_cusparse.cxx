/*
   Values from and to aijcusparse on the device. The entries set, in the order of the compressed rows, have known slots; if both
   matrices are known to have the same entries, the device copies values directly between the matrices.
*/
#include "blocked.h"

using namespace hepta::blocked;

PetscErrorCode MatBlockedKnowsCUSPARSE(Mat A, Mat C, bool *known)
{
  const Mat_Blocked *a = MatBlocked(A);
  PetscBool          bound;

  PetscFunctionBegin;
  PetscCall(MatBoundToCPU(C, &bound)); // true without CUDA, where struct _p_Mat has no such member
  *known = a->csr && a->csr->structure.Of(A) && a->csr->partner.Of(C) && !bound;
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
bool MatBlockedConvertsOnDevice(Mat C, Mat A)
{
  PetscBool cusparse;

  return !PetscObjectTypeCompareAny((PetscObject)C, &cusparse, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, "") && cusparse &&
         !C->boundtocpu && !MatBlocked(A)->set.half;
}

/* The plan for the present structure; a new plan has no slots yet */
static CSRPlan &Plan(Mat A)
{
  Mat_Blocked *a = MatBlocked(A);

  if (!a->csr || !a->csr->structure.Of(A)) {
    a->csr = std::make_unique<CSRPlan>();
    a->csr->structure.Note(A);
  }
  return *a->csr;
}

/* The slots of the set entries in the order of the compressed rows, found once for a structure */
static PetscErrorCode ListSlots(Mat A)
{
  CSRPlan &plan = Plan(A);

  PetscFunctionBegin;
  if (plan.listed) PetscFunctionReturn(PETSC_SUCCESS);
  plan.slot.clear();
  plan.ghost_slot.clear();
  for (PetscInt i = 0; i < A->rmap->n; i++)
    PetscCall(
      HeptaForSetInRow(A, i, [&](bool ghost, PetscInt, size_t at) { (ghost ? plan.ghost_slot : plan.slot).push_back(at); }));
  plan.listed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks that a part's compressed rows have one entry for each slot */
static PetscErrorCode CheckCount(Mat part, size_t slots)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(part, MAT_LOCAL, &info));
  PetscCheck(info.nz_used == (PetscLogDouble)slots, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The compressed rows have %.0f entries, the same part of this matrix %.0f", info.nz_used, (double)slots);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A new aijcusparse has its rows on the host only; MatSeqAIJCUSPARSEGetIJ() copies the rows to the device */
static PetscErrorCode TakeRowsToDevice(Mat part)
{
  const PetscInt *i, *j;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSEGetIJ(part, PETSC_FALSE, &i, &j));
  PetscCall(MatSeqAIJCUSPARSERestoreIJ(part, PETSC_FALSE, &i, &j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the values of our part (local or ghost) to the compressed values of an aijcusparse's part if `to`, otherwise back */
template <class D>
static PetscErrorCode CopyPart(bool to, D &ours, Mat part, HeptaTable<size_t> &table, const std::vector<size_t> &slots)
{
  HeptaSpace         space;
  const size_t      *slot;
  PetscScalar       *w = nullptr;
  const PetscScalar *r = nullptr;

  PetscFunctionBegin;
  PetscCall(CheckCount(part, slots.size()));
  if (slots.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &space));
  PetscCall(table.Get(space, slots, &slot));
  if (to) {
    PetscCall(TakeRowsToDevice(part));
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(part, &w));
  } else PetscCall(MatSeqAIJCUSPARSEGetArrayRead(part, &r));
  PetscCall(HeptaVisitValues(ours, space, to ? HeptaAccess::read : HeptaAccess::read_write, [&](auto *v) {
    if (to) HeptaLaunchEach(space, gather, slots.size(), slot, v, w);
    else HeptaLaunchEach(space, scatter, slots.size(), slot, r, v);
    return PETSC_SUCCESS;
  }));
  if (to) PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(part, &w));
  else PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(part, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedCopyCUSPARSE(bool to, Mat A, Mat C)
{
  Mat       parts[2] = {C, nullptr};
  PetscBool seq;
  bool      done = false;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)C, MATSEQAIJCUSPARSE, &seq));
  if (!seq) PetscCall(MatMPIAIJGetSeqAIJ(C, &parts[0], &parts[1], nullptr));
  else if (!to) PetscCall(MatBlocked(A)->local->TakeCUSPARSE(C, &done));
  CSRPlan &plan = Plan(A);
  plan.partner.Note(C);
  if (!done) {
    PetscCall(ListSlots(A));
    PetscCall(CopyPart(to, *MatBlocked(A)->local, parts[0], plan.tables[0], plan.slot));
    if (parts[1]) PetscCall(CopyPart(to, MatBlocked(A)->ghost, parts[1], plan.tables[1], plan.ghost_slot));
  }
  PetscCall(PetscObjectStateIncrease((PetscObject)(to ? C : A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
bool MatBlockedConvertsOnDevice(Mat, Mat)
{
  return false; /* PETSc may have aijcusparse although this library has no kernels */
}

/* Never called, since nothing is converted on a device */
PetscErrorCode MatBlockedCopyCUSPARSE(bool, Mat, Mat)
{
  return PETSC_ERR_PLIB;
}
#endif
