static char help[] = "Choices for the cycle over levels of matrices and for two levels: what is the default for which matrix, choices after a solve, choices that clash.\n\n";

#include "cycle_same.h"
#include "failure.h"

static const char CYCLES[] = "V-cycle over", ASKED[] = "subdomains boxes, variant";

/* Where a grid is known a cycle is the default for symmetric 5- and 7-point operators; the view says why it is not for others */
static PetscErrorCode Defaults()
{
  const struct {
    PetscInt    i, j; /* an entry that is added */
    PetscReal   v;
    bool        both;
    const char *words;
  } edits[] = {
    {0,  0,  0,    false, CYCLES                                                                                            },
    {42, 43, -0.1, false, "two levels in place of a cycle, because the matrix is not symmetric"                             },
    {42, 42, -1,   false, "because row 42 is not diagonally dominant or has more than 7 entries"                            },
    {42, 99, -0.1, true,  "because row 42 is not diagonally dominant or has more than 7 entries"                            },
  };
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  for (const auto &e : edits) {
    PetscCall(SetOptions(""));
    PetscCall(CycleAIJ({{20, 17, 1}}, &A));
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatSetValue(A, e.i, e.j, e.v, ADD_VALUES));
    if (e.both) PetscCall(MatSetValue(A, e.j, e.i, e.v, ADD_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    for (const char *asked : {"", " -pc_subdeflation_variant cycle"}) {
      PetscCall(CyclePC(A, std::string("-pc_subdeflation_grid 20,17") + asked, &pc));
      PetscCall(PCSetUp(pc));
      PetscCall(CheckView(pc, {*asked ? CYCLES : e.words}));
      PetscCall(PCDestroy(&pc));
    }
    PetscCall(MatDestroy(&A));
  }
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_SELF, 7, 5, 9, 2, 1, TestType(), &A));
  PetscCall(CyclePC(A, "", &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckView(pc, {"two levels in place of a cycle, because the block size is 2"}));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A choice after a solve counts in the next, in options and in calls; n (n - 2) cells are two levels or more on a device too, whose last level is larger */
static PetscErrorCode LaterChoices(const char key[], const char value[], const char words[], PetscInt n = 60)
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
  PetscCall(Refused(A, PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_levels 1", "With -pc_subdeflation_levels 1 the last level has 6400 unknowns, which are too many for a dense inverse: take more levels"));
  PetscCall(Refused(A, PETSC_ERR_ARG_OUTOFRANGE, cycle + "-pc_subdeflation_size 1", "-pc_subdeflation_size 1 for level 0 of the cycle: its boxes must have at least 2 cells a side"));
  PetscCall(Refused(A, PETSC_ERR_ARG_OUTOFRANGE, cycle + "-pc_subdeflation_size 2,1", "-pc_subdeflation_size 1 for level 1 of the cycle"));
  PetscCall(Refused(A, PETSC_ERR_SUP, cycle + "-pc_subdeflation_type vectors", "The variant cycle sums rows over subdomains, not over vectors"));
  PetscCall(Refused(A, PETSC_ERR_SUP, "-pc_subdeflation_type strength -pc_subdeflation_variant adef2", "-pc_subdeflation_type strength has aggregates for many levels, and the variant adef2 has two"));
  PetscCall(Refused(A, PETSC_ERR_SUP, "-pc_subdeflation_type strength -pc_subdeflation_size 3", "-pc_subdeflation_type strength finds aggregates of its own: leave -pc_subdeflation_size and -pc_subdeflation_count out"));
  PetscCall(Refused(A, PETSC_ERR_SUP, "-pc_subdeflation_type strength -pc_subdeflation_coarse ksp", "The variant cycle has a dense inverse on its last level"));
  PetscCall(Refused(A, PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_type strength -pc_subdeflation_levels 1", "With -pc_subdeflation_levels 1 the last level has 6400 unknowns, which are too many for a dense inverse: take more levels"));
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

/* The coarse problem of boxes solved by multigrid on these boxes, whose grid the coarse matrix knows */
static PetscErrorCode CoarseGridmg()
{
  Mat A;
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(
    {
      {80, 72, 1}
  },
    &A));
  PetscCall(CycleKSP(A, "-ksp_type fgmres -pc_subdeflation_size 4 -pc_subdeflation_coarse ksp -pc_subdeflation_coarse_pc_type gridmg", &ksp));
  PetscCall(CheckSolve(ksp, "a coarse gridmg"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {"V-cycle over 2 levels of nested boxes, 2 red-black sweeps", "level 0: 20 x 18 x 1 cells"}));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  PetscCall(Defaults());
  PetscCall(LaterChoices("-pc_subdeflation_overcorrection", "1.3", CYCLES));
  PetscCall(LaterChoices("-pc_subdeflation_cycle_type", "w", "W-cycle over", 120));
  PetscCall(LaterChoices("-pc_subdeflation_smoother", "jacobi", "damped jacobi"));
  PetscCall(LaterChoices("-pc_subdeflation_levels", "4", "V-cycle over 4 levels"));
  PetscCall(LaterChoices("-pc_subdeflation_variant", "adef2", ASKED));
  PetscCall(LaterChoices("-pc_subdeflation_type", "stripes", "subdomains stripes"));
  for (const char *key : {"-pc_subdeflation_size 4", "-pc_subdeflation_coarse cholesky", "-pc_subdeflation_coarse_storage single", "-pc_subdeflation_pc_type jacobi"}) {
    const std::string all = key, name = all.substr(0, all.find(' ')), value = all.substr(all.find(' ') + 1);
    PetscCall(LaterChoices(name.c_str(), value.c_str(), ASKED));
  }
  PetscCall(Inner());
  PetscCall(Anew());
  PetscCall(Auto());
  PetscCall(Options());
  PetscCall(Granted());
  PetscCall(Unsymmetric());
  PetscCall(CoarseGridmg());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
