/*
   COO assembly: the places are analyzed once, so that setting values is one pass  v[slot[k]] += w[perm[k]].
   Values of other ranks' rows travel by a PetscSF planned with the places.
*/
#include <numeric>

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
  std::vector<PetscInt> away, rows, cols, order;

  PetscFunctionBegin;
  for (PetscCount k = 0; k < n; k++) {
    if (i[k] < 0 || j[k] < 0) continue;
    if (i[k] >= A->rmap->rstart && i[k] < A->rmap->rend) {
      here.i.push_back(i[k]);
      here.j.push_back(j[k]);
      here.perm.push_back(k);
    } else if (!MatBDIA(A)->set.ignore_off_rank) {
      away.push_back((PetscInt)k);
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

/* Looks up the slot of every place, in the block diagonals or the ghost part */
static PetscErrorCode FindSlots(Mat A, const Places &here, COOPlan &plan)
{
  Mat_BDIA *a = MatBDIA(A);

  PetscFunctionBegin;
  for (size_t k = 0; k < here.i.size(); k++) {
    const PetscInt i = here.i[k] - A->rmap->rstart, j = here.j[k] - A->cmap->rstart;
    const bool     local = j >= 0 && j < A->cmap->n;
    size_t         at    = 0;

    PetscCheck(local ? a->diag->FindSlot(i, j, &at) : a->ghost.FindSlot(i, here.j[k], &at), PETSC_COMM_SELF, PETSC_ERR_PLIB, "No slot for row %" PetscInt_FMT ", column %" PetscInt_FMT, here.i[k], here.j[k]);
    (local ? plan.slot : plan.ghost_slot).push_back(at);
    (local ? plan.perm : plan.ghost_perm).push_back(here.perm[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetPreallocationCOO_BDIA(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
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
    for (size_t k = 0; k < here.i.size(); k++) PetscCall(MatSetValues_BDIA(A, 1, &here.i[k], 1, &here.j[k], nullptr, INSERT_VALUES));
  }
  PetscCall(MatBDIAHalfClose(A));
  PetscCall(MatBDIAFinish(A));
  if (a->set.half) { /* values go through MatSetValues(), which compares the two halves */
    plan->i    = std::move(here.i);
    plan->j    = std::move(here.j);
    plan->perm = std::move(here.perm);
  } else PetscCall(FindSlots(A, here, *plan));
  a->coo = std::move(plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The given values, null for zeros, followed by those of other ranks */
static PetscErrorCode GatherValues(const COOPlan &plan, const PetscScalar v[], std::vector<PetscScalar> &all)
{
  std::vector<PetscScalar> away(plan.order.size());

  PetscFunctionBegin;
  for (size_t k = 0; k < away.size() && v; k++) away[k] = v[plan.order[k]];
  all.resize((size_t)plan.n + plan.received);
  if (v) std::copy(v, v + plan.n, all.begin());
  PetscCall(PetscSFBcastBegin(plan.sf, MPIU_SCALAR, away.data(), all.data() + plan.n, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(plan.sf, MPIU_SCALAR, away.data(), all.data() + plan.n, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PutCOO(Mat A, const COOPlan &plan, const PetscScalar w[])
{
  Mat_BDIA *a = MatBDIA(A);

  PetscFunctionBegin;
  if (a->set.half) {
    const HeptaTakeAll all(A);
    for (size_t k = 0; k < plan.i.size(); k++) PetscCall(MatSetValues_BDIA(A, 1, &plan.i[k], 1, &plan.j[k], &w[plan.perm[k]], ADD_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaVisit(*a->diag, [&](auto D) {
    PetscCallHepta(coo_host(plan.slot.size(), plan.slot.data(), plan.perm.data(), w, D.v));
    return PETSC_SUCCESS;
  }));
  PetscCall(HeptaVisit(a->ghost, [&](auto B) {
    PetscCallHepta(coo_host(plan.ghost_slot.size(), plan.ghost_slot.data(), plan.ghost_perm.data(), w, B.v));
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesCOO_BDIA(Mat A, const PetscScalar v[], InsertMode mode)
{
  Mat_BDIA                *a = MatBDIA(A);
  std::vector<PetscScalar> all;

  PetscFunctionBegin;
  PetscCheck(a->coo, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "Call MatSetPreallocationCOO() first; entries at new places set by MatSetValues() end a COO structure");
  if (mode == INSERT_VALUES) PetscUseTypeMethod(A, zeroentries);
  PetscMPIInt any[2] = {a->coo->received || !a->coo->order.empty(), v != nullptr}; /* do values travel, and are there any? */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, any, 2, MPI_INT, MPI_LOR, PetscObjectComm((PetscObject)A)));
  if (any[0] && any[1]) PetscCall(GatherValues(*a->coo, v, all));
  if (any[0] && any[1]) PetscCall(PutCOO(A, *a->coo, all.data()));
  else if (v) PetscCall(PutCOO(A, *a->coo, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
