static char help[] = "Pivots that fail in factors by the solver type bbs: rows that are named, Inf and NaN, singular blocks.\n\n";

#include "pivots.h"

#include <limits>

/* The factor's solve fails in row 17, or does not */
static PetscErrorCode ExpectSolve(KSP ksp, Vec b, Vec x, bool fails, const std::string &what)
{
  Mat                F;
  PC                 pc;
  PetscReal          pivot, norm;
  PetscInt           where;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  if (fails) {
    PetscCheck(reason == KSP_DIVERGED_PC_FAILED, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s", what.c_str(),
               KSPConvergedReasons[reason]);
    PetscCall(MatFactorGetErrorZeroPivot(F, &pivot, &where));
    PetscCheck(where == 17, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %d instead of 17", what.c_str(), (int)where);
    PetscCall(MatFactorClearError(F)); /* PCSetUp() factors with no solver type before that */
  } else {
    PetscCall(VecNorm(x, NORM_2, &norm));
    PetscCheck(reason > 0 && norm < 1e3, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, a good matrix after a bad one: %s", what.c_str(),
               KSPConvergedReasons[reason]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A zero pivot in some order, without a shift; then a good matrix; then the zero as an error */
static PetscErrorCode ZeroPivot(MatType type, bool icc, const std::string &options)
{
  const std::string method =
    std::string("-pc_factor_shift_type none -pc_factor_mat_solver_type bbs -pc_type ") + (icc ? "icc " : "ilu ") + options;
  Entries good = FivePoint(9, 8, 4, 1), bad;
  Mat     A;
  KSP     ksp;
  Vec     x, b;

  PetscFunctionBegin;
  for (size_t k = 0; k < good.v.size(); k++) {
    if ((good.i[k] == 17) != (good.j[k] == 17)) good.v[k] = 0; /* nothing reaches the pivot */
  }
  bad = With(good, 17, 17, 0);
  PetscCall(Make(PETSC_COMM_SELF, type, bad, &A));
  PetscCall(NewKSP(A, method, &ksp));
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(ExpectSolve(ksp, b, x, true, method + " of " + type));
  PetscCall(Fill(A, good));
  PetscCall(ExpectSolve(ksp, b, x, false, method + " of " + type));
  PetscCall(Fill(A, bad));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  PetscCall(ExpectError(icc ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT, "row 17;", [&] { return KSPSolve(ksp, b, x); }));
  PetscCall(Destroy(&x, &b, &ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Setting up fails, with the error where one is asked for (PETSC_SUCCESS: none in particular), or for a solve to see */
static PetscErrorCode Fails(MatType type, const Entries &e, const std::string &options, PetscErrorCode code, const char words[],
                            bool in_silence)
{
  KSP                ksp;
  PC                 pc;
  Mat                A;
  Vec                x, b;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, type, e, &A));
  for (bool silent : {true, false}) {
    if (silent ? !in_silence : code == PETSC_SUCCESS) continue;
    PetscCall(NewKSP(A, "-pc_factor_mat_solver_type bbs " + options, &ksp));
    PetscCall(KSPSetErrorIfNotConverged(ksp, silent ? PETSC_FALSE : PETSC_TRUE));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetErrorIfFailure(pc, silent ? PETSC_FALSE : PETSC_TRUE));
    PetscCall(NewVecs(A, &x, &b));
    if (silent) {
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      PetscCheck(reason == KSP_DIVERGED_PC_FAILED, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s of %s: %s", options.c_str(), type,
                 KSPConvergedReasons[reason]);
    } else PetscCall(ExpectError(code, words, [&] { return KSPSetUp(ksp); }));
    PetscCall(Destroy(&x, &b, &ksp));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Errors(void)
{
  const PetscReal inf = std::numeric_limits<PetscReal>::infinity(), nan = std::numeric_limits<PetscReal>::quiet_NaN();
  const Entries   e = FivePoint(8, 7, 4, 0.5), blocks = Scattered(12, 2, 2, false, 1);

  PetscFunctionBegin;
  for (MatType type : {TestAIJ(), TestType(), (MatType)MATBAIJ}) {
    PetscCall(Fails(type, Without(e, 13), "-pc_type ilu", PETSC_ERR_ARG_WRONGSTATE, "row 13 has no diagonal entry", false));
    PetscCall(Fails(type, Without(e, 13), "-pc_type ilu -pc_factor_mat_ordering_type level", PETSC_ERR_ARG_WRONGSTATE,
                    "row 13 has no diagonal entry", false));
    for (const char *order : {"", " -mat_bbs_ordering level", " -pc_factor_shift_type none",
                              " -pc_factor_shift_type positive_definite", " -pc_factor_shift_type inblocks"}) {
      for (PetscReal bad : {nan, inf}) {
        for (const char *pc : {"-pc_type ilu", "-pc_type icc"}) {
          PetscCall(Fails(type, With(e, 13, 13, bad), std::string(pc) + order, PETSC_ERR_FP, "row 13 ", true));
          const bool sums = !strstr(order, "none") && !strstr(order, "inblocks"); /* the row's sum makes its own pivot bad */
          PetscCall(
            Fails(type, With(e, 13, 14, bad), std::string(pc) + order, sums ? PETSC_SUCCESS : PETSC_ERR_FP, "row 13 ", true));
        }
      }
    }
  }
  for (MatType type : {TestType(), (MatType)MATBAIJ}) {
    PetscCall(Fails(type, Without(blocks, 5), "-pc_type ilu", PETSC_ERR_ARG_WRONGSTATE, "row 10 has no diagonal entry", false));
    for (const char *shift : {"none", "nonzero", "inblocks"}) {
      for (PetscReal bad : {nan, inf})
        PetscCall(Fails(type, With(blocks, 10, 10, bad), std::string("-pc_type ilu -pc_factor_shift_type ") + shift, PETSC_ERR_FP,
                        "row 10 ", true));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D's blocks: one that needs an exchange of rows is as good as any; a singular one is not, unless a shift helps */
static PetscErrorCode Blocks(MatType type)
{
  const std::string  shift = "-ksp_type gmres -pc_type ilu -pc_factor_shift_type ";
  const Entries      e = Scattered(12, 2, 2, false, 1), exchanged = With(With(With(With(e, 0, 0, 0), 0, 1, 3), 1, 0, 4), 1, 1, 0);
  const Entries      singular = With(With(With(With(e, 0, 0, 1), 0, 1, 2), 1, 0, 2), 1, 1, 4);
  PetscInt           its[2];
  KSPConvergedReason reason;
  Mat                A;
  Vec                z[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(Make(PETSC_COMM_SELF, k ? type : MATBAIJ, exchanged, &A));
    PetscCall(Solve(A, shift + "none -pc_factor_mat_solver_type " + (k ? "bbs" : "petsc"), &its[k], &reason, &z[k]));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(CheckVec(z[0], z[1], 1e-12, "zeros on the diagonal of a block"));
  PetscCheck(reason > 0 && its[0] == its[1], PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Zeros on the diagonal of a block: %d iterations instead of %d", (int)its[1], (int)its[0]);
  for (Vec &v : z) PetscCall(VecDestroy(&v));
  PetscCall(Fails(type, singular, shift + "none", PETSC_ERR_MAT_LU_ZRPVT, "in row 1;", true));
  PetscCall(Make(PETSC_COMM_SELF, type, singular, &A));
  PetscCall(Solve(A, shift + "inblocks -pc_factor_shift_amount 1 -pc_factor_mat_solver_type bbs", &its[0], &reason, &z[0]));
  PetscCheck(reason > 0 && its[0] < 20, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A shifted block: %s after %d iterations",
             KSPConvergedReasons[reason], (int)its[0]);
  PetscCall(Destroy(&z[0], &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* IC(0) with a negative pivot: both halves need its square root, MatSolve() does not */
static PetscErrorCode NegativePivot(void)
{
  System s;
  Mat    F;

  PetscFunctionBegin;
  PetscCall(SystemCreate(PETSC_COMM_SELF, TestType(), Kershaw(3),
                         "-pc_type icc -pc_factor_mat_solver_type bbs -pc_factor_shift_type none", &s));
  PetscCall(PCFactorGetMatrix(s.pc, &F));
  PetscCall(
    ExpectError(PETSC_ERR_MAT_CH_ZRPVT, "the pivot of row 3 is not positive", [&] { return MatForwardSolve(F, s.b, s.x); }));
  PetscCall(
    ExpectError(PETSC_ERR_MAT_CH_ZRPVT, "the pivot of row 3 is not positive", [&] { return MatBackwardSolve(F, s.b, s.x); }));
  PetscCall(MatSolve(F, s.b, s.x));
  PetscCall(SystemDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, [] {
    for (bool icc : {false, true}) {
      for (const char *order :
           {"", "-mat_bbs_ordering level", "-pc_factor_mat_ordering_type level", "-pc_factor_mat_ordering_type rcm"}) {
        for (MatType type : {TestAIJ(), TestType(), (MatType)MATBAIJ}) PetscCall(ZeroPivot(type, icc, order));
      }
    }
    PetscCall(Errors());
    for (MatType type : {TestType(), (MatType)MATBAIJ}) PetscCall(Blocks(type));
    PetscCall(NegativePivot());
    return PETSC_SUCCESS;
  });
}
