static char help[] = "Iterations of the cycle over levels of matrices, where boxes are wrong, with blocks and without symmetry.\n\n";

#include "cycle_grid.h"
#include "failure.h"
#include "levels_dense.h"
#include "media.h"

/* A true residual of 1e-8 in `least` to `most` iterations */
static PetscErrorCode Iterations(Mat A, const std::string &options, const char words[], PetscInt least, PetscInt most, const std::string &what)
{
  KSP      ksp;
  PC       pc;
  PetscInt its;

  PetscFunctionBeginUser;
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-8, 1e-300, 1e10, 3000));
  PetscCall(CheckSolve(ksp, what, &its));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {words}));
  PetscCheck(its >= least && its <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations, not %" PetscInt_FMT " to %" PetscInt_FMT ", with %s", what.c_str(), its, least, most, options.c_str());
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const std::string cg = "-ksp_type cg -ksp_norm_type unpreconditioned ", gmres = "-ksp_type gmres -ksp_pc_side right ", cycle = "-pc_subdeflation_variant cycle ";

/* Where rows are put together by strength boxes need more iterations, but on a smooth field; two levels more than these everywhere */
static PetscErrorCode Strength()
{
  const char boxes[] = "levels of nested boxes", strong[] = "of aggregates of strongly coupled rows", two[] = "variant adef2", grid[] = " -pc_subdeflation_grid 256,256";
  const struct {
    const char *name;
    Coefficient c;
    PetscInt    strength, boxes, two; /* iterations */
  } problems[] = {
    {"thin channels",     Channels, 19, 54,  115},
    {"independent cells", Cells,    92, 104, 271},
    {"smooth field",      Field,    19, 13,  31 },
    {"disk",              Disk,     13, 13,  37 },
  };
  Mat A;

  PetscFunctionBeginUser;
  for (const auto &p : problems) {
    PetscCall(MediumMat(PETSC_COMM_SELF, 256, p.c, 0, &A));
    PetscCall(Iterations(A, cg + "-pc_subdeflation_type strength", strong, 1, p.strength + 3, p.name));
    PetscCall(Iterations(A, cg + "-pc_subdeflation_cycle_type w" + grid, boxes, p.boxes - 3, p.boxes + 3, p.name));
    PetscCall(Iterations(A, cg + "-pc_subdeflation_variant adef2" + grid, two, p.two - 8, p.two + 8 + p.two / 20, p.name));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More couplings in one direction: the wind */
static PetscErrorCode Wind()
{
  const char wind[] = "levels of nested boxes, ip 1 before", grid[] = " -pc_subdeflation_grid 128,128";
  Mat        A;

  PetscFunctionBeginUser;
  PetscCall(MediumMat(PETSC_COMM_SELF, 128, Same, 0.2, &A));
  PetscCall(Iterations(A, gmres + cycle + grid, wind, 1, 31, "wind"));
  PetscCall(Iterations(A, gmres + cycle + "-pc_subdeflation_overcorrection 1.4 -pc_subdeflation_cycle_type w" + grid, wind, 1, 21, "wind"));
  PetscCall(Iterations(A, gmres + cycle + "-pc_subdeflation_smoother ilu" + grid, "levels of nested boxes, ilu 1 before", 1, 31, "wind"));
  PetscCall(Iterations(A, gmres + "-pc_subdeflation_type strength", "of aggregates", 1, 22, "wind"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks on grids, with couplings over the ends of lines and without */
static PetscErrorCode Blocks()
{
  Mat A;

  PetscFunctionBeginUser;
  for (PetscInt bs : {1, 2, 4}) {
    for (bool symmetric : {true, false}) {
      const LevelsCase s{
        {24, 20, 18},
        bs, true, symmetric, "bdia", 1, 1e-3
      };
      const std::string method = symmetric ? cg : gmres;
      PetscCall(SetOptions(""));
      PetscCall(LevelsMat(s, &A));
      PetscCall(Iterations(A, method + cycle + s.Grid(), "levels of nested boxes", 1, bs == 4 ? 11 : 19, s.Name()));
      PetscCall(Iterations(A, method + "-pc_subdeflation_type strength", "of aggregates", 1, bs == 4 ? 11 : 18, s.Name()));
      PetscCall(MatDestroy(&A));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Materials cut into boxes, stripes and parts of the graph as first level; other smoothers */
static PetscErrorCode Others()
{
  const std::string grid = " -pc_subdeflation_grid 128,128";
  const struct {
    const char *name;
    PetscInt    iterations, within;
  } types[] = {
    {"material",      125, 6                                                   },
    {"materialboxes", 13,  3                                                   },
    {"stripes",       41,  3                                                   },
    {"graph",         41,  20 /* as PETSc partitions without another package */}
  };
  const struct {
    const char *name;
    PetscInt    iterations;
  } smoothers[] = {
    {PCJACOBI,   17},
    {PCPBJACOBI, 17},
    {PCBLOCKIC,  11},
    {PCSOR,      10},
    {PCICC,      10}
  };
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(MediumMat(PETSC_COMM_SELF, 128, Disk, 0, &A));
  for (const auto &t : types) {
    const std::string words = std::string("aggregates: first the subdomains ") + t.name;
    PetscCall(Iterations(A, cg + cycle + "-pc_subdeflation_type " + t.name + grid, words.c_str(), t.iterations - t.within, t.iterations + t.within, t.name));
  }
  for (const auto &s : smoothers) PetscCall(Iterations(A, cg + "-pc_subdeflation_type strength -pc_subdeflation_smoother " + s.name, s.name, 1, s.iterations + 3, s.name));
  PetscCall(Iterations(A, cg + "-pc_subdeflation_smoother icc -pc_subdeflation_smoother_pc_factor_levels 2" + grid, "levels of nested boxes, icc 1 before and 1 after", 1, 9, "icc(2)"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  if (!TestQuick()) PetscCall(Strength());
  PetscCall(Wind());
  PetscCall(Blocks());
  PetscCall(Others());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
