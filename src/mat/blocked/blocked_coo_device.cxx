/*
   The plan of COO assembly on the device, which analyzes the entries in a rank's own rows and columns. The device finds the other
   entries, which are few, and the host plans them.
*/
#include "coo.hxx"
#include "blocked.h"

using namespace hepta::blocked;

#if defined(HEPTA_HAVE_CUDA)

/*
   others <- the given entries in rows or columns of other ranks, copied to the host, without entries that have a negative index.
   *good <- false if one of these entries is outside the matrix, or in another rank's row although MAT_NO_OFF_PROC_ENTRIES is set:
   then the host plans, and names the entry in an error.
*/
static PetscErrorCode CopyOthers(Mat A, const HeptaSpace &space, const CooPart &part, const CooEntries &entries,
                                 RankEntries &others, bool *good)
{
  unsigned long long count = 0;
  size_t            *number;
  PetscInt          *i, *j;
  HeptaValues        numbers, rows, columns;

  PetscFunctionBegin;
  PetscCallHepta(coo_count_others_cuda(part, entries, &count, good, space.stream));
  if (!*good || !count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(numbers.Make(space, count, &number));
  PetscCall(rows.Make(space, count, &i));
  PetscCall(columns.Make(space, count, &j));
  PetscCallHepta(coo_others_cuda(part, entries, count, (uint64_t *)number, (hepta::Index *)i, (hepta::Index *)j, space.stream));
  PetscCall(numbers.Give(count, others.perm));
  PetscCall(rows.Give(count, others.i));
  PetscCall(columns.Give(count, others.j));
  for (size_t k = 0; k < count && A->nooffprocentries; k++)
    *good = *good && others.i[k] >= part.rows[0] && others.i[k] < part.rows[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Plans the local part, from the given entries and those that have arrived, in local rows and columns; -1 in rows or columns of
   other ranks
*/
static PetscErrorCode PlanLocal(Mat A, const HeptaSpace &space, const CooPart &part, const CooEntries &given,
                                const RankEntries &here, COOPlan &plan, bool *done)
{
  const size_t          n = given.n, received = (size_t)plan.received;
  std::vector<PetscInt> tail(received);
  HeptaValues           memory[2];
  PetscInt             *own[2];

  PetscFunctionBegin;
  *done = n + received < UINT32_MAX;
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; k++) PetscCall(memory[k].Make(space, n + received, &own[k]));
  PetscCallHepta(coo_own_cuda(part, given, (hepta::Index *)own[0], (hepta::Index *)own[1], space.stream));
  for (int k = 0; k < 2; k++) {
    for (size_t r = 0, first = here.i.size() - received; r < received; r++) {
      const PetscInt i = here.i[first + r], j = here.j[first + r];
      tail[r] = !MatBlockedOwnsColumn(A, j) ? -1 : k ? j - part.cols[0] : i - part.rows[0];
    }
    if (received) PetscCallHepta(hepta::copy_to_device(own[k] + n, tail.data(), received * sizeof(PetscInt), space.stream));
  }
  if (n + received) PetscCall(MatBlocked(A)->local->PlanCOO(MatBlocked(A)->set, space, n + received, own[0], own[1], plan, done));
  /* a rank without entries has no structure */
  else PetscCall(plan.source.Resize(MatBlocked(A)->local->Size() * sizeof(uint32_t)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlanOfSeveralRanks(Mat A, const HeptaSpace &space, const CooEntries &given, COOPlan &plan, bool *done)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);
  const CooPart  part = {{A->rmap->rstart, A->rmap->rend}, {A->cmap->rstart, A->cmap->rend}, A->rmap->N, A->cmap->N};
  RankEntries    others, here;

  PetscFunctionBegin;
  PetscCall(CopyOthers(A, space, part, given, others, done));
  PetscCall(HeptaAgreeOnAll(comm, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBlockedPlanCOOExchange(A, others, plan, here));
  PetscCall(PlanLocal(A, space, part, given, here, plan, done));
  PetscCall(HeptaAgreeOnAll(comm, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBlockedPlanCOOGhost(A, here, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

PetscErrorCode MatBlockedPlanCOOOnDevice(Mat A, const HeptaSpace &space, const PetscInt i[], const PetscInt j[], COOPlan &plan,
                                         bool *done)
{
  PetscFunctionBegin;
  *done = false;
#if defined(HEPTA_HAVE_CUDA)
  RankEntries none, here;

  *done = plan.n < UINT32_MAX;
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  if (A->rmap->size > 1) {
    PetscCall(PlanOfSeveralRanks(A, space, {(size_t)plan.n, (const hepta::Index *)i, (const hepta::Index *)j}, plan, done));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatBlocked(A)->local->PlanCOO(MatBlocked(A)->set, space, (size_t)plan.n, i, j, plan, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBlockedPlanCOOExchange(A, none, plan, here)); /* nothing travels */
  PetscCall(MatBlockedFinish(A));
#else
  (void)A, (void)space, (void)i, (void)j, (void)plan;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
