/* Mailboxes: each process tells its neighbors the addresses in its memory for the neighbors' numbers and marks */
#include "../channel.h"

#if defined(HEPTA_HAVE_CUDA)

using namespace hepta::transport;

/* The addresses that a process tells one neighbor */
struct Address {
  HeptaMailboxMemory memory;
  size_t             half, mark; /* in bytes: the size of a half, and the offset of the neighbor's mark */
  hepta::Index       begin, ld;  /* numbers of a column before the neighbor's numbers, and all numbers of a column */
};

/* Sends each neighbor its addresses, and receives those that the neighbors send */
static PetscErrorCode Swap(MPI_Comm comm, PetscMPIInt tag, const std::vector<PetscMPIInt> &neighbors,
                           const std::vector<Address> &to, std::vector<Address> &from)
{
  std::vector<MPI_Request> all(2 * neighbors.size());

  PetscFunctionBegin;
  for (size_t b = 0; b < neighbors.size(); b++) {
    PetscCallMPI(MPI_Irecv(&from[b], sizeof(Address), MPI_BYTE, neighbors[b], tag, comm, &all[2 * b]));
    PetscCallMPI(MPI_Isend(&to[b], sizeof(Address), MPI_BYTE, neighbors[b], tag, comm, &all[2 * b + 1]));
  }
  PetscCallMPI(MPI_Waitall((PetscMPIInt)all.size(), all.data(), MPI_STATUSES_IGNORE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaChannel::Connect()
{
  const size_t                    n = neighbors.size(), half = (mailbox_bytes * Bytes(in) + 255) / 256 * 256;
  std::vector<Address>            to(n), from(n);
  std::vector<HeptaMailboxMemory> theirs(n);

  PetscFunctionBegin;
  PetscCheck(n <= (size_t)most_neighbors, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%zu neighbors, and room for %d", n, most_neighbors);
  PetscErrorCode code = HeptaMailboxTake(2 * half + n * sizeof(unsigned), &mailbox);
  if (!code) code = HeptaMailboxTake(sizeof(Progress), &counters);
  PetscCall(HeptaAgreeOnError(transport->comm, code,
                              HeptaFormat("No device memory for a mailbox of %zu bytes, four times what this process receives: "
                                          "multiply fewer vectors at once, or take more processes",
                                          2 * half)));
  for (size_t b = 0; b < n; b++)
    to[b] = {mailbox, half, 2 * half + b * sizeof(unsigned), in.first[b] * (hepta::Index)bs, in.first.back() * (hepta::Index)bs};
  PetscCall(Swap(transport->comm, tag, neighbors, to, from));
  boxes          = {};
  boxes.progress = (Progress *)counters.p;
  boxes.own      = mailbox.p;
  boxes.own_half = half;
  boxes.shares   = transport->shares;
  for (size_t b = 0; b < n; b++) theirs[b] = from[b].memory;
  std::vector<void *> open(n);
  PetscCall(HeptaMailboxOpen(transport->comm, theirs, open.data()));
  for (size_t b = 0; b < n; b++) {
    boxes.box[b]           = (char *)open[b];
    boxes.begin[b]         = from[b].begin;
    boxes.half[b]          = from[b].half;
    boxes.ld[b]            = from[b].ld;
    boxes.first[b]         = out.first[b] * (hepta::Index)bs;
    boxes.waiting.there[b] = (unsigned *)(boxes.box[b] + from[b].mark);
  }
  boxes.first[n]     = out.first[n] * (hepta::Index)bs;
  boxes.waiting.n    = (int)n;
  boxes.waiting.here = (const unsigned *)(mailbox.p + 2 * half);
  PetscCall(transport->SetLimit(&boxes.waiting));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
