static char help[] = "Multigrid on boxes of a grid in solves: shapes, singular matrices, changed values, what is refused.\n\n";

#include <cmath>

#include "cycle_refused.h"
#include "cycle_same.h"

static const char GRIDMG[] = "-pc_type gridmg ";

/* Solves with cg and fusedcg, in at most `most` iterations; the view has the words */
static PetscErrorCode Solves(Mat A, const std::string &what, PetscInt most, const char words[], const std::string &options = "")
{
  PetscFunctionBeginUser;
  for (const char *method : {KSPCG, "fusedcg"}) {
    KSP      ksp;
    PC       pc;
    PetscInt its;
    PetscCall(CycleKSP(A, std::string(GRIDMG) + "-ksp_type " + method + " " + options, &ksp));
    PetscCall(CheckSolve(ksp, what + ", " + method, &its));
    PetscCheck(its <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s: %" PetscInt_FMT " iterations, more than %" PetscInt_FMT,
               what.c_str(), method, its, most);
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(CheckView(pc, {words}));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shapes()
{
  static const struct {
    PetscInt n[3], most;
  } shapes[] = {{{1, 1, 1}, 1},    {{2, 1, 1}, 2},     {{257, 1, 1}, 30},  {{1, 1, 600}, 85},
                {{17, 16, 1}, 12}, {{53, 31, 1}, 18},  {{131, 67, 1}, 28}, {{70, 1, 45}, 19},
                {{3, 90, 2}, 9},   {{13, 11, 17}, 12}, {{2, 2, 130}, 8},   {{32, 32, 8}, 13}};

  PetscFunctionBeginUser;
  for (const auto &s : shapes) {
    for (bool half : {false, true}) {
      Mat             A;
      const CycleGrid g{{s.n[0], s.n[1], s.n[2]}};
      PetscCall(CycleMat(g, &A, half));
      PetscCall(Solves(A, CycleName(g) + (half ? ", half" : ""), s.most, "in single, couplings in bf16"));
      PetscCall(MatDestroy(&A));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without flow through the boundary, with a null space given and without, at high contrast */
static PetscErrorCode Singular()
{
  /* of 1e7 single keeps no digit of the smaller couplings */
  const CycleGrid g{{45, 38, 1}, PetscDefined(USE_REAL_SINGLE) ? 1e3 : 1e7, true};
  Mat             A;
  MatNullSpace    constants;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(Solves(A, "closed", 40, "couplings in bf16"));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, nullptr, &constants));
  PetscCall(MatSetNullSpace(A, constants));
  PetscCall(Solves(A, "closed, null space given", 40, "couplings in bf16"));
  PetscCall(Destroy(&constants, &A));
  PetscCall(RefusesNullSpaces({{14, 15, 1}, 10, true}, GRIDMG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values count in the next solve; NaN is an error that names the row, and is forgotten */
static PetscErrorCode Values(CycleGrid g, const char method[])
{
  const std::string options = std::string(GRIDMG) + "-ksp_type " + method;
  const PetscInt    row     = g.Cells() / 2 + 1;
  Mat               A;
  KSP               ksp;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(SameAsNew(ksp, options, "V-cycle over", "first values"));
  g.seed = 2;
  PetscCall(CycleFill(g, A));
  PetscCall(SameAsNew(ksp, options, "V-cycle over", "other values"));
  PetscCall(MatScale(A, PetscDefined(USE_REAL_SINGLE) ? 1e-10 : 1e-30)); /* whose squares are PetscReals */
  PetscCall(SameAsNew(ksp, options, "V-cycle over", "scaled"));
  for (PetscInt step : {(PetscInt)0, (PetscInt)1, g.n[0]}) {
    PetscCall(MatSetValue(A, row, row + step, std::nan(""), INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(ExpectError(PETSC_ERR_FP,
                          "PC gridmg: row " + std::to_string(row) + " of the matrix has an entry that is Inf or NaN",
                          [&] { return KSPSetUp(ksp); }));
    PetscCall(CycleFill(g, A));
  }
  PetscCall(SameAsNew(ksp, options, "V-cycle over", "good again"));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Large couplings of both signs, which bf16 would round by more than the diagonal has; a matrix out of a float's range; gmres */
static PetscErrorCode Storages()
{
  const CycleGrid g{{18, 17, 1}, 1};
  Mat             A;
  KSP             ksp;
  PC              pc;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  for (int side = 0; side < 2; side++) { /* the diagonal entry of row 40 stays small beside its couplings with rows 39 and 41 */
    PetscCall(SetBoth(A, 40, side ? 41 : 39, side ? 601.7 : -600));
    PetscCall(MatSetValue(A, side ? 41 : 39, side ? 41 : 39, 1e6, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Solves(A, "both signs", 40, "over-correction 2., in single\n"));
  if (!PetscDefined(USE_REAL_SINGLE)) { /* which has no such numbers */
    PetscCall(CycleFill(g, A));
    PetscCall(MatSetValue(A, 40, 40, 1e60, ADD_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(Solves(A, "large", 40, "in double"));
  }
  PetscCall(CycleFill(g, A));
  PetscCall(CycleKSP(A, std::string(GRIDMG) + "-ksp_type gmres", &ksp));
  PetscCall(CheckSolve(ksp, "gmres"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {"in double"}));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inside another preconditioner the method is not known, and gmres would report less than its true residual */
static PetscErrorCode Inside()
{
  Mat A;
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CycleAIJ(CycleGrid{{12, 11, 1}}, &A));
  PetscCall(CycleKSP(
    A, "-ksp_type gmres -ksp_pc_side right -pc_type composite -pc_composite_pcs gridmg -sub_0_pc_gridmg_grid 12,11", &ksp));
  PetscCall(CheckSolve(ksp, "composite"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {"V-cycle over", "in double"}));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The setters, before and after a set-up, and what they refuse */
static PetscErrorCode Setters()
{
  Mat A;
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CycleAIJ(CycleGrid{{12, 11, 1}}, &A));
  PetscCall(CycleKSP(A, "", &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGridMGSetGrid(pc, 12, 11, 1));
  PetscCall(CheckSolve(ksp, "a grid that is set"));
  PetscCall(CheckView(pc, {"2 red-black sweeps before and after", "level 0: 12 x 11 x 1 cells"}));
  PetscCall(PCGridMGSetSweeps(pc, 1));
  PetscCall(CheckSolve(ksp, "sweeps that are set"));
  PetscCall(CheckView(pc, {"1 red-black sweep before and after"}));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "the grid 12 x 0 x 1 must have positive numbers of cells",
                        [&] { return PCGridMGSetGrid(pc, 12, 0, 1); }));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "the sweeps 3 must be 1 or 2", [&] { return PCGridMGSetSweeps(pc, 3); }));
  PetscCall(PCGridMGSetGrid(pc, 11, 11, 1));
  PetscCall(ExpectError(PETSC_ERR_ARG_SIZ, "has 121 cells, but the matrix has 132 rows", [&] { return KSPSetUp(ksp); }));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refused()
{
  const CycleGrid g{{12, 11, 1}};
  Mat             A;

  PetscFunctionBeginUser;
  PetscCall(CycleAIJ(g, &A));
  PetscCall(Refuses(A, "no grid is known (-pc_gridmg_grid, a DMDA, or -mat_bdia_grid)"));
  PetscCall(Refuses(A, "the matrix couples cells that are not next to each other", "-pc_gridmg_grid 11,12"));
  PetscCall(Solves(A, "aij and an option", 12, "V-cycle over", "-pc_gridmg_grid 12,11"));
  PetscCall(MatSetValue(A, 30, 31, -1e-3, ADD_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Refuses(A, "the matrix is not symmetric: see row 30", "-pc_gridmg_grid 12,11"));
  PetscCall(MatScale(A, -1));
  PetscCall(Refuses(A, "the diagonal entry of row 0 is not positive", "-pc_gridmg_grid 12,11"));
  PetscCall(MatDestroy(&A));
  PetscCall(CycleMat({{21, 19, 1}, 1}, &A));
  PetscCall(MatShift(A, -0.5));
  PetscCall(Refuses(A, "the matrix is not positive definite"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  if (!TestQuick()) PetscCall(Shapes());
  PetscCall(Singular());
  for (const char *method : {KSPCG, "fusedcg"}) {
    PetscCall(Values({{33, 28, 1}}, method));
    PetscCall(Values({{9, 12, 11}}, method));
  }
  PetscCall(Storages());
  PetscCall(Inside());
  PetscCall(Setters());
  PetscCall(Refused());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
