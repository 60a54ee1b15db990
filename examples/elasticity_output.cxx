/*
   What the elasticity example draws and writes for ParaView
*/
#include "elasticity.h"
#include "plot_script.h"
#include <petscviewer.h>

PetscErrorCode OutputVTK(const Mesh *mesh, Vec x, const char file[])
{
  PetscViewer viewer;
  Vec         u;

  PetscFunctionBeginUser;
  PetscCall(DMCreateGlobalVector(mesh->dm, &u));
  PetscCall(PetscObjectSetName((PetscObject)u, "displacement"));
  PetscCall(VecCopy(x, u));
  PetscCall(PetscViewerVTKOpen(PETSC_COMM_WORLD, file, FILE_MODE_WRITE, &viewer));
  PetscCall(VecView(u, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&u));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "file     %s: mesh and displacement for ParaView\n", file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OutputPlot(const char vtk[], const char picture[])
{
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  if (RunPlotScript(HEPTA_PLOT_BEAM_SCRIPT, {vtk, picture}) == 0)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "picture  %s\n", picture));
  else
    PetscCall(PetscPrintf(
      PETSC_COMM_SELF,
      "picture  not made: it needs python3 with matplotlib (set HEPTA_PYTHON to one that has it); the beam is in %s\n", vtk));
  PetscFunctionReturn(PETSC_SUCCESS);
}
