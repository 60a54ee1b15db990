#include "trisolve.h"

std::vector<std::string> TriNames(const TriOptions &o, PetscInt n)
{
  if (!o.device) return {"PETSc", "bbs"};
  if (n < 5) return {"SpSV", "bbs"};
  return {"SpSV", "SpSM", "bbs"};
}

BenchCell TriTimeCell(const TriTimed *t)
{
  if (!t) return BenchNone();
  if (!t->failure.empty()) return BenchText("failed: " + t->failure.substr(0, 100));
  return t->median > 0 ? BenchNumber("%.1f", t->median) : BenchNone();
}

BenchCell TriErrorCell(const TriTimed *t)
{
  return t && t->error >= 0 ? BenchNumber("%.1e", t->error) : BenchNone();
}

PetscErrorCode TriSay(const BenchTable &t)
{
  std::string line = "trisolve: " + t.title + ":";

  PetscFunctionBegin;
  for (size_t k = 0; k < t.columns.size(); k++) line += (k ? ", " : " ") + t.columns[k] + " " + t.rows.back()[k].shown;
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The columns of times and of errors */
static void AddColumns(const TriOptions &o, TriTables &t)
{
  const std::vector<std::string> start = {"matrix", "order"};

  t.times.columns = t.errors.columns = start;
  for (const std::string &name : TriNames(o, 1)) t.times.columns.push_back("analysis " + name);
  for (PetscInt n : o.rhs) {
    t.ratios.columns.push_back("solve " + std::to_string(n));
    for (const std::string &name : TriNames(o, n)) {
      t.times.columns.push_back(name + " " + std::to_string(n));
      t.errors.columns.push_back(name + " " + std::to_string(n));
    }
  }
  t.ratios.columns.push_back("result");
}

TriTables::TriTables(const TriOptions &o)
{
  const std::string theirs = o.device ? "cuSPARSE" : "PETSc";

  ratios.title   = "Triangular solves, " + theirs + " / bbs";
  ratios.note    = o.device ? "analysis: SpSV_analysis over PCSetUp; solves: SpSV for each right-hand side over bbs, from 50 "
                              "right-hand sides on the better of SpSV and SpSM over bbs"
                            : "on the host; PETSc: ilu of the triangle, which leaves it as it is";
  ratios.columns = {"matrix", "order", "rows", "entries", "levels", "level blocks", "ELL length", "analysis"};
  times.title    = "Triangular solves, microseconds";
  times.note =
    o.device ? "wall clock, the device synchronized before and after; SpSV n: one solve for each of n right-hand sides" : "";
  errors.title = "Triangular solves, backward errors";
  errors.note  = "largest entry of b - U x over the largest of |U| |x| + |b|; first, middle and last right-hand side";
  AddColumns(o, *this);
  engines.title   = "Engines of bbs, microseconds";
  engines.columns = {"matrix", "order", "right-hand sides"};
  for (const char *name : TriEngines) engines.columns.push_back(name);
  engines.columns.push_back("largest error");
  preconditioners.title   = "Preconditioners as a whole, microseconds";
  preconditioners.note    = "set-up: all of it; new values: the set-up that follows when only values changed; difference: of the "
                            "results of PCApply, relative to the largest entry";
  preconditioners.columns = {"matrix", "order", "type"};
  for (const char *what : {"set-up", "new values", "apply"}) {
    preconditioners.columns.push_back(std::string(what) + " " + theirs);
    preconditioners.columns.push_back(std::string(what) + " bbs");
    preconditioners.columns.push_back(std::string(what) + " ratio");
  }
  preconditioners.columns.push_back("difference");
  cg.title   = "cg with icc, microseconds an iteration";
  cg.note    = std::to_string(o.its) + " iterations; residual: the last preconditioned one over the first";
  cg.columns = {"matrix", "order", theirs, "bbs", "ratio", "residual " + theirs, "residual bbs"};
}

std::vector<BenchTable> TriTables::All() const
{
  std::vector<BenchTable> all;

  for (const BenchTable *t : {&ratios, &times, &errors, &engines, &preconditioners, &cg}) {
    if (!t->rows.empty()) all.push_back(*t);
  }
  return all;
}

/* The time to beat with n right-hand sides, 0 when there is none */
static double Rival(const std::vector<TriTimed> &group, PetscInt n, size_t contestants)
{
  double best = 0;

  for (size_t k = 0; k + 1 < contestants; k++) {
    const double t = group[k].median;
    if ((k == 0 || n >= 50) && t > 0 && (best == 0 || t < best)) best = t;
  }
  return best;
}

/* Why something of ours has no time or is no answer; what failed of the others stands in the table of times */
static std::string Result(const std::vector<std::vector<TriTimed>> &groups, const TriShape &shape)
{
  if (!shape.failure.empty()) return "no levels: " + shape.failure.substr(0, 100);
  for (const auto &group : groups) {
    for (const TriTimed &t : group) {
      if (t.name.find("bbs") == std::string::npos) continue;
      if (!t.failure.empty()) return t.name + " failed: " + t.failure.substr(0, 100);
      if (t.error > 50 * PETSC_MACHINE_EPSILON) return t.name + " has backward error " + TriErrorCell(&t).shown;
    }
  }
  return "ran";
}

const char *const TriEngines[TriEngineCount] = {"levels", "syncfree", "chunks", "together"};

/* first: of the group's engines */
static PetscErrorCode AddEngines(PetscInt n, const std::vector<TriTimed> &group, size_t first,
                                 const std::vector<BenchCell> &start, TriTables &tables)
{
  std::vector<BenchCell> row   = start;
  const TriTimed        *worst = nullptr;

  PetscFunctionBegin;
  row.push_back(BenchWhole(n));
  for (int k = 0; k < TriEngineCount; k++) {
    const TriTimed *t = &group[first + k];
    row.push_back(TriTimeCell(t));
    if (!worst || t->error > worst->error) worst = t;
  }
  row.push_back(TriErrorCell(worst));
  tables.engines.rows.push_back(row);
  PetscCall(TriSay(tables.engines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriReport(const TriOptions &o, const TriCase &c, const TriShape &shape,
                         const std::vector<std::vector<TriTimed>> &groups, TriTables &tables)
{
  const std::string            result = Result(groups, shape);
  const std::vector<BenchCell> start  = {BenchText(c.name), BenchText(c.order)};
  std::vector<BenchCell>       ratios = start, times = start, errors = start;

  PetscFunctionBegin;
  for (PetscInt k : {c.U.rows, (PetscInt)c.U.val.size()}) ratios.push_back(BenchWhole(k));
  for (PetscInt k : {shape.levels, shape.blocks, shape.length})
    ratios.push_back(shape.failure.empty() ? BenchWhole(k) : BenchNone());
  for (size_t g = 0; g < groups.size(); g++) {
    const PetscInt n           = g ? o.rhs[g - 1] : 1;
    const size_t   contestants = TriNames(o, n).size();
    for (size_t k = 0; k < contestants; k++) {
      times.push_back(TriTimeCell(&groups[g][k]));
      if (g) errors.push_back(TriErrorCell(&groups[g][k]));
    }
    ratios.push_back(BenchRatio(Rival(groups[g], n, contestants), groups[g][contestants - 1].median));
    if (groups[g].size() > contestants) PetscCall(AddEngines(n, groups[g], contestants, start, tables));
  }
  ratios.push_back(BenchText(result));
  tables.bad += result != "ran";
  tables.ratios.rows.push_back(ratios);
  tables.times.rows.push_back(times);
  tables.errors.rows.push_back(errors);
  for (const BenchTable *t : {&tables.ratios, &tables.times, &tables.errors}) PetscCall(TriSay(*t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
