static char help[] = "PCIP, PCBLOCKIC and PCSUBDEFLATION as programs use them: options for all matrices, choices after a set-up, "
                     "other matrices, ranks without rows.\n\n";

#include "hepta_lab.h"
#include "failure.h"
#include "phases.h"
#include "program.h"
#include "solve.h"

static const PetscInt N = 12; /* cells a side */

/*
   Half storage by an option for all matrices: converted copies must not be taken for full ones. The iterations are those without
   the option, also where the limit of offsets keeps the whole matrix from block diagonals, which has 5 of them, 3 in its half.
*/
static PetscErrorCode HalfForAll(MPI_Comm comm, const char pc_type[], MatType type, const char limit[])
{
  PetscInt its[2] = {0, 0};

  PetscFunctionBeginUser;
  for (int half = 0; half < 2; half++) {
    Mat A, B;
    KSP ksp;
    if (half) PetscCall(PetscOptionsSetValue(nullptr, "-mat_bdia_half", "1"));
    if (half) PetscCall(PetscOptionsSetValue(nullptr, "-mat_bdia_max_offsets", limit));
    PetscCall(PhaseMat(comm, N, MATAIJ, true, &A));
    PetscCall(MatConvert(A, type, MAT_INITIAL_MATRIX, &B));
    PetscCall(NewKSP(B, pc_type, &ksp));
    PetscCall(CheckSolve(ksp, std::string("half storage for all, ") + pc_type + ", " + type + ", limit " + limit, &its[half]));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscCall(PetscOptionsClearValue(nullptr, "-mat_bdia_half"));
    PetscCall(PetscOptionsClearValue(nullptr, "-mat_bdia_max_offsets"));
  }
  PetscCheck(PetscAbsInt(its[0] - its[1]) <= 1, comm, PETSC_ERR_PLIB,
             "%s on %s: %" PetscInt_FMT " iterations, %" PetscInt_FMT " with half storage, limit %s", pc_type, type, its[0],
             its[1], limit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the preconditioner of a solver that has solved makes of a vector */
static PetscErrorCode Applied(KSP ksp, Vec *y)
{
  Mat          A;
  PC           pc;
  Vec          x;
  PetscScalar *a;
  PetscInt     start, end;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatCreateVecs(A, &x, y));
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  PetscCall(VecGetArrayWrite(x, &a));
  for (PetscInt i = start; i < end; i++) a[i - start] = PairNumber(i, 4, 1);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscCall(PCApply(pc, x, *y));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A choice made after a solve counts in the next, and the same choice once more changes nothing: an application has the bits of a
   new solver's, which are not those of before */
static PetscErrorCode LaterChoice(Mat A, const char pc_type[], const char key[], const char value[])
{
  KSP       ksp, other;
  Vec       y[3];
  PetscBool same, right;

  PetscFunctionBeginUser;
  PetscCall(NewKSP(A, pc_type, &ksp));
  PetscCall(CheckSolve(ksp, std::string(pc_type) + " before " + key));
  PetscCall(Applied(ksp, &y[0]));
  PetscCall(PetscOptionsSetValue(nullptr, key, value));
  PetscCall(NewKSP(A, pc_type, &other));
  PetscCall(CheckSolve(other, std::string(pc_type) + " with " + key + " " + value));
  PetscCall(Applied(other, &y[1]));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(CheckSolve(ksp, std::string(pc_type) + " after " + key + " " + value));
    PetscCall(Applied(ksp, &y[2]));
    PetscCall(VecEqual(y[0], y[2], &same));
    PetscCall(VecEqual(y[1], y[2], &right));
    PetscCheck(!same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s %s changes nothing after a solve", key, value);
    PetscCheck(right, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s %s after a solve is not what a new solver does", key, value);
    PetscCall(VecDestroy(&y[2]));
  }
  PetscCall(Destroy(&ksp, &other, &y[0], &y[1]));
  PetscCall(PetscOptionsClearValue(nullptr, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of options that are refused none counts, also not those before the one that is wrong */
static PetscErrorCode RefusedChoice(Mat A)
{
  KSP       ksp;
  Vec       y[2];
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
  PetscCall(Applied(ksp, &y[0]));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_size", "2"));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_max", "-1"));
  PetscCall(
    ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_max -1 must be positive", [&] { return KSPSetFromOptions(ksp); }));
  for (const char *key : {"-pc_subdeflation_size", "-pc_subdeflation_max"}) PetscCall(PetscOptionsClearValue(nullptr, key));
  for (PetscScalar factor : {2., 0.5}) PetscCall(MatScale(A, factor)); /* for a new set-up */
  PetscCall(Applied(ksp, &y[1]));
  PetscCall(VecEqual(y[0], y[1], &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "-pc_subdeflation_size counts although -pc_subdeflation_max was refused with it");
  PetscCall(Destroy(&y[0], &y[1], &ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LaterChoices(MPI_Comm comm)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), true, &A));
  PetscCall(LaterChoice(A, PCIP, "-pc_ip_variant", "full"));
  PetscCall(LaterChoice(A, PCIP, "-pc_ip_storage", "single"));
  PetscCall(LaterChoice(A, PCSUBDEFLATION, "-pc_subdeflation_variant", "bnn"));
  PetscCall(PetscOptionsClearValue(nullptr, "-pc_subdeflation_variant"));
  PetscCall(LaterChoice(A, PCSUBDEFLATION, "-pc_subdeflation_size", "2"));
  PetscCall(LaterChoice(A, PCSUBDEFLATION, "-pc_subdeflation_type", "stripes"));
  PetscCall(LaterChoice(A, PCSUBDEFLATION, "-pc_subdeflation_coarse", "cholesky"));
  PetscCall(LaterChoice(A, PCSUBDEFLATION, "-pc_subdeflation_coarse_storage", "single"));
  PetscCall(RefusedChoice(A));
  PetscCall(LaterChoice(A, PCBLOCKIC, "-pc_blockic_size", "1"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A norm that PETSc keeps with a vector must not be kept when the preconditioner writes the vector, also on ranks without rows */
static PetscErrorCode CheckNorm(KSP ksp, const std::string &what)
{
  Mat       A;
  PC        pc;
  Vec       x, y;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(VecSet(y, 0));
  PetscCall(VecNorm(y, NORM_2, &norm));
  PetscCall(PCApply(pc, x, y));
  PetscCall(VecNorm(y, NORM_2, &norm));
  PetscCheck(norm > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the norm of before", what.c_str());
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last rank has all rows; an aij is too wide for block diagonals */
static PetscErrorCode OneRankHasAll(MPI_Comm comm, const char pc_type[], MatType type)
{
  const std::pair<const char *, const char *> options[] = {
    {"-pc_subdeflation_count", "4"}, {"-pc_subdeflation_type", "stripes"}, {"-mat_bdia_max_offsets", "2"}};
  const std::string what = std::string("one rank has all rows, ") + pc_type + ", " + type;
  PetscMPIInt       rank, size;
  Mat               A;
  KSP               ksp;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  const PetscInt n = rank == size - 1 ? 40 : 0;
  PetscCall(MatCreate(comm, &A));
  PetscCall(MatSetSizes(A, n, n, 40, 40));
  PetscCall(MatSetType(A, type));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = PetscMax(i - 1, 0); j <= PetscMin(i + 1, n - 1); j++)
      PetscCall(MatSetValue(A, i, j, i == j ? 2.1 : -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  for (const auto &o : options) PetscCall(PetscOptionsSetValue(nullptr, o.first, o.second));
  PetscCall(NewKSP(A, pc_type, &ksp));
  PetscCall(CheckSolve(ksp, what));
  PetscCall(CheckNorm(ksp, what));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  for (const auto &o : options) PetscCall(PetscOptionsClearValue(nullptr, o.first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner that is kept while the matrix gets new diagonals still is the old one */
static PetscErrorCode Kept(MPI_Comm comm, const char pc_type[])
{
  Mat A;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_variant", "bnn")); /* the others need the E of the matrix of now */
  PetscCall(PhaseMat(comm, N, TestType(), true, &A));
  PetscCall(NewKSP(A, pc_type, &ksp));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  PetscCall(CheckSolve(ksp, std::string("kept, ") + pc_type));
  PetscCall(PhaseMatWiden(A, N, 3));
  PetscCall(MatShift(A, 0.1));
  PetscCall(CheckSolve(ksp, std::string("kept with new diagonals, ") + pc_type));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE));
  PetscCall(CheckSolve(ksp, std::string("new diagonals, ") + pc_type));
  PetscCall(PetscOptionsClearValue(nullptr, "-pc_subdeflation_variant"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns split in different ways: all ranks say so */
static PetscErrorCode Layouts(MPI_Comm comm, const char pc_type[])
{
  PetscMPIInt rank, size;
  Mat         A;
  PC          pc;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreate(comm, &A));
  PetscCall(MatSetSizes(A, 4, rank ? (rank == 1 ? 2 : 4) : 6, 4 * size, 4 * size));
  PetscCall(MatSetType(A, MATAIJ));
  PetscCall(MatSetUp(A));
  for (PetscInt i = 4 * rank; i < 4 * rank + 4; i++) PetscCall(MatSetValue(A, i, i, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PCCreate(comm, &pc));
  PetscCall(PCSetType(pc, pc_type));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(ExpectError(PETSC_ERR_ARG_SIZ, "split over the ranks in the same way", [&] { return PCSetUp(pc); }));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boxes in three dimensions, 2 x 3 x 2 of 2 cells a side, do what the same subdomains by labels do */
static PetscErrorCode BoxesAsLabels(MPI_Comm comm)
{
  const PetscInt        n[3] = {4, 6, 4};
  std::vector<PetscInt> label;
  PetscInt              start, end;
  PetscBool             same;
  Mat                   A;
  KSP                   ksp;
  PC                    pc;
  IS                    is;
  Vec                   y[2];

  PetscFunctionBeginUser;
  PetscCall(HeptaMatCreateGeneralHepta(comm, n[0], n[1], n[2], 1, 1, MATAIJ, &A));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) label.push_back((i / 24 / 2 * 3 + i / 4 % 6 / 2) * 2 + i % 4 / 2);
  PetscCall(ISCreateGeneral(comm, end - start, label.data(), PETSC_COPY_VALUES, &is));
  PetscCall(PetscOptionsInsertString(
    nullptr, "-pc_subdeflation_grid 4,6,4 -pc_subdeflation_size 2 -pc_subdeflation_pc_type jacobi -ksp_type gmres"));
  for (int k = 0; k < 2; k++) {
    PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_type", k ? "labels" : "boxes"));
    PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    if (k) PetscCall(PCSubdeflationSetLabels(pc, is));
    PetscCall(CheckSolve(ksp, k ? "labels of boxes" : "boxes"));
    PetscCall(Applied(ksp, &y[k]));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(VecEqual(y[0], y[1], &same));
  PetscCheck(same, comm, PETSC_ERR_PLIB, "Boxes in three dimensions are not those of the labels");
  for (const char *key :
       {"-pc_subdeflation_grid", "-pc_subdeflation_size", "-pc_subdeflation_pc_type", "-pc_subdeflation_type", "-ksp_type"})
    PetscCall(PetscOptionsClearValue(nullptr, key));
  for (Vec &v : y) PetscCall(VecDestroy(&v));
  PetscCall(ISDestroy(&is));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-pc_subdeflation_grid 12,12 -pc_blockic_grid 12,12"));
  for (const char *pc : {PCIP, PCBLOCKIC, PCSUBDEFLATION}) {
    for (MatType type : {MATAIJ, TestType()}) {
      PetscCall(HalfForAll(PETSC_COMM_WORLD, pc, type, "27"));
      /* that takes another inner preconditioner */
      if (std::string(pc) != PCSUBDEFLATION) PetscCall(HalfForAll(PETSC_COMM_WORLD, pc, type, "3"));
    }
    PetscCall(Kept(PETSC_COMM_WORLD, pc));
    PetscCall(Layouts(PETSC_COMM_WORLD, pc));
  }
  PetscCall(LaterChoices(PETSC_COMM_WORLD));
  for (const char *key : {"-pc_subdeflation_grid", "-pc_blockic_grid"}) PetscCall(PetscOptionsClearValue(nullptr, key));
  PetscCall(BoxesAsLabels(PETSC_COMM_WORLD));
  for (const char *pc : {PCIP, PCBLOCKIC, PCSUBDEFLATION}) {
    for (MatType type : {MATAIJ, TestType()}) PetscCall(OneRankHasAll(PETSC_COMM_WORLD, pc, type));
  }
  PetscCall(PetscFinalize());
  return 0;
}
