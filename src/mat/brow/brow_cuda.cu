/* Device products with slices of blocked rows, y <- z + A x; the products of rows that stand alone are in brow_alone_cuda.cu */
#include "brow_kernels.hxx"
#include "brow_slices.cuh"

namespace hepta::brow
{

namespace
{

/*
   MatMult() stores the sum of a row. The kernel of the rows that stand alone, or the kernel that sends ghost values, precedes the
   slices' kernel, which ends last.
*/
struct StoreRows {
  __device__ bool                                    begin() const { return true; }
  template <class P> __device__ __forceinline__ void row(const P &p, Index m, int r, Scalar sum) const { store(p, m, r, sum); }
  __device__ void                                    end() const
  {
    if (blockIdx.x == 0 && threadIdx.x == 0) end_after_first();
  }
};

} // namespace

template <class V> Status spmv_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream)
{
  const bool aligned = std::uintptr_t(x) % (2 * sizeof(Scalar)) == 0;

  if (Status wrong = alone_cuda(A, x, z, y, stream)) return wrong;
  if (!A.nslices) return nullptr;
  return by_kind(A, x, z, y, aligned, [=](const auto &p) {
    return with_block_size(p.A.bs, [&](auto n) {
      return launch_slices<decltype(n)::value>(p, StoreRows(), p.A.nlong > 0 || p.A.beside, (cudaStream_t)stream);
    });
  });
}

HEPTA_INSTANCES(spmv_cuda)

} // namespace hepta::brow
