static char help[] = "ILU(0) and ICC(0) by the solver type bbs against PETSc's own factors: matrices, types, orderings, new "
                     "values, engines, right-hand sides.\n\n";

#include "twin.h"

typedef std::function<Entries(PetscInt seed)> Family;

/* `exact`, or what solves with values in single precision reach */
static PetscReal Tolerance(const std::string &ours, PetscReal exact)
{
  return ours.find("single") == std::string::npos ? exact : 1e-5;
}

/* Factors of a matrix, of other values in its pattern, and of the first ones again: by the same symbolic factor */
static PetscErrorCode Values(const Family &family, const char pc_type[], MatType type, bool blocks, const std::string &theirs,
                             const std::string &ours, const std::string &name)
{
  const std::string what = name + ", " + pc_type + " of " + type + " " + ours;
  Twin              t;
  Mat               F = nullptr;

  PetscFunctionBegin;
  PetscCall(TwinCreate(family(1), pc_type, type, blocks, theirs, ours, &t));
  PetscCall(Compare(t, what, Tolerance(ours, 1e-12)));
  for (PetscInt seed : {2, 1}) {
    for (int k = 0; k < 2; k++) {
      PetscCall(Fill(t.A[k], family(seed)));
      PetscCall(PCSetUp(t.pc[k]));
    }
    PetscCall(PCFactorGetMatrix(t.pc[1], &F));
    PetscCheck(F == t.F[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: new values made a new factor", what.c_str());
    PetscCall(Compare(t, what + ", values " + std::to_string(seed), Tolerance(ours, 1e-12)));
  }
  PetscCall(TwinDestroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What both are told, and what bbs alone is told */
static const char *const orders[][2] = {
  {"", ""},
  {"-pc_factor_mat_ordering_type rcm", ""},
  {"-pc_factor_mat_ordering_type level", ""},
  {"", "-mat_bbs_ordering level"},
  {"", "-mat_bbs_engine levels"},
  {"", "-mat_bbs_engine syncfree"},
  {"", "-mat_bbs_engine chunks"},
  {"", "-mat_bbs_engine together"},
  {"-pc_factor_mat_ordering_type rcm", "-mat_bbs_chunk 1"},
  {"", "-mat_bbs_chunk 7"},
  {"-pc_factor_mat_ordering_type level", "-mat_bbs_chunk 64"},
  {"", "-mat_bbs_storage single"},
  {"", "-mat_bbs_storage single -mat_bbs_engine levels"},
  {"", "-mat_bbs_storage single -mat_bbs_engine syncfree"},
  {"", "-mat_bbs_storage single -mat_bbs_engine chunks"},
  {"", "-mat_bbs_storage single -mat_bbs_chunk 7"},
};

/* Scalar matrices: as aij, with a block size too, which the factor of aij does not heed, and as bdia */
static PetscErrorCode Scalars(const char pc_type[], bool symmetric)
{
  const std::pair<const char *, Family> families[] = {
    {"scattered", [=](PetscInt seed) { return Scattered(150, 1, 3, symmetric, seed); }},
    {"rectangle",
     [=](PetscInt seed) {
       return Jumps({17, 13}, 1, symmetric ? 0 : 0.4, seed);
     }},
    {"box",
     [=](PetscInt seed) {
       return Jumps({7, 6, 5}, 1, symmetric ? 0 : 0.4, seed);
     }},
    {"blocks", [=](PetscInt seed) { return Scattered(40, 3, 2, symmetric, seed); }},
    {"one row", [=](PetscInt seed) { return Scattered(1, 1, 1, symmetric, seed); }},
  };

  PetscFunctionBegin;
  for (const auto &f : families) {
    const bool bs = f.second(1).bs > 1;
    for (const auto &o : orders) {
      for (MatType type : {TestAIJ(), TestType()}) {
        if (bs && !strcmp(type, TestType())) continue;
        PetscCall(Values(f.second, pc_type, type, false, o[0], std::string(o[0]) + " " + o[1], f.first));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Point blocks: rcm orders the block rows of baij, and would tear those of bdia apart */
static PetscErrorCode Blocks(const char pc_type[], bool symmetric, PetscInt bs)
{
  const Family families[] = {
    [=](PetscInt seed) { return Scattered(40, bs, 2, symmetric, seed); },
    [=](PetscInt seed) {
      return Jumps({4, 5, 3}, bs, symmetric ? 0 : 0.4, seed);
    },
  };

  PetscFunctionBegin;
  for (const Family &f : families) {
    for (const auto &o : orders) {
      for (MatType type : {(MatType)MATBAIJ, TestType()}) {
        if (strstr(o[0], "rcm") && !strcmp(type, TestType())) continue;
        PetscCall(Values(f, pc_type, type, true, o[0], std::string(o[0]) + " " + o[1], "block size " + std::to_string(bs)));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right-hand sides far outside of the range of single precision */
static PetscErrorCode Sizes(const char pc_type[])
{
  Vec b, x, y;

  PetscFunctionBegin;
  if (PetscDefined(USE_REAL_SINGLE)) PetscFunctionReturn(PETSC_SUCCESS);
  for (const auto &o : orders) {
    const std::string what = std::string(pc_type) + " " + o[1];
    Twin              t;
    if (what.find("single") == std::string::npos) continue;
    PetscCall(TwinCreate(Jumps({17, 13}, 1, 0, 1), pc_type, TestType(), false, "", o[1], &t));
    PetscCall(NewVecs(t.A[1], &x, &b));
    PetscCall(VecDuplicate(x, &y));
    PetscCall(MatSolve(t.F[1], b, x));
    for (PetscReal size : {1e-300, 1e-60, 1e60, 1e300}) {
      PetscCall(VecScale(b, size));
      PetscCall(MatSolve(t.F[1], b, y));
      PetscCall(VecScale(b, 1 / size));
      PetscCall(VecScale(y, 1 / size));
      PetscCall(CheckVec(x, y, 1e-5, (what + ", size " + std::to_string(std::log10(size))).c_str()));
    }
    PetscCall(VecSet(b, 0));
    PetscCall(MatSolve(t.F[1], b, y));
    PetscCall(VecSet(x, 0));
    PetscCall(CheckVec(x, y, 0, (what + ", zero").c_str()));
    PetscCall(Destroy(&b, &x, &y));
    PetscCall(TwinDestroy(&t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The forward solve, then the backward one */
static PetscErrorCode Halves(Mat F, Vec b, Vec x)
{
  Vec y;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &y));
  PetscCall(MatForwardSolve(F, b, y));
  PetscCall(MatBackwardSolve(F, y, x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlusTwice(Mat F, Vec b, Vec x)
{
  Vec y;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &y));
  PetscCall(VecCopy(b, y));
  PetscCall(MatSolveAdd(F, b, y, x));
  PetscCall(MatSolveTransposeAdd(F, b, x, y));
  PetscCall(VecCopy(y, x));
  PetscCall(MatSolveAdd(F, b, x, x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One factor's solve against other calls of its own */
static PetscErrorCode CheckSame(const Twin &t, Solver one, Solver other, PetscReal tol, const std::string &what)
{
  Vec b, x, y;

  PetscFunctionBegin;
  PetscCall(NewVecs(t.A[1], &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(one(t.F[1], b, x));
  PetscCall(other(t.F[1], b, y));
  PetscCall(CheckVec(x, y, tol, what.c_str()));
  PetscCall(Destroy(&b, &x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Many right-hand sides at a time against PETSc's factor and one, in dense matrices with and without rows between the columns;
   more, then fewer, then more */
static PetscErrorCode Many(const Twin &t, PetscReal tol, const std::string &what)
{
  PetscInt n;
  Vec      like;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(t.A[1], &n, nullptr));
  PetscCall(MatCreateVecs(t.A[0], &like, nullptr));
  for (PetscInt more : {0, 3}) {
    for (PetscInt count : {5, 1, 50}) {
      for (bool transposed : {false, true}) {
        const std::string all = what + ", " + std::to_string(count) + (transposed ? " columns transposed" : " columns");
        Columns           B, X;
        PetscCall(ColumnsCreate(n, count, more, &B));
        PetscCall(ColumnsCreate(n, count, more, &X));
        if (transposed) PetscCall(MatMatSolveTranspose(t.F[1], B.part, X.part));
        else PetscCall(MatMatSolve(t.F[1], B.part, X.part));
        PetscCall(CheckColumns(
          B, X, like, [&](Vec b, Vec x) { return transposed ? MatSolveTranspose(t.F[0], b, x) : MatSolve(t.F[0], b, x); },
          all.c_str(), tol));
        PetscCall(ColumnsDestroy(&B));
        PetscCall(ColumnsDestroy(&X));
      }
    }
  }
  PetscCall(VecDestroy(&like));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The other ways to solve */
static PetscErrorCode Ways(const char pc_type[], bool symmetric)
{
  PetscFunctionBegin;
  for (PetscInt bs : {1, 3}) {
    for (const auto &o : orders) {
      for (MatType type : {(MatType)(bs > 1 ? MATBAIJ : TestAIJ()), TestType()}) {
        const std::string what = std::string(pc_type) + " of " + type + ", bs " + std::to_string(bs) + " " + o[0] + " " + o[1];
        const PetscReal   tol  = Tolerance(o[1], 1e-12);
        Twin              t;
        if (bs > 1 && strstr(o[0], "rcm") && !strcmp(type, TestType())) continue;
        PetscCall(TwinCreate(bs > 1 ? Scattered(60, bs, 2, symmetric, 1) : Jumps({15, 11}, 1, symmetric ? 0 : 0.3, 1), pc_type,
                             type, bs > 1, o[0], std::string(o[0]) + " " + o[1], &t));
        PetscCall(CheckSame(t, MatSolve, Halves, Tolerance(o[1], 1e-13), what + ", halves"));
        PetscCall(CheckSolver(t, PlusTwice, tol, what + ", MatSolveAdd"));
        if (!strcmp(pc_type, "icc") && bs == 1 && !*o[0] && !strstr(o[1], "level")) {
          PetscCall(CheckSolver(t, MatForwardSolve, tol, what + ", MatForwardSolve"));
          PetscCall(CheckSolver(t, MatBackwardSolve, tol, what + ", MatBackwardSolve"));
        }
        if (strcmp(type, MATBAIJ) || !TestOnDevice()) PetscCall(Many(t, tol, what));
        PetscCall(TwinDestroy(&t));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, [] {
    for (bool icc : {false, true}) {
      for (bool symmetric : {false, true}) {
        const char *pc_type = icc ? "icc" : "ilu";
        if ((icc && !symmetric) || (TestQuick() && icc != symmetric)) continue;
        PetscCall(Scalars(pc_type, symmetric));
        if (symmetric) PetscCall(Sizes(pc_type));
        for (PetscInt bs : TestQuick() ? std::vector<PetscInt>{3} : std::vector<PetscInt>{2, 3, 4, 5})
          PetscCall(Blocks(pc_type, symmetric, bs));
        PetscCall(Ways(pc_type, symmetric));
      }
    }
    return PETSC_SUCCESS;
  });
}
