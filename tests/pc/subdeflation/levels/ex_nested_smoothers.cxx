static char help[] = "The cycle over levels of matrices: smoothers by their options, couplings of any scale, copies with another block size.\n\n";

#include "cycle_same.h"
#include "failure.h"
#include "levels_dense.h"

static const std::string cycle = "-pc_subdeflation_variant cycle -pc_subdeflation_levels 3 ";

/* Options of the levels' smoothers count in the next solve, too, and give what a new solver does with them */
static PetscErrorCode LaterOptions()
{
  const LevelsCase s{
    {16, 15, 1}
  };
  const struct {
    const char *given, *later, *words;
  } changes[] = {
    {"-pc_subdeflation_smoother sor",                                                  "-pc_subdeflation_smoother_pc_sor_omega 1.3",   "sor 1 before"          },
    {"-pc_subdeflation_smoother sor",                                                  "-pc_subdeflation_smoother_pc_type jacobi",     "damped jacobi 1 before"},
    {"-pc_subdeflation_smoother jacobi -pc_subdeflation_smoother_pc_type pbjacobi",    "-pc_subdeflation_smoother_pc_type ilu",        ", ilu 1 before"        },
    {"-pc_subdeflation_smoother blockic -pc_subdeflation_smoother_pc_blockic_size 30", "-pc_subdeflation_smoother_pc_blockic_size 60", "blockic 1 before"      },
  };
  Mat       A;
  KSP       ksp;
  Vec       y[2];
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(LevelsMat(s, &A));
  for (const auto &c : changes) {
    const std::string before = "-ksp_type gmres " + cycle + s.Grid() + " " + c.given, after = before + " " + c.later;
    PetscCall(CycleKSP(A, before, &ksp));
    PetscCall(CheckSolve(ksp, before));
    PetscCall(Applied(ksp, &y[0]));
    PetscCall(SetOptions(after));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(SameAsNew(ksp, after, c.words, after));
    PetscCall(Applied(ksp, &y[1]));
    PetscCall(VecEqual(y[0], y[1], &same));
    PetscCheck(!same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s changes nothing", c.later);
    PetscCall(Destroy(&y[0], &y[1], &ksp));
  }
  PetscCall(Destroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Jacobi is damped by whichever option it was chosen */
static PetscErrorCode Damped()
{
  const LevelsCase s{
    {16, 15, 1}
  };
  Mat A;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(LevelsMat(s, &A));
  const std::string strength = "-ksp_type gmres -pc_subdeflation_type strength -pc_subdeflation_levels 2 ";
  PetscCall(CycleKSP(A, strength + "-pc_subdeflation_smoother_pc_type jacobi", &ksp));
  PetscCall(SameAsNew(ksp, strength + "-pc_subdeflation_smoother jacobi", "damped jacobi 1 before", "jacobi by the smoother's own option"));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Aggregates by strength depend on the couplings' ratios, not on their size */
static PetscErrorCode AnyScale()
{
  LevelsCase s{
    {40, 37, 1}
  };
  s.symmetric = true;
  s.shift     = 1e-3;
  PetscInt its[4];
  Mat      A;
  KSP      ksp;

  PetscFunctionBeginUser;
  for (int k = 0; k < 4; k++) {
    const PetscReal scales[] = {1, 1e-30, 1e-50, 1e40}, scale = sizeof(PetscReal) < 8 ? std::pow(scales[k], 0.2) : scales[k];
    PetscCall(SetOptions(""));
    PetscCall(LevelsMat(s, &A));
    PetscCall(MatScale(A, scale));
    PetscCall(CycleKSP(A, "-ksp_type cg -pc_subdeflation_type strength", &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-8, 0, 1e10, 1000));
    PetscCall(CheckSolve(ksp, "couplings of " + std::to_string(scale), &its[k]));
    PetscCheck(its[k] <= its[0] + 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " iterations with couplings of %g, %" PetscInt_FMT " with those of 1", its[k], (double)scale, its[0]);
    PetscCall(Destroy(&ksp, &A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells and subdomains are those of the matrix, and its copy in block diagonals has others */
static PetscErrorCode OtherBlocks()
{
  LevelsCase s{
    {24, 20, 1}
  };
  s.form = "aij";
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(LevelsMat(s, &A));
  for (const std::string &kind : {s.Grid(), std::string("-pc_subdeflation_type stripes -pc_subdeflation_count 30")}) {
    PetscCall(CyclePC(A, cycle + "-pc_subdeflation_smoother sor -mat_bdia_bs 2 " + kind, &pc));
    for (int k = 0; k < 2; k++) PetscCall(ExpectError(PETSC_ERR_SUP, "the matrix has block size 1 and its copy in block diagonals 2 (-mat_bdia_bs)", [&] { return PCSetUp(pc); }));
    PetscCall(Destroy(&pc));
  }
  PetscCall(Destroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  PetscCall(LaterOptions());
  PetscCall(Damped());
  PetscCall(AnyScale());
  PetscCall(OtherBlocks());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
