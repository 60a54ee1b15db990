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
  PetscCheck(has && !symmetric, PETSC_COMM_SELF, PETSC_ERR_SUP, "The levels of a matrix of type %s cannot be found, for it does not give its rows: convert it by MatConvert() to MATSEQAIJ", ((PetscObject)A)->type_name);
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

/* Calls f(pattern) for scalar rows, or with `blocks` the rows that PETSc orders, block rows if the type stores blocks. For MATSBAIJ, which stores one half, both halves. */
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
  HeptaMatGetLevels - Gets the levels of the rows of a matrix's upper or lower triangle: which rows a triangular solve can take at the same time

  Not Collective

  Input Parameters:
+ A     - a square matrix on one MPI process
- upper - `PETSC_TRUE`: the upper triangle, solved from the last row up; `PETSC_FALSE`: the lower one, solved from the first row down

  Output Parameters:
+ levels - the number of levels, or `NULL`
. blocks - the number of level blocks, or `NULL`
. ell    - the number of entries of the longest row of the triangle, its diagonal included: the row length in ELL format; or `NULL`
- level  - array with the level of each row, from 1; or `NULL`

  Level: intermediate

  Notes:
  Row i of the upper triangle depends on every row j > i for which a_ij is stored, row i of the lower one on every such j < i. A row that depends on no other has
  level 1, any other 1 + the largest level among the rows it depends on. Rows of one level can be solved together, and no order of the rows makes do with fewer steps than there are levels.

  Level blocks are runs of adjacent rows that do not depend on each other, counted in the direction of the solve: a row that depends on one of the current block
  begins a new one. There are at least as many as levels, and as many in the order `MATORDERINGLEVEL` when the pattern is symmetric.

  What counts is where entries are stored, zeros included, and not their values. The factors of ILU(0) and ICC(0) have entries where the matrix has, so the levels are
  those of the factors. Entries in the other triangle are ignored.

  Levels and lengths are of scalar rows, for matrices that store blocks too; `MATSEQSBAIJ` has both its triangles. All types that have `MatGetRow()` will do.

  Errors:
  `PETSC_ERR_ARG_SIZ` for a matrix that is not square, `PETSC_ERR_SUP` for one on several MPI processes and for types that do not give their rows,
  `PETSC_ERR_ARG_WRONGSTATE` for factors and matrices that are not assembled.

  References:
  J. Nibbeling, Implementation of A Parallel Back Substitution Solver on GPUs, B.Sc. thesis, Leiden University, 2016, section 2.3 (algorithm 3, which here asks for entries other than
  zero instead of positive ones, and the blocks) and table 4.1.

.seealso: `MATORDERINGLEVEL`, `PCBBS`, `MATSOLVERBBS`, `MatGetOrdering()`, `MatGetRowIJ()`
@*/
PetscErrorCode HeptaMatGetLevels(Mat A, PetscBool upper, PetscInt *levels, PetscInt *blocks, PetscInt *ell, PetscInt level[])
{
  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<GetLevels>(A, upper, levels, blocks, ell, level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATORDERINGLEVEL - "level" - An ordering that sorts the rows by level: those that a triangular solve can take at the same time become adjacent

   Options Database Keys:
. -pc_factor_mat_ordering_type level - the order in which `PCILU` and `PCICC` factor the matrix

   Level: intermediate

   Notes:
   Levels are those of `HeptaMatGetLevels()` for the lower triangle of the pattern of A + A^T, for a symmetric pattern the same as A's; rows of one level keep their order. Level blocks are then levels.

   Where a_ij or a_ji is stored, i comes before j if it did so before. No dependency changes its direction, so the factors of ILU(0) and ICC(0) are those of the natural order, with
   rows and columns permuted, and iterations are as many. That sets this ordering apart from colorings, which have fewer levels and need more iterations. With fill (`-pc_factor_levels`)
   it is an ordering like any other.

   `MATSEQBAIJ` and `MATSEQSBAIJ` have their block rows ordered, as with PETSc's own orderings; so have `MATSEQBDIA` and
   `MATSEQBROW` (by the block size of the `Mat`, not the tiles), as scalar rows that stay together. All other types have their
   scalar rows
   ordered; as PETSc's factorizations of `MATSEQAIJ` by i-nodes want the rows of each to stay together, its i-nodes are switched off (`MAT_USE_INODES`).

   References:
   J. Nibbeling, Implementation of A Parallel Back Substitution Solver on GPUs, B.Sc. thesis, Leiden University, 2016, sections 2.3 and 4.2.

.seealso: `HeptaMatGetLevels()`, `MATSOLVERBBS`, `PCBBS`, `MatGetOrdering()`, `MatOrderingType`, `PCFactorSetMatOrderingType()`
M*/
PetscErrorCode MatGetOrdering_Level(Mat A, MatOrderingType, IS *row, IS *col)
{
  const PetscInt        bs = HeptaIsBlocked(A) ? A->rmap->bs : 1;
  std::vector<PetscInt> sorted;
  PetscBool             stores_blocks;
  PetscInt             *order;

  PetscFunctionBegin;
  PetscCall(HeptaCheckSequentialSquare(A, "The ordering " MATORDERINGLEVEL));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &stores_blocks, MATSEQBAIJ, MATSEQSBAIJ, "")); /* without MATSEQAIJ, whose i-nodes are not blocks here */
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
