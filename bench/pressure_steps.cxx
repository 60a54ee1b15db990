/* Time steps with moving bubbles: new values, setup and solve in each */
#include "pressure.h"

#include <cstring>

static double Sum(const Solver &s, double (*of)(const Seconds &))
{
  double sum = of(s.first);

  for (const Seconds &t : s.seconds) sum += of(t);
  return sum;
}

static double Values(const Seconds &t)
{
  return t.values;
}

static double Setup(const Seconds &t)
{
  return t.setup;
}

static double Solve(const Seconds &t)
{
  return t.solve;
}

static double All(const Seconds &t)
{
  return t.values + t.setup + t.solve;
}

static PetscErrorCode March(const PressureOptions &o, Problem *p, std::vector<Solver> &solvers)
{
  Mat A;

  PetscFunctionBegin;
  for (bool ours : {true, false}) PetscCall(p->Matrix(ours, &A)); /* the matrices are there before the first step */
  for (PetscInt k = 1; k <= o.steps; k++) {
    for (Solver &s : solvers) PetscCall(SolverRun(o, p, &s, (PetscReal)k * o.dt, k));
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, PETSC_STDERR, "pressure: %s, step %" PetscInt_FMT " of %" PetscInt_FMT "\n",
                           p->Title().c_str(), k, o.steps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Rows(const Problem &p, const std::vector<Solver> &solvers, BenchTable &table)
{
  double rival = 0;

  for (const Solver &s : solvers) {
    const double t = Sum(s, All);
    if (!s.method->ours && std::strcmp(s.method->pc, PCJACOBI) && std::strcmp(s.method->pc, PCICC) && s.reached &&
        (rival == 0 || t < rival))
      rival = t;
  }
  for (const Solver &s : solvers) {
    const bool             ran  = s.failure.empty();
    std::vector<BenchCell> row  = {BenchText(p.Title()), BenchWhole(p.rows), BenchText(s.method->name)};
    const double           ms[] = {Sum(s, Values), Sum(s, Setup), Sum(s, Solve), Sum(s, All), Sum(s, All) - All(s.first)};
    for (double t : ms) row.push_back(ran ? BenchNumber("%.1f", 1e3 * t) : BenchNone());
    row.push_back(ran ? BenchWhole(s.all_its) : BenchNone());
    row.push_back(ran ? BenchNumber("%.2e", (double)s.residual) : BenchNone());
    row.push_back(BenchText(SolverVerdict(s)));
    row.push_back(s.method->ours && s.reached && rival > 0 ? BenchNumber("%.2f", rival / Sum(s, All)) : BenchNone());
    table.rows.push_back(row);
  }
}

PetscErrorCode PressureSteps(const PressureOptions &o, std::vector<BenchTable> &tables, PetscInt *bad)
{
  std::vector<Method> methods;
  BenchTable          table;
  GridProblem         p;

  PetscFunctionBegin;
  PetscCall(PressureMethods(o, true, &methods));
  std::vector<Solver> solvers(methods.size());
  PetscCall(PressureWarmUp(o, FLOW_BUBBLES, methods));
  table.title = std::to_string(o.steps) + " time steps with moving bubbles";
  table.note = "sums over all steps in milliseconds: new values, setup (the first with the structures), solve; the last solution "
               "is not the first guess; residual: the largest; multigrid: the best of it. " +
               std::string(PressureWarmUpNote());
  table.columns = {"problem",    "rows",     "preconditioner", "values",
                   "setup",      "solve",    "total",          "without the first step",
                   "iterations", "residual", "reached",        "multigrid / ours"};
  PetscCall(ProblemCreate(o, FLOW_BUBBLES, o.steps_n, &p));
  for (size_t m = 0; m < methods.size(); m++) PetscCall(SolverCreate(o, &p, &methods[m], 20000, &solvers[m]));
  PetscCall(March(o, &p, solvers));
  Rows(p, solvers, table);
  for (Solver &s : solvers) {
    *bad += s.method->ours && !s.reached;
    PetscCall(SolverDestroy(&s));
  }
  PetscCall(p.Destroy());
  tables.push_back(table);
  PetscFunctionReturn(PETSC_SUCCESS);
}
