/* Exchanges between processes whose arrays are in different memories */
#include "halo.h"

#include <petscdevice.h>

#if defined(HEPTA_HAVE_CUDA)

PetscErrorCode HeptaCommonSpace::Find(MPI_Comm comm, const HeptaSpace &space, HeptaSpace *where)
{
  HeptaTransport *t;

  PetscFunctionBegin;
  *where = space;
  if (!agreed[1]) {
    PetscCall(HeptaTransportOf(comm, &t));
    if (t->devices || space.device || !agreed[0]) {
      PetscMPIInt some[3] = {!space.device, space.device, PetscDeviceInitialized(PETSC_DEVICE_CUDA)};
      PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, some, 3, MPI_INT, MPI_MAX, comm));
      if (!some[0] || !some[1]) agreed[space.device] = true;
      t->mixed   = t->mixed || (some[0] && some[1]);
      t->devices = t->devices || some[2];
    }
  }
  if (agreed[1] != space.device) PetscCall(HeptaSpaceOf(agreed[1] ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *to <- a copy, in a space, of the columns of an array of a: n numbers each, ld apart */
static PetscErrorCode Copy(const HeptaHaloArrays &a, const void *from, size_t ld, size_t n, const HeptaSpace &where,
                           HeptaValues *copy, void **to)
{
  char *p;

  PetscFunctionBegin;
  PetscCall(copy->Make(a.space, n * a.columns * a.size, &p));
  for (PetscInt c = 0; c < a.columns; c++)
    PetscCall(HeptaCopy(a.space, p + c * n * a.size, (const char *)from + c * ld * a.size, n * a.size));
  PetscCall(copy->Access(where, HeptaAccess::read_write, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

/* staged <- the arrays, or copies in the memory of the exchange; collective */
PetscErrorCode HeptaHalo::Stage(const HeptaHaloArrays &a)
{
  PetscFunctionBegin;
  staged = a;
#if defined(HEPTA_HAVE_CUDA)
  HeptaSpace where;
  PetscInt   roots, leaves, last;

  PetscCall(common.Find(PetscObjectComm((PetscObject)sf), a.space, &where));
  if (where.device == a.space.device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFGetGraph(sf, &roots, &leaves, nullptr, nullptr));
  PetscCall(PetscSFGetLeafRange(sf, nullptr, &last));
  staged.space   = where;
  staged.root_ld = (size_t)roots * bs;
  staged.leaf_ld = leaves ? ((size_t)last + 1) * bs : 0;
  PetscCall(Copy(a, a.roots, a.root_ld, staged.root_ld, where, &copies[0], &staged.roots));
  /* leaves too, because leaves may be few numbers of a larger array */
  PetscCall(Copy(a, a.leaves, a.leaf_ld, staged.leaf_ld, where, &copies[1], &staged.leaves));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The roots or the leaves <- the numbers that have arrived in their copies, if there are copies */
PetscErrorCode HeptaHalo::Unstage(const HeptaHaloArrays &a, bool roots)
{
  char *const  to = (char *)(roots ? a.roots : a.leaves);
  const size_t n = roots ? staged.root_ld : staged.leaf_ld, ld = roots ? a.root_ld : a.leaf_ld;
  char        *p;

  PetscFunctionBegin;
  if (staged.space.device == a.space.device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(copies[!roots].Access(a.space, HeptaAccess::read, &p));
  for (PetscInt c = 0; c < a.columns; c++) PetscCall(HeptaCopy(a.space, to + c * ld * a.size, p + c * n * a.size, n * a.size));
  PetscFunctionReturn(PETSC_SUCCESS);
}
