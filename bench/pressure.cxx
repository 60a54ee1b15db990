static char help[] =
  "Preconditioners for the pressure equation of two-phase flow, ip, blockic and subdeflation, against PETSc's\n\
gamg, jacobi and icc and hypre's BoomerAMG and PFMG in one run; and for matrices without a grid.\n\
  -device              on one GPU; otherwise on one core; with mpiexec -n <n> on as many, but for apply\n\
  -part <list>         of solve, apply, steps, weak, meshes; default solve,apply,steps\n\
  -two_phase <n,...>   solve: cells a side of the 2-D problems, default 1024 with -device, 128 without; 0: none\n\
  -bubbles <n,...>     solve: cells a side of the 3-D problems, default 128,200 with -device, 24 without; 0: none\n\
  -rock <n,...>        solve: cells a side of 2-D problems with coefficients of rock: channels (contrast 1e4), independent\n\
                       cells (1e3, 1e7), a smooth field (1e7), and as many cells in a cube with horizontal layers (1e4; 1e-3\n\
                       along y); default none\n\
  -apply_n <n>         apply: cells a side of the 2-D problem, default 1024 with -device, 256 without\n\
  -steps_n <n>, -steps <k>, -dt <t>  steps: cells a side of the 3-D problem (128 with -device, 24 without), number (20) and\n\
                       length (0.01) of the steps\n\
  -weak_two_phase <n,...>, -weak_bubbles <n,...>, -max_it <5000>  weak: cells a side and the limit of iterations\n\
  -f <file,...>        meshes: PETSc binary files of symmetric positive definite matrices, with the block size in\n\
                       FILE.info and coordinates of nodes in FILE.coordinates, as scripts/meshes.py writes them\n\
  -media <n,...>       meshes: cells a side of 2-D problems as plain aij matrices: two-phase flow (contrast 1e3) and\n\
                       coefficients of rock: channels (1e4), independent cells (1e7), a smooth field (1e7); default none\n\
  -methods <list>      of ours (gridmg with cg), gridmg (with fusedcg), gridmg_single, gridmg_double, gridmg_one, aggmg\n\
                       (with fusedcg), boxes8, boxes16, material, gamg, gamg_reuse, gamg_threshold, jacobi, icc (on one\n\
                       process of the host) and, where PETSc has hypre, boomeramg (with -device where hypre was built with\n\
                       CUDA) and pfmg (on the host); for meshes, of aggmg, fused_jacobi, gamg_0, gamg_02, gamg_reuse_0,\n\
                       gamg_reuse_02 (new or reused interpolation, threshold) and boomeramg; default all that run\n\
  -contrast <1000>     of the densities\n\
  -rtol <1e-8>         true relative residual to reach\n\
  -move <0.1>          solve, weak: cells by which the bubbles move from round to round\n\
  -repeats <5>         timed rounds; medians count\n\
  -budget <10>         seconds after which a method sits out the remaining rounds of a problem\n\
  -together <4000000>  rows up to which all methods are held at once and take turns\n\
  -check               fail when one of our methods does\n\
  -json <file>         results as JSON\n\
  -markdown <file>     results as Markdown tables\n\
Methods take PETSc's options with a prefix, as in -boxes8_pc_subdeflation_variant bnn; so do the operations of apply:\n\
ip_, ip_single_, deflation_, blockic_, icc_.\n\n";

/*
  Sample runs:
    ./pressure -device -json out.json                  some minutes on an H200
    ./pressure -device -part weak -json weak.json      then: plot_pressure.py weak.json weak.png
    ./pressure -two_phase 64 -bubbles 16 -part solve   seconds
    ./pressure -part meshes -f a.bin,b.bin -media 128  meshes.py a.bin laplace-2d 30000; meshes.py b.bin elasticity-3d 30000
*/
#include <hepta.h>

#include <algorithm>

#include "petsc_types.h"
#include "pressure.h"

/* Sizes from an option; those that are 0 stand for none */
static PetscErrorCode Sizes(const char option[], std::vector<PetscInt> *sizes)
{
  PetscInt  given[16], n = 16;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, option, given, &n, &set));
  if (set) sizes->assign(given, given + n);
  sizes->erase(std::remove(sizes->begin(), sizes->end(), 0), sizes->end());
  for (PetscInt size : *sizes)
    PetscCheck(size >= 4, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "%s takes numbers of cells a side from 4 on, or 0 for none, not %" PetscInt_FMT, option, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetSizes(PressureOptions *o)
{
  PetscFunctionBegin;
  if (o->device) {
    o->twophase      = {1024};
    o->bubbles       = {128, 200};
    o->weak_twophase = {64, 128, 256, 512, 1024, 2048};
    o->weak_bubbles  = {32, 64, 128, 256};
  } else {
    o->twophase      = {128};
    o->bubbles       = {24};
    o->weak_twophase = {64, 128, 256};
    o->weak_bubbles  = {16, 32};
  }
  o->apply_n = o->device ? 1024 : 256;
  o->steps_n = o->device ? 128 : 24;
  PetscCall(Sizes("-two_phase", &o->twophase));
  PetscCall(Sizes("-bubbles", &o->bubbles));
  PetscCall(Sizes("-rock", &o->rock));
  PetscCall(Sizes("-media", &o->media));
  PetscCall(Sizes("-weak_two_phase", &o->weak_twophase));
  PetscCall(Sizes("-weak_bubbles", &o->weak_bubbles));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-apply_n", &o->apply_n, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-steps_n", &o->steps_n, nullptr));
  PetscCheck(o->apply_n >= 4 && o->steps_n >= 4, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-apply_n and -steps_n must be at least 4");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetFiles(std::vector<std::string> *files)
{
  char    *given[64];
  PetscInt n = 64;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, "-f", given, &n, nullptr));
  files->assign(given, given + n);
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFree(given[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOptions(PressureOptions *o)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-device", &o->device, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &o->repeats, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-steps", &o->steps, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-max_it", &o->max_it, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-together", &o->together, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-contrast", &o->contrast, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-rtol", &o->rtol, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-budget", &o->budget, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-dt", &o->dt, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-move", &o->move, nullptr));
  PetscCheck(o->repeats >= 1 && o->steps >= 1 && o->max_it >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-repeats, -steps and -max_it must be at least 1");
  PetscCheck(o->contrast > 0 && o->rtol > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-contrast and -rtol must be positive");
  PetscCall(GetSizes(o));
  PetscCall(GetFiles(&o->files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs the parts that -part asks for; their tables */
static PetscErrorCode Parts(const PressureOptions &o, std::vector<BenchTable> &tables, PetscInt *bad)
{
  const struct {
    const char *name;
    PetscErrorCode (*run)(const PressureOptions &, std::vector<BenchTable> &, PetscInt *);
  } parts[] = {
    {"solve", PressureSolve}, {"apply", PressureApply},   {"steps", PressureSteps},
    {"weak", PressureWeak},   {"meshes", PressureMeshes},
  };
  char                    *given[16];
  PetscInt                 n = 16;
  PetscBool                set;
  std::vector<std::string> wanted = {"solve", "apply", "steps"};
  PetscMPIInt              size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) wanted = {"solve", "steps"};
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, "-part", given, &n, &set));
  if (set) wanted.assign(given, given + n);
  for (PetscInt k = 0; set && k < n; k++) PetscCall(PetscFree(given[k]));
  for (const std::string &w : wanted) {
    const auto part = std::find_if(std::begin(parts), std::end(parts), [&](const auto &p) { return w == p.name; });
    PetscCheck(part != std::end(parts), PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "-part is a list of solve, apply, steps, weak and meshes, not \"%s\"", w.c_str());
    PetscCheck(size == 1 || w != "apply", PETSC_COMM_WORLD, PETSC_ERR_SUP, "-part apply is for one MPI process, not %d",
               (int)size);
    PetscCall(part->run(o, tables, bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PressureOptions         o;
  std::vector<BenchTable> tables;
  PetscBool               have = PETSC_TRUE, check = PETSC_FALSE;
  PetscInt                bad = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(GetOptions(&o));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-check", &check, nullptr));
  if (o.device) PetscCall(BenchHaveDevice(&have));
  if (have) {
    PetscCall(Parts(o, tables, &bad));
    PetscCall(BenchReport(tables));
  }
  PetscCheck(!check || !bad, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "%" PetscInt_FMT " of our solvers failed or missed the tolerance: the tables say which", bad);
  PetscCall(PetscFinalize());
  return have ? 0 : 77;
}
