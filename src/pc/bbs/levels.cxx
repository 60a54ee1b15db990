#include "../../mat/reorder.h"

#include <vector>

#include "../../shared/rows.h"
#include "../operator.h"
#include "bbs_analysis.hxx"

using hepta::bbs::Parallelism;
using hepta::bbs::SparsityPattern;

/* Copies the rows, for types that do not give PETSc's arrays */
static PetscErrorCode CopyRows(Mat A, PetscBool symmetric, std::vector<PetscInt> *start, std::vector<PetscInt> *column)
{
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(MatHasOperation(A, MATOP_GET_ROW, &has));
  PetscCheck(
    has && !symmetric, PETSC_COMM_SELF, PETSC_ERR_SUP,
    "The levels of a matrix of type %s cannot be found, for it does not give its rows: convert it by MatConvert() to MATSEQAIJ",
    ((PetscObject)A)->type_name);
  start->assign(1, 0);
  PetscCall(HeptaForRows(A, 0, A->rmap->n, false, [=](PetscInt, PetscInt ncols, const PetscInt *cols, const PetscScalar *) {
    PetscInt last;

    column->insert(column->end(), cols, cols + ncols);
    PetscCall(PetscIntCast((MPIU_Count)column->size(), &last));
    start->push_back(last);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Calls f(pattern) for scalar rows, or with `blocks` for the rows that PETSc orders: block rows if the type stores blocks. The
   pattern of MATSBAIJ, which stores one half, has both halves.
*/
template <class F> static PetscErrorCode WithRows(Mat A, PetscBool blocks, const F &f)
{
  SparsityPattern       P;
  std::vector<PetscInt> start, column;
  PetscBool             borrowed, symmetric;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &symmetric, MATSEQSBAIJ, MATMPISBAIJ, ""));
  PetscCall(MatGetRowIJ(A, 0, symmetric, blocks, &P.n, &P.start, &P.column, &borrowed));
  if (!borrowed) {
    PetscCall(CopyRows(A, symmetric, &start, &column));
    P = {A->rmap->n, start.data(), column.data()};
  }
  f(P);
  if (borrowed) PetscCall(MatRestoreRowIJ(A, 0, symmetric, blocks, &P.n, &P.start, &P.column, &borrowed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetLevels(Mat A, PetscBool upper, PetscInt *levels, PetscInt *blocks, PetscInt *ell, PetscInt level[])
{
  Parallelism           found;
  std::vector<PetscInt> own;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidType(A, 1);
  PetscCall(HeptaCheckSequentialSquare(A, "HeptaMatGetLevels()"));
  if (!level) {
    own.resize(A->rmap->n);
    level = own.data();
  }
  PetscCall(WithRows(A, PETSC_FALSE, [&](const SparsityPattern &P) { found = find_levels(P, upper, level); }));
  if (levels) *levels = found.levels;
  if (blocks) *blocks = found.blocks;
  if (ell) *ell = found.ell;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaMatGetLevels - Gets the levels of the rows of a matrix's upper or lower triangle: rows of one level can be solved at the
  same time

  Not Collective

  Input Parameters:
+ A     - a square matrix on one MPI process
- upper - `PETSC_TRUE`: the upper triangle, solved from the last row up; `PETSC_FALSE`: the lower triangle, solved from the first
          row down

  Output Parameters:
+ levels - the number of levels, or `NULL`
. blocks - the number of level blocks, or `NULL`
. ell    - the number of entries of the longest row of the triangle, its diagonal included: the row length in ELL format; or
           `NULL`
- level  - array with the level of each row, from 1; or `NULL`

  Level: intermediate

  Notes:
  Row i of the upper triangle depends on every row j > i with a stored a_ij, row i of the lower triangle on every row j < i with a
  stored a_ij. A row without dependencies has level 1, any other row 1 + the largest level among its dependencies. Rows of one
  level can be solved together. No order of the rows needs fewer steps than there are levels.

  Level blocks are runs of adjacent rows that do not depend on each other, in the direction of the solve: a row that depends on a
  row of the current block begins a new block. There are at least as many level blocks as levels, and in the order
  `MATORDERINGLEVEL` of a symmetric pattern as many.

  Stored zeros count as entries. The factors of ILU(0) and ICC(0) have the pattern of the matrix, so the levels of the matrix are
  the levels of the factors. Entries in the other triangle are ignored.

  Levels and lengths are of scalar rows, also for matrices that store blocks; `MATSEQSBAIJ` counts with both triangles. All types
  with `MatGetRow()` are allowed.

  Errors:
  `PETSC_ERR_ARG_SIZ` for a matrix that is not square, `PETSC_ERR_SUP` for a matrix on several MPI processes and for types without
  `MatGetRow()`, `PETSC_ERR_ARG_WRONGSTATE` for factors and matrices that are not assembled.

  References:
  J. Nibbeling, Implementation of A Parallel Back Substitution Solver on GPUs, B.Sc. thesis, Leiden University, 2016, section 2.3
  (algorithm 3, here for stored entries instead of positive entries, and the blocks) and table 4.1.

.seealso: `MATORDERINGLEVEL`, `PCBBS`, `MATSOLVERBBS`, `MatGetOrdering()`, `MatGetRowIJ()`
@*/
PetscErrorCode HeptaMatGetLevels(Mat A, PetscBool upper, PetscInt *levels, PetscInt *blocks, PetscInt *ell, PetscInt level[])
{
  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<GetLevels>(A, upper, levels, blocks, ell, level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATORDERINGLEVEL - "level" - An ordering that sorts the rows by level: rows that a triangular solve can take at the same time
   become adjacent

   When to take it:
   Try `MATORDERINGLEVEL` where triangular solves take most of the time; `-ksp_view` shows the levels of a factor. The number of
   iterations stays.

   Options Database Keys:
. -pc_factor_mat_ordering_type level - the order in which `PCILU` and `PCICC` factor the matrix

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type bdia -ksp_type fusedcg -pc_type icc -pc_factor_mat_ordering_type level
.ve

   Limits:
   With fill (`-pc_factor_levels`) the factors depend on the ordering, as for any other ordering.

   Level: intermediate

   Notes:
   Rows are sorted by the levels of `HeptaMatGetLevels()` for the lower triangle of the pattern of A + A^T; rows of one level keep
   their order. In the new order every level block is a level.

   Rows coupled by a stored a_ij or a_ji keep their order, so no dependency changes its direction: the factors of ILU(0) and
   ICC(0) are the factors of the natural order with rows and columns permuted. Colorings have fewer levels, but need more
   iterations.

   `MATSEQBAIJ` and `MATSEQSBAIJ` are ordered by block rows, as by PETSc's own orderings. `MATSEQBDIA` and `MATSEQBROW` are
   ordered by scalar rows that stay together in block rows (of the `Mat`, not of the tiles). All other types are ordered by scalar
   rows. The i-nodes of `MATSEQAIJ` are switched off (`MAT_USE_INODES`), since PETSc's factorizations by i-nodes need adjacent
   rows.

   References:
   J. Nibbeling, Implementation of A Parallel Back Substitution Solver on GPUs, B.Sc. thesis, Leiden University, 2016, sections
   2.3 and 4.2.

.seealso: `HeptaMatGetLevels()`, `MATSOLVERBBS`, `PCBBS`, `MatGetOrdering()`, `MatOrderingType`, `PCFactorSetMatOrderingType()`
M*/
PetscErrorCode MatGetOrdering_Level(Mat A, MatOrderingType, IS *row, IS *col)
{
  const PetscInt        bs = HeptaIsBlocked(A) ? HeptaBlockSize(A->rmap) : 1;
  std::vector<PetscInt> sorted;
  PetscBool             stores_blocks;
  PetscInt             *order;

  PetscFunctionBegin;
  PetscCall(HeptaCheckSequentialSquare(A, "The ordering " MATORDERINGLEVEL));
  /* i-nodes of MATSEQAIJ do not count as blocks */
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &stores_blocks, MATSEQBAIJ, MATSEQSBAIJ, ""));
  PetscCall(HeptaLeaveInodes(A));
  PetscCall(WithRows(A, stores_blocks, [&](const SparsityPattern &P) {
    std::vector<PetscInt> level(P.n / bs);
    sorted.resize(P.n / bs);
    hepta::bbs::sort_by_level(P.n / bs, find_order_levels(P, bs, level.data()), level.data(), sorted.data());
  }));
  const PetscInt n = (PetscInt)sorted.size() * bs;
  PetscCall(PetscMalloc1(n, &order));
  for (PetscInt i = 0; i < n; i++) order[i] = sorted[i / bs] * bs + i % bs;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, order, PETSC_COPY_VALUES, row));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, order, PETSC_OWN_POINTER, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}
