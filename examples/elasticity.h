/*
   The beam of the elasticity example: its mesh, its stiffness matrix and loads, and the solvers
*/
#pragma once

#include <petscdm.h>
#include <petscksp.h>
#include <vector>

#define ELEMENT_NODES 8 /* at most */

typedef struct {
  PetscInt  cells[3]; /* boxes along x, y and z */
  PetscReal size[3];  /* the beam is [0, size[0]] x [0, size[1]] x [0, size[2]], clamped at x = 0; z points up */
  PetscReal young, poisson, stiff, force;
  PetscBool tets, end; /* six tetrahedra a box, not one hexahedron; the force pulls at the end, and is not the weight */
} Beam;

/* A node has three unknowns, its displacement; numbers of nodes are those of the DM's local vectors, ghosts among them */
typedef struct {
  DM                     dm;
  PetscInt               elements, n; /* elements of this process, nodes of an element: 4 or 8 */
  std::vector<PetscInt>  node;        /* nodes of all elements: element e has [e*n, e*n + n) */
  std::vector<PetscReal> x;           /* coordinates of node k: [3*k, 3*k + 3) */
} Mesh;

/* A hexahedron's nodes go round its lower face and then round its upper one, as DMDA's */
PetscErrorCode MeshCreate(MPI_Comm, const Beam *, Mesh *);
PetscErrorCode MeshDestroy(Mesh *);

/* K = integral of lame[0] div u div v + 2 lame[1] e(u) : e(v), 3n x 3n by rows; x: coordinates of the n nodes */
void ElementStiffness(PetscInt n, const PetscReal x[], const PetscReal lame[], PetscScalar K[]);
/* share[a] = integral of the shape function of node a */
void ElementShares(PetscInt n, const PetscReal x[], PetscReal share[]);

/* clamped: rows and columns of nodes at x = 0 keep their diagonal entries only */
PetscErrorCode BeamStiffness(const Beam *, const Mesh *, PetscBool clamped, Mat A);
/* Both forces point down and have the sum 1: one spread over the volume, one over the face x = size[0] */
PetscErrorCode BeamLoads(const Beam *, const Mesh *, Vec weight, Vec end);
/* The six rigid-body modes, and the largest ||A r|| / (||A|| ||r||) of them, A without clamped nodes */
PetscErrorCode BeamRigidModes(const Mesh *, Mat A, MatNullSpace *modes, PetscReal *largest);
/* How far the end goes down by Timoshenko's theory, for a beam without inclusion */
PetscReal BeamTheory(const Beam *);

typedef struct {
  char               name[32]; /* the preconditioner */
  Vec                x;
  PetscBool          converged; /* the solver says so and the true residual agrees */
  KSPConvergedReason reason;
  PetscInt           its;
  PetscReal          residual;     /* ||b - A x|| / ||b|| */
  PetscLogDouble     setup, solve; /* seconds */
} Run;

/* Whether this libhepta has the preconditioner aggmg, which is the default then */
PetscErrorCode HasAggMG(PetscBool *);
/* gamg: PETSc's cg and gamg, with options that begin with -compare_gamg_; otherwise the defaults, open to all options */
PetscErrorCode RunSolve(Mat A, Vec b, PetscBool gamg, Run *);

/* The displacement as FILE.vtu or FILE.vts */
PetscErrorCode OutputVTK(const Mesh *, Vec x, const char file[]);
/* A picture of a VTK file's beam by scripts/plot_beam.py */
PetscErrorCode OutputPlot(const char vtk[], const char picture[]);
