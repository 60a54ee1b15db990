#include "grid.h"

#include <petscdmda.h>

#include "operator.h"

/* The number of directions with more than one cell: a grid of one layer is a plane */
static PetscInt Directions(const PetscInt n[3])
{
  return PetscMax(1, (n[0] > 1) + (n[1] > 1) + (n[2] > 1));
}

/* The grid of n[] cells in natural order, with a cell for each block row */
static PetscErrorCode Natural(Mat A, const PetscInt n[3], const char origin[], HeptaGrid *grid)
{
  const PetscInt bs    = HeptaBlockSize(A->rmap);
  PetscInt64     cells = 1;

  PetscFunctionBegin;
  for (int x = 0; x < 3; x++) {
    grid->n[x] = PetscMax(n[x], 1);
    cells *= grid->n[x];
  }
  PetscCheck(cells == A->rmap->N / bs, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "The grid %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " (%s) has %" PetscInt64_FMT
             " cells, but the matrix has %" PetscInt_FMT " rows in blocks of %" PetscInt_FMT,
             grid->n[0], grid->n[1], grid->n[2], origin, cells, A->rmap->N, bs);
  grid->first = A->rmap->rstart / bs;
  grid->dim   = Directions(grid->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The grid of a DMDA whose points are A's block rows */
static PetscErrorCode FromDMDA(Mat A, DM dm, HeptaGrid *grid)
{
  PetscInt  dof, n[3], s[3], w[3];
  PetscBool da = PETSC_FALSE;

  PetscFunctionBegin;
  if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &da));
  if (!da) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    DMDAGetInfo(dm, nullptr, &n[0], &n[1], &n[2], nullptr, nullptr, nullptr, &dof, nullptr, nullptr, nullptr, nullptr, nullptr));
  PetscCall(DMDAGetCorners(dm, &s[0], &s[1], &s[2], &w[0], &w[1], &w[2]));
  bool fits = dof == HeptaBlockSize(A->rmap) && w[0] * w[1] * w[2] * dof == A->rmap->n;
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &fits));
  if (!fits) PetscFunctionReturn(PETSC_SUCCESS);
  grid->box = true;
  for (int x = 0; x < 3; x++) {
    grid->n[x]     = n[x];
    grid->start[x] = s[x];
    grid->size[x]  = w[x];
  }
  grid->dim = Directions(grid->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridOf(Mat A, DM dm, const PetscInt given[3], const char option[], HeptaGrid *grid)
{
  DM adm;

  PetscFunctionBegin;
  *grid = HeptaGrid();
  if (given && given[0] > 0) {
    PetscCall(Natural(A, given, option, grid));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FromDMDA(A, dm, grid));
  PetscCall(MatGetDM(A, &adm));
  if (!grid->dim) PetscCall(FromDMDA(A, adm, grid));
  if (grid->dim || !MatBDIADiagonals(A) || !MatBlocked(A)->set.presets) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt *sizes = MatBlocked(A)->set.OfFormat<hepta::bdia::Options>().grid;
  if (sizes[0] > 0) PetscCall(Natural(A, sizes, "-mat_bdia_grid", grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}
