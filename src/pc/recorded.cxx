/* Which products and preconditioners can be recorded */
#include "recorded.h"

#include "../mat/blocked/blocked.h"
#include "../mat/matis.h"

PetscErrorCode HeptaCommCanRecord(MPI_Comm comm, bool *can)
{
  HeptaTransport *t;

  PetscFunctionBegin;
  PetscCall(HeptaTransportOf(comm, &t));
  if (t->size > 1) PetscCall(HeptaTransportProbe(t));
  *can = t->size == 1 || t->Records();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatCanRecord(Mat A, bool *can)
{
  PetscFunctionBegin;
  PetscCall(HeptaCommCanRecord(PetscObjectComm((PetscObject)A), can));
  if (*can && !HeptaIsBlocked(A)) PetscCall(HeptaMatISCanRecord(A, can));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatPrepareToRecord(Mat A, const HeptaSpace &space)
{
  PetscFunctionBegin;
  if (HeptaIsBlocked(A)) {
    PetscCall(MatBlocked(A)->local->Bring(space));
    PetscCall(MatBlockedHaloPrepare(A, space));
  } else PetscCall(HeptaMatISPrepare(A, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's PC of a factorization, solved with bbs */
static PetscErrorCode FactorRecords(PC pc, bool *can)
{
  PetscBool     factor, bbs = PETSC_FALSE;
  MatSolverType solver = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factor, PCILU, PCICC, ""));
  if (factor) PetscCall(PCFactorGetMatSolverType(pc, &solver));
  if (solver) PetscCall(PetscStrcmp(solver, MATSOLVERBBS, &bbs));
  *can = bbs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPCRecordsAlways(PC, HeptaRecorded *r)
{
  PetscFunctionBegin;
  r->can = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AppendNumber(std::string &key, PetscInt64 n)
{
  key.append((const char *)&n, sizeof(n));
}

PetscErrorCode HeptaMatAppendKey(Mat A, std::string *key)
{
  Mat local;

  PetscFunctionBegin;
  AppendNumber(*key, ((PetscObject)A)->id);
  AppendNumber(*key, A->nonzerostate);
  PetscCall(HeptaMatISGetLocal(A, &local));
  if (local) PetscCall(HeptaMatAppendKey(local, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPCGetRecorded(PC pc, HeptaRecorded *r)
{
  PetscErrorCode (*said)(PC, HeptaRecorded *) = nullptr;

  PetscFunctionBegin;
  *r     = {};
  r->key = ((PetscObject)pc)->type_name;
  AppendNumber(r->key, ((PetscObject)pc)->id);
  PetscCall(HeptaMatAppendKey(pc->pmat, &r->key));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, HEPTA_RECORDED, &said));
  PetscCall(said ? said(pc, r) : FactorRecords(pc, &r->can));
  PetscFunctionReturn(PETSC_SUCCESS);
}
