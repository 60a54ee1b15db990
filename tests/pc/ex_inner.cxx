static char help[] =
  "The inner preconditioner of PCSUBDEFLATION: what the set-up chooses, when it chooses again, and when not.\n\n";

#include "phases.h"
#include "solve.h"

static const PetscInt N = 12; /* cells a side */

static PetscErrorCode CheckInner(PC pc, const std::string &expected, const char what[])
{
  PC     inner;
  PCType type;

  PetscFunctionBeginUser;
  PetscCall(PCSubdeflationGetPC(pc, &inner));
  PetscCall(PCGetType(inner, &type));
  PetscCheck(type == expected, PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB, "%s: the inner preconditioner is %s", what,
             type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An aij that does not fit takes jacobi, one that does takes ip, and what the program has set stays */
static PetscErrorCode Choices(MPI_Comm comm)
{
  Mat A;
  KSP ksp;
  PC  pc, inner;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_bdia_max_offsets", "2"));
  PetscCall(PhaseMat(comm, N, MATAIJ, true, &A));
  PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
  PetscCall(CheckSolve(ksp, "does not fit"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckInner(pc, PCJACOBI, "does not fit"));
  PetscCall(MatScale(A, 2));
  PetscCall(CheckSolve(ksp, "does not fit, changed values"));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_bdia_max_offsets"));
  PetscCall(CheckInner(pc, PCJACOBI, "changed values"));
  PetscCall(PhaseMatWiden(A, N, 3));
  PetscCall(CheckSolve(ksp, "fits"));
  PetscCall(CheckInner(pc, PCIP, "fits"));
  PetscCall(PhaseMatWiden(A, N, 4));
  PetscCall(CheckSolve(ksp, "still fits"));
  PetscCall(CheckInner(pc, PCIP, "still fits"));
  PetscCall(PCSubdeflationGetPC(pc, &inner));
  PetscCall(PCSetType(inner, PCNONE));
  PetscCall(PhaseMatWiden(A, N, 5));
  PetscCall(CheckSolve(ksp, "the program's choice"));
  PetscCall(CheckInner(pc, PCNONE, "the program's choice"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without PCSetFromOptions() the options of the program's other preconditioners stay away from the inner one */
static PetscErrorCode Prefix(MPI_Comm comm)
{
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_type", "subdeflation"));
  PetscCall(PhaseMat(comm, N, TestType(), true, &A));
  PetscCall(PCCreate(comm, &pc));
  PetscCall(PCSetType(pc, PCSUBDEFLATION));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckInner(pc, PCIP, "prefix"));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscOptionsClearValue(nullptr, "-pc_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The inner preconditioner takes options of the PC's own database */
static PetscErrorCode OwnOptions(MPI_Comm comm)
{
  PetscOptions own;
  Mat          A;
  PC           pc;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), true, &A));
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, "-pc_subdeflation_pc_type none"));
  PetscCall(PCCreate(comm, &pc));
  PetscCall(PetscObjectSetOptions((PetscObject)pc, own));
  PetscCall(PCSetType(pc, PCSUBDEFLATION));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckInner(pc, PCNONE, "own options"));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscOptionsDestroy(&own));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShellMult(Mat S, Vec x, Vec y)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(S, &A));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShellDiagonal(Mat S, Vec d)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(S, &A));
  PetscCall(MatGetDiagonal(A, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix without entries takes jacobi */
static PetscErrorCode Shell(MPI_Comm comm)
{
  Mat      A, S;
  KSP      ksp;
  PC       pc;
  Vec      ones;
  VecType  type;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), true, &A));
  PetscCall(MatGetLocalSize(A, &n, nullptr));
  PetscCall(MatCreateShell(comm, n, n, N * N, N * N, A, &S));
  PetscCall(MatGetVecType(A, &type));
  PetscCall(MatShellSetVecType(S, type));
  PetscCall(MatShellSetOperation(S, MATOP_MULT, (PetscErrorCodeFn *)ShellMult));
  PetscCall(MatShellSetOperation(S, MATOP_GET_DIAGONAL, (PetscErrorCodeFn *)ShellDiagonal));
  PetscCall(MatSetOption(S, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatCreateVecs(S, &ones, nullptr));
  PetscCall(VecSet(ones, 1));
  PetscCall(NewKSP(S, PCSUBDEFLATION, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSubdeflationSetVectors(pc, 1, &ones));
  PetscCall(CheckSolve(ksp, "shell"));
  PetscCall(CheckInner(pc, PCJACOBI, "shell"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&ones));
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(Shell(PETSC_COMM_WORLD));
  PetscCall(PetscOptionsInsertString(nullptr, "-pc_subdeflation_grid 12,12"));
  PetscCall(Choices(PETSC_COMM_WORLD));
  PetscCall(Prefix(PETSC_COMM_WORLD));
  PetscCall(OwnOptions(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}
