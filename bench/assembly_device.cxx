#include <petsctime.h>

#include "petsc_types.h"
#include "spmv_device.h"

/* A matrix of a type with the places of A's entries, and how long they took */
static PetscErrorCode CreateCOO(const CSR &A, MatType type, Mat *B, double *ms)
{
  std::vector<PetscInt> i(A.col.size()), j = A.col; /* MatSetPreallocationCOO() may change its arguments */
  PetscLogDouble        begin, end;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < A.rows; r++) std::fill(i.begin() + A.ptr[r], i.begin() + A.ptr[r + 1], r);
  PetscCall(MatCreate(PETSC_COMM_SELF, B));
  PetscCall(MatSetSizes(*B, A.rows, A.rows, A.rows, A.rows));
  PetscCall(MatSetType(*B, type));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PetscTime(&begin));
  PetscCall(MatSetPreallocationCOO(*B, (PetscCount)i.size(), i.data(), j.data()));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PetscTime(&end));
  *ms = 1e3 * (end - begin);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that is assembled, and vectors for its check */
struct Assembly {
  Mat    A;
  Vec    x, y;
  double places_ms;
};

/* What is checked is the product by what was assembled; what is timed is the assembly alone */
static PetscErrorCode AddAssembly(const CSR &A, const std::vector<PetscScalar> &x, MatType type, const char name[], const PetscScalar *v, Assembly *a, std::vector<DeviceContestant> &contestants)
{
  PetscFunctionBegin;
  PetscCall(CreateCOO(A, type, &a->A, &a->places_ms));
  PetscCall(BenchCreateVecs(a->A, x, &a->x, &a->y));
  const auto run = [a, v]() { return MatSetValuesCOO(a->A, v, INSERT_VALUES); };
  const auto get = [a](std::vector<double> &y) {
    PetscFunctionBegin;
    PetscCall(MatMult(a->A, a->x, a->y));
    PetscCall(BenchGet(a->y, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  contestants.push_back({name, 0, Way::Host, 1e-12, run, get, 3});
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareDeviceAssembly(DeviceTimer &timer, PetscInt n, ReportTable &values, ReportTable &places)
{
  const CSR                      A = CSRPoisson(n, n, n);
  const std::vector<PetscScalar> x = BenchVector(A.rows);
  ReportRow                      value{"7-point Poisson", A.rows, 1, (double)A.val.size(), 0, {}}, place = value;
  std::vector<DeviceContestant>  c;
  Assembly                       a[2];
  double                         bytes_per_ms;
  PetscScalar                   *v;

  PetscFunctionBegin;
  PetscCallCUDA(cudaMalloc((void **)&v, A.val.size() * sizeof(PetscScalar)));
  PetscCallCUDA(cudaMemcpy(v, A.val.data(), A.val.size() * sizeof(PetscScalar), cudaMemcpyHostToDevice));
  PetscCall(AddAssembly(A, x, MATSEQAIJCUSPARSE, "aijcusparse", v, &a[0], c));
  PetscCall(AddAssembly(A, x, MATSEQBDIACUDA, "bdiacuda", v, &a[1], c));
  PetscCall(timer.Check(c, CSRMult(A, x)));
  PetscCall(timer.Run(c, &bytes_per_ms));
  for (int k = 0; k < 2; k++) {
    value.times.push_back({c[k].name, c[k].Median()});
    place.times.push_back({c[k].name, a[k].places_ms});
    PetscCall(MatDestroy(&a[k].A));
    PetscCall(VecDestroy(&a[k].x));
    PetscCall(VecDestroy(&a[k].y));
  }
  PetscCallCUDA(cudaFree(v));
  values.rows.push_back(value);
  places.rows.push_back(place);
  PetscFunctionReturn(PETSC_SUCCESS);
}
