static char help[] = "MatLoad() of binary aij files into MATBDIA, and MatView() of MATBDIA into such files.\n\n";

#include <unistd.h>

#include "core.h"

/* A name that no other run of this program uses, the same on all ranks */
static std::string FileName(MPI_Comm comm)
{
  int pid = (int)getpid();

  (void)MPI_Bcast(&pid, 1, MPI_INT, 0, comm);
  return "ex_load." + std::to_string(pid) + ".petsc";
}

static PetscErrorCode Fill(Mat A, const Shape &s, bool symmetric)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt o : {-4, -1, 0, 1, 4}) {
      const PetscInt m = i / s.bs + o;
      for (PetscInt j = m * s.bs; m >= 0 && m < s.nbc && j < (m + 1) * s.bs; j++) {
        const PetscInt    a = symmetric ? PetscMin(i, j) : i, b = symmetric ? PetscMax(i, j) : j;
        const PetscScalar v = PairNumber(a, b, 1);
        if (PairNumber(a, b, 4711) > -0.95) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, INSERT_VALUES));
      }
    }
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Write(Mat A, const std::string &file)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PetscObjectComm((PetscObject)A), file.c_str(), FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Read(Mat A, const std::string &file)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PetscObjectComm((PetscObject)A), file.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(MatLoad(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that says nothing but its type, read with the options of the prefix; the oracle is read as aij */
static PetscErrorCode Plain(MPI_Comm comm, const std::string &file, const char prefix[], PetscInt bs, PetscReal tol)
{
  Mat A, B;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, &B));
  PetscCall(MatSetOptionsPrefix(B, prefix));
  PetscCall(MatSetType(B, TestType()));
  PetscCall(MatSetFromOptions(B));
  PetscCall(Read(B, file));
  PetscInt got, m, n;
  PetscCall(MatGetBlockSize(B, &got));
  PetscCheck(got == bs, comm, PETSC_ERR_PLIB, "Prefix \"%s\": block size %d instead of %d", prefix, (int)got, (int)bs);
  PetscCall(MatGetLocalSize(B, &m, &n));
  PetscCall(MatCreate(comm, &A));
  PetscCall(MatSetSizes(A, m, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(A, MATAIJ));
  PetscCall(Read(A, file));
  PetscCall(CheckSame(A, B, tol, prefix));
  PetscCall(Read(B, file)); /* again, into the same structure */
  PetscCall(CheckSame(A, B, tol, prefix));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes and block size given before; then written by bdia and read as aij */
static PetscErrorCode Shaped(MPI_Comm comm, const Shape &s, Mat A, const std::string &file)
{
  Mat B, C;

  PetscFunctionBegin;
  PetscCall(NewMat(comm, s, TestType(), "shaped_", &B));
  PetscCall(Read(B, file));
  PetscCall(CheckSame(A, B, 0, "sizes given"));
  PetscCall(Write(B, file));
  PetscCall(NewMat(comm, s, MATAIJ, "shaped_", &C));
  PetscCall(Read(C, file));
  PetscCall(CheckRows(A, C, 0, "written by bdia"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  Mat               A;
  const std::string file = FileName(comm), number = std::to_string(s.bs);
  PetscMPIInt       size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscOptionsSetValue(nullptr, TestOptions("-bs_mat_bdia_bs").c_str(), number.c_str()));
  for (bool symmetric : {false, true}) {
    PetscCall(NewMat(comm, s, MATAIJ, "", &A));
    PetscCall(Fill(A, s, symmetric));
    PetscCall(Write(A, file)); /* with a .info file that gives the block size */
    PetscCall(Plain(comm, file, "plain_", s.bs, 0));
    PetscCall(Plain(comm, file, "bs_", s.bs, 0));
    PetscCall(Plain(comm, file, "single_", s.bs, 1e-6));
    if (symmetric) PetscCall(Plain(comm, file, "half_", s.bs, 0));
    PetscCall(Shaped(comm, s, A, file));
    PetscCall(MatDestroy(&A));
  }
  if (size == 1 && s.bs <= 8) { /* the file does not tell the block size: auto finds it */
    PetscCallMPI(MPI_Barrier(comm));
    (void)unlink((file + ".info").c_str());
    PetscCall(PetscOptionsClearValue(nullptr, "-matload_block_size")); /* what reading the .info file left */
    PetscCall(Plain(comm, file, "auto_", TestIsBDIA() ? s.bs : 1, 0));
    PetscCall(Plain(comm, file, "plain_", 1, 0));
  }
  PetscCallMPI(MPI_Barrier(comm));
  (void)unlink(file.c_str());
  (void)unlink((file + ".info").c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"plain_", "bs_", "single_", "half_", "auto_", "shaped_"}));
  PetscCall(PetscOptionsInsertString(
    nullptr, TestOptions("-half_mat_bdia_half -single_mat_bdia_storage single -auto_mat_bdia_bs auto -options_left no").c_str()));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(PetscFinalize());
  return 0;
}
