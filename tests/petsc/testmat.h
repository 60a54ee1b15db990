/*
   For the programs that compare an operation of MATBDIA with MATAIJ's: every block size, way of storing and set of offsets
   that an operation has to meet, and checks on the result.
*/
#pragma once

#include "largest.h"
#include "pair.h"

#include <algorithm>
#include <utility>

/* A way of storing: options of the matrix (with the prefix of pair.h) and the accuracy to be expected */
struct TestStorage {
  const char *name, *options;
  bool        symmetric;
  PetscReal   tol;
};

/* Those of bdia, and of brow */
static const std::vector<TestStorage> test_storages[] = {{
    {"full", "-pair_mat_bdia_half 0 -pair_mat_bdia_storage double -pair_mat_bdia_max_fill 100", false, 1e-12},
    {"single", "-pair_mat_bdia_half 0 -pair_mat_bdia_storage single -pair_mat_bdia_max_fill 100", false, 1e-5},
    {"half", "-pair_mat_bdia_half 1 -pair_mat_bdia_storage double -pair_mat_bdia_max_fill 100", true, 1e-12},
    {"half single", "-pair_mat_bdia_half 1 -pair_mat_bdia_storage single -pair_mat_bdia_max_fill 100", true, 1e-5},
}, {
    {"tiles chosen", "-pair_mat_brow_bs auto -pair_mat_brow_storage double -pair_mat_brow_mapping auto", false, 1e-12},
    {"tiles of 5", "-pair_mat_brow_bs 5 -pair_mat_brow_storage double -pair_mat_brow_mapping multirow", false, 1e-12},
    {"single, tiles of 3", "-pair_mat_brow_bs 3 -pair_mat_brow_storage single -pair_mat_brow_mapping auto", false, 1e-5},
    {"tiles of 2 alone", "-pair_mat_brow_bs 2 -pair_mat_brow_storage double -pair_mat_brow_mapping warp", false, 1e-12},
    {"tiles of 9 alone", "-pair_mat_brow_bs 9 -pair_mat_brow_storage double -pair_mat_brow_mapping blockrow", false, 1e-12},
}};

/* Those of the kind that is tested */
static inline const std::vector<TestStorage> &TestStorages()
{
  return test_storages[!TestIsBDIA()];
}

struct TestCase {
  PairSpec    spec;
  TestStorage storage;
  MPI_Comm    comm;
};

/* The same random matrix as MATAIJ and MATBDIA; `options` as in TestStorage */
static inline PetscErrorCode TestMatPair(MPI_Comm comm, PetscInt bs, PetscInt nblockrows, const std::vector<PetscInt> &offsets, PetscInt seed, bool symmetric,
                                         const char options[], Mat *aij, Mat *bdia)
{
  PairSpec spec;
  Pair     p;

  PetscFunctionBeginUser;
  spec.bs        = bs;
  spec.nb        = nblockrows;
  spec.off       = offsets;
  spec.seed      = seed;
  spec.symmetric = symmetric;
  spec.options   = options;
  PetscCall(PairCreate(comm, spec, &p));
  *aij  = p.aij;
  *bdia = p.bdia;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random offsets, some longer than a rank's share of nb block rows; with 0 and, if asked for, with their negatives */
static inline std::vector<PetscInt> TestOffsets(PetscInt nb, PetscInt seed, bool symmetric)
{
  std::vector<PetscInt> off(1, 0);

  for (PetscInt k = 0; k < 4; k++) {
    const PetscInt o = (PetscInt)(PairNumber(k, seed, 99) * (k < 2 ? 4 : nb - 1));
    off.push_back(o);
    if (symmetric) off.push_back(-o);
  }
  std::sort(off.begin(), off.end());
  off.erase(std::unique(off.begin(), off.end()), off.end());
  return off;
}

/* Runs f(case) on every block size and way of storing, with two sets of offsets on one rank, another one on each number of ranks */
static inline PetscErrorCode TestEach(MPI_Comm comm, PetscErrorCode (*f)(const TestCase &))
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (const TestStorage &storage : TestStorages()) {
    for (PetscInt bs : {1, 2, 3, 7, 13}) {
      for (PetscInt seed = size; seed <= PetscMax(2, size); seed++) {
        TestCase c;
        if (TestQuick() && (bs == 2 || bs == 7 || seed > size)) continue;
        c.comm                    = comm;
        c.storage                 = storage;
        c.spec.bs                 = bs;
        c.spec.nb                 = 17;
        c.spec.seed               = seed;
        c.spec.symmetric          = storage.symmetric;
        c.spec.options            = storage.options;
        c.spec.off                = TestOffsets(c.spec.nb, 10 * bs + seed, storage.symmetric);
        const PetscErrorCode code = f(c);
        if (code) (void)(*PetscErrorPrintf)("Failed: storage %s, block size %d, seed %d\n", storage.name, (int)bs, (int)seed);
        PetscCall(code);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the main of a program does that runs every f on every case */
static inline PetscErrorCode TestProgram(int argc, char **argv, const char help[], const std::vector<PetscErrorCode (*)(const TestCase &)> &fs, bool device = TestOnDevice())
{
  PetscCall(TestInitialize(&argc, &argv, help, device));
  for (auto f : fs) PetscCall(TestEach(PETSC_COMM_WORLD, f));
  PetscCall(PetscFinalize());
  return PETSC_SUCCESS;
}

static inline PetscErrorCode TestRandomVecs(Mat A, PetscInt seed, Vec *x, Vec *b)
{
  PetscRandom random;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, x, b));
  PetscCall(PetscRandomCreate(PetscObjectComm((PetscObject)A), &random));
  PetscCall(PetscRandomSetInterval(random, 0.5, 2));
  PetscCall(PetscRandomSetSeed(random, (unsigned long)seed));
  PetscCall(PetscRandomSeed(random));
  PetscCall(VecSetRandom(*x, random));
  PetscCall(VecSetRandom(*b, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of the two matrices' entries in row i, the largest entry, and the entries that only one of them has, which count as zero in the other */
static inline PetscErrorCode TestRow(Mat a, Mat b, PetscInt i, PetscReal *difference, PetscReal *largest, PetscReal *single)
{
  std::vector<std::pair<PetscInt, PetscScalar>> row;
  PetscInt                                      n;
  const PetscInt                               *cols;
  const PetscScalar                            *vals;

  PetscFunctionBeginUser;
  for (Mat M : {a, b}) {
    PetscCall(MatGetRow(M, i, &n, &cols, &vals));
    for (PetscInt k = 0; k < n; k++) row.emplace_back(cols[k], M == a ? vals[k] : -vals[k]);
    PetscCall(MatRestoreRow(M, i, &n, &cols, &vals));
  }
  std::sort(row.begin(), row.end());
  for (size_t k = 0; k < row.size(); k++) {
    const bool        two = k + 1 < row.size() && row[k].first == row[k + 1].first;
    const PetscScalar d   = two ? row[k].second + row[k + 1].second : row[k].second;
    *largest              = TestMax(*largest, PetscAbsScalar(row[k].second));
    *difference           = TestMax(*difference, PetscAbsScalar(d));
    *single += !two;
    k += two;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode TestDifference(Vec a, Vec b, PetscReal *difference, PetscReal *largest)
{
  const PetscScalar *x, *y;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(a, &n));
  PetscCall(VecGetArrayRead(a, &x));
  PetscCall(VecGetArrayRead(b, &y));
  for (PetscInt i = 0; i < n; i++) {
    *largest    = TestMax(*largest, PetscAbsScalar(x[i]));
    *difference = TestMax(*difference, PetscAbsScalar(x[i] - y[i]));
  }
  PetscCall(VecRestoreArrayRead(a, &x));
  PetscCall(VecRestoreArrayRead(b, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The entries agree, and so do the products, which read every slot: one that is not an entry must hold zero. With `pattern` both have the
   same entries, zeros included. One reduction for all: ranks that share a core pay dearly for each.
*/
static inline PetscErrorCode TestSame(Mat aij, Mat bdia, PetscReal tol, const char what[], bool pattern = true)
{
  PetscReal most[7] = {0, 0, 0, 0, 0, 0, 0}; /* difference and size of entries, A x, A^T x; entries that only one has, on any rank */
  PetscInt  start, end;
  Vec       x, b, ya, yb, za, zb;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(aij, &start, &end));
  for (PetscInt i = start; i < end; i++) PetscCall(TestRow(aij, bdia, i, &most[0], &most[1], &most[6]));
  PetscCall(TestRandomVecs(bdia, 5, &x, &b));
  for (Vec *v : {&ya, &yb}) PetscCall(VecDuplicate(b, v));
  for (Vec *v : {&za, &zb}) PetscCall(VecDuplicate(x, v));
  PetscCall(MatMult(aij, x, ya));
  PetscCall(MatMult(bdia, x, yb));
  PetscCall(TestDifference(ya, yb, &most[2], &most[3]));
  PetscCall(MatMultTranspose(aij, b, za));
  PetscCall(MatMultTranspose(bdia, b, zb));
  PetscCall(TestDifference(za, zb, &most[4], &most[5]));
  for (Vec *v : {&x, &b, &ya, &yb, &za, &zb}) PetscCall(VecDestroy(v));
  PetscCall(TestMaxOverRanks(PetscObjectComm((PetscObject)aij), 7, most));
  PetscCheck(!pattern || !most[6], PetscObjectComm((PetscObject)aij), PETSC_ERR_PLIB, "%s: a rank has %g entries that only bdia or only aij has", what, (double)most[6]);
  for (int k = 0; k < 6; k += 2) {
    PetscCheck(most[k] <= 10 * tol * most[k + 1], PetscObjectComm((PetscObject)aij), PETSC_ERR_PLIB, "%s: %s of bdia differ from aij's by %g of %g", what,
               k == 0   ? "entries"
               : k == 2 ? "products"
                        : "transposed products",
               (double)most[k], (double)most[k + 1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Raises an error unless the call fails with the given code; the failing call prints nothing */
#define TestFails(code, ...)                                                                                                                                   \
  do {                                                                                                                                                         \
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));                                                                                        \
    const PetscErrorCode ierr_fails_ = __VA_ARGS__;                                                                                                            \
    PetscCall(PetscPopErrorHandler());                                                                                                                         \
    PetscCheck(ierr_fails_ == (code), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s returned %d, expected %d", #__VA_ARGS__, (int)ierr_fails_, (int)(code));            \
  } while (0)

/* Copies of a pair to try an operation on */
static inline PetscErrorCode TestCopy(const Pair &p, Pair *q)
{
  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(p.aij, MAT_COPY_VALUES, &q->aij));
  PetscCall(MatDuplicate(p.bdia, MAT_COPY_VALUES, &q->bdia));
  PetscFunctionReturn(PETSC_SUCCESS);
}
