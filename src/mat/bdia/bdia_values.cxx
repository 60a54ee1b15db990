/* Operations on the values of one bdia matrix. Wherever the ghost part takes part, its columns' data come and go through the halo exchange. */
#include <algorithm>

#include "bdia_values.h"

using namespace hepta::bdia;

static PetscErrorCode MatScale_BDIA(Mat A, PetscScalar alpha)
{
  Mat_BDIA *a = MatBDIA(A);

  PetscFunctionBegin;
  PetscCall(HeptaVisit(*a->diag, [&](auto D) {
    PetscCallHepta(scale_host(a->diag->Size(), alpha, D.v));
    return PETSC_SUCCESS;
  }));
  PetscCall(HeptaVisit(a->ghost, [&](auto B) {
    PetscCallHepta(scale_host(a->ghost.Size(), alpha, B.v));
    return PETSC_SUCCESS;
  }));
  PetscCall(PetscLogFlops((PetscLogDouble)(a->diag->entries + a->ghost.entries)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Structure and the record of what is set stay. During a first assembly the diagonals are not packed yet, and ghost entries may wait. */
PetscErrorCode MatZeroEntries_BDIA(Mat A)
{
  Mat_BDIA *a = MatBDIA(A);

  PetscFunctionBegin;
  for (Diagonal &d : a->diag->diag) {
    if (a->diag->single) PetscCallHepta(fill_host(a->diag->DiagonalSize(), 0, (float *)d.v));
    else PetscCallHepta(fill_host(a->diag->DiagonalSize(), 0, (PetscScalar *)d.v));
  }
  PetscCall(HeptaVisit(a->ghost, [&](auto B) {
    PetscCallHepta(fill_host(a->ghost.Size(), 0, B.v));
    return PETSC_SUCCESS;
  }));
  for (HeptaEntry &e : a->ghost.pending) e.v = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half storage stays symmetric only under the same scaling from both sides */
static PetscErrorCode CheckSymmetricScaling(Mat A, Vec l, Vec r)
{
  PetscBool same = l == r ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (!MatBDIA(A)->diag->half) PetscFunctionReturn(PETSC_SUCCESS);
  if (l && r && l != r) PetscCall(VecEqual(l, r, &same));
  PetscCheck(same, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Half storage must stay symmetric: scale rows and columns by the same vector, or convert the matrix to MATAIJ first");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a_ij <- l_i a_ij r_j */
static PetscErrorCode MatDiagonalScale_BDIA(Mat A, Vec l, Vec r)
{
  Mat_BDIA          *a  = MatBDIA(A);
  const PetscScalar *la = nullptr, *ra = nullptr, *rg = nullptr;
  PetscInt           nl = A->rmap->n, nr = A->cmap->n;

  PetscFunctionBegin;
  if (l) PetscCall(VecGetLocalSize(l, &nl));
  if (r) PetscCall(VecGetLocalSize(r, &nr));
  PetscCheck(nl == A->rmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The left vector has %" PetscInt_FMT " local entries, the matrix %" PetscInt_FMT " local rows", nl, A->rmap->n);
  PetscCheck(nr == A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The right vector has %" PetscInt_FMT " local entries, the matrix %" PetscInt_FMT " local columns", nr, A->cmap->n);
  PetscCall(CheckSymmetricScaling(A, l, r));
  if (r && a->halo) PetscCall(VecScatterBegin(a->halo, r, a->lvec, INSERT_VALUES, SCATTER_FORWARD));
  if (l) PetscCall(VecGetArrayRead(l, &la));
  if (r) PetscCall(VecGetArrayRead(r, &ra));
  PetscCall(HeptaVisit(*a->diag, [&](auto D) {
    PetscCallHepta(diagonal_scale_host(D, la, ra));
    return PETSC_SUCCESS;
  }));
  if (r) PetscCall(VecRestoreArrayRead(r, &ra));
  if (a->halo) {
    if (r) PetscCall(VecScatterEnd(a->halo, r, a->lvec, INSERT_VALUES, SCATTER_FORWARD));
    if (r) PetscCall(VecGetArrayRead(a->lvec, &rg));
    PetscCall(HeptaVisit(a->ghost, [&](auto B) {
      PetscCallHepta(ghost_diagonal_scale_host(B, la, rg));
      return PETSC_SUCCESS;
    }));
    if (r) PetscCall(VecRestoreArrayRead(a->lvec, &rg));
  }
  if (l) PetscCall(VecRestoreArrayRead(l, &la));
  PetscCall(PetscLogFlops((l && r ? 2. : 1.) * (PetscLogDouble)(a->diag->entries + a->ghost.entries)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the block diagonals' part of a norm to work, and the ghost part's to ghost_work (indexed as the norm launchers say) */
static PetscErrorCode AddToNorm(Mat_BDIA *a, Norm type, PetscScalar *work, PetscScalar *ghost_work)
{
  PetscFunctionBegin;
  PetscCall(HeptaVisit(*a->diag, [&](auto D) {
    PetscCallHepta(norm_host(D, type, work));
    return PETSC_SUCCESS;
  }));
  PetscCall(HeptaVisit(a->ghost, [&](auto B) {
    PetscCallHepta(ghost_norm_host(B, type, ghost_work));
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest column sum: what this rank's rows add to other ranks' columns goes home through the halo exchange */
static PetscErrorCode NormOne(Mat A, PetscReal *norm)
{
  Mat_BDIA    *a = MatBDIA(A);
  Vec          sums;
  PetscScalar *s, *g = nullptr;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &sums, nullptr));
  PetscCall(VecSet(sums, 0));
  if (a->halo) {
    PetscCall(VecSet(a->lvec, 0));
    PetscCall(VecGetArray(a->lvec, &g));
  }
  PetscCall(VecGetArray(sums, &s));
  PetscCall(AddToNorm(a, Norm::one, s, g));
  PetscCall(VecRestoreArray(sums, &s));
  if (a->halo) {
    PetscCall(VecRestoreArray(a->lvec, &g));
    PetscCall(VecScatterBegin(a->halo, a->lvec, sums, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecScatterEnd(a->halo, a->lvec, sums, ADD_VALUES, SCATTER_REVERSE));
  }
  PetscCall(VecNorm(sums, NORM_INFINITY, norm));
  PetscCall(VecDestroy(&sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatNorm_BDIA(Mat A, NormType type, PetscReal *norm)
{
  Mat_BDIA *a    = MatBDIA(A);
  MPI_Comm  comm = PetscObjectComm((PetscObject)A);

  PetscFunctionBegin;
  if (type == NORM_1) {
    PetscCall(NormOne(A, norm));
  } else if (type == NORM_INFINITY) {
    std::vector<PetscScalar> sums(A->rmap->n, 0);
    *norm = 0;
    PetscCall(AddToNorm(a, Norm::infinity, sums.data(), sums.data()));
    for (PetscScalar s : sums) *norm = PetscMax(*norm, PetscRealPart(s));
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, norm, 1, MPIU_REAL, MPIU_MAX, comm));
  } else if (type == NORM_FROBENIUS) {
    PetscScalar sum = 0;
    PetscCall(AddToNorm(a, Norm::frobenius, &sum, &sum));
    *norm = PetscRealPart(sum);
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, norm, 1, MPIU_REAL, MPIU_SUM, comm));
    *norm = PetscSqrtReal(*norm);
  } else SETERRQ(comm, PETSC_ERR_SUP, "bdia computes the 1, infinity and Frobenius norms only");
  PetscCall(PetscLogFlops((type == NORM_FROBENIUS ? 2. : 1.) * (PetscLogDouble)(a->diag->entries + a->ghost.entries)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random values where an entry is set, in the order of storage */
template <class S, class V> static PetscErrorCode RandomSlots(const S &part, V *v, PetscRandom random)
{
  PetscScalar value;

  PetscFunctionBegin;
  for (size_t k = 0; k < part.Size(); k++) {
    if (!part.IsSet(k)) continue;
    PetscCall(PetscRandomGetValue(random, &value));
    v[k] = (V)value;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetRandom_BDIA(Mat A, PetscRandom random)
{
  Mat_BDIA *a = MatBDIA(A);

  PetscFunctionBegin;
  PetscCheck(A->assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "Assemble the matrix before MatSetRandom(): the values go to the entries that are set");
  PetscCheck(!a->diag->half || !a->halo, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Half storage must stay symmetric and MatSetRandom() draws on each rank by itself: set the values with MatSetValues()");
  PetscCall(HeptaVisit(*a->diag, [&](auto D) {
    PetscCall(RandomSlots(*a->diag, D.v, random));
    const int d = first_offset(D, 0);
    if (!D.half || d == D.nd || D.off[d] != 0) return PETSC_SUCCESS;
    for (PetscInt m = 0; m < D.nbr; m++) { /* half storage keeps whole diagonal blocks: the lower triangle follows the upper one */
      for (PetscInt s = 0; s < D.bs; s++) {
        for (PetscInt r = 0; r < s; r++) D.v[slot(D, d, m, s, r)] = D.v[slot(D, d, m, r, s)];
      }
    }
    return PETSC_SUCCESS;
  }));
  PetscCall(HeptaVisit(a->ghost, [&](auto B) { return RandomSlots(a->ghost, B.v, random); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetInfo_BDIA(Mat A, MatInfoType which, MatInfo *info)
{
  const Mat_BDIA *a      = MatBDIA(A);
  const size_t    values = a->diag->Size() + a->ghost.Size(), size = a->diag->single ? sizeof(float) : sizeof(PetscScalar);
  PetscLogDouble  sums[4]; /* used, allocated, unneeded, bytes */

  PetscFunctionBegin;
  sums[0] = (PetscLogDouble)(a->diag->entries + a->ghost.entries);
  sums[1] = (PetscLogDouble)values;
  sums[2] = PetscMax(0, sums[1] - sums[0]);
  sums[3] = (PetscLogDouble)values * (size + 1. / 8) + (PetscLogDouble)(a->ghost.row.size() + a->ghost.col.size()) * sizeof(hepta::Index);
  sums[3] += (PetscLogDouble)(a->ghost.garray.size() + a->ghost.border.size()) * sizeof(PetscInt);
  if (which != MAT_LOCAL) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, 4, MPIU_PETSCLOGDOUBLE, which == MAT_GLOBAL_MAX ? MPI_MAX : MPI_SUM, PetscObjectComm((PetscObject)A)));
  PetscCall(PetscMemzero(info, sizeof(*info)));
  info->block_size   = (PetscLogDouble)a->diag->bs;
  info->nz_used      = sums[0];
  info->nz_allocated = sums[1];
  info->nz_unneeded  = sums[2];
  info->memory       = sums[3];
  info->assemblies   = (PetscLogDouble)A->num_ass;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The conjugate and the real part of a real matrix are itself */
static PetscErrorCode MatUnchanged_BDIA(Mat)
{
  return PETSC_SUCCESS;
}

PetscErrorCode MatBDIASetOps_Values(Mat A)
{
  PetscFunctionBegin;
  A->ops->scale               = MatScale_BDIA;
  A->ops->zeroentries         = MatZeroEntries_BDIA;
  A->ops->diagonalscale       = MatDiagonalScale_BDIA;
  A->ops->norm                = MatNorm_BDIA;
  A->ops->setrandom           = MatSetRandom_BDIA;
  A->ops->getinfo             = MatGetInfo_BDIA;
  A->ops->conjugate           = MatUnchanged_BDIA;
  A->ops->realpart            = MatUnchanged_BDIA;
  A->ops->imaginarypart       = MatZeroEntries_BDIA;
  A->ops->getdiagonal         = MatGetDiagonal_BDIA;
  A->ops->shift               = MatShift_BDIA;
  A->ops->diagonalset         = MatDiagonalSet_BDIA;
  A->ops->invertblockdiagonal = MatInvertBlockDiagonal_BDIA;
  A->ops->axpy                = MatAXPY_BDIA;
  A->ops->copy                = MatCopy_BDIA;
  A->ops->equal               = MatEqual_BDIA;
  A->ops->transpose           = MatTranspose_BDIA;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatAXPYGetPreallocation_C", MatAXPYGetPreallocation_BDIA));
  PetscFunctionReturn(PETSC_SUCCESS);
}
