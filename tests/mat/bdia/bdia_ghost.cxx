/* The ghost part: couplings to columns of other ranks */
#include "dense_matrix.h"

#include <cmath>

using namespace hepta;
using namespace hepta::test;
using blocked::GhostView;
using Vector = std::vector<Scalar>;

template <class V> class BdiaGhost : public testing::Test {
};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaGhost, StoredTypes);

/* Border block rows with the ghost block columns of each; the same as a dense matrix over all rows */
template <class V> struct Ghost {
  Index              ng, width = 0;
  int                bs;
  std::vector<Index> row, start = {0}, line, col, first, place;
  std::size_t        ld;
  std::vector<V>     v;
  Dense              D;

  Ghost(Index nbr, Index ng_, int bs_, const std::vector<Index> &row_, const std::vector<std::vector<Index>> &blocks) : ng(ng_), bs(bs_), row(row_), D(nbr * bs_, ng_ * bs_)
  {
    std::size_t q = 0;

    for (const auto &b : blocks) {
      width = std::max(width, Index(b.size()));
      q += b.size();
    }
    ld = (q * bs + 31) / 32 * 32;
    v.assign(bs * ld, V(nan_value));
    q = 0;
    for (Index k = 0; k < width; k++) { /* the longest rows are first */
      for (std::size_t b = 0; b < row.size() && blocks[b].size() > std::size_t(k); b++, q++) {
        line.push_back(row[b]);
        col.push_back(blocks[b][k]);
        for (int r = 0; r < bs; r++) {
          for (int s = 0; s < bs; s++) {
            const Scalar a                            = number(((b * 31 + k) * bs + r) * bs + s);
            v[s * ld + q * bs + r]                    = V(a);
            D(row[b] * bs + r, blocks[b][k] * bs + s) = a;
          }
        }
      }
      start.push_back(Index(q));
    }
    blocked::index_ghost_columns(ng, col, first, place);
  }
  GhostView<V> view() { return {Index(row.size()), ng, bs, width, Index(col.size()), ld, row.data(), start.data(), line.data(), col.data(), v.data(), first.data(), place.data()}; }
};

template <class V> static std::vector<Ghost<V>> ghosts()
{
  std::vector<Ghost<V>> g;
  for (int bs : block_sizes) {
    g.push_back({3, 0, bs, {}, {}});
    g.push_back({1, 1, bs, {0}, {{0}}});
    g.push_back({
      5, 3, bs, {0,      4,   3 },
         {{0, 2}, {1}, {}}
    });
    g.push_back({
      9, 4, bs, {8,         1     },
         {{3, 1, 0}, {2, 3}}
    });
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
  const std::vector<Index> row = {0, 3}, start = {0, 2, 3}, line = {0, 3, 0}, col = {0, 1, 1}, first = {0, 1, 3}, place = {0, 1, 2}; /* jagged diagonals: the first blocks of both rows, the second of row 0 */
  const Vector             xg = {1, 10, 100, 1000};
  std::vector<TypeParam>   v(2 * 32, TypeParam(nan_value));
  Vector                   y             = {1, 1, 1, 1, 1, 1, 1, 1}, t(4, nan_value);
  const double             columns[2][6] = {
                {1, 5, 1,  1, 3, 7}, /* column 0 of each block: rows 0, 1; 6, 7; 0, 1 */
                {2, 6, -1, 2, 4, 8}
  };

  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < 6; i++) v[s * 32 + i] = TypeParam(columns[s][i]);
  }
  const GhostView<TypeParam> B{2, 2, 2, 2, 3, 32, row.data(), start.data(), line.data(), col.data(), v.data(), first.data(), place.data()};
  EXPECT_EQ(blocked::ghost_spmv_host(B, xg.data(), y.data()), nullptr);
  EXPECT_EQ(y, (Vector{4322, 8766, 1, 1, 1, 1, -899, 2101}));
  const Vector x = {1, 2, 9, 9, 9, 9, 3, 4};
  EXPECT_EQ(blocked::ghost_spmv_transpose(HostEach(), B, x.data(), t.data()), nullptr);
  EXPECT_EQ(t, (Vector{11, 14, 24, 25}));
}

TYPED_TEST(BdiaGhost, Products)
{
  for (auto &B : ghosts<TypeParam>()) {
    SCOPED_TRACE("block size " + std::to_string(B.bs) + ", ghost block columns " + std::to_string(B.ng));
    const Vector xg = numbers(B.D.cols, 1), x = numbers(B.D.rows, 2);
    Vector       y = numbers(B.D.rows, 3), sum = times(B.D, xg), t(B.D.cols, nan_value);

    for (Index i = 0; i < B.D.rows; i++) sum[i] += y[i];
    EXPECT_EQ(blocked::ghost_spmv_host(B.view(), xg.data(), y.data()), nullptr);
    EXPECT_EQ(y, sum);
    EXPECT_EQ(blocked::ghost_spmv_transpose(HostEach(), B.view(), x.data(), t.data()), nullptr);
    EXPECT_EQ(t, times(transpose(B.D), x));
    const std::size_t ldx = B.D.cols + 1, ldy = B.D.rows + 2;
    const Vector      X = numbers(3 * ldx, 4);
    Vector            Y(3 * ldy, 7);
    EXPECT_EQ(blocked::ghost_spmm_host(B.view(), 3, X.data(), ldx, Y.data(), ldy), nullptr);
    for (int c = 0; c < 3; c++) {
      Vector Bx = times(B.D, Vector(X.begin() + c * ldx, X.begin() + c * ldx + B.D.cols));
      for (Scalar &a : Bx) a += 7;
      Bx.resize(ldy, 7);
      EXPECT_EQ(Vector(Y.begin() + c * ldy, Y.begin() + (c + 1) * ldy), Bx);
    }
  }
}

TYPED_TEST(BdiaGhost, DiagonalScale)
{
  for (auto &B : ghosts<TypeParam>()) {
    const Vector l = numbers(B.D.rows, 4), r = numbers(B.D.cols, 5), xg = numbers(B.D.cols, 6);
    Vector       y(B.D.rows, 0);

    EXPECT_EQ(blocked::ghost_diagonal_scale(HostEach(), B.view(), l.data(), (const Scalar *)nullptr), nullptr);
    EXPECT_EQ(blocked::ghost_diagonal_scale(HostEach(), B.view(), (const Scalar *)nullptr, r.data()), nullptr);
    for (Index i = 0; i < B.D.rows; i++) {
      for (Index j = 0; j < B.D.cols; j++) B.D(i, j) *= l[i] * r[j];
    }
    blocked::ghost_spmv_host(B.view(), xg.data(), y.data());
    EXPECT_EQ(y, times(B.D, xg));
  }
}

TYPED_TEST(BdiaGhost, Norms)
{
  for (auto &B : ghosts<TypeParam>()) {
    Vector columns(B.D.cols, 0), rows(B.D.rows, 0), squares(B.D.rows, 0), c(columns), r(rows), s(squares);

    for (Index i = 0; i < B.D.rows; i++) {
      for (Index j = 0; j < B.D.cols; j++) {
        columns[j] += std::abs(B.D(i, j));
        rows[i] += std::abs(B.D(i, j));
        squares[i] += B.D(i, j) * B.D(i, j);
      }
    }
    EXPECT_EQ(blocked::ghost_norm(HostEach(), B.view(), blocked::Norm::one, c.data()), nullptr);
    EXPECT_EQ(blocked::ghost_norm(HostEach(), B.view(), blocked::Norm::infinity, r.data()), nullptr);
    EXPECT_EQ(blocked::ghost_norm(HostEach(), B.view(), blocked::Norm::frobenius, s.data()), nullptr);
    EXPECT_EQ(c, columns);
    EXPECT_EQ(r, rows);
    EXPECT_EQ(s, squares);
  }
}
