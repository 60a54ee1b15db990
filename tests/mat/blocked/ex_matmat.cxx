static char help[] =
  "Products of MATBDIA matrices with dense ones, C = A B and C = A^T B, compared with MATAIJ: from one to a hundred columns.\n\n";

#include "core.h"

/* How a pair of matrices gets the values of another seed */
typedef std::function<PetscErrorCode(Mat, PetscInt)> Refill;

static MatType DenseType(void)
{
  return TestOnDevice() ? MATDENSECUDA : MATDENSE;
}

static PetscErrorCode FillDense(Mat D, PetscInt seed)
{
  PetscInt     m, start, N, lda;
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(D, &m, nullptr));
  PetscCall(MatGetOwnershipRange(D, &start, nullptr));
  PetscCall(MatGetSize(D, nullptr, &N));
  PetscCall(MatDenseGetLDA(D, &lda));
  PetscCall(MatDenseGetArrayWrite(D, &a));
  for (PetscInt j = 0; j < N; j++) {
    for (PetscInt i = 0; i < m; i++) a[i + (size_t)j * lda] = PairNumber(start + i, j, seed);
  }
  PetscCall(MatDenseRestoreArrayWrite(D, &a));
  PetscCall(Assemble(D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m local rows, its leading dimension `more` larger */
static PetscErrorCode Dense(MPI_Comm comm, MatType type, PetscInt m, PetscInt columns, PetscInt more, Mat *D)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, D));
  PetscCall(MatSetSizes(*D, m, PETSC_DECIDE, PETSC_DETERMINE, columns));
  PetscCall(MatSetType(*D, type));
  if (more) PetscCall(MatDenseSetLDA(*D, m + more));
  PetscCall(MatSetUp(*D));
  PetscCall(FillDense(*D, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckDense(Mat a, Mat b, PetscReal tol, const std::string &what)
{
  PetscInt           m, N, lda[2], n;
  const PetscScalar *x[2];
  PetscReal          most[2] = {0, 0}; /* difference and size */

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(a, &m, nullptr));
  PetscCall(MatGetSize(a, nullptr, &N));
  PetscCall(MatGetLocalSize(b, &n, nullptr));
  PetscCheck(m == n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %d local rows instead of %d", what.c_str(), (int)n, (int)m);
  PetscCall(MatDenseGetLDA(a, &lda[0]));
  PetscCall(MatDenseGetLDA(b, &lda[1]));
  PetscCall(MatDenseGetArrayRead(a, &x[0]));
  PetscCall(MatDenseGetArrayRead(b, &x[1]));
  for (PetscInt j = 0; j < N; j++) {
    for (PetscInt i = 0; i < m; i++) {
      const PetscScalar u = x[0][i + (size_t)j * lda[0]], v = x[1][i + (size_t)j * lda[1]];
      most[0] = TestMax(most[0], PetscAbsScalar(u - v));
      most[1] = TestMax(most[1], PetscAbsScalar(u));
    }
  }
  PetscCall(MatDenseRestoreArrayRead(a, &x[0]));
  PetscCall(MatDenseRestoreArrayRead(b, &x[1]));
  PetscCall(TestMaxOverRanks(PetscObjectComm((PetscObject)a), 2, most));
  PetscCheck(most[0] <= tol * most[1], PetscObjectComm((PetscObject)a), PETSC_ERR_PLIB, "%s: differs from aij's by %g of %g",
             what.c_str(), (double)most[0], (double)most[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Multiply(bool transpose, Mat A, Mat B, MatReuse reuse, Mat *C)
{
  PetscFunctionBeginUser;
  PetscCall(transpose ? MatTransposeMatMult(A, B, reuse, PETSC_DEFAULT, C) : MatMatMult(A, B, reuse, PETSC_DEFAULT, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One product: made, repeated with new values of both factors, and into a matrix of the caller's */
static PetscErrorCode CheckProduct(bool transpose, Mat aij, Mat ours, const Refill &refill, PetscInt columns, PetscReal tol,
                                   const std::string &name)
{
  const MPI_Comm    comm = PetscObjectComm((PetscObject)aij);
  const std::string what = name + (transpose ? ", A^T B of " : ", A B of ") + std::to_string(columns) + " columns";
  Mat               B[2], C[2], given;
  PetscInt          rows, cols;
  PetscBool         type;
  MatType           wanted;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(aij, &rows, &cols));
  PetscCall(Dense(comm, MATDENSE, transpose ? rows : cols, columns, 0, &B[0]));
  PetscCall(Dense(comm, DenseType(), transpose ? rows : cols, columns, columns % 3, &B[1]));
  PetscCall(Multiply(transpose, aij, B[0], MAT_INITIAL_MATRIX, &C[0]));
  PetscCall(Multiply(transpose, ours, B[1], MAT_INITIAL_MATRIX, &C[1]));
  PetscCall(CheckDense(C[0], C[1], tol, what));
  PetscCall(MatGetType(B[1], &wanted));
  PetscCall(PetscObjectTypeCompare((PetscObject)C[1], wanted, &type));
  PetscCheck(type, comm, PETSC_ERR_PLIB, "%s: the result is not %s", what.c_str(), wanted);
  for (Mat A : {aij, ours}) PetscCall(refill(A, 77));
  for (Mat D : B) PetscCall(FillDense(D, 2));
  PetscCall(Multiply(transpose, aij, B[0], MAT_REUSE_MATRIX, &C[0]));
  PetscCall(Multiply(transpose, ours, B[1], MAT_REUSE_MATRIX, &C[1]));
  PetscCall(CheckDense(C[0], C[1], tol, what + ", new values"));
  /* on the host although B lives on the device, at times; PETSc's loop over columns of A^T B wants both alike */
  PetscCall(Dense(comm, columns % 2 && !transpose ? MATDENSE : DenseType(), transpose ? cols : rows, columns, 5, &given));
  PetscCall(Multiply(transpose, ours, B[1], MAT_REUSE_MATRIX, &given));
  PetscCall(CheckDense(C[0], given, tol, what + ", into a given matrix"));
  for (Mat A : {aij, ours}) PetscCall(refill(A, 1));
  for (Mat m : {B[0], B[1], C[0], C[1], given}) PetscCall(MatDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Products(const TestCase &c)
{
  Pair p;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(c.comm, c.spec, &p));
  const Refill refill = [&](Mat A, PetscInt seed) { return PairFill(A, c.spec, seed); };
  PetscMPIInt  size;
  PetscCallMPI(MPI_Comm_size(c.comm, &size));
  for (PetscInt columns : {1, 5, 50, 100}) {
    /* PETSc's loop over the columns of A^T B exchanges values for each: few of them on ranks that share a core */
    const bool many = columns > 5;
    if (many && c.spec.bs != 1 && c.spec.bs != 7) continue;
    for (bool transpose : {false, true}) {
      if (transpose && (many || size > 3) && (size > 1 || columns == 100) && c.spec.bs != 3) continue;
      PetscCall(CheckProduct(transpose, p.aij, p.bdia, refill, columns, c.storage.tol,
                             std::string(c.storage.name) + ", bs " + std::to_string(c.spec.bs)));
    }
  }
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rectangular(MPI_Comm comm, PetscInt bs, PetscInt nbr, PetscInt nbc)
{
  Shape s;
  Mat   A[2];

  PetscFunctionBeginUser;
  s.bs                            = bs;
  s.nbr                           = nbr;
  s.nbc                           = nbc;
  s.rows                          = Share::RAMP;
  s.cols                          = Share::THIN;
  const std::vector<Block> blocks = MakeBlocks(s, {-3, 0, 1, 6}, 5);
  const Refill             refill = [&](Mat M, PetscInt seed) { return FillBlocks(M, s, blocks, seed); };
  for (int k = 0; k < 2; k++) {
    PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, "any_", &A[k]));
    PetscCall(refill(A[k], 1));
  }
  for (PetscInt columns : {1, 5, 33}) {
    for (bool transpose : {false, true}) PetscCall(CheckProduct(transpose, A[0], A[1], refill, columns, 1e-12, ShapeName(s)));
  }
  for (Mat &m : A) PetscCall(MatDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another matrix in the product's place; the flops of n products */
static PetscErrorCode Use(Mat aij, Mat ours, Mat other)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)aij);
  Mat            B, C, D, plain;
  Vec            x, y;
  PetscInt       m;
  PetscLogDouble before, one, all;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(aij, &m, nullptr));
  PetscCall(Dense(comm, DenseType(), m, 7, 2, &B));
  PetscCall(Dense(comm, MATDENSE, m, 7, 0, &plain));
  PetscCall(MatMatMult(other, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(MatProductReplaceMats(ours, nullptr, nullptr, C));
  PetscCall(MatProductNumeric(C));
  PetscCall(MatMatMult(aij, plain, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
  PetscCall(CheckDense(D, C, 1e-12, "MatProductReplaceMats()"));
  PetscCall(MatCreateVecs(ours, &x, &y));
  PetscCall(PetscGetFlops(&before));
  PetscCall(MatMult(ours, x, y));
  PetscCall(PetscGetFlops(&one));
  PetscCall(MatProductNumeric(C));
  PetscCall(PetscGetFlops(&all));
  PetscCheck(all - one == 7 * (one - before), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%g flops logged for 7 columns, %g for one",
             all - one, one - before);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  for (Mat *M : {&B, &C, &D, &plain}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dense factor whose rows are shared out otherwise than the matrix's columns */
static PetscErrorCode Misfit(Mat A)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);
  Mat            wrong, C;
  PetscInt       n;
  PetscMPIInt    size, rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(A, nullptr, &n));
  PetscCall(Dense(comm, DenseType(), n + (rank == 0) - (rank == size - 1), 7, 0, &wrong));
  PetscCall(MatProductCreate(A, wrong, nullptr, &C));
  PetscCall(MatProductSetType(C, MATPRODUCT_AB));
  PetscCall(MatProductSetFromOptions(C));
  TestFails(PETSC_ERR_ARG_SIZ, MatProductSymbolic(C));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&wrong));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Uses(MPI_Comm comm)
{
  PairSpec s;
  Pair     p, q;

  PetscFunctionBeginUser;
  s.options = TestStorages()[0].options;
  PetscCall(PairCreate(comm, s, &p));
  s.seed = 99;
  PetscCall(PairCreate(comm, s, &q));
  PetscCall(Use(q.aij, q.bdia, p.bdia));
  PetscCall(Misfit(p.bdia));
  PetscCall(PairDestroy(&p));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"any_"}));
  PetscCall(TestEach(PETSC_COMM_WORLD, Products));
  for (PetscInt bs : {1, 3, 4}) {
    PetscCall(Rectangular(PETSC_COMM_WORLD, bs, 11, 19));
    PetscCall(Rectangular(PETSC_COMM_WORLD, bs, 19, 11));
  }
  PetscCall(Uses(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}
