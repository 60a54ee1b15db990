static char help[] = "Multigrid on boxes of a grid: applications against dense arithmetic, symmetry, definiteness, on one "
                     "process and on several.\n\n";

#include "cycle_dense.h"

#include <cstring>

/* What is chosen */
struct Choice {
  const char *storage = "double";
  PetscInt    sweeps  = 2;
  PetscReal   weight  = 2;
  PetscInt    gather  = 0;
  PetscInt    block   = 4096; /* 0: all levels by launches of their own */

  std::string Options() const
  {
    return std::string("-pc_type gridmg -pc_gridmg_storage ") + storage + " -pc_gridmg_sweeps " + std::to_string(sweeps) +
           " -pc_gridmg_overcorrection " + std::to_string(weight) + " -pc_gridmg_gather " + std::to_string(gather) +
           " -pc_gridmg_block " + std::to_string(block);
  }
};

/* a rounded to eight bits, ties to even */
static PetscReal Rounded(PetscReal a)
{
  int             e;
  const PetscReal f = std::frexp(a, &e);

  return a == 0 ? 0 : std::ldexp(std::nearbyint(std::ldexp(f, 8)), e - 8);
}

/* The entries beside the diagonal rounded in units of `unit`, and a diagonal with which the sums of rows are what they were */
static Dense RoundCouplings(Dense A, PetscReal unit)
{
  for (PetscInt i = 0; i < A.n; i++) {
    for (PetscInt j = 0; j < A.n; j++) {
      if (i == j) continue;
      const PetscReal a = Rounded(A(i, j) / unit) * unit;
      A(i, i) += A(i, j) - a;
      A(i, j) = a;
    }
  }
  return A;
}

static std::vector<CycleLevel> Levels(const CycleGrid &g, const Dense &A, const std::vector<PetscInt> &sizes,
                                      const Choice &choice)
{
  const bool              rounded = !strcmp(choice.storage, "bf16");
  std::vector<CycleLevel> levels(1);
  const PetscReal         unit = A.n ? A(0, 0) : 1;

  levels[0].A      = rounded ? RoundCouplings(A, unit) : A;
  levels[0].planes = g.planes;
  for (int a = 0; a < 3; a++) levels[0].n[a] = g.n[a];
  for (PetscInt size : sizes) {
    CycleLevel C = Coarsen(levels.back(), size, g.Last(), choice.gather, 4 * choice.sweeps - 2);
    if (rounded) C.A = RoundCouplings(C.A, unit);
    levels.push_back(C);
  }
  levels.back().M = DenseInverse(levels.back().A);
  return levels;
}

/* A pass of Gauss-Seidel over the cells whose indices add up to an even number, or to an odd one */
static void Relax(const CycleLevel &L, const Numbers &r, int odd, Numbers &z)
{
  for (PetscInt i = 0; i < L.A.n; i++) {
    PetscReal sum = r[i];
    if ((i % L.n[0] + i / L.n[0] % L.n[1] + i / L.n[0] / L.n[1]) % 2 != odd) continue;
    for (PetscInt j = 0; j < L.A.n; j++) sum -= j == i ? 0 : L.A(i, j) * z[j];
    z[i] = sum / L.A(i, i);
  }
}

static Numbers RedBlack(const std::vector<CycleLevel> &levels, size_t l, const Numbers &r, const Choice &choice)
{
  const CycleLevel &L = levels[l];
  Numbers           z(r.size(), 0);

  if (l + 1 == levels.size()) return Times(L.M, r);
  for (PetscInt pass = 0; pass < 2 * choice.sweeps; pass++) Relax(L, r, pass % 2, z);
  const Numbers Az = Times(L.A, z);
  Numbers       coarse(levels[l + 1].A.n, 0);
  for (size_t i = 0; i < z.size(); i++) coarse[L.box[i]] += r[i] - Az[i];
  const Numbers y = RedBlack(levels, l + 1, coarse, choice);
  for (size_t i = 0; i < z.size(); i++) z[i] += choice.weight * y[L.box[i]];
  for (PetscInt pass = 0; pass < 2 * choice.sweeps; pass++) Relax(L, r, 1 - pass % 2, z);
  return z;
}

static std::string Sizes(const std::vector<PetscInt> &sizes)
{
  std::string list;

  for (PetscInt s : sizes) list += (list.empty() ? "" : ",") + std::to_string(s);
  return " -pc_gridmg_levels " + std::to_string(sizes.size() + 1) + (list.empty() ? "" : " -pc_gridmg_size " + list);
}

/* |B x - the same by dense arithmetic| <= tol |B x| in the largest number, for a random vector */
static PetscErrorCode Differs(PC pc, const std::vector<CycleLevel> &levels, const Choice &choice, PetscInt seed, PetscReal tol,
                              const std::string &what)
{
  Mat                A;
  Vec                x, y;
  const PetscScalar *v;
  Numbers            r((size_t)levels[0].A.n);
  PetscReal          most = 0, error = 0;
  PetscInt           start, end;

  PetscFunctionBeginUser;
  PetscCall(PCGetOperators(pc, nullptr, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  PetscCall(CycleRandom(x, seed));
  for (PetscInt i = 0; i < levels[0].A.n; i++) r[i] = PairNumber(i, 5, seed);
  PetscCall(PCApply(pc, x, y));
  const Numbers z = RedBlack(levels, 0, r, choice);
  PetscCall(VecGetArrayRead(y, &v));
  for (PetscReal number : z) most = PetscMax(most, std::abs(number));
  for (PetscInt i = start; i < end; i++) {
    error = PetscMax(error, std::abs(z[i] - v[i - start]));
    /* NaN is no maximum */
    PetscCheck(!PetscIsInfOrNanScalar(v[i - start]), PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: row %" PetscInt_FMT " of an application is %g", what.c_str(), i, (double)v[i - start]);
  }
  PetscCall(VecRestoreArrayRead(y, &v));
  PetscCheck(error <= TestTolerance(tol) * most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: an application differs by %g of %g",
             what.c_str(), (double)error, (double)most);
  PetscCall(Destroy(&x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Oracle(const CycleGrid &g, Mat A, const std::vector<PetscInt> &sizes, Choice choice, PetscReal tol)
{
  const std::string options = choice.Options() + Sizes(sizes), what = CycleName(g) + ", " + options;
  PC                pc;
  Dense             a;
  PetscInt          own = 0;

  PetscFunctionBeginUser;
  PetscCall(DenseFromMat(A, &a));
  const std::vector<CycleLevel> levels = Levels(g, a, sizes, choice);
  PetscCall(CyclePC(A, options, &pc));
  for (PetscInt seed = 1; seed <= 3; seed++) PetscCall(Differs(pc, levels, choice, seed, tol, what));
  for (const CycleLevel &L : levels) own += L.own;
  const std::string slabs = "levels of which each MPI process has planes of its own: " + std::to_string(own) + "; level " +
                            std::to_string(own) + " and those";
  const std::string cycle = "V-cycle over " + std::to_string(levels.size()) + " levels of nested boxes, " +
                            std::to_string(choice.sweeps) + " red-black sweep";
  PetscCall(CheckView(pc, {cycle.c_str(), g.planes.size() > 1 ? slabs.c_str() : "-cycle"}));
  PetscCall(PCDestroy(&pc));
  if (!TestOnDevice() || !choice.block) PetscFunctionReturn(PETSC_SUCCESS);
  choice.block = 0;
  PetscCall(Oracle(g, A, sizes, choice, tol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Oracles(CycleGrid g, const std::vector<PetscInt> &sizes)
{
  Mat A;

  PetscFunctionBeginUser;
  for (bool half : {false, true}) {
    g.scale = half ? 1 / (PetscReal)1024 : 1;
    PetscCall(CycleMat(g, &A, half));
    for (PetscInt gather : {(PetscInt)0, g.Cells() / 3}) {
      PetscCall(Oracle(g, A, sizes, {"double", 2, 2, gather}, 1e-10));
      PetscCall(Oracle(g, A, sizes, {"double", 1, 1.3, gather}, 1e-10));
      PetscCall(Oracle(g, A, sizes, {"single", 2, 2, gather}, 1e-5));
      PetscCall(Oracle(g, A, sizes, {"bf16", 2, 2, gather}, 1e-5));
      PetscCall(Oracle(g, A, sizes, {"bf16", 1, 1.9, gather}, 1e-5));
      if (g.planes.size() < 2) break; /* nothing to gather */
    }
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Grids, and the sides of the boxes on each level but the last */
static const struct {
  PetscInt              n[3];
  std::vector<PetscInt> sizes;
} nests[] = {
  {{700, 1, 1}, {2, 2}}, {{21, 19, 1}, {2, 2}}, {{21, 22, 1}, {3, 2}},
  {{20, 1, 18}, {4}},    {{131, 5, 1}, {2}},   /* several tiles side by side */
  {{168, 1, 1}, {2}},                          /* 112 cells of a slab and the neighbor's planes need three tiles */
  {{9, 8, 12}, {2, 2}},  {{5, 27, 8}, {4}},    /* as many lines of a tile as a box of four and three cells more need */
  {{7, 26, 6}, {3}},     {{12, 3, 10}, {2}},   /* then the second axis has one cell, and the third the second's stride */
  {{5, 5, 5}, {}},       {{5, 53, 1}, {2, 2}}, /* slabs on two levels for as many as four processes */
  {{3, 2, 53}, {2, 2}},  {{58, 12, 1}, {2}},
};

/* B is symmetric and positive definite, as a whole */
static PetscErrorCode Definite(CycleGrid g, const std::string &options)
{
  Mat   A;
  PC    pc;
  Dense B, C;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CyclePC(A, "-pc_type gridmg -pc_gridmg_storage double " + options, &pc));
  PetscCall(DenseFromPC(pc, A, false, &B));
  PetscCall(DenseFromPC(pc, A, true, &C));
  PetscCall(CheckDense(B, DenseTranspose(B), 1e-11, CycleName(g) + ", symmetry"));
  PetscCall(CheckDense(B, C, 1e-12, CycleName(g) + ", transposed application"));
  const PetscReal pivot = SmallestPivot(B);
  PetscCheck(pivot > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s, contrast %g, couplings %g, %g, %g: pivot %g of the preconditioner's matrix", CycleName(g).c_str(),
             (double)g.contrast, (double)g.along[0], (double)g.along[1], (double)g.along[2], (double)pivot);
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (const auto &nest : nests) {
    CycleGrid g{{nest.n[0], nest.n[1], nest.n[2]}};
    if (TestQuick() && g.Cells() > 500) continue;
    g.comm = PETSC_COMM_WORLD;
    for (const auto &planes : Splits(g.n[g.Last()])) {
      g.planes = planes;
      PetscCall(Oracles(g, nest.sizes));
    }
  }
  if (TestQuick() || size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscReal contrast : {1., 1000., 1e6}) {
    for (PetscReal along : {1., 1e3, 1e-3}) {
      PetscCall(Definite({{16, 15, 1}, contrast, true, 1, {1, along, 1}}, "-pc_gridmg_levels 4"));
      PetscCall(Definite({{7, 8, 6}, contrast, false, 0, {1, along, 1}}, "-pc_gridmg_levels 3 -pc_gridmg_overcorrection 3"));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
