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

/*
   One neighbor's part of a message: bytes at `send` go to the neighbor, bytes at `receive` come from the neighbor; either number
   of bytes may be 0
*/
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

  /*
     *nccl <- a communicator of the library in this file, or *why <- why there is none, equal on all processes; limit in seconds;
     collective
  */
  static PetscErrorCode Create(MPI_Comm, const char file[], PetscReal limit, std::unique_ptr<HeptaNccl> *nccl, std::string *why);
  /*
     Exchange: all messages at once, in the order of the stream. Gather: all <- the bytes of each process, by rank. NCCL connects
     processes at the first message between them and at the first gather, so first messages and first gathers must not be
     recorded; later messages and gathers can be. An exchange outside recordings is aborted after the limit, so that nothing waits
     longer, and the next call is an error.
  */
  PetscErrorCode Exchange(const std::vector<HeptaNcclMessage> &, hepta::Stream);
  PetscErrorCode Gather(const void *own, void *all, size_t bytes, hepta::Stream);
  /* To be called after the launch, in the stream, of a recording with messages or gathers */
  PetscErrorCode Follow(hepta::Stream);
  /* A flag on the device for later kernels of the stream: not zero if an exchange was aborted; null before the first exchange */
  const int *GivenUp() const { return stopped; }
  /*
     To be called repeatedly while the host waits for other processes: an error if NCCL has found an error, or an exchange was
     aborted
  */
  PetscErrorCode Check();

private:
  hepta::nccl::Library library = {};
  hepta::nccl::Comm    comm    = nullptr;
  PetscReal            limit   = 0;
  std::string          given_up; /* why the communicator was aborted */

  std::shared_ptr<std::atomic<bool>> aborted; /* has the thread that aborts the communicator ended? */

  /*
     Watches exchanges, since the host does not wait for exchanges: aborts the communicator when exchanges are under way and none
     has ended for `limit` seconds
  */
  std::thread             thread;
  std::mutex              mutex; /* held by whoever uses the communicator or the members below */
  std::condition_variable end;
  bool                    ends  = false;
  int                     given = 0; /* exchanges launched */
  /* for host and device: the number of ended exchanges; was the communicator aborted? */
  int *done[2] = {};
  int *stopped = nullptr; /* the device's copy of the second number, made after each exchange */

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
