/* The messages of MPI, from pinned host memory or from device memory */
#include "../channel.h"

#if defined(HEPTA_HAVE_CUDA)

/* Starts the messages of all neighbors; those of several columns have a stride */
PetscErrorCode HeptaChannel::Post(bool sends, int size, PetscInt columns)
{
  const HeptaChannelSide &side = sends ? out : in;
  const MPI_Datatype      unit = size == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
  PetscMPIInt             n, count, stride;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(columns, &n));
  PetscCall(PetscMPIIntCast((PetscCount)side.first.back() * bs, &stride));
  for (size_t b = 0; b < neighbors.size(); b++) {
    char        *at = (char *)(sends ? send : receive)[1] + (size_t)side.first[b] * bs * size;
    MPI_Datatype columns_of;
    MPI_Request  request;

    count = (PetscMPIInt)((side.first[b + 1] - side.first[b]) * bs);
    if (!count) continue;
    PetscCallMPI(MPI_Type_vector(n, count, stride, unit, &columns_of));
    PetscCallMPI(MPI_Type_commit(&columns_of));
    PetscCallMPI(sends ? MPI_Isend(at, 1, columns_of, neighbors[b], tag, transport->comm, &request) : MPI_Irecv(at, 1, columns_of, neighbors[b], tag, transport->comm, &request));
    PetscCallMPI(MPI_Type_free(&columns_of));
    requests.push_back(request);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
