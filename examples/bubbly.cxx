static char help[] = "Solves the pressure equation of two-phase flow, -div((1/rho) grad p) = f, with bubbles that rise from time "
                     "step to time step.\n\n";

/*T
   Concepts: KSP^solving a Poisson equation with jumps; DMDA^cell-centered finite volumes; Mat^values by COO on the device
   Processors: n
T*/

/*
   A matrix whose values change in every time step: coefficients and entries are computed where the matrix type keeps its vectors,
   handed over by MatSetValuesCOO(), and the preconditioner is set up again. The first guess is the last solution, which where a
   cell has changed from gas to liquid may be a bad one: -guess 0 begins with zero. The right-hand side belongs to a random exact
   solution, a new one in every step, so that the error is known (-monitor_error prints it in each iteration), or with -rhs
   gravity to a fluid that gravity begins to move; -rhs constant is that of the exact solution 1, and -rhs ones is 1 itself. The
   exit code is 0 only when all solvers have converged in all steps and the true residual, computed without the matrix, confirms
   it.

   The problems channels (lines of one cell), cells (each for itself), field (waves) and layers (horizontal, of three cells) have
   the coefficients of rock between those of liquid and gas; they change slowly with time. In layers the coefficient also varies
   from cell to cell, with the logarithm's standard deviation 1, and along y it has the factor 0.001 (-vertical): as in model 2 of
   the SPE's tenth comparative project, whose data they are not.

   The problem interface is the matrix of Gupta's thesis: a row of cells lies on the interface between liquid and gas.

   Bubbles rise along y by one unit of length, the domain's width, in a unit of time; what leaves at the top enters at the bottom.

   Sample runs:
     bubbly
     bubbly -problem twophase -n 256 -fix -compare jacobi,icc,gamg
     bubbly -dim 3 -n 64 -problem bubbles -contrast 100 -plot bubbles
     bubbly -nbubbles 20 -seed 3 -n 256 -rhs gravity -steps 10 -dt 0.02 -vtk rising
     mpiexec -n 4 bubbly -dim 3 -n 128 -problem bubbles -steps 5 -compare gamg -compare_gamg_pc_gamg_reuse_interpolation
     bubbly -dim 3 -n 128 -problem bubbles -dm_mat_type bdiacuda -use_gpu_aware_mpi 0
*/
#include <hepta.h>
#include "bubbly_run.h"

typedef struct {
  PetscInt  steps, ncompare;
  PetscReal dt;
  PetscBool guess; /* the last solution is the first guess */
  PetscBool monitor_error;
  char      vtk[PETSC_MAX_PATH_LEN], plot[PETSC_MAX_PATH_LEN]; /* empty: not given */
  char     *compare[MAX_COMPARE];
} Options;

static PetscErrorCode OptionsGet(Options *o)
{
  PetscBool set;
  void (*found)(void);

  PetscFunctionBeginUser;
  *o = {1, MAX_COMPARE, 0.01, PETSC_TRUE, PETSC_FALSE, "", "", {}};
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Bubbly flow example", NULL);
  PetscCall(PetscOptionsInt("-steps", "time steps", NULL, o->steps, &o->steps, NULL));
  PetscCheck(o->steps >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-steps must be at least 1, not %" PetscInt_FMT,
             o->steps);
  PetscCall(PetscOptionsReal("-dt", "length of a time step", NULL, o->dt, &o->dt, NULL));
  PetscCheck(o->dt >= 0.0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-dt must not be negative, but is %g", (double)o->dt);
  PetscCall(PetscOptionsBool("-guess", "the last step's solution is the first guess; else zero", "KSPSetInitialGuessNonzero",
                             o->guess, &o->guess, NULL));
  PetscCall(PetscOptionsBool("-monitor_error", "the error in each iteration, relative to the exact solution", "KSPMonitorSet",
                             o->monitor_error, &o->monitor_error, NULL));
  PetscCall(PetscOptionsStringArray("-compare", "preconditioners of PETSc to compare with in the same run", "PCSetType",
                                    o->compare, &o->ncompare, &set));
  if (!set) o->ncompare = 0;
  for (PetscInt k = 0; k < o->ncompare; k++) {
    PetscCall(PetscFunctionListFind(PCList, o->compare[k], &found));
    PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE, "-compare: this PETSc has no preconditioner \"%s\"",
               o->compare[k]);
  }
  PetscCall(PetscOptionsString("-vtk", "density and pressure of each step for ParaView, into files that begin with this name",
                               "PetscViewerVTKOpen", o->vtk, o->vtk, sizeof(o->vtk), &set));
  PetscCheck(!set || o->vtk[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-vtk needs the beginning of the files' names");
  PetscCall(PetscOptionsString("-plot", "pictures of the last step, in files that begin with this name", NULL, o->plot, o->plot,
                               sizeof(o->plot), &set));
  PetscCheck(!set || o->plot[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-plot needs the beginning of the files' names");
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver of the options, and those to compare with on PETSc's own matrix */
static PetscErrorCode SystemCreate(const Options *o, System *system, Run run[])
{
  FlowOptions flow;
  PetscBool   device;
  DM          da;

  PetscFunctionBeginUser;
  *system               = {};
  system->monitor_error = o->monitor_error;
  PetscCall(FlowOptionsFromDatabase(PETSC_COMM_WORLD, &flow));
  PetscCall(FlowCreate(PETSC_COMM_WORLD, &flow, &system->flow));
  PetscCall(FlowView(system->flow));
  PetscCall(FlowGetDM(system->flow, &da));
  PetscCall(FlowIsOnDevice(system->flow, &device));
  if (o->vtk[0]) PetscCall(FlowSetCoordinates(system->flow));
  PetscCall(DMCreateGlobalVector(da, &system->b));
  PetscCall(VecDuplicate(system->b, &system->exact));
  PetscCall(FlowMatrix(system->flow, NULL, &system->A));
  if (o->ncompare) PetscCall(FlowMatrix(system->flow, device ? MATAIJCUSPARSE : MATAIJ, &system->other));
  PetscCall(RunCreate(system, system->A, NULL, &run[0]));
  for (PetscInt k = 0; k < o->ncompare; k++) PetscCall(RunCreate(system, system->other, o->compare[k], &run[1 + k]));
  for (PetscInt k = 0; k <= o->ncompare; k++) PetscCall(RunViewSolver(&run[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SystemDestroy(System *system)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&system->A));
  PetscCall(MatDestroy(&system->other));
  PetscCall(VecDestroy(&system->b));
  PetscCall(VecDestroy(&system->exact));
  PetscCall(FlowDestroy(&system->flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values into the matrices, a new right-hand side, and a solve by each solver */
static PetscErrorCode Step(const Options *o, PetscInt step, System *system, Run run[], PetscBool *converged)
{
  PetscLogDouble t[2];
  PetscReal      norm;

  PetscFunctionBeginUser;
  PetscCall(FlowNow(system->flow, &t[0]));
  PetscCall(FlowSetTime(system->flow, step * o->dt));
  PetscCall(FlowMatrix(system->flow, NULL, &system->A));
  PetscCall(FlowNow(system->flow, &t[1]));
  if (system->other) PetscCall(FlowMatrix(system->flow, NULL, &system->other));
  PetscCall(FlowRHS(system->flow, step, system->b, system->exact, &system->has_exact));
  if (system->monitor_error) PetscCall(SystemExactNorms(system));
  PetscCall(VecNorm(system->b, NORM_2, &norm)); /* what a device's library loads at its first call is not a solver's time */
  if (o->steps > 1)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "step     %" PetscInt_FMT " of %" PetscInt_FMT ", time %.4f\n", step + 1, o->steps,
                          (double)(step * o->dt)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time     new coefficients and matrix values %.4f s\n", t[1] - t[0]));
  for (PetscInt k = 0; k <= o->ncompare; k++) {
    PetscCall(RunSolve(system, (PetscBool)(step > 0 && o->guess), &run[k]));
    PetscCall(RunReport(system, &run[k]));
    *converged = (PetscBool)(*converged && run[k].converged);
  }
  if (o->vtk[0]) PetscCall(OutputVTK(system->flow, step, run[0].x, o->vtk));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  System    system;
  Run       run[1 + MAX_COMPARE];
  PetscBool converged = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PCInitializePackage());
  PetscCall(OptionsGet(&o));
  PetscCall(SystemCreate(&o, &system, run));
  for (PetscInt step = 0; step < o.steps; step++) PetscCall(Step(&o, step, &system, run, &converged));
  for (PetscInt k = 1; k <= o.ncompare; k++) PetscCall(RunsCompare(&run[0], &run[k]));
  if (o.plot[0]) PetscCall(OutputPlot(&system, 1 + o.ncompare, run, o.plot));
  for (PetscInt k = 0; k <= o.ncompare; k++) PetscCall(RunDestroy(&run[k]));
  for (PetscInt k = 0; k < o.ncompare; k++) PetscCall(PetscFree(o.compare[k]));
  PetscCall(SystemDestroy(&system));
  PetscCall(PetscFinalize());
  return converged ? 0 : 1;
}
