/* Which matrices and preconditioners can be recorded */
#include "../mat/blocked/blocked.h"
#include "../pc/aggmg/aggmg.h"
#include "../pc/gridmg/gridmg.h"
#include "../pc/ip/ip.h"
#include "../pc/subdeflation/subdeflation.h"
#include "operators.h"

/* On several ranks it must also be possible to record exchanges */
static PetscErrorCode CommCanRecord(MPI_Comm comm, bool *can)
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
  PetscCall(CommCanRecord(PetscObjectComm((PetscObject)A), can));
  *can = *can && HeptaIsBlocked(A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IPCanRecord(PC pc, bool *can)
{
  PetscFunctionBegin;
  *can = true;
  for (const auto &f : ((const PC_IP *)pc->data)->factors) {
    if (*can) PetscCall(HeptaMatCanRecord(f->M, can));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   It can be recorded with a coarse inverse, and without user vectors and an unsymmetric matrix, which need operations on PETSc's
   vectors. On several MPI processes bnn cannot, since it sums over them twice: with ipc an application repeated after a pause would
   find the second sum instead of the first; nccl is treated the same.
*/
static PetscErrorCode SubdeflationCanRecord(PC pc, bool *can)
{
  const PC_Subdeflation *s          = Subdeflation(pc);
  const bool             multiplies = !s->coarse.symmetric && s->variant != HEPTA_SUBDEFLATION_DEF1 && s->variant != HEPTA_SUBDEFLATION_ADEF1;

  PetscFunctionBegin;
  *can = (pc->pmat->rmap->size == 1 || s->variant != HEPTA_SUBDEFLATION_BNN) && s->UsesLabels() && s->coarse_type == HEPTA_SUBDEFLATION_COARSE_INVERSE && !multiplies;
  if (*can) PetscCall(HeptaPCCanRecord(s->inner, can));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's PC of a factorization, solved with bbs */
static PetscErrorCode FactorCanRecord(PC pc, bool *can)
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

PetscErrorCode HeptaPCCanRecord(PC pc, bool *can)
{
  PetscBool ip, ours;

  PetscFunctionBegin;
  PetscCall(CommCanRecord(PetscObjectComm((PetscObject)pc), can));
  if (!*can) PetscFunctionReturn(PETSC_SUCCESS);
  *can = false;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCIP, &ip));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &ours, PCBLOCKIC, PCBBS, PCGRIDMG, PCAGGMG, ""));
  if (ip) PetscCall(IPCanRecord(pc, can));
  else if (HeptaDeflates(pc)) PetscCall(SubdeflationCanRecord(pc, can));
  else if (ours) *can = true;
  else PetscCall(FactorCanRecord(pc, can));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaPCStops(PC pc)
{
  PetscBool stops;

  (void)PetscObjectTypeCompareAny((PetscObject)pc, &stops, PCGRIDMG, PCAGGMG, "");
  return stops;
}

void HeptaPCTakeScale(PC pc, const PetscScalar *rz)
{
  PetscBool aggmg;

  (void)PetscObjectTypeCompare((PetscObject)pc, PCAGGMG, &aggmg);
  if (aggmg) AggMG(pc)->mg.product = rz;
  if (HeptaIsGridMG(pc)) GridMG(pc)->cycle.product = rz;
}

static void AppendNumber(std::string &key, PetscInt64 n)
{
  key.append((const char *)&n, sizeof(n));
}

std::string HeptaMatKey(Mat A)
{
  std::string key;

  AppendNumber(key, ((PetscObject)A)->id);
  AppendNumber(key, A->nonzerostate);
  return key;
}

std::string HeptaPCKey(PC pc)
{
  std::string key = ((PetscObject)pc)->type_name;

  AppendNumber(key, ((PetscObject)pc)->id);
  key += HeptaMatKey(pc->pmat);
  if (!HeptaDeflates(pc)) return key;
  AppendNumber(key, (PetscInt64)Subdeflation(pc)->variant);
  return key + HeptaPCKey(Subdeflation(pc)->inner);
}
