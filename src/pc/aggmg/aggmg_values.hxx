/* Values: those of the first level, diagonals, products */
#pragma once

#include <vector>

#include "aggmg_each.hxx"

namespace hepta::aggmg
{

template <class E, class V, class T>
Status take_values(const E &each, std::size_t n, const long long *from, const V *v, const V *ghost, const double *unit, T *val)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t q) {
    const long long at = from[q];
    val[q]             = at < 0 ? T(0) : T(*unit * (at & GHOST ? ghost[at & ~GHOST] : v[at]));
  });
}

template <class E, class V>
Status take_unit(const E &each, const Pattern &A, int bs, const long long *from, const V *v, double *unit)
{
  return each(1, [=] HEPTA_LAMBDA(std::size_t) {
    const Index  e = A.rows ? find_tile(A, 0, 0) : -1;
    const double a = e < 0 || from[std::size_t(e) * bs * bs] < 0 ? 0 : double(v[from[std::size_t(e) * bs * bs]]);
    *unit          = std::fabs(a) > 0 && std::fabs(a) < HUGE_VAL ? 1 / a : 1;
  });
}

/* The sum of the sizes of a row's entries */
template <class T> HEPTA_HD double sum_of_sizes(const Tiles<T> &A, const Place &at)
{
  return sum_row(A, at, [](T a, Index) { return std::fabs(double(a)); });
}

template <class E, class T>
Status take_diagonal(const E &each, const Tiles<T> &A, std::size_t tiles, bool zeros, double *w, double *sums, long long *rowsum,
                     Found *found)
{
  return each_product(each, A, tiles, (const int *)nullptr, [=] HEPTA_LAMBDA(const Place &at) {
    const std::size_t i   = at.row;
    const double      sum = sum_of_sizes(A, at);
    if (!at.ends) return;
    const Index  r = at.in, d = find_tile(A, at.node, at.node);
    const double a = d < 0 ? 0 : double(A.val[(std::size_t(d) * A.br + r) * A.bc + r]);
    if (!(sum < HUGE_VAL)) note_first(&found->finite, (long long)i);
    else if (!(a > 0) && !(zeros && sum == 0)) note_first(&found->diagonal, (long long)i);
    w[i]    = a > 0 ? 1 / a : 0;
    sums[i] = sum;
    if (a > 0 && sum < HUGE_VAL) note_largest(rowsum, sum / a);
  });
}

template <class E, class T>
Status find_skew(const E &each, const Tiles<T> &A, const Tiles<T> &all, Index start, double *skew, double *sum)
{
  const int    size = A.br * A.bc;
  const Status bad  = sum_of(each, std::size_t(A.rows), skew, [=] HEPTA_LAMBDA(std::size_t m) {
    double sum = 0;
    for (Index e = A.first[m]; e < A.first[m + 1]; e++) {
      const Index    j = A.col[e], t = j < A.rows ? find_tile(A, j, Index(m)) : find_tile(all, j, start + Index(m));
      const T *const val = j < A.rows ? A.val : all.val;
      for (int k = 0; k < size; k++) {
        const double a = A.val[std::size_t(e) * size + k],
                     b = t < 0 ? 0 : val[std::size_t(t) * size + k % A.bc * A.bc + k / A.bc];
        sum += (t < 0 ? 2 : 1) * std::fabs(a - b); /* for (i, j) and (j, i), unless row j has its own term */
      }
    }
    return sum;
  });
  return bad ? bad : sum_of(each, std::size_t(A.rows), sum, [=] HEPTA_LAMBDA(std::size_t m) {
    double sum = 0;
    for (Index e = A.first[m]; e < A.first[m + 1]; e++) {
      for (int k = 0; k < size; k++)
        sum += A.col[e] == Index(m) && k % (A.bc + 1) == 0 ? 0 : 2 * std::fabs(double(A.val[std::size_t(e) * size + k]));
    }
    return sum;
  });
}

template <class E, class T> Status take_norms(const E &each, const Tiles<T> &A, double *norm)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t m) {
    double diagonal = 0, most = 0;
    for (Index e = A.first[m]; e < A.first[m + 1]; e++) {
      const double square = square_of(A, e);
      if (A.col[e] == Index(m)) diagonal = square;
      else most = square > most ? square : most;
    }
    norm[m] = std::sqrt(diagonal < 625 * most ? diagonal : 625 * most);
  });
}

template <class E>
Status take_tentative(const E &each, Index nodes, int size, const Index *aggregate, const Index *first, const double *T,
                      double *val)
{
  return each(std::size_t(nodes), [=] HEPTA_LAMBDA(std::size_t m) {
    for (int k = 0; aggregate[m] >= 0 && k < size; k++) val[std::size_t(first[m]) * size + k] = T[m * size + k];
  });
}

#if defined(__CUDACC__)
/* Tiles of more than one entry, each by a warp, up to 64 entries at a time */
template <class TA, class TB, class TC>
__global__ void multiply_kernel(const Tiles<TA> A, const Tiles<TB> B, const Pattern C, const Products p, std::size_t entries,
                                TC *val)
{
  const std::size_t e    = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / 32;
  const int         lane = int(threadIdx.x % 32), size = A.br * B.bc;

  if (e >= entries) return;
  const Index begin = A.first[C.row[e]];
  for (int first = lane; first - lane < size; first += 64) {
    const int r[2] = {first / B.bc, (first + 32) / B.bc}, c[2] = {first % B.bc, (first + 32) % B.bc};
    double    sum[2] = {0, 0};
    for (std::size_t q = p.first[e]; q < p.first[e + 1]; q += 32) {
      const int      n    = int(p.first[e + 1] - q < 32 ? p.first[e + 1] - q : 32);
      const unsigned pair = lane < n ? p.pair[q + lane] : 0;
      const Index    a = begin + Index(pair / MOST_IN_ROW), b = lane < n ? B.first[A.col[a]] + Index(pair % MOST_IN_ROW) : 0;
      for (int s = 0; s < n; s++) {
        const TA *const x = A.val + std::size_t(__shfl_sync(0xffffffffu, a, s)) * A.br * A.bc;
        const TB *const y = B.val + std::size_t(__shfl_sync(0xffffffffu, b, s)) * B.br * B.bc;
        HEPTA_DEVICE_UNROLL
        for (int k = 0; k < 2; k++) {
          for (int t = 0; first + 32 * k < size && t < A.bc; t++)
            sum[k] += double(x[r[k] * A.bc + t]) * double(y[t * B.bc + c[k]]);
        }
      }
    }
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < 2; k++) {
      if (first + 32 * k < size) val[e * size + first + 32 * k] = TC(sum[k]);
    }
  }
}

/* Entry k of C, with a search for its products */
template <class TA, class TB>
__device__ double find_entry(const Tiles<TA> &A, const Tiles<TB> &B, const Pattern &C, std::size_t k)
{
  const int   size = A.br * B.bc;
  const Index e = Index(k / size), m = C.row[e];
  const int   r = int(k % size) / B.bc, c = int(k % size) % B.bc;
  double      sum = 0;

  for (Index a = A.first[m]; a < A.first[m + 1]; a++) {
    const Index b = find_tile(B, A.col[a], C.col[e]);
    for (int t = 0; b >= 0 && t < A.bc; t++)
      sum += double(A.val[(std::size_t(a) * A.br + r) * A.bc + t]) * double(B.val[(std::size_t(b) * B.br + t) * B.bc + c]);
  }
  return sum;
}

template <class TA, class TB, class TC>
Status multiply(const DeviceEach &each, const Tiles<TA> &A, const Tiles<TB> &B, const Pattern &C, const Products &p,
                std::size_t entries, TC *val)
{
  const int size = A.br * B.bc;

  if (!entries) return nullptr;
  if (!p.first) return each(entries * size, [=] __device__(std::size_t k) { val[k] = TC(find_entry(A, B, C, k)); });
  if (size > 1) {
    multiply_kernel<<<unsigned((entries + 7) / 8), 256, 0, (cudaStream_t)each.stream>>>(A, B, C, p, entries, val);
    return launched();
  }
  return each_row(each, entries, p.count, (const int *)nullptr, [=] __device__(const Place &at) {
    const std::size_t first = p.first[at.row];
    const Index       begin = A.first[C.row[at.row]];
    const double      sum   = sum_lanes(at, sum_terms<double>(Index(p.first[at.row + 1] - first), at, [&](Index q) {
                                   const unsigned pair = p.pair[first + q];
                                   const Index    a    = begin + Index(pair / MOST_IN_ROW);
                                   return double(A.val[a]) * double(B.val[B.first[A.col[a]] + Index(pair % MOST_IN_ROW)]);
                                        }));
    if (at.ends) val[at.row] = TC(sum);
  });
}
#endif

/* z <- z + x y for tiles of br x s and s x C, C = 0: s x bc */
template <int C, class TA, class TB> void add_product(int br, int s, int bc, const TA *x, const TB *y, double *z)
{
  const int n = C ? C : bc;

  for (int r = 0; r < br; r++) {
    for (int k = 0; k < s; k++) {
      for (int c = 0; c < n; c++) z[r * n + c] += double(x[r * s + k]) * double(y[k * n + c]);
    }
  }
}

/* Row by row, with the place in C of each column of the row */
template <class TA, class TB, class TC>
Status multiply(const HostEach &, const Tiles<TA> &A, const Tiles<TB> &B, const Pattern &C, const Products &, std::size_t entries,
                TC *val)
{
  const int           br = A.br, s = A.bc, bc = B.bc;
  Index               columns = 0;
  std::vector<double> sum;

  for (std::size_t e = 0; e < entries; e++) columns = C.col[e] < columns ? columns : C.col[e] + 1;
  std::vector<Index> places((std::size_t)columns);
  Index *const       place = places.data();
  for (Index m = 0; m < A.rows; m++) {
    const Index begin = C.first[m], end = C.first[m + 1];
    sum.assign(std::size_t(end - begin) * br * bc, 0);
    for (Index e = begin; e < end; e++) place[C.col[e]] = e - begin;
    for (Index a = A.first[m]; a < A.first[m + 1]; a++) {
      const TA *const x = A.val + std::size_t(a) * br * s;
      if (br * s * bc == 1) {
        for (Index b = B.first[A.col[a]]; b < B.first[A.col[a] + 1]; b++) sum[place[B.col[b]]] += double(*x) * double(B.val[b]);
        continue;
      }
      for (Index b = B.first[A.col[a]]; b < B.first[A.col[a] + 1]; b++) {
        const TB *const y = B.val + std::size_t(b) * s * bc;
        double *const   z = sum.data() + std::size_t(place[B.col[b]]) * br * bc;
        if (bc == 6) add_product<6>(br, s, bc, x, y, z);
        else if (bc == 3) add_product<3>(br, s, bc, x, y, z);
        else add_product<0>(br, s, bc, x, y, z);
      }
    }
    for (std::size_t k = 0; k < sum.size(); k++) val[std::size_t(begin) * br * bc + k] = TC(sum[k]);
  }
  return nullptr;
}

template <class E, class T>
Status smooth(const E &each, const Tiles<double> &P0, const double *w, const Pattern &P, std::size_t entries,
              const double *product, T *val)
{
  return each_tile(each, P, entries, [=] HEPTA_LAMBDA(Index m, Index e) {
    const Index t = find_tile(P0, m, P.col[e]);
    for (int r = 0; r < P0.br; r++) {
      for (int c = 0; c < P0.bc; c++) {
        const std::size_t at = (std::size_t(e) * P0.br + r) * P0.bc + c;
        const double      p  = t < 0 ? 0 : P0.val[(std::size_t(t) * P0.br + r) * P0.bc + c];
        val[at]              = T(product ? p - 4. / 3 * w[std::size_t(m) * P0.br + r] * product[at] : p);
      }
    }
  });
}

template <class E, class T>
Status transpose_values(const E &each, std::size_t entries, int br, int bc, const Index *at, const T *from, T *to)
{
  return each(entries, [=] HEPTA_LAMBDA(std::size_t t) {
    for (int r = 0; r < br; r++) {
      for (int c = 0; c < bc; c++) to[(t * bc + c) * br + r] = from[(std::size_t(at[t]) * br + r) * bc + c];
    }
  });
}

template <class E, class T>
Status fill_dense(const E &each, const Tiles<T> &A, const double *w, std::size_t N, double rounding, double *dense)
{
  return each(N, [=] HEPTA_LAMBDA(std::size_t i) {
    const Index m = Index(i / A.br), r = Index(i % A.br);
    dense[i * N + i] = 1 + rounding;
    for (Index e = m < A.rows ? A.first[m] : 0; m < A.rows && e < A.first[m + 1]; e++) {
      for (int c = 0; c < A.bc; c++) {
        const std::size_t j = std::size_t(A.col[e]) * A.bc + c;
        if (i != j) dense[i * N + j] = std::sqrt(w[i] * w[j]) * double(A.val[(std::size_t(e) * A.br + r) * A.bc + c]);
      }
    }
  });
}

template <class E, class T>
Status find_energy(const E &each, const Tiles<T> &A, int k, const double *B, const double *w, double *energy, double *square)
{
  const std::size_t n = std::size_t(A.rows) * A.br;

  const Status bad = sum_of(each, n, energy, [=] HEPTA_LAMBDA(std::size_t i) {
    const Index m = Index(i / A.br), r = Index(i % A.br);
    double      sum = 0;
    for (Index e = A.first[m]; e < A.first[m + 1]; e++) {
      for (int c = 0; c < A.bc; c++)
        sum += double(A.val[(std::size_t(e) * A.br + r) * A.bc + c]) * B[(std::size_t(A.col[e]) * A.bc + c) * k];
    }
    return sum * B[i * k];
  });
  return bad ? bad
             : sum_of(each, n, square, [=] HEPTA_LAMBDA(std::size_t i) { return w[i] > 0 ? B[i * k] * B[i * k] / w[i] : 0; });
}

template <class E>
Status add_null(const E &each, std::size_t n, std::size_t N, int k, const double *B, const double *w, const double *energy,
                const double *square, double rounding, double *dense)
{
  return each(n * n, [=] HEPTA_LAMBDA(std::size_t q) {
    const std::size_t i = q / n, j = q % n;
    if (w[i] > 0 && w[j] > 0 && std::fabs(*energy) < rounding * *square)
      dense[i * N + j] += B[i * k] * B[j * k] / (std::sqrt(w[i] * w[j]) * *square);
  });
}

template <class E, class T>
Status take_dense(const E &each, std::size_t n, std::size_t N, const double *w, const double *dense, T *inverse)
{
  return each(n * n, [=] HEPTA_LAMBDA(std::size_t k) {
    const std::size_t i = k / n, j = k % n;
    inverse[k] = T(-dense[i * N + j] * std::sqrt(w[i] * w[j]));
  });
}

} // namespace hepta::aggmg
