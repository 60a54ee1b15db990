static char help[] = "Iterations with factors by the solver type bbs and by PETSc, also in block Jacobi and additive Schwarz; "
                     "which is the default; what is refused.\n\n";

#include "entries.h"

/* Solves and looks at the residual */
static PetscErrorCode Solve(Mat A, const std::string &options, PetscInt *its)
{
  /* GMRES takes the sum of M^-1 v_k for M^-1 times the sum, which differ by the rounding of M^-1 */
  const PetscReal    most = strstr(options.c_str(), "storage single") && strstr(options.c_str(), "gmres") ? 1e-6 : 1e-7;
  KSP                ksp;
  Vec                x, b;
  PetscReal          nr, nb;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(NewKSP(A,
                   std::string("-ksp_rtol 1e-9 -ksp_norm_type unpreconditioned -ksp_max_it 500 ") +
                     (strstr(options.c_str(), "cg") ? "" : "-ksp_pc_side right ") + options,
                   &ksp));
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %s", options.c_str(), KSPConvergedReasons[reason]);
  PetscCall(VecNorm(b, NORM_2, &nb));
  PetscCall(MatMult(A, x, b));
  PetscCall(VecScale(b, -1));
  PetscCall(FillVec(x, 1));
  PetscCall(VecAXPY(b, 1, x));
  PetscCall(VecNorm(b, NORM_2, &nr));
  PetscCheck(nr <= most * nb, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: residual %g of %g", options.c_str(), (double)nr, (double)nb);
  PetscCall(Destroy(&x, &b, &ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same iterations, give or take one */
static PetscErrorCode SameIterations(const Entries &e, MatType oracle, MatType type, const std::string &method,
                                     const std::string &prefix, const std::string &more)
{
  const std::string solver = " -" + prefix + "pc_factor_mat_solver_type ";
  PetscInt          its[2];
  Mat               A;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_WORLD, oracle, e, &A));
  PetscCall(Solve(A, method + solver + "petsc", &its[0]));
  PetscCall(MatDestroy(&A));
  PetscCall(Make(PETSC_COMM_WORLD, type, e, &A));
  PetscCall(Solve(A, method + solver + "bbs " + more, &its[1]));
  PetscCall(MatDestroy(&A));
  PetscCheck(PetscAbsInt(its[0] - its[1]) <= 1 && its[0] > 3, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s, %s: %d iterations with bbs, %d with PETSc's factors", type, (method + " " + more).c_str(), (int)its[1],
             (int)its[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(void)
{
  const std::pair<std::string, std::string> methods[] = {
    {"-pc_type ", ""},
    {"-pc_type bjacobi -sub_pc_type ", "sub_"},
    {"-pc_type asm -pc_asm_overlap 1 -sub_pc_type ", "sub_"},
  };
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt bs : {1, 2}) {
    for (bool symmetric : {false, true}) {
      const Entries e      = Jumps({24, 18}, bs, symmetric ? 0 : 0.3, 1);
      MatType       oracle = bs > 1 ? MATBAIJ : MATAIJ;
      for (const auto &m : methods) {
        if (size > 1 && m.second.empty()) continue;
        for (MatType type : {bs > 1 ? MATBAIJ : TestAIJ(), TestType()}) {
          const std::string method =
            std::string(symmetric && !strstr(m.first.c_str(), "asm") ? "-ksp_type cg " : "-ksp_type gmres ") + m.first +
            (symmetric ? "icc" : "ilu");
          /* its parts are aij, whose factors are scalar */
          if (bs > 1 && strstr(m.first.c_str(), "asm") && !strcmp(type, TestType())) continue;
          PetscCall(SameIterations(e, oracle, type, method, m.second, ""));
          PetscCall(SameIterations(e, oracle, type, method, m.second, "-" + m.second + "mat_bbs_ordering level"));
          PetscCall(SameIterations(e, oracle, type, method, m.second, "-" + m.second + "mat_bbs_storage single"));
          if (bs == 1)
            PetscCall(
              SameIterations(e, oracle, type, method + " -" + m.second + "pc_factor_mat_ordering_type level", m.second, ""));
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Who factors with the options */
static PetscErrorCode Expect(MatType type, const std::string &options, const char expected[])
{
  Mat           A, F;
  PC            pc;
  MatSolverType solver;
  PetscBool     same;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, type, Jumps({6, 5}, 1, 0, 1), &A));
  PetscCall(NewFactor(A, options, &pc, &F));
  PetscCall(MatFactorGetSolverType(F, &solver));
  PetscCall(PetscStrcmp(solver, expected, &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s of %s is by %s, not %s", options.c_str(), type, solver, expected);
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Defaults(void)
{
  PetscFunctionBegin;
  for (const char *pc : {"-pc_type ilu", "-pc_type icc"}) {
    PetscCall(Expect(TestType(), pc, MATSOLVERBBS));
    PetscCall(Expect(TestType(), std::string(pc) + " -pc_factor_mat_solver_type petsc", MATSOLVERPETSC));
    PetscCall(Expect(MATSEQAIJ, pc, MATSOLVERPETSC));
    PetscCall(Expect(MATSEQBAIJ, pc, MATSOLVERPETSC));
    for (MatType type : {TestType(), TestAIJ(), (MatType)MATBAIJ})
      PetscCall(Expect(type, std::string(pc) + " -pc_factor_mat_solver_type bbs", MATSOLVERBBS));
    if (TestOnDevice()) PetscCall(Expect(MATSEQAIJCUSPARSE, pc, MATSOLVERCUSPARSE));
  }
  for (const char *pc : {"-pc_type lu", "-pc_type cholesky"}) PetscCall(Expect(TestType(), pc, MATSOLVERPETSC));
  PetscCall(Expect(MATSEQAIJ, "-pc_type lu", MATSOLVERPETSC));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refused(MatType type, PetscInt bs, const std::string &options, PetscErrorCode code, const char words[])
{
  return ExpectRefused(PETSC_COMM_SELF, type, Scattered(20, bs, 3, true, 1),
                       "-pc_type ilu -pc_factor_mat_solver_type bbs " + options, code, words);
}

/* By the factor itself: after an error PETSc's PCICC keeps its ordering for ever */
static PetscErrorCode RefusedICC(MatType type)
{
  Mat           A, F;
  IS            row, col;
  MatFactorInfo info;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, type, Scattered(20, 1, 3, true, 1), &A));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &row, &col));
  PetscCall(MatGetFactor(A, MATSOLVERBBS, MAT_FACTOR_ICC, &F));
  info.fill   = 1;
  info.levels = 2;
  PetscCall(ExpectError(PETSC_ERR_SUP, "-pc_factor_levels 2 needs -pc_factor_mat_solver_type petsc",
                        [&] { return MatICCFactorSymbolic(F, A, row, &info); }));
  info.levels = 0;
  PetscCall(MatICCFactorSymbolic(F, A, row, &info));
  PetscCall(MatCholeskyFactorNumeric(F, A, &info));
  PetscCall(Destroy(&row, &col, &F, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refusals(void)
{
  PetscFunctionBegin;
  for (MatType type : {TestAIJ(), TestType(), (MatType)MATBAIJ}) {
    PetscCall(
      Refused(type, 1, "-pc_factor_levels 1", PETSC_ERR_SUP, "-pc_factor_levels 1 needs -pc_factor_mat_solver_type petsc"));
    PetscCall(Refused(type, 1, "-mat_bbs_chunk 0", PETSC_ERR_ARG_OUTOFRANGE, "-mat_bbs_chunk 0 must be positive"));
    for (const char *engine : {"fast", "persistent"})
      PetscCall(Refused(type, 1, std::string("-mat_bbs_engine ") + engine, PETSC_ERR_USER, engine));
    PetscCall(Refused(type, 1, "-mat_bbs_ordering rcm", PETSC_ERR_USER, "rcm"));
    PetscCall(Refused(type, 1, "-mat_bbs_storage half", PETSC_ERR_USER, "half"));
    PetscCall(RefusedICC(type));
  }
  PetscCall(Refused(TestType(), 2, "-pc_factor_mat_ordering_type 1wd", PETSC_ERR_SUP, "order block rows"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the view says of a factor */
static PetscErrorCode Views(const std::string &options, const std::vector<const char *> &words)
{
  System s;

  PetscFunctionBegin;
  PetscCall(SystemCreate(PETSC_COMM_SELF, TestType(), Jumps({8, 6}, 1, 0, 1), options, &s));
  PetscCall(PCApply(s.pc, s.b, s.x)); /* the triangles are made when they are needed */
  PetscCall(CheckView(s.pc, words));
  PetscCall(SystemDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host takes the rows one after the other, so that its solutions have the same bits with all engines */
static PetscErrorCode SameOnHost(void)
{
  Mat       A;
  Vec       b, x, first[2];
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, MATSEQAIJ, Scattered(300, 1, 12, false, 1), &A));
  PetscCall(NewVecs(A, &x, &b));
  for (Vec &v : first) PetscCall(VecDuplicate(x, &v));
  for (const std::string engine :
       {"auto", "levels", "syncfree", "chunks", "together", "chunks -mat_bbs_chunk 7", "auto -mat_bbs_chunk 64"}) {
    PC pc;
    PetscCall(NewPC(A, "-pc_type ilu -pc_factor_mat_solver_type bbs -mat_bbs_engine " + engine, &pc));
    for (int transposed = 0; transposed < 2; transposed++) {
      PetscCall(transposed ? PCApplyTranspose(pc, b, x) : PCApply(pc, b, x));
      if (engine == "auto") PetscCall(VecCopy(x, first[transposed]));
      PetscCall(VecEqual(x, first[transposed], &same));
      PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "engine %s%s: not the bits of auto on the host", engine.c_str(),
                 transposed ? ", transposed" : "");
    }
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(Destroy(&b, &x, &first[0], &first[1], &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, [] {
    PetscMPIInt size;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(Iterations());
    if (size == 1) {
      PetscCall(Defaults());
      PetscCall(Refusals());
      PetscCall(SameOnHost());
      const char *host[] = {"L: 48 rows, one after the other on the host", "U: 48 rows, one after the other on the host"};
      PetscCall(Views("-pc_type ilu -mat_bbs_engine chunks",
                      {"ILU(0), rows in the given order", TestOnDevice() ? "L: 48 rows in 13 levels, at most 6 in one" : host[0],
                       TestOnDevice() ? "U: 48 rows in 13 levels" : host[1], TestOnDevice() ? "engine chunks" : ""}));
      PetscCall(Views("-pc_type ilu -mat_bbs_storage single", {sizeof(PetscReal) > 4 ? "values in single precision" : "ILU(0)"}));
      PetscCall(Views(
        "-pc_type icc -mat_bbs_ordering level -mat_bbs_engine levels",
        {"IC(0), rows in level order", TestOnDevice() ? "13 levels" : host[0], TestOnDevice() ? "engine levels" : host[1]}));
    }
    return PETSC_SUCCESS;
  });
}
