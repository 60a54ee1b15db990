/*
   The triangle of the triangular example: order, ILU(0), levels
*/
#include "triangular.h"
#include <hepta.h>
#include <vector>

/* A <- its ILU(0), row by row: a_ik /= a_kk, a_ij -= a_ik a_kj where there are entries; row i was order[i] in the file */
static PetscErrorCode FactorInPlace(Mat A, IS order)
{
  PetscInt        n;
  const PetscInt *start, *column, *row;
  PetscScalar    *a;
  PetscBool       done;

  PetscFunctionBeginUser;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  PetscCall(MatSeqAIJGetArray(A, &a));
  PetscCall(ISGetIndices(order, &row));
  std::vector<PetscInt> diagonal(n, -1), where(n, -1); /* where: of each column in row i */
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt q = start[i]; q < start[i + 1]; q++) where[column[q]] = q;
    for (PetscInt q = start[i]; q < start[i + 1] && column[q] < i; q++) {
      const PetscInt k = column[q];
      a[q] /= a[diagonal[k]];
      for (PetscInt p = diagonal[k] + 1; p < start[k + 1]; p++) {
        if (where[column[p]] >= 0) a[where[column[p]]] -= a[q] * a[p];
      }
    }
    diagonal[i] = where[i];
    PetscCheck(diagonal[i] >= 0, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               "Row %" PetscInt_FMT " has no diagonal entry: there is no ILU(0)", row[i]);
    PetscCheck(PetscAbsScalar(a[diagonal[i]]) > 0.0, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               "Row %" PetscInt_FMT " gets a zero pivot: there is no ILU(0)", row[i]);
    for (PetscInt q = start[i]; q < start[i + 1]; q++) where[column[q]] = -1;
  }
  PetscCall(ISRestoreIndices(order, &row));
  PetscCall(MatSeqAIJRestoreArray(A, &a));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T <- the triangle of F; with unit_lower the lower one has ones on its diagonal instead of what F has there */
static PetscErrorCode TakeTriangle(Mat F, PetscBool upper, PetscBool unit_lower, Mat *T)
{
  PetscInt              n, ncols;
  const PetscInt       *cols;
  const PetscScalar    *vals;
  std::vector<PetscInt> length;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(F, &n, NULL));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatGetRow(F, i, &ncols, &cols, NULL));
    length.push_back(0);
    for (PetscInt q = 0; q < ncols; q++) length[i] += upper ? cols[q] >= i : cols[q] <= i;
    PetscCall(MatRestoreRow(F, i, &ncols, &cols, NULL));
  }
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, length.data(), T));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatGetRow(F, i, &ncols, &cols, &vals));
    for (PetscInt q = 0; q < ncols; q++) {
      if (upper ? cols[q] >= i : cols[q] <= i)
        PetscCall(MatSetValue(*T, i, cols[q], unit_lower && cols[q] == i ? 1.0 : vals[q], INSERT_VALUES));
    }
    PetscCall(MatRestoreRow(F, i, &ncols, &cols, &vals));
  }
  PetscCall(MatAssemblyBegin(*T, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*T, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which triangle has all of A's entries */
static PetscErrorCode FindTriangle(Mat A, PetscBool *upper)
{
  PetscInt        n, ncols;
  const PetscInt *cols;
  PetscInt        above = -1, below = -1; /* the first rows with entries there */

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatGetRow(A, i, &ncols, &cols, NULL));
    for (PetscInt q = 0; q < ncols; q++) {
      if (cols[q] > i && above < 0) above = i;
      if (cols[q] < i && below < 0) below = i;
    }
    PetscCall(MatRestoreRow(A, i, &ncols, &cols, NULL));
  }
  PetscCheck(above < 0 || below < 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "-triangle file needs a triangular matrix, but row %" PetscInt_FMT
             " has an entry above the diagonal and row %" PetscInt_FMT " one below: use -triangle upper or lower",
             above, below);
  *upper = (PetscBool)(below < 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The levels of T, counted by rows */
static PetscErrorCode CountLevels(Triangle *t)
{
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(t->T, &n, NULL));
  std::vector<PetscInt> level(n);
  PetscCall(HeptaMatGetLevels(t->T, t->upper, &t->levels, &t->blocks, &t->ell, level.data()));
  PetscCall(PetscCalloc1(t->levels, &t->rows));
  for (PetscInt i = 0; i < n; i++) t->rows[level[i] - 1]++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* S <- |t_ij| */
static PetscErrorCode TakeAbs(Mat T, Mat *S)
{
  MatInfo      info;
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(T, MAT_COPY_VALUES, S));
  PetscCall(MatGetInfo(T, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(*S, &a));
  for (PetscInt q = 0; q < (PetscInt)info.nz_used; q++) a[q] = PetscAbsScalar(a[q]);
  PetscCall(MatSeqAIJRestoreArray(*S, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriangleCreate(Mat A, const char triangle[], const char ordering[], MatType type, Triangle *t)
{
  IS        row, col;
  Mat       F;
  MatInfo   info;
  PetscInt  m, n;
  PetscBool file;

  PetscFunctionBeginUser;
  *t = {};
  PetscCall(MatGetSize(A, &m, &n));
  PetscCheck(m == n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "A triangle needs a square matrix, not one of %" PetscInt_FMT " x %" PetscInt_FMT, m, n);
  PetscCall(MatGetOrdering(A, ordering, &row, &col));
  PetscCall(MatPermute(A, row, col, &F));
  PetscCall(PetscStrcmp(triangle, "file", &file));
  if (file) PetscCall(FindTriangle(F, &t->upper));
  else {
    PetscCall(PetscStrcmp(triangle, "upper", &t->upper));
    PetscCall(FactorInPlace(F, row));
  }
  PetscCall(TakeTriangle(F, t->upper, (PetscBool)(!file && !t->upper), &t->T));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscCall(MatDestroy(&F));
  PetscCall(CountLevels(t));
  PetscCall(TakeAbs(t->T, &t->abs));
  PetscCall(MatConvert(t->T, type, MAT_INPLACE_MATRIX, &t->T));
  PetscCall(MatConvert(t->abs, type, MAT_INPLACE_MATRIX, &t->abs));
  PetscCall(MatGetInfo(t->T, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "triangle %s, %s, in %s order: %.0f entries\n", t->upper ? "upper" : "lower",
                        file ? "the matrix itself" : "of ILU(0)", ordering, info.nz_used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriangleDestroy(Triangle *t)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&t->T));
  PetscCall(MatDestroy(&t->abs));
  PetscCall(PetscFree(t->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
