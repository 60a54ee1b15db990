/* Matrices given by their entries, in any type, and factors by options: what the tests of the triangular solver share */
#pragma once

#include "failure.h"
#include "pair.h"
#include "program.h"

#include <cmath>
#include <set>

/* The entries of a sequential matrix; of point blocks all are there */
struct Entries {
  PetscInt                 n = 0, bs = 1;
  bool                     symmetric = false;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;

  void Add(PetscInt row, PetscInt col, PetscScalar a)
  {
    i.push_back(row);
    j.push_back(col);
    v.push_back(a);
  }
};

/* Blocks anywhere, `each` beside the diagonal in a row, and as many more that mirror them in a symmetric matrix; diagonally dominant. The seed changes the values only. */
static inline Entries Scattered(PetscInt nb, PetscInt bs, PetscInt each, bool symmetric, PetscInt seed)
{
  Entries                                 e;
  std::set<std::pair<PetscInt, PetscInt>> places;

  e.n         = nb * bs;
  e.bs        = bs;
  e.symmetric = symmetric;
  for (PetscInt m = 0; m < nb; m++) {
    places.insert({m, m});
    for (PetscInt k = 0; k < each; k++) {
      const PetscInt c = PetscMin(nb - 1, (PetscInt)((PairNumber(m, k, 4711) + 1) / 2 * nb));
      places.insert({m, c});
      if (symmetric) places.insert({c, m});
    }
  }
  for (const auto &p : places) {
    for (PetscInt r = p.first * bs; r < (p.first + 1) * bs; r++) {
      for (PetscInt s = p.second * bs; s < (p.second + 1) * bs; s++) e.Add(r, s, PairNumber(symmetric ? PetscMin(r, s) : r, symmetric ? PetscMax(r, s) : s, seed) + (r == s ? (2 * each + 1) * bs : 0));
    }
  }
  return e;
}

/* What flows through a face: the harmonic mean of conductivities 1 and 1000, which lie in boxes of three cells */
static inline PetscReal Face(const PetscInt a[3], const PetscInt b[3], PetscInt seed)
{
  PetscReal k[2];

  for (int side = 0; side < 2; side++) {
    const PetscInt *c = side ? b : a;
    k[side]           = ((c[0] / 3 + c[1] / 3 + c[2] / 3) % 2 ? 1000 : 1) * (1 + 0.2 * PairNumber(c[0] + 100 * c[1], c[2], seed));
  }
  return 2 * k[0] * k[1] / (k[0] + k[1]);
}

/* Five points on a grid of J x H cells, seven on J x H x I, with jumps; `wind` takes from the couplings to the right and up */
static inline Entries Jumps(const std::vector<PetscInt> &size, PetscInt bs, PetscReal wind, PetscInt seed)
{
  const PetscInt J = size[0], H = size[1], I = size.size() > 2 ? size[2] : 1;
  Entries        e;

  e.n         = J * H * I * bs;
  e.bs        = bs;
  e.symmetric = wind == 0;
  for (PetscInt m = 0; m < J * H * I; m++) {
    const PetscInt cell[3] = {m % J, m / J % H, m / J / H}, count[3] = {J, H, I}, step[3] = {1, J, J * H};
    PetscReal      sum = 1e-2;
    for (PetscInt d = 0; d < 6; d++) {
      const PetscInt by       = d % 2 ? 1 : -1;
      PetscInt       other[3] = {cell[0], cell[1], cell[2]};
      other[d / 2] += by;
      if (other[d / 2] < 0 || other[d / 2] >= count[d / 2]) continue;
      const PetscReal a = Face(cell, other, seed);
      sum += a;
      for (PetscInt r = 0; r < bs * bs; r++) e.Add(m * bs + r / bs, (m + by * step[d / 2]) * bs + r % bs, -a * (by > 0 ? 1 - wind : 1) * (r / bs == r % bs ? 1 : 0.1 / bs));
    }
    for (PetscInt r = 0; r < bs * bs; r++) e.Add(m * bs + r / bs, m * bs + r % bs, sum * (r / bs == r % bs ? 1.2 : 0.05 / bs));
  }
  return e;
}

/* The same with another value in one place */
static inline Entries With(Entries e, PetscInt row, PetscInt col, PetscScalar a)
{
  for (size_t k = 0; k < e.v.size(); k++) {
    if (e.i[k] == row && e.j[k] == col) e.v[k] = a;
  }
  return e;
}

/* The same without the diagonal block of block row m */
static inline Entries Without(const Entries &e, PetscInt m)
{
  Entries f;

  f.n         = e.n;
  f.bs        = e.bs;
  f.symmetric = e.symmetric;
  for (size_t k = 0; k < e.v.size(); k++) {
    if (e.i[k] / e.bs != m || e.j[k] / e.bs != m) f.Add(e.i[k], e.j[k], e.v[k]);
  }
  return f;
}

/* Sets the values of the entries that are this process's */
static inline PetscErrorCode Fill(Mat A, const Entries &e)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (size_t k = 0; k < e.v.size(); k++) {
    if (e.i[k] >= start && e.i[k] < end) PetscCall(MatSetValue(A, e.i[k], e.j[k], e.v[k], INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode Make(MPI_Comm comm, MatType type, const Entries &e, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(SetOptions(""));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetBlockSize(*A, e.bs));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, e.n, e.n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(Fill(*A, e));
  if (e.symmetric) {
    PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
    PetscCall(MatSetOption(*A, MAT_SPD_ETERNAL, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random numbers, the same in vectors of any type */
static inline PetscErrorCode FillVec(Vec x, PetscInt seed)
{
  PetscInt     start, end;
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  PetscCall(VecGetArrayWrite(x, &a));
  for (PetscInt i = start; i < end; i++) a[i - start] = PairNumber(i, 17, seed);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors of A, b of random numbers */
static inline PetscErrorCode NewVecs(Mat A, Vec *x, Vec *b, PetscInt seed = 1)
{
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, x, b));
  PetscCall(FillVec(*b, seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode NewKSP(Mat A, const std::string &options, KSP *ksp)
{
  PetscFunctionBegin;
  PetscCall(SetOptions(options));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode NewPC(Mat A, const std::string &options, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(SetOptions(options));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscCall(PCSetUp(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner with a factor, F, which belongs to it */
static inline PetscErrorCode NewFactor(Mat A, const std::string &options, PC *pc, Mat *F)
{
  PetscFunctionBegin;
  PetscCall(NewPC(A, options, pc));
  PetscCall(PCFactorGetMatrix(*pc, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Setting up a preconditioner of the matrix fails, with the words */
static inline PetscErrorCode ExpectRefused(MPI_Comm comm, MatType type, const Entries &e, const std::string &options, PetscErrorCode code, const std::string &words)
{
  Mat A;
  PC  pc = nullptr;

  PetscFunctionBegin;
  PetscCall(Make(comm, type, e, &A));
  PetscCall(ExpectError(code, words, [&] { return NewPC(A, options, &pc); }));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix, its preconditioner, a random right-hand side and room for the answer */
struct System {
  Mat A;
  PC  pc;
  Vec x, b;
};

static inline PetscErrorCode SystemCreate(MPI_Comm comm, MatType type, const Entries &e, const std::string &options, System *s)
{
  PetscFunctionBegin;
  PetscCall(Make(comm, type, e, &s->A));
  PetscCall(NewPC(s->A, options, &s->pc));
  PetscCall(NewVecs(s->A, &s->x, &s->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode SystemDestroy(System *s)
{
  PetscFunctionBegin;
  PetscCall(Destroy(&s->x, &s->b, &s->pc, &s->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dense matrix with random numbers: a part of a higher one, so that its leading dimension is larger than its rows. Columns k of all types are equal. */
struct Columns {
  Mat whole = nullptr, part = nullptr;
};

static inline PetscErrorCode ColumnsCreate(PetscInt n, PetscInt count, PetscInt more, Columns *c)
{
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &c->whole));
  PetscCall(MatSetSizes(c->whole, n + more, count, n + more, count));
  PetscCall(MatSetType(c->whole, TestDense()));
  PetscCall(MatSetUp(c->whole));
  PetscCall(MatDenseGetArrayWrite(c->whole, &a));
  for (PetscInt k = 0; k < (n + more) * count; k++) a[k] = PairNumber(k % (n + more), k / (n + more), 5);
  PetscCall(MatDenseRestoreArrayWrite(c->whole, &a));
  PetscCall(MatAssemblyBegin(c->whole, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(c->whole, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDenseGetSubMatrix(c->whole, 0, n, 0, count, &c->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing was written below the part */
static inline PetscErrorCode ColumnsDestroy(Columns *c)
{
  PetscInt           n, ld, count;
  const PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(MatGetSize(c->part, &n, &count));
  PetscCall(MatDenseRestoreSubMatrix(c->whole, &c->part));
  PetscCall(MatDenseGetLDA(c->whole, &ld));
  PetscCall(MatDenseGetArrayRead(c->whole, &a));
  for (PetscInt k = 0; k < count; k++) {
    for (PetscInt i = n; i < ld; i++) PetscCheck(a[k * ld + i] == PairNumber(i, k, 5), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Column %d was written beyond its %d rows", (int)k, (int)n);
  }
  PetscCall(MatDenseRestoreArrayRead(c->whole, &a));
  PetscCall(MatDestroy(&c->whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of X's columns are what one(b, x) makes of B's: another solver than the one that made X */
template <class F> PetscErrorCode CheckColumns(const Columns &B, const Columns &X, Vec like, F one, const char what[])
{
  Vec      b, x, y;
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B.part, nullptr, &count));
  PetscCall(VecDuplicate(like, &y));
  for (PetscInt k = 0; k < count; k++) {
    PetscCall(MatDenseGetColumnVecRead(B.part, k, &b));
    PetscCall(one(b, y));
    PetscCall(MatDenseRestoreColumnVecRead(B.part, k, &b));
    PetscCall(MatDenseGetColumnVecRead(X.part, k, &x));
    PetscCall(CheckVec(y, x, 1e-12, what));
    PetscCall(MatDenseRestoreColumnVecRead(X.part, k, &x));
  }
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
