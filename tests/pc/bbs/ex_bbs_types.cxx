static char help[] = "Factors by the solver type bbs of matrices that are stored in other ways, live elsewhere than their "
                     "vectors, change the locations of their entries, or have no rows.\n\n";

#include "twin.h"

#include <algorithm>

/* Other locations of entries: the symbolic factorization is done again */
static PetscErrorCode OtherPattern(const char pc_type[], bool symmetric)
{
  Twin t;
  Mat  F;

  PetscFunctionBegin;
  for (MatType type : {TestAIJ(), TestType()}) {
    PetscCall(TwinCreate(Jumps({9, 8}, 1, 0, 1), pc_type, type, false, "", "", &t));
    for (int k = 0; k < 2; k++) {
      PetscCall(MatSetOption(t.A[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      PetscCall(MatSetOption(t.A[k], MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
      for (PetscInt i = 0; i < 40; i += 5) {
        PetscCall(MatSetValue(t.A[k], i, i + 30, -0.3, INSERT_VALUES));
        PetscCall(MatSetValue(t.A[k], i + 30, i, symmetric ? -0.3 : 0.2, INSERT_VALUES));
      }
      PetscCall(MatAssemblyBegin(t.A[k], MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(t.A[k], MAT_FINAL_ASSEMBLY));
      PetscCall(SetOptions(""));
      PetscCall(PCSetUp(t.pc[k]));
      PetscCall(PCFactorGetMatrix(t.pc[k], &F));
      t.F[k] = F;
    }
    PetscCall(Compare(t, std::string(pc_type) + " of " + type + ", other pattern"));
    PetscCall(TwinDestroy(&t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* seqbdia stored as floats, in which the values are rounded, by half, and as aij that multiplies by diagonals; the oracle has
   their values */
static PetscErrorCode Stored(MatType type, const std::string &storage, const Entries &e, const char pc_type[])
{
  Twin t;

  PetscFunctionBegin;
  PetscCall(SetOptions(storage));
  PetscCall(MatCreate(PETSC_COMM_SELF, &t.A[1]));
  PetscCall(MatSetSizes(t.A[1], e.n, e.n, e.n, e.n));
  PetscCall(MatSetBlockSize(t.A[1], e.bs));
  PetscCall(MatSetType(t.A[1], type));
  PetscCall(MatSetFromOptions(t.A[1]));
  PetscCall(Fill(t.A[1], e));
  PetscCall(MatConvert(t.A[1], e.bs > 1 ? MATSEQBAIJ : MATSEQAIJ, MAT_INITIAL_MATRIX, &t.A[0]));
  for (Mat A : t.A) PetscCall(MatSetOption(A, MAT_SPD, e.symmetric ? PETSC_TRUE : PETSC_FALSE));
  for (int k = 0; k < 2; k++)
    PetscCall(NewFactor(t.A[k], std::string("-pc_type ") + pc_type + " -pc_factor_mat_solver_type " + (k ? "bbs" : "petsc"),
                        &t.pc[k], &t.F[k]));
  PetscCall(Compare(t, std::string(pc_type) + " of " + type + " " + storage + ", bs " + std::to_string(e.bs)));
  PetscCall(TwinDestroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Storages(void)
{
  PetscFunctionBegin;
  for (const char *pc_type : {"ilu", "icc"}) {
    for (PetscInt bs : {1, 3}) {
      const Entries e = Jumps({9, 7}, bs, 0, 1);
      for (const char *storage : {"-mat_bdia_storage single", "-mat_bdia_half 1", "-mat_bdia_half 1 -mat_bdia_storage single"})
        PetscCall(Stored(TestType(), storage, e, pc_type));
    }
    PetscCall(Stored(MATSEQAIJBDIA, "", Jumps({9, 7}, 1, 0, 1), pc_type));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors on the host for a factor on the device, and the other way around */
static PetscErrorCode Elsewhere(MatType type)
{
  const Entries e = Jumps({9, 7}, 1, 0.3, 1);
  Mat           A, F;
  PC            pc;
  Vec           b[2], x[2];

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, type, e, &A));
  PetscCall(NewFactor(A, "-pc_type ilu -pc_factor_mat_solver_type bbs", &pc, &F));
  for (Solver solve : {MatSolve, MatSolveTranspose, MatForwardSolve, MatBackwardSolve}) {
    for (int device = 0; device < 2; device++) {
      PetscCall(VecCreate(PETSC_COMM_SELF, &b[device]));
      PetscCall(VecSetSizes(b[device], e.n, e.n));
      PetscCall(VecSetType(b[device], device ? VECCUDA : VECSEQ));
      PetscCall(VecDuplicate(b[device], &x[device]));
      PetscCall(FillVec(b[device], 1));
      PetscCall(solve(F, b[device], x[device]));
    }
    PetscCall(CheckVec(x[0], x[1], 1e-13, type));
    for (int device = 0; device < 2; device++) {
      PetscCall(Destroy(&b[device], &x[device]));
    }
  }
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns in different orders, of a matrix without zeros; PETSc's factors of aij have none where rows are alike */
static PetscErrorCode TwoOrders(MatType type, PetscInt bs)
{
  const PetscInt nb = 12;
  const Entries  e  = Scattered(nb, bs, 200, false, 1);
  MatFactorInfo  info;
  IS             row, col;
  Twin           t;
  PetscInt       r[nb], c[nb];

  PetscFunctionBegin;
  for (PetscInt m = 0; m < nb; m++) {
    r[m] = m * 5 % nb;
    c[m] = (m * 7 + 3) % nb;
  }
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1;
  for (int k = 0; k < 2; k++) {
    PetscCall(Make(PETSC_COMM_SELF, k ? type : MATBAIJ, With(e, 0, 0, 1), &t.A[k]));
    /* PETSc's factors of i-nodes fail with two orders */
    PetscCall(MatSetOption(t.A[k], MAT_USE_INODES, PETSC_FALSE));
    /* PETSc orders the block rows of baij */
    PetscCall(ISCreateBlock(PETSC_COMM_SELF, k && strcmp(type, MATBAIJ) ? bs : 1, nb, r, PETSC_COPY_VALUES, &row));
    PetscCall(ISCreateBlock(PETSC_COMM_SELF, k && strcmp(type, MATBAIJ) ? bs : 1, nb, c, PETSC_COPY_VALUES, &col));
    for (IS is : {row, col}) PetscCall(ISSetPermutation(is));
    PetscCall(MatGetFactor(t.A[k], k ? MATSOLVERBBS : MATSOLVERPETSC, MAT_FACTOR_ILU, &t.F[k]));
    PetscCall(MatILUFactorSymbolic(t.F[k], t.A[k], row, col, &info));
    PetscCall(MatLUFactorNumeric(t.F[k], t.A[k], &info));
    PetscCall(Destroy(&row, &col));
  }
  PetscCall(CheckSolver(t, MatSolve, 1e-8, std::string(type) + " in two orders")); /* pivots are what they are */
  PetscCall(CheckSolver(t, MatSolveTranspose, 1e-8, std::string(type) + " in two orders, transposed"));
  for (Mat &F : t.F) PetscCall(MatDestroy(&F));
  PetscCall(TwinDestroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No rows, as processes may have in block Jacobi */
static PetscErrorCode Empty(MatType type)
{
  Entries none;
  Twin    t;

  PetscFunctionBegin;
  for (const char *pc_type : {"ilu", "icc"}) {
    for (const char *options : {"", "-mat_bbs_ordering level", "-mat_bbs_engine levels"}) {
      PetscCall(TwinCreate(none, pc_type, type, false, "", options, &t));
      PetscCall(CheckSolver(t, MatSolve, 1e-12, type));
      PetscCall(TwinDestroy(&t));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An aij on a program's own arrays may have its columns in any order: factors and solutions are those of the sorted one */
static PetscErrorCode Unsorted(void)
{
  const Entries            e = Scattered(60, 1, 3, false, 1);
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> a;
  Mat                      A[2], F;
  PC                       pc;
  Vec                      b, x[2];
  PetscInt                 n, start = 0;
  const PetscInt          *cols;
  const PetscScalar       *vals;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, MATSEQAIJ, e, &A[0]));
  i.push_back(0);
  for (PetscInt m = 0; m < e.n; m++, start = (PetscInt)j.size()) {
    PetscCall(MatGetRow(A[0], m, &n, &cols, &vals));
    j.insert(j.end(), cols, cols + n);
    a.insert(a.end(), vals, vals + n);
    PetscCall(MatRestoreRow(A[0], m, &n, &cols, &vals));
    std::reverse(j.begin() + start, j.end());
    std::reverse(a.begin() + start, a.end());
    i.push_back((PetscInt)j.size());
  }
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, e.n, e.n, i.data(), j.data(), a.data(), &A[1]));
  for (int k = 0; k < 2; k++) {
    PetscCall(NewFactor(A[k], "-pc_type ilu -pc_factor_mat_solver_type bbs", &pc, &F));
    PetscCall(NewVecs(A[k], &x[k], &b));
    PetscCall(MatSolve(F, b, x[k]));
    PetscCall(Destroy(&b, &pc, &A[k]));
  }
  PetscCall(CheckVec(x[0], x[1], 1e-13, "unsorted columns"));
  PetscCall(Destroy(&x[0], &x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, [] {
    PetscCall(OtherPattern("ilu", false));
    PetscCall(OtherPattern("icc", true));
    PetscCall(Storages());
    PetscCall(Unsorted());
    for (MatType type : {TestType(), (MatType)MATBAIJ}) PetscCall(TwoOrders(type, 2));
    for (MatType type : {TestAIJ(), TestType()}) PetscCall(TwoOrders(type, 1));
    for (MatType type : {TestAIJ(), TestType(), (MatType)MATBAIJ}) {
      PetscCall(Empty(type));
      if (TestOnDevice()) PetscCall(Elsewhere(type));
    }
    return PETSC_SUCCESS;
  });
}
