/*
   What the two-phase example writes for ParaView and draws
*/
#include "twophase.h"
#include "plot_script.h"
#include <petscviewer.h>

using namespace hepta::twophase;

PetscErrorCode ReservoirWrite(Reservoir r, const char file[])
{
  const int         N       = r->model.unknowns;
  const char *const names[] = {"pressure", "saturation", N > CONCENTRATION ? "concentration" : "permeability", "permeability"};
  PetscViewer       viewer;
  DM                da;
  Vec               rock;

  PetscFunctionBeginUser;
  PetscCall(ReservoirCreateDM(r, ROCK, &da));
  PetscCall(DMCreateGlobalVector(da, &rock));
  PetscCall(DMLocalToGlobal(da, r->rock, INSERT_VALUES, rock));
  PetscCall(PetscViewerVTKOpen(PETSC_COMM_WORLD, file, FILE_MODE_WRITE, &viewer));
  for (int k = 0; k <= N; k++) {
    PetscCall(VecStrideGather(k < N ? r->old : rock, k < N ? k : 0, r->amount[k], INSERT_VALUES));
    PetscCall(PetscObjectSetName((PetscObject)r->amount[k], names[k]));
    PetscCall(VecView(r->amount[k], viewer));
  }
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&rock));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "file     %s: pressure, saturation%s and permeability for ParaView\n", file,
                        N > CONCENTRATION ? ", concentration" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirPlot(const char vtk[], const char picture[])
{
  PetscFunctionBeginUser;
  PetscCall(MakePicture(HEPTA_PLOT_SATURATION_SCRIPT, {vtk, picture}, picture, std::string("the saturations are in ") + vtk));
  PetscFunctionReturn(PETSC_SUCCESS);
}
