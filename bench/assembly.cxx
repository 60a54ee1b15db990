static char help[] =
  "Times COO assembly of a flow problem over several ranks: every face of the grid gives the four blocks that couple its\n\
two cells, on the rank of the first cell.\n\
  -J <n> -H <n> -I <n> -nc <n>  grid and unknowns per cell, default 8 x 8 x 16 and 4\n\
  -rows            instead every entry once, row by row with ascending columns, on the rank of its row: what aij need not sort\n\
  -mat_types <a,b,...>  default aij,bdia,brow; the first is what the others are compared with\n\
  -device          indices and values are in device memory\n\
  -system          times on the host include the system's share, which is mostly the first touch of memory\n\
  -blocks          one pair of indices for each block, for types of Hepta's\n\
  -repeats <k>     timed rounds, default 3, in each of which all types have their turn; medians count\n\
  -json <file> -markdown <file>  the result\n\n";

/*
  Sample runs:
    mpiexec -n 2 ./assembly
    ./assembly -J 24 -H 24 -I 48 -nc 8 -rows -repeats 7
    mpiexec -n 2 ./assembly -J 64 -H 64 -I 64 -nc 4 -device -mat_types aijcusparse,bdiacuda,browcuda -use_gpu_aware_mpi 0
*/
#include <hepta.h>
#include <petscdevice.h>
#if defined(HEPTA_HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assembly.h"
#include "petsc_types.h"
#include "table.h"

namespace
{

/* One type's milliseconds, of each round: the analysis of the locations, the first values, which also bring tables and memory to
   where they are used, both, and later values */
struct Result {
  std::string         type;
  bool                blocks;
  PetscReal           norm = 0; /* of the product with ones */
  std::vector<double> set_up, first, both, values;
};

} // namespace

static PetscErrorCode GetOptions(Options *o)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-J", &o->J, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-H", &o->H, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-I", &o->I, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-nc", &o->nc, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &o->repeats, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-device", &o->device, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-blocks", &o->blocks, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-rows", &o->rows, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-system", &o->system, nullptr));
  PetscCheck(o->J >= 1 && o->H >= 1 && o->I >= 1 && o->nc >= 1 && o->repeats >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-J, -H, -I, -nc and -repeats must be at least 1");
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T> static PetscErrorCode ToDevice(Array<T> &a)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  PetscCallCUDA(cudaMalloc((void **)&a.device, std::max<size_t>(1, a.host.size()) * sizeof(T)));
  PetscCallCUDA(cudaMemcpy(a.device, a.host.data(), a.host.size() * sizeof(T), cudaMemcpyHostToDevice));
#else
  (void)a;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds: on the host of user CPU time, since the system takes very different ones to find memory on a shared machine; -system
   adds them */
static double Now(const Options &o)
{
  timespec t;
  rusage   r;

  (void)clock_gettime(o.device ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
  (void)getrusage(RUSAGE_SELF, &r);
  return o.device || o.system ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec
                              : (double)r.ru_utime.tv_sec + 1e-6 * (double)r.ru_utime.tv_usec;
}

/* Appends the milliseconds that f() takes, of the slowest rank, with what it launches */
template <class F> static PetscErrorCode Time(const Options &o, F f, std::vector<double> &times)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  const double begin = Now(o);
  PetscCall(f());
#if defined(HEPTA_HAVE_CUDA)
  if (o.device) PetscCallCUDA(cudaDeviceSynchronize());
#endif
  double ms = 1e3 * (Now(o) - begin);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &ms, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  times.push_back(ms);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* i and j are copies on the host, since MatSetPreallocationCOO() may change its arguments */
static PetscErrorCode SetLocations(const Options &o, Locations &p, bool blocks, std::vector<PetscInt> &i,
                                   std::vector<PetscInt> &j, Mat A)
{
  PetscFunctionBegin;
  if (blocks)
    PetscCall(HeptaMatSetPreallocationCOOBlocked(A, (PetscCount)p.block_i.host.size(), p.block_i.Get(o), p.block_j.Get(o)));
  else
    PetscCall(
      MatSetPreallocationCOO(A, (PetscCount)p.i.host.size(), o.device ? p.i.device : i.data(), o.device ? p.j.device : j.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One round of one type */
static PetscErrorCode Assemble(const Options &o, Locations &p, PetscInt rows, Result &r)
{
  std::vector<PetscInt> i = p.i.host, j = p.j.host;
  const auto            set_values = [&](Mat A) { return MatSetValuesCOO(A, p.v.Get(o), INSERT_VALUES); };
  Mat                   A;
  Vec                   x, y;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(A, o.nc));
  PetscCall(MatSetType(A, r.type.c_str()));
  PetscCall(Time(o, [&] { return SetLocations(o, p, r.blocks, i, j, A); }, r.set_up));
  PetscCall(Time(o, [&] { return set_values(A); }, r.first));
  PetscCall(Time(o, [&] { return set_values(A); }, r.values));
  r.both.push_back(r.set_up.back() + r.first.back());
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_2, &r.norm));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double Median(std::vector<double> v)
{
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

static PetscErrorCode Report(const Options &o, const std::vector<Result> &results, PetscCount entries)
{
  PetscMPIInt size;
  BenchTable  table;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  table.title   = "COO assembly over " + std::to_string(size) + " ranks, " + std::to_string(o.Cells()) + " cells with " +
                  std::to_string(o.nc) + " unknowns, " + std::to_string(entries) + " entries given" +
                  (o.rows && !o.blocks ? " row by row, " : ", ") +
                  (o.device   ? "in device memory"
                   : o.system ? "on the host, CPU time of the slowest rank"
                              : "on the host, user CPU time of the slowest rank");
  table.columns = {"type"};
  for (const char *what : {"set-up", "first values", "both", "values"}) {
    table.columns.push_back(std::string(what) + ", ms");
    table.columns.push_back(std::string(what) + ", first / this");
  }
  for (const Result &r : results) {
    table.rows.push_back({BenchText(r.type + (r.blocks ? ", by blocks" : ""))});
    for (const auto times : {&Result::set_up, &Result::first, &Result::both, &Result::values}) {
      const double ms = Median(r.*times);
      table.rows.back().push_back(BenchNumber("%.2f", ms));
      table.rows.back().push_back(BenchRatio(Median(results[0].*times), ms));
    }
  }
  PetscCall(BenchReport({table}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's locations and values; *cells <- the number of its cells */
static PetscErrorCode MakeLocations(const Options &o, Locations &p, PetscInt *cells)
{
  PetscInt all = o.Cells(), last;

  PetscFunctionBegin;
  *cells = PETSC_DECIDE;
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, cells, &all));
  last = *cells;
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, &last, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  if (o.rows) AddBlockRows(o, last - *cells, last, p);
  else AddFaces(o, last - *cells, last, p);
  AddEntries(o, p);
  if (o.device) {
    PetscDeviceContext context; /* makes the device that PETSc has for this rank the current one */

    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    for (Array<PetscInt> *a : {&p.i, &p.j, &p.block_i, &p.block_j}) PetscCall(ToDevice(*a));
    PetscCall(ToDevice(p.v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const Options &o)
{
  char                types[256] = "aij,bdia,brow", **list;
  int                 n;
  PetscInt            cells;
  Locations           p;
  std::vector<Result> results;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_types", types, sizeof(types), nullptr));
  PetscCall(MakeLocations(o, p, &cells));
  PetscCount entries = (PetscCount)p.i.host.size();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &entries, 1, MPIU_COUNT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscStrToArray(types, ',', &n, &list));
  for (int k = 0; k < n; k++)
    results.push_back({list[k], o.blocks && std::string(list[k]).compare(0, 3, "aij"), 0, {}, {}, {}, {}});
  for (PetscInt round = 0; round < o.repeats; round++) {
    for (Result &r : results) PetscCall(Assemble(o, p, cells * o.nc, r));
  }
  for (const Result &r : results) {
    const PetscReal difference = PetscAbsReal(r.norm - results[0].norm) / results[0].norm;
    PetscCheck(difference < 1e-10, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s gives another product than %s: relative difference of the norms %g", r.type.c_str(), list[0],
               (double)difference);
  }
  PetscCall(PetscStrToArrayDestroy(n, list));
  PetscCall(Report(o, results, entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  PetscBool have = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(GetOptions(&o));
  if (o.device) PetscCall(BenchHaveDevice(&have));
  if (have) PetscCall(Run(o));
  PetscCall(PetscFinalize());
  return have ? 0 : 77;
}
