/*
   COO assembly: the places are analyzed once, on the host, so that setting values is one pass over the slots, where the
   values are given, and one over those that more than one value goes to. Values of other ranks' rows travel by a PetscSF
   planned with the places.
*/
#include <algorithm>
#include <numeric>
#include <petscdevice.h>

#include "../../shared/arrays.h"
#include "bdia.h"

using namespace hepta::bdia;

namespace
{

/* The entries that concern this rank: its own among the given ones, then those that arrive */
struct Places {
  std::vector<PetscInt> i, j;
  std::vector<size_t>   perm;
};

} // namespace

static PetscErrorCode CheckIndices(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[])
{
  PetscErrorCode code = PETSC_SUCCESS;
  std::string    why;

  PetscFunctionBegin;
  for (PetscCount k = 0; k < n && !code; k++) {
    const bool away = i[k] >= 0 && j[k] >= 0 && (i[k] < A->rmap->rstart || i[k] >= A->rmap->rend);

    if (A->nooffprocentries && away) {
      code = PETSC_ERR_ARG_WRONG;
      why  = HeptaFormat("COO entry %" PetscCount_FMT " is in row %" PetscInt_FMT " of another rank although MAT_NO_OFF_PROC_ENTRIES is set", k, i[k]);
    }
    if (i[k] < A->rmap->N && j[k] < A->cmap->N) continue;
    code = PETSC_ERR_ARG_OUTOFRANGE;
    why  = HeptaFormat("COO entry %" PetscCount_FMT " has row %" PetscInt_FMT ", column %" PetscInt_FMT ", outside the %" PetscInt_FMT " x %" PetscInt_FMT " matrix", k, i[k], j[k], A->rmap->N, A->cmap->N);
  }
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), code, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Splits the given entries into this rank's and others', and learns which of other ranks' entries come here */
static PetscErrorCode PlanExchange(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[], COOPlan &plan, Places &here)
{
  std::vector<PetscInt> rows, cols, order;
  std::vector<size_t>   away;

  PetscFunctionBegin;
  here.i.reserve(n);
  here.j.reserve(n);
  here.perm.reserve(n);
  for (PetscCount k = 0; k < n; k++) {
    if (i[k] < 0 || j[k] < 0) continue;
    if (i[k] >= A->rmap->rstart && i[k] < A->rmap->rend) {
      here.i.push_back(i[k]);
      here.j.push_back(j[k]);
      here.perm.push_back(k);
    } else if (!MatBDIA(A)->set.ignore_off_rank) {
      away.push_back((size_t)k);
      rows.push_back(i[k]);
    }
  }
  PetscCall(HeptaExchangeCreate(A->rmap, rows, order, &plan.received, &plan.sf));
  const size_t own = here.i.size();
  here.i.resize(own + plan.received);
  here.j.resize(own + plan.received);
  for (PetscInt k : order) {
    plan.order.push_back(away[k]);
    cols.push_back(j[away[k]]);
  }
  for (size_t k = 0; k < order.size(); k++) rows[k] = i[plan.order[k]];
  PetscCall(PetscSFBcastBegin(plan.sf, MPIU_INT, rows.data(), here.i.data() + own, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(plan.sf, MPIU_INT, rows.data(), here.i.data() + own, MPI_REPLACE));
  PetscCall(PetscSFBcastBegin(plan.sf, MPIU_INT, cols.data(), here.j.data() + own, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(plan.sf, MPIU_INT, cols.data(), here.j.data() + own, MPI_REPLACE));
  for (PetscInt k = 0; k < plan.received; k++) here.perm.push_back((size_t)n + k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts values by slot, keeping the order of those that share one, and cuts them into runs */
static void MakeRuns(std::vector<size_t> &slot, std::vector<size_t> &perm, std::vector<size_t> &first)
{
  std::vector<size_t> by_slot(slot.size()), sorted_slot, sorted_perm;

  std::iota(by_slot.begin(), by_slot.end(), 0);
  std::stable_sort(by_slot.begin(), by_slot.end(), [&](size_t a, size_t b) { return slot[a] < slot[b]; });
  for (size_t k : by_slot) {
    if (sorted_slot.empty() || sorted_slot.back() != slot[k]) first.push_back(sorted_slot.size());
    sorted_slot.push_back(slot[k]);
    sorted_perm.push_back(perm[k]);
  }
  first.push_back(sorted_slot.size());
  slot = std::move(sorted_slot);
  perm = std::move(sorted_perm);
}

/* Looks up the slot of every place, in the block diagonals or the ghost part */
static PetscErrorCode FindSlots(Mat A, const Places &here, COOPlan &plan)
{
  Mat_BDIA *a = MatBDIA(A);

  PetscFunctionBegin;
  plan.source.assign(a->diag->Size(), 0);
  for (size_t k = 0; k < here.i.size(); k++) {
    const PetscInt i = here.i[k] - A->rmap->rstart, j = here.j[k] - A->cmap->rstart;
    const bool     local = j >= 0 && j < A->cmap->n;
    const size_t   perm  = here.perm[k];
    size_t         at    = 0;

    PetscCheck(local ? a->diag->FindSlot(i, j, &at) : a->ghost.FindSlot(i, here.j[k], &at), PETSC_COMM_SELF, PETSC_ERR_PLIB, "No slot for row %" PetscInt_FMT ", column %" PetscInt_FMT, here.i[k], here.j[k]);
    if (local && !plan.source[at] && perm < (size_t)plan.n && perm < UINT32_MAX) plan.source[at] = (uint32_t)perm + 1;
    else {
      (local ? plan.slot : plan.ghost_slot).push_back(at);
      (local ? plan.perm : plan.ghost_perm).push_back(perm);
    }
  }
  MakeRuns(plan.slot, plan.perm, plan.slot_first);
  MakeRuns(plan.ghost_slot, plan.ghost_perm, plan.ghost_first);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The places given on the device, on the host */
static PetscErrorCode FetchIndices(PetscCount n, const PetscInt device[], const HeptaSpace &space, std::vector<PetscInt> &host)
{
  PetscFunctionBegin;
  host.resize(n);
#if defined(HEPTA_HAVE_CUDA)
  PetscCallHepta(hepta::copy_to_host(host.data(), device, n * sizeof(PetscInt), space.stream));
  PetscCall(PetscLogGpuToCpu((PetscLogDouble)n * sizeof(PetscInt)));
#else
  (void)device;
  (void)space;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlanCOO(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[])
{
  Mat_BDIA *a = MatBDIA(A);
  Places    here;

  PetscFunctionBegin;
  PetscCall(CheckIndices(A, n, i, j));
  PetscCall(MatBDIAShape(A)); /* the structure is made anew */
  if (a->set.grid[0]) PetscCall(MatBDIAPresetGrid(A));
  auto plan = std::make_shared<COOPlan>();
  plan->n   = n;
  PetscCall(PlanExchange(A, n, i, j, *plan, here));
  {
    const HeptaTakeAll all(A);
    for (size_t k = 0, end; k < here.i.size(); k = end) { /* neighbors of one row together */
      for (end = k + 1; end < here.i.size() && here.i[end] == here.i[k] && end - k < 1024; end++) {}
      PetscCall(MatSetValues_BDIA(A, 1, &here.i[k], (PetscInt)(end - k), &here.j[k], nullptr, INSERT_VALUES));
    }
  }
  PetscCall(MatBDIAHalfClose(A));
  PetscCall(MatBDIAFinish(A));
  if (a->set.half) { /* values go through MatSetValues(), which compares the two halves */
    plan->i    = std::move(here.i);
    plan->j    = std::move(here.j);
    plan->perm = std::move(here.perm);
  } else PetscCall(FindSlots(A, here, *plan));
  PetscCall(plan->away.Resize(plan->order.size() * sizeof(PetscScalar)));
  PetscCall(plan->arrived.Resize(plan->received * sizeof(PetscScalar)));
  a->coo = std::move(plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetPreallocationCOO_BDIA(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  std::vector<PetscInt> rows, cols;
  PetscMemType          type;
  HeptaSpace            space;

  PetscFunctionBegin;
  PetscCall(PetscGetMemType(i, &type));
  PetscCall(HeptaSpaceOf(type, &space));
  if (space.device) PetscCall(FetchIndices(n, i, space, rows));
  const PetscInt *const hi = space.device ? rows.data() : i;
  PetscCall(PetscGetMemType(j, &type));
  PetscCall(HeptaSpaceOf(type, &space));
  if (space.device) PetscCall(FetchIndices(n, j, space, cols));
  PetscCall(PlanCOO(A, n, hi, space.device ? cols.data() : j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values that other ranks give for this rank's rows, in the space; null v: zeros are sent */
static PetscErrorCode Exchange(COOPlan &plan, const PetscScalar v[], const HeptaSpace &space, const PetscScalar **arrived)
{
  const PetscMemType type = space.device ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;
  const size_t      *order;
  void              *away, *in;

  PetscFunctionBegin;
  PetscCall(plan.tables[6].Get(space, plan.order, &order));
  PetscCall(plan.away.Access(space, HeptaAccess::write, &away));
  PetscCall(plan.arrived.Access(space, HeptaAccess::write, &in));
  HeptaLaunch(space, gather, plan.order.size(), order, v, (PetscScalar *)away);
  PetscCall(PetscSFBcastWithMemTypeBegin(plan.sf, MPIU_SCALAR, type, away, type, in, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(plan.sf, MPIU_SCALAR, away, in, MPI_REPLACE));
  *arrived = (const PetscScalar *)in;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v[slot[k]] += values, for the runs */
template <class V> static PetscErrorCode AddRuns(COOPlan &plan, bool ghost, const PetscScalar w[], const PetscScalar arrived[], const HeptaSpace &space, V *v)
{
  const size_t *slot, *perm, *first;
  const size_t  runs = (ghost ? plan.ghost_first : plan.slot_first).size() - 1;

  PetscFunctionBegin;
  PetscCall(plan.tables[ghost ? 3 : 0].Get(space, ghost ? plan.ghost_slot : plan.slot, &slot));
  PetscCall(plan.tables[ghost ? 4 : 1].Get(space, ghost ? plan.ghost_perm : plan.perm, &perm));
  PetscCall(plan.tables[ghost ? 5 : 2].Get(space, ghost ? plan.ghost_first : plan.slot_first, &first));
  HeptaLaunch(space, coo_runs, runs, first, slot, perm, (size_t)plan.n, w, arrived, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half storage: through MatSetValues() on the host, which compares the two halves */
static PetscErrorCode PutHalf(Mat A, COOPlan &plan, const PetscScalar v[], const HeptaSpace &space)
{
  const HeptaTakeAll       all(A);
  std::vector<PetscScalar> given(v && space.device ? plan.n : 0);
  const PetscScalar       *w = v, *arrived;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (v && space.device) PetscCallHepta(hepta::copy_to_host(given.data(), v, plan.n * sizeof(PetscScalar), space.stream));
  if (v && space.device) w = given.data();
#endif
  PetscCall(Exchange(plan, w, HeptaSpace(), &arrived));
  for (size_t k = 0; k < plan.i.size(); k++) {
    const size_t      p     = plan.perm[k];
    const PetscScalar value = p >= (size_t)plan.n ? arrived[p - plan.n] : w ? w[p] : 0;
    PetscCall(MatSetValues_BDIA(A, 1, &plan.i[k], 1, &plan.j[k], &value, ADD_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesCOO_BDIA(Mat A, const PetscScalar v[], InsertMode mode)
{
  Mat_BDIA          *a   = MatBDIA(A);
  const bool         add = mode == ADD_VALUES;
  const PetscScalar *arrived;
  const uint32_t    *source;
  PetscMemType       type = PETSC_MEMTYPE_HOST;
  HeptaSpace         space;

  PetscFunctionBegin;
  PetscCheck(a->coo, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "Call MatSetPreallocationCOO() first; entries at new places set by MatSetValues() end a COO structure");
  COOPlan &plan = *a->coo;
  if (v) PetscCall(PetscGetMemType(v, &type));
  if (v) PetscCall(HeptaSpaceOf(type, &space));
  else PetscCall(a->diag->values.Space(&space)); /* nothing given here: values may still arrive */
  if (a->set.half) {
    if (!add) PetscUseTypeMethod(A, zeroentries);
    PetscCall(PutHalf(A, plan, v, space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Exchange(plan, v, space, &arrived));
  PetscCall(plan.source_table.Get(space, plan.source, &source));
  PetscCall(HeptaVisit(*a->diag, space, add ? HeptaAccess::read_write : HeptaAccess::write, [&](auto D) {
    HeptaLaunch(space, coo, D, add, source, v);
    PetscCall(AddRuns(plan, false, v, arrived, space, D.v));
    return PETSC_SUCCESS;
  }));
  if (!add) PetscCall(a->ghost.values.Zero(space));
  PetscCall(HeptaVisit(a->ghost, space, HeptaAccess::read_write, [&](auto B) { return AddRuns(plan, true, v, arrived, space, B.v); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
