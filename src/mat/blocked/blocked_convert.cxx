/* From other types: MatConvert(), MatLoad(), MatDuplicate() */
#include <algorithm>
#include <set>

#include "blocked.h"

using namespace hepta::bdia;
using namespace hepta::blocked;

/* A matrix whose rows MatGetRow() gives whole: A itself or a converted copy */
static PetscErrorCode GetRowwise(Mat A, Mat *R)
{
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &ok, MATSEQAIJ, MATMPIAIJ, MATSEQBAIJ, MATMPIBAIJ, MATSEQBDIA, MATMPIBDIA, ""));
  if (ok) PetscCall(PetscObjectReference((PetscObject)A));
  if (ok) *R = A;
  else PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f(row, columns, values) for every row of this rank; values null, and untouched where they are, if not asked for (then A is an aijcusparse) */
template <class F> static PetscErrorCode ForRows(Mat A, bool values, F f)
{
  PetscFunctionBegin;
  if (!values) {
    PetscCall(MatBlockedForPattern(A, f));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = A->rmap->rstart; i < A->rmap->rend; i++) {
    PetscInt           n;
    const PetscInt    *cols;
    const PetscScalar *vals;

    PetscCall(MatGetRow(A, i, &n, &cols, &vals));
    PetscCall(f(i, n, cols, vals));
    PetscCall(MatRestoreRow(A, i, &n, &cols, &vals));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The offsets of A's local block diagonals at block size bs, stopping past `most`, and (if asked for) the entries on them */
static PetscErrorCode FindOffsets(Mat A, bool values, PetscInt bs, size_t most, std::set<PetscInt> &offsets, PetscReal *entries)
{
  PetscFunctionBegin;
  PetscCall(ForRows(A, values, [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *) {
    const PetscInt m    = (i - A->rmap->rstart) / bs;
    PetscInt       last = PETSC_INT_MIN;

    for (PetscInt k = 0; k < n && offsets.size() <= most; k++) {
      const PetscInt j = cols[k] - A->cmap->rstart;
      if (j < 0 || j >= A->cmap->n) continue;
      if (entries) (*entries)++;
      if (j / bs - m == last) continue;
      last = j / bs - m;
      offsets.insert(last);
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The block size, among those that divide every rank's rows, whose fill is least within the limit of offsets */
static PetscErrorCode ChooseBlockSize(Mat A, bool values, const Settings &s, PetscInt *best)
{
  PetscReal             least_fill = PETSC_MAX_REAL;
  std::vector<PetscInt> candidates = {1, 2, 3, 4, 5, 6, 7, 8};

  PetscFunctionBegin;
  *best = A->rmap->bs == A->cmap->bs ? A->rmap->bs : 1;
  if (*best > 8) candidates.push_back(*best);
  for (PetscInt bs : candidates) {
    std::set<PetscInt> offsets;
    PetscReal          sums[3] = {0, 0, 0}; /* slots, entries, ranks that say no */

    sums[2] = A->rmap->n % bs || A->cmap->n % bs;
    if (!sums[2]) PetscCall(FindOffsets(A, values, bs, s.max_offsets, offsets, &sums[1]));
    sums[2] += (PetscInt)offsets.size() > s.max_offsets;
    for (PetscInt o : offsets) sums[0] += (PetscReal)bs * bs * PetscMax(0, PetscMin(A->rmap->n / bs, A->cmap->n / bs - o) - PetscMax(0, -o));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
    if (sums[2] > 0 || sums[1] <= 0 || sums[0] / sums[1] >= least_fill) continue;
    least_fill = sums[0] / sums[1];
    *best      = bs;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of the new matrix's prefix, without those that would change its type */
static PetscErrorCode ReadOptions(Mat B)
{
  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)B);
  PetscCall(MatSetFromOptions_BDIA(B, PetscOptionsObject));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up B, which has its sizes and type, for the entries of A: block size, structure, then the values, zeros unless asked for */
static PetscErrorCode FillFrom(Mat A, Mat B, bool values)
{
  Settings          &s  = MatBlocked(B)->set;
  PetscInt           bs = A->rmap->bs == A->cmap->bs ? A->rmap->bs : 1;
  std::set<PetscInt> offsets;

  PetscFunctionBegin;
  if (!B->preallocated) {
    if (s.auto_bs) PetscCall(ChooseBlockSize(A, values, s, &bs));
    if (s.auto_bs || (!s.given_bs && B->rmap->bs == 1)) PetscCall(MatSetBlockSize(B, bs));
    s.auto_bs = PETSC_FALSE;
    PetscCall(MatSetUp(B));
    PetscCall(FindOffsets(A, values, B->rmap->bs, s.max_offsets, offsets, nullptr));
    const bool preset = !s.grid[0] && !s.half && !MatBlocked(B)->ready && (PetscInt)offsets.size() <= s.max_offsets;
    if (preset) PetscCall(MatBlocked(B)->diag->Preset(std::vector<PetscInt>(offsets.begin(), offsets.end())));
  } else PetscCall(MatZeroEntries(B));
  PetscCall(ForRows(A, values, [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *vals) { return MatSetValues_Blocked(B, 1, &i, n, cols, vals, INSERT_VALUES); }));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  if (!values) { /* the zeros stay off the way to the device */
    PetscCall(MatBlocked(B)->diag->Forget());
    PetscCall(MatBlocked(B)->ghost.Forget());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatConvert() would hand on A's local-to-global mapping together with A's block size, which may not be B's */
static PetscErrorCode TakeMapping(Mat A, Mat B)
{
  PetscFunctionBegin;
  if (A->rmap->mapping && A->cmap->mapping && !B->rmap->mapping) PetscCall(MatSetLocalToGlobalMapping(B, A->rmap->mapping, A->cmap->mapping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* full: never in half storage, whatever the options say */
static PetscErrorCode Convert(Mat A, MatType type, MatReuse reuse, bool full, Mat *M)
{
  Mat R, B = reuse == MAT_REUSE_MATRIX ? *M : nullptr;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(HEPTA_Event.bdia_convert, A, nullptr, nullptr, nullptr));
  PetscCall(GetRowwise(A, &R));
  if (!B) {
    PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
    PetscCall(MatSetOptionsPrefix(B, ((PetscObject)A)->prefix));
    PetscCall(MatSetSizes(B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
    PetscCall(MatSetType(B, type));
    PetscCall(ReadOptions(B));
    if (full) MatBlocked(B)->set.half = PETSC_FALSE;
  }
  bool device = MatBlockedConvertsOnDevice(R, B), known = false;
  if (device && reuse == MAT_REUSE_MATRIX) { /* B may have entries that A has not: then through the host */
    PetscCall(MatBlockedKnowsCUSPARSE(B, R, &known));
    device = known;
  }
  if (!known) {
    const PetscErrorCode code = FillFrom(R, B, !device);
    if (code) { /* a matrix that does not fit leaves nothing behind: callers may go on without */
      (void)MatDestroy(&R);
      if (reuse != MAT_REUSE_MATRIX) (void)MatDestroy(&B);
    }
    PetscCall(code);
  }
  if (device) PetscCall(MatBlockedFromCUSPARSE(R, B));
  PetscCall(TakeMapping(A, B));
  PetscCall(MatDestroy(&R));
  PetscCall(PetscLogEventEnd(HEPTA_Event.bdia_convert, A, nullptr, nullptr, nullptr));
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(MatHeaderReplace(A, &B));
  else *M = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvertFrom_Blocked(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  PetscFunctionBegin;
  PetscCall(Convert(A, type, reuse, false, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedConvertFull(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  PetscFunctionBegin;
  PetscCall(Convert(A, type, reuse, true, M));
  PetscCall(MatPropagateSymmetryOptions(A, *M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the file as aij, which leaves the parallel reading to PETSc, and converts */
PetscErrorCode MatLoad_Blocked(Mat A, PetscViewer viewer)
{
  Mat B;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
  PetscCall(MatSetOptionsPrefix(B, ((PetscObject)A)->prefix));
  PetscCall(MatSetSizes(B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  if (A->rmap->bs > 0) PetscCall(MatSetBlockSizes(B, A->rmap->bs, A->cmap->bs));
  PetscCall(MatSetType(B, MATAIJ));
  PetscCall(MatLoad(B, viewer));
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
  PetscCall(b->diag->Copy(*a->diag, op == MAT_COPY_VALUES));
  PetscCall(b->ghost.Copy(a->ghost, op == MAT_COPY_VALUES));
  PetscCall(MatBlockedBuildHalo(*B));
  b->ready        = true;
  b->coo          = a->coo;
  b->dm_view      = a->dm_view;
  (*B)->assembled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
