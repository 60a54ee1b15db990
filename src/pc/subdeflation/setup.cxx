/* Set-up of the subdomain deflation: operator, subdomains, A Z, coarse problem, inner preconditioner */
#include "../ip/ip.h"
#include "subdeflation.h"

PetscErrorCode HeptaSubDeflationInnerPrefix(PC pc)
{
  PC inner = SubDeflation(pc)->inner;

  PetscFunctionBegin;
  PetscCall(PCSetOptionsPrefix(inner, ((PetscObject)pc)->prefix));
  PetscCall(PCAppendOptionsPrefix(inner, "pc_subdeflation_"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Can the inner preconditioner be PCIP in block diagonals? By rows it is indefinite for too many matrices. */
static PetscErrorCode InnerFits(PC pc, bool *fits)
{
  PC_SubDeflation *s    = SubDeflation(pc);
  PetscBool        rows = PETSC_TRUE;

  PetscFunctionBegin;
  *fits = false;
  if (!s->UsesLabels()) PetscCall(MatHasOperation(pc->pmat, MATOP_GET_ROW, &rows)); /* otherwise the rows have been read already */
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(s->inner, PCIP));
  PetscCall(HeptaIPFits(s->inner, fits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An inner preconditioner that the user has not chosen is PCIP where the matrix fits, and PCJACOBI elsewhere */
static PetscErrorCode SetUpInner(PC pc, bool new_matrix)
{
  PC_SubDeflation *s = SubDeflation(pc);
  PCType           type;
  PCFailedReason   reason;

  PetscFunctionBegin;
  PetscCall(HeptaSubDeflationInnerPrefix(pc));
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
  PetscCall(PCSetUp(s->inner));
  PetscCall(PCSetUpOnBlocks(s->inner));
  PetscCall(PCGetFailedReason(s->inner, &reason));
  PetscCall(PCSetFailedReason(pc, reason)); /* for the KSP to see */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do the subdomains follow from the values? Then they move with them. */
static bool FollowsValues(HeptaSubDeflationType type)
{
  return type == HEPTA_SUBDEFLATION_MATERIAL || type == HEPTA_SUBDEFLATION_MATERIALBOXES;
}

/* What the user has not decided */
static PetscErrorCode Decide(PC pc)
{
  PC_SubDeflation *s = SubDeflation(pc);

  PetscFunctionBegin;
  PetscCall(HeptaGridOf(s->rows.A, pc->dm, s->grid_given, "-pc_subdeflation_grid", &s->grid));
  if (!s->grid.dim && s->rows.A != pc->pmat) PetscCall(HeptaGridOf(pc->pmat, nullptr, nullptr, "", &s->grid));
  if (!s->type_given) s->type = s->grid.dim ? HEPTA_SUBDEFLATION_BOXES : HEPTA_SUBDEFLATION_STRIPES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpCoarse(PC pc, bool new_structure, const HeptaSpace &space)
{
  PC_SubDeflation *s = SubDeflation(pc);
  bool             symmetric;

  PetscFunctionBegin;
  PetscCall(HeptaKnownSymmetric(pc->pmat, &symmetric));
  if (new_structure || s->coarse.symmetric != symmetric) {
    const PetscInt d = s->coarse.d;
    PetscCall(s->coarse.Reset());
    s->coarse.d = d;
  }
  s->coarse.symmetric = symmetric;
  if (!s->coarse_given) s->coarse_type = s->coarse.d <= 8192 || !s->UsesLabels() ? HEPTA_SUBDEFLATION_COARSE_INVERSE : HEPTA_SUBDEFLATION_COARSE_KSP;
  PetscCall(HeptaSubDeflationNullVectors(pc));
  PetscCall(HeptaSubDeflationCoarseSetUp(pc, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The user's vectors need no rows */
static PetscErrorCode SetUpVectors(PC pc)
{
  PetscFunctionBegin;
  PetscCall(HeptaSubDeflationMultiplyVectors(pc));
  PetscCall(SetUpCoarse(pc, true, HeptaSpace()));
  PetscCall(HeptaSubDeflationVectorsRecord(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubDeflationFollowVectors(PC pc)
{
  bool changed;

  PetscFunctionBegin;
  if (pc->reusepreconditioner) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaSubDeflationVectorsChanged(pc, &changed));
  if (changed) PetscCall(SetUpVectors(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cycle over nested boxes, unless two levels are chosen or the matrix does not fit it: then an error if the cycle is asked for */
static PetscErrorCode SetUpCycle(PC pc)
{
  PC_SubDeflation *s     = SubDeflation(pc);
  const bool       asked = s->variant == HEPTA_SUBDEFLATION_CYCLE;
  const char      *inner = ((PetscObject)s->inner)->type_name;

  PetscFunctionBegin;
  s->cycling = false;
  if (s->TwoLevelChosen()) {
    s->why_not.clear();
    s->refused.Forget();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!asked || !s->type_given || s->type == HEPTA_SUBDEFLATION_BOXES, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "The variant cycle nests boxes, not %s: leave -pc_subdeflation_type out, or take the variant adef2",
             HeptaSubDeflationTypes[s->type]);
  PetscCheck(!asked || !(s->coarse_given || s->storage_given), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "The variant cycle has a dense inverse on its last level: leave -pc_subdeflation_coarse and -pc_subdeflation_coarse_storage out, or take the variant adef2");
  PetscCheck(!asked || !s->InnerGiven() || !strcmp(inner, PCIP), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "The variant cycle has no inner preconditioner, so no %s: -pc_subdeflation_smoother ip or jacobi chooses its smoother, and the variant adef2 takes any", inner);
  if (!asked && s->refused.Of(pc->pmat)) PetscFunctionReturn(PETSC_SUCCESS); /* without a conversion that would end so again */
  s->cycle.choice.sizes.assign(s->size, s->size + s->nsize);
  PetscCall(s->cycle.SetUp(pc, s->grid_given, &s->why_not));
  s->refused.Forget();
  if (s->cycle.structure_refused) s->refused.Note(pc->pmat);
  PetscCheck(!asked || s->why_not.empty(), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "The variant cycle cannot be used: %s. Take -pc_subdeflation_variant adef2, or leave the variant out", s->why_not.c_str());
  s->cycling = s->why_not.empty();
  if (s->cycling) PetscCall(PCSetFailedReason(pc, PC_NOERROR)); /* two levels may have failed before */
  if (!s->cycling) PetscCall(s->cycle.Reset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUp(PC pc)
{
  PC_SubDeflation *s = SubDeflation(pc);
  HeptaSpace       space;
  bool             same = !s->az_vectors.empty();

  PetscFunctionBegin;
  PetscCall(SetUpCycle(pc));
  if (s->cycling) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s->UsesLabels()) {
    PetscCall(SetUpVectors(pc));
  } else {
    PetscCall(s->rows.Update(pc, &same));
    if (!same) PetscCall(Decide(pc));
    const bool again = !same || !s->az.found || FollowsValues(s->type); /* the same on all ranks */
    if (again) {
      s->az.found = false;
      PetscCall(HeptaSubDeflationLabel(pc));
      PetscCall(HeptaSubDeflationStructure(pc));
      s->az.found = true;
    }
    PetscCall(s->rows.Space(&space));
    PetscCall(HeptaSubDeflationValues(pc, space));
    PetscCall(SetUpCoarse(pc, again, space));
  }
  PetscCall(SetUpInner(pc, !same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_SubDeflation(PC pc)
{
  PetscFunctionBegin;
  PetscCall(HeptaPCSetUp(pc, HEPTA_Event.deflation_setup, SetUp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
