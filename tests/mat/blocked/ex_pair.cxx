static char help[] = "Operations with two matrices, one of them MATBDIA at least, compared with MATAIJ's; transposes.\n\n";

#include "testmat.h"

/* Y <- Y + alpha X with X bdia or aij, Y aij too */
static PetscErrorCode Axpy(const TestCase &c, const Pair &y, const Pair &x, MatStructure structure, const char what[])
{
  const PetscReal tol = c.storage.tol;
  Pair            q;
  MatState        before, after;

  PetscFunctionBeginUser;
  PetscCall(TestCopy(y, &q));
  PetscCall(MatAXPY(q.aij, -0.75, x.aij, structure));
  PetscCall(MatGetState(q.bdia, &before));
  PetscCall(MatAXPY(q.bdia, -0.75, x.bdia, structure));
  PetscCall(MatGetState(q.bdia, &after));
  PetscCheck(after.state > before.state, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the state is the one before MatAXPY()", what);
  PetscCall(TestSame(q.aij, q.bdia, tol, what));
  PetscCall(MatAXPY(q.aij, 2, x.aij, structure)); /* again: now all locations are there */
  PetscCall(MatAXPY(q.bdia, 2, x.bdia, structure));
  PetscCall(TestSame(q.aij, q.bdia, tol, what));
  PetscCall(PairDestroy(&q));
  PetscCall(TestCopy(y, &q));
  PetscCall(MatAXPY(q.aij, -0.75, x.aij, structure));
  PetscCall(MatAXPY(q.bdia, -0.75, x.aij, structure));
  PetscCall(TestSame(q.aij, q.bdia, tol, what));
  PetscCall(PairDestroy(&q));
  PetscCall(TestCopy(y, &q));
  PetscCall(MatAXPY(q.aij, -0.75, x.bdia, structure));
  PetscCall(MatAXPY(q.bdia, -0.75, x.aij, structure));
  PetscCall(TestSame(q.aij, q.bdia, tol, what));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Copy(const TestCase &c, const Pair &from, const Pair &to, MatStructure structure, const char what[])
{
  Pair q;

  PetscFunctionBeginUser;
  PetscCall(TestCopy(to, &q));
  PetscCall(MatSetOption(q.bdia, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
  PetscCall(MatCopy(from.bdia, q.bdia, structure));
  /* else locations of before stay, as aij's do */
  PetscCall(TestSame(from.aij, q.bdia, c.storage.tol, what, structure == SAME_NONZERO_PATTERN));
  PetscCall(MatScale(q.bdia, 2));
  PetscCall(MatCopy(from.bdia, q.bdia, structure));
  /* else locations of before stay, as aij's do */
  PetscCall(TestSame(from.aij, q.bdia, c.storage.tol, what, structure == SAME_NONZERO_PATTERN));
  PetscCall(PairDestroy(&q));
  PetscCall(TestCopy(to, &q));
  for (Mat A : {q.aij, q.bdia}) PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatCopy(from.bdia, q.aij, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatCopy(from.aij, q.bdia, DIFFERENT_NONZERO_PATTERN));
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, what));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Equality(const TestCase &c, const Pair &p, const Pair &other, bool more)
{
  Mat       B, x;
  PetscBool same;
  Vec       d;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(p.bdia, MAT_COPY_VALUES, &B));
  PetscCall(MatEqual(p.bdia, B, &same));
  PetscCheck(same, c.comm, PETSC_ERR_PLIB, "A copy is not equal");
  PetscCall(MatEqual(p.bdia, other.bdia, &same));
  PetscCheck(!same, c.comm, PETSC_ERR_PLIB, "A matrix with other entries is equal");
  PetscCall(MatCreateVecs(B, &d, nullptr));
  PetscCall(MatGetDiagonal(B, d));
  PetscCall(VecSetValue(d, 0, 4, ADD_VALUES)); /* one entry, on one rank */
  PetscCall(VecAssemblyBegin(d));
  PetscCall(VecAssemblyEnd(d));
  PetscCall(MatDiagonalSet(B, d, INSERT_VALUES));
  PetscCall(MatEqual(p.bdia, B, &same));
  PetscCheck(!same, c.comm, PETSC_ERR_PLIB, "A matrix with another value is equal");
  PetscCall(MatCopy(p.bdia, B, SAME_NONZERO_PATTERN));
  PetscCall(MatEqual(p.bdia, B, &same));
  PetscCheck(same, c.comm, PETSC_ERR_PLIB, "A copy is not equal");
  /* the same values, and zeros at locations that p may not have */
  PetscCall(MatDuplicate(other.bdia, MAT_COPY_VALUES, &x));
  PetscCall(MatZeroEntries(x));
  PetscCall(MatAXPY(B, 1, x, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatEqual(p.bdia, B, &same));
  PetscCheck((bool)same != more, c.comm, PETSC_ERR_PLIB, "A matrix with %s entries is %s", more ? "more" : "the same",
             same ? "equal" : "not equal");
  PetscCall(VecDestroy(&d));
  PetscCall(MatDestroy(&x));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Transposes(const TestCase &c, const Pair &p)
{
  Pair q, t;

  PetscFunctionBeginUser;
  PetscCall(TestCopy(p, &q));
  PetscCall(MatTranspose(q.aij, MAT_INITIAL_MATRIX, &t.aij));
  PetscCall(MatTranspose(q.bdia, MAT_INITIAL_MATRIX, &t.bdia));
  PetscCall(TestSame(t.aij, t.bdia, c.storage.tol, "MatTranspose initial"));
  for (Mat A : {q.aij, q.bdia}) PetscCall(MatScale(A, 3));
  PetscCall(MatTranspose(q.aij, MAT_REUSE_MATRIX, &t.aij));
  PetscCall(MatTranspose(q.bdia, MAT_REUSE_MATRIX, &t.bdia));
  PetscCall(TestSame(t.aij, t.bdia, c.storage.tol, "MatTranspose reuse"));
  PetscCall(MatTranspose(q.aij, MAT_INPLACE_MATRIX, &q.aij));
  PetscCall(MatTranspose(q.bdia, MAT_INPLACE_MATRIX, &q.bdia));
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "MatTranspose in place"));
  PetscCall(PairDestroy(&t));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTwo(const TestCase &c)
{
  TestCase s = c, n = c, d = c, other = c;
  Pair     p, same, subset, different, stored;

  PetscFunctionBeginUser;
  s.spec.seed += 100;
  n.spec.off = {0};
  d.spec.off = TestOffsets(c.spec.nb, 7, c.storage.symmetric);
  d.spec.seed += 200;
  PetscCall(PairCreate(c.comm, c.spec, &p));
  PetscCall(PairCreate(c.comm, s.spec, &same));
  PetscCall(PairCreate(c.comm, n.spec, &subset));
  PetscCall(PairCreate(c.comm, d.spec, &different));
  /* the same entries, stored otherwise: double under single and the reverse, full under half */
  other.spec.options = TestStorages()[c.storage.tol > 1e-8 ? 0 : TestIsBDIA() ? 1 : 2].options;
  other.storage.tol  = 1e-5;
  PetscCall(PairCreate(c.comm, other.spec, &stored));
  PetscCall(Axpy(c, p, same, SAME_NONZERO_PATTERN, "MatAXPY same"));
  PetscCall(Axpy(c, p, same, DIFFERENT_NONZERO_PATTERN, "MatAXPY same, told different"));
  PetscCall(Axpy(c, p, subset, SUBSET_NONZERO_PATTERN, "MatAXPY subset"));
  PetscCall(Axpy(c, p, different, DIFFERENT_NONZERO_PATTERN, "MatAXPY different"));
  PetscCall(Axpy(c, subset, p, UNKNOWN_NONZERO_PATTERN, "MatAXPY superset"));
  PetscCall(Axpy(other, p, stored, SAME_NONZERO_PATTERN, "MatAXPY other storage"));
  PetscCall(Copy(c, p, same, SAME_NONZERO_PATTERN, "MatCopy same"));
  PetscCall(Copy(c, p, different, DIFFERENT_NONZERO_PATTERN, "MatCopy different"));
  PetscCall(Copy(c, subset, p, SUBSET_NONZERO_PATTERN, "MatCopy subset"));
  PetscCall(Copy(other, stored, p, SAME_NONZERO_PATTERN, "MatCopy other storage"));
  PetscCall(Equality(c, p, same, false));
  PetscCall(Equality(c, p, different, true));
  PetscCall(Transposes(c, p));
  for (Pair *x : {&p, &same, &subset, &different, &stored}) PetscCall(PairDestroy(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rectangular matrices: the transpose has the other shape */
static PetscErrorCode Rectangular(MPI_Comm comm, PetscInt bs, PetscInt nbr, PetscInt nbc)
{
  Pair        p, t;
  PetscMPIInt rank, size;
  PetscInt    start, end;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (Mat *A : {&p.aij, &p.bdia}) {
    const PetscInt m = nbr * (rank + 1) / size - nbr * rank / size, n = nbc * (rank + 1) / size - nbc * rank / size;
    PetscCall(MatCreate(comm, A));
    PetscCall(MatSetSizes(*A, m * bs, n * bs, nbr * bs, nbc * bs));
    PetscCall(MatSetBlockSize(*A, bs));
    PetscCall(MatSetType(*A, A == &p.aij ? MATAIJ : TestType()));
    PetscCall(MatSetUp(*A));
    PetscCall(MatGetOwnershipRange(*A, &start, &end));
    for (PetscInt i = start; i < end; i++) {
      for (PetscInt o : {-2, 0, 1}) {
        for (PetscInt j = (i / bs + o) * bs; j >= 0 && j < nbc * bs && j < (i / bs + o + 1) * bs; j++)
          PetscCall(MatSetValue(*A, i, j, PairNumber(i, j, 1), INSERT_VALUES));
      }
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(TestSame(p.aij, p.bdia, 1e-12, "rectangular"));
  PetscCall(MatTranspose(p.aij, MAT_INITIAL_MATRIX, &t.aij));
  PetscCall(MatTranspose(p.bdia, MAT_INITIAL_MATRIX, &t.bdia));
  PetscCall(TestSame(t.aij, t.bdia, 1e-12, "rectangular, transposed"));
  for (Mat A : {p.aij, p.bdia}) PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (size == 1) {
    for (Mat A : {p.aij, p.bdia}) PetscCall(MatShift(A, 2));
  }
  for (Mat A : {p.aij, p.bdia}) PetscCall(MatScale(A, 2));
  PetscCall(TestSame(p.aij, p.bdia, 1e-12, "rectangular, shifted"));
  PetscCall(PairDestroy(&t));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(TestEach(PETSC_COMM_WORLD, TestTwo));
  for (PetscInt bs : {1, 3}) {
    PetscCall(Rectangular(PETSC_COMM_WORLD, bs, 11, 8));
    PetscCall(Rectangular(PETSC_COMM_WORLD, bs, 8, 11));
  }
  PetscCall(PetscFinalize());
  return 0;
}
