static char help[] = "Where the cycle over nested boxes does not fit: two levels by default, an error where it is asked for; options that are refused.\n\n";

#include "cycle_refused.h"

static PetscErrorCode Values()
{
  const CycleGrid g{
    {20, 17, 1}
  },
    narrow{{2, 170, 1}}, cube{{7, 6, 8}};

  PetscFunctionBeginUser;
  PetscCall(Edited(
    g, [](Mat A) { return MatSetValue(A, 137, 137, -0.5, INSERT_VALUES); }, "the diagonal entry of row 137 is not positive"));
  PetscCall(Edited(
    g, [](Mat A) { return MatSetValue(A, 0, 0, -0.5, INSERT_VALUES); }, "the diagonal entry of row 0 is not positive"));
  PetscCall(Edited(
    g, [](Mat A) { return MatSetValue(A, 42, 43, -0.7, INSERT_VALUES); }, "the matrix is not symmetric: see row 42"));
  PetscCall(Edited(
    g, [](Mat A) { return MatSetValue(A, 62, 42, -0.7, INSERT_VALUES); }, "the matrix is not symmetric: see row 42"));
  PetscCall(Edited(
    g, [](Mat A) { return SetBoth(A, 59, 60, -0.001); }, "row 59 has a coupling over the end of a line of the grid"));
  PetscCall(Edited(
    cube, [](Mat A) { return SetBoth(A, 36, 43, -0.001); }, "row 36 has a coupling over the end of a line of the grid"));
  PetscCall(Edited(
    g, [](Mat A) { return SetBoth(A, 30, 51, -0.001); }, "the matrix couples cells that are not next to each other along an axis of the grid"));
  PetscCall(Edited(
    g, [](Mat A) { return SetBoth(A, 30, 49, -0.001); }, "the matrix couples cells that are not next to each other along an axis of the grid"));
  PetscCall(Edited(
    narrow, [](Mat A) { return SetBoth(A, 31, 32, -0.001); }, "row 31 has a coupling over the end of a line of the grid")); /* a corner of 9 points */
  PetscCall(Edited(
    {
      {400, 1, 1}
  },
    [](Mat A) { return SetBoth(A, 10, 12, -0.001); }, "the matrix couples cells that are not next to each other along an axis of the grid"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 9 points on 20 x 17 cells */
static PetscErrorCode NinePoints(Mat A)
{
  const PetscInt n[2] = {20, 17};

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < n[0] * n[1]; i++) {
    for (PetscInt dy = -1; dy <= 1; dy++) {
      for (PetscInt dx = -1; dx <= 1; dx++) {
        const PetscInt x = i % n[0] + dx, y = i / n[0] + dy;
        if (x >= 0 && x < n[0] && y >= 0 && y < n[1]) PetscCall(MatSetValue(A, i, x + n[0] * y, dx || dy ? -1 : 8.5, INSERT_VALUES));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Structures()
{
  const CycleGrid g{
    {20, 17, 1}
  };
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(Edited(g, NinePoints, "the matrix couples cells that are not next to each other along an axis of the grid"));
  PetscCall(SetOptions(""));
  PetscCall(CycleAIJ(g, &A));
  for (const char *options : {"", "-pc_subdeflation_variant cycle"}) { /* without a grid levels of matrices are the default */
    PetscCall(CyclePC(A, options, &pc));
    PetscCall(PCSetUp(pc));
    PetscCall(CheckView(pc, {"W-cycle over 2 levels of aggregates of strongly coupled rows, ip 1 before", "because no grid is known (-pc_subdeflation_grid, a DMDA, or -mat_bdia_grid)", "ip because all rows are diagonally dominant"}));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_SELF, 7, 5, 9, 1, 1, TestType(), &A)); /* full diagonals */
  PetscCall(Falls(A, "row 6 has a coupling over the end of a line of the grid"));
  PetscCall(MatDestroy(&A));
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_SELF, 7, 5, 9, 2, 1, TestType(), &A));
  PetscCall(Falls(A, "the block size is 2"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A box of the second level with a negative sum; a matrix that does not fit block diagonals */
static PetscErrorCode Others()
{
  CycleGrid g{
    {30, 20, 1},
    1
  };
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  g.closed = true;
  PetscCall(CycleMat(g, &A));
  for (PetscInt i : {62, 63, 92, 93}) PetscCall(MatSetValue(A, i, i, 1.9, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle", &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckView(pc, {"because the matrix is not positive definite: the sum of its entries over box 16 of a level is negative"}));
  PetscCall(Destroy(&pc, &A));
  PetscCall(CycleAIJ(g, &A));
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle -pc_subdeflation_grid 30,20 -mat_bdia_max_offsets 3", &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckView(pc, {"because the matrix does not fit block diagonals", "level 0: 600 rows, 30 x 20 x 1 cells, seqbrow"}));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of options in the set-up; those that come where options are read are in CMakeLists.txt, because PETSc leaks then */
static PetscErrorCode Refused(Mat A, PetscErrorCode code, const std::string &options, const std::string &words)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CyclePC(A, options, &pc));
  for (int twice = 0; twice < 2; twice++) PetscCall(ExpectError(code, words, [&] { return PCSetUp(pc); }));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options()
{
  const std::string cycle = "-pc_subdeflation_variant cycle ";
  Mat               A;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(CycleMat(
    {
      {80, 80, 1}
  },
    &A));
  PetscCall(Refused(A, PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_levels 1", "With -pc_subdeflation_levels 1 the last level has 6400 cells, which are too many for a dense inverse: take more levels"));
  PetscCall(Refused(A, PETSC_ERR_ARG_OUTOFRANGE, cycle + "-pc_subdeflation_size 1", "-pc_subdeflation_size 1 for level 0 of the cycle: its boxes must have at least 2 cells a side"));
  PetscCall(Refused(A, PETSC_ERR_ARG_OUTOFRANGE, cycle + "-pc_subdeflation_size 2,1", "-pc_subdeflation_size 1 for level 1 of the cycle"));
  PetscCall(Refused(A, PETSC_ERR_SUP, cycle + "-pc_subdeflation_type vectors", "The variant cycle sums rows over subdomains, not over vectors"));
  PetscCall(Refused(A, PETSC_ERR_SUP, "-pc_subdeflation_type strength -pc_subdeflation_variant adef2", "-pc_subdeflation_type strength has aggregates for many levels, and the variant adef2 has two"));
  PetscCall(Refused(A, PETSC_ERR_SUP, "-pc_subdeflation_type strength -pc_subdeflation_size 3", "-pc_subdeflation_type strength finds aggregates of its own: leave -pc_subdeflation_size and -pc_subdeflation_count out"));
  PetscCall(Refused(A, PETSC_ERR_SUP, "-pc_subdeflation_type strength -pc_subdeflation_coarse ksp", "The variant cycle has a dense inverse on its last level"));
  PetscCall(Refused(A, PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_type strength -pc_subdeflation_levels 1", "With -pc_subdeflation_levels 1 the last level has 6400 unknowns, which are too many for a dense inverse: take more levels"));
  PetscCall(Refused(A, PETSC_ERR_ARG_OUTOFRANGE, cycle + "-pc_subdeflation_smoother sor -pc_subdeflation_size 1", "-pc_subdeflation_size 1 for level 0 of the cycle: its boxes must have at least 2 cells a side"));
  PetscCall(Refused(A, PETSC_ERR_SUP, cycle + "-pc_subdeflation_coarse ksp", "The variant cycle has a dense inverse on its last level, not -pc_subdeflation_coarse ksp"));
  PetscCall(Refused(A, PETSC_ERR_SUP, cycle + "-pc_subdeflation_coarse_storage single", "The variant cycle has a dense inverse in double on its last level, not -pc_subdeflation_coarse_storage single"));
  PetscCall(Refused(A, PETSC_ERR_SUP, cycle + "-pc_subdeflation_pc_type jacobi", "The variant cycle has no inner preconditioner, so no jacobi"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Choices of what the cycle has anyway are no errors */
static PetscErrorCode Granted()
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(CycleMat(
    {
      {80, 80, 1}
  },
    &A));
  for (const char *options : {"-pc_subdeflation_coarse inverse", "-pc_subdeflation_coarse_storage double", "-pc_subdeflation_pc_type ip", "-pc_subdeflation_pc_type jacobi -pc_subdeflation_smoother jacobi"}) {
    for (const char *type : {"boxes", "strength"}) {
      PC pc;
      PetscCall(CyclePC(A, std::string("-pc_subdeflation_variant cycle -pc_subdeflation_type ") + type + " " + options, &pc));
      PetscCall(PCSetUp(pc));
      PetscCall(CheckView(pc, {"-cycle over"}));
      PetscCall(PCDestroy(&pc));
    }
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Methods that would report less than their true residual, or break down, with a cycle in float */
static PetscErrorCode InDouble(const CycleGrid &g)
{
  Mat      A;
  KSP      ksp;
  PC       pc;
  PetscInt its;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  for (const char *method : {"gmres -ksp_pc_side right", "bcgs -ksp_pc_side right", "fusedbcgs -ksp_pc_side right", "pipecg", "groppcg"}) {
    PetscCall(CycleKSP(A, std::string("-ksp_type ") + method, &ksp));
    PetscCall(CheckSolve(ksp, method, &its));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(CheckView(pc, {"V-cycle over", "in double"}));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other steps before than after a correction: refused in methods that need symmetry, solved by others */
static PetscErrorCode Unsymmetric()
{
  Mat      A;
  KSP      ksp;
  Vec      x, b;
  PetscInt its;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(
    {
      {60, 58, 1}
  },
    &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(CycleRandom(b, 1));
  for (const char *method : {KSPCG, KSPFCG, KSPMINRES, "fusedcg"}) {
    PetscCall(CycleKSP(A, std::string("-pc_subdeflation_smooth_pre 2 -ksp_type ") + method, &ksp));
    PetscCall(ExpectError(PETSC_ERR_ARG_INCOMP, std::string("KSP ") + method + " needs a symmetric preconditioner, which the cycle is not with -pc_subdeflation_smooth_pre 2 and -pc_subdeflation_smooth_post 1", [&] { return KSPSolve(ksp, b, x); }));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(CycleKSP(A, "-pc_subdeflation_smooth_pre 2 -ksp_type gmres", &ksp));
  PetscCall(CheckSolve(ksp, "gmres with two steps before a correction", &its));
  PetscCall(Destroy(&ksp, &x, &b, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  PetscCall(InDouble({
    {40, 30, 1}
  }));
  PetscCall(Values());
  PetscCall(Structures());
  PetscCall(Others());
  PetscCall(Options());
  PetscCall(Granted());
  PetscCall(Unsymmetric());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
