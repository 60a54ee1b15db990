/*
   Host products with blocked rows. A slice is walked in storage order, block k of all its block rows after the other, so the
   values arrive as one long stream. The sums of its rows stand in an array that stays in the first-level cache, a vector register
   for each block row: one operation adds a block's column times an entry of x to the register, up to tile size 8.
*/
#include <algorithm>
#include <cstring>
#include <vector>

#include "../../shared/clones.hxx"
#include "../../shared/tuning.hxx"
#include "brow_kernels.hxx"
#include "brow_row.hxx"

namespace hepta::brow
{

namespace
{

#define HEPTA_UNROLL _Pragma("GCC unroll 8")

/* Entries of the register that holds a tile's column of n */
constexpr int lanes(int n)
{
  return n <= 2 ? n : n <= 4 ? 4 : n <= 8 ? 8 : n;
}

constexpr int chains = 4; /* sums of a block row that stands alone, so that an addition need not wait for the one before */

/* W consecutive numbers */
template <class T, int W> struct Lanes {
  typedef T Type __attribute__((vector_size(W * sizeof(T))));
};

/* What a product works on; N = 0 reads the tile size at run time */
template <int N, class V> struct Operands {
  View<const V> A;
  const Scalar *x, *z;
  Scalar       *y;
  Scalar       *sum; /* work space */
  Index         cut; /* the block column that the matrix's end cuts, -1 if none */

  HEPTA_HD int n() const { return N ? N : A.bs; }
  HEPTA_HD int width() const { return N ? lanes(N) : A.bs; }
};

/* Numbers of work space: the sums of a slice or of a block row that stands alone */
std::size_t work_size(int bs, int height)
{
  return std::size_t(lanes(bs)) * std::max(height, chains) + cache_line / sizeof(Scalar);
}

/* sum <- sum + the first `width` columns of a block times x, the columns `step` apart */
template <class V> HEPTA_HD void add_columns(int n, int width, const V *v, std::size_t step, const Scalar *x, Scalar *sum)
{
  for (int s = 0; s < width; s++) {
    for (int r = 0; r < n; r++) sum[r] += Scalar(v[s * step + r]) * x[s];
  }
}

/* add_columns() for a whole block; a register's entries beyond N are not used */
template <int N, class V> HEPTA_HD void add_registers(const V *v, std::size_t step, const Scalar *x, Scalar *sum)
{
  using S = typename Lanes<Scalar, lanes(N)>::Type;
  typename Lanes<V, lanes(N)>::Type a;
  S                                 t;

  std::memcpy(&t, sum, sizeof(t));
  HEPTA_UNROLL
  for (int s = 0; s < N; s++) {
    std::memcpy(&a, v + s * step, sizeof(a));
    t += __builtin_convertvector(a, S) * x[s];
  }
  std::memcpy(sum, &t, sizeof(t));
}

/* sum <- sum + block in block column c times x */
template <int N, class V> HEPTA_HD void add_block(const Operands<N, V> &p, const V *v, std::size_t step, Index c, Scalar *sum)
{
  const Scalar *x = p.x + std::size_t(c) * p.n();

  if constexpr (N == 1) *sum += Scalar(*v) * *x;
  else if (N == 0 || c == p.cut) add_columns(p.n(), c == p.cut ? width_of(p.A, c) : p.n(), v, step, x, sum);
  else if constexpr (N > 1) add_registers<N>(v, step, x, sum);
}

/*
   Fetches the values host_ahead bytes beyond block b of a plane at v, since the hardware does not foresee the order in which a
   plane is read
*/
template <int N, class V> HEPTA_HD void fetch(const V *v, int b)
{
  const char *at = (const char *)(v + b * N * N) + host_ahead;
  HEPTA_UNROLL
  for (int line = 0; line < int(N * N * sizeof(V) + 63) / 64; line++) __builtin_prefetch(at + line * 64);
}

/* y <- z + sum for the rows of block row m */
template <int N, class V> HEPTA_HD void store(const Operands<N, V> &p, Index m, const Scalar *sum)
{
  const std::size_t i     = std::size_t(m) * p.n();
  const int         count = int(std::min<std::size_t>(p.n(), p.A.rows - i));

  for (int r = 0; r < count; r++) p.y[i + r] = (p.z ? p.z[i + r] : Scalar(0)) + sum[r];
}

/* sum <- sum + block k of each of h block rows of tile size 1: a loop that the compiler vectorizes */
template <class V>
HEPTA_HD void add_ones(int h, const V *__restrict v, const Index *__restrict col, const Scalar *__restrict x,
                       Scalar *__restrict sum)
{
  for (int b = 0; b < h; b++) sum[b] += Scalar(v[b]) * x[col[b]];
}

/* sum <- sum + block k of each of h block rows of tile size 2, two block rows in a register; h is even */
template <class V> HEPTA_HD void add_twos(int h, const V *v, const Index *col, const Scalar *x, Scalar *sum)
{
  using S = typename Lanes<Scalar, 4>::Type;
  typename Lanes<V, 4>::Type a;
  S                          t;

  for (int b = 0; b < h; b += 2) {
    const Scalar *x0 = x + std::size_t(col[b]) * 2, *x1 = x + std::size_t(col[b + 1]) * 2;

    fetch<2>(v, b);
    std::memcpy(&t, sum + 2 * b, sizeof(t));
    for (int s = 0; s < 2; s++) {
      std::memcpy(&a, v + 2 * (s * h + b), sizeof(a));
      t += __builtin_convertvector(a, S) * S{x0[s], x0[s], x1[s], x1[s]};
    }
    std::memcpy(sum + 2 * b, &t, sizeof(t));
  }
}

template <int N, class V> HEPTA_HD void slice(const Operands<N, V> &p, Index g)
{
  const int    n = p.n(), w = p.width(), h = N ? slice_height(N) : p.A.height;
  const Index *length = p.A.length + std::size_t(g) * h, *perm = p.A.perm + std::size_t(g) * h, *col = p.A.col + p.A.first[g];
  const V     *v          = p.A.v + p.A.first[g] * n * n;
  const std::size_t step  = std::size_t(h) * n;
  const Index       least = *std::min_element(length, length + h);
  Index             k     = 0;

  std::fill(p.sum, p.sum + std::size_t(h) * w, Scalar(0));
  if constexpr (N == 1 || N == 2) {
    for (; p.cut < 0 && k < least; k++, col += h, v += step * n) {
      if constexpr (N == 1) add_ones(h, v, col, p.x, p.sum);
      else add_twos(h, v, col, p.x, p.sum);
    }
  }
  for (; k < least; k++, col += h, v += step * n) {
    for (int b = 0; b < h; b++) {
      if constexpr (N > 1) fetch<N>(v, b);
      add_block(p, v + b * n, step, col[b], p.sum + b * w);
    }
  }
  for (const Index most = *std::max_element(length, length + h); k < most; k++, col += h, v += step * n) {
    for (int b = 0; b < h; b++) {
      if constexpr (N > 1) fetch<N>(v, b);
      if (k < length[b]) add_block(p, v + b * n, step, col[b], p.sum + b * w);
    }
  }
  for (int b = 0; b < h; b++) {
    if (perm[b] >= 0) store(p, perm[b], p.sum + b * w);
  }
}

/* The block row at position q, which stands alone */
template <int N, class V> HEPTA_HD void alone(const Operands<N, V> &p, Index q)
{
  const int  n = p.n(), w = p.width();
  const Line l    = line_at(p.A, q);
  const V   *v    = p.A.v + l.slot;
  const auto size = std::size_t(n) * n;
  Scalar    *sum  = p.sum;
  Index      k    = 0;

  std::fill(sum, sum + chains * w, Scalar(0));
  for (; k + chains <= l.length; k += chains) {
    HEPTA_UNROLL
    for (int u = 0; u < chains; u++) add_block(p, v + (k + u) * size, n, l.col[k + u], sum + u * w);
  }
  for (; k < l.length; k++) add_block(p, v + k * size, n, l.col[k], sum);
  for (int i = 0; i < w; i++) sum[i] = (sum[i] + sum[w + i]) + (sum[2 * w + i] + sum[3 * w + i]);
  store(p, p.A.perm[q], sum);
}

template <int N, class V> HEPTA_HD void multiply(const Operands<N, V> &p)
{
  const Index sliced = p.A.nslices * (N ? slice_height(N) : p.A.height);

  for (Index g = 0; g < p.A.nslices; g++) slice(p, g);
  for (Index q = 0; q < p.A.nlong; q++) alone(p, sliced + q);
}

/* y <- y + (block row at position q)^T x */
template <int N, class V> HEPTA_HD void scatter(const Operands<N, V> &p, Index q)
{
  const int         n = p.n();
  const Line        l = line_at(p.A, q);
  const std::size_t i = std::size_t(p.A.perm[q]) * n, step = std::size_t(l.height) * n;
  const int         rows = int(std::min<std::size_t>(n, p.A.rows - i));

  for (Index k = 0; k < l.length; k++) {
    const Index c     = block_column(l, k);
    const int   width = c == p.cut ? width_of(p.A, c) : n;
    const V    *v     = p.A.v + l.slot + k * step * n;

    for (int s = 0; s < width; s++) {
      Scalar sum = 0;
      for (int r = 0; r < rows; r++) sum += Scalar(v[s * step + r]) * p.x[i + r];
      p.y[std::size_t(c) * n + s] += sum;
    }
  }
}

template <int N, class V> HEPTA_HD void multiply_transpose(const Operands<N, V> &p)
{
  for (Index q = 0; q < p.A.nslices * p.A.height + p.A.nlong; q++) {
    if (p.A.perm[q] >= 0) scatter(p, q);
  }
}

#define HEPTA_MULTIPLY(N, V) \
  HEPTA_CLONES void run(const Operands<N, V> &p) \
  { \
    multiply(p); \
  } \
  HEPTA_CLONES void run_transpose(const Operands<N, V> &p) \
  { \
    multiply_transpose(p); \
  }
#define HEPTA_MULTIPLIES(V) \
  HEPTA_MULTIPLY(0, V) \
  HEPTA_MULTIPLY(1, V) \
  HEPTA_MULTIPLY(2, V) \
  HEPTA_MULTIPLY(3, V) \
  HEPTA_MULTIPLY(4, V) \
  HEPTA_MULTIPLY(5, V) \
  HEPTA_MULTIPLY(6, V) \
  HEPTA_MULTIPLY(7, V) \
  HEPTA_MULTIPLY(8, V)

HEPTA_MULTIPLIES(double)
HEPTA_MULTIPLIES(float)
#undef HEPTA_MULTIPLY
#undef HEPTA_MULTIPLIES
#undef HEPTA_UNROLL

/* Calls f(product) with the tile size as a constant where there is one */
template <class V, class F> Status dispatch(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, F f)
{
  const View<const V> a   = constant(A);
  const Index         cut = A.cols % A.bs ? A.nbc - 1 : -1;
  std::vector<Scalar> work(work_size(A.bs, A.height));
  /* a register's numbers in one cache line */
  Scalar *sum = (Scalar *)((std::uintptr_t(work.data()) + cache_line - 1) / cache_line * cache_line);

  return with_block_size(A.bs, [&](auto n) {
    f(Operands<n, V>{a, x, z, y, sum, cut});
    return Status(nullptr);
  });
}

} // namespace

template <class V> Status spmv_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y)
{
  return dispatch(A, x, z, y, [](const auto &p) { run(p); });
}

template <class V> Status spmv_transpose_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y)
{
  if (!z) std::fill(y, y + A.cols, Scalar(0));
  else if (z != y) std::copy(z, z + A.cols, y);
  return dispatch(A, x, z, y, [](const auto &p) { run_transpose(p); });
}

HEPTA_INSTANCES(spmv_host)
HEPTA_INSTANCES(spmv_transpose_host)

} // namespace hepta::brow
