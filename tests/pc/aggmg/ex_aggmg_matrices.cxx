static char help[] = "PCAGGMG for matrices of all kinds: thin cells, convection, values whose symmetry changes, negative "
                     "definite ones, few rows.\n\n";

#include "failure.h"
#include "mesh_count.h"
#include "view.h"

/* Cells of a grid with n along each axis, coupled across[d] with both neighbors along axis d, and 0 beyond the grid */
static Entries Cells(PetscInt n, const std::vector<PetscScalar> &across)
{
  PetscScalar sum = 0;
  Entries     e;

  e.n         = 1;
  e.symmetric = true;
  for (PetscScalar a : across) {
    e.n *= n;
    sum += 2 * a;
  }
  for (PetscInt i = 0; i < e.n; i++) {
    PetscInt step = 1;
    e.Add(i, i, sum);
    for (PetscScalar a : across) {
      if (i / step % n > 0) e.Add(i, i - step, -a);
      if (i / step % n < n - 1) e.Add(i, i + step, -a);
      step *= n;
    }
  }
  return e;
}

/* Couplings of 7 points that are 300 times stronger along the first axis: aggregates are lines, and coarse matrices sparse */
static PetscErrorCode CheckThin(MatType type)
{
  PetscInt    its;
  PetscMPIInt rank;
  std::string text;
  Mat         A;

  PetscFunctionBeginUser;
  PetscCall(Make(PETSC_COMM_WORLD, type, Cells(16, {300, 1, 1}), &A));
  PetscCall(Count(A, aggmg, &its, [&](PC pc) {
    PetscCall(PCSetUp(pc));
    return TakeView((PetscObject)pc, PETSC_VIEWER_DEFAULT, &text);
  }));
  const size_t at         = text.find("operator complexity ");
  const double complexity = at == std::string::npos ? 0 : std::atof(text.c_str() + at + 20);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCheck(rank || (complexity > 1 && complexity < 3), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Thin cells: operator complexity %g",
             complexity);
  PetscCheck(its <= 15, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Thin cells: %" PetscInt_FMT " iterations", its);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 5 points with cells coupled strongly in pairs across lines 1 and 2, 3 and 4, ... */
static Entries Pairs(PetscInt n)
{
  Entries e;

  e.n         = n * n;
  e.symmetric = true;
  for (PetscInt i = 0; i < e.n; i++) {
    PetscScalar sum = 1e-3;
    for (PetscInt step : {-n, (PetscInt)-1, (PetscInt)1, n}) {
      const PetscInt j = i + step, pair = PetscMin(i, j) / n;
      if (j < 0 || j >= e.n || (PetscAbsInt(step) == 1 && j / n != i / n)) continue;
      const PetscScalar a = PetscAbsInt(step) == n && pair % 2 ? 1e4 : 1;
      e.Add(i, j, -a);
      sum += a;
    }
    e.Add(i, i, sum);
  }
  return e;
}

/* On two processes cells at the border have strong couplings across the border alone: iterations are about those on one */
static PetscErrorCode CheckBorder(MatType type)
{
  PetscInt its[2];
  Mat      A;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(Make(k ? PETSC_COMM_WORLD : PETSC_COMM_SELF, type, Pairs(64), &A));
    PetscCall(Count(A, aggmg, &its[k]));
    PetscCall(MatDestroy(&A));
  }
  PetscCheck(its[1] <= its[0] + its[0] / 4, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Pairs of cells: %" PetscInt_FMT " iterations, %" PetscInt_FMT " on one process", its[1], its[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row i dealt to process i % size, so that neighbors are on other processes */
static Entries Dealt(const Entries &e)
{
  Entries     d = e;
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (std::vector<PetscInt> *rows : {&d.i, &d.j}) {
    for (PetscInt &i : *rows) i = i % size * (e.n / size) + PetscMin(i % size, e.n % size) + i / size;
  }
  return d;
}

/*
   Iterations are about those of one process where all neighbors are on other processes, and two for a matrix of as few rows as
   the dense inverse takes
*/
static PetscErrorCode CheckDealt(MatType type)
{
  PetscInt its[2];
  Mat      A;

  PetscFunctionBeginUser;
  for (bool wind : {false, true}) {
    const Entries     e      = wind ? Jumps({800, 1}, 1, 0.9, 3) : Cells(2000, {1});
    const std::string method = wind ? "-ksp_type gmres -ksp_pc_side right " : "";
    for (int k = 0; k < 2; k++) {
      PetscCall(Make(k ? PETSC_COMM_WORLD : PETSC_COMM_SELF, type, k ? Dealt(e) : e, &A));
      PetscCall(Count(A, method + "-pc_type aggmg -pc_aggmg_coarse_size 60 -pc_aggmg_levels " + (wind ? "0" : "2"), &its[k]));
      PetscCall(MatDestroy(&A));
    }
    PetscCheck(its[1] <= its[0] + its[0] / 4, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "A chain%s dealt to the processes: %" PetscInt_FMT " iterations, %" PetscInt_FMT " on one process",
               wind ? " with convection" : "", its[1], its[0]);
    PetscCall(Make(PETSC_COMM_WORLD, type, wind ? Jumps({20, 20}, 1, 0.9, 3) : Cells(20, {1, 1}), &A));
    PetscCall(Count(A, method + "-pc_type aggmg", &its[0]));
    PetscCheck(its[0] <= 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "400 rows%s: %" PetscInt_FMT " iterations",
               wind ? ", convection" : "", its[0]);
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M A of a level that is smoothed alone has no eigenvalue above one */
static PetscErrorCode CheckAlone(MatType type)
{
  PetscReal real[100], imaginary[100], most = 0;
  PetscInt  n;
  KSP       ksp;
  Mat       A;
  Vec       x, b;

  PetscFunctionBeginUser;
  PetscCall(Make(PETSC_COMM_WORLD, type, Cells(40, {1, 1}), &A));
  for (const char *degree : {"2", "3"}) {
    PetscCall(NewVecs(A, &x, &b));
    PetscCall(NewKSP(A, solver + "-ksp_max_it 100 -pc_type aggmg -pc_aggmg_levels 1 -pc_aggmg_degree " + degree, &ksp));
    PetscCall(KSPSetComputeEigenvalues(ksp, PETSC_TRUE));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPComputeEigenvalues(ksp, 100, real, imaginary, &n));
    for (PetscInt k = 0; k < n; k++) most = PetscMax(most, real[k]);
    PetscCheck(most > 0.9 && most < 1 + 1e-5, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "A level alone, degree %s: the largest eigenvalue of M A is %g", degree, (double)most);
    PetscCall(KSPDestroy(&ksp));
    for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without the couplings (i, j), i > j, that `drops` names */
static Entries OneWay(const Entries &whole, const std::function<bool(PetscInt, PetscInt)> &drops)
{
  Entries e;

  e.n = whole.n;
  for (size_t k = 0; k < whole.v.size(); k++) {
    if (whole.i[k] <= whole.j[k] || !drops(whole.i[k], whole.j[k])) e.Add(whole.i[k], whole.j[k], whole.v[k]);
  }
  return e;
}

/* Symmetric tiles of which nothing is told: the transposed application is the application */
static PetscErrorCode CheckUntold(MatType type)
{
  Entries   e = Scattered(150, 2, 3, true, 5);
  PetscReal norm, far;
  Vec       x, b, y;
  Mat       A;
  PC        pc;

  PetscFunctionBeginUser;
  e.symmetric = false;
  PetscCall(Make(PETSC_COMM_WORLD, type, e, &A));
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(NewPC(A, aggmg + "-pc_aggmg_storage double", &pc));
  PetscCall(PCApply(pc, b, x));
  PetscCall(PCApplyTranspose(pc, b, y));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(VecAXPY(y, -1, x));
  PetscCall(VecNorm(y, NORM_2, &far));
  PetscCheck(far <= 1e-10 * norm, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The transposed application differs by %g of %g", (double)far,
             (double)norm);
  PetscCall(PCDestroy(&pc));
  for (Vec *v : {&x, &b, &y}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Couplings in one direction: between halves of the rows, which are two processes' own, and of every second pair of a chain */
static PetscErrorCode CheckOneWay(MatType type)
{
  const Entries one[2] = {OneWay(Cells(20, {1, 1}), [](PetscInt i, PetscInt j) { return i >= 200 && j < 200; }),
                          OneWay(Cells(2000, {1}), [](PetscInt i, PetscInt) { return i % 2 == 0; })};
  Vec           x, b;
  Mat           A;
  PC            pc;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(Make(PETSC_COMM_WORLD, type, one[k], &A));
    PetscCall(NewVecs(A, &x, &b));
    PetscCall(NewPC(A, aggmg, &pc));
    PetscCall(ExpectError(PETSC_ERR_SUP, "no transpose for a matrix that", [&] { return PCApplyTranspose(pc, b, x); }));
    PetscCall(CheckView(pc, {k ? "level 0: 2000 rows, 2.5 entries a row, not symmetric" : "level 0: 400 rows"}));
    PetscCall(PCDestroy(&pc));
    for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 5 points with `reaction` added to the diagonal of one half of the cells, and six rows that are coupled with each other alone */
static PetscErrorCode HalfReaction(MatType type, PetscScalar reaction, bool left, PetscScalar coupling, Mat *A)
{
  const PetscInt n = 40;
  Entries        e = Cells(n, {1, 1});

  PetscFunctionBeginUser;
  for (size_t k = 0; k < e.v.size(); k++) {
    if (e.i[k] == e.j[k] && (e.i[k] % n < n / 2) == left) e.v[k] += reaction;
  }
  for (PetscInt k = 0; k < 36; k++) e.Add(n * n + k / 6, n * n + k % 6, k % 7 ? coupling : 1);
  e.n += 6;
  PetscCall(Make(PETSC_COMM_WORLD, type, e, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest eigenvalues move to rows where the vectors of the first ones are zero, and grow: the preconditioner for new values
   stays definite */
static PetscErrorCode CheckMoved(MatType type)
{
  KSPConvergedReason reason;
  PetscInt           its, fresh;
  Mat                A, B;
  KSP                ksp;
  Vec                x, b;

  PetscFunctionBeginUser;
  for (PetscScalar reaction : {10., 1e4}) {
    PetscCall(HalfReaction(type, reaction, true, 0.001, &A));
    PetscCall(HalfReaction(type, reaction, false, 0.95, &B));
    PetscCall(NewVecs(A, &x, &b));
    PetscCall(NewKSP(A, solver + aggmg, &ksp));
    PetscCall(KSPSetUp(ksp));
    PetscCall(MatCopy(B, A, SAME_NONZERO_PATTERN));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(Count(B, aggmg, &fresh));
    PetscCheck(reason > 0 && its <= 5 * fresh, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Reaction %g in the other half: reason %d after %" PetscInt_FMT " iterations, %" PetscInt_FMT
               " of a new preconditioner",
               (double)reaction, (int)reason, its, fresh);
    PetscCall(KSPDestroy(&ksp));
    for (Mat *C : {&A, &B}) PetscCall(MatDestroy(C));
    for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Convection on a mesh and, strong, on a grid whose coefficients jump; nothing tells that the matrices are not symmetric */
static PetscErrorCode CheckWind(MatType type)
{
  PetscInt its, other;
  Mat      A[2];

  PetscFunctionBeginUser;
  PetscCall(MeshMat(MeshMake(2, 35), MeshProblem::wind, type, &A[0]));
  PetscCall(Make(PETSC_COMM_WORLD, type, Jumps({40, 40}, 1, 0.9, 3), &A[1]));
  for (int k = 0; k < 2; k++) {
    const PetscInt most[2] = {k ? 5 : 66, k ? 3 : 36};
    for (int method = 0; method < 2; method++) {
      const std::string by = method ? "-ksp_type fusedbcgs " : "-ksp_type gmres -ksp_pc_side right ";
      PetscCall(Count(A[k], by + aggmg, &its));
      PetscCall(Count(A[k], by + "-pc_type jacobi", &other));
      PetscCheck(its <= most[method] && 2 * its < other, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "Convection, %s%s: %" PetscInt_FMT " iterations, %" PetscInt_FMT " with jacobi", by.c_str(), type, its, other);
    }
    PetscCall(MatDestroy(&A[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x <- an application of pc to b, which must be that of a new preconditioner of A */
static PetscErrorCode CheckAsNew(PC pc, Mat A, const char values[], Vec b, Vec x)
{
  PetscReal far, size;
  PC        fresh;
  Vec       y;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &y));
  PetscCall(PCApply(pc, b, x));
  PetscCall(NewPC(A, aggmg + "-pc_aggmg_storage double", &fresh));
  PetscCall(PCApply(fresh, b, y));
  PetscCall(VecNorm(y, NORM_2, &size));
  PetscCall(VecAXPY(y, -1, x));
  PetscCall(VecNorm(y, NORM_2, &far));
  PetscCheck(far <= 1e-10 * size, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s values: an application is %g from that of a new preconditioner, whose length is %g", values, (double)far,
             (double)size);
  PetscCall(Destroy(&fresh, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that are not symmetric in place of symmetric ones of the same structure, and back, are solved as by a new
   preconditioner */
static PetscErrorCode CheckSymmetryChanges(MatType type)
{
  const std::string method = "-ksp_type gmres -ksp_pc_side right ";
  KSP               ksp;
  PC                pc;
  Mat               A, values[2];
  Vec               x, b;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    Entries e   = Jumps({30, 30}, 1, k ? 0.9 : 0, 3);
    e.symmetric = false; /* not told */
    PetscCall(Make(PETSC_COMM_WORLD, type, e, &values[k]));
  }
  PetscCall(MatDuplicate(values[0], MAT_COPY_VALUES, &A));
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(NewKSP(A, solver + method + aggmg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (int k : {0, 1, 0}) {
    PetscCall(MatCopy(values[k], A, SAME_NONZERO_PATTERN));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(CheckAsNew(pc, values[k], k ? "Unsymmetric" : "Symmetric", b, x));
    PetscCall(CheckView(pc, {"degree 2, in double", k ? "not symmetric, the method of Jacobi" : "eigenvalues of D^-1 A"}));
    if (k)
      PetscCall(ExpectError(PETSC_ERR_SUP, "no transpose for a matrix that is not symmetric",
                            [&] { return PCApplyTranspose(pc, b, x); }));
  }
  PetscCall(Destroy(&ksp, &A, &values[0], &values[1], &x, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A negative definite matrix takes the iterations of the positive definite one */
static PetscErrorCode CheckNegative(MatType type)
{
  PetscInt its[2];
  Mat      A;

  PetscFunctionBeginUser;
  PetscCall(MeshMat(MeshMake(2, 35), MeshProblem::laplace, type, &A));
  PetscCall(Count(A, aggmg, &its[0]));
  PetscCall(MatSetOption(A, MAT_SPD_ETERNAL, PETSC_FALSE));
  PetscCall(MatScale(A, -1e5));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_FALSE));
  PetscCall(Count(A, aggmg, &its[1]));
  PetscCheck(its[0] == its[1], PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: %" PetscInt_FMT " iterations, for the negative definite matrix %" PetscInt_FMT, type, its[0], its[1]);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows on one process, and couplings none, to the next row, or to the first one */
static PetscErrorCode CheckRows(PetscInt n, int couplings, bool last)
{
  PetscMPIInt rank, size;
  PetscInt    its;
  Mat         A;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const bool here = rank == (last ? size - 1 : 0);
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, here ? n : 0, here ? n : 0, n, n, 3, nullptr, 0, nullptr, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; here && i < n; i++) {
    PetscCall(MatSetValue(A, i, i, couplings == 2 ? 2. * (double)n : 2.01, INSERT_VALUES));
    const PetscInt j = couplings == 1 ? i - 1 : couplings == 2 ? 0 : i;
    if (j < 0 || j == i) continue;
    PetscCall(MatSetValue(A, i, j, -1, INSERT_VALUES));
    PetscCall(MatSetValue(A, j, i, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatConvert(A, TestAIJ(), MAT_INPLACE_MATRIX, &A));
  PetscCall(Count(A, "-pc_type aggmg -pc_aggmg_coarse_size 10", &its));
  PetscCheck(its <= 20, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " rows on one process, couplings %d: %" PetscInt_FMT " iterations", n, couplings, its);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   So many rows that thread blocks of a device read their entries together, one of them of 5000 entries: the application is that
   of the host. Two levels: rounding decides which of equal couplings of the second level aggregate.
*/
static PetscErrorCode CheckLarge()
{
  Entries     e = Cells(300, {1, 1});
  Mat         A[2];
  PC          pc[2];
  Vec         x, y[2];
  PetscReal   norm, difference;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (!TestOnDevice() || size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 17; i <= 17 * 5000; i += 17) {
    if (i == 300) continue; /* a neighbor of row 0 */
    e.Add(0, i, -1e-4);
    e.Add(i, 0, -1e-4);
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(Make(PETSC_COMM_WORLD, k ? MATBROWCUDA : MATBROW, e, &A[k]));
    PetscCall(MatShift(A[k], 0.6));
    PetscCall(NewPC(A[k], "-pc_type aggmg -pc_aggmg_storage double -pc_aggmg_levels 2", &pc[k]));
    PetscCall(MatCreateVecs(A[k], &x, &y[k]));
    PetscCall(FillVec(x, 3));
    PetscCall(PCApply(pc[k], x, y[k]));
    PetscCall(VecDestroy(&x));
  }
  PetscCall(VecNorm(y[0], NORM_2, &norm));
  PetscCall(VecAXPY(y[1], -1, y[0]));
  PetscCall(VecNorm(y[1], NORM_2, &difference));
  PetscCheck(difference <= 1e-10 * norm, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " rows: the device differs from the host by %g of %g", e.n, (double)difference, (double)norm);
  for (int k = 0; k < 2; k++) {
    PetscCall(PCDestroy(&pc[k]));
    PetscCall(VecDestroy(&y[k]));
    PetscCall(MatDestroy(&A[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  for (MatType type : {TestAIJ(), TestOnDevice() ? MATBROWCUDA : MATBROW}) {
    PetscCall(CheckNegative(type));
    PetscCall(CheckThin(type));
    PetscCall(CheckBorder(type));
    PetscCall(CheckDealt(type));
    PetscCall(CheckAlone(type));
    PetscCall(CheckUntold(type));
    PetscCall(CheckOneWay(type));
    PetscCall(CheckMoved(type));
    PetscCall(CheckWind(type));
    PetscCall(CheckSymmetryChanges(type));
  }
  PetscCall(CheckLarge());
  for (PetscInt n : {1, 2, 300}) {
    for (int couplings = 0; couplings < 3; couplings++) {
      for (bool last : {false, true}) PetscCall(CheckRows(n, couplings, last));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
