/* Set-up of the subdomain deflation: operator, subdomains, A Z, coarse problem, inner preconditioner */
#include "subdeflation.h"

/* An inner preconditioner that the user has not chosen is PCIP where the matrix allows it, and PCJACOBI elsewhere */
static PetscErrorCode SetUpInner(PC pc)
{
  PC_SubDeflation *s = SubDeflation(pc);
  PCType           type;
  PetscErrorCode   code;

  PetscFunctionBegin;
  PetscCall(PCSetOperators(s->inner, pc->mat, pc->pmat));
  PetscCall(PCGetType(s->inner, &type));
  if (!type) {
    PetscCall(PCSetType(s->inner, PCIP));
    PetscCall(PCSetFromOptions(s->inner));
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    code = PCSetUp(s->inner);
    PetscCall(PetscPopErrorHandler());
    if (!code) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PCReset(s->inner));
    if (code != PETSC_ERR_MAT_LU_ZRPVT) { /* a zero diagonal is an error for PCJACOBI too: there it is reported */
      PetscCall(PCSetType(s->inner, PCJACOBI));
      s->inner_fell_back = true;
    }
  }
  PetscCall(PCSetUp(s->inner));
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

/* A Z for vectors of the user's, which must be as long as the matrix's */
static PetscErrorCode MultiplyVectors(PC pc)
{
  PC_SubDeflation *s = SubDeflation(pc);
  Mat              A = pc->pmat;

  PetscFunctionBegin;
  PetscCheck(!s->vectors.empty(), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE, "-pc_subdeflation_type vectors needs PCSubdeflationSetVectors()");
  s->coarse.d = (PetscInt)s->vectors.size();
  PetscCheck(s->coarse.d <= A->rmap->N, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " deflation vectors are more than the matrix has rows: %" PetscInt_FMT, s->coarse.d, A->rmap->N);
  for (size_t k = 0; k < s->vectors.size(); k++) {
    if (k == s->az_vectors.size()) {
      Vec v;
      PetscCall(MatCreateVecs(A, nullptr, &v));
      s->az_vectors.push_back(v);
    }
    PetscCall(MatMult(A, s->vectors[k], s->az_vectors[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c <- c / |c|, orthogonal to the null vectors before; false for nothing left */
static bool Orthonormalize(const std::vector<std::vector<PetscScalar>> &before, std::vector<PetscScalar> &c)
{
  PetscReal norm = 0, left = 0;

  for (PetscScalar v : c) norm += PetscSqr(PetscAbsScalar(v));
  for (const auto &b : before) {
    PetscScalar dot = 0;
    for (size_t k = 0; k < c.size(); k++) dot += b[k] * c[k];
    for (size_t k = 0; k < c.size(); k++) c[k] -= dot * b[k];
  }
  for (PetscScalar v : c) left += PetscSqr(PetscAbsScalar(v));
  if (left <= 1e-20 * norm || norm == 0) return false;
  for (PetscScalar &v : c) v /= PetscSqrtReal(left);
  return true;
}

/* c <- the vector with v = Z c, by the mean of v in each subdomain; *is: there is one */
static PetscErrorCode CoarseVector(PC pc, Vec v, std::vector<PetscScalar> &c, bool *is)
{
  PC_SubDeflation       *s = SubDeflation(pc);
  const PetscScalar     *a;
  std::vector<PetscReal> sums(2 * s->coarse.d, 0);
  PetscReal              norm[2] = {0, 0};
  PetscMPIInt            n;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(v, &a));
  for (size_t i = 0; i < s->az.label.size(); i++) {
    sums[2 * s->az.label[i]] += PetscRealPart(a[i]);
    sums[2 * s->az.label[i] + 1] += 1;
  }
  PetscCall(PetscMPIIntCast((PetscCount)sums.size(), &n));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums.data(), n, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)pc)));
  c.resize(s->coarse.d);
  for (PetscInt e = 0; e < s->coarse.d; e++) c[e] = sums[2 * e + 1] > 0 ? sums[2 * e] / sums[2 * e + 1] : 0;
  for (size_t i = 0; i < s->az.label.size(); i++) {
    norm[0] += PetscSqr(PetscAbsScalar(a[i] - c[s->az.label[i]]));
    norm[1] += PetscSqr(PetscAbsScalar(a[i]));
  }
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, norm, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)pc)));
  *is = norm[0] <= 1e-20 * norm[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The null vectors of A that are combinations of Z's columns are null vectors of E */
static PetscErrorCode FindNullVectors(PC pc)
{
  PC_SubDeflation         *s = SubDeflation(pc);
  HeptaCoarse             &c = s->coarse;
  MatNullSpace             space;
  PetscBool                constant;
  PetscInt                 n;
  const Vec               *vecs;
  std::vector<PetscScalar> v;
  bool                     is;

  PetscFunctionBegin;
  c.null.clear();
  PetscCall(MatGetNullSpace(pc->pmat, &space));
  if (!space && pc->mat != pc->pmat) PetscCall(MatGetNullSpace(pc->mat, &space));
  if (!space || !s->UsesLabels()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatNullSpaceGetVecs(space, &constant, &n, &vecs));
  if (constant) {
    v.assign(c.d, 1);
    if (Orthonormalize(c.null, v)) c.null.push_back(v);
  }
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(CoarseVector(pc, vecs[k], v, &is));
    if (is && Orthonormalize(c.null, v)) c.null.push_back(v);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpCoarse(PC pc, bool new_structure, const HeptaSpace &space)
{
  PC_SubDeflation *s = SubDeflation(pc);
  PetscBool        known, symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  if (!known || !symmetric) {
    PetscCall(MatIsSPDKnown(pc->pmat, &known, &symmetric));
    symmetric = (PetscBool)(known && symmetric);
  }
  if (new_structure || s->coarse.symmetric != (bool)symmetric) {
    const PetscInt d = s->coarse.d;
    PetscCall(s->coarse.Reset());
    s->coarse.d = d;
  }
  s->coarse.symmetric = symmetric;
  if (!s->coarse_given) s->coarse_type = s->coarse.d <= 8192 || !s->UsesLabels() ? HEPTA_SUBDEFLATION_COARSE_INVERSE : HEPTA_SUBDEFLATION_COARSE_KSP;
  PetscCall(FindNullVectors(pc));
  PetscCall(HeptaSubDeflationCoarseSetUp(pc, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_SubDeflation(PC pc)
{
  PC_SubDeflation *s = SubDeflation(pc);
  HeptaSpace       space;
  bool             same;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(HEPTA_Event.deflation_setup, pc, pc->pmat, nullptr, nullptr));
  if (!s->UsesLabels()) {
    PetscCall(MultiplyVectors(pc));
    PetscCall(SetUpCoarse(pc, true, space));
  } else {
    PetscCall(s->rows.Update(pc, &same));
    if (!same) PetscCall(Decide(pc));
    const bool again = !same || s->az.label.empty() || FollowsValues(s->type);
    if (again) {
      PetscCall(HeptaSubDeflationLabel(pc));
      PetscCall(HeptaSubDeflationStructure(pc));
    }
    PetscCall(s->rows.Space(&space));
    PetscCall(HeptaSubDeflationValues(pc, space));
    PetscCall(SetUpCoarse(pc, again, space));
  }
  PetscCall(SetUpInner(pc));
  PetscCall(PetscLogEventEnd(HEPTA_Event.deflation_setup, pc, pc->pmat, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
