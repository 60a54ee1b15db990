/*
   Products. The ghost values of x are exchanged while the local part multiplies; the ghost part follows:

     y <- z + A_local x + B x_ghost
*/
#include "../../shared/arrays.h"
#include "blocked.h"

using namespace hepta::blocked;

/* Two flops for each entry set, one less for the first entry of each row unless that entry is added, as counted for aij */
PetscLogDouble MatBlockedFlops(Mat A, bool adds)
{
  const Mat_Blocked   *a    = MatBlocked(A);
  const PetscLogDouble rows = (PetscLogDouble)A->rmap->n, set = (PetscLogDouble)(a->local->entries + a->ghost.entries);

  return PetscMax(0., 2. * set - (adds ? 0. : rows));
}

PetscErrorCode MatBlockedHaloVec(Mat A, bool device)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCall(HeptaVecMake((PetscInt)a->ghost.garray.size() * a->ghost.bs, device, &a->lvec));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Begins or ends the exchange between x and lvec, which is in the memory of x */
static PetscErrorCode Exchange(Mat A, Vec x, PetscErrorCode (HeptaHalo::*half)(const HeptaHaloArrays &))
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaArrays  p;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(x, nullptr, a->lvec, &p));
  PetscCall((a->halo.*half)({p.space, p.x, p.y}));
  PetscCall(HeptaArraysRestore(x, nullptr, a->lvec, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedHaloBegin(Mat A, Vec x)
{
  HeptaSpace space;

  PetscFunctionBegin;
  PetscCall(HeptaVecSpace(x, &space));
  PetscCall(MatBlockedHaloVec(A, space.device));
  PetscCall(Exchange(A, x, &HeptaHalo::Begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedHaloEnd(Mat A, Vec x)
{
  PetscFunctionBegin;
  PetscCall(Exchange(A, x, &HeptaHalo::End));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedHaloAdd(Mat A, Vec y)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaArrays  p;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(a->lvec, y, y, &p));
  PetscCall(a->halo.Add({p.space, p.y, p.x}));
  PetscCall(HeptaArraysRestore(a->lvec, y, y, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedHaloPrepare(Mat A, const HeptaSpace &space)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaArrays  p;

  PetscFunctionBegin;
  if (!a->halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBlockedHaloVec(A, space.device));
  PetscCall(HeptaArraysGet(nullptr, nullptr, a->lvec, &p));
  PetscCall(HeptaArraysRestore(nullptr, nullptr, a->lvec, &p));
  PetscCall(a->halo.Prepare(space));
  PetscCall(HeptaVisit(a->ghost, space, HeptaAccess::read, [](auto) { return PETSC_SUCCESS; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- y + B x_ghost, after the ghost values of HaloBegin() have arrived */
static PetscErrorCode AddGhostProduct(Mat A, Vec x, Vec y)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaArrays  p;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  HeptaSpace sent, wanted;
  PetscCall(HeptaVecSpace(x, &sent));
  PetscCall(HeptaVecSpace(y, &wanted));
  const hepta::transport::Mailboxes *arriving =
    sent.device && wanted.device && a->ghost.width <= long_ghosts ? a->halo.Arriving() : nullptr;
  if (arriving) {
    PetscCall(HeptaArraysGet(nullptr, y, y, &p));
    PetscCall(HeptaVisit(a->ghost, p.space, HeptaAccess::read, [&](auto B) {
      HeptaLaunchOn(p.space, arriving_spmv_cuda(B, *arriving, p.y, HeptaRecording::Stop(), p.space.stream),
                    hepta::Status(nullptr));
      return PETSC_SUCCESS;
    }));
    a->halo.Arrived();
    PetscCall(HeptaArraysRestore(nullptr, y, y, &p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(MatBlockedHaloEnd(A, x));
  PetscCall(HeptaArraysGet(a->lvec, y, y, &p));
  PetscCall(HeptaVisitLaunch(a->ghost, p.space, HeptaAccess::read, ghost_spmm, 1, p.x, 0, p.y, 0));
  PetscCall(HeptaArraysRestore(a->lvec, y, y, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaBlockedProduct(HeptaStorage &D, bool transpose, bool beside, Vec x, Vec z, Vec y, HeptaSpace *space)
{
  HeptaArrays p;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(x, z, y, &p));
  p.space.beside = beside;
  PetscCall(transpose ? D.ProductTranspose(p.space, p.x, p.z, p.y) : D.Product(p.space, p.x, p.z, p.y));
  PetscCall(HeptaArraysRestore(x, z, y, &p));
  *space = p.space;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- z + A x */
PetscErrorCode MatMultAdd_Blocked(Mat A, Vec x, Vec z, Vec y)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaSpace   space;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(MatBlocked(A)->format->events.mult, A, x, y, nullptr));
  if (a->halo) PetscCall(MatBlockedHaloBegin(A, x));
  PetscCall(HeptaBlockedProduct(*a->local, false, a->halo.Sends(), x, z, y, &space));
  if (a->halo) PetscCall(AddGhostProduct(A, x, y));
  PetscCall(HeptaLogFlops(space, MatBlockedFlops(A, z)));
  PetscCall(PetscLogEventEnd(MatBlocked(A)->format->events.mult, A, x, y, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_Blocked(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMultAdd_Blocked(A, x, nullptr, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* lvec <- B^T x: the contributions of this rank's rows to other ranks' columns, whose owners add these contributions to y */
static PetscErrorCode GhostTransposeProduct(Mat A, Vec x, Vec y)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaArrays  p;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(x, y, nullptr, &p)); /* only to find the memory of x and y, since lvec is to be added to y */
  PetscCall(HeptaArraysRestore(x, y, nullptr, &p));
  PetscCall(MatBlockedHaloVec(A, p.space.device));
  PetscCall(HeptaArraysGet(x, nullptr, a->lvec, &p));
  PetscCall(HeptaVisitLaunchEach(a->ghost, p.space, HeptaAccess::read, ghost_spmv_transpose, p.x, p.y));
  PetscCall(HeptaArraysRestore(x, nullptr, a->lvec, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- z + A^T x */
PetscErrorCode MatMultTransposeAdd_Blocked(Mat A, Vec x, Vec z, Vec y)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaSpace   space;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(MatBlocked(A)->format->events.multtranspose, A, x, y, nullptr));
  if (a->halo) PetscCall(GhostTransposeProduct(A, x, y));
  PetscCall(HeptaBlockedProduct(*a->local, true, false, x, z, y, &space));
  if (a->halo) PetscCall(MatBlockedHaloAdd(A, y));
  PetscCall(HeptaLogFlops(space, MatBlockedFlops(A, true)));
  PetscCall(PetscLogEventEnd(MatBlocked(A)->format->events.multtranspose, A, x, y, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTranspose_Blocked(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMultTransposeAdd_Blocked(A, x, nullptr, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
