/* Exchanges of so many numbers that a thread of the kernel reads several at once: columns, and blocks in any order */
#include "../../rooms/loopback.h"

using namespace hepta;
using namespace hepta::test;

#if defined(HEPTA_HAVE_CUDA)

class LongExchange : public DeviceOnly {};

namespace
{

/* Where the numbers of a vector are: columns of n numbers, in blocks of bs */
struct Places {
  Index              n, columns;
  int                bs;
  std::size_t        ld; /* longer than a column */
  std::vector<Index> at; /* the place of each block; empty: in order */

  /* stride: from block to block, prime to the number of blocks; 0: in order */
  Places(Index numbers, Index c, int block, Index stride) : n(numbers), columns(c), bs(block), ld(numbers + 3 * block)
  {
    const std::size_t blocks = numbers / block;

    for (std::size_t b = 0; stride && b < blocks; b++) at.push_back(Index(b * stride % blocks));
  }
  std::size_t Of(Index c, Index k) const { return c * ld + (at.empty() ? k : std::size_t(at[k / bs]) * bs + k % bs); }
};

/* The numbers of exchange `turn` at their places; elsewhere `other` */
template <class V> std::vector<V> numbers_at(const Places &p, unsigned turn, V other)
{
  std::vector<V> v(p.columns * p.ld, other);

  for (Index c = 0; c < p.columns; c++) {
    for (Index k = 0; k < p.n; k++) v[p.Of(c, k)] = V(std::size_t(c) * p.n + k + turn);
  }
  return v;
}

/* Exchanges into both halves of the mailbox, by one kernel that sends and receives, or by two kernels */
template <class V> void check(const Places &from, const Places &to, bool one, bool shares)
{
  Loopback                 neighbor(from.n, from.columns);
  Memory<Index>            from_at(from.at), to_at(to.at);
  const transport::Numbers out = {sizeof(V), from.n, from.columns, from.ld, from.bs, from.at.empty() ? nullptr : from_at.get()},
                           in  = {sizeof(V), to.n, to.columns, to.ld, to.bs, to.at.empty() ? nullptr : to_at.get()};

  neighbor.m.shares = shares;
  for (unsigned turn = 1; turn <= 2; turn++) {
    Memory<V> sent(numbers_at(from, turn, V(-1))), received(std::vector<V>(to.columns * to.ld, V(-2)));

    if (one) {
      ASSERT_EQ(transport::exchange_cuda(neighbor.m, &out, sent.get(), &in, received.get(), nullptr, nullptr), nullptr);
    } else {
      ASSERT_EQ(transport::exchange_cuda(neighbor.m, &out, sent.get(), nullptr, nullptr, nullptr, nullptr), nullptr);
      ASSERT_EQ(transport::exchange_cuda(neighbor.m, nullptr, nullptr, &in, received.get(), nullptr, nullptr), nullptr);
    }
    EXPECT_TRUE(received.values() == numbers_at(to, turn, V(-2)))
      << from.columns << " columns of " << from.n << " numbers of " << sizeof(V) << " bytes, exchange " << turn;
    EXPECT_EQ(neighbor.Done(), turn);
  }
}

/*
   About 1.2 million numbers: more than 4 for each thread of a device of at most 500 multiprocessors, whose blocks of 256 threads
   are two for a multiprocessor. Where processes share the device, 64 blocks go through the numbers 10 times.
*/
constexpr Index many = 1200006;

template <class V> void check_all()
{
  for (bool one : {true, false}) {
    for (bool shares : {false, true}) {
      check<V>({many, 1, 1, 0}, {many, 1, 1, 0}, one, shares);
      check<V>({many, 1, 2, 7}, {many, 1, 3, 0}, one, shares);
      check<V>({many / 3, 3, 1, 0}, {many / 3, 3, 2, 5}, one, shares);
      check<V>({many / 3, 3, 2, 5}, {many / 3, 3, 1, 0}, one, shares);
    }
  }
}

} // namespace

TEST_F(LongExchange, Doubles)
{
  check_all<double>();
}

TEST_F(LongExchange, Floats)
{
  check_all<float>();
}
#endif
