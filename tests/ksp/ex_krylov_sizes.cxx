static char help[] =
  "The Krylov methods on matrices of very few rows, on ranks without rows, and in many short solves, which give the same bits.\n\
  -solves <n> : only the short solves, n in a row of each method with each preconditioner; -type <name> : of one method\n\n";

#include "krylov.h"

/* Rows on one rank more or less than on another, and none on the first */
enum class Split {
  EVEN,
  THIN
};

static PetscErrorCode SplitMat(PetscInt n, Split split, Mat *A)
{
  PetscMPIInt rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const PetscInt between = PetscMin(size - 2, n - 1);
  const PetscInt thin    = size == 1 ? n : rank == size - 1 ? n - between : rank > 0 && rank <= between;
  PetscCall(LineMat(PETSC_COMM_WORLD, n, split == Split::EVEN ? n / size + (rank < n % size) : thin, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both solve, in as many iterations within one; a norm that is zero up to rounding may end the solve for one reason or another */
static PetscErrorCode SameSolve(Mat A, const Method &m, const std::string &options, const std::string &what)
{
  Run       run[2];
  Vec       b, r;
  PetscReal nb, nr;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecNorm(b, NORM_2, &nb));
  PetscCall(VecDuplicate(b, &r));
  for (int k = 0; k < 2; k++) {
    KSP ksp;
    PetscCall(NewSolver(A, k ? m.types.ours : m.types.petsc, options, &ksp));
    PetscCall(Solve(ksp, b, &run[k]));
    PetscCall(KSPDestroy(&ksp));
    PetscCheck(run[k].reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %s ends with reason %d", what.c_str(),
               k ? m.types.ours : m.types.petsc, (int)run[k].reason);
    PetscCall(MatMult(A, run[k].x, r));
    PetscCall(VecAYPX(r, -1, b));
    PetscCall(VecNorm(r, NORM_2, &nr));
    PetscCheck(nr <= 1e-7 * nb, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %s leaves a residual of %g of %g", what.c_str(),
               k ? m.types.ours : m.types.petsc, (double)nr, (double)nb);
  }
  PetscCheck(PetscAbsInt(run[0].its - run[1].its) <= 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %d iterations instead of %d",
             what.c_str(), (int)run[1].its, (int)run[0].its);
  for (size_t k = 0; k < PetscMin(run[0].history.size(), run[1].history.size()); k++) {
    /* where s = 0, bcgs notes the norm of before once more */
    const PetscReal expected = k && run[0].history[k] == run[0].history[k - 1] ? 0 : run[0].history[k];
    /* of one row deflation leaves rounding errors only */
    const PetscReal tol = 1e-10 * run[0].history[0] + 1e-14 * nb;
    PetscCheck(PetscAbsReal(expected - run[1].history[k]) <= tol, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: norm %d is %g instead of %g", what.c_str(), (int)k, (double)run[1].history[k], (double)expected);
  }
  for (Run &each : run) PetscCall(VecDestroy(&each.x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A x = b and -A x = -b have the same norms. With shadows an indefinite preconditioner is no reason to stop, on any rank. */
static PetscErrorCode Negative(Mat A, const std::string &what)
{
  Run run[2];
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  for (Run &each : run) {
    KSP ksp;
    PetscCall(NewSolver(A, KSPBICGCR, "-ksp_bicgcr_symmetric no -pc_type jacobi", &ksp));
    PetscCall(Solve(ksp, b, &each));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatScale(A, -1));
    PetscCall(VecScale(b, -1));
  }
  PetscCheck(run[0].reason > 0 && run[0].reason == run[1].reason && run[0].history == run[1].history, PETSC_COMM_WORLD,
             PETSC_ERR_PLIB, "%s: -A is solved in another way than A, reasons %d and %d", what.c_str(), (int)run[1].reason,
             (int)run[0].reason);
  PetscCall(CheckAnswer(run[0].x, run[1].x, 0, what));
  for (Run &each : run) PetscCall(VecDestroy(&each.x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EachMethod(Mat A, const std::string &what, PetscInt n)
{
  PetscFunctionBeginUser;
  for (const Method &m : METHODS) {
    for (const char *pc : {"none", "jacobi", "pbjacobi", "ip", "blockic"}) {
      const std::string options = WithPC(m, pc, n < 8 ? 1 : 4); /* subdomains cannot be more than rows */
      PetscCall(SameSolve(A, m, options, what + m.types.ours + " " + options));
    }
  }
  const Method two_sided = {{KSPCR, KSPBICGCR}, "", false, true};
  for (const char *pc : {"none", "jacobi", "ip"})
    PetscCall(SameSolve(A, two_sided, WithPC(two_sided, pc) + "-ksp_bicgcr_symmetric no", what + "two-sided bicgcr with " + pc));
  PetscCall(Negative(A, what + "two-sided bicgcr"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sizes()
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt n : {1, 2, 33, 1000}) {
    for (Split split : {Split::EVEN, Split::THIN}) {
      Mat A;

      if (size == 1 && split == Split::THIN) continue;
      PetscCall(SplitMat(n, split, &A));
      PetscCall(EachMethod(A, std::to_string(n) + " rows, " + (split == Split::EVEN ? "even shares, " : "thin shares, "), n));
      PetscCall(MatDestroy(&A));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More block offsets than a pass takes: couplings of -1 with the 17 rows before and after each row */
static PetscErrorCode ManyOffsets()
{
  const PetscInt n = 100;
  PetscInt       start, end;
  Mat            A;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_bdia_max_offsets 40"));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(A, TestType()));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = PetscMax(i - 17, 0); j < PetscMin(i + 18, n); j++)
      PetscCall(MatSetValue(A, i, j, i == j ? 35 : -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(EachMethod(A, "35 block offsets, ", n));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side, its answers in two vectors, and the norms that each solve tells */
struct Job {
  Vec                    b = nullptr;
  Run                    at[2]; /* two vectors to solve into */
  Vec                    expected = nullptr;
  std::vector<PetscReal> history;
};

static PetscErrorCode CheckJob(KSP ksp, Job &job, int at, const std::string &what)
{
  Run &run = job.at[at];

  PetscFunctionBeginUser;
  if (run.x) PetscCall(VecSet(run.x, -7));
  PetscCall(Solve(ksp, job.b, &run));
  PetscCheck(run.reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d", what.c_str(), (int)run.reason);
  if (!job.expected) {
    PetscCall(VecDuplicate(run.x, &job.expected));
    PetscCall(VecCopy(run.x, job.expected));
    job.history = run.history;
  }
  PetscCheck(run.history == job.history, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the norms have other bits", what.c_str());
  PetscCall(CheckAnswer(job.expected, run.x, 0, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with two right-hand sides in turn, at times another vector for the answer; a new KSP after every `each` solves */
static PetscErrorCode Many(Mat A, const Method &m, const std::string &pc, int solves, int each)
{
  Job         job[2];
  KSP         ksp     = nullptr;
  std::string options = WithPC(m, pc) + "-ksp_rtol 1e-3";

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(Side(A, &job[k].b));
    if (k) PetscCall(MatMult(A, job[0].b, job[k].b));
  }
  for (int k = 0; k < solves; k++) {
    if (k % each == 0) {
      PetscCall(KSPDestroy(&ksp));
      PetscCall(NewSolver(A, m.types.ours, options, &ksp));
    }
    PetscCall(
      CheckJob(ksp, job[k % 3 == 0], k / 37 % 2, std::string(m.types.ours) + " " + options + ", solve " + std::to_string(k)));
  }
  PetscCheck(job[0].history.size() > 2 && job[0].history != job[1].history, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: the solves are of one kind", options.c_str());
  PetscCall(KSPDestroy(&ksp));
  for (Job &j : job) {
    for (Vec *v : {&j.b, &j.expected, &j.at[0].x, &j.at[1].x}) PetscCall(VecDestroy(v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* solves: of each method with each preconditioner, once by one KSP and once by many */
static PetscErrorCode ManySolves(int solves, PetscBool say)
{
  Mat       A;
  char      type[64] = "";
  PetscBool one;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-type", type, sizeof(type), &one));
  PetscCall(SplitMat(200, Split::EVEN, &A));
  const int each = TestQuick() ? 5 : 100;
  for (const Method &m : METHODS) {
    if (one && strcmp(type, m.types.ours)) continue;
    for (const char *pc : {"jacobi", "ip"}) {
      PetscCall(Many(A, m, pc, solves, solves));
      PetscCall(Many(A, m, pc, solves, each));
      if (say)
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s: %d solves by one KSP and %d by a new one after every %d, the same bits\n",
                              m.types.ours, WithPC(m, pc).c_str(), solves, solves, each));
    }
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;
  PetscInt    solves;
  PetscBool   given;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  solves = TestQuick() ? 20 : size > 1 ? 100 : TestOnDevice() ? 2000 : 1000;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-solves", &solves, &given));
  PetscCheck(solves >= 4, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-solves must be at least 4, not %" PetscInt_FMT, solves);
  if (!given) {
    PetscCall(Sizes());
    PetscCall(ManyOffsets());
  }
  PetscCall(ManySolves((int)solves, given));
  PetscCall(PetscFinalize());
  return 0;
}
