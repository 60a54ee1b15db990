static char help[] = "Estimates of the error of KSPFUSEDCG beside the errors: values, the stop, monitors, kept solvers.\n\n";

#include <bubbly_problem.h>
#include <hepta.h>
#include <unistd.h>

#include <algorithm>

#include "beside_cg.h"

/* A pressure equation with its solution */
struct Problem {
  Flow flow = nullptr;
  Mat  A    = nullptr;
  Vec  b = nullptr, exact = nullptr, e = nullptr, Ae = nullptr;

  PetscErrorCode Create(FlowProblem, PetscInt dim, PetscInt n, PetscReal contrast);
  PetscErrorCode Destroy();
  /* the energy norm of the error of x */
  PetscErrorCode Error(Vec x, PetscReal *);
};

PetscErrorCode Problem::Create(FlowProblem problem, PetscInt dim, PetscInt n, PetscReal contrast)
{
  FlowOptions o;
  DM          da;
  PetscBool   has;

  PetscFunctionBeginUser;
  o.problem  = problem;
  o.dim      = dim;
  o.n        = n;
  o.contrast = contrast;
  o.fix      = problem == FLOW_POISSON ? PETSC_FALSE : PETSC_TRUE;
  o.mat_type = TestType();
  PetscCall(FlowCreate(PETSC_COMM_WORLD, &o, &flow));
  PetscCall(FlowGetDM(flow, &da));
  PetscCall(FlowMatrix(flow, nullptr, &A));
  PetscCall(DMCreateGlobalVector(da, &b));
  for (Vec *v : {&exact, &e, &Ae}) PetscCall(VecDuplicate(b, v));
  PetscCall(FlowRHS(flow, 1, b, exact, &has));
  PetscCheck(has, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "There is no exact solution");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Problem::Destroy()
{
  PetscFunctionBeginUser;
  for (Vec *v : {&b, &exact, &e, &Ae}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscCall(FlowDestroy(&flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Problem::Error(Vec x, PetscReal *error)
{
  PetscScalar square;

  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(e, -1, x, exact));
  PetscCall(MatMult(A, e, Ae));
  PetscCall(VecDot(e, Ae, &square));
  *error = PetscSqrtReal(PetscRealPart(square));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of all iterations, and (iteration, estimate) whenever there is another one */
struct Watch {
  Problem                                  *problem;
  std::vector<PetscReal>                    errors;
  std::vector<std::pair<size_t, PetscReal>> estimates;
};

static PetscErrorCode Note(KSP ksp, PetscInt, PetscReal, PetscCtx ctx)
{
  Watch    *watch = (Watch *)ctx;
  Vec       x;
  PetscReal error, estimate;
  PetscInt  it;

  PetscFunctionBeginUser;
  PetscCall(KSPBuildSolution(ksp, nullptr, &x));
  PetscCall(watch->problem->Error(x, &error));
  watch->errors.push_back(error);
  PetscCall(KSPFusedCGGetErrorEstimate(ksp, &it, &estimate));
  if (it >= 0 && (watch->estimates.empty() || (size_t)it > watch->estimates.back().first))
    watch->estimates.push_back({(size_t)it, estimate});
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Estimates are at most the errors, and at least `part` of the errors; the error has fallen as wanted, to 1/part of rtol, and not
   in many more iterations than needed
*/
static PetscErrorCode CheckEstimates(const Watch &watch, PetscReal rtol, PetscReal part, const std::string &what)
{
  const auto  &e      = watch.errors;
  const size_t its    = e.size() - 1,
               enough = (size_t)(std::find_if(e.begin(), e.end(), [&](PetscReal x) { return x <= rtol * e[0]; }) - e.begin());

  PetscFunctionBeginUser;
  PetscCheck(!watch.estimates.empty(), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: no error is estimated", what.c_str());
  for (const auto &[it, estimate] : watch.estimates)
    PetscCheck(estimate <= 1.001 * e[it] && estimate >= part * e[it], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: the error of iteration %d is %g, estimated as %g", what.c_str(), (int)it, (double)e[it], (double)estimate);
  PetscCheck(e[its] <= rtol / part * e[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the error has fallen by a factor of %g, not %g",
             what.c_str(), (double)(e[its] / e[0]), (double)rtol);
  PetscCheck(its <= 1.3 * (double)enough + 60, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %d iterations, where %d are enough",
             what.c_str(), (int)its, (int)enough);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that is watched, and one that may be recorded, with as many iterations */
static PetscErrorCode Compare(Problem &p, const std::string &options, PetscReal rtol, PetscReal part)
{
  Watch watch{&p, {}, {}};
  Run   runs[2];

  PetscFunctionBeginUser;
  for (Run &run : runs) {
    KSP ksp;
    PetscCall(NewSolver(p.A, KSPFUSEDCG, "-ksp_max_it 10000 -ksp_fusedcg_error_estimate " + options, &ksp));
    PetscCall(KSPSetTolerances(ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    if (&run == runs) PetscCall(KSPMonitorSet(ksp, Note, &watch, nullptr));
    PetscCall(Solve(ksp, p.b, &run));
    PetscCheck(run.reason == KSP_CONVERGED_RTOL, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d", options.c_str(),
               (int)run.reason);
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(CheckEstimates(watch, rtol, part, options));
  PetscCheck(runs[0].its == runs[1].its, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: %" PetscInt_FMT " iterations, and %" PetscInt_FMT " without a monitor", options.c_str(), runs[0].its,
             runs[1].its);
  PetscCall(CheckVec(runs[0].x, runs[1].x, 1e-12, options.c_str()));
  for (Run &run : runs) PetscCall(VecDestroy(&run.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Weak and strong preconditioners on coefficients of all kinds. Weak preconditioners leave a small eigenvalue where coefficients
   jump: before conjugate gradients have found it, estimates are less than half of the error.
*/
static PetscErrorCode Values(void)
{
  const struct {
    FlowProblem problem;
    PetscInt    dim, n;
    PetscReal   contrast, part;
  } problems[] = {{FLOW_POISSON, 2, 32, 1, 0.9},    {FLOW_TWOPHASE, 2, 32, 1e3, 0.05}, {FLOW_TWOPHASE, 3, 12, 1e6, 0.05},
                  {FLOW_BUBBLES, 2, 32, 1e3, 0.05}, {FLOW_CHANNELS, 2, 24, 1e4, 0.05}, {FLOW_CELLS, 2, 16, 1e3, 0.8},
                  {FLOW_FIELD, 2, 24, 1e3, 0.8},    {FLOW_LAYERS, 3, 9, 1e2, 0.8}};

  PetscFunctionBeginUser;
  for (const auto &f : problems) {
    Problem p;
    if (TestQuick() && f.problem != FLOW_POISSON) continue;
    PetscCall(p.Create(f.problem, f.dim, TestQuick() ? 16 : f.n, f.contrast));
    for (const char *pc : {"jacobi", "ip", "blockic", "jacobi -ksp_fusedcg_single_reduction",
                           "jacobi -ksp_fusedcg_flexible -ksp_norm_type natural", "jacobi -ksp_norm_type none"})
      PetscCall(Compare(p, std::string("-pc_type ") + pc, 1e-5, f.part));
    for (const char *pc : {"gridmg", "aggmg"}) PetscCall(Compare(p, std::string("-pc_type ") + pc, 1e-5, 0.6));
    PetscCall(p.Destroy());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckReason(KSP ksp, Vec b, Run *run, KSPConvergedReason reason, const char *what)
{
  PetscFunctionBeginUser;
  PetscCall(Solve(ksp, b, run));
  PetscCheck(run->reason == reason, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d in place of %d", what, (int)run->reason,
             (int)reason);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FifthIteration(KSP, PetscInt it, PetscReal, KSPConvergedReason *reason, PetscCtx)
{
  PetscFunctionBeginUser;
  *reason = it == 5 ? KSP_CONVERGED_HAPPY_BREAKDOWN : KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The answer at hand as a guess: rtol is relative to its error */
static PetscErrorCode Guess(Problem &p, KSP ksp, Run *run)
{
  PetscReal first, error;

  PetscFunctionBeginUser;
  PetscCall(p.Error(run->x, &first));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(KSPSetTolerances(ksp, 1e-2, 1e-50, 1e30, 10000));
  PetscCall(CheckReason(ksp, p.b, run, KSP_CONVERGED_RTOL, "-ksp_initial_guess_nonzero"));
  PetscCall(p.Error(run->x, &error));
  PetscCheck(error <= 2e-2 * first, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The error is %g of %g", (double)error, (double)first);
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One kept solver: limits, atol, guesses, a right-hand side of zero, a test of the program's own */
static PetscErrorCode Limits(Problem &p)
{
  KSP       ksp;
  Run       run;
  Vec       zero;
  PetscReal error, first;
  PetscInt  it;

  PetscFunctionBeginUser;
  PetscCall(NewSolver(p.A, KSPFUSEDCG, "-pc_type jacobi -ksp_max_it 10000 -ksp_norm_type unpreconditioned", &ksp));
  PetscCall(KSPFusedCGSetErrorEstimate(ksp, PETSC_TRUE));
  PetscCall(KSPFusedCGGetErrorEstimate(ksp, &it, &error));
  PetscCheck(it == -1 && error == 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "An estimate before a solve");
  PetscCall(KSPSetTolerances(ksp, 1e-6, 1e-50, PETSC_CURRENT, 10));
  PetscCall(CheckReason(ksp, p.b, &run, KSP_DIVERGED_ITS, "-ksp_max_it 10"));
  PetscCheck(run.its == 10, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%" PetscInt_FMT " iterations", run.its);
  PetscCall(KSPSetTolerances(ksp, 1e-6, 1e-50, 0.01, 10000));
  PetscCall(CheckReason(ksp, p.b, &run, KSP_DIVERGED_DTOL, "-ksp_divtol 0.01"));
  PetscCall(VecSet(run.x, 0));
  PetscCall(p.Error(run.x, &first));
  PetscCall(KSPSetTolerances(ksp, 1e-30, 1e-2 * first, 1e30, 10000));
  PetscCall(CheckReason(ksp, p.b, &run, KSP_CONVERGED_ATOL, "-ksp_atol"));
  PetscCall(p.Error(run.x, &error));
  PetscCheck(error <= 2e-2 * first, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The error is %g of %g", (double)error, (double)first);
  PetscCall(Guess(p, ksp, &run));
  PetscCall(VecDuplicate(p.b, &zero));
  PetscCall(VecSet(zero, 0));
  PetscCall(CheckReason(ksp, zero, &run, KSP_CONVERGED_ATOL, "b = 0"));
  PetscCall(VecDestroy(&zero));
  PetscCall(KSPSetConvergenceTest(ksp, FifthIteration, nullptr, nullptr));
  PetscCall(CheckReason(ksp, p.b, &run, KSP_CONVERGED_HAPPY_BREAKDOWN, "a test of the program's own"));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPFusedCGGetErrorEstimate(ksp, &it, &error));
  PetscCheck(it == -1 && error == 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "cg has an estimate");
  PetscCall(VecDestroy(&run.x));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the monitor prints in a solve by the residual's tolerances: the estimates of all iterations but the last ones, in order */
static PetscErrorCode Monitor(Problem &p)
{
  int      pid = (int)getpid();
  KSP      ksp;
  Run      run;
  PetscInt it, next = 0, known;
  double   estimate;
  char     line[256];
  FILE    *f;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Bcast(&pid, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  const std::string file = "ex_fusedcg_error_" + std::to_string(pid);
  PetscCall(NewSolver(p.A, KSPFUSEDCG, "-pc_type jacobi -ksp_monitor_fusedcg_error ascii:" + file, &ksp));
  PetscCall(CheckReason(ksp, p.b, &run, KSP_CONVERGED_RTOL, "-ksp_monitor_fusedcg_error"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, file.c_str(), "r", &f));
  while (f && fgets(line, sizeof(line), f)) {
    const int n =
      sscanf(line, "%" PetscInt_FMT " energy norm of the error %lf, known at iteration %" PetscInt_FMT, &it, &estimate, &known);
    PetscCheck(n == 3 && it == next++ && estimate > 0 && known > it, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The monitor prints %s",
               line);
  }
  PetscCheck(!f || (next > run.its / 2 && next < run.its), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The monitor prints %" PetscInt_FMT " estimates of %" PetscInt_FMT " iterations", next, run.its);
  PetscCall(PetscFClose(PETSC_COMM_WORLD, f));
  if (f) (void)unlink(file.c_str());
  PetscCall(VecDestroy(&run.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Problem p;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(Values());
  PetscCall(p.Create(FLOW_TWOPHASE, 2, 16, 1e3));
  PetscCall(Limits(p));
  PetscCall(Monitor(p));
  PetscCall(p.Destroy());
  PetscCall(PetscFinalize());
  return 0;
}
