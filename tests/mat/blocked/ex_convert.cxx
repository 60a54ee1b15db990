static char help[] =
  "Conversion between MATBDIA and aij, baij and sbaij: the entries set stay exactly what they were. Copies.\n\n";

#include <petsc/private/matimpl.h>

#include "core.h"

#include <set>

/* Entries of this rank's rows on the offsets, some left out of the pattern, zeros among the values; symmetric for sbaij */
static PetscErrorCode Fill(Mat A, const Shape &s, const std::vector<PetscInt> &off, PetscInt seed, bool symmetric,
                           bool whole_blocks)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt o : off) {
      const PetscInt m = i / s.bs + o;
      for (PetscInt j = m * s.bs; m >= 0 && m < s.nbc && j < (m + 1) * s.bs; j++) {
        const PetscInt    a = symmetric ? PetscMin(i, j) : i, b = symmetric ? PetscMax(i, j) : j;
        const PetscScalar v = PairNumber(a, b, 5) > 0.7 ? 0 : PairNumber(a, b, seed);
        if (whole_blocks || PairNumber(a, b, 4711) > -0.8) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, INSERT_VALUES));
      }
    }
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MATAIJ of the same entries, the oracle */
static PetscErrorCode Oracle(MPI_Comm comm, const Shape &s, const std::vector<PetscInt> &off, PetscInt seed, bool symmetric,
                             bool whole_blocks, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(NewMat(comm, s, MATAIJ, "c_", A));
  PetscCall(Fill(*A, s, off, seed, symmetric, whole_blocks));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, (PetscBool)symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The block offsets of a rank are those of its entries in its own columns, and no others */
static PetscErrorCode CheckOffsets(Mat aij, Mat B)
{
  const PetscInt     bs = B->rmap->bs;
  std::set<PetscInt> expected;
  PetscInt           n, nd;
  const PetscInt    *cols, *off;

  PetscFunctionBegin;
  if (!TestIsBDIA()) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = aij->rmap->rstart; i < aij->rmap->rend; i++) {
    PetscCall(MatGetRow(aij, i, &n, &cols, nullptr));
    for (PetscInt k = 0; k < n; k++) {
      if (cols[k] >= aij->cmap->rstart && cols[k] < aij->cmap->rend)
        expected.insert((cols[k] - aij->cmap->rstart) / bs - (i - aij->rmap->rstart) / bs);
    }
    PetscCall(MatRestoreRow(aij, i, &n, &cols, nullptr));
  }
  PetscCall(MatBDIAGetOffsets(B, &nd, &off));
  PetscCheck(std::vector<PetscInt>(off, off + nd) == std::vector<PetscInt>(expected.begin(), expected.end()), PETSC_COMM_SELF,
             PETSC_ERR_PLIB, "%d block offsets of a converted matrix, its entries have %d", (int)nd, (int)expected.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* aij -> bdia -> aij, new, reused and in place */
static PetscErrorCode AIJ(MPI_Comm comm, const Shape &s, const std::vector<PetscInt> &off)
{
  Mat       A, A2, B, C, D;
  PetscBool is;

  PetscFunctionBegin;
  PetscCall(Oracle(comm, s, off, 1, false, false, &A));
  PetscCall(Oracle(comm, s, off, 2, false, false, &A2));
  PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCheck(TestIsOfKind(B) && B->rmap->bs == s.bs, comm, PETSC_ERR_PLIB, "MatConvert() made a %s of block size %d",
             ((PetscObject)B)->type_name, (int)B->rmap->bs);
  PetscCall(CheckSame(A, B, 0, "aij to bdia"));
  PetscCall(CheckOffsets(A, B));
  PetscCall(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(CheckRows(A, C, 0, "bdia to aij"));
  PetscCall(MatConvert(A2, TestType(), MAT_REUSE_MATRIX, &B));
  PetscCall(CheckSame(A2, B, 0, "aij to the same bdia"));
  PetscCall(MatConvert(B, MATAIJ, MAT_REUSE_MATRIX, &C));
  PetscCall(CheckRows(A2, C, 0, "bdia to the same aij"));
  PetscCall(MatConvert(C, TestType(), MAT_INPLACE_MATRIX, &C));
  PetscCall(CheckSame(A2, C, 0, "aij to bdia in place"));
  PetscCall(MatConvert(C, MATSAME, MAT_INITIAL_MATRIX, &D));
  PetscCall(CheckSame(A2, D, 0, "bdia to itself"));
  PetscCall(MatConvert(C, MATAIJ, MAT_INPLACE_MATRIX, &C));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)C, &is, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCheck(is, comm, PETSC_ERR_PLIB, "MatConvert() in place made a %s", ((PetscObject)C)->type_name);
  PetscCall(CheckRows(A2, C, 0, "bdia to aij in place"));
  for (Mat *M : {&A, &A2, &B, &C, &D}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* aij -> baij or sbaij -> bdia -> baij or sbaij -> aij: whole blocks stay whole */
static PetscErrorCode ViaBlocks(MPI_Comm comm, const Shape &s, const std::vector<PetscInt> &off, MatType type)
{
  Mat               A, X, B, Y, Z;
  const bool        symmetric = !strcmp(type, MATSBAIJ);
  const std::string what      = std::string(type) + ": " + ShapeName(s);

  PetscFunctionBegin;
  PetscCall(Oracle(comm, s, off, 1, symmetric, true, &A));
  PetscCall(MatConvert(A, type, MAT_INITIAL_MATRIX, &X));
  PetscCall(MatConvert(X, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCheck(B->rmap->bs == s.bs, comm, PETSC_ERR_PLIB, "%s: block size %d instead of %d", what.c_str(), (int)B->rmap->bs,
             (int)s.bs);
  PetscCall(CheckSame(A, B, 0, (what + " to bdia").c_str()));
  PetscCall(MatConvert(X, TestType(), MAT_REUSE_MATRIX, &B));
  PetscCall(CheckSame(A, B, 0, (what + " to the same bdia").c_str()));
  if (symmetric) PetscCall(MatSetOption(B, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatConvert(B, type, MAT_INITIAL_MATRIX, &Y));
  PetscCall(MatConvert(Y, MATAIJ, MAT_INITIAL_MATRIX, &Z));
  PetscCall(CheckRows(A, Z, 0, ("bdia to " + what).c_str()));
  PetscCall(MatConvert(X, TestType(), MAT_INPLACE_MATRIX, &X));
  PetscCall(CheckSame(A, X, 0, (what + " to bdia in place").c_str()));
  if (symmetric) PetscCall(MatSetOption(X, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatConvert(X, type, MAT_INPLACE_MATRIX, &X));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatConvert(X, MATAIJ, MAT_INITIAL_MATRIX, &Z));
  PetscCall(CheckRows(A, Z, 0, ("bdia in place to " + what).c_str()));
  for (Mat *M : {&A, &X, &B, &Y, &Z}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To half and float storage by options, and back */
static PetscErrorCode Storage(MPI_Comm comm, const Shape &s, const std::vector<PetscInt> &off)
{
  Mat A, B, C, D;

  PetscFunctionBegin;
  for (const char *prefix : {"half_", "single_"}) {
    const bool      half = *prefix == 'h';
    const PetscReal tol  = half ? 0 : 1e-6;
    PetscCall(Oracle(comm, s, off, 1, half, false, &A));
    PetscCall(MatSetOptionsPrefix(A, prefix));
    PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
    PetscCall(CheckSame(A, B, tol, (std::string("aij to bdia ") + prefix).c_str()));
    PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &C));
    PetscCall(CheckSame(A, C, tol, (std::string("duplicate of ") + prefix).c_str()));
    if (half) {
      PetscCall(MatConvert(B, MATSBAIJ, MAT_INITIAL_MATRIX, &D));
      PetscCall(MatDestroy(&C));
      PetscCall(MatConvert(D, TestType(), MAT_INITIAL_MATRIX, &C));
      PetscCall(TestSame(A, C, 1e-13, "half to sbaij to bdia", false)); /* sbaij fills its blocks */
      PetscCall(MatDestroy(&D));
    }
    for (Mat *M : {&A, &B, &C}) PetscCall(MatDestroy(M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatDuplicate() with every option; the copy lives its own life */
static PetscErrorCode Duplicates(MPI_Comm comm, const Shape &s, const std::vector<PetscInt> &off)
{
  Mat A, A2, B, C;

  PetscFunctionBegin;
  PetscCall(Oracle(comm, s, off, 1, false, false, &A));
  PetscCall(Oracle(comm, s, off, 2, false, false, &A2));
  PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
  for (MatDuplicateOption op : {MAT_DO_NOT_COPY_VALUES, MAT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN}) {
    Mat oracle;
    PetscCall(MatDuplicate(A, op, &oracle));
    PetscCall(MatDuplicate(B, op, &C));
    PetscCall(CheckSame(oracle, C, 0, "duplicate"));
    PetscCall(Fill(C, s, off, 2, false, false));
    PetscCall(CheckSame(A2, C, 0, "duplicate with new values"));
    PetscCall(CheckSame(A, B, 0, "duplicated matrix"));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&oracle));
  }
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &C)); /* new locations in the copy */
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(Fill(C, s, {-3, 0, 4}, 3, false, true));
  PetscCall(Fill(A, s, {-3, 0, 4}, 3, false, true));
  PetscCall(CheckSame(A, C, 0, "duplicate with new locations"));
  for (Mat *M : {&A, &A2, &B, &C}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -mat_bdia_bs n and auto: auto finds the size of the blocks in a matrix that says 1. Elsewhere the storage's block size is not
   the matrix's. */
static PetscErrorCode BlockSizes(MPI_Comm comm, const Shape &s, const std::vector<PetscInt> &off)
{
  Mat A, B;

  PetscFunctionBegin;
  if (s.bs > 8) PetscFunctionReturn(PETSC_SUCCESS);
  for (const char *prefix : {"auto_", "bs_"}) {
    PetscCall(PetscOptionsSetValue(nullptr, TestOptions("-bs_mat_bdia_bs").c_str(), std::to_string(s.bs).c_str()));
    PetscCall(MatCreate(comm, &A));
    PetscCall(
      MatSetSizes(A, s.bs * ShareOf(comm, s.nbr, s.rows), s.bs * ShareOf(comm, s.nbc, s.cols), s.bs * s.nbr, s.bs * s.nbc));
    PetscCall(MatSetType(A, MATAIJ));
    PetscCall(MatSetOptionsPrefix(A, prefix));
    PetscCall(Fill(A, s, off, 1, false, true));
    PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
    PetscCheck(B->rmap->bs == (TestIsBDIA() ? s.bs : 1), comm, PETSC_ERR_PLIB, "-%smat_bdia_bs: block size %d instead of %d",
               prefix, (int)B->rmap->bs, (int)s.bs);
    PetscCall(CheckSame(A, B, 0, prefix));
    for (Mat *M : {&A, &B}) PetscCall(MatDestroy(M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  Shape wide = s, empty = s;

  PetscFunctionBegin;
  PetscCall(AIJ(comm, s, {-5, -1, 0, 1, 2}));
  wide.nbc  = s.nbr + 3;
  wide.cols = Share::RAMP;
  PetscCall(AIJ(comm, wide, {-2, 0, 1, 5}));
  empty.nbr = empty.nbc = 0;
  PetscCall(AIJ(comm, empty, {0}));
  for (MatType type : {MATBAIJ, MATSBAIJ}) PetscCall(ViaBlocks(comm, s, {-4, -1, 0, 1, 4}, type));
  PetscCall(Storage(comm, s, {-4, -1, 0, 1, 4}));
  PetscCall(Duplicates(comm, s, {-5, -1, 0, 1, 2}));
  PetscCall(BlockSizes(comm, s, {-4, -1, 0, 1, 4}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"c_", "half_", "single_", "auto_", "bs_"}));
  PetscCall(PetscOptionsInsertString(
    nullptr, TestOptions("-half_mat_bdia_half -single_mat_bdia_storage single -auto_mat_bdia_bs auto").c_str()));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(PetscFinalize());
  return 0;
}
