/*
   Constrained pressure residual: a preconditioner M^-1 = P + S (1 - A P) of multigrid for the pressures, P = R^T A_p^-1 R, and
   ILU(0) for all unknowns, S. R takes the pressures out of a vector, A_p = R A R^T is the derivative of the sum of both fluids
   by the pressures.
*/
#include <hepta.h>
#include "twophase.h"

using namespace hepta::twophase;

static PetscErrorCode Restrict(Mat R, Vec x, Vec y)
{
  Reservoir r;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(R, &r));
  PetscCall(ReservoirLaunch(
    r, {x}, {y}, [&](const auto &each, auto in, auto out) { return take(each, cells(r->model.size), UNKNOWNS, in[0], out[0]); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Interpolate(Mat R, Vec x, Vec y)
{
  Reservoir r;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(R, &r));
  PetscCall(ReservoirLaunch(
    r, {x}, {y}, [&](const auto &each, auto in, auto out) { return put(each, cells(r->model.size), UNKNOWNS, in[0], out[0]); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A_p from the values that the Jacobian got last; *created is a new matrix, if wanted */
static PetscErrorCode PressureMatrix(PC, Mat, Mat A, Mat *created, void *context)
{
  Reservoir          r = (Reservoir)context;
  const size_t       n = cells(r->model.size) * PLACES;
  const PetscScalar *v;
  PetscMemType       type;
  Vec                first; /* entries of the blocks */

  PetscFunctionBegin;
  if (created) {
    PetscCall(DMCreateMatrix(r->cells, &A));
    PetscCall(ReservoirSetLocations(r, A, [](Mat B, PetscCount m, const PetscInt i[], const PetscInt j[]) {
      return MatSetPreallocationCOO(B, m, const_cast<PetscInt *>(i), const_cast<PetscInt *>(j));
    }));
    PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
    PetscCall(MatSetOption(A, MAT_SPD_ETERNAL, PETSC_TRUE));
    *created = A;
  }
  PetscCall(VecCreate(PETSC_COMM_SELF, &first));
  PetscCall(VecSetSizes(first, (PetscInt)n, (PetscInt)n));
  PetscCall(VecSetType(first, r->device ? VECCUDA : VECSTANDARD));
  PetscCall(ReservoirLaunch(r, {r->values}, {first},
                            [&](const auto &each, auto in, auto out) { return take(each, n, BLOCK, in[0], out[0]); }));
  PetscCall(VecGetArrayReadAndMemType(first, &v, &type));
  PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
  PetscCall(VecRestoreArrayReadAndMemType(first, &v));
  PetscCall(VecDestroy(&first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first part; -sub_0_galerkin_pc_type and other options of this prefix change the pressure's solver */
static PetscErrorCode SetPressurePart(Reservoir r, PC pc)
{
  PetscInt n;
  KSP      ksp;
  PC       inner;
  Mat      R;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(r->x, &n));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, n / UNKNOWNS, n, PETSC_DETERMINE, PETSC_DETERMINE, r, &R));
  PetscCall(MatShellSetOperation(R, MATOP_MULT, (PetscErrorCodeFn *)Restrict));
  PetscCall(MatShellSetOperation(R, MATOP_MULT_TRANSPOSE, (PetscErrorCodeFn *)Interpolate));
  PetscCall(PCGalerkinSetRestriction(pc, R));
  PetscCall(PCGalerkinSetComputeSubmatrix(pc, PressureMatrix, r));
  PetscCall(MatDestroy(&R));
  PetscCall(PCGalerkinGetKSP(pc, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &inner));
  PetscCall(PCSetType(inner, PCAGGMG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirSetCPR(Reservoir r, PC pc)
{
  PetscMPIInt size;
  PC          part;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PCSetType(pc, PCCOMPOSITE));
  PetscCall(PCCompositeSetType(pc, PC_COMPOSITE_MULTIPLICATIVE));
  PetscCall(PCCompositeAddPCType(pc, PCGALERKIN));
  PetscCall(PCCompositeAddPCType(pc, size > 1 ? PCBJACOBI : PCILU));
  PetscCall(PCCompositeGetPC(pc, 0, &part));
  PetscCall(SetPressurePart(r, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
