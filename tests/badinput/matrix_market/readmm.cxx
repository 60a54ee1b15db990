static char help[] = "Reads Matrix Market files and shows what came out.\n\n";

/*
   Sample runs:
     readmm -f files/general.mtx
     mpiexec -n 3 readmm -f files/general.mtx -bs 2 -rhs files/vector.mtx
*/
#include "matrix_market.h"

/* Every entry on a line of its own, explicit zeros as well: the same text on any number of ranks */
static PetscErrorCode ShowMatrix(Mat A)
{
  PetscInt           M, N, bs, start, end, n;
  const PetscInt    *cols;
  const PetscScalar *vals;
  PetscBool          known, symmetric;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " rows, %" PetscInt_FMT " columns, block size %" PetscInt_FMT "%s\n",
                        M, N, bs, known && symmetric ? ", symmetric" : ""));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatGetRow(A, i, &n, &cols, &vals));
    for (PetscInt k = 0; k < n; k++)
      PetscCall(PetscSynchronizedPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " %" PetscInt_FMT " %.17g\n", i, cols[k],
                                        (double)PetscRealPart(vals[k])));
    PetscCall(MatRestoreRow(A, i, &n, &cols, &vals));
  }
  PetscCall(PetscSynchronizedFlush(PETSC_COMM_WORLD, PETSC_STDOUT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShowVector(Vec v)
{
  PetscInt           start, end;
  const PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &start, &end));
  PetscCall(VecGetArrayRead(v, &a));
  for (PetscInt i = start; i < end; i++)
    PetscCall(PetscSynchronizedPrintf(PETSC_COMM_WORLD, "rhs %" PetscInt_FMT " %.17g\n", i, (double)PetscRealPart(a[i - start])));
  PetscCall(PetscSynchronizedFlush(PETSC_COMM_WORLD, PETSC_STDOUT));
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      file[PETSC_MAX_PATH_LEN], rhs[PETSC_MAX_PATH_LEN];
  PetscInt  bs = PETSC_DECIDE;
  PetscBool has_file, has_rhs;
  Mat       A;
  Vec       b;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), &has_file));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-rhs", rhs, sizeof(rhs), &has_rhs));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bs", &bs, NULL));
  PetscCheck(has_file, PETSC_COMM_WORLD, PETSC_ERR_USER, "Give a file with -f");
  PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_WORLD, file, bs, &A));
  PetscCall(ShowMatrix(A));
  if (has_rhs) {
    PetscCall(MatCreateVecs(A, NULL, &b));
    PetscCall(HeptaVecReadMatrixMarket(rhs, b));
    PetscCall(ShowVector(b));
    PetscCall(VecDestroy(&b));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
