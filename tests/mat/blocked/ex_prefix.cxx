static char help[] = "Options with a prefix reach the MATBDIA matrix of that prefix and no other. Run with -help to see the options of \"a_\".\n\n";

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
  PetscCall(HeptaMatBDIAGetOffsets(A, &nd, &off));
  const bool half = nd && off[0] == 0, grid = std::count(off, off + nd, 4) > 0;
  PetscCheck(half == e.half, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: half storage is %d", name, (int)half);
  PetscCheck(grid == e.grid, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: offset 4 of the grid is there: %d", name, (int)grid);
  PetscCall(MatGetOwnershipRange(A, &start, nullptr));
  if (start == 0) {
    const PetscInt zero = 0;
    PetscCall(MatGetValues(A, 1, &zero, 1, &zero, &got));
    PetscCheck((got != corner) == e.single, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: 1/3 is stored as %.17g", name, (double)PetscRealPart(got));
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
  PetscCall(Fill(A, std::numeric_limits<double>::quiet_NaN()));
  if (code) PetscCall(ExpectError(code, words, [&] { return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY); }));
  else PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-a_mat_bdia_bs 2 -a_mat_bdia_half -b_mat_bdia_storage single -c_mat_bdia_grid 4,3,2 -few_mat_bdia_max_offsets 2 -full_mat_bdia_max_fill 1.01 -full_mat_bdia_bs 2 -nan_mat_bdia_check_values"));
  PetscCall(Check(PETSC_COMM_WORLD, {nullptr, 1, false, false, false}));
  PetscCall(Check(PETSC_COMM_WORLD, {"a_", 2, true, false, false}));
  PetscCall(Check(PETSC_COMM_WORLD, {"b_", 1, false, true, false}));
  PetscCall(Check(PETSC_COMM_WORLD, {"c_", 1, false, false, true}));
  PetscCall(CheckErrors(PETSC_COMM_WORLD, "few_", PETSC_ERR_SUP, "more than -mat_bdia_max_offsets 2"));
  PetscCall(CheckErrors(PETSC_COMM_WORLD, "full_", PETSC_ERR_SUP, "more than -mat_bdia_max_fill 1.01"));
  PetscCall(CheckErrors(PETSC_COMM_WORLD, "nan_", PETSC_ERR_FP, "row 0, column 0"));
  PetscCall(CheckErrors(PETSC_COMM_WORLD, "b_", PETSC_SUCCESS, ""));
  PetscCall(PetscFinalize());
  return 0;
}
