/* The plan of COO assembly: the locations, those that are sent to other ranks, and the slot of each */
#include <algorithm>
#include <numeric>

#include "blocked.h"

using namespace hepta::blocked;

static PetscErrorCode CheckIndices(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[])
{
  PetscErrorCode code = PETSC_SUCCESS;
  std::string    why;

  PetscFunctionBegin;
  for (PetscCount k = 0; k < n && !code; k++) {
    if (i[k] < 0 || j[k] < 0) continue; /* such entries are ignored, whatever the other index is */
    if (A->nooffprocentries && (i[k] < A->rmap->rstart || i[k] >= A->rmap->rend)) {
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

PetscErrorCode MatBlockedPlanCOOExchange(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[], const size_t number[], COOPlan &plan, RankEntries &here)
{
  std::vector<PetscInt> rows, cols, order;
  std::vector<size_t>   sent;
  PetscSF               sf;
  const auto            value = [&](size_t k) { return number ? number[k] : k; };

  PetscFunctionBegin;
  here.i.reserve(n);
  here.j.reserve(n);
  here.perm.reserve(n);
  for (PetscCount k = 0; k < n; k++) {
    if (i[k] < 0 || j[k] < 0) continue;
    if (i[k] >= A->rmap->rstart && i[k] < A->rmap->rend) {
      here.i.push_back(i[k]);
      here.j.push_back(j[k]);
      here.perm.push_back(value(k));
    } else if (!MatBlocked(A)->set.ignore_off_rank) {
      sent.push_back((size_t)k);
      rows.push_back(i[k]);
    }
  }
  PetscCall(HeptaExchangeCreate(A->rmap, rows, order, &plan.received, &sf));
  const size_t own = here.i.size();
  here.i.resize(own + plan.received);
  here.j.resize(own + plan.received);
  rows.clear();
  for (PetscInt s : order) {
    plan.order.push_back(value(sent[s]));
    rows.push_back(i[sent[s]]);
    cols.push_back(j[sent[s]]);
  }
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, rows.data(), here.i.data() + own, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, rows.data(), here.i.data() + own, MPI_REPLACE));
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, cols.data(), here.j.data() + own, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, cols.data(), here.j.data() + own, MPI_REPLACE));
  PetscCall(plan.halo.SetUp(sf, 1));
  for (PetscInt k = 0; k < plan.received; k++) here.perm.push_back((size_t)plan.n + k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of the values, sorted by slot; values of one slot keep their order. Sorts by counting, unless there are many more slots than values, as in a ghost part that few values are for. */
static std::vector<size_t> OrderBySlot(const std::vector<size_t> &slot)
{
  const size_t        end = slot.empty() ? 0 : *std::max_element(slot.begin(), slot.end()) + 1;
  std::vector<size_t> order(slot.size());

  if (end / 16 > slot.size()) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return slot[a] < slot[b]; });
    return order;
  }
  std::vector<size_t> next(end + 1, 0); /* where the next value of each slot goes */
  for (size_t at : slot) next[at + 1]++;
  for (size_t at = 0; at < end; at++) next[at + 1] += next[at];
  for (size_t k = 0; k < slot.size(); k++) order[next[slot[k]]++] = k;
  return order;
}

PetscErrorCode COORuns::Set(const std::vector<size_t> &slots, const std::vector<size_t> &values)
{
  const std::vector<size_t> order = OrderBySlot(slots);
  std::vector<size_t>       begins, sorted(order.size()), by_slot(order.size());

  PetscFunctionBegin;
  for (size_t k = 0; k < order.size(); k++) {
    sorted[k]  = slots[order[k]];
    by_slot[k] = values[order[k]];
    if (!k || sorted[k] != sorted[k - 1]) begins.push_back(k);
  }
  n     = order.size();
  count = begins.size();
  begins.push_back(n);
  PetscCall(slot.Take(sorted));
  PetscCall(perm.Take(by_slot));
  PetscCall(first.Take(begins));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For half storage: sets zeros by MatSetValues(), which handles both halves; PutHalf() sets the values in the same way */
static PetscErrorCode SetZeros(Mat A, const RankEntries &here)
{
  const HeptaTakeAll all(A);

  PetscFunctionBegin;
  for (size_t k = 0; k < here.i.size(); k++) PetscCall(MatSetValues_Blocked(A, 1, &here.i[k], 1, &here.j[k], nullptr, INSERT_VALUES));
  PetscCall(MatBlocked(A)->local->CloseHalf(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Plans the locations of the local part, all of which are set from now on */
static PetscErrorCode PlanLocal(Mat A, const RankEntries &here, COOPlan &plan)
{
  Mat_Blocked        *a      = MatBlocked(A);
  const PetscInt      rstart = A->rmap->rstart, cstart = A->cmap->rstart;
  const size_t        batch = 1024;
  size_t              slot[batch];
  uint32_t           *source;
  std::vector<size_t> slots, values; /* of all values but the first for each slot */

  PetscFunctionBegin;
  PetscCall(a->local->Preset(a->set, here.i.size(), here.i.data(), here.j.data(), rstart, cstart));
  PetscCall(plan.source.Make(HeptaSpace(), a->local->Size(), &source)); /* new, hence zero */
  for (size_t k = 0; k < here.i.size(); k++) {
    if (k % batch == 0) a->local->FindSlots(PetscMin(batch, here.i.size() - k), &here.i[k], &here.j[k], rstart, cstart, slot);
    const size_t at = slot[k % batch];

    if (at == no_slot) continue; /* it is in the ghost part, or exceeds a limit, which assembly reports */
    a->local->set[at >> 5] |= 1u << (at & 31);
    if (!source[at] && here.perm[k] < (size_t)plan.n && here.perm[k] < UINT32_MAX) source[at] = (uint32_t)here.perm[k] + 1;
    else {
      slots.push_back(at);
      values.push_back(here.perm[k]);
    }
  }
  PetscCall(plan.runs.Set(slots, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedPlanCOOGhost(Mat A, const RankEntries &here, COOPlan &plan)
{
  Mat_Blocked        *a = MatBlocked(A);
  std::vector<size_t> slots, values;

  PetscFunctionBegin;
  for (size_t k = 0; k < here.i.size(); k++) {
    if (!MatBlockedOwnsColumn(A, here.j[k])) a->ghost.pending.push_back({here.i[k] - A->rmap->rstart, here.j[k], 0, INSERT_VALUES});
  }
  PetscCall(MatBlockedFinish(A));
  for (size_t k = 0; k < here.i.size(); k++) {
    size_t at = 0;

    if (MatBlockedOwnsColumn(A, here.j[k])) continue;
    PetscCheck(a->ghost.FindSlot(here.i[k] - A->rmap->rstart, here.j[k], &at), PETSC_COMM_SELF, PETSC_ERR_PLIB, "No slot for row %" PetscInt_FMT ", column %" PetscInt_FMT, here.i[k], here.j[k]);
    slots.push_back(at);
    values.push_back(here.perm[k]);
  }
  PetscCall(plan.ghost_runs.Set(slots, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the plan on the host, from indices in host memory */
static PetscErrorCode PlanOnHost(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[], COOPlan &plan)
{
  RankEntries here;

  PetscFunctionBegin;
  PetscCall(MatBlockedPlanCOOExchange(A, n, i, j, nullptr, plan, here));
  if (MatBlocked(A)->set.half) {
    PetscCall(SetZeros(A, here));
    PetscCall(MatBlockedFinish(A));
    plan.half = std::move(here);
  } else {
    PetscCall(PlanLocal(A, here, plan));
    PetscCall(MatBlockedPlanCOOGhost(A, here, plan));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedPlanCOO(Mat A, const HeptaSpace &space, PetscCount n, const PetscInt i[], const PetscInt j[], bool *done)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  if (!space.device) PetscCall(CheckIndices(A, n, i, j));
  A->assembled = PETSC_FALSE; /* until MatSetPreallocationCOO_Blocked() has succeeded: after an error the matrix is empty, and has no plan */
  a->coo.reset();
  PetscCall(MatBlockedShape(A)); /* the structure is made anew */
  if (a->set.presets) PetscCall(a->local->PresetFromOptions(A));
  auto plan = std::make_shared<COOPlan>();
  plan->n   = n;
  *done     = true;
  if (space.device) PetscCall(MatBlockedPlanCOOOnDevice(A, space, i, j, *plan, done));
  else PetscCall(PlanOnHost(A, n, i, j, *plan));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(plan->sent.Resize(plan->order.size() * sizeof(PetscScalar)));
  PetscCall(plan->arrived.Resize(plan->received * sizeof(PetscScalar)));
  a->coo     = std::move(plan);
  a->dropped = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}
