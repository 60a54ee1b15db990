#include "cases.h"
#include "columns.h"
#include "petsc_types.h"
#include "spmv_device.h"

/* PETSc's aijcusparse, which multiplies by cuSPARSE's SpMM, and one of ours; B in turn with each number of columns */
static PetscErrorCode Compare(DeviceTimer &timer, CSR &A, const std::string &what, MatType ours,
                              const std::vector<PetscInt> &columns, ReportTable &table)
{
  const MatType                  types[2] = {MATSEQAIJCUSPARSE, ours};
  const std::string              names[2] = {"aijcusparse", table.ours + "cuda"};
  const std::vector<PetscScalar> x        = BenchVector(A.rows);
  const std::vector<double>      y        = CSRMult(A, x);
  Mat                            aij, mats[2];
  double                         bytes_per_ms;

  PetscFunctionBegin;
  PetscCall(CSRGetAIJ(A, &aij));
  for (int k = 0; k < 2; k++) PetscCall(BenchConvert(aij, types[k], nullptr, nullptr, &mats[k]));
  for (PetscInt n : columns) {
    DenseProduct                  p[2];
    std::vector<DeviceContestant> c;

    for (int k = 0; k < 2; k++) {
      DenseProduct *q = &p[k];
      PetscCall(q->Create(mats[k], MATSEQDENSECUDA, n, x));
      c.push_back({names[k], 0, Way::Host, 1e-12, [q]() { return q->Run(); }, [q](std::vector<double> &v) { return q->Get(v); },
                   PetscMax(1, 40 / n)});
    }
    PetscCall(timer.Check(c, y));
    PetscCall(timer.Run(c, &bytes_per_ms));
    const double moved = 8.0 * (double)A.val.size() + 16.0 * (double)n * (double)A.rows;
    ReportRow    row{what + ", " + std::to_string(n) + " columns", A.rows, A.nc, (double)A.val.size(), moved / bytes_per_ms, {}};
    for (const DeviceContestant &k : c) row.times.push_back({k.name, k.Median()});
    table.rows.push_back(row);
    for (DenseProduct &q : p) PetscCall(q.Destroy());
  }
  for (Mat *m : {&mats[0], &mats[1], &aij}) PetscCall(MatDestroy(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareDeviceColumns(DeviceTimer &timer, PetscInt n, ReportTable &diagonals, ReportTable &rows)
{
  std::vector<PetscInt> columns;
  CSR                   A;

  PetscFunctionBegin;
  PetscCall(BenchColumns(&columns));
  if (columns.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  A = CSRPoisson(n, n, n);
  PetscCall(Compare(timer, A, "7-point Poisson", MATSEQBDIACUDA, columns, diagonals));
  for (PetscInt nc : {3, 4, 8}) {
    const PetscInt m = PetscMax(2, n / nc);
    A                = CSRGeneralHepta(m, n, m, nc);
    PetscCall(Compare(timer, A, "General Hepta", MATSEQBDIACUDA, columns, diagonals));
  }
  A = CSRElasticity(PetscMax(4, n / 2), 3);
  PetscCall(Compare(timer, A, "27-point, 3 unknowns", MATSEQBROWCUDA, columns, rows));
  A = CSRWells(PetscMax(4, n / 2), 3, 50, 12);
  PetscCall(Compare(timer, A, "7-point with wells, 3 unknowns", MATSEQBROWCUDA, columns, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
