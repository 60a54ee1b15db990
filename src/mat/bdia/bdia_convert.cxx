/* From and to other types: MatConvert(), MatLoad(), MatDuplicate() */
#include <algorithm>
#include <set>

#include "bdia.h"

using namespace hepta::bdia;

PetscErrorCode MatBDIARow(Mat A, PetscInt i, std::vector<PetscInt> &cols, std::vector<PetscScalar> &vals)
{
  const Mat_BDIA *a  = MatBDIA(A);
  const Ghost    &g  = a->ghost;
  const PetscInt  bs = a->diag->bs, b = g.border.empty() ? -1 : g.border[i / bs];
  PetscInt        k = 0;

  PetscFunctionBegin;
  cols.clear();
  vals.clear();
  /* a border row's ghost blocks stand in ascending order: those below `end` first, the local ones next */
  const auto ghosts = [&](PetscInt end) {
    for (; b >= 0 && k < g.width; k++) {
      const hepta::Index c = g.col[(size_t)k * g.row.size() + b];
      if (c < 0 || g.garray[c] >= end) return;
      for (PetscInt s = 0; s < bs; s++) {
        const size_t at = g.Slot(k, b, i % bs, s);
        if (!g.IsSet(at)) continue;
        cols.push_back(g.garray[c] * bs + s);
        vals.push_back(g.Value(at));
      }
    }
  };
  ghosts(A->cmap->rstart / bs);
  PetscCall(HeptaVisit(*a->diag, [&](auto D) {
    for_row(D, i / bs, i % bs, [&](hepta::Index j, size_t at) {
      if (!a->diag->IsSet(at)) return;
      cols.push_back(A->cmap->rstart + j);
      vals.push_back((PetscScalar)D.v[at]);
    });
    return PETSC_SUCCESS;
  }));
  ghosts(PETSC_INT_MAX);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries set in A, with their values, into an aij that has place for them */
static PetscErrorCode PutIntoAIJ(Mat A, Mat B)
{
  std::vector<PetscInt>    cols;
  std::vector<PetscScalar> vals;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < A->rmap->n; i++) {
    const PetscInt row = A->rmap->rstart + i;
    PetscCall(MatBDIARow(A, i, cols, vals));
    PetscCall(MatSetValues(B, 1, &row, (PetscInt)cols.size(), cols.data(), vals.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A new MATAIJ with exactly the set entries */
static PetscErrorCode BuildAIJ(Mat A, PetscBool inodes, Mat *B)
{
  std::vector<PetscInt>    local(A->rmap->n, 0), ghost(A->rmap->n, 0), cols;
  std::vector<PetscScalar> vals;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < A->rmap->n; i++) {
    PetscCall(MatBDIARow(A, i, cols, vals));
    for (PetscInt j : cols) (j >= A->cmap->rstart && j < A->cmap->rend ? local : ghost)[i]++;
  }
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(*B, A, A));
  PetscCall(MatSetType(*B, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocation(*B, 0, local.data()));
  PetscCall(MatMPIAIJSetPreallocation(*B, 0, local.data(), 0, ghost.data()));
  if (!inodes) PetscCall(MatSetOption(*B, MAT_USE_INODES, PETSC_FALSE)); /* after preallocation, which makes the parts of an mpiaij */
  PetscCall(PutIntoAIJ(A, *B));
  PetscCall(MatPropagateSymmetryOptions(A, *B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBDIAGetAIJ(Mat A, Mat *B)
{
  Mat_BDIA        *a = MatBDIA(A);
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  if (a->aij && a->aij_nonzerostate != A->nonzerostate) PetscCall(MatDestroy(&a->aij));
  /* no inodes: routines that take the pattern of an aij with inodes get node counts */
  if (!a->aij) PetscCall(BuildAIJ(A, PETSC_FALSE, &a->aij));
  else if (a->aij_state != state) PetscCall(PutIntoAIJ(A, a->aij));
  PetscCall(MatPropagateSymmetryOptions(A, a->aij)); /* the user may have told more since the copy was made */
  a->aij_state        = state;
  a->aij_nonzerostate = A->nonzerostate;
  *B                  = a->aij;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_BDIA(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  Mat       B;
  PetscBool aij;

  PetscFunctionBegin;
  PetscCall(PetscStrcmpAny(type, &aij, MATAIJ, MATSEQAIJ, MATMPIAIJ, ""));
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatBDIAGetAIJ(A, &B));
    if (aij) PetscCall(MatCopy(B, *M, SAME_NONZERO_PATTERN));
    else PetscCall(MatConvert(B, type, MAT_REUSE_MATRIX, M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(BuildAIJ(A, PETSC_TRUE, &B));
  if (!aij) PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(MatHeaderReplace(A, &B));
  else *M = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

/* Calls f(local row, columns, values) for every row of this rank */
template <class F> static PetscErrorCode ForRows(Mat A, F f)
{
  PetscFunctionBegin;
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
static PetscErrorCode FindOffsets(Mat A, PetscInt bs, size_t most, std::set<PetscInt> &offsets, PetscReal *entries)
{
  PetscFunctionBegin;
  PetscCall(ForRows(A, [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *) {
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
static PetscErrorCode ChooseBlockSize(Mat A, const Settings &s, PetscInt *best)
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
    if (!sums[2]) PetscCall(FindOffsets(A, bs, s.max_offsets, offsets, &sums[1]));
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

/* Sets up B, which has its sizes and type, for the entries of A: block size, structure, then the values */
static PetscErrorCode FillFrom(Mat A, Mat B)
{
  Settings          &s  = MatBDIA(B)->set;
  PetscInt           bs = A->rmap->bs == A->cmap->bs ? A->rmap->bs : 1;
  std::set<PetscInt> offsets;

  PetscFunctionBegin;
  if (!B->preallocated) {
    if (s.auto_bs) PetscCall(ChooseBlockSize(A, s, &bs));
    if (s.auto_bs || (!s.given_bs && B->rmap->bs == 1)) PetscCall(MatSetBlockSize(B, bs));
    s.auto_bs = PETSC_FALSE;
    PetscCall(MatSetUp(B));
    PetscCall(FindOffsets(A, B->rmap->bs, s.max_offsets, offsets, nullptr));
    const bool preset = !s.grid[0] && !s.half && !MatBDIA(B)->ready && (PetscInt)offsets.size() <= s.max_offsets;
    if (preset) PetscCall(MatBDIA(B)->diag->Preset(std::vector<PetscInt>(offsets.begin(), offsets.end())));
  } else PetscCall(MatZeroEntries(B));
  PetscCall(ForRows(A, [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *vals) { return MatSetValues(B, 1, &i, n, cols, vals, INSERT_VALUES); }));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatConvert() would hand on A's local-to-global mapping together with A's block size, which may not be B's */
static PetscErrorCode TakeMapping(Mat A, Mat B)
{
  PetscFunctionBegin;
  if (A->rmap->mapping && A->cmap->mapping && !B->rmap->mapping) PetscCall(MatSetLocalToGlobalMapping(B, A->rmap->mapping, A->cmap->mapping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvertFrom_BDIA(Mat A, MatType type, MatReuse reuse, Mat *M)
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
  }
  PetscCall(FillFrom(R, B));
  PetscCall(TakeMapping(A, B));
  PetscCall(MatDestroy(&R));
  PetscCall(PetscLogEventEnd(HEPTA_Event.bdia_convert, A, nullptr, nullptr, nullptr));
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(MatHeaderReplace(A, &B));
  else *M = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the file as aij, which leaves the parallel reading to PETSc, and converts */
PetscErrorCode MatLoad_BDIA(Mat A, PetscViewer viewer)
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
  PetscCall(FillFrom(B, A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDuplicate_BDIA(Mat A, MatDuplicateOption op, Mat *B)
{
  Mat_BDIA *a = MatBDIA(A), *b;

  PetscFunctionBegin;
  PetscCall(MatBDIACreateLike(A, B));
  b = MatBDIA(*B);
  if (!a->ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(b->diag->Copy(*a->diag, op == MAT_COPY_VALUES));
  PetscCall(b->ghost.Copy(a->ghost, op == MAT_COPY_VALUES));
  PetscCall(MatBDIABuildHalo(*B));
  b->ready        = true;
  b->coo          = a->coo;
  b->dm_view      = a->dm_view;
  (*B)->assembled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
