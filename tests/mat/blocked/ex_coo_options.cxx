static char help[] = "COO values on MATBDIA under the options of MatSetOption(), and in a duplicate, compared with MATAIJ.\n\n";

#include "core.h"
#include "failure.h"

/* Who gives the entries */
enum class Giver {
  OWNER,  /* the rank of the row */
  ANYONE, /* any rank; sums of several ranks' values */
  LAST    /* the owners, and the last rank one entry of the first row */
};

struct Locations {
  std::vector<PetscInt> i, j;
};

static Locations MakeLocations(Mat A, const Shape &s, const std::vector<Block> &blocks, Giver giver)
{
  PetscMPIInt rank, size;
  PetscInt    start, end;
  Locations   p;

  (void)MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank);
  (void)MPI_Comm_size(PetscObjectComm((PetscObject)A), &size);
  (void)MatGetOwnershipRange(A, &start, &end);
  for (const Block &b : blocks) {
    for (PetscInt i = b.first * s.bs; i < (b.first + 1) * s.bs; i++) {
      for (PetscInt j = b.second * s.bs; j < (b.second + 1) * s.bs; j++) {
        /* both halves from one rank, so that the sums are the same */
        const bool own =
          giver == Giver::ANYONE ? SetterOf(PetscMin(i, j), PetscMax(i, j), 1, size) == rank : i >= start && i < end;
        if (!own || PairNumber(PetscMin(i, j), PetscMax(i, j), 4711) < -0.8) continue;
        p.i.push_back(i);
        p.j.push_back(j);
      }
    }
  }
  if (giver == Giver::LAST && rank == size - 1) {
    p.i.push_back(0);
    p.j.push_back(0);
  }
  return p;
}

static PetscErrorCode SetUp(Mat A, const Locations &locations)
{
  Locations p = locations; /* the call may change them */

  PetscFunctionBegin;
  PetscCall(MatSetPreallocationCOO(A, (PetscCount)p.i.size(), p.i.data(), p.j.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A symmetric matrix; one value in three is zero */
static PetscErrorCode SetValues(Mat A, const Locations &p, PetscInt seed, InsertMode mode)
{
  std::vector<PetscScalar> v(p.i.size());

  PetscFunctionBegin;
  for (size_t k = 0; k < v.size(); k++) {
    const PetscReal x = PairNumber(PetscMin(p.i[k], p.j[k]), PetscMax(p.i[k], p.j[k]), seed);
    v[k]              = x > 0.33 ? 0 : x;
  }
  PetscCall(MatSetValuesCOO(A, v.data(), mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The option set before or after the structure; with MAT_IGNORE_ZERO_ENTRIES zeros keep their locations all the same */
static PetscErrorCode WithOption(Mat A, const Shape &s, const std::vector<Block> &blocks, MatOption option, Giver giver,
                                 bool before)
{
  const Locations p = MakeLocations(A, s, blocks, giver);

  PetscFunctionBegin;
  if (before) PetscCall(MatSetOption(A, option, PETSC_TRUE));
  PetscCall(SetUp(A, p));
  if (!before) PetscCall(MatSetOption(A, option, PETSC_TRUE));
  PetscCall(SetValues(A, p, 1, INSERT_VALUES));
  PetscCall(SetValues(A, p, 2, ADD_VALUES));
  PetscCall(SetValues(A, p, 3, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of other ranks' rows are an error under MAT_NO_OFF_PROC_ENTRIES, on every rank, also when only one gives them */
static PetscErrorCode RemoteRefused(MPI_Comm comm, const Shape &s, const std::vector<Block> &blocks)
{
  Mat         A;
  PetscMPIInt size;
  PetscInt    start, end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(NewMat(comm, s, TestType(), "t_", &A));
  PetscCall(MatSetUp(A));
  PetscCall(MatSetOption(A, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscInt first = start == 0 && end > 0; /* does the last rank own row 0? */
  PetscCallMPI(MPI_Bcast(&first, 1, MPIU_INT, size - 1, comm));
  if (!first)
    PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, "MAT_NO_OFF_PROC_ENTRIES",
                          [&] { return SetUp(A, MakeLocations(A, s, blocks, Giver::LAST)); }));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A duplicate takes COO values as its original does, also when that is gone or has another structure */
static PetscErrorCode InDuplicate(MPI_Comm comm, const Shape &s, const char prefix[], PetscReal tol,
                                  const std::vector<Block> &blocks, MatDuplicateOption option)
{
  Mat               A[2], B[2];
  const std::string what = std::string(prefix) + "COO in a duplicate: " + ShapeName(s);

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, prefix, &A[k]));
    const Locations p     = MakeLocations(A[k], s, blocks, Giver::ANYONE),
                    other = MakeLocations(A[k], s, MakeBlocks(s, {-2, 0, 2}, 0), Giver::ANYONE);
    PetscCall(SetUp(A[k], p));
    PetscCall(SetValues(A[k], p, 1, INSERT_VALUES));
    if (k) {
      PetscCall(MatDuplicate(A[k], option, &B[k]));
      PetscCall(SetValues(B[k], p, 2, ADD_VALUES));
    } else { /* aij's duplicate knows no COO structure */
      PetscCall(NewMat(comm, s, MATAIJ, prefix, &B[k]));
      PetscCall(SetUp(B[k], p));
      if (option == MAT_COPY_VALUES) PetscCall(SetValues(B[k], p, 1, INSERT_VALUES));
      PetscCall(SetValues(B[k], p, 2, ADD_VALUES));
    }
    PetscCall(SetUp(A[k], other));
    PetscCall(SetValues(A[k], other, 4, INSERT_VALUES));
  }
  PetscCall(CheckSame(A[0], A[1], tol, what.c_str()));
  PetscCall(CheckSame(B[0], B[1], tol, what.c_str()));
  for (int k = 0; k < 2; k++) {
    const Locations p = MakeLocations(B[k], s, blocks, Giver::ANYONE);
    PetscCall(MatDestroy(&A[k]));
    PetscCall(SetValues(B[k], p, 5, INSERT_VALUES));
  }
  PetscCall(CheckSame(B[0], B[1], tol, what.c_str()));
  for (Mat &M : B) PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  const std::vector<Block> blocks = MakeBlocks(s, {-4, -1, 0, 1, 4}, 0);

  PetscFunctionBegin;
  for (const char *prefix : {"t_", "single_", "half_"}) {
    if (*prefix != 't' && (s.bs > 3 || s.rows != Share::EVEN)) continue; /* ranks that share a core are slow */
    const PetscReal tol   = *prefix == 's' ? 1e-5 : 1e-13;
    const auto      check = [&](MatOption option, Giver giver, bool before) {
      return CheckRecipe(comm, s, prefix, tol, std::string(prefix) + MatOptions[option],
                         [&](Mat A) { return WithOption(A, s, blocks, option, giver, before); });
    };
    for (bool before : {false, true}) PetscCall(check(MAT_IGNORE_ZERO_ENTRIES, Giver::ANYONE, before));
    PetscCall(check(MAT_NO_OFF_PROC_ENTRIES, Giver::OWNER, true));
    if (*prefix != 'h') PetscCall(check(MAT_IGNORE_OFF_PROC_ENTRIES, Giver::ANYONE, true)); /* what is left is not symmetric */
    for (MatDuplicateOption option : {MAT_COPY_VALUES, MAT_DO_NOT_COPY_VALUES})
      PetscCall(InDuplicate(comm, s, prefix, tol, blocks, option));
  }
  PetscCall(RemoteRefused(comm, s, blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"t_", "single_", "half_"}));
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-single_mat_bdia_storage single -half_mat_bdia_half").c_str()));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(PetscFinalize());
  return 0;
}
