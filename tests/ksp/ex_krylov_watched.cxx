static char help[] = "Krylov methods under a program's eyes: monitors that apply the preconditioner, tests that look at the "
                     "residual, singular values, what the view says.\n\n";

#include "krylov.h"

#if defined(HEPTA_HAVE_CUDA)
  #include <petsc/private/logimpl.h> /* PetscLogGpuTimeFlag */
#endif

static const PetscInt N = TestQuick() ? 6 : 10; /* cells a side */

static PetscErrorCode WithMonitor(Mat A, KSPType type, const std::string &options, KSPMonitorFn *monitor, PetscCtx ctx, Run *run)
{
  KSP ksp;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, type, options, &ksp));
  if (monitor) PetscCall(KSPMonitorSet(ksp, monitor, ctx, nullptr));
  for (int twice = 0; twice < 2; twice++) PetscCall(Solve(ksp, b, run));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Applies the preconditioner to the residual, and to more columns in each iteration, for which it may take other work space. *ctx
   counts the calls. */
static PetscErrorCode ApplyPC(KSP ksp, PetscInt it, PetscReal, PetscCtx ctx)
{
  PC       pc;
  Mat      A, B, X;
  Vec      r, z;
  VecType  type;
  PetscInt n;

  PetscFunctionBeginUser;
  ++*(int *)ctx;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(VecDuplicate(r, &z));
  PetscCall(PCApply(pc, r, z));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&z));
  PetscCall(MatGetVecType(A, &type));
  PetscCall(MatGetLocalSize(A, &n, nullptr));
  for (Mat *M : {&B, &X})
    PetscCall(MatCreateDenseFromVecType(PetscObjectComm((PetscObject)A), type, n, PETSC_DECIDE, PETSC_DETERMINE, 2 + 3 * it, -1,
                                        nullptr, M));
  for (Mat M : {B, X}) {
    PetscCall(MatZeroEntries(M));
    PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PCMatApply(pc, B, X));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solve takes its course whatever a monitor does */
static PetscErrorCode Monitors(Mat A)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (const Method &m : METHODS) {
    std::vector<std::string> pcs = {"jacobi", "ip", "blockic"};
    /* syncfree keeps something from one solve for the next, recorded or not */
    for (const std::string option : {"mat_bbs_engine auto", "mat_bbs_engine syncfree", "mat_bbs_storage single"}) {
      if (size == 1)
        pcs.push_back((m.unsymmetric ? "ilu" : "icc") + (" -pc_factor_mat_solver_type bbs -" + option) +
                      (m.deflated ? " -pc_subdeflation_" + option : ""));
    }
    for (const std::string &pc : pcs) {
      const std::string options = WithPC(m, pc), what = m.types.ours + (" " + options) + ", watched";
      Run               run[2];
      int               calls = 0;

      for (int k = 0; k < 2; k++) PetscCall(WithMonitor(A, m.types.ours, options, k ? ApplyPC : nullptr, &calls, &run[k]));
      PetscCheck(calls == 2 * (run[1].its + 1), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
                 "%s: the monitor is called %d times in %d iterations", what.c_str(), calls, (int)run[1].its);
      PetscCheck(run[0].reason > 0 && run[0].reason == run[1].reason && run[0].history == run[1].history, PETSC_COMM_WORLD,
                 PETSC_ERR_PLIB, "%s: reason %d after %d iterations instead of %d after %d, or other norms", what.c_str(),
                 (int)run[1].reason, (int)run[1].its, (int)run[0].reason, (int)run[0].its);
      PetscCall(CheckAnswer(run[0].x, run[1].x, 0, what));
      for (Run &r : run) PetscCall(VecDestroy(&r.x));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Converged when the residual itself, not the norm that is told, is small; its norms are kept */
static PetscErrorCode SmallResidual(KSP ksp, PetscInt, PetscReal, KSPConvergedReason *reason, PetscCtx ctx)
{
  std::vector<PetscReal> &norms = *(std::vector<PetscReal> *)ctx;
  Vec                     r;
  PetscReal               norm;

  PetscFunctionBeginUser;
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecDestroy(&r));
  norms.push_back(norm);
  *reason = norm <= 1e-6 * norms[0] ? KSP_CONVERGED_HAPPY_BREAKDOWN : KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's bcgs gives a program no solution of an iteration with the preconditioner on the right: left there */
static PetscErrorCode Tests(Mat A)
{
  PetscFunctionBeginUser;
  for (const Method &m : METHODS) {
    const std::string      options = WithPC(m, "ip") + (m.unsymmetric ? "-ksp_pc_side left" : "");
    std::vector<PetscReal> norms[2];
    Vec                    b;
    Run                    run[2];

    PetscCall(Side(A, &b));
    for (int k = 0; k < 2; k++) {
      KSP ksp;
      PetscCall(NewSolver(A, k ? m.types.ours : m.types.petsc, options, &ksp));
      PetscCall(KSPSetConvergenceTest(ksp, SmallResidual, &norms[k], nullptr));
      PetscCall(Solve(ksp, b, &run[k]));
      PetscCall(KSPDestroy(&ksp));
      PetscCheck(run[k].reason == KSP_CONVERGED_HAPPY_BREAKDOWN && norms[k].size() == (size_t)run[k].its + 1, PETSC_COMM_WORLD,
                 PETSC_ERR_PLIB, "%s: reason %d after %d iterations and %d tests", m.types.ours, (int)run[k].reason,
                 (int)run[k].its, (int)norms[k].size());
    }
    PetscCheck(run[0].its == run[1].its && run[0].its > 3, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %d iterations instead of %d",
               m.types.ours, (int)run[1].its, (int)run[0].its);
    for (size_t i = 0; i < norms[0].size(); i++)
      PetscCheck(PetscAbsReal(norms[0][i] - norms[1][i]) <= 1e-9 * norms[0][0], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
                 "%s: the residual of iteration %d has norm %g instead of %g", m.types.ours, (int)i, (double)norms[1][i],
                 (double)norms[0][i]);
    PetscCall(CheckAnswer(run[0].x, run[1].x, 1e-8, m.types.ours));
    for (Vec *v : {&b, &run[0].x, &run[1].x}) PetscCall(VecDestroy(v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The deflated matrix has those that cg finds */
static PetscErrorCode SingularValues(Mat A)
{
  PetscReal most[2], least[2], values[2][50], parts[50];
  PetscInt  n[2];
  Vec       b;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  for (const Method &m : METHODS) {
    if (strcmp(m.types.petsc, KSPCG)) continue;
    for (int k = 0; k < 2; k++) {
      KSP ksp;
      Run run;
      PetscCall(NewSolver(A, k ? m.types.ours : m.types.petsc, WithPC(m, "jacobi") + "-ksp_max_it 50 -ksp_rtol 1e-6", &ksp));
      PetscCall(KSPSetComputeSingularValues(ksp, PETSC_TRUE));
      PetscCall(Solve(ksp, b, &run));
      PetscCall(KSPComputeExtremeSingularValues(ksp, &most[k], &least[k]));
      PetscCall(KSPComputeEigenvalues(ksp, 50, values[k], parts, &n[k]));
      PetscCall(KSPDestroy(&ksp));
      PetscCall(VecDestroy(&run.x));
    }
    PetscCheck(n[0] == n[1] && n[1] > 5, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %d eigenvalues instead of %d", m.types.ours,
               (int)n[1], (int)n[0]);
    PetscCheck(PetscAbsReal(most[0] - most[1]) <= 1e-6 * most[0] && PetscAbsReal(least[0] - least[1]) <= 1e-6 * most[0] &&
                 least[1] < 0.9 * most[1],
               PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: singular values %g to %g instead of %g to %g", m.types.ours,
               (double)least[1], (double)most[1], (double)least[0], (double)most[0]);
    for (int i = 0; i < n[0]; i++)
      PetscCheck(PetscAbsReal(values[0][i] - values[1][i]) <= 1e-6 * most[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
                 "%s: eigenvalue %d is %g instead of %g", m.types.ours, i, (double)values[1][i], (double)values[0][i]);
  }
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the view says of recorded passes; on_host: sums of several ranks meet there, outside: PCApply() runs between passes */
static const char *Recorded(bool timed, bool on_host, bool outside)
{
  if (!TestOnDevice()) return "passes launched one by one, at most ";
  if (timed) return ": -log_view_gpu_time times launches one by one\n";
  if (on_host) return ": the sums of several ranks meet on the host\n";
  return outside ? ": PCApply() of mat run between them\n" : "passes recorded for ";
}

/* Are passes recorded, and if not, why? With ipc and nccl the sums of ranks do not meet on the host. */
static PetscErrorCode Views(Mat A)
{
  PetscMPIInt size, rank;
  PetscBool   timed = PETSC_FALSE;

  PetscFunctionBeginUser;
#if defined(HEPTA_HAVE_CUDA)
  timed = PetscLogGpuTimeFlag;
#endif
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (const Method &m : METHODS) {
    for (const char *pc : {"ip", "mat"}) {
      std::string text;
      KSP         ksp;
      Vec         b;
      Run         run;

      PetscCall(Side(A, &b));
      PetscCall(NewSolver(A, m.types.ours, WithPC(m, pc) + "-ksp_max_it 3", &ksp));
      PetscCall(Solve(ksp, b, &run));
      PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_DEFAULT, &text));
      const bool there =
        text.find("exchanges of ranks: ipc") != std::string::npos || text.find("exchanges of ranks: nccl") != std::string::npos;
      const char *words = Recorded(timed, size > 1 && !there, !strcmp(pc, "mat"));
      PetscCheck(rank || text.find(words) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "The view of %s does not hold \"%s\":\n%s", m.types.ours, words, text.c_str());
      PetscCheck(rank || TestOnDevice() || text.find(": the vectors are on the host\n") != std::string::npos, PETSC_COMM_SELF,
                 PETSC_ERR_PLIB, "The view of %s does not say where the vectors are:\n%s", m.types.ours, text.c_str());
      PetscCall(KSPDestroy(&ksp));
      PetscCall(VecDestroy(&run.x));
      PetscCall(VecDestroy(&b));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Monitors(A));
  PetscCall(Tests(A));
  PetscCall(SingularValues(A));
  PetscCall(Views(A));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
