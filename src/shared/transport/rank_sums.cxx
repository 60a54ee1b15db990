#include "rank_sums.h"

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
PetscErrorCode HeptaRankSums::AddThere(MPI_Comm comm, const HeptaSpace &space, PetscInt n, HeptaValues &q)
{
  PetscMPIInt  size;
  PetscScalar *own, *gathered;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (d != n) {
    PetscCall(gather.SetUpGather(comm, 1, n));
    PetscCall(all.Resize((size_t)size * n * sizeof(PetscScalar)));
    d = n;
  }
  PetscCall(q.Access(space, HeptaAccess::read_write, &own));
  PetscCall(all.Access(space, HeptaAccess::write, &gathered));
  PetscCall(gather.Bring({space, own, gathered}));
  PetscCallHepta(hepta::transport::sum_cuda((hepta::Index)n, (int)size, gathered, own, space.stream));
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
  HeptaSpace      where;
  HeptaTransport *t;

  PetscCall(common.Find(comm, space, &where));
  PetscCall(HeptaTransportOf(comm, &t));
  if (where.device) PetscCall(HeptaTransportProbe(t));
  if (where.device && t->Records()) {
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
