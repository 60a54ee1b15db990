/* The model of a transfer, fitted to measured times */
#pragma once

#include <vector>

/* t(n) = latency + n * per_byte, in seconds for n bytes; 1 / per_byte is the bandwidth, which the times do not show where
   per_byte is 0 */
struct TransferFit {
  double latency = 0, per_byte = 0;
  double largest = 0, mean = 0; /* of the relative errors |t(n) - time| / time */
};

/* Least squares of the relative errors, so that 8 bytes count as much as 64 MB; neither parameter is negative */
TransferFit TransferFitModel(const std::vector<double> &bytes, const std::vector<double> &seconds);
