static char help[] = "Materials of matrices of any size of numbers.\n\n";

#include "phases.h"
#include "solve.h"

#include "program.h"

/* Two materials, whatever A is multiplied with */
static PetscErrorCode Scaled(MPI_Comm comm, PetscReal factor)
{
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, 12, TestType(), true, &A));
  PetscCall(MatScale(A, factor));
  PetscCall(PCCreate(comm, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetType(pc, PCSUBDEFLATION));
  PetscCall(PCSubdeflationSetType(pc, HEPTA_SUBDEFLATION_MATERIAL));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckView(pc, {"  2 coarse unknowns\n"}));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  for (PetscReal power : {0., 0.26, 0.6, -0.26, -0.6}) PetscCall(Scaled(PETSC_COMM_WORLD, PetscPowReal(PETSC_MAX_REAL, power)));
  PetscCall(PetscFinalize());
  return 0;
}
