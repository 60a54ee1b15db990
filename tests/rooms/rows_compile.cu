/*
   Compiled, never run: the row functions must be valid device code, for every stored type, without a warning.
*/
#include "mat/bdia/bdia_row.hxx"

namespace
{

using hepta::Index;
using hepta::Scalar;
using namespace hepta::bdia;
using namespace hepta::blocked;

/* Adds up the absolute values of a row */
template <class V> struct AddAbsolute {
  const V *v;
  Scalar  *sum;

  __device__ void operator()(Index, std::size_t slot) const { *sum += v[slot] < 0 ? -v[slot] : v[slot]; }
};

template <class V> __global__ void row_norms(View<V> A, Scalar *sum)
{
  const Index i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < A.nbr * A.bs) for_row(A, i, AddAbsolute<V>{A.v, sum + i});
}

template <class V> __global__ void ghost_product(GhostView<V> B, const Scalar *xg, Scalar *y)
{
  const Index i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < B.nb * B.bs) y[std::size_t(B.row[i / B.bs]) * B.bs + i % B.bs] += ghost_row(B, i / B.bs, i % B.bs, xg);
}

template <class V> void instantiate(const View<V> &A, const GhostView<V> &B, const Scalar *x, Scalar *y)
{
  row_norms<<<1, 1>>>(A, y);
  ghost_product<<<1, 1>>>(B, x, y);
}

} // namespace

void hepta_rows_compile(const Scalar *x, Scalar *y)
{
  instantiate(View<double>{}, GhostView<double>{}, x, y);
  instantiate(View<float>{}, GhostView<float>{}, x, y);
}
