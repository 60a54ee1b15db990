static char help[] = "Values that no preconditioner can work with, from the beginning or later: an error or a reason, again and "
                     "again, until the values are good.\n\n";

#include "trial.h"

struct BadValue {
  const char *name;
  PetscScalar value;
  bool        coupling, late; /* at an off-diagonal pair instead of the diagonal; after a good solve */
};

static const PetscInt row = 37;

static PetscErrorCode Put(Mat A, const BadValue &v, bool bad)
{
  PetscFunctionBeginUser;
  if (v.coupling) {
    PetscCall(PutEntry(A, row, row - 1, bad ? v.value : -1));
    PetscCall(PutEntry(A, row - 1, row, bad ? v.value : -1));
  } else PetscCall(PutEntry(A, row, row, bad ? v.value : 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner by itself, once its set-up has failed: its error is repeated */
static PetscErrorCode ErrorRepeats(KSP ksp, Mat A, Vec b, Vec x, const std::string &name)
{
  PC      pc;
  Outcome again;

  PetscFunctionBeginUser;
  PetscCall(Solve(ksp, A, b, x, name + ", again", &again));
  PetscCall(Expect(again.code != 0, name + ": the second solve returns success after a failed set-up"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(VecSet(x, 7));
  PetscCall(Expect(Try([&] { return PCApply(pc, b, x); }) != 0, name + ": PCApply() returns success after a failed set-up"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCBJACOBI remembers that a block has failed, whatever comes after: it may say so, but give no answer */
static bool FailsForGood(const std::string &options)
{
  return options.find("-pc_type " PCBJACOBI) != std::string::npos;
}

static PetscErrorCode BadThenGood(const std::string &name, const std::string &options, const BadValue &v)
{
  Mat     A;
  KSP     ksp, other;
  Vec     x, b;
  Outcome before, bad, good, made;

  PetscFunctionBeginUser;
  PetscCall(Laplace(TestType(), 8, 8, false, One, &A));
  PetscCall(Sides(A, false, &x, &b));
  PetscCall(NewSolver(A, options, &ksp));
  if (v.late) PetscCall(Solve(ksp, A, b, x, name + ", before", &before));
  if (v.late) PetscCall(Expect(before.Converged(), name + ": the good matrix is solved"));
  PetscCall(Put(A, v, true));
  PetscCall(Solve(ksp, A, b, x, name, &bad));
  PetscCall(Expect(v.value == (PetscScalar)0 || !bad.Converged(), name + ": converged with a value that is not finite"));
  if (bad.code) {
    PetscCall(Expect(!bad.message.empty(), name + ": the error has no message"));
    PetscCall(ErrorRepeats(ksp, A, b, x, name));
  }
  PetscCall(Put(A, v, false));
  PetscCall(Solve(ksp, A, b, x, name + ", good values again", &good));
  PetscCall(NewSolver(A, options, &other));
  PetscCall(Solve(other, A, b, x, name + ", new solver", &made));
  PetscCall(Expect(made.Converged(), name + ": a new solver of the good values"));
  PetscCall(Expect((good.code == made.code && good.reason == made.reason && good.its == made.its) ||
                     (FailsForGood(options) && good.reason == KSP_DIVERGED_PC_FAILED),
                   name + ": the kept solver: " + Tell(good) + "; a new one: " + Tell(made)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(KSPDestroy(&other));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscReal          inf = std::numeric_limits<PetscReal>::infinity(), nan = std::numeric_limits<PetscReal>::quiet_NaN();
  const std::string        cg  = "-ksp_type cg -ksp_rtol 1e-8 -ksp_max_it 200 -ksp_norm_type unpreconditioned ",
                           bbs = "-sub_pc_factor_mat_solver_type bbs -pc_factor_mat_solver_type bbs ";
  std::vector<std::string> pcs = {
    "-pc_type ip",
    "-pc_type ip -pc_ip_variant full",
    "-pc_type blockic",
    "-pc_type subdeflation -pc_subdeflation_type boxes -pc_subdeflation_grid 8,8",
    "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4 -pc_subdeflation_coarse cholesky",
    "-pc_type subdeflation -pc_subdeflation_type material",
    "-pc_type bjacobi -sub_pc_type ilu " + bbs,
    "-pc_type bjacobi -sub_pc_type icc " + bbs};
  const std::vector<BadValue> values = {{"nan", nan, false, false}, {"inf", inf, false, false}, {"zero", 0, false, false},
                                        {"nan", nan, false, true},  {"inf", inf, false, true},  {"zero", 0, false, true},
                                        {"nan", nan, true, true},   {"inf", inf, true, true}};
  PetscMPIInt                 size;
  int                         status = 1;

  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) pcs.insert(pcs.end(), {"-pc_type ilu " + bbs, "-pc_type icc " + bbs});
  PetscCall(PetscOptionsSetValue(nullptr, "-options_left", "no"));
  for (const std::string &pc : pcs) {
    for (const BadValue &v : values) {
      const std::string name =
        std::string(v.name) + (v.coupling ? " coupling " : " diagonal ") + (v.late ? "later " : "at first ") + pc;
      PetscCall(Case(name, [&] { return BadThenGood(name, cg + pc, v); }));
    }
  }
  PetscCall(TrialsEnd(&status));
  return status;
}
