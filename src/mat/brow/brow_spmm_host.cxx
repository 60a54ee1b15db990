/* Host products with several vectors at once: a value is read once for `group` columns, which fill vector registers */
#include <algorithm>
#include <vector>

#include "../../shared/clones.hxx"
#include "brow_kernels.hxx"
#include "brow_row.hxx"

namespace hepta::brow
{

namespace
{

constexpr int group = 8; /* columns that are multiplied together */

/* `count` columns of X and Y */
struct Columns {
  const Scalar *x;
  Scalar       *y;
  std::size_t   ldx, ldy;
  int           count;
};

/* sum[r*group + m] += (block of n x `width` numbers at v, its columns `step` apart) times column m of x */
template <class V>
HEPTA_HD void add_block(const Columns &w, int n, int width, const V *v, std::size_t step, const Scalar *x, Scalar *__restrict sum)
{
  for (int s = 0; s < width; s++) {
    Scalar xs[group] = {};
    for (int m = 0; m < w.count; m++) xs[m] = x[m * w.ldx + s];
    for (int r = 0; r < n; r++) {
      const Scalar a = Scalar(v[s * step + r]);
      for (int m = 0; m < group; m++) sum[r * group + m] += a * xs[m];
    }
  }
}

/* Multiplies the block rows of the slice that begins at position q, or the block row at q that stands alone */
template <class V> HEPTA_HD void multiply_slice(const View<V> &A, const Columns &w, Index q, Scalar *sum)
{
  const Line        l    = line_at(A, q);
  const std::size_t step = std::size_t(l.height) * A.bs;
  const Index       most = *std::max_element(A.length + q, A.length + q + l.height);

  std::fill(sum, sum + step * group, Scalar(0));
  for (Index k = 0; k < most; k++) {
    for (int b = 0; b < l.height; b++) {
      if (k >= A.length[q + b]) continue;
      const Index c = l.col[std::size_t(k) * l.height + b];
      add_block(w, A.bs, width_of(A, c), A.v + l.slot + k * step * A.bs + std::size_t(b) * A.bs, step,
                w.x + std::size_t(c) * A.bs, sum + std::size_t(b) * A.bs * group);
    }
  }
  for (int b = 0; b < l.height; b++) {
    const Index m = A.perm[q + b];
    for (int r = 0; m >= 0 && r < A.bs && m * A.bs + r < A.rows; r++) {
      for (int c = 0; c < w.count; c++) w.y[c * w.ldy + std::size_t(m) * A.bs + r] = sum[(b * A.bs + r) * group + c];
    }
  }
}

template <class V> HEPTA_HD void multiply(const View<V> &A, const Columns &w, Scalar *sum)
{
  const Index sliced = A.nslices * A.height;

  for (Index q = 0; q < sliced; q += A.height) multiply_slice(A, w, q, sum);
  for (Index q = sliced; q < sliced + A.nlong; q++) multiply_slice(A, w, q, sum);
}

HEPTA_CLONES void run(const View<const double> &A, const Columns &w, Scalar *sum)
{
  multiply(A, w, sum);
}

HEPTA_CLONES void run(const View<const float> &A, const Columns &w, Scalar *sum)
{
  multiply(A, w, sum);
}

} // namespace

template <class V> Status spmm_host(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy)
{
  std::vector<Scalar> sum(std::size_t(A.height) * A.bs * group);

  for (Index c = 0; c < n; c += group)
    run(constant(A), {x + c * ldx, y + c * ldy, ldx, ldy, int(std::min<Index>(group, n - c))}, sum.data());
  return nullptr;
}

HEPTA_INSTANCES(spmm_host)

} // namespace hepta::brow
