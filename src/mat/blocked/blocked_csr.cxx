/* Rows, and the conversion to aij, with exactly the entries set */
#include "../structure.h"
#include "blocked.h"

using namespace hepta::blocked;

/* A border row's ghost blocks ascend: blocks below the local columns come first */
PetscErrorCode MatBlockedSetInRow(Mat A, PetscInt i, PetscInt *n, const RowSlot **first)
{
  Mat_Blocked          *a  = MatBlocked(A);
  const Ghost          &g  = a->ghost;
  const PetscInt        bs = g.bs, b = g.BorderRow(i / bs), length = g.Length(b);
  std::vector<RowSlot> &row   = a->row;
  size_t                count = 0;
  PetscInt              k     = 0;

  const auto ghosts = [&](PetscInt end) {
    for (; k < length && g.garray[g.col[g.Block(k, b)]] < end; k++) {
      if (count + bs > row.size()) row.resize(2 * count + bs);
      for (PetscInt s = 0; s < bs; s++) {
        row[count] = {g.garray[g.col[g.Block(k, b)]] * bs + s, true, g.Slot(g.Block(k, b), i % bs, s)};
        count += g.IsSet(row[count].at);
      }
    }
  };
  PetscFunctionBegin;
  PetscCall(a->local->StructureToHost());
  ghosts(A->cmap->rstart / bs);
  count = a->local->Row(i, A->cmap->rstart, row, count);
  ghosts(PETSC_INT_MAX);
  *n     = (PetscInt)count;
  *first = row.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedRow(Mat A, PetscInt i, std::vector<PetscInt> &cols, std::vector<PetscScalar> &vals)
{
  Mat_Blocked   *a = MatBlocked(A);
  const RowSlot *row;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(a->ghost.Look());
  PetscCall(MatBlockedSetInRow(A, i, &n, &row));
  cols.resize(n);
  vals.resize(n);
  const auto take = [&, c = cols.data(), w = vals.data()](const auto *own) {
    for (PetscInt k = 0; k < n; k++) {
      c[k] = row[k].j;
      w[k] = row[k].ghost ? a->ghost.Value(row[k].at) : (PetscScalar)own[row[k].at];
    }
    return PETSC_SUCCESS;
  };
  PetscCall(HeptaVisitValues(*a->local, HeptaSpace(), HeptaAccess::read, take));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Sets the entries of A in an aij with room for these entries, with their values or, to leave A's values where they are, with
   zeros
*/
static PetscErrorCode PutIntoAIJ(Mat A, bool values, Mat B)
{
  std::vector<PetscInt>    cols;
  std::vector<PetscScalar> vals;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < A->rmap->n; i++) {
    const PetscInt row = A->rmap->rstart + i;
    if (values) PetscCall(MatBlockedRow(A, i, cols, vals));
    else {
      cols.clear();
      PetscCall(HeptaForSetInRow(A, i, [&](bool, PetscInt j, size_t) { cols.push_back(j); }));
      vals.assign(cols.size(), 0);
    }
    PetscCall(MatSetValues(B, 1, &row, (PetscInt)cols.size(), cols.data(), vals.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A new MATAIJ with exactly the set entries, and with their values or zeros */
static PetscErrorCode BuildAIJ(Mat A, PetscBool inodes, bool values, Mat *B)
{
  std::vector<PetscInt> local(A->rmap->n, 0), ghost(A->rmap->n, 0);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < A->rmap->n; i++)
    PetscCall(HeptaForSetInRow(A, i, [&](bool other, PetscInt, size_t) { (other ? ghost : local)[i]++; }));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(*B, A, A));
  PetscCall(MatSetType(*B, MATAIJ));
  if (A->structure_only) PetscCall(MatSetOption(*B, MAT_STRUCTURE_ONLY, PETSC_TRUE));
  PetscCall(MatSeqAIJSetPreallocation(*B, 0, local.data()));
  PetscCall(MatMPIAIJSetPreallocation(*B, 0, local.data(), 0, ghost.data()));
  /* after preallocation, which creates the parts of an mpiaij */
  if (!inodes) PetscCall(MatSetOption(*B, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(PutIntoAIJ(A, values, *B));
  PetscCall(MatPropagateSymmetryOptions(A, *B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedGetAIJ(Mat A, Mat *B)
{
  Mat_Blocked     *a = MatBlocked(A);
  PetscObjectState state;

  PetscFunctionBegin;
  /* PETSc would free the arrays of an aij created during such a solve as if these arrays were shared memory */
  PetscCheck(!PCMPIServerInSolve, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "-mpi_linear_solver_server solves with " MATAIJ " only, not with %s: convert the matrix with MatConvert() first",
             ((PetscObject)A)->type_name);
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  if (a->aij && a->aij_nonzerostate != A->nonzerostate) PetscCall(MatDestroy(&a->aij));
  /* no inodes: routines that take the pattern of an aij with inodes get node counts */
  if (!a->aij) PetscCall(BuildAIJ(A, PETSC_FALSE, true, &a->aij));
  else if (a->aij_state != state) PetscCall(PutIntoAIJ(A, true, a->aij));
  PetscCall(MatPropagateSymmetryOptions(A, a->aij)); /* the user may have set more symmetry options since the copy was made */
  a->aij_state        = state;
  a->aij_nonzerostate = A->nonzerostate;
  *B                  = a->aij;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_Blocked(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  Mat       B;
  PetscBool aij, cusparse = PETSC_FALSE;
  bool      known = false, on_device = MatBlocked(A)->local->values.IsOnDevice();

  PetscFunctionBegin;
  PetscCall(PetscStrcmpAny(type, &aij, MATAIJ, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCall(PetscStrcmpAny(type, &cusparse, MATAIJCUSPARSE, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, ""));
  if (cusparse) PetscCall(HeptaAgreeOnAny(PetscObjectComm((PetscObject)A), &on_device));
  cusparse = (PetscBool)(cusparse && on_device);
  if (reuse == MAT_REUSE_MATRIX) {
    if (cusparse) PetscCall(MatBlockedKnowsCUSPARSE(A, *M, &known));
    if (known) PetscCall(MatBlockedCopyCUSPARSE(true, A, *M));
    if (known) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatBlockedGetAIJ(A, &B));
    if (aij) PetscCall(MatCopy(B, *M, SAME_NONZERO_PATTERN));
    else PetscCall(MatConvert(B, type, MAT_REUSE_MATRIX, M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(BuildAIJ(A, PETSC_TRUE, !cusparse, &B));
  if (!aij) PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
  if (cusparse) PetscCall(MatBlockedCopyCUSPARSE(true, A, B));
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(HeptaTakeHeader(MatHeaderReplace, A, &B));
  else *M = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}
