/* The plan of COO assembly: the locations, the entries that are sent to other ranks, and the slot of each entry */
#include <algorithm>
#include <numeric>

#include "blocked.h"
#include "row_groups.h"

using namespace hepta::blocked;

/* Are all entries [k, end) in this rank's own rows and columns? A loop without a branch, which compilers vectorize */
static bool AreOwn(const OwnRange &own, PetscCount k, PetscCount end, const PetscInt i[], const PetscInt j[])
{
  Unsigned others = 0;

  for (; k < end; k++) others += !IsOwn(own, i[k], j[k]);
  return !others;
}

/*
   others <- the given entries that are not in this rank's own rows and columns, or all entries if storage is half; entries with a
   negative index are left out, whatever the other index is. An error on all ranks if a rank gives a forbidden entry. Collective
*/
static PetscErrorCode FindOthersOrAll(Mat A, const OwnRange &own, PetscCount n, const PetscInt i[], const PetscInt j[],
                                      RankEntries &others)
{
  const bool       all   = MatBlocked(A)->set.half;
  const PetscCount batch = 1024;
  PetscErrorCode   code  = PETSC_SUCCESS;
  std::string      why;

  PetscFunctionBegin;
  for (PetscCount k = 0; k < n && !code; k++) {
    if (!all && k % batch == 0) {
      while (k < n && AreOwn(own, k, PetscMin(k + batch, n), i, j)) k += batch;
      if (k >= n) break;
    }
    if (i[k] < 0 || j[k] < 0 || (!all && IsOwn(own, i[k], j[k]))) continue;
    if (A->nooffprocentries && (i[k] < A->rmap->rstart || i[k] >= A->rmap->rend)) {
      code = PETSC_ERR_ARG_WRONG;
      why  = HeptaFormat("COO entry %" PetscCount_FMT " is in row %" PetscInt_FMT
                         " of another rank although MAT_NO_OFF_PROC_ENTRIES is set",
                         k, i[k]);
    }
    if (i[k] >= A->rmap->N || j[k] >= A->cmap->N) {
      code = PETSC_ERR_ARG_OUTOFRANGE;
      why  = HeptaFormat("COO entry %" PetscCount_FMT " has row %" PetscInt_FMT ", column %" PetscInt_FMT
                         ", outside the %" PetscInt_FMT " x %" PetscInt_FMT " matrix",
                         k, i[k], j[k], A->rmap->N, A->cmap->N);
    }
    others.i.push_back(i[k]);
    others.j.push_back(j[k]);
    others.perm.push_back((size_t)k);
  }
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), code, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedPlanCOOExchange(Mat A, const RankEntries &others, COOPlan &plan, RankEntries &here)
{
  std::vector<PetscInt> rows, cols, order;
  std::vector<size_t>   sent;
  PetscSF               sf;

  PetscFunctionBegin;
  for (size_t k = 0; k < others.i.size(); k++) {
    if (others.i[k] >= A->rmap->rstart && others.i[k] < A->rmap->rend) {
      here.i.push_back(others.i[k]);
      here.j.push_back(others.j[k]);
      here.perm.push_back(others.perm[k]);
    } else if (!MatBlocked(A)->set.ignore_off_rank) {
      sent.push_back(k);
      rows.push_back(others.i[k]);
    }
  }
  PetscCall(HeptaExchangeCreate(A->rmap, rows, order, &plan.received, &sf));
  const size_t own = here.i.size();
  here.i.resize(own + plan.received);
  here.j.resize(own + plan.received);
  rows.clear();
  for (PetscInt s : order) {
    plan.order.push_back(others.perm[sent[s]]);
    rows.push_back(others.i[sent[s]]);
    cols.push_back(others.j[sent[s]]);
  }
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, rows.data(), here.i.data() + own, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, rows.data(), here.i.data() + own, MPI_REPLACE));
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, cols.data(), here.j.data() + own, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, cols.data(), here.j.data() + own, MPI_REPLACE));
  PetscCall(plan.halo.SetUp(sf, 1));
  for (PetscInt k = 0; k < plan.received; k++) here.perm.push_back((size_t)plan.n + k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The numbers of the values, sorted by slot; values of one slot keep their order. Sorts by counting, unless there are many more
   slots than values, as in a ghost part with few values.
*/
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
  for (size_t k = 0; k < here.i.size(); k++)
    PetscCall(MatSetValues_Blocked(A, 1, &here.i[k], 1, &here.j[k], nullptr, INSERT_VALUES));
  PetscCall(MatBlocked(A)->local->CloseHalf(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the slots of COO entries in a storage: the plan's source, and the values that have no place in source */
class SlotFinder {
public:
  std::vector<size_t> slots, values; /* slots and numbers of all values but the first given value for each slot */

  SlotFinder(const HeptaStorage &local, const OwnRange &own) : local_(local), own_(own) {}
  /* The entries of the list have the numbers first, first + 1, ...; source is null where values arrive */
  void Find(const OwnEntries::List &list, size_t first, uint32_t *source)
  {
    size_t begin = 0, end = 0; /* of groups with one row, which are found together */

    if (local_.bs == 1) Rows(list, 0, list.n, 1, first, source);
    else {
      for_row_groups(list, own_, local_.bs, [&](size_t k, size_t n, size_t same, PetscInt) {
        if (same > 1 || k != end) {
          Rows(list, begin, end - begin, 1, first, source);
          begin = k;
        }
        end = k + n * same;
        if (same == 1) return;
        Rows(list, k, n, same, first, source);
        begin = end;
      });
      Rows(list, begin, end - begin, 1, first, source);
    }
  }

private:
  /* Finds the entries [k, k + n) of a row; in `same` rows the entries t, t + n, ... have slots that follow each other */
  void Rows(const OwnEntries::List &list, size_t k, size_t n, size_t same, size_t first, uint32_t *source)
  {
    for (size_t t = 0; t < n; t += batch) {
      const size_t some = PetscMin(batch, n - t);

      local_.FindSlots({some, list.i + k + t, list.j + k + t}, own_, slot_);
      for (size_t q = 0; q < some; q++) {
        if (slot_[q] == no_slot) continue; /* the entry is in the ghost part, or exceeds a limit, which assembly reports */
        for (size_t r = 0; r < same; r++) Put(slot_[q] + r, first + k + t + q + r * n, source);
      }
    }
  }
  void Put(size_t at, size_t number, uint32_t *source)
  {
    if (source && !source[at] && number < UINT32_MAX) source[at] = (uint32_t)number + 1;
    else {
      slots.push_back(at);
      values.push_back(number);
    }
  }

  static constexpr size_t batch = 1024;
  const HeptaStorage     &local_;
  const OwnRange          own_;
  size_t                  slot_[batch];
};

/* Sets the bits of slots with a source; mostly all of 32 slots have a source */
static void MarkSet(const uint32_t source[], size_t slots, uint32_t set[])
{
  for (size_t w = 0; w < slots / 32; w++) {
    const uint32_t *s    = source + 32 * w;
    uint32_t        bits = 0;
    int             n    = 0;

    for (int k = 0; k < 32; k++) n += s[k] != 0;
    for (int k = 0; k < 32 && n && n < 32; k++) bits |= (uint32_t)(s[k] != 0) << k;
    set[w] |= n == 32 ? ~(uint32_t)0 : bits;
  }
}

/* Plans the locations of the local part, which are all set from now on; the last entries of `here` have arrived */
static PetscErrorCode PlanLocal(Mat A, const OwnRange &own, const OwnEntries::List &given, const RankEntries &here, COOPlan &plan)
{
  HeptaStorage    &local    = *MatBlocked(A)->local;
  const size_t     received = (size_t)plan.received, before = here.i.size() - received;
  const OwnEntries entries = {{given, {received, here.i.data() + before, here.j.data() + before}}, own};
  SlotFinder       finder(local, own);
  uint32_t        *source;

  PetscFunctionBegin;
  PetscCall(local.Preset(MatBlocked(A)->set, entries));
  PetscCall(plan.source.Make(HeptaSpace(), local.Size(), &source)); /* new, hence zero */
  finder.Find(given, 0, source);
  finder.Find(entries.lists[1], (size_t)plan.n, nullptr);
  MarkSet(source, local.Size(), local.set);
  for (size_t at : finder.slots) local.set[at >> 5] |= 1u << (at & 31);
  PetscCall(plan.runs.Set(finder.slots, finder.values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedPlanCOOGhost(Mat A, const RankEntries &here, COOPlan &plan)
{
  Mat_Blocked        *a = MatBlocked(A);
  std::vector<size_t> slots, values;

  PetscFunctionBegin;
  for (size_t k = 0; k < here.i.size(); k++) {
    if (!MatBlockedOwnsColumn(A, here.j[k]))
      a->ghost.pending.push_back({here.i[k] - A->rmap->rstart, here.j[k], 0, INSERT_VALUES});
  }
  PetscCall(MatBlockedFinish(A));
  for (size_t k = 0; k < here.i.size(); k++) {
    size_t at = 0;

    if (MatBlockedOwnsColumn(A, here.j[k])) continue;
    PetscCheck(a->ghost.FindSlot(here.i[k] - A->rmap->rstart, here.j[k], &at), PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "No slot for row %" PetscInt_FMT ", column %" PetscInt_FMT, here.i[k], here.j[k]);
    slots.push_back(at);
    values.push_back(here.perm[k]);
  }
  PetscCall(plan.ghost_runs.Set(slots, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the plan on the host, from indices in host memory; others: see FindOthersOrAll() */
static PetscErrorCode PlanOnHost(Mat A, const OwnRange &own, const OwnEntries::List &given, const RankEntries &others,
                                 COOPlan &plan)
{
  RankEntries here;

  PetscFunctionBegin;
  PetscCall(MatBlockedPlanCOOExchange(A, others, plan, here));
  if (MatBlocked(A)->set.half) {
    PetscCall(SetZeros(A, here));
    PetscCall(MatBlockedFinish(A));
    plan.half = std::move(here);
  } else {
    PetscCall(PlanLocal(A, own, given, here, plan));
    PetscCall(MatBlockedPlanCOOGhost(A, here, plan));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedPlanCOO(Mat A, const HeptaSpace &space, PetscCount n, const PetscInt i[], const PetscInt j[], bool *done)
{
  Mat_Blocked   *a   = MatBlocked(A);
  const OwnRange own = {A->rmap->rstart, A->rmap->n, A->cmap->rstart, A->cmap->n};
  RankEntries    others;

  PetscFunctionBegin;
  if (!space.device) PetscCall(FindOthersOrAll(A, own, n, i, j, others));
  /* until MatSetPreallocationCOO_Blocked() has succeeded: after an error the matrix is empty, without a plan */
  A->assembled = PETSC_FALSE;
  a->coo.reset();
  PetscCall(MatBlockedShape(A)); /* the structure is made anew */
  if (a->set.presets) PetscCall(a->local->PresetFromOptions(A));
  auto plan = std::make_shared<COOPlan>();
  plan->n   = n;
  *done     = true;
  if (space.device) PetscCall(MatBlockedPlanCOOOnDevice(A, space, i, j, *plan, done));
  else PetscCall(PlanOnHost(A, own, {(size_t)n, i, j}, others, *plan));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(plan->sent.Resize(plan->order.size() * sizeof(PetscScalar)));
  PetscCall(plan->arrived.Resize(plan->received * sizeof(PetscScalar)));
  a->coo     = std::move(plan);
  a->dropped = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}
