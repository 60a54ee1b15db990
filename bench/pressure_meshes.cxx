/* Set-up and solve of matrices without a grid, ours against GAMG and BoomerAMG */
#include <hepta.h>

#include <cstdio>
#include <cstring>

#include "pressure.h"

static bool IsGAMG(const Solver &s)
{
  return !std::strcmp(s.method->pc, PCGAMG);
}

static double Total(const Solver &s)
{
  return s.Median();
}

static double First(const Solver &s)
{
  return s.first.setup;
}

static void MeshRows(const Problem &p, const std::vector<Solver> &solvers, BenchTable &table)
{
  const double total = SolversLeast(solvers, IsGAMG, Total), first = SolversLeast(solvers, IsGAMG, First);

  for (const Solver &s : solvers) {
    std::vector<BenchCell> row    = SolverCells(p, s);
    const bool             mine   = s.method->ours && s.reached;
    const bool             levels = mine && std::strcmp(s.method->pc, PCJACOBI); /* jacobi has hardly a set-up */

    row.push_back(mine ? BenchRatio(total, Total(s)) : BenchNone());
    row.push_back(levels ? BenchRatio(first, First(s)) : BenchNone());
    row.push_back(s.operator_complexity > 0 ? BenchNumber("%.2f", s.operator_complexity) : BenchNone());
    row.push_back(s.bytes > 0 ? BenchNumber("%.1f", s.bytes) : BenchNone());
    table.rows.push_back(row);
  }
}

/* All methods, into the table if there is one; p is destroyed */
static PetscErrorCode MeshOne(const PressureOptions &o, MeshProblem *p, PetscInt repeats, const std::vector<Method> &methods,
                              BenchTable *table, PetscInt *bad)
{
  std::vector<Solver> solvers;

  PetscFunctionBegin;
  PetscCall(PressureRounds(o, p, methods, repeats, 20000, &solvers));
  if (table) MeshRows(*p, solvers, *table);
  for (const Solver &s : solvers) *bad += s.method->ours && !s.reached;
  PetscCall(p->Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Media(const PressureOptions &o, PetscInt n, const std::vector<Method> &methods, BenchTable *table,
                            PetscInt *bad)
{
  const struct {
    FlowProblem kind;
    PetscReal   contrast;
  } media[] = {
    {FLOW_TWOPHASE, 1e3},
    {FLOW_CHANNELS, 1e4},
    {FLOW_CELLS, 1e7},
    {FLOW_FIELD, 1e7},
  };
  PressureOptions with = o;
  MeshProblem     p;

  PetscFunctionBegin;
  for (const auto &m : media) {
    with.contrast = m.contrast;
    PetscCall(MeshOfFlow(with, m.kind, n, &p));
    PetscCall(MeshOne(with, &p, o.repeats, methods, table, bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::string Note(const PressureOptions &o)
{
  char        s[400];
  PetscMPIInt size;

  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  std::snprintf(s, sizeof(s),
                "%d MPI process%s; true relative residual of %g, random solution, first guess 0; gamg and boomeramg with cg on "
                "%s, ours with fusedcg on %s; ",
                (int)size, size > 1 ? "es" : "", (double)o.rtol, o.device ? MATAIJCUSPARSE : MATAIJ,
                o.device ? MATBROWCUDA : MATBROW);
  return s;
}

PetscErrorCode PressureMeshes(const PressureOptions &o, std::vector<BenchTable> &tables, PetscInt *bad)
{
  std::vector<Method> methods;
  BenchTable          table;
  MeshProblem         p;

  PetscFunctionBegin;
  PetscCheck(o.files.size() || o.media.size(), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
             "-part meshes takes matrices from -f <file,...> or -media <n,...>");
  PetscCall(PressureMethods(o, false, &methods));
  table.title = "Set-up and solve of matrices without a grid";
  table.note = Note(o) +
               "times in milliseconds, medians over rounds with D A D in place of A, where D varies along the rows; first setup: "
               "of A, with the structures made; iterations, residual and error of an unknown: the largest; "
               "gamg / this: the least total of gamg over that of the row, and the least first setup likewise; bytes a row: of "
               "all levels beside the matrix. " +
               PressureWarmUpNote();
  table.columns = SolverColumns();
  table.columns.insert(table.columns.end(), {"gamg / this", "gamg / this, first setup", "operator complexity", "bytes a row"});
  PetscCall(MeshOfFlow(o, FLOW_TWOPHASE, 16, &p));
  PetscCall(MeshOne(o, &p, 1, methods, nullptr, bad));
  for (const std::string &file : o.files) {
    PetscCall(MeshLoad(o, file, &p));
    PetscCall(MeshOne(o, &p, o.repeats, methods, &table, bad));
  }
  for (PetscInt n : o.media) PetscCall(Media(o, n, methods, &table, bad));
  tables.push_back(table);
  PetscFunctionReturn(PETSC_SUCCESS);
}
