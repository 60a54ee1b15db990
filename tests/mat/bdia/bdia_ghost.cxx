/* The ghost part: couplings to columns of other ranks, in host memory or on the device */
#include "ghost_part.h"
#include "loopback.h"

#include <cmath>

using namespace hepta;
using namespace hepta::test;
using blocked::GhostView;

template <class V> class BdiaGhost : public testing::Test {};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaGhost, StoredTypes);

template <class V> static std::vector<Ghost<V>> ghosts()
{
  std::vector<Ghost<V>> g;
  for (int bs : block_sizes) {
    g.push_back({3, 0, bs, {}, {}});
    g.push_back({1, 1, bs, {0}, {{0}}});
    g.push_back({5, 3, bs, {0, 4, 3}, {{0, 2}, {1}, {}}});
    g.push_back({9, 4, bs, {8, 1}, {{3, 1, 0}, {2, 3}}});
  }
  return g;
}

/*
   4 block rows of 2, the first and the last at a border; ghost block columns 0, 1

          ghost 0  ghost 1
   row 0  [ 1  2 |  3  4 ]  xg = [1 10 100 1000]^T:  4321, 8765
          [ 5  6 |  7  8 ]
   row 3  [      |  1 -1 ]                           -900, 2100
          [      |  1  2 ]
*/
TYPED_TEST(BdiaGhost, Hand)
{
  /* jagged diagonals: the first blocks of both rows, the second of row 0 */
  Memory<Index>          row({0, 3}), start({0, 2, 3}), line({0, 3, 0}), col({0, 1, 1}), first({0, 1, 3}), by_column({0, 1, 2});
  Memory<Scalar>         xg({1, 10, 100, 1000}), x({1, 2, 9, 9, 9, 9, 3, 4}), y(Vector(8, 1)), t(Vector(4, nan_value));
  std::vector<TypeParam> stored(2 * 32, TypeParam(nan_value));
  const double           columns[2][6] = {{1, 5, 1, 1, 3, 7}, /* column 0 of each block: rows 0, 1; 6, 7; 0, 1 */
                                          {2, 6, -1, 2, 4, 8}};

  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < 6; i++) stored[s * 32 + i] = TypeParam(columns[s][i]);
  }
  Memory<TypeParam>          v(stored);
  const GhostView<TypeParam> B{
    2, 2, 2, 2, 3, 32, row.get(), start.get(), line.get(), col.get(), v.get(), first.get(), by_column.get()};
  EXPECT_EQ(HEPTA_ON_BOTH(blocked::ghost_spmm, B, 1, (const Scalar *)xg.get(), 0, y.get(), 0), nullptr);
  EXPECT_EQ(y.values(), (Vector{4322, 8766, 1, 1, 1, 1, -899, 2101}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::ghost_spmv_transpose, B, (const Scalar *)x.get(), t.get()), nullptr);
  EXPECT_EQ(t.values(), (Vector{11, 14, 24, 25}));
}

#if defined(HEPTA_HAVE_CUDA)
/* y <- y + B x_ghost twice, as the ghost values arrive; sum: after the first time */
template <class V> static void check_arriving(PlacedGhost<V> &P, const Vector &xg, const Vector &y0, const Vector &sum)
{
  Loopback       neighbor(xg.size());
  Memory<Scalar> values(xg), y(y0);
  Vector         twice(sum);

  for (std::size_t i = 0; i < twice.size(); i++) twice[i] += sum[i] - y0[i];
  for (const Vector &expected : {sum, twice}) {
    neighbor.Send(values.get());
    EXPECT_EQ(blocked::arriving_spmv_cuda(P.view(), neighbor.m, y.get(), nullptr, nullptr), nullptr);
    EXPECT_EQ(y.values(), expected);
  }
  EXPECT_EQ(neighbor.Done(), 2u);
}
#endif

TYPED_TEST(BdiaGhost, Products)
{
  for (auto &B : ghosts<TypeParam>()) {
    SCOPED_TRACE("block size " + std::to_string(B.bs) + ", ghost block columns " + std::to_string(B.ng));
    const Vector xg = numbers(B.D.cols, 1), x = numbers(B.D.rows, 2);
    const Vector y0  = numbers(B.D.rows, 3);
    Vector       sum = times(B.D, xg);

    for (Index i = 0; i < B.D.rows; i++) sum[i] += y0[i];
    PlacedGhost<TypeParam> P(B);
    Memory<Scalar>         given(xg), rows(x), y(y0), t(Vector(B.D.cols, nan_value));
    EXPECT_EQ(HEPTA_ON_BOTH(blocked::ghost_spmm, P.view(), 1, (const Scalar *)given.get(), 0, y.get(), 0), nullptr);
    EXPECT_EQ(y.values(), sum);
#if defined(HEPTA_HAVE_CUDA)
    if (on_device() && B.ng) check_arriving(P, xg, y0, sum);
#endif
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::ghost_spmv_transpose, P.view(), (const Scalar *)rows.get(), t.get()), nullptr);
    EXPECT_EQ(t.values(), times(transpose(B.D), x));
    const std::size_t ldx = B.D.cols + 1, ldy = B.D.rows + 2;
    const Vector      X = numbers(3 * ldx, 4);
    Memory<Scalar>    several(X), Y(Vector(3 * ldy, 7));
    EXPECT_EQ(HEPTA_ON_BOTH(blocked::ghost_spmm, P.view(), 3, (const Scalar *)several.get(), ldx, Y.get(), ldy), nullptr);
    for (int c = 0; c < 3; c++) {
      Vector Bx = times(B.D, Vector(X.begin() + c * ldx, X.begin() + c * ldx + B.D.cols));
      for (Scalar &a : Bx) a += 7;
      Bx.resize(ldy, 7);
      EXPECT_EQ(Vector(Y.values().begin() + c * ldy, Y.values().begin() + (c + 1) * ldy), Bx);
    }
  }
}

TYPED_TEST(BdiaGhost, DiagonalScale)
{
  for (auto &B : ghosts<TypeParam>()) {
    const Vector           l = numbers(B.D.rows, 4), r = numbers(B.D.cols, 5), xg = numbers(B.D.cols, 6);
    PlacedGhost<TypeParam> P(B);
    Memory<Scalar>         left(l), right(r), given(xg), y(Vector(B.D.rows, 0));

    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::diagonal_scale, P.view(), (const Scalar *)left.get(), (const Scalar *)nullptr),
              nullptr);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::diagonal_scale, P.view(), (const Scalar *)nullptr, (const Scalar *)right.get()),
              nullptr);
    for (Index i = 0; i < B.D.rows; i++) {
      for (Index j = 0; j < B.D.cols; j++) B.D(i, j) *= l[i] * r[j];
    }
    EXPECT_EQ(HEPTA_ON_BOTH(blocked::ghost_spmm, P.view(), 1, (const Scalar *)given.get(), 0, y.get(), 0), nullptr);
    EXPECT_EQ(y.values(), times(B.D, xg));
  }
}

TYPED_TEST(BdiaGhost, Norms)
{
  for (auto &B : ghosts<TypeParam>()) {
    Vector                 columns(B.D.cols, 0), rows(B.D.rows, 0), squares(B.D.rows, 0);
    PlacedGhost<TypeParam> P(B);
    Memory<Scalar>         c(columns), r(rows), s(squares);

    for (Index i = 0; i < B.D.rows; i++) {
      for (Index j = 0; j < B.D.cols; j++) {
        columns[j] += std::abs(B.D(i, j));
        rows[i] += std::abs(B.D(i, j));
        squares[i] += B.D(i, j) * B.D(i, j);
      }
    }
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::column_norms, P.view(), c.get()), nullptr);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::row_norms, P.view(), blocked::Norm::infinity, r.get()), nullptr);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::row_norms, P.view(), blocked::Norm::frobenius, s.get()), nullptr);
    EXPECT_EQ(c.values(), columns);
    EXPECT_EQ(r.values(), rows);
    EXPECT_EQ(s.values(), squares);
  }
}
