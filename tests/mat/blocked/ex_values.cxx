static char help[] = "Operations that change or read the values of one MATBDIA matrix, compared with MATAIJ's.\n\n";

#include "testmat.h"

static PetscErrorCode Scaling(const TestCase &c, const Pair &p)
{
  Pair q;
  Vec  l, r;

  PetscFunctionBeginUser;
  PetscCall(TestCopy(p, &q));
  PetscCall(TestRandomVecs(p.bdia, 3, &r, &l));
  for (Mat A : {q.aij, q.bdia}) PetscCall(MatScale(A, -1.5));
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatScale"));
  if (c.storage.symmetric) {
    TestFails(PETSC_ERR_SUP, MatDiagonalScale(q.bdia, l, r));
    TestFails(PETSC_ERR_SUP, MatDiagonalScale(q.bdia, l, nullptr));
    PetscCall(VecCopy(l, r));
  } else {
    for (Mat A : {q.aij, q.bdia}) PetscCall(MatDiagonalScale(A, l, nullptr));
    PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatDiagonalScale left"));
    for (Mat A : {q.aij, q.bdia}) PetscCall(MatDiagonalScale(A, nullptr, r));
    PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatDiagonalScale right"));
  }
  for (Mat A : {q.aij, q.bdia}) PetscCall(MatDiagonalScale(A, l, r));
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatDiagonalScale"));
  PetscCall(VecDestroy(&l));
  PetscCall(VecDestroy(&r));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MainDiagonal(const TestCase &c, const Pair &p)
{
  Pair      q;
  Vec       d, e;
  IS        za, zb;
  PetscInt  start, end;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(TestCopy(p, &q));
  PetscCall(TestRandomVecs(p.bdia, 4, &d, &e));
  for (Mat A : {q.aij, q.bdia}) PetscCall(MatShift(A, 2.25));
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatShift"));
  for (Mat A : {q.aij, q.bdia}) PetscCall(MatDiagonalSet(A, d, ADD_VALUES));
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatDiagonalSet add"));
  PetscCall(MatGetDiagonal(q.aij, d));
  PetscCall(MatGetDiagonal(q.bdia, e));
  PetscCall(CheckVec(d, e, c.storage.tol, "MatGetDiagonal"));
  PetscCall(VecGetOwnershipRange(d, &start, &end));
  for (PetscInt i = start; i < end; i += 3) PetscCall(VecSetValue(d, i, 0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(d));
  PetscCall(VecAssemblyEnd(d));
  for (Mat A : {q.aij, q.bdia}) PetscCall(MatDiagonalSet(A, d, INSERT_VALUES));
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatDiagonalSet insert"));
  PetscCall(MatFindZeroDiagonals(q.aij, &za));
  PetscCall(MatFindZeroDiagonals(q.bdia, &zb));
  PetscCall(ISEqual(za, zb, &same));
  PetscCheck(same, c.comm, PETSC_ERR_PLIB, "MatFindZeroDiagonals: bdia differs from aij");
  PetscCall(ISDestroy(&za));
  PetscCall(ISDestroy(&zb));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&e));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without stored diagonal: it is added, unless an option forbids new entries */
static PetscErrorCode NewMainDiagonal(const TestCase &c)
{
  TestCase n = c;
  Pair     p, q;
  Vec      d, e;

  PetscFunctionBeginUser;
  n.spec.off.erase(std::find(n.spec.off.begin(), n.spec.off.end(), 0));
  PetscCall(PairCreate(c.comm, n.spec, &p));
  PetscCall(TestRandomVecs(p.bdia, 4, &d, &e));
  PetscCall(TestCopy(p, &q));
  for (Mat A : {q.aij, q.bdia}) {
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatShift(A, 3));
    PetscCall(MatShift(A, 0.5));
  }
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatShift, new diagonal"));
  PetscCall(PairDestroy(&q));
  PetscCall(TestCopy(p, &q));
  PetscCall(MatGetDiagonal(p.bdia, e));
  PetscCall(VecAXPY(e, 2, d));
  PetscCall(VecScale(d, 2));
  PetscCall(CheckVec(d, e, c.storage.tol, "MatGetDiagonal, no diagonal"));
  for (Mat A : {q.aij, q.bdia}) {
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatDiagonalSet(A, d, INSERT_VALUES));
  }
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatDiagonalSet, new diagonal"));
  PetscCall(MatSetOption(p.bdia, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatShift(p.bdia, 3));
  PetscCall(TestSame(p.aij, p.bdia, c.storage.tol, "MatShift, new entries ignored"));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&e));
  PetscCall(PairDestroy(&q));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NormsAndInfo(const TestCase &c, const Pair &p)
{
  const NormType types[] = {NORM_1, NORM_INFINITY, NORM_FROBENIUS};
  PetscReal      na, nb;
  MatInfo        ia, ib;

  PetscFunctionBeginUser;
  for (NormType type : types) {
    PetscCall(MatNorm(p.aij, type, &na));
    PetscCall(MatNorm(p.bdia, type, &nb));
    PetscCheck(PetscAbsReal(na - nb) <= c.storage.tol * na, c.comm, PETSC_ERR_PLIB, "Norm %s: %g instead of %g", NormTypes[type],
               (double)nb, (double)na);
  }
  TestFails(PETSC_ERR_SUP, MatNorm(p.bdia, NORM_2, &nb));
  for (MatInfoType which : {MAT_LOCAL, MAT_GLOBAL_SUM, MAT_GLOBAL_MAX}) {
    PetscCall(MatGetInfo(p.aij, which, &ia));
    PetscCall(MatGetInfo(p.bdia, which, &ib));
    PetscCheck(ia.nz_used == ib.nz_used, PETSC_COMM_SELF, PETSC_ERR_PLIB, "nz_used: %g instead of %g", ib.nz_used, ia.nz_used);
    PetscCheck(c.storage.symmetric || ib.nz_allocated >= ib.nz_used, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "nz_allocated %g below nz_used %g", ib.nz_allocated, ib.nz_used);
    PetscCheck((ib.memory > 0 || !ib.nz_used) && ib.block_size == c.spec.bs && ib.assemblies == 1, PETSC_COMM_SELF,
               PETSC_ERR_PLIB, "memory %g, block size %g, assemblies %g", ib.memory, ib.block_size, ib.assemblies);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random values stand in the same entries of q.bdia and of its aij, and products agree with them */
static PetscErrorCode CheckRandom(const TestCase &c, const Pair &q)
{
  PetscReal norm;
  Mat       drawn;
  Vec       x, y, z;

  PetscFunctionBeginUser;
  PetscCall(MatSetRandom(q.bdia, nullptr));
  PetscCall(MatConvert(q.bdia, MATAIJ, MAT_INITIAL_MATRIX, &drawn));
  PetscCall(TestSame(drawn, q.bdia, c.storage.tol, "MatSetRandom"));
  PetscCall(MatCreateVecs(drawn, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecSet(x, 1));
  PetscCall(MatZeroEntries(q.aij));
  PetscCall(MatAXPY(q.aij, 1, drawn, SAME_NONZERO_PATTERN));
  PetscCall(MatMult(drawn, x, y));
  PetscCall(MatMult(q.aij, x, z));
  PetscCall(CheckVec(y, z, c.storage.tol, "MatSetRandom, entries"));
  PetscCall(VecNorm(y, NORM_2, &norm));
  PetscCheck(norm > 0, c.comm, PETSC_ERR_PLIB, "MatSetRandom left zero");
  for (Vec *v : {&x, &y, &z}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&drawn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Clearing and random values keep the entries, and new values come into the same ones */
static PetscErrorCode ZeroAndRandom(const TestCase &c, const Pair &p)
{
  Pair        q;
  PetscReal   norm;
  MatInfo     info, after;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(TestCopy(p, &q));
  PetscCall(MatGetInfo(q.bdia, MAT_GLOBAL_SUM, &info));
  PetscCall(MatZeroEntries(q.bdia));
  PetscCall(MatNorm(q.bdia, NORM_FROBENIUS, &norm));
  PetscCall(MatGetInfo(q.bdia, MAT_GLOBAL_SUM, &after));
  PetscCheck(norm == 0 && info.nz_used == after.nz_used, c.comm, PETSC_ERR_PLIB,
             "MatZeroEntries leaves norm %g, entries %g of %g", (double)norm, after.nz_used, info.nz_used);
  PetscCallMPI(MPI_Comm_size(c.comm, &size));
  if (!c.storage.symmetric || size == 1) {
    PetscCall(CheckRandom(c, q));
    PetscCall(MatZeroEntries(q.bdia));
  }
  PetscCall(PairFill(q.bdia, c.spec, c.spec.seed));
  PetscCall(TestSame(p.aij, q.bdia, c.storage.tol, "values after MatZeroEntries"));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InvertBlocks(const TestCase &c, const Pair &p)
{
  const PetscScalar *a, *b;
  PetscInt           n;
  PetscReal          worst = 0, largest = 0;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(p.aij, &n, nullptr));
  PetscCall(MatInvertBlockDiagonal(p.aij, &a));
  PetscCall(MatInvertBlockDiagonal(p.bdia, &b));
  for (PetscInt k = 0; k < n * c.spec.bs; k++) {
    worst   = TestMax(worst, PetscAbsScalar(a[k] - b[k]));
    largest = TestMax(largest, PetscAbsScalar(a[k]));
  }
  PetscCheck(worst <= 10 * c.storage.tol * largest, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "MatInvertBlockDiagonal: bdia differs by %g of %g", (double)worst, (double)largest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block without inverse is told by MatFactorGetError(), or is an error if that is wanted */
static PetscErrorCode SingularBlocks(const TestCase &c, const Pair &p)
{
  const PetscScalar *b;
  const PetscInt     bs = c.spec.bs;
  PetscInt           n, start;
  MatFactorError     error;
  Vec                zero;
  Mat                B;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(p.aij, &n, nullptr));
  PetscCall(MatDuplicate(p.bdia, MAT_COPY_VALUES, &B));
  PetscCall(MatCreateVecs(B, &zero, nullptr));
  PetscCall(VecSet(zero, 0));
  PetscCall(MatZeroEntries(B));
  PetscCall(MatShift(B, 1));
  PetscCall(MatInvertBlockDiagonal(B, &b));
  PetscCall(MatFactorGetError(B, &error));
  PetscCheck(error == MAT_FACTOR_NOERROR, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Identity blocks told singular");
  for (PetscInt k = 0; k < n * bs; k++)
    PetscCheck(b[k] == (k % (bs * bs) % (bs + 1) ? 0. : 1.), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Inverse of the identity has %g",
               (double)PetscRealPart(b[k]));
  PetscCall(VecGetOwnershipRange(zero, &start, nullptr));
  PetscCall(VecSet(zero, 1));
  if (n) PetscCall(VecSetValue(zero, start + n - 1, 0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(zero));
  PetscCall(VecAssemblyEnd(zero));
  PetscCall(MatDiagonalSet(B, zero, INSERT_VALUES));
  PetscCall(MatInvertBlockDiagonal(B, &b));
  PetscCall(MatFactorGetError(B, &error));
  PetscCheck(!n || error == MAT_FACTOR_NUMERIC_ZEROPIVOT, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Singular block not told");
  PetscCall(MatSetErrorIfFailure(B, PETSC_TRUE));
  if (n) TestFails(PETSC_ERR_MAT_LU_ZRPVT, MatInvertBlockDiagonal(B, &b));
  PetscCall(VecDestroy(&zero));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestValues(const TestCase &c)
{
  Pair p;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(c.comm, c.spec, &p));
  PetscCall(TestSame(p.aij, p.bdia, c.storage.tol, "assembly"));
  PetscCall(NormsAndInfo(c, p));
  PetscCall(Scaling(c, p));
  PetscCall(MainDiagonal(c, p));
  PetscCall(NewMainDiagonal(c));
  PetscCall(ZeroAndRandom(c, p));
  PetscCall(InvertBlocks(c, p));
  PetscCall(SingularBlocks(c, p));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestProgram(argc, argv, help, {TestValues});
}
