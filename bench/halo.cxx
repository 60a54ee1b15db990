static char help[] =
  "Times a product, its parts and an iteration of bcgs on a General Hepta matrix over several ranks, and how much of\n\
the exchange hides behind the product.\n\
  -J <n> -H <n> -I <n> -nc <n>  grid and unknowns per cell, default 8 x 8 x 16 and 4\n\
  -symmetric       6.1 on the diagonal and -1 elsewhere, for methods that need a symmetric matrix; with -nc 1\n\
  -weak            -I counts for each rank: the grid grows with the ranks in its slowest direction\n\
  -mat_type <type> default bdia; bdiacuda on GPUs (one rank each)\n\
  -calls <k>       products of a batch, default 20\n\
  -its <k>         iterations of a solve, default 50; -ksp_type names another method\n\
  -repeats <k>     timed rounds, default 9; medians count\n\
  -json <file>     the result as JSON\n\n";

/*
  Sample runs:
    mpiexec -n 2 ./halo
    mpiexec -n 4 ./halo -J 128 -H 256 -I 256 -mat_type bdiacuda -use_gpu_aware_mpi 0        strong scaling, 33.5 million rows
    mpiexec -n 4 ./halo -J 128 -H 256 -I 64 -weak -mat_type bdiacuda -use_gpu_aware_mpi 0   weak scaling, 8.4 million rows a rank
    mpiexec -n 2 ./halo -mat_type bdiacuda -use_gpu_aware_mpi 0 -hepta_transport ipc -ksp_type fusedbcgs
*/
#include <hepta.h>
#include <petscksp.h>
#include <petsctime.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "hepta_lab.h"
#include "petsc_types.h"
#include "table.h"

namespace
{

struct Options {
  PetscInt  J = 8, H = 8, I = 16, nc = 4, calls = 20, its = 50, repeats = 9;
  PetscBool weak = PETSC_FALSE, symmetric = PETSC_FALSE;
  char      type[64] = MATBDIA;
};

using Exchange = PetscErrorCode (*)(Mat, Vec, Vec *);

/* The product, its local block alone, its exchange alone, and a solver */
struct Parts {
  Mat        A, local; /* local: this rank's diagonal block, borrowed */
  Vec        x, y, xl, yl, ghost;
  Exchange   own     = nullptr; /* the exchange of a matrix of Hepta's, by its transport */
  VecScatter scatter = nullptr; /* that of other types */
  PetscInt   ghosts;
  KSP        ksp;
};

struct Part {
  std::string                     name;
  std::function<PetscErrorCode()> run;
  Vec                             out; /* its norm waits for the device */
  PetscInt                        calls;
  double                          per; /* what a call is divided by */
  std::vector<double>             us;
};

} // namespace

static PetscErrorCode GetOptions(Options *o)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-J", &o->J, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-H", &o->H, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-I", &o->I, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-nc", &o->nc, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-calls", &o->calls, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-its", &o->its, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &o->repeats, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-weak", &o->weak, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-symmetric", &o->symmetric, nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_type", o->type, sizeof(o->type), nullptr));
  PetscCheck(o->calls >= 1 && o->its >= 1 && o->repeats >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-calls, -its and -repeats must be at least 1");
  PetscCheck(!o->symmetric || o->nc == 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-symmetric needs -nc 1");
  if (o->weak) o->I *= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells of other ranks that this rank's cells [first, last) are coupled with */
static std::vector<PetscInt> GhostCells(const Options &o, PetscInt first, PetscInt last)
{
  const PetscInt        M = o.J * o.H * o.I;
  std::vector<PetscInt> cells;

  if (first == last) return cells;
  for (PetscInt off : {(PetscInt)1, o.J, o.J * o.H}) {
    for (PetscInt m = std::max((PetscInt)0, first - off); m < std::min(first, last - off); m++) cells.push_back(m);
    for (PetscInt m = std::max(last, first + off); m < std::min(M, last + off); m++) cells.push_back(m);
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

/* The exchange of a product with p->A: the matrix's own, whose ghost values p->ghost becomes, or a VecScatter of the same values,
   as PETSc's matrices have one */
static PetscErrorCode CreateExchange(const Options &o, Parts *p)
{
  PetscInt start, end;
  IS       from;
  VecType  type;
  Vec      ghosts = nullptr;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(p->A, &start, &end));
  const std::vector<PetscInt> cells = GhostCells(o, start / o.nc, end / o.nc);
  p->ghosts                         = (PetscInt)cells.size() * o.nc;
  PetscCall(PetscObjectQueryFunction((PetscObject)p->A, "MatHeptaExchange_C", &p->own));
  if (p->own) PetscCall(p->own(p->A, p->x, &ghosts));
  if (ghosts) {
    PetscCall(PetscObjectReference((PetscObject)ghosts));
    p->ghost = ghosts;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetType(p->xl, &type));
  PetscCall(VecCreate(PETSC_COMM_SELF, &p->ghost));
  PetscCall(VecSetSizes(p->ghost, p->ghosts, p->ghosts));
  PetscCall(VecSetType(p->ghost, type));
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, o.nc, (PetscInt)cells.size(), cells.data(), PETSC_COPY_VALUES, &from));
  PetscCall(VecScatterCreate(p->x, from, p->ghost, nullptr, &p->scatter));
  PetscCall(ISDestroy(&from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunExchange(Parts *p)
{
  PetscFunctionBegin;
  if (p->own) {
    Vec ghosts;
    PetscCall(p->own(p->A, p->x, &ghosts));
  } else {
    PetscCall(VecScatterBegin(p->scatter, p->x, p->ghost, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(p->scatter, p->x, p->ghost, INSERT_VALUES, SCATTER_FORWARD));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of -symmetric in the structure that A has */
static PetscErrorCode SetSymmetric(const Options &o, Mat A)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt off : {-o.J * o.H, -o.J, (PetscInt)-1, (PetscInt)0, (PetscInt)1, o.J, o.J * o.H}) {
      if (i + off >= 0 && i + off < o.J * o.H * o.I) PetscCall(MatSetValue(A, i, i + off, off ? -1 : 6.1, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateParts(const Options &o, Parts *p)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, o.J, o.H, o.I, o.nc, 1, o.type, &p->A));
  if (o.symmetric) PetscCall(SetSymmetric(o, p->A));
  PetscCall(MatCreateVecs(p->A, &p->x, &p->y));
  PetscCall(VecSet(p->x, 1));
  PetscCall(MatGetDiagonalBlock(p->A, &p->local));
  PetscCall(MatCreateVecs(p->local, &p->xl, &p->yl));
  PetscCall(VecSet(p->xl, 1));
  PetscCall(CreateExchange(o, p));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &p->ksp));
  PetscCall(KSPSetOperators(p->ksp, p->A, p->A));
  PetscCall(KSPSetType(p->ksp, KSPBCGS));
  PetscCall(KSPGetPC(p->ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetFromOptions(p->ksp));
  PetscCall(KSPSetTolerances(p->ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, o.its));
  PetscCall(KSPSetConvergenceTest(p->ksp, KSPConvergedSkip, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DestroyParts(Parts *p)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&p->ksp));
  PetscCall(VecScatterDestroy(&p->scatter));
  for (Vec *v : {&p->x, &p->y, &p->xl, &p->yl, &p->ghost}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&p->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The slowest rank's time of one batch */
static PetscErrorCode Batch(Part &part)
{
  PetscLogDouble begin, end;
  PetscReal      norm;
  double         us;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&begin));
  for (PetscInt k = 0; k < part.calls; k++) PetscCall(part.run());
  PetscCall(VecNorm(part.out, NORM_INFINITY, &norm));
  PetscCall(PetscTime(&end));
  us = 1e6 * (end - begin) / (double)part.calls / part.per;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  part.us.push_back(us);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Median after one round of warm-up; all parts take turns */
static PetscErrorCode TimeParts(const Options &o, Parts *p, std::vector<Part> &parts)
{
  PetscInt           its = 0;
  KSPType            method;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPGetType(p->ksp, &method));
  PetscCall(KSPSolve(p->ksp, p->x, p->y));
  PetscCall(KSPGetIterationNumber(p->ksp, &its));
  PetscCall(KSPGetConvergedReason(p->ksp, &reason));
  PetscCheck(its == o.its, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
             "The solver stopped after %" PetscInt_FMT " of %" PetscInt_FMT
             " iterations (%s): take fewer iterations, or, if the method needs a symmetric matrix, -symmetric",
             its, o.its, KSPConvergedReasons[reason]);
  parts.push_back({"product", [p]() { return MatMult(p->A, p->x, p->y); }, p->y, o.calls, 1, {}});
  parts.push_back({"local", [p]() { return MatMult(p->local, p->xl, p->yl); }, p->yl, o.calls, 1, {}});
  parts.push_back({"halo", [p]() { return RunExchange(p); }, p->ghost, o.calls, 1, {}});
  parts.push_back({std::string(method) + "_iteration", [p]() { return KSPSolve(p->ksp, p->x, p->y); }, p->y, 1, (double)its, {}});
  for (PetscInt k = -1; k < o.repeats; k++) {
    for (Part &part : parts) {
      PetscCall(Batch(part));
      if (k < 0) part.us.clear();
    }
  }
  for (Part &part : parts) std::nth_element(part.us.begin(), part.us.begin() + part.us.size() / 2, part.us.end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   not hidden = product - local: what the exchange and the product with the ghost part add
   hidden     = 1 - not hidden / halo: 1 when they cost nothing, 0 when all of the exchange comes on top, below 0 when they cost
                more than the exchange alone
*/
static PetscErrorCode Report(const Options &o, const Parts *p, const std::vector<Part> &parts)
{
  const auto  us = [&](int k) { return parts[k].us[parts[k].us.size() / 2]; };
  PetscMPIInt size;
  PetscInt    N, ghosts = p->ghosts;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &ghosts, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(MatGetSize(p->A, &N, nullptr));
  const double added = us(0) - us(1), hidden = ghosts ? 1 - added / us(2) : 0;
  PetscCall(PetscPrintf(
    PETSC_COMM_WORLD,
    "%s, %d ranks, %s, %" PetscInt_FMT " rows, Nc %" PetscInt_FMT "%s, most ghosts %" PetscInt_FMT "; microseconds:", o.type,
    (int)size, o.weak ? "weak" : "strong", N, o.nc, o.symmetric ? ", symmetric" : "", ghosts));
  for (size_t k = 0; k < parts.size(); k++)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %s %.1f", parts[k].name.c_str(), us((int)k)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "; not hidden %.1f; hidden part of the exchange %.2f\n", added, hidden));
  BenchJSON json{{"type", o.type},
                 {"ranks", size},
                 {"scaling", o.weak ? "weak" : "strong"},
                 {"rows", N},
                 {"nc", o.nc},
                 {"symmetric", (bool)o.symmetric},
                 {"grid", {o.J, o.H, o.I}},
                 {"most_ghosts", ghosts}};
  for (size_t k = 0; k < parts.size(); k++) json[parts[k].name + "_us"] = BenchNumber("%g", us((int)k)).value;
  json["not_hidden_us"] = BenchNumber("%g", added).value;
  json["hidden"]        = BenchNumber("%g", hidden).value;
  PetscCall(BenchWriteJSON(json));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options           o;
  Parts             p;
  PetscBool         have = PETSC_TRUE;
  std::vector<Part> parts;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(GetOptions(&o));
  if (std::strstr(o.type, "cu")) PetscCall(BenchHaveDevice(&have)); /* bdiacuda, aijcusparse */
  if (have) {
    PetscCall(CreateParts(o, &p));
    PetscCall(TimeParts(o, &p, parts));
    PetscCall(Report(o, &p, parts));
    PetscCall(DestroyParts(&p));
  }
  PetscCall(PetscFinalize());
  return have ? 0 : 77;
}
