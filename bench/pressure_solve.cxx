/* Setup and solve of a changed matrix, and how iterations grow with the grid */
#include "pressure.h"

#include <cmath>
#include <cstdio>
#include <cstring>

std::string SolverVerdict(const Solver &s)
{
  if (!s.failure.empty()) return "failed: " + s.failure.substr(0, 100);
  return s.reached ? "yes" : "no";
}

static bool IsMultigrid(const Solver &s)
{
  return !s.method->ours && std::strcmp(s.method->pc, PCJACOBI) && std::strcmp(s.method->pc, PCICC);
}

static PetscErrorCode Progress(const Problem &p, const Solver &s)
{
  PetscFunctionBegin;
  if (!s.failure.empty()) PetscFunctionReturn(PETSC_SUCCESS); /* it has told so */
  PetscCall(PetscFPrintf(
    PETSC_COMM_WORLD, PETSC_STDERR,
    "pressure: %s, %s: first setup %.1f, setup %.2f, solve %.2f ms, %" PetscInt_FMT " iterations, residual %.2e, reached: %s\n",
    p.Title().c_str(), s.method->name, 1e3 * s.first.setup, 1e3 * s.Median([](const Seconds &t) { return t.setup; }),
    1e3 * s.Median([](const Seconds &t) { return t.solve; }), s.its, (double)s.residual, SolverVerdict(s).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Together(const PressureOptions &o, Problem *p, const Method *methods, size_t count, PetscInt repeats,
                               PetscInt max_it, std::vector<Solver> *done)
{
  std::vector<Solver> solvers(count);
  std::vector<double> spent(count);
  double              begin, end;

  PetscFunctionBegin;
  for (size_t m = 0; m < count; m++) PetscCall(SolverCreate(o, p, &methods[m], max_it, &solvers[m]));
  for (PetscInt k = 0; k <= repeats; k++) {
    for (size_t m = 0; m < count; m++) {
      if (k > 1 && spent[m] > o.budget) continue;
      PetscCall(PressureNow(o, &begin));
      PetscCall(SolverRun(o, p, &solvers[m], p->Time(o, k), 0));
      PetscCall(PressureNow(o, &end));
      spent[m] += end - begin;
      PetscCallMPI(MPI_Bcast(&spent[m], 1, MPI_DOUBLE, 0, PETSC_COMM_WORLD)); /* all processes sit out the same rounds */
    }
  }
  for (Solver &s : solvers) {
    PetscCall(Progress(*p, s));
    if (s.failure.empty()) PetscCall(SolverMeasure(&s));
    PetscCall(SolverDestroy(&s));
    done->push_back(s);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Large problems have room for one method at a time */
PetscErrorCode PressureRounds(const PressureOptions &o, Problem *p, const std::vector<Method> &methods, PetscInt repeats,
                              PetscInt max_it, std::vector<Solver> *done)
{
  const size_t group = p->rows <= o.together ? methods.size() : 1;

  PetscFunctionBegin;
  for (size_t m = 0; m < methods.size(); m += group) PetscCall(Together(o, p, &methods[m], group, repeats, max_it, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double SolversLeast(const std::vector<Solver> &solvers, bool (*chosen)(const Solver &), double (*of)(const Solver &))
{
  double least = 0;

  for (const Solver &s : solvers) {
    const double t = of(s);
    if (s.reached && t > 0 && chosen(s) && (least == 0 || t < least)) least = t;
  }
  return least;
}

std::vector<std::string> SolverColumns(void)
{
  return {"problem", "rows",       "preconditioner", "first setup", "setup",   "solve",
          "total",   "iterations", "residual",       "error",       "reached", "rounds"};
}

std::vector<BenchCell> SolverCells(const Problem &p, const Solver &s)
{
  std::vector<BenchCell> row  = {BenchText(p.Title()), BenchWhole(p.rows), BenchText(s.method->name)};
  const bool             ran  = s.failure.empty() && !s.seconds.empty();
  const double           ms[] = {s.first.setup, s.Median([](const Seconds &t) { return t.setup; }),
                                 s.Median([](const Seconds &t) { return t.solve; }), s.Median()};

  for (double t : ms) row.push_back(ran ? BenchNumber("%.2f", 1e3 * t) : BenchNone());
  row.push_back(ran ? BenchWhole(s.its) : BenchNone());
  row.push_back(ran ? BenchNumber("%.2e", (double)s.residual) : BenchNone());
  row.push_back(ran ? BenchNumber("%.1e", (double)s.error) : BenchNone());
  row.push_back(BenchText(SolverVerdict(s)));
  row.push_back(BenchWhole((PetscInt)s.seconds.size()));
  return row;
}

static void SolveRows(const Problem &p, const std::vector<Solver> &solvers, BenchTable &all, BenchTable &best)
{
  const auto   total     = [](const Solver &s) { return s.Median(); };
  const double multigrid = SolversLeast(solvers, IsMultigrid, total),
               ours      = SolversLeast(solvers, [](const Solver &s) { return s.method->ours; }, total);
  const double jacobi    = SolversLeast(solvers, [](const Solver &s) { return !std::strcmp(s.method->pc, PCJACOBI); }, total);

  for (const Solver &s : solvers) {
    std::vector<BenchCell> row  = SolverCells(p, s);
    const bool             mine = s.method->ours && s.reached;
    row.push_back(mine ? BenchRatio(multigrid, s.Median()) : BenchNone());
    row.push_back(mine ? BenchRatio(jacobi, s.Median()) : BenchNone());
    row.push_back(s.bytes > 0 ? BenchNumber("%.1f", s.bytes) : BenchNone());
    all.rows.push_back(row);
  }
  std::vector<BenchCell> row = {BenchText(p.Title()), BenchWhole(p.rows)};
  for (double t : {ours, multigrid, jacobi}) row.push_back(t > 0 ? BenchNumber("%.2f", 1e3 * t) : BenchNone());
  row.push_back(BenchRatio(multigrid, ours));
  row.push_back(BenchRatio(jacobi, ours));
  best.rows.push_back(row);
}

const char *PressureWarmUpNote(void)
{
  return "Before the first measurement all methods have solved a problem of 16 cells a side";
}

PetscErrorCode PressureWarmUp(const PressureOptions &o, FlowProblem kind, const std::vector<Method> &methods)
{
  std::vector<Solver> solvers;
  GridProblem         p;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(o, kind, 16, &p));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, PETSC_STDERR, "pressure: warming up with %s\n", p.Title().c_str()));
  PetscCall(PressureRounds(o, &p, methods, 1, 1000, &solvers));
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveOne(const PressureOptions &o, FlowProblem kind, PetscInt n, const std::vector<Method> &methods,
                               BenchTable &all, BenchTable &best, PetscInt *bad)
{
  std::vector<Solver> solvers;
  GridProblem         p;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(o, kind, n, &p));
  PetscCall(PressureRounds(o, &p, methods, o.repeats, 20000, &solvers));
  SolveRows(p, solvers, all, best);
  for (const Solver &s : solvers) *bad += s.method->ours && !s.reached;
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveRock(const PressureOptions &o, PetscInt n, const std::vector<Method> &methods, BenchTable &all,
                                BenchTable &best, PetscInt *bad)
{
  const struct {
    FlowProblem kind;
    PetscReal   contrast;
  } problems[] = {
    {FLOW_CHANNELS, 1e4}, {FLOW_CELLS, 1e3}, {FLOW_CELLS, 1e7}, {FLOW_FIELD, 1e7}, {FLOW_LAYERS, 1e4},
  };
  /* a side in three dimensions, about as many cells */
  const PetscInt  n3   = PetscMax((PetscInt)4, (PetscInt)std::lround(std::cbrt((double)n * (double)n)));
  PressureOptions with = o;

  PetscFunctionBegin;
  for (const auto &p : problems) {
    with.contrast = p.contrast;
    PetscCall(SolveOne(with, p.kind, p.kind == FLOW_LAYERS ? n3 : n, methods, all, best, bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::string Tolerance(const PressureOptions &o)
{
  char        s[300];
  PetscMPIInt size;

  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  std::snprintf(s, sizeof(s),
                "true relative residual of %g, contrast %g, random solution, first guess 0, cg (fcg where the coarse problem is "
                "iterated on); bubbles move by %g cells from round to round",
                (double)o.rtol, (double)o.contrast, (double)o.move);
  return size > 1 ? std::to_string(size) + " MPI processes; " + s : s;
}

PetscErrorCode PressureSolve(const PressureOptions &o, std::vector<BenchTable> &tables, PetscInt *bad)
{
  std::vector<Method> methods;
  BenchTable          all, best;

  PetscFunctionBegin;
  PetscCall(PressureMethods(o, true, &methods));
  all.title = "Setup and solve of a changed matrix";
  all.note =
    Tolerance(o) +
    "; ours on bdia, PETSc's on aij, PFMG on hyprestruct; times in milliseconds, medians over rounds; first setup: with the "
    "structures made; iterations, residual and error of an unknown: the largest; multigrid and jacobi: their total over "
    "that of the row; "
    "bytes a row: of all levels beside the matrix. " +
    PressureWarmUpNote();
  all.columns = SolverColumns();
  all.columns.insert(all.columns.end(), {"multigrid / ours", "jacobi / ours", "bytes a row"});
  best.title   = all.title + ": the best of each side";
  best.note    = "milliseconds, of those that reached the tolerance";
  best.columns = {"problem", "rows", "ours", "multigrid", "jacobi", "multigrid / ours", "jacobi / ours"};
  if (o.twophase.size() || o.rock.size()) PetscCall(PressureWarmUp(o, FLOW_TWOPHASE, methods));
  if (o.bubbles.size() || o.rock.size()) PetscCall(PressureWarmUp(o, FLOW_BUBBLES, methods));
  for (PetscInt n : o.twophase) PetscCall(SolveOne(o, FLOW_TWOPHASE, n, methods, all, best, bad));
  for (PetscInt n : o.bubbles) PetscCall(SolveOne(o, FLOW_BUBBLES, n, methods, all, best, bad));
  for (PetscInt n : o.rock) PetscCall(SolveRock(o, n, methods, all, best, bad));
  tables.push_back(best);
  tables.push_back(all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WeakOne(const PressureOptions &o, FlowProblem kind, PetscInt n, BenchTable &table, PetscInt *bad)
{
  const char         *box = kind == FLOW_TWOPHASE ? "boxes16" : "boxes8";
  std::vector<Method> all, methods;
  std::vector<Solver> solvers;
  GridProblem         p;

  PetscFunctionBegin;
  PetscCall(PressureMethods(o, true, &all));
  for (const Method &m : all) {
    for (const char *tag : {"ours", box, "gamg", "jacobi"}) {
      if (!std::strcmp(m.tag, tag)) methods.push_back(m);
    }
  }
  PetscCall(ProblemCreate(o, kind, n, &p));
  PetscCall(PressureRounds(o, &p, methods, 1, o.max_it, &solvers));
  for (const Solver &s : solvers) {
    const bool             ran = s.failure.empty() && !s.seconds.empty();
    std::vector<BenchCell> row = {BenchText(p.name), BenchWhole(p.dim), BenchWhole(n), BenchWhole(p.rows),
                                  BenchText(s.method->name)};
    row.push_back(ran ? BenchWhole(s.its) : BenchNone());
    row.push_back(ran ? BenchNumber("%.2f", 1e3 * s.seconds[0].setup) : BenchNone());
    row.push_back(ran ? BenchNumber("%.2f", 1e3 * s.seconds[0].solve) : BenchNone());
    row.push_back(ran ? BenchNumber("%.2e", (double)s.residual) : BenchNone());
    row.push_back(BenchText(SolverVerdict(s)));
    table.rows.push_back(row);
    *bad += s.method->ours && !s.reached;
  }
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PressureWeak(const PressureOptions &o, std::vector<BenchTable> &tables, PetscInt *bad)
{
  BenchTable table;

  PetscFunctionBegin;
  table.title = "Iterations as the grid grows";
  table.note  = Tolerance(o) + "; at most " + std::to_string(o.max_it) +
                " iterations; setup and solve of a changed matrix in milliseconds, the larger number of iterations of two solves";
  table.columns = {"problem", "dimension", "n", "rows", "preconditioner", "iterations", "setup", "solve", "residual", "reached"};
  for (PetscInt n : o.weak_twophase) PetscCall(WeakOne(o, FLOW_TWOPHASE, n, table, bad));
  for (PetscInt n : o.weak_bubbles) PetscCall(WeakOne(o, FLOW_BUBBLES, n, table, bad));
  tables.push_back(table);
  PetscFunctionReturn(PETSC_SUCCESS);
}
