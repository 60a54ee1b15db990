static char help[] =
  "The Krylov methods beside PETSc's on the matrices that they are for: iterates, norms, numbers of iterations.\n\
  -matrices <folder> : with files in Matrix Market format\n\n";

#include "hepta_lab.h"
#include "bubbly_problem.h"
#include "krylov.h"
#include "matrix_market.h"

/* Only some of the cases: for slow tools, and on several ranks, which wait for each other */
static bool Few()
{
  PetscMPIInt size = 0;

  return TestQuick() || MPI_Comm_size(PETSC_COMM_WORLD, &size) || size > 1;
}

/* A matrix, and what is known of it */
struct Problem {
  std::string name;
  Mat         A         = nullptr;
  bool        symmetric = true; /* and positive definite */
  size_t      least     = 5;    /* norms that rounding leaves comparable in any case */
};

/* Runs of PETSc's method that differ by rounding alone: the right-hand side is multiplied with these, and norms and answer are
   divided by them */
static const PetscReal SCALES[] = {1, 3, 0.7};

static PetscErrorCode ScaledRun(Mat A, KSPType type, const std::string &options, Vec b, PetscReal scale, Run *run)
{
  KSP ksp;
  Vec c;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &c));
  PetscCall(VecAXPBY(c, scale, 0, b));
  PetscCall(NewSolver(A, type, options, &ksp));
  PetscCall(Solve(ksp, c, run));
  PetscCall(VecScale(run->x, 1 / scale));
  for (PetscReal &norm : run->history) norm /= scale;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of norms in which the runs agree to `tol` of the first one */
static size_t Agreement(const std::vector<Run> &runs, PetscReal tol)
{
  size_t k = 0;

  for (bool same = true; same; k += same) {
    for (const Run &r : runs)
      same = same && k < r.history.size() && PetscAbsReal(r.history[k] - runs[0].history[k]) <= tol * runs[0].history[0];
  }
  return k;
}

/* x after `its` iterations, to 1e-10 */
static PetscErrorCode SameIterate(const Problem &p, const Method &m, const std::string &options, Vec b, PetscInt its)
{
  Run run[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++)
    PetscCall(ScaledRun(p.A, k ? m.types.ours : m.types.petsc, options + "-ksp_norm_type none -ksp_max_it " + std::to_string(its),
                        b, 1, &run[k]));
  PetscCheck(run[0].its == its && run[1].its == its, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %d and %d iterations instead of %d",
             options.c_str(), (int)run[0].its, (int)run[1].its, (int)its);
  PetscCall(
    CheckAnswer(run[0].x, run[1].x, 1e-10, p.name + ", " + m.types.ours + " " + options + ": iterate " + std::to_string(its)));
  for (Run &r : run) PetscCall(VecDestroy(&r.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many norms as PETSc's own runs have in common agree with ours, to 1e-10 of the first */
static PetscErrorCode SameNorms(const std::vector<Run> &petsc, const Run &ours, size_t least, const std::string &what,
                                size_t *common)
{
  const size_t known = Agreement(petsc, 1e-12);

  PetscFunctionBeginUser;
  PetscCheck(known >= PetscMin(petsc[0].history.size(), least), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: only %d of PETSc's norms can be compared", what.c_str(), (int)known);
  PetscCheck(ours.history.size() >= known, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %d norms in the history instead of %d",
             what.c_str(), (int)ours.history.size(), (int)known);
  for (size_t k = 0; k < known; k++) {
    PetscCheck(PetscAbsReal(petsc[0].history[k] - ours.history[k]) <= 1e-10 * petsc[0].history[0], PETSC_COMM_WORLD,
               PETSC_ERR_PLIB, "%s: norm %d is %.15g instead of %.15g, the first is %g", what.c_str(), (int)k,
               (double)ours.history[k], (double)petsc[0].history[k], (double)petsc[0].history[0]);
  }
  *common = known;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const Problem &p, const Method &m, const std::string &pc)
{
  const std::string options = WithPC(m, pc), what = p.name + ", " + m.types.ours + " " + options;
  std::vector<Run>  petsc(3);
  Run               ours;
  Vec               b;
  size_t            common;

  PetscFunctionBeginUser;
  PetscCall(Side(p.A, &b));
  for (int k = 0; k < 3; k++) PetscCall(ScaledRun(p.A, m.types.petsc, options, b, SCALES[k], &petsc[k]));
  PetscCall(ScaledRun(p.A, m.types.ours, options, b, 1, &ours));
  PetscCall(SameNorms(petsc, ours, p.least, what, &common));
  PetscInt spread = 0;
  for (const Run &r : petsc) spread = PetscMax(spread, PetscAbsInt(r.its - petsc[0].its));
  /* where rounding decides from some iteration on, it decides on the number too; BiCGStab's differs by a fifth from one BLAS to
     the next */
  const PetscInt allowed = (PetscInt)common > petsc[0].its ? 1 : 1 + 2 * spread + petsc[0].its / 2;
  /* which then one alone may reach */
  const bool at_limit = allowed > 1 && (petsc[0].reason == KSP_DIVERGED_ITS || ours.reason == KSP_DIVERGED_ITS);
  PetscCheck(PetscAbsInt(petsc[0].its - ours.its) <= allowed && (petsc[0].reason == ours.reason || at_limit), PETSC_COMM_WORLD,
             PETSC_ERR_PLIB, "%s: reason %d after %d iterations, PETSc's %d after %d, and %d more or less with other rounding",
             what.c_str(), (int)ours.reason, (int)ours.its, (int)petsc[0].reason, (int)petsc[0].its, (int)spread);
  if (petsc[0].reason > 0 && ours.reason > 0) PetscCall(CheckAnswer(petsc[0].x, ours.x, 1e-4, what));
  const PetscInt its = PetscMin((PetscInt)common, petsc[0].its) - 1;
  if (its > 0) PetscCall(SameIterate(p, m, options, b, PetscMin(its, 10)));
  for (Run &r : petsc) PetscCall(VecDestroy(&r.x));
  PetscCall(VecDestroy(&ours.x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckProblem(const Problem &p)
{
  const std::vector<std::string> few = {"jacobi", "ip"}, many = {"none", "jacobi", "pbjacobi", "ip"};

  PetscFunctionBeginUser;
  for (const Method &m : METHODS) {
    std::vector<std::string> pcs = Few() ? few : many;
    if (!p.symmetric && !m.unsymmetric) continue;
    if (p.symmetric && !TestQuick()) pcs.push_back("blockic");
    if (!Few()) pcs.push_back(m.unsymmetric ? "ilu -pc_factor_mat_solver_type bbs" : "icc -pc_factor_mat_solver_type bbs");
    if (!Few() && !m.deflated) pcs.push_back("subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4");
    for (const std::string &pc : pcs) PetscCall(Check(p, m, pc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KnownSPD(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pressure equation of a flow */
static PetscErrorCode FlowProblemMat(FlowProblem problem, PetscInt dim, PetscInt n, Mat *A)
{
  FlowOptions o;
  Flow        flow;

  PetscFunctionBeginUser;
  o.dim      = dim;
  o.n        = n;
  o.problem  = problem;
  o.bc       = FLOW_BC_DIRICHLET;
  o.mat_type = TestType();
  *A         = nullptr;
  PetscCall(PetscOptionsClear(nullptr));
  PetscCall(FlowCreate(PETSC_COMM_WORLD, &o, &flow));
  PetscCall(FlowMatrix(flow, nullptr, A));
  PetscCall(FlowDestroy(&flow));
  PetscCall(KnownSPD(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Flows()
{
  Problem p;

  PetscFunctionBeginUser;
  for (int k = 0; k < 4; k++) {
    const bool three = k == 1 || k == 3;

    if (Few() && !three) continue;
    p.name = k < 2 ? "Poisson" : "bubbles";
    p.name += three ? " 3-D" : " 2-D";
    PetscCall(FlowProblemMat(k < 2 ? FLOW_POISSON : FLOW_BUBBLES, three ? 3 : 2, three ? 8 : 14, &p.A));
    PetscCall(CheckProblem(p));
    PetscCall(MatDestroy(&p.A));
  }
  p.name = "two phases";
  PetscCall(PhaseMat(PETSC_COMM_WORLD, 15, TestType(), true, &p.A));
  PetscCall(KnownSPD(p.A));
  PetscCall(CheckProblem(p));
  PetscCall(MatDestroy(&p.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks: General Hepta as it is, and a symmetric positive definite matrix with its offsets */
static PetscErrorCode Hepta()
{
  PetscFunctionBeginUser;
  for (PetscInt bs : {2, 3, 5, 8}) {
    Problem  p;
    PairSpec s;

    if (Few() && bs != 3) continue;
    p.name      = "General Hepta " + std::to_string(bs);
    p.symmetric = false;
    PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, 4, 4, 5, bs, 7, TestType(), &p.A));
    PetscCall(CheckProblem(p));
    PetscCall(MatDestroy(&p.A));
    p.name      = "symmetric Hepta " + std::to_string(bs);
    p.symmetric = true;
    s.bs        = bs;
    s.nb        = 80;
    s.off       = {-16, -4, -1, 0, 1, 4, 16};
    s.symmetric = true;
    PetscCall(PairCreateOne(PETSC_COMM_WORLD, s, TestType(), &p.A));
    PetscCall(PairFill(p.A, s, 3));
    /* the random part has eigenvalues up to about 1.1 sqrt(7 bs) in size */
    PetscCall(MatShift(p.A, 1.3 * PetscSqrtReal(7 * bs) - 4.9 * bs - 1));
    PetscCall(KnownSPD(p.A));
    PetscCall(CheckProblem(p));
    PetscCall(MatDestroy(&p.A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* bdia takes those of few block offsets */
static PetscErrorCode Real(const std::string &folder)
{
  static const struct {
    const char *name;
    PetscInt    bs;
    bool        symmetric, banded;
    PetscReal   sign;
    size_t      least;
  } files[] = {{"sherman1", 1, true, true, -1, 5},
               {"1138_bus", 1, true, false, 1, 5},
               {"bcsstk34", 1, true, false, 1, 3},
               {"orsreg_1", 1, false, true, 1, 5},
               {"steam2", 4, false, false, 1, 3}};

  PetscFunctionBeginUser;
  for (const auto &f : files) {
    Problem p;
    Mat     A;

    if (Few() && strcmp(f.name, "sherman1") && strcmp(f.name, "orsreg_1")) continue;
    p.name      = f.name;
    p.symmetric = f.symmetric;
    p.least     = f.least;
    PetscCall(PetscOptionsClear(nullptr));
    PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_WORLD, (folder + "/" + f.name + ".mtx.gz").c_str(), f.bs, &A));
    PetscCall(MatScale(A, f.sign));
    PetscCall(MatConvert(A, f.banded ? TestType() : TestOnDevice() ? MATBROWCUDA : MATBROW, MAT_INITIAL_MATRIX, &p.A));
    if (f.symmetric) PetscCall(KnownSPD(p.A));
    PetscCall(MatDestroy(&A));
    PetscCall(CheckProblem(p));
    PetscCall(MatDestroy(&p.A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char folder[PETSC_MAX_PATH_LEN] = "";

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-matrices", folder, sizeof(folder), nullptr));
  PetscCheck(folder[0], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-matrices FOLDER is missing: tests/matrices");
  PetscCall(Flows());
  PetscCall(Hepta());
  PetscCall(Real(folder));
  PetscCall(PetscFinalize());
  return 0;
}
