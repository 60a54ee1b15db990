static char help[] = "PCSUBDEFLATION on a singular matrix whose null space has two dimensions.\n\n";

#include "phases.h"
#include "solve.h"

static const PetscInt N = 12; /* cells a side */

/* The answer has no part in the null space */
static PetscErrorCode CheckOrthogonal(KSP ksp, MatNullSpace space, const Vec null[2], const std::string &what)
{
  Mat         A;
  Vec         x, b;
  PetscScalar part;
  PetscReal   norm;
  PetscInt    start, end;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecGetOwnershipRange(b, &start, &end));
  for (PetscInt i = start; i < end; i++) PetscCall(VecSetValue(b, i, PairNumber(i, 6, 1), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(MatNullSpaceRemove(space, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDot(x, null[k], &part));
    PetscCheck(PetscAbsScalar(part) <= 1e-10 * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the answer has %g of null vector %d",
               what.c_str(), (double)PetscRealPart(part), k);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two null vectors, in each coarse solver, and as vectors of the program */
static PetscErrorCode TwoNullVectors(MPI_Comm comm, const char coarse[])
{
  Mat          A;
  Vec          null[2];
  MatNullSpace space;
  KSP          ksp;
  PC           pc;

  PetscFunctionBeginUser;
  PetscCall(PhaseTwoRegions(comm, N, &A, null));
  PetscCall(MatNullSpaceCreate(comm, PETSC_FALSE, 2, null, &space));
  PetscCall(MatSetNullSpace(A, space));
  const bool vectors = std::string(coarse) == "vectors";
  if (!vectors) PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_coarse", coarse));
  PetscCall(PetscOptionsSetValue(nullptr, "-ksp_type", "fcg"));
  PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (vectors) PetscCall(PCSubdeflationSetVectors(pc, 2, null));
  PetscCall(CheckSolve(ksp, std::string("two null vectors, ") + coarse));
  PetscCall(CheckOrthogonal(ksp, space, null, std::string("two null vectors, ") + coarse));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatNullSpaceDestroy(&space));
  for (Vec &v : null) PetscCall(VecDestroy(&v));
  PetscCall(MatDestroy(&A));
  for (const char *key : {"-pc_subdeflation_coarse", "-ksp_type"}) PetscCall(PetscOptionsClearValue(nullptr, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  /* 4: the cut goes through boxes, so only one combination of the two is a coarse null vector; 5: boxes differ in size */
  for (const char *size : {"4", "3", "5"}) {
    PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_grid", "12,12"));
    PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_size", size));
    for (const char *coarse : {"inverse", "cholesky", "ksp", "vectors"}) PetscCall(TwoNullVectors(PETSC_COMM_WORLD, coarse));
  }
  PetscCall(PetscFinalize());
  return 0;
}
