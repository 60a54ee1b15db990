static char help[] = "KSPFUSEDCG that converges only if b - A x passes the test too.\n\n";

#include "beside_cg.h"

static const PetscInt  N     = TestQuick() ? 8 : 16; /* cells a side */
static const PetscReal GUESS = PetscDefined(USE_REAL_SINGLE) ? 1e3 : 1e6;

/* Solves from a guess of large numbers, whose rounding stays in b - A x while the residual of the recurrence goes on falling */
static PetscErrorCode SolveFromFar(KSP ksp, Vec b, Run *run)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  if (!run->x) PetscCall(VecDuplicate(b, &run->x));
  PetscCall(VecSet(run->x, GUESS));
  PetscCall(Solve(ksp, b, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norm of b - A x that the KSP tests, relative to that of b */
static PetscErrorCode TrueNorm(KSP ksp, Vec b, PetscReal *relative)
{
  Vec         r, z;
  PC          pc;
  KSPNormType type;
  PetscReal   norms[2];

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetNormType(ksp, &type));
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(VecDuplicate(r, &z));
  for (int k = 0; k < 2; k++) {
    const Vec   v = k ? b : r;
    PetscScalar square;

    PetscCall(PCApply(pc, v, z));
    PetscCall(VecDot(v, z, &square));
    PetscCall(VecNorm(type == KSP_NORM_PRECONDITIONED ? z : v, NORM_2, &norms[k]));
    if (type == KSP_NORM_NATURAL) norms[k] = PetscSqrtReal(PetscAbsScalar(square));
    if (!k) {
      PetscReal told;
      PetscCall(KSPGetResidualNorm(ksp, &told));
      PetscCheck(PetscAbsReal(told - norms[k]) <= TestTolerance(1e-6) * told || told < norms[k], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
                 "The norm of b - A x is %g, and %g is told", (double)norms[k], (double)told);
    }
  }
  *relative = norms[0] / norms[1];
  for (Vec *v : {&r, &z}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without the option the method converges although b - A x is too large, and with the option it goes on until b - A x is small */
static PetscErrorCode GoesOn(Mat A, Vec b, const std::string &options)
{
  const PetscReal rtol = PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-12;
  PetscReal       norm[2];
  Run             run;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    KSP ksp;

    PetscCall(NewSolver(A, KSPFUSEDCG, options + (k ? " -ksp_fusedcg_true_residual" : ""), &ksp));
    PetscCall(KSPSetTolerances(ksp, rtol, PETSC_CURRENT, 1e30, 2000));
    PetscCall(SolveFromFar(ksp, b, &run));
    PetscCheck(run.reason == KSP_CONVERGED_RTOL, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: reason %d after %" PetscInt_FMT " iterations", options.c_str(), (int)run.reason, run.its);
    PetscCall(TrueNorm(ksp, b, &norm[k]));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCheck(norm[0] > 2 * rtol && norm[1] <= 1.01 * rtol, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: b - A x is %g of b, and %g with the option", options.c_str(), (double)norm[0], (double)norm[1]);
  PetscCall(VecDestroy(&run.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends in words, and not in an endless loop, where rounding or the limit on iterations stops the method */
static PetscErrorCode Ends(Mat A, Vec b)
{
  const struct {
    PetscReal          rtol;
    PetscInt           max_it;
    KSPConvergedReason reason;
  } cases[] = {{1e-30, 2000, KSP_DIVERGED_BREAKDOWN}, {1e-9, 3, KSP_DIVERGED_ITS}};
  Run run;
  KSP ksp;

  PetscFunctionBeginUser;
  for (const auto &c : cases) {
    PetscCall(NewSolver(A, KSPFUSEDCG, "-pc_type jacobi -ksp_fusedcg_true_residual -ksp_norm_type unpreconditioned", &ksp));
    /* an absolute limit that the recurrence passes, and b - A x does not */
    PetscCall(KSPSetTolerances(ksp, c.rtol, c.rtol < 1e-20 ? 1e-18 : 1e-50, 1e30, c.max_it));
    PetscCall(SolveFromFar(ksp, b, &run));
    PetscCheck(run.reason == c.reason, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "rtol %g: reason %d instead of %d", (double)c.rtol,
               (int)run.reason, (int)c.reason);
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(NewSolver(A, KSPCG, "", &ksp));
  PetscCall(KSPFusedCGSetTrueResidual(ksp, PETSC_TRUE)); /* does nothing for another method */
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&run.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From a guess whose rounding has a part in the null space: b - A x without this part becomes small, and stays small */
static PetscErrorCode FromAbove(Mat A, MatNullSpace null, Vec b, bool constant, const std::string &options)
{
  Vec       r;
  PetscReal nb, nr;
  Run       run;
  KSP       ksp;

  PetscFunctionBeginUser;
  PetscCall(NewSolver(A, KSPFUSEDCG, "-pc_type jacobi -ksp_norm_type unpreconditioned" + options, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, 1e30, 2000));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(VecDuplicate(b, &run.x));
  PetscCall(constant ? VecSet(run.x, 1) : VecSetRandom(run.x, nullptr));
  PetscCall(VecScale(run.x, 1e8));
  PetscCall(Solve(ksp, b, &run));
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(MatNullSpaceRemove(null, r));
  PetscCall(VecNorm(b, NORM_2, &nb));
  PetscCall(VecNorm(r, NORM_2, &nr));
  /* with one reduction the curvature is a difference of sums, which the rounding of a device's sums has made negative */
  const bool single = TestOnDevice() && options.find("single_reduction") != std::string::npos;
  PetscCheck((run.reason > 0 || run.reason == KSP_DIVERGED_BREAKDOWN || (single && run.reason == KSP_DIVERGED_INDEFINITE_MAT)) &&
               nr <= 1e-4 * nb,
             PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s guess%s: reason %d, b - A x is %g of b", constant ? "Constant" : "Rough",
             options.c_str(), (int)run.reason, (double)(nr / nb));
  for (Vec *v : {&r, &run.x}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ClosedWalls(void)
{
  Mat          A;
  MatNullSpace null;
  Vec          b;

  PetscFunctionBeginUser;
  if (PetscDefined(USE_REAL_SINGLE)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), false, &A));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(Side(A, &b));
  PetscCall(MatNullSpaceRemove(null, b));
  for (bool constant : {false, true}) {
    for (const char *options : {"", " -ksp_fusedcg_true_residual", " -ksp_fusedcg_true_residual -ksp_fusedcg_single_reduction"})
      PetscCall(FromAbove(A, null, b, constant, options));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(MatNullSpaceDestroy(&null));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Side(A, &b));
  for (const char *norm : {"unpreconditioned", "preconditioned", "natural"}) {
    for (const char *form : {"", " -ksp_fusedcg_flexible", " -ksp_fusedcg_single_reduction"})
      PetscCall(GoesOn(A, b, std::string("-pc_type jacobi -ksp_norm_type ") + norm + form));
  }
  PetscCall(GoesOn(A, b, "-pc_type ip -ksp_norm_type unpreconditioned"));
  PetscCall(Ends(A, b));
  PetscCall(ClosedWalls());
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
