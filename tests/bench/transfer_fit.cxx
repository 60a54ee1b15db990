/* The model of a transfer: known latencies and bandwidths come back from the times that they make */
#include <gtest/gtest.h>

#include <cmath>

#include "transfer_fit.h"

namespace
{

/* 8 bytes to 64 MB, as the benchmark has them */
std::vector<double> Sizes(void)
{
  std::vector<double> bytes;

  for (double n = 8; n < 67108864; n *= 4) bytes.push_back(n);
  bytes.push_back(67108864);
  return bytes;
}

std::vector<double> Times(double latency, double bandwidth)
{
  std::vector<double> seconds;

  for (double n : Sizes()) seconds.push_back(latency + n / bandwidth);
  return seconds;
}

/* What the fit makes smallest, written down once more */
double Squares(double latency, double per_byte, const std::vector<double> &bytes, const std::vector<double> &seconds)
{
  double sum = 0;

  for (size_t k = 0; k < bytes.size(); k++) sum += std::pow((latency + bytes[k] * per_byte) / seconds[k] - 1, 2);
  return sum;
}

} // namespace

TEST(TransferFit, KnownModelsComeBack)
{
  for (double latency : {1e-7, 5e-6, 2e-4}) {
    for (double bandwidth : {1e9, 55e9, 450e9}) {
      const TransferFit fit = TransferFitModel(Sizes(), Times(latency, bandwidth));

      EXPECT_NEAR(fit.latency / latency, 1, 1e-6);
      EXPECT_NEAR(fit.per_byte * bandwidth, 1, 1e-6);
      EXPECT_LT(fit.largest, 1e-6);
      EXPECT_LE(fit.mean, fit.largest);
    }
  }
}

/* Half as much again for the largest transfer alone is 600 us, a hundred latencies; the relative error is one among thirteen */
TEST(TransferFit, LargeTransfersDoNotDrownTheLatency)
{
  std::vector<double> seconds = Times(5e-6, 55e9);

  seconds.back() *= 1.5;
  const TransferFit fit = TransferFitModel(Sizes(), seconds);
  EXPECT_NEAR(fit.latency / 5e-6, 1, 0.05);
  EXPECT_NEAR(fit.per_byte * 55e9, 1, 0.15);
}

TEST(TransferFit, NoOtherModelHasSmallerErrors)
{
  const std::vector<double> bytes   = Sizes();
  std::vector<double>       seconds = Times(8e-6, 20e9);

  for (size_t k = 0; k < seconds.size(); k++) seconds[k] *= k % 3 == 0 ? 1.2 : 0.9;
  const TransferFit fit  = TransferFitModel(bytes, seconds);
  const double      best = Squares(fit.latency, fit.per_byte, bytes, seconds);
  for (double l : {0.99, 1.0, 1.01}) {
    for (double p : {0.99, 1.0, 1.01}) {
      if (l != 1 || p != 1) {
        EXPECT_GT(Squares(l * fit.latency, p * fit.per_byte, bytes, seconds), best);
      }
    }
  }
}

/* Sizes that are equal show no bandwidth. The best constant for the times 2 and 4 is (1/2 + 1/4) / (1/4 + 1/16) = 2.4, off by 0.2
   of the first and 0.4 of the second. */
TEST(TransferFit, ErrorsAreRelativeToTheTimes)
{
  const TransferFit fit = TransferFitModel({8, 8}, {2, 4});

  EXPECT_NEAR(fit.latency, 2.4, 1e-12);
  EXPECT_EQ(fit.per_byte, 0);
  EXPECT_NEAR(fit.largest, 0.4, 1e-12);
  EXPECT_NEAR(fit.mean, (0.2 + 0.4) / 2, 1e-12);
}

/* Times that grow faster than the bytes would have a negative latency, and those that fall a negative bandwidth: the best model
   without is that with a zero */
TEST(TransferFit, NothingIsNegative)
{
  const TransferFit fast = TransferFitModel({1, 2}, {1, 4}), falling = TransferFitModel({1, 2}, {2, 1});

  EXPECT_EQ(fast.latency, 0);
  EXPECT_NEAR(fast.per_byte, (1 + 0.5) / (1 + 0.25), 1e-12);
  EXPECT_EQ(falling.per_byte, 0);
  EXPECT_NEAR(falling.latency, (0.5 + 1) / (0.25 + 1), 1e-12);
}
