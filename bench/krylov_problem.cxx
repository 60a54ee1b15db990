/* Linear systems of bench/krylov in several formats */
#include "krylov.h"

#include <cmath>

static double Norm(const std::vector<double> &v)
{
  double sum = 0;

  for (double a : v) sum += a * a;
  return std::sqrt(sum);
}

/* ||b - A x|| / ||b|| by the arrays of the CSR */
static PetscErrorCode Residual(const KrylovProblem &p, Vec x, PetscReal *relative)
{
  std::vector<double> given, r, b(p.b.begin(), p.b.end());

  PetscFunctionBegin;
  PetscCall(BenchGet(x, given));
  r = CSRMult(p.csr, std::vector<PetscScalar>(given.begin(), given.end()));
  for (size_t i = 0; i < r.size(); i++) r[i] = b[i] - r[i];
  *relative = (PetscReal)(Norm(r) / Norm(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovProblemStart(const KrylovOptions &o, const std::string &name, CSR &&csr, KrylovProblem *p)
{
  PetscFunctionBegin;
  p->name     = name;
  p->csr      = std::move(csr);
  p->rows     = p->csr.rows;
  p->nc       = p->csr.nc;
  p->nnz      = (double)p->csr.val.size();
  p->device   = o.device;
  p->b        = BenchVector(p->rows);
  p->residual = [p](Vec x, PetscReal *r) { return Residual(*p, x, r); };
  PetscCall(CSRGetAIJ(p->csr, &p->aij));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "krylov: %s, %" PetscInt_FMT " rows\n", name.c_str(), p->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values with their indices, for our types: MatInfo counts a bit for each value too, which no product reads */
static PetscErrorCode BytesOf(Mat A, double *bytes)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  *bytes = info.memory - info.nz_allocated / 8;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the matrix */
static PetscErrorCode Keep(KrylovProblem *p, bool ours, const std::string &name, Mat A, Mat P)
{
  auto m = std::make_unique<KrylovMatrix>();

  PetscFunctionBegin;
  m->ours = ours;
  m->name = name;
  m->A    = A;
  m->P    = P;
  PetscCall(BenchCreateVecs(A, p->b, &m->b, &m->x));
  p->matrices.push_back(std::move(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovProblemAdd(KrylovProblem *p, bool ours, const std::string &name, const std::string &type,
                                const char option[], const char value[])
{
  std::string failure;
  Mat         A = nullptr;

  PetscFunctionBegin;
  PetscCall(BenchTry(p->name + " as " + name, [&]() { return BenchConvert(p->aij, type.c_str(), option, value, &A); }, &failure));
  if (!failure.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Keep(p, ours, name, A, A));
  if (ours) PetscCall(BytesOf(A, &p->matrices.back()->bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* jacobi asks a matrix for its diagonal, which cuSPARSE's blocks do not give: it takes that of the compressed rows */
PetscErrorCode KrylovProblemAddRivals(KrylovProblem *p, PetscInt bs)
{
  const std::string   rows = p->device ? "aijcusparse" : "aij", slices = p->device ? "sellcuda" : "sell";
  const KrylovMatrix *csr;

  PetscFunctionBegin;
  PetscCall(KrylovProblemAdd(p, false, rows, "seq" + rows, nullptr, nullptr));
  PetscCall(KrylovProblemAdd(p, false, slices, "seq" + slices, nullptr, nullptr));
  csr = KrylovProblemFind(*p, rows);
  if (bs < 2 || p->rows % bs || !csr) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->device) {
    Mat bsr;

    PetscCall(KrylovCreateBSR(p->csr, bs, &bsr));
    if (bsr) PetscCall(Keep(p, false, "bsr of cuSPARSE", bsr, csr->A));
  } else {
    PetscCall(MatSetBlockSize(p->aij, bs));
    PetscCall(KrylovProblemAdd(p, false, "baij", MATSEQBAIJ, nullptr, nullptr));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const KrylovMatrix *KrylovProblemFind(const KrylovProblem &p, const std::string &name)
{
  for (const auto &m : p.matrices) {
    if (m->name == name) return m.get();
  }
  return nullptr;
}

PetscErrorCode KrylovProblemDestroy(KrylovProblem *p)
{
  PetscFunctionBegin;
  for (auto &m : p->matrices) {
    PetscCall(MatDestroy(&m->A));
    PetscCall(VecDestroy(&m->b));
    PetscCall(VecDestroy(&m->x));
  }
  PetscCall(MatDestroy(&p->aij));
  *p = {};
  PetscFunctionReturn(PETSC_SUCCESS);
}
