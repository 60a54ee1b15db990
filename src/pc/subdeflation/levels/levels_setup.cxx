/* Set-up of the cycle over levels of any aggregates */
#include "../subdeflation.h"

using hepta::Index;

/* Unknowns of the last level, whose inverse is dense: as many as lead to a cheap one, on the device more, because there a small level costs launches and not operations; and the most that -pc_subdeflation_levels may leave */
constexpr PetscInt LAST = 256, LAST_ON_DEVICE = 1024, LARGEST_LAST = 4096;

HeptaLevel::~HeptaLevel()
{
  (void)MatDestroy(&A);
  (void)PCDestroy(&smoother);
  for (Vec *v : {&b, &z, &t, &u}) (void)VecDestroy(v);
}

PetscErrorCode HeptaLevels::Forget()
{
  PetscFunctionBegin;
  levels.clear();
  label.clear();
  transposed_of = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::Reset()
{
  PetscFunctionBegin;
  PetscCall(Forget());
  PetscCall(op.Reset());
  PetscCall(transposed.Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the first level is aggregated by; *same <- false if its subdomains are others than those of the last set-up */
PetscErrorCode HeptaLevels::FindKind(PC pc, bool *same, std::string *why)
{
  PC_Subdeflation         *s       = Subdeflation(pc);
  const HeptaAggregateKind before  = kind;
  bool                     no_same = true;

  PetscFunctionBegin;
  kind = HeptaAggregateKind::boxes;
  if (s->type_given && s->type == HEPTA_SUBDEFLATION_STRENGTH) kind = HeptaAggregateKind::strength;
  else if (s->type_given && s->type != HEPTA_SUBDEFLATION_BOXES) kind = HeptaAggregateKind::labels;
  else {
    PetscCall(HeptaGridOf(pc->pmat, pc->dm, s->grid_given, "-pc_subdeflation_grid", &s->grid));
    if (!s->grid.dim && s->type_given) *why = "no grid is known (-pc_subdeflation_grid, a DMDA, or -mat_bdia_grid)";
    if (!s->grid.dim) kind = HeptaAggregateKind::strength;
  }
  if (kind == HeptaAggregateKind::labels && (!*same || levels.empty() || HeptaSubdeflationFollowsValues(s->type))) {
    PetscCall(s->rows.Update(pc, &no_same));
    PetscCall(HeptaSubdeflationDecide(pc));
    PetscCall(HeptaSubdeflationLabel(pc));
    *same = *same && label == s->label;
  }
  *same = *same && kind == before && !levels.empty();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::MakeSmoother(PC pc, HeptaLevel &L)
{
  PetscFunctionBegin;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)pc), &L.smoother));
  PetscCall(PetscObjectIncrementTabLevel((PetscObject)L.smoother, (PetscObject)pc, 1));
  PetscCall(PCSetOptionsPrefix(L.smoother, ((PetscObject)pc)->prefix));
  PetscCall(PCAppendOptionsPrefix(L.smoother, "pc_subdeflation_smoother_"));
  PetscCall(PCSetType(L.smoother, Subdeflation(pc)->cycle.choice.smoother.c_str()));
  PetscCall(PCSetOperators(L.smoother, L.A, L.A));
  PetscCall(PCSetFromOptions(L.smoother));
  PetscCall(MatCreateVecs(L.A, &L.t, &L.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::SetUpSmoother(PC pc, HeptaLevel &L)
{
  PCFailedReason reason;

  PetscFunctionBegin;
  PetscCall(PCSetUp(L.smoother));
  PetscCall(PCSetUpOnBlocks(L.smoother));
  PetscCall(PCGetFailedReason(L.smoother, &reason));
  if (reason) PetscCall(PCSetFailedReason(pc, reason)); /* for the KSP to see */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The unknown of the last level for each row of the first */
static std::vector<Index> LabelsOfLast(const std::vector<std::unique_ptr<HeptaLevel>> &levels)
{
  std::vector<Index> label = levels[0]->down.label;

  for (size_t l = 1; l + 1 < levels.size(); l++) {
    for (Index &e : label) e = levels[l]->down.label[e];
  }
  return label;
}

/* The levels with their matrices; *why: the aggregates do not get fewer */
PetscErrorCode HeptaLevels::Nest(PC pc, std::string *why)
{
  PC_Subdeflation *s            = Subdeflation(pc);
  const PetscInt   bs           = op.A->rmap->bs;
  const PetscInt   levels_given = s->cycle.choice.levels;
  HeptaSpace       space;

  PetscFunctionBegin;
  PetscCall(Forget());
  PetscCall(HeptaOperatorSpace(op.A, &space));
  const PetscInt enough = space.device ? LAST_ON_DEVICE : LAST;
  levels.emplace_back(new HeptaLevel);
  PetscCall(PetscObjectReference((PetscObject)op.A));
  levels[0]->A = op.A;
  for (int a = 0; a < 3; a++) levels[0]->n[a] = s->grid.n[a];
  if (kind == HeptaAggregateKind::labels) label = s->label;
  for (size_t l = 0;; l++) {
    HeptaLevel                 &L  = *levels[l];
    const PetscInt              nb = L.A->rmap->n / bs;
    std::unique_ptr<HeptaLevel> next(new HeptaLevel);
    std::vector<PetscInt>       number(nb);
    PetscInt                    count = s->domains;
    if (nb == 1 || (levels_given ? (size_t)levels_given == l + 1 : nb * bs <= enough)) break;
    const bool labels_here = kind == HeptaAggregateKind::labels && !l;
    if (kind == HeptaAggregateKind::boxes) PetscCall(HeptaLevelBoxes(pc, l, L, *next, number, &count));
    else if (labels_here) number = label;
    else PetscCall(HeptaLevelStrength(L, number, &count));
    if (count > nb - PetscMax(nb / 8, 1)) break; /* hardly fewer: there is nothing left to put together */
    PetscCall(L.down.Set(number, count, bs));
    PetscCall(HeptaLevelStructure(L, count, kind == HeptaAggregateKind::boxes, *next));
    PetscCall(HeptaLevelValues(L, *next));
    levels.push_back(std::move(next));
  }
  const PetscInt n = levels.back()->A->rmap->n;
  PetscCheck(n <= LARGEST_LAST || (size_t)levels_given != levels.size(), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "With -pc_subdeflation_levels %" PetscInt_FMT " the last level has %" PetscInt_FMT " unknowns, which are too many for a dense inverse: take more levels", levels_given, n);
  if (n > LARGEST_LAST) *why = HeptaFormat("level %d has %" PetscInt_FMT " unknowns whose aggregates are hardly fewer, which are too many for a dense inverse", (int)levels.size() - 1, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last level's inverse */
PetscErrorCode HeptaLevels::SetUpLast(PC pc)
{
  PC_Subdeflation   *s = Subdeflation(pc);
  HeptaCoarse       &c = s->coarse;
  Mat                A = levels.back()->A;
  HeptaCoarseEntries entries;
  HeptaSpace         space;
  PetscInt           row;
  bool               finite = true;

  PetscFunctionBegin;
  c.solvable = c.single = false;
  s->coarse_type        = HEPTA_SUBDEFLATION_COARSE_INVERSE;
  PetscCall(HeptaKnownSymmetric(pc->pmat, &c.symmetric));
  for (HeptaValues *v : {&c.q, &c.y}) PetscCall(v->Resize(c.d * sizeof(PetscScalar)));
  PetscCall(HeptaForRows(A, 0, c.d, [&](PetscInt i, PetscInt n, const PetscInt *j, const PetscScalar *v) {
    for (PetscInt k = 0; k < n; k++) {
      entries.at.push_back((size_t)i * c.d + j[k]);
      entries.value.push_back(v[k]);
      finite = finite && !PetscIsInfOrNanScalar(v[k]);
    }
    return PETSC_SUCCESS;
  }));
  if (!finite) {
    PetscCall(HeptaFirstRowNotFinite(op.A, &row));
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_FP, "PC subdeflation: row %" PetscInt_FMT " of the matrix has an entry that is Inf or NaN, or so large that sums of them overflow", PetscMax(row, 0));
  }
  PetscCall(HeptaSubdeflationNullVectors(pc));
  PetscCall(HeptaOperatorSpace(op.A, &space));
  PetscCall(HeptaSubdeflationDenseInverse(pc, space, entries));
  c.solvable                    = true;
  const PetscErrorCode singular = HeptaSubdeflationCheckCoarse(pc, space);
  c.solvable                    = !singular;
  PetscCall(singular);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows the structure of the levels */
PetscErrorCode HeptaLevels::Complete(PC pc)
{
  PC_Subdeflation *s    = Subdeflation(pc);
  const PetscInt   bs   = op.A->rmap->bs;
  const size_t     last = levels.size() - 1;

  PetscFunctionBegin;
  if (!last) { /* the dense inverse alone, from x to y as from a level to the next one */
    std::vector<PetscInt> number(op.A->rmap->n / bs);
    for (size_t m = 0; m < number.size(); m++) number[m] = (PetscInt)m;
    PetscCall(levels[0]->down.Set(number, (PetscInt)number.size(), bs));
  }
  for (size_t l = 0; l < last; l++) PetscCall(MakeSmoother(pc, *levels[l]));
  for (size_t l = 1; l < last; l++) PetscCall(MatCreateVecs(levels[l]->A, &levels[l]->z, &levels[l]->b));
  HeptaAZTakeLabels(s->az, LabelsOfLast(levels));
  PetscCall(s->coarse.Reset());
  s->coarse.d = levels[last]->A->rmap->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::SetUp(PC pc, std::string *why)
{
  PetscMPIInt size;
  bool        same = false, diagonals = false;

  PetscFunctionBegin;
  why->clear();
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size));
  if (size > 1) *why = "levels of general aggregates are for one MPI process";
  else if (!pc->pmat->rmap->N) *why = "the matrix has no rows";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaIsBDIA(pc->pmat, &diagonals));
  const bool rows = HeptaIsBlocked(pc->pmat) && !diagonals;
  PetscCall(op.Update(pc, rows ? HeptaForm::block_rows : HeptaForm::diagonals, HeptaForm::block_rows, &same));
  PetscCall(FindKind(pc, &same, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetFailedReason(pc, PC_NOERROR)); /* of an earlier set-up */
  if (!same) {
    PetscErrorCode code = Nest(pc, why);
    if (!code && why->empty()) code = Complete(pc);
    if (code || !why->empty()) PetscCall(Forget()); /* levels that the next set-up must not take for whole */
    PetscCall(code);
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  } else {
    for (size_t l = 0; l + 1 < levels.size(); l++) PetscCall(HeptaLevelValues(*levels[l], *levels[l + 1]));
  }
  for (size_t l = 0; l + 1 < levels.size(); l++) PetscCall(SetUpSmoother(pc, *levels[l]));
  PetscCall(SetUpLast(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
