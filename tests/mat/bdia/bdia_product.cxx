/* y <- z + A x and y <- z + A^T x against the dense matrix, at all block sizes and awkward shapes, on host or device */
#include "many_rows.h"

using namespace hepta;
using namespace hepta::test;

template <class V> class BdiaProduct : public testing::Test {};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaProduct, StoredTypes);

/* launch(x, z, y) with no z, with z, and with z in y's place; what y held before must not matter otherwise */
template <class Launch> static void check_product(const Vector &numbers_x, const Vector &Ax, Launch launch)
{
  const std::size_t rows      = Ax.size();
  const Vector      numbers_z = numbers(rows, 2);
  Vector            sum(Ax);
  Memory<Scalar>    x(numbers_x), z(numbers_z), y(Vector(rows, nan_value)), w(Vector(rows, nan_value)), same(numbers_z);

  for (std::size_t i = 0; i < rows; i++) sum[i] += numbers_z[i];
  EXPECT_EQ(launch(x.get(), nullptr, y.get()), nullptr);
  EXPECT_EQ(y.values(), Ax);
  EXPECT_EQ(launch(x.get(), z.get(), w.get()), nullptr);
  EXPECT_EQ(w.values(), sum);
  EXPECT_EQ(launch(x.get(), same.get(), same.get()), nullptr);
  EXPECT_EQ(same.values(), sum);
}

/* Ax = A x and At = A^T t */
template <class V> static void check_both(Placed<V> A, const Vector &x, const Vector &Ax, const Vector &t, const Vector &At)
{
  check_product(x, Ax, [&](const Scalar *x, const Scalar *z, Scalar *y) { return HEPTA_ON_BOTH(bdia::spmv, A.view(), x, z, y); });
  check_product(
    t, At, [&](const Scalar *x, const Scalar *z, Scalar *y) { return HEPTA_ON_BOTH(bdia::spmv_transpose, A.view(), x, z, y); });
}

template <class V> static void check_shape(const Shape &p)
{
  SCOPED_TRACE(p.name());
  const Dense  D = dense_of(p);
  const Vector x = numbers(D.cols, 1), t = numbers(D.rows, 1);

  check_both(Placed<V>(p, D), x, times(D, x), t, times(transpose(D), t));
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

TYPED_TEST(BdiaProduct, ManyRows)
{
  if (!on_device()) GTEST_SKIP() << "a loop on the host takes all rows";
  for (int bs : {1, 2, 3, 4, 5, 8}) {
    for (const Shape &p : {many_rows(bs, {-300, -20, -1, 0, 1, 20, 300}), many_rows(bs, {0, 1, 20, 300, 301}, true)}) {
      SCOPED_TRACE(p.name());
      Stored<TypeParam> A = filled<TypeParam>(p);
      const Vector      x = numbers(std::size_t(p.nbr) * bs, 1);

      check_both(Placed<TypeParam>(A), x, times(A, x, false), x, times(A, x, true));
    }
  }
}

/* A block size beyond every tile and chunk */
TYPED_TEST(BdiaProduct, HugeBlocks)
{
  check_shape<TypeParam>({2, 3, 700, {-1, 0, 1}});
  check_shape<TypeParam>({2, 2, 700, {0, 1}, true});
}

/* The storage itself stays as it was */
TYPED_TEST(BdiaProduct, LeavesValuesAlone)
{
  const Shape       p = {9, 9, 3, {-2, 0, 1}};
  Placed<TypeParam> A(p, dense_of(p));
  Memory<Scalar>    x(numbers(27, 3)), y(Vector(27, nan_value));

  EXPECT_EQ(HEPTA_ON_BOTH(bdia::spmv, A.view(), x.get(), nullptr, y.get()), nullptr);
  EXPECT_EQ(HEPTA_ON_BOTH(bdia::spmv_transpose, A.view(), x.get(), nullptr, y.get()), nullptr);
  const std::vector<TypeParam> &after = A.v.values(), &before = A.stored.v;
  for (std::size_t k = 0; k < before.size(); k++)
    EXPECT_TRUE(after[k] == before[k] || (after[k] != after[k] && before[k] != before[k]));
}
