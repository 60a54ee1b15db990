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
  PetscFunctionBeginUser;
  PetscCall(MakePicture(HEPTA_PLOT_BEAM_SCRIPT, {vtk, picture}, picture, std::string("the beam is in ") + vtk));
  PetscFunctionReturn(PETSC_SUCCESS);
}
