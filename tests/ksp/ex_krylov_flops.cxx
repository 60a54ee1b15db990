static char help[] = "Flops of an iteration as they are logged, beside those of PETSc's method with the same iterates.\n\n";

#include "krylov.h"
#include "media.h"

/* *flops <- those of an iteration, from solves of two lengths, since the first iteration and the set-up do others */
static PetscErrorCode OfIteration(Mat A, KSPType type, const std::string &options, PetscLogDouble *flops)
{
  PetscLogDouble of[2];
  const int      its[2] = {8, 20};
  Vec            b, x;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 2; k++) {
    PetscLogDouble begin, end;
    PetscInt       did;
    KSP            ksp;
    PetscCall(NewSolver(A, type, options, &ksp));
    PetscCall(KSPSetTolerances(ksp, 0, 0, PETSC_CURRENT, its[k]));
    PetscCall(KSPSolve(ksp, b, x)); /* sets up */
    PetscCall(PetscGetFlops(&begin));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(PetscGetFlops(&end));
    PetscCall(KSPGetIterationNumber(ksp, &did));
    PetscCheck(did == its[k], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s %s ends after %" PetscInt_FMT " of %d iterations", type, options.c_str(), did, its[k]);
    of[k] = end - begin;
    PetscCall(KSPDestroy(&ksp));
  }
  *flops = (of[1] - of[0]) / (its[1] - its[0]);
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(MediumMat(PETSC_COMM_WORLD, 40, Disk, 0, &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  for (const Method &m : METHODS) {
    for (const char *pc : {"none", "jacobi"}) {
      const std::string options = m.options + std::string("-pc_type ") + pc;
      PetscLogDouble    petsc, ours;
      if (m.deflated) continue;
      PetscCall(OfIteration(A, m.types.petsc, options, &petsc));
      PetscCall(OfIteration(A, m.types.ours, options, &ours));
      PetscCheck(PetscAbsReal((PetscReal)(ours - petsc)) <= 0.15 * petsc, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s %s: %g flops an iteration, PETSc's %g", m.types.ours, options.c_str(), ours, petsc);
    }
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
