static char help[] =
  "ILU(0) and ICC(0) in level order: factors and iterations of the natural order; the blocks and row lengths of a\n\
published table.\n\
  -matrices <folder> : with its matrices; HEPTA_MATRICES in the environment: a folder with more\n\n";

#include "level_matrices.h"
#include "matrix_market.h"

#include <petscksp.h>

#include <cmath>
#include <cstdio>

/* A row-major matrix and where it has entries */
struct Square {
  PetscInt                 n;
  std::vector<PetscScalar> a;
  std::vector<char>        has;

  explicit Square(PetscInt size) : n(size), a((size_t)size * size, 0), has((size_t)size * size, 0) {}
  size_t at(PetscInt i, PetscInt j) const { return (size_t)i * n + j; }
};

static PetscErrorCode ToSquare(Mat A, Square *S)
{
  PetscInt           n;
  const PetscInt    *cols;
  const PetscScalar *vals;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < S->n; i++) {
    PetscCall(MatGetRow(A, i, &n, &cols, &vals));
    for (PetscInt k = 0; k < n; k++) {
      S->a[S->at(i, cols[k])]   = vals[k];
      S->has[S->at(i, cols[k])] = 1;
    }
    PetscCall(MatRestoreRow(A, i, &n, &cols, &vals));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* S <- its factors of ILU(0), L's unit diagonal left out */
static void Factor(Square *S)
{
  for (PetscInt i = 0; i < S->n; i++) {
    for (PetscInt k = 0; k < i; k++) {
      if (!S->has[S->at(i, k)]) continue;
      S->a[S->at(i, k)] /= S->a[S->at(k, k)];
      for (PetscInt j = k + 1; j < S->n; j++) {
        if (S->has[S->at(i, j)] && S->has[S->at(k, j)]) S->a[S->at(i, j)] -= S->a[S->at(i, k)] * S->a[S->at(k, j)];
      }
    }
  }
}

/* Entries anywhere, in one triangle where there is none in the other */
static PetscErrorCode Scattered(PetscInt n, PetscInt seed, Mat *A)
{
  Picture rows((size_t)n, std::string((size_t)n, '.'));

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      if (i == j || (i * 7919 + j * 104729 + i * j * 31 + seed * 13) % 23 == 0) rows[i][j] = 'x';
    }
  }
  PetscCall(FromPicture(rows, MATSEQAIJ, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F(k, l) of the reordered matrix is F(order[k], order[l]) of the matrix: L's entries stay in L, U's in U */
static PetscErrorCode ExpectSameFactors(Mat A)
{
  IS              row, col;
  const PetscInt *order;
  PetscInt        n;
  Mat             B;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, nullptr));
  Square F(n), G(n);
  PetscCall(MatGetOrdering(A, MATORDERINGLEVEL, &row, &col));
  PetscCall(MatPermute(A, row, col, &B));
  PetscCall(ToSquare(A, &F));
  PetscCall(ToSquare(B, &G));
  Factor(&F);
  Factor(&G);
  PetscCall(ISGetIndices(row, &order));
  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt l = 0; l < n; l++) {
      const PetscScalar f = F.a[F.at(order[k], order[l])], g = G.a[G.at(k, l)];
      PetscCheck(PetscAbsScalar(f - g) <= 100 * PETSC_MACHINE_EPSILON * PetscMax(1, PetscAbsScalar(f)), PETSC_COMM_SELF,
                 PETSC_ERR_PLIB, "Entry (%d, %d) of the factors: %g in natural order, %g in level order", (int)order[k],
                 (int)order[l], (double)PetscRealPart(f), (double)PetscRealPart(g));
    }
  }
  PetscCall(ISRestoreIndices(row, &order));
  PetscCall(Destroy(&row, &col, &B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z <- M^-1 b with PETSc's own factors in the order, and the iterations of a solve */
static PetscErrorCode Solve(Mat A, KSPType ksp_type, PCType pc_type, MatOrderingType ordering, Vec z, PetscInt *its)
{
  KSP                ksp;
  PC                 pc;
  Vec                b, x;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(VecSetValue(b, 0, -2, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, ksp_type));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, 3000));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pc_type));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscCall(PCFactorSetMatOrderingType(pc, ordering));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "%s with %s in the order %s: %s", ksp_type, pc_type, ordering,
             KSPConvergedReasons[reason]);
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(PCApply(pc, b, z));
  PetscCall(Destroy(&ksp, &b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ExpectSameSolve(Mat A, KSPType ksp_type, PCType pc_type)
{
  PetscInt  natural, level;
  Vec       y, z;
  PetscReal difference, norm;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &y, &z));
  PetscCall(Solve(A, ksp_type, pc_type, MATORDERINGNATURAL, y, &natural));
  PetscCall(Solve(A, ksp_type, pc_type, MATORDERINGLEVEL, z, &level));
  PetscCheck(PetscAbsInt(natural - level) <= 1, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s with %s needs %d iterations in natural order but %d in level order", ksp_type, pc_type, (int)natural,
             (int)level);
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(z, -1, y));
  PetscCall(VecNorm(z, NORM_INFINITY, &difference));
  PetscCheck(difference <= std::sqrt(PETSC_MACHINE_EPSILON) * 1e-3 * norm, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s in level order differs by %g", pc_type, (double)(difference / norm));
  PetscCall(Destroy(&y, &z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestFactors()
{
  Mat A;

  PetscFunctionBegin;
  for (PetscInt seed = 1; seed <= 5; seed++) {
    PetscCall(Scattered(30 + 5 * seed, seed, &A));
    PetscCall(ExpectSameFactors(A));
    PetscCall(ExpectSameSolve(A, KSPGMRES, PCILU));
    PetscCall(MatDestroy(&A));
  }
  for (PetscInt bs : {1, 2}) {
    PetscCall(Grid(9, 7, bs, MATSEQAIJ, Values(), &A));
    PetscCall(ExpectSameFactors(A));
    PetscCall(MatDestroy(&A));
    PetscCall(Grid(9, 7, bs, MATSEQBAIJ, Values(), &A));
    PetscCall(ExpectSameSolve(A, KSPGMRES, PCILU));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(Grid(30, 20, 1, MATSEQAIJ, {5, 3.1}, &A));
  PetscCall(ExpectSameSolve(A, KSPGMRES, PCILU));
  PetscCall(MatDestroy(&A));
  for (PetscInt bs : {2, 3}) { /* PETSc's factorizations by i-nodes must not meet these orders */
    PetscCall(Grid(9, 7, bs, MATSEQAIJ, {5, 40}, &A));
    PetscCall(ExpectSameSolve(A, KSPGMRES, PCILU));
    PetscCall(MatDestroy(&A));
    for (PCType pc_type : {PCILU, PCLU}) {
      PetscInt its;
      Vec      z;
      PetscCall(Grid(9, 7, bs, MATSEQAIJ, {5, 40}, &A));
      PetscCall(MatCreateVecs(A, &z, nullptr));
      PetscCall(Solve(A, KSPGMRES, pc_type, MATORDERINGBLOCKDENSITY, z, &its));
      PetscCall(Destroy(&z, &A));
    }
  }
  PetscCall(Grid(30, 20, 1, MATSEQAIJ, {0, 3.1}, &A));
  PetscCall(ExpectSameSolve(A, KSPCG, PCICC));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* U of ILU(0) in level order: level blocks and row length in ELL format. The first four: table 4.1 of J. Nibbeling's thesis. */
static const struct {
  const char *name;
  PetscInt    blocks, ell;
} table[] = {
  {"1138_bus", 21, 17},  {"bodyy6", 552, 8},   {"nopoly", 875, 11}, {"bcsstm39", 1, 1},  {"bcsstk38", 2183, 64},
  {"Dubcova1", 706, 25}, {"jnlbrng1", 399, 3}, {"cvxbqp1", 25, 8},  {"orsreg_1", 45, 4}, {"sherman3", 50, 4},
};

static PetscErrorCode TestTable()
{
  std::map<std::string, std::string> files;

  PetscFunctionBegin;
  PetscCall(MatrixFiles(&files));
  for (const auto &row : table) {
    PetscBool small;
    PetscInt  blocks, ell;
    Mat       A, B;
    PetscCall(PetscStrcmpAny(row.name, &small, "1138_bus", "nopoly", "orsreg_1", ""));
    PetscCheck(!small || files.count(row.name), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
               "%s.mtx.gz is not in the folder of -matrices", row.name);
    if (!files.count(row.name)) {
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s is not there\n", row.name));
      continue;
    }
    PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_SELF, files[row.name].c_str(), PETSC_DECIDE, &A));
    PetscCall(InLevelOrder(A, &B));
    PetscCall(HeptaMatGetLevels(B, PETSC_TRUE, nullptr, &blocks, &ell, nullptr));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-10s %6d blocks, row length %3d\n", row.name, (int)blocks, (int)ell));
    PetscCheck(blocks == row.blocks && ell == row.ell, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: %d blocks and row length %d instead of %d and %d", row.name, (int)blocks, (int)ell, (int)row.blocks,
               (int)row.ell);
    PetscCall(PetscStrcmpAny(row.name, &small, "orsreg_1", "sherman3", ""));
    if (small) PetscCall(ExpectSameSolve(A, KSPGMRES, PCILU));
    PetscCall(Destroy(&A, &B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMain(argc, argv, help, [] {
    PetscCall(TestFactors());
    PetscCall(TestTable());
    return PETSC_SUCCESS;
  });
}
