/* The row functions that host and device share, one row at a time, against the dense matrix */
#include "dense.h"
#include "mat/bdia/bdia_row.hxx"

using namespace hepta;
using namespace hepta::test;
using Vector = std::vector<Scalar>;

template <class V> class BdiaRow : public testing::Test {
};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaRow, StoredTypes);

/* row<BS> and column<BS> for every row; BS = 0 reads the block size at run time */
template <int BS, class V> static void check_rows(const Shape &p)
{
  SCOPED_TRACE(p.name() + " BS " + std::to_string(BS));
  const Dense   D = dense_of(p);
  Stored<V>     A(p, D);
  const Vector  x = numbers(D.cols, 4), t = numbers(D.rows, 5);
  const Vector  y = times(D, x), yt = times(transpose(D), t);
  const View<V> a = A.view();

  for (Index i = 0; i < D.rows; i++) EXPECT_EQ((bdia::row<BS>(a, i / p.bs, i % p.bs, x.data())), y[i]);
  if (p.half) return;
  for (Index j = 0; j < D.cols; j++) EXPECT_EQ((bdia::column<BS>(a, j / p.bs, j % p.bs, t.data())), yt[j]);
}

template <int BS, class V> static void check_shapes()
{
  for (const Shape &p : awkward(BS)) check_rows<BS, V>(p), check_rows<0, V>(p);
  for (const Shape &p : awkward_half(BS)) check_rows<BS, V>(p), check_rows<0, V>(p);
}

TYPED_TEST(BdiaRow, RowAndColumn)
{
  check_shapes<1, TypeParam>();
  check_shapes<2, TypeParam>();
  check_shapes<3, TypeParam>();
  check_shapes<7, TypeParam>();
  check_shapes<13, TypeParam>();
}

/* for_row visits the entries of a row, each once, columns ascending, and names the slot that holds the value */
template <class V> static void check_for_row(const Shape &p)
{
  SCOPED_TRACE(p.name());
  const Dense D = dense_of(p);
  Stored<V>   A(p, D);

  for (Index i = 0; i < D.rows; i++) {
    Vector seen(D.cols, 0);
    Index  last = -1;
    bdia::for_row(A.view(), i / p.bs, i % p.bs, [&](Index j, std::size_t slot) {
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
