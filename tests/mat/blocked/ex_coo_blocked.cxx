static char help[] = "HeptaMatSetPreallocationCOOBlocked(), compared with MatSetValues() of MATAIJ.\n\n";

#include "core.h"
#include "failure.h"

#if defined(HEPTA_HAVE_CUDA)
  #include "device_array.h"
#endif

/* The blocks a rank gives: every one twice, by two ranks or the same, and some to be ignored */
struct Blocks {
  std::vector<PetscInt> i, j;
};

static Blocks MakeShare(MPI_Comm comm, const std::vector<Block> &blocks)
{
  PetscMPIInt rank, size;
  Blocks      b;

  (void)MPI_Comm_rank(comm, &rank);
  (void)MPI_Comm_size(comm, &size);
  for (const Block &block : blocks) {
    for (PetscInt part = 0; part < 2; part++) {
      if (SetterOf(block.first, block.second, part, size) != rank) continue;
      b.i.push_back(block.first);
      b.j.push_back(block.second);
    }
    if (SetterOf(block.first, block.second, 2, size) != rank || PairNumber(block.first, block.second, 3) < 0.5) continue;
    b.i.push_back(block.first % 2 ? -1 : block.first);
    b.j.push_back(block.first % 2 ? block.second : -2);
  }
  return b;
}

static PetscErrorCode SetUp(Mat A, const Blocks &b, bool device)
{
  Blocks    copy = b;
  PetscInt *i = copy.i.data(), *j = copy.j.data();

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (device) PetscCall(ToDevice(copy.i, &i));
  if (device) PetscCall(ToDevice(copy.j, &j));
#endif
  PetscCall(HeptaMatSetPreallocationCOOBlocked(A, (PetscCount)copy.i.size(), i, j));
#if defined(HEPTA_HAVE_CUDA)
  if (device) PetscCall(FreeDevice(&i));
  if (device) PetscCall(FreeDevice(&j));
#else
  (void)device;
#endif
  PetscCheck(copy.i == b.i && copy.j == b.j, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The indices were changed");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The oracle: entry by entry */
static PetscErrorCode SetEntries(Mat A, const Shape &s, const Blocks &b, const std::vector<PetscScalar> &v)
{
  size_t at = 0;

  PetscFunctionBegin;
  PetscCall(MatSetUp(A));
  for (size_t k = 0; k < b.i.size(); k++) {
    for (PetscInt r = 0; r < s.bs; r++) {
      for (PetscInt c = 0; c < s.bs; c++, at++) {
        if (b.i[k] >= 0 && b.j[k] >= 0) PetscCall(MatSetValue(A, b.i[k] * s.bs + r, b.j[k] * s.bs + c, v[at], ADD_VALUES));
      }
    }
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s, bool device)
{
  const Blocks             b    = MakeShare(comm, MakeBlocks(s, {-4, -1, 0, 1, 4}, 0));
  const std::string        what = "blocks, indices on the " + std::string(device ? "device" : "host") + ": " + ShapeName(s);
  std::vector<PetscScalar> v(b.i.size() * s.bs * s.bs);
  PetscMPIInt              rank;
  Mat                      A[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (size_t k = 0; k < v.size(); k++) v[k] = PairNumber((PetscInt)k, rank, 5);
  for (int k = 0; k < 2; k++) PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, "t_", &A[k]));
  PetscCall(SetEntries(A[0], s, b, v));
  for (int twice = 0; twice < 2; twice++) { /* the structure is made anew */
    PetscCall(SetUp(A[1], b, device));
    PetscCall(MatSetValuesCOO(A[1], v.data(), INSERT_VALUES));
    PetscCall(CheckSame(A[0], A[1], 1e-13, what.c_str()));
  }
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Beyond the last block row or column, where a product with the block size would overflow too; fewer than none; no array for rows
   or columns, on all ranks or on the first alone */
static PetscErrorCode Refused(MPI_Comm comm)
{
  const Shape    s{3, 5, 5};
  const PetscInt two[] = {0, 1};
  PetscMPIInt    rank;
  Mat            A;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(NewMat(comm, s, TestType(), "t_", &A));
  for (PetscInt far : {PetscInt(5), PetscInt(PETSC_INT_MAX)}) {
    PetscInt i[] = {0, far}, j[] = {1, 2};
    PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE,
                          "COO block 1 has block row " + std::to_string(far) + ", block column 2, outside the 5 x 5 blocks",
                          [&] { return HeptaMatSetPreallocationCOOBlocked(A, 2, i, j); }));
    PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "outside the 5 x 5 blocks",
                          [&] { return HeptaMatSetPreallocationCOOBlocked(A, 2, j, i); }));
  }
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "The number of blocks n = -1 must not be negative",
                        [&] { return HeptaMatSetPreallocationCOOBlocked(A, -1, nullptr, nullptr); }));
  PetscCall(ExpectError(PETSC_ERR_ARG_NULL, "The block rows i[] of n = 2 blocks is a null pointer",
                        [&] { return HeptaMatSetPreallocationCOOBlocked(A, 2, nullptr, nullptr); }));
  PetscCall(ExpectError(PETSC_ERR_ARG_NULL, "The block columns j[] of n = 2 blocks is a null pointer",
                        [&] { return HeptaMatSetPreallocationCOOBlocked(A, 2, two, rank ? two : nullptr); }));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  for (PetscInt bs : {1, 2, 3, 8}) {
    for (Share share : {Share::EVEN, Share::RAMP, Share::THIN}) {
      for (bool device : {false, true}) {
        if (!device || TestOnDevice()) PetscCall(Test(PETSC_COMM_WORLD, {bs, 17, 17, share, share}, device));
      }
    }
  }
  PetscCall(Test(PETSC_COMM_WORLD, {2, 6, 9}, false));
  PetscCall(Refused(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}
