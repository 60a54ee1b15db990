/* Matrices small enough to draw, stored and multiplied by hand */
#include "dense_matrix.h"

using namespace hepta;
using namespace hepta::test;
using Vector = std::vector<Scalar>;

template <class V> class BdiaHand : public testing::Test {};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaHand, StoredTypes);

static const Scalar any = nan_value; /* a slot that nothing may read */

/* One value column of the storage: a few values, then the padding up to 32 rows */
template <class V> static void add_column(std::vector<V> &v, std::vector<Scalar> values)
{
  values.resize(32, any);
  for (Scalar a : values) v.push_back(V(a));
}

/*
   [ 1  2  .  . ] [1]   [ 5]          [ 7]
   [ 3  4  5  . ] [2] = [26],   A^T x [28]
   [ .  6  7  8 ] [3]   [65]          [67]
   [ .  .  9 10 ] [4]   [67]          [64]
*/
TYPED_TEST(BdiaHand, Tridiagonal)
{
  const std::vector<Index> off = {-1, 0, 1};
  const Vector             x   = {1, 2, 3, 4};
  std::vector<TypeParam>   v;
  Vector                   y(4, any);

  add_column(v, {any, 3, 6, 9});
  add_column(v, {1, 4, 7, 10});
  add_column(v, {2, 5, 8, any});
  const View<TypeParam> A{4, 4, 1, 3, 32, off.data(), v.data(), false};
  EXPECT_EQ(bdia::spmv_host(A, x.data(), nullptr, y.data()), nullptr);
  EXPECT_EQ(y, (Vector{5, 26, 65, 67}));
  EXPECT_EQ(bdia::spmv_transpose_host(A, x.data(), nullptr, y.data()), nullptr);
  EXPECT_EQ(y, (Vector{7, 28, 67, 64}));
}

/* Two entries on offset 2 or -2 of a matrix as wide or as long as an index can say: only the corners of x and y are touched */
TYPED_TEST(BdiaHand, LongestSides)
{
  const Index              huge  = std::numeric_limits<Index>::max() - 1;
  const std::vector<Index> below = {-2}, above = {2};
  const Vector             x = {1, 10, 100, 1000};
  std::vector<TypeParam>   v, w;
  Vector                   y(4, any), sums(4, 0);

  add_column(v, {any, any, 3, -4});
  const View<TypeParam> wide{4, huge, 1, 1, 32, below.data(), v.data(), false};
  EXPECT_EQ(bdia::spmv_host(wide, x.data(), nullptr, y.data()), nullptr);
  EXPECT_EQ(y, (Vector{0, 0, 3, -40}));
  EXPECT_EQ(blocked::row_norms(HostEach(), wide, blocked::Norm::infinity, sums.data()), nullptr);
  EXPECT_EQ(sums, (Vector{0, 0, 3, 4}));
  add_column(w, {3, -4});
  const View<TypeParam> high{huge, 4, 1, 1, 32, above.data(), w.data(), false};
  EXPECT_EQ(bdia::spmv_transpose_host(high, x.data(), nullptr, y.data()), nullptr);
  EXPECT_EQ(y, (Vector{0, 0, 3, -40}));
}

/*
   2 x 3 blocks of 2                       x      A x
   [ 1  2 |  .  . | 3 4 ]   [1 2 3 4 5 6]^T      [ 44 100 67 81]^T
   [ 5  6 |  .  . | 7 8 ]
   [------+-------+-----]                        A^T [1 2 3 4]^T
   [ .  . |  9 10 | . . ]                        [11 14 71 78 17 20]^T
   [ .  . | 11 12 | . . ]
*/
TYPED_TEST(BdiaHand, RectangularBlocks)
{
  const std::vector<Index> off = {0, 2};
  const Vector             x = {1, 2, 3, 4, 5, 6}, z = {100, 200, 300, 400};
  std::vector<TypeParam>   v;
  Vector                   y(4, any), t(6, any);

  add_column(v, {1, 5, 9, 11}); /* offset 0, column 0 of the blocks */
  add_column(v, {2, 6, 10, 12});
  add_column(v, {3, 7, any, any}); /* offset 2: block row 1 has its block outside */
  add_column(v, {4, 8, any, any});
  const View<TypeParam> A{2, 3, 2, 2, 32, off.data(), v.data(), false};
  EXPECT_EQ(bdia::spmv_host(A, x.data(), nullptr, y.data()), nullptr);
  EXPECT_EQ(y, (Vector{44, 100, 67, 81}));
  EXPECT_EQ(bdia::spmv_host(A, x.data(), z.data(), y.data()), nullptr);
  EXPECT_EQ(y, (Vector{144, 300, 367, 481}));
  EXPECT_EQ(bdia::spmv_host(A, x.data(), y.data(), y.data()), nullptr);
  EXPECT_EQ(y, (Vector{188, 400, 434, 562}));
  EXPECT_EQ(bdia::spmv_transpose_host(A, x.data(), nullptr, t.data()), nullptr);
  EXPECT_EQ(t, (Vector{11, 14, 71, 78, 17, 20}));
}

/*
   [ 2 -1  4 ] [1]   [12]    stored: 2  5  7
   [-1  5  3 ] [2] = [18]           -1  3
   [ 4  3  7 ] [3]   [31]            4
*/
TYPED_TEST(BdiaHand, Half)
{
  const std::vector<Index> off = {0, 1, 2};
  const Vector             x   = {1, 2, 3};
  std::vector<TypeParam>   v;
  Vector                   y(3, any), t(3, any);

  add_column(v, {2, 5, 7});
  add_column(v, {-1, 3, any});
  add_column(v, {4, any, any});
  const View<TypeParam> A{3, 3, 1, 3, 32, off.data(), v.data(), true};
  EXPECT_EQ(bdia::spmv_host(A, x.data(), nullptr, y.data()), nullptr);
  EXPECT_EQ(bdia::spmv_transpose_host(A, x.data(), nullptr, t.data()), nullptr);
  EXPECT_EQ(y, (Vector{12, 18, 31}));
  EXPECT_EQ(t, y);
}

/*
   [ 1 2 | 5 6 ] [1]   [44]   the block below the diagonal is the transpose of the one above;
   [ 2 3 | 7 8 ] [2]   [61]   a block on the diagonal is stored whole
   [-----+-----]     =
   [ 5 7 | 4 9 ] [3]   [67]
   [ 6 8 | 9 1 ] [4]   [53]
*/
TYPED_TEST(BdiaHand, HalfBlocks)
{
  const std::vector<Index> off = {0, 1};
  const Vector             x   = {1, 2, 3, 4};
  std::vector<TypeParam>   v;
  Vector                   y(4, any);

  add_column(v, {1, 2, 4, 9});
  add_column(v, {2, 3, 9, 1});
  add_column(v, {5, 7, any, any});
  add_column(v, {6, 8, any, any});
  const View<TypeParam> A{2, 2, 2, 2, 32, off.data(), v.data(), true};
  EXPECT_EQ(bdia::spmv_host(A, x.data(), nullptr, y.data()), nullptr);
  EXPECT_EQ(y, (Vector{44, 61, 67, 53}));
}

/* The matrix of Tridiagonal above: its diagonal, its row and column sums, both-sided scaling */
TYPED_TEST(BdiaHand, Values)
{
  const Vector l = {1, 2, 3, 4}, r = {10, 20, 30, 40};
  Shape        p = {4, 4, 1, {-1, 0, 1}};
  Dense        D(4, 4);
  const Scalar entries[4][4] = {{1, 2, 0, 0}, {3, 4, 5, 0}, {0, 6, 7, 8}, {0, 0, 9, 10}};
  Vector       d(4, any), columns(4, 0), rows(4, 0), squares(4, 0);

  for (Index i = 0; i < 4; i++) {
    for (Index j = 0; j < 4; j++) D(i, j) = entries[i][j];
  }
  Stored<TypeParam> A(p, D);
  blocked::get_diagonal(HostEach(), A.view(), d.data());
  EXPECT_EQ(d, (Vector{1, 4, 7, 10}));
  blocked::column_norms(HostEach(), A.view(), columns.data());
  EXPECT_EQ(columns, (Vector{4, 12, 21, 18}));
  blocked::row_norms(HostEach(), A.view(), blocked::Norm::infinity, rows.data());
  EXPECT_EQ(rows, (Vector{3, 12, 21, 19}));
  blocked::row_norms(HostEach(), A.view(), blocked::Norm::frobenius, squares.data());
  EXPECT_EQ(squares, (Vector{5, 50, 149, 181}));
  blocked::diagonal_scale(HostEach(), A.view(), l.data(), r.data());
  EXPECT_EQ(A.at(1, 0), TypeParam(60));
  EXPECT_EQ(A.at(2, 3), TypeParam(960));
  EXPECT_EQ(A.at(3, 3), TypeParam(1600));
}
