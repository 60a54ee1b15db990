/* COO assembly by blocks, with one pair of indices for each block */
#include "blocked.h"
#include "index_copy.h"

using namespace hepta::blocked;

/*
   Raises an error on all ranks if a rank gives a negative n or a block beyond the last. Indices on the device are not read; the
   check of their entries finds such blocks. Collective
*/
static PetscErrorCode CheckBlocks(Mat A, PetscCount n, const PetscInt *const given[2], bool on_device, const PetscInt blocks[2])
{
  const bool  null = n > 0 && (!given[0] || !given[1]);
  std::string why =
    n < 0
      ? HeptaFormat("The number of blocks n = %" PetscCount_FMT " must not be negative: give 0 on a process without blocks", n)
      : "";

  PetscFunctionBegin;
  if (null)
    why = HeptaFormat("The block %s of n = %" PetscCount_FMT " blocks is a null pointer: give an array of n indices, or n = 0",
                      given[0] ? "columns j[]" : "rows i[]", n);
  for (PetscCount k = 0; k < n && why.empty() && !on_device; k++) {
    const PetscInt i = given[0][k], j = given[1][k];
    if (i < 0 || j < 0 || (i < blocks[0] && j < blocks[1])) continue;
    why = HeptaFormat("COO block %" PetscCount_FMT " has block row %" PetscInt_FMT ", block column %" PetscInt_FMT
                      ", outside the %" PetscInt_FMT " x %" PetscInt_FMT " blocks of the matrix",
                      k, i, j, blocks[0], blocks[1]);
  }
  const PetscErrorCode bad = null ? PETSC_ERR_ARG_NULL : PETSC_ERR_ARG_OUTOFRANGE;
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), why.empty() ? PETSC_SUCCESS : bad, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetPreallocation(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[])
{
  GivenIndices    given;
  HeptaValues     memory; /* the row indices of all entries, then their column indices */
  HeptaSpace      space;
  const PetscInt *p[2] = {i, j};
  PetscInt        high, wide, *entries;
  bool            there = false;

  PetscFunctionBegin;
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  PetscCall(MatGetBlockSizes(A, &high, &wide));
  const PetscInt blocks[2] = {A->rmap->N / high, A->cmap->N / wide};
  PetscCall(given.Set(i, j));
  /* does the matrix analyze entries on the device? */
  if (HeptaIsBlocked(A)) PetscCall(MatBlockedPlansOnDevice(A, given.OnDevice(), &there));
  PetscCall(HeptaSpaceOf(there || given.OnDevice() ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, &space));
  PetscCall(CheckBlocks(A, n, p, given.OnDevice(), blocks));
  PetscCall(given.Get(n, space, p));
  const CooBlocks  b    = {(size_t)n,
                           (hepta::Index)high,
                           (hepta::Index)wide,
                           (hepta::Index)A->rmap->N,
                           (hepta::Index)A->cmap->N,
                           (const hepta::Index *)p[0],
                           (const hepta::Index *)p[1]};
  const PetscCount size = n * high * wide;
  PetscCall(memory.Make(space, 2 * (size_t)size, &entries));
  HeptaLaunchEach(space, expand_blocks, b, entries, entries + size);
  if (space.device) PetscCall(PetscDeviceContextSynchronize(nullptr)); /* PETSc's types copy the entries in another stream */
  PetscCall(MatSetPreallocationCOO(A, size, entries, entries + size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaMatSetPreallocationCOOBlocked - Sets the locations of a matrix for `MatSetValuesCOO()` by blocks, with one pair of indices
  for each

  Collective

  Input Parameters:
+ A - the matrix, of any type with `MatSetPreallocationCOO()`, with its sizes and block sizes (`MatSetBlockSize()`)
. n - the number of blocks that this process gives
. i - their block rows, from 0
- j - their block columns, from 0; in host or device memory, not changed and not kept

  Level: intermediate

  Notes:
  Equivalent to `MatSetPreallocationCOO()` with all entries of the blocks: block k has the values v[k bs^2] ... v[(k + 1)
  bs^2 - 1] of `MatSetValuesCOO()`, row by row. Blocks may be repeated, and may belong to other processes; blocks with a negative
  index are ignored, but have values all the same. With 8 coupled unknowns in a cell a program, for example an assembly of
  reservoir Jacobians on the GPU, generates 64 times fewer indices. For the `cuda` types of Hepta the entries are made and
  analyzed on the device.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a negative n, and for a block beyond the last row or column. The message names the block; for
  indices in device memory the message of `MatSetPreallocationCOO()` names an entry of the block, whose number divided by bs^2 is
  the number of the block. `PETSC_ERR_ARG_NULL` for i or j without an array, unless n is 0

.seealso: `MATBDIA`, `MATBROW`, `MatSetPreallocationCOO()`, `MatSetValuesCOO()`, `MatSetBlockSize()`
@*/
PetscErrorCode HeptaMatSetPreallocationCOOBlocked(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(HeptaNoThrow<SetPreallocation>(A, n, i, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}
