/* What the parts of the flow problem share */
#pragma once

#include <petscdevice.h>
#if defined(HEPTA_HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif
#include <vector>

#include "bubbly_kernels.hxx"
#include "bubbly_problem.h"

struct Flow_ {
  FlowOptions       o;
  DM                da;
  MatNullSpace      constants; /* or NULL */
  hepta::flow::Grid grid;
  PetscReal         time;
  PetscBool         device;
  Vec               bubbles;     /* count times BUBBLE_ITEMS, or NULL */
  Vec               coefficient; /* 1/rho over the box with neighbors: a local vector of the DM */
  Vec               values;      /* entries of all rows, or NULL as long as there is no matrix */
  Vec               local;       /* x over the box with neighbors, or NULL */
};

#define PetscCallFlow(...) \
  do { \
    const hepta::Status flow_status_ = __VA_ARGS__; \
    PetscCheck(!flow_status_, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", flow_status_); \
  } while (0)

/* Calls name_cuda with the stream of PETSc's current device context, or name_host */
#if defined(HEPTA_HAVE_CUDA)
  #define FlowLaunch(flow, name, ...) \
    do { \
      if ((flow)->device) { \
        cudaStream_t stream_; \
        PetscCall(PetscGetCurrentCUDAStream(&stream_)); \
        PetscCallFlow(hepta::flow::name##_cuda(__VA_ARGS__, stream_)); \
      } else PetscCallFlow(hepta::flow::name##_host(__VA_ARGS__)); \
    } while (0)
#else
  #define FlowLaunch(flow, name, ...) PetscCallFlow(hepta::flow::name##_host(__VA_ARGS__))
#endif

/* Arrays in the flow's memory; a vector that lives elsewhere is an error, not a copy */
PetscErrorCode FlowArrayRead(Flow, Vec, const PetscScalar **);
PetscErrorCode FlowArrayWrite(Flow, Vec, PetscScalar **);

/* What the coefficients and gravity depend on; the list of bubbles is read until FlowFluidsRestore() */
PetscErrorCode FlowFluidsGet(Flow, hepta::flow::Fluids *);
PetscErrorCode FlowFluidsRestore(Flow, hepta::flow::Fluids *);

/* BUBBLE_ITEMS numbers for each bubble, the same on all processes; size is the domain's */
PetscErrorCode FlowBubblesCreate(MPI_Comm, const FlowOptions *, const PetscReal size[3], std::vector<PetscScalar> &);
