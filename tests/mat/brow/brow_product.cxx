/* y <- z + A x, A^T x and Y <- A X against the dense matrix */
#include "brow_dense.h"

#include <cmath>

using namespace hepta;
using namespace hepta::test;
using brow::Mapping;

template <class V> class BrowProduct : public testing::Test {};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BrowProduct, StoredTypes);

/* launch(x, z, y) with no z, with z, and with z in y's place; what y held before must not matter otherwise */
template <class Launch> static void check_product(const Dense &D, Launch launch)
{
  const Vector   given = numbers(D.rows, 2), Ax = times(D, numbers(D.cols, 1));
  Memory<Scalar> x(numbers(D.cols, 1)), z(given), y(Vector(D.rows, nan_value)), w(Vector(D.rows, nan_value));
  Vector         sum(Ax);

  for (Index i = 0; i < D.rows; i++) sum[i] += given[i];
  EXPECT_EQ(launch(x.get(), (const Scalar *)nullptr, y.get()), nullptr);
  EXPECT_EQ(y.values(), Ax);
  EXPECT_EQ(launch(x.get(), z.get(), w.get()), nullptr);
  EXPECT_EQ(w.values(), sum);
  EXPECT_EQ(launch(x.get(), z.get(), z.get()), nullptr);
  EXPECT_EQ(z.values(), sum);
}

/* Every mapping, and 1, 2 or 4 threads a row */
TYPED_TEST(BrowProduct, Mult)
{
  for_matrices([](const Dense &D, int bs) {
    for (Mapping mapping : {Mapping::automatic, Mapping::warp, Mapping::blockrow, Mapping::multirow}) {
      Rows<TypeParam> A(D, bs, mapping);
      for (int bx : {0, 1, 2, 4}) {
        auto view    = A.view();
        view.mapping = mapping;
        view.bx      = bx;
        check_product(D, [&](const Scalar *x, const Scalar *z, Scalar *y) { return HEPTA_ON_BOTH(brow::spmv, view, x, z, y); });
        /* the host knows no bx, and these no slices */
        if (!on_device() || mapping == Mapping::warp || mapping == Mapping::blockrow) break;
      }
    }
  });
}

/* Rows of one length, which keep their order, the last slice not full */
TYPED_TEST(BrowProduct, NaturalOrder)
{
  for (int bs : {1, 2}) {
    Dense D(77 * bs, 90 * bs);
    for (Index i = 0; i < D.rows; i++) {
      for (Index k : {0, 3, 9}) D(i, (i / bs * 7 + k) % 90 * bs + i % bs) = number(std::size_t(i) * 5 + k) + 20;
    }
    Rows<TypeParam> A(D, bs);
    ASSERT_TRUE(A.L.natural);
    for (int bx : {0, 1, 2}) {
      auto view = A.view();
      view.bx   = bx;
      check_product(D, [&](const Scalar *x, const Scalar *z, Scalar *y) { return HEPTA_ON_BOTH(brow::spmv, view, x, z, y); });
    }
  }
}

/* Tiles higher than a warp, with a block row that is shared out */
TYPED_TEST(BrowProduct, LargeTiles)
{
  for (int bs : {32, 33, 70}) {
    const Dense D = sparse(3 * bs + 1, 5 * bs - 2, 3, 16, bs);
    for (Mapping mapping : {Mapping::automatic, Mapping::warp, Mapping::blockrow, Mapping::multirow}) {
      Rows<TypeParam> A(D, bs, mapping);
      auto            view = A.view();
      Memory<Scalar>  x(numbers(2 * D.cols, 1)), y(Vector(2 * D.rows, nan_value));

      view.mapping = mapping;
      check_product(D, [&](const Scalar *x, const Scalar *z, Scalar *y) { return HEPTA_ON_BOTH(brow::spmv, view, x, z, y); });
      EXPECT_EQ(HEPTA_ON_BOTH(brow::spmm, view, 2, x.get(), D.cols, y.get(), D.rows), nullptr);
      EXPECT_EQ(Vector(y.values().begin(), y.values().begin() + D.rows), times(D, numbers(D.cols, 1)));
    }
  }
}

TYPED_TEST(BrowProduct, Transpose)
{
  if (on_device()) GTEST_SKIP() << "on the device by a transposed copy: see TransposedCopy";
  for_matrices([](const Dense &D, int bs) {
    Rows<TypeParam> A(D, bs);
    check_product(transpose(D),
                  [&](const Scalar *x, const Scalar *z, Scalar *y) { return brow::spmv_transpose_host(A.view(), x, z, y); });
  });
}

/* The transposed layout has the transposed matrix's blocks, and its values come over */
TYPED_TEST(BrowProduct, TransposedCopy)
{
  for_matrices([](const Dense &D, int bs) {
    for (Mapping mapping : {Mapping::automatic, Mapping::warp, Mapping::multirow}) {
      Rows<TypeParam>        A(D, bs, mapping);
      const brow::Transposed t = brow::transpose_layout(A.L, mapping);
      Rows<TypeParam>        T(t.layout, std::vector<TypeParam>(t.layout.slots(), TypeParam(nan_value)));
      Memory<std::size_t>    source(t.source);

      EXPECT_EQ(HEPTA_EACH_ON_BOTH(brow::transpose_values, T.view(), source.get(), A.view()), nullptr);
      check_product(transpose(D),
                    [&](const Scalar *x, const Scalar *z, Scalar *y) { return HEPTA_ON_BOTH(brow::spmv, T.view(), x, z, y); });
    }
  });
}

TYPED_TEST(BrowProduct, ManyVectors)
{
  for_matrices([](const Dense &D, int bs) {
    for (Mapping mapping : {Mapping::automatic, Mapping::warp, Mapping::multirow}) {
      Rows<TypeParam> A(D, bs, mapping);
      check_columns(D, [&](Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy) {
        return HEPTA_ON_BOTH(brow::spmm, A.view(), n, x, ldx, y, ldy);
      });
    }
  });
}

/* NaN and Inf in x reach the rows that store a block in that block column, and no others */
TYPED_TEST(BrowProduct, NotFinite)
{
  for (int bs : tile_sizes) {
    const Dense         D = sparse(203, 199, 3, 12);
    Rows<TypeParam>     A(D, bs);
    const brow::Pattern P = pattern_of(D, bs);

    for (Scalar bad : {nan_value, std::numeric_limits<Scalar>::infinity()}) {
      for (Index j : {0, 100, 198}) {
        Vector given = numbers(D.cols, 3);
        given[j]     = bad;
        Memory<Scalar> x(given), y(Vector(D.rows, 0)), Y(Vector(2 * D.rows, 0)), X(given);
        EXPECT_EQ(HEPTA_ON_BOTH(brow::spmv, A.view(), x.get(), (const Scalar *)nullptr, y.get()), nullptr);
        for (Index i = 0; i < D.rows; i++)
          EXPECT_EQ(std::isfinite(y.values()[i]), !stored(P, i, j)) << "row " << i << ", column " << j << ", tile " << bs;
      }
    }
  }
}

/* x anywhere in memory: one that begins between the boundaries of pairs */
TYPED_TEST(BrowProduct, UnalignedX)
{
  for (int bs : {2, 4, 6, 8}) {
    const Dense     D = sparse(160, 160, 4, 13);
    Rows<TypeParam> A(D, bs);
    Vector          given = numbers(D.cols, 5), shifted(given);

    shifted.insert(shifted.begin(), nan_value);
    Memory<Scalar> x(shifted), y(Vector(D.rows, nan_value));
    EXPECT_EQ(HEPTA_ON_BOTH(brow::spmv, A.view(), x.get() + 1, (const Scalar *)nullptr, y.get()), nullptr);
    EXPECT_EQ(y.values(), times(D, given));
  }
}

/* Repeated products of numbers that are no integers give the same bits; a huge row goes through its work space more than once */
TYPED_TEST(BrowProduct, SameBits)
{
  for (int bs : {1, 3, 8}) {
    const Dense     D = sparse(300, 9000, 40, 14, 150);
    Rows<TypeParam> A(D, bs);
    Vector          given = numbers(D.cols, 6), once;

    for (Scalar &a : given) a = 1 / (a + Scalar(0.3));
    Memory<Scalar> x(given), y(Vector(D.rows, nan_value));
    for (int k = 0; k < 3; k++) {
      EXPECT_EQ(HEPTA_ON_BOTH(brow::spmv, A.view(), x.get(), (const Scalar *)nullptr, y.get()), nullptr);
      if (k == 0) once = y.values();
      EXPECT_EQ(y.values(), once);
    }
    const Vector Ax = times(D, given);
    for (Index i = 0; i < D.rows; i++)
      EXPECT_NEAR(once[i], Ax[i], sizeof(Scalar) == 8 ? 1e-10 : 1e-2 + 1e-5 * std::abs(Ax[i])) << "row " << i;
  }
}
