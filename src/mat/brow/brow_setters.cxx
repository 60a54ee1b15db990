/* The public functions of the brow matrix */
#include "brow.h"

/*@
  MatBROWSetTileSize - Sets the size of the tiles that a `MATBROW` matrix stores

  Logically Collective

  Input Parameters:
+ A  - the matrix, of type `MATBROW`, before `MatSetUp()`
- bs - the tile size, from 1 to 1024; 0 for the size from 1 to 8 with the fewest bytes

  Options Database Key:
. -mat_brow_bs <n|auto> - sets the same; `auto` is 0

  Level: intermediate

  Notes:
  The tile is inside the storage: the block size of the `Mat`, its layouts and vectors stay as they are, and rows and columns need
  not be multiples of the tile size. A tile is stored whole, however few entries are in the tile: large tiles are for matrices
  with large dense blocks. Without a set size the tile size is the block size of the `Mat`. If the block size is 1 or beyond 1024,
  each MPI process chooses a tile size when its first structure is complete.

  Ignored for matrices of other types.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a size that is negative or larger than 1024; `PETSC_ERR_ARG_WRONGSTATE` after `MatSetUp()`.

.seealso: `MATBROW`, `MatBROWGetTileSize()`, `MatBROWSetStorage()`, `MatSetBlockSize()`
@*/
PetscErrorCode MatBROWSetTileSize(Mat A, PetscInt bs)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(MatBROWCheckTileSize(A, bs));
  PetscTryMethod(A, "MatBROWSetTileSize_C", (Mat, PetscInt), (A, bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatBROWGetTileSize - Gets the size of the tiles that a `MATBROW` matrix stores on this MPI process

  Not Collective

  Input Parameter:
. A - the matrix, of type `MATBROW`, assembled

  Output Parameter:
. bs - the tile size

  Level: intermediate

  Errors:
  `PETSC_ERR_ARG_WRONGSTATE` before the first final assembly; `PETSC_ERR_SUP` for matrices of other types.

.seealso: `MATBROW`, `MatBROWSetTileSize()`
@*/
PetscErrorCode MatBROWGetTileSize(Mat A, PetscInt *bs)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscAssertPointer(bs, 2);
  PetscUseMethod(A, "MatBROWGetTileSize_C", (Mat, PetscInt *), (A, bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatBROWSetStorage - Sets the type in which a `MATBROW` matrix keeps its values

  Logically Collective

  Input Parameters:
+ A       - the matrix, of type `MATBROW`, before `MatSetUp()`
- storage - `HEPTA_MAT_STORAGE_DOUBLE` (default) or `HEPTA_MAT_STORAGE_SINGLE`

  Options Database Key:
. -mat_brow_storage <double|single> - sets the same

  Level: intermediate

  Notes:
  With `HEPTA_MAT_STORAGE_SINGLE` values are rounded to float when they are set, and sums of products are made in `PetscScalar`.

  Ignored for matrices of other types.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is no `HeptaMatStorage`; `PETSC_ERR_ARG_WRONGSTATE` after `MatSetUp()`.

.seealso: `MATBROW`, `HeptaMatStorage`, `MatBDIASetStorage()`
@*/
PetscErrorCode MatBROWSetStorage(Mat A, HeptaMatStorage storage)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(HeptaCheckEnum(PetscObjectComm((PetscObject)A), storage, HeptaMatStorages));
  PetscTryMethod(A, "MatBROWSetStorage_C", (Mat, HeptaMatStorage), (A, storage));
  PetscFunctionReturn(PETSC_SUCCESS);
}
