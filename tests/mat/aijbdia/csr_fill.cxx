/* Compressed rows read into block diagonals, against a dense matrix; on the host alone */
#include "mat/bdia/bdia_kernels.hxx"
#include "memory.h"

#include <set>

using namespace hepta;
using namespace hepta::test;

/* Compressed rows of a dense matrix without its zeros; `twice`: every fifth entry is given in two parts, columns descending */
struct Compressed {
  Index               rows, cols;
  std::vector<Index>  i = {0}, j;
  std::vector<Scalar> a;

  Compressed(const Dense &D, bool twice) : rows(D.rows), cols(D.cols)
  {
    for (Index m = 0; m < rows; m++) {
      for (Index k = 0; k < cols; k++) {
        const Index c = twice ? cols - 1 - k : k;
        if (D(m, c) == 0) continue;
        const int parts = twice && (m + c) % 5 == 0 ? 2 : 1;
        for (int p = 0; p < parts; p++) {
          j.push_back(c);
          a.push_back(parts == 1 ? D(m, c) : p ? D(m, c) - 100 : 100);
        }
      }
      i.push_back(Index(j.size()));
    }
  }
  blocked::CSRView view() const { return {rows, cols, i.data(), j.data(), a.data()}; }
};

/* About one entry in three, so that blocks are full, in part and not at all */
static Dense thinned(Dense D)
{
  for (std::size_t k = 0; k < D.a.size(); k++) D.a[k] = k * 2654435761u >> 5 & 2 ? 0 : D.a[k];
  return D;
}

template <class V> static void check_fill(const Shape &p, const Dense &D, bool twice)
{
  const Compressed A(D, twice);
  std::set<Index>  offsets;
  std::size_t      slots;

  for (Index i = 0; i < D.rows; i++) {
    for (Index j = 0; j < D.cols; j++) {
      if (D(i, j) != 0) offsets.insert(j / p.bs - i / p.bs);
    }
  }
  EXPECT_EQ(bdia::csr_offsets(A.view(), p.bs, &slots), std::vector<Index>(offsets.begin(), offsets.end()));
  Stored<V> S(p);
  ASSERT_EQ(bdia::csr_fill_host(A.view(), S.view()), nullptr);
  for (Index i = 0; i < D.rows; i++) {
    for (Index j = 0; j < D.cols; j++) {
      ASSERT_EQ(S.has(i, j) ? Scalar(S.at(i, j)) : 0, D(i, j)) << i << ", " << j;
    }
  }
}

TEST(CsrFill, Fill)
{
  for (int bs : {1, 2, 3, 8, 9}) {
    for (const Shape &p : awkward(bs)) {
      SCOPED_TRACE(p.name());
      const Dense D = thinned(dense_of(p));
      for (bool twice : {false, true}) check_fill<double>(p, D, twice);
      check_fill<float>(p, D, true);
    }
  }
}

/* Between the offsets, before the first and after the last */
TEST(CsrFill, OffTheDiagonals)
{
  for (Index o : {-3, 0, 3}) {
    Dense D(14, 14);
    D(6, 6 + 2 * o) = 1;
    Stored<double>   S({7, 7, 2, {-2, -1, 1, 2}});
    const Compressed A(D, false);
    EXPECT_STREQ(bdia::csr_fill_host(A.view(), S.view()), "an entry of the compressed rows lies on none of the block diagonals");
  }
}

/* The offsets of a pattern, and the slots on them inside the matrix */
static void check_offsets(Index rows, Index cols, const std::vector<Index> &i, const std::vector<Index> &j, int bs,
                          const std::vector<Index> &offsets, std::size_t slots)
{
  std::size_t found;

  EXPECT_EQ(bdia::csr_offsets({rows, cols, i.data(), j.data(), nullptr}, bs, &found), offsets);
  EXPECT_EQ(found, slots);
}

/*
   x . . x
   . x . .
   . . . .
   x . . .
*/
TEST(CsrFill, Offsets)
{
  check_offsets(4, 4, {0, 2, 3, 3, 4}, {0, 3, 1, 0}, 1, {-3, 0, 3}, 6);
  check_offsets(4, 4, {0, 2, 3, 3, 4}, {0, 3, 1, 0}, 2, {-1, 0, 1}, 16);
  check_offsets(2, 6, {0, 1, 1}, {5}, 2, {2}, 4);
  check_offsets(0, 0, {0}, {}, 1, {}, 0);
}

/* Few entries in very many columns: neither time nor memory for each column */
TEST(CsrFill, OffsetsOfWideMatrix)
{
  const Index last = 2147483646;

  check_offsets(2, last, {0, 2, 3}, {0, last - 1, last - 1}, 1, {0, last - 2, last - 1}, 5);
  check_offsets(2, last, {0, 2, 3}, {0, last - 1, last - 1}, 2, {0, last / 2 - 1}, 8);
  check_offsets(3, last, {0, 0, 0, 1}, {0}, 1, {-2}, 1);
}
