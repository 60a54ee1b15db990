static char help[] = "Solves that end in an error, one after another, and good ones after them by the same KSP.\n\n";

#include "krylov.h"

static const PetscInt N = TestQuick() ? 6 : 10; /* cells a side */
/* PETSc refuses the third solve if nobody has undone the PCPreSolve() of two */
static const int TIMES = 3;

/* What raises an error, while it is active, in call number `at` of a solve, on all ranks alike */
struct Fault {
  bool active = false;
  int  at = 0, calls = 0;

  PetscErrorCode Call()
  {
    PetscFunctionBeginUser;
    PetscCheck(!active || calls++ != at, PETSC_COMM_SELF, PETSC_ERR_USER, "A fault of the program's own");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

static PetscErrorCode FailInMonitor(KSP, PetscInt, PetscReal, PetscCtx ctx)
{
  PetscFunctionBeginUser;
  PetscCall(((Fault *)ctx)->Call());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FailInTest(KSP, PetscInt, PetscReal norm, KSPConvergedReason *reason, PetscCtx ctx)
{
  PetscFunctionBeginUser;
  PetscCall(((Fault *)ctx)->Call());
  *reason = norm < 1e-7 ? KSP_CONVERGED_ATOL : KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z <- r/2 */
static PetscErrorCode FailInPC(PC pc, Vec r, Vec z)
{
  Fault *f;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &f));
  PetscCall(f->Call());
  PetscCall(VecCopy(r, z));
  PetscCall(VecScale(z, 0.5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PutInMonitor(KSP ksp, Fault *f)
{
  PetscFunctionBeginUser;
  PetscCall(KSPMonitorSet(ksp, FailInMonitor, f, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PutInTest(KSP ksp, Fault *f)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetConvergenceTest(ksp, FailInTest, f, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner, or the one inside subdeflation */
static PetscErrorCode PutInPC(KSP ksp, Fault *f)
{
  PC        pc;
  PetscBool deflates;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSUBDEFLATION, &deflates));
  if (deflates) PetscCall(PCSubdeflationGetPC(pc, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetApply(pc, FailInPC));
  PetscCall(PCShellSetContext(pc, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves that fail in call number `at`; after each b is as it was, and b and x can be written to */
static PetscErrorCode Fail(KSP ksp, Vec b, Vec x, Fault *fault, int at, const std::string &what)
{
  Vec kept;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &kept));
  PetscCall(VecCopy(b, kept));
  for (int k = 0; k < TIMES; k++) {
    *fault = {true, at, 0};
    PetscCall(ExpectError(PETSC_ERR_USER, "A fault of", [&] { return KSPSolve(ksp, b, x); }));
    PetscCall(CheckAnswer(kept, b, 0, what + ", the right-hand side after a failed solve"));
    PetscCall(VecCopy(kept, b));
    PetscCall(VecSet(x, 3));
  }
  fault->active = false;
  PetscCall(VecDestroy(&kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Failed solves, then good ones, by one KSP, also as a method of another type */
static PetscErrorCode Recovers(Mat A, const Methods &types, const std::string &options, PetscErrorCode (*put)(KSP, Fault *),
                               const std::string &what)
{
  KSP   ksp, made;
  Vec   b;
  Run   expected, run;
  Fault fault;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, types.ours, options, &made));
  PetscCall(put(made, &fault));
  PetscCall(Solve(made, b, &expected));
  PetscCall(KSPDestroy(&made));
  PetscCheck(expected.reason > 0 && expected.its > 3, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: reason %d after %" PetscInt_FMT " iterations", what.c_str(), (int)expected.reason, expected.its);
  PetscCall(VecDuplicate(b, &run.x));
  PetscCall(NewSolver(A, types.ours, options, &ksp));
  PetscCall(put(ksp, &fault));
  for (int at : {0, 2}) {
    PetscCall(Fail(ksp, b, run.x, &fault, at, what));
    PetscCall(Solve(ksp, b, &run));
    const PetscInt more = PetscAbsInt(run.its - expected.its); /* sums on the host depend on where vectors are in memory */
    PetscCheck(run.reason == expected.reason && more <= 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: reason %d after %" PetscInt_FMT " iterations, without failed solves %d after %" PetscInt_FMT, what.c_str(),
               (int)run.reason, run.its, (int)expected.reason, expected.its);
    PetscCall(CheckAnswer(expected.x, run.x, more ? 1e-7 : 1e-12, what));
    PetscCall(KSPSetType(ksp, types.petsc));
    PetscCall(Solve(ksp, b, &run));
    PetscCheck(run.reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %s ends with reason %d", what.c_str(), types.petsc,
               (int)run.reason);
    PetscCall(CheckAnswer(expected.x, run.x, 1e-5, what + std::string(", ") + types.petsc));
    PetscCall(KSPSetType(ksp, types.ours));
  }
  PetscCall(KSPDestroy(&ksp));
  for (Vec *v : {&b, &expected.x, &run.x}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Everywhere(Mat A)
{
  PetscFunctionBeginUser;
  for (const Method &m : METHODS) {
    const std::string name = m.types.ours + std::string(" ") + m.options;

    for (const char *pc : {"jacobi", "ip"}) {
      PetscCall(Recovers(A, m.types, WithPC(m, pc), PutInMonitor, name + pc + ", an error in a monitor"));
      PetscCall(Recovers(A, m.types, WithPC(m, pc), PutInTest, name + pc + ", an error in a convergence test"));
    }
    PetscCall(Recovers(A, m.types, WithPC(m, "none"), PutInPC, name + ", an error in a preconditioner"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solve of a KSP with subdeflation is subdeflation's, of PETSc's methods too, and the variants have vectors of their own */
static PetscErrorCode Deflated(Mat A)
{
  PetscFunctionBeginUser;
  for (const char *type : {KSPFUSEDCG, KSPCG}) {
    for (const char *variant : {"adef2", "bnn"}) {
      const std::string options = std::string("-ksp_norm_type natural -pc_type subdeflation -pc_subdeflation_type stripes "
                                              "-pc_subdeflation_count 4 -pc_subdeflation_variant ") +
                                  variant;

      PetscCall(
        Recovers(A, {KSPCG, type}, options, PutInPC, type + std::string(" with ") + variant + ", an error in a preconditioner"));
      PetscCall(
        Recovers(A, {KSPCG, type}, options, PutInMonitor, type + std::string(" with ") + variant + ", an error in a monitor"));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The KSP for the coarse matrix raises the error, in its own solve */
static PetscErrorCode Coarse(Mat A)
{
  const std::string coarse =
    "-pc_subdeflation_coarse ksp -pc_subdeflation_coarse_ksp_error_if_not_converged -pc_subdeflation_coarse_ksp_rtol 1e-12";
  KSP ksp;
  Vec b, bad;
  Run run;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &bad));
  PetscCall(VecDuplicate(b, &run.x));
  PetscCall(NewSolver(
    A, KSPFUSEDCG,
    "-ksp_norm_type natural -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4 " + coarse, &ksp));
  for (int k = 0; k < TIMES; k++) {
    PetscCall(VecSet(bad, NAN));
    PetscCall(ExpectError(PETSC_ERR_NOT_CONVERGED, "infinity or NaN", [&] { return KSPSolve(ksp, bad, run.x); }));
  }
  PetscCall(Solve(ksp, b, &run));
  PetscCheck(run.reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "After errors in the coarse KSP: reason %d", (int)run.reason);
  PetscCall(MatMult(A, run.x, bad));
  PetscCall(CheckVec(b, bad, 1e-6, "After errors in the coarse KSP"));
  for (Vec *v : {&b, &bad, &run.x}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A PCPreSolve() that changes the right-hand side and the operator; on one rank, as PCEISENSTAT is */
static PetscErrorCode Eisenstat()
{
  PetscMPIInt size;
  Mat         A;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, MATAIJ, true, &A));
  PetscCall(Recovers(A, {KSPCG, KSPFUSEDCG}, "-ksp_norm_type natural -pc_type eisenstat", PutInMonitor,
                     "fusedcg with eisenstat, an error in a monitor"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Everywhere(A));
  PetscCall(Deflated(A));
  PetscCall(Coarse(A));
  PetscCall(Eisenstat());
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
