/* What is done to the values besides multiplying, against the dense matrix */
#include "brow_dense.h"
#include "list_set.h"

#include <algorithm>
#include <cmath>

using namespace hepta;
using namespace hepta::test;
using blocked::Norm;

template <class V> class BrowValues : public testing::Test {};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BrowValues, StoredTypes);

/* The stored values are those of D, and slots that no entry owns still hold what they held */
template <class V> static void expect_stored(Rows<V> &A, const Dense &D)
{
  const std::vector<V> expected = Rows<V>::fill(A.L, D);
  const auto          &v        = A.v.values();

  for (std::size_t k = 0; k < v.size(); k++) {
    if (expected[k] == expected[k]) ASSERT_EQ(v[k], expected[k]) << "slot " << k;
    else ASSERT_NE(v[k], v[k]) << "slot " << k << " is nobody's";
  }
}

/* D with every entry of the diagonal nonzero */
static Dense with_diagonal(Dense D)
{
  for (Index i = 0; i < std::min(D.rows, D.cols); i++) D(i, i) = number(i);
  return D;
}

TYPED_TEST(BrowValues, ForRow)
{
  for_matrices([](const Dense &D, int bs) {
    if (on_device()) return;
    const brow::Pattern P = pattern_of(D, bs);
    Rows<TypeParam>     A(D, bs);
    const auto          view = A.view();

    for (Index i = 0; i < D.rows; i++) {
      Index  last = -1;
      Vector seen(D.cols, 0);
      brow::for_row(view, i, [&](Index j, std::size_t at) {
        ASSERT_LT(j, D.cols);
        ASSERT_GT(j, last);
        ASSERT_EQ(at, brow::find_slot(view, i, j));
        last    = j;
        seen[j] = Scalar(A.v.values()[at]);
      });
      for (Index j = 0; j < D.cols; j++) ASSERT_EQ(seen[j], D(i, j));
      for (Index j = 0; j < D.cols; j++) ASSERT_EQ(brow::find_slot(view, i, j) != brow::no_slot, stored(P, i, j));
    }
  });
}

/* Entries of which every third slot's bit is missing */
TYPED_TEST(BrowValues, ListSet)
{
  for_matrices([](const Dense &D, int bs) {
    const brow::Pattern P = pattern_of(D, bs);
    Rows<TypeParam>     A(D, bs);
    const auto          view = brow::View<TypeParam>(A.L.view((TypeParam *)nullptr));

    expect_list_set(A.view(), D.rows, D.cols, A.v.values().size(), [&](Index i, Index j) -> std::optional<std::size_t> {
      if (!stored(P, i, j)) return std::nullopt;
      return brow::find_slot(view, i, j);
    });
  });
}

TYPED_TEST(BrowValues, Diagonal)
{
  for_matrices([](const Dense &given, int bs) {
    for (const Dense &D : {given, with_diagonal(given)}) {
      const Index     n = std::min(D.rows, D.cols);
      Rows<TypeParam> A(D, bs);
      Memory<Scalar>  d(Vector(D.rows, nan_value)), e(numbers(D.rows, 6));
      Dense           sum(D);

      EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::get_diagonal, A.view(), d.get()), nullptr);
      for (Index i = 0; i < D.rows; i++) EXPECT_EQ(d.values()[i], i < n ? D(i, i) : 0);
      if (A.L.missing >= 0) {
        EXPECT_NE(HEPTA_EACH_ON_BOTH(blocked::set_diagonal, A.view(), Scalar(1), Scalar(2), (const Scalar *)nullptr), nullptr);
        continue;
      }
      EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::set_diagonal, A.view(), Scalar(1), Scalar(0), e.get()), nullptr);
      for (Index i = 0; i < n; i++) sum(i, i) += numbers(D.rows, 6)[i];
      expect_stored(A, sum);
      EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::set_diagonal, A.view(), Scalar(3), Scalar(5), (const Scalar *)nullptr), nullptr);
      for (Index i = 0; i < n; i++) sum(i, i) = 3 * sum(i, i) + 5;
      expect_stored(A, sum);
    }
  });
}

TYPED_TEST(BrowValues, ScaleAndNorms)
{
  for_matrices([](Dense D, int bs) {
    Rows<TypeParam> A(D, bs);
    const Vector    l = numbers(D.rows, 7), r = numbers(D.cols, 8);
    Memory<Scalar>  left(l), right(r), rows(Vector(D.rows, 2)), squares(Vector(D.rows, 3)), columns(Vector(D.cols, 1));
    Vector          by_row(D.rows, 2), by_square(D.rows, 3), by_column(D.cols, 1);

    for (Index i = 0; i < D.rows; i++) {
      for (Index j = 0; j < D.cols; j++) {
        by_row[i] += std::abs(D(i, j));
        by_square[i] += D(i, j) * D(i, j);
        by_column[j] += std::abs(D(i, j));
      }
    }
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::row_norms, A.view(), Norm::infinity, rows.get()), nullptr);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::row_norms, A.view(), Norm::frobenius, squares.get()), nullptr);
    EXPECT_EQ(rows.values(), by_row);
    EXPECT_EQ(squares.values(), by_square);
    if (!on_device()) {
      EXPECT_EQ(brow::column_norms_host(A.view(), columns.get()), nullptr);
      EXPECT_EQ(columns.values(), by_column);
    }
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::diagonal_scale, A.view(), left.get(), (const Scalar *)nullptr), nullptr);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::diagonal_scale, A.view(), (const Scalar *)nullptr, right.get()), nullptr);
    for (Index i = 0; i < D.rows; i++) {
      for (Index j = 0; j < D.cols; j++) D(i, j) *= l[i] * r[j];
    }
    expect_stored(A, D);
  });
}

/* CSR entries come to their slots, and one that lies in no block is an error */
TYPED_TEST(BrowValues, SetCSR)
{
  if (on_device()) GTEST_SKIP() << "on the host only";
  for_matrices([](const Dense &D, int bs) {
    hepta::test::Rows<TypeParam> A(D, bs), B(A.L, std::vector<TypeParam>(A.L.slots(), 0));
    std::vector<Index>           i(1, 0), j;
    Vector                       a;

    for (Index row = 0; row < D.rows; row++) {
      for (Index c = 0; c < D.cols; c++) {
        const Index k = row % 2 ? c : D.cols - 1 - c; /* also descending */
        if (D(row, k) == 0) continue;
        j.push_back(k);
        a.push_back(D(row, k));
      }
      i.push_back(Index(j.size()));
    }
    EXPECT_EQ(brow::set_csr_host(B.view(), i.data(), j.data(), a.data()), nullptr);
    for (Index row = 0; row < D.rows; row++) {
      for (Index c = 0; c < D.cols; c++) {
        const std::size_t at = brow::find_slot(B.view(), row, c);
        ASSERT_EQ(at == brow::no_slot ? TypeParam(0) : B.v.values()[at], TypeParam(D(row, c)));
      }
    }
  });
  hepta::test::Rows<TypeParam> empty(sparse(3, 3, 0, 1), 1);
  const Index                  i[] = {0, 0, 1, 1}, j[] = {2};
  const Scalar                 a[] = {1};
  EXPECT_NE(brow::set_csr_host(empty.view(), i, j, a), nullptr);
}

/* Given values fill, add to, or (none given) clear all slots */
TYPED_TEST(BrowValues, COO)
{
  const Dense                  D = sparse(40, 40, 3, 15);
  hepta::test::Rows<TypeParam> A(brow::make_layout(pattern_of(D, 3)), Dense(40, 40));
  const auto                   host = A.L.view((double *)nullptr);
  std::vector<std::uint32_t>   source(A.L.slots(), 0);
  Vector                       w;

  for (Index i = 0; i < 40; i++) {
    for (Index j = 0; j < 40; j++) {
      if (D(i, j) == 0) continue;
      w.push_back(D(i, j));
      source[brow::find_slot(host, i, j)] = std::uint32_t(w.size());
    }
  }
  Memory<std::uint32_t> from(source);
  Memory<Scalar>        given(w);
  Dense                 twice(D);
  for (Scalar &a : twice.a) a *= 2;
  const auto check = [&](const Dense &E) {
    for (Index i = 0; i < 40; i++) {
      for (Index j = 0; j < 40; j++) {
        const std::size_t at = brow::find_slot(host, i, j);
        ASSERT_EQ(at == brow::no_slot ? TypeParam(0) : A.v.values()[at], TypeParam(E(i, j)));
      }
    }
  };
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(brow::coo, A.view(), false, from.get(), given.get()), nullptr);
  check(D);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(brow::coo, A.view(), true, from.get(), given.get()), nullptr);
  check(twice);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(brow::coo, A.view(), false, from.get(), (const Scalar *)nullptr), nullptr);
  check(Dense(40, 40));
}
