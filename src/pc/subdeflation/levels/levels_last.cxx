/* The last of the levels of any aggregates: its dense inverse, and the unknown of the last level for each row of the first */
#include <algorithm>

#include "../../../shared/group.hxx"
#include "../../gridmg/gridmg_cycle.h"
#include "../subdeflation.h"

using hepta::Index;

/* Gathers the last level's entries of all MPI processes. *finite <- are they finite? */
static PetscErrorCode EntriesOfLast(PC pc, HeptaLevel &L, HeptaCoarseEntries &entries, bool *finite)
{
  const PetscInt d = L.A->rmap->N;

  PetscFunctionBegin;
  PetscCall(HeptaForRows(L.A, L.A->rmap->rstart, L.A->rmap->rend, true, [&](PetscInt i, PetscInt n, const PetscInt *j, const PetscScalar *v) {
    for (PetscInt k = 0; k < n; k++) {
      entries.at.push_back((size_t)i * d + j[k]);
      entries.value.push_back(v[k]);
    }
    return PETSC_SUCCESS;
  }));
  PetscCall(HeptaSubdeflationSumOverRanks(pc, entries));
  *finite = std::none_of(entries.value.begin(), entries.value.end(), [](PetscScalar v) { return PetscIsInfOrNanScalar(v); });
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same on one MPI process, in the matrix's memory: e, of d x d, <- the entries; if e is null only *finite is set */
static PetscErrorCode FillLast(HeptaLevel &L, const HeptaSpace &space, PetscScalar *e, HeptaValues &found, bool *finite)
{
  const size_t                d = (size_t)L.A->rmap->N;
  hepta::blocked::EntryArrays entries;
  long long                  *noted, bad = 0;

  PetscFunctionBegin;
  PetscCall(MatBlocked(L.A)->local->GetEntries(space, L.entries, &entries));
  PetscCall(found.Reserve(sizeof(long long)));
  PetscCall(found.Zero(space));
  PetscCall(found.Access(space, HeptaAccess::read_write, &noted));
  PetscCall(HeptaVisitValues(*MatBlocked(L.A)->local, space, HeptaAccess::read, [&](const auto *v) {
    HeptaLaunchEach(space, hepta::levels::fill_dense, d, entries.first, entries.column, entries.slot, v, e, noted);
    return PETSC_SUCCESS;
  }));
  if (!finite) PetscFunctionReturn(PETSC_SUCCESS);
  HeptaLaunchEach(space, hepta::fetch, (const long long *)noted, &bad);
  *finite = !bad;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For each unknown of the last level the largest |a_mm| of its rows m of the first level, and the first of these rows; collective */
PetscErrorCode HeptaLevels::LargestDiagonals(PC pc, std::vector<PetscReal> &largest, std::vector<PetscInt> &first)
{
  const MPI_Comm     comm = PetscObjectComm((PetscObject)pc);
  HeptaAZ           &az   = Subdeflation(pc)->az;
  const PetscInt     d    = Subdeflation(pc)->coarse.d;
  const PetscScalar *a;
  Index             *label;
  Vec                diagonal;

  PetscFunctionBegin;
  largest.assign(d, 0);
  first.assign(d, op.A->rmap->N);
  PetscCall(GiveLabels(pc));
  PetscCall(az.label.Access(HeptaSpace(), HeptaAccess::read, &label));
  PetscCall(MatCreateVecs(op.A, nullptr, &diagonal));
  PetscCall(MatGetDiagonal(op.A, diagonal));
  PetscCall(VecGetArrayRead(diagonal, &a));
  for (PetscInt i = 0; i < op.A->rmap->n; i++) {
    largest[label[i]] = PetscMax(largest[label[i]], PetscAbsScalar(a[i]));
    first[label[i]]   = PetscMin(first[label[i]], op.A->rmap->rstart + i);
  }
  PetscCall(VecRestoreArrayRead(diagonal, &a));
  PetscCall(VecDestroy(&diagonal));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, largest.data(), (PetscMPIInt)d, MPIU_REAL, MPIU_MAX, comm));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, first.data(), (PetscMPIInt)d, MPIU_INT, MPI_MIN, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   *why <- has an unknown q of the last level a ratio of note_ratio() that is too large: max a_mm over its rows m, times (E^-1)_qq?
   The sums of a_mm, which are found where the matrix is, are an upper bound of the maxima, which are found on the host.
*/
PetscErrorCode HeptaLevels::FindHidden(PC pc, const HeptaSpace &space, std::string *why)
{
  HeptaCoarse             &c = Subdeflation(pc)->coarse;
  std::vector<PetscScalar> sum(c.d), inverse(c.d);
  std::vector<PetscReal>   largest;
  std::vector<PetscInt>    first;
  PetscScalar             *x, *y;
  PetscInt                 at = 0;

  PetscFunctionBegin;
  PetscCall(HeptaSubdeflationWeights(pc, sum));
  PetscCall(c.inverse.Access(space, HeptaAccess::read, &x));
  PetscCall(c.y.Access(space, HeptaAccess::write, &y));
  HeptaLaunchEach(space, hepta::subdeflation::dense_diagonal, (size_t)c.d, (const PetscScalar *)x, y);
  PetscCall(c.y.Give(inverse.size(), inverse));
  for (PetscScalar &e : inverse) e = PetscAbsScalar(e);
  /* ranks may differ because of rounding */
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, inverse.data(), (PetscMPIInt)c.d, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)pc)));
  const auto ratio = [&](const auto &a) {
    for (PetscInt e = 0; e < c.d; e++) at = a[e] * inverse[e] > a[at] * inverse[at] ? e : at;
    return (double)(a[at] * inverse[at]);
  };
  if (HeptaGridMGHidden("", 0, ratio(sum)).empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LargestDiagonals(pc, largest, first));
  const double most = ratio(largest);
  *why              = HeptaGridMGHidden("the aggregate", first[at], most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last level's inverse; *why <- why it cannot be used */
PetscErrorCode HeptaLevels::SetUpLast(PC pc, std::string *why)
{
  PC_Subdeflation   *s = Subdeflation(pc);
  HeptaCoarse       &c = s->coarse;
  HeptaLevel        &L = *levels.back();
  HeptaCoarseEntries entries;
  HeptaSpace         space;
  PetscInt           row;
  bool               finite = true;

  PetscFunctionBegin;
  c.solvable = c.single = false;
  s->coarse_type        = HEPTA_SUBDEFLATION_COARSE_INVERSE;
  PetscCall(HeptaKnownSymmetric(pc->pmat, &c.symmetric));
  for (HeptaValues *v : {&c.q, &c.y}) PetscCall(v->Reserve(c.d * sizeof(PetscScalar)));
  PetscCall(HeptaOperatorSpaceOfAll(op.A, &space));
  if (gather) PetscCall(EntriesOfLast(pc, L, entries, &finite));
  else PetscCall(FillLast(L, space, nullptr, found, &finite));
  if (!finite) {
    PetscCall(HeptaFirstRowNotFinite(op.A, &row));
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_FP, "PC subdeflation: row %" PetscInt_FMT " of the matrix has an entry that is Inf or NaN, or so large that sums of them overflow", PetscMax(row, 0));
  }
  PetscCall(HeptaSubdeflationNullVectors(pc));
  PetscCall(HeptaSubdeflationDenseInverse(pc, space, [&](const HeptaSpace &where, PetscScalar *e) { return gather ? HeptaSubdeflationFillEntries(c, where, entries, e) : FillLast(L, where, e, found, nullptr); }));
  PetscCall(HeptaSubdeflationCheckCoarse(pc, space));
  PetscCall(FindHidden(pc, space, why));
  c.solvable = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::GiveLabels(PC pc)
{
  std::vector<Index> of_last;
  Index             *next;

  PetscFunctionBegin;
  if (Subdeflation(pc)->az.rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(levels[0]->down.label.Give(levels[0]->down.n, of_last));
  for (size_t l = 1; l + 1 < levels.size(); l++) {
    PetscCall(levels[l]->down.label.Access(HeptaSpace(), HeptaAccess::read, &next));
    for (Index &e : of_last) e = next[e];
  }
  for (Index &e : of_last) e += levels.back()->A->rmap->rstart;
  PetscCall(HeptaAZTakeLabels(Subdeflation(pc)->az, of_last));
  PetscFunctionReturn(PETSC_SUCCESS);
}
