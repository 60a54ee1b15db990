/* Y <- A X for many vectors against the dense matrix, at every block size and awkward shape, in host memory or on the device */
#include "memory.h"

using namespace hepta;
using namespace hepta::test;

template <class V> class BdiaColumns : public testing::Test {};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaColumns, StoredTypes);

template <class V> static void check_shapes(const std::vector<Shape> &shapes)
{
  for (const Shape &p : shapes) {
    SCOPED_TRACE(p.name());
    const Dense D = dense_of(p);
    Placed<V>   A(p, D);

    check_columns(D, [&](Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy) {
      return HEPTA_ON_BOTH(bdia::spmm, A.view(), n, x, ldx, y, ldy);
    });
  }
}

/*
   [ 1  2  .  . ] [1 2]   [ 5  4]
   [ 3  4  5  . ] [2 1] = [26 25]
   [ .  6  7  8 ] [3 3]   [65 27]
   [ .  .  9 10 ] [4 0]   [67 27]
*/
TYPED_TEST(BdiaColumns, Hand)
{
  const Shape  p             = {4, 4, 1, {-1, 0, 1}};
  const Scalar entries[4][4] = {{1, 2, 0, 0}, {3, 4, 5, 0}, {0, 6, 7, 8}, {0, 0, 9, 10}};
  Dense        D(4, 4);

  for (Index i = 0; i < 4; i++) {
    for (Index j = 0; j < 4; j++) D(i, j) = entries[i][j];
  }
  Placed<TypeParam> A(p, D);
  Memory<Scalar>    x({1, 2, 3, 4, 2, 1, 3, 0}), y(Vector(8, nan_value));
  EXPECT_EQ(HEPTA_ON_BOTH(bdia::spmm, A.view(), 2, x.get(), 4, y.get(), 4), nullptr);
  EXPECT_EQ(y.values(), (Vector{5, 26, 65, 67, 4, 25, 27, 27}));
}

TYPED_TEST(BdiaColumns, Full)
{
  for (int bs : block_sizes) check_shapes<TypeParam>(awkward(bs));
}

TYPED_TEST(BdiaColumns, Half)
{
  for (int bs : block_sizes) check_shapes<TypeParam>(awkward_half(bs));
}

/* More diagonals than travel with a launch */
TYPED_TEST(BdiaColumns, ManyDiagonals)
{
  Shape p = {50, 50, 2, {}};

  for (Index o = -22; o < 22; o++) p.off.push_back(o);
  check_shapes<TypeParam>({p});
}

/* Repeated products of numbers that are no integers give the same bits */
TYPED_TEST(BdiaColumns, SameBits)
{
  const Shape       p = {300, 300, 3, {0, 1, 17}, true};
  Placed<TypeParam> A(p, dense_of(p));
  Vector            given = numbers(900 * 9, 6), once;

  for (Scalar &a : given) a = 1 / (a + Scalar(0.3));
  Memory<Scalar> x(given), y(Vector(900 * 9, nan_value));
  for (int k = 0; k < 3; k++) {
    EXPECT_EQ(HEPTA_ON_BOTH(bdia::spmm, A.view(), 9, x.get(), 900, y.get(), 900), nullptr);
    if (k == 0) once = y.values();
    EXPECT_EQ(y.values(), once);
  }
}
