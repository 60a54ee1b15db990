static char help[] = "Times an iteration of bcgs and cg, with pbjacobi or jacobi, on bdia against PETSc's own types in one run.\n\
  -device          on one GPU; otherwise on one core\n\
  -rows <n>        largest problem, default 17 million rows with -device, 300000 without\n\
  -its <k>         iterations of a solve, default 100\n\
  -repeats <k>     timed rounds, default 5; medians count\n\
  -json <file>     results as JSON\n\
  -markdown <file> results as Markdown tables\n\n";

/*
  Sample runs:
    ./ksp -device -json out.json     some minutes, 10 GB on the host and on the GPU
    ./ksp -rows 70000 -its 5         seconds
*/
#include <petscksp.h>
#include <petsctime.h>

#include <cmath>

#include "cases.h"
#include "petsc_types.h"
#include "report.h"
#include "timing.h"

namespace
{

struct Options {
  PetscBool device = PETSC_FALSE;
  PetscInt  rows = 0, its = 100, repeats = 5;
};

/* One matrix type with its solver */
struct Solver {
  Mat A = nullptr, P = nullptr; /* P: what the preconditioner is built from */
  Vec b = nullptr, x = nullptr;
  KSP ksp = nullptr;
};

} // namespace

static PetscErrorCode SolverCreate(Mat A, Mat P, const CSR &csr, Solver *s)
{
  PC pc;

  PetscFunctionBegin;
  s->A = A;
  s->P = P;
  PetscCall(BenchCreateVecs(A, BenchVector(csr.rows), &s->b, &s->x));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &s->ksp));
  PetscCall(KSPSetOperators(s->ksp, A, P));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, csr.nc > 1 ? PCPBJACOBI : PCJACOBI));
  PetscCall(KSPSetConvergenceTest(s->ksp, KSPConvergedSkip, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolverDestroy(Solver *s)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(VecDestroy(&s->b));
  PetscCall(VecDestroy(&s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* its iterations; the norm at the end waits for the device */
static PetscErrorCode Solve(Solver *s, PetscInt its, PetscInt *done)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(KSPSetTolerances(s->ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, its));
  PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscCall(VecNorm(s->x, NORM_2, &norm));
  PetscCall(KSPGetIterationNumber(s->ksp, done));
  PetscCheck(*done > 0 && std::isfinite((double)norm), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The solver stopped after %" PetscInt_FMT " iterations, norm of the solution %g", *done, (double)norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A few iterations must lead all types to the same vector */
static PetscErrorCode Check(std::vector<Solver> &solvers, const std::vector<std::string> &names)
{
  std::vector<double> first, mine;
  PetscInt            done;

  PetscFunctionBegin;
  for (size_t k = 0; k < solvers.size(); k++) {
    double error = 0, scale = 0;
    PetscCall(Solve(&solvers[k], 4, &done));
    PetscCall(BenchGet(solvers[k].x, k ? mine : first));
    for (size_t i = 0; k && i < first.size(); i++) {
      error = PetscMax(error, std::abs(mine[i] - first[i]));
      scale = PetscMax(scale, std::abs(first[i]));
    }
    PetscCheck(error <= (sizeof(PetscReal) < 8 ? 1e-2 : 1e-8) * scale, PETSC_COMM_SELF, PETSC_ERR_PLIB, "4 iterations on %s differ from those on %s: %g where values reach %g", names[k].c_str(), names[0].c_str(), error, scale);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One row: microseconds per iteration of each type, interleaved */
static PetscErrorCode TimeSolvers(const Options &o, std::vector<Solver> &solvers, const std::vector<std::string> &names, KSPType type, ReportRow row, ReportTable &table)
{
  std::vector<Contestant> c;
  std::vector<PetscInt>   done(solvers.size());

  PetscFunctionBegin;
  for (Solver &s : solvers) PetscCall(KSPSetType(s.ksp, type));
  PetscCall(Check(solvers, names));
  for (size_t k = 0; k < solvers.size(); k++) {
    Solver   *s = &solvers[k];
    PetscInt *d = &done[k];
    c.push_back({names[k], [s, d, &o]() { return Solve(s, o.its, d); }, {}});
  }
  PetscCall(BenchRun(c, o.repeats, 1));
  for (size_t k = 0; k < c.size(); k++) row.times.push_back({names[k], 1e6 * c[k].Median() / (double)done[k]});
  table.rows.push_back(row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareTypes(const Options &o, const char what[], CSR csr, std::vector<ReportTable> &tables)
{
  const std::vector<std::string> names = o.device ? std::vector<std::string>{"aijcusparse", "sellcuda", "bdiacuda"} : std::vector<std::string>{"aij", "sell", "bdia"};
  std::vector<Solver>            solvers(names.size());
  std::vector<Mat>               mats(names.size());
  Mat                            aij;

  PetscFunctionBegin;
  PetscCall(CSRGetAIJ(csr, &aij));
  for (size_t k = 0; k < names.size(); k++) {
    PetscCall(BenchConvert(aij, ("seq" + names[k]).c_str(), nullptr, nullptr, &mats[k]));
    /* sell cannot invert its diagonal blocks: there an aij is given to pbjacobi beside it */
    PetscCall(SolverCreate(mats[k], k == 1 && csr.nc > 1 ? mats[0] : mats[k], csr, &solvers[k]));
  }
  const ReportRow row{what, csr.rows, csr.nc, (double)csr.val.size(), 0, {}};
  PetscCall(TimeSolvers(o, solvers, names, KSPBCGS, row, tables[0]));
  PetscCall(TimeSolvers(o, solvers, names, KSPCG, row, tables[1]));
  for (Solver &s : solvers) PetscCall(SolverDestroy(&s));
  for (Mat &m : mats) PetscCall(MatDestroy(&m));
  PetscCall(MatDestroy(&aij));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "done: %s, %" PetscInt_FMT " rows\n", what, csr.rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareProblems(const Options &o, std::vector<ReportTable> &tables)
{
  PetscFunctionBegin;
  for (const HeptaCase &h : heptaCases) {
    if (h.J * h.H * h.I * h.nc <= o.rows) PetscCall(CompareTypes(o, "General Hepta", CSRGeneralHepta(h.J, h.H, h.I, h.nc), tables));
  }
  for (PetscInt n : {128, 256, 512, 1024, 2048, 4096}) {
    if (n * n <= o.rows) PetscCall(CompareTypes(o, "Poisson 2-D", CSRPoisson(n, n, 1), tables));
  }
  for (PetscInt n : {25, 64, 100, 128, 200, 256}) {
    if (n * n * n <= o.rows) PetscCall(CompareTypes(o, "Poisson 3-D", CSRPoisson(n, n, n), tables));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  PetscBool have = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-device", &o.device, nullptr));
  o.rows = o.device ? 17000000 : 300000;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-rows", &o.rows, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-its", &o.its, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &o.repeats, nullptr));
  PetscCheck(o.rows >= 16384 && o.its >= 1 && o.repeats >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-rows must be at least 16384, -its and -repeats at least 1");
  if (o.device) PetscCall(BenchHaveDevice(&have));
  if (have) {
    std::vector<ReportTable> tables = {
      {"bcgs with pbjacobi (Nc > 1) or jacobi", "microseconds per iteration", "bdia", {}},
      {"cg with pbjacobi (Nc > 1) or jacobi",   "microseconds per iteration", "bdia", {}}
    };
    PetscCall(CompareProblems(o, tables));
    PetscCall(ReportFromOptions(tables));
  }
  PetscCall(PetscFinalize());
  return have ? 0 : 77;
}
