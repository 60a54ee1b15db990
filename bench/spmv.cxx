static char help[] =
  "Times matrix products and assembly of bdia, and products of brow, against PETSc's own types in one run, on one core.\n\
  -device         instead on one GPU, against cuSPARSE and PETSc's device types\n\
  -n <cells>      cells on a side of the scalar grid, default 128; with -device 256\n\
  -repeats <k>    timed rounds, default 15; medians count\n\
  -json <file>    results as JSON\n\
  -markdown <file> results as a Markdown table\n\
  -cases <k>      with -device: the first k General Hepta configurations, default all 12\n\
  -assembly       with -device: COO assembly alone\n\
  -nc <k>         with -device -assembly: of General Hepta with k unknowns per cell on n x n x n/2 cells alone\n\
  -columns <list> MatMatMult with dense, densecuda with -device, of these numbers of columns: -columns 1,5,50,100; default none\n\
  -f <files>      with -device: Matrix Market files in blocks, as they are and repeated along the diagonal\n\
  -copies_to <n>  rows that they are repeated to, default 2000000\n\
  -blocks_n <n>   with -device: a scale for generated matrices in blocks, default that of -n\n\
  -dense_n <n>    with -device: a dense matrix of n rows as blocked rows, default none\n\
  -graphs <bool>  with -device: batches of direct calls as CUDA graphs, default true\n\n";

/*
  Sample runs:
    ./spmv                                   about 2 minutes, 3 GB
    ./spmv -n 16 -repeats 3 -json out.json   a second
    ./spmv -device -json out.json            some minutes, 20 GB on the host and on the GPU
*/
#include <hepta.h>

#include <cmath>
#include <cstring>

#include "hepta_lab.h"
#include "columns.h"
#include "petsc_types.h"
#include "problem.h"
#include "table.h"
#include "timing.h"
#ifdef HEPTA_HAVE_CUDA
  #include "spmv_device.h"
#endif

/* One line of the table: a rival's median over ours */
struct Line {
  std::string what, rival, ours;
  PetscInt    rows;
  /* floor: bytes that must move at the copy bandwidth of the same rounds; 0 where it means nothing */
  double rival_ms, ours_ms, floor_ms;
};

struct Bench {
  PetscInt          n = 128, repeats = 15;
  std::vector<Line> lines;
};

/* The copy bandwidth's contestant: reads and writes arrays far larger than the caches */
struct Copy {
  std::vector<double> from, to;
  explicit Copy(size_t n) : from(n, 1.0), to(n, 0.0) {}
  PetscErrorCode Run()
  {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(double));
    return PETSC_SUCCESS;
  }
  double Bytes() const { return 2.0 * (double)from.size() * sizeof(double); }
};

/* y <- A x by a rival and by ours, beside a copy that gives the floor; value_size: bytes of a value that ours stores */
static PetscErrorCode CompareProducts(Bench &b, const char what[], Mat rival, Mat ours, const char name[], size_t value_size)
{
  Vec                     x, y;
  MatInfo                 info;
  MatType                 type;
  PetscInt                rows;
  Copy                    copy((size_t)1 << 24);
  std::vector<Contestant> c(3);

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(ours, &x, &y));
  PetscCall(VecSetRandom(x, nullptr));
  PetscCall(MatGetType(rival, &type));
  PetscCall(MatGetLocalSize(ours, &rows, nullptr));
  c[0] = {type, [&]() { return MatMult(rival, x, y); }, {}};
  c[1] = {name, [&]() { return MatMult(ours, x, y); }, {}};
  c[2] = {"copy", [&]() { return copy.Run(); }, {}};
  PetscCall(BenchRun(c, b.repeats, 3));
  PetscCall(MatGetInfo(ours, MAT_LOCAL, &info));
  const double bytes = info.nz_allocated * (double)value_size + 2.0 * (double)rows * sizeof(PetscScalar);
  b.lines.push_back(
    {what, c[0].name, c[1].name, rows, 1e3 * c[0].Median(), 1e3 * c[1].Median(), 1e3 * c[2].Median() * bytes / copy.Bytes()});
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* General Hepta with Nc unknowns per cell, about as many bytes as the scalar one */
static PetscErrorCode CompareHepta(Bench &b, PetscInt nc)
{
  const PetscInt J = PetscMax(2, b.n / nc), H = b.n, I = PetscMax(2, b.n / nc);
  Mat            rival, ours;

  PetscFunctionBegin;
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_SELF, J, H, I, nc, 1, nc == 1 ? MATSEQAIJ : MATSEQBAIJ, &rival));
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_SELF, J, H, I, nc, 1, MATSEQBDIA, &ours));
  PetscCall(CompareProducts(b, ("General Hepta, Nc " + std::to_string(nc)).c_str(), rival, ours, "bdia", sizeof(PetscScalar)));
  PetscCall(MatDestroy(&rival));
  PetscCall(MatDestroy(&ours));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 27 points with Nc unknowns in blocked rows, about as many bytes for each Nc */
static PetscErrorCode CompareRows(Bench &b, PetscInt nc)
{
  CSR A = CSRElasticity(PetscMax(4, (PetscInt)(0.6 * b.n / std::cbrt((double)nc * nc))), nc);
  Mat aij, rival, ours;

  PetscFunctionBegin;
  PetscCall(CSRGetAIJ(A, &aij));
  PetscCall(MatSetBlockSize(aij, nc));
  PetscCall(MatConvert(aij, nc == 1 ? MATSEQAIJ : MATSEQBAIJ, MAT_INITIAL_MATRIX, &rival));
  PetscCall(BenchConvert(aij, MATSEQBROW, "-mat_brow_bs", std::to_string(nc).c_str(), &ours));
  PetscCall(CompareProducts(b, ("27-point, Nc " + std::to_string(nc)).c_str(), rival, ours, "brow", sizeof(PetscScalar)));
  for (Mat *m : {&aij, &rival, &ours}) PetscCall(MatDestroy(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The symmetric problem in half storage against sbaij and in float against aij */
static PetscErrorCode CompareStorages(Bench &b)
{
  Mat aij, sbaij, half, single;

  PetscFunctionBegin;
  PetscCall(BenchCreate(MATSEQAIJ, b.n, PETSC_FALSE, &aij));
  PetscCall(BenchAssemble(aij, b.n, 0));
  PetscCall(MatSetOption(aij, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatConvert(aij, MATSEQSBAIJ, MAT_INITIAL_MATRIX, &sbaij));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_bdia_half", nullptr));
  PetscCall(MatConvert(aij, MATSEQBDIA, MAT_INITIAL_MATRIX, &half));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_bdia_half"));
  PetscCall(CompareProducts(b, "symmetric 7-point, half storage", sbaij, half, "bdia half", sizeof(PetscScalar)));
  PetscCall(MatDestroy(&sbaij));
  PetscCall(MatDestroy(&half));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_bdia_storage", "single"));
  PetscCall(MatConvert(aij, MATSEQBDIA, MAT_INITIAL_MATRIX, &single));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_bdia_storage"));
  PetscCall(CompareProducts(b, "7-point, float storage", aij, single, "bdia single", sizeof(float)));
  PetscCall(MatDestroy(&single));
  PetscCall(MatDestroy(&aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A whole first assembly: creation, preallocation, all values */
static PetscErrorCode AssembleNew(MatType type, PetscInt n, PetscBool grid)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(BenchCreate(type, n, grid, &A));
  PetscCall(BenchAssemble(A, n, 0));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareAssembly(Bench &b)
{
  const PetscInt          n = b.n, rows = n * n * n;
  Mat                     aij, bdia;
  std::vector<Contestant> c(5);

  PetscFunctionBegin;
  PetscCall(BenchCreate(MATSEQAIJ, n, PETSC_FALSE, &aij));
  PetscCall(BenchCreate(MATSEQBDIA, n, PETSC_TRUE, &bdia));
  c[0] = {"seqaij, exact preallocation", [&]() { return AssembleNew(MATSEQAIJ, n, PETSC_FALSE); }, {}};
  c[1] = {"bdia, grid", [&]() { return AssembleNew(MATSEQBDIA, n, PETSC_TRUE); }, {}};
  c[2] = {"bdia, nothing given", [&]() { return AssembleNew(MATSEQBDIA, n, PETSC_FALSE); }, {}};
  c[3] = {"seqaij", [&]() { return BenchAssemble(aij, n, 1); }, {}};
  c[4] = {"bdia", [&]() { return BenchAssemble(bdia, n, 1); }, {}};
  PetscCall(BenchRun(c, PetscMax(3, b.repeats / 3), 1));
  for (int k = 1; k < 3; k++)
    b.lines.push_back({"first assembly, MatSetValues", c[0].name, c[k].name, rows, 1e3 * c[0].Median(), 1e3 * c[k].Median(), 0});
  b.lines.push_back({"new values, MatSetValues", c[3].name, c[4].name, rows, 1e3 * c[3].Median(), 1e3 * c[4].Median(), 0});
  PetscCall(MatDestroy(&aij));
  PetscCall(MatDestroy(&bdia));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Many vectors at once, with Nc unknowns per cell */
static PetscErrorCode CompareColumns(Bench &b, PetscInt nc)
{
  const PetscInt        J = PetscMax(2, b.n / nc), rows = J * J * b.n * nc;
  std::vector<PetscInt> columns;
  Mat                   mats[2];

  PetscFunctionBegin;
  PetscCall(BenchColumns(&columns));
  if (columns.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; k++)
    PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_SELF, J, b.n, J, nc, 1, k ? MATSEQBDIA : MATSEQAIJ, &mats[k]));
  for (PetscInt n : columns) {
    DenseProduct            p[2];
    std::vector<Contestant> c;

    for (int k = 0; k < 2; k++) {
      PetscCall(p[k].Create(mats[k], MATSEQDENSE, n, BenchVector(rows)));
      c.push_back({k ? "bdia" : "seqaij", [&p, k]() { return p[k].Run(); }, {}});
    }
    PetscCall(BenchRun(c, PetscMax(3, b.repeats / 3), 1));
    b.lines.push_back({"General Hepta, Nc " + std::to_string(nc) + ", " + std::to_string(n) + " columns", c[0].name, c[1].name,
                       rows, 1e3 * c[0].Median(), 1e3 * c[1].Median(), 0});
    for (DenseProduct &q : p) PetscCall(q.Destroy());
  }
  for (Mat &m : mats) PetscCall(MatDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const Bench &b)
{
  BenchTable table{"Products and assembly on one core",
                   "n = " + std::to_string(b.n) + ", medians of " + std::to_string(b.repeats) + " rounds",
                   {"what", "rows", "rival", "ours", "rival ms", "ours ms", "rival / ours", "ours / floor"},
                   {}};

  PetscFunctionBegin;
  for (const Line &l : b.lines) {
    table.rows.push_back({BenchText(l.what), BenchWhole(l.rows), BenchText(l.rival), BenchText(l.ours),
                          BenchNumber("%.2f", l.rival_ms), BenchNumber("%.2f", l.ours_ms), BenchRatio(l.rival_ms, l.ours_ms),
                          BenchRatio(l.ours_ms, l.floor_ms)});
  }
  PetscCall(BenchReport({table}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SpmvHost(void)
{
  Bench b;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &b.n, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &b.repeats, nullptr));
  PetscCheck(b.n >= 8 && b.n <= 512 && b.repeats >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-n must be 8 to 512 and -repeats at least 1");
  for (PetscInt nc : {1, 3, 4, 8}) PetscCall(CompareHepta(b, nc));
  PetscCall(CompareStorages(b));
  for (PetscInt nc : {1, 2, 3, 4, 5, 6, 7, 8}) PetscCall(CompareRows(b, nc));
  for (PetscInt nc : {1, 3, 4}) PetscCall(CompareColumns(b, nc));
  PetscCall(CompareAssembly(b));
  PetscCall(Report(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool device = PETSC_FALSE, have = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-device", &device, nullptr));
  if (device) PetscCall(BenchHaveDevice(&have));
  if (!device) PetscCall(SpmvHost());
#ifdef HEPTA_HAVE_CUDA
  else if (have) PetscCall(SpmvDevice());
#endif
  PetscCall(PetscFinalize());
  return have ? 0 : 77;
}
