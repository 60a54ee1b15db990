static char help[] = "Limits and tolerances that monitors, convergence tests and preconditioners change while a Krylov method "
                     "iterates: as in PETSc's methods.\n\n";

#include "krylov.h"

static const PetscInt N = 8; /* cells a side */

/* What is changed, from which iteration on, and how the solve has to end */
struct Change {
  const char        *name;
  PetscInt           first; /* -ksp_max_it */
  PetscInt           at;
  PetscReal          rtol, abstol, divtol;
  PetscInt           max_it;
  KSPConvergedReason reason;
};

static const PetscInt  SAME  = PETSC_CURRENT;
static const PetscReal KEEP  = PETSC_CURRENT;
static const PetscReal SMALL = 1e-30, LARGE = 1e30;

static const Change CHANGES[] = {{"max_it raised", 5, 2, KEEP, KEEP, KEEP, 200, KSP_CONVERGED_RTOL},
                                 {"max_it raised in the last iteration", 5, 5, KEEP, KEEP, KEEP, 200, KSP_CONVERGED_RTOL},
                                 {"max_it raised by one, in the last", 5, 5, KEEP, KEEP, KEEP, 6, KSP_DIVERGED_ITS},
                                 {"max_it raised without end", 5, 4, KEEP, KEEP, KEEP, PETSC_UNLIMITED, KSP_CONVERGED_RTOL},
                                 {"max_it raised from 0 before the first", 0, 0, KEEP, KEEP, KEEP, 200, KSP_CONVERGED_RTOL},
                                 {"max_it lowered", 200, 2, KEEP, KEEP, KEEP, 4, KSP_DIVERGED_ITS},
                                 {"max_it lowered to less than are done", 200, 3, KEEP, KEEP, KEEP, 1, KSP_DIVERGED_ITS},
                                 {"max_it lowered before the first", 200, 0, KEEP, KEEP, KEEP, 2, KSP_DIVERGED_ITS},
                                 {"rtol raised before the first", 200, 0, 1e-2, KEEP, KEEP, SAME, KSP_CONVERGED_RTOL},
                                 {"rtol raised too late", 200, 3, 0.5, KEEP, KEEP, SAME, KSP_CONVERGED_RTOL},
                                 {"abstol raised too late", 200, 3, KEEP, LARGE, KEEP, SAME, KSP_CONVERGED_ATOL},
                                 {"divtol lowered", 200, 3, KEEP, KEEP, SMALL, SAME, KSP_DIVERGED_DTOL}};

static PetscErrorCode Set(KSP ksp, const Change &c)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetTolerances(ksp, c.rtol, c.abstol, c.divtol, c.max_it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetInMonitor(KSP ksp, PetscInt it, PetscReal, PetscCtx ctx)
{
  const Change &c = *(const Change *)ctx;

  PetscFunctionBeginUser;
  if (it == c.at) PetscCall(Set(ksp, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A test of the program's own, which changes the limits before it tests by PETSc's */
struct Tested {
  const Change *change;
  void         *context; /* of PETSc's test */
};

static PetscErrorCode SetInTest(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, PetscCtx ctx)
{
  const Tested &t = *(const Tested *)ctx;

  PetscFunctionBeginUser;
  if (it == t.change->at) PetscCall(Set(ksp, *t.change));
  PetscCall(KSPConvergedDefault(ksp, it, norm, reason, t.context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The KSP whose limits a preconditioner changes */
struct Applied {
  const Change *change;
  KSP           ksp;
};

/* z <- r/2. Methods count an iteration before or after its application, so the change has some iterations to spare. */
static PetscErrorCode SetInPC(PC pc, Vec r, Vec z)
{
  Applied *a;
  PetscInt it;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &a));
  PetscCall(KSPGetIterationNumber(a->ksp, &it));
  if (it >= a->change->at) PetscCall(Set(a->ksp, *a->change));
  PetscCall(VecCopy(r, z));
  PetscCall(VecScale(z, 0.5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner of a method, or the one inside subdeflation */
static PetscErrorCode TakeInner(const Method &m, KSP ksp, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, pc));
  if (m.deflated) PetscCall(PCSubdeflationGetPC(*pc, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both solve twice: the second time with the limits that the first has left */
static PetscErrorCode Beside(const Method &m, Mat A, const std::string &options, const Change &c, const std::string &what,
                             const std::function<PetscErrorCode(KSP)> &prepare)
{
  Vec       b;
  Run       run[2][2];
  PetscReal left[2][3];
  PetscInt  max_it[2];

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  for (int k = 0; k < 2; k++) {
    KSP ksp;
    PetscCall(
      NewSolver(A, k ? m.types.ours : m.types.petsc, options + " -ksp_rtol 1e-6 -ksp_max_it " + std::to_string(c.first), &ksp));
    PetscCall(prepare(ksp));
    for (Run &r : run[k]) PetscCall(Solve(ksp, b, &r));
    PetscCall(KSPGetTolerances(ksp, &left[k][0], &left[k][1], &left[k][2], &max_it[k]));
    PetscCall(KSPDestroy(&ksp));
  }
  for (int twice = 0; twice < 2; twice++) {
    const std::string words = what + (twice ? ", again" : "");

    PetscCall(Same(run[0][twice], run[1][twice], words));
    if (run[0][twice].reason != KSP_CONVERGED_RTOL)
      PetscCheck(run[0][twice].its == run[1][twice].its, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
                 "%s: %" PetscInt_FMT " iterations, PETSc's %" PetscInt_FMT, words.c_str(), run[1][twice].its, run[0][twice].its);
    for (Run *r : {&run[0][twice], &run[1][twice]}) PetscCall(VecDestroy(&r->x));
  }
  PetscCheck(run[1][0].reason == c.reason, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d instead of %d", what.c_str(),
             (int)run[1][0].reason, (int)c.reason);
  const PetscReal given[3] = {c.rtol, c.abstol, c.divtol};
  for (int k = 0; k < 3; k++)
    PetscCheck(left[0][k] == left[1][k] && (given[k] == KEEP || given[k] == left[1][k]), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: tolerance %d is %g after the solve, PETSc's %g", what.c_str(), k, (double)left[1][k], (double)left[0][k]);
  PetscCheck(max_it[0] == max_it[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: max_it is %" PetscInt_FMT " after the solve, PETSc's %" PetscInt_FMT, what.c_str(), max_it[1], max_it[0]);
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InMonitors(Mat A, const Method &m)
{
  PetscFunctionBeginUser;
  for (const Change &c : CHANGES) {
    for (const char *pc : {"jacobi", "ip"}) {
      const std::string options = WithPC(m, pc);
      PetscCall(Beside(m, A, options, c, m.types.ours + (" " + options) + c.name + " by a monitor",
                       [&](KSP ksp) { return KSPMonitorSet(ksp, SetInMonitor, (PetscCtx)&c, nullptr); }));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InTests(Mat A, const Method &m)
{
  PetscFunctionBeginUser;
  for (const Change &c : CHANGES) {
    const std::string options = WithPC(m, "jacobi");
    Tested            t[2]    = {};
    int               k       = 0;

    const auto prepare = [&](KSP ksp) {
      PetscFunctionBeginUser;
      t[k].change = &c;
      PetscCall(KSPConvergedDefaultCreate(&t[k].context));
      PetscCall(KSPSetConvergenceTest(ksp, SetInTest, &t[k], nullptr));
      k++;
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    PetscCall(Beside(m, A, options, c, m.types.ours + (" " + options) + c.name + " by a test", prepare));
    for (Tested &made : t) PetscCall(KSPConvergedDefaultDestroy(&made.context));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nobody looks at more than the norm then, so the passes do not pause after each iteration */
static PetscErrorCode InPreconditioners(Mat A, const Method &m)
{
  static const Change changes[] = {
    {"max_it raised", 7, 3, KEEP, KEEP, KEEP, 200, KSP_CONVERGED_RTOL},
    {"max_it lowered", 200, 3, KEEP, KEEP, KEEP, 7, KSP_DIVERGED_ITS},
  };

  PetscFunctionBeginUser;
  for (const Change &c : changes) {
    const std::string options = WithPC(m, "none");
    Applied           a[2]    = {};
    int               k       = 0;

    const auto prepare = [&](KSP ksp) {
      PC pc;

      PetscFunctionBeginUser;
      a[k] = {&c, ksp};
      PetscCall(TakeInner(m, ksp, &pc));
      PetscCall(PCSetType(pc, PCSHELL));
      PetscCall(PCShellSetApply(pc, SetInPC));
      PetscCall(PCShellSetContext(pc, &a[k++]));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    PetscCall(Beside(m, A, options, c, m.types.ours + (" " + options) + c.name + " by a preconditioner", prepare));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(MatShift(A, 0.5)); /* some 20 iterations, in which bcgs does not lose its digits */
  for (const Method &m : METHODS) {
    PetscCall(InMonitors(A, m));
    PetscCall(InTests(A, m));
    PetscCall(InPreconditioners(A, m));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
