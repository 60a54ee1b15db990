/* The messages of NCCL, from and to packed values on the device */
#include "../channel.h"

#if defined(HEPTA_HAVE_CUDA)

/* Sends all that is packed in `send` and receives into `receive`, in the order of the stream `copies` */
PetscErrorCode HeptaChannel::SendByNccl(int size, PetscInt columns)
{
  const auto part = [&](const HeptaChannelSide &side, void *buffer, size_t b, PetscInt c, size_t *bytes) {
    const size_t number = (size_t)bs * size;

    *bytes = number * (side.first[b + 1] - side.first[b]);
    return (char *)buffer + number * ((size_t)c * side.first.back() + side.first[b]);
  };
  std::vector<HeptaNcclMessage> messages;

  PetscFunctionBegin;
  for (size_t b = 0; b < neighbors.size(); b++) {
    for (PetscInt c = 0; c < columns; c++) {
      HeptaNcclMessage m;

      m.neighbor = neighbors[b];
      m.send     = part(out, send[0], b, c, &m.bytes_sent);
      m.receive  = part(in, receive[0], b, c, &m.bytes_received);
      messages.push_back(m);
    }
  }
  PetscCall(transport->nccl->Exchange(messages, copies));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
