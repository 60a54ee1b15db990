static char help[] = "Bends a beam that is clamped at one end: linear elasticity, with the rigid-body modes for multigrid.\n\n";

/*T
   Concepts: KSP^solving equations of linear elasticity; DMPlex^tetrahedra without a mesh generator; MatNullSpace^rigid-body modes
   Processors: n
T*/

/*
   Finds the displacement of a beam under its own weight, or with -load end under the same force on its free end, in trilinear
   hexahedra of a DMDA, or with -tets in linear tetrahedra of a DMPlex, six a box. A node's three unknowns are a block of the
   matrix. Multigrid gets the rigid-body modes by MatSetNearNullSpace(); that they are modes of the matrix before the end is
   clamped checks elements and assembly. The exit code is 0 only when this is so, all solvers have converged, the true residual
   confirms it, and with -check the end goes down as far as Timoshenko's theory says. Elements of these kinds are too stiff where
   the beam is few boxes high: its end goes down by .95 (4 boxes) and .98 (8) of that in hexahedra, by .78 and .92 in tetrahedra.

   The defaults are -mat_type brow -ksp_type fusedcg -pc_type aggmg where libhepta has this preconditioner, else PETSc's aij, cg
   and gamg; -compare solves with these too.

   Sample runs:
     elasticity -plot beam.png
     elasticity -tets -load end -stiff 100 -vtk beam.vtu
     elasticity -cells 80,10,10 -load end -check 0.02
     mpiexec -n 4 elasticity -cells 160,20,20 -compare -compare_gamg_pc_gamg_threshold 0.02
     elasticity -tets -mat_type brow -ksp_type fusedcg -pc_type icc -compare
   Device sample runs:
     elasticity -cells 160,20,20 -mat_type browcuda -ksp_type fusedcg -pc_type pbjacobi -compare -use_gpu_aware_mpi 0
*/
#include <hepta.h>
#include "elasticity.h"

typedef struct {
  Beam      beam;
  PetscBool compare;
  PetscReal check; /* how far from beam theory the end may be, relative; 0: anywhere */
  char      vtk[PETSC_MAX_PATH_LEN], plot[PETSC_MAX_PATH_LEN]; /* empty: not given */
} Options;

/* Three numbers, all positive */
static PetscErrorCode OptionsGetSizes(PetscOptionItems PetscOptionsObject, Beam *beam)
{
  PetscInt  n = 3, m = 3;
  PetscBool set;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsIntArray("-cells", "boxes along x, y and z", NULL, beam->cells, &n, &set));
  PetscCheck(!set || n == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-cells needs three numbers, as in -cells 32,4,4, not %" PetscInt_FMT, n);
  PetscCall(PetscOptionsRealArray("-size", "length, width and height", NULL, beam->size, &m, &set));
  PetscCheck(!set || m == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-size needs three numbers, as in -size 8,1,1, not %" PetscInt_FMT, m);
  for (PetscInt c = 0; c < 3; c++) {
    PetscCheck(beam->cells[c] > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
               "-cells must have positive numbers, not %" PetscInt_FMT, beam->cells[c]);
    PetscCheck(beam->size[c] > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-size must have positive numbers, not %g",
               (double)beam->size[c]);
  }
  const double unknowns = 3.0 * (beam->cells[0] + 1) * (beam->cells[1] + 1) * (beam->cells[2] + 1);

  PetscCheck(8 * unknowns < (double)PETSC_INT_MAX, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-cells: %.0f unknowns are too many for %d-bit indices: take fewer boxes", unknowns, (int)(8 * sizeof(PetscInt)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OptionsGetMaterial(PetscOptionItems PetscOptionsObject, Beam *beam)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsReal("-young", "Young's modulus", NULL, beam->young, &beam->young, NULL));
  PetscCheck(beam->young > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-young, Young's modulus, must be positive, but is %g",
             (double)beam->young);
  PetscCall(PetscOptionsReal("-poisson", "Poisson's ratio", NULL, beam->poisson, &beam->poisson, NULL));
  PetscCheck(beam->poisson > -1 && beam->poisson < 0.5, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-poisson, Poisson's ratio, must be above -1 and below 0.5, but is %g", (double)beam->poisson);
  PetscCall(
    PetscOptionsReal("-stiff", "Young's modulus of a bar inside / that of the beam", NULL, beam->stiff, &beam->stiff, NULL));
  PetscCheck(beam->stiff > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-stiff, the factor of Young's modulus in a bar inside, must be positive, but is %g", (double)beam->stiff);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc chooses the form of a VTK file by the end of its name; a DMPlex has .vtu, a DMDA .vts */
static PetscErrorCode OptionsGetOutput(PetscOptionItems PetscOptionsObject, Options *o)
{
  const char *end = o->beam.tets ? ".vtu" : ".vts";
  PetscBool   set, fits;
  size_t      length;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsString("-vtk", "mesh and displacement for ParaView, into this file", "PetscViewerVTKOpen", o->vtk, o->vtk,
                               sizeof(o->vtk), &set));
  PetscCall(PetscStrendswith(o->vtk, end, &fits));
  PetscCheck(!set || fits, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-vtk needs a file name that ends in %s, not \"%s\": hexahedra go into .vts, tetrahedra into .vtu", end, o->vtk);
  PetscCall(PetscOptionsString("-plot", "picture of the bent beam, with a VTK file beside it", NULL, o->plot, o->plot,
                               sizeof(o->plot), &set));
  PetscCall(PetscStrendswith(o->plot, ".png", &fits));
  PetscCheck(!set || fits, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-plot needs a file name that ends in .png, not \"%s\"",
             o->plot);
  if (set && !o->vtk[0]) {
    PetscCall(PetscStrlen(o->plot, &length));
    PetscCall(PetscStrncpy(o->vtk, o->plot, length - 3)); /* without .png */
    PetscCall(PetscStrlcat(o->vtk, end, sizeof(o->vtk)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OptionsGet(Options *o)
{
  const char *loads[] = {"weight", "end"};
  PetscInt    load    = 0;
  PetscBool   set;

  PetscFunctionBeginUser;
  *o = {{{32, 4, 4}, {8, 1, 1}, 1000, 0.3, 1, 1, PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, 0, "", ""};
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Elasticity example", NULL);
  PetscCall(
    PetscOptionsBool("-tets", "tetrahedra of a DMPlex, not hexahedra of a DMDA", NULL, o->beam.tets, &o->beam.tets, NULL));
  PetscCall(OptionsGetSizes(PetscOptionsObject, &o->beam));
  PetscCall(OptionsGetMaterial(PetscOptionsObject, &o->beam));
  PetscCall(PetscOptionsEList("-load", "the beam's weight, or a force at its end", NULL, loads, 2, loads[0], &load, NULL));
  PetscCall(PetscOptionsReal("-force", "the sum of the load", NULL, o->beam.force, &o->beam.force, NULL));
  PetscCheck(o->beam.force > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-force, the sum of the load, must be positive, but is %g", (double)o->beam.force);
  PetscCall(PetscOptionsBool("-compare", "solve with PETSc's cg and gamg too", NULL, o->compare, &o->compare, NULL));
  PetscCall(
    PetscOptionsReal("-check", "how far from Timoshenko's theory the end may be, relative", NULL, o->check, &o->check, &set));
  PetscCheck(!set || o->check > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-check, how far from beam theory the end may be, must be positive, but is %g", (double)o->check);
  PetscCheck(!set || o->beam.stiff == 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP,
             "-check is for a beam without inclusion: leave out -stiff");
  PetscCall(OptionsGetOutput(PetscOptionsObject, o));
  PetscOptionsEnd();
  o->beam.end = (PetscBool)(load == 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix before and after the end is clamped, with the rigid-body modes */
static PetscErrorCode CreateMatrix(const Beam *beam, const Mesh *mesh, Mat *A, PetscBool *good)
{
  MatNullSpace modes;
  PetscBool    aggmg = PETSC_FALSE;
  PetscInt     unknowns;
  PetscReal    largest;

  PetscFunctionBeginUser;
  PetscCall(HasAggMG(&aggmg));
  PetscCall(DMSetMatType(mesh->dm, aggmg ? MATBROW : MATAIJ)); /* open to -mat_type */
  PetscCall(DMCreateMatrix(mesh->dm, A));
  PetscCall(MatGetSize(*A, &unknowns, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "beam     %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " boxes of %s, %" PetscInt_FMT
                        " nodes, %" PetscInt_FMT " unknowns\n",
                        beam->cells[0], beam->cells[1], beam->cells[2],
                        beam->tets ? "six linear tetrahedra" : "a trilinear hexahedron", unknowns / 3, unknowns));
  PetscCall(BeamStiffness(beam, mesh, PETSC_FALSE, *A));
  PetscCall(BeamRigidModes(mesh, *A, &modes, &largest));
  *good = (PetscBool)(*good && largest < 10 * PETSC_SQRT_MACHINE_EPSILON);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "modes    of a rigid body: ||A r|| / (||A|| ||r||) at most %.1e%s\n", (double)largest,
                        *good ? "" : ", which is too large"));
  PetscCall(BeamStiffness(beam, mesh, PETSC_TRUE, *A));
  PetscCall(MatSetNearNullSpace(*A, modes));
  PetscCall(MatNullSpaceDestroy(&modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b: the load; end: what gives the mean displacement of the end, downward */
static PetscErrorCode CreateLoads(const Beam *beam, const Mesh *mesh, Mat A, Vec *b, Vec *end)
{
  ISLocalToGlobalMapping map;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalToGlobalMapping(A, &map, NULL));
  PetscCall(MatCreateVecs(A, end, b));
  PetscCall(VecSetLocalToGlobalMapping(*b, map));
  PetscCall(VecSetLocalToGlobalMapping(*end, map));
  PetscCall(BeamLoads(beam, mesh, *b, *end));
  if (beam->end) PetscCall(VecCopy(*end, *b));
  PetscCall(VecScale(*b, beam->force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The deflection of the end beside beam theory's */
static PetscErrorCode CheckDeflection(const Options *o, Vec x, Vec end, PetscBool *good)
{
  PetscScalar     deflection;
  const PetscReal theory = BeamTheory(&o->beam);

  PetscFunctionBeginUser;
  PetscCall(VecDot(x, end, &deflection));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "bending  the end goes down by %.3g", (double)PetscRealPart(deflection)));
  if (o->beam.stiff == 1) {
    const PetscReal ratio = PetscRealPart(deflection) / theory;
    const PetscBool off   = (PetscBool)(o->check > 0 && PetscAbsReal(ratio - 1) > o->check);

    PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", %.3f of what Timoshenko's theory says%s", (double)ratio,
                          off ? ", which is not within -check" : ""));
    *good = (PetscBool)(*good && !off);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same matrix in PETSc's type, solved by cg and gamg; the difference of the solutions */
static PetscErrorCode Compare(Mat A, Vec b, const Run *run, PetscBool *good)
{
  MatNullSpace modes;
  VecType      type;
  PetscBool    device;
  PetscReal    difference, norm;
  Run          other;
  Mat          B;

  PetscFunctionBeginUser;
  PetscCall(VecGetType(b, &type));
  PetscCall(PetscStrendswith(type, "cuda", &device));
  PetscCall(MatConvert(A, device ? MATAIJCUSPARSE : MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatSetOption(B, MAT_SPD, PETSC_TRUE));
  PetscCall(MatGetNearNullSpace(A, &modes));
  PetscCall(MatSetNearNullSpace(B, modes));
  PetscCall(RunSolve(B, b, PETSC_TRUE, &other));
  PetscCall(VecNorm(other.x, NORM_2, &norm));
  PetscCall(VecAXPY(other.x, -1, run->x));
  PetscCall(VecNorm(other.x, NORM_2, &difference));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "compare  the solutions differ by %.1e, relative\n", (double)(difference / norm)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ratio    %s / %s: set up and solve %.2f\n", other.name, run->name,
                        (other.setup + other.solve) / (run->setup + run->solve)));
  *good = (PetscBool)(*good && other.converged && difference <= 1e-4 * norm);
  PetscCall(VecDestroy(&other.x));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  Mesh      mesh;
  Run       run;
  Mat       A;
  Vec       b, end;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PCInitializePackage());
  PetscCall(OptionsGet(&o));
  PetscCall(MeshCreate(PETSC_COMM_WORLD, &o.beam, &mesh));
  PetscCall(CreateMatrix(&o.beam, &mesh, &A, &good));
  PetscCall(CreateLoads(&o.beam, &mesh, A, &b, &end));
  PetscCall(RunSolve(A, b, PETSC_FALSE, &run));
  good = (PetscBool)(good && run.converged);
  PetscCall(CheckDeflection(&o, run.x, end, &good));
  if (o.compare) PetscCall(Compare(A, b, &run, &good));
  if (o.vtk[0]) PetscCall(OutputVTK(&mesh, run.x, o.vtk));
  if (o.plot[0]) PetscCall(OutputPlot(o.vtk, o.plot));
  PetscCall(VecDestroy(&run.x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&end));
  PetscCall(MatDestroy(&A));
  PetscCall(MeshDestroy(&mesh));
  PetscCall(PetscFinalize());
  return good ? 0 : 1;
}
