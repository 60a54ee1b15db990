static char help[] = "MatMatMult() with more columns than one grid of thread blocks takes, on the device and on the host.\n\n";

#include "core.h"
#include "device_array.h"

static const PetscInt rows = 12, columns = 600000;

/* Rows of blocks near the diagonal; with `full` one row has all, which for brow stands alone */
static PetscErrorCode NewMatrix(MatType type, bool full, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetOptionsPrefix(*A, "columns_"));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  for (PetscInt i = 0; i < rows; i++) {
    for (PetscInt j = 0; j < rows; j++) {
      if (PetscAbs(i - j) <= 1 || (full && i == 5)) PetscCall(MatSetValue(*A, i, j, PairNumber(i, j, 3), INSERT_VALUES));
    }
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entry (i, c) of X, which differs between columns that are a grid apart */
static PetscScalar EntryOf(PetscInt i, PetscInt c)
{
  return (PetscScalar)((i * 7 + c * 3 + c / 524280) % 101 - 50) / 16;
}

static PetscErrorCode Fill(Mat X)
{
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(MatDenseGetArrayWrite(X, &x));
  for (PetscInt c = 0; c < columns; c++) {
    for (PetscInt i = 0; i < rows; i++) x[(size_t)c * rows + i] = EntryOf(i, c);
  }
  PetscCall(MatDenseRestoreArrayWrite(X, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every entry of Y = A X, by the entries of A on the host */
static PetscErrorCode Check(Mat A, Mat Y, const std::string &what)
{
  PetscScalar        a[rows][rows] = {};
  const PetscScalar *y;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows; i++) {
    for (PetscInt j = 0; j < rows; j++) PetscCall(MatGetValues(A, 1, &i, 1, &j, &a[i][j]));
  }
  PetscCall(MatDenseGetArrayRead(Y, &y));
  for (PetscInt c = 0; c < columns; c++) {
    for (PetscInt i = 0; i < rows; i++) {
      PetscScalar sum = 0;
      for (PetscInt j = 0; j < rows; j++) sum += a[i][j] * EntryOf(j, c);
      const PetscScalar got = y[(size_t)c * rows + i];
      PetscCheck(PetscAbsScalar(got - sum) <= 1e3 * PETSC_MACHINE_EPSILON, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "%s: entry (%d, %d) is %g instead of %g", what.c_str(), (int)i, (int)c, (double)PetscRealPart(got),
                 (double)PetscRealPart(sum));
    }
  }
  PetscCall(MatDenseRestoreArrayRead(Y, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Product(const char options[], bool full)
{
  Mat A, X, Y;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions(options).c_str()));
  PetscCall(NewMatrix(TestType(), full, &A));
  PetscCall(MatCreateDenseCUDA(PETSC_COMM_SELF, rows, columns, rows, columns, nullptr, &X));
  PetscCall(Fill(X));
  PetscCall(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &Y));
  PetscCall(Check(A, Y, std::string(options) + (full ? ", a full row" : "")));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help, true));
  PetscCall(NoLimits({"columns_"}));
  for (bool full : {false, true}) {
    if (TestIsBDIA()) PetscCall(Product("-columns_mat_bdia_bs 3", full));
    else {
      PetscCall(Product("-columns_mat_brow_bs 1 -columns_mat_brow_mapping multirow", full));
      PetscCall(Product("-columns_mat_brow_bs 5 -columns_mat_brow_mapping multirow", full));
      PetscCall(Product("-columns_mat_brow_bs 2 -columns_mat_brow_mapping warp", full));
      PetscCall(Product("-columns_mat_brow_bs 2 -columns_mat_brow_mapping blockrow", full));
    }
  }
  PetscCall(PetscFinalize());
  return 0;
}
