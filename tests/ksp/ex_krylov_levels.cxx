static char help[] = "Krylov methods with PCAGGMG: iterations that are recorded, where there is a GPU, beside the same launched "
                     "one by one, and beside PETSc's methods.\n\n";

#include "krylov.h"

static const PetscInt N = TestQuick() ? 8 : 14; /* cells a side */

static const char *const LEVELS[] = {
  "-pc_aggmg_coarse_size 12",
  "-pc_aggmg_coarse_size 12 -pc_aggmg_degree 3 -pc_aggmg_storage double",
  "-pc_aggmg_levels 1",
};

static const char *const TYPES[] = {KSPFUSEDCG, KSPBICGCR, KSPFUSEDBCGS};

/* One that may look at the solution, so that each iteration is launched alone */
static PetscErrorCode Watch(KSP, PetscInt, PetscReal, PetscCtx)
{
  return PETSC_SUCCESS;
}

/* The same solve twice by a solver that may record and by one that may not: the same iterations and the same answer, but for
   rounding: recorded applications take their scale from the method's products */
static PetscErrorCode BothSolve(KSP ksp[2], const std::string &what)
{
  Mat A;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp[0], &A, nullptr));
  PetscCall(Side(A, &b));
  for (int twice = 0; twice < 2; twice++) {
    Run run[2];
    for (int k = 0; k < 2; k++) PetscCall(Solve(ksp[k], b, &run[k]));
    PetscCheck(run[0].reason > 0 && run[0].reason == run[1].reason && run[0].its == run[1].its, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: reason %d after %d iterations, one by one %d after %d", what.c_str(), (int)run[0].reason, (int)run[0].its,
               (int)run[1].reason, (int)run[1].its);
    PetscCall(CheckAnswer(run[1].x, run[0].x, 1e-6, what));
    for (Run &r : run) PetscCall(VecDestroy(&r.x));
  }
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are passes recorded on a device, unless something is in their way? */
static PetscErrorCode CheckViews(KSP ksp[2], const std::string &what)
{
  PetscMPIInt size, rank;
  std::string text[2];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (int k = 0; k < 2; k++) PetscCall(TakeView((PetscObject)ksp[k], PETSC_VIEWER_DEFAULT, &text[k]));
  if (rank || (TestOnDevice() && size > 1)) PetscFunctionReturn(PETSC_SUCCESS); /* transports differ */
  const char *words = TestOnDevice() ? "passes recorded for " : "passes launched one by one, at most ";
  PetscCheck(text[0].find(words) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the view does not hold \"%s\":\n%s",
             what.c_str(), words, text[0].c_str());
  PetscCheck(text[1].find("passes launched one by one, at most ") != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: passes are recorded although a monitor may look at the solution:\n%s", what.c_str(), text[1].c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values, another degree of the smoother and another structure between the solves of two kept solvers */
static PetscErrorCode Kept(KSPType type, const char *levels)
{
  const std::string what = std::string(type) + " " + levels;
  const auto        when = [&](const char *text) { return what + ": " + text; };
  Mat               A, larger;
  KSP               ksp[2];

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N + 3, TestType(), true, &larger));
  for (int k = 0; k < 2; k++) {
    PetscCall(NewSolver(A, type, std::string("-pc_type aggmg ") + levels, &ksp[k]));
    if (k) PetscCall(KSPMonitorSet(ksp[k], Watch, nullptr, nullptr));
  }
  PetscCall(BothSolve(ksp, when("at first")));
  PetscCall(CheckViews(ksp, what));
  PetscCall(MatShift(A, 0.3));
  PetscCall(BothSolve(ksp, when("new values")));
  PetscCall(MatScale(A, 2.5));
  PetscCall(BothSolve(ksp, when("scaled")));
  PetscCall(PetscOptionsInsertString(nullptr, "-pc_aggmg_degree 4"));
  for (int k = 0; k < 2; k++) PetscCall(KSPSetFromOptions(ksp[k]));
  PetscCall(BothSolve(ksp, when("another degree")));
  PetscCall(CheckViews(ksp, when("another degree")));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPReset(ksp[k]));
    PetscCall(KSPSetOperators(ksp[k], larger, larger));
  }
  PetscCall(BothSolve(ksp, when("a larger matrix")));
  PetscCall(CheckViews(ksp, when("a larger matrix")));
  for (int k = 0; k < 2; k++) PetscCall(KSPDestroy(&ksp[k]));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&larger));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* fusedcg and PETSc's cg take the same course; *text <- the view of the former */
static PetscErrorCode BesideCG(Mat A, Vec b, const std::string &levels, PetscInt *its, std::string *text)
{
  Run run[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    KSP ksp;
    PetscCall(NewSolver(A, k ? KSPFUSEDCG : KSPCG,
                        "-ksp_norm_type unpreconditioned -pc_type aggmg -pc_aggmg_storage double " + levels, &ksp));
    PetscCall(Solve(ksp, b, &run[k]));
    if (k) PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_DEFAULT, text));
    PetscCall(KSPDestroy(&ksp));
  }
  *its = run[1].its;
  PetscCall(Same(run[0], run[1], levels));
  for (Run &r : run) PetscCall(VecDestroy(&r.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations end at -ksp_max_it, and the answer is that of the last one, whatever has been launched beyond it */
static PetscErrorCode AllBesideCG()
{
  Mat         A;
  Vec         b;
  PetscInt    its;
  std::string text;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Side(A, &b));
  for (const char *levels : LEVELS) PetscCall(BesideCG(A, b, levels, &its, &text));
  for (PetscInt most = 1; most < 5; most++) {
    PetscCall(BesideCG(A, b, LEVELS[0] + (" -ksp_rtol 1e-14 -ksp_max_it " + std::to_string(most)), &its, &text));
    PetscCheck(its == most, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%" PetscInt_FMT " iterations instead of %" PetscInt_FMT, its,
               most);
  }
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Device vectors with a matrix whose own vectors are on the host */
static PetscErrorCode HostLevels()
{
  PetscMPIInt size;
  PetscInt    its;
  Mat         A;
  Vec         side, b;
  std::string text;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (!TestOnDevice() || size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, MATBDIA, true, &A));
  PetscCall(Side(A, &side));
  PetscCall(VecCreate(PETSC_COMM_WORLD, &b));
  PetscCall(VecSetSizes(b, N * N, N * N));
  PetscCall(VecSetType(b, VECCUDA));
  PetscCall(VecCopy(side, b));
  PetscCall(BesideCG(A, b, LEVELS[0], &its, &text));
  PetscCall(VecDestroy(&side));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  for (const char *levels : LEVELS) {
    for (KSPType type : TYPES) PetscCall(Kept(type, levels));
  }
  PetscCall(AllBesideCG());
  PetscCall(HostLevels());
  PetscCall(PetscFinalize());
  return 0;
}
