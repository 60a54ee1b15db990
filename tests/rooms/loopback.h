/* On the device: a process that is its own only neighbor, for exchanges without a second one */
#pragma once

#include "memory.h"
#include "shared/transport/transport.hxx"

namespace hepta::test
{

#if defined(HEPTA_HAVE_CUDA)
class Loopback {
public:
  transport::Mailboxes m{};

  /* for columns of n numbers, sent in order */
  explicit Loopback(std::size_t n, std::size_t columns = 1)
    : box(std::vector<char>(2 * Half(n * columns))), marks({0u}), progress({transport::Progress{}})
  {
    void *device = nullptr;

    EXPECT_EQ(mapped_alloc(sizeof(int), &late, &device), nullptr);
    m.waiting.n        = 1;
    m.waiting.here     = marks.get();
    m.waiting.there[0] = marks.get();
    m.waiting.late     = (int *)device;
    m.waiting.limit    = 1e10;
    m.progress         = progress.get();
    m.box[0]           = box.get();
    m.half[0]          = Half(n * columns);
    m.ld[0]            = Index(n);
    m.first[1]         = Index(n);
    m.own              = box.get();
    m.own_half         = m.half[0];
  }
  ~Loopback() { (void)mapped_free(late); }

  void Send(const Scalar *from)
  {
    const transport::Numbers out = All();

    EXPECT_EQ(transport::exchange_cuda(m, &out, from, nullptr, nullptr, nullptr, nullptr), nullptr);
  }
  /* how many exchanges have ended */
  unsigned Done() { return progress.values()[0].done; }

private:
  static std::size_t          Half(std::size_t n) { return transport::mailbox_bytes * n * sizeof(double); }
  transport::Numbers          All() const { return {sizeof(Scalar), m.first[1], 1, 0, 1, nullptr}; }
  Memory<char>                box;
  Memory<unsigned>            marks;
  Memory<transport::Progress> progress;
  void                       *late = nullptr;
};
#endif

} // namespace hepta::test
