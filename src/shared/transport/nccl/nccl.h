/* Messages between devices by NCCL, among the MPI processes of a communicator */
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "../../heptaimpl.h"
#include "nccl_library.hxx"

/* One neighbor's part of a message: bytes at `send` go to it, bytes at `receive` come from it; either may be none */
struct HeptaNcclMessage {
  PetscMPIInt neighbor;
  char       *send, *receive;
  size_t      bytes_sent, bytes_received;
};

class HeptaNccl {
public:
  HeptaNccl(const HeptaNccl &)            = delete;
  HeptaNccl &operator=(const HeptaNccl &) = delete;
  ~HeptaNccl();

  /* *nccl <- a communicator of the library in this file, or *why <- why there is none, the same on all processes; limit in seconds; collective */
  static PetscErrorCode Create(MPI_Comm, const char file[], PetscReal limit, std::unique_ptr<HeptaNccl> *nccl, std::string *why);
  /*
     Exchange: all messages at once, in the order of the stream. Gather: all <- the bytes of each process, by rank. NCCL connects processes at the first message between them and at the first gather, so these must not be
     recorded; later ones can be. Exchanges outside recordings are aborted after the limit, so that nothing waits for them longer, and the next call is an error.
  */
  PetscErrorCode Exchange(const std::vector<HeptaNcclMessage> &, hepta::Stream);
  PetscErrorCode Gather(const void *own, void *all, size_t bytes, hepta::Stream);
  /* Behind a recording of these that was launched in the stream */
  PetscErrorCode Follow(hepta::Stream);
  /* For kernels that follow in the stream: a flag on the device, not zero if an exchange was aborted; null before the first exchange */
  const int *GivenUp() const { return stopped; }
  /* To be called repeatedly while the host waits for other processes: an error if NCCL has found one, or an exchange was aborted */
  PetscErrorCode Check();

private:
  hepta::nccl::Library library = {};
  hepta::nccl::Comm    comm    = nullptr;
  PetscReal            limit   = 0;
  std::string          given_up; /* why the communicator was aborted */

  std::shared_ptr<std::atomic<bool>> aborted; /* has the thread that aborts the communicator ended? */

  /* The thread that watches exchanges, since the host does not wait for them: when none has ended for `limit` seconds although one is under way, it aborts the communicator */
  std::thread             thread;
  std::mutex              mutex; /* held by whoever uses the communicator or the members below */
  std::condition_variable end;
  bool                    ends    = false;
  int                     given   = 0;       /* exchanges launched */
  int                    *done[2] = {};      /* two numbers, addressed by the host and by the device: how many exchanges have ended, and whether the communicator was aborted */
  int                    *stopped = nullptr; /* a copy on the device of the second number, made after each exchange, so that kernels need not read it from the host's memory */

  HeptaNccl() = default;
  PetscErrorCode CheckThere() const;
  PetscErrorCode GiveUp(const std::string &words);
  void           Abort(const std::string &words);
  int            Connect(const hepta::nccl::UniqueId &, int ranks, int rank);
  int            Finish(int code) const;
  int            Start(const std::vector<HeptaNcclMessage> &, hepta::Stream) const;
  std::string    Words(const char function[], int code) const;

  void          Watch();
  hepta::Status WatchAfter(hepta::Stream);

  template <class F> PetscErrorCode InStream(hepta::Stream, const char words[], F calls);
};
