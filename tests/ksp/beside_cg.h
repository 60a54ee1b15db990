/* The same solve by a method of PETSc's and by one of ours, norm by norm */
#pragma once

#include "failure.h"
#include "phases.h"

/* One solve: what it says, its residual norms and its answer */
struct Run {
  KSPConvergedReason     reason = KSP_CONVERGED_ITERATING;
  PetscInt               its    = 0;
  std::vector<PetscReal> history;
  Vec                    x = nullptr;
};

static inline PetscErrorCode NewSolver(Mat A, KSPType type, const std::string &options, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsClear(nullptr));
  PetscCall(PetscOptionsInsertString(nullptr, TestInPrecision("-ksp_max_it 200 -ksp_rtol 1e-9 " + options).c_str()));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(KSPSetResidualHistory(*ksp, nullptr, 1000, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x is made, with numbers in it, unless it is there */
static inline PetscErrorCode Solve(KSP ksp, Vec b, Run *run, bool transposed = false)
{
  const PetscReal *history;
  PetscInt         n;

  PetscFunctionBeginUser;
  if (!run->x) {
    PetscCall(VecDuplicate(b, &run->x));
    PetscCall(VecSet(run->x, 3));
  }
  PetscCall((transposed ? KSPSolveTranspose : KSPSolve)(ksp, b, run->x));
  PetscCall(KSPGetConvergedReason(ksp, &run->reason));
  PetscCall(KSPGetIterationNumber(ksp, &run->its));
  PetscCall(KSPGetResidualHistory(ksp, &history, &n));
  run->history.assign(history, history + n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b_i depends on i alone */
static inline PetscErrorCode Side(Mat A, Vec *b)
{
  PetscInt     start, end;
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, nullptr, b));
  PetscCall(VecGetOwnershipRange(*b, &start, &end));
  PetscCall(VecGetArrayWrite(*b, &a));
  for (PetscInt i = start; i < end; i++) a[i - start] = PairNumber(i, 5, 2);
  PetscCall(VecRestoreArrayWrite(*b, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations in which the rounding of two solves stays small beside their norms */
static const PetscInt STEADY = PetscDefined(USE_REAL_SINGLE) ? 5 : 50;

/* The same reason, norms that agree to rounding in the first STEADY iterations, and as many iterations within one; where these
   are more, within a tenth. In single rounding decides then which solve reaches a limit on iterations. */
static inline PetscErrorCode Same(const Run &petsc, const Run &ours, const std::string &what)
{
  const PetscInt allowed = petsc.its <= STEADY ? 1 : PetscMax(1, petsc.its / 10);
  const bool     tired =
    PetscDefined(USE_REAL_SINGLE) && petsc.its > STEADY && (petsc.reason == KSP_DIVERGED_ITS || ours.reason == KSP_DIVERGED_ITS);
  Vec       d;
  PetscReal nd, nx;

  PetscFunctionBeginUser;
  PetscCheck((petsc.reason == ours.reason || tired) && PetscAbsInt(petsc.its - ours.its) <= allowed, PETSC_COMM_WORLD,
             PETSC_ERR_PLIB, "%s: reason %d after %" PetscInt_FMT " iterations, PETSc's %d after %" PetscInt_FMT, what.c_str(),
             (int)ours.reason, ours.its, (int)petsc.reason, petsc.its);
  for (size_t k = 0; k < PetscMin(PetscMin(petsc.history.size(), ours.history.size()), (size_t)STEADY); k++) {
    PetscCheck(PetscAbsReal(petsc.history[k] - ours.history[k]) <= TestTolerance(1e-8) * petsc.history[0], PETSC_COMM_WORLD,
               PETSC_ERR_PLIB, "%s: norm %d is %g instead of %g", what.c_str(), (int)k, (double)ours.history[k],
               (double)petsc.history[k]);
  }
  PetscCheck(PetscAbsInt((PetscInt)petsc.history.size() - (PetscInt)ours.history.size()) <= allowed, PETSC_COMM_WORLD,
             PETSC_ERR_PLIB, "%s: %d norms in the history instead of %d", what.c_str(), (int)ours.history.size(),
             (int)petsc.history.size());
  if (tired) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(ours.x, &d));
  PetscCall(VecWAXPY(d, -1, petsc.x, ours.x));
  PetscCall(VecNorm(d, NORM_2, &nd));
  PetscCall(VecNorm(petsc.x, NORM_2, &nx));
  PetscCheck(nd <= TestTolerance(1e-6) * (nx + 1e-30), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the answer differs by %g of %g",
             what.c_str(), (double)nd, (double)nx);
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Methods with the same iterates */
struct Methods {
  KSPType petsc, ours;
};

/* The same system by both methods; `prepare` is called for each solver */
static inline PetscErrorCode Compare(const Methods &types, Mat A, const std::string &options,
                                     const std::function<PetscErrorCode(KSP, Vec)> &prepare = nullptr)
{
  Run run[2];
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  for (int k = 0; k < 2; k++) {
    KSP ksp;
    PetscCall(NewSolver(A, k ? types.ours : types.petsc, options, &ksp));
    if (prepare) PetscCall(prepare(ksp, b));
    PetscCall(Solve(ksp, b, &run[k]));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(Same(run[0], run[1], types.ours + (" " + options)));
  for (Run &r : run) PetscCall(VecDestroy(&r.x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode Compare(Mat A, const std::string &options,
                                     const std::function<PetscErrorCode(KSP, Vec)> &prepare = nullptr)
{
  return Compare({KSPCG, KSPFUSEDCG}, A, options, prepare);
}

/* A monitor: the norm that is told is that of the residual; ctx: the norm that differences are measured by */
static inline PetscErrorCode CheckTrueNorm(KSP ksp, PetscInt, PetscReal norm, PetscCtx ctx)
{
  Vec       r;
  PetscReal found;

  PetscFunctionBeginUser;
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(VecNorm(r, NORM_2, &found));
  PetscCall(VecDestroy(&r));
  PetscCheck(PetscAbsReal(found - norm) <= TestTolerance(1e-8) * *(PetscReal *)ctx, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "The residual has norm %g, and %g is told", (double)found, (double)norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve of more than three iterations, in each of which the norm that is told is that of the residual */
static inline PetscErrorCode NormsAreTrue(Mat A, KSPType type, const std::string &options)
{
  Vec       b;
  PetscReal size;
  KSP       ksp;
  Run       run;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(NewSolver(A, type, options, &ksp));
  PetscCall(KSPMonitorSet(ksp, CheckTrueNorm, &size, nullptr));
  PetscCall(Solve(ksp, b, &run));
  PetscCheck(run.reason > 0 && run.its > 3, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d after %" PetscInt_FMT " iterations",
             options.c_str(), (int)run.reason, run.its);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&run.x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solver over new values, other vectors, another matrix and KSPReset(); repeated solves give the same bits */
static inline PetscErrorCode Kept(const Methods &types, MPI_Comm comm, PetscInt cells, const std::string &options)
{
  Mat       A[2];
  Vec       b;
  KSP       ksp;
  PetscBool same;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(PhaseMat(comm, k ? cells + 3 : cells, TestType(), true, &A[k]));
  PetscCall(NewSolver(A[0], types.ours, options, &ksp));
  for (int step = 0; step < 6; step++) {
    Mat M = A[step == 4];
    Run first, again, other;
    KSP made;

    if (step == 1) PetscCall(MatScale(M, 3));
    if (step == 2) PetscCall(MatShift(M, 0.5));
    if (step >= 3) {
      PetscCall(KSPReset(ksp));
      PetscCall(KSPSetOperators(ksp, M, M));
    }
    PetscCall(Side(M, &b));
    PetscCall(Solve(ksp, b, &first));
    PetscCall(Solve(ksp, b, &again));
    PetscCall(VecEqual(first.x, again.x, &same));
    PetscCheck(same && first.history == again.history, comm, PETSC_ERR_PLIB, "%s, step %d: a repeated solve gives other bits",
               options.c_str(), step);
    PetscCall(NewSolver(M, types.petsc, options, &made));
    PetscCall(Solve(made, b, &other));
    PetscCall(Same(other, first, types.ours + (" " + options) + ", kept, step " + std::to_string(step)));
    PetscCall(KSPDestroy(&made));
    for (Run *r : {&first, &again, &other}) PetscCall(VecDestroy(&r->x));
    PetscCall(VecDestroy(&b));
  }
  PetscCall(KSPDestroy(&ksp));
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}
