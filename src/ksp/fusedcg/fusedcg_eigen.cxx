/* Eigenvalues of the preconditioned matrix from the Lanczos matrix whose entries conjugate gradients compute */
#include <petscblaslapack.h>

#include "fusedcg.h"

PetscErrorCode HeptaTridiagonalEigen(std::vector<PetscReal> &d, std::vector<PetscReal> &beside, std::vector<PetscReal> *vectors)
{
  std::vector<PetscReal> work(vectors ? 2 * d.size() : 0);
  PetscReal             *v = nullptr;
  PetscBLASInt           n, ld;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast((PetscInt)d.size(), &n));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  ld = vectors ? n : 1;
  if (vectors) {
    vectors->resize(d.size() * d.size());
    v = vectors->data();
  }
  PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF));
  PetscCallLAPACKInfo("LAPACKREALstev",
                      LAPACKREALstev_(vectors ? "V" : "N", &n, d.data(), beside.data(), v, &ld, work.data(), &info));
  PetscCall(PetscFPTrapPop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The eigenvalues, ascending */
static PetscErrorCode Ritz(KSP ksp, std::vector<PetscReal> &values)
{
  const KSP_FusedCG     *cg = (KSP_FusedCG *)ksp->data;
  std::vector<PetscReal> beside(cg->e);

  PetscFunctionBegin;
  values = cg->d;
  if (!beside.empty()) beside.erase(beside.begin()); /* e[0] is no entry of the matrix */
  beside.push_back(0);
  PetscCall(HeptaTridiagonalEigen(values, beside, nullptr));
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
