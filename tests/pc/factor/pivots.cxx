/* Pivots whose reciprocal is not finite are told by a comparison: against the division */
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../src/pc/factor/pivots.hxx"

using namespace hepta;
using Limits = std::numeric_limits<Scalar>;

TEST(FactorPivots, InvertibleIsWhatDivides)
{
  const Scalar bound = std::ldexp(Scalar(1), -Limits::max_exponent), above = std::nextafter(bound, Scalar(1)),
               below = std::nextafter(bound, Scalar(0));

  EXPECT_FALSE(factor::invertible(bound));
  EXPECT_TRUE(factor::invertible(above));
  for (Scalar size : {Scalar(0), Limits::denorm_min(), below, bound, above, 2 * bound, Limits::min(), Scalar(1), Limits::max(),
                      Limits::infinity(), Limits::quiet_NaN()}) {
    for (Scalar pivot : {size, -size}) EXPECT_EQ(factor::invertible(pivot), std::isfinite(1 / pivot)) << pivot;
  }
}

/* A pivot that fails is noted with its row, and 1 is taken; one that is replaced is counted */
TEST(FactorPivots, WithoutInverse)
{
  const Scalar            tiny      = Limits::denorm_min();
  const factor::PivotRule strict    = {false, true, false, factor::Bound::fixed, 0, 0},
                          replacing = {false, true, true, factor::Bound::fixed, 0, Scalar(0.5)};
  factor::Report          report, other;
  Scalar                  pivot = tiny;

  EXPECT_FALSE(factor::check_pivot(strict, 0, 7, &pivot, &report));
  EXPECT_EQ(pivot, 1);
  EXPECT_EQ(first_noted(report.bad), 7);
  pivot = -tiny;
  EXPECT_TRUE(factor::check_pivot(replacing, 0, 7, &pivot, &other));
  EXPECT_EQ(pivot, Scalar(0.5));
  EXPECT_EQ(other.replaced, 1);
  EXPECT_EQ(other.bad, 0);
}
