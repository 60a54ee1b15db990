static char help[] =
  "More than 2^31 stored values in one matrix: products, diagonal and scaling, every row compared with exact integers. Needs\n\
40 GB.\n\
  -slots <n> : how many values are stored (2.2e9)\n\n";

/*
   Sample run:
     HEPTA_TEST_DEVICE=1 ex_device_large
*/
#include "device.h"

#include <vector>

static const PetscInt J = 256, H = 64; /* the grid's lines and planes; its third size follows from the number of values */

/* Few block rows have entries beside the diagonal: assembly takes no longer than the zeros' memory */
struct Large {
  PetscInt              bs, nb;
  std::vector<PetscInt> rows; /* block rows with all seven blocks */
};

static PetscScalar Value(PetscInt i, PetscInt j)
{
  return (PetscScalar)((i % 9973 * 7 + j % 9967 * 3) % 5 + 1);
}

static PetscScalar X(PetscInt j)
{
  return (PetscScalar)(j % 11 - 5);
}

/* Calls f(i, j) for all entries of the chosen block rows */
template <class F> static PetscErrorCode EachEntry(const Large &l, F f)
{
  PetscFunctionBegin;
  for (PetscInt m : l.rows) {
    for (PetscInt o : {-J * H, -J, (PetscInt)-1, (PetscInt)0, (PetscInt)1, J, J * H}) {
      for (PetscInt k = 0; k < l.bs * l.bs && m + o >= 0 && m + o < l.nb; k++)
        PetscCall(f(m * l.bs + k / l.bs, (m + o) * l.bs + k % l.bs));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Large &l, Mat *A)
{
  const PetscInt n = l.nb * l.bs;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetBlockSize(*A, l.bs));
  PetscCall(MatSetType(*A, TestType()));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatBDIASetStorage(*A, HEPTA_MAT_STORAGE_SINGLE));
  PetscCall(MatBDIASetGrid(*A, J, H, l.nb / (J * H)));
  PetscCall(EachEntry(l, [&](PetscInt i, PetscInt j) { return MatSetValue(*A, i, j, Value(i, j), INSERT_VALUES); }));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatShift(*A, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckExact(Vec y, const std::vector<PetscScalar> &want, PetscReal factor, const char what[])
{
  const PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(y, &a));
  for (size_t i = 0; i < want.size(); i++)
    PetscCheck(a[i] == factor * want[i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %zu is %g instead of %g", what, i,
               (double)PetscRealPart(a[i]), (double)PetscRealPart(factor * want[i]));
  PetscCall(VecRestoreArrayRead(y, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(PetscInt bs, PetscReal slots)
{
  Large        l = {bs, J * H * (PetscInt)PetscCeilReal(slots / (7. * bs * bs * J * H)), {}};
  Mat          A;
  Vec          x, y;
  PetscScalar *a;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < l.nb; m += l.nb / 1000 + 1) l.rows.push_back(m);
  if (l.rows.back() != l.nb - 1) l.rows.push_back(l.nb - 1);
  const size_t             n = (size_t)l.nb * bs;
  std::vector<PetscScalar> ax(n), atx(n), diagonal(n, 2);
  for (size_t i = 0; i < n; i++) ax[i] = atx[i] = 2 * X((PetscInt)i);
  PetscCall(EachEntry(l, [&](PetscInt i, PetscInt j) {
    ax[i] += Value(i, j) * X(j);
    atx[j] += Value(i, j) * X(i);
    if (i == j) diagonal[i] += Value(i, i);
    return PETSC_SUCCESS;
  }));
  PetscCall(Create(l, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecGetArrayWrite(x, &a));
  for (size_t i = 0; i < n; i++) a[i] = X((PetscInt)i);
  PetscCall(VecRestoreArrayWrite(x, &a));
  for (PetscReal factor : {1., -3.}) { /* the second time after scaling, where the values then are */
    PetscCall(MatMult(A, x, y));
    PetscCall(CheckExact(y, ax, factor, "A x"));
    PetscCall(MatMultTranspose(A, x, y));
    PetscCall(CheckExact(y, atx, factor, "A^T x"));
    PetscCall(MatGetDiagonal(A, y));
    PetscCall(CheckExact(y, diagonal, factor, "Diagonal"));
    if (factor == 1.) PetscCall(MatScale(A, -3));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "block size %d: %.0f values\n", (int)bs, 7. * l.nb * bs * bs));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal slots = 2.2e9;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-slots", &slots, nullptr));
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_bdia_max_fill 1e12"));
  for (PetscInt bs : {1, 8, 16}) PetscCall(Test(bs, slots));
  PetscCall(PetscFinalize());
  return 0;
}
