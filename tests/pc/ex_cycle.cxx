static char help[] = "The cycle over nested boxes: applications against dense arithmetic, symmetry, definiteness.\n\n";

#include "cycle_grid.h"
#include "ip_dense.h"

/* A level by dense arithmetic */
struct Level {
  Dense                 A, M;
  std::vector<PetscInt> box; /* of each cell */
  PetscInt              n[3];
};

/* What is chosen for the cycle */
struct Shape {
  PetscReal   weight;
  bool        w;
  PetscInt    pre, post;
  bool        jacobi;
  std::string Options() const
  {
    return std::string(w ? " -pc_subdeflation_cycle_type w" : "") + " -pc_subdeflation_smooth_pre " + std::to_string(pre) + " -pc_subdeflation_smooth_post " + std::to_string(post) + (jacobi ? " -pc_subdeflation_smoother jacobi" : "");
  }
};

typedef std::vector<PetscReal> Numbers;

static Numbers Times(const Dense &A, const Numbers &x)
{
  Numbers y(x.size(), 0);

  for (PetscInt i = 0; i < A.n; i++) {
    for (PetscInt j = 0; j < A.n; j++) y[i] += A(i, j) * x[j];
  }
  return y;
}

/* The boxes of `size` cells a side, the last with what is left over, and P^T A P */
static Level Coarsen(Level &L, PetscInt size)
{
  Level C;

  for (int a = 0; a < 3; a++) C.n[a] = PetscMax(L.n[a] / (L.n[a] > 1 ? size : 1), 1);
  L.box.resize(L.A.n);
  for (PetscInt i = 0; i < L.A.n; i++) {
    const PetscInt at[3] = {i % L.n[0], i / L.n[0] % L.n[1], i / L.n[0] / L.n[1]};
    PetscInt       box[3];
    for (int a = 0; a < 3; a++) box[a] = PetscMin(at[a] / (L.n[a] > 1 ? size : 1), C.n[a] - 1);
    L.box[i] = box[0] + C.n[0] * (box[1] + C.n[1] * box[2]);
  }
  C.A = Dense(C.n[0] * C.n[1] * C.n[2]);
  for (PetscInt i = 0; i < L.A.n; i++) {
    for (PetscInt j = 0; j < L.A.n; j++) C.A(L.box[i], L.box[j]) += L.A(i, j);
  }
  return C;
}

static std::vector<Level> Nest(const CycleGrid &g, const Dense &A, const std::vector<PetscInt> &sizes, bool jacobi)
{
  std::vector<Level> levels(1);

  levels[0].A = A;
  for (int a = 0; a < 3; a++) levels[0].n[a] = g.n[a];
  for (PetscInt size : sizes) {
    Level &L = levels.back();
    L.M      = jacobi ? Dense(L.A.n) : DenseIP(L.A, 1, "scaled");
    for (PetscInt i = 0; jacobi && i < L.A.n; i++) L.M(i, i) = 2 / (3 * L.A(i, i));
    levels.push_back(Coarsen(levels.back(), size));
  }
  levels.back().M = DenseInverse(levels.back().A);
  return levels;
}

/* z = B r, or a better one from z in the second visit of a W-cycle */
static Numbers Cycle(const std::vector<Level> &levels, size_t l, const Numbers &r, const Shape &shape, Numbers z)
{
  const Level &L = levels[l];

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

/* |B x - the same by dense arithmetic| <= tol |B x| in the largest number, for three vectors */
static PetscErrorCode CheckApply(const CycleGrid &g, Mat A, const std::vector<PetscInt> &sizes, const Shape &shape, const std::string &options, PetscReal tol)
{
  const std::string what = CycleName(g) + ", " + options;
  PC                pc;
  Vec               x, y;
  Dense             a;

  PetscFunctionBeginUser;
  PetscCall(DenseFromMat(A, &a));
  const std::vector<Level> levels = Nest(g, a, sizes, shape.jacobi);
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle " + options, &pc));
  PetscCall(MatCreateVecs(A, &x, &y));
  for (PetscInt seed = 1; seed <= 3; seed++) {
    const PetscScalar *v;
    Numbers            r(g.Cells());
    PetscReal          most = 0, error = 0;
    PetscCall(CycleRandom(x, seed));
    for (PetscInt i = 0; i < g.Cells(); i++) r[i] = PairNumber(i, 5, seed);
    PetscCall(PCApply(pc, x, y));
    const Numbers z = Cycle(levels, 0, r, shape, Numbers(r.size(), 0));
    PetscCall(VecGetArrayRead(y, &v));
    for (PetscInt i = 0; i < g.Cells(); i++) {
      most  = PetscMax(most, std::abs(z[i]));
      error = PetscMax(error, std::abs(z[i] - v[i]));
      PetscCheck(!PetscIsInfOrNanScalar(v[i]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " of an application is %g", what.c_str(), i, (double)v[i]); /* which is no maximum */
    }
    PetscCall(VecRestoreArrayRead(y, &v));
    PetscCheck(error <= tol * most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: an application differs by %g of %g", what.c_str(), (double)error, (double)most);
  }
  PetscCall(CheckView(pc, {((shape.w ? "W-cycle over " : "V-cycle over ") + std::to_string(levels.size()) + " levels of nested boxes").c_str(), shape.jacobi ? "boxes, damped jacobi" : "boxes, ip"}));
  PetscCall(Destroy(&pc, &x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::string Sizes(const std::vector<PetscInt> &sizes)
{
  std::string list;

  for (size_t l = 0; l < PetscMin(sizes.size(), (size_t)3); l++) list += (l ? "," : "") + std::to_string(sizes[l]);
  return " -pc_subdeflation_levels " + std::to_string(sizes.size() + 1) + (list.empty() ? "" : " -pc_subdeflation_size " + list);
}

static PetscErrorCode Oracle(CycleGrid g, const std::vector<PetscInt> &sizes)
{
  const PetscReal eps = PETSC_MACHINE_EPSILON;
  Mat             A;

  PetscFunctionBeginUser;
  for (PetscReal scale : {1., 1e-3}) {
    g.scale = scale;
    PetscCall(CycleMat(g, &A));
    PetscCall(CheckApply(g, A, sizes, {1.8, false, 1, 1, false}, "-pc_subdeflation_cycle_storage double" + Sizes(sizes), PetscMax(1e-10, 100 * eps)));
    PetscCall(CheckApply(g, A, sizes, {1.8, false, 1, 1, false}, "-pc_subdeflation_cycle_storage single" + Sizes(sizes), 1e-5));
    PetscCall(CheckApply(g, A, sizes, {1, false, 1, 1, false}, "-pc_subdeflation_cycle_storage double -pc_subdeflation_overcorrection 1" + Sizes(sizes), PetscMax(1e-10, 100 * eps)));
    for (const Shape &s : {
           Shape{1.8, true,  1, 1, false},
           {1.8, false, 2, 1, false},
           {1.8, false, 0, 1, false},
           {1.8, false, 1, 0, false},
           {1.8, false, 1, 2, false},
           {1.8, true,  2, 2, false},
           {1.8, true,  1, 2, true },
           {1.8, false, 1, 1, true }
    })
      PetscCall(CheckApply(g, A, sizes, s, "-pc_subdeflation_cycle_storage double" + Sizes(sizes) + s.Options(), PetscMax(1e-10, 100 * eps)));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (x, B y) = (y, B x) to tol, (x, B x) > 0, and the transposed application is the application itself */
static PetscErrorCode Symmetric(const CycleGrid &g, const std::string &options, PetscReal tol)
{
  const std::string what = CycleName(g) + ", " + options;
  Mat               A;
  PC                pc;
  Vec               x, y, Bx, By;
  PetscScalar       xBy, yBx, xBx;
  PetscReal         nx, nBy;
  PetscBool         same;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CyclePC(A, options, &pc));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(MatCreateVecs(A, &Bx, &By));
  for (PetscInt seed = 1; seed <= 20; seed++) {
    PetscCall(CycleRandom(x, seed));
    PetscCall(CycleRandom(y, seed + 100));
    PetscCall(PCApply(pc, x, Bx));
    PetscCall(PCApply(pc, y, By));
    PetscCall(VecDot(x, By, &xBy));
    PetscCall(VecDot(y, Bx, &yBx));
    PetscCall(VecDot(x, Bx, &xBx));
    PetscCall(VecNorm(x, NORM_2, &nx));
    PetscCall(VecNorm(By, NORM_2, &nBy));
    PetscCheck(std::abs(xBy - yBx) <= tol * nx * nBy, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: (x, B y) = %g, (y, B x) = %g", what.c_str(), (double)xBy, (double)yBx);
    PetscCheck(xBx > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: (x, B x) = %g", what.c_str(), (double)xBx);
    PetscCall(PCApplyTranspose(pc, x, By));
    PetscCall(VecEqual(Bx, By, &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the transposed application differs", what.c_str());
  }
  PetscCall(CheckView(pc, {"-cycle over"}));
  PetscCall(Destroy(&pc, &A, &x, &y, &Bx, &By));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With other steps before than after B is not symmetric, and the transposed application is B^T */
static PetscErrorCode Transposed(const CycleGrid &g, const std::string &options)
{
  Mat       A;
  PC        pc;
  Dense     B, Bt;
  PetscReal differ = 0, most = 0;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CyclePC(A, "-pc_subdeflation_cycle_storage double -pc_subdeflation_levels 3 " + options, &pc));
  PetscCall(DenseFromPC(pc, A, false, &B));
  PetscCall(DenseFromPC(pc, A, true, &Bt));
  for (PetscInt i = 0; i < B.n; i++) {
    for (PetscInt j = 0; j < B.n; j++) {
      most   = PetscMax(most, std::abs(B(i, j)));
      differ = PetscMax(differ, std::abs(B(i, j) - B(j, i)));
    }
  }
  for (PetscInt i = 0; i < B.n; i++) {
    for (PetscInt j = 0; j < B.n; j++)
      PetscCheck(std::abs(B(i, j) - Bt(j, i)) <= 1e-10 * most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: entry (%" PetscInt_FMT ", %" PetscInt_FMT ") is %g, transposed %g", options.c_str(), i, j, (double)B(i, j), (double)Bt(j, i));
  }
  PetscCheck(differ > 1e-4 * most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: symmetric to %g of %g", options.c_str(), (double)differ, (double)most);
  PetscCall(CheckView(pc, {"not symmetric, because the steps before and after differ"}));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The smallest pivot of a Cholesky factorization of B, of its symmetric part scaled to a unit diagonal */
static PetscReal SmallestPivot(Dense B)
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

/* B is positive definite, as a whole */
static PetscErrorCode Definite(const CycleGrid &g, const std::string &options)
{
  Mat   A;
  PC    pc;
  Dense B;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle -pc_subdeflation_cycle_storage double " + options, &pc));
  PetscCall(DenseFromPC(pc, A, false, &B));
  const PetscReal pivot = SmallestPivot(B);
  PetscCheck(pivot > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, contrast %g, couplings %g, %g, %g: pivot %g of the preconditioner's matrix", CycleName(g).c_str(), (double)g.contrast, (double)g.along[0], (double)g.along[1], (double)g.along[2],
             (double)pivot);
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const CycleGrid line{
  {700, 1, 1}
},
  plane{{21, 19, 1}}, crossed{{20, 1, 18}}, cube{{9, 8, 7}}, flat{{12, 3, 10}}, small{{5, 5, 5}};

/* Grids, and the sides of the boxes on each level but the last */
static const std::pair<const CycleGrid *, std::vector<PetscInt>> nests[] = {
  {&line,    {2, 2}   },
  {&line,    {3, 2, 4}},
  {&plane,   {2, 2}   },
  {&plane,   {2, 2, 3}},
  {&crossed, {3}      },
  {&cube,    {2, 2}   },
  {&cube,    {4}      },
  {&flat,    {2}      }, /* then the second axis has one cell, and the third the second's stride */
  {&flat,    {2, 2}   },
  {&small,   {}       },
};

static PetscErrorCode Run()
{
  const CycleGrid symmetric[] = {{{37, 41, 1}}, {{13, 11, 17}}, {{999, 1, 1}}};

  PetscFunctionBeginUser;
  for (const auto &nest : nests) PetscCall(Oracle(*nest.first, nest.second));
  for (const CycleGrid &g : symmetric) {
    PetscCall(Symmetric(g, "-pc_subdeflation_cycle_storage double", 1e-10));
    PetscCall(Symmetric(g, "-pc_subdeflation_cycle_storage single", 1e-4));
    for (const Shape &s : {
           Shape{1.8, true,  1, 1, false},
           {1.8, false, 2, 2, false},
           {1.8, false, 1, 1, true }
    })
      PetscCall(Symmetric(g, "-pc_subdeflation_cycle_storage double" + s.Options(), 1e-10));
  }
  for (const Shape &s : {
         Shape{1.8, false, 0, 1, false},
         {1.8, true,  2, 1, false}
  })
    PetscCall(Transposed(
      {
        {16, 15, 1}
    },
      s.Options()));
  for (PetscReal contrast : {1., 1000., 1e6}) {
    for (PetscReal along : {1., 1e3, 1e-3}) {
      const CycleGrid flat{
        {16, 15,    1},
        contrast, true, 1, {1,  along, 1}
      },
        deep{{9, 8, 6}, contrast, false, 0, {1, along, 1}};
      PetscCall(Definite(flat, "-pc_subdeflation_levels 4"));
      if (!TestOnDevice()) PetscCall(Definite(deep, "-pc_subdeflation_levels 3"));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
