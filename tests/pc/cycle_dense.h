/* The cycle over nested boxes by dense arithmetic */
#pragma once

#include "cycle_grid.h"
#include "ip_dense.h"

/* A level by dense arithmetic */
struct CycleLevel {
  Dense                 A, M;
  std::vector<PetscInt> box; /* of each cell */
  PetscInt              n[3];
  std::vector<PetscInt> planes;      /* of the last axis, of each process, while each makes boxes of its own; otherwise none */
  bool                  own = false; /* each does on this level */
};

/* What is chosen for the cycle; V with one ip step before and after */
struct CycleShape {
  PetscReal weight = 1.8;
  bool      w      = false;
  PetscInt  pre = 1, post = 1;
  bool      jacobi = false;

  std::string Options() const
  {
    return " -pc_subdeflation_overcorrection " + std::to_string(weight) + (w ? " -pc_subdeflation_cycle_type w" : "") + " -pc_subdeflation_smooth_pre " + std::to_string(pre) + " -pc_subdeflation_smooth_post " + std::to_string(post) +
           (jacobi ? " -pc_subdeflation_smoother jacobi" : "");
  }
};

typedef std::vector<PetscReal> Numbers;

static inline Numbers Times(const Dense &A, const Numbers &x)
{
  Numbers y(x.size(), 0);

  for (PetscInt i = 0; i < A.n; i++) {
    for (PetscInt j = 0; j < A.n; j++) y[i] += A(i, j) * x[j];
  }
  return y;
}

/* The boxes along one axis, the last with what is left over: that of each cell, from the box `first` on */
static inline PetscInt CutAxis(PetscInt n, PetscInt size, PetscInt first, std::vector<PetscInt> *box)
{
  const PetscInt boxes = n ? PetscMax(n / size, 1) : 0;

  for (PetscInt c = 0; c < n; c++) box->push_back(first + PetscMin(c / size, boxes - 1));
  return boxes;
}

/* The boxes of `size` cells a side, those of a process of its own planes unless the level is gathered, and P^T A P */
static inline CycleLevel Coarsen(CycleLevel &L, PetscInt size, int last, PetscInt gather)
{
  CycleLevel            C;
  std::vector<PetscInt> box[3];
  const PetscInt        side = L.n[last] > 1 ? size : 1;
  bool                 &own  = L.own;

  own = !L.planes.empty() && L.A.n > gather;
  for (PetscInt planes : L.planes) own = own && (!planes || planes >= side);
  for (int a = 0; a < 3; a++) {
    C.n[a] = 0;
    if (a != last || !own) C.n[a] = CutAxis(L.n[a], L.n[a] > 1 ? size : 1, 0, &box[a]);
    for (PetscInt planes : L.planes) {
      if (a != last || !own) break;
      C.planes.push_back(CutAxis(planes, side, C.n[a], &box[a]));
      C.n[a] += C.planes.back();
    }
  }
  L.box.resize(L.A.n);
  for (PetscInt i = 0; i < L.A.n; i++) L.box[i] = box[0][i % L.n[0]] + C.n[0] * (box[1][i / L.n[0] % L.n[1]] + C.n[1] * box[2][i / L.n[0] / L.n[1]]);
  C.A = Dense(C.n[0] * C.n[1] * C.n[2]);
  for (PetscInt i = 0; i < L.A.n; i++) {
    for (PetscInt j = 0; j < L.A.n; j++) C.A(L.box[i], L.box[j]) += L.A(i, j);
  }
  return C;
}

static inline std::vector<CycleLevel> Nest(const CycleGrid &g, const Dense &A, const std::vector<PetscInt> &sizes, bool jacobi = false, PetscInt gather = 0)
{
  std::vector<CycleLevel> levels(1);

  levels[0].A      = A;
  levels[0].planes = g.planes;
  for (int a = 0; a < 3; a++) levels[0].n[a] = g.n[a];
  for (PetscInt size : sizes) {
    CycleLevel &L = levels.back();
    L.M           = jacobi ? Dense(L.A.n) : DenseIP(L.A, 1, "scaled");
    for (PetscInt i = 0; jacobi && i < L.A.n; i++) L.M(i, i) = 2 / (3 * L.A(i, i));
    levels.push_back(Coarsen(levels.back(), size, g.Last(), gather));
  }
  levels.back().M = DenseInverse(levels.back().A);
  return levels;
}

/* z = B r, or a better one from z in the second visit of a W-cycle */
static inline Numbers Cycle(const std::vector<CycleLevel> &levels, size_t l, const Numbers &r, const CycleShape &shape, Numbers z)
{
  const CycleLevel &L = levels[l];

  if (l + 1 == levels.size()) return Times(L.M, r);
  const auto residual = [&] {
    Numbers t = Times(L.A, z);
    for (size_t i = 0; i < t.size(); i++) t[i] = r[i] - t[i];
    return t;
  };
  const auto smooth = [&](PetscInt steps) {
    for (PetscInt k = 0; k < steps; k++) {
      const Numbers t = Times(L.M, residual());
      for (size_t i = 0; i < z.size(); i++) z[i] += t[i];
    }
  };
  smooth(shape.pre);
  const Numbers t = residual();
  Numbers       coarse(levels[l + 1].A.n, 0), y = coarse;
  for (size_t i = 0; i < t.size(); i++) coarse[L.box[i]] += t[i];
  y = Cycle(levels, l + 1, coarse, shape, y);
  if (shape.w && l + 2 < levels.size()) y = Cycle(levels, l + 1, coarse, shape, y);
  for (size_t i = 0; i < z.size(); i++) z[i] += shape.weight * y[L.box[i]];
  smooth(shape.post);
  return z;
}

/* The smallest pivot of a Cholesky factorization of B, of its symmetric part scaled to a unit diagonal */
static inline PetscReal SmallestPivot(Dense B)
{
  PetscReal least = 1;
  Numbers   d(B.n);

  for (PetscInt i = 0; i < B.n; i++) d[i] = B(i, i);
  for (PetscInt i = 0; i < B.n; i++) {
    for (PetscInt j = 0; j < i; j++) B(i, j) = B(j, i) = (B(i, j) + B(j, i)) / 2 / std::sqrt(d[i] * d[j]);
  }
  for (PetscInt i = 0; i < B.n; i++) B(i, i) = d[i] > 0 ? 1 : -1;
  for (PetscInt k = 0; k < B.n; k++) {
    least = PetscMin(least, B(k, k));
    if (!(B(k, k) > 0)) return least;
    for (PetscInt i = k + 1; i < B.n; i++) {
      for (PetscInt j = k + 1; j < B.n; j++) B(i, j) -= B(i, k) * B(k, j) / B(k, k);
    }
  }
  return least;
}

static inline std::string CycleSizes(const std::vector<PetscInt> &sizes)
{
  std::string list;

  for (size_t l = 0; l < PetscMin(sizes.size(), (size_t)3); l++) list += (l ? "," : "") + std::to_string(sizes[l]);
  return " -pc_subdeflation_levels " + std::to_string(sizes.size() + 1) + (list.empty() ? "" : " -pc_subdeflation_size " + list);
}

/* |B x - the same by dense arithmetic| <= tol |B x| in the largest number, for three vectors */
static inline PetscErrorCode CheckCycle(const CycleGrid &g, Mat A, const std::vector<PetscInt> &sizes, const CycleShape &shape, const std::string &more, PetscReal tol, PetscInt gather = 0)
{
  const std::string options = more + CycleSizes(sizes) + shape.Options(), what = CycleName(g) + ", " + options;
  PC                pc;
  Vec               x, y;
  Dense             a;
  PetscInt          start, end;

  PetscFunctionBeginUser;
  PetscCall(DenseFromMat(A, &a));
  const std::vector<CycleLevel> levels = Nest(g, a, sizes, shape.jacobi, gather);
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle " + options, &pc));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  for (PetscInt seed = 1; seed <= 3; seed++) {
    const PetscScalar *v;
    Numbers            r(g.Cells());
    PetscReal          most = 0, error = 0;
    PetscCall(CycleRandom(x, seed));
    for (PetscInt i = 0; i < g.Cells(); i++) r[i] = PairNumber(i, 5, seed);
    PetscCall(PCApply(pc, x, y));
    const Numbers z = Cycle(levels, 0, r, shape, Numbers(r.size(), 0));
    PetscCall(VecGetArrayRead(y, &v));
    for (PetscReal number : z) most = PetscMax(most, std::abs(number));
    for (PetscInt i = start; i < end; i++) {
      error = PetscMax(error, std::abs(z[i] - v[i - start]));
      PetscCheck(!PetscIsInfOrNanScalar(v[i - start]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " of an application is %g", what.c_str(), i, (double)v[i - start]); /* which is no maximum */
    }
    PetscCall(VecRestoreArrayRead(y, &v));
    PetscCheck(error <= tol * most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: an application differs by %g of %g", what.c_str(), (double)error, (double)most);
  }
  PetscInt own = 0;
  for (const CycleLevel &L : levels) own += L.own;
  const std::string view  = "levels of which each MPI process has planes of its own: " + std::to_string(own) + "; level " + std::to_string(own) + " and those";
  const std::string cycle = (shape.w ? "W-cycle over " : "V-cycle over ") + std::to_string(levels.size()) + " levels of nested boxes, " + (shape.jacobi ? "damped jacobi" : "ip");
  PetscCall(CheckView(pc, {cycle.c_str(), g.planes.size() > 1 ? view.c_str() : "-cycle"}));
  PetscCall(Destroy(&pc, &x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
