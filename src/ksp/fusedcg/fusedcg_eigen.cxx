/* Eigenvalues of the preconditioned matrix from the Lanczos matrix whose entries conjugate gradients compute */
#include <petscblaslapack.h>

#include "fusedcg.h"

/* The eigenvalues, ascending */
static PetscErrorCode Ritz(KSP ksp, std::vector<PetscReal> &values)
{
  const KSP_FusedCG     *cg = (KSP_FusedCG *)ksp->data;
  std::vector<PetscReal> beside(cg->e);
  PetscBLASInt           n, one = 1;

  PetscFunctionBegin;
  values = cg->d;
  PetscCall(PetscBLASIntCast((PetscInt)values.size(), &n));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (!beside.empty()) beside.erase(beside.begin()); /* e[0] is no entry of the matrix */
  beside.push_back(0);
  PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF));
  PetscCallLAPACKInfo("LAPACKREALstev", LAPACKREALstev_("N", &n, values.data(), beside.data(), nullptr, &one, nullptr, &info));
  PetscCall(PetscFPTrapPop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPComputeExtremeSingularValues_FusedCG(KSP ksp, PetscReal *most, PetscReal *least)
{
  std::vector<PetscReal> values;

  PetscFunctionBegin;
  PetscCall(Ritz(ksp, values));
  *least = values.empty() ? 1 : values.front();
  *most  = values.empty() ? 1 : values.back();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPComputeEigenvalues_FusedCG(KSP ksp, PetscInt room, PetscReal *r, PetscReal *c, PetscInt *n)
{
  std::vector<PetscReal> values;

  PetscFunctionBegin;
  PetscCall(Ritz(ksp, values));
  *n = (PetscInt)values.size();
  PetscCheck(room >= *n, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_SIZ,
             "There are %" PetscInt_FMT " eigenvalues, and room for %" PetscInt_FMT, *n, room);
  PetscCall(PetscArrayzero(c, room));
  PetscCall(PetscArraycpy(r, values.data(), *n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
