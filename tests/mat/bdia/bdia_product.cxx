/* y <- z + A x and y <- z + A^T x against the dense matrix, at every block size and awkward shape */
#include "dense_matrix.h"

using namespace hepta;
using namespace hepta::test;
using Vector = std::vector<Scalar>;

template <class V> class BdiaProduct : public testing::Test {
};
using StoredTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BdiaProduct, StoredTypes);

/* launch(x, z, y) with no z, with z, and with z in y's place; what y held before must not matter otherwise */
template <class Launch> static void check_product(const Dense &D, Launch launch)
{
  const Vector x = numbers(D.cols, 1), z = numbers(D.rows, 2);
  const Vector Ax = times(D, x);
  Vector       sum(Ax), y(D.rows, nan_value), w(D.rows, nan_value), same(z);

  for (Index i = 0; i < D.rows; i++) sum[i] += z[i];
  EXPECT_EQ(launch(x.data(), nullptr, y.data()), nullptr);
  EXPECT_EQ(y, Ax);
  EXPECT_EQ(launch(x.data(), z.data(), w.data()), nullptr);
  EXPECT_EQ(w, sum);
  EXPECT_EQ(launch(x.data(), same.data(), same.data()), nullptr);
  EXPECT_EQ(same, sum);
}

template <class V> static void check_shape(const Shape &p)
{
  SCOPED_TRACE(p.name());
  const Dense D = dense_of(p);
  Stored<V>   A(p, D);

  check_product(D, [&](const Scalar *x, const Scalar *z, Scalar *y) { return bdia::spmv_host(A.view(), x, z, y); });
  check_product(transpose(D), [&](const Scalar *x, const Scalar *z, Scalar *y) { return bdia::spmv_transpose_host(A.view(), x, z, y); });
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
  Stored<TypeParam> A(p, dense_of(p)), B(A);
  const Vector      x = numbers(27, 3);
  Vector            y(27);

  bdia::spmv_host(A.view(), x.data(), nullptr, y.data());
  bdia::spmv_transpose_host(A.view(), x.data(), nullptr, y.data());
  for (std::size_t k = 0; k < A.v.size(); k++) EXPECT_TRUE(A.v[k] == B.v[k] || (A.v[k] != A.v[k] && B.v[k] != B.v[k]));
}
