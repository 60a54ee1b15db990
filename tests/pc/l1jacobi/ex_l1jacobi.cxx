static char help[] = "PCL1JACOBI against dense matrices: block sizes, types, ranks, changed values; a contraction for positive definite matrices; rows of zeros, unknowns of different units, singular blocks, NaN.\n\n";

#include "dense.h"
#include "failure.h"
#include "program.h"
#include "solve.h"
#include "testmat.h"

/* By the definition */
static Dense DenseL1(const Dense &A, PetscInt bs)
{
  Dense M = DenseFilter(A, [&](PetscInt i, PetscInt j) { return j / bs == i / bs; });

  for (PetscInt i = 0; i < A.n; i++) {
    PetscScalar half = 0;
    bool        zero = true;
    for (PetscInt j = 0; j < A.n; j++) {
      half += j / bs == i / bs || A(i, j) == 0 ? 0 : std::abs(A(i, j)) * std::sqrt(std::abs(A(i, i) / A(j, j))) / 2;
      zero = zero && A(i, j) == 0;
    }
    M(i, i) += zero ? 1 : A(i, i) < 0 ? -half : half;
  }
  return DenseInverse(M);
}

static PetscErrorCode CheckL1(PC pc, Mat A, PetscReal tol, const std::string &what)
{
  Dense a, m;

  PetscFunctionBeginUser;
  PetscCall(PCSetUp(pc));
  PetscCall(DenseFromMat(A, &a));
  const Dense expected = DenseL1(a, A->rmap->bs);
  PetscCall(DenseFromPC(pc, A, false, &m));
  PetscCall(CheckDense(expected, m, tol, what));
  PetscCall(DenseFromPC(pc, A, true, &m));
  PetscCall(CheckDense(DenseTranspose(expected), m, tol, what + ", transposed"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewPC(Mat A, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetType(*pc, PCL1JACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both matrices, before and after a change of values, with diagonals of both signs */
static PetscErrorCode Case(const TestCase &c)
{
  Pair p;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(c.comm, c.spec, &p));
  for (Mat A : {p.aij, p.bdia}) {
    const std::string what = ((PetscObject)A)->type_name;
    const PetscReal   tol  = A == p.aij ? PetscMin(c.storage.tol, 1e-12) : c.storage.tol;
    PC                pc;

    PetscCall(PetscOptionsInsertString(nullptr, "-mat_bdia_max_fill 100"));
    PetscCall(NewPC(A, &pc));
    PetscCall(CheckL1(pc, A, tol, what));
    PetscCall(MatScale(A, -3));
    PetscCall(CheckL1(pc, A, tol, what + ", changed values"));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest eigenvalue of B A by powers; by(i, j): entry (i, j) of B */
template <class F> static PetscReal LargestEigenvalue(const Dense &a, F by)
{
  std::vector<PetscReal> x((size_t)a.n), y((size_t)a.n);
  PetscReal              most = 0;

  for (PetscInt i = 0; i < a.n; i++) x[i] = PairNumber(i, 1, 5);
  for (int k = 0; k < 400; k++) {
    for (PetscInt i = 0; i < a.n; i++) {
      y[i] = 0;
      for (PetscInt j = 0; j < a.n; j++) y[i] += a(i, j) * x[j];
    }
    most = 0;
    for (PetscInt i = 0; i < a.n; i++) {
      x[i] = 0;
      for (PetscInt j = 0; j < a.n; j++) x[i] += by(i, j) * y[j];
      most = PetscMax(most, PetscAbsReal(x[i]));
    }
    for (PetscReal &v : x) v /= most;
  }
  return most;
}

/* A symmetric matrix whose rows are far from dominant: a_ij = 1 for the `wide` nearest columns j, plus what makes it positive definite. Its l1-Jacobi is a contraction in the norm of A, where Jacobi damped by 2/3 is none. */
static PetscErrorCode Contraction(MPI_Comm comm, PetscInt bs)
{
  const PetscInt nb = 24, wide = 3;
  PetscInt       start, end;
  PairSpec       s;
  Mat            A;
  PC             pc;
  Dense          a, m;

  PetscFunctionBeginUser;
  s.bs = bs;
  s.nb = nb;
  PetscCall(PairCreateOne(comm, s, MATAIJ, &A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) { /* the sum over k of ones in k ... k + wide, squared: eigenvalues from 0 to (wide + 1)^2 */
    for (PetscInt j = 0; j < nb * bs; j++) {
      const PetscInt apart = PetscAbsInt(i - j);
      if (apart <= wide) PetscCall(MatSetValue(A, i, j, wide + 1 - apart + (i == j ? 1e-3 : 0), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(NewPC(A, &pc));
  PetscCall(CheckL1(pc, A, 1e-12, "wide rows"));
  PetscCall(DenseFromMat(A, &a));
  PetscCall(DenseFromPC(pc, A, false, &m));
  const PetscReal l1     = LargestEigenvalue(a, [&](PetscInt i, PetscInt j) { return m(i, j); });
  const PetscReal jacobi = LargestEigenvalue(a, [&](PetscInt i, PetscInt j) { return i == j ? 2. / 3 / a(i, i) : 0; });
  PetscCheck(l1 < 2 && jacobi > 2, comm, PETSC_ERR_PLIB, "Blocks of %" PetscInt_FMT ": the largest eigenvalue of M^-1 A is %g, with damped Jacobi %g", bs, (double)l1, (double)jacobi);
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random blocks of bs x bs without couplings */
static PetscErrorCode Blocks(MPI_Comm comm, PetscInt bs, Pair *p)
{
  PairSpec s;

  PetscFunctionBeginUser;
  s.bs      = bs;
  s.off     = {0};
  s.options = TestStorages()[0].options;
  PetscCall(PairCreate(comm, s, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same, of which block 5 has the entries a */
static PetscErrorCode WithBlock(MPI_Comm comm, PetscInt bs, const std::vector<PetscScalar> &a, Pair *p)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(Blocks(comm, bs, p));
  PetscCall(MatGetOwnershipRange(p->bdia, &start, &end));
  for (PetscInt e = 0; e < bs * bs && 5 * bs >= start && 5 * bs < end; e++) PetscCall(MatSetValue(p->bdia, 5 * bs + e / bs, 5 * bs + e % bs, a[e], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(p->bdia, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->bdia, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block that has an inverse; rows of zeros are left as they are */
static PetscErrorCode Regular(MPI_Comm comm, PetscInt bs, const std::vector<PetscScalar> &a)
{
  Pair p;
  PC   pc;

  PetscFunctionBeginUser;
  PetscCall(WithBlock(comm, bs, a, &p));
  PetscCall(NewPC(p.bdia, &pc));
  PetscCall(CheckL1(pc, p.bdia, 1e-12, "a regular block"));
  PetscCall(PCDestroy(&pc));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A singular block ends the solve with a reason */
static PetscErrorCode Singular(MPI_Comm comm, const std::vector<PetscScalar> &a)
{
  Pair               p;
  PC                 pc;
  KSP                ksp;
  Vec                x, b;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(WithBlock(comm, 2, a, &p));
  PetscCall(KSPCreate(comm, &ksp));
  PetscCall(KSPSetOperators(ksp, p.bdia, p.bdia));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCL1JACOBI));
  PetscCall(MatCreateVecs(p.bdia, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason == KSP_DIVERGED_PC_FAILED, comm, PETSC_ERR_PLIB, "A singular block with %g on its diagonal ends with %s", (double)a[3], KSPConvergedReasons[reason]);
  PetscCall(Destroy(&ksp, &x, &b));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unknowns of different units: for S A S the inverse is S^-1 M^-1 S^-1. For S of powers of two each of its entries is as precise as that of M^-1. */
static PetscErrorCode Units(MPI_Comm comm, PetscInt bs)
{
  PairSpec s;
  Pair     p;
  PC       pc;
  Vec      unit;
  Dense    a, m;
  PetscInt start, end;
  auto     by = [=](PetscInt i) { return std::ldexp(1., (int)(-30 * (i % 7))); };

  PetscFunctionBeginUser;
  s.bs      = bs;
  s.options = TestStorages()[0].options;
  PetscCall(PairCreate(comm, s, &p));
  PetscCall(DenseFromMat(p.bdia, &a));
  PetscCall(MatCreateVecs(p.bdia, &unit, nullptr));
  PetscCall(VecGetOwnershipRange(unit, &start, &end));
  for (PetscInt i = start; i < end; i++) PetscCall(VecSetValue(unit, i, by(i), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(unit));
  PetscCall(VecAssemblyEnd(unit));
  PetscCall(MatDiagonalScale(p.bdia, unit, unit));
  PetscCall(NewPC(p.bdia, &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(DenseFromPC(pc, p.bdia, false, &m));
  for (PetscInt i = 0; i < m.n; i++) {
    for (PetscInt j = 0; j < m.n; j++) m(i, j) *= by(i) * by(j);
  }
  PetscCall(CheckDense(DenseL1(a, bs), m, 1e-12, "unknowns of different units"));
  PetscCall(Destroy(&pc, &unit));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry that is not finite, on the diagonal or off it, is an error that names its row */
static PetscErrorCode NotFinite(MPI_Comm comm, PetscInt bs, PetscInt blocks, PetscScalar value)
{
  PairSpec s;
  Mat      A;
  PC       pc;
  PetscInt start, end;

  PetscFunctionBeginUser;
  s.bs = bs;
  PetscCall(PairCreateOne(comm, s, MATAIJ, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(PairFill(A, s, 1));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  if (start <= 7 && end > 7) PetscCall(MatSetValue(A, 7, 7 + blocks * bs, value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(NewPC(A, &pc));
  PetscCall(ExpectError(PETSC_ERR_FP, "PC l1jacobi: row 7 of the matrix has an entry that is Inf or NaN", [&] { return PCSetUp(pc); }));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(TestEach(PETSC_COMM_WORLD, Case));
  for (PetscInt bs : {1, 2, 3}) PetscCall(Contraction(PETSC_COMM_WORLD, bs));
  PetscCall(Regular(PETSC_COMM_WORLD, 1, {0}));
  PetscCall(Regular(PETSC_COMM_WORLD, 2, {0, 0, 0, 0}));
  PetscCall(Regular(PETSC_COMM_WORLD, 2, {1, 0, 0, 1e-16}));
  PetscCall(Regular(PETSC_COMM_WORLD, 2, {1e-40, 1, 1, 0})); /* rounding on the diagonal */
  PetscCall(Regular(PETSC_COMM_WORLD, 3, {1, 0, 1, 0, 1, 0, 1, 0, 1e-40}));
  for (PetscScalar d : {1., 1e-8}) PetscCall(Singular(PETSC_COMM_WORLD, {1, d, d, d * d}));
  for (PetscInt bs : {1, 2, 3, 5}) PetscCall(Units(PETSC_COMM_WORLD, bs));
  for (PetscScalar value : {NAN, INFINITY}) {
    for (PetscInt bs : {1, 2}) {
      for (PetscInt blocks : {0, 5}) PetscCall(NotFinite(PETSC_COMM_WORLD, bs, blocks, value));
    }
  }
  PetscCall(PetscFinalize());
  return 0;
}
