/*
   Preallocation by the functions for aij and baij. Blocked matrices need no preallocation: the functions set up an empty matrix,
   functions for compressed rows fill the matrix, and MatResetPreallocation() and MatResetHash() empty it.
*/
#include "../../shared/arrays.h"
#include "blocked.h"

/*
   Empty as after MatSetUp(): an entry may be set at any location. A DMDA's stencil is not set, since a program that preallocates
   a matrix also sets its entries.
*/
static PetscErrorCode Empty(Mat A)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCheck(A->insertmode == NOT_SET_VALUES, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "Values were set since the last assembly: call MatAssemblyBegin() and MatAssemblyEnd() before the matrix is "
             "preallocated again");
  PetscCall(a->halo.Reset());
  PetscCall(HeptaVecFree(&a->lvec));
  a->coo.reset();
  a->changed = a->dropped = false;
  PetscCall(MatBlockedShape(A));
  PetscCall(a->local->PresetFromOptions(A));
  a->only_preallocated = true;
  A->assembled = A->was_assembled = PETSC_FALSE;
  A->nonzerostate++;
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatResetPreallocation(), MatResetHash() */
static PetscErrorCode MatReset_Blocked(Mat A)
{
  PetscFunctionBegin;
  if (A->preallocated) PetscCall(Empty(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSeqAIJSetPreallocation(), MatMPIAIJSetPreallocation(): the lengths of rows are not needed */
template <class... Lengths> static PetscErrorCode SetPreallocation(Mat A, Lengths...)
{
  PetscFunctionBegin;
  PetscCall(Empty(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix will be emptied, so the block size may change even after set-up */
static PetscErrorCode SetBlockSize(Mat A, PetscInt bs)
{
  const PetscBool preallocated = A->preallocated;

  PetscFunctionBegin;
  PetscCheck(bs >= 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "The block size %" PetscInt_FMT " must be positive", bs);
  /* the block size of the columns may differ, after MatXAIJSetPreallocation() */
  if (bs == HeptaBlockSize(A->rmap)) PetscFunctionReturn(PETSC_SUCCESS);
  A->preallocated           = PETSC_FALSE;
  const PetscErrorCode code = MatSetBlockSize(A, bs);
  A->preallocated           = preallocated;
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SetPreallocation() for baij */
template <class... Lengths> static PetscErrorCode SetBlockPreallocation(Mat A, PetscInt bs, Lengths...)
{
  PetscFunctionBegin;
  PetscCall(SetBlockSize(A, bs));
  PetscCall(Empty(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error if some rank's compressed rows are not valid; rows and columns count blocks of size bs */
static PetscErrorCode CheckRows(Mat A, PetscInt bs, const PetscInt i[], const PetscInt j[])
{
  const PetscInt rows = A->rmap->n / bs, cols = A->cmap->N / bs, first = A->rmap->rstart / bs;
  const char    *what = bs > 1 ? "block " : "";
  std::string    why;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < rows && why.empty(); r++) {
    if (i[r + 1] < i[r])
      why = HeptaFormat("Compressed %srow %" PetscInt_FMT " begins at %" PetscInt_FMT " and ends at %" PetscInt_FMT, what,
                        first + r, i[r], i[r + 1]);
    for (PetscInt k = i[r]; k < i[r + 1] && why.empty(); k++) {
      const PetscInt c = j[k - i[0]];
      if (c < 0 || c >= cols)
        why = HeptaFormat("The %scolumn %" PetscInt_FMT " of compressed %srow %" PetscInt_FMT
                          " is not one of the matrix's %" PetscInt_FMT,
                          what, c, what, first + r, cols);
    }
  }
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), why.empty() ? PETSC_SUCCESS : PETSC_ERR_ARG_OUTOFRANGE, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Sets the entries of the rank's compressed rows; v has block after block, each by rows or, without MAT_ROW_ORIENTED, by columns
*/
static PetscErrorCode PutRows(Mat A, PetscInt bs, const PetscInt i[], const PetscInt j[], const PetscScalar v[])
{
  const size_t size = (size_t)bs * bs;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < A->rmap->n / bs; r++) {
    const PetscInt row = A->rmap->rstart / bs + r, n = i[r + 1] - i[r];
    const size_t   at = (size_t)(i[r] - i[0]);

    if (bs == 1 && n) PetscCall(MatSetValues_Blocked(A, 1, &row, n, j + at, v ? v + at : nullptr, INSERT_VALUES));
    for (PetscInt k = 0; k < n && bs > 1; k++)
      PetscCall(MatSetValuesBlocked_Blocked(A, 1, &row, 1, j + at + k, v ? v + (at + k) * size : nullptr, INSERT_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Assembles the matrix of the rank's compressed rows, whose columns are global; without v all values are zero */
static PetscErrorCode SetRows(Mat A, PetscInt bs, const PetscInt i[], const PetscInt j[], const PetscScalar v[])
{
  const PetscBool others = A->nooffprocentries;

  PetscFunctionBegin;
  PetscCall(Empty(A));
  PetscCall(CheckRows(A, bs, i, j));
  if (v) PetscCall(PutRows(A, bs, i, j, v));
  else {
    const HeptaTakeAll all(A);
    PetscCall(PutRows(A, bs, i, j, v));
  }
  A->nooffprocentries = PETSC_TRUE; /* so that the assembly sends nothing */
  PetscErrorCode code = MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY);
  if (!code) code = MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
  A->nooffprocentries = others;
  PetscCall(code);
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE)); /* as aij and baij do */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAIJSetPreallocationCSR_Blocked(Mat A, const PetscInt i[], const PetscInt j[], const PetscScalar v[])
{
  PetscFunctionBegin;
  PetscCall(SetRows(A, 1, i, j, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatBAIJSetPreallocationCSR_Blocked(Mat A, PetscInt bs, const PetscInt i[], const PetscInt j[],
                                                         const PetscScalar v[])
{
  PetscFunctionBegin;
  PetscCall(SetBlockSize(A, bs));
  PetscCall(SetRows(A, bs, i, j, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   PCGAMG gives its interpolations the type of the matrix and then preallocates the interpolations as aij. So a matrix that is
   rectangular when it gets its type becomes aij when preallocated as aij.
*/
template <auto preallocate, class... Lengths> static PetscErrorCode BecomeAIJ(Mat A, Lengths... lengths)
{
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATAIJ));
  PetscCall(preallocate(A, lengths...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedComposePreallocation(Mat A)
{
  PetscBool seq, found;

  PetscFunctionBegin;
  PetscCall(PetscObjectHasFunction((PetscObject)A, "MatMPIAIJSetPreallocation_C", &found));
  if (found) PetscFunctionReturn(PETSC_SUCCESS); /* the function of a rectangular matrix is kept */
  PetscCall(PetscStrcmpAny(((PetscObject)A)->type_name, &seq, MatBlocked(A)->format->seq, MatBlocked(A)->format->seqcuda, ""));
  if (seq) {
    PetscCall(
      MatBlockedComposeFunction(A, "MatSeqAIJSetPreallocation_C", HeptaNoThrow<SetPreallocation<PetscInt, const PetscInt *>>));
    PetscCall(MatBlockedComposeFunction(A, "MatSeqBAIJSetPreallocation_C",
                                        HeptaNoThrow<SetBlockPreallocation<PetscInt, const PetscInt *>>));
  } else {
    PetscCall(MatBlockedComposeFunction(A, "MatMPIAIJSetPreallocation_C",
                                        HeptaNoThrow<SetPreallocation<PetscInt, const PetscInt *, PetscInt, const PetscInt *>>));
    PetscCall(
      MatBlockedComposeFunction(A, "MatMPIBAIJSetPreallocation_C",
                                HeptaNoThrow<SetBlockPreallocation<PetscInt, const PetscInt *, PetscInt, const PetscInt *>>));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedComposeAtFirst(Mat A)
{
  bool rectangular = A->rmap->n != A->cmap->n || A->rmap->N != A->cmap->N || HeptaBlockSize(A->rmap) != HeptaBlockSize(A->cmap);
  PetscBool seq;

  PetscFunctionBegin;
  PetscCall(MatBlockedComposeFunction(A, "MatSetPreallocationCOO_C", HeptaNoThrow<MatSetPreallocationCOO_Blocked>));
  PetscCall(MatBlockedComposeFunction(A, "MatSetValuesCOO_C", HeptaNoThrow<MatSetValuesCOO_Blocked>));
  PetscCall(MatBlockedComposeFunction(A, "MatResetPreallocation_C", HeptaNoThrow<MatReset_Blocked>));
  PetscCall(MatBlockedComposeFunction(A, "MatResetHash_C", HeptaNoThrow<MatReset_Blocked>));
  PetscCall(PetscStrcmpAny(((PetscObject)A)->type_name, &seq, MatBlocked(A)->format->seq, MatBlocked(A)->format->seqcuda, ""));
  PetscCall(MatBlockedComposeFunction(A, seq ? "MatSeqAIJSetPreallocationCSR_C" : "MatMPIAIJSetPreallocationCSR_C",
                                      HeptaNoThrow<MatAIJSetPreallocationCSR_Blocked>));
  PetscCall(MatBlockedComposeFunction(A, seq ? "MatSeqBAIJSetPreallocationCSR_C" : "MatMPIBAIJSetPreallocationCSR_C",
                                      HeptaNoThrow<MatBAIJSetPreallocationCSR_Blocked>));
  PetscCall(HeptaAgreeOnAny(PetscObjectComm((PetscObject)A), &rectangular));
  if (rectangular) {
    PetscCall(MatBlockedComposeFunction(A, "MatSeqAIJSetPreallocation_C",
                                        HeptaNoThrow<BecomeAIJ<MatSeqAIJSetPreallocation, PetscInt, const PetscInt *>>));
    PetscCall(MatBlockedComposeFunction(
      A, "MatMPIAIJSetPreallocation_C",
      HeptaNoThrow<BecomeAIJ<MatMPIAIJSetPreallocation, PetscInt, const PetscInt *, PetscInt, const PetscInt *>>));
  } else if (A->rmap->size > 1 || A->rmap->n < 0 || A->rmap->N < 0) PetscCall(MatBlockedComposePreallocation(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
