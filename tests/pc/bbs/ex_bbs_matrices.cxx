static char help[] =
  "Triangular solves with the ILU(0) factors of real matrices: backward errors, PETSc's own solves, iterations.\n\
  -matrices <folder> : with files in Matrix Market format; HEPTA_MATRICES in the environment: a folder with more\n\n";

#include "largest.h"
#include "matrix_market.h"
#include "triangle.h"

#include <algorithm>

/* A matrix by rows, in extended precision, and its factors at the same locations */
struct Rows {
  std::vector<PetscInt>    i, j, diagonal; /* -1: no such entry */
  std::vector<long double> a;
  PetscInt                 bad = -1; /* the first row whose pivot is too small or not finite */

  PetscInt n() const { return (PetscInt)i.size() - 1; }
};

static PetscErrorCode ToRows(Mat A, Rows *R)
{
  PetscInt           n, count;
  const PetscInt    *cols;
  const PetscScalar *vals;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, nullptr));
  R->i.assign(1, 0);
  R->diagonal.assign(n, -1);
  for (PetscInt m = 0; m < n; m++) {
    PetscCall(MatGetRow(A, m, &count, &cols, &vals));
    for (PetscInt k = 0; k < count; k++) {
      if (cols[k] == m) R->diagonal[m] = (PetscInt)R->j.size();
      R->j.push_back(cols[k]);
      R->a.push_back(vals[k]);
    }
    R->i.push_back((PetscInt)R->j.size());
    PetscCall(MatRestoreRow(A, m, &count, &cols, &vals));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a_ij -= a_ik a_kj / a_kk over the pattern */
static void Factor(Rows *R)
{
  std::vector<PetscInt> position(R->n(), -1);

  for (PetscInt m = 0; m < R->n(); m++) {
    for (PetscInt p = R->i[m]; p < R->i[m + 1]; p++) position[R->j[p]] = p;
    for (PetscInt p = R->i[m]; p < R->diagonal[m]; p++) {
      const PetscInt k = R->j[p];
      R->a[p] /= R->a[R->diagonal[k]];
      for (PetscInt q = R->diagonal[k] + 1; q < R->i[k + 1]; q++) {
        if (position[R->j[q]] >= 0) R->a[position[R->j[q]]] -= R->a[p] * R->a[q];
      }
    }
    for (PetscInt p = R->i[m]; p < R->i[m + 1]; p++) position[R->j[p]] = -1;
    if (R->bad < 0 && !(std::fabs(R->a[R->diagonal[m]]) > 100 * PETSC_MACHINE_EPSILON)) R->bad = m;
  }
}

static std::vector<long double> SolveRows(const Rows &R, const Numbers &b)
{
  std::vector<long double> x(b.begin(), b.end());

  for (PetscInt m = 0; m < R.n(); m++) {
    for (PetscInt p = R.i[m]; p < R.diagonal[m]; p++) x[m] -= R.a[p] * x[R.j[p]];
  }
  for (PetscInt m = R.n() - 1; m >= 0; m--) {
    for (PetscInt p = R.diagonal[m] + 1; p < R.i[m + 1]; p++) x[m] -= R.a[p] * x[R.j[p]];
    x[m] /= R.a[R.diagonal[m]];
  }
  return x;
}

/* The factor L, with its unit diagonal, or U, rounded */
static Entries Triangle(const Rows &R, bool upper)
{
  Entries e;

  e.n = R.n();
  for (PetscInt m = 0; m < R.n(); m++) {
    if (!upper) e.Add(m, m, 1);
    for (PetscInt p = upper ? R.diagonal[m] : R.i[m]; p < (upper ? R.i[m + 1] : R.diagonal[m]); p++)
      e.Add(m, R.j[p], (PetscScalar)R.a[p]);
  }
  return e;
}

/* Is the triangle's solution, in extended precision, too large for a PetscScalar? No solver finds it then. */
static bool Overflows(const Entries &e, bool upper, bool transposed, const Numbers &b)
{
  std::vector<long double>         x(b.begin(), b.end()), diagonal(b.size());
  std::vector<std::vector<size_t>> rows(b.size());

  for (size_t k = 0; k < e.v.size(); k++) rows[transposed ? e.j[k] : e.i[k]].push_back(k);
  for (PetscInt step = 0; step < e.n; step++) {
    const PetscInt m = upper != transposed ? e.n - 1 - step : step;
    for (size_t k : rows[m]) {
      const PetscInt c = transposed ? e.i[k] : e.j[k];
      if (c == m) diagonal[m] = e.v[k];
      else x[m] -= e.v[k] * x[c];
    }
    x[m] /= diagonal[m];
    if (!(std::fabs(x[m]) < 1e-10L * PETSC_MAX_REAL)) return true;
  }
  return false;
}

/* The largest backward error of PC bbs, also transposed; the solutions that overflow are counted */
static PetscErrorCode TriangleError(const Rows &R, bool upper, const char engine[], PetscReal *error, int *overflows)
{
  const Entries e = Triangle(R, upper);
  System        s;
  Numbers       given, got;

  PetscFunctionBegin;
  PetscCall(SystemCreate(PETSC_COMM_SELF, TestAIJ(), e, std::string("-pc_type bbs -mat_bbs_engine ") + engine, &s));
  PetscCall(ToNumbers(s.b, &given));
  for (bool transposed : {false, true}) {
    PetscCall(transposed ? PCApplyTranspose(s.pc, s.b, s.x) : PCApply(s.pc, s.b, s.x));
    PetscCall(ToNumbers(s.x, &got));
    if (Overflows(e, upper, transposed, given)) ++*overflows;
    else *error = TestMax(*error, BackwardError(e, transposed, given, got));
  }
  PetscCall(SystemDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far a factor's solution is from that in extended precision */
static PetscErrorCode SolveError(Mat A, const Rows &R, const std::string &options, PetscReal *error)
{
  Mat       F;
  PC        pc;
  Vec       b, x;
  Numbers   given, got;
  PetscReal d = 0, n = 0;

  PetscFunctionBegin;
  PetscCall(NewFactor(A, "-pc_type ilu -pc_factor_shift_type none " + options, &pc, &F));
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(ToNumbers(b, &given));
  PetscCall(MatSolve(F, b, x));
  PetscCall(ToNumbers(x, &got));
  const std::vector<long double> right = SolveRows(R, given);
  for (size_t i = 0; i < got.size(); i++) {
    d = TestMax(d, (PetscReal)std::fabs(right[i] - got[i]));
    n = TestMax(n, (PetscReal)std::fabs(right[i]));
  }
  *error = d / n;
  PetscCall(Destroy(&b, &x, &pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(Mat A, const std::string &options, PetscInt *its)
{
  KSP ksp;
  Vec x, b;

  PetscFunctionBegin;
  PetscCall(NewKSP(A, "-ksp_rtol 1e-6 -ksp_max_it 200 " + options, &ksp));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(x, 1));
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(Destroy(&x, &b, &ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first row without a diagonal entry must have its number in the error */
static PetscErrorCode Refused(Mat A, const Rows &R, bool *refused)
{
  PC pc = nullptr;

  PetscFunctionBegin;
  *refused = false;
  for (PetscInt m = 0; m < R.n() && !*refused; m++) *refused = R.diagonal[m] < 0;
  if (!*refused) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt row = (PetscInt)(std::find(R.diagonal.begin(), R.diagonal.end(), -1) - R.diagonal.begin());
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "row " + std::to_string(row) + " has no diagonal entry",
                        [&] { return NewPC(A, "-pc_type ilu -pc_factor_mat_solver_type bbs", &pc); }));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "row %d has no diagonal entry\n", (int)row));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of the triangles and of solves, A being the matrix as the host has it, and B as it is under test */
static PetscErrorCode CheckErrors(const std::string &name, Mat A, Mat B, const Rows &R)
{
  std::vector<const char *> engines   = {"auto"};
  PetscReal                 triangle  = 0, petsc, bbs, level;
  int                       overflows = 0;

  PetscFunctionBegin;
  if (TestOnDevice()) engines.insert(engines.end(), {"levels", "syncfree", "together"});
  for (const char *engine : engines) {
    for (bool upper : {false, true}) PetscCall(TriangleError(R, upper, engine, &triangle, &overflows));
  }
  PetscCall(SolveError(A, R, "-pc_factor_mat_solver_type petsc", &petsc));
  PetscCall(SolveError(B, R, "-pc_factor_mat_solver_type bbs", &bbs));
  PetscCall(SolveError(B, R, "-pc_factor_mat_solver_type bbs -mat_bbs_ordering level", &level));
  PetscCall(
    PetscPrintf(PETSC_COMM_SELF,
                "backward error of the triangles %.1e (%d overflow); error of a solve %.1e, in level order %.1e, PETSc's %.1e; ",
                (double)triangle, overflows, (double)bbs, (double)level, (double)petsc));
  PetscCheck(triangle <= 1e-14, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: backward error %g", name.c_str(), (double)triangle);
  for (PetscReal e : {bbs, level})
    PetscCheck(e <= PetscMax(1e-12, 10 * petsc), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the error of a solve is %g, PETSc's %g",
               name.c_str(), (double)e, (double)petsc);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ilu, and icc of a symmetric matrix, take the iterations of PETSc's */
static PetscErrorCode CheckIterations(const std::string &name, Mat A, Mat B)
{
  PetscInt  its[2][2];
  PetscBool symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetric(A, 0, &symmetric));
  for (int icc = 0; icc <= (symmetric ? 1 : 0); icc++) {
    const std::string method = icc ? "-ksp_type cg -pc_type icc" : "-ksp_type gmres -pc_type ilu -pc_factor_shift_type inblocks";
    PetscCall(Iterations(A, method + " -pc_factor_mat_solver_type petsc", &its[icc][0]));
    PetscCall(Iterations(B, method + " -pc_factor_mat_solver_type bbs", &its[icc][1]));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s %d iterations, PETSc %d%s", icc ? "icc" : "ilu", (int)its[icc][1],
                          (int)its[icc][0], icc == symmetric ? "\n" : "; "));
    const PetscInt more = TestOnDevice() ? its[icc][0] / 20 : 0; /* there sums are taken in another order */
    PetscCheck(PetscAbsInt(its[icc][0] - its[icc][1]) <= 1 + more, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: %d iterations with bbs, %d with PETSc's %s", name.c_str(), (int)its[icc][1], (int)its[icc][0],
               icc ? "icc" : "ilu");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One matrix, A as the host has it and B as it is under test */
static PetscErrorCode Check(const std::string &name, Mat A, Mat B)
{
  Rows R;
  bool refused;

  PetscFunctionBegin;
  PetscCall(ToRows(A, &R));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-14s %6d rows: ", name.c_str(), (int)R.n()));
  PetscCall(Refused(B, R, &refused));
  const bool lacks = name == "lns_511" || name == "e05r0000";
  PetscCheck(refused == lacks, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s was %s", name.c_str(), refused ? "refused" : "not refused");
  if (refused) PetscFunctionReturn(PETSC_SUCCESS);
  Factor(&R);
  if (R.bad >= 0) PetscCall(PetscPrintf(PETSC_COMM_SELF, "no good pivot in row %d; ", (int)R.bad));
  else PetscCall(CheckErrors(name, A, B, R));
  PetscCall(CheckIterations(name, A, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Files(const std::map<std::string, std::string> &files)
{
  PetscFunctionBegin;
  for (const auto &f : files) {
    Mat A, B;
    PetscCall(SetOptions(""));
    PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_SELF, f.second.c_str(), PETSC_DECIDE, &A));
    PetscCall(MatConvert(A, TestOnDevice() ? MATSEQAIJCUSPARSE : MATSEQAIJ, MAT_INITIAL_MATRIX, &B));
    PetscCall(Check(f.first, A, B));
    PetscCall(Destroy(&A, &B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMain(argc, argv, help, [] {
    std::map<std::string, std::string> files;
    PetscCall(MatrixFiles(&files));
    PetscCall(WithOwnOptions([&] { return Files(files); }));
    return PETSC_SUCCESS;
  });
}
