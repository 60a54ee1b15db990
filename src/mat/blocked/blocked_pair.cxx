/*
   Operations with two matrices. If every slot of the first matrix has a counterpart in the second, values are combined piece by
   piece; otherwise, and for a matrix of another type, row by row through HeptaForRows() and MatSetValues().
*/
#include <algorithm>
#include <optional>

#include "../../shared/arrays.h"
#include "../structure.h"
#include "blocked.h"

using namespace hepta::blocked;

/* A piece of the local or of the ghost part */
struct PartPiece {
  size_t          n, at_x, at_y;
  const uint32_t *set_x;
  uint32_t       *set_y;
  HeptaValues    *x, *y; /* the values of the part */
};

struct Pieces {
  bool                   single_x, single_y;
  std::vector<PartPiece> list;
};

static bool GhostFitsInto(const Ghost &X, const Ghost &Y)
{
  return X.garray.empty() || (X.bs == Y.bs && X.garray == Y.garray && X.row == Y.row && X.start == Y.start && X.col == Y.col);
}

/* The pieces of X and Y, on this rank; found is false if some slot of X has no counterpart in Y */
static PetscErrorCode FindPieces(Mat_Blocked *x, Mat_Blocked *y, Pieces *p, bool *found)
{
  HeptaStorage      &X = *x->local, &Y = *y->local;
  std::vector<Piece> local;

  PetscFunctionBegin;
  *found = x->format == y->format && x->ready && y->ready && GhostFitsInto(x->ghost, y->ghost);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(X.StructureToHost());
  PetscCall(Y.StructureToHost());
  *found = X.FindPieces(Y, local);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  p->single_x = X.single;
  p->single_y = Y.single;
  p->list.clear();
  for (const Piece &k : local)
    p->list.push_back({k.n, k.at_x, k.at_y, X.set + k.at_x / 32, Y.set + k.at_y / 32, &X.values, &Y.values});
  if (x->ghost.Size())
    p->list.push_back({x->ghost.Size(), 0, 0, x->ghost.set.data(), y->ghost.set.data(), &x->ghost.values, &y->ghost.values});
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where to combine X and Y: on the device if the values of X or Y are on the device */
static PetscErrorCode PiecesSpace(Mat_Blocked *x, Mat_Blocked *y, HeptaSpace *space)
{
  PetscFunctionBegin;
  PetscCall(y->local->values.Space(space));
  if (!space->device) PetscCall(x->local->values.Space(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f(n, const X *x, Y *y) with the values of each piece and their stored types, in the given space */
template <class F> static PetscErrorCode VisitPieces(const Pieces &p, const HeptaSpace &space, HeptaAccess access_y, F f)
{
  PetscFunctionBegin;
  for (const PartPiece &piece : p.list) {
    void *x, *y;
    PetscCall(piece.x->Access(space, HeptaAccess::read, &x));
    PetscCall(piece.y->Access(space, access_y, &y));
    const auto with = [&](const auto *xv) {
      return p.single_y ? f(piece.n, xv + piece.at_x, (float *)y + piece.at_y)
                        : f(piece.n, xv + piece.at_x, (PetscScalar *)y + piece.at_y);
    };
    PetscCall(p.single_x ? with((const float *)x) : with((const PetscScalar *)x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks the entries of X as set in Y; added: does a rank of Y get new entries? */
static PetscErrorCode MergeEntries(Mat Y, const Pieces &p, bool added)
{
  Mat_Blocked *y = MatBlocked(Y);

  PetscFunctionBegin;
  if (!added) PetscFunctionReturn(PETSC_SUCCESS);
  for (const PartPiece &piece : p.list) {
    for (size_t w = 0; w < piece.n / 32; w++) piece.set_y[w] |= piece.set_x[w];
  }
  PetscCall(y->local->Count());
  y->ghost.CountEntries();
  Y->nonzerostate++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does every slot of X have a counterpart in Y on all ranks, and has X entries on a rank that Y has not? Collective. */
static PetscErrorCode AgreeOnPieces(Mat X, Mat Y, Pieces *p, bool *fits, bool *added)
{
  PetscMPIInt flags[2] = {0, 0}; /* a slot without counterpart; new entries */
  bool        found;

  PetscFunctionBegin;
  PetscCall(FindPieces(MatBlocked(X), MatBlocked(Y), p, &found));
  flags[0] = !found;
  for (const PartPiece &piece : p->list) {
    for (size_t w = 0; w < piece.n / 32 && !flags[0] && !flags[1]; w++) flags[1] = (piece.set_x[w] & ~piece.set_y[w]) != 0;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, flags, 2, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)Y)));
  *fits  = !flags[0];
  *added = flags[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row by row: Y <- Y + alpha X, or with INSERT_VALUES the entries of X are copied to Y */
static PetscErrorCode PutRows(Mat X, PetscScalar alpha, Mat Y, InsertMode mode)
{
  std::vector<PetscScalar>           scaled;
  std::optional<HeptaNewEntryPolicy> while_setting;

  PetscFunctionBegin;
  if (HeptaIsBlocked(Y)) while_setting.emplace(Y, MatBlocked(Y)->set.new_entry);
  PetscCall(HeptaForRows(X, X->rmap->rstart, X->rmap->rend, true,
                         [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *vals) {
                           scaled.assign(vals, vals + n);
                           if (alpha != (PetscScalar)1) {
                             for (PetscScalar &v : scaled) v *= alpha;
                           }
                           return MatSetValues(Y, 1, &i, n, cols, scaled.data(), mode);
                         }));
  PetscCall(MatAssemblyBegin(Y, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(Y, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Y <- Y + alpha X, called by PETSc for matrices of one type. Entries that only X has are added, whatever MatStructure says. */
PetscErrorCode MatAXPY_Blocked(Mat Y, PetscScalar alpha, Mat X, MatStructure)
{
  Pieces     p;
  HeptaSpace space;
  bool       fits, added;

  PetscFunctionBegin;
  PetscCall(AgreeOnPieces(X, Y, &p, &fits, &added));
  if (!fits) {
    const HeptaTakeAll all(Y); /* a sum may have any entry of X or Y */
    PetscCall(PutRows(X, alpha, Y, ADD_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PiecesSpace(MatBlocked(X), MatBlocked(Y), &space));
  PetscCall(VisitPieces(p, space, HeptaAccess::read_write, [&](size_t n, const auto *xv, auto *yv) {
    HeptaLaunchEach(space, axpy, n, alpha, xv, yv);
    return PETSC_SUCCESS;
  }));
  PetscCall(MergeEntries(Y, p, added));
  PetscCall(PetscObjectStateIncrease((PetscObject)Y)); /* because MatAXPY() does not */
  PetscCall(HeptaLogFlops(space, 2. * (PetscLogDouble)(MatBlocked(X)->local->entries + MatBlocked(X)->ghost.entries)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Creates the empty matrix in which PETSc's own MatAXPY() builds Y + alpha X when X is of another type */
PetscErrorCode MatAXPYGetPreallocation_Blocked(Mat Y, Mat, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatBlockedCreateLike(Y, MatBlocked(Y)->set.storage, MatBlocked(Y)->set.half, B));
  PetscCall(HeptaRaiseNonzeroState(*B, Y->nonzerostate)); /* MatAXPY() passes the state on to Y */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B <- A; B may be of any type. Entries that only B has become zero and stay. */
PetscErrorCode MatCopy_Blocked(Mat A, Mat B, MatStructure)
{
  Pieces     p;
  HeptaSpace space;
  bool       fits = false, added;

  PetscFunctionBegin;
  if (B->ops->copy == A->ops->copy && B->assembled) PetscCall(AgreeOnPieces(A, B, &p, &fits, &added));
  PetscCall(MatZeroEntries(B));
  if (!fits) {
    PetscCall(PutRows(A, 1, B, INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PiecesSpace(MatBlocked(A), MatBlocked(B), &space));
  PetscCall(VisitPieces(p, space, HeptaAccess::read_write, [&](size_t n, const auto *av, auto *bv) {
    HeptaLaunchEach(space, copy, n, av, bv); /* B's other slots stay zero */
    return PETSC_SUCCESS;
  }));
  PetscCall(MergeEntries(B, p, added));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Have A and B the same entries with the same values on this rank? */
static PetscErrorCode EqualLocal(Mat A, Mat B, bool *same)
{
  std::vector<PetscInt>    ca, cb;
  std::vector<PetscScalar> va, vb;
  Pieces                   p;
  bool                     found = false;

  PetscFunctionBegin;
  *same = A->rmap->n == B->rmap->n && A->cmap->n == B->cmap->n &&
          MatBlocked(A)->local->entries == MatBlocked(B)->local->entries &&
          MatBlocked(A)->ghost.entries == MatBlocked(B)->ghost.entries;
  if (*same) PetscCall(FindPieces(MatBlocked(A), MatBlocked(B), &p, &found));
  if (found) { /* A and B have the same number of entries, so B has no entry outside the pieces */
    for (const PartPiece &piece : p.list) *same = *same && std::equal(piece.set_x, piece.set_x + piece.n / 32, piece.set_y);
    if (!*same) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(VisitPieces(p, HeptaSpace(), HeptaAccess::read, [&](size_t n, const auto *av, const auto *bv) {
      *same = *same && std::equal(av, av + n, bv);
      return PETSC_SUCCESS;
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < A->rmap->n && *same; i++) {
    PetscCall(MatBlockedRow(A, i, ca, va));
    PetscCall(MatBlockedRow(B, i, cb, vb));
    *same = ca == cb && va == vb;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatEqual_Blocked(Mat A, Mat B, PetscBool *flag)
{
  bool same;

  PetscFunctionBegin;
  PetscCall(EqualLocal(A, B, &same));
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &same));
  *flag = (PetscBool)same;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An empty matrix of A's type and settings with the sizes of A^T */
static PetscErrorCode CreateTransposed(Mat A, Mat *T)
{
  const bool square = A->rmap->N == A->cmap->N;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), T));
  PetscCall(MatSetSizes(*T, A->cmap->n, A->rmap->n, A->cmap->N, A->rmap->N));
  PetscCall(MatSetBlockSizes(*T, HeptaBlockSize(A->cmap), HeptaBlockSize(A->rmap)));
  PetscCall(MatSetType(*T, ((PetscObject)A)->type_name));
  MatBlocked(*T)->set         = MatBlocked(A)->set;
  MatBlocked(*T)->set.auto_bs = PETSC_FALSE;
  if (!square) MatBlocked(*T)->set.presets = PETSC_FALSE;
  PetscCall(MatSetUp(*T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T <- A^T: row i of A is column i of T; entries in other ranks' rows of T are sent at assembly */
static PetscErrorCode PutTransposed(Mat A, Mat T)
{
  std::vector<PetscInt>    cols;
  std::vector<PetscScalar> vals;

  PetscFunctionBegin;
  const HeptaNewEntryPolicy while_setting(T, MatBlocked(T)->set.new_entry);
  for (PetscInt i = 0; i < A->rmap->n; i++) {
    const PetscInt global = A->rmap->rstart + i;
    PetscCall(MatBlockedRow(A, i, cols, vals));
    PetscCall(MatSetValues(T, (PetscInt)cols.size(), cols.data(), 1, &global, vals.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(T, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(T, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewTransposed(Mat A, Mat *T)
{
  PetscFunctionBegin;
  PetscCall(CreateTransposed(A, T));
  const HeptaTakeAll all(*T);
  PetscCall(PutTransposed(A, *T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTranspose_Blocked(Mat A, MatReuse reuse, Mat *B)
{
  const bool half = MatBlocked(A)->local->half; /* symmetric: A^T = A */
  Mat        T;

  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatZeroEntries(*B));
    PetscCall(PutTransposed(A, *B));
  } else if (half) {
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
  } else {
    PetscCall(NewTransposed(A, &T));
    if (reuse == MAT_INITIAL_MATRIX) *B = T;
    else PetscCall(HeptaTakeHeader(MatHeaderMerge, A, &T));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
