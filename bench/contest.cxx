#include "contest.h"

/* One algorithm of cuSPARSE, if it has it for these types */
static PetscErrorCode AddProduct(Bench &b, Contest &c, const DeviceMatrix &A, cusparseSpMVAlg_t alg, bool single_vectors,
                                 const std::string &name, int table)
{
  auto p = std::make_unique<CusparseProduct>();

  PetscFunctionBegin;
  PetscCall(p->Create(b.handle, A, alg, single_vectors, c.x));
  if (p->status == CUSPARSE_STATUS_SUCCESS) {
    CusparseProduct *q = p.get();
    c.contestants.push_back({name, table, Way::Device, A.single ? 1e-5 : 1e-12, [q]() { return q->Run(); },
                             [q](std::vector<double> &y) { return q->Get(y); }, c.calls});
    c.products.push_back(std::move(p));
  } else {
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "note: cuSPARSE refuses %s with %s values: %s\n", name.c_str(),
                           A.single ? "float" : "double", cusparseGetErrorString(p->status)));
    PetscCall(p->Destroy());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What cuSPARSE has for a format */
static std::vector<std::pair<std::string, cusparseSpMVAlg_t>> Algorithms(Format format)
{
  switch (format) {
  case Format::CSR: return {{"csr 1", CUSPARSE_SPMV_CSR_ALG1}, {"csr 2", CUSPARSE_SPMV_CSR_ALG2}};
  case Format::Slices: return {{"sell", CUSPARSE_SPMV_SELL_ALG1}};
  default: return {{format == Format::Blocks ? "bsr rows" : "bsr columns", CUSPARSE_SPMV_BSR_ALG1}};
  }
}

/* A format with values in double for one table and, unless negative, in float for another, for float and double vectors */
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

PetscErrorCode AddCusparse(Bench &b, Contest &c, int double_table, int single_table)
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

PetscErrorCode AddMat(Contest &c, MatType type, const char option[], const char value[], double tolerance,
                      const std::vector<std::pair<int, std::string>> &tables)
{
  Mat B;
  Vec x, y;

  PetscFunctionBegin;
  PetscCall(BenchConvert(c.aij, type, option, value, &B));
  PetscCall(BenchCreateVecs(B, c.x, &x, &y));
  for (const auto &[table, name] : tables) {
    const Way way = table == THROUGH_PETSC ? Way::Host : Way::Device;
    c.contestants.push_back({name, table, way, tolerance, [=]() { return MatMult(B, x, y); },
                             [=](std::vector<double> &v) { return BenchGet(y, v); }, c.calls});
  }
  c.mats.push_back(B);
  c.vecs.push_back(x);
  c.vecs.push_back(y);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Start(Contest &c)
{
  PetscFunctionBegin;
  c.x = BenchVector(c.A.rows);
  c.y = CSRMult(c.A, c.x);
  /* batches of some milliseconds, so that starting one does not count */
  c.calls = (PetscInt)PetscMin(200.0, PetscMax(20.0, 4e9 / (double)c.A.val.size()));
  PetscCall(CSRGetAIJ(c.A, &c.aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Finish(Bench &b, Contest &c, const std::string &what, const std::vector<std::pair<int, double>> &bytes)
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
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "done: %s, %" PetscInt_FMT " rows, copy at %.2f TB/s\n", what.c_str(),
                         c.A.rows, 1e-9 * bytes_per_ms));
  PetscFunctionReturn(PETSC_SUCCESS);
}
