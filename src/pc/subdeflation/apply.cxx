/*
   Applications of the subdomain deflation. With w = M^-1 P x (def1, adef1, bnn) or M^-1 x (def2, adef2), P = I - A Q,

     def1  w,    adef1  w + Q x,    def2  w - Q A w,    adef2, bnn  w + Q (x - A w)
*/
#include "../../shared/arrays.h"
#include "subdeflation.h"

static bool DeflatesFirst(HeptaSubdeflationVariant v)
{
  return v == HEPTA_SUBDEFLATION_DEF1 || v == HEPTA_SUBDEFLATION_ADEF1 || v == HEPTA_SUBDEFLATION_BNN;
}

PetscErrorCode HeptaSubdeflationWork(PC pc, Vec like)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  for (Vec &w : s->work) {
    if (!w) PetscCall(VecDuplicate(like, &w));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- E^-1 q */
PetscErrorCode HeptaSubdeflationSolveLike(PC pc, Vec like)
{
  HeptaSpace space;

  PetscFunctionBegin;
  PetscCheck(Subdeflation(pc)->coarse.solvable, PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
             "PC subdeflation has no coarse solver, because its set-up failed");
  PetscCall(HeptaVecSpace(like, &space));
  PetscCall(HeptaSubdeflationCoarseSolve(pc, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q <- Z^T (x - A w); x may be null: zero. For symmetric A the stored A Z is used, otherwise a product with A. */
static PetscErrorCode RestrictResidual(PC pc, Vec x, Vec w)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  if (s->coarse.symmetric) {
    PetscCall(HeptaSubdeflationRestrict(pc, x, w));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatMult(pc->pmat, w, s->work[1]));
  if (x) PetscCall(VecAYPX(s->work[1], -1, x));
  else PetscCall(VecScale(s->work[1], -1));
  PetscCall(HeptaSubdeflationRestrict(pc, s->work[1], nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply(PC pc, HeptaSubdeflationVariant variant, PetscErrorCode (*inner)(PC, Vec, Vec), Vec x, Vec z)
{
  PC_Subdeflation *s = Subdeflation(pc);
  Vec              t = x;

  PetscFunctionBegin;
  PetscCall(HeptaSubdeflationFollowVectors(pc));
  PetscCall(HeptaSubdeflationWork(pc, x));
  if (DeflatesFirst(variant)) {
    t = s->work[0];
    PetscCall(HeptaSubdeflationRestrict(pc, x, nullptr));
    PetscCall(HeptaSubdeflationSolveLike(pc, x));
    PetscCall(HeptaSubdeflationSubtractAZ(pc, x, t));
  }
  PetscCall(inner(s->inner, t, z));
  if (variant != HEPTA_SUBDEFLATION_DEF1) {
    if (variant != HEPTA_SUBDEFLATION_ADEF1) { /* for adef1 y is still the coarse solution for x */
      PetscCall(RestrictResidual(pc, variant == HEPTA_SUBDEFLATION_DEF2 ? nullptr : x, z));
      PetscCall(HeptaSubdeflationSolveLike(pc, x));
    }
    PetscCall(HeptaSubdeflationProlong(pc, z, z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   For a symmetric A def1 is the transpose of def2, and adef1 is the transpose of adef2. A transposed solve calls the transposed
   applications. The start and the correction of a variant fit the variant's own form. In a transposed solve the transposed
   applications therefore have the variant's own form, and the other applications have its transpose.
*/
static HeptaSubdeflationVariant Form(PC pc, bool transposed)
{
  static const HeptaSubdeflationVariant forms[] = {HEPTA_SUBDEFLATION_DEF2, HEPTA_SUBDEFLATION_DEF1, HEPTA_SUBDEFLATION_ADEF2,
                                                   HEPTA_SUBDEFLATION_ADEF1, HEPTA_SUBDEFLATION_BNN};
  const HeptaSubdeflationVariant        own     = Subdeflation(pc)->variant;

  return transposed == Subdeflation(pc)->transposed ? own : forms[own];
}

PetscErrorCode HeptaSubdeflationCheckTransposed(PC pc)
{
  PetscFunctionBegin;
  PetscCheck(Subdeflation(pc)->coarse.symmetric, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "The transposed PC subdeflation needs a matrix known to be symmetric: MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool transposed> PetscErrorCode PCApply_Subdeflation(PC pc, Vec x, Vec z)
{
  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  if (transposed) PetscCall(HeptaSubdeflationCheckTransposed(pc));
  PetscCall(PetscLogEventBegin(HEPTA_Event.deflation_apply, pc, x, z, nullptr));
  PetscCall(Apply(pc, Form(pc, transposed), transposed ? PCApplyTranspose : PCApply, x, z));
  PetscCall(PetscLogEventEnd(HEPTA_Event.deflation_apply, pc, x, z, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode PCApply_Subdeflation<false>(PC, Vec, Vec);
template PetscErrorCode PCApply_Subdeflation<true>(PC, Vec, Vec);
