/* The matrix of hypre's PFMG, of PETSc's type hyprestruct, from an aij matrix on the same grid */
#include "pressure.h"

/*
   On the boxes of cells that the processes have in da. The type knows three dimensions only, so a plane is one layer of cells,
   whose couplings across are 0: PFMG does not coarsen that axis, but it multiplies by these zeros.
*/
static PetscErrorCode Create(DM da, Mat *A)
{
  const DMBoundaryType b    = DM_BOUNDARY_NONE;
  const MPI_Comm       comm = PetscObjectComm((PetscObject)da);
  const PetscInt       one  = 1;
  const PetscInt      *l[3];
  PetscInt             n[3], p[3];
  DM                   grid;

  PetscFunctionBegin;
  PetscCall(DMDAGetInfo(da, NULL, &n[0], &n[1], &n[2], &p[0], &p[1], &p[2], NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(DMDAGetOwnershipRanges(da, &l[0], &l[1], &l[2]));
  if (n[2] == 1) l[2] = &one;
  PetscCall(DMDACreate3d(comm, b, b, b, DMDA_STENCIL_STAR, n[0], n[1], n[2], p[0], p[1], p[2], 1, 1, l[0], l[1], l[2], &grid));
  PetscCall(DMSetMatType(grid, MATHYPRESTRUCT));
  PetscCall(DMSetUp(grid));
  PetscCall(DMCreateMatrix(grid, A));
  PetscCall(DMDestroy(&grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridProblem::OnGrid(Mat from, Mat *A)
{
  ISLocalToGlobalMapping map;
  DM                     da;
  PetscInt               begin, end;

  PetscFunctionBegin;
  if (!on_grid) {
    PetscCall(FlowGetDM(flow, &da));
    PetscCall(Create(da, &on_grid));
  }
  PetscCall(MatGetLocalToGlobalMapping(on_grid, &map, nullptr));
  PetscCall(MatGetOwnershipRange(from, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    const PetscInt    *columns;
    const PetscScalar *values;
    PetscInt           n, local, at[7];

    PetscCall(MatGetRow(from, row, &n, &columns, &values));
    PetscCheck(n <= 7, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " entries in row %" PetscInt_FMT ", not 7", n, row);
    PetscCall(ISGlobalToLocalMappingApply(map, IS_GTOLM_MASK, 1, &row, nullptr, &local));
    PetscCall(ISGlobalToLocalMappingApply(map, IS_GTOLM_MASK, n, columns, nullptr, at));
    PetscCall(MatSetValuesLocal(on_grid, 1, &local, n, at, values, INSERT_VALUES));
    PetscCall(MatRestoreRow(from, row, &n, &columns, &values));
  }
  PetscCall(MatAssemblyBegin(on_grid, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(on_grid, MAT_FINAL_ASSEMBLY));
  *A = on_grid;
  PetscFunctionReturn(PETSC_SUCCESS);
}
