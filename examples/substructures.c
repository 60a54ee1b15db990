static char help[] = "Conjugate gradients by substructures: a MATIS whose local matrices, one of each MPI process, are bdia or "
                     "of any other type.\n\n";

/*T
   Concepts: Mat^unassembled matrices; Mat^block diagonals; DMDA^finite elements
   Processors: n
T*/

/*
   Solves A x = b, A the matrix of w u - div w grad u on a unit square or cube in bilinear or trilinear elements without flow
   through the walls, w from 1 to 11, another in each element, b filled with ones. Each process adds up the matrices of its own
   elements; what belongs to a node that several processes have is added up in the product alone. Prints unknowns and nonzeros of
   each local matrix, iterations, and the seconds of a solve. This program knows PETSc only.

   Sample runs:
     substructures
     substructures -dll_append /path/to/libhepta.so -mat_is_localmat_type bdia
     mpiexec -n 4 substructures -dll_append /path/to/libhepta.so -mat_is_localmat_type bdia -n 400 -pc_type bddc
     mpiexec -n 4 substructures -dll_append /path/to/libhepta.so -mat_is_localmat_type brow -dim 3 -n 40 -da_processors_z 1
     mpiexec -n 4 substructures -dm_mat_type aij
   Device sample runs:
     substructures -dll_append /path/to/libhepta.so -mat_is_localmat_type bdiacuda -n 1000
*/
#include <petscdmda.h>
#include <petscksp.h>

typedef struct {
  PetscInt dim, n, repeats; /* elements along each axis; solves, of which the fastest is told */
} Options;

static PetscErrorCode OptionsGet(Options *o)
{
  o->dim     = 2;
  o->n       = 32;
  o->repeats = 1;
  PetscFunctionBeginUser;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Substructures example", NULL);
  PetscCall(PetscOptionsRangeInt("-dim", "dimensions", NULL, o->dim, &o->dim, NULL, 2, 3));
  PetscCall(PetscOptionsRangeInt("-n", "elements along each axis", NULL, o->n, &o->n, NULL, 1, 100000));
  PetscCall(PetscOptionsRangeInt("-repeats", "solves, of which the fastest is told; 0: one, without its time", NULL, o->repeats,
                                 &o->repeats, NULL, 0, 1000));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A grid of nodes, whose elements are squares or cubes. MATIS needs a stencil that is a box. */
static PetscErrorCode CreateGrid(const Options *o, DM *da)
{
  const PetscInt n = o->n + 1;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate(PETSC_COMM_WORLD, da));
  PetscCall(DMSetDimension(*da, o->dim));
  PetscCall(DMDASetSizes(*da, n, n, o->dim > 2 ? n : 1));
  PetscCall(DMDASetStencilType(*da, DMDA_STENCIL_BOX));
  PetscCall(DMDASetDof(*da, 1));
  PetscCall(DMDASetStencilWidth(*da, 1));
  PetscCall(DMDASetElementType(*da, DMDA_ELEMENT_Q1));
  PetscCall(DMSetMatType(*da, MATIS));
  PetscCall(DMSetFromOptions(*da));
  PetscCall(DMSetUp(*da));
  PetscCall(DMDASetUniformCoordinates(*da, 0, 1, 0, 1, 0, 1)); /* PCBDDC of PETSc 3.26.1 asks for them and crashes without */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The matrix of an element with sides h for w = 1, from products of the matrices of a side, S of the slopes and M of the values:
     K = sum over the axes of S on this axis and M on the others, and M on all axes;    S = [1 -1; -1 1]/h,  M = h [2 1; 1 2]/6
*/
static void Element(PetscInt dim, PetscReal h, PetscScalar K[])
{
  const PetscInt n = 1 << dim, turn[4] = {0, 1, 3, 2}; /* DMDA goes round the nodes of a face */

  for (PetscInt a = 0; a < n; a++) {
    const PetscInt i = turn[a % 4] + a / 4 * 4;

    for (PetscInt c = 0; c < n; c++) {
      const PetscInt j    = turn[c % 4] + c / 4 * 4;
      PetscReal      mass = 1, sum = 0;

      for (PetscInt x = 0; x < dim; x++) mass *= (i >> x & 1) == (j >> x & 1) ? h / 3 : h / 6;
      for (PetscInt x = 0; x < dim; x++) sum += (i >> x & 1) == (j >> x & 1) ? mass / (h / 3) / h : -mass / (h / 6) / h;
      K[a * n + c] = sum + mass;
    }
  }
}

static PetscErrorCode Assemble(const Options *o, DM da, Mat A)
{
  PetscScalar     K[64], scaled[64];
  PetscInt        count, n, first[3], size[3];
  const PetscInt *nodes;

  PetscFunctionBeginUser;
  Element(o->dim, 1.0 / o->n, K);
  PetscCall(DMDAGetElements(da, &count, &n, &nodes));
  PetscCall(DMDAGetElementsCorners(da, &first[0], &first[1], &first[2]));
  PetscCall(DMDAGetElementsSizes(da, &size[0], &size[1], &size[2]));
  for (PetscInt e = 0; e < count; e++) {
    const PetscInt i = first[0] + e % size[0], j = first[1] + e / size[0] % size[1],
                   k = o->dim > 2 ? first[2] + e / size[0] / size[1] : 0;

    for (PetscInt c = 0; c < n * n; c++) scaled[c] = (1 + (7 * i + 3 * j + 5 * k) % 11) * K[c];
    PetscCall(MatSetValuesLocal(A, n, nodes + e * n, n, nodes + e * n, scaled, ADD_VALUES));
  }
  PetscCall(DMDARestoreElements(da, &count, &n, &nodes));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line for each process: the rows and the nonzeros of its local matrix */
static PetscErrorCode PrintLocals(Mat A)
{
  Mat         local;
  MatInfo     info;
  MatType     type;
  PetscInt    rows;
  PetscBool   is;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATIS, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MatISGetLocalMat(A, &local));
  PetscCall(MatGetSize(local, &rows, NULL));
  PetscCall(MatGetInfo(local, MAT_LOCAL, &info));
  PetscCall(MatGetType(local, &type));
  PetscCall(PetscSynchronizedPrintf(PETSC_COMM_WORLD, "substructure %d: %s, %" PetscInt_FMT " unknowns, %.0f nonzeros\n", rank,
                                    type, rows, info.nz_used));
  PetscCall(PetscSynchronizedFlush(PETSC_COMM_WORLD, PETSC_STDOUT));
  PetscCall(MatISRestoreLocalMat(A, &local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||b - A x|| / ||b|| */
static PetscErrorCode TrueResidual(Mat A, Vec x, Vec b, PetscReal *residual)
{
  Vec       r;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  *residual /= norm;
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(const Options *o, Mat A, PetscBool *good)
{
  KSP            ksp;
  PC             pc;
  Vec            x, b;
  PetscInt       its, N;
  PetscReal      residual;
  PetscLogDouble begin, end, best = 1e30;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetUp(ksp)); /* apart from the time of the solve */
  for (PetscInt k = 0; k < PetscMax(o->repeats, 1); k++) {
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&begin));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(PetscTime(&end));
    best = PetscMin(best, end - begin);
  }
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(TrueResidual(A, x, b, &residual));
  PetscCall(VecGetSize(b, &N));
  *good = (PetscBool)(residual < 1e-5);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " unknowns, %" PetscInt_FMT " iterations, true residual %s", N, its,
                        *good ? "< 1e-5" : "too large"));
  PetscCall(o->repeats ? PetscPrintf(PETSC_COMM_WORLD, ", %.4f seconds\n", best) : PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  DM        da;
  Mat       A;
  PetscBool good;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(OptionsGet(&o));
  PetscCall(CreateGrid(&o, &da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(Assemble(&o, da, A));
  PetscCall(PrintLocals(A));
  PetscCall(Solve(&o, A, &good));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscFinalize());
  return good ? 0 : 1;
}
