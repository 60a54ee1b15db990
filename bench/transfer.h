/* The parts of bench/transfer: ways to move bytes between hosts, GPUs and ranks, and how long each takes */
#pragma once

#include <petscsys.h>

#include <functional>
#include <string>
#include <vector>

#include "transfer_memory.h"

/* The link whose specified bandwidth a way is compared with */
enum class Link {
  None,
  Host, /* between host and GPU */
  Peer  /* between two GPUs */
};

struct TransferOptions {
  PetscInt            repeats = 9, calls = 50, factor = 4, least = 8, most = 1 << 26;
  PetscReal           batch     = 0.002;            /* seconds */
  PetscReal           host_link = 0, peer_link = 0; /* specified GB/s in one direction, 0: unknown */
  char                nccl[PETSC_MAX_PATH_LEN] = "libnccl.so.2";
  std::vector<size_t> sizes;
};

/* How a transfer of some bytes is begun, waited for and checked. All ranks that time it have it and call it alike. */
struct Way {
  std::string way, mode, direction;
  Link        link = Link::None;
  bool        each = true; /* wait after each transfer, else once after a batch of them */
  /* transfers of a call, one after the other: 2 there and back, more in a recording */
  int                                                trips = 1;
  std::function<PetscErrorCode(size_t)>              start;
  std::function<PetscErrorCode()>                    wait;  /* until all transfers that were begun have ended */
  std::function<PetscErrorCode(size_t)>              clear; /* what holds looks at */
  std::function<PetscErrorCode(size_t, PetscBool *)> holds; /* whether the bytes have come to this rank */
};

struct Series {
  std::string         way, mode, direction, where;
  Link                link;
  std::vector<double> seconds; /* the median for each of the sizes */
};

/* What this machine or this run cannot do */
struct Refusal {
  std::string way, why;
};

struct TransferResults {
  std::vector<Series>  series;
  std::vector<Refusal> refusals;
};

/* Ranks that measure together: comm is MPI_COMM_NULL on the others, which wait */
struct Group {
  std::string where;
  MPI_Comm    comm;
};

/* The first rank alone and, where there are several, all at once */
PetscErrorCode TransferRanks(std::vector<Group> *);
/* The ranks 0 and 1 and, from four ranks on, all pairs 2k and 2k + 1 at once; none on one rank. The numbers of ranks are those of
   PETSC_COMM_WORLD, the other rank of a pair is rank ^ 1. */
PetscErrorCode TransferPairs(std::vector<Group> *);
PetscErrorCode TransferFree(std::vector<Group> *);
/* The rank's number, which its bytes are marked by, and the other rank of its pair */
struct Partners {
  PetscMPIInt rank, peer;

  static PetscErrorCode Get(Partners *);
  unsigned              Seed(void) const { return (unsigned)rank + 1; }
  unsigned              SeedOfPeer(void) const { return (unsigned)peer + 1; }
};

using Step = std::function<PetscErrorCode(size_t)>;
/* Way w from rank to rank: there and back, the second rank answering what has come, and in both directions at once */
void TransferAddDirections(Way w, const Partners &, const Step &send, const Step &receive, const Step &exchange,
                           std::vector<Way> *);
/* The first rank with something in *why tells it to all */
PetscErrorCode TransferAgree(std::string *why);

/* Checks what arrives, then takes the median time of every way for every size; the ways take turns */
PetscErrorCode TransferTime(const TransferOptions &, const Group &, const std::vector<Way> &, TransferResults *);

/* The parts, on all ranks of PETSC_COMM_WORLD */
PetscErrorCode TransferMPI(const TransferOptions &, PetscBool device, TransferResults *);
PetscErrorCode TransferCopies(const TransferOptions &, TransferResults *);
PetscErrorCode TransferPeers(const TransferOptions &, TransferResults *);
PetscErrorCode TransferIPC(const TransferOptions &, TransferResults *);
PetscErrorCode TransferNCCL(const TransferOptions &, TransferResults *);

/* Tables and JSON; machine says on what it was measured */
PetscErrorCode TransferReport(const TransferOptions &, const std::string &machine, const TransferResults &);
