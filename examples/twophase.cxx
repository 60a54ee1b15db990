static char help[] =
  "Water, with or without a polymer, drives oil through a reservoir: a fully implicit flow program with adaptive time steps.\n\n";

/*T
   Concepts: SNES^two-phase flow in porous media; Mat^blocks of a Jacobian by COO on the device
   Processors: n
T*/

/*
   Pressure and saturation of each cell, and with -polymer a concentration, by backward Euler and upwinded mobilities
   (twophase_row.hxx), Newton's method of SNES with changes of the saturation of at most 0.2, and a Jacobian of 2 x 2 or 3 x 3
   blocks, which is computed where the matrix type keeps its vectors and set by HeptaMatSetPreallocationCOOBlocked() and
   MatSetValuesCOO(). An injector has a given rate; producers have a given pressure. The length of a time step doubles after at
   most 6 iterations of Newton's method, halves after more than 10, and halves for another try where the method fails.

   Rock, fluids and cells are like those of model 2 of the SPE's tenth comparative project: -grid 60,220,85 -permeability
   spe_perm.dat takes its permeability, with one porosity, 0.2.

   The exit code is 0 only when the run comes to the end of -time, if given, each step keeps mass, and a line of cells has the
   saturations and concentrations that -check allows.

   Sample runs:
     twophase -plot saturation.png
     twophase -pc_type fieldsplit -pc_fieldsplit_0_fields 0 -pc_fieldsplit_1_fields 0,1 -fieldsplit_0_pc_type aggmg
              -fieldsplit_1_pc_type bjacobi -snes_monitor
     twophase -polymer 10 -time 800 -steps 100
     twophase -wells pair -grid 200,1,1 -compressibility 0 -time 1000 -steps 1000 -dt_max 10 -check 0.01
     twophase -polymer 5 -wells pair -grid 200,1,1 -compressibility 0 -time 1000 -steps 1000 -dt_max 10 -check 0.03
     twophase -mat_type aij -ksp_type bcgs -log_view
     mpiexec -n 4 twophase -grid 60,60,20 -mat_type brow -ksp_type gmres -vtk flood
   Device sample runs:
     twophase -grid 60,220,85 -dt 0.1 -mat_type bdiacuda -pc_type fieldsplit -pc_fieldsplit_0_fields 0 -pc_fieldsplit_1_fields 0,1
              -fieldsplit_0_pc_type aggmg -fieldsplit_1_pc_type bjacobi -use_gpu_aware_mpi 0
*/
#include <hepta.h>
#include <petsctime.h>
#include "twophase.h"

using namespace hepta::twophase;

struct Options {
  ReservoirOptions reservoir;
  PetscInt         steps = 20;
  PetscReal        dt = 1, dt_max = 100, time = PETSC_MAX_REAL;                 /* days */
  PetscReal        check                   = 0;                                 /* largest mean error on a line of cells, or 0 */
  char             vtk[PETSC_MAX_PATH_LEN] = "", plot[PETSC_MAX_PATH_LEN] = ""; /* empty: not given */
};

/* Of the run so far, in pore volumes and days */
struct State {
  PetscInt  step = 0, newton = 0, linear = 0, repeats = 0;
  PetscReal time = 0, dt = 0, injected = 0;
  PetscReal start[MOST] = {}, produced[MOST] = {}; /* water, oil and polymer */
  PetscReal cut = 0, balance = 0, worst = 0; /* water in the last step's flow; error of mass, and the largest of all steps */
};

#define MASS_TOLERANCE 1e-5

#define CheckPositive(name, value) \
  PetscCheck(PetscIsNormalReal(value) && (value) > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "%s must be positive, not %g", \
             name, (double)(value))

static PetscErrorCode OptionsGetReservoir(PetscOptionItems PetscOptionsObject, ReservoirOptions *o)
{
  const char *const wells[] = {"pair", "fivespot"};
  PetscInt          n = 3, m = 3, two = 2, kind = 1;
  PetscBool         set[3];

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsIntArray("-grid", "cells along x, y and z", NULL, o->grid, &n, &set[0]));
  PetscCall(PetscOptionsRealArray("-cell", "cell size in m", NULL, o->cell, &m, &set[1]));
  PetscCall(PetscOptionsRealArray("-viscosity", "of water and oil in cP", NULL, o->viscosity, &two, &set[2]));
  PetscCheck(!set[0] || n == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-grid needs three numbers, as in -grid 60,220,85, not %" PetscInt_FMT, n);
  PetscCheck(o->grid[0] > 1 && o->grid[1] > 0 && o->grid[2] > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-grid %" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ": needs at least 2 cells along x and 1 along y and z",
             o->grid[0], o->grid[1], o->grid[2]);
  PetscCheck(!set[1] || m == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-cell needs three numbers, as in -cell 6,3,0.6, not %" PetscInt_FMT, m);
  PetscCheck(o->cell[0] >= 1 && o->cell[1] >= 1 && o->cell[2] > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-cell %g,%g,%g: wells of radius 0.1 m need cells of at least 1 m along x and y, and the height must be positive",
             (double)o->cell[0], (double)o->cell[1], (double)o->cell[2]);
  PetscCheck(!set[2] || two == 2, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-viscosity needs two numbers, of water and oil, not %" PetscInt_FMT, two);
  for (PetscReal viscosity : o->viscosity) CheckPositive("-viscosity", viscosity);
  PetscCall(PetscOptionsEList("-wells", "injector and producer in opposite corners, or injector amid four producers", NULL, wells,
                              2, wells[kind], &kind, NULL));
  PetscCall(PetscOptionsReal("-rate", "injected pore volumes a day", NULL, o->rate, &o->rate, NULL));
  CheckPositive("-rate", o->rate);
  PetscCall(PetscOptionsReal("-compressibility", "of the pores in 1/bar", NULL, o->compressibility, &o->compressibility, NULL));
  PetscCheck(o->compressibility >= 0 && o->compressibility < 1e-2, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-compressibility must be from 0 to 0.01 1/bar, not %g", (double)o->compressibility);
  PetscCall(PetscOptionsString("-permeability", "file of numbers in mD, x fastest, z from the top: along x, or x, y and z", NULL,
                               o->permeability, o->permeability, sizeof(o->permeability), NULL));
  PetscCall(PetscOptionsBoundedInt("-seed", "of a generated permeability", NULL, o->seed, &o->seed, NULL, 0));
  PetscCall(PetscOptionsReal("-polymer", "in injected water, which is so many times as viscous as water; 1: a tracer", NULL,
                             o->polymer, &o->polymer, &set[0]));
  PetscCheck(!set[0] || (o->polymer >= 1 && o->polymer <= 100), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-polymer must be from 1 to 100, not %g", (double)o->polymer);
  o->fivespot = (PetscBool)(kind == 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OptionsGetRun(PetscOptionItems PetscOptionsObject, Options *o)
{
  PetscBool fits, set;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsBoundedInt("-steps", "time steps at most", NULL, o->steps, &o->steps, NULL, 1));
  PetscCall(PetscOptionsReal("-dt", "first time step in days", NULL, o->dt, &o->dt, NULL));
  CheckPositive("-dt", o->dt);
  PetscCall(PetscOptionsReal("-dt_max", "longest time step in days", NULL, o->dt_max, &o->dt_max, NULL));
  CheckPositive("-dt_max", o->dt_max);
  PetscCall(PetscOptionsReal("-time", "end of the run in days", NULL, o->time, &o->time, NULL));
  CheckPositive("-time", o->time);
  PetscCall(PetscOptionsReal("-check", "largest mean distance from the solution of Buckley and Leverett, and of Pope", NULL,
                             o->check, &o->check, &set));
  if (set) CheckPositive("-check", o->check);
  PetscCheck(!set ||
               (o->reservoir.grid[1] * o->reservoir.grid[2] == 1 && !o->reservoir.fivespot && !o->reservoir.compressibility),
             PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP, "-check needs -grid n,1,1, -wells pair and -compressibility 0");
  PetscCall(PetscOptionsString("-vtk", "each step for ParaView, into files that begin with this name", "PetscViewerVTKOpen",
                               o->vtk, o->vtk, sizeof(o->vtk), NULL));
  PetscCall(PetscOptionsString("-plot", "picture of the last saturations, with a .vts file beside it", NULL, o->plot, o->plot,
                               sizeof(o->plot), &set));
  PetscCall(PetscStrendswith(o->plot, ".png", &fits));
  PetscCheck(!set || fits, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-plot needs a file name that ends in .png, not \"%s\"",
             o->plot);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OptionsGet(Options *o)
{
  PetscFunctionBeginUser;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Two-phase flow example", NULL);
  PetscCall(OptionsGetReservoir(PetscOptionsObject, &o->reservoir));
  PetscCall(OptionsGetRun(PetscOptionsObject, o));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewReservoir(Reservoir r)
{
  const ReservoirOptions *o = &r->o;
  KSP                     ksp;
  PC                      pc;
  Mat                     J;
  MatType                 mat;
  KSPType                 type;
  PCType                  pctype;

  PetscFunctionBeginUser;
  PetscCall(SNESGetKSP(r->snes, &ksp));
  PetscCall(SNESGetJacobian(r->snes, &J, NULL, NULL, NULL));
  PetscCall(MatGetType(J, &mat));
  PetscCall(KSPGetType(ksp, &type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &pctype));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "field    %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells, %.3g to %.3g mD, %s\n",
                        o->grid[0], o->grid[1], o->grid[2], (double)r->range[0], (double)r->range[1],
                        o->fivespot ? "an injector amid four producers" : "an injector and a producer"));
  if (o->polymer > 0)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "polymer  makes injected water %.3g times as viscous\n", (double)o->polymer));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solver   %s with %s, matrix %s\n", type, pctype, mat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums after a step, and the largest relative error of the masses since the start */
static PetscErrorCode Account(Reservoir r, State *s)
{
  PetscReal        sum[AMOUNTS];
  const int        N    = r->model.unknowns;
  const PetscReal *left = sum + N;

  PetscFunctionBeginUser;
  PetscCall(ReservoirAmounts(r, s->dt, sum));
  s->injected += s->dt * r->o.rate;
  s->cut     = left[WATER] + left[OIL] > 0 ? left[WATER] / (left[WATER] + left[OIL]) : 0;
  s->balance = 0;
  for (int k = 0; k < N; k++) {
    s->produced[k] += left[k];
    const PetscReal in = k == OIL ? 0 : s->injected, kept = sum[k] - s->start[k];

    s->balance = PetscMax(s->balance, PetscAbsReal(kept - in + s->produced[k]) / s->injected);
  }
  s->worst = PetscMax(s->worst, s->balance);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step, at half the length as long as Newton's method fails; *next is the length of the step after */
static PetscErrorCode Step(Reservoir r, State *s, PetscReal *next, PetscBool *good)
{
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  PetscInt            its, linear;

  PetscFunctionBeginUser;
  for (PetscInt tries = 0; tries < 12 && reason <= 0; tries++) {
    PetscCall(ReservoirStep(r, s->dt, &reason));
    PetscCall(SNESGetIterationNumber(r->snes, &its));
    PetscCall(SNESGetLinearSolveIterations(r->snes, &linear));
    s->newton += its;
    s->linear += linear;
    if (reason > 0) break;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "repeat   step %" PetscInt_FMT " of %.4g days fails by %s after %" PetscInt_FMT " Newton iterations\n",
                          s->step, (double)s->dt, SNESConvergedReasons[reason], its));
    s->dt /= 2;
    s->repeats++;
  }
  *good = (PetscBool)(reason > 0);
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  s->time += s->dt;
  PetscCall(Account(r, s));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "step     %" PetscInt_FMT ", day %.4g, dt %.4g, %" PetscInt_FMT " Newton and %" PetscInt_FMT
                        " linear iterations, injected %.4f, water cut %.3f, mass error %.1e\n",
                        s->step, (double)s->time, (double)s->dt, its, linear, (double)s->injected, (double)s->cut,
                        (double)s->balance));
  *next = its <= 6 ? 2 * s->dt : its > 10 ? s->dt / 2 : s->dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const Options *o, Reservoir r, State *s, PetscBool *good)
{
  PetscReal      next = PetscMin(o->dt, o->dt_max), none[AMOUNTS];
  char           file[PETSC_MAX_PATH_LEN + 16];
  PetscLogDouble t[2];

  PetscFunctionBeginUser;
  PetscCall(ReservoirAmounts(r, 0, none));
  for (int k = 0; k < r->model.unknowns; k++) s->start[k] = none[k];
  PetscCall(PetscTime(&t[0]));
  while (*good && s->step < o->steps && s->time < o->time * (1 - 1e-12)) {
    s->step++;
    s->dt = PetscMin(PetscMin(next, o->dt_max), o->time - s->time);
    PetscCall(Step(r, s, &next, good));
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s_%04" PetscInt_FMT ".vts", o->vtk, s->step));
    if (o->vtk[0] && *good) PetscCall(ReservoirWrite(r, file));
  }
  PetscCall(PetscTime(&t[1]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "total    %" PetscInt_FMT " steps, %" PetscInt_FMT " repeats, %" PetscInt_FMT " Newton and %" PetscInt_FMT
                        " linear iterations\n",
                        s->step, s->repeats, s->newton, s->linear));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "state    day %.6g, produced water %.5f and oil %.5f pore volumes", (double)s->time,
                        (double)s->produced[WATER], (double)s->produced[OIL]));
  if (o->reservoir.polymer > 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", polymer %.5f", (double)s->produced[CONCENTRATION]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", *good ? "" : ": a step of Newton's method fails"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time     %.3f s\n", t[1] - t[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Distances from the exact solution on a line of cells, which are to be within -check */
static PetscErrorCode CheckLine(const Options *o, Reservoir r, const State *s, PetscBool *good)
{
  const char *const names[] = {"saturations", "concentrations"}, *const whose[] = {"Buckley and Leverett", "Pope"};
  PetscReal error[2];

  PetscFunctionBeginUser;
  PetscCall(ReservoirCheckLine(r, s->injected, error));
  for (int k = 0; k < r->model.unknowns - 1; k++) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "line     %s differ from those of %s by %.4f in the mean%s\n", names[k],
                          whose[r->model.unknowns > CONCENTRATION], (double)error[k],
                          error[k] > o->check ? ", which is not within -check" : ""));
    *good = (PetscBool)(*good && error[k] <= o->check);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The end, mass in each step and, if asked for, the last state on a line */
static PetscErrorCode Check(const Options *o, Reservoir r, const State *s, PetscBool *good)
{
  PetscFunctionBeginUser;
  if (*good && o->time < PETSC_MAX_REAL && s->time < o->time * (1 - 1e-12)) {
    PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "end      -time %g needs more than -steps %" PetscInt_FMT "\n", (double)o->time, o->steps));
    *good = PETSC_FALSE;
  }
  if (!(s->worst <= MASS_TOLERANCE)) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "mass     the error is up to %.1e, more than %g: lower -snes_atol\n",
                          (double)s->worst, MASS_TOLERANCE));
    *good = PETSC_FALSE;
  }
  if (o->check > 0) PetscCall(CheckLine(o, r, s, good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  Reservoir r;
  State     s;
  PetscBool good = PETSC_TRUE;
  char      file[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(OptionsGet(&o));
  PetscCall(ReservoirCreate(&o.reservoir, &r));
  PetscCall(ViewReservoir(r));
  PetscCall(Run(&o, r, &s, &good));
  PetscCall(Check(&o, r, &s, &good));
  if (o.plot[0]) {
    PetscCall(PetscStrncpy(file, o.plot, sizeof(file)));
    PetscCall(PetscStrncpy(file + strlen(file) - 4, ".vts", 5));
    PetscCall(ReservoirWrite(r, file));
    PetscCall(ReservoirPlot(file, o.plot));
  }
  PetscCall(ReservoirDestroy(&r));
  PetscCall(PetscFinalize());
  return good ? 0 : 1;
}
