static char help[] = "brow with tiles of every size against MATAIJ: real matrices, and patterns that no block fits.\n\n";

#include "program.h"
#include "testmat.h"

#include <matrix_market.h>

/* The same matrix in tiles of several sizes, also chosen, and set apart row by row */
static PetscErrorCode Compare(Mat A, const std::string &name)
{
  const char *const options[] = {"-mat_brow_bs auto", "-mat_brow_bs 1",  "-mat_brow_bs 2",
                                 "-mat_brow_bs 3",    "-mat_brow_bs 4",  "-mat_brow_bs 5",
                                 "-mat_brow_bs 6",    "-mat_brow_bs 7",  "-mat_brow_bs 8",
                                 "-mat_brow_bs 9",    "-mat_brow_bs 13", "-mat_brow_bs 3 -mat_brow_mapping warp"};

  PetscFunctionBeginUser;
  for (const char *o : options) {
    Mat B;
    PetscCall(PetscOptionsInsertString(nullptr, "-mat_brow_mapping auto"));
    PetscCall(PetscOptionsInsertString(nullptr, o));
    PetscCall(MatConvert(A, TestOnDevice() ? MATBROWCUDA : MATBROW, MAT_INITIAL_MATRIX, &B));
    PetscCall(TestSame(A, B, 1e-13, (name + ", " + o).c_str()));
    PetscCall(MatDestroy(&B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rectangular: empty rows, empty block rows, one full row, rows and columns that no tile divides */
static PetscErrorCode Odd(PetscInt rows, PetscInt cols)
{
  Mat      A;
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, rows, cols));
  PetscCall(MatSetType(A, MATAIJ));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = 0; j < cols && i / 8 % 3 != 1; j++) {
      const PetscScalar v = PairNumber(i, j, 3);
      if (i == rows / 2 || v > 0.9) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Compare(A, std::to_string(rows) + " x " + std::to_string(cols)));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Files()
{
  std::map<std::string, std::string> files;

  PetscFunctionBeginUser;
  PetscCall(MatrixFiles(&files));
  for (const auto &f : files) {
    Mat A;
    PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_WORLD, f.second.c_str(), 1, &A));
    PetscCall(Compare(A, f.first));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMain(argc, argv, help, [] {
    for (PetscInt rows : {1, 50, 131}) {
      for (PetscInt cols : {1, 77, 131}) PetscCall(Odd(rows, cols));
    }
    PetscCall(Files());
    return PETSC_SUCCESS;
  });
}
