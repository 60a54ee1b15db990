/* An iteration of CG with a single reduction in one pass, with block diagonals and a diagonal preconditioner or none */
#include "../product.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

namespace
{

/* The new z of any row */
struct NewZ {
  const Scalar *r, *s, *w, *d; /* d null: ones */
  Scalar        alpha, beta;

  __device__ __forceinline__ Scalar operator()(std::size_t i) const
  {
    const Scalar next = __ldg(r + i) - alpha * (__ldg(w + i) + beta * __ldg(s + i));

    return d ? __ldg(d + i) * next : next;
  }
};

struct SingleProduct : SingleCG {
  static constexpr int sums = most_sums, first = index_single;
  Scalar              *new_r, *new_s, *new_w;

  __device__ bool begin(const State &state)
  {
    const bool odd = state.it & 1;

    new_r = odd ? r[0] : r[1];
    new_s = odd ? s[0] : s[1];
    new_w = odd ? w[0] : w[1];
    return true;
  }
  __device__ NewZ input() const
  {
    const bool odd = state->it & 1;

    return {odd ? r[1] : r[0], odd ? s[1] : s[0], odd ? w[1] : w[0], d, state->alpha, state->beta};
  }
  __device__ void put(const NewZ &in, std::size_t i, Scalar product, Scalar sum[]) const
  {
    const Scalar diagonal = in.d ? in.d[i] : Scalar(1), old = in.r[i], step = in.w[i] + in.beta * in.s[i],
                 next = old - in.alpha * step, to = diagonal * old + in.beta * p[i];

    p[i]     = to;
    x[i]     = x[i] + in.alpha * to;
    new_r[i] = next;
    new_s[i] = step;
    new_w[i] = product;
    add_single_sums(*this, next, diagonal * next, product, sum);
  }
  __device__ void end(State &s) const { end_single(*this, s); }
};

} // namespace

template <class V> Status single_product_cuda(const SingleCG &c, const bdia::View<V> &A, Stream stream)
{
  return run_product(pass_of<SingleProduct>(c), A, stream);
}

HEPTA_INSTANCES(single_product_cuda)

} // namespace hepta::ksp
