static char help[] =
  "Solves with MATBDIA and with MATAIJ: preconditioners that need more of a matrix than products must take the same iterations.\n\
  -only <text> : only the cases whose options contain the text\n\
  -verbose     : names each case before it runs\n\n";

#include "pair.h"
#include "versions.h"

#include <cstring>
#include <sstream>

enum Needs {
  ANY,
  ONE,    /* one rank */
  SEVERAL /* more than one */
};

struct Case {
  const char *options;
  Needs       needs;
  bool        spd;
};

static const Case cases[] = {
  {"-ksp_type gmres -pc_type sor", ANY, false},
  {"-ksp_type gmres -pc_type sor -pc_sor_forward -pc_sor_omega 1.2 -pc_sor_its 2 -pc_sor_lits 2", ONE, false},
  {"-ksp_type gmres -pc_type sor -pc_sor_local_forward -pc_sor_omega 1.2 -pc_sor_its 2 -pc_sor_lits 2", SEVERAL, false},
  {"-ksp_type gmres -pc_type sor -pc_sor_local_backward", ANY, false},
  {"-ksp_type cg -pc_type eisenstat", ANY, true},
  {"-ksp_type cg -pc_type eisenstat -pc_eisenstat_omega 1.3", ANY, true},
  {"-ksp_type gmres", ANY, false},
  {"-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_levels 1 -sub_pc_factor_mat_solver_type petsc", ANY, false},
  {"-ksp_type gmres -pc_type bjacobi -pc_bjacobi_local_blocks 2 -sub_pc_type lu", ANY, false},
  {"-ksp_type gmres -pc_type bjacobi -pc_bjacobi_blocks 1 -sub_pc_type jacobi", SEVERAL, false},
  {"-ksp_type gmres -pc_type bjacobi -pc_bjacobi_blocks 2 -sub_pc_type jacobi -sub_ksp_type preonly", SEVERAL, false},
  {"-ksp_type gmres -pc_type asm", ANY, false},
  {"-ksp_type gmres -pc_type asm -pc_asm_overlap 2 -pc_asm_type basic -pc_asm_blocks 6 -sub_pc_type lu", ANY, false},
  {"-ksp_type gmres -pc_type gasm -pc_gasm_total_subdomains 3", ANY, false},
  {"-ksp_type gmres -pc_type redundant", ANY, false},
  {"-ksp_type gmres -pc_type redundant -pc_redundant_number 1 -redundant_pc_type jacobi", SEVERAL, false},
  {"-ksp_type gmres -pc_type telescope -telescope_pc_type bjacobi", SEVERAL, false},
  {"-ksp_type gmres -pc_type telescope -pc_telescope_reduction_factor 2 -telescope_pc_type redundant", SEVERAL, false},
  {"-ksp_type cg -pc_type gamg -pc_gamg_coarse_eq_limit 5 -mg_levels_ksp_max_it 2 -mg_levels_pc_type sor", ANY, true},
  {"-ksp_type gmres -pc_type gamg -pc_gamg_coarse_eq_limit 5 -pc_gamg_agg_nsmooths 0", ANY, false},
  {"-ksp_type gmres -pc_type pbjacobi", ANY, false},
  {"-ksp_type gmres -pc_type lu", ONE, false},
  {"-ksp_type gmres -pc_type lu -pc_factor_mat_ordering_type rcm -pc_factor_nonzeros_along_diagonal", ONE, false},
  {"-ksp_type gmres -pc_type ilu", ONE, false},
  {"-ksp_type gmres -pc_type ilu -pc_factor_levels 2 -pc_factor_mat_solver_type petsc -pc_factor_mat_ordering_type qmd", ONE,
   false},
  {"-ksp_type gmres -pc_type ilu -pc_factor_levels 2", ONE, false}, /* fill: the default bbs gives way */
  {"-ksp_type cg -pc_type icc -pc_factor_levels 1", ONE, true},
  {"-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_levels 1", ANY, false},
  {"-ksp_type gmres -pc_type ilu -pc_factor_diagonal_fill -pc_factor_shift_type inblocks", ONE, false},
  {"-ksp_type cg -pc_type icc", ONE, true},
  {"-ksp_type cg -pc_type icc -pc_factor_levels 1 -pc_factor_mat_solver_type petsc -pc_factor_mat_ordering_type 1wd", ONE, true},
  {"-ksp_type cg -pc_type cholesky", ONE, true},
  {"-ksp_type cg -pc_type cholesky -pc_factor_mat_ordering_type nd -pc_factor_shift_type positive_definite", ONE, true},
};

/* Puts the options into the database, each with the prefix */
static PetscErrorCode InsertOptions(const char options[], const char prefix[])
{
  std::istringstream in(options);
  std::string        word, all;

  PetscFunctionBeginUser;
  while (in >> word)
    all += word[0] == '-' && word.size() > 1 && !isdigit(word[1]) ? std::string(" -") + prefix + word.substr(1) : " " + word;
  PetscCall(PetscOptionsInsertString(nullptr, all.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateKSP(Mat A, const char prefix[], KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetTolerances(*ksp, TestTolerance(1e-9), PETSC_CURRENT, PETSC_CURRENT, 400));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both solve A x = b: iterations and reasons must be equal (in single, iterations within one), solutions close */
static PetscErrorCode Compare(KSP kaij, KSP kbdia, Vec b, const char what[])
{
  Vec                x[2];
  PetscInt           its[2];
  KSPConvergedReason reason[2];
  KSP                ksp[2] = {kaij, kbdia};

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(b, &x[k]));
    PetscCall(KSPSolve(ksp[k], b, x[k]));
    PetscCall(KSPGetIterationNumber(ksp[k], &its[k]));
    PetscCall(KSPGetConvergedReason(ksp[k], &reason[k]));
  }
  PetscCheck(reason[0] > 0, PetscObjectComm((PetscObject)b), PETSC_ERR_PLIB, "%s: aij does not converge (%s)", what,
             KSPConvergedReasons[reason[0]]);
  PetscCheck(PetscAbsInt(its[0] - its[1]) <= PetscDefined(USE_REAL_SINGLE) && reason[0] == reason[1],
             PetscObjectComm((PetscObject)b), PETSC_ERR_PLIB,
             "%s: %" PetscInt_FMT " iterations (%s) with aij, %" PetscInt_FMT " (%s) with bdia", what, its[0],
             KSPConvergedReasons[reason[0]], its[1], KSPConvergedReasons[reason[1]]);
  PetscCall(CheckVec(x[0], x[1], 1e-7, what));
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One case: first solve, solve after new values, in the same KSP */
static PetscErrorCode Run(const PairSpec &s, const Case &c, PetscInt number)
{
  Pair p;
  KSP  ksp[2];
  Vec  b;
  char prefix[32];

  PetscFunctionBeginUser;
  const std::string what = std::string("bs ") + std::to_string(s.bs) + " " + s.options + " " + c.options;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "c%" PetscInt_FMT "_", number));
  PetscCall(InsertOptions(c.options, prefix));
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(CreateKSP(p.aij, prefix, &ksp[0]));
  PetscCall(CreateKSP(p.bdia, prefix, &ksp[1]));
  PetscCall(MatCreateVecs(p.aij, nullptr, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(Compare(ksp[0], ksp[1], b, what.c_str()));
  for (Mat A : {p.aij, p.bdia}) PetscCall(PairFill(A, s, s.seed + 1));
  PetscCall(ForgetInverse(ksp[0], p.aij));
  PetscCall(Compare(ksp[0], ksp[1], b, (what + " (new values)").c_str()));
  for (KSP &k : ksp) PetscCall(KSPDestroy(&k));
  PetscCall(VecDestroy(&b));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* LU and ILU in place turn the matrix into its factor */
static PetscErrorCode InPlace(const PairSpec &s, bool lu)
{
  Pair          p;
  Vec           b, x[2];
  MatFactorInfo info;
  IS            row, col;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatCreateVecs(p.aij, nullptr, &b));
  PetscCall(VecSet(b, 1));
  for (int k = 0; k < 2; k++) {
    Mat A = k ? p.bdia : p.aij;
    PetscCall(VecDuplicate(b, &x[k]));
    PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &row, &col));
    if (lu) PetscCall(MatLUFactor(A, row, col, &info));
    else PetscCall(MatILUFactor(A, row, col, &info));
    PetscCall(MatSolve(A, b, x[k]));
    PetscCall(ISDestroy(&row));
    PetscCall(ISDestroy(&col));
  }
  PetscCall(CheckVec(x[0], x[1], 1e-12, lu ? "lu in place" : "ilu in place"));
  for (Vec &v : x) PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&b));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factor of one matrix: its solves with two sets of values, of several right-hand sides, and the inertia or a transposed solve */
static PetscErrorCode FactorOne(Mat A, const PairSpec &s, MatFactorType type, Vec b, Mat B, Vec x[], Mat *X, PetscInt inertia[])
{
  Mat           F;
  MatFactorInfo info;
  IS            row, col;

  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, type, &F));
  PetscCall(MatGetOrdering(A, MATORDERINGRCM, &row, &col));
  if (type == MAT_FACTOR_LU) PetscCall(MatLUFactorSymbolic(F, A, row, col, &info));
  else PetscCall(MatCholeskyFactorSymbolic(F, A, row, &info));
  for (PetscInt again = 0; again < 2; again++) {
    if (again) PetscCall(PairFill(A, s, s.seed + 7));
    if (type == MAT_FACTOR_LU) PetscCall(MatLUFactorNumeric(F, A, &info));
    else PetscCall(MatCholeskyFactorNumeric(F, A, &info));
    PetscCall(VecDuplicate(b, &x[again]));
    PetscCall(MatSolve(F, b, x[again]));
  }
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, X));
  PetscCall(MatMatSolve(F, B, *X));
  if (type == MAT_FACTOR_CHOLESKY) PetscCall(MatGetInertia(F, &inertia[0], &inertia[1], &inertia[2]));
  PetscCall(VecDuplicate(b, &x[2]));
  PetscCall(MatSolveTranspose(F, b, x[2]));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscCall(MatDestroy(&F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Factor(const PairSpec &s, MatFactorType type)
{
  Pair     p;
  Vec      b, x[2][3];
  Mat      B, X[2];
  PetscInt inertia[2][3] = {};

  PetscFunctionBeginUser;
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(MatCreateVecs(p.aij, nullptr, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, s.nb * s.bs, 3, nullptr, &B));
  PetscCall(MatSetRandom(B, nullptr));
  for (int k = 0; k < 2; k++) PetscCall(FactorOne(k ? p.bdia : p.aij, s, type, b, B, x[k], &X[k], inertia[k]));
  for (int i = 0; i < 3; i++) PetscCall(CheckVec(x[0][i], x[1][i], 1e-12, i == 2 ? "MatSolveTranspose" : "MatSolve"));
  PetscCall(CheckMat(X[0], X[1], 1e-12, "MatMatSolve"));
  PetscCheck(!memcmp(inertia[0], inertia[1], sizeof(inertia[0])), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "MatGetInertia: bdia differs from aij");
  for (int k = 0; k < 2; k++) {
    for (Vec &v : x[k]) PetscCall(VecDestroy(&v));
    PetscCall(MatDestroy(&X[k]));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(VecDestroy(&b));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;
  PetscInt    number    = 0;
  PetscBool   verbose   = PETSC_FALSE;
  char        only[128] = "";

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-only", only, sizeof(only), nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-verbose", &verbose, nullptr));
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_no_inode"));
  PetscCall(PairEachBlockSize(40, 20, [&](PairSpec &s) {
    for (const Case &c : cases) {
      if ((c.needs == ONE && size > 1) || (c.needs == SEVERAL && size == 1) || !strstr(c.options, only)) continue;
      /* its aij has no product with diagonal blocks */
      if (HEPTA_TEST_PETSC_3_25 && size > 1 && strstr(c.options, "eisenstat")) continue;
      s.symmetric = c.spd;
      if (verbose) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "bs %" PetscInt_FMT " %s\n", s.bs, c.options));
      PetscCall(Run(s, c, number++));
    }
    for (bool symmetric : {false, true}) {
      s.symmetric = symmetric;
      if (size > 1 || *only) continue;
      PetscCall(InPlace(s, true));
      PetscCall(InPlace(s, false));
      PetscCall(Factor(s, symmetric ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU));
    }
    return PETSC_SUCCESS;
  }));
  PetscCall(PetscFinalize());
  return 0;
}
