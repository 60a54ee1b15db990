/* The last of the levels of any aggregates: its dense inverse, and the unknown of the last level for each row of the first */
#include <algorithm>

#include "../../../shared/group.hxx"
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

/* The last level's inverse */
PetscErrorCode HeptaLevels::SetUpLast(PC pc)
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
