/* A distribution of rows in which all ranks have the same number of blocks */
#include <numeric>

#include "brow.h"

using hepta::Index;

/*
   The tile size with the fewest bytes for the rows of all ranks together, counted in all rows; MATBROW counts on the host in a
   sample of many rows, and may choose another size
*/
static PetscErrorCode ChooseTile(Mat A, PetscInt *tile)
{
  std::vector<size_t>      i;
  std::vector<Index>       j;
  hepta::brow::BlockCounts counts;

  PetscFunctionBegin;
  *tile = HeptaCommonBlockSize(A);
  if (*tile > 1 && *tile <= hepta::brow::max_tile) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBROWReadRows(A, 0, 0, A->cmap->N, i, j));
  counts = hepta::brow::count_blocks((Index)A->rmap->n, (Index)A->cmap->N, i.data(), j.data());
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, counts.blocks, hepta::brow::max_counted + 1, MPIU_SIZE_T, MPI_SUM,
                              PetscObjectComm((PetscObject)A)));
  counts.rows = (Index)A->rmap->N;
  *tile       = counts.best(sizeof(PetscScalar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Partitions pieces of `unit` rows with weights: start[p], the first row of rank p, is where the sum of weights is nearest to
   p/ranks of the total. This rank has pieces from `piece` on; a piece that two ranks share has a weight on both ranks.
*/
static PetscErrorCode Partition(MPI_Comm comm, const std::vector<PetscInt64> &weight, PetscInt piece, PetscInt unit,
                                PetscInt rows, std::vector<PetscInt> &start)
{
  PetscInt64  before = 0, total = 0, sum = std::accumulate(weight.begin(), weight.end(), PetscInt64(0));
  PetscMPIInt size, rank;
  PetscInt    p = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Exscan(&sum, &before, 1, MPIU_INT64, MPI_SUM, comm));
  if (!rank) before = 0;
  PetscCallMPI(MPIU_Allreduce(&sum, &total, 1, MPIU_INT64, MPI_SUM, comm));
  start.assign(size + 1, 0);
  start[size] = rows;
  for (PetscInt64 w : weight) {
    for (; p < size; p++) {
      const double share = (double)total * p / size;
      if (share > (double)(before + w)) break;
      if (share > (double)before)
        start[p] = PetscMin(rows, unit * (share - (double)before < (double)(before + w) - share ? piece : piece + 1));
    }
    before += w;
    piece++;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, start.data(), size + 1, MPIU_INT, MPI_MAX, comm));
  for (PetscMPIInt r = 1; r <= size; r++) start[r] = PetscMax(start[r], start[r - 1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Balance(Mat A, PetscInt tile, IS *is)
{
  const MPI_Comm          comm = PetscObjectComm((PetscObject)A);
  const PetscInt          unit = std::lcm(HeptaBlockSize(A->rmap), tile), lead = A->rmap->rstart % unit;
  std::vector<size_t>     i;
  std::vector<Index>      j;
  std::vector<PetscInt64> weight;
  std::vector<PetscInt>   start;
  PetscMPIInt             rank;

  PetscFunctionBegin;
  PetscCall(MatBROWReadRows(A, lead, 0, A->cmap->N, i, j));
  if (A->rmap->n) {
    const hepta::brow::Pattern P =
      hepta::brow::block_pattern((Index)(lead + A->rmap->n), (Index)A->cmap->N, (int)tile, i.data(), j.data());
    const size_t n = P.first.size() - 1, per = (size_t)(unit / tile);
    for (size_t m = 0; m < n; m += per) weight.push_back(PetscMax(1, (PetscInt64)(P.first[std::min(n, m + per)] - P.first[m])));
  }
  PetscCall(Partition(comm, weight, A->rmap->rstart / unit, unit, A->rmap->N, start));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(ISCreateStride(comm, start[rank + 1] - start[rank], start[rank], 1, is));
  PetscCall(ISSetBlockSize(*is, HeptaBlockSize(A->rmap)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetBalancedRows(Mat A, PetscInt bs, IS *rows)
{
  Mat R;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidType(A, 1);
  PetscAssertPointer(rows, 3);
  PetscCheck(A->assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "HeptaMatGetBalancedRows() needs an assembled matrix: call MatAssemblyBegin() and MatAssemblyEnd() first");
  PetscCall(MatBROWCheckTileSize(A, bs));
  PetscCall(MatBlockedGetRowwise(A, &R));
  if (!bs) PetscCall(ChooseTile(R, &bs));
  PetscCall(Balance(R, bs, rows));
  PetscCall(MatDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaMatGetBalancedRows - Gets the rows that each MPI process should have so that all have about equally many blocks

  Collective

  Input Parameters:
+ A  - the matrix, assembled, of any type that `MatConvert()` can make a `MATAIJ`
- bs - the size of the blocks, as in `MatBROWSetTileSize()`: from 1 to 1024, or 0 for the size that `MATBROW` would take

  Output Parameter:
. rows - the global rows of this process, consecutive, after the rows of the process before; to be destroyed by the caller

  Options Database Key:
. -mat_brow_balance - `MatLoad()` of a `MATBROW` whose local sizes are not set gives the processes these rows

  Level: intermediate

  Notes:
  Rows keep their order, so that neighbors stay near. A process begins at the multiple of `bs` and of the block size of `A` where
  the number of preceding blocks comes nearest to the shares of the processes before: no process has more blocks than the mean
  plus the longest block row. All blocks of a row count, whichever process has their columns; an empty block row counts as one
  block.

  The rows of a `Mat` are dealt out before it has entries. The local size of `rows` is what `MatSetSizes()` needs for a matrix
  that is yet to be filled, and

.vb
     MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, &B);
.ve

  redistributes an existing square matrix, to a `MATAIJ` if `A` is a `MATBROW`. `VecGetSubVector()` or a `VecScatter` moves these
  rows of a vector.

  `MatView()` of a `MATBROW` with `PETSC_VIEWER_ASCII_INFO` shows the largest number of value slots of a process over the mean.

  `MATPARTITIONINGAVERAGE` deals out rows in their order, too, but equally many rows, whatever `MatPartitioningSetVertexWeights()`
  says; the other types of `MatPartitioning` reorder the rows to make couplings few.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a size that is negative or larger than 1024; `PETSC_ERR_ARG_WRONGSTATE` if `A` is not assembled.

.seealso: `MATBROW`, `MatBROWSetTileSize()`, `MatCreateSubMatrix()`, `MatLoad()`, `MatPartitioning`
@*/
PetscErrorCode HeptaMatGetBalancedRows(Mat A, PetscInt bs, IS *rows)
{
  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<GetBalancedRows>(A, bs, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
