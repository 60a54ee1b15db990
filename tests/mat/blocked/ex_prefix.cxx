static char help[] =
  "Options with a prefix reach the MATBDIA matrix of that prefix and no other. Run with -help to see the options of \"a_\".\n\n";

#include "core.h"
#include "failure.h"

#include <limits>

/* Block tridiagonal and symmetric, 24 rows in blocks of bs; one_third at (0, 0) */
static PetscErrorCode Fill(Mat A, PetscScalar corner)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j : {i - 1, i, i + 1}) {
      if (j < 24) PetscCall(MatSetValue(A, i, j, i == j ? (i ? 4 : corner) : -1, INSERT_VALUES)); /* -1 is ignored */
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(MPI_Comm comm, const char prefix[], Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, 24, 24));
  PetscCall(MatSetType(*A, MATBDIA));
  if (prefix) PetscCall(MatSetOptionsPrefix(*A, prefix));
  PetscCall(MatSetFromOptions(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Expected {
  const char *prefix;
  PetscInt    bs;
  bool        half, single, grid;
};

static PetscErrorCode Check(MPI_Comm comm, const Expected &e)
{
  Mat             A;
  PetscInt        bs, nd, start;
  const PetscInt *off;
  PetscScalar     corner = 1. / 3, got;
  const char     *name   = e.prefix ? e.prefix : "no prefix";

  PetscFunctionBegin;
  PetscCall(Create(comm, e.prefix, &A));
  PetscCall(Fill(A, corner));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCheck(bs == e.bs, comm, PETSC_ERR_PLIB, "%s: block size %d instead of %d", name, (int)bs, (int)e.bs);
  PetscCall(MatBDIAGetOffsets(A, &nd, &off));
  const bool half = nd && off[0] == 0, grid = std::count(off, off + nd, 4) > 0;
  PetscCheck(half == e.half, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: half storage is %d", name, (int)half);
  PetscCheck(grid == e.grid, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: offset 4 of the grid is there: %d", name, (int)grid);
  PetscCall(MatGetOwnershipRange(A, &start, nullptr));
  if (start == 0) {
    const PetscInt zero = 0;
    PetscCall(MatGetValues(A, 1, &zero, 1, &zero, &got));
    PetscCheck((got != corner) == e.single, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: 1/3 is stored as %.17g", name,
               (double)PetscRealPart(got));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Limits and the look for NaN stop the matrix of their prefix only */
static PetscErrorCode CheckErrors(MPI_Comm comm, const char prefix[], PetscErrorCode code, const char words[])
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(Create(comm, prefix, &A));
  const auto fill = [&] {
    PetscFunctionBegin;
    PetscCall(Fill(A, std::numeric_limits<double>::quiet_NaN()));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  if (code) PetscCall(ExpectError(code, words, fill));
  else PetscCall(fill());
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was refused is not stored, so a limit that is raised later does not make the matrix right */
static PetscErrorCode CheckRaised(MPI_Comm comm)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(Create(comm, "few_", &A));
  PetscCall(ExpectError(PETSC_ERR_SUP,
                        "is on block offset number 3 of this rank at block size 1, more than -mat_bdia_max_offsets 2",
                        [&] { return Fill(A, 1); }));
  PetscCall(PetscOptionsSetValue(nullptr, "-few_mat_bdia_max_offsets", "10"));
  PetscCall(MatSetFromOptions(A));
  PetscCall(PetscOptionsSetValue(nullptr, "-few_mat_bdia_max_offsets", "2"));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(ExpectError(PETSC_ERR_SUP, "3 block offsets", [&] { return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY); }));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the first rank a sum, or a copy, has an offset too many: all ranks get the error, and none waits */
static PetscErrorCode CheckTogether(MPI_Comm comm, bool copy)
{
  Mat      A[2];
  PetscInt start, end;

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(Create(comm, k && copy ? "b_" : "few_", &A[k]));
    PetscCall(MatGetOwnershipRange(A[k], &start, &end));
    for (PetscInt i = start; i < end; i++) {
      PetscCall(MatSetValue(A[k], i, i, 4, INSERT_VALUES));
      if (!k && i + 1 < end) PetscCall(MatSetValue(A[k], i, i + 1, -1, INSERT_VALUES));
      if (k && start == 0 && i > 0) PetscCall(MatSetValue(A[k], i, i - 1, -1, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A[k], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(ExpectError(PETSC_ERR_SUP, "3 block offsets", [&] {
    return copy ? MatCopy(A[1], A[0], DIFFERENT_NONZERO_PATTERN) : MatAXPY(A[0], 1, A[1], DIFFERENT_NONZERO_PATTERN);
  }));
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(
    nullptr, "-a_mat_bdia_bs 2 -a_mat_bdia_half -b_mat_bdia_storage single -c_mat_bdia_grid 4,3,2 -few_mat_bdia_max_offsets 2 "
             "-full_mat_bdia_max_fill 1.01 -full_mat_bdia_bs 2 -nan_mat_bdia_check_values"));
  PetscCall(Check(PETSC_COMM_WORLD, {nullptr, 1, false, false, false}));
  PetscCall(Check(PETSC_COMM_WORLD, {"a_", 2, true, false, false}));
  PetscCall(Check(PETSC_COMM_WORLD, {"b_", 1, false, true, false}));
  PetscCall(Check(PETSC_COMM_WORLD, {"c_", 1, false, false, true}));
  PetscCall(CheckErrors(PETSC_COMM_WORLD, "few_", PETSC_ERR_SUP, "more than -mat_bdia_max_offsets 2"));
  PetscCall(CheckRaised(PETSC_COMM_WORLD));
  for (bool copy : {false, true}) PetscCall(CheckTogether(PETSC_COMM_WORLD, copy));
  PetscCall(CheckErrors(PETSC_COMM_WORLD, "full_", PETSC_ERR_SUP, "more than -mat_bdia_max_fill 1.01"));
  PetscCall(CheckErrors(PETSC_COMM_WORLD, "nan_", PETSC_ERR_FP, "row 0, column 0"));
  PetscCall(CheckErrors(PETSC_COMM_WORLD, "b_", PETSC_SUCCESS, ""));
  PetscCall(PetscFinalize());
  return 0;
}
