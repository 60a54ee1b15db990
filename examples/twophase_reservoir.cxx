/*
   The reservoir of the two-phase example: grid, vectors, initial state, amounts of water, oil and polymer
*/
#include <hepta.h>
#include "twophase.h"

#include <vector>

using namespace hepta::twophase;
using hepta::Index;

constexpr PetscReal POROSITY = 0.2, TOP_PRESSURE = 275; /* bar, of producers at the top */

/* Host, or device if the DM's matrix type keeps vectors there; vectors of the DM follow */
static PetscErrorCode ChooseSpace(Reservoir r)
{
  Mat     A;
  MatType type;
  VecType vectype;

  PetscFunctionBegin;
  PetscCall(DMGetMatType(r->da, &type));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetType(A, type));
  PetscCall(MatSetFromOptions(A)); /* -mat_type, which DMCreateMatrix() heeds too */
  PetscCall(MatGetType(A, &type));
  PetscCall(MatGetVecType(A, &vectype));
  PetscCall(PetscStrendswith(vectype, "cuda", &r->device));
  PetscCall(DMSetVecType(r->da, vectype));
  PetscCall(DMSetMatType(r->da, type));
  PetscCall(MatDestroy(&A));
#if !defined(HEPTA_HAVE_CUDA)
  PetscCheck(!r->device, PETSC_COMM_WORLD, PETSC_ERR_SUP, "This program was built without CUDA: use -dm_mat_type bdia or aij");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Processes have slabs across the last axis with more than one cell, as gridmg needs, or, where these are too few, boxes;
   -da_processors_x and kin choose. -da_grid_x and -da_refine change the grid.
*/
static PetscErrorCode CreateDM(Reservoir r)
{
  const DMBoundaryType b = DM_BOUNDARY_NONE;
  PetscInt            *n = r->o.grid, p[3] = {PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE};
  const PetscReal     *h    = r->o.cell;
  const int            last = n[2] > 1 ? 2 : n[1] > 1 ? 1 : 0;
  PetscMPIInt          size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int d = 0; d < 3; d++)
    if (d != last && n[last] >= size) p[d] = 1;
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, b, b, b, DMDA_STENCIL_STAR, n[0], n[1], n[2], p[0], p[1], p[2], r->model.unknowns, 1,
                         NULL, NULL, NULL, &r->da));
  PetscCall(DMSetMatType(r->da, MATBDIA));
  PetscCall(DMSetFromOptions(r->da));
  PetscCall(DMSetUp(r->da));
  PetscCall(DMDAGetInfo(r->da, NULL, &n[0], &n[1], &n[2], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(DMSetMatrixPreallocateSkip(r->da, PETSC_TRUE)); /* MatSetPreallocationCOO() gets the locations */
  PetscCall(ChooseSpace(r));
  PetscCall(DMDASetUniformCoordinates(r->da, 0.5 * h[0], (n[0] - 0.5) * h[0], 0.5 * h[1], (n[1] - 0.5) * h[1], 0.5 * h[2],
                                      (n[2] - 0.5) * h[2])); /* the third is the depth */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirCreateDM(Reservoir r, PetscInt n, DM *da)
{
  VecType vectype;

  PetscFunctionBegin;
  PetscCall(DMGetVecType(r->da, &vectype));
  PetscCall(DMDACreateCompatibleDMDA(r->da, n, da));
  PetscCall(DMSetVecType(*da, vectype)); /* which PETSc does not copy */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetModel(Reservoir r)
{
  Model   &M = r->model;
  PetscInt start[3], size[3], ghost_start[3], ghost_size[3];

  PetscFunctionBegin;
  PetscCall(DMDAGetCorners(r->da, &start[0], &start[1], &start[2], &size[0], &size[1], &size[2]));
  PetscCall(DMDAGetGhostCorners(r->da, &ghost_start[0], &ghost_start[1], &ghost_start[2], &ghost_size[0], &ghost_size[1],
                                &ghost_size[2]));
  for (int d = 0; d < 3; d++) {
    M.n[d]           = r->o.grid[d];
    M.start[d]       = start[d];
    M.size[d]        = size[d];
    M.ghost_start[d] = ghost_start[d];
    M.ghost_size[d]  = ghost_size[d];
    M.h[d]           = r->o.cell[d];
  }
  for (int phase = 0; phase < PHASES; phase++) {
    M.viscosity[phase] = r->o.viscosity[phase];
    M.density[phase]   = phase == WATER ? 1025 : 850;
    M.residual[phase]  = 0.2;
  }
  M.polymer         = r->o.polymer > 0 ? r->o.polymer : 1;
  M.compressibility = r->o.compressibility;
  M.pressure        = TOP_PRESSURE;
  M.volume          = POROSITY * M.h[0] * M.h[1] * M.h[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Oil at rest and residual water without polymer */
static PetscErrorCode SetInitial(Reservoir r)
{
  const Model &M = r->model;
  PetscScalar *x, *cell;
  Index        at[3];

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(r->old, &x));
  for (size_t k = 0; k < cells(M.size); k++) {
    cell_at(M.start, M.size, k, at);
    cell             = x + k * M.unknowns;
    cell[PRESSURE]   = oil_column(M, at[2]);
    cell[SATURATION] = M.residual[WATER];
    if (M.unknowns > CONCENTRATION) cell[CONCENTRATION] = 0;
  }
  PetscCall(VecRestoreArrayWrite(r->old, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirCreate(const ReservoirOptions *options, Reservoir *reservoir)
{
  Reservoir    r;
  DM           rock;
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  r->o              = *options;
  r->model.unknowns = r->o.polymer > 0 ? 3 : 2;
  PetscCall(CreateDM(r));
  PetscCall(SetModel(r));
  PetscCall(ReservoirCreateDM(r, 1, &r->cells));
  PetscCall(ReservoirCreateDM(r, ROCK, &rock));
  PetscCall(DMCreateLocalVector(rock, &r->rock));
  PetscCall(DMDestroy(&rock));
  PetscCall(VecGetArrayWrite(r->rock, &a));
  PetscCall(ReservoirFillRock(r, a));
  PetscCall(VecRestoreArrayWrite(r->rock, &a));
  PetscCall(DMCreateGlobalVector(r->da, &r->x));
  PetscCall(VecDuplicate(r->x, &r->old));
  PetscCall(DMCreateLocalVector(r->da, &r->local));
  for (int k = 0; k < 2 * r->model.unknowns; k++) PetscCall(DMCreateGlobalVector(r->cells, &r->amount[k]));
  PetscCall(SetInitial(r));
  PetscCall(VecCopy(r->old, r->x));
  PetscCall(ReservoirCreateSolver(r));
  *reservoir = r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirDestroy(Reservoir *reservoir)
{
  Reservoir r = *reservoir;

  PetscFunctionBegin;
  PetscCall(SNESDestroy(&r->snes));
  PetscCall(VecDestroy(&r->x));
  PetscCall(VecDestroy(&r->old));
  PetscCall(VecDestroy(&r->local));
  PetscCall(VecDestroy(&r->rock));
  PetscCall(VecDestroy(&r->values));
  for (Vec &v : r->amount) PetscCall(VecDestroy(&v));
  PetscCall(DMDestroy(&r->cells));
  PetscCall(DMDestroy(&r->da));
  PetscCall(PetscFree(*reservoir));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirSetLocations(Reservoir r, Mat A)
{
  const Model           &M = r->model;
  const size_t           n = cells(M.size);
  std::vector<PetscInt>  rows(PLACES * n, -1), columns(PLACES * n, -1); /* COO ignores -1: there is no neighbor */
  const PetscInt        *global;                                        /* cell of the box with neighbors -> block row */
  ISLocalToGlobalMapping map;

  PetscFunctionBegin;
  PetscCall(DMGetLocalToGlobalMapping(r->cells, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &global));
  locations(M, 3, global, rows.data(), columns.data());
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PetscCall(HeptaMatSetPreallocationCOOBlocked(A, (PetscCount)rows.size(), rows.data(), columns.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirAmounts(Reservoir r, PetscReal dt, PetscReal sum[])
{
  const Vec  *a = r->amount;
  PetscScalar s;

  PetscFunctionBegin;
  r->model.step = dt / r->model.volume;
  PetscCall(DMGlobalToLocal(r->da, r->x, INSERT_VALUES, r->local));
  PetscCall(ReservoirLaunch(r, {r->rock, r->local}, {a[0], a[1], a[2], a[3], a[4], a[5]},
                            [&](const auto &each, auto in, auto out) { return all_amounts(each, r->model, in[0], in[1], out); }));
  for (int k = 0; k < 2 * r->model.unknowns; k++) {
    PetscCall(VecSum(r->amount[k], &s));
    sum[k] = PetscRealPart(s) / cells(r->model.n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
