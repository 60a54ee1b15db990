/* Incomplete Poisson factors of single entries in blocked rows: their pattern and values, against dense products */
#include "../../mat/brow/brow_dense.h"
#include "ip_by_hand.h"

using namespace hepta;
using namespace hepta::test;

/* The pattern of A below and above the diagonal, as far as the form keeps them, and the diagonal: ones */
static Dense pattern_by_hand(const Dense &A, const ip::Form &f)
{
  Dense P(A.rows, A.cols);

  for (Index i = 0; i < A.rows; i++) {
    for (Index j = 0; j < A.cols; j++) P(i, j) = i == j || (A(i, j) != 0 && (j < i ? f.keep_lower : f.keep_upper));
  }
  return P;
}

TEST(IpBlockRows, Pattern)
{
  for (const Dense &A : {sparse(1, 1, 1, 2, 0), sparse(61, 61, 4, 5), sparse(90, 90, 3, 10, 12)}) {
    for (const ip::Form &f : ip_forms) {
      const Dense              expected = pattern_by_hand(A, f);
      Dense                    found(A.rows, A.cols);
      std::vector<std::size_t> row(1, 0);
      std::vector<Index>       columns;

      for (Index i = 0; i < A.rows; i++) {
        for (Index j = 0; j < A.cols; j++) {
          if (A(i, j) != 0) columns.push_back(j);
        }
        row.push_back(columns.size());
      }
      Memory<std::size_t> first(row);
      Memory<Index>       column(columns), i(std::vector<Index>(columns.size() + A.rows, 77)), j(i.values());
      ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::factor_pattern, std::size_t(A.rows), (const std::size_t *)first.get(),
                                   (const Index *)column.get(), f.keep_lower, f.keep_upper, i.get(), j.get()),
                nullptr);
      const std::vector<Index> rows = i.values(), cols = j.values();
      for (std::size_t k = 0; k < rows.size(); k++) {
        if (cols[k] >= 0) found(rows[k], cols[k]) += 1;
      }
      EXPECT_EQ(found.a, expected.a);
    }
  }
}

TEST(IpBlockRows, Values)
{
  for (int tile : {1, 2, 3, 8}) {
    for (const Dense &any : {sparse(1, 1, 1, 2, 0), sparse(61, 61, 4, 5), sparse(90, 90, 3, 10, 12)}) {
      for (const ip::Form &f : ip_forms) {
        const Dense       A = dominant(any), P = pattern_by_hand(A, f), expected = ip_by_hand(A, 1, f);
        Rows<double>      own(A, tile), M(P, tile);
        Memory<Scalar>    inverse(Vector(A.rows, nan_value));
        Memory<ip::Found> found({{0, 0}});

        ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::invert_diagonal, own.view(), inverse.get(), found.get()), nullptr);
        ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::build_rows, M.view(), own.view(), f, (const Scalar *)inverse.get(), found.get()),
                  nullptr);
        const auto &v = M.v.values();
        const auto  L = M.L.view(v.data());
        for (Index i = 0; i < A.rows; i++) {
          for (Index j = 0; j < A.cols; j++) {
            const std::size_t at = brow::find_slot(L, i, j);
            ASSERT_NEAR(at == brow::no_slot ? 0 : v[at], expected(i, j), ip_tolerance) << i << ", " << j;
          }
        }
        EXPECT_EQ(found.values()[0].pivot, 0);
        EXPECT_EQ(found.values()[0].infinite, 0);
      }
    }
  }
}

TEST(IpBlockRows, Found)
{
  Dense A = dominant(sparse(61, 61, 4, 5));

  A(7, 7) = A(9, 9) = 0;
  A(15, 15)         = nan_value;
  Rows<double>      own(A, 2);
  Memory<Scalar>    inverse(Vector(A.rows, 0));
  Memory<ip::Found> found({{0, 0}});
  ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::invert_diagonal, own.view(), inverse.get(), found.get()), nullptr);
  EXPECT_EQ(first_noted(found.values()[0].pivot), 7);
  EXPECT_EQ(first_noted(found.values()[0].infinite), 15);
}
