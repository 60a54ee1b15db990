#include "spmv_device.h"

#include <memory>

#include "cases.h"
#include "cusparse.h"
#include "petsc_types.h"

namespace
{

enum Table {
  DOUBLE,
  SINGLE,
  THROUGH_PETSC,
  HALF,
  COO_VALUES,
  COO_PLACES,
  MANY,
  TABLES
};

/* All that multiplies by one matrix */
struct Contest {
  CSR                                           A;
  std::vector<PetscScalar>                      x;
  std::vector<double>                           y; /* A x, from the host */
  PetscInt                                      calls;
  Mat                                           aij = nullptr;
  std::vector<std::unique_ptr<DeviceMatrix>>    matrices;
  std::vector<std::unique_ptr<CusparseProduct>> products;
  std::vector<Mat>                              mats;
  std::vector<Vec>                              vecs;
  std::vector<DeviceContestant>                 contestants;
};

struct Bench {
  DeviceTimer              timer;
  cusparseHandle_t         handle = nullptr;
  std::vector<ReportTable> tables;
};

} // namespace

/* One algorithm of cuSPARSE, if it has it for these types */
static PetscErrorCode AddProduct(Bench &b, Contest &c, const DeviceMatrix &A, cusparseSpMVAlg_t alg, bool single_vectors, const std::string &name, int table)
{
  auto p = std::make_unique<CusparseProduct>();

  PetscFunctionBegin;
  PetscCall(p->Create(b.handle, A, alg, single_vectors, c.x));
  if (p->status == CUSPARSE_STATUS_SUCCESS) {
    CusparseProduct *q = p.get();
    c.contestants.push_back({name, table, Way::Device, A.single ? 1e-5 : 1e-12, [q]() { return q->Run(); }, [q](std::vector<double> &y) { return q->Get(y); }, c.calls});
    c.products.push_back(std::move(p));
  } else {
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "note: cuSPARSE refuses %s with %s values: %s\n", name.c_str(), A.single ? "float" : "double", cusparseGetErrorString(p->status)));
    PetscCall(p->Destroy());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What cuSPARSE has for a format */
static std::vector<std::pair<std::string, cusparseSpMVAlg_t>> Algorithms(Format format)
{
  switch (format) {
  case Format::CSR:
    return {
      {"csr 1", CUSPARSE_SPMV_CSR_ALG1},
      {"csr 2", CUSPARSE_SPMV_CSR_ALG2}
    };
  case Format::Slices:
    return {
      {"sell", CUSPARSE_SPMV_SELL_ALG1}
    };
  default:
    return {
      {format == Format::Blocks ? "bsr rows" : "bsr columns", CUSPARSE_SPMV_BSR_ALG1}
    };
  }
}

/* A format with values in double for one table and, unless that is negative, in float for another, there under float and double vectors */
static PetscErrorCode AddFormat(Bench &b, Contest &c, Format format, int double_table, int single_table)
{
  CSR        made;
  const CSR &converted = ConvertTo(c.A, format, made);

  PetscFunctionBegin;
  for (int table : {double_table, single_table}) {
    const bool single = table == single_table;
    if (table < 0) continue;
    c.matrices.push_back(std::make_unique<DeviceMatrix>());
    PetscCall(c.matrices.back()->Create(c.A, converted, format, single));
    for (const auto &[name, alg] : Algorithms(format)) {
      PetscCall(AddProduct(b, c, *c.matrices.back(), alg, single, name, table));
      if (single) PetscCall(AddProduct(b, c, *c.matrices.back(), alg, false, name + ", double vectors", table));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddCusparse(Bench &b, Contest &c, int double_table, int single_table)
{
  PetscFunctionBegin;
  PetscCall(AddFormat(b, c, Format::CSR, double_table, single_table));
  PetscCall(AddFormat(b, c, Format::Slices, double_table, single_table));
  if (c.A.nc > 1) {
    PetscCall(AddFormat(b, c, Format::Blocks, double_table, single_table));
    PetscCall(AddFormat(b, c, Format::BlockColumns, double_table, single_table));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of PETSc or ours with vectors of its own, as one contestant for each table that it stands in */
static PetscErrorCode AddMat(Contest &c, MatType type, const char option[], const char value[], double tolerance, const std::vector<std::pair<int, std::string>> &places)
{
  Mat B;
  Vec x, y;

  PetscFunctionBegin;
  PetscCall(BenchConvert(c.aij, type, option, value, &B));
  PetscCall(BenchCreateVecs(B, c.x, &x, &y));
  for (const auto &[table, name] : places) {
    const Way way = table == THROUGH_PETSC ? Way::Host : Way::Device;
    c.contestants.push_back({name, table, way, tolerance, [=]() { return MatMult(B, x, y); }, [=](std::vector<double> &v) { return BenchGet(y, v); }, c.calls});
  }
  c.mats.push_back(B);
  c.vecs.push_back(x);
  c.vecs.push_back(y);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Start(Contest &c)
{
  PetscFunctionBegin;
  c.x = BenchVector(c.A.rows);
  c.y = CSRMult(c.A, c.x);
  /* batches of some milliseconds, so that starting one does not count */
  c.calls = (PetscInt)PetscMin(200.0, PetscMax(20.0, 4e9 / (double)c.A.val.size()));
  PetscCall(CSRGetAIJ(c.A, &c.aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks, times, writes down and takes apart; bytes[t]: what must move in table t's product */
static PetscErrorCode Finish(Bench &b, Contest &c, const std::string &what, const std::vector<std::pair<int, double>> &bytes)
{
  double bytes_per_ms;

  PetscFunctionBegin;
  PetscCall(b.timer.Check(c.contestants, c.y));
  PetscCall(b.timer.Run(c.contestants, &bytes_per_ms));
  for (const auto &[table, moved] : bytes) {
    ReportRow row{what, c.A.rows, c.A.nc, (double)c.A.val.size(), moved / bytes_per_ms, {}};
    for (const DeviceContestant &k : c.contestants) {
      if (k.table == table) row.times.push_back({k.name, k.Median()});
    }
    b.tables[table].rows.push_back(row);
  }
  for (auto &p : c.products) PetscCall(p->Destroy());
  for (auto &m : c.matrices) PetscCall(m->Destroy());
  for (Mat &m : c.mats) PetscCall(MatDestroy(&m));
  for (Vec &v : c.vecs) PetscCall(VecDestroy(&v));
  PetscCall(MatDestroy(&c.aij));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "done: %s, %" PetscInt_FMT " rows, copy at %.2f TB/s\n", what.c_str(), c.A.rows, 1e-9 * bytes_per_ms));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareHepta(Bench &b, const HeptaCase &h)
{
  Contest c;

  PetscFunctionBegin;
  c.A = CSRGeneralHepta(h.J, h.H, h.I, h.nc);
  PetscCall(Start(c));
  PetscCall(AddCusparse(b, c, DOUBLE, SINGLE));
  PetscCall(AddMat(c, MATSEQAIJCUSPARSE, nullptr, nullptr, 1e-12,
                   {
                     {THROUGH_PETSC, "aijcusparse"}
  }));
  PetscCall(AddMat(c, MATSEQSELLCUDA, nullptr, nullptr, 1e-12,
                   {
                     {THROUGH_PETSC, "sellcuda"}
  }));
  PetscCall(AddMat(c, MATSEQBDIACUDA, nullptr, nullptr, 1e-12,
                   {
                     {DOUBLE,        "bdia"    },
                     {THROUGH_PETSC, "bdiacuda"}
  }));
  PetscCall(AddMat(c, MATSEQBDIACUDA, "-mat_bdia_storage", "single", 1e-5,
                   {
                     {SINGLE, "bdia single"}
  }));
  const double nnz = (double)c.A.val.size(), vectors = 2.0 * sizeof(double) * (double)c.A.rows;
  PetscCall(Finish(b, c, "General Hepta",
                   {
                     {DOUBLE,        8 * nnz + vectors},
                     {SINGLE,        4 * nnz + vectors},
                     {THROUGH_PETSC, 8 * nnz + vectors}
  }));
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
  PetscCall(AddMat(c, MATSEQBDIACUDA, nullptr, nullptr, 1e-12,
                   {
                     {HALF, "bdia"}
  }));
  PetscCall(AddMat(c, MATSEQBDIACUDA, "-mat_bdia_half", nullptr, 1e-12,
                   {
                     {HALF, "bdia half"}
  }));
  const double rows = (double)c.A.rows, nnz = (double)c.A.val.size();
  PetscCall(Finish(b, c, "7-point Poisson",
                   {
                     {HALF, 8 * (nnz + rows) / 2 + 16 * rows}
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Bench &b)
{
  const HeptaCase large[] = {
    {256, 256, 256, 1},
    {128, 128, 128, 3}
  }; /* General Hepta on the grids of larger problems */
  const PetscInt n_table = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(heptaCases);
  PetscInt       n = 256, cases = n_table + 2;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-cases", &cases, nullptr));
  PetscCheck(n >= 8 && n <= 512 && cases >= 0 && cases <= n_table + 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-n must be 8 to 512 and -cases 0 to %" PetscInt_FMT, n_table + 2);
  for (PetscInt k = 0; k < cases; k++) PetscCall(CompareHepta(b, k < n_table ? heptaCases[k] : large[k - n_table]));
  PetscCall(CompareHalf(b, n));
  PetscCall(CompareDeviceAssembly(b.timer, n, b.tables[COO_VALUES], b.tables[COO_PLACES]));
  PetscCall(CompareDeviceColumns(b.timer, PetscMin(n, 128), b.tables[MANY]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpmvDevice(void)
{
  Bench b;

  PetscFunctionBegin;
  PetscCheck(sizeof(PetscScalar) == sizeof(double), PETSC_COMM_SELF, PETSC_ERR_SUP, "The device comparison needs a PETSc in double precision");
  PetscCall(b.timer.Create());
  PetscCallCUSPARSE(cusparseCreate(&b.handle));
  PetscCallCUSPARSE(cusparseSetStream(b.handle, b.timer.stream));
  b.tables                = std::vector<ReportTable>(TABLES);
  b.tables[DOUBLE]        = {"Products in double against cuSPARSE, device time", "ms", "bdia", {}};
  b.tables[SINGLE]        = {"Float values (ours under double vectors) against cuSPARSE in float, device time", "ms", "bdia", {}};
  b.tables[HALF]          = {"Half storage of a symmetric matrix, device time", "ms", "bdia", {}};
  b.tables[THROUGH_PETSC] = {"MatMult through PETSc, wall clock", "ms", "bdia", {}};
  b.tables[COO_VALUES]    = {"MatSetValuesCOO with values on the device, wall clock", "ms", "bdia", {}};
  b.tables[COO_PLACES]    = {"MatSetPreallocationCOO, once, wall clock", "ms", "bdia", {}};
  b.tables[MANY]          = {"MatMatMult with densecuda through PETSc, wall clock", "ms", "bdia", {}};
  PetscCall(Compare(b));
  if (b.tables[MANY].rows.empty()) b.tables.pop_back();
  PetscCallCUSPARSE(cusparseDestroy(b.handle));
  PetscCall(b.timer.Destroy());
  PetscCall(ReportFromOptions(b.tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}
