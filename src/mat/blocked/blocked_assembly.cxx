/* Assembly: moves stashed entries to their owners, closes half storage, packs, checks the limits, builds the halo exchange */
#include "../../shared/arrays.h"
#include "blocked.h"

using namespace hepta::blocked;

PetscErrorCode MatAssemblyBegin_Blocked(Mat A, MatAssemblyType)
{
  PetscMPIInt mode[2];

  PetscFunctionBegin;
  MatBlocked(A)->only_preallocated = false;
  /* all ranks must insert or all must add: compares the largest of mode and of -mode over the ranks that set anything */
  mode[0] = A->insertmode == NOT_SET_VALUES ? -100 : (PetscMPIInt)A->insertmode;
  mode[1] = A->insertmode == NOT_SET_VALUES ? -100 : -(PetscMPIInt)A->insertmode;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mode, 2, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
  PetscCheck(mode[0] == -100 || mode[0] == -mode[1], PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "Some ranks inserted values and others added values; assemble with MAT_FLUSH_ASSEMBLY in between");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends stashed entries to their owners and sets the arriving entries */
static PetscErrorCode Deliver(Mat A)
{
  Mat_Blocked            *a = MatBlocked(A);
  std::vector<HeptaEntry> arrived;
  bool                    any = !a->stash.empty();

  PetscFunctionBegin;
  if (A->rmap->size == 1 || A->nooffprocentries) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaAgreeOnAny(PetscObjectComm((PetscObject)A), &any));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaExchangeEntries(A->rmap, a->stash, arrived));
  std::vector<HeptaEntry>().swap(a->stash);
  const HeptaNewEntryPolicy while_setting(A, a->set.new_entry); // other ranks set these entries
  for (const HeptaEntry &e : arrived) PetscCall(MatSetValues_Blocked(A, 1, &e.i, 1, &e.j, &e.v, e.mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Merges entries at new locations into the ghost part */
PetscErrorCode MatBlockedBuildGhost(Mat A)
{
  Mat_Blocked            *a = MatBlocked(A);
  std::vector<HeptaEntry> entries;

  PetscFunctionBegin;
  if (a->ghost.pending.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(a->ghost.Entries(entries));
  entries.insert(entries.end(), a->ghost.pending.begin(), a->ghost.pending.end());
  std::vector<HeptaEntry>().swap(a->ghost.pending);
  PetscCall(a->ghost.Build(entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each ghost block column is a leaf of the owner's block row */
PetscErrorCode MatBlockedBuildHalo(Mat A)
{
  Mat_Blocked *a  = MatBlocked(A);
  PetscInt     ng = (PetscInt)a->ghost.garray.size(), most = ng;
  PetscLayout  map;
  PetscSF      sf;

  PetscFunctionBegin;
  PetscCall(a->halo.Reset());
  PetscCall(HeptaVecFree(&a->lvec));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
  if (!most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBlockedHaloVec(A, false)); /* lvec moves to the device with the first vector on the device */
  PetscCall(
    PetscLayoutCreateFromSizes(PetscObjectComm((PetscObject)A), A->cmap->n / a->ghost.bs, A->cmap->N / a->ghost.bs, 1, &map));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &sf));
  PetscCall(PetscSFSetFromOptions(sf)); /* -sf_type */
  PetscCall(PetscSFSetGraphLayout(sf, map, ng, nullptr, PETSC_OWN_POINTER, a->ghost.garray.data()));
  PetscCall(PetscSFSetUp(sf));
  PetscCall(PetscLayoutDestroy(&map));
  PetscCall(a->halo.SetUp(sf, a->ghost.bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Packs, counts the entries and checks the limits */
static PetscErrorCode Complete(Mat A)
{
  Mat_Blocked *a     = MatBlocked(A);
  const bool   first = a->local->CountsFirst();

  PetscFunctionBegin;
  if (!first) PetscCall(a->local->Pack());
  if (!a->local->counted) PetscCall(a->local->Count());
  a->local->counted = false;
  a->ghost.CountEntries();
  PetscCall(a->local->CheckLimits(A));
  if (first) PetscCall(a->local->Pack());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedFinish(Mat A)
{
  Mat_Blocked *a       = MatBlocked(A);
  bool         changed = a->changed || !a->ready;

  PetscFunctionBegin;
  PetscCall(HeptaAgreeOnAny(PetscObjectComm((PetscObject)A), &changed));
  if (!changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBlockedBuildGhost(A));
  PetscCall(Complete(A));
  PetscCall(MatBlockedBuildHalo(A));
  a->coo.reset();
  A->nonzerostate++;
  a->ready   = true;
  a->changed = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For the option check_values: an error that names the first entry that is not finite */
static PetscErrorCode CheckValues(Mat A)
{
  Mat_Blocked             *a    = MatBlocked(A);
  PetscErrorCode           code = PETSC_SUCCESS;
  std::string              why;
  std::vector<PetscInt>    cols;
  std::vector<PetscScalar> vals;

  PetscFunctionBegin;
  if (!a->set.check_values) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < A->rmap->n && !code; i++) {
    PetscCall(MatBlockedRow(A, i, cols, vals));
    for (size_t k = 0; k < cols.size() && !code; k++) {
      if (!PetscIsInfOrNanScalar(vals[k])) continue;
      code = PETSC_ERR_FP;
      why  = HeptaFormat("The value at row %" PetscInt_FMT ", column %" PetscInt_FMT " is %s (found by -mat_%s_check_values)",
                         i + A->rmap->rstart, cols[k], PetscIsNanScalar(vals[k]) ? "not a number" : "infinite", a->format->name);
    }
  }
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), code, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatAssemblyEnd_Blocked(Mat A, MatAssemblyType type)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(MatBlocked(A)->format->events.assembly, A, nullptr, nullptr, nullptr));
  PetscCall(Deliver(A));
  if (type == MAT_FINAL_ASSEMBLY) {
    if (MatBlocked(A)->set.half) PetscCall(MatBlocked(A)->local->CloseHalf(A));
    PetscCall(MatBlockedFinish(A));
    PetscCall(CheckValues(A));
    PetscCall(MatBlockedRewrapView(A));
  }
  PetscCall(PetscLogEventEnd(MatBlocked(A)->format->events.assembly, A, nullptr, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
