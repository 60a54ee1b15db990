/* Changes by which the matrix in the program becomes another one: its structure, its type, or the object itself */
#include "sequence.h"

static MatType Any(Sequence &s, const std::vector<MatType> &host, const std::vector<MatType> &device)
{
  const std::vector<MatType> &types = TestOnDevice() ? device : host;

  return types[s.Random((PetscInt)types.size())];
}

/* A + alpha C, C of another type, block size and pattern */
static PetscErrorCode AXPY(Sequence &s)
{
  const MatType      type  = Any(s, {MATBDIA, MATBROW, MATAIJ}, {MATBDIACUDA, MATBROWCUDA, MATAIJ, MATAIJCUSPARSE});
  const PetscInt     bs    = s.Maybe(2) ? 1 : s.bs;
  const PetscReal    alpha = !s.Maybe(6) ? s.Value() : s.Maybe(2) ? 0 : 1;
  const MatStructure same  = s.Maybe(2) ? DIFFERENT_NONZERO_PATTERN : UNKNOWN_NONZERO_PATTERN;
  const PetscInt     count = s.Random(20);
  const bool         near = s.Maybe(2), diagonal = s.Maybe(2) && s.square;
  Mat                C, D;

  PetscFunctionBegin;
  s.Note(type);
  PetscCall(ForgetKeptOfPETSc(s));
  PetscCall(NewMatrix(s, MATAIJ, s.bs, &C));
  PetscCall(NewMatrix(s, type, bs, &D));
  PetscCall(SetEntries(s, C, D, count, ADD_VALUES, near, diagonal));
  PetscCall(MatAXPY(s.A, alpha, C, same));
  PetscCall(MatAXPY(s.B, alpha, D, same));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Transpose(Sequence &s)
{
  const bool inplace = s.Maybe(2), again = s.Maybe(2);
  Mat        X, Y;

  PetscFunctionBegin;
  if (inplace) {
    if (!s.square) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(ForgetKeptOfPETSc(s));
    PetscCall(MatTranspose(s.A, MAT_INPLACE_MATRIX, &s.A));
    PetscCall(MatTranspose(s.B, MAT_INPLACE_MATRIX, &s.B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatTranspose(s.A, MAT_INITIAL_MATRIX, &X));
  PetscCall(MatTranspose(s.B, MAT_INITIAL_MATRIX, &Y));
  PetscCall(Compare(s, X, Y, "MatTranspose()"));
  if (again) {
    for (Mat Z : {s.A, s.B}) PetscCall(MatScale(Z, 0.75));
    PetscCall(MatTranspose(s.A, MAT_REUSE_MATRIX, &X));
    PetscCall(MatTranspose(s.B, MAT_REUSE_MATRIX, &Y));
    PetscCall(Compare(s, X, Y, "MatTranspose() once more"));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The copy may take the place of its original */
static PetscErrorCode Duplicate(Sequence &s)
{
  const MatDuplicateOption ways[] = {MAT_COPY_VALUES, MAT_DO_NOT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN}, way = ways[s.Random(3)];
  const bool               replace = s.Maybe(2);
  Mat                      X, Y;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(s.A, way, &X));
  PetscCall(MatDuplicate(s.B, way, &Y));
  if (way != MAT_COPY_VALUES) PetscCall(SetEntries(s, X, Y, 0, INSERT_VALUES, true, false));
  PetscCall(Compare(s, X, Y, "MatDuplicate()"));
  if (replace) {
    PetscCall(ForgetKeptOfPETSc(s));
    std::swap(s.A, X);
    std::swap(s.B, Y);
    for (Mat Z : {s.A, s.B}) PetscCall(AllowNewEntries(Z));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ConvertThere(Sequence &s, MatType type, bool whole)
{
  Mat           C, D;
  const Pattern pattern = whole ? Pattern::OTHER : Pattern::SAME;

  PetscFunctionBegin;
  PetscCall(MatConvert(s.B, type, MAT_INITIAL_MATRIX, &C));
  PetscCall(Compare(s, s.A, C, "MatConvert()", pattern));
  PetscCall(MatConvert(C, s.type.c_str(), MAT_INITIAL_MATRIX, &D));
  PetscCall(Compare(s, s.A, D, "MatConvert() and back", pattern));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In place, or to another type and back; MATBAIJ and MATDENSE store more than was set */
static PetscErrorCode Convert(Sequence &s)
{
  const std::vector<MatType> one     = {MATBDIA, MATBROW, MATAIJ, MATSEQAIJBDIA, MATSEQAIJBROW, MATBAIJ, MATDENSE},
                             several = {MATBDIA, MATBROW, MATAIJ};
  const MatType type  = Any(s, s.size == 1 ? one : several, {MATBDIACUDA, MATBROWCUDA, MATAIJCUSPARSE, MATBDIA, MATBROW, MATAIJ});
  const bool    whole = std::string(type) == MATBAIJ || std::string(type) == MATDENSE, inplace = s.Maybe(2) && !whole;

  PetscFunctionBegin;
  s.Note(type + std::string(inplace ? " in place" : ""));
  if (!inplace) {
    PetscCall(ConvertThere(s, type, whole));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ForgetKeptOfPETSc(s));
  PetscCall(MatConvert(s.B, type, MAT_INPLACE_MATRIX, &s.B));
  /* and back: its MatMultAdd() after transposing is wrong, so that it is no oracle for what follows */
  if (std::string(type) == MATAIJCUSPARSE) {
    PetscCall(Compare(s, s.A, s.B, "MatConvert() in place"));
    PetscCall(MatConvert(s.B, s.type.c_str(), MAT_INPLACE_MATRIX, &s.B));
  }
  PetscCall(AllowNewEntries(s.B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const std::vector<Change> structure_changes = {
  {"axpy", 1, AXPY}, {"transpose", 1, Transpose}, {"duplicate", 1, Duplicate}, {"convert", 1, Convert}};
