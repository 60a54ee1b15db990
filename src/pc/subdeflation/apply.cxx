/*
   Applications of the subdomain deflation. With w = M^-1 P x (def1, adef1, bnn) or M^-1 x (def2, adef2), P = I - A Q,

     def1  w,    adef1  w + Q x,    def2  w - Q A w,    adef2, bnn  w + Q (x - A w)
*/
#include "../../shared/arrays.h"
#include "subdeflation.h"

static bool DeflatesFirst(HeptaSubDeflationVariant v)
{
  return v == HEPTA_SUBDEFLATION_DEF1 || v == HEPTA_SUBDEFLATION_ADEF1 || v == HEPTA_SUBDEFLATION_BNN;
}

static PetscErrorCode Work(PC pc, Vec like)
{
  PC_SubDeflation *s = SubDeflation(pc);

  PetscFunctionBegin;
  for (Vec &w : s->work) {
    if (!w) PetscCall(VecDuplicate(like, &w));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- E^-1 q */
static PetscErrorCode CoarseSolve(PC pc, Vec like)
{
  HeptaSpace space;

  PetscFunctionBegin;
  PetscCall(HeptaVecSpace(like, &space));
  PetscCall(HeptaSubDeflationCoarseSolve(pc, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q <- Z^T (x - A w); x may be null: zero. For symmetric A by the stored A Z, otherwise by a product with A. */
static PetscErrorCode RestrictResidual(PC pc, Vec x, Vec w)
{
  PC_SubDeflation *s = SubDeflation(pc);

  PetscFunctionBegin;
  if (s->coarse.symmetric) {
    PetscCall(HeptaSubDeflationRestrict(pc, x, w));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatMult(pc->pmat, w, s->work[1]));
  if (x) PetscCall(VecAYPX(s->work[1], -1, x));
  else PetscCall(VecScale(s->work[1], -1));
  PetscCall(HeptaSubDeflationRestrict(pc, s->work[1], nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply(PC pc, HeptaSubDeflationVariant variant, PetscErrorCode (*inner)(PC, Vec, Vec), Vec x, Vec z)
{
  PC_SubDeflation *s = SubDeflation(pc);
  Vec              t = x;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(HEPTA_Event.deflation_apply, pc, x, z, nullptr));
  PetscCall(Work(pc, x));
  if (DeflatesFirst(variant)) {
    t = s->work[0];
    PetscCall(HeptaSubDeflationRestrict(pc, x, nullptr));
    PetscCall(CoarseSolve(pc, x));
    PetscCall(HeptaSubDeflationSubtractAZ(pc, x, t));
  }
  PetscCall(inner(s->inner, t, z));
  if (variant != HEPTA_SUBDEFLATION_DEF1) {
    if (variant != HEPTA_SUBDEFLATION_ADEF1) { /* for adef1 the coarse solution is still that of x */
      PetscCall(RestrictResidual(pc, variant == HEPTA_SUBDEFLATION_DEF2 ? nullptr : x, z));
      PetscCall(CoarseSolve(pc, x));
    }
    PetscCall(HeptaSubDeflationProlong(pc, z, z));
  }
  PetscCall(PetscLogEventEnd(HEPTA_Event.deflation_apply, pc, x, z, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_SubDeflation(PC pc, Vec x, Vec z)
{
  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  PetscCall(Apply(pc, SubDeflation(pc)->variant, PCApply, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The transposed forms for a symmetric A: def1 and def2 are each other's, adef1 and adef2 too */
PetscErrorCode PCApplyTranspose_SubDeflation(PC pc, Vec x, Vec z)
{
  static const HeptaSubDeflationVariant transposed[] = {HEPTA_SUBDEFLATION_DEF2, HEPTA_SUBDEFLATION_DEF1, HEPTA_SUBDEFLATION_ADEF2, HEPTA_SUBDEFLATION_ADEF1, HEPTA_SUBDEFLATION_BNN};

  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  PetscCheck(SubDeflation(pc)->coarse.symmetric, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "The transposed PC subdeflation needs a matrix known to be symmetric: MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE)");
  PetscCall(Apply(pc, transposed[SubDeflation(pc)->variant], PCApplyTranspose, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x <- x + Q (b - A x), orthogonal to the null space; with zero_guess x is zero */
static PetscErrorCode Correct(PC pc, Vec b, Vec x, bool zero_guess)
{
  PC_SubDeflation *s = SubDeflation(pc);
  Vec              r = b;
  MatNullSpace     null;

  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  PetscCall(Work(pc, b));
  if (!zero_guess) {
    r = s->work[1];
    PetscCall(MatMult(pc->mat, x, r));
    PetscCall(VecAYPX(r, -1, b));
  }
  PetscCall(HeptaSubDeflationRestrict(pc, r, nullptr));
  PetscCall(CoarseSolve(pc, b));
  PetscCall(HeptaSubDeflationProlong(pc, zero_guess ? nullptr : x, x));
  PetscCall(MatGetNullSpace(pc->mat, &null)); /* the method corrects x by orthogonal vectors only */
  if (null) PetscCall(MatNullSpaceRemove(null, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* def1 works in methods that allow a singular preconditioner on the left */
static PetscErrorCode CheckDef1(PC pc, KSP ksp)
{
  PetscBool cg;
  PCSide    side;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &cg, KSPCG, KSPFCG, KSPPIPECG, KSPPIPECGRR, KSPPIPELCG, KSPPIPEPRCG, KSPPIPECG2, KSPPIPEFCG, KSPGROPPCG, ""));
  PetscCheck(!cg, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "The variant def1 stalls in %s, whose directions it does not deflate: use -pc_subdeflation_variant adef2, or -ksp_type gmres", ((PetscObject)ksp)->type_name);
  PetscCall(KSPGetPCSide(ksp, &side));
  PetscCheck(side == PC_LEFT, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "The variant def1 is a preconditioner from the left only: use -pc_subdeflation_variant adef2, or -ksp_pc_side left");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   def1 and def2 give nearly zero for b in the range of A Z, so a preconditioned norm of b is no measure there: the test becomes
   absolute, rtol times the norm of the inner preconditioner's M^-1 b, and none for divergence.
*/
static PetscErrorCode MeasureByInner(PC pc, KSP ksp, Vec b)
{
  PC_SubDeflation *s = SubDeflation(pc);
  KSPNormType      norm;
  PetscReal        rtol, abstol, size;

  PetscFunctionBegin;
  PetscCall(KSPGetNormType(ksp, &norm));
  if (norm != KSP_NORM_PRECONDITIONED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCApply(s->inner, b, s->work[0]));
  PetscCall(VecNorm(s->work[0], NORM_2, &size));
  PetscCall(KSPGetTolerances(ksp, &rtol, &abstol, &s->dtol, nullptr));
  s->abstol = abstol;
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PetscMax(abstol, rtol * size), PETSC_UNLIMITED, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* def2 and adef2 start from x + Q (b - A x), after which Z^T r stays zero */
PetscErrorCode PCPreSolve_SubDeflation(PC pc, KSP ksp, Vec b, Vec x)
{
  PC_SubDeflation *s = SubDeflation(pc);
  PetscBool        preonly, nonzero;

  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  s->guess_changed = false;
  s->abstol        = -1;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &preonly, KSPPREONLY, KSPNONE, ""));
  if (preonly) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->variant == HEPTA_SUBDEFLATION_DEF1) PetscCall(CheckDef1(pc, ksp));
  PetscCall(Work(pc, b));
  if (s->variant == HEPTA_SUBDEFLATION_DEF1 || s->variant == HEPTA_SUBDEFLATION_DEF2) PetscCall(MeasureByInner(pc, ksp, b));
  if (s->variant != HEPTA_SUBDEFLATION_DEF2 && s->variant != HEPTA_SUBDEFLATION_ADEF2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetInitialGuessNonzero(ksp, &nonzero));
  PetscCall(Correct(pc, b, x, !nonzero));
  if (!nonzero) { /* what x holds now is to be kept, whatever was in it before */
    PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
    s->guess_changed = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* def1 leaves the error's part in the range of Z to a final correction */
PetscErrorCode PCPostSolve_SubDeflation(PC pc, KSP ksp, Vec b, Vec x)
{
  PC_SubDeflation *s = SubDeflation(pc);
  PetscBool        preonly;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &preonly, KSPPREONLY, KSPNONE, ""));
  if (s->guess_changed) PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
  s->guess_changed = false;
  if (s->abstol >= 0) PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, s->abstol, s->dtol, PETSC_CURRENT));
  s->abstol = -1;
  if (!preonly && s->variant == HEPTA_SUBDEFLATION_DEF1) PetscCall(Correct(pc, b, x, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}
