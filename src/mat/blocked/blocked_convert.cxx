/* From other types: MatConvert(), MatLoad(), MatDuplicate() */
#include "../structure.h"
#include "../toaij.h"
#include "blocked.h"

using hepta::blocked::Request;

PetscErrorCode MatBlockedGetRowwise(Mat A, Mat *R)
{
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &ok, MATSEQAIJ, MATMPIAIJ, MATSEQBAIJ, MATMPIBAIJ, ""));
  ok = (PetscBool)(ok || HeptaIsBlocked(A));
  if (ok) PetscCall(PetscObjectReference((PetscObject)A));
  if (ok) *R = A;
  else PetscCall(HeptaConvertToAIJ(A, MAT_INITIAL_MATRIX, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the options of the new matrix's prefix, except options that would change its type */
static PetscErrorCode ReadOptions(Mat B)
{
  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)B);
  PetscCall(MatBlocked(B)->format->options(B, PetscOptionsObject));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up B, which has its sizes and type, for the entries of A: block size, structure, values, or zeros instead */
static PetscErrorCode FillFrom(Mat A, Mat B, bool values)
{
  bool whole = false;

  PetscFunctionBegin;
  if (!B->preallocated) PetscCall(MatBlocked(B)->local->Fit(A, values, B, &whole));
  else PetscCall(MatZeroEntries(B));
  if (MatBlocked(B)->set.misfit) PetscFunctionReturn(PETSC_SUCCESS);
  if (!whole)
    PetscCall(HeptaForRows(A, A->rmap->rstart, A->rmap->rend, values,
                           [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *vals) {
                             return MatSetValues_Blocked(B, 1, &i, n, cols, vals, INSERT_VALUES);
                           }));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  if (!values && !whole) { /* so that no zeros are copied to the device */
    PetscCall(MatBlocked(B)->local->Forget());
    PetscCall(MatBlocked(B)->ghost.Forget());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Sets A's local-to-global mapping here, because MatConvert() would set the mapping together with A's block size, which may not
   be B's
*/
static PetscErrorCode TakeMapping(Mat A, Mat B)
{
  PetscFunctionBegin;
  if (A->rmap->mapping && A->cmap->mapping && !B->rmap->mapping)
    PetscCall(MatSetLocalToGlobalMapping(B, A->rmap->mapping, A->cmap->mapping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Creates an empty matrix of the type, with A's sizes and prefix and the options of this prefix */
static PetscErrorCode CreateFor(Mat A, MatType type, const Request &request, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(MatSetOptionsPrefix(*B, ((PetscObject)A)->prefix));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetType(*B, type));
  PetscCall(ReadOptions(*B));
  if (request.full) MatBlocked(*B)->set.half = PETSC_FALSE;
  if (request.plain) MatBlocked(*B)->set.search_bs = PETSC_FALSE;
  MatBlocked(*B)->set.lenient = (PetscBool)request.lenient;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Convert(Mat A, MatType type, MatReuse reuse, const Request &request, Mat *M)
{
  Mat R, B = reuse == MAT_REUSE_MATRIX ? *M : nullptr;

  PetscFunctionBegin;
  if (!B) PetscCall(CreateFor(A, type, request, &B));
  const PetscLogEvent event = MatBlocked(B)->format->events.convert;
  PetscCall(PetscLogEventBegin(event, A, nullptr, nullptr, nullptr));
  PetscCall(MatBlockedGetRowwise(A, &R));
  bool device = MatBlockedConvertsOnDevice(R, B), known = false;
  if (device && reuse == MAT_REUSE_MATRIX) { /* B may have entries that A does not have; the host then copies the values */
    PetscCall(MatBlockedKnowsCUSPARSE(B, R, &known));
    device = known;
  }
  if (!known) {
    const PetscErrorCode code = FillFrom(R, B, !device);
    if (code) { /* a matrix that does not fit is destroyed: callers may continue without a matrix */
      (void)MatDestroy(&R);
      if (reuse != MAT_REUSE_MATRIX) (void)MatDestroy(&B);
    }
    PetscCall(code);
  }
  if (MatBlocked(B)->set.misfit) PetscCall(MatDestroy(&B));
  if (device && B) PetscCall(MatBlockedCopyCUSPARSE(false, B, R));
  if (B) PetscCall(TakeMapping(A, B));
  if (B) MatBlocked(B)->set.lenient = PETSC_FALSE;
  PetscCall(MatDestroy(&R));
  PetscCall(PetscLogEventEnd(event, A, nullptr, nullptr, nullptr));
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(HeptaTakeHeader(MatHeaderReplace, A, &B));
  else *M = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvertFrom_Blocked(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  PetscFunctionBegin;
  PetscCall(Convert(A, type, reuse, {}, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedConvert(Mat A, MatType type, MatReuse reuse, const Request &request, Mat *M)
{
  PetscFunctionBegin;
  PetscCall(Convert(A, type, reuse, request, M));
  if (*M) PetscCall(MatPropagateSymmetryOptions(A, *M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives this rank the `rows` of B, which are destroyed; columns likewise if `columns`, otherwise unchanged */
static PetscErrorCode Redistribute(IS rows, bool columns, Mat *B)
{
  Mat C;
  IS  cols;

  PetscFunctionBegin;
  if (columns) PetscCall(PetscObjectReference((PetscObject)(cols = rows)));
  else {
    PetscCall(ISCreateStride(PetscObjectComm((PetscObject)*B), (*B)->cmap->n, (*B)->cmap->rstart, 1, &cols));
    PetscCall(ISSetBlockSize(cols, HeptaBlockSize((*B)->cmap)));
  }
  PetscCall(MatCreateSubMatrix(*B, rows, cols, MAT_INITIAL_MATRIX, &C));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscCall(MatDestroy(B));
  *B = C;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the file as aij, so that PETSc does the parallel reading, and converts it */
PetscErrorCode MatLoad_Blocked(Mat A, PetscViewer viewer)
{
  Mat            B;
  IS             rows    = nullptr;
  const bool     columns = A->cmap->n < 0;
  const PetscInt rbs = HeptaBlockSize(A->rmap), cbs = HeptaBlockSize(A->cmap);

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
  PetscCall(MatSetOptionsPrefix(B, ((PetscObject)A)->prefix));
  PetscCall(MatSetSizes(B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  if (rbs > 1 || cbs > 1) PetscCall(MatSetBlockSizes(B, rbs, cbs));
  PetscCall(MatSetType(B, MATAIJ));
  PetscCall(MatLoad(B, viewer));
  if (A->rmap->n < 0 && A->rmap->size > 1) PetscCall(MatBlocked(A)->local->BalancedRows(MatBlocked(A)->set, B, &rows));
  if (rows)
    PetscCall(Redistribute(rows, columns && B->rmap->N == B->cmap->N && HeptaBlockSize(B->rmap) == HeptaBlockSize(B->cmap), &B));
  if (!A->preallocated) PetscCall(MatSetSizes(A, B->rmap->n, B->cmap->n, B->rmap->N, B->cmap->N));
  PetscCall(FillFrom(B, A, true));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDuplicate_Blocked(Mat A, MatDuplicateOption op, Mat *B)
{
  Mat_Blocked *a = MatBlocked(A), *b;

  PetscFunctionBegin;
  PetscCall(MatBlockedCreateLike(A, a->set.storage, a->set.half, B));
  b = MatBlocked(*B);
  if (!a->ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(b->local->Copy(*a->local, op == MAT_COPY_VALUES));
  PetscCall(b->ghost.Copy(a->ghost, op == MAT_COPY_VALUES));
  PetscCall(MatBlockedBuildHalo(*B));
  b->ready        = true;
  b->coo          = a->coo;
  b->dropped      = a->dropped;
  b->dm_view      = a->dm_view;
  (*B)->assembled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
