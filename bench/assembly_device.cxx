#include <algorithm>
#include <cstring>
#include <hepta.h>
#include <petsctime.h>

#include "petsc_types.h"
#include "spmv_device.h"

/* A copy in device memory, or the same */
static PetscErrorCode Move(std::vector<PetscInt> &from, bool device, PetscInt **p)
{
  PetscFunctionBegin;
  *p = from.data();
  if (!device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaMalloc((void **)p, from.size() * sizeof(PetscInt)));
  PetscCallCUDA(cudaMemcpy(*p, from.data(), from.size() * sizeof(PetscInt), cudaMemcpyHostToDevice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is assembled: entries, or blocks with one pair of indices each; the values in device memory */
struct Locations {
  PetscInt              rows, nc;
  bool                  blocks;
  std::vector<PetscInt> i, j;
  PetscScalar          *v = nullptr;

  /* A: compressed rows of entries, or of blocks */
  Locations(const CSR &A, bool blocks_) : rows(A.rows), nc(A.nc), blocks(blocks_), i(A.col.size()), j(A.col)
  {
    for (size_t r = 0; r + 1 < A.ptr.size(); r++) std::fill(i.begin() + A.ptr[r], i.begin() + A.ptr[r + 1], (PetscInt)r);
  }
};

static PetscErrorCode SetLocations(Mat A, const Locations &p, PetscInt *i, PetscInt *j)
{
  PetscFunctionBegin;
  if (p.blocks) PetscCall(HeptaMatSetPreallocationCOOBlocked(A, (PetscCount)p.i.size(), i, j));
  else PetscCall(MatSetPreallocationCOO(A, (PetscCount)p.i.size(), i, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of a type with locations that are given on the host or on the device, and how long that took */
static PetscErrorCode CreateCOO(const Locations &locations, MatType type, bool device, Mat *B, double *ms)
{
  Locations      p = locations; /* MatSetPreallocationCOO() may change its arguments */
  PetscInt      *i, *j;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(Move(p.i, device, &i));
  PetscCall(Move(p.j, device, &j));
  PetscCall(MatCreate(PETSC_COMM_SELF, B));
  PetscCall(MatSetSizes(*B, p.rows, p.rows, p.rows, p.rows));
  PetscCall(MatSetType(*B, type));
  if (std::strcmp(type, MATSEQAIJCUSPARSE)) PetscCall(MatSetBlockSize(*B, p.nc));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PetscTime(&begin));
  PetscCall(SetLocations(*B, p, i, j));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PetscTime(&end));
  *ms = 1e3 * (end - begin);
  if (device) PetscCallCUDA(cudaFree(i));
  if (device) PetscCallCUDA(cudaFree(j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The median of three, or of as many as the timer's rounds if those are fewer, for indices on one side */
static PetscErrorCode TimeLocations(const Locations &p, PetscInt repeats, MatType type, bool device, Mat *B, ReportRow &row)
{
  std::vector<double> ms((size_t)PetscMin(3, repeats));

  PetscFunctionBegin;
  for (size_t k = 0; k < ms.size(); k++) {
    if (k) PetscCall(MatDestroy(B));
    PetscCall(CreateCOO(p, type, device, B, &ms[k]));
  }
  std::sort(ms.begin(), ms.end());
  row.times.push_back(
    {std::string(type + 3) + (p.blocks ? ", by blocks" : "") + (device ? ", indices on the device" : ""), ms[ms.size() / 2]});
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that is assembled, and vectors for its check */
struct Assembly {
  Mat A;
  Vec x, y;
};

/* What is checked is the product by what was assembled; what is timed is the assembly alone */
static PetscErrorCode AddAssembly(const Locations &p, PetscInt repeats, const std::vector<PetscScalar> &x, MatType type,
                                  Assembly *a, std::vector<DeviceContestant> &contestants, ReportRow &row)
{
  PetscFunctionBegin;
  PetscCall(TimeLocations(p, repeats, type, false, &a->A, row));
  PetscCall(MatDestroy(&a->A));
  PetscCall(TimeLocations(p, repeats, type, true, &a->A, row)); /* this one is checked and timed further */
  PetscCall(BenchCreateVecs(a->A, x, &a->x, &a->y));
  const auto run = [a, v = p.v]() { return MatSetValuesCOO(a->A, v, INSERT_VALUES); };
  const auto get = [a](std::vector<double> &y) {
    PetscFunctionBegin;
    PetscCall(MatMult(a->A, a->x, a->y));
    PetscCall(BenchGet(a->y, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  /* without "seq" */
  contestants.push_back({std::string(type + 3) + (p.blocks ? ", by blocks" : ""), 0, Way::Host, 1e-12, run, get, 3});
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareCOO(DeviceTimer &timer, const char name[], const CSR &A, MatType ours, ReportTable &values,
                                 ReportTable &locations)
{
  const std::vector<PetscScalar> x       = BenchVector(A.rows);
  const CSR                      blocks  = A.nc > 1 ? CSRToBlocks(A, false) : CSR();
  Locations                      given[] = {Locations(A, false), Locations(blocks, true)};
  ReportRow                      value{name, A.rows, A.nc, (double)A.val.size(), 0, {}}, location = value;
  std::vector<DeviceContestant>  c;
  Assembly                       a[3];
  double                         bytes_per_ms;

  PetscFunctionBegin;
  for (int k = 0; k < (A.nc > 1 ? 2 : 1); k++) {
    const std::vector<PetscScalar> &v = k ? blocks.val : A.val;
    PetscCallCUDA(cudaMalloc((void **)&given[k].v, v.size() * sizeof(PetscScalar)));
    PetscCallCUDA(cudaMemcpy(given[k].v, v.data(), v.size() * sizeof(PetscScalar), cudaMemcpyHostToDevice));
  }
  PetscCall(AddAssembly(given[0], timer.repeats, x, MATSEQAIJCUSPARSE, &a[0], c, location));
  PetscCall(AddAssembly(given[0], timer.repeats, x, ours, &a[1], c, location));
  if (A.nc > 1) PetscCall(AddAssembly(given[1], timer.repeats, x, ours, &a[2], c, location));
  PetscCall(timer.Check(c, CSRMult(A, x)));
  PetscCall(timer.Run(c, &bytes_per_ms));
  for (size_t k = 0; k < c.size(); k++) {
    value.times.push_back({c[k].name, c[k].Median()});
    PetscCall(MatDestroy(&a[k].A));
    PetscCall(VecDestroy(&a[k].x));
    PetscCall(VecDestroy(&a[k].y));
  }
  for (Locations &p : given) PetscCallCUDA(cudaFree(p.v));
  values.rows.push_back(value);
  locations.rows.push_back(location);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareDeviceAssembly(DeviceTimer &timer, PetscInt n, ReportTable &values, ReportTable &locations)
{
  PetscInt  nc = 4;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-nc", &nc, &given));
  PetscCheck(nc >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-nc %" PetscInt_FMT " must be at least 1", nc);
  if (given) {
    PetscCall(CompareCOO(timer, "General Hepta", CSRGeneralHepta(n, n, n / 2, nc), MATSEQBDIACUDA, values, locations));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CompareCOO(timer, "2-D Poisson", CSRPoisson(n / 2, n / 2, 1), MATSEQBDIACUDA, values, locations));
  PetscCall(CompareCOO(timer, "7-point Poisson", CSRPoisson(n / 2, n / 2, n / 2), MATSEQBDIACUDA, values, locations));
  PetscCall(CompareCOO(timer, "7-point Poisson", CSRPoisson(n, n, n), MATSEQBDIACUDA, values, locations));
  PetscCall(CompareCOO(timer, "General Hepta", CSRGeneralHepta(n / 4, n / 4, n / 2, 8), MATSEQBDIACUDA, values, locations));
  PetscCall(CompareCOO(timer, "27-point", CSRElasticity(n / 4, 3), MATSEQBROWCUDA, values, locations));
  PetscFunctionReturn(PETSC_SUCCESS);
}
