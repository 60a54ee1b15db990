/*
   NCCL's communicators are nonblocking: calls continue in threads of NCCL, above all while processes connect, and the caller
   polls until a call is done or the limit is over. After the limit, or after an error that NCCL has reported since the previous
   call, the communicator is aborted, which ends NCCL's kernels, and the call is an error.

   NCCL's kernels wait for other processes without a limit, and so does everything that waits for the device: a product, say,
   whose result PETSc copies to the host. So a thread watches the kernels. The thread makes no calls to CUDA, since CUDA may hold
   a call until a call of the other thread ends.
*/
#include "nccl.h"

#include "../../space.h"
#include "../transport.hxx"

#if defined(HEPTA_HAVE_CUDA)

  #include <chrono>
  #include <system_error>
  #include <petsctime.h>

using namespace hepta::nccl;

std::string HeptaNccl::Words(const char function[], int code) const
{
  return code == in_progress ? HeptaFormat("%s is not done after %g seconds", function, (double)limit)
                             : HeptaFormat("%s: %s", function, library.GetErrorString(code));
}

/* Waits for a call that returned this code; returns the call's final code */
int HeptaNccl::Finish(int code) const
{
  PetscLogDouble begin, now;

  if (code && code != in_progress) return code;
  (void)PetscTime(&begin);
  do {
    int state = 0;

    code = library.CommGetAsyncError(comm, &state);
    if (!code) code = state;
    (void)PetscTime(&now);
  } while (code == in_progress && now - begin < limit);
  return code;
}

int HeptaNccl::Connect(const UniqueId &id, int ranks, int rank)
{
  Config config;

  config.blocking = 0;
  const int code  = library.CommInitRankConfig(&comm, ranks, id, rank, &config);
  return comm ? Finish(code) : code;
}

PetscErrorCode HeptaNccl::Create(MPI_Comm comm, const char file[], PetscReal limit, std::unique_ptr<HeptaNccl> *nccl,
                                 std::string *why)
{
  std::unique_ptr<HeptaNccl> made(new HeptaNccl);
  UniqueId                   id = {};
  PetscMPIInt                rank, size;
  int                        code;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  made->limit = limit;
  load(file, &made->library, why);
  if (why->empty() && rank == 0) {
    code = made->library.GetUniqueId(&id);
    if (code) *why = made->Words("ncclGetUniqueId()", code);
  }
  PetscCall(HeptaShareWords(comm, why)); /* before a process waits for another */
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(&id, (PetscMPIInt)sizeof(id), MPI_BYTE, 0, comm));
  code = made->Connect(id, (int)size, (int)rank);
  if (code) *why = made->Words("ncclCommInitRankConfig()", code);
  PetscCall(HeptaShareWords(comm, why));
  if (!why->empty() && made->comm) {
    (void)made->library.CommAbort(made->comm);
    made->comm = nullptr;
  }
  if (why->empty()) *nccl = std::move(made);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Aborts in a separate thread: NCCL's kernels stop at once, but ncclCommAbort() returns only when all recordings with exchanges
   of this communicator, which other objects own, are destroyed
*/
void HeptaNccl::Abort(const std::string &words)
{
  if (!comm) return;
  given_up = words;
  try {
    aborted.reset(new std::atomic<bool>(false));
    std::thread([abort = library.CommAbort, old = comm, ended = aborted] {
      (void)abort(old);
      *ended = true;
    }).detach();
  } catch (const std::system_error &) { /* without a thread the kernels run until the process ends */
    aborted.reset();
  }
  comm = nullptr;
}

HeptaNccl::~HeptaNccl()
{
  {
    const std::lock_guard<std::mutex> lock(mutex);
    ends = true;
  }
  end.notify_one();
  if (thread.joinable()) thread.join(); /* first, since the thread uses the communicator */
  (void)hepta::mapped_free(done[0]);
  (void)hepta::device_free_sent(stopped);
  if (comm && Finish(library.CommFinalize(comm)) == 0) (void)library.CommDestroy(comm);
  else if (comm) Abort("");
  PetscLogDouble begin, now;
  (void)PetscTime(&begin);
  now = begin;
  while (aborted && !*aborted && now - begin < limit) { /* a process that exits while the aborting thread runs would crash */
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    (void)PetscTime(&now);
  }
}

int HeptaNccl::Start(const std::vector<HeptaNcclMessage> &messages, hepta::Stream stream) const
{
  int code = library.GroupStart();

  for (const HeptaNcclMessage &m : messages) {
    if (!code && m.bytes_sent) code = library.Send(m.send, m.bytes_sent, bytes_type, (int)m.neighbor, comm, stream);
    if (!code && m.bytes_received) code = library.Recv(m.receive, m.bytes_received, bytes_type, (int)m.neighbor, comm, stream);
    if (code == in_progress) code = 0;
  }
  const int end = library.GroupEnd();
  return code ? code : end;
}

PetscErrorCode HeptaNccl::CheckThere() const
{
  PetscFunctionBegin;
  PetscCheck(comm, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "NCCL's communicator was given up, because %s; NCCL_DEBUG=WARN in the environment makes it say more, "
             "-hepta_transport_timeout gives it more time, and -hepta_transport mpi does without it",
             given_up.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaNccl::GiveUp(const std::string &words)
{
  PetscFunctionBegin;
  Abort(words);
  PetscCall(CheckThere());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To be called after an exchange has been launched in the stream, with `mutex` held */
hepta::Status HeptaNccl::WatchAfter(hepta::Stream stream)
{
  if (!done[0]) {
    if (hepta::Status bad = hepta::mapped_alloc(2 * sizeof(int), (void **)&done[0], (void **)&done[1])) return bad;
    if (hepta::Status bad = hepta::device_alloc_sent(sizeof(int), (void **)&stopped)) return bad;
  }
  if (!thread.joinable()) {
    try {
      thread = std::thread([this] { Watch(); });
    } catch (const std::system_error &) {
      return "no thread can be started that watches NCCL's exchanges";
    }
  }
  return hepta::transport::publish_cuda(done[1], ++given, done[1] + 1, stopped, stream);
}

void HeptaNccl::Watch()
{
  using Clock = std::chrono::steady_clock;
  std::unique_lock<std::mutex> lock(mutex);
  Clock::time_point            since = Clock::now();
  int                          seen  = 0;

  while (!end.wait_for(lock, std::chrono::milliseconds(50), [this] { return ends; })) {
    const int now = *(volatile int *)done[0];

    if (now != seen || now == given) since = Clock::now();
    seen = now;
    if (std::chrono::duration<double>(Clock::now() - since).count() < (double)limit) continue;
    *(volatile int *)(done[0] + 1) = 1; /* before NCCL's kernels stop, after which later kernels read this number */
    Abort(Words("an exchange with other MPI processes", in_progress));
    return;
  }
}

/*
   calls() gives work to the stream and returns a code. The thread watches the work from now on, the work of a recording from
   Follow() on.
*/
template <class F> PetscErrorCode HeptaNccl::InStream(hepta::Stream stream, const char words[], F calls)
{
  const std::lock_guard<std::mutex> lock(mutex);

  PetscFunctionBegin;
  PetscCall(CheckThere());
  const int code = calls();
  if (code) PetscCall(GiveUp(Words(words, code)));
  if (!HeptaRecording::Stream()) PetscCallHepta(WatchAfter(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaNccl::Follow(hepta::Stream stream)
{
  return InStream(stream, "", [] { return 0; });
}

PetscErrorCode HeptaNccl::Exchange(const std::vector<HeptaNcclMessage> &messages, hepta::Stream stream)
{
  return InStream(stream, "an exchange by ncclSend() and ncclRecv()", [&] { return Finish(Start(messages, stream)); });
}

PetscErrorCode HeptaNccl::Gather(const void *own, void *all, size_t bytes, hepta::Stream stream)
{
  return InStream(stream, "ncclAllGather()",
                  [&] { return Finish(library.AllGather(own, all, bytes, bytes_type, comm, stream)); });
}

PetscErrorCode HeptaNccl::Check()
{
  const std::lock_guard<std::mutex> lock(mutex);
  int                               state = 0;

  PetscFunctionBegin;
  PetscCall(CheckThere());
  int code = library.CommGetAsyncError(comm, &state);
  if (!code && state != in_progress) code = state;
  if (code) PetscCall(GiveUp(Words("what other MPI processes send", code)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
