/*
   The solvers of the triangular example: set-up, solves, errors, times
*/
#include "triangular.h"
#include <hepta.h>
#include <petscdevice.h>
#include <petsctime.h>
#include <algorithm>
#include <string>
#include <vector>

/* Random right-hand sides where T's vectors live */
PetscErrorCode SidesCreate(Mat T, PetscInt k, Sides *s)
{
  PetscRandom random;
  VecType     type;
  PetscInt    n;

  PetscFunctionBeginUser;
  *s   = {};
  s->k = k;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetInterval(random, -1.0, 1.0));
  PetscCall(MatCreateVecs(T, &s->x, &s->b));
  PetscCall(VecSetRandom(s->b, random));
  if (k > 1) {
    PetscCall(MatGetSize(T, &n, NULL));
    PetscCall(MatGetVecType(T, &type));
    PetscCall(MatCreateDenseFromVecType(PETSC_COMM_SELF, type, n, k, n, k, PETSC_DECIDE, NULL, &s->B));
    PetscCall(MatSetRandom(s->B, random));
    PetscCall(MatDuplicate(s->B, MAT_DO_NOT_COPY_VALUES, &s->X));
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SidesDestroy(Sides *s)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&s->b));
  PetscCall(VecDestroy(&s->x));
  PetscCall(MatDestroy(&s->B));
  PetscCall(MatDestroy(&s->X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(PC pc, Sides *s)
{
  PetscFunctionBeginUser;
  if (s->k == 1) PetscCall(PCApply(pc, s->b, s->x));
  else PetscCall(PCMatApply(pc, s->B, s->X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Until the device, if T's vectors are there, has done all that it was asked for */
static PetscErrorCode Wait(const Sides *s)
{
  const PetscScalar *a;
  PetscMemType       type;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayReadAndMemType(s->b, &a, &type));
  PetscCall(VecRestoreArrayReadAndMemType(s->b, &a));
  if (!PetscMemTypeHost(type)) PetscCall(PetscDeviceContextSynchronize(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest |b - T x|_i / (|T| |x| + |b|)_i: a solution is the exact one of a T and b that differ by so much in each entry */
static PetscErrorCode BackwardError(const Triangle *t, Vec b, Vec x, PetscReal *error)
{
  Vec r, s, y;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecDuplicate(b, &s));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(MatMult(t->T, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecCopy(x, y));
  PetscCall(VecAbs(y));
  PetscCall(MatMult(t->abs, y, s));
  PetscCall(VecCopy(b, y));
  PetscCall(VecAbs(y));
  PetscCall(VecAXPY(s, 1.0, y));
  PetscCall(VecPointwiseDivide(r, r, s));
  PetscCall(VecNorm(r, NORM_INFINITY, error));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&s));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all right-hand sides; NaN is the worst */
static PetscErrorCode WorstError(const Triangle *t, const Sides *s, PetscReal *worst)
{
  PetscReal error;
  Vec       b = s->b, x = s->x;

  PetscFunctionBeginUser;
  *worst = 0.0;
  for (PetscInt j = 0; j < s->k && !PetscIsNanReal(*worst); j++) {
    if (s->k > 1) {
      PetscCall(MatDenseGetColumnVecRead(s->B, j, &b));
      PetscCall(MatDenseGetColumnVecRead(s->X, j, &x));
    }
    PetscCall(BackwardError(t, b, x, &error));
    if (s->k > 1) {
      PetscCall(MatDenseRestoreColumnVecRead(s->B, j, &b));
      PetscCall(MatDenseRestoreColumnVecRead(s->X, j, &x));
    }
    if (!(error <= *worst)) *worst = error;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not set up yet. PETSc's solver is its ILU(0) of T, of which one factor is T and the other a diagonal. */
static PetscErrorCode SolverCreate(Mat T, const Run *run, PC *pc)
{
  const std::string prefix = std::string("triangular_") + run->name + "_";

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetOperators(*pc, T, T));
  if (run->ours) {
    PetscCall(PetscOptionsSetValue(NULL, ("-" + prefix + "mat_bbs_engine").c_str(), run->name));
    PetscCall(PCSetType(*pc, PCBBS));
    PetscCall(PCSetOptionsPrefix(*pc, prefix.c_str()));
    PetscCall(PCSetFromOptions(*pc));
  } else {
    PetscCall(PCSetType(*pc, PCILU));
    PetscCall(PCFactorSetMatSolverType(*pc, run->name));
    PetscCall(PCFactorSetMatOrderingType(*pc, MATORDERINGNATURAL));
    PetscCall(PCFactorSetShiftType(*pc, MAT_SHIFT_NONE)); /* T as it is, small pivots included */
    PetscCall(PCFactorSetZeroPivot(*pc, 0.0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunCreate(const Triangle *t, const char engine[], PetscInt n, Sides s[], Run *run)
{
  PetscBool cusparse;

  PetscFunctionBeginUser;
  *run      = {};
  run->ours = (PetscBool)(engine != NULL);
  PetscCall(PetscObjectTypeCompare((PetscObject)t->T, MATSEQAIJCUSPARSE, &cusparse));
  PetscCall(PetscStrncpy(run->name, engine ? engine : cusparse ? "cusparse" : MATSOLVERPETSC, sizeof(run->name)));
  PetscCall(SolverCreate(t->T, run, &run->pc));
  PetscCall(PCSetUp(run->pc));
  for (PetscInt k = 0; k < n; k++) {
    if (s[k].X) PetscCall(MatZeroEntries(s[k].X)); /* not to take the answer of another run for this one's */
    PetscCall(VecZeroEntries(s[k].x));
    PetscCall(Solve(run->pc, &s[k]));
    PetscCall(WorstError(t, &s[k], &run->error[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunDestroy(Run *run)
{
  PetscFunctionBeginUser;
  PetscCall(PCDestroy(&run->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscLogDouble Median(std::vector<PetscLogDouble> t)
{
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

/* Seconds of the set-up of a new solver */
static PetscErrorCode TimeSetUp(Mat T, const Run *run, const Sides *s, PetscLogDouble *seconds)
{
  PetscLogDouble begin, end;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCall(SolverCreate(T, run, &pc));
  PetscCall(Wait(s));
  PetscCall(PetscTime(&begin));
  PetscCall(PCSetUp(pc));
  PetscCall(Wait(s));
  PetscCall(PetscTime(&end));
  PetscCall(PCDestroy(&pc));
  *seconds = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of one solve, from a batch */
static PetscErrorCode TimeSolve(PC pc, PetscInt batch, Sides *s, PetscLogDouble *seconds)
{
  PetscLogDouble begin, end;

  PetscFunctionBeginUser;
  PetscCall(Wait(s));
  PetscCall(PetscTime(&begin));
  for (PetscInt k = 0; k < batch; k++) PetscCall(Solve(pc, s));
  PetscCall(Wait(s));
  PetscCall(PetscTime(&end));
  *seconds = (end - begin) / (PetscLogDouble)batch;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunsTime(const Triangle *t, PetscInt nruns, Run run[], PetscInt n, Sides s[], PetscInt repeats)
{
  PetscLogDouble seconds;

  PetscFunctionBeginUser;
  if (repeats == 0 || n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = -1; k < n; k++) { /* -1: set-up */
    std::vector<std::vector<PetscLogDouble>> times((size_t)nruns);
    std::vector<PetscInt>                    batch((size_t)nruns, 1);
    for (PetscInt r = 0; r < nruns && k >= 0; r++) {
      PetscCall(TimeSolve(run[r].pc, 1, &s[k], &seconds));
      /* long enough for the clock */
      batch[(size_t)r] = (PetscInt)PetscMax(1.0, PetscMin(200.0, 0.003 / PetscMax(seconds, 1e-7)));
    }
    for (PetscInt q = 0; q < repeats; q++) {
      for (PetscInt r = 0; r < nruns; r++) {
        if (k < 0) PetscCall(TimeSetUp(t->T, &run[r], &s[0], &seconds));
        else PetscCall(TimeSolve(run[r].pc, batch[(size_t)r], &s[k], &seconds));
        times[(size_t)r].push_back(seconds);
      }
    }
    for (PetscInt r = 0; r < nruns; r++) (k < 0 ? run[r].setup : run[r].solve[k]) = Median(times[(size_t)r]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
