/* Coarse vectors summed over ranks */
#include "subdeflation.h"

PetscErrorCode HeptaRankSums::Reset()
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  PetscCall(gather.Reset());
  PetscCall(all.Free());
  d      = 0;
  common = {};
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
/* *stays <- are the numbers to be added in that space, the common one, which is the device? */
static PetscErrorCode Stays(MPI_Comm comm, const HeptaSpace &where, bool *stays)
{
  HeptaTransport *t;

  PetscFunctionBegin;
  *stays = false;
  if (!where.device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaTransportOf(comm, &t));
  PetscCall(HeptaTransportProbe(t));
  *stays = t->Records();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRankSums::AddThere(MPI_Comm comm, const HeptaSpace &space, PetscInt n, HeptaValues &q)
{
  PetscMPIInt     size;
  HeptaHaloArrays a;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (d != n) {
    PetscCall(gather.SetUpGather(comm, 1, n));
    PetscCall(all.Resize((size_t)size * n * sizeof(PetscScalar)));
    d = n;
  }
  PetscCall(q.Access(space, HeptaAccess::read_write, &a.roots));
  PetscCall(all.Access(space, HeptaAccess::write, &a.leaves));
  a.space = space;
  PetscCall(gather.Bring(a));
  PetscCallHepta(hepta::transport::sum_cuda((hepta::Index)n, (int)size, (const PetscScalar *)a.leaves, (PetscScalar *)a.roots, space.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode HeptaRankSums::Add(MPI_Comm comm, const HeptaSpace &space, PetscInt n, HeptaValues &q)
{
  PetscMPIInt  size, count;
  PetscScalar *numbers;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1 || !n) PetscFunctionReturn(PETSC_SUCCESS); /* a matrix without rows has no subdomains */
#if defined(HEPTA_HAVE_CUDA)
  HeptaSpace where;
  bool       stays;

  PetscCall(common.Find(comm, space, &where));
  PetscCall(Stays(comm, where, &stays));
  if (stays) {
    PetscCall(AddThere(comm, where, n, q));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  (void)space;
  PetscCall(q.Access(HeptaSpace(), HeptaAccess::read_write, &numbers));
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, numbers, count, MPIU_SCALAR, MPIU_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
