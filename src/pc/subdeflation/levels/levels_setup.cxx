/* Set-up of the cycle over levels of any aggregates */
#include <numeric>

#include "../../../mat/brow/brow.h"
#include "../../l1jacobi/l1jacobi.h"
#include "../subdeflation.h"
#include "../subdomains/subdomains_kernels.hxx"

using hepta::Index;

/* Unknowns of the last level, whose inverse is dense: as many as lead to a cheap one, on the device more, because there a small level costs launches and not operations; and the most that -pc_subdeflation_levels may leave */
constexpr PetscInt LAST = 256, LAST_ON_DEVICE = 1024, LARGEST_LAST = 4096;

HeptaLevel::~HeptaLevel()
{
  (void)MatDestroy(&A);
  (void)PCDestroy(&smoother);
  for (Vec *v : {&b, &z, &t, &u}) (void)VecDestroy(v);
}

PetscErrorCode HeptaLevel::ListSpace(HeptaSpace *space) const
{
  PetscFunctionBegin;
  *space = HeptaSpace();
  if (A->rmap->size == 1) PetscCall(HeptaOperatorSpace(A, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::Forget()
{
  PetscFunctionBegin;
  levels.clear();
  PetscCall(label.Free());
  PetscCall(gather.Reset());
  transposed_of = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::Reset()
{
  PetscFunctionBegin;
  PetscCall(Forget());
  PetscCall(op.Reset());
  PetscCall(transposed.Free());
  PetscCall(part.Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are the labels of the block rows those of the last set-up? */
static PetscErrorCode SameSubdomains(const HeptaSpace &space, size_t n, HeptaValues &before, HeptaValues &now, bool *same)
{
  HeptaValues note;
  Index      *a, *b;
  long long  *found, different = 0;

  PetscFunctionBegin;
  PetscCall(before.Access(space, HeptaAccess::read, &a));
  PetscCall(now.Access(space, HeptaAccess::read, &b));
  PetscCall(note.Resize(sizeof(long long)));
  PetscCall(note.Access(space, HeptaAccess::read_write, &found)); /* zero */
  HeptaLaunchEach(space, hepta::subdeflation::compare, n, a, b, found);
  HeptaLaunchEach(space, hepta::fetch, found, &different);
  *same = !different;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the first level is aggregated by; *same <- false if its subdomains are others than those of the last set-up */
PetscErrorCode HeptaLevels::FindKind(PC pc, bool *same, std::string *why)
{
  PC_Subdeflation         *s       = Subdeflation(pc);
  const HeptaAggregateKind before  = kind;
  bool                     no_same = true;
  HeptaSpace               space;

  PetscFunctionBegin;
  kind = HeptaAggregateKind::boxes;
  if (s->type_given && s->type == HEPTA_SUBDEFLATION_STRENGTH) kind = HeptaAggregateKind::strength;
  else if (s->type_given && s->type != HEPTA_SUBDEFLATION_BOXES) kind = HeptaAggregateKind::labels;
  else {
    PetscCall(HeptaGridOf(pc->pmat, pc->dm, s->grid_given, "-pc_subdeflation_grid", &s->grid));
    if (!s->grid.dim && s->type_given) *why = "no grid is known (-pc_subdeflation_grid, a DMDA, or -mat_bdia_grid)";
    if (!s->grid.dim) kind = HeptaAggregateKind::strength;
  }
  if (kind == HeptaAggregateKind::labels && (!*same || levels.empty() || s->FollowsValues())) {
    PetscCall(s->rows.Update(pc, &no_same));
    PetscCall(HeptaSubdeflationDecide(pc));
    PetscCall(s->rows.Space(&space));
    PetscCall(HeptaSubdeflationLabel(pc, space));
    PetscCall(s->rows.list.Free());
    if (*same && kind == before && !levels.empty()) PetscCall(SameSubdomains(space, (size_t)(pc->pmat->rmap->n / pc->pmat->rmap->bs), label, s->label, same));
  }
  if (kind != HeptaAggregateKind::strength && pc->pmat->rmap->bs != op.A->rmap->bs) { /* cells and subdomains are counted in the block rows of the former */
    *why = HeptaFormat("the matrix has block size %" PetscInt_FMT " and its copy in block diagonals %" PetscInt_FMT " (-mat_bdia_bs)", pc->pmat->rmap->bs, op.A->rmap->bs);
  }
  *same = *same && kind == before && !levels.empty();
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)pc), same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   smoother <- the type of the smoothers. Where none is given, and the aggregates are not boxes, it is PCIP for block size 1 and rows
   with a_ii >= sum |a_ij| and up to 7 entries, for which PCIP is made, and otherwise l1-Jacobi, a contraction for every positive
   definite matrix: there PCIP may be indefinite, and takes most of the set-up where rows have many entries. The first level decides
   for all, since the sums over an aggregate c keep rows dominant:

     sum_(i in c) (a_ii + sum_(j in c) a_ij) >= sum_(i in c) (sum_j |a_ij| - sum_(j in c) |a_ij|), j != i

   where the right-hand side is the sum over j outside of c.

   For symmetric A with such rows PCIP is positive definite, whatever the signs of a_ij. With y = D^-1 x, b_ki = |a_ki| / a_kk and
   z_i = y_i sign(a_ki), for i, j < k,

     x^T M^-1 x >= sum_k a_kk T_k,  T_k = sum_i b_ki (z_i - y_k)^2 + sum_i b_ki^2 z_i^2 + sum b_ki b_kj z_i z_j over i != j with a_ij != 0

   Let p, q and P, Q be the sums of b_ki |z_i| and of b_ki over z_i > 0 and over z_i < 0. The last sum is at least -2 p q, and the
   first one at least (p - P y_k)^2 / P + (q + Q y_k)^2 / Q >= (p Q + q P)^2 / (P Q (P + Q)) >= 4 p q, since P + Q <= 1. So T_k >= 0,
   and 0 only if all y_i with a_ki != 0 are, and y_k if there are any. A row that is coupled is such an i or such a k; one that is not
   adds a_kk y_k^2. No eigenvalue of M^-1 A above 1.5 was found in random matrices of 4 to 13 rows.
*/
PetscErrorCode HeptaLevels::ChooseSmoother()
{
  const std::string before = smoother;

  PetscFunctionBegin;
  smoother  = choice.smoother;
  chosen    = kind != HeptaAggregateKind::boxes && !choice.smoother_given;
  unlike_ip = -1;
  if (chosen && op.A->rmap->bs == 1) PetscCall(HeptaFirstRowNotDominant(op.A, MOST, &unlike_ip));
  if (chosen) smoother = unlike_ip < 0 && op.A->rmap->bs == 1 ? PCIP : PCL1JACOBI;
  for (auto &L : levels) {
    if (!L->smoother || smoother == before) continue; /* other values of the same structure */
    PetscCall(PCSetType(L->smoother, smoother.c_str()));
    PetscCall(PCSetFromOptions(L->smoother));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::MakeSmoother(PC pc, HeptaLevel &L)
{
  PetscFunctionBegin;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)pc), &L.smoother));
  PetscCall(PetscObjectIncrementTabLevel((PetscObject)L.smoother, (PetscObject)pc, 1));
  PetscCall(PCSetOptionsPrefix(L.smoother, ((PetscObject)pc)->prefix));
  PetscCall(PCAppendOptionsPrefix(L.smoother, "pc_subdeflation_smoother_"));
  PetscCall(PCSetType(L.smoother, smoother.c_str()));
  PetscCall(PCSetOperators(L.smoother, L.A, L.A));
  PetscCall(PCSetFromOptions(L.smoother));
  PetscCall(MatCreateVecs(L.A, &L.t, &L.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::SmoothersFromOptions()
{
  PetscFunctionBegin;
  for (auto &L : levels) {
    if (L->smoother) PetscCall(PCSetFromOptions(L->smoother));
  }
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

/* levels[l]->down <- the aggregates of level l, if they are clearly fewer than its block rows */
PetscErrorCode HeptaLevels::Aggregate(PC pc, size_t l, HeptaLevel &next, bool *fewer)
{
  HeptaLevel    &L  = *levels[l];
  const PetscInt bs = L.A->rmap->bs, all = L.A->rmap->N / bs;
  HeptaValues    number;
  HeptaSpace     space;
  PetscInt       count, sum;

  PetscFunctionBegin;
  if (kind == HeptaAggregateKind::boxes) PetscCall(HeptaLevelBoxes(pc, l, L, next, number, &count));
  else if (kind == HeptaAggregateKind::labels && !l) {
    PetscCall(label.Space(&space));
    PetscCall(HeptaNumberLocal(space, (size_t)(L.A->rmap->n / bs), nullptr, 0, label, Subdeflation(pc)->domains, number, &count)); /* those of this MPI process, from 0 on */
  } else PetscCall(HeptaLevelStrength(L, number, &count));
  PetscCallMPI(MPIU_Allreduce(&count, &sum, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)pc)));
  *fewer = sum <= all - PetscMax(all / 8, 1); /* otherwise there is nothing left to put together */
  if (*fewer) PetscCall(L.down.Set(number, (size_t)(L.A->rmap->n / bs), count, bs));
  if (*fewer) PetscCall(HeptaLevelStructure(L, count, kind == HeptaAggregateKind::boxes, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The levels with their matrices; *why: the aggregates do not get fewer */
PetscErrorCode HeptaLevels::Nest(PC pc, std::string *why)
{
  PC_Subdeflation *s            = Subdeflation(pc);
  const PetscInt   bs           = op.A->rmap->bs;
  const PetscInt   levels_given = choice.levels;
  HeptaSpace       space;

  PetscFunctionBegin;
  PetscCall(Forget());
  PetscCall(HeptaOperatorSpaceOfAll(op.A, &space));
  const PetscInt enough = space.device ? LAST_ON_DEVICE : LAST;
  levels.emplace_back(new HeptaLevel);
  PetscCall(PetscObjectReference((PetscObject)op.A));
  levels[0]->A = op.A;
  if (kind == HeptaAggregateKind::boxes) HeptaLevelCells(s->grid, *levels[0]);
  if (kind == HeptaAggregateKind::labels) PetscCall(label.CopyOf(s->label));
  for (size_t l = 0;; l++) {
    const PetscInt              rows = levels[l]->A->rmap->N;
    std::unique_ptr<HeptaLevel> next(new HeptaLevel);
    bool                        fewer = rows > bs && (levels_given ? (size_t)levels_given > l + 1 : rows > enough);
    if (fewer) PetscCall(Aggregate(pc, l, *next, &fewer));
    if (!fewer) break;
    PetscCall(HeptaLevelValues(*levels[l], *next));
    levels.push_back(std::move(next));
  }
  const PetscInt n = levels.back()->A->rmap->N;
  PetscCheck(n <= LARGEST_LAST || (size_t)levels_given != levels.size(), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "With -pc_subdeflation_levels %" PetscInt_FMT " the last level has %" PetscInt_FMT " unknowns, which are too many for a dense inverse: take more levels", levels_given, n);
  if (n > LARGEST_LAST) *why = HeptaFormat("level %d has %" PetscInt_FMT " unknowns whose aggregates are hardly fewer, which are too many for a dense inverse", (int)levels.size() - 1, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows the structure of the levels */
PetscErrorCode HeptaLevels::Complete(PC pc)
{
  PC_Subdeflation *s    = Subdeflation(pc);
  const PetscInt   bs   = op.A->rmap->bs;
  const size_t     last = levels.size() - 1;
  const PetscInt   own  = levels[last]->A->rmap->n;

  PetscFunctionBegin;
  if (!last) { /* the dense inverse alone, from x to y as from a level to the next one */
    HeptaValues number;
    Index      *p;
    PetscCall(number.Make(HeptaSpace(), (size_t)(op.A->rmap->n / bs), &p));
    std::iota(p, p + op.A->rmap->n / bs, 0);
    PetscCall(levels[0]->down.Set(number, (size_t)(op.A->rmap->n / bs), op.A->rmap->n / bs, bs));
  }
  for (size_t l = 0; l < last; l++) PetscCall(MakeSmoother(pc, *levels[l]));
  for (size_t l = 1; l < last; l++) PetscCall(MatCreateVecs(levels[l]->A, &levels[l]->z, &levels[l]->b));
  PetscCall(HeptaAZTakeLabels(s->az, {})); /* GiveLabels() makes them when they are needed */
  PetscCall(s->coarse.Reset());
  s->coarse.d = levels[last]->A->rmap->N;
  if (op.A->rmap->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(gather.SetUpGather(PetscObjectComm((PetscObject)pc), own, 1));
  PetscCall(part.Resize(own * sizeof(PetscScalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::SetUp(PC pc, bool asked, std::string *why)
{
  bool same = false;

  PetscFunctionBegin;
  why->clear();
  if (!pc->pmat->rmap->N) *why = "the matrix has no rows";
  else if (!asked) PetscCall(FitsBefore(pc, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  op.plain = true;
  PetscCall(op.Update(pc, MatBROWBlockRows(pc->pmat) ? HeptaForm::block_rows : HeptaForm::diagonals, HeptaForm::block_rows, &same));
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)pc), &same)); /* what follows is collective where the levels are new */
  PetscCall(FindKind(pc, &same, why));
  if (!asked && why->empty()) PetscCall(FitsValues(pc, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetFailedReason(pc, PC_NOERROR)); /* of an earlier set-up */
  PetscCall(ChooseSmoother());
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
  PetscCall(SetUpLast(pc, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
