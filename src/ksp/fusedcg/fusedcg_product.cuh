/* The pass of CG that makes the direction inside the product */
#pragma once

#include "../product.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

/* The product reads p of other rows too, so it computes each entry where it needs it: by IN, made from the vectors and the state */
template <class IN> struct DirectionProduct : CG {
  static constexpr int sums = 1, first = index_pq;
  Scalar              *to;

  __device__ bool begin(const State &s)
  {
    to = direction(*this, s.it);
    return true;
  }
  __device__ IN   input() const { return IN(*this, *state); }
  __device__ void put(const IN &in, std::size_t i, Scalar product, Scalar sum[]) const
  {
    const Scalar own = in(i);

    to[i] = own;
    q[i]  = product;
    if (!border.Has(i)) sum[0] += own * product;
  }
  __device__ void end(State &) const {}
};

} // namespace hepta::ksp
