/* Exchanges between devices that nobody on the host waits for, watched by a thread of its own */
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "../device.hxx"

/* When no exchange has ended for `limit` seconds although one is under way, late() is called, in the thread and while it holds `mutex`, which others hold while they use what late() changes */
class HeptaNcclWatch {
public:
  HeptaNcclWatch(double seconds, std::function<void()> give_up) : limit(seconds), late(std::move(give_up)) { }
  HeptaNcclWatch(const HeptaNcclWatch &)            = delete;
  HeptaNcclWatch &operator=(const HeptaNcclWatch &) = delete;
  ~HeptaNcclWatch();

  std::mutex mutex;

  /* an exchange is the last that the stream has been given; while `mutex` is held */
  hepta::Status Add(hepta::Stream);
  /* on the device, for what follows in the stream: not zero if an exchange was given up */
  const int    *GivenUp() const { return given_up; }

private:
  double                  limit;
  std::function<void()>   late;
  bool                    ends    = false;
  int                     given   = 0;  /* exchanges */
  int                    *done[2]  = {};      /* how many of them have ended, and whether late() has been called, as the host and as the device addresses it */
  int                    *given_up = nullptr; /* the latter, copied after each exchange: there a read from the host's memory would be one for each number */
  std::condition_variable end;
  std::thread             thread;

  void Run();
};
