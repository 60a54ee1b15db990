/*
   Messages between devices. A kernel packs the numbers to be sent, and a second stream copies the packed numbers to pinned host
   memory; numbers from other ranks arrive the reverse way. The caller's stream continues meanwhile:

     caller's stream   pack ----- interior rows ------------------ unpack, border rows
     copies                 \-- to the host   MPI   to the device --/

   With NCCL the packed numbers are sent in the stream `copies`; events before and after make the messages part of a recording. A
   GPU-aware MPI, called by the host, sends from device memory.
*/
#include "channel.h"

#if defined(HEPTA_HAVE_CUDA)

using namespace hepta::transport;

PetscErrorCode HeptaChannel::Reset()
{
  PetscFunctionBegin;
  for (MPI_Request &request : requests) { /* of an exchange that an error has interrupted */
    PetscCallMPI(MPI_Cancel(&request));
    PetscCallMPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  requests.clear();
  if (under_way || (transport && transport->IsLate())) mailbox.p = nullptr; /* not given back: neighbors may still write there */
  under_way = false;
  PetscCall(HeptaMailboxGive(&mailbox));
  PetscCall(HeptaMailboxGive(&counters));
  PetscCallHepta(hepta::free_stream(copies));
  copies = nullptr;
  for (void **buffer : {send, receive}) {
    PetscCallHepta(hepta::device_free_sent(buffer[0]));
    if (buffer[1] != buffer[0]) PetscCallHepta(hepta::mapped_free(buffer[1]));
    buffer[0] = buffer[1] = nullptr;
  }
  most = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaChannel::SetUp(HeptaTransport *t, PetscMPIInt own_tag)
{
  PetscFunctionBegin;
  transport = t;
  tag       = own_tag;
  in_order  = true;
  for (size_t k = 0; k < in.at.size(); k++) in_order = in_order && in.at[k] == (hepta::Index)k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaChannel::Reserve(const HeptaSpace &space, PetscInt columns)
{
  const hepta::Index *at;

  PetscFunctionBegin;
  PetscCall(out.table.Get(space, out.at, &at));
  PetscCall(in.table.Get(space, in.at, &at));
  if (columns <= most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Reset());
  most                      = columns;
  const PetscErrorCode code = transport->used == HeptaTransportKind::ipc ? Connect() : Allocate();
  if (code) most = 0; /* the next exchange tries again */
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaChannel::Allocate()
{
  PetscFunctionBegin;
  hepta::Status bad = hepta::new_stream(&copies);
  for (auto [buffer, side] : {std::pair{send, &out}, {receive, &in}}) {
    if (!bad) bad = hepta::device_alloc_sent(Bytes(*side), &buffer[0]);
    buffer[1] = buffer[0];
    if (!bad && transport->used == HeptaTransportKind::mpi) bad = hepta::mapped_alloc(Bytes(*side), &buffer[1], nullptr);
  }
  PetscCall(HeptaAgreeOnError(
    transport->comm, bad ? PETSC_ERR_GPU : PETSC_SUCCESS,
    bad ? HeptaFormat(
            "No buffers for exchanges between MPI processes (%s): multiply fewer vectors at once, or take more processes", bad)
        : ""));
  /* the first exchange connects the neighbors; the contents do not matter */
  if (transport->used == HeptaTransportKind::nccl) PetscCall(SendByNccl(sizeof(PetscScalar), most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaChannel::Describe(HeptaChannelSide &side, const HeptaSpace &space, int size, PetscInt columns, size_t ld,
                                      Numbers *a)
{
  PetscFunctionBegin;
  a->size    = size;
  a->n       = side.first.back() * (hepta::Index)bs;
  a->columns = (hepta::Index)columns;
  a->ld      = ld;
  a->bs      = (int)bs;
  a->at      = nullptr;
  if (!side.at.empty()) PetscCall(side.table.Get(space, side.at, &a->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Starts the MPI messages of all neighbors, from pinned host memory or from device memory; messages of several columns have a
   stride
*/
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
    PetscCallMPI(sends ? MPI_Isend(at, 1, columns_of, neighbors[b], tag, transport->comm, &request)
                       : MPI_Irecv(at, 1, columns_of, neighbors[b], tag, transport->comm, &request));
    PetscCallMPI(MPI_Type_free(&columns_of));
    requests.push_back(request);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By NCCL: sends all that is packed in `send` and receives into `receive`, in the order of the stream `copies` */
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

PetscErrorCode HeptaChannel::Begin(const HeptaSpace &space, int size, PetscInt columns, const void *from, size_t ld)
{
  Numbers a;

  PetscFunctionBegin;
  PetscCall(Reserve(space, columns));
  if (neighbors.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Describe(out, space, size, columns, ld, &a));
  if (transport->used == HeptaTransportKind::ipc) {
    PetscCall(transport->CheckLate());
    under_way = true;
    PetscCallHepta(exchange_cuda(boxes, &a, from, nullptr, nullptr, HeptaRecording::Stop(), space.stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const bool by_mpi = transport->used != HeptaTransportKind::nccl;
  if (by_mpi) PetscCallHepta(wait_for(copies)); /* for the previous exchange's copies from the buffer that MPI will write */
  if (by_mpi) PetscCall(Post(false, size, columns));
  PetscCallHepta(pack_cuda(a, from, send[0], space.stream));
  PetscCallHepta(follow(space.stream, copies));
  if (!by_mpi) PetscCall(SendByNccl(size, columns));
  if (send[1] != send[0]) {
    PetscCallHepta(start_copy(send[1], send[0], (size_t)a.n * columns * size, copies));
    PetscCall(PetscLogGpuToCpu((PetscLogDouble)a.n * columns * size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaChannel::Bring(const HeptaSpace &space, int size, PetscInt columns, const void *from, size_t from_ld,
                                   void *to, size_t to_ld)
{
  Numbers a, b;

  PetscFunctionBegin;
  if (!Puts()) {
    PetscCall(Begin(space, size, columns, from, from_ld));
    PetscCall(End(space, size, columns, to, to_ld));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Reserve(space, columns));
  PetscCall(transport->CheckLate());
  PetscCall(Describe(out, space, size, columns, from_ld, &a));
  PetscCall(Describe(in, space, size, columns, to_ld, &b));
  PetscCallHepta(exchange_cuda(boxes, &a, from, &b, to, HeptaRecording::Stop(), space.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaChannel::End(const HeptaSpace &space, int size, PetscInt columns, void *to, size_t ld)
{
  Numbers a;

  PetscFunctionBegin;
  if (neighbors.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Describe(in, space, size, columns, ld, &a));
  if (transport->used == HeptaTransportKind::ipc) {
    PetscCallHepta(exchange_cuda(boxes, nullptr, nullptr, &a, to, HeptaRecording::Stop(), space.stream));
    under_way = false;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (transport->used != HeptaTransportKind::nccl) {
    PetscCallHepta(wait_for(copies));
    PetscCall(Post(true, size, columns));
    PetscCallMPI(MPI_Waitall((PetscMPIInt)requests.size(), requests.data(), MPI_STATUSES_IGNORE));
    requests.clear();
  }
  if (receive[1] != receive[0]) {
    PetscCallHepta(start_copy(receive[0], receive[1], (size_t)a.n * columns * size, copies));
    PetscCall(PetscLogCpuToGpu((PetscLogDouble)a.n * columns * size));
  }
  PetscCallHepta(follow(copies, space.stream));
  /* in a recording the waiting host finds NCCL's errors */
  PetscCallHepta(unpack_cuda(a, receive[0], to,
                             transport->nccl && !HeptaRecording::Stream() ? transport->nccl->GivenUp() : nullptr, space.stream));
  /* MPI may write the receive buffer again when the host has waited for `copies` */
  if (transport->used == HeptaTransportKind::mpi_gpu) PetscCallHepta(follow(space.stream, copies));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
