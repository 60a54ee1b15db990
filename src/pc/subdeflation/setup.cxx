/* Set-up of the subdomain deflation: operator, subdomains, A Z, coarse problem, inner preconditioner */
#include "../ip/ip.h"
#include "subdeflation.h"

PetscErrorCode HeptaSubdeflationInnerPrefix(PC pc)
{
  PC inner = Subdeflation(pc)->inner;

  PetscFunctionBegin;
  PetscCall(PetscObjectSetOptions((PetscObject)inner, ((PetscObject)pc)->options));
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
  /* otherwise the rows have been read already */
  if (!s->UsesLabels()) PetscCall(MatHasOperation(pc->pmat, MATOP_GET_ROW, &rows));
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(s->inner, PCIP));
  PetscCall(HeptaIPFits(s->inner, fits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The default inner preconditioner is PCIP if the matrix fits MATBDIA, otherwise PCJACOBI */
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
  /* clears the reason of an earlier set-up, which PETSc's own preconditioners keep */
  PetscCall(PCSetFailedReason(s->inner, PC_NOERROR));
  PetscCall(PCSetUp(s->inner));
  PetscCall(PCSetUpOnBlocks(s->inner));
  PetscCall(PCGetFailedReason(s->inner, &reason));
  PetscCall(PCSetFailedReason(pc, reason)); /* for the KSP to see */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The grid, and a type of subdomains if none was chosen */
static PetscErrorCode Decide(PC pc)
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
  if (!s->coarse_given)
    s->coarse_type = s->coarse.d <= 8192 || !s->UsesLabels() ? HEPTA_SUBDEFLATION_COARSE_INVERSE : HEPTA_SUBDEFLATION_COARSE_KSP;
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

PetscErrorCode HeptaSubdeflationSetUp(PC pc)
{
  PC_Subdeflation *s = Subdeflation(pc);
  HeptaSpace       space;
  bool             same = !s->az_vectors.empty();

  PetscFunctionBegin;
  PetscCall(HeptaCheckNullSpaces(pc, Subdeflation(pc)->checked_null));
  if (!s->UsesLabels()) {
    PetscCall(SetUpVectors(pc));
  } else {
    PetscCall(s->rows.Update(pc, &same));
    if (!same) PetscCall(Decide(pc));
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
