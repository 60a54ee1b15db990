/*
   NCCL's kernels wait for other processes without a limit, and with them everything that waits for the device: a product, say, whose result PETSc copies to the host. The thread that watches them makes no calls to CUDA, since
   these may wait for a call of the other thread to end.
*/
#include "nccl_watch.h"

#if defined(HEPTA_HAVE_CUDA)

  #include <chrono>
  #include <system_error>

  #include "../transport.hxx"

HeptaNcclWatch::~HeptaNcclWatch()
{
  {
    const std::lock_guard<std::mutex> lock(mutex);
    ends = true;
  }
  end.notify_one();
  if (thread.joinable()) thread.join();
  (void)hepta::mapped_free(done[0]);
  (void)hepta::device_free_sent(given_up);
}

hepta::Status HeptaNcclWatch::Add(hepta::Stream stream)
{
  if (!done[0]) {
    if (hepta::Status bad = hepta::mapped_alloc(2 * sizeof(int), (void **)&done[0], (void **)&done[1])) return bad;
    if (hepta::Status bad = hepta::device_alloc_sent(sizeof(int), (void **)&given_up)) return bad;
  }
  if (!thread.joinable()) {
    try {
      thread = std::thread([this] { Run(); });
    } catch (const std::system_error &) {
      return "no thread can be started that watches NCCL's exchanges";
    }
  }
  return hepta::transport::publish_cuda(done[1], ++given, done[1] + 1, given_up, stream);
}

void HeptaNcclWatch::Run()
{
  using Clock = std::chrono::steady_clock;
  std::unique_lock<std::mutex> lock(mutex);
  Clock::time_point            since = Clock::now();
  int                          seen  = 0;

  while (!end.wait_for(lock, std::chrono::milliseconds(50), [this] { return ends; })) {
    const int now = *(volatile int *)done[0];

    if (now != seen || now == given) since = Clock::now();
    seen = now;
    if (std::chrono::duration<double>(Clock::now() - since).count() < limit) continue;
    *(volatile int *)(done[0] + 1) = 1; /* before NCCL's kernels stop, which later kernels wait for */
    late();
    return;
  }
}

#endif
