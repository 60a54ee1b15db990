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
   Levels of matrices can be recorded if applications of all smoothers can, since products are launches of ours, and if the levels have their vectors on the device, as the matrix does. Only on one MPI process, because with ipc
   exchanges stop with the passes but products do not: an application repeated after a pause would use ghost values of another vector.
*/
static PetscErrorCode LevelsCanRecord(PC pc, bool *can)
{
  PetscFunctionBegin;
  PetscCall(HeptaHasDeviceVecs(Subdeflation(pc)->levels.op.A, can));
  *can = *can && pc->pmat->rmap->size == 1;
  for (const auto &L : Subdeflation(pc)->levels.levels) {
    if (*can && L->smoother) PetscCall(HeptaPCCanRecord(L->smoother, can));
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
  if (s->leveling) PetscCall(LevelsCanRecord(pc, can));
  else {
    *can = (pc->pmat->rmap->size == 1 || s->variant != HEPTA_SUBDEFLATION_BNN) && s->UsesLabels() && s->coarse_type == HEPTA_SUBDEFLATION_COARSE_INVERSE && !multiplies;
    if (*can) PetscCall(HeptaPCCanRecord(s->inner, can));
  }
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
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &ours, PCBLOCKIC, PCBBS, PCL1JACOBI, PCGRIDMG, PCAGGMG, ""));
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

/* A key of all that the launches of the levels of matrices and their parameters depend on */
static std::string LevelsKey(PC pc)
{
  const PC_Subdeflation *s      = Subdeflation(pc);
  const PetscReal        weight = s->levels.Overcorrection();
  std::string            key((const char *)&weight, sizeof(weight));

  for (const PetscInt n : {s->levels.choice.pre, s->levels.choice.post, (PetscInt)s->levels.IsW()}) AppendNumber(key, n);
  for (const auto &L : s->levels.levels) {
    key += HeptaMatKey(L->A);
    if (L->smoother) key += HeptaPCKey(L->smoother);
  }
  return key;
}

std::string HeptaPCKey(PC pc)
{
  std::string key = ((PetscObject)pc)->type_name;

  AppendNumber(key, ((PetscObject)pc)->id);
  key += HeptaMatKey(pc->pmat);
  if (!HeptaDeflates(pc)) return key;
  AppendNumber(key, (PetscInt64)Subdeflation(pc)->variant);
  AppendNumber(key, Subdeflation(pc)->leveling);
  return key + (Subdeflation(pc)->leveling ? LevelsKey(pc) : HeptaPCKey(Subdeflation(pc)->inner));
}
