/* Matrices for the cycle over levels of matrices, and the same cycle by dense arithmetic */
#pragma once

#include "cycle_dense.h"

/* Blocks of numbers at random that couple neighboring cells of a grid, diagonally dominant; `wrapped`: over the ends of lines and planes too, as in a General Hepta matrix */
struct LevelsCase {
  PetscInt    n[3];
  PetscInt    bs        = 1;
  bool        wrapped   = false;
  bool        symmetric = false;
  const char *form      = "bdia"; /* bdia, half, single, brow, aij */
  PetscInt    seed      = 1;
  PetscReal   shift     = 0.4;   /* by which the diagonal is larger than the sum of the others in its row */
  bool        told      = false; /* the matrix knows its grid */
  bool        laplace   = false; /* no couplings between fields: with a shift of zero constants of each are null */

  PetscInt    Cells() const { return n[0] * n[1] * n[2]; }
  std::string Name() const { return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]) + ", block size " + std::to_string(bs) + ", " + form + (wrapped ? ", wrapped" : "") + (symmetric ? ", symmetric" : ""); }
  std::string Grid() const { return " -pc_subdeflation_grid " + std::to_string(n[0]) + "," + std::to_string(n[1]) + "," + std::to_string(n[2]); }
};

/* Entry (i, j) of a coupling between the cells m != c */
static inline PetscReal LevelsCoupling(const LevelsCase &s, PetscInt i, PetscInt j)
{
  const PetscReal number = s.symmetric ? PairNumber(PetscMin(i, j), PetscMax(i, j), s.seed) : PairNumber(i, j, s.seed);

  return i % s.bs == j % s.bs ? -1 - 0.7 * number : s.laplace ? 0 : 0.2 * number;
}

static inline PetscErrorCode LevelsFill(const LevelsCase &s, Mat A)
{
  const PetscInt step[3] = {1, s.n[0], s.n[0] * s.n[1]}, nb = s.Cells();

  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(A));
  for (PetscInt i = 0; i < nb * s.bs; i++) {
    const PetscInt m   = i / s.bs;
    PetscReal      sum = s.shift;
    for (int a = 0; a < 3; a++) {
      for (PetscInt side : {-1, 1}) {
        const PetscInt c = m + side * step[a], at = m / step[a] % s.n[a] + side;
        if (c < 0 || c >= nb || (!s.wrapped && (at < 0 || at >= s.n[a]))) continue;
        for (PetscInt j = c * s.bs; j < (c + 1) * s.bs; j++) {
          const PetscReal v = LevelsCoupling(s, i, j);
          sum += std::abs(v);
          PetscCall(MatSetValue(A, i, j, v, ADD_VALUES));
        }
      }
    }
    for (PetscInt j = m * s.bs; j < (m + 1) * s.bs; j++) {
      const PetscReal v = LevelsCoupling(s, i, j);
      if (j != i) sum += std::abs(v);
      if (j != i) PetscCall(MatSetValue(A, i, j, v, ADD_VALUES));
    }
    PetscCall(MatSetValue(A, i, i, sum, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode LevelsMat(const LevelsCase &s, Mat *A)
{
  const std::string form = s.form;
  const PetscInt    n    = s.Cells() * s.bs;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetBlockSize(*A, s.bs));
  PetscCall(MatSetType(*A, form == "aij" ? TestAIJ() : form == "brow" ? (TestOnDevice() ? MATBROWCUDA : MATBROW) : TestOnDevice() ? MATBDIACUDA : MATBDIA));
  if (s.symmetric) {
    PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  if (form == "half") PetscCall(HeptaMatBDIASetHalf(*A, PETSC_TRUE));
  if (form == "single") PetscCall(HeptaMatBDIASetStorage(*A, HEPTA_MAT_STORAGE_SINGLE));
  if (s.told) PetscCall(HeptaMatBDIASetGrid(*A, s.n[0], s.n[1], s.n[2]));
  PetscCall(MatSetUp(*A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(LevelsFill(s, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next level by numbers of the aggregates of block rows */
static inline CycleLevel LevelsNext(CycleLevel &L, const std::vector<PetscInt> &number, PetscInt count, PetscInt bs)
{
  CycleLevel C;

  L.box.resize(L.A.n);
  for (PetscInt i = 0; i < L.A.n; i++) L.box[i] = number[i / bs] * bs + i % bs;
  C.A = Dense(count * bs);
  for (PetscInt i = 0; i < L.A.n; i++) {
    for (PetscInt j = 0; j < L.A.n; j++) C.A(L.box[i], L.box[j]) += L.A(i, j);
  }
  return C;
}

/* The smoother of a level: ip, or the inverse of the diagonal or block diagonal times 2/3 */
static inline Dense LevelsSmoother(const Dense &A, PetscInt bs, const std::string &smoother)
{
  const PetscInt block = smoother == PCJACOBI ? 1 : bs;

  if (smoother == PCIP) return DenseIP(A, bs, "scaled");
  Dense D = DenseInverse(DenseFilter(A, [&](PetscInt i, PetscInt j) { return i / block == j / block; }));
  for (PetscReal &v : D.a) v *= 2. / 3;
  return D;
}

/* Aggregates of each level, and how many */
typedef std::vector<std::pair<std::vector<PetscInt>, PetscInt>> LevelsAggregates;

/* Boxes of `size` cells a side, the last along an axis with what is left over */
static inline LevelsAggregates LevelsBoxes(const LevelsCase &s, const std::vector<PetscInt> &sizes)
{
  LevelsAggregates list;
  PetscInt         n[3] = {s.n[0], s.n[1], s.n[2]};

  for (PetscInt size : sizes) {
    std::vector<PetscInt> box[3], number(n[0] * n[1] * n[2]);
    PetscInt              boxes[3];
    for (int a = 0; a < 3; a++) boxes[a] = CutAxis(n[a], PetscMin(size, n[a]), 0, &box[a]);
    for (PetscInt m = 0; m < (PetscInt)number.size(); m++) number[m] = box[0][m % n[0]] + boxes[0] * (box[1][m / n[0] % n[1]] + boxes[1] * box[2][m / n[0] / n[1]]);
    list.push_back({number, boxes[0] * boxes[1] * boxes[2]});
    std::copy(boxes, boxes + 3, n);
  }
  return list;
}

static inline Dense LevelsCycle(const Dense &A, PetscInt bs, const LevelsAggregates &aggregates, const std::string &smoother, const CycleShape &shape)
{
  std::vector<CycleLevel> levels(1);
  Dense                   B(A.n);

  levels[0].A = A;
  for (const auto &a : aggregates) {
    levels.back().M = LevelsSmoother(levels.back().A, bs, smoother);
    levels.push_back(LevelsNext(levels.back(), a.first, a.second, bs));
  }
  levels.back().M = DenseInverse(levels.back().A);
  for (PetscInt j = 0; j < A.n; j++) {
    Numbers e(A.n, 0);
    e[j]            = 1;
    const Numbers b = Cycle(levels, 0, e, shape, Numbers(A.n, 0));
    for (PetscInt i = 0; i < A.n; i++) B(i, j) = b[i];
  }
  return B;
}

/* The preconditioner with its transpose, and for symmetric matrices its symmetry, against dense arithmetic */
static inline PetscErrorCode CheckLevels(const LevelsCase &s, PC pc, Mat A, const LevelsAggregates &aggregates, const std::string &smoother, const CycleShape &shape, const std::string &what)
{
  const PetscReal tol = PetscMax(1e-10, 100 * PETSC_MACHINE_EPSILON);
  Dense           a, b;

  PetscFunctionBeginUser;
  PetscCall(DenseFromMat(A, &a));
  const Dense expected = LevelsCycle(a, s.bs, aggregates, smoother, shape);
  PetscCall(DenseFromPC(pc, A, false, &b));
  PetscCall(CheckDense(expected, b, tol, what));
  if (s.symmetric && shape.pre == shape.post) PetscCall(CheckDense(b, DenseTranspose(b), tol, what + ", symmetry"));
  PetscCall(DenseFromPC(pc, A, true, &b));
  PetscCall(CheckDense(DenseTranspose(expected), b, tol, what + ", transposed"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
