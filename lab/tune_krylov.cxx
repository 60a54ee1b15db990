/* Recorded iterations of Krylov methods, and the tiles of gridmg */
#include <petsc/private/petscimpl.h>

#include <algorithm>

#include "tune.h"

PetscErrorCode HeptaTuneSolver::Make(const HeptaTuneMatrix &M, const std::string &options, PetscReal rtol, PetscInt most)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options.c_str()));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)M.A), &ksp));
  PetscCall(PetscObjectSetOptions((PetscObject)ksp, own));
  PetscCall(KSPSetOperators(ksp, M.A, M.A));
  PetscCall(KSPSetType(ksp, KSPFUSEDCG)); /* if the options name no other */
  PetscCall(KSPSetTolerances(ksp, rtol, 0, rtol > 0 ? PETSC_CURRENT : PETSC_MAX_REAL, most));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectSetOptions((PetscObject)pc, own));
  PetscCall(KSPSetFromOptions(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

HeptaTuneSolver::~HeptaTuneSolver()
{
  (void)KSPDestroy(&ksp);
  (void)PetscOptionsDestroy(&own);
}

PetscErrorCode HeptaTuneSolve(HeptaTuner *t, const HeptaTuneMatrix &M, const std::string &options, PetscInt iterations,
                              double *us)
{
  HeptaTuneSolver s;
  PetscInt        did;

  PetscFunctionBegin;
  PetscCall(s.Make(M, options, 0, iterations));
  PetscCall(HeptaTuneTime(
    *t, [&] { return KSPSolve(s.ksp, M.x, M.y); }, us));
  *us /= (double)iterations;
  PetscCall(KSPGetIterationNumber(s.ksp, &did));
  PetscCheck(did == iterations, t->comm, PETSC_ERR_NOT_CONVERGED,
             "%s ends after %" PetscInt_FMT " of %" PetscInt_FMT " iterations", options.c_str(), did, iterations);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneFirstSetUp(HeptaTuner *t, const HeptaTuneMatrix &M, const std::string &options, double *us)
{
  double all[3];

  PetscFunctionBegin;
  for (double &a : all) {
    HeptaTuneSolver s;
    PetscCall(s.Make(M, options, 0, 1));
    PetscCall(HeptaTuneOnce(
      *t, [&] { return KSPSetUp(s.ksp); }, &a));
  }
  std::sort(all, all + 3);
  *us = all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneSetUp(HeptaTuner *t, const HeptaTuneMatrix &M, const std::string &options, double *us)
{
  HeptaTuneSolver s;

  PetscFunctionBegin;
  PetscCall(s.Make(M, options, 0, 1));
  PetscCall(HeptaTuneTime(
    *t,
    [&] {
      PetscFunctionBegin;
      PetscCall(PetscObjectStateIncrease((PetscObject)M.A));
      PetscCall(KSPSetOperators(s.ksp, M.A, M.A));
      PetscCall(KSPSetUp(s.ksp));
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *us <- microseconds of an iteration, from solves of two lengths */
static PetscErrorCode TimeBetween(HeptaTuner *t, const HeptaTuneMatrix &M, const std::string &options, PetscInt few,
                                  PetscInt many, double *us)
{
  double a, b;

  PetscFunctionBegin;
  PetscCall(HeptaTuneSolve(t, M, options, few, &a));
  PetscCall(HeptaTuneSolve(t, M, options, many, &b));
  *us = PetscMax(1e-2, ((double)many * b - (double)few * a) / (double)(many - few));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With multiples of all lengths of recordings */
static PetscErrorCode TimeIteration(HeptaTuner *t, const HeptaTuneMatrix &M, const std::string &options, double *us)
{
  return TimeBetween(t, M, options, 60, 180, us);
}

PetscErrorCode HeptaTuneIteration(HeptaTuner *t, const HeptaTuneMatrix &M, const std::string &options, double *us)
{
  PetscErrorCode code = PETSC_ERR_NOT_CONVERGED;

  PetscFunctionBegin;
  for (PetscInt few : {36, 12}) {
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    code = TimeBetween(t, M, options, few, 3 * few, us);
    PetscCall(PetscPopErrorHandler());
    if (code != PETSC_ERR_NOT_CONVERGED) break;
  }
  if (code) PetscCall(TimeBetween(t, M, options, 4, 12, us)); /* recordings of gridmg have at most two iterations */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A recording of L iterations takes L pass + recording; with an absurd number in use L is 12, or 4, so that both follow from
   times of an iteration. A large solve gives the bandwidth of the passes: an iteration moves the matrix, 5 diagonals, and 10
   vectors.
*/
static PetscErrorCode TuneRecording(HeptaTuner *t)
{
  const PetscInt    small[3] = {40, 40, 1}, large[3] = {t->quick ? 1000 : 1500, t->quick ? 1000 : 1500, 1};
  const std::string options = "-pc_type jacobi -ksp_norm_type natural";
  HeptaTuneMatrix   S, L;
  double            us[2];

  PetscFunctionBegin;
  PetscCall(HeptaTuneGrid(PETSC_COMM_SELF, small, 1, MATBDIACUDA, true, &S));
  for (int k = 0; k < 2; k++) {
    PetscCall(HeptaSetTuning("recording", k ? 1e3 : 1e-3));
    PetscCall(TimeIteration(t, S, options, &us[k])); /* 4 iterations, then 12 */
  }
  const double recording = PetscMax(0.1, (us[0] - us[1]) / (1. / 4 - 1. / 12)), pass = PetscMax(0.1, us[1] - recording / 12);
  PetscCall(
    PetscViewerASCIIPrintf(t->viewer, "    a small iteration in recordings of 4: %.2f us, of 12: %.2f us\n", us[0], us[1]));
  PetscCall(HeptaTuneTake(t, "recording", recording));
  PetscCall(HeptaTuneTake(t, "pass", pass));
  PetscCall(HeptaTuneGrid(PETSC_COMM_SELF, large, 1, MATBDIACUDA, true, &L));
  PetscCall(TimeIteration(t, L, options, &us[0]));
  PetscCall(HeptaTuneTake(t, "bandwidth", 15 * sizeof(PetscScalar) * (double)(large[0] * large[1]) / us[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<HeptaTuneCase> HeptaTuneMultigridCases(HeptaTuner *t, bool held_out)
{
  std::vector<HeptaTuneCase> cases;

  for (PetscInt n : held_out   ? std::vector<PetscInt>{900, 1300}
                    : t->quick ? std::vector<PetscInt>{1024}
                               : std::vector<PetscInt>{768, 1024, 1536})
    cases.push_back(HeptaTuneGridCase(t, 2, n, 1, MATBDIACUDA, "-pc_type gridmg", 8));
  return cases;
}

PetscErrorCode HeptaTuneKrylov(HeptaTuner *t)
{
  PetscFunctionBegin;
  PetscCall(TuneRecording(t));
  PetscCall(HeptaTuneSearch(t, "gridmg_tiles", hepta_gridmg_tiles, HeptaTuneMultigridCases(t, false)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
