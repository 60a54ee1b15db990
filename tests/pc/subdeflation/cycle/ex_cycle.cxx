static char help[] = "The cycle over nested boxes: applications against dense arithmetic, symmetry, definiteness.\n\n";

#include "cycle_dense.h"

static PetscErrorCode Oracle(CycleGrid g, const std::vector<PetscInt> &sizes)
{
  const PetscReal eps = PETSC_MACHINE_EPSILON;
  Mat             A;

  PetscFunctionBeginUser;
  for (PetscReal scale : {1., 1e-3}) {
    g.scale = scale;
    PetscCall(CycleMat(g, &A));
    PetscCall(CheckCycle(g, A, sizes, {}, "-pc_subdeflation_cycle_storage single", 1e-5));
    for (const CycleShape &s : {
           CycleShape{     },
           {  1,   false, 1, 1, false},
           { 1.8, true,  1, 1, false},
           { 1.8, false, 2, 1, false},
           { 1.8, false, 0, 1, false},
           { 1.8, false, 1, 0, false},
           { 1.8, false, 1, 2, false},
           { 1.8, true,  2, 2, false},
           { 1.8, true,  1, 2, true},
           {  1.8, false, 1, 1, true}
    })
      PetscCall(CheckCycle(g, A, sizes, s, "-pc_subdeflation_cycle_storage double", PetscMax(1e-10, 100 * eps)));
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

/* One nest for each number of axes */
static PetscErrorCode Quick()
{
  PetscFunctionBeginUser;
  for (size_t k : {1, 3, 5}) PetscCall(Oracle(*nests[k].first, nests[k].second));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  const CycleGrid symmetric[] = {{{37, 41, 1}}, {{13, 11, 17}}, {{999, 1, 1}}};

  PetscFunctionBeginUser;
  if (TestQuick()) PetscFunctionReturn(Quick());
  for (const auto &nest : nests) PetscCall(Oracle(*nest.first, nest.second));
  for (const CycleGrid &g : symmetric) {
    PetscCall(Symmetric(g, "-pc_subdeflation_cycle_storage double", 1e-10));
    PetscCall(Symmetric(g, "-pc_subdeflation_cycle_storage single", 1e-4));
    for (const CycleShape &s : {
           CycleShape{1.8, true,  1, 1, false},
           {1.8, false, 2, 2, false},
           {1.8, false, 1, 1, true }
    })
      PetscCall(Symmetric(g, "-pc_subdeflation_cycle_storage double" + s.Options(), 1e-10));
  }
  for (const CycleShape &s : {
         CycleShape{1.8, false, 0, 1, false},
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
