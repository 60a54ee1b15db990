static char help[] = "The cycle over nested boxes in solves: grids of all shapes, storages, singular matrices, scales, changed matrices.\n\n";

#include "cycle_grid.h"

#include <petscdmda.h>

#include <limits>

static const char *const methods[] = {KSPCG, "fusedcg"};

static PetscErrorCode CheckCycles(KSP ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {"V-cycle over"}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both methods solve with the cycle, in so many iterations, or up to 3 and a tenth more */
static PetscErrorCode Solves(Mat A, Mat P, const std::string &what, PetscInt iterations, const std::string &options = "")
{
  const PetscInt most = iterations + 3 + iterations / 10;

  PetscFunctionBeginUser;
  for (const char *method : methods) {
    KSP      ksp;
    PetscInt its;
    PetscCall(CycleKSP(A, std::string("-ksp_type ") + method + " " + options, &ksp));
    PetscCall(KSPSetOperators(ksp, A, P));
    PetscCall(CheckSolve(ksp, what + ", " + method, &its));
    PetscCheck(its <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s: %" PetscInt_FMT " iterations, more than %" PetscInt_FMT, what.c_str(), method, its, most);
    PetscCall(CheckCycles(ksp));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shapes()
{
  static const struct {
    PetscInt n[3], iterations; /* in one dimension a cell is as hard as a layer */
  } shapes[] = {
    {{1, 1, 1},    1 },
    {{2, 1, 1},    2 },
    {{1, 3, 1},    2 },
    {{257, 1, 1},  35},
    {{1, 777, 1},  95},
    {{1, 1, 600},  94},
    {{16, 16, 1},  2 },
    {{17, 16, 1},  14},
    {{53, 31, 1},  20},
    {{1, 40, 37},  20},
    {{70, 1, 45},  22},
    {{3, 90, 2},   9 },
    {{13, 11, 17}, 14},
    {{2, 2, 130},  8 },
    {{32, 32, 8},  16}
  };

  PetscFunctionBeginUser;
  for (const auto &s : shapes) {
    for (bool half : {false, true}) {
      for (bool single : {false, true}) {
        const CycleGrid g{
          {s.n[0], s.n[1], s.n[2]}
        };
        Mat A;
        PetscCall(CycleMat(g, &A, half, single));
        PetscCall(Solves(A, A, CycleName(g) + (half ? ", half" : "") + (single ? ", single" : ""), s.iterations));
        PetscCall(MatDestroy(&A));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An aij knows the grid from a DMDA, or by an option */
static PetscErrorCode Rows()
{
  const CycleGrid g{
    {37, 29, 1}
  };
  DM  da;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(DMDACreate2d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, g.n[0], g.n[1], PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, &da));
  PetscCall(DMSetMatType(da, TestAIJ()));
  PetscCall(DMSetVecType(da, TestOnDevice() ? VECCUDA : VECSTANDARD));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(CycleFill(g, A));
  PetscCall(Solves(A, A, "aij of a DMDA", 18));
  PetscCall(Destroy(&A, &da));
  PetscCall(CycleAIJ(g, &A));
  PetscCall(Solves(A, A, "aij and an option", 18, "-pc_subdeflation_grid 37,29"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No flow through the boundary, with MatSetNullSpace() and without; the preconditioner from values in double and in single, whose row sums are not zero any more */
static PetscErrorCode Singular(PetscInt J, PetscInt H, PetscInt I, PetscReal contrast, PetscInt iterations)
{
  const CycleGrid g{
    {J, H, I},
    contrast, true
  };

  PetscFunctionBeginUser;
  for (bool told : {false, true}) {
    Mat          A, P;
    MatNullSpace constants;
    PetscCall(CycleMat(g, &A));
    PetscCall(CycleMat(g, &P, false, true));
    if (told) {
      PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, nullptr, &constants));
      PetscCall(MatSetNullSpace(A, constants));
      PetscCall(MatNullSpaceDestroy(&constants));
    }
    for (Mat from : {A, P}) PetscCall(Solves(A, from, CycleName(g) + ", closed" + (told ? ", null space given" : "") + (from == P ? ", from single" : ""), iterations));
    PetscCall(Destroy(&A, &P));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side outside the range of A has no solution: no method and norm may report one */
static PetscErrorCode Inconsistent(const CycleGrid &g)
{
  Mat A;
  Vec x, b;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  for (const char *method : methods) {
    for (const char *norm : {"preconditioned", "unpreconditioned", "natural"}) {
      KSP                ksp;
      KSPConvergedReason reason;
      PetscCall(CycleKSP(A, std::string("-ksp_max_it 100 -ksp_type ") + method + " -ksp_norm_type " + norm, &ksp));
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      PetscCheck(reason < 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s, %s norm: reason %d for a system without a solution", CycleName(g).c_str(), method, norm, (int)reason);
      PetscCall(KSPDestroy(&ksp));
    }
  }
  PetscCall(Destroy(&A, &x, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations for the right-hand side A x times a factor, x random; the true residual is looked at */
static PetscErrorCode Iterations(KSP ksp, PetscReal factor, PetscInt *its)
{
  Mat                A;
  Vec                x, b, r;
  KSPConvergedReason reason;
  PetscReal          nr, nb;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(CycleRandom(x, 1));
  PetscCall(MatMult(A, x, b));
  PetscCall(VecScale(b, factor));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAXPY(r, -1, b));
  PetscCall(VecNorm(b, NORM_2, &nb));
  PetscCall(VecNorm(r, NORM_2, &nr));
  PetscCheck(reason > 0 && nr <= 1e-8 * nb, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Right-hand side times %g: reason %d, residual %g of %g", (double)factor, (int)reason, (double)nr, (double)nb);
  PetscCall(Destroy(&x, &b, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix and the right-hand side scaled: the iterations stay */
static PetscErrorCode Scales()
{
  PetscFunctionBeginUser;
  for (const char *method : methods) {
    PetscInt first = -1;
    for (PetscReal scale : {1., 1e-100, 1e100, 1e-180, 1e180}) {
      for (PetscReal factor : {1., 1e-100, 1e100, 1e-180, 1e180}) {
        CycleGrid g{
          {40, 43, 1},
          1e6
        };
        Mat      A;
        KSP      ksp;
        PetscInt its;
        if (scale * factor < 1e-150 || scale * factor > 1e150) continue; /* squares of the residual's norm are out of range */
        g.scale = scale;
        PetscCall(CycleMat(g, &A));
        PetscCall(CycleKSP(A, std::string("-ksp_atol 0 -ksp_type ") + method, &ksp));
        PetscCall(Iterations(ksp, factor, &its));
        if (first < 0) first = its;
        PetscCheck(PetscAbsInt(its - first) <= (scale == 1 ? 0 : 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, matrix times %g, right-hand side times %g: %" PetscInt_FMT " iterations, not %" PetscInt_FMT, method, (double)scale, (double)factor, its,
                   first);
        PetscCall(CheckCycles(ksp));
        PetscCall(Destroy(&ksp, &A));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b = 0 has the answer 0; NaN and Inf in b are noticed, and forgotten with the next b */
static PetscErrorCode RightHandSides(const CycleGrid &g)
{
  Mat                A;
  Vec                x, b;
  KSPConvergedReason reason;
  PetscReal          norm;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  for (const char *method : methods) {
    KSP      ksp;
    PetscInt its[2];
    PetscCall(CycleKSP(A, std::string("-ksp_type ") + method, &ksp));
    PetscCall(Iterations(ksp, 1, &its[0]));
    PetscCall(VecSet(x, 3));
    PetscCall(VecSet(b, 0));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(VecNorm(x, NORM_2, &norm));
    PetscCheck(reason > 0 && norm == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, b = 0: reason %d, norm %g", method, (int)reason, (double)norm);
    for (PetscReal bad : {std::numeric_limits<PetscReal>::quiet_NaN(), std::numeric_limits<PetscReal>::infinity()}) {
      for (PetscInt row : {(PetscInt)0, g.Cells() / 2, g.Cells() - 1}) {
        PetscCall(VecSet(b, 1));
        PetscCall(VecSetValue(b, row, bad, INSERT_VALUES));
        PetscCall(VecAssemblyBegin(b));
        PetscCall(VecAssemblyEnd(b));
        PetscCall(KSPSolve(ksp, b, x));
        PetscCall(KSPGetConvergedReason(ksp, &reason));
        PetscCheck(reason == KSP_DIVERGED_NANORINF, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %g in row %" PetscInt_FMT ": reason %d", method, (double)bad, row, (int)reason);
      }
    }
    PetscCall(VecZeroEntries(x));
    PetscCall(Iterations(ksp, 1, &its[1]));
    PetscCheck(its[0] == its[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations, after bad right-hand sides %" PetscInt_FMT, method, its[0], its[1]);
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(Destroy(&A, &x, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  PetscCall(Shapes());
  PetscCall(Rows());
  PetscCall(Singular(12, 12, 1, 1000, 2));
  PetscCall(Singular(45, 38, 1, 1000, 29));
  PetscCall(Singular(14, 17, 9, 1e6, 15));
  PetscCall(Singular(900, 1, 1, 1, 16));
  PetscCall(Inconsistent({
    {12, 12, 1},
    1000, true
  }));
  PetscCall(Inconsistent({
    {40, 33, 1},
    1000, true
  }));
  for (PetscInt n : {14, 45})
    PetscCall(RightHandSides({
      {n, n + 1, 1}
    }));
  PetscCall(Scales());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
