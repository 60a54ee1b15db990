/*
   Matrix Market files in PETSc programs: rank 0 reads and hands out, so that every error reaches all ranks
*/
#include "matrix_market.h"
#include "matrix_market_text.h"
#include <zlib.h>
#include <functional>
#include <numeric>

/*
   Runs read() on rank 0. An exception becomes the same PETSc error on all ranks: none waits for one that has left.
*/
static PetscErrorCode OnFirstRank_Private(MPI_Comm comm, const std::function<void()> &read)
{
  PetscErrorCode ierr                        = PETSC_SUCCESS;
  char           message[PETSC_MAX_PATH_LEN] = "";
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) {
    try {
      read();
    } catch (const hepta_mm::Error &e) {
      ierr = e.kind == hepta_mm::Error::OPEN
               ? PETSC_ERR_FILE_OPEN
               : (e.kind == hepta_mm::Error::READ ? PETSC_ERR_FILE_READ : PETSC_ERR_FILE_UNEXPECTED);
      PetscCall(PetscStrncpy(message, e.what(), sizeof(message)));
    } catch (const std::exception &e) {
      ierr = PETSC_ERR_MEM;
      PetscCall(PetscStrncpy(message, e.what(), sizeof(message)));
    }
  }
  PetscCallMPI(MPI_Bcast(&ierr, 1, MPI_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(message, (PetscMPIInt)sizeof(message), MPI_CHAR, 0, comm));
  PetscCheck(ierr == PETSC_SUCCESS, comm, ierr, "%s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Sizes of the parts. Without a block size the parts are multiples of gcd(rows, 840): 840 is the least common multiple of 1, ...,
   8, so each of these sizes that divides the rows divides the parts as well, and a later MatConvert() is free to choose among
   them.
*/
static PetscErrorCode SetLayout_Private(Mat A, PetscInt bs, PetscInt M, PetscInt N)
{
  PetscInt m = PETSC_DECIDE, n = PETSC_DECIDE;

  PetscFunctionBegin;
  PetscCall(PetscSplitOwnershipBlock(PetscObjectComm((PetscObject)A), bs > 0 ? bs : std::gcd(M, (PetscInt)840), &m, &M));
  if (M == N) n = m;
  else PetscCall(PetscSplitOwnershipBlock(PetscObjectComm((PetscObject)A), bs > 0 ? bs : 1, &n, &N));
  PetscCall(MatSetSizes(A, m, n, M, N));
  if (bs > 0) PetscCall(MatSetBlockSize(A, bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaMatReadMatrixMarket - Reads a sparse matrix from a Matrix Market file

  Collective

  Input Parameters:
+ comm - MPI communicator
. file - file name, of plain text or text in gzip format
- bs   - block size of the matrix, or `PETSC_DECIDE`: the block size is 1 then, and the rows are split so that every block size up
         to 8 that divides their number is possible in a later `MatConvert()`

  Output Parameter:
. A - the assembled `MATAIJ`

  Level: intermediate

  Notes:
  The file is a coordinate matrix of real, integer or pattern (value 1) entries, general, symmetric, hermitian or skew-symmetric.
  Zeros in the file stay in the structure of the matrix, entries that come twice add up.

  The first MPI process reads the file. A file that is missing, truncated or not what its header says gives an error on all
  processes that names the file, and the line or the counts.

.seealso: `HeptaVecReadMatrixMarket()`, `HeptaMatWriteMatrixMarket()`, `MatLoad()`
@*/
PetscErrorCode HeptaMatReadMatrixMarket(MPI_Comm comm, const char file[], PetscInt bs, Mat *A)
{
  hepta_mm::Triplets       t = {};
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;
  PetscInt                 size[3];
  const auto               read = [&] {
    t = hepta_mm::ReadTriplets(file);
    if (t.nrows > PETSC_INT_MAX || t.ncols > PETSC_INT_MAX)
      throw hepta_mm::Error(hepta_mm::Error::UNEXPECTED, file, "has more rows or columns than a PetscInt can count");
    i.assign(t.i.begin(), t.i.end());
    j.assign(t.j.begin(), t.j.end());
    v.assign(t.v.begin(), t.v.end());
  };

  PetscFunctionBegin;
  PetscCall(OnFirstRank_Private(comm, read));
  size[0] = (PetscInt)t.nrows;
  size[1] = (PetscInt)t.ncols;
  size[2] = (PetscInt)t.symmetry;
  PetscCallMPI(MPI_Bcast(size, 3, MPIU_INT, 0, comm));
  PetscCheck(bs <= 0 || (size[0] % bs == 0 && size[1] % bs == 0), comm, PETSC_ERR_ARG_SIZ,
             "%s: block size %" PetscInt_FMT " does not divide the %" PetscInt_FMT " rows and %" PetscInt_FMT " columns", file,
             bs, size[0], size[1]);
  PetscCall(MatCreate(comm, A));
  PetscCall(SetLayout_Private(*A, bs, size[0], size[1]));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetPreallocationCOO(*A, (PetscCount)v.size(), i.data(), j.data())); /* ships the rows to their owners */
  PetscCall(MatSetValuesCOO(*A, v.data(), INSERT_VALUES));
  if (size[2] == (PetscInt)hepta_mm::Symmetry::SYMMETRIC) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  if (size[2] == (PetscInt)hepta_mm::Symmetry::SKEW) PetscCall(MatSetOption(*A, MAT_STRUCTURALLY_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaVecReadMatrixMarket - Reads a vector from a Matrix Market array with one column, or from text with one number in each line

  Collective

  Input Parameters:
+ file - file name, of plain text or text in gzip format
- v    - a vector with its sizes set, for example from `MatCreateVecs()`; it is filled

  Level: intermediate

.seealso: `HeptaMatReadMatrixMarket()`
@*/
PetscErrorCode HeptaVecReadMatrixMarket(const char file[], Vec v)
{
  MPI_Comm            comm;
  PetscMPIInt         rank;
  PetscInt            n;
  std::vector<double> x;
  Vec                 all;
  VecScatter          scatter;
  PetscScalar        *a;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)v, &comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(VecGetSize(v, &n));
  PetscCall(OnFirstRank_Private(comm, [&] { x = hepta_mm::ReadVector(file, n); }));
  PetscCall(VecScatterCreateToZero(v, &scatter, &all));
  if (rank == 0) {
    PetscCall(VecGetArrayWrite(all, &a));
    std::copy(x.begin(), x.end(), a);
    PetscCall(VecRestoreArrayWrite(all, &a));
  }
  PetscCall(VecScatterBegin(scatter, all, v, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(scatter, all, v, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 17 digits give every double back */
static PetscErrorCode WriteRows_Private(Mat A, gzFile f, PetscBool *ok)
{
  PetscInt           M, N, n;
  const PetscInt    *cols;
  const PetscScalar *vals;
  MatInfo            info;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  *ok = (PetscBool)(gzprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n", (long long)M, (long long)N,
                             (long long)info.nz_used) > 0);
  for (PetscInt i = 0; *ok && i < M; i++) {
    PetscCall(MatGetRow(A, i, &n, &cols, &vals));
    for (PetscInt k = 0; *ok && k < n; k++)
      *ok = (PetscBool)(gzprintf(f, "%lld %lld %.17g\n", (long long)i + 1, (long long)cols[k] + 1,
                                 (double)PetscRealPart(vals[k])) > 0);
    PetscCall(MatRestoreRow(A, i, &n, &cols, &vals));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaMatWriteMatrixMarket - Writes a matrix as a Matrix Market file that `HeptaMatReadMatrixMarket()` reads back to the last bit

  Collective

  Input Parameters:
+ A    - the matrix, of any type that `MatConvert()` makes a `MATAIJ`
- file - file name; a name that ends in .gz gives a file in gzip format

  Level: intermediate

  Note:
  The first MPI process holds the whole matrix while it writes. `PETSC_VIEWER_ASCII_MATRIXMARKET` writes six digits only, and on
  one process only.

.seealso: `HeptaMatReadMatrixMarket()`, `MatView()`
@*/
PetscErrorCode HeptaMatWriteMatrixMarket(Mat A, const char file[])
{
  MPI_Comm    comm;
  PetscMPIInt rank;
  PetscInt    M, N;
  Mat         aij, *whole;
  IS          rows, cols;
  PetscBool   gzip, ok[2] = {PETSC_TRUE, PETSC_TRUE}; /* opened, written */

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)A, &comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, rank ? 0 : M, 0, 1, &rows));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, rank ? 0 : N, 0, 1, &cols));
  PetscCall(MatCreateSubMatrices(aij, 1, &rows, &cols, MAT_INITIAL_MATRIX, &whole));
  if (rank == 0) {
    PetscCall(PetscStrendswith(file, ".gz", &gzip));
    const gzFile f = gzopen(file, gzip ? "w" : "wT");

    ok[0] = (PetscBool) !!f;
    if (f) {
      PetscCall(WriteRows_Private(whole[0], f, &ok[1]));
      if (gzclose(f) != Z_OK) ok[1] = PETSC_FALSE;
    }
  }
  PetscCallMPI(MPI_Bcast(ok, 2, MPI_C_BOOL, 0, comm));
  PetscCheck(ok[0], comm, PETSC_ERR_FILE_OPEN, "%s: cannot be opened for writing", file);
  PetscCheck(ok[1], comm, PETSC_ERR_FILE_WRITE, "%s: cannot be written completely", file);
  PetscCall(MatDestroySubMatrices(1, &whole));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscCall(MatDestroy(&aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}
