/* The row functions that host and device share, one row at a time, against the dense matrix */
#include "dense_matrix.h"
#include "mat/bdia/bdia_row.hxx"

using namespace hepta;
using namespace hepta::test;
using Vector = std::vector<Scalar>;

template <class V> class BdiaRow : public testing::Test {};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaRow, StoredTypes);

/* for_row visits the entries of a row, each once, columns ascending, and names the slot that holds the value */
template <class V> static void check_for_row(const Shape &p)
{
  SCOPED_TRACE(p.name());
  const Dense D = dense_of(p);
  Stored<V>   A(p, D);

  for (Index i = 0; i < D.rows; i++) {
    Vector seen(D.cols, 0);
    Index  last = -1;
    bdia::for_row(A.view(), i, [&](Index j, std::size_t slot) {
      EXPECT_GT(j, last);
      ASSERT_LT(j, D.cols);
      last    = j;
      seen[j] = Scalar(A.v[slot]);
    });
    for (Index j = 0; j < D.cols; j++) EXPECT_EQ(seen[j], D(i, j));
  }
}

TYPED_TEST(BdiaRow, ForRow)
{
  for (int bs : {1, 2, 3, 7, 13}) {
    for (const Shape &p : awkward(bs)) check_for_row<TypeParam>(p);
    for (const Shape &p : awkward_half(bs)) check_for_row<TypeParam>(p);
  }
}

/* The diagonals that lie inside at a row: those and no others */
TEST(BdiaRange, RowAndColumn)
{
  for (const Shape &p : awkward(1)) {
    Stored<double>     A(p);
    const View<double> a = A.view();
    int                d0, d1;

    SCOPED_TRACE(p.name());
    for (Index m = 0; m < p.nbr; m++) {
      bdia::row_range(a, m, d0, d1);
      for (int d = 0; d < a.nd; d++) EXPECT_EQ(d0 <= d && d < d1, m + p.off[d] >= 0 && m + p.off[d] < p.nbc);
    }
    for (Index c = 0; c < p.nbc; c++) {
      bdia::column_range(a, c, d0, d1);
      for (int d = 0; d < a.nd; d++) EXPECT_EQ(d0 <= d && d < d1, c - p.off[d] >= 0 && c - p.off[d] < p.nbr);
    }
  }
}

TEST(BdiaView, LeadingDimension)
{
  EXPECT_EQ(blocked::leading_dimension(0), 0u);
  EXPECT_EQ(blocked::leading_dimension(1), 32u);
  EXPECT_EQ(blocked::leading_dimension(32), 32u);
  EXPECT_EQ(blocked::leading_dimension(33), 64u);
  EXPECT_EQ(blocked::leading_dimension(std::size_t(1) << 40), std::size_t(1) << 40);
}
