/*
   COO assembly: the locations are analyzed once (blocked_coo_plan.cxx; on the device by coo_device.h). Setting values is then one
   pass over the slots, in the memory of the values, and one pass over the slots that receive several values. A HeptaHalo that is
   planned with the locations sends values of other ranks' rows.
*/
#include "../../shared/arrays.h"
#include "blocked.h"
#include "index_copy.h"

using namespace hepta::blocked;

PetscErrorCode MatBlockedPlansOnDevice(Mat A, bool on_device, bool *yes)
{
  PetscFunctionBegin;
  *yes = on_device || MatBlocked(A)->set.device;
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), yes));
  *yes = *yes && !MatBlocked(A)->set.half && MatBlocked(A)->local->PlansOnDevice();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetPreallocationCOO_Blocked(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  const PetscInt *p[2]      = {nullptr, nullptr};
  const PetscBool assembled = A->assembled;
  GivenIndices    given;
  HeptaSpace      device;
  bool            yes = false, done = false;

  PetscFunctionBegin;
  PetscCall(given.Set(i, j));
  PetscCall(MatBlockedPlansOnDevice(A, given.OnDevice(), &yes));
  if (yes) PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &device));
  for (const HeptaSpace &space : {device, HeptaSpace()}) { /* on the host if the device cannot */
    PetscCall(given.Get(n, space, p));
    PetscCall(MatBlockedPlanCOO(A, space, n, p[0], p[1], &done));
    if (done) break;
  }
  A->assembled = assembled;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   *arrived <- the values of other ranks for this rank's rows, in the given space; zeros are sent if v is null. Values are sent
   from device to device if the values of all ranks are on devices.
*/
static PetscErrorCode Exchange(COOPlan &plan, const PetscScalar v[], const HeptaSpace &space, bool all_on_device,
                               const PetscScalar **arrived)
{
  const size_t    *order;
  const HeptaSpace common = all_on_device ? space : HeptaSpace();
  PetscScalar     *sent, *received;

  PetscFunctionBegin;
  PetscCall(plan.order_table.Get(space, plan.order, &order));
  PetscCall(plan.sent.Access(space, HeptaAccess::write, &sent));
  HeptaLaunchEach(space, gather, plan.order.size(), order, v, sent);
  PetscCall(plan.sent.Access(common, HeptaAccess::read, &sent));
  PetscCall(plan.arrived.Access(common, HeptaAccess::write, &received));
  PetscCall(plan.halo.Bring({common, sent, received}));
  PetscCall(plan.arrived.Access(space, HeptaAccess::read, &received));
  *arrived = received;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v[slot] += the sum of a run, for each run of values for one slot; v: the values of the local or the ghost part */
template <class D>
static PetscErrorCode AddRuns(D &part, COORuns &runs, PetscCount n, const PetscScalar w[], const PetscScalar arrived[],
                              const HeptaSpace &space)
{
  size_t *slot, *perm, *first;

  PetscFunctionBegin;
  PetscCall(runs.slot.Access(space, HeptaAccess::read, &slot));
  PetscCall(runs.perm.Access(space, HeptaAccess::read, &perm));
  PetscCall(runs.first.Access(space, HeptaAccess::read, &first));
  PetscCall(HeptaVisitValues(part, space, HeptaAccess::read_write, [&](auto *v) {
    HeptaLaunchEach(space, coo_runs, runs.count, (const size_t *)first, (const size_t *)slot, (const size_t *)perm, (size_t)n, w,
                    arrived, v);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For half storage: sets the values by MatSetValues() on the host, which compares the two halves */
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
  PetscCall(Exchange(plan, w, HeptaSpace(), false, &arrived));
  for (size_t k = 0; k < plan.half.i.size(); k++) {
    const size_t      p     = plan.half.perm[k];
    const PetscScalar value = p >= (size_t)plan.n ? arrived[p - plan.n] : w ? w[p] : 0;
    PetscCall(MatSetValues_Blocked(A, 1, &plan.half.i[k], 1, &plan.half.j[k], &value, ADD_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values are set at all planned locations, hence entries that MatZeroRows() removed from the structure become entries again */
static PetscErrorCode RestoreDropped(Mat A, COOPlan &plan)
{
  Mat_Blocked *a   = MatBlocked(A);
  const auto   put = [](uint32_t *set, size_t at) { set[at >> 5] |= 1u << (at & 31); };
  uint32_t    *source;
  size_t      *slot;

  PetscFunctionBegin;
  if (!a->dropped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(plan.source.Access(HeptaSpace(), HeptaAccess::read, &source));
  PetscCall(a->local->StructureToHost());
  for (size_t at = 0; source && at < a->local->Size(); at++) {
    if (source[at]) put(a->local->set, at);
  }
  PetscCall(plan.runs.slot.Access(HeptaSpace(), HeptaAccess::read, &slot));
  for (size_t k = 0; k < plan.runs.n; k++) put(a->local->set, slot[k]);
  PetscCall(plan.ghost_runs.slot.Access(HeptaSpace(), HeptaAccess::read, &slot));
  for (size_t k = 0; k < plan.ghost_runs.n; k++) put(a->ghost.set.data(), slot[k]);
  PetscCall(a->local->Count());
  a->ghost.CountEntries();
  a->dropped = false;
  A->nonzerostate++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesCOO_Blocked(Mat A, const PetscScalar v[], InsertMode mode)
{
  Mat_Blocked       *a   = MatBlocked(A);
  const bool         add = mode == ADD_VALUES;
  const PetscScalar *arrived;
  uint32_t          *source;
  PetscMemType       type = PETSC_MEMTYPE_HOST;
  PetscMPIInt        any[3]; /* on any rank */
  HeptaSpace         space;

  PetscFunctionBegin;
  if (v) PetscCall(PetscGetMemType(v, &type));
  if (v) PetscCall(HeptaSpaceOf(type, &space));
  else PetscCall(a->local->values.Space(&space)); /* this rank gives no values, but may receive some */
  const bool gives = !a->coo || a->coo->n;        /* a rank that gives no values works in the space of the other ranks */
  any[0]           = a->changed;                  /* entries that the plan does not have wait for assembly */
  any[1]           = gives && !space.device;
  any[2]           = gives && space.device;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, any, 3, MPI_INT, MPI_LOR, PetscObjectComm((PetscObject)A)));
  PetscCheck(a->coo && !any[0], PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "Call MatSetPreallocationCOO() first; entries at new locations set by MatSetValues() end a COO structure");
  COOPlan &plan = *a->coo;
  if (!gives && any[1] + any[2] == 1) PetscCall(HeptaSpaceOf(any[2] ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, &space));
  PetscCall(RestoreDropped(A, plan));
  if (a->set.half) {
    if (!add) PetscUseTypeMethod(A, zeroentries);
    PetscCall(PutHalf(A, plan, v, space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Exchange(plan, v, space, any[2] && !any[1], &arrived));
  PetscCall(plan.source.Access(space, HeptaAccess::read, &source));
  PetscCall(a->local->PutCOO(space, add, source, v));
  PetscCall(AddRuns(*a->local, plan.runs, plan.n, v, arrived, space));
  if (!add) PetscCall(a->ghost.values.Zero(space));
  PetscCall(AddRuns(a->ghost, plan.ghost_runs, plan.n, v, arrived, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}
