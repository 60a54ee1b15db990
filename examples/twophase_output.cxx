/*
   What the two-phase example writes for ParaView and draws, and the solution of Buckley and Leverett
*/
#include "twophase.h"
#include "plot_script.h"
#include <petscviewer.h>

using namespace hepta::twophase;

PetscErrorCode ReservoirWrite(Reservoir r, const char file[])
{
  const char *const names[] = {"pressure", "saturation", "permeability"};
  PetscViewer       viewer;
  DM                da;
  Vec               rock;

  PetscFunctionBeginUser;
  PetscCall(ReservoirCreateDM(r, ROCK, &da));
  PetscCall(DMCreateGlobalVector(da, &rock));
  PetscCall(DMLocalToGlobal(da, r->rock, INSERT_VALUES, rock));
  PetscCall(VecStrideGather(r->old, 0, r->amount[0], INSERT_VALUES));
  PetscCall(VecStrideGather(r->old, 1, r->amount[1], INSERT_VALUES));
  PetscCall(VecStrideGather(rock, 0, r->amount[2], INSERT_VALUES));
  PetscCall(PetscViewerVTKOpen(PETSC_COMM_WORLD, file, FILE_MODE_WRITE, &viewer));
  for (int k = 0; k < 3; k++) {
    PetscCall(PetscObjectSetName((PetscObject)r->amount[k], names[k]));
    PetscCall(VecView(r->amount[k], viewer));
  }
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&rock));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "file     %s: pressure, saturation and permeability for ParaView\n", file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirPlot(const char vtk[], const char picture[])
{
  PetscFunctionBeginUser;
  PetscCall(MakePicture(HEPTA_PLOT_SATURATION_SCRIPT, {vtk, picture}, picture, std::string("the saturations are in ") + vtk));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part of water in the flow, and the derivative by s */
static PetscReal FractionalFlow(const Model &M, PetscReal s, PetscReal *derivative)
{
  PetscReal       dw, dn;
  const PetscReal w = mobility(M, WATER, s, &dw), n = mobility(M, OIL, s, &dn);

  *derivative = (dw * n - w * dn) / ((w + n) * (w + n));
  return w / (w + n);
}

/* The s between low and high where a decreasing function is 0, by bisection */
template <class F> static PetscReal Zero(PetscReal low, PetscReal high, F f)
{
  for (int k = 0; k < 60; k++) (f((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  return low;
}

/*
   s travels by f'(s) times the injected volume, and from residual water to the front's s_f there is a jump, where the tangent
   f'(s_f) is the secant f(s_f) / (s_f - s_residual). f' decreases from the steepest s on, which is below s_f.
*/
PetscErrorCode ReservoirCheckLine(Reservoir r, PetscReal injected, PetscReal *error)
{
  const Model       &M   = r->model;
  const PetscReal    low = M.residual[WATER], high = 1 - M.residual[OIL];
  PetscReal          slope, front, own = 0;
  const PetscScalar *x;

  PetscFunctionBeginUser;
  front = Zero(low, high, [&](PetscReal s) {
    const PetscReal f = FractionalFlow(M, s, &slope);
    return slope * (s - low) - f;
  });
  (void)FractionalFlow(M, front, &slope);
  const PetscReal reach = injected * slope;

  PetscCall(VecGetArrayRead(r->old, &x));
  for (PetscInt k = 0; k < M.size[0]; k++) {
    const PetscReal at    = (M.start[0] + k + 0.5) / M.n[0];
    const PetscReal exact = at > reach ? low : Zero(front, high, [&](PetscReal s) {
      (void)FractionalFlow(M, s, &slope);
      return injected * slope - at;
    });

    own += PetscAbsReal(PetscRealPart(x[k * UNKNOWNS + 1]) - exact) / M.n[0];
  }
  PetscCall(VecRestoreArrayRead(r->old, &x));
  PetscCallMPI(MPIU_Allreduce(&own, error, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}
