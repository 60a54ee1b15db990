/* The public functions of the bdia matrix */
#include "../blocked/blocked.h"

/*@
  MatBDIASetGrid - Sets the grid of a `MATBDIA` matrix, and with it the block offsets -JH, -J, -1, 0, 1, J, JH

  Logically Collective

  Input Parameters:
+ A - the matrix, of type `MATBDIA`, before `MatSetUp()`
. J - cells in the fastest direction, at least 1
. H - cells in the second direction, at least 1
- I - cells in the slowest direction, at least 1

  Options Database Key:
. -mat_bdia_grid <J,H,I> - sets the same

  Level: intermediate

  Notes:
  Cell m = j + h*J + i*J*H is block row m, so the matrix must have J*H*I*bs rows and as many columns. Rows are numbered along the
  grid and split between the MPI processes in this natural order; for the numbering of a `DMDA`, whose processes own boxes, attach
  the `DMDA` instead (`DMCreateMatrix()`), without a grid.

  Offsets that coincide (`J` = 1 or `H` = 1) are stored once. Couplings run on over the ends of grid lines: entries at these
  locations that are never set stay zero. Entries set at other locations add their offsets as without a grid.

  Without a grid the offsets are found at assembly. With a grid `MatSetUp()` allocates all values at once.

  Ignored for matrices of other types.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a size below 1 or more cells than `PetscInt` can count; `PETSC_ERR_ARG_WRONGSTATE` after
  `MatSetUp()`; in `MatSetUp()`, `PETSC_ERR_ARG_SIZ` when the rows are not J*H*I*bs.

  References:
  L. A. Firdaus, CUDA Optimization of a Class of Iterative Linear Algebra Solver, 2017, section 5.1, equation 5.1 and algorithm 2.

.seealso: `MATBDIA`, `MatBDIAGetOffsets()`, `MatSetBlockSize()`
@*/
PetscErrorCode MatBDIASetGrid(Mat A, PetscInt J, PetscInt H, PetscInt I)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscTryMethod(A, "MatBDIASetGrid_C", (Mat, PetscInt, PetscInt, PetscInt), (A, J, H, I));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatBDIASetHalf - Keeps only the diagonal and upper half of a symmetric `MATBDIA` matrix

  Logically Collective

  Input Parameters:
+ A    - the matrix, of type `MATBDIA`, before `MatSetUp()`
- half - `PETSC_TRUE` for half storage

  Options Database Key:
. -mat_bdia_half - sets the same

  Level: intermediate

  Notes:
  Block offsets >= 0 are stored, 4 of the 7 of a grid, and a product uses each value twice, for its row and for its column.
  Couplings to other MPI processes are stored whole.

  A program may set the upper half only, as for `MATSBAIJ`: when no process has set an entry below the diagonal, the upper half is
  used for both. Otherwise both halves must be set and agree up to rounding. While values are being set both halves are stored, so
  assembly needs the memory of both.

  The matrix is marked `MAT_SYMMETRIC`.

  Errors:
  `PETSC_ERR_ARG_WRONG` at final assembly when a pair of entries differs (the message names the pair); `PETSC_ERR_ARG_WRONGSTATE`
  after `MatSetUp()`; `PETSC_ERR_ARG_SIZ` when the matrix is not square.

  Ignored for matrices of other types.

.seealso: `MATBDIA`, `MatBDIASetStorage()`, `MatSetOption()`, `MATSBAIJ`
@*/
PetscErrorCode MatBDIASetHalf(Mat A, PetscBool half)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscTryMethod(A, "MatBDIASetHalf_C", (Mat, PetscBool), (A, half));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatBDIASetStorage - Sets the type in which a `MATBDIA` matrix keeps its values

  Logically Collective

  Input Parameters:
+ A       - the matrix, of type `MATBDIA`, before `MatSetUp()`
- storage - `HEPTA_MAT_STORAGE_DOUBLE` (default) or `HEPTA_MAT_STORAGE_SINGLE`

  Options Database Key:
. -mat_bdia_storage <double|single> - sets the same

  Level: intermediate

  Notes:
  `HEPTA_MAT_STORAGE_SINGLE` rounds each value to float, a relative error of up to 6e-8; vectors and sums stay `PetscScalar`.
  Single storage halves the bytes of a product and is meant for matrices of preconditioners (`Pmat` of `KSPSetOperators()`), not
  for the operator whose residual counts.

  Ignored for matrices of other types.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is no `HeptaMatStorage`; `PETSC_ERR_ARG_WRONGSTATE` after `MatSetUp()`.

.seealso: `MATBDIA`, `HeptaMatStorage`, `MatBDIASetHalf()`, `KSPSetOperators()`
@*/
PetscErrorCode MatBDIASetStorage(Mat A, HeptaMatStorage storage)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(HeptaCheckEnum(PetscObjectComm((PetscObject)A), storage, HeptaMatStorages));
  PetscTryMethod(A, "MatBDIASetStorage_C", (Mat, HeptaMatStorage), (A, storage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  MatBDIAGetOffsets - Gets the block offsets of this MPI process's part of a `MATBDIA` matrix

  Not Collective

  Input Parameter:
. A - the matrix, of type `MATBDIA`, assembled

  Output Parameters:
+ nd  - number of block offsets, or `NULL`
- off - the offsets, ascending, in blocks; `NULL` if not wanted

  Level: intermediate

  Notes:
  Offset o belongs to the blocks in block column m + o of block row m, both counted from the first of this process. Couplings to
  columns of other processes have no offsets. With half storage all offsets are >= 0.

  The array belongs to the matrix and holds until the matrix changes.

  Errors:
  `PETSC_ERR_ARG_WRONGSTATE` before the first final assembly; `PETSC_ERR_SUP` for matrices of other types.

.seealso: `MATBDIA`, `MatBDIAGetFill()`, `MatBDIASetGrid()`
@*/
PetscErrorCode MatBDIAGetOffsets(Mat A, PetscInt *nd, const PetscInt *off[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscUseMethod(A, "MatBDIAGetOffsets_C", (Mat, PetscInt *, const PetscInt *[]), (A, nd, off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatBDIAGetFill - Gets the fill of a `MATBDIA` matrix: value slots it stores per entry that was set

  Collective

  Input Parameter:
. A - the matrix, of type `MATBDIA`, assembled

  Output Parameter:
. fill - value slots of the stored blocks, with couplings to other MPI processes, divided by the entries set; over all processes

  Level: intermediate

  Notes:
  A product reads `fill` values for each entry set, and no indices. `MATAIJ` reads a value and an index, 12 bytes in double
  precision with 32-bit indices against 8 times `fill`: up to about 1.5 `MATBDIA` reads less. Above `-mat_bdia_max_fill` (default
  4) assembly gives an error.

  The fill is 1 when every stored block is full and at least 1 otherwise. With half storage the slots and entries of both halves
  count. Blocks of a block diagonal outside the matrix do not count.

  Errors:
  `PETSC_ERR_SUP` for matrices of other types.

.seealso: `MATBDIA`, `MatBDIAGetOffsets()`, `MatGetInfo()`
@*/
PetscErrorCode MatBDIAGetFill(Mat A, PetscReal *fill)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(fill, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Pass a pointer for the fill: it is null");
  PetscUseMethod(A, "MatBDIAGetFill_C", (Mat, PetscReal *), (A, fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}
