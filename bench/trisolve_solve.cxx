#include "trisolve.h"

#include <hepta.h>

#include <algorithm>

#ifdef HEPTA_HAVE_CUDA
  #include "trisolve_cusparse.h"
#endif

namespace
{

/* A triangle as a preconditioner: ours, or on the host PETSc's ilu, whose factors of U are I and U */
struct Triangle {
  PC          pc     = nullptr;
  const char *prefix = "";
  bool        ours   = true;
};

/* All that solves with one matrix. Contestants hold addresses of its parts */
struct Solves {
  const TriOptions &o;
  TriCase          &c;
  TriVectors        v;
  /* B and X: as many columns as the group at work has */
  Mat                                U = nullptr, B = nullptr, X = nullptr;
  Vec                                b = nullptr, x = nullptr;
  Triangle                           ours, petsc, engines[TriEngineCount];
  std::vector<std::vector<TriTimed>> groups; /* analysis, then the solves, by the number of right-hand sides */
#ifdef HEPTA_HAVE_CUDA
  TriCusparse cusparse;
#endif

  Solves(const TriOptions &options, TriCase &triangle) : o(options), c(triangle) {}
};

} // namespace

static const char *const enginePrefixes[TriEngineCount] = {"levels_", "syncfree_", "chunks_", "together_"};

/* A new preconditioner, not set up, for a matrix whose values have just changed */
static PetscErrorCode Renew(Mat U, Triangle *t)
{
  PetscFunctionBegin;
  PetscCall(PCDestroy(&t->pc));
  PetscCall(TriTouch(U));
  PetscCall(PCCreate(PETSC_COMM_SELF, &t->pc));
  PetscCall(PCSetOptionsPrefix(t->pc, t->prefix));
  PetscCall(PCSetOperators(t->pc, U, U));
  PetscCall(PCSetType(t->pc, t->ours ? PCBBS : PCILU));
  if (!t->ours) PetscCall(PCFactorSetMatSolverType(t->pc, MATSOLVERPETSC));
  PetscCall(PCSetFromOptions(t->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The answer is where it is measured, wherever it was computed */
static PetscErrorCode Flush(Solves &s, PetscInt n)
{
  const PetscScalar *a;
  PetscMemType       type;

  PetscFunctionBegin;
  if (n == 1) {
    PetscCall(VecGetArrayReadAndMemType(s.x, &a, &type));
    PetscCall(VecRestoreArrayReadAndMemType(s.x, &a));
  } else {
    PetscCall(MatDenseGetArrayReadAndMemType(s.X, &a, &type));
    PetscCall(MatDenseRestoreArrayReadAndMemType(s.X, &a));
  }
  PetscCheck(!s.o.device || PetscMemTypeDevice(type), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The answer is not on the device");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply(Solves &s, const Triangle &t, PetscInt n)
{
  PetscFunctionBegin;
  if (n == 1) PetscCall(PCApply(t.pc, s.b, s.x));
  else PetscCall(PCMatApply(t.pc, s.B, s.X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static TriTimed Analysis(Solves &s, const std::string &name, Triangle *t)
{
  return {"analysis by " + name, [&s, t]() { return Renew(s.U, t); }, [t]() { return PCSetUp(t->pc); }};
}

/* A contestant whose answer is checked; what writes past PETSc has nothing to flush */
static TriTimed Solve(Solves &s, const std::string &name, PetscInt n, bool flush, const std::function<PetscErrorCode()> &run)
{
  const auto check = [&s, n, flush, run](double *error) {
    PetscFunctionBegin;
    PetscCall(s.v.Poison(n));
    PetscCall(run());
    if (flush) PetscCall(Flush(s, n));
    PetscCall(s.v.Check(s.c.U, n, error));
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  return {name + " with " + std::to_string(n) + (n == 1 ? " right-hand side" : " right-hand sides"), nullptr, run, check};
}

static TriTimed Solve(Solves &s, const std::string &name, PetscInt n, Triangle *t)
{
  return Solve(s, name, n, true, [&s, t, n]() { return Apply(s, *t, n); });
}

/* Our analysis and that of the rival; the last of each stays for the solves */
static PetscErrorCode GroupAnalysis(Solves &s)
{
  std::vector<TriTimed> group;

  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (s.o.device)
    group.push_back(
      {"analysis by SpSV", [&s]() { return s.cusparse.PrepareVector(); }, [&s]() { return s.cusparse.AnalyzeVector(); }});
#endif
  if (!s.o.device) group.push_back(Analysis(s, "PETSc", &s.petsc));
  group.push_back(Analysis(s, "bbs", &s.ours));
  PetscCall(TriTime(s.o, group));
  s.groups.push_back(group);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeDense(Solves &s, PetscInt n)
{
  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (s.o.device) {
    PetscCall(MatCreateSeqDenseCUDA(PETSC_COMM_SELF, s.v.rows, n, s.v.b, &s.B));
    PetscCall(MatCreateSeqDenseCUDA(PETSC_COMM_SELF, s.v.rows, n, s.v.x, &s.X));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, s.v.rows, n, s.v.b, &s.B));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, s.v.rows, n, s.v.x, &s.X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GroupSolve(Solves &s, PetscInt n)
{
  std::vector<TriTimed> group;

  PetscFunctionBegin;
  PetscCall(MakeDense(s, n));
#ifdef HEPTA_HAVE_CUDA
  if (s.o.device) group.push_back(Solve(s, "SpSV", n, false, [&s, n]() { return s.cusparse.SolveVectors(s.v, n); }));
  if (s.o.device && n >= 5) {
    std::string failure;
    PetscCall(BenchTry("analysis by SpSM", [&]() { return s.cusparse.PrepareMatrix(s.v, n); }, &failure));
    group.push_back(Solve(s, "SpSM", n, false, [&s]() { return s.cusparse.SolveMatrix(); }));
    group.back().failure = failure;
  }
#endif
  if (!s.o.device) group.push_back(Solve(s, "PETSc", n, &s.petsc));
  group.push_back(Solve(s, "bbs", n, &s.ours));
  for (int k = 0; k < TriEngineCount && s.o.engines; k++) {
    std::string failure;
    PetscCall(BenchTry(TriEngines[k], [&]() { return Renew(s.U, &s.engines[k]); }, &failure));
    group.push_back(Solve(s, TriEngines[k], n, &s.engines[k]));
    group.back().failure = failure;
  }
  PetscCall(TriTime(s.o, group));
  s.groups.push_back(group);
  PetscCall(MatDestroy(&s.B));
  PetscCall(MatDestroy(&s.X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Start(Solves &s)
{
  PetscFunctionBegin;
  PetscCall(s.v.Create(s.o.device, s.c.U.rows, *std::max_element(s.o.rhs.begin(), s.o.rhs.end())));
  PetscCall(TriMat(s.o, s.c.U, &s.U));
  s.petsc = {nullptr, "petsc_", false};
  for (int k = 0; k < TriEngineCount; k++) {
    s.engines[k] = {nullptr, enginePrefixes[k], true};
    if (s.o.engines)
      PetscCall(PetscOptionsSetValue(nullptr, (std::string("-") + enginePrefixes[k] + "mat_bbs_engine").c_str(), TriEngines[k]));
  }
#ifdef HEPTA_HAVE_CUDA
  if (s.o.device) {
    PetscCall(s.cusparse.Create(s.c.U, s.v));
    PetscCall(VecCreateSeqCUDAWithArray(PETSC_COMM_SELF, 1, s.v.rows, s.v.b, &s.b));
    PetscCall(VecCreateSeqCUDAWithArray(PETSC_COMM_SELF, 1, s.v.rows, s.v.x, &s.x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, s.v.rows, s.v.b, &s.b));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, s.v.rows, s.v.x, &s.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an error left half made may not come apart cleanly: then it stays */
static PetscErrorCode Finish(Solves &s)
{
  std::string ignored;

  PetscFunctionBegin;
  const auto release = [&](Triangle &t) {
    return BenchTry("freeing a preconditioner", [&]() { return PCDestroy(&t.pc); }, &ignored);
  };
  for (Triangle *t : {&s.ours, &s.petsc}) PetscCall(release(*t));
  for (Triangle &t : s.engines) PetscCall(release(t));
  PetscCall(BenchTry(
    "freeing a case",
    [&]() {
      PetscFunctionBegin;
      PetscCall(VecDestroy(&s.b));
      PetscCall(VecDestroy(&s.x));
      PetscCall(MatDestroy(&s.U));
#ifdef HEPTA_HAVE_CUDA
      if (s.o.device) PetscCall(s.cusparse.Destroy());
#endif
      PetscCall(s.v.Destroy());
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    &ignored));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriSolves(const TriOptions &o, TriCase &c, TriTables &tables)
{
  Solves   s(o, c);
  TriShape shape;
  Mat      U;

  PetscFunctionBegin;
  PetscCall(CSRGetAIJ(c.U, &U));
  PetscCall(BenchTry(
    "HeptaMatGetLevels", [&]() { return HeptaMatGetLevels(U, PETSC_TRUE, &shape.levels, &shape.blocks, &shape.length, nullptr); },
    &shape.failure));
  PetscCall(MatDestroy(&U));
  PetscCall(Start(s));
  PetscCall(GroupAnalysis(s));
  for (PetscInt n : o.rhs) PetscCall(GroupSolve(s, n));
  if (o.view && s.ours.pc) PetscCall(PCView(s.ours.pc, PETSC_VIEWER_STDERR_SELF));
  PetscCall(Finish(s));
  PetscCall(TriReport(o, c, shape, s.groups, tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}
