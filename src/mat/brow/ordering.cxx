/* The ordering that makes tiles dense */
#include "../reorder.h"
#include "brow.h"
#include "brow_order.hxx"

/*MC
   MATORDERINGBLOCKDENSITY - "blockdensity" - An ordering that brings rows with like columns together, so that the tiles of a
   `MATBROW` become dense

   When to take it:
   This ordering finds blocks that a numbering has scattered (several unknowns of a mesh node, rows with the same columns), and
   elements that the numbering of a mesh hides. The example advise shows whether a matrix gains.

   Options Database Key:
. -pc_factor_mat_ordering_type blockdensity - order of factorization in `PCLU` and its like, for which this ordering is not made

   Example:
.vb
     build/examples/advise -f examples/data/small.mtx.gz
.ve

   Limits:
   Grids with 5- or 7-point couplings have no dense tiles in any order. Orderings for small bandwidth or fill do not make tiles
   denser.

   Level: intermediate

   Notes:
   Rows and columns have the same order. Groups of as many rows as a tile has are made one after the other, of the pattern of
   A + A^T: the first row that is left, then repeatedly the row, among neighbors and their neighbors, whose columns are most like
   the columns of the group. Tile sizes from 2 to 8 are tried, on 8192 rows in the middle of a larger matrix, and the size with
   the fewest bytes (see `MATBROW`) is taken. The order stays as it is where the ordering saves less than 5 percent.

.vb
     MatGetOrdering(A, MATORDERINGBLOCKDENSITY, &rows, &columns);
     MatPermute(A, rows, columns, &B);
     MatConvert(B, MATBROW, MAT_INPLACE_MATRIX, &B);
     VecPermute(b, rows, PETSC_FALSE);      before the solve with B, a start vector likewise
     VecPermute(x, columns, PETSC_TRUE);    after it
.ve

   Scalar rows are ordered, whatever the block size of A; the i-nodes of `MATSEQAIJ`, whose rows PETSc's factorizations want to
   stay together, are switched off (`MAT_USE_INODES`). Each of several MPI processes orders the rows of its diagonal block among
   themselves for `MATBROW`, `MATBDIA` and `MATAIJ`; for other types give `MatGetOrdering()` the process's part from
   `MatGetDiagonalBlock()`.

   Errors:
   `PETSC_ERR_ARG_SIZ` for a matrix that is not square, `PETSC_ERR_SUP` for other types on several MPI processes and for
   `MATSEQBAIJ` and `MATSEQSBAIJ`, whose blocks PETSc keeps together.

   References:
   M. Verschoor and A. C. Jalba, Analysis and performance estimation of the Conjugate Gradient method on multiple GPUs, Parallel
   Computing 38, 2012, sections 7.2 and 8, ask for such an ordering.

.seealso: `MATBROW`, `MATORDERINGLEVEL`, `MatGetOrdering()`, `MatOrderingType`, `MatPermute()`, `VecPermute()`
M*/
PetscErrorCode MatGetOrdering_BlockDensity(Mat A, MatOrderingType, IS *row, IS *col)
{
  Mat                       R;
  PetscBool                 baij;
  std::vector<size_t>       first;
  std::vector<hepta::Index> j;
  PetscInt                  entries;

  PetscFunctionBegin;
  PetscCall(HeptaCheckSequentialSquare(A, "The ordering " MATORDERINGBLOCKDENSITY));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &baij, MATSEQBAIJ, MATSEQSBAIJ, ""));
  PetscCheck(!baij, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The ordering %s is of scalar rows: convert the matrix of type %s by MatConvert() to MATAIJ",
             MATORDERINGBLOCKDENSITY, ((PetscObject)A)->type_name);
  PetscCall(HeptaLeaveInodes(A));
  PetscCall(MatBlockedGetRowwise(A, &R));
  PetscCall(MatBROWReadRows(R, 0, 0, R->cmap->N, first, j));
  PetscCall(MatDestroy(&R));
  PetscCall(PetscIntCast((MPIU_Count)j.size(), &entries)); /* density_order() counts entries by Index */
  const std::vector<hepta::Index> i(first.begin(), first.end());
  const std::vector<hepta::Index> order = hepta::brow::density_order((hepta::Index)A->rmap->n, i.data(), j.data());
  for (IS *is : {row, col}) {
    if (order.empty()) PetscCall(ISCreateStride(PETSC_COMM_SELF, A->rmap->n, 0, 1, is));
    else PetscCall(ISCreateGeneral(PETSC_COMM_SELF, A->rmap->n, order.data(), PETSC_COPY_VALUES, is));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
