/* Structure known before any value: a grid in natural order */
#include <set>

#include "bdia.h"

PetscErrorCode HeptaMatBDIASetGrid_BDIA(Mat A, PetscInt J, PetscInt H, PetscInt I)
{
  Mat_Blocked         *a       = MatBlocked(A);
  hepta::bdia::Options options = a->set.OfFormat<hepta::bdia::Options>();
  const bool           same    = options.grid[0] == J && options.grid[1] == H && options.grid[2] == I;
  PetscInt             plane, cells;

  PetscFunctionBegin;
  PetscCheck(J > 0 && H > 0 && I > 0, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "The grid %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " (-mat_bdia_grid J,H,I) must have positive sizes", J, H, I);
  PetscCheck(!__builtin_mul_overflow(J, H, &plane) && !__builtin_mul_overflow(plane, I, &cells), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "The grid %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " (-mat_bdia_grid J,H,I) has more cells than PetscInt can count", J, H, I);
  PetscCheck(same || !A->preallocated, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "The grid (-mat_bdia_grid) must be set before MatSetUp() and before values are set");
  options.grid[0] = J;
  options.grid[1] = H;
  options.grid[2] = I;
  a->set.SetOfFormat(options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the offsets of the grid, if one is given */
PetscErrorCode hepta::bdia::Diagonals::PresetFromOptions(Mat A)
{
  Mat_Blocked       *a     = MatBlocked(A);
  const PetscInt    *grid  = a->set.OfFormat<Options>().grid;
  const PetscInt     cells = grid[0] * grid[1] * grid[2];
  std::set<PetscInt> offsets;

  PetscFunctionBegin;
  if (!grid[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(cells == A->rmap->N / bs && cells == A->cmap->N / bs, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "The grid %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " (-mat_bdia_grid) has %" PetscInt_FMT " cells, but the matrix has %" PetscInt_FMT " x %" PetscInt_FMT " rows and columns in blocks of %" PetscInt_FMT, grid[0], grid[1],
             grid[2], cells, A->rmap->N, A->cmap->N, bs);
  for (PetscInt o : {(PetscInt)0, (PetscInt)1, grid[0], grid[0] * grid[1]}) { /* some coincide if J = 1 or H = 1 */
    if (o >= PetscMax(nbr, 1)) continue;
    offsets.insert(o);
    if (!a->set.half) offsets.insert(-o);
  }
  PetscCall(Preset(std::vector<PetscInt>(offsets.begin(), offsets.end())));
  PetscFunctionReturn(PETSC_SUCCESS);
}
