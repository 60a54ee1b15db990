#include <algorithm>
#include <cstring>
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

/* A matrix of a type with the places of A's entries, given on the host or on the device, and how long they took */
static PetscErrorCode CreateCOO(const CSR &A, MatType type, bool device, Mat *B, double *ms)
{
  std::vector<PetscInt> i(A.col.size()), j = A.col; /* MatSetPreallocationCOO() may change its arguments */
  PetscInt             *pi, *pj;
  PetscLogDouble        begin, end;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < A.rows; r++) std::fill(i.begin() + A.ptr[r], i.begin() + A.ptr[r + 1], r);
  PetscCall(Move(i, device, &pi));
  PetscCall(Move(j, device, &pj));
  PetscCall(MatCreate(PETSC_COMM_SELF, B));
  PetscCall(MatSetSizes(*B, A.rows, A.rows, A.rows, A.rows));
  PetscCall(MatSetType(*B, type));
  if (std::strcmp(type, MATSEQAIJCUSPARSE)) PetscCall(MatSetBlockSize(*B, A.nc));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PetscTime(&begin));
  PetscCall(MatSetPreallocationCOO(*B, (PetscCount)i.size(), pi, pj));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PetscTime(&end));
  *ms = 1e3 * (end - begin);
  if (device) PetscCallCUDA(cudaFree(pi));
  if (device) PetscCallCUDA(cudaFree(pj));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The median of three for indices on one side */
static PetscErrorCode TimePlaces(const CSR &A, MatType type, bool device, Mat *B, ReportRow &row)
{
  double ms[3];

  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) {
    if (k) PetscCall(MatDestroy(B));
    PetscCall(CreateCOO(A, type, device, B, &ms[k]));
  }
  std::sort(ms, ms + 3);
  row.times.push_back({std::string(type + 3) + (device ? ", indices on the device" : ""), ms[1]});
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that is assembled, and vectors for its check */
struct Assembly {
  Mat A;
  Vec x, y;
};

/* What is checked is the product by what was assembled; what is timed is the assembly alone */
static PetscErrorCode AddAssembly(const CSR &A, const std::vector<PetscScalar> &x, MatType type, const PetscScalar *v, Assembly *a, std::vector<DeviceContestant> &contestants, ReportRow &places)
{
  PetscFunctionBegin;
  PetscCall(TimePlaces(A, type, false, &a->A, places));
  PetscCall(MatDestroy(&a->A));
  PetscCall(TimePlaces(A, type, true, &a->A, places)); /* this one is checked and timed further */
  PetscCall(BenchCreateVecs(a->A, x, &a->x, &a->y));
  const auto run = [a, v]() { return MatSetValuesCOO(a->A, v, INSERT_VALUES); };
  const auto get = [a](std::vector<double> &y) {
    PetscFunctionBegin;
    PetscCall(MatMult(a->A, a->x, a->y));
    PetscCall(BenchGet(a->y, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  contestants.push_back({type + 3, 0, Way::Host, 1e-12, run, get, 3}); /* without "seq" */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareCOO(DeviceTimer &timer, const char name[], const CSR &A, MatType ours, ReportTable &values, ReportTable &places)
{
  const std::vector<PetscScalar> x = BenchVector(A.rows);
  ReportRow                      value{name, A.rows, A.nc, (double)A.val.size(), 0, {}}, place = value;
  std::vector<DeviceContestant>  c;
  Assembly                       a[2];
  double                         bytes_per_ms;
  PetscScalar                   *v;

  PetscFunctionBegin;
  PetscCallCUDA(cudaMalloc((void **)&v, A.val.size() * sizeof(PetscScalar)));
  PetscCallCUDA(cudaMemcpy(v, A.val.data(), A.val.size() * sizeof(PetscScalar), cudaMemcpyHostToDevice));
  PetscCall(AddAssembly(A, x, MATSEQAIJCUSPARSE, v, &a[0], c, place));
  PetscCall(AddAssembly(A, x, ours, v, &a[1], c, place));
  PetscCall(timer.Check(c, CSRMult(A, x)));
  PetscCall(timer.Run(c, &bytes_per_ms));
  for (int k = 0; k < 2; k++) {
    value.times.push_back({c[k].name, c[k].Median()});
    PetscCall(MatDestroy(&a[k].A));
    PetscCall(VecDestroy(&a[k].x));
    PetscCall(VecDestroy(&a[k].y));
  }
  PetscCallCUDA(cudaFree(v));
  values.rows.push_back(value);
  places.rows.push_back(place);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareDeviceAssembly(DeviceTimer &timer, PetscInt n, ReportTable &values, ReportTable &places)
{
  PetscFunctionBegin;
  PetscCall(CompareCOO(timer, "2-D Poisson", CSRPoisson(n / 2, n / 2, 1), MATSEQBDIACUDA, values, places));
  PetscCall(CompareCOO(timer, "7-point Poisson", CSRPoisson(n / 2, n / 2, n / 2), MATSEQBDIACUDA, values, places));
  PetscCall(CompareCOO(timer, "7-point Poisson", CSRPoisson(n, n, n), MATSEQBDIACUDA, values, places));
  PetscCall(CompareCOO(timer, "General Hepta", CSRGeneralHepta(n / 4, n / 4, n / 2, 8), MATSEQBDIACUDA, values, places));
  PetscCall(CompareCOO(timer, "27-point", CSRElasticity(n / 4, 3), MATSEQBROWCUDA, values, places));
  PetscFunctionReturn(PETSC_SUCCESS);
}
