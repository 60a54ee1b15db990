/* What is done to the values besides multiplying, against the dense matrix, in host memory or on the device */
#include "list_set.h"

#include <cmath>

using namespace hepta;
using namespace hepta::test;

template <class V> class BdiaValues : public testing::Test {};
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
template <class V> static void expect_stored(Placed<V> &A, const Dense &D)
{
  const Stored<V>       B(A.stored.p, D);
  const std::vector<V> &v = A.v.values();
  for (std::size_t k = 0; k < v.size(); k++) {
    if (B.v[k] == B.v[k]) ASSERT_EQ(v[k], B.v[k]) << "slot " << k;
    else ASSERT_NE(v[k], v[k]) << "slot " << k << " lies outside the matrix";
  }
}

/* Entries of which every third slot's bit is missing; with half storage those of the other half too */
TYPED_TEST(BdiaValues, ListSet)
{
  for_shapes([](const Shape &p) {
    const Dense       D = dense_of(p);
    Placed<TypeParam> A(p, D);
    Stored<TypeParam> B(p, D);

    expect_list_set(A.view(), D.rows, D.cols, B.v.size(), [&](Index i, Index j) -> std::optional<std::size_t> {
      const bool  mirrored = p.half && j / p.bs < i / p.bs;
      const Index row = mirrored ? j : i, column = mirrored ? i : j;
      if (!B.has(row, column)) return std::nullopt;
      return std::size_t(&B.at(row, column) - B.v.data());
    });
  });
}

TYPED_TEST(BdiaValues, GetDiagonal)
{
  for_shapes([](const Shape &p) {
    const Dense       D = dense_of(p);
    Placed<TypeParam> A(p, D);
    Memory<Scalar>    d(Vector(D.rows, nan_value));
    Vector            expected(D.rows, 0);

    for (Index i = 0; i < D.rows && i < D.cols; i++) expected[i] = D(i, i);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::get_diagonal, A.view(), d.get()), nullptr);
    EXPECT_EQ(d.values(), expected);
  });
}

/* a_ii <- beta a_ii + d_i or alpha; beta = 0 forgets even a NaN */
TYPED_TEST(BdiaValues, SetDiagonal)
{
  for_shapes([](const Shape &p) {
    Dense             D = dense_of(p);
    Placed<TypeParam> A(p, D);
    const Vector      d = numbers(D.rows, 6);
    Memory<Scalar>    given(d);
    const Index       n    = D.rows < D.cols ? D.rows : D.cols;
    bool              main = false;

    for (Index o : p.off) main = main || o == 0;
    if (!main) {
      EXPECT_NE(HEPTA_EACH_ON_BOTH(blocked::set_diagonal, A.view(), Scalar(1), Scalar(2), (const Scalar *)nullptr), nullptr);
      return;
    }
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::set_diagonal, A.view(), Scalar(1), Scalar(0), (const Scalar *)given.get()), nullptr);
    for (Index i = 0; i < n; i++) D(i, i) += d[i];
    expect_stored(A, D);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::set_diagonal, A.view(), Scalar(3), Scalar(5), (const Scalar *)nullptr), nullptr);
    for (Index i = 0; i < n; i++) D(i, i) = 3 * D(i, i) + 5;
    expect_stored(A, D);
    Stored<TypeParam> without(p, D);
    for (Index i = 0; i < n; i++) without.at(i, i) = TypeParam(nan_value);
    Placed<TypeParam> B(without);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::set_diagonal, B.view(), Scalar(0), Scalar(4), (const Scalar *)nullptr), nullptr);
    for (Index i = 0; i < n; i++) D(i, i) = 4;
    expect_stored(B, D);
  });
}

TYPED_TEST(BdiaValues, DiagonalScale)
{
  for_shapes([](const Shape &p) {
    Dense             D = dense_of(p);
    const Vector      l = numbers(D.rows, 7), r = numbers(D.cols, 8);
    Memory<Scalar>    left(l), right(r);
    Placed<TypeParam> A(p, D);

    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::diagonal_scale, A.view(), (const Scalar *)left.get(), (const Scalar *)nullptr),
              nullptr);
    for (Index i = 0; i < D.rows; i++) {
      for (Index j = 0; j < D.cols; j++) D(i, j) *= l[i];
    }
    expect_stored(A, D);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::diagonal_scale, A.view(), (const Scalar *)nullptr, (const Scalar *)right.get()),
              nullptr);
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
    Placed<TypeParam> A(p, D);
    Vector            columns(D.cols, 1), rows(D.rows, 2), squares(D.rows, 3);
    Memory<Scalar>    c(columns), r(rows), s(squares);

    for (Index i = 0; i < D.rows; i++) {
      for (Index j = 0; j < D.cols; j++) {
        columns[j] += std::abs(D(i, j));
        rows[i] += std::abs(D(i, j));
        squares[i] += D(i, j) * D(i, j);
      }
    }
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::column_norms, A.view(), c.get()), nullptr);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::row_norms, A.view(), blocked::Norm::infinity, r.get()), nullptr);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::row_norms, A.view(), blocked::Norm::frobenius, s.get()), nullptr);
    EXPECT_EQ(c.values(), columns);
    EXPECT_EQ(r.values(), rows);
    EXPECT_EQ(s.values(), squares);
  });
}

TYPED_TEST(BdiaValues, ScaleAndAxpy)
{
  Memory<TypeParam> v({1, -2, 4});
  Memory<double>    d({10, 20, 30});
  Memory<float>     f({1, 1, -1});

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::scale, 3, Scalar(2), v.get()), nullptr);
  EXPECT_EQ(v.values(), (std::vector<TypeParam>{2, -4, 8}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::axpy, 3, Scalar(3), (const double *)d.get(), v.get()), nullptr);
  EXPECT_EQ(v.values(), (std::vector<TypeParam>{32, 56, 98}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::axpy, 2, Scalar(-1), (const float *)f.get(), v.get()), nullptr);
  EXPECT_EQ(v.values(), (std::vector<TypeParam>{31, 55, 98}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::scale, 0, Scalar(2), (TypeParam *)nullptr), nullptr);
}

/* Two rows on one diagonal of ld 3: given values fill, add to, or (none given) clear the rows, and leave the padding alone */
TYPED_TEST(BdiaValues, COO)
{
  const Index                 zero[] = {0};
  Memory<Index>               off({0});
  Memory<std::uint32_t>       source({3, 0, 9});
  Memory<Scalar>              w({1, 10, 100});
  Memory<TypeParam>           v({5, 6, 7});
  const bdia::View<TypeParam> A{2, 2, 1, 1, 3, off.get(), v.get(), false, zero};

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(bdia::coo, A, true, (const std::uint32_t *)source.get(), (const Scalar *)w.get()), nullptr);
  EXPECT_EQ(v.values(), (std::vector<TypeParam>{105, 6, 7}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(bdia::coo, A, false, (const std::uint32_t *)source.get(), (const Scalar *)w.get()), nullptr);
  EXPECT_EQ(v.values(), (std::vector<TypeParam>{100, 0, 7}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(bdia::coo, A, false, (const std::uint32_t *)source.get(), (const Scalar *)nullptr), nullptr);
  EXPECT_EQ(v.values(), (std::vector<TypeParam>{0, 0, 7}));
}

/* Further values: those of a run add up in one slot, given ones and arrived ones */
TYPED_TEST(BdiaValues, COORuns)
{
  Memory<std::size_t> first({0, 2, 3}), slot({2, 2, 0}), perm({4, 0, 1});
  Memory<Scalar>      given({1, 10, 100}), arrived({1000, 10000});
  Memory<TypeParam>   v({1, 2, 3});

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::coo_runs, 2, (const std::size_t *)first.get(), (const std::size_t *)slot.get(),
                               (const std::size_t *)perm.get(), 3, (const Scalar *)given.get(), (const Scalar *)arrived.get(),
                               v.get()),
            nullptr);
  EXPECT_EQ(v.values(), (std::vector<TypeParam>{11, 2, 10004}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::coo_runs, 2, (const std::size_t *)first.get(), (const std::size_t *)slot.get(),
                               (const std::size_t *)perm.get(), 3, (const Scalar *)nullptr, (const Scalar *)arrived.get(),
                               v.get()),
            nullptr);
  EXPECT_EQ(v.values(), (std::vector<TypeParam>{11, 2, 20004}));
}

/* Chosen slots, whose indices have either type; -1 gives zero */
TYPED_TEST(BdiaValues, GatherAndScatter)
{
  Memory<TypeParam>   v({1, 2, 3});
  Memory<std::size_t> slots({2, 0});
  Memory<Index>       some({-1, 1});
  Memory<Scalar>      y({nan_value, nan_value}), w({10, 20});

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::gather, 2, (const std::size_t *)slots.get(), (const TypeParam *)v.get(), y.get()),
            nullptr);
  EXPECT_EQ(y.values(), (Vector{3, 1}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::gather, 2, (const Index *)some.get(), (const TypeParam *)v.get(), y.get()), nullptr);
  EXPECT_EQ(y.values(), (Vector{0, 2}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::gather, 2, (const Index *)nullptr, (const TypeParam *)v.get(), y.get()), nullptr);
  EXPECT_EQ(y.values(), (Vector{1, 2}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::gather, 2, (const std::size_t *)slots.get(), (const TypeParam *)nullptr, y.get()),
            nullptr);
  EXPECT_EQ(y.values(), (Vector{0, 0}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::scatter, 2, (const std::size_t *)slots.get(), (const Scalar *)w.get(), v.get()), nullptr);
  EXPECT_EQ(v.values(), (std::vector<TypeParam>{20, 2, 10}));
}
