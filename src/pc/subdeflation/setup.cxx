/* Set-up of the subdomain deflation: operator, subdomains, A Z, coarse problem, inner preconditioner */
#include "../ip/ip.h"
#include "subdeflation.h"

PetscErrorCode HeptaSubdeflationInnerPrefix(PC pc)
{
  PC inner = Subdeflation(pc)->inner;

  PetscFunctionBegin;
  PetscCall(PCSetOptionsPrefix(inner, ((PetscObject)pc)->prefix));
  PetscCall(PCAppendOptionsPrefix(inner, "pc_subdeflation_"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Can the inner preconditioner be PCIP in block diagonals? For matrices without block diagonals PCIP is too often indefinite. */
static PetscErrorCode InnerFits(PC pc, bool *fits)
{
  PC_Subdeflation *s    = Subdeflation(pc);
  PetscBool        rows = PETSC_TRUE;

  PetscFunctionBegin;
  *fits = false;
  if (!s->UsesLabels()) PetscCall(MatHasOperation(pc->pmat, MATOP_GET_ROW, &rows)); /* otherwise the rows have been read already */
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(s->inner, PCIP));
  PetscCall(HeptaIPFits(s->inner, fits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An inner preconditioner that the user has not chosen is PCIP if the matrix fits, otherwise PCJACOBI */
static PetscErrorCode SetUpInner(PC pc, bool new_matrix)
{
  PC_Subdeflation *s = Subdeflation(pc);
  PCType           type;
  PCFailedReason   reason;

  PetscFunctionBegin;
  PetscCall(HeptaSubdeflationInnerPrefix(pc));
  PetscCall(PCSetOperators(s->inner, pc->mat, pc->pmat));
  PetscCall(PCGetType(s->inner, &type));
  if (!type || (new_matrix && s->inner_chosen == type)) {
    const std::string before = s->inner_chosen;
    bool              fits;
    PetscCall(InnerFits(pc, &fits));
    s->inner_chosen = fits ? PCIP : PCJACOBI;
    PetscCall(PCSetType(s->inner, s->inner_chosen.c_str()));
    if (s->inner_chosen != before) PetscCall(PCSetFromOptions(s->inner));
  }
  PetscCall(PCSetFailedReason(s->inner, PC_NOERROR)); /* clears the reason of an earlier set-up, which PETSc's own preconditioners keep */
  PetscCall(PCSetUp(s->inner));
  PetscCall(PCSetUpOnBlocks(s->inner));
  PetscCall(PCGetFailedReason(s->inner, &reason));
  PetscCall(PCSetFailedReason(pc, reason)); /* for the KSP to see */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the choices that the user has not made */
PetscErrorCode HeptaSubdeflationDecide(PC pc)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  PetscCall(HeptaGridOf(s->rows.A, pc->dm, s->grid_given, "-pc_subdeflation_grid", &s->grid));
  if (!s->grid.dim && s->rows.A != pc->pmat) PetscCall(HeptaGridOf(pc->pmat, nullptr, nullptr, "", &s->grid));
  if (!s->type_given) s->type = s->grid.dim ? HEPTA_SUBDEFLATION_BOXES : HEPTA_SUBDEFLATION_STRIPES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpCoarse(PC pc, bool new_structure, const HeptaSpace &space)
{
  PC_Subdeflation *s = Subdeflation(pc);
  bool             symmetric;

  PetscFunctionBegin;
  PetscCall(HeptaKnownSymmetric(pc->pmat, &symmetric));
  if (new_structure || s->coarse.symmetric != symmetric) PetscCall(s->coarse.Reset());
  s->coarse.symmetric = symmetric;
  if (!s->coarse_given) s->coarse_type = s->coarse.d <= 8192 || !s->UsesLabels() ? HEPTA_SUBDEFLATION_COARSE_INVERSE : HEPTA_SUBDEFLATION_COARSE_KSP;
  PetscCall(HeptaSubdeflationNullVectors(pc));
  PetscCall(HeptaSubdeflationCoarseSetUp(pc, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The set-up with user vectors, which needs no rows of the matrix */
static PetscErrorCode SetUpVectors(PC pc)
{
  PetscFunctionBegin;
  PetscCall(HeptaCheckNullSpaces(pc, Subdeflation(pc)->checked_null));
  PetscCall(HeptaSubdeflationMultiplyVectors(pc));
  PetscCall(SetUpCoarse(pc, true, HeptaSpace()));
  Subdeflation(pc)->states = Subdeflation(pc)->VectorStates();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationFollowVectors(PC pc)
{
  const PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  if (!pc->reusepreconditioner && !s->UsesLabels() && s->VectorStates() != s->states) PetscCall(SetUpVectors(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error for choices that contradict a requested cycle */
static PetscErrorCode CheckCycleChoices(PC pc)
{
  const PC_Subdeflation *s    = Subdeflation(pc);
  const char            *type = HeptaSubdeflationTypes[s->type], *inner = ((PetscObject)s->inner)->type_name;

  PetscFunctionBegin;
  PetscCheck(!s->type_given || s->type != HEPTA_SUBDEFLATION_STRENGTH || s->CycleAsked(), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "-pc_subdeflation_type strength has aggregates for many levels, and the variant %s has two: leave -pc_subdeflation_variant out and take another KSP than dpcg, or take another type", HeptaSubdeflationVariants[s->variant]);
  if (!s->CycleAsked()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!s->type_given || s->type != HEPTA_SUBDEFLATION_STRENGTH || !(s->nsize || s->count), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "-pc_subdeflation_type strength finds aggregates of its own: leave -pc_subdeflation_size and -pc_subdeflation_count out, or take another type");
  PetscCheck(!s->type_given || s->UsesLabels(), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "The variant cycle sums rows over subdomains, not over %s: take another -pc_subdeflation_type, or the variant adef2", type);
  PetscCheck(!s->coarse_given || s->coarse_type == HEPTA_SUBDEFLATION_COARSE_INVERSE, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "The variant cycle has a dense inverse on its last level, not -pc_subdeflation_coarse %s: take inverse or leave it out, or "
             "take the variant adef2",
             HeptaSubdeflationCoarses[s->coarse_type]);
  PetscCheck(!s->storage_given || s->storage == HEPTA_MAT_STORAGE_DOUBLE, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "The variant cycle has a dense inverse in double on its last level, not -pc_subdeflation_coarse_storage %s: take double or "
             "leave it out, or take the variant adef2",
             HeptaMatStorages[s->storage]);
  PetscCheck(!s->InnerGiven() || !strcmp(inner, PCIP) || s->levels.choice.smoother == inner, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "The variant cycle has no inner preconditioner, so no %s: -pc_subdeflation_smoother chooses its smoother, and the variant adef2 takes any", inner);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up a cycle over levels of matrices if it is asked for, or unless two levels are chosen, if it is the default for the matrix */
static PetscErrorCode SetUpCycle(PC pc)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  s->leveling = false;
  s->why_not.clear();
  PetscCall(CheckCycleChoices(pc));
  if (s->TwoLevelChosen()) PetscFunctionReturn(PETSC_SUCCESS);
  s->levels.choice.sizes.assign(s->size, s->size + s->nsize);
  s->leveling = true;
  PetscCall(s->levels.SetUp(pc, s->CycleAsked(), &s->why_not));
  s->leveling = s->why_not.empty();
  if (s->leveling) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!s->CycleAsked(), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "The variant cycle cannot be used: %s. Take -pc_subdeflation_variant adef2, or leave the variant out", s->why_not.c_str());
  PetscCall(s->levels.Reset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationSetUp(PC pc)
{
  PC_Subdeflation *s = Subdeflation(pc);
  HeptaSpace       space;
  bool             same = !s->az_vectors.empty();

  PetscFunctionBegin;
  PetscCall(HeptaCheckNullSpaces(pc, Subdeflation(pc)->checked_null));
  PetscCall(SetUpCycle(pc));
  if (s->leveling) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s->UsesLabels()) {
    PetscCall(SetUpVectors(pc));
  } else {
    PetscCall(s->rows.Update(pc, &same));
    if (!same) PetscCall(HeptaSubdeflationDecide(pc));
    PetscCall(s->rows.Space(&space));
    const bool again = !same || !s->az.found || s->FollowsValues(); /* the same on all ranks */
    if (again) {
      s->az.found = false;
      PetscCall(HeptaSubdeflationLabel(pc, space));
      PetscCall(HeptaSubdeflationStructure(pc, space));
      s->az.found = true;
    }
    PetscCall(HeptaSubdeflationValues(pc, space));
    PetscCall(SetUpCoarse(pc, again, space));
  }
  PetscCall(SetUpInner(pc, !same));
  PetscFunctionReturn(PETSC_SUCCESS);
}
