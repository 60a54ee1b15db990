/* Moves matrix entries to the ranks that own their rows, through PetscSF: the senders' buffers are its roots */
#include <algorithm>
#include <numeric>

#include "exchange.h"

/* What a sending rank tells a receiver: the number of the receiver's entries, and their start in the send buffer */
struct Parcel {
  PetscInt count, start;
};

/* Splits the entries, sorted by owner, into one parcel per receiver */
static PetscErrorCode PackParcels(PetscLayout map, const std::vector<PetscInt> &rows, std::vector<PetscInt> &order,
                                  std::vector<PetscMPIInt> &to, std::vector<Parcel> &parcels)
{
  std::vector<PetscMPIInt> owner(rows.size());

  PetscFunctionBegin;
  for (size_t k = 0; k < rows.size(); k++) PetscCall(PetscLayoutFindOwner(map, rows[k], &owner[k]));
  order.resize(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](PetscInt a, PetscInt b) { return owner[a] < owner[b]; });
  for (size_t k = 0; k < order.size(); k++) {
    if (to.empty() || to.back() != owner[order[k]]) {
      to.push_back(owner[order[k]]);
      parcels.push_back({0, (PetscInt)k});
    }
    parcels.back().count++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries that a process sends and receives must be as few as a PetscInt counts */
static PetscErrorCode CheckCounts(MPI_Comm comm, size_t sent, PetscInt64 received)
{
  const char format[] = "%zu entries for other MPI processes and %" PetscInt64_FMT
                        " from them are more than a PetscInt counts: set the entries of their rows on the processes that own "
                        "them, or in parts";

  PetscFunctionBegin;
  const bool many = sent > (size_t)PETSC_INT_MAX || received > (PetscInt64)PETSC_INT_MAX;
  PetscCall(HeptaAgreeOnError(comm, many ? PETSC_ERR_SUP : PETSC_SUCCESS, many ? HeptaFormat(format, sent, received) : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaExchangeCreate(PetscLayout map, const std::vector<PetscInt> &rows, std::vector<PetscInt> &order,
                                   PetscInt *received, PetscSF *sf)
{
  MPI_Comm                 comm = map->comm;
  std::vector<PetscMPIInt> to;
  std::vector<Parcel>      parcels;
  PetscMPIInt              nfrom, *from;
  Parcel                  *arriving;
  PetscSFNode             *remote;

  PetscFunctionBegin;
  if (rows.size() <= (size_t)PETSC_INT_MAX) PetscCall(PackParcels(map, rows, order, to, parcels));
  PetscCall(
    PetscCommBuildTwoSided(comm, 2, MPIU_INT, (PetscMPIInt)to.size(), to.data(), parcels.data(), &nfrom, &from, &arriving));
  /* messages arrive in any order: sorted by rank, so that sums have the same bits in every run */
  std::vector<PetscMPIInt> sender(nfrom);
  std::iota(sender.begin(), sender.end(), 0);
  std::sort(sender.begin(), sender.end(), [&](PetscMPIInt a, PetscMPIInt b) { return from[a] < from[b]; });
  PetscInt64 total = 0;
  for (PetscMPIInt k = 0; k < nfrom; k++) total += arriving[k].count;
  PetscCall(CheckCounts(comm, rows.size(), total));
  *received = (PetscInt)total;
  PetscCall(PetscMalloc1(*received, &remote));
  PetscInt n = 0;
  for (PetscMPIInt k : sender) {
    for (PetscInt e = 0; e < arriving[k].count; e++) remote[n++] = {from[k], arriving[k].start + e};
  }
  PetscCall(PetscFree(from));
  PetscCall(PetscFree(arriving));
  PetscCall(PetscSFCreate(comm, sf));
  PetscCall(PetscSFSetFromOptions(*sf)); /* -sf_type */
  PetscCall(PetscSFSetGraph(*sf, (PetscInt)rows.size(), *received, nullptr, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscCall(PetscSFSetUp(*sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaExchangeEntries(PetscLayout map, const std::vector<HeptaEntry> &out, std::vector<HeptaEntry> &in)
{
  std::vector<PetscInt>   rows(out.size()), order;
  std::vector<HeptaEntry> sorted(out.size());
  PetscInt                received;
  PetscSF                 sf;
  MPI_Datatype            entry;

  PetscFunctionBegin;
  for (size_t k = 0; k < out.size(); k++) rows[k] = out[k].i;
  PetscCall(HeptaExchangeCreate(map, rows, order, &received, &sf));
  for (size_t k = 0; k < out.size(); k++) sorted[k] = out[order[k]];
  in.resize(received);
  PetscCallMPI(MPI_Type_contiguous(sizeof(HeptaEntry), MPI_BYTE, &entry));
  PetscCallMPI(MPI_Type_commit(&entry));
  PetscCall(PetscSFBcastBegin(sf, entry, sorted.data(), in.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, entry, sorted.data(), in.data(), MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&entry));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}
