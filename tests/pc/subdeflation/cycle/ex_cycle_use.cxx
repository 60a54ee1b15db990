static char help[] = "The cycle over nested boxes as programs use it: changed and other matrices, resets, several at once, later choices.\n\n";

#include <cmath>

#include "cycle_same.h"
#include "failure.h"

static const char CYCLES[] = "V-cycle over", TWO[] = "two levels in place of a cycle over nested boxes, because the matrix is not symmetric", ASKED[] = "subdomains boxes, variant";

/* Values change: others, scaled, no longer symmetric and again so; NaN is an error that names the row, and is forgotten */
static PetscErrorCode Values(CycleGrid g, const char method[])
{
  const std::string options = std::string("-ksp_type ") + method;
  const PetscInt    row     = g.Cells() / 2 + 1;
  Mat               A;
  KSP               ksp;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(SameAsNew(ksp, options, CYCLES, "first values"));
  g.seed = 2;
  PetscCall(CycleFill(g, A));
  PetscCall(SameAsNew(ksp, options, CYCLES, "other values"));
  PetscCall(MatScale(A, 1e-3));
  PetscCall(SameAsNew(ksp, options, CYCLES, "scaled"));
  PetscCall(MatSetValue(A, row, row + 1, -1e-6, ADD_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(SameAsNew(ksp, "-ksp_type gmres", TWO, "not symmetric"));
  PetscCall(KSPSetType(ksp, method));
  PetscCall(CycleFill(g, A));
  PetscCall(SameAsNew(ksp, options, CYCLES, "symmetric again"));
  for (PetscInt step : {(PetscInt)0, (PetscInt)1, g.n[0]}) { /* a coupling too, whose axis has the strength NaN when the boxes are chosen after the error */
    PetscCall(MatSetValue(A, row, row + step, std::nan(""), INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    for (int k = 0; k < 2; k++) PetscCall(ExpectError(PETSC_ERR_FP, "row " + std::to_string(row) + " of the matrix has an entry that is Inf or NaN", [&] { return KSPSetUp(ksp); }));
    PetscCall(CycleFill(g, A));
  }
  PetscCall(SameAsNew(ksp, options, CYCLES, "good again"));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solver, one matrix after another: of the same size on other grids, and after a reset of other sizes and storages */
static PetscErrorCode OtherGrids(const char method[])
{
  const std::string options = std::string("-ksp_type ") + method;
  KSP               ksp     = nullptr;

  PetscFunctionBeginUser;
  for (const CycleGrid &g : {
         CycleGrid{{36, 20, 1}},
         CycleGrid{{20, 36, 1}},
         CycleGrid{{9, 8, 10} },
         CycleGrid{{720, 1, 1}},
         CycleGrid{{30, 24, 1}, 1, true},
         CycleGrid{{41, 23, 1}      },
         CycleGrid{{5, 4, 1}},
         CycleGrid{{11, 12, 13}  }
  }) {
    for (bool single : {false, true}) {
      Mat      A;
      PetscInt n = g.Cells(), old = n;
      if (single && g.closed) continue;
      PetscCall(CycleMat(g, &A, false, single));
      if (!ksp) PetscCall(CycleKSP(A, options, &ksp));
      Mat before;
      PetscCall(KSPGetOperators(ksp, &before, nullptr));
      PetscCall(MatGetSize(before, &old, nullptr));
      if (n != old) PetscCall(KSPReset(ksp));
      PetscCall(KSPSetOperators(ksp, A, A));
      PetscCall(SameAsNew(ksp, options, CYCLES, CycleName(g) + ", after another matrix"));
      PetscCall(MatDestroy(&A));
    }
  }
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two solvers that are used alternately do what each does alone */
static PetscErrorCode Alternately()
{
  const CycleGrid grids[2] = {
    {{33, 21, 1}},
    { {13, 9, 11},        1e6}
  };
  Mat       A[2];
  KSP       ksp[2];
  Vec       alone[2], y;
  PetscBool same;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(CycleMat(grids[k], &A[k]));
    PetscCall(CycleKSP(A[k], "", &ksp[k]));
    PetscCall(Applied(ksp[k], &alone[k]));
  }
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < 2; k++) {
      PetscCall(CheckSolve(ksp[k], "alternately"));
      PetscCall(Applied(ksp[1 - k], &y));
      PetscCall(VecEqual(y, alone[1 - k], &same));
      PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Two preconditioners disturb each other");
      PetscCall(VecDestroy(&y));
    }
  }
  for (int k = 0; k < 2; k++) PetscCall(Destroy(&alone[k], &ksp[k], &A[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A choice after a solve counts in the next, in options and in calls */
static PetscErrorCode LaterChoices(const char key[], const char value[], const char words[], PetscInt n = 30)
{
  const std::string all = std::string(key) + " " + value;
  Mat               A;
  KSP               ksp;
  Vec               y[2];
  PetscBool         same;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(
    {
      {n, n - 2, 1}
  },
    &A));
  PetscCall(CycleKSP(A, "", &ksp));
  PetscCall(SameAsNew(ksp, "", CYCLES, "before " + all));
  PetscCall(Applied(ksp, &y[0]));
  PetscCall(PetscOptionsSetValue(nullptr, key, value));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(SameAsNew(ksp, all, words, "after " + all));
  PetscCall(Applied(ksp, &y[1]));
  PetscCall(VecEqual(y[0], y[1], &same));
  PetscCheck(!same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s changes nothing after a solve", all.c_str());
  PetscCall(Destroy(&y[0], &y[1], &ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The inner preconditioner chosen by the program, after a solve too, and dpcg, which needs it */
static PetscErrorCode Inner()
{
  Mat A;
  KSP ksp;
  PC  pc, inner;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(
    {
      {30, 28, 1}
  },
    &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(CycleKSP(A, "", &ksp));
  PetscCall(SameAsNew(ksp, "", CYCLES, "before an inner preconditioner"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSubdeflationGetPC(pc, &inner));
  PetscCall(PCSetType(inner, PCJACOBI));
  PetscCall(SameAsNew(ksp, "-pc_subdeflation_pc_type jacobi", ASKED, "after an inner preconditioner"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(CycleKSP(A, "-ksp_type dpcg", &ksp));
  PetscCall(SameAsNew(ksp, "-ksp_type dpcg", ASKED, "dpcg"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(CycleKSP(A, "", &ksp));
  PetscCall(SameAsNew(ksp, "", CYCLES, "before dpcg"));
  PetscCall(KSPSetType(ksp, "dpcg"));
  PetscCall(SameAsNew(ksp, "-ksp_type dpcg", ASKED, "dpcg after cg"));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficients whose squares, or which themselves, float cannot hold; the first cell's is the smallest */
static PetscErrorCode Contrast(PetscReal contrast)
{
  CycleGrid g = CycleGrid{
    {24, 20, 1}
  };
  Mat      A;
  KSP      ksp;
  PetscInt its;

  PetscFunctionBeginUser;
  g.contrast = contrast;
  while (g.Coefficient(0) == 1) g.seed++;
  PetscCall(CycleMat(g, &A));
  PetscCall(CycleKSP(A, "", &ksp));
  PetscCall(CheckSolve(ksp, "a large contrast", &its));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dpcg takes two levels also from a preconditioner that it gets after its own set-up */
static PetscErrorCode Anew()
{
  Mat      A;
  KSP      ksp;
  PC       pc;
  PetscInt its;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(
    {
      {30, 20, 1}
  },
    &A, true));
  PetscCall(CycleKSP(A, "-ksp_type dpcg", &ksp));
  PetscCall(CheckSolve(ksp, "dpcg", &its));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(PCSetType(pc, PCSUBDEFLATION));
  PetscCall(CheckSolve(ksp, "dpcg with another preconditioner", &its));
  PetscCall(CheckView(pc, {"variant adef2"}));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view says which axes are not coarsened, on which levels, and why */
static PetscErrorCode Axes()
{
  Mat       A;
  KSP       ksp;
  PC        pc;
  PetscInt  its;
  CycleGrid g = {
    {24, 32, 8}
  };

  PetscFunctionBeginUser;
  g.along[2] = 1e-4;
  PetscCall(CycleMat(g, &A));
  PetscCall(CycleKSP(A, "", &ksp));
  PetscCall(CheckSolve(ksp, "weak couplings along an axis", &its));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {CYCLES, "level 2: 6 x 8 x 8 cells", "axis 3 is not coarsened on levels 0 to 2: its couplings are 9e-05 to 0.00036 of the strongest (-pc_subdeflation_axis_strength 0.25)"}));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type auto is the default, and takes an earlier choice back */
static PetscErrorCode Auto()
{
  const CycleGrid g = {
    {30, 28, 1}
  };
  Mat A;
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CycleKSP(A, "-pc_subdeflation_type auto", &ksp));
  PetscCall(SameAsNew(ksp, "", CYCLES, "the type auto"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSubdeflationSetType(pc, HEPTA_SUBDEFLATION_STRIPES));
  PetscCall(SameAsNew(ksp, "-pc_subdeflation_type stripes", "subdomains stripes", "stripes after auto"));
  PetscCall(PCSubdeflationSetType(pc, HEPTA_SUBDEFLATION_AUTO));
  PetscCall(SameAsNew(ksp, "", CYCLES, "auto after stripes"));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  for (const char *method : {KSPCG, "fusedcg"}) {
    for (PetscInt n : {13, 40})
      PetscCall(Values(
        {
          {n, n + 2, 1}
      },
        method));
    PetscCall(OtherGrids(method));
  }
  PetscCall(Alternately());
  PetscCall(LaterChoices("-pc_subdeflation_overcorrection", "1.3", CYCLES));
  PetscCall(LaterChoices("-pc_subdeflation_cycle_type", "w", "W-cycle over", 60));
  PetscCall(LaterChoices("-pc_subdeflation_smoother", "jacobi", "damped jacobi"));
  PetscCall(LaterChoices("-pc_subdeflation_levels", "3", "V-cycle over 3 levels"));
  PetscCall(LaterChoices("-pc_subdeflation_cycle_storage", "double", CYCLES));
  PetscCall(LaterChoices("-pc_subdeflation_variant", "adef2", ASKED));
  PetscCall(LaterChoices("-pc_subdeflation_type", "stripes", "subdomains stripes"));
  PetscCall(LaterChoices("-pc_subdeflation_size", "4", ASKED));
  PetscCall(LaterChoices("-pc_subdeflation_coarse", "cholesky", ASKED));
  PetscCall(LaterChoices("-pc_subdeflation_coarse_storage", "single", ASKED));
  PetscCall(LaterChoices("-pc_subdeflation_pc_type", "jacobi", ASKED));
  PetscCall(LaterChoices("-pc_subdeflation_pc_type", "ip", ASKED));
  PetscCall(Inner());
  PetscCall(Anew());
  PetscCall(Auto());
  PetscCall(Axes());
  for (PetscReal contrast : {1e30, 1e45}) PetscCall(Contrast(contrast)); /* the second is taken in double */
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
