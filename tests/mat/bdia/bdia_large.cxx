/*
   More than 2^32 stored values, the last diagonals beginning beyond it: offsets into them must be std::size_t.

   The memory is address space only, of which a few pages are touched: all offsets but the last lead to the first block columns,
   so only the last block rows have blocks, and their values stand at the far ends of their diagonals.
*/
#include <sys/mman.h>

#include "dense_matrix.h"
#include "mat/bdia/bdia_row.hxx"

using namespace hepta;
using namespace hepta::test;
using Vector = std::vector<Scalar>;

/* Zeroed address space, or null */
template <class V> struct Reserved {
  std::size_t bytes;
  V          *p;

  explicit Reserved(std::size_t n)
    : bytes(n * sizeof(V)),
      p((V *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
  {
    if (p == (V *)MAP_FAILED) p = nullptr;
  }
  ~Reserved()
  {
    if (p) munmap(p, bytes);
  }
  Reserved(const Reserved &)            = delete;
  Reserved &operator=(const Reserved &) = delete;
};

/*
   27 offsets -(n-8), ..., -(n-33), 0: the last 8 block rows have them all. Written are, in the last row, a = 3 in block column 7
   (the first diagonal), a = 5 in block column 32 (the last but one) and a = 7 on the main diagonal (the very last value).
*/
template <class V> static void check_large(int bs)
{
  const int          nd   = 27;
  const Index        n    = Index(((std::size_t(1) << 32) / (nd - 2) / bs + 4096) / bs);
  const std::size_t  rows = std::size_t(n) * bs, ld = (rows + 31) / 32 * 32, last = rows - 1;
  std::vector<Index> off;

  for (int d = 0; d < nd - 1; d++) off.push_back(-(n - 8) + d);
  off.push_back(0);
  Reserved<V> v(nd * bs * ld);
  if (!v.p) GTEST_SKIP() << "no address space for " << nd * bs * ld << " values";
  ASSERT_GT((nd - 2) * bs * ld, std::size_t(1) << 32);
  const View<V> A{n, n, bs, nd, ld, off.data(), v.p, false};
  v.p[last]                                 = 3; /* s = 0 */
  v.p[std::size_t(nd - 2) * bs * ld + last] = 5; /* s = 0 */
  v.p[std::size_t(nd * bs - 1) * ld + last] = 7; /* s = bs-1 */

  Reserved<Scalar> x(rows), y(rows);
  ASSERT_TRUE(x.p && y.p);
  x.p[std::size_t(7) * bs]  = 1;
  x.p[std::size_t(32) * bs] = 10;
  x.p[last]                 = 100;
  EXPECT_EQ(bdia::spmv_host(A, x.p, nullptr, y.p), nullptr);
  EXPECT_EQ(y.p[last], Scalar(753));
  EXPECT_EQ(y.p[last - bs], Scalar(0));
  EXPECT_EQ(bdia::spmv_transpose_host(A, x.p, nullptr, y.p), nullptr);
  EXPECT_EQ(y.p[std::size_t(7) * bs], Scalar(300));
  EXPECT_EQ(y.p[std::size_t(32) * bs], Scalar(500));
  EXPECT_EQ(y.p[last], Scalar(700));
  EXPECT_EQ(bdia::slot(A, nd - 1, n - 1, bs - 1, bs - 1), std::size_t(nd * bs - 1) * ld + last);
  blocked::get_diagonal(HostEach(), A, y.p);
  EXPECT_EQ(y.p[last], Scalar(7));
}

TEST(BdiaLarge, DoubleBlocksOf8)
{
  check_large<double>(8);
}

TEST(BdiaLarge, DoubleBlocksOf10)
{
  check_large<double>(10);
}

TEST(BdiaLarge, FloatBlocksOf10)
{
  check_large<float>(10);
}

/* The ghost part likewise: columns of a block so far apart that its last value is beyond 2^32 */
TEST(BdiaLarge, Ghost)
{
  const int                bs  = 16;
  const std::size_t        ld  = 300000000;
  const std::vector<Index> row = {0}, start = {0, 1}, col = {0};
  Reserved<float>          v(bs * ld);
  std::vector<Index>       first, by_column;

  if (!v.p) GTEST_SKIP() << "no address space for " << bs * ld << " values";
  ASSERT_GT((bs - 1) * ld, std::size_t(1) << 32);
  v.p[(bs - 1) * ld + bs - 1] = 3;
  blocked::index_ghost_columns(1, col, first, by_column);
  const blocked::GhostView<float> B{
    1, 1, bs, 1, 1, ld, row.data(), start.data(), row.data(), col.data(), v.p, first.data(), by_column.data()};
  Vector xg(bs, 2), y(bs, 1), t(bs, nan_value);
  EXPECT_EQ(blocked::ghost_spmm_host(B, 1, xg.data(), 0, y.data(), 0), nullptr);
  EXPECT_EQ(y[bs - 1], Scalar(7));
  EXPECT_EQ(y[bs - 2], Scalar(1));
  EXPECT_EQ(blocked::ghost_spmv_transpose(HostEach(), B, y.data(), t.data()), nullptr);
  EXPECT_EQ(t[bs - 1], Scalar(21));
}
