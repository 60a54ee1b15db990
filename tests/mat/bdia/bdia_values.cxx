/* What is done to the values besides multiplying, against the dense matrix */
#include "dense_matrix.h"

#include <cmath>

using namespace hepta;
using namespace hepta::test;
using Vector = std::vector<Scalar>;

template <class V> class BdiaValues : public testing::Test {
};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaValues, StoredTypes);

/* Calls f on every awkward shape, full and half */
template <class F> static void for_shapes(F f)
{
  for (int bs : {1, 2, 3, 8, 13}) {
    for (const Shape &p : awkward(bs)) {
      SCOPED_TRACE(p.name());
      f(p);
    }
    for (const Shape &p : awkward_half(bs)) {
      SCOPED_TRACE(p.name());
      f(p);
    }
  }
}

/* The stored values are those of D, and the slots outside the matrix still hold what they held */
template <class V> static void expect_stored(Stored<V> &A, const Dense &D)
{
  Stored<V> B(A.p, D);
  for (std::size_t k = 0; k < A.v.size(); k++) {
    if (B.v[k] == B.v[k]) ASSERT_EQ(A.v[k], B.v[k]) << "slot " << k;
    else ASSERT_NE(A.v[k], A.v[k]) << "slot " << k << " lies outside the matrix";
  }
}

TYPED_TEST(BdiaValues, GetDiagonal)
{
  for_shapes([](const Shape &p) {
    const Dense       D = dense_of(p);
    Stored<TypeParam> A(p, D);
    Vector            d(D.rows, nan_value), expected(D.rows, 0);

    for (Index i = 0; i < D.rows && i < D.cols; i++) expected[i] = D(i, i);
    EXPECT_EQ(bdia::get_diagonal(HostEach(), A.view(), d.data()), nullptr);
    EXPECT_EQ(d, expected);
  });
}

/* a_ii <- beta a_ii + d_i or alpha; beta = 0 forgets even a NaN */
TYPED_TEST(BdiaValues, SetDiagonal)
{
  for_shapes([](const Shape &p) {
    Dense             D = dense_of(p);
    Stored<TypeParam> A(p, D);
    const Vector      d    = numbers(D.rows, 6);
    const Index       n    = D.rows < D.cols ? D.rows : D.cols;
    bool              main = false;

    for (Index o : p.off) main = main || o == 0;
    if (!main) {
      EXPECT_NE(bdia::set_diagonal(HostEach(), A.view(), Scalar(1), Scalar(2), (const Scalar *)nullptr), nullptr);
      return;
    }
    EXPECT_EQ(bdia::set_diagonal(HostEach(), A.view(), Scalar(1), Scalar(0), d.data()), nullptr);
    for (Index i = 0; i < n; i++) D(i, i) += d[i];
    expect_stored(A, D);
    EXPECT_EQ(bdia::set_diagonal(HostEach(), A.view(), Scalar(3), Scalar(5), (const Scalar *)nullptr), nullptr);
    for (Index i = 0; i < n; i++) D(i, i) = 3 * D(i, i) + 5;
    expect_stored(A, D);
    for (Index i = 0; i < n; i++) A.at(i, i) = TypeParam(nan_value);
    EXPECT_EQ(bdia::set_diagonal(HostEach(), A.view(), Scalar(0), Scalar(4), (const Scalar *)nullptr), nullptr);
    for (Index i = 0; i < n; i++) D(i, i) = 4;
    expect_stored(A, D);
  });
}

TYPED_TEST(BdiaValues, DiagonalScale)
{
  for_shapes([](const Shape &p) {
    Dense             D = dense_of(p);
    const Vector      l = numbers(D.rows, 7), r = numbers(D.cols, 8);
    Stored<TypeParam> A(p, D);

    EXPECT_EQ(bdia::diagonal_scale(HostEach(), A.view(), l.data(), (const Scalar *)nullptr), nullptr);
    for (Index i = 0; i < D.rows; i++) {
      for (Index j = 0; j < D.cols; j++) D(i, j) *= l[i];
    }
    expect_stored(A, D);
    EXPECT_EQ(bdia::diagonal_scale(HostEach(), A.view(), (const Scalar *)nullptr, r.data()), nullptr);
    for (Index i = 0; i < D.rows; i++) {
      for (Index j = 0; j < D.cols; j++) D(i, j) *= r[j];
    }
    expect_stored(A, D);
  });
}

/* Sums by column, by row and of squares by row; they are added to what is there */
TYPED_TEST(BdiaValues, Norms)
{
  for_shapes([](const Shape &p) {
    const Dense       D = dense_of(p);
    Stored<TypeParam> A(p, D);
    Vector            columns(D.cols, 1), rows(D.rows, 2), squares(D.rows, 3), c(columns), r(rows), s(squares);

    for (Index i = 0; i < D.rows; i++) {
      for (Index j = 0; j < D.cols; j++) {
        columns[j] += std::abs(D(i, j));
        rows[i] += std::abs(D(i, j));
        squares[i] += D(i, j) * D(i, j);
      }
    }
    EXPECT_EQ(bdia::norm(HostEach(), A.view(), blocked::Norm::one, c.data()), nullptr);
    EXPECT_EQ(bdia::norm(HostEach(), A.view(), blocked::Norm::infinity, r.data()), nullptr);
    EXPECT_EQ(bdia::norm(HostEach(), A.view(), blocked::Norm::frobenius, s.data()), nullptr);
    EXPECT_EQ(c, columns);
    EXPECT_EQ(r, rows);
    EXPECT_EQ(s, squares);
  });
}

TYPED_TEST(BdiaValues, ScaleAndAxpy)
{
  std::vector<TypeParam> v   = {1, -2, 4};
  const double           d[] = {10, 20, 30};
  const float            f[] = {1, 1, -1};

  EXPECT_EQ(blocked::scale(HostEach(), 3, Scalar(2), v.data()), nullptr);
  EXPECT_EQ(v, (std::vector<TypeParam>{2, -4, 8}));
  EXPECT_EQ(blocked::axpy(HostEach(), 3, Scalar(3), d, v.data()), nullptr);
  EXPECT_EQ(v, (std::vector<TypeParam>{32, 56, 98}));
  EXPECT_EQ(blocked::axpy(HostEach(), 2, Scalar(-1), f, v.data()), nullptr);
  EXPECT_EQ(v, (std::vector<TypeParam>{31, 55, 98}));
  EXPECT_EQ(blocked::scale(HostEach(), 0, Scalar(2), (TypeParam *)nullptr), nullptr);
}

/* Two rows on one diagonal of ld 3: given values fill, add to, or (none given) clear the rows, and leave the padding alone */
TYPED_TEST(BdiaValues, COO)
{
  const Index                 off[]    = {0};
  const std::uint32_t         source[] = {3, 0, 9};
  const Vector                w        = {1, 10, 100};
  std::vector<TypeParam>      v        = {5, 6, 7};
  const bdia::View<TypeParam> A{2, 2, 1, 1, 3, off, v.data(), false};

  EXPECT_EQ(bdia::coo(HostEach(), A, true, source, w.data()), nullptr);
  EXPECT_EQ(v, (std::vector<TypeParam>{105, 6, 7}));
  EXPECT_EQ(bdia::coo(HostEach(), A, false, source, w.data()), nullptr);
  EXPECT_EQ(v, (std::vector<TypeParam>{100, 0, 7}));
  EXPECT_EQ(bdia::coo(HostEach(), A, false, source, (const Scalar *)nullptr), nullptr);
  EXPECT_EQ(v, (std::vector<TypeParam>{0, 0, 7}));
}

/* Further values: those of a run add up in one slot, given ones and arrived ones */
TYPED_TEST(BdiaValues, COORuns)
{
  const std::size_t      first[] = {0, 2, 3}, slot[] = {2, 2, 0}, perm[] = {4, 0, 1};
  const Vector           given = {1, 10, 100}, arrived = {1000, 10000};
  std::vector<TypeParam> v = {1, 2, 3};

  EXPECT_EQ(blocked::coo_runs(HostEach(), 2, first, slot, perm, 3, given.data(), arrived.data(), v.data()), nullptr);
  EXPECT_EQ(v, (std::vector<TypeParam>{11, 2, 10004}));
  EXPECT_EQ(blocked::coo_runs(HostEach(), 2, first, slot, perm, 3, (const Scalar *)nullptr, arrived.data(), v.data()), nullptr);
  EXPECT_EQ(v, (std::vector<TypeParam>{11, 2, 20004}));
}
