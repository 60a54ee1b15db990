static char help[] = "A KSP that is kept while PCSUBDEFLATION changes its method, is refused, or fails; and sizes and counts "
                     "that are too large.\n\n";

#include "phases.h"
#include "solve.h"

#include "failure.h"
#include "program.h"

static const PetscInt N = 12; /* cells a side */

/* bcgs with the preconditioner on the right: adef2 starts from a guess, bnn from zero and from no guess of before */
static PetscErrorCode Guesses(MPI_Comm comm)
{
  Mat A;
  PC  pc;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(SetOptions("-pc_subdeflation_grid 12,12 -ksp_type bcgs -ksp_pc_side right"));
  PetscCall(PhaseMat(comm, N, MATAIJ, true, &A));
  PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (int k = 0; k < 4; k++) {
    PetscCall(PCSubdeflationSetVariant(pc, k % 2 ? HEPTA_SUBDEFLATION_BNN : HEPTA_SUBDEFLATION_ADEF2));
    PetscCall(CheckSolve(ksp, "solve " + std::to_string(k) + " by bcgs on the right"));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves that are refused leave the KSP to the next one, as often as they come */
static PetscErrorCode Refused(MPI_Comm comm)
{
  Mat A;
  Vec x, b;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(SetOptions("-pc_subdeflation_type stripes -pc_subdeflation_count 4"));
  PetscCall(PhaseMat(comm, N, MATAIJ, true, &A));
  PetscCall(MatSetOption(A, MAT_SYMMETRY_ETERNAL, PETSC_FALSE));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  for (int k = 0; k < 4; k++)
    PetscCall(ExpectError(PETSC_ERR_SUP, "needs a matrix known to be symmetric", [&] { return KSPSolveTranspose(ksp, b, x); }));
  PetscCall(KSPSetType(ksp, KSPBICGCR));
  for (int k = 0; k < 4; k++)
    PetscCall(ExpectError(PETSC_ERR_SUP, "needs a matrix known to be symmetric", [&] { return KSPSolve(ksp, b, x); }));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(CheckSolve(ksp, "after solves that were refused"));
  PetscCall(KSPDestroy(&ksp));
  for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One box, and as many parts as PETSc's own option says */
static PetscErrorCode Large(MPI_Comm comm)
{
  Mat A;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, MATAIJ, true, &A));
  for (const char *options :
       {"-pc_subdeflation_type boxes -pc_subdeflation_size 2147483647",
        "-pc_subdeflation_type materialboxes -pc_subdeflation_size 2147483640,1",
        "-pc_subdeflation_type graph -pc_subdeflation_count 2 -pc_subdeflation_mat_partitioning_nparts 10"}) {
    PetscCall(SetOptions(std::string("-pc_subdeflation_grid 12,12 ") + options));
    PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
    PetscCall(CheckSolve(ksp, options));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An inner preconditioner of PETSc's that has failed once serves again when the matrix is a good one */
static PetscErrorCode Inner(MPI_Comm comm)
{
  Mat                A, bad;
  Vec                x, b;
  KSP                ksp;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(SetOptions("-pc_subdeflation_type stripes -pc_subdeflation_count 4 -pc_subdeflation_pc_type pbjacobi"));
  PetscCall(PhaseMat(comm, N, MATAIJ, true, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &bad));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(MatGetDiagonal(bad, x));
  PetscCall(VecSetValue(x, 0, 0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(MatDiagonalSet(bad, x, INSERT_VALUES));
  PetscCall(NewKSP(bad, PCSUBDEFLATION, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason == KSP_DIVERGED_PC_FAILED, comm, PETSC_ERR_PLIB, "A zero block on the diagonal: reason %d", (int)reason);
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(CheckSolve(ksp, "after an inner preconditioner that failed"));
  PetscCall(KSPDestroy(&ksp));
  for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
  for (Mat *M : {&A, &bad}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(Guesses(PETSC_COMM_WORLD));
  PetscCall(Refused(PETSC_COMM_WORLD));
  PetscCall(Large(PETSC_COMM_WORLD));
  PetscCall(Inner(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}
