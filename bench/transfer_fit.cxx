#include "transfer_fit.h"

#include <algorithm>
#include <cmath>

/* The relative error of the time t_k is latency a_k + per_byte b_k - 1 with a_k = 1 / t_k and b_k = n_k / t_k; the normal
   equations of its squares are
     aa latency + ab per_byte = a
     ab latency + bb per_byte = b   with aa the sum of a_k a_k, and so on */
struct Normal {
  double a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

static Normal Equations(const std::vector<double> &bytes, const std::vector<double> &seconds)
{
  Normal e;

  for (size_t k = 0; k < bytes.size(); k++) {
    const double a = 1 / seconds[k], b = bytes[k] / seconds[k];

    e.a += a;
    e.b += b;
    e.aa += a * a;
    e.ab += a * b;
    e.bb += b * b;
  }
  return e;
}

TransferFit TransferFitModel(const std::vector<double> &bytes, const std::vector<double> &seconds)
{
  TransferFit  fit;
  const Normal e   = Equations(bytes, seconds);
  const double det = e.aa * e.bb - e.ab * e.ab;

  if (bytes.empty()) return fit;
  fit.latency  = e.a / e.aa; /* the best constant, which one size alone gives */
  fit.per_byte = 0;
  if (det > 1e-12 * e.aa * e.bb) {
    const double latency = (e.a * e.bb - e.b * e.ab) / det, per_byte = (e.b * e.aa - e.a * e.ab) / det;

    /* where the unconstrained minimum has a negative parameter, the constrained one has a zero there, because the sum of squares
       is convex */
    if (latency < 0) {
      fit.latency  = 0;
      fit.per_byte = e.b / e.bb;
    } else if (per_byte > 0) {
      fit.latency  = latency;
      fit.per_byte = per_byte;
    }
  }
  for (size_t k = 0; k < bytes.size(); k++) {
    const double error = std::abs(fit.latency + bytes[k] * fit.per_byte - seconds[k]) / seconds[k];

    fit.largest = std::max(fit.largest, error);
    fit.mean += error / (double)bytes.size();
  }
  return fit;
}
