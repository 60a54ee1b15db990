/* A thread that watches exchanges between devices, since the host does not wait for them */
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "../../device.hxx"

/* When no exchange has ended for `limit` seconds although one is under way, the thread calls late() while it holds `mutex`; other threads hold `mutex` while they use what late() changes */
class HeptaNcclWatch {
public:
  HeptaNcclWatch(double seconds, std::function<void()> give_up) : limit(seconds), late(std::move(give_up)) {}
  HeptaNcclWatch(const HeptaNcclWatch &)            = delete;
  HeptaNcclWatch &operator=(const HeptaNcclWatch &) = delete;
  ~HeptaNcclWatch();

  std::mutex mutex;

  /* to be called after an exchange has been launched in the stream, with `mutex` held */
  hepta::Status Add(hepta::Stream);
  /* for kernels that follow in the stream: a flag on the device, not zero if an exchange was aborted */
  const int *GivenUp() const { return given_up; }

private:
  double                  limit;
  std::function<void()>   late;
  bool                    ends     = false;
  int                     given    = 0;       /* exchanges launched */
  int                    *done[2]  = {};      /* two numbers, addressed by the host and by the device: how many exchanges have ended, and whether late() has been called */
  int                    *given_up = nullptr; /* a copy on the device of the second number, made after each exchange, so that kernels need not read it from the host's memory */
  std::condition_variable end;
  std::thread             thread;

  void Run();
};
