static char help[] = "Set-ups that fail at bad values: every application returns the error again until the values are good, then "
                     "all is as in a new solver.\n\n";

#include "failure.h"
#include "phases.h"
#include "solve.h"

#include <limits>

static const PetscInt  N         = 8;  /* cells a side */
static PetscInt        BAD       = 37; /* the row with the bad value */
static const PetscReal nan_value = std::numeric_limits<PetscReal>::quiet_NaN(),
                       inf_value = std::numeric_limits<PetscReal>::infinity();

/* A preconditioner with its options; zero_fails: a zero on the diagonal must be an error */
struct Case {
  const char *type, *options;
  bool        zero_fails, by_rows; /* by_rows: not for bdia, whose limits it goes below */
};

/* subdeflation has ip inside where nothing else is said */
static const Case cases[] = {
  {"ip", "", true, false},
  {"ip", "-pc_ip_variant published", true, false},
  {"ip", "-pc_ip_variant full -pc_ip_storage single", true, false},
  {"ip", "-mat_bdia_max_offsets 2", true, true},
  {"blockic", "", false, false},
  {"blockic", "-pc_blockic_shift_type none", true, false},
  {"blockic", "-pc_blockic_size 7 -pc_blockic_shift_type inblocks", false, false},
  {"blockic", "-mat_bdia_max_offsets 2", false, true},
  {"subdeflation", "-pc_subdeflation_count 8", true, false},
  {"subdeflation", "-pc_subdeflation_count 8 -pc_subdeflation_pc_type blockic -pc_subdeflation_variant def2", false, false},
  {"subdeflation", "-pc_subdeflation_count 8 -pc_subdeflation_pc_type jacobi -pc_subdeflation_variant adef1 -ksp_type fgmres",
   false, false},
  {"subdeflation", "-pc_subdeflation_count 8 -pc_subdeflation_pc_type bjacobi -pc_subdeflation_variant bnn", false, false},
  {"subdeflation",
   "-pc_subdeflation_count 8 -pc_subdeflation_variant def1 -ksp_type gmres -ksp_norm_type preconditioned -ksp_rtol 1e-12", true,
   false},
  {"subdeflation", "-pc_subdeflation_count 8 -pc_subdeflation_coarse cholesky", true, false},
  {"subdeflation", "-pc_subdeflation_count 8 -pc_subdeflation_coarse ksp -pc_subdeflation_coarse_ksp_rtol 1e-12", true, false},
  {"subdeflation", "-pc_subdeflation_type material -pc_subdeflation_strength 0.05", true, false},
  {"subdeflation", "-pc_subdeflation_type graph -pc_subdeflation_count 6", true, false},
  {"subdeflation", "-pc_subdeflation_count 4 -pc_subdeflation_pc_type subdeflation -pc_subdeflation_pc_subdeflation_count 8",
   true, false}};

/* What a call came to: PETSC_SUCCESS or the error with its message */
struct Outcome {
  PetscErrorCode code;
  std::string    message;
};

template <class F> static PetscErrorCode Try(F f, Outcome *o)
{
  PetscFunctionBeginUser;
  o->message.clear();
  PetscCall(PetscPushErrorHandler(KeepMessage, &o->message));
  o->code = f();
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the diagonal entry of the row BAD, or its coupling to the row before and back */
static PetscErrorCode Put(Mat A, bool diagonal, PetscScalar value)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt k = 0; k < 2; k++) {
    const PetscInt i = BAD - k, j = diagonal ? BAD : BAD - 1 + k;
    if (i >= start && i < end && (!diagonal || !k)) PetscCall(MatSetValue(A, i, j, value, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is there */
static PetscErrorCode Get(Mat A, bool diagonal, PetscScalar *value)
{
  PetscInt       start, end;
  const PetscInt i = BAD, j = diagonal ? BAD : BAD - 1;

  PetscFunctionBeginUser;
  *value = 0;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  if (i >= start && i < end) PetscCall(MatGetValues(A, 1, &i, 1, &j, value));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, value, 1, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entry number k to the preconditioner */
static const int ENTRIES = 4;

static PetscErrorCode Enter(KSP ksp, int k)
{
  Mat A;
  Vec x, b;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  const PetscErrorCode code = k == 1 ? PCApply(pc, b, x) : k == 2 ? PCApplyTranspose(pc, b, x) : KSPSolve(ksp, b, x);
  for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(code);
}

/* The first solve at a bad value fails, or does without it; all later calls come to the same */
static PetscErrorCode CheckBad(KSP ksp, bool fails, const std::string &what)
{
  Outcome     first, later;
  PC          pc;
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(Try([&] { return Enter(ksp, 0); }, &first));
  PetscCheck(first.code || !fails, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: no error", what.c_str());
  if (!first.code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!first.message.empty(), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: error %d without a message", what.c_str(),
             (int)first.code);
  for (int k = 1; k < ENTRIES; k++) {
    PetscCall(Try([&] { return Enter(ksp, k); }, &later));
    PetscCheck(later.code == first.code && later.message == first.message, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: error %d \"%s\", then in call %d error %d \"%s\"", what.c_str(), (int)first.code, first.message.c_str(), k,
               (int)later.code, later.message.c_str());
  }
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Good values again: as a new solver */
static PetscErrorCode CheckGood(KSP ksp, const char type[], const std::string &what)
{
  KSP      other;
  Mat      A;
  PetscInt its[2];

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(CheckSolve(ksp, what + ", repaired", &its[0]));
  PetscCall(NewKSP(A, type, &other));
  PetscCall(CheckSolve(other, what + ", new", &its[1]));
  PetscCall(KSPDestroy(&other));
  PetscCheck(its[0] == its[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: %" PetscInt_FMT " iterations when repaired, %" PetscInt_FMT " in a new solver", what.c_str(), its[0], its[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One preconditioner, one bad value, at the first set-up or a later one */
static PetscErrorCode Run(Mat A, MatType matrix, const Case &c, PetscReal value, bool diagonal, bool late)
{
  const std::string what = std::string(matrix) + ", " + c.type + " " + c.options + ", " + std::to_string(value) +
                           (diagonal ? " on" : " off") + " the diagonal" + (late ? ", late" : "");
  PetscScalar       good;
  KSP               ksp;

  PetscFunctionBeginUser;
  PetscCall(NewKSP(A, c.type, &ksp));
  if (late) PetscCall(CheckSolve(ksp, what + ", before"));
  PetscCall(Get(A, diagonal, &good));
  PetscCall(Put(A, diagonal, value));
  PetscCall(CheckBad(ksp, value != 0 || (diagonal && c.zero_fails), what));
  PetscCall(Put(A, diagonal, good));
  PetscCall(CheckGood(ksp, c.type, what));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunAll(MatType type)
{
  PetscOptions options;
  Mat          A;
  PetscBool    bdia;
  PetscMPIInt  size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrbeginswith(type, MATBDIA, &bdia));
  for (const Case &c : cases) {
    if (bdia && c.by_rows) continue;
    PetscCall(PhaseMat(PETSC_COMM_WORLD, N, type, true, &A));
    PetscCall(PetscOptionsCreate(&options));
    PetscCall(PetscOptionsInsertString(options, c.options));
    PetscCall(PetscOptionsPush(options));
    for (PetscReal value : {nan_value, inf_value, PetscReal(0)}) {
      for (int k = 0; k < 4; k++) {
        if (size > 1 && (k == 0 || k == 2 || PetscIsInfReal(value))) continue; /* slow, and nothing new there */
        if (value != 0 || k < 2) PetscCall(Run(A, type, c, value, k < 2, k % 2));
      }
    }
    PetscCall(PetscOptionsPop());
    PetscCall(PetscOptionsDestroy(&options));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCILU and PCICC with the factors of the solver type: the KSP ends with KSP_DIVERGED_PC_FAILED as long as the value is bad, and
   is as new afterwards. One process: PCBJACOBI keeps the mark of a failure */
static PetscErrorCode Factor(MatType type, const char pc_type[], MatSolverType solver, PetscReal value, bool late)
{
  const std::string  sub  = std::string(" -pc_factor_shift_type none -pc_factor_mat_solver_type ") + solver,
                     what = std::string(type) + ", " + pc_type + sub + ", " + std::to_string(value) + (late ? ", late" : "");
  KSPConvergedReason reason;
  PetscOptions       options;
  PetscScalar        good;
  Mat                A;
  KSP                ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, sub.c_str()));
  PetscCall(PetscOptionsPush(options));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, type, true, &A));
  PetscCall(NewKSP(A, pc_type, &ksp));
  if (late) PetscCall(CheckSolve(ksp, what + ", before"));
  BAD = value == 0 ? 0 : 37; /* later pivots are not zero with their entry */
  PetscCall(Get(A, true, &good));
  PetscCall(Put(A, true, value));
  for (int k = 0; k < 2; k++) {
    PetscCall(Enter(ksp, 0));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCheck(reason == KSP_DIVERGED_PC_FAILED, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d", what.c_str(), (int)reason);
  }
  PetscCall(Put(A, true, good));
  PetscCall(CheckGood(ksp, pc_type, what));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Factors()
{
  PetscFunctionBeginUser;
  for (MatType type : {TestType(), (MatType)MATAIJ}) {
    for (const char *pc_type : {PCILU, PCICC}) {
      for (PetscReal value : {nan_value, inf_value, PetscReal(0)}) {
        for (bool late : {false, true}) PetscCall(Factor(type, pc_type, MATSOLVERBBS, value, late));
      }
      /* of the matrix as aij, which takes NaN for a number */
      if (type == TestType()) PetscCall(Factor(type, pc_type, MATSOLVERPETSC, 0, true));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(RunAll(TestType()));
  if (size < 3) PetscCall(RunAll(MATAIJ));
  if (size == 1) PetscCall(RunAll(MATSEQAIJBDIA));
  if (size == 1) PetscCall(RunAll(MATSEQAIJBROW));
  if (size == 1) PetscCall(Factors());
  PetscCall(PetscFinalize());
  return 0;
}
