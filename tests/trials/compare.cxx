/* Is our matrix the same as MATAIJ? Entries, products, norms and the diagonal; what is not a number is never the same. */
#include "sequence.h"

#include <map>

static bool Close(PetscReal a, PetscReal b, PetscReal tol)
{
  return PetscAbsReal(a - b) <= tol * (1 + PetscAbsReal(a));
}

/* A row's entries by columns; two in one column do not hide behind each other */
static PetscErrorCode GetRow(Mat A, PetscInt i, std::map<PetscInt, PetscReal> &row, PetscInt *n)
{
  const PetscInt    *cols;
  const PetscScalar *vals;

  PetscFunctionBegin;
  row.clear();
  PetscCall(MatGetRow(A, i, n, &cols, &vals));
  for (PetscInt k = 0; k < *n; k++) row[cols[k]] = PetscRealPart(vals[k]);
  PetscCall(MatRestoreRow(A, i, nullptr, &cols, &vals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   MPIAIJ sizes the buffers of MatGetRow() for its longest row, and keeps them when MatShift(), MatDiagonalSet() or
   MatSetPreallocationCOO() make a row longer: it would write past their end. An assembly frees them.
*/
static PetscErrorCode FreeRowBuffers(Mat A)
{
  PetscBool mpiaij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpiaij));
  if (!mpiaij) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareRows(Sequence &s, Mat A, Mat B, const char what[], Pattern pattern)
{
  PetscInt                      start, end, na, nb;
  std::map<PetscInt, PetscReal> a, b;

  PetscFunctionBegin;
  for (Mat X : {A, B}) PetscCall(FreeRowBuffers(X));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscReal most = 0;

    PetscCall(GetRow(A, i, a, &na));
    PetscCall(GetRow(B, i, b, &nb));
    if (pattern == Pattern::SAME && na != nb)
      s.Differs("%s: row %d has %d entries instead of %d", what, (int)i, (int)nb, (int)na);
    for (auto &e : a) most = PetscMax(most, PetscAbsReal(e.second));
    for (auto &e : a) {
      if (pattern == Pattern::SAME && !b.count(e.first))
        s.Differs("%s: row %d has no entry in column %d", what, (int)i, (int)e.first);
      b[e.first] -= e.second;
    }
    for (auto &e : b) {
      if (!(PetscAbsReal(e.second) <= s.tol * (1 + most)))
        s.Differs("%s: row %d, column %d differs by %g of %g", what, (int)i, (int)e.first, (double)e.second, (double)most);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareVectors(Sequence &s, Vec a, Vec b, PetscReal tol, const std::string &what)
{
  PetscReal na, nd;
  Vec       d;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &d)); /* of b's type: b may live on the device, a on the host */
  PetscCall(VecCopy(a, d));
  PetscCall(VecAXPY(d, -1, b));
  PetscCall(VecNorm(a, NORM_2, &na));
  PetscCall(VecNorm(d, NORM_2, &nd));
  PetscCall(VecDestroy(&d));
  if (!(nd <= tol * na + 1e-3 * s.tol)) s.Differs("%s: the vector differs by %g of %g", what.c_str(), (double)nd, (double)na);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A x, A^T x, y + A x in place */
static PetscErrorCode CompareProducts(Sequence &s, Mat A, Mat B, const std::string &what)
{
  const Mat mat[2] = {A, B};
  Vec       x[2], y[2];

  PetscFunctionBegin;
  PetscCall(RandomVectors(s, A, B, false, x));
  PetscCall(RandomVectors(s, A, B, true, y));
  for (int k = 0; k < 2; k++) PetscCall(MatMultAdd(mat[k], x[k], y[k], y[k]));
  PetscCall(CompareVectors(s, y[0], y[1], s.tol, what + ": MatMultAdd()"));
  for (int k = 0; k < 2; k++) PetscCall(MatMult(mat[k], x[k], y[k]));
  PetscCall(CompareVectors(s, y[0], y[1], s.tol, what + ": MatMult()"));
  PetscCall(DestroyVectors(y));
  PetscCall(RandomVectors(s, A, B, true, y));
  for (int k = 0; k < 2; k++) PetscCall(MatMultTranspose(mat[k], y[k], x[k]));
  PetscCall(CompareVectors(s, x[0], x[1], s.tol, what + ": MatMultTranspose()"));
  PetscCall(DestroyVectors(x));
  PetscCall(DestroyVectors(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Norms, the number of entries, the diagonal of a square matrix */
static PetscErrorCode CompareFigures(Sequence &s, Mat A, Mat B, const std::string &what, Pattern pattern)
{
  PetscReal a, b;
  MatInfo   info[2];
  PetscBool square, cusparse;
  Vec       x[2];

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)B, MATMPIAIJCUSPARSE, &cusparse));
  for (NormType type : {NORM_1, NORM_INFINITY, NORM_FROBENIUS}) {
    if (type == NORM_1 && cusparse) continue; /* PETSc adds to numbers that it has not set (docs/reliability.md) */
    PetscCall(MatNorm(A, type, &a));
    PetscCall(MatNorm(B, type, &b));
    if (!Close(a, b, s.tol)) s.Differs("%s: norm %s is %g instead of %g", what.c_str(), NormTypes[type], (double)b, (double)a);
  }
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info[0]));
  PetscCall(MatGetInfo(B, MAT_GLOBAL_SUM, &info[1]));
  if (pattern == Pattern::SAME && info[0].nz_used != info[1].nz_used)
    s.Differs("%s: %g entries are counted instead of %g", what.c_str(), info[1].nz_used, info[0].nz_used);
  PetscCall(MatHasCongruentLayouts(A, &square));
  if (!square) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RandomVectors(s, A, B, true, x));
  PetscCall(MatGetDiagonal(A, x[0]));
  PetscCall(MatGetDiagonal(B, x[1]));
  PetscCall(CompareVectors(s, x[0], x[1], s.tol, what + ": MatGetDiagonal()"));
  PetscCall(DestroyVectors(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Compare(Sequence &s, Mat A, Mat B, const char what[], Pattern pattern)
{
  PetscBool assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(B, &assembled));
  PetscCheck(assembled, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the matrix is not assembled", what);
  PetscCall(CompareRows(s, A, B, what, pattern));
  PetscCall(CompareProducts(s, A, B, what));
  PetscCall(CompareFigures(s, A, B, what, pattern));
  s.compared++;
  PetscFunctionReturn(PETSC_SUCCESS);
}
