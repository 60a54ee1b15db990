/* Scaling by one number, and of rows and columns */
#include <algorithm>

#include "../../shared/arrays.h"
#include "blocked.h"

using namespace hepta::blocked;

/* Scales the values of the local or the ghost part */
template <class D> static PetscErrorCode ScalePart(D &part, const HeptaSpace &space, PetscScalar alpha)
{
  return HeptaVisitValues(part, space, HeptaAccess::read_write, [&](auto *v) {
    HeptaLaunchEach(space, scale, part.Size(), alpha, v);
    return PETSC_SUCCESS;
  });
}

static PetscErrorCode MatScale_Blocked(Mat A, PetscScalar alpha)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaSpace   space;

  PetscFunctionBegin;
  PetscCall(a->local->values.Space(&space));
  PetscCall(ScalePart(*a->local, space, alpha));
  PetscCall(ScalePart(a->ghost, space, alpha));
  PetscCall(HeptaLogFlops(space, (PetscLogDouble)(a->local->entries + a->ghost.entries)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half storage stays symmetric only under equal scaling from both sides */
static PetscErrorCode CheckSymmetricScaling(Mat A, Vec l, Vec r)
{
  PetscBool same = l == r ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (!MatBlocked(A)->local->half) PetscFunctionReturn(PETSC_SUCCESS);
  if (l && r && l != r) PetscCall(VecEqual(l, r, &same));
  PetscCheck(
    same, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
    "Half storage must stay symmetric: scale rows and columns by the same vector, or convert the matrix to MATAIJ first");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDiagonalScale_Blocked(Mat A, Vec l, Vec r)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaArrays  p;
  PetscInt     nl = A->rmap->n, nr = A->cmap->n;

  PetscFunctionBegin;
  if (l) PetscCall(VecGetLocalSize(l, &nl));
  if (r) PetscCall(VecGetLocalSize(r, &nr));
  PetscCheck(nl == A->rmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The left vector has %" PetscInt_FMT " local entries, the matrix %" PetscInt_FMT " local rows", nl, A->rmap->n);
  PetscCheck(nr == A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The right vector has %" PetscInt_FMT " local entries, the matrix %" PetscInt_FMT " local columns", nr, A->cmap->n);
  PetscCall(CheckSymmetricScaling(A, l, r));
  PetscCall(HeptaArraysGet(r, l, nullptr, &p));
  PetscCall(a->local->ScaleRowsAndColumns(p.space, p.z, p.x));
  PetscCall(HeptaArraysRestore(r, l, nullptr, &p));
  const HeptaSpace space = p.space;
  if (a->halo) {
    if (r) PetscCall(MatBlockedHaloBegin(A, r));
    if (r) PetscCall(MatBlockedHaloEnd(A, r));
    const Vec ghosts = r ? a->lvec : nullptr;
    PetscCall(HeptaArraysGet(ghosts, l, nullptr, &p));
    PetscCall(HeptaVisitLaunchEach(a->ghost, p.space, HeptaAccess::read_write, diagonal_scale, p.z, p.x));
    PetscCall(HeptaArraysRestore(ghosts, l, nullptr, &p));
  }
  PetscCall(HeptaLogFlops(space, (l && r ? 2. : 1.) * (PetscLogDouble)(a->local->entries + a->ghost.entries)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   scale <- the values for this rank's columns, then for the ghost columns; `values` is numbered by the columns' local-to-global
   mapping; an error if the mapping lacks any of these columns
*/
static PetscErrorCode TakeFromMapped(Mat A, const PetscScalar values[], HeptaValues &scale)
{
  const Ghost          &g  = MatBlocked(A)->ghost;
  const PetscInt        bs = g.bs, n = A->cmap->n, start = A->cmap->rstart;
  std::vector<PetscInt> last(n + g.garray.size() * bs, -1); /* of several that name a column the last counts, as with aij */
  const PetscInt       *global;
  PetscInt              size;
  PetscScalar          *to;

  PetscFunctionBegin;
  PetscCall(ISLocalToGlobalMappingGetSize(A->cmap->mapping, &size));
  PetscCall(ISLocalToGlobalMappingGetIndices(A->cmap->mapping, &global));
  for (PetscInt k = 0; k < size; k++) {
    const PetscInt j     = global[k];
    const auto     block = std::lower_bound(g.garray.begin(), g.garray.end(), j / bs);

    if (j >= start && j < start + n) last[j - start] = k;
    else if (j >= 0 && block != g.garray.end() && *block == j / bs) last[n + (block - g.garray.begin()) * bs + j % bs] = k;
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(A->cmap->mapping, &global));
  const PetscInt missing = (PetscInt)(std::find(last.begin(), last.end(), -1) - last.begin());
  const bool     whole   = missing == (PetscInt)last.size();
  PetscCall(HeptaAgreeOnError(
    PetscObjectComm((PetscObject)A), whole ? PETSC_SUCCESS : PETSC_ERR_ARG_WRONGSTATE,
    whole
      ? ""
      : HeptaFormat("Column %" PetscInt_FMT " of this rank's rows is not in the mapping that MatSetLocalToGlobalMapping() gave",
                    missing < n ? start + missing : g.garray[(missing - n) / bs] * bs + (missing - n) % bs)));
  PetscCall(scale.Make(HeptaSpace(), last.size(), &to));
  for (size_t k = 0; k < last.size(); k++) to[k] = values[last[k]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a_ij <- a_ij s_j, s with the numbers that columns have on this rank, ghost values included */
static PetscErrorCode MatDiagonalScaleLocal_Blocked(Mat A, Vec s)
{
  Mat_Blocked       *a = MatBlocked(A);
  const PetscScalar *values;
  PetscScalar       *r;
  PetscInt           n, size = -1;
  HeptaValues        scale;
  HeptaSpace         space;

  PetscFunctionBegin;
  PetscCheck(!a->local->half, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "Half storage must stay symmetric: use MatDiagonalScale(), or convert the matrix to MATAIJ first");
  PetscCheck(A->cmap->mapping, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "Call MatSetLocalToGlobalMapping() before MatDiagonalScaleLocal()");
  PetscCall(VecGetLocalSize(s, &n));
  PetscCall(ISLocalToGlobalMappingGetSize(A->cmap->mapping, &size));
  PetscCall(HeptaAgreeOnError(
    PetscObjectComm((PetscObject)A), n == size ? PETSC_SUCCESS : PETSC_ERR_ARG_SIZ,
    HeptaFormat("The vector has %" PetscInt_FMT " local entries, the mapping of the columns %" PetscInt_FMT, n, size)));
  PetscCall(VecGetArrayRead(s, &values));
  const PetscErrorCode code = TakeFromMapped(A, values, scale);
  PetscCall(VecRestoreArrayRead(s, &values));
  PetscCall(code);
  PetscCall(a->local->values.Space(&space));
  PetscCall(scale.Access(space, HeptaAccess::read, &r));
  PetscCall(a->local->ScaleRowsAndColumns(space, nullptr, r));
  PetscCall(HeptaVisitLaunchEach(a->ghost, space, HeptaAccess::read_write, diagonal_scale, nullptr, r + A->cmap->n));
  PetscCall(HeptaLogFlops(space, (PetscLogDouble)(a->local->entries + a->ghost.entries)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedSetOps_Scale(Mat A)
{
  PetscFunctionBegin;
  A->ops->scale         = HeptaNoThrow<MatScale_Blocked>;
  A->ops->diagonalscale = HeptaNoThrow<MatDiagonalScale_Blocked>;
  PetscCall(MatBlockedComposeFunction(A, "MatDiagonalScaleLocal_C", HeptaNoThrow<MatDiagonalScaleLocal_Blocked>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
