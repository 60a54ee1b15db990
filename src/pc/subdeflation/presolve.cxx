/*
   Starts and corrections of the variants. The KSP's tolerances and its flag of a nonzero guess must differ during a solve. A
   function that replaces the KSP's own solve for one solve changes and restores both, so that no error leaves the program's KSP
   changed.
*/
#include "../solve_start.h"
#include "subdeflation.h"

static const char REPLACED[] = "HeptaSubdeflationReplaced";

/* Is the KSP of one of these types? */
static bool IsAny(KSP ksp, std::initializer_list<const char *> types)
{
  const char *const own = ((PetscObject)ksp)->type_name;

  return own && std::any_of(types.begin(), types.end(), [own](const char *type) { return !strcmp(type, own); });
}

static bool IsConjugateGradients(KSP ksp)
{
  return IsAny(ksp,
               {KSPCG, KSPFUSEDCG, KSPFCG, KSPPIPECG, KSPPIPECGRR, KSPPIPELCG, KSPPIPEPRCG, KSPPIPECG2, KSPPIPEFCG, KSPGROPPCG});
}

/* Composed with a KSP while SolveDeflated() replaces its solve */
struct Replaced {
  PetscErrorCode (*solve)(KSP);
};

/* x <- x + Q (b - A x), orthogonal to the null space, for the KSP's system; zero_guess: x = 0 before */
static PetscErrorCode Correct(PC pc, KSP ksp, Vec b, Vec x, bool zero_guess)
{
  PC_Subdeflation *s = Subdeflation(pc);
  Vec              r = b;
  MatNullSpace     null;

  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  PetscCall(HeptaSubdeflationWork(pc, b));
  if (!zero_guess) {
    r = s->work[1];
    PetscCall((ksp->transpose_solve ? MatMultTranspose : MatMult)(pc->mat, x, r));
    PetscCall(VecAYPX(r, -1, b));
  }
  PetscCall(HeptaSubdeflationRestrict(pc, r, nullptr));
  PetscCall(HeptaSubdeflationSolveLike(pc, b));
  PetscCall(HeptaSubdeflationProlong(pc, zero_guess ? nullptr : x, x));
  PetscCall(MatGetNullSpace(pc->mat, &null)); /* corrections of the method are orthogonal to the null space */
  if (null) PetscCall(MatNullSpaceRemove(null, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* def1 needs a method that allows a singular preconditioner on the left */
static PetscErrorCode CheckDef1(PC pc, KSP ksp)
{
  PCSide side;

  PetscFunctionBegin;
  PetscCheck(
    !IsConjugateGradients(ksp), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
    "The variant def1 stalls in %s, whose directions it does not deflate: use -pc_subdeflation_variant adef2, or -ksp_type gmres",
    ((PetscObject)ksp)->type_name);
  PetscCall(KSPGetPCSide(ksp, &side));
  PetscCheck(side == PC_LEFT, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "The variant def1 is a preconditioner from the left only: use -pc_subdeflation_variant adef2, or -ksp_pc_side left");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses methods of PETSc 3.26 that end with x <- M^-1 x for right preconditioning: M^-1 would multiply the initial guess too */
static PetscErrorCode CheckStart(PC pc, KSP ksp)
{
  const char *variant = HeptaSubdeflationVariants[Subdeflation(pc)->variant];
  PCSide      side;

  PetscFunctionBegin;
  PetscCall(KSPGetPCSide(ksp, &side));
  PetscCheck(!IsAny(ksp, {KSPCGS, KSPTFQMR, KSPTCQMR, KSPIBCGS}) || side != PC_RIGHT, PetscObjectComm((PetscObject)pc),
             PETSC_ERR_SUP,
             "The variant %s starts from a guess, which %s loses with a preconditioner on the right: use -ksp_pc_side left, or "
             "-pc_subdeflation_variant bnn",
             variant, ((PetscObject)ksp)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   def1 and def2 give nearly zero for b in the range of A Z, so a test relative to the preconditioned norm of b would fail. The
   test becomes absolute: rtol |M^-1 b| for the inner preconditioner M^-1, without a test for divergence.
*/
static PetscErrorCode MeasureByInner(PC pc, KSP ksp, Vec b)
{
  PC_Subdeflation *s = Subdeflation(pc);
  KSPNormType      norm;
  PetscReal        size;

  PetscFunctionBegin;
  PetscCall(KSPGetNormType(ksp, &norm));
  if (norm != KSP_NORM_PRECONDITIONED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaSubdeflationWork(pc, b));
  PetscCall((ksp->transpose_solve ? PCApplyTranspose : PCApply)(s->inner, b, s->work[0]));
  PetscCall(VecNorm(s->work[0], NORM_2, &size));
  ksp->abstol = PetscMax(ksp->abstol, ksp->rtol * size);
  ksp->divtol = PETSC_MAX_REAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool Starts(HeptaSubdeflationVariant v)
{
  return v == HEPTA_SUBDEFLATION_DEF2 || v == HEPTA_SUBDEFLATION_ADEF2;
}

/*
   PETSc 3.26's bcgs with right preconditioning and without an initial guess adds the guess of an earlier solve to x. bcgs gets
   the zeros in x as a guess.
*/
static PetscErrorCode ReplaceGuess(PC pc, KSP ksp)
{
  PCSide side;

  PetscFunctionBegin;
  PetscCall(KSPGetPCSide(ksp, &side));
  if (IsAny(ksp, {KSPBCGS}) && side == PC_RIGHT && Subdeflation(pc)->started) ksp->guess_zero = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Limits of a KSP at the begin of its iterations */
struct Limits {
  PetscReal abstol, divtol;
};

/* def2 and adef2 start from x + Q (b - A x), after which Z^T r stays zero */
static PetscErrorCode StartAndSolve(PC pc, KSP ksp, PetscErrorCode (*solve)(KSP), Limits *begin)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  s->transposed = ksp->transpose_solve;
  if (s->variant == HEPTA_SUBDEFLATION_DEF1 || s->variant == HEPTA_SUBDEFLATION_DEF2)
    PetscCall(MeasureByInner(pc, ksp, ksp->vec_rhs));
  *begin = {ksp->abstol, ksp->divtol};
  if (Starts(s->variant)) {
    PetscCall(Correct(pc, ksp, ksp->vec_rhs, ksp->vec_sol, ksp->guess_zero));
    ksp->guess_zero = PETSC_FALSE;
    s->started      = true;
  } else PetscCall(ReplaceGuess(pc, ksp));
  PetscCall(solve(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces the KSP's own solve for one solve, and restores the own solve first */
static PetscErrorCode SolveDeflated(KSP ksp)
{
  const HeptaSolveStart start(ksp, ksp->vec_rhs, 1);
  const PetscBool       guess_zero = ksp->guess_zero;
  const Limits          limits     = {ksp->abstol, ksp->divtol};
  Limits                begin      = limits;
  Replaced             *replaced   = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)ksp, REPLACED, &replaced));
  PetscCheck(replaced, PetscObjectComm((PetscObject)ksp), PETSC_ERR_PLIB, "The solve of KSP %s has been lost",
             ((PetscObject)ksp)->type_name);
  PetscErrorCode (*const solve)(KSP) = replaced->solve;
  ksp->ops->solve                    = solve;
  PetscCall(PetscObjectCompose((PetscObject)ksp, REPLACED, nullptr));
  /* false if an error ended the last solve early and the program has set another PC */
  const bool           ours = HeptaDeflates(ksp->pc);
  const PetscErrorCode ierr = ours ? HeptaNoThrow<StartAndSolve>(ksp->pc, ksp, solve, &begin) : solve(ksp);
  if (ours) Subdeflation(ksp->pc)->transposed = false;
  ksp->guess_zero = guess_zero;
  if (ksp->abstol == begin.abstol) ksp->abstol = limits.abstol; /* otherwise a monitor has called KSPSetTolerances() */
  if (ksp->divtol == begin.divtol) ksp->divtol = limits.divtol;
  if (ierr) start.Undo();
  if (ierr && ours) {
    for (Vec w : Subdeflation(ksp->pc)->work) {
      if (w) HeptaUnlock(w, 0);
    }
  }
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationServeDPCG(PC pc, KSP ksp)
{
  const PC_Subdeflation *s    = Subdeflation(pc);
  const bool             kept = s->stage == HeptaPCStage::ready && pc->reusepreconditioner;
  bool                   symmetric;

  PetscFunctionBegin;
  PetscCheck(
    s->variant == HEPTA_SUBDEFLATION_ADEF2 || s->variant == HEPTA_SUBDEFLATION_DEF2, PetscObjectComm((PetscObject)ksp),
    PETSC_ERR_SUP,
    "KSP dpcg is the variant adef2 of PC subdeflation, not %s: leave -pc_subdeflation_variant out, or use -ksp_type fusedcg",
    HeptaSubdeflationVariants[s->variant]);
  PetscCheck(s->UsesLabels(), PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
             "KSP dpcg deflates subdomains, not vectors of the program's: use -ksp_type fusedcg with PCSubdeflationSetVectors()");
  PetscCall(HeptaKnownSymmetric(pc->pmat, &symmetric));
  PetscCheck(kept ? s->coarse.symmetric : symmetric, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
             "KSP dpcg needs a matrix known to be symmetric: MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE) after its assembly, "
             "which forgets it, or with MAT_SYMMETRY_ETERNAL before; or use -ksp_type fusedbcgs");
  /* at its set-up the matrix may not have been known to be symmetric */
  if (s->stage == HeptaPCStage::ready && !s->coarse.symmetric) PetscCall(HeptaPCStartAnew(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationPreSolve(PC pc, KSP ksp)
{
  Replaced *replaced;

  PetscFunctionBegin;
  /* checks again, since the program may change its choices after the set-up of the KSP */
  if (IsAny(ksp, {KSPDPCG}) && ksp->pc == pc) PetscCall(HeptaSubdeflationServeDPCG(pc, ksp));
  PetscCall(HeptaPCCheckReady(pc));
  PetscCall(HeptaCheckNullSpaces(pc, Subdeflation(pc)->checked_null));
  /* checked here, since a later error would leave vectors locked */
  if (ksp->transpose_solve || IsAny(ksp, {KSPBICG})) PetscCall(HeptaSubdeflationCheckTransposed(pc));
  PetscCall(HeptaSubdeflationFollowVectors(pc));
  if (IsAny(ksp, {KSPPREONLY, KSPNONE})) PetscFunctionReturn(PETSC_SUCCESS);
  if (Subdeflation(pc)->variant == HEPTA_SUBDEFLATION_DEF1) PetscCall(CheckDef1(pc, ksp));
  if (ksp->pc != pc || ksp->ops->solve == HeptaNoThrow<SolveDeflated>) PetscFunctionReturn(PETSC_SUCCESS);
  if (Starts(Subdeflation(pc)->variant)) PetscCall(CheckStart(pc, ksp));
  PetscCall(PetscNew(&replaced));
  replaced->solve = ksp->ops->solve;
  PetscCall(PetscObjectContainerCompose((PetscObject)ksp, REPLACED, replaced, PetscCtxDestroyDefault));
  ksp->ops->solve = HeptaNoThrow<SolveDeflated>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With def1 a final correction removes the component of the error in the range of Z */
PetscErrorCode PCPostSolve_Subdeflation(PC pc, KSP ksp, Vec b, Vec x)
{
  PetscFunctionBegin;
  if (!IsAny(ksp, {KSPPREONLY, KSPNONE}) && Subdeflation(pc)->variant == HEPTA_SUBDEFLATION_DEF1)
    PetscCall(Correct(pc, ksp, b, x, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}
