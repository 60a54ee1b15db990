/* Solvers of bench/pressure, and errors that must not end it */
#include "pressure.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

double Solver::Median(double (*of)(const Seconds &)) const
{
  std::vector<double> s;

  for (const Seconds &t : seconds) s.push_back(of(t));
  if (s.empty()) return 0;
  std::nth_element(s.begin(), s.begin() + s.size() / 2, s.end());
  return s[s.size() / 2];
}

PetscErrorCode PressureDefault(const std::string &prefix, const char option[], const char value[], PetscBool *given)
{
  const std::string name = "-" + prefix + option;
  PetscBool         set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, name.c_str(), &set));
  if (!set) PetscCall(PetscOptionsSetValue(nullptr, name.c_str(), value));
  if (given) *given = set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of the dimension are taken out again: the next problem may have another one */
static PetscErrorCode SetFromOptions(KSP ksp, const std::string &prefix, const Method &m, PetscInt dim)
{
  std::vector<std::string> added;

  PetscFunctionBegin;
  for (const auto &[option, value] : m.options) PetscCall(PressureDefault(prefix, option, value));
  for (const auto &[option, value] : MethodOptionsIn(m, dim)) {
    PetscBool given;

    PetscCall(PressureDefault(prefix, option, value, &given));
    if (!given) added.push_back("-" + prefix + option);
  }
  PetscCall(KSPSetFromOptions(ksp));
  for (const std::string &name : added) PetscCall(PetscOptionsClearValue(nullptr, name.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More subdomains than a dense coarse inverse takes are solved by an inner iteration, which asks for a flexible method outside */
static bool InnerIteration(const Problem &p, const Method &m)
{
  double d = 1;

  if (!m.box_cells) return false;
  for (PetscInt k = 0; k < p.dim; k++) d *= (double)((p.n + m.box_cells - 1) / m.box_cells);
  return d > 8192;
}

static PetscErrorCode CreateKSP(const PressureOptions &o, Problem *p, PetscInt max_it, Solver *s)
{
  const Method     &m      = *s->method;
  const std::string prefix = std::string(m.tag) + "_";
  PC                pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->ksp));
  PetscCall(KSPSetOptionsPrefix(s->ksp, prefix.c_str()));
  PetscCall(KSPSetType(s->ksp, InnerIteration(*p, m) ? KSPFCG : KSPCG));
  PetscCall(KSPSetNormType(s->ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(s->ksp, o.rtol, PETSC_CURRENT, PETSC_CURRENT, max_it));
  PetscCall(KSPGetPC(s->ksp, &pc));
  if (m.ours) PetscCall(p->Tell(s->ksp));
  PetscCall(PCSetType(pc, m.pc));
  PetscCall(SetFromOptions(s->ksp, prefix, m, p->dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolverCreate(const PressureOptions &o, Problem *p, const Method *m, PetscInt max_it, Solver *s)
{
  PetscFunctionBegin;
  *s        = {};
  s->method = m;
  for (Vec *v : {&s->b, &s->x, &s->r, &s->exact}) PetscCall(p->CreateVec(v));
  PetscCall(BenchTry(p->Title() + ": " + m->name, [&]() { return CreateKSP(o, p, max_it, s); }, &s->failure));
  s->reached = s->failure.empty();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an error left half made may not come apart cleanly: then it stays */
PetscErrorCode SolverDestroy(Solver *s)
{
  std::string ignored;

  PetscFunctionBegin;
  PetscCall(BenchTry("freeing a solver", [&]() { return KSPDestroy(&s->ksp); }, &ignored));
  for (Vec *v : {&s->b, &s->x, &s->r, &s->exact})
    PetscCall(BenchTry("freeing a vector", [&]() { return VecDestroy(v); }, &ignored));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number before or after words of a view, 0 if it has none */
static double NumberBefore(const std::string &view, const char words[])
{
  const size_t end = view.find(words);

  return end == std::string::npos ? 0 : std::strtod(view.c_str() + view.find_last_of(" \n", end - 1), nullptr);
}

static double NumberAfter(const std::string &view, const char words[])
{
  const size_t begin = view.find(words);

  return begin == std::string::npos ? 0 : std::strtod(view.c_str() + begin + std::strlen(words), nullptr);
}

PetscErrorCode SolverMeasure(Solver *s)
{
  char       *at   = nullptr;
  size_t      size = 0;
  FILE       *f    = open_memstream(&at, &size);
  PetscViewer viewer;
  PC          pc;

  PetscFunctionBegin;
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a view");
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, f, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  std::fclose(f);
  const std::string view(at, size);
  std::free(at);
  s->bytes = NumberBefore(view, " bytes for each row beside the matrix");
  /* ours, then GAMG's */
  for (const char *words : {"operator complexity ", "operator = "})
    s->operator_complexity = PetscMax(s->operator_complexity, NumberAfter(view, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neither the solver nor a matrix type of ours is believed */
static PetscErrorCode Check(const PressureOptions &o, Problem *p, Solver *s)
{
  KSPConvergedReason reason;
  PetscInt           its;
  PetscReal          b, r;

  PetscFunctionBegin;
  PetscCall(p->Apply(s->x, s->r));
  PetscCall(VecAYPX(s->r, -1.0, s->b));
  PetscCall(VecNorm(s->b, NORM_2, &b));
  PetscCall(VecNorm(s->r, NORM_2, &r));
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  PetscCall(KSPGetIterationNumber(s->ksp, &its));
  s->its = PetscMax(s->its, its);
  s->all_its += its;
  r           = b > 0 ? r / b : r;
  s->residual = PetscIsInfOrNanReal(r) ? PETSC_MAX_REAL : PetscMax(s->residual, r);
  PetscCall(VecWAXPY(s->r, -1.0, s->exact, s->x));
  PetscCall(VecNorm(s->r, NORM_INFINITY, &r));
  s->error = PetscMax(s->error, r);
  /* a hundredth more: the recursive residual that stops the solver is not quite the true one */
  s->reached = s->reached && reason > 0 && s->residual <= 1.01 * o.rtol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* When the last of several processes is here */
PetscErrorCode PressureNow(const PressureOptions &o, double *seconds)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(BenchNow(o.device, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const PressureOptions &o, Problem *p, Solver *s, PetscReal time, PetscInt step, Seconds *seconds)
{
  Mat    A, P;
  double t[4];

  PetscFunctionBegin;
  PetscCall(PressureNow(o, &t[0]));
  PetscCall(p->SetTime(time));
  PetscCall(p->Matrix(s->method->ours, &A));
  P = A;
  if (!std::strcmp(s->method->pc, PCPFMG)) PetscCall(p->OnGrid(A, &P));
  PetscCall(PressureNow(o, &t[1]));
  seconds->values = t[1] - t[0];
  PetscCall(p->RHS(step, s->b, s->exact));
  PetscCall(PressureNow(o, &t[1]));
  PetscCall(KSPSetOperators(s->ksp, A, P));
  PetscCall(KSPSetUp(s->ksp));
  PetscCall(KSPSetUpOnBlocks(s->ksp));
  PetscCall(PressureNow(o, &t[2]));
  PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscCall(PressureNow(o, &t[3]));
  seconds->setup = t[2] - t[1];
  seconds->solve = t[3] - t[2];
  PetscCall(Check(o, p, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolverRun(const PressureOptions &o, Problem *p, Solver *s, PetscReal time, PetscInt step)
{
  Seconds seconds{};

  PetscFunctionBegin;
  if (!s->failure.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BenchTry(p->Title() + ": " + s->method->name, [&]() { return Run(o, p, s, time, step, &seconds); }, &s->failure));
  if (!s->failure.empty()) s->reached = false;
  else if (s->first.setup > 0) s->seconds.push_back(seconds);
  else s->first = seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}
