/* icc and ilu as a whole: bbs against what PETSc takes where the matrix is */
#include "trisolve.h"

#include <hepta.h>

#include <algorithm>

#include "petsc_types.h"

namespace
{

struct Side {
  const char   *name, *prefix;
  MatSolverType type;
  PC            pc           = nullptr;
  Vec           x            = nullptr;
  KSP           ksp          = nullptr;
  PetscReal     residuals[2] = {}; /* of cg, preconditioned: first, last */
  PetscInt      its          = 0;
};

struct Whole {
  const TriOptions &o;
  TriCase          &c;
  Mat               A = nullptr;
  Vec               b = nullptr;
  Side              sides[2];
};

} // namespace

static PetscErrorCode Configure(const Whole &w, PC pc, const Side &s)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, w.c.symmetric ? PCICC : PCILU));
  PetscCall(PCFactorSetMatSolverType(pc, s.type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Renew(Whole &w, Side &s)
{
  PetscFunctionBegin;
  PetscCall(PCDestroy(&s.pc));
  PetscCall(TriTouch(w.A));
  PetscCall(PCCreate(PETSC_COMM_SELF, &s.pc));
  PetscCall(PCSetOptionsPrefix(s.pc, s.prefix));
  PetscCall(PCSetOperators(s.pc, w.A, w.A));
  PetscCall(Configure(w, s.pc, s));
  PetscCall(PCSetFromOptions(s.pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUp(PC pc)
{
  PCFailedReason reason;

  PetscFunctionBegin;
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCheck(reason == PC_NOERROR, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "The factorization failed: %s",
             PCFailedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The set-ups touch the matrix both share, so each set-up has new values, and so has the first PCApply */
static PetscErrorCode TimeOperations(Whole &w, std::vector<std::vector<TriTimed>> &groups)
{
  PetscFunctionBegin;
  groups.assign(3, {});
  for (Side &s : w.sides) {
    Side             *p    = &s;
    const std::string name = std::string(" of ") + (w.c.symmetric ? "icc by " : "ilu by ") + s.name;
    groups[0].push_back({"set-up" + name, [&w, p]() { return Renew(w, *p); }, [p]() { return SetUp(p->pc); }});
    groups[1].push_back({"set-up for new values" + name, [&w]() { return TriTouch(w.A); }, [p]() { return SetUp(p->pc); }});
    groups[2].push_back({"PCApply" + name, nullptr, [&w, p]() { return PCApply(p->pc, w.b, p->x); }});
  }
  for (size_t g = 0; g < groups.size(); g++) {
    for (int k = 0; g && k < 2; k++) groups[g][k].failure = groups[g - 1][k].failure; /* nothing to go on with */
    PetscCall(TriTime(w.o, groups[g]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Difference(Whole &w, BenchCell *cell)
{
  PetscReal norm, difference;

  PetscFunctionBegin;
  PetscCall(VecNorm(w.sides[0].x, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(w.sides[0].x, -1.0, w.sides[1].x));
  PetscCall(VecNorm(w.sides[0].x, NORM_INFINITY, &difference));
  *cell = BenchNumber("%.1e", norm > 0 ? difference / norm : difference);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Operations(Whole &w, TriTables &tables)
{
  std::vector<std::vector<TriTimed>> groups;
  std::vector<BenchCell>             row = {BenchText(w.c.name), BenchText(w.c.order), BenchText(w.c.symmetric ? "icc" : "ilu")};
  BenchCell                          difference = BenchNone();

  PetscFunctionBegin;
  PetscCall(TimeOperations(w, groups));
  for (const auto &g : groups) {
    for (const TriTimed &t : g) row.push_back(TriTimeCell(&t));
    tables.bad += !g[1].failure.empty();
    row.push_back(BenchRatio(g[0].median, g[1].median));
  }
  if (groups[2][0].failure.empty() && groups[2][1].failure.empty()) PetscCall(Difference(w, &difference));
  row.push_back(difference);
  tables.preconditioners.rows.push_back(row);
  PetscCall(TriSay(tables.preconditioners));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Keep(KSP, PetscInt it, PetscReal norm, PetscCtx context)
{
  Side *s = (Side *)context;

  PetscFunctionBegin;
  s->residuals[it ? 1 : 0] = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateKSP(Whole &w, Side &s)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &s.ksp));
  PetscCall(KSPSetOptionsPrefix(s.ksp, s.prefix));
  PetscCall(KSPSetOperators(s.ksp, w.A, w.A));
  PetscCall(KSPSetType(s.ksp, KSPCG));
  PetscCall(KSPSetTolerances(s.ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, w.o.its));
  PetscCall(KSPSetConvergenceTest(s.ksp, KSPConvergedSkip, nullptr, nullptr));
  PetscCall(KSPMonitorSet(s.ksp, Keep, &s, nullptr));
  PetscCall(KSPGetPC(s.ksp, &pc));
  PetscCall(Configure(w, pc, s));
  PetscCall(KSPSetFromOptions(s.ksp));
  PetscCall(KSPSetUp(s.ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterate(Whole &w, Side &s)
{
  PetscFunctionBegin;
  if (!s.ksp) PetscCall(CreateKSP(w, s));
  PetscCall(KSPSolve(s.ksp, w.b, s.x));
  PetscCall(KSPGetIterationNumber(s.ksp, &s.its));
  PetscCheck(s.its == w.o.its, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "cg stopped after %" PetscInt_FMT " of %" PetscInt_FMT " iterations: choose fewer with -its", s.its, w.o.its);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(Whole &w, TriTables &tables)
{
  std::vector<TriTimed>  group;
  std::vector<BenchCell> row = {BenchText(w.c.name), BenchText(w.c.order)};

  PetscFunctionBegin;
  for (Side &s : w.sides)
    group.push_back({std::string("cg with icc by ") + s.name, nullptr, [&w, p = &s]() { return Iterate(w, *p); }});
  PetscCall(TriTime(w.o, group));
  for (TriTimed &t : group) {
    t.median /= (double)w.o.its;
    row.push_back(TriTimeCell(&t));
  }
  tables.bad += !group[1].failure.empty();
  row.push_back(BenchRatio(group[0].median, group[1].median));
  for (int k = 0; k < 2; k++)
    row.push_back(group[k].failure.empty() ? BenchNumber("%.3e", w.sides[k].residuals[1] / w.sides[k].residuals[0])
                                           : BenchNone());
  tables.cg.rows.push_back(row);
  PetscCall(TriSay(tables.cg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriPreconditioners(const TriOptions &o, TriCase &c, TriTables &tables)
{
  const Side  theirs = {o.device ? "cuSPARSE" : "PETSc", "theirs_", o.device ? MATSOLVERCUSPARSE : MATSOLVERPETSC};
  const Side  ours   = {"bbs", "", MATSOLVERBBS};
  Whole       w{o, c, nullptr, nullptr, {theirs, ours}};
  std::string ignored;

  PetscFunctionBegin;
  PetscCall(TriMat(o, c.A, &w.A));
  if (c.symmetric) {
    PetscCall(MatSetOption(w.A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(w.A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  PetscCall(BenchCreateVecs(w.A, BenchVector(c.A.rows), &w.b, &w.sides[0].x));
  PetscCall(VecDuplicate(w.b, &w.sides[1].x));
  PetscCall(Operations(w, tables));
  if (c.cg) PetscCall(Iterations(w, tables));
  for (Side &s : w.sides) {
    PetscCall(BenchTry("freeing a preconditioner", [&]() { return PCDestroy(&s.pc); }, &ignored));
    PetscCall(BenchTry("freeing a solver", [&]() { return KSPDestroy(&s.ksp); }, &ignored));
    PetscCall(VecDestroy(&s.x));
  }
  PetscCall(VecDestroy(&w.b));
  PetscCall(MatDestroy(&w.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
