static char help[] = "Rows that became longer: conversions read all of a MATMPIAIJ whose MatGetRow() buffers are too short, and "
                     "relaxation of seqaijbdia and seqaijbrow holds when i-nodes grow.\n\n";

#include "core.h"
#include "failure.h"

/* How rows of an aij become longer without an assembly, which would free the buffers of MatGetRow() */
enum class Grow {
  SHIFT,
  DIAGONAL_SET,
  COO
};

static PetscScalar Entry(PetscInt i, PetscInt j)
{
  return i == j ? 20 + i % 5 : PairNumber(i, j, 5);
}

/* The entries of aij: at the given offsets, the diagonal left out */
static PetscErrorCode NewAIJ(PetscInt n, const std::vector<PetscInt> &offsets, Mat *A)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt o : offsets) {
      if (o != 0 && i + o >= 0 && i + o < n) PetscCall(MatSetValue(*A, i, i + o, Entry(i, i + o), INSERT_VALUES));
    }
  }
  PetscCall(Assemble(*A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the diagonal or, by lists, all the entries at the offsets */
static PetscErrorCode GrowRows(Mat A, Grow way, const std::vector<PetscInt> &offsets)
{
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;
  PetscInt                 start, end, n;
  Vec                      d;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(MatGetSize(A, &n, nullptr));
  PetscCall(MatCreateVecs(A, &d, nullptr));
  for (PetscInt k = start; k < end; k++) {
    PetscCall(VecSetValue(d, k, way == Grow::SHIFT ? Entry(k, k) - 20 : Entry(k, k), INSERT_VALUES));
    for (PetscInt o : offsets) {
      if (k + o < 0 || k + o >= n) continue;
      i.push_back(k);
      j.push_back(k + o);
      v.push_back(Entry(k, k + o));
    }
  }
  PetscCall(VecAssemblyBegin(d));
  PetscCall(VecAssemblyEnd(d));
  if (way == Grow::SHIFT) PetscCall(MatShift(A, 20));
  if (way != Grow::COO) PetscCall(MatDiagonalSet(A, d, way == Grow::SHIFT ? ADD_VALUES : INSERT_VALUES));
  if (way == Grow::COO) PetscCall(MatSetPreallocationCOO(A, (PetscCount)i.size(), i.data(), j.data()));
  if (way == Grow::COO) PetscCall(MatSetValuesCOO(A, v.data(), INSERT_VALUES));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are the entries those at the offsets, with Entry()'s values? */
static PetscErrorCode CheckEntries(Mat B, const std::vector<PetscInt> &offsets, const char what[])
{
  PetscInt start, end, n;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(B, &start, &end));
  PetscCall(MatGetSize(B, &n, nullptr));
  for (PetscInt i = start; i < end; i++) {
    PetscInt           count, expected = 0;
    const PetscInt    *cols;
    const PetscScalar *vals;

    PetscCall(MatGetRow(B, i, &count, &cols, &vals));
    for (PetscInt o : offsets) expected += i + o >= 0 && i + o < n;
    PetscCheck(count == expected, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %d has %d entries instead of %d", what, (int)i,
               (int)count, (int)expected);
    for (PetscInt k = 0; k < count; k++) {
      const PetscScalar v = Entry(i, cols[k]);
      PetscCheck(PetscAbsScalar(vals[k] - v) <= 1e-5, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "%s: row %d, column %d is %g instead of %g", what, (int)i, (int)cols[k], (double)PetscRealPart(vals[k]),
                 (double)PetscRealPart(v));
    }
    PetscCall(MatRestoreRow(B, i, &count, &cols, &vals));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A user's loop over rows makes the buffers; then rows grow; then a conversion must see all of them. (MatAXPY() and MatCopy() of
   an aij to another type are PETSc's own loops over MatGetRow().) */
static PetscErrorCode TestReaders(Grow way)
{
  const PetscInt              n   = 60;
  const std::vector<PetscInt> few = {-7, 1}, many = way == Grow::COO
                                                      ? std::vector<PetscInt>{-40, -13, -7, -3, -2, -1, 0, 1, 2, 9, 33}
                                                      : std::vector<PetscInt>{-7, 0, 1};
  Mat                         A, B;
  PC                          pc;
  Vec                         x, y;

  PetscFunctionBeginUser;
  PetscCall(NewAIJ(n, few, &A));
  PetscCall(CheckEntries(A, few, "MATAIJ"));
  PetscCall(GrowRows(A, way, many));
  PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCall(CheckEntries(B, many, "MatConvert()"));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetType(pc, PCSUBDEFLATION));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_type", "material"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PCApply(pc, x, y));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCIP looks for what is not finite in all entries of rows that grew; one diagonal at most: it works by rows */
static PetscErrorCode TestNotFinite()
{
  Mat A;
  PC  pc;
  Vec r;

  PetscFunctionBeginUser;
  PetscCall(NewAIJ(60, {-7, 1}, &A));
  PetscCall(CheckEntries(A, {-7, 1}, "MATAIJ"));
  PetscCall(GrowRows(A, Grow::DIAGONAL_SET, {-7, 0, 1}));
  PetscCall(MatCreateVecs(A, &r, nullptr));
  PetscCall(VecSet(r, 1));
  PetscCall(VecSetValue(r, 59, std::numeric_limits<PetscReal>::quiet_NaN(), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(r));
  PetscCall(VecAssemblyEnd(r));
  PetscCall(MatDiagonalScale(A, nullptr, r)); /* no assembly, which would free the buffers */
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetType(pc, PCIP));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_bdia_max_offsets", "1"));
  PetscCall(ExpectError(PETSC_ERR_FP, "row 58 of the matrix has an entry that is Inf or NaN", [&] { return PCSetUp(pc); }));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_bdia_max_offsets", "1000"));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of `size` rows with the same columns, those of the diagonal block */
static PetscErrorCode SetNodes(Mat A, PetscInt n, PetscInt size)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = i / size * size; j < (i / size + 1) * size; j++)
      PetscCall(MatSetValue(A, i, j, Entry(i, j), INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One sweep of relaxation by rows, by hand */
static PetscErrorCode CheckSweep(Mat A, MatType name, Vec b, Vec x, PetscInt n, PetscInt size)
{
  std::vector<PetscScalar> y(n, 0);
  const PetscScalar       *a, *r;

  PetscFunctionBeginUser;
  PetscCall(VecZeroEntries(x));
  PetscCall(MatSOR(A, b, 1, (MatSORType)(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(b, &r));
  for (PetscInt i = 0; i < n; i++) {
    y[i] = r[i];
    for (PetscInt j = i / size * size; j < i; j++) y[i] -= Entry(i, j) * y[j];
    y[i] /= Entry(i, i);
    PetscCheck(PetscAbsScalar(y[i] - a[i]) <= 1e-5, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: relaxation gives %g instead of %g in row %d", name, (double)PetscRealPart(a[i]), (double)PetscRealPart(y[i]),
               (int)i);
  }
  PetscCall(VecRestoreArrayRead(b, &r));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* I-nodes of two rows, relaxed; then of five, whose blocks take more than twice the memory */
static PetscErrorCode TestRelaxation(MatType type)
{
  const PetscInt n = 200;
  Mat            A;
  Vec            x, b;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, n, n, n, n));
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(MatSetUp(A));
  PetscCall(SetNodes(A, n, 2));
  PetscCall(MatConvert(A, type, MAT_INPLACE_MATRIX, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(MatSOR(A, b, 1, (MatSORType)(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(SetNodes(A, n, 10)); /* five rows at most make a node */
  PetscCall(CheckSweep(A, type, b, x, n, 10));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscMallocSetCoalesce(PETSC_FALSE)); /* what is written past the end of one array must not fall into the next */
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_bdia_max_offsets 1000 -mat_bdia_max_fill 1000"));
  for (Grow way : {Grow::SHIFT, Grow::DIAGONAL_SET, Grow::COO}) PetscCall(TestReaders(way));
  PetscCall(TestNotFinite());
  for (MatType type : {MATSEQAIJBDIA, MATSEQAIJBROW, TestIsBDIA() ? MATSEQBDIA : MATSEQBROW}) PetscCall(TestRelaxation(type));
  PetscCall(PetscFinalize());
  return 0;
}
