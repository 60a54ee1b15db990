/* y <- z + A x and y <- z + A^T x against the dense matrix, at every block size and awkward shape, in host memory or on the device */
#include "memory.h"

using namespace hepta;
using namespace hepta::test;

template <class V> class BdiaProduct : public testing::Test {
};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaProduct, StoredTypes);

/* launch(x, z, y) with no z, with z, and with z in y's place; what y held before must not matter otherwise */
template <class Launch> static void check_product(const Dense &D, Launch launch)
{
  const Vector   numbers_x = numbers(D.cols, 1), numbers_z = numbers(D.rows, 2), Ax = times(D, numbers_x);
  Vector         sum(Ax);
  Memory<Scalar> x(numbers_x), z(numbers_z), y(Vector(D.rows, nan_value)), w(Vector(D.rows, nan_value)), same(numbers_z);

  for (Index i = 0; i < D.rows; i++) sum[i] += numbers_z[i];
  EXPECT_EQ(launch(x.get(), nullptr, y.get()), nullptr);
  EXPECT_EQ(y.values(), Ax);
  EXPECT_EQ(launch(x.get(), z.get(), w.get()), nullptr);
  EXPECT_EQ(w.values(), sum);
  EXPECT_EQ(launch(x.get(), same.get(), same.get()), nullptr);
  EXPECT_EQ(same.values(), sum);
}

template <class V> static void check_shape(const Shape &p)
{
  SCOPED_TRACE(p.name());
  const Dense D = dense_of(p);
  Placed<V>   A(p, D);

  check_product(D, [&](const Scalar *x, const Scalar *z, Scalar *y) { return HEPTA_ON_BOTH(bdia::spmv, A.view(), x, z, y); });
  check_product(transpose(D), [&](const Scalar *x, const Scalar *z, Scalar *y) { return HEPTA_ON_BOTH(bdia::spmv_transpose, A.view(), x, z, y); });
}

TYPED_TEST(BdiaProduct, Full)
{
  for (int bs : block_sizes) {
    for (const Shape &p : awkward(bs)) check_shape<TypeParam>(p);
  }
}

TYPED_TEST(BdiaProduct, Half)
{
  for (int bs : block_sizes) {
    for (const Shape &p : awkward_half(bs)) check_shape<TypeParam>(p);
  }
}

/* A block size beyond every tile and chunk */
TYPED_TEST(BdiaProduct, HugeBlocks)
{
  check_shape<TypeParam>({
    2, 3, 700, {-1, 0, 1}
  });
  check_shape<TypeParam>({
    2, 2, 700, {0, 1},
       true
  });
}

/* The storage itself stays as it was */
TYPED_TEST(BdiaProduct, LeavesValuesAlone)
{
  const Shape p = {
    9, 9, 3, {-2, 0, 1}
  };
  Placed<TypeParam> A(p, dense_of(p));
  Memory<Scalar>    x(numbers(27, 3)), y(Vector(27, nan_value));

  EXPECT_EQ(HEPTA_ON_BOTH(bdia::spmv, A.view(), x.get(), nullptr, y.get()), nullptr);
  EXPECT_EQ(HEPTA_ON_BOTH(bdia::spmv_transpose, A.view(), x.get(), nullptr, y.get()), nullptr);
  const std::vector<TypeParam> &after = A.v.values(), &before = A.stored.v;
  for (std::size_t k = 0; k < before.size(); k++) EXPECT_TRUE(after[k] == before[k] || (after[k] != after[k] && before[k] != before[k]));
}
