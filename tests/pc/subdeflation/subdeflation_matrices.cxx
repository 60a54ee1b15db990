/* Small dense matrices of the coarse problem, of small integers */
#include "mat/blocked/blocked_kernels.hxx"
#include "memory.h"
#include "pc/subdeflation/subdeflation_kernels.hxx"

using namespace hepta;
using namespace hepta::subdeflation;
using namespace hepta::test;

/* B of d x d */
static Dense matrix(Index d)
{
  Dense B(d, d);

  B.a = numbers(B.a.size(), 3);
  return B;
}

template <class V> static void check_product(const Dense &D)
{
  const std::size_t d = D.rows;
  const Vector      Q = numbers(d, 4);
  Memory<V>         B(std::vector<V>(D.a.begin(), D.a.end()));
  Memory<Scalar>    q(Q), y(Vector(d, nan_value));

  EXPECT_EQ(HEPTA_ON_BOTH(dense_product, d, (const V *)B.get(), (const Scalar *)q.get(), y.get()), nullptr);
  EXPECT_EQ(y.values(), times(D, Q));
}

/* Fewer columns than the sums that are under way together, more, and more rows than a thread block has */
TEST(SubdeflationMatrices, Product)
{
  for (Index d : {1, 3, 4, 5, 37, 300}) {
    SCOPED_TRACE(d);
    check_product<double>(matrix(d));
    check_product<float>(matrix(d));
  }
}

TEST(SubdeflationMatrices, Entries)
{
  for (std::size_t d : {1, 3, 37}) {
    Dense          D = matrix(Index(d));
    const Vector   C = numbers(d, 5);
    Memory<Scalar> B(D.a), c(C), diagonal(Vector(d, nan_value));
    Memory<float>  rounded(std::vector<float>(d, 77));
    Vector         expected(d);

    for (std::size_t i = 0; i < d; i++) {
      for (std::size_t j = 0; j < d; j++) D.a[i * d + j] -= 2 * C[i] * C[j];
      expected[i] = D.a[i * d + i];
    }
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(add_rank_one, d, Scalar(-2), (const Scalar *)c.get(), B.get()), nullptr);
    EXPECT_EQ(B.values(), D.a);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(dense_diagonal, d, (const Scalar *)B.get(), diagonal.get()), nullptr);
    EXPECT_EQ(diagonal.values(), expected);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::blocked::copy, d, (const Scalar *)c.get(), rounded.get()), nullptr);
    EXPECT_EQ(rounded.values(), std::vector<float>(C.begin(), C.end()));
  }
}
