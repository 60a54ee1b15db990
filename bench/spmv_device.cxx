#include "cases.h"
#include "contest.h"

static PetscErrorCode CompareHepta(Bench &b, const HeptaCase &h)
{
  Contest c;

  PetscFunctionBegin;
  c.A = CSRGeneralHepta(h.J, h.H, h.I, h.nc);
  PetscCall(Start(c));
  PetscCall(AddCusparse(b, c, DOUBLE, SINGLE));
  PetscCall(AddMat(c, MATSEQAIJCUSPARSE, nullptr, nullptr, 1e-12, {{THROUGH_PETSC, "aijcusparse"}}));
  PetscCall(AddMat(c, MATSEQSELLCUDA, nullptr, nullptr, 1e-12, {{THROUGH_PETSC, "sellcuda"}}));
  PetscCall(AddMat(c, MATSEQBDIACUDA, nullptr, nullptr, 1e-12, {{DOUBLE, "bdia"}, {THROUGH_PETSC, "bdiacuda"}}));
  PetscCall(AddMat(c, MATSEQBDIACUDA, "-mat_bdia_storage", "single", 1e-5, {{SINGLE, "bdia single"}}));
  const double nnz = (double)c.A.val.size(), vectors = 2.0 * sizeof(double) * (double)c.A.rows;
  PetscCall(Finish(b, c, "General Hepta",
                   {{DOUBLE, 8 * nnz + vectors}, {SINGLE, 4 * nnz + vectors}, {THROUGH_PETSC, 8 * nnz + vectors}}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The floor counts the diagonal and the upper half */
static PetscErrorCode CompareHalf(Bench &b, PetscInt n)
{
  Contest c;

  PetscFunctionBegin;
  c.A = CSRPoisson(n, n, n);
  PetscCall(Start(c));
  PetscCall(MatSetOption(c.aij, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(AddCusparse(b, c, HALF, -1));
  PetscCall(AddMat(c, MATSEQBDIACUDA, nullptr, nullptr, 1e-12, {{HALF, "bdia"}}));
  PetscCall(AddMat(c, MATSEQBDIACUDA, "-mat_bdia_half", nullptr, 1e-12, {{HALF, "bdia half"}}));
  const double rows = (double)c.A.rows, nnz = (double)c.A.val.size();
  PetscCall(Finish(b, c, "7-point Poisson", {{HALF, 8 * (nnz + rows) / 2 + 16 * rows}}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Bench &b)
{
  const HeptaCase large[] = {{256, 256, 256, 1}, {128, 128, 128, 3}}; /* General Hepta on the grids of larger problems */
  const PetscInt  n_table = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(heptaCases);
  PetscInt        n = 256, cases = n_table + 2;
  PetscBool       assembly = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-cases", &cases, nullptr));
  PetscCheck(n >= 8 && n <= 512 && cases >= 0 && cases <= n_table + 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-n must be 8 to 512 and -cases 0 to %" PetscInt_FMT, n_table + 2);
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-assembly", &assembly, nullptr));
  if (assembly) {
    PetscCall(CompareDeviceAssembly(b.timer, n, b.tables[COO_VALUES], b.tables[COO_LOCATIONS]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < cases; k++) PetscCall(CompareHepta(b, k < n_table ? heptaCases[k] : large[k - n_table]));
  PetscCall(CompareHalf(b, n));
  PetscCall(CompareBlocks(b, n));
  PetscCall(CompareDeviceAssembly(b.timer, n, b.tables[COO_VALUES], b.tables[COO_LOCATIONS]));
  PetscCall(CompareDeviceColumns(b.timer, PetscMin(n, 128), b.tables[MANY], b.tables[MANY_ROWS]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpmvDevice(void)
{
  Bench b;

  PetscFunctionBegin;
  PetscCheck(sizeof(PetscScalar) == sizeof(double), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The device comparison needs a PETSc in double precision");
  PetscCall(b.timer.Create());
  PetscCallCUSPARSE(cusparseCreate(&b.handle));
  PetscCallCUSPARSE(cusparseSetStream(b.handle, b.timer.stream));
  b.tables                = std::vector<ReportTable>(TABLES);
  b.tables[DOUBLE]        = {"Products in double against cuSPARSE, device time", "ms", "bdia", {}};
  b.tables[SINGLE]        = {"Float values (ours under double vectors) against cuSPARSE in float, device time", "ms", "bdia", {}};
  b.tables[HALF]          = {"Half storage of a symmetric matrix, device time", "ms", "bdia", {}};
  b.tables[THROUGH_PETSC] = {"MatMult through PETSc, wall clock", "ms", "bdia", {}};
  b.tables[BLOCKS_DOUBLE] = {"Matrices of blocks in double against cuSPARSE, device time", "ms", "brow", {}};
  b.tables[BLOCKS_SINGLE] = {"Matrices of blocks, float values (ours under double vectors), device time", "ms", "brow", {}};
  b.tables[COO_VALUES]    = {"MatSetValuesCOO with values on the device, wall clock", "ms", "bdia", {}};
  b.tables[COO_LOCATIONS] = {"MatSetPreallocationCOO, once, wall clock", "ms", "bdia", {}};
  b.tables[DENSE_DOUBLE]  = {"A dense matrix against cuBLAS and cuSPARSE, device time", "ms", "brow", {}};
  b.tables[DENSE_SINGLE]  = {"A dense matrix in float (ours under double vectors), device time", "ms", "brow", {}};
  b.tables[CONVERSION]    = {"MatConvert from aijcusparse, memory and all, against csr2bsr, wall clock", "ms", "brow", {}};
  b.tables[MANY]          = {"MatMatMult with densecuda through PETSc, wall clock", "ms", "bdia", {}};
  b.tables[MANY_ROWS]     = {"MatMatMult with densecuda through PETSc, blocked rows, wall clock", "ms", "brow", {}};
  PetscCall(Compare(b));
  PetscCallCUSPARSE(cusparseDestroy(b.handle));
  PetscCall(b.timer.Destroy());
  PetscCall(ReportFromOptions(b.tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}
