/*
   Flow of water, oil and a polymer in a reservoir: rock, wells, time step by Newton's method, output. twophase_row.hxx has the
   formulas.
*/
#pragma once

#include <petscdmda.h>
#include <petscsnes.h>
#if defined(HEPTA_HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif
#include <initializer_list>

#include "twophase_kernels.hxx"

struct ReservoirOptions {
  PetscInt  grid[3] = {30, 30, 10}, seed = 1;
  PetscReal cell[3]                          = {6.096, 3.048, 0.6096}; /* 20 x 10 x 2 feet */
  PetscBool fivespot                         = PETSC_TRUE;
  PetscReal rate                             = 4e-4;     /* pore volumes a day */
  PetscReal viscosity[2]                     = {0.3, 3}; /* of water and oil */
  PetscReal polymer                          = 0;        /* factor of the viscosity of injected water, or 0: no polymer */
  PetscReal compressibility                  = 1.45e-5;  /* of the pores, 1e-6 1/psi */
  char      permeability[PETSC_MAX_PATH_LEN] = "";       /* file, or empty: generated */
};

typedef struct Reservoir_ {
  ReservoirOptions       o;
  hepta::twophase::Model model;
  DM                     da, cells; /* the unknowns of each cell, and one number a cell */
  PetscBool              device;
  PetscReal              range[2];                         /* of the permeability along x */
  Vec                    x, old;                           /* unknowns of each cell in Newton's method, and of the last step */
  Vec                    local, rock;                      /* x, and the cells' rock and wells, over the box with neighbors */
  Vec                    values;                           /* entries of the Jacobian, for MatSetValuesCOO() */
  Vec                    amount[hepta::twophase::AMOUNTS]; /* null from 2 * unknowns on */
  SNES                   snes;
} *Reservoir;

/* Collective. -dm_mat_type or -mat_type, -snes_type, -ksp_type and other options of PETSc's objects count */
PetscErrorCode ReservoirCreate(const ReservoirOptions *, Reservoir *);
PetscErrorCode ReservoirDestroy(Reservoir *);
/* The same cells with n numbers each; vectors and matrices are where the reservoir's are */
PetscErrorCode ReservoirCreateDM(Reservoir, PetscInt n, DM *);
/* Permeability and wells of own cells and neighbors; the model's grid and cell size must be set */
PetscErrorCode ReservoirFillRock(Reservoir, PetscScalar *rock);
/* The block rows and columns of the Jacobian's blocks */
PetscErrorCode ReservoirSetLocations(Reservoir, Mat);
/* SNES with the Jacobian, a limit of the changes, and defaults of the solver */
PetscErrorCode ReservoirCreateSolver(Reservoir);
/* From old by a time step in days; x becomes old where Newton's method converges */
PetscErrorCode ReservoirStep(Reservoir, PetscReal dt, SNESConvergedReason *);
/*
   Sums over all cells: pore volumes of water, oil and polymer, and of those that left by wells in the step of dt days that gave x
*/
PetscErrorCode ReservoirAmounts(Reservoir, PetscReal dt, PetscReal sum[]);

/*
   Means of |s - s of Buckley and Leverett| and, for a polymer, of |c - c of Pope| on a line of cells after so many injected pore
   volumes; compressibility must be 0
*/
PetscErrorCode ReservoirCheckLine(Reservoir, PetscReal injected, PetscReal error[2]);
/* Unknowns, and permeability along x, into a .vts file */
PetscErrorCode ReservoirWrite(Reservoir, const char file[]);
/* A picture of such a file by scripts/plot_saturation.py */
PetscErrorCode ReservoirPlot(const char vtk[], const char picture[]);

/*
   Calls launch(each, in, out) where the reservoir's arrays are, with the arrays of the vectors; out is read and written. A vector
   in the other memory is an error, not a copy.
*/
template <class F>
static PetscErrorCode ReservoirLaunch(Reservoir r, std::initializer_list<Vec> read, std::initializer_list<Vec> write, F launch)
{
  const PetscScalar *in[3];
  PetscScalar       *out[hepta::twophase::AMOUNTS];
  PetscMemType       type = PETSC_MEMTYPE_HOST;
  PetscInt           n = 0, m = 0;
  PetscBool          here = PETSC_TRUE;
  hepta::Status      status;

  PetscFunctionBegin;
  for (Vec v : read) {
    PetscCall(VecGetArrayReadAndMemType(v, &in[n++], &type));
    here = (PetscBool)(here && PetscMemTypeHost(type) != r->device);
  }
  for (Vec v : write) {
    if (!v) continue;
    PetscCall(VecGetArrayAndMemType(v, &out[m++], &type));
    here = (PetscBool)(here && PetscMemTypeHost(type) != r->device);
  }
  PetscCheck(here, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "A vector is not where the matrix type computes: leave out -vec_type and -dm_vec_type, which follow -dm_mat_type");
#if defined(HEPTA_HAVE_CUDA)
  cudaStream_t stream;

  if (r->device) {
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    status = launch(hepta::DeviceEach{stream}, in, out);
  } else
#endif
    status = launch(hepta::HostEach(), in, out);
  PetscCheck(!status, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", status);
  m = n = 0;
  for (Vec v : write)
    if (v) PetscCall(VecRestoreArrayAndMemType(v, &out[m++]));
  for (Vec v : read) PetscCall(VecRestoreArrayReadAndMemType(v, &in[n++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
