/* PC "subdeflation": the type and its view */
#include "subdeflation.h"

#include "../solve_start.h"

const char *const HeptaSubdeflationTypes[]    = {"stripes",
                                                 "boxes",
                                                 "graph",
                                                 "material",
                                                 "materialboxes",
                                                 "labels",
                                                 "vectors",
                                                 "auto",
                                                 "HeptaSubdeflationType",
                                                 "HEPTA_SUBDEFLATION_",
                                                 nullptr};
const char *const HeptaSubdeflationVariants[] = {
  "def1", "def2", "adef1", "adef2", "bnn", "HeptaSubdeflationVariant", "HEPTA_SUBDEFLATION_", nullptr};
const char *const HeptaSubdeflationCoarses[] = {
  "inverse", "cholesky", "ksp", "HeptaSubdeflationCoarse", "HEPTA_SUBDEFLATION_COARSE_", nullptr};

static PetscErrorCode PCReset_Subdeflation(PC pc)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  s->stage = HeptaPCStage::none;
  PetscCall(s->rows.Reset());
  PetscCall(s->coarse.Reset());
  PetscCall(HeptaAZReset(s->az));
  PetscCall(s->label.Free());
  s->states.clear(); /* new vectors may have equal states */
  for (Vec &v : s->az_vectors) PetscCall(VecDestroy(&v));
  s->az_vectors.clear();
  for (Vec &w : s->work) PetscCall(VecDestroy(&w));
  PetscCall(PCReset(s->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCDestroy_Subdeflation(PC pc)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  PetscCall(ISDestroy(&s->labels));
  for (Vec &v : s->vectors) PetscCall(VecDestroy(&v));
  PC inner = s->inner;
  PetscCall(HeptaPCDestroy(pc));
  PetscCall(PCDestroy(&inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   An application with a coarse inverse can be recorded. User vectors and unsymmetric matrices need operations on PETSc's vectors,
   which cannot be recorded. bnn on several MPI processes is not recorded either: bnn sums twice over the MPI processes, and with
   ipc a replay after a pause would read the second sum in place of the first. The rule holds for nccl too.
*/
static PetscErrorCode Recorded(PC pc, HeptaRecorded *r)
{
  const PC_Subdeflation *s = Subdeflation(pc);
  const bool multiplies = !s->coarse.symmetric && s->variant != HEPTA_SUBDEFLATION_DEF1 && s->variant != HEPTA_SUBDEFLATION_ADEF1;
  HeptaRecorded inner;

  PetscFunctionBegin;
  PetscCall(HeptaPCGetRecorded(s->inner, &inner));
  r->can = inner.can && (pc->pmat->rmap->size == 1 || s->variant != HEPTA_SUBDEFLATION_BNN) && s->UsesLabels() &&
           s->coarse_type == HEPTA_SUBDEFLATION_COARSE_INVERSE && !multiplies;
  r->key += std::to_string(s->variant) + inner.key;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSubdeflationSetType_Subdeflation(PC pc, HeptaSubdeflationType type)
{
  PC_Subdeflation *s     = Subdeflation(pc);
  const bool       given = type != HEPTA_SUBDEFLATION_AUTO; /* AUTO undoes all earlier calls */

  PetscFunctionBegin;
  if (given != s->type_given || (given && s->type != type)) PetscCall(HeptaPCStartAnew(pc));
  s->type       = given ? type : HEPTA_SUBDEFLATION_BOXES;
  s->type_given = given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSubdeflationSetVariant_Subdeflation(PC pc, HeptaSubdeflationVariant variant)
{
  PetscFunctionBegin;
  if (Subdeflation(pc)->variant != variant) PetscCall(HeptaPCStartAnew(pc));
  Subdeflation(pc)->variant = variant;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSubdeflationSetCoarse_Subdeflation(PC pc, HeptaSubdeflationCoarse coarse)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  if (s->coarse_type != coarse || !s->coarse_given) PetscCall(HeptaPCStartAnew(pc));
  s->coarse_type  = coarse;
  s->coarse_given = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSubdeflationSetLabels_Subdeflation(PC pc, IS labels)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  PetscCall(PetscObjectReference((PetscObject)labels));
  PetscCall(ISDestroy(&s->labels));
  s->labels = labels;
  PetscCall(HeptaPCStartAnew(pc)); /* even if the type is the same */
  PetscCall(PCSubdeflationSetType_Subdeflation(pc, HEPTA_SUBDEFLATION_LABELS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSubdeflationSetVectors_Subdeflation(PC pc, PetscInt n, const Vec vectors[])
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscObjectReference((PetscObject)vectors[k]));
  for (Vec &v : s->vectors) PetscCall(VecDestroy(&v));
  s->vectors.assign(vectors, vectors + n);
  PetscCall(HeptaPCStartAnew(pc)); /* even if the type is the same */
  PetscCall(PCSubdeflationSetType_Subdeflation(pc, HEPTA_SUBDEFLATION_VECTORS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSubdeflationGetPC_Subdeflation(PC pc, PC *inner)
{
  PetscFunctionBegin;
  *inner = Subdeflation(pc)->inner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Views the sizes that the set-up has determined */
static PetscErrorCode ViewNumbers(PC pc, PetscViewer viewer)
{
  const PC_Subdeflation *s = Subdeflation(pc);
  PetscBool              jacobi;

  PetscFunctionBegin;
  std::string boxes;
  if (s->boxes[0]) {
    boxes = HeptaFormat(": %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " boxes of %" PetscInt_FMT " x %" PetscInt_FMT
                        " x %" PetscInt_FMT " cells",
                        s->boxes[0], s->boxes[1], s->boxes[2], PetscMin(s->size[0], s->grid.n[0]),
                        PetscMin(s->size[1], s->grid.n[1]), PetscMin(s->size[2], s->grid.n[2]));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %" PetscInt_FMT " coarse unknowns%s\n", s->coarse.d, boxes.c_str()));
  if (s->dropped > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %" PetscInt_FMT " empty subdomains were dropped\n", s->dropped));
  if (!s->coarse.null.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  the coarse matrix is singular: null space of dimension %d\n",
                                     (int)s->coarse.null.size()));
  if (s->coarse.found_constants && !s->coarse.null.empty())
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "  null space: constants, found because the matrix times ones is zero; MatSetNullSpace() would declare it\n"));
  if (!s->coarse.symmetric)
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "  the matrix is not known to be symmetric (MAT_SYMMETRIC): one more product in each application\n"));
  PetscCall(PetscObjectTypeCompare((PetscObject)s->inner, PCJACOBI, &jacobi));
  if (jacobi && s->inner_chosen == PCJACOBI)
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "  the inner preconditioner is jacobi because the matrix does not fit PCIP's block diagonals\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the coarse solve exact? True for the dense inverse and for one application of a factorization */
static PetscErrorCode CoarseIsExact(const PC_Subdeflation *s, PetscBool *exact)
{
  PetscBool preonly, direct;
  PC        pc;

  PetscFunctionBegin;
  *exact = (PetscBool)(s->coarse_type != HEPTA_SUBDEFLATION_COARSE_KSP);
  if (*exact || !s->coarse.ksp) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(s->coarse.ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)s->coarse.ksp, KSPPREONLY, &preonly));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &direct, PCLU, PCCHOLESKY, PCREDUNDANT, PCSVD, ""));
  *exact = (PetscBool)(preonly && direct);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_Subdeflation(PC pc, PetscViewer viewer)
{
  const PC_Subdeflation *s = Subdeflation(pc);
  PetscBool              exact;

  PetscFunctionBegin;
  PetscCall(HeptaTransportView(PetscObjectComm((PetscObject)pc), "  exchanges and sums", viewer));
  const std::string storage =
    s->coarse_type == HEPTA_SUBDEFLATION_COARSE_INVERSE ? std::string(" in ") + HeptaStoredType(s->storage) : "";
  PetscCall(PetscViewerASCIIPrintf(viewer, "  subdomains %s, variant %s, coarse solver %s%s\n", HeptaSubdeflationTypes[s->type],
                                   HeptaSubdeflationVariants[s->variant], HeptaSubdeflationCoarses[s->coarse_type],
                                   storage.c_str()));
  if (pc->setupcalled) PetscCall(ViewNumbers(pc, viewer));
  PetscCall(CoarseIsExact(s, &exact));
  if (!exact) {
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "  the coarse solves are not exact: the outer method should be flexible (fcg, fgmres)\n"));
  }
  if (s->coarse.ksp) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  coarse solver:\n"));
    PetscCall(PetscViewerASCIIPushTab(viewer));
    PetscCall(KSPView(s->coarse.ksp, viewer));
    PetscCall(PetscViewerASCIIPopTab(viewer));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  inner preconditioner:\n"));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PCView(s->inner, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_Subdeflation(PC pc)
{
  PC_Subdeflation *s = new PC_Subdeflation;

  PetscFunctionBegin;
  pc->data = s;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)pc), &s->inner));
  PetscCall(PetscObjectIncrementTabLevel((PetscObject)s->inner, (PetscObject)pc, 1));
  pc->ops->setup          = HeptaNoThrow<HeptaPCSetUp<&HeptaEvents::deflation_setup, HeptaSubdeflationSetUp>>;
  pc->ops->apply          = HeptaNoThrow<PCApply_Subdeflation<false>>;
  pc->ops->applytranspose = HeptaNoThrow<PCApply_Subdeflation<true>>;
  pc->ops->presolve       = HeptaNoThrow<HeptaPCPreSolve<HeptaSubdeflationPreSolve>>;
  pc->ops->postsolve      = HeptaNoThrow<PCPostSolve_Subdeflation>;
  pc->ops->reset          = HeptaNoThrow<PCReset_Subdeflation>;
  pc->ops->destroy        = HeptaNoThrow<PCDestroy_Subdeflation>;
  pc->ops->setfromoptions = HeptaNoThrow<PCSetFromOptions_Subdeflation>;
  pc->ops->view           = HeptaNoThrow<HeptaPCView<PCView_Subdeflation>>;
  PetscCall(HeptaPCComposeFunction(pc, HEPTA_RECORDED, HeptaNoThrow<Recorded>));
  PetscCall(HeptaPCComposeFunction(pc, "HeptaPCCheckTransposed_C", HeptaNoThrow<HeptaSubdeflationCheckTransposed>));
  PetscCall(HeptaPCComposeFunction(pc, "PCSubdeflationSetType_C", HeptaNoThrow<PCSubdeflationSetType_Subdeflation>));
  PetscCall(HeptaPCComposeFunction(pc, "PCSubdeflationSetVariant_C", HeptaNoThrow<PCSubdeflationSetVariant_Subdeflation>));
  PetscCall(HeptaPCComposeFunction(pc, "PCSubdeflationSetCoarse_C", HeptaNoThrow<PCSubdeflationSetCoarse_Subdeflation>));
  PetscCall(HeptaPCComposeFunction(pc, "PCSubdeflationSetLabels_C", HeptaNoThrow<PCSubdeflationSetLabels_Subdeflation>));
  PetscCall(HeptaPCComposeFunction(pc, "PCSubdeflationSetVectors_C", HeptaNoThrow<PCSubdeflationSetVectors_Subdeflation>));
  PetscCall(HeptaPCComposeFunction(pc, "PCSubdeflationGetPC_C", HeptaNoThrow<PCSubdeflationGetPC_Subdeflation>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
