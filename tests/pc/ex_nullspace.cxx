static char help[] = "PCSUBDEFLATION on a singular matrix whose null space has two dimensions.\n\n";

#include "phases.h"
#include "solve.h"

static const PetscInt N = 12; /* cells a side */

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
  for (const char *size : {"4", "3"}) { /* 4: the cut goes through boxes, so only one combination of the two is a coarse null vector */
    PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_grid", "12,12"));
    PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_size", size));
    for (const char *coarse : {"inverse", "cholesky", "ksp", "vectors"}) PetscCall(TwoNullVectors(PETSC_COMM_WORLD, coarse));
  }
  PetscCall(PetscFinalize());
  return 0;
}
