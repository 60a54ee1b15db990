/* When two rows are of one material: the ratio, in both precisions, for numbers whose products underflow or overflow */
#include <gtest/gtest.h>

#include <limits>

#include "pc/subdeflation/subdomains/subdomains_row.hxx"

using hepta::subdeflation::strongly_coupled;

/* 0.08 sqrt(4 * 9) = 0.48, times whatever the matrix is multiplied with */
template <class T> static void scaled(T factor)
{
  const T strength = T(0.08);

  EXPECT_TRUE(strongly_coupled(T(0.49) * factor, 4 * factor, 9 * factor, strength)) << factor;
  EXPECT_FALSE(strongly_coupled(T(0.47) * factor, 4 * factor, 9 * factor, strength)) << factor;
  EXPECT_FALSE(strongly_coupled(T(0), 4 * factor, 9 * factor, strength)) << factor;
}

TEST(SubdeflationCoupling, SingleScaled)
{
  for (float factor : {1.f, 1e-11f, 4e9f, 1e-36f, 1e37f}) scaled(factor);
}

TEST(SubdeflationCoupling, DoubleScaled)
{
  for (double factor : {1., 1e-80, 1e80, 1e-300, 1e307}) scaled(factor);
}

TEST(SubdeflationCoupling, UnequalDiagonals)
{
  EXPECT_TRUE(strongly_coupled(1.f, 1e-38f, 1e38f, 0.99f));
  EXPECT_FALSE(strongly_coupled(1.f, 1e-38f, 1e38f, 1.01f));
  EXPECT_TRUE(strongly_coupled(1e-300, 0., 1e300, 0.5)); /* nothing else holds the first row */
  EXPECT_FALSE(strongly_coupled(0., 0., 0., 0.5));
  EXPECT_FALSE(strongly_coupled(std::numeric_limits<double>::quiet_NaN(), 1., 1., 0.5));
}
