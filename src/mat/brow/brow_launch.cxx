#include "../blocked/stored_launch.hxx"
#include "brow_kernels.hxx"
#include "brow_row.hxx"

namespace hepta::brow
{

template <class E, class V> Status coo(const E &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w)
{
  return each(A.total * A.bs * A.bs, [=] HEPTA_LAMBDA(std::size_t k) {
    const std::uint32_t from = w ? source[k] : 0;
    A.v[k]                   = V((add ? Scalar(A.v[k]) : Scalar(0)) + (from ? w[from - 1] : Scalar(0)));
  });
}

/*
   T's slot of (r, s) in a block <- A's slot of (s, r): the columns of a block are height*bs apart in slices, bs apart in block
   rows that stand alone
*/
template <class E, class V> Status transpose_values(const E &each, const View<V> &T, const std::size_t *source, const View<V> &A)
{
  const std::size_t bs = A.bs, in_slices = T.sliced * bs * bs, from_slices = A.sliced * bs * bs;

  if (T.bs != A.bs || T.blocks != A.blocks) return "the layout is not that of the transposed matrix";
  return each(T.total * bs * bs, [=] HEPTA_LAMBDA(std::size_t at) {
    const std::size_t h = at < in_slices ? T.height : 1, plane = at / (h * bs * bs), rest = at % (h * bs * bs);
    const std::size_t s = rest / (h * bs), b = rest / bs % h, r = rest % bs, from = source[plane * h + b];

    T.v[at] = from == no_slot ? V(0) : A.v[from + r * bs * (from < from_slices ? A.height : 1) + s];
  });
}

HEPTA_EACH_OF(coo)
HEPTA_EACH_OF(transpose_values)

} // namespace hepta::brow

namespace hepta::blocked
{

HEPTA_LOCAL_LAUNCHERS(brow::View)

} // namespace hepta::blocked
