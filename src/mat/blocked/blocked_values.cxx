/* Operations on the values of one matrix. Data of the ghost part's columns are exchanged by the halo. */
#include "../../shared/arrays.h"
#include "blocked.h"

using namespace hepta::blocked;

/* The structure and the bits of set slots are kept. During an assembly there may be pending ghost entries. */
static PetscErrorCode MatZeroEntries_Blocked(Mat A)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCall(a->local->Zero());
  PetscCall(a->ghost.values.Zero());
  for (HeptaEntry &e : a->ghost.pending) e.v = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   sums <- the sums by column (norm `one`) or row, of which the norm is the largest or the sum; the halo exchange sends
   contributions of this rank's rows to other ranks' columns
*/
static PetscErrorCode NormSums(Mat A, Norm type, Vec sums)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaArrays  p, g;
  const bool   travels = type == Norm::one && a->halo;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(nullptr, sums, sums, &p));
  if (travels) {
    PetscCall(MatBlockedHaloVec(A, p.space.device));
    PetscCall(VecSet(a->lvec, 0));
    PetscCall(HeptaArraysGet(nullptr, a->lvec, a->lvec, &g));
  }
  PetscCall(a->local->AddNorms(p.space, type, p.y));
  if (travels) PetscCall(HeptaVisitLaunchEach(a->ghost, p.space, HeptaAccess::read, column_norms, g.y));
  else if (type != Norm::one) PetscCall(HeptaVisitLaunchEach(a->ghost, p.space, HeptaAccess::read, row_norms, type, p.y));
  PetscCall(HeptaLogFlops(p.space, (type == Norm::frobenius ? 2. : 1.) * (PetscLogDouble)(a->local->entries + a->ghost.entries)));
  PetscCall(HeptaArraysRestore(nullptr, sums, sums, &p));
  if (travels) {
    PetscCall(HeptaArraysRestore(nullptr, a->lvec, a->lvec, &g));
    PetscCall(MatBlockedHaloAdd(A, sums));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatNorm_Blocked(Mat A, NormType type, PetscReal *norm)
{
  const Norm        what = type == NORM_1 ? Norm::one : type == NORM_INFINITY ? Norm::infinity : Norm::frobenius;
  const PetscLayout map  = type == NORM_1 ? A->cmap : A->rmap;
  HeptaSpace        space;
  PetscScalar       sum;
  Vec               sums;
  bool              device;

  PetscFunctionBegin;
  PetscCheck(type == NORM_1 || type == NORM_INFINITY || type == NORM_FROBENIUS, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "%s computes the 1, infinity and Frobenius norms only", MatBlocked(A)->format->name);
  PetscCall(MatBlocked(A)->local->values.Space(&space));
  PetscCall(VecCreate(PetscObjectComm((PetscObject)A), &sums));
  PetscCall(VecSetSizes(sums, map->n, map->N));
  device = space.device;
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &device)); /* because ranks may exchange sums */
  PetscCall(VecSetType(sums, device ? VECCUDA : VECSTANDARD));
  PetscCall(VecSet(sums, 0));
  PetscCall(NormSums(A, what, sums));
  if (type == NORM_FROBENIUS) {
    PetscCall(VecSum(sums, &sum));
    *norm = PetscSqrtReal(PetscRealPart(sum));
  } else PetscCall(VecNorm(sums, NORM_INFINITY, norm));
  PetscCall(VecDestroy(&sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random values where an entry is set, in the order of storage */
template <class S> static PetscErrorCode RandomSlots(S &part, PetscRandom random)
{
  PetscFunctionBegin;
  PetscCall(part.Edit()); /* from here on the values and the bits of set slots are on the host */
  PetscCall(HeptaVisitValues(part, HeptaSpace(), HeptaAccess::read_write, [&](auto *v) {
    for (size_t k = 0; k < part.Size(); k++) {
      PetscScalar value;
      if (!part.IsSet(k)) continue;
      PetscCall(PetscRandomGetValue(random, &value));
      v[k] = value;
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetRandom_Blocked(Mat A, PetscRandom random)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCheck(A->assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "Assemble the matrix before MatSetRandom(): the values go to the entries that are set");
  PetscCheck(
    !a->local->half || !a->halo, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
    "Half storage must stay symmetric and MatSetRandom() draws on each rank by itself: set the values with MatSetValues()");
  PetscCall(RandomSlots(*a->local, random));
  if (a->local->half) PetscCall(a->local->MirrorDiagonalBlocks());
  PetscCall(RandomSlots(a->ghost, random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetInfo_Blocked(Mat A, MatInfoType which, MatInfo *info)
{
  const Mat_Blocked *a      = MatBlocked(A);
  const size_t       values = a->local->Size() + a->ghost.Size(), size = a->local->ValueSize();
  PetscLogDouble     sums[4]; /* used, allocated, unneeded, bytes */

  PetscFunctionBegin;
  sums[0] = (PetscLogDouble)(a->local->entries + a->ghost.entries);
  sums[1] = (PetscLogDouble)values;
  sums[2] = PetscMax(0, sums[1] - sums[0]);
  sums[3] = (PetscLogDouble)values * (size + 1. / 8) + a->local->IndexBytes() + (PetscLogDouble)a->ghost.IndexBytes();
  if (which != MAT_LOCAL)
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, 4, MPIU_PETSCLOGDOUBLE, which == MAT_GLOBAL_MAX ? MPI_MAX : MPI_SUM,
                                PetscObjectComm((PetscObject)A)));
  PetscCall(PetscMemzero(info, sizeof(*info)));
  info->block_size   = (PetscLogDouble)HeptaBlockSize(A->rmap);
  info->nz_used      = sums[0];
  info->nz_allocated = sums[1];
  info->nz_unneeded  = sums[2];
  info->memory       = sums[3];
  info->assemblies   = (PetscLogDouble)A->num_ass;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The conjugate and the real part of a real matrix are the matrix itself */
static PetscErrorCode MatUnchanged_Blocked(Mat)
{
  return PETSC_SUCCESS;
}

PetscErrorCode MatBlockedSetOps_Values(Mat A)
{
  PetscFunctionBegin;
  A->ops->zeroentries         = HeptaNoThrow<MatZeroEntries_Blocked>;
  A->ops->norm                = HeptaNoThrow<MatNorm_Blocked>;
  A->ops->setrandom           = HeptaNoThrow<MatSetRandom_Blocked>;
  A->ops->getinfo             = HeptaNoThrow<MatGetInfo_Blocked>;
  A->ops->conjugate           = HeptaNoThrow<MatUnchanged_Blocked>;
  A->ops->realpart            = HeptaNoThrow<MatUnchanged_Blocked>;
  A->ops->imaginarypart       = HeptaNoThrow<MatZeroEntries_Blocked>;
  A->ops->getdiagonal         = HeptaNoThrow<MatGetDiagonal_Blocked>;
  A->ops->shift               = HeptaNoThrow<MatShift_Blocked>;
  A->ops->diagonalset         = HeptaNoThrow<MatDiagonalSet_Blocked>;
  A->ops->invertblockdiagonal = HeptaNoThrow<MatInvertBlockDiagonal_Blocked>;
  A->ops->axpy                = HeptaNoThrow<MatAXPY_Blocked>;
  A->ops->copy                = HeptaNoThrow<MatCopy_Blocked>;
  A->ops->equal               = HeptaNoThrow<MatEqual_Blocked>;
  A->ops->transpose           = HeptaNoThrow<MatTranspose_Blocked>;
  PetscCall(MatBlockedSetOps_Scale(A));
  PetscCall(MatBlockedComposeFunction(A, "MatAXPYGetPreallocation_C", HeptaNoThrow<MatAXPYGetPreallocation_Blocked>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
