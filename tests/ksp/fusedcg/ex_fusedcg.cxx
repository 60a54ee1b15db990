static char help[] = "KSPFUSEDCG beside KSPCG: norms, preconditioners, guesses, monitors, reasons, changes between solves.\n\n";

#include "beside_cg.h"

static const PetscInt N = TestQuick() ? 6 : 14; /* cells a side */

static PetscErrorCode NormsAndPreconditioners(Mat A)
{
  PetscMPIInt              size;
  std::vector<std::string> pcs = {"none", "jacobi",  "pbjacobi",
                                  "ip",   "blockic", "subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4"};

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (TestQuick()) pcs = {"none", "pbjacobi", "ip"};
  else if (size == 1)
    pcs.insert(pcs.end(), {"icc", "ip -pc_ip_variant full", "ip -pc_ip_storage single", "sor -pc_sor_symmetric"});
  for (const std::string &pc : pcs) {
    for (const char *norm : {"preconditioned", "unpreconditioned", "natural"})
      PetscCall(Compare(A, std::string("-ksp_norm_type ") + norm + " -pc_type " + pc));
  }
  PetscCall(Compare(A, "-ksp_norm_type none -ksp_max_it 7 -pc_type jacobi"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Limits of all kinds stop where they stop cg, with the same answer */
static PetscErrorCode Limits(Mat A)
{
  PetscFunctionBeginUser;
  for (const char *options :
       {"-ksp_max_it 1", "-ksp_max_it 5", "-ksp_max_it 0", "-ksp_rtol 1e-30 -ksp_atol 1e-3", "-ksp_divtol 1.0001 -pc_type none",
        PetscDefined(USE_REAL_SINGLE) ? "-ksp_min_it 40" : "-ksp_min_it 100", "-ksp_converged_maxits -ksp_max_it 9",
        "-ksp_check_norm_iteration 6"})
    PetscCall(Compare(A, options));
  PetscCall(Compare(A, "-pc_type jacobi", [](KSP ksp, Vec) { return KSPSetInitialGuessNonzero(ksp, PETSC_TRUE); }));
  PetscCall(Compare(A, "-pc_type ip", [](KSP, Vec b) { return VecSet(b, 0); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The answer at hand in each iteration, which a monitor or a test of the program's may want */
static PetscErrorCode LookAtSolution(KSP ksp, PetscInt, PetscReal, PetscCtx ctx)
{
  Vec       x;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(KSPBuildSolution(ksp, nullptr, &x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  ((std::vector<PetscReal> *)ctx)->push_back(norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FifthIteration(KSP, PetscInt it, PetscReal, KSPConvergedReason *reason, PetscCtx)
{
  PetscFunctionBeginUser;
  *reason = it == 5 ? KSP_CONVERGED_HAPPY_BREAKDOWN : KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Watched(Mat A)
{
  std::vector<PetscReal> norms[2];
  int                    k = 0;

  PetscFunctionBeginUser;
  PetscCall(
    Compare(A, "-pc_type jacobi", [&](KSP ksp, Vec) { return KSPMonitorSet(ksp, LookAtSolution, &norms[k++], nullptr); }));
  for (size_t i = 0; i < PetscMin(PetscMin(norms[0].size(), norms[1].size()), (size_t)STEADY); i++)
    PetscCheck(PetscAbsReal(norms[0][i] - norms[1][i]) <= TestTolerance(1e-8) * norms[0].back(), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "The answer of iteration %d has norm %g instead of %g", (int)i, (double)norms[1][i], (double)norms[0][i]);
  PetscCheck(norms[1].size() > 5, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The monitor was called %d times", (int)norms[1].size());
  PetscCall(
    Compare(A, "-pc_type jacobi", [](KSP ksp, Vec) { return KSPSetConvergenceTest(ksp, FifthIteration, nullptr, nullptr); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetEntry(Mat A, PetscInt i, PetscScalar v)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  if (i >= start && i < end) PetscCall(MatSetValue(A, i, i, v, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Indefinite matrix and preconditioner, and a value that is not finite */
static PetscErrorCode Breakdowns(MPI_Comm comm)
{
  Mat A;

  PetscFunctionBeginUser;
  for (PetscScalar v : {(PetscScalar)-9.3, (PetscScalar)NAN}) {
    PetscCall(PhaseMat(comm, N, TestType(), true, &A));
    PetscCall(SetEntry(A, 3 * N - 2, v));
    for (const char *options : {"-pc_type none", "-pc_type jacobi", "-pc_type jacobi -ksp_norm_type unpreconditioned",
                                "-pc_type jacobi -ksp_fusedcg_single_reduction"}) {
      if (PetscIsInfOrNanScalar(v) && std::string(options) != "-pc_type none") continue; /* which their set-up finds */
      PetscCall(Compare(A, options));
    }
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SingularValues(Mat A)
{
  PetscReal most[2], least[2];
  Vec       b;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  for (int k = 0; k < 2; k++) {
    KSP ksp;
    Run run;
    PetscCall(NewSolver(A, k ? KSPFUSEDCG : KSPCG, "-pc_type jacobi", &ksp));
    PetscCall(KSPSetComputeSingularValues(ksp, PETSC_TRUE));
    PetscCall(Solve(ksp, b, &run));
    PetscCall(KSPComputeExtremeSingularValues(ksp, &most[k], &least[k]));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&run.x));
  }
  PetscCall(VecDestroy(&b));
  PetscCheck(PetscAbsReal(most[0] - most[1]) <= TestTolerance(1e-6) * most[0] &&
               PetscAbsReal(least[0] - least[1]) <= TestTolerance(1e-4) * least[0],
             PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Singular values %g to %g instead of %g to %g", (double)least[1], (double)most[1],
             (double)least[0], (double)most[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner that changes from application to application, which makes plain CG wander */
static PetscErrorCode Wavering(PC pc, Vec x, Vec y)
{
  int *calls;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &calls));
  PetscCall(VecCopy(x, y));
  PetscCall(VecScale(y, ++*calls % 2 ? 1 : 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Flexible(Mat A)
{
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(Compare(A, "-pc_type jacobi -ksp_fusedcg_flexible")); /* nothing changes: beta is the same */
  KSP ksp;
  PC  pc;
  Run run;
  int calls = 0;
  PetscCall(NewSolver(A, KSPFUSEDCG, "-ksp_fusedcg_flexible -ksp_norm_type unpreconditioned", &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, &calls));
  PetscCall(PCShellSetApply(pc, Wavering));
  PetscCall(Solve(ksp, b, &run));
  PetscCheck(run.reason > 0 && calls == run.its + 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "Flexible: reason %d after %" PetscInt_FMT " iterations and %d applications", (int)run.reason, run.its, calls);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&run.x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same iterates with a single reduction, and with more or fewer from solve to solve; not with the flexible form */
static PetscErrorCode SingleReduction(Mat A)
{
  PetscMPIInt              size;
  std::vector<std::string> pcs = {"none", "jacobi", "pbjacobi", "ip", "blockic"};
  KSP                      ksp;
  Vec                      b, x;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (TestQuick()) pcs = {"none", "jacobi"};
  for (const std::string &pc : pcs) {
    for (const char *norm : {"preconditioned", "unpreconditioned", "natural"})
      PetscCall(Compare(A, std::string("-ksp_fusedcg_single_reduction -ksp_norm_type ") + norm + " -pc_type " + pc));
  }
  for (const char *options : {"-ksp_max_it 1", "-ksp_max_it 5", "-ksp_norm_type none -ksp_max_it 7"})
    PetscCall(Compare(A, std::string("-pc_type jacobi -ksp_fusedcg_single_reduction ") + options));
  PetscCall(Compare(A, "-pc_type jacobi -ksp_fusedcg_single_reduction",
                    [](KSP solver, Vec) { return KSPSetInitialGuessNonzero(solver, PETSC_TRUE); }));
  PetscCall(Kept({KSPCG, KSPFUSEDCG}, PETSC_COMM_WORLD, N, "-pc_type jacobi -ksp_fusedcg_single_reduction"));
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(NewSolver(A, KSPFUSEDCG, "-pc_type jacobi", &ksp));
  for (PetscBool single : {PETSC_FALSE, PETSC_TRUE, PETSC_FALSE}) {
    PetscCall(KSPFusedCGSetSingleReduction(ksp, single));
    PetscCall(KSPSolve(ksp, b, x));
  }
  PetscCall(KSPFusedCGSetSingleReduction(ksp, PETSC_TRUE));
  PetscCall(KSPFusedCGSetFlexible(ksp, PETSC_TRUE));
  PetscCall(
    ExpectError(PETSC_ERR_SUP, "KSP fusedcg has no flexible form with a single reduction", [&] { return KSPSolve(ksp, b, x); }));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Closed walls and constants as the null space: consistent right-hand sides, guesses with a constant, and what has no solution */
static PetscErrorCode Singular(MPI_Comm comm)
{
  Mat          A;
  MatNullSpace null;
  const auto   consistent = [&](KSP, Vec b) { return MatNullSpaceRemove(null, b); };

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), false, &A));
  PetscCall(MatNullSpaceCreate(comm, PETSC_TRUE, 0, nullptr, &null));
  PetscCall(MatSetNullSpace(A, null));
  for (const char *pc : {"jacobi", "ip", "jacobi -ksp_fusedcg_single_reduction"}) {
    for (const char *norm : {"preconditioned", "unpreconditioned", "natural"}) {
      const std::string options = std::string("-ksp_norm_type ") + norm + " -pc_type " + pc;

      if (TestQuick() && strcmp(norm, "natural")) continue;
      PetscCall(Compare(A, options, consistent));
      PetscCall(Compare(A, options, [&](KSP ksp, Vec b) {
        PetscFunctionBeginUser;
        PetscCall(consistent(ksp, b));
        PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
        PetscFunctionReturn(PETSC_SUCCESS);
      }));
    }
  }
  PetscCall(Compare(A, "-ksp_norm_type natural -pc_type jacobi -ksp_max_it 20"));
  PetscCall(MatNullSpaceDestroy(&null));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As in cg the variant def1 would stall */
static PetscErrorCode Refused(Mat A)
{
  KSP ksp;
  Vec b, x;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(NewSolver(A, KSPFUSEDCG, "-pc_type subdeflation -pc_subdeflation_variant def1", &ksp));
  PetscCall(ExpectError(PETSC_ERR_SUP, "The variant def1", [&] { return KSPSolve(ksp, b, x); }));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's guesses from earlier solves of one solver, by right-hand sides that change little: each as good as in cg */
static PetscErrorCode Guesses(Mat A)
{
  const PetscInt differ = PetscDefined(USE_REAL_SINGLE) ? 4 : 2; /* a guess in single is about as wrong as the tolerance */

  PetscFunctionBeginUser;
  for (const char *guess :
       {"fischer -ksp_guess_fischer_model 1,4", "fischer -ksp_guess_fischer_model 2,4", "pod -ksp_guess_pod_size 4"}) {
    const std::string options = std::string("-pc_type jacobi -ksp_rtol 1e-7 -ksp_guess_type ") + guess;
    KSP               ksp[2];
    Vec               b, change;
    PetscInt          last = 0;

    for (int k = 0; k < 2; k++) PetscCall(NewSolver(A, k ? KSPFUSEDCG : KSPCG, options, &ksp[k]));
    PetscCall(Side(A, &b));
    PetscCall(VecDuplicate(b, &change));
    PetscCall(VecCopy(b, change));
    PetscCall(VecSqrtAbs(change));
    for (int step = 0; step < 6; step++) {
      Run run[2];
      for (int k = 0; k < 2; k++) PetscCall(Solve(ksp[k], b, &run[k]));
      const bool fewer = !step || run[1].its < last;
      PetscCheck(run[1].reason > 0 && PetscAbsInt(run[0].its - run[1].its) <= differ && fewer, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
                 "%s: solve %d takes %" PetscInt_FMT " iterations, cg %" PetscInt_FMT ", the first %" PetscInt_FMT,
                 options.c_str(), step, run[1].its, run[0].its, last);
      PetscCall(CheckVec(run[0].x, run[1].x, TestTolerance(1e-5), options.c_str()));
      if (!step) last = run[1].its;
      PetscCall(VecAXPY(b, 0.1, change));
      for (Run &r : run) PetscCall(VecDestroy(&r.x));
    }
    for (KSP &k : ksp) PetscCall(KSPDestroy(&k));
    PetscCall(VecDestroy(&change));
    PetscCall(VecDestroy(&b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(NormsAndPreconditioners(A));
  PetscCall(Limits(A));
  PetscCall(Watched(A));
  PetscCall(SingularValues(A));
  PetscCall(Flexible(A));
  PetscCall(SingleReduction(A));
  PetscCall(Refused(A));
  if (!TestQuick()) PetscCall(Guesses(A));
  PetscCall(MatDestroy(&A));
  PetscCall(Breakdowns(PETSC_COMM_WORLD));
  PetscCall(Singular(PETSC_COMM_WORLD));
  for (const char *options : {"-pc_type ip", "-pc_type jacobi", "-pc_type none", "-pc_type blockic"}) {
    PetscCall(Kept({KSPCG, KSPFUSEDCG}, PETSC_COMM_WORLD, N, options));
    if (TestQuick()) break;
  }
  PetscCall(PetscFinalize());
  return 0;
}
