static char help[] = "Times COO assembly of a flow problem over several ranks: every face of the grid gives the four blocks that couple its two cells, on the rank of the first cell.\n\
  -J <n> -H <n> -I <n> -nc <n>  grid and unknowns per cell, default 8 x 8 x 16 and 4\n\
  -mat_types <a,b,...>  default aij,bdia,brow; the first is what the others are compared with\n\
  -device          indices and values are in device memory\n\
  -blocks          one pair of indices for each block, for types of Hepta's\n\
  -repeats <k>     timed rounds, default 3; medians count\n\
  -json <file> -markdown <file>  the result\n\n";

/*
  Sample runs:
    mpiexec -n 2 ./assembly
    mpiexec -n 2 ./assembly -J 64 -H 64 -I 64 -nc 4 -device -mat_types aijcusparse,bdiacuda,browcuda -use_gpu_aware_mpi 0
*/
#include <hepta.h>
#include <petscdevice.h>
#include <petsctime.h>
#if defined(HEPTA_HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

#include <algorithm>
#include <string>
#include <vector>

#include "petsc_types.h"
#include "table.h"

namespace
{

struct Options {
  PetscInt  J = 8, H = 8, I = 16, nc = 4, repeats = 3;
  PetscBool device = PETSC_FALSE, blocks = PETSC_FALSE;

  PetscInt Cells() const { return J * H * I; }
};

/* An array of the caller's, on the host or, as wanted, in device memory */
template <class T> struct Array {
  std::vector<T> host;
  T             *device = nullptr;

  Array()              = default;
  Array(const Array &) = delete;
#if defined(HEPTA_HAVE_CUDA)
  ~Array() { (void)cudaFree(device); }
#endif
  T *Get(const Options &o) { return o.device ? device : host.data(); }
};

struct Locations {
  Array<PetscInt>    i, j, block_i, block_j;
  Array<PetscScalar> v;
};

struct Result {
  double      set_up, values; /* milliseconds */
  PetscReal   norm;           /* of the product with ones */
  std::string type;
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
  PetscCheck(o->J >= 1 && o->H >= 1 && o->I >= 1 && o->nc >= 1 && o->repeats >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-J, -H, -I, -nc and -repeats must be at least 1");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces between cells that are next to each other in the numbering of the first axis, and J and J H apart, as HeptaMatCreateGeneralHepta() has them */
static void AddFaces(const Options &o, PetscInt first, PetscInt last, Locations &p)
{
  for (PetscInt m = first; m < last; m++) {
    for (PetscInt off : {(PetscInt)1, o.J, o.J * o.H}) {
      const PetscInt cell[2] = {m, m + off};
      if (cell[1] >= o.Cells()) continue;
      for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
          p.block_i.host.push_back(cell[a]);
          p.block_j.host.push_back(cell[b]);
        }
      }
    }
  }
  for (size_t k = 0; k < p.block_i.host.size(); k++) {
    const PetscInt m = p.block_i.host[k], c = p.block_j.host[k];
    for (PetscInt r = 0; r < o.nc; r++) {
      for (PetscInt s = 0; s < o.nc; s++) {
        p.i.host.push_back(m * o.nc + r);
        p.j.host.push_back(c * o.nc + s);
        p.v.host.push_back(m == c ? (r == s ? 2. : 0.5) : -1. / (PetscScalar)(1 + r + s));
      }
    }
  }
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

/* Milliseconds that f() takes, of the slowest rank, with what it launches */
template <class F> static PetscErrorCode Time(const Options &o, F f, double *ms)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&begin));
  PetscCall(f());
#if defined(HEPTA_HAVE_CUDA)
  if (o.device) PetscCallCUDA(cudaDeviceSynchronize());
#else
  (void)o;
#endif
  PetscCall(PetscTime(&end));
  *ms = 1e3 * (end - begin);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, ms, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetLocations(const Options &o, Locations &p, bool blocks, Mat A)
{
  PetscFunctionBegin;
  if (blocks) PetscCall(HeptaMatSetPreallocationCOOBlocked(A, (PetscCount)p.block_i.host.size(), p.block_i.Get(o), p.block_j.Get(o)));
  else if (o.device) PetscCall(MatSetPreallocationCOO(A, (PetscCount)p.i.host.size(), p.i.device, p.j.device));
  else { /* copies, since the call may change its arguments */ std::vector<PetscInt> i = p.i.host, j = p.j.host;

    PetscCall(MatSetPreallocationCOO(A, (PetscCount)i.size(), i.data(), j.data()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Assemble(const Options &o, Locations &p, const std::string &type, PetscInt rows, Result *r)
{
  Mat                 A;
  Vec                 x, y;
  bool                blocks = o.blocks && type.compare(0, 3, "aij");
  std::vector<double> set_up(o.repeats), values(o.repeats);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < o.repeats; k++) {
    if (k) PetscCall(MatDestroy(&A));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetSizes(A, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetBlockSize(A, o.nc));
    PetscCall(MatSetType(A, type.c_str()));
    PetscCall(Time(
      o, [&] { return SetLocations(o, p, blocks, A); }, &set_up[k]));
    PetscCall(MatSetValuesCOO(A, p.v.Get(o), INSERT_VALUES)); /* the first brings tables to where they are used */
    PetscCall(Time(
      o, [&] { return MatSetValuesCOO(A, p.v.Get(o), INSERT_VALUES); }, &values[k]));
  }
  std::sort(set_up.begin(), set_up.end());
  std::sort(values.begin(), values.end());
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_2, &r->norm));
  r->set_up = set_up[o.repeats / 2];
  r->values = values[o.repeats / 2];
  r->type   = type + (blocks ? ", by blocks" : "");
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const Options &o)
{
  char                types[256] = "aij,bdia,brow", **list;
  int                 n;
  PetscInt            cells = PETSC_DECIDE, all = o.Cells();
  PetscMPIInt         size;
  Locations           p;
  BenchTable          table;
  std::vector<Result> results;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_types", types, sizeof(types), nullptr));
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &cells, &all));
  PetscInt last = cells;
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, &last, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  AddFaces(o, last - cells, last, p);
  PetscCount entries = (PetscCount)p.i.host.size();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &entries, 1, MPIU_COUNT, MPI_SUM, PETSC_COMM_WORLD));
  if (o.device) {
    PetscDeviceContext context; /* makes the device that PETSc has for this rank the current one */

    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    for (Array<PetscInt> *a : {&p.i, &p.j, &p.block_i, &p.block_j}) PetscCall(ToDevice(*a));
    PetscCall(ToDevice(p.v));
  }
  PetscCall(PetscStrToArray(types, ',', &n, &list));
  for (int k = 0; k < n; k++) {
    results.emplace_back();
    PetscCall(Assemble(o, p, list[k], cells * o.nc, &results.back()));
    const PetscReal difference = PetscAbsReal(results[k].norm - results[0].norm) / results[0].norm;
    PetscCheck(difference < 1e-10, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s gives another product than %s: relative difference of the norms %g", list[k], list[0], (double)difference);
  }
  PetscCall(PetscStrToArrayDestroy(n, list));
  table.title   = "COO assembly over " + std::to_string(size) + " ranks, " + std::to_string(all) + " cells with " + std::to_string(o.nc) + " unknowns, " + std::to_string(entries) + " entries given, " + (o.device ? "in device memory" : "on the host");
  table.columns = {"type", "set-up, ms", "first / this", "values, ms", "first / this"};
  for (const Result &r : results) table.rows.push_back({BenchText(r.type), BenchNumber("%.2f", r.set_up), BenchRatio(results[0].set_up, r.set_up), BenchNumber("%.3f", r.values), BenchRatio(results[0].values, r.values)});
  PetscCall(BenchReport({table}));
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
