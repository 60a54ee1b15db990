static char help[] = "Operations that MATBDIA leaves to its aij copy, one by one against MATAIJ.\n\n";

#include "pair.h"

#include <cstring>

#define Agree(A, condition, ...) PetscCheck(condition, PetscObjectComm((PetscObject)(A)), PETSC_ERR_PLIB, __VA_ARGS__)

/* Every flag that aij takes on this number of ranks; a nonzero start shows whether it is used */
static PetscErrorCode SOR(const Pair &p)
{
  Vec         b, x[2];
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreateVecs(p.aij, &x[0], &b));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(VecSetRandom(b, nullptr));
  std::vector<int> sweeps = {SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP, SOR_LOCAL_SYMMETRIC_SWEEP};
  if (size == 1)
    sweeps.insert(sweeps.end(), {SOR_FORWARD_SWEEP, SOR_BACKWARD_SWEEP, SOR_SYMMETRIC_SWEEP, SOR_APPLY_UPPER, SOR_APPLY_LOWER});
  sweeps.push_back(SOR_EISENSTAT);
  for (int sweep : sweeps) {
    for (int guess : {0, (int)SOR_ZERO_INITIAL_GUESS}) {
      for (PetscReal omega : {1.0, 1.3}) {
        for (PetscReal shift : {0.0, 0.4}) {
          if ((sweep == SOR_EISENSTAT || sweep == SOR_APPLY_UPPER || sweep == SOR_APPLY_LOWER) && (!guess || shift > 0)) continue;
          for (int k = 0; k < 2; k++) {
            PetscCall(VecSet(x[k], 0.3));
            PetscCall(MatSOR(k ? p.bdia : p.aij, b, omega, (MatSORType)(sweep | guess), shift, 2, 2, x[k]));
          }
          PetscCall(CheckVec(x[0], x[1], 1e-13, (std::string("MatSOR, flag ") + std::to_string(sweep | guess)).c_str()));
        }
      }
    }
  }
  PetscCall(VecDestroy(&b));
  for (Vec &v : x) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckIS(IS a, IS b, const char what[])
{
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(ISEqualUnsorted(a, b, &same));
  Agree(a, same, "%s: index sets differ", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Overlap, then the matrices that belong to it, then the same after new values */
static PetscErrorCode Overlap(const Pair &p, const PairSpec &s)
{
  IS       is[2];
  Mat     *sub[2], one[2];
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(p.aij, &start, &end));
  for (int k = 0; k < 2; k++) {
    PetscCall(ISCreateStride(PETSC_COMM_SELF, end - start, start, 1, &is[k]));
    PetscCall(MatIncreaseOverlap(k ? p.bdia : p.aij, 1, &is[k], 2));
    PetscCall(ISSort(is[k]));
  }
  PetscCall(CheckIS(is[0], is[1], "MatIncreaseOverlap"));
  for (int k = 0; k < 2; k++) PetscCall(MatCreateSubMatrices(k ? p.bdia : p.aij, 1, &is[0], &is[0], MAT_INITIAL_MATRIX, &sub[k]));
  PetscCall(CheckMat(sub[0][0], sub[1][0], 0, "MatCreateSubMatrices"));
  for (Mat A : {p.aij, p.bdia}) PetscCall(PairFill(A, s, s.seed + 1));
  for (int k = 0; k < 2; k++) PetscCall(MatCreateSubMatrices(k ? p.bdia : p.aij, 1, &is[0], &is[0], MAT_REUSE_MATRIX, &sub[k]));
  PetscCall(CheckMat(sub[0][0], sub[1][0], 0, "MatCreateSubMatrices, reused"));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDestroySubMatrices(1, &sub[k]));
    PetscCall(ISDestroy(&is[k]));
  }
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end - start + 1) / 2, start, 2, &is[0]));
  for (int k = 0; k < 2; k++) PetscCall(MatCreateSubMatrix(k ? p.bdia : p.aij, is[0], is[0], MAT_INITIAL_MATRIX, &one[k]));
  PetscCall(CheckMat(one[0], one[1], 0, "MatCreateSubMatrix"));
  for (Mat A : {p.aij, p.bdia}) PetscCall(PairFill(A, s, s.seed));
  for (int k = 0; k < 2; k++) PetscCall(MatCreateSubMatrix(k ? p.bdia : p.aij, is[0], is[0], MAT_REUSE_MATRIX, &one[k]));
  PetscCall(CheckMat(one[0], one[1], 0, "MatCreateSubMatrix, reused"));
  PetscCall(ISDestroy(&is[0]));
  for (Mat &m : one) PetscCall(MatDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows backwards on each rank */
static PetscErrorCode Permute(const Pair &p)
{
  IS       is;
  Mat      B[2];
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(p.aij, &start, &end));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - start, end - 1, -1, &is));
  PetscCall(ISSetPermutation(is));
  for (int k = 0; k < 2; k++) PetscCall(MatPermute(k ? p.bdia : p.aij, is, is, &B[k]));
  PetscCall(CheckMat(B[0], B[1], 0, "MatPermute"));
  for (Mat &m : B) PetscCall(MatDestroy(&m));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Orderings(const Pair &p)
{
  IS row[2], col[2];

  PetscFunctionBeginUser;
  for (const char *type :
       {MATORDERINGNATURAL, MATORDERINGND, MATORDERING1WD, MATORDERINGRCM, MATORDERINGQMD, MATORDERINGROWLENGTH}) {
    PetscMPIInt size;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (size > 1) break; /* aij orders its diagonal block, which may be empty */
    for (int k = 0; k < 2; k++) PetscCall(MatGetOrdering(k ? p.bdia : p.aij, type, &row[k], &col[k]));
    PetscBool same;
    PetscCall(ISEqual(row[0], row[1], &same));
    Agree(p.aij, same, "MatGetOrdering %s: rows differ", type);
    PetscCall(ISEqual(col[0], col[1], &same));
    Agree(p.aij, same, "MatGetOrdering %s: columns differ", type);
    for (int k = 0; k < 2; k++) {
      PetscCall(ISDestroy(&row[k]));
      PetscCall(ISDestroy(&col[k]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row and, on one rank, column structure, from 0 and from 1, plain and symmetrized */
static PetscErrorCode Structure(const Pair &p)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int columns = 0; columns < (size == 1 ? 2 : 1); columns++) {
    for (PetscInt shift : {0, 1}) {
      for (PetscBool symmetric : {PETSC_FALSE, PETSC_TRUE}) {
        const PetscInt *ia[2], *ja[2];
        PetscInt        n[2];
        PetscBool       done;
        if (symmetric && (size > 1 || columns)) continue;
        for (int k = 0; k < 2; k++) {
          if (columns) PetscCall(MatGetColumnIJ(k ? p.bdia : p.aij, shift, symmetric, PETSC_TRUE, &n[k], &ia[k], &ja[k], &done));
          else PetscCall(MatGetRowIJ(k ? p.bdia : p.aij, shift, symmetric, PETSC_TRUE, &n[k], &ia[k], &ja[k], &done));
          Agree(p.aij, done, "MatGetRowIJ: not done");
        }
        Agree(p.aij,
              n[0] == n[1] && std::equal(ia[0], ia[0] + n[0] + 1, ia[1]) &&
                std::equal(ja[0], ja[0] + ia[0][n[0]] - ia[0][0], ja[1]),
              "MatGetRowIJ differs");
        for (int k = 0; k < 2; k++) {
          if (columns)
            PetscCall(MatRestoreColumnIJ(k ? p.bdia : p.aij, shift, symmetric, PETSC_TRUE, &n[k], &ia[k], &ja[k], &done));
          else PetscCall(MatRestoreRowIJ(k ? p.bdia : p.aij, shift, symmetric, PETSC_TRUE, &n[k], &ia[k], &ja[k], &done));
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowFunctions(const Pair &p)
{
  PetscErrorCode (*functions[])(Mat, Vec, PetscInt[]) = {MatGetRowMax, MatGetRowMin, MatGetRowMaxAbs, MatGetRowMinAbs};
  Vec      v[2];
  PetscInt m, N;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(p.aij, &m, nullptr));
  PetscCall(MatGetSize(p.aij, nullptr, &N));
  for (Vec &x : v) PetscCall(MatCreateVecs(p.aij, nullptr, &x));
  for (auto f : functions) {
    std::vector<PetscInt> index[2] = {std::vector<PetscInt>(m), std::vector<PetscInt>(m)};
    for (int k = 0; k < 2; k++) PetscCall((*f)(k ? p.bdia : p.aij, v[k], index[k].data()));
    PetscCall(CheckVec(v[0], v[1], 0, "MatGetRowMax and its kind"));
    Agree(p.aij, index[0] == index[1], "MatGetRowMax and its kind: columns differ");
  }
  for (int k = 0; k < 2; k++) PetscCall(MatGetRowSumAbs(k ? p.bdia : p.aij, v[k]));
  PetscCall(CheckVec(v[0], v[1], 1e-15, "MatGetRowSumAbs"));
  for (int k = 0; k < 2; k++) PetscCall(MatGetRowSum(k ? p.bdia : p.aij, v[k]));
  PetscCall(CheckVec(v[0], v[1], 1e-13, "MatGetRowSum"));
  for (PetscInt j : {(PetscInt)0, N / 2, N - 1}) {
    for (int k = 0; k < 2; k++) PetscCall(MatGetColumnVector(k ? p.bdia : p.aij, v[k], j));
    PetscCall(CheckVec(v[0], v[1], 0, "MatGetColumnVector"));
  }
  for (NormType type : {NORM_1, NORM_2, NORM_INFINITY}) {
    std::vector<PetscReal> norms[2] = {std::vector<PetscReal>(N), std::vector<PetscReal>(N)};
    for (int k = 0; k < 2; k++) PetscCall(MatGetColumnNorms(k ? p.bdia : p.aij, type, norms[k].data()));
    Agree(p.aij, norms[0] == norms[1], "MatGetColumnNorms differs");
  }
  for (Vec &x : v) PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symmetry(const Pair &p, const PairSpec &s)
{
  PetscBool flag[4];
  Mat       A;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(p.bdia, MAT_COPY_VALUES, &A));
  PetscCall(MatIsSymmetric(A, 1e-14, &flag[0]));
  PetscCall(MatIsHermitian(A, 1e-14, &flag[1]));
  PetscCall(MatIsTranspose(A, p.bdia, 1e-14, &flag[2]));
  for (PetscBool f : {flag[0], flag[1], flag[2]})
    Agree(A, f == (PetscBool)s.symmetric, "MatIsSymmetric and its kind: %d for a matrix with symmetry %d", f, s.symmetric);
  PetscCall(MatIsStructurallySymmetric(A, &flag[3]));
  Agree(A, flag[3] == (PetscBool)s.symmetric, "MatIsStructurallySymmetric: %d for a matrix with symmetry %d", flag[3],
        s.symmetric);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph that GAMG coarsens, and which rows are not zero */
static PetscErrorCode Graph(const Pair &p)
{
  Mat G[2];
  IS  rows[2];

  PetscFunctionBeginUser;
  for (PetscBool symmetrize : {PETSC_FALSE, PETSC_TRUE}) {
    for (int k = 0; k < 2; k++) PetscCall(MatCreateGraph(k ? p.bdia : p.aij, symmetrize, PETSC_TRUE, 0.01, 0, nullptr, &G[k]));
    PetscCall(CheckMat(G[0], G[1], 1e-14, "MatCreateGraph"));
    for (Mat &m : G) PetscCall(MatDestroy(&m));
  }
  for (int k = 0; k < 2; k++) PetscCall(MatFindNonzeroRows(k ? p.bdia : p.aij, &rows[k]));
  Agree(p.aij, !rows[0] == !rows[1], "MatFindNonzeroRows differs");
  for (IS &is : rows) PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts for communicators of fewer ranks, and a parallel matrix from sequential ones */
static PetscErrorCode Communicators(const Pair &p, const PairSpec &s)
{
  MPI_Comm        sub;
  PetscMPIInt     rank;
  Mat             B[2];
  Pair            own;
  const PetscInt *ghosts[2];
  PetscInt        n[2];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank / 2, rank, &sub));
  for (int k = 0; k < 2; k++) PetscCall(MatGetMultiProcBlock(k ? p.bdia : p.aij, sub, MAT_INITIAL_MATRIX, &B[k]));
  PetscCall(CheckMat(B[0], B[1], 0, "MatGetMultiProcBlock"));
  for (int k = 0; k < 2; k++) PetscCall(MatGetMultiProcBlock(k ? p.bdia : p.aij, sub, MAT_REUSE_MATRIX, &B[k]));
  PetscCall(CheckMat(B[0], B[1], 0, "MatGetMultiProcBlock, reused"));
  for (Mat &m : B) PetscCall(MatDestroy(&m));
  PetscCall(PairCreate(PETSC_COMM_SELF, s, &own));
  for (int k = 0; k < 2; k++)
    PetscCall(MatCreateMPIMatConcatenateSeqMat(PETSC_COMM_WORLD, k ? own.bdia : own.aij, rank ? 0 : s.nb * s.bs,
                                               MAT_INITIAL_MATRIX, &B[k]));
  PetscCall(CheckMat(B[0], B[1], 0, "MatCreateMPIMatConcatenateSeqMat"));
  PetscCall(PairDestroy(&own));
  for (int k = 0; k < 2; k++) PetscCall(MatGetGhosts(k ? p.bdia : p.aij, &n[k], &ghosts[k]));
  Agree(p.aij, n[0] == n[1] && (!n[0] || !memcmp(ghosts[0], ghosts[1], n[0] * sizeof(PetscInt))), "MatGetGhosts differs");
  for (Mat &m : B) PetscCall(MatDestroy(&m));
  PetscCallMPI(MPI_Comm_free(&sub));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Operations(const PairSpec &s)
{
  Pair p;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(SOR(p));
  PetscCall(Overlap(p, s));
  for (auto f : {Permute, Orderings, Structure, RowFunctions, Graph}) PetscCall(f(p));
  PetscCall(Symmetry(p, s));
  PetscCall(Communicators(p, s));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_no_inode"));
  for (const char *options : {"", "-pair_mat_bdia_half"}) {
    PetscCall(PairEachBlockSize(20, 9, [&](PairSpec &s) {
      s.options   = options;
      s.symmetric = *options;
      return Operations(s);
    }));
  }
  PetscCall(PetscFinalize());
  return 0;
}
