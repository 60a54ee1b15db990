static char help[] = "General Hepta grids and block sizes of all kinds on MATBDIACUDA, in double, single and half storage, "
                     "compared with MATAIJ.\n\n";

#include "hepta_lab.h"
#include "core.h"

static PetscInt Random(PetscInt k, PetscInt what, PetscInt largest)
{
  return 1 + (PetscInt)((PairNumber(k, what, 77) + 1) / 2 * (largest - 0.001));
}

/* J, H and I of every ratio, with J = 1, H = 1 or both: then offsets coincide */
static PetscErrorCode GeneralHepta(MPI_Comm comm, PetscInt k, PetscInt Nc)
{
  const PetscInt J = k % 4 == 1 ? 1 : Random(k, 1, 9), H = k % 4 == 2 ? 1 : Random(k, 2, 6),
                 I = k % 4 == 3 ? 1 : Random(k, 3, 11);
  Mat            A, B;

  PetscFunctionBegin;
  const std::string what =
    "General Hepta " + std::to_string(J) + " x " + std::to_string(H) + " x " + std::to_string(I) + ", Nc " + std::to_string(Nc);
  PetscCall(HeptaMatCreateGeneralHepta(comm, J, H, I, Nc, 3, MATAIJ, &A));
  PetscCall(HeptaMatCreateGeneralHepta(comm, J, H, I, Nc, 3, MATBDIACUDA, &B));
  PetscCall(TestSame(A, B, 1e-12, what.c_str()));
  PetscCall(MatDestroy(&B));
  PetscCall(MatSetOptionsPrefix(A, "single_"));
  PetscCall(MatConvert(A, MATBDIACUDA, MAT_INITIAL_MATRIX, &B));
  PetscCall(TestSame(A, B, 1e-5, (what + ", single").c_str()));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random offsets, in every storage; more rows than one block of threads has */
static PetscErrorCode Storages(MPI_Comm comm, PetscInt bs, PetscInt k)
{
  PetscFunctionBegin;
  for (const TestStorage &storage : TestStorages()) {
    const PetscInt    nb   = Random(k, bs, 50 + 1200 / bs);
    const std::string what = std::string(storage.name) + ", bs " + std::to_string(bs) + ", " + std::to_string(nb) + " block rows";
    Mat               A, B;

    PetscCall(
      TestMatPair(comm, bs, nb, TestOffsets(nb, 10 * bs + k, storage.symmetric), k, storage.symmetric, storage.options, &A, &B));
    PetscCall(TestSame(A, B, storage.tol, what.c_str()));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many offsets as a matrix may have: the most that a block of threads keeps in shared memory */
static PetscErrorCode ManyOffsets(MPI_Comm comm, PetscInt bs, PetscInt most)
{
  std::vector<PetscInt> off;

  PetscFunctionBegin;
  for (PetscInt o = -most; o <= most; o++) off.push_back(o);
  for (const TestStorage &storage : TestStorages()) {
    const std::string what =
      std::string(storage.name) + ", bs " + std::to_string(bs) + ", " + std::to_string(2 * most + 1) + " offsets";
    Mat A, B;

    PetscCall(TestMatPair(comm, bs, 40, off, bs, storage.symmetric, storage.options, &A, &B));
    PetscCall(TestSame(A, B, storage.tol, what.c_str()));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conversion from and to aijcusparse, new and into the same matrix */
static PetscErrorCode CuSparse(MPI_Comm comm, PetscInt Nc)
{
  Mat A, C, B, D;

  PetscFunctionBegin;
  PetscCall(HeptaMatCreateGeneralHepta(comm, 4, 3, 7, Nc, 5, MATAIJ, &A));
  PetscCall(MatConvert(A, MATAIJCUSPARSE, MAT_INITIAL_MATRIX, &C));
  for (MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
    PetscCall(MatConvert(C, MATBDIACUDA, reuse, &B));
    PetscCall(TestSame(A, B, 1e-12, "from aijcusparse"));
    for (Mat M : {A, B, C}) PetscCall(MatScale(M, -2)); /* the newest values are on the device */
    PetscCall(MatConvert(B, MATAIJCUSPARSE, reuse, &D));
    PetscCall(TestSame(A, D, 1e-12, "to aijcusparse"));
  }
  for (Mat *M : {&A, &B, &C, &D}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help, true));
  PetscCall(PetscOptionsInsertString(nullptr, "-single_mat_bdia_storage single"));
  for (PetscInt Nc : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13}) {
    for (PetscInt k = 0; k < 4; k++) PetscCall(GeneralHepta(PETSC_COMM_WORLD, 4 * Nc + k, Nc));
    for (PetscInt k = 0; k < 2; k++) PetscCall(Storages(PETSC_COMM_WORLD, Nc, k));
  }
  for (PetscInt bs : {1, 8, 13, 16}) {
    for (PetscInt most : {4, 13}) PetscCall(ManyOffsets(PETSC_COMM_WORLD, bs, most));
  }
  for (PetscInt Nc : {1, 3}) PetscCall(CuSparse(PETSC_COMM_WORLD, Nc));
  PetscCall(PetscFinalize());
  return 0;
}
