/* Matrices made of the one at hand, which stays as it is */
#include "sequence.h"

/* On each rank every first, second or third row, and likewise columns */
static PetscErrorCode Select(Sequence &s, IS *rows, IS *cols)
{
  PetscInt       start[2], end[2];
  const PetscInt step = 1 + s.Random(3), other = 1 + s.Random(3);

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(s.A, &start[0], &end[0]));
  PetscCall(MatGetOwnershipRangeColumn(s.A, &start[1], &end[1]));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end[0] - start[0] + step - 1) / step, start[0], step, rows));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end[1] - start[1] + other - 1) / other, start[1], other, cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SubMatrix(Sequence &s)
{
  IS  rows, cols;
  Mat X, Y;

  PetscFunctionBegin;
  if (!s.M || !s.N) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Select(s, &rows, &cols));
  PetscCall(MatCreateSubMatrix(s.A, rows, cols, MAT_INITIAL_MATRIX, &X));
  PetscCall(MatCreateSubMatrix(s.B, rows, cols, MAT_INITIAL_MATRIX, &Y));
  PetscCall(Compare(s, X, Y, "MatCreateSubMatrix()"));
  for (Mat Z : {s.A, s.B}) PetscCall(MatScale(Z, 1.25));
  PetscCall(MatCreateSubMatrix(s.A, rows, cols, MAT_REUSE_MATRIX, &X));
  PetscCall(MatCreateSubMatrix(s.B, rows, cols, MAT_REUSE_MATRIX, &Y));
  PetscCall(Compare(s, X, Y, "MatCreateSubMatrix() once more"));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix with itself. The pattern is aij's, but of what MATAIJ stores of zeros it may leave out some. */
static PetscErrorCode Product(Sequence &s)
{
  const PetscInt way    = s.Random(s.size == 1 ? 3 : 2);
  const Mat      mat[2] = {s.A, s.B};
  Mat            X[2];

  PetscFunctionBegin;
  if (!s.square) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; k++) {
    if (way == 0) PetscCall(MatMatMult(mat[k], mat[k], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &X[k]));
    if (way == 1) PetscCall(MatPtAP(mat[k], mat[k], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &X[k]));
    if (way == 2) PetscCall(MatTransposeMatMult(mat[k], mat[k], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &X[k]));
  }
  PetscCall(Compare(s, X[0], X[1], way == 0 ? "MatMatMult()" : way == 1 ? "MatPtAP()" : "MatTransposeMatMult()", Pattern::OTHER));
  for (Mat &Z : X) PetscCall(MatDestroy(&Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Through a binary file, which runs at the same time must not share */
static PetscErrorCode Load(Sequence &s)
{
  PetscViewer viewer;
  Mat         X;
  char        name[64];
  PetscInt    mark = (PetscInt)getpid();

  PetscFunctionBegin;
  if (!s.M || !s.N) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(&mark, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(name, sizeof(name), "differential-%d.bin", (int)mark));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name, FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(s.B, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &X));
  PetscCall(MatSetSizes(X, s.m, s.n, s.M, s.N));
  PetscCall(MatSetType(X, s.type.c_str()));
  PetscCall(MatSetFromOptions(X));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name, FILE_MODE_READ, &viewer));
  PetscCall(MatLoad(X, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  if (s.rank == 0) (void)remove(name);
  if (s.rank == 0) (void)remove((std::string(name) + ".info").c_str());
  PetscCall(Compare(s, s.A, X, "MatLoad()"));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To a matrix with entries of its own, or from one: the structure changes */
static PetscErrorCode Copy(Sequence &s)
{
  const bool     other = s.Maybe(2), out = s.Maybe(2), near = s.Maybe(2);
  const PetscInt count = s.Random(20);
  const MatType  type  = TestOnDevice() ? (other ? MATBDIACUDA : MATBROWCUDA) : (other ? MATBDIA : MATBROW);
  Mat            C, D;

  PetscFunctionBegin;
  PetscCall(NewMatrix(s, MATAIJ, s.bs, &C));
  PetscCall(NewMatrix(s, type, s.bs, &D));
  PetscCall(SetEntries(s, C, D, count, ADD_VALUES, near, false));
  if (!out) PetscCall(ForgetKeptOfPETSc(s));
  PetscCall(out ? MatCopy(s.A, C, DIFFERENT_NONZERO_PATTERN) : MatCopy(C, s.A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(out ? MatCopy(s.B, D, DIFFERENT_NONZERO_PATTERN) : MatCopy(D, s.B, DIFFERENT_NONZERO_PATTERN));
  if (out) PetscCall(Compare(s, C, D, "MatCopy()", Pattern::OTHER));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const std::vector<Change> copy_changes = {
  {"submatrix", 1, SubMatrix}, {"product", 1, Product}, {"load", 1, Load}, {"copy", 1, Copy}};
