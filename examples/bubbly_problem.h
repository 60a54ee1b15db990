/*
   The pressure equation of two-phase flow, -div((1/rho) grad p) = f, on a square or cube of n cells a side: geometry, matrix,
   right-hand sides. The solver belongs to the caller. bubbly_row.hxx has the formulas.
*/
#pragma once

#include <petscdmda.h>
#include <petscmat.h>

typedef enum {
  FLOW_POISSON,  /* one fluid */
  FLOW_TWOPHASE, /* liquid above y = 1/2, gas below */
  FLOW_BUBBLES,  /* gas bubbles in liquid */
  FLOW_CHANNELS, /* four whose coefficients are those of rock: lines of one cell, */
  FLOW_CELLS,    /* cells independent of each other, */
  FLOW_FIELD,    /* waves, */
  FLOW_LAYERS,   /* horizontal layers of three cells, in which the coefficient also varies from cell to cell, and through which
                    little flows */
  FLOW_INTERFACE /* liquid above a row of cells on the interface, gas below: the matrix of Gupta's thesis, eq. 7 and 8 */
} FlowProblem;

typedef enum {
  FLOW_BC_DEFAULT, /* Dirichlet for FLOW_POISSON, else Neumann */
  FLOW_BC_NEUMANN,
  FLOW_BC_DIRICHLET
} FlowBC;

typedef enum {
  FLOW_RHS_RANDOM,   /* of a random exact solution, another one in every step */
  FLOW_RHS_GRAVITY,  /* the fluid is at rest under gravity */
  FLOW_RHS_CONSTANT, /* of the exact solution 1 */
  FLOW_RHS_ONES      /* b = 1 */
} FlowRHSKind;

struct FlowOptions {
  PetscInt    dim = 2, n = 64; /* dimension, cells a side */
  FlowProblem problem  = FLOW_TWOPHASE;
  FlowBC      bc       = FLOW_BC_DEFAULT;
  PetscReal   contrast = 1000.0; /* density of the liquid; that of gas is 1 */
  PetscReal   vertical = 1e-3;   /* FLOW_LAYERS: factor of the coefficients along y */
  /* Neumann: 1 is added to the last cell's diagonal, instead of a null space; FLOW_INTERFACE: that entry becomes 2 */
  PetscBool   fix                         = PETSC_FALSE;
  FlowRHSKind rhs                         = FLOW_RHS_RANDOM;
  char        bubbles[PETSC_MAX_PATH_LEN] = ""; /* file with a bubble in each line: center, radius, and maybe density */
  /* this many at random positions; 0: 2^dim of radius 0.15 at 0.25 and 0.75 */
  PetscInt  nbubbles = 0, seed = 0;
  MatType   mat_type = "bdia"; /* of the DM, if there is no -dm_mat_type */
  PetscReal radius   = 0.0;    /* of bubbles at random positions; 0: they fill a fifth of the domain */
};

typedef struct Flow_ *Flow;

/* Reads -dim, -n, -problem, -bc, -contrast, -vertical, -fix, -rhs, -bubbles, -nbubbles, -seed and -radius; others stay */
PetscErrorCode FlowOptionsFromDatabase(MPI_Comm, FlowOptions *);

/* -da_grid_x and the other options of a DMDA count, among them -dm_mat_type <bdia>, which also decides whether vectors and
   computations are on the device */
PetscErrorCode FlowCreate(MPI_Comm, const FlowOptions *, Flow *);
PetscErrorCode FlowDestroy(Flow *);
/* Borrowed; vectors of the flow are vectors of this DM */
PetscErrorCode FlowGetDM(Flow, DM *);
PetscErrorCode FlowIsOnDevice(Flow, PetscBool *);
PetscErrorCode FlowView(Flow);
/* Cell centers, for viewers: the DM has none otherwise */
PetscErrorCode FlowSetCoordinates(Flow);

/* Bubbles rise by one unit of length in a unit of time; who uses matrices calls FlowMatrix() again. FlowCreate() sets time 0. */
PetscErrorCode FlowSetTime(Flow, PetscReal time);
/* Values for the time that is set. *A = NULL: a new matrix of the type, NULL: of the DM's type; otherwise only values are
   computed anew. */
PetscErrorCode FlowMatrix(Flow, MatType type, Mat *A);
/* y <- A x from the flows over the faces, not from a matrix: to check an answer with */
PetscErrorCode FlowApply(Flow, Vec x, Vec y);
/* The right-hand side, and the exact solution where it is known; both are the same on any number of processes. exact may be
   NULL. */
PetscErrorCode FlowRHS(Flow, PetscInt step, Vec b, Vec exact, PetscBool *has_exact);
PetscErrorCode FlowDensity(Flow, Vec rho);
/* Removes the mean of x if the answer is known up to a constant only */
PetscErrorCode FlowRemoveNullSpace(Flow, Vec x);
