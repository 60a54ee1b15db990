static char help[] = "MATAIJ made under -mat_seqaij_type seqaijbdia or seqaijbrow must follow whatever changes it.\n\n";

#include "seqaijbdia.h"

#include <functional>

struct Change {
  const char                          *name;
  std::function<PetscErrorCode(Mat &)> apply;
};

/* The same vector for every matrix of these sizes, no entry of it zero */
static PetscErrorCode Diagonal(Mat A, Vec *d)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, d, nullptr));
  PetscCall(VecGetOwnershipRange(*d, &start, &end));
  for (PetscInt i = start; i < end; i++) PetscCall(VecSetValue(*d, i, 2 + Number(i, i, 5), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*d));
  PetscCall(VecAssemblyEnd(*d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithDiagonal(Mat A, PetscErrorCode (*f)(Mat, Vec))
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(Diagonal(A, &d));
  PetscCall(f(A, d));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithOther(Mat A, PetscInt bs, const std::vector<PetscInt> &off, const std::function<PetscErrorCode(Mat)> &f)
{
  Mat      B;
  PetscInt m, n, N;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatGetSize(A, &N, nullptr));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, m, n, N, N, 0, nullptr, 0, nullptr, &B));
  PetscCall(MatSetOption(B, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(Fill(B, bs, N / bs, off, 8, INSERT_VALUES));
  PetscCall(f(B));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddOther(Mat A, PetscInt bs, const std::vector<PetscInt> &off, MatStructure structure)
{
  return WithOther(A, bs, off, [&](Mat B) { return MatAXPY(A, 0.5, B, structure); });
}

static PetscErrorCode ZeroRowsKeep(Mat A, PetscInt n, const PetscInt rows[])
{
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatZeroRows(A, n, rows, 4, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddLocations(Mat A, PetscInt bs, PetscInt nb, const std::vector<PetscInt> &off)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(Fill(A, bs, nb, off, 2, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Scales the values of the local parts through their arrays, or the parts by themselves */
static PetscErrorCode ChangeParts(Mat A, bool arrays)
{
  PetscMPIInt size;
  Mat         parts[2] = {A, nullptr};

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(MatMPIAIJGetSeqAIJ(A, &parts[0], &parts[1], nullptr));
  for (Mat P : parts) {
    if (P && arrays) {
      PetscScalar *v;
      MatInfo      info;
      PetscCall(MatGetInfo(P, MAT_LOCAL, &info));
      PetscCall(MatSeqAIJGetArray(P, &v));
      for (PetscInt k = 0; k < (PetscInt)info.nz_used; k++) v[k] *= 3;
      PetscCall(MatSeqAIJRestoreArray(P, &v));
    } else if (P) PetscCall(MatScale(P, 3));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ChangeByCOO(Mat A)
{
  PetscInt                 start, end, N;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &N, nullptr));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt r = start; r < end; r++) {
    for (PetscInt c : {r - 2, r, r + 1, r}) {
      i.push_back(r);
      j.push_back(c < N ? c : -1);
      v.push_back(Number(r, c, 3));
    }
  }
  PetscCall(MatSetPreallocationCOO(A, (PetscCount)i.size(), i.data(), j.data()));
  PetscCall(MatSetValuesCOO(A, v.data(), INSERT_VALUES));
  PetscCall(MatSetValuesCOO(A, v.data(), ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Retrieving writes to PETSc's own array, with a product in between on other values */
static PetscErrorCode StoreAndRetrieve(Mat A)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatStoreValues(A));
  PetscCall(MatScale(A, 2));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatRetrieveValues(A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::vector<Change> Changes(PetscInt bs, PetscInt nb)
{
  static const PetscInt rows[] = {0, 7, 11};
  const PetscMPIInt     mine   = PetscGlobalRank == 0;

  return {
    {"scale", [](Mat &A) { return MatScale(A, -2.5); }},
    {"shift", [](Mat &A) { return MatShift(A, 1.5); }},
    {"diagonalset", [](Mat &A) { return WithDiagonal(A, [](Mat B, Vec d) { return MatDiagonalSet(B, d, ADD_VALUES); }); }},
    {"diagonalscale", [](Mat &A) { return WithDiagonal(A, [](Mat B, Vec d) { return MatDiagonalScale(B, d, d); }); }},
    {"diagonalscale left", [](Mat &A) { return WithDiagonal(A, [](Mat B, Vec d) { return MatDiagonalScale(B, d, nullptr); }); }},
    {"axpy same", [=](Mat &A) { return AddOther(A, bs, Stencil, SAME_NONZERO_PATTERN); }},
    {"axpy subset", [=](Mat &A) { return AddOther(A, bs, {0, 9}, SUBSET_NONZERO_PATTERN); }},
    {"axpy different", [=](Mat &A) { return AddOther(A, bs, {-3, 0}, DIFFERENT_NONZERO_PATTERN); }},
    {"copy", [=](Mat &A) { return WithOther(A, bs, Stencil, [&](Mat B) { return MatCopy(B, A, SAME_NONZERO_PATTERN); }); }},
    {"zeroentries", [](Mat &A) { return MatZeroEntries(A); }},
    {"zerorows", [=](Mat &A) { return MatZeroRows(A, mine ? 3 : 0, rows, 4, nullptr, nullptr); }},
    {"zerorows keep", [=](Mat &A) { return ZeroRowsKeep(A, mine ? 3 : 0, rows); }},
    {"zerorowscolumns", [=](Mat &A) { return MatZeroRowsColumns(A, mine ? 3 : 0, rows, 4, nullptr, nullptr); }},
    {"reassembly", [=](Mat &A) { return Fill(A, bs, nb, Stencil, 2, INSERT_VALUES); }},
    {"adding", [=](Mat &A) { return Fill(A, bs, nb, {0, 1}, 2, ADD_VALUES); }},
    {"new locations", [=](Mat &A) { return AddLocations(A, bs, nb, {-4, 0, 17}); }},
    {"transpose", [](Mat &A) { return MatTranspose(A, MAT_INPLACE_MATRIX, &A); }},
    {"realpart", [](Mat &A) { return MatRealPart(A); }},
    {"imaginarypart", [](Mat &A) { return MatImaginaryPart(A); }},
    {"eliminatezeros",
     [=](Mat &A) {
       (void)MatZeroRows(A, mine ? 3 : 0, rows, 0, nullptr, nullptr);
       return MatEliminateZeros(A, PETSC_TRUE);
     }},
    {"arrays of the parts", [](Mat &A) { return ChangeParts(A, true); }},
    {"scale of the parts", [](Mat &A) { return ChangeParts(A, false); }},
    {"COO", ChangeByCOO},
    {"retrievevalues", StoreAndRetrieve},
  };
}

/* Every change, on matrices whose block diagonals were read before it */
static PetscErrorCode TestChanges(PetscInt bs, PetscInt nb)
{
  PetscFunctionBeginUser;
  for (const Change &change : Changes(bs, nb)) {
    const std::string what = std::string(change.name) + ", block size " + std::to_string(bs);
    Mat               A, O;

    PetscCall(Create(bs, nb, &O));
    {
      Subtype subtype;
      PetscCall(Create(bs, nb, &A));
    }
    PetscCall(Products(A, O, "before " + what));
    PetscCall(change.apply(A));
    PetscCall(change.apply(O));
    PetscCall(Products(A, O, what));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&O));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  for (PetscInt bs : {1, 2, 3, 7, 13}) PetscCall(TestChanges(bs, 40));
  PetscCall(PetscFinalize());
  return 0;
}
