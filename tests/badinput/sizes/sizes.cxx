static char help[] = "A square matrix with two entries, of sizes that memory or PetscInt may not do for.\n\
  -rows <n>    : its rows\n\
  -entries <n> : that many COO entries, all at the same location\n\
  -look        : look at the two entries instead of computing a norm, for which a vector is needed\n\n";

#include <hepta.h>

static PetscErrorCode SetTwo(Mat A, PetscInt n)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValue(A, 0, 0, 2, ADD_VALUES));
  PetscCall(MatSetValue(A, n - 1, n - 1, 3, ADD_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two entries, and one that is not there */
static PetscErrorCode Look(Mat A, PetscInt n)
{
  const PetscInt ends[2] = {0, n - 1};
  PetscScalar    v[4];

  PetscFunctionBeginUser;
  PetscCall(MatGetValues(A, 2, ends, 2, ends, v));
  PetscCheck(v[0] == 2. && v[1] == 0. && v[2] == 0. && v[3] == 3., PETSC_COMM_SELF, PETSC_ERR_PLIB, "The entries are %g %g %g %g",
             (double)PetscRealPart(v[0]), (double)PetscRealPart(v[1]), (double)PetscRealPart(v[2]), (double)PetscRealPart(v[3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetCOO(Mat A, PetscCount n)
{
  PetscInt *i, *j;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc2(n, &i, n, &j));
  PetscCall(MatSetPreallocationCOO(A, n, i, j));
  PetscCall(PetscFree2(i, j));
  PetscCall(MatSetValuesCOO(A, nullptr, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat       A;
  PetscInt  rows = 10, entries = 0;
  PetscReal norm;
  PetscBool look = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-rows", &rows, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-entries", &entries, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-look", &look, nullptr));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(entries ? SetCOO(A, entries) : SetTwo(A, rows));
  if (look) PetscCall(Look(A, rows));
  norm = entries ? 0 : 3;
  if (!look) PetscCall(MatNorm(A, NORM_INFINITY, &norm));
  PetscCheck(norm == (entries ? 0 : 3), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The norm is %g", (double)norm);
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
