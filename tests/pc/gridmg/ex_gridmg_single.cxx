static char help[] =
  "fusedcg in single precision with gridmg, beside the same in double: iterations, true residuals, kept solvers, "
  "what is in double.\n\n";

#include "gridmg_single.h"

static PetscErrorCode Shapes()
{
  static const PetscInt shapes[][3] = {{257, 1, 1}, {1, 1, 90},  {33, 28, 1}, {131, 6, 1},
                                       {30, 1, 19}, {9, 12, 11}, {3, 50, 2},  {2, 2, 2}};

  PetscFunctionBeginUser;
  for (const auto &n : shapes) {
    for (PetscReal contrast : {1., 1e3, 1e6}) {
      if (contrast > 1e3 && n[0] * n[1] * n[2] < 300)
        continue; /* nearly direct in double, but not in float: up to ten iterations more */
      for (bool half : {false, true}) {
        const CycleGrid   g{{n[0], n[1], n[2]}, contrast, false, 0, {1, 1, 1}, half ? 1e-20 : 1e7};
        const std::string what = CycleName(g) + ", contrast " + std::to_string(contrast);
        Mat               A;
        PetscCall(CycleMat(g, &A, half));
        for (const char *rtol : {"1e-4", "1e-8", "1e-11"}) {
          if (TestQuick() && strcmp(rtol, "1e-8")) continue;
          PetscCall(Compare(A, what, std::string("-ksp_rtol ") + rtol, 0, "in single, residuals replaced"));
        }
        PetscCall(Compare(A, what + ", natural", "-ksp_norm_type natural -pc_gridmg_storage single", 0.9,
                          "in single, residuals replaced"));
        PetscCall(MatDestroy(&A));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A singular matrix; one in other rows than block diagonals; other forms of the method */
static PetscErrorCode Others()
{
  const CycleGrid open{{27, 26, 1}};
  CycleGrid       g = open;
  Mat             A;
  MatNullSpace    constants;

  PetscFunctionBeginUser;
  g.closed = true;
  PetscCall(CycleMat(g, &A));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, nullptr, &constants));
  PetscCall(MatSetNullSpace(A, constants));
  PetscCall(Compare(A, "closed", "", 0, "in single, residuals replaced"));
  PetscCall(Compare(A, "closed, preconditioned", "-ksp_norm_type preconditioned -ksp_max_it 3 ", 0,
                    "in double, because each iteration removes a null space"));
  PetscCall(Destroy(&constants, &A));
  PetscCall(CycleAIJ(open, &A));
  PetscCall(Compare(A, "aij", "-pc_gridmg_grid 27,26", 0, "in single, residuals replaced"));
  PetscCall(MatDestroy(&A));
  PetscCall(CycleMat(open, &A));

  PetscCall(Compare(A, "flexible", "-ksp_fusedcg_flexible", 0, "in double, because so is this form of the method"));
  PetscCall(
    Compare(A, "single reduction", "-ksp_fusedcg_single_reduction", 0, "in double, because so is this form of the method"));
  PetscCall(Compare(A, "one iteration", "-ksp_max_it 1", 0, "in single, residuals replaced 1 times"));
  PetscCall(Compare(A, "more than float has", "-ksp_rtol 1e-15", 0, "in single, residuals replaced"));
  PetscCall(Compare(A, "in double", "-pc_gridmg_storage double", 0, "in double, because PC gridmg works in double"));
  PetscCall(Compare(A, "jacobi", "-pc_type jacobi", 0, "in double, because the preconditioner is not gridmg"));
  PetscCall(Compare(A, "no norm", "-ksp_norm_type none -ksp_max_it 9", 0, "in double, because no norm is tested"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Increments that make the residual larger in float are given up: the solves end as in double */
static PetscErrorCode Grown()
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(CycleMat({{10, 1, 1}, 1e5, true, 1e-9, {1, 1, 1}, 1, 1}, &A));
  for (const char *norm : {"preconditioned", "unpreconditioned"})
    PetscCall(
      Compare(A, "grown", std::string("-pc_gridmg_storage single -ksp_rtol 1e-12 -ksp_norm_type ") + norm, 0, "then in double"));
  PetscCall(MatDestroy(&A));
  PetscCall(CycleMat({{5, 1, 21}, 1, true, 1.85e-4}, &A));
  PetscCall(Compare(A, "nearly singular", "-ksp_norm_type preconditioned -ksp_rtol 1e-8", 0, "in single"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kept solver takes new values, and another matrix; its solves are those of a new one */
static PetscErrorCode Kept()
{
  KSP       ksp = nullptr;
  Mat       A, B;
  CycleGrid g{{40, 31, 1}};

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  g.n[0] = 25;
  PetscCall(CycleMat(g, &B));
  g.n[0] = 40;
  PetscCall(NewSolver(A, "", "single", &ksp));
  for (int step = 0; step < 5; step++) {
    Solved s[2];
    KSP    other;
    if (step == 1) g.seed = 2;
    if (step == 1) PetscCall(CycleFill(g, A));
    if (step == 2) PetscCall(MatScale(A, 1e5));
    if (step >= 3) PetscCall(KSPReset(ksp)); /* for a matrix of another size */
    PetscCall(KSPSetOperators(ksp, step == 3 ? B : A, step == 3 ? B : A));
    PetscCall(Solve(ksp, step * 0.2, &s[0]));
    PetscCall(NewSolver(step == 3 ? B : A, "", "single", &other));
    PetscCall(Solve(other, step * 0.2, &s[1]));
    PetscCheck(s[0].reason > 0 && s[0].its == s[1].its && s[0].truth == s[1].truth, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "step %d: %" PetscInt_FMT " iterations to %g, a new solver takes %" PetscInt_FMT " to %g", step, s[0].its,
               (double)s[0].truth, s[1].its, (double)s[1].truth);
    PetscCall(KSPDestroy(&other));
  }
  PetscCall(Destroy(&ksp, &A, &B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner that is kept while the values of a matrix change, which it has in another form: x is that of the new values */
static PetscErrorCode Reused()
{
  const CycleGrid g{{40, 31, 1}};
  KSP             ksp;
  Mat             A;
  Solved          s;

  PetscFunctionBeginUser;
  PetscCall(CycleAIJ(g, &A));
  PetscCall(NewSolver(A, "-pc_gridmg_grid 40,31", "single", &ksp));
  PetscCall(Solve(ksp, 0, &s));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  PetscCall(MatShift(A, 0.1));
  PetscCall(Solve(ksp, 0, &s));
  PetscCheck(s.reason > 0 && s.truth < 1e-4 * s.b && s.view.find("is that of earlier values") != std::string::npos,
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "reused: a true residual of %g, view\n%s", (double)(s.truth / s.b), s.view.c_str());
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kept solver takes values that differ from the transposed ones in rounding: the residual is that of the matrix itself */
static PetscErrorCode Rounded()
{
  Mat      A;
  Vec      scale;
  KSP      ksp;
  PetscInt n;
  Solved   s;

  PetscFunctionBeginUser;
  PetscCall(CycleMat({{40, 31, 1}}, &A));
  PetscCall(NewSolver(A, "-ksp_rtol 1e-11", "single", &ksp));
  PetscCall(Solve(ksp, 0, &s));
  PetscCall(MatCreateVecs(A, nullptr, &scale));
  PetscCall(VecGetSize(scale, &n));
  for (PetscInt i = 0; i < n; i++) PetscCall(VecSetValue(scale, i, 1 + 4e-12 * i, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(scale));
  PetscCall(VecAssemblyEnd(scale));
  PetscCall(MatDiagonalScale(A, scale, nullptr));
  PetscCall(Solve(ksp, 0, &s));
  PetscCheck(s.reason > 0 && s.truth < 1.01e-11 * s.b && s.view.find("in single, residuals") != std::string::npos,
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "rounded: a true residual of %g, view\n%s", (double)(s.truth / s.b),
             s.view.c_str());
  PetscCall(Destroy(&ksp, &scale, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count(KSP, PetscInt, PetscReal, void *count)
{
  PetscFunctionBeginUser;
  ++*(int *)count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A monitor of the program's finds the right x, so the iterations are in double; eigenvalues are those of double */
static PetscErrorCode Watched()
{
  const CycleGrid g{{40, 31, 1}};
  KSP             ksp;
  Mat             A;
  Solved          s;
  int             count = 0;
  PetscReal       most[2], least[2];

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(NewSolver(A, "", "single", &ksp));
  PetscCall(KSPMonitorSet(ksp, Count, &count, nullptr));
  PetscCall(Solve(ksp, 0, &s));
  PetscCheck(count == s.its + 1 && s.view.find("in double, because a monitor") != std::string::npos, PETSC_COMM_SELF,
             PETSC_ERR_PLIB, "%d calls of the monitor in %" PetscInt_FMT " iterations, view\n%s", count, s.its, s.view.c_str());
  PetscCall(KSPDestroy(&ksp));
  for (const char *norm : {"-ksp_norm_type unpreconditioned", "-ksp_norm_type preconditioned"}) {
    for (int single = 0; single < 2; single++) {
      PetscCall(NewSolver(A, norm, single ? "single" : "double", &ksp));
      PetscCall(KSPSetComputeSingularValues(ksp, PETSC_TRUE));
      PetscCall(Solve(ksp, 0, &s));
      PetscCall(KSPComputeExtremeSingularValues(ksp, &most[single], &least[single]));
      PetscCall(KSPDestroy(&ksp));
    }
    PetscCheck(PetscAbsReal(most[1] - most[0]) <= 1e-3 * most[0] && PetscAbsReal(least[1] - least[0]) <= 1e-2 * least[0],
               PETSC_COMM_SELF, PETSC_ERR_PLIB, "singular values %g to %g in single, %g to %g in double", (double)least[1],
               (double)most[1], (double)least[0], (double)most[0]);
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  PetscCall(Shapes());
  PetscCall(Others());
  PetscCall(Grown());
  PetscCall(Kept());
  PetscCall(Reused());
  PetscCall(Rounded());
  PetscCall(Watched());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
