/*
   The oracle of these tests: a dense matrix that knows nothing of row functions, and bdia views made from it.

   All numbers are small integers, so every sum is exact in any order and the results must agree to the last bit. Slots that
   no entry owns (blocks outside the matrix, the padding of the leading dimension) hold NaN: who uses one is found out.
*/
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "mat/bdia/bdia_kernels.hxx"

namespace hepta::test
{

using bdia::View;

inline const Scalar nan_value = std::numeric_limits<Scalar>::quiet_NaN();

struct Dense {
  Index               rows, cols;
  std::vector<Scalar> a; /* row by row */

  Dense(Index r, Index c) : rows(r), cols(c), a(std::size_t(r) * c, 0) {}
  Scalar &operator()(Index i, Index j) { return a[std::size_t(i) * cols + j]; }
  Scalar  operator()(Index i, Index j) const { return a[std::size_t(i) * cols + j]; }
};

/* A x */
inline std::vector<Scalar> times(const Dense &A, const std::vector<Scalar> &x)
{
  std::vector<Scalar> y(A.rows, 0);
  for (Index i = 0; i < A.rows; i++) {
    for (Index j = 0; j < A.cols; j++) y[i] += A(i, j) * x[j];
  }
  return y;
}

inline Dense transpose(const Dense &A)
{
  Dense T(A.cols, A.rows);
  for (Index i = 0; i < A.rows; i++) {
    for (Index j = 0; j < A.cols; j++) T(j, i) = A(i, j);
  }
  return T;
}

/* Small integers that depend on k and on nothing else; none is zero */
inline Scalar number(std::size_t k)
{
  const int n = int((k * 2654435761u >> 7) % 14) - 7;
  return n < 0 ? Scalar(n) : Scalar(n + 1);
}

inline std::vector<Scalar> numbers(std::size_t n, std::size_t seed)
{
  std::vector<Scalar> x(n);
  for (std::size_t k = 0; k < n; k++) x[k] = number(k + 1000 * seed + 17);
  return x;
}

/* A block structure to test; with half storage off holds offsets >= 0 and the matrix is symmetric */
struct Shape {
  Index              nbr, nbc;
  int                bs;
  std::vector<Index> off;
  bool               half = false;

  std::string name() const
  {
    std::ostringstream s;
    s << nbr << " x " << nbc << " blocks of " << bs << (half ? ", half" : "") << ", offsets";
    for (Index o : off) s << ' ' << o;
    return s.str();
  }
};

/* A dense matrix with full blocks on the offsets of the shape */
inline Dense dense_of(const Shape &p)
{
  Dense D(p.nbr * p.bs, p.nbc * p.bs);
  for (Index i = 0; i < D.rows; i++) {
    for (Index j = 0; j < D.cols; j++) {
      const Index o = j / p.bs - i / p.bs;
      for (Index k : p.off) {
        if (k == o) D(i, j) = number(std::size_t(p.half && i > j ? j : i) * 10007 + (p.half && i > j ? i : j));
        else if (p.half && k == -o) D(i, j) = number(std::size_t(j) * 10007 + i);
      }
    }
  }
  return D;
}

/* A view with storage of its own, and where entry (i, j) is kept: the slot's address written out once more, by hand */
template <class V> struct Stored {
  Shape          p;
  std::size_t    ld;
  std::vector<V> v;

  explicit Stored(const Shape &shape)
    : p(shape), ld((std::size_t(shape.nbr) * shape.bs + 31) / 32 * 32), v(shape.off.size() * shape.bs * ld, V(nan_value))
  {
  }
  Stored(const Shape &shape, const Dense &D) : Stored(shape)
  {
    for (Index i = 0; i < D.rows; i++) {
      for (Index j = 0; j < D.cols; j++) {
        if (has(i, j)) at(i, j) = V(D(i, j));
      }
    }
  }
  bool has(Index i, Index j) const
  {
    for (Index o : p.off) {
      if (o == j / p.bs - i / p.bs) return true;
    }
    return false;
  }
  V &at(Index i, Index j)
  {
    std::size_t d = 0;
    while (p.off[d] != j / p.bs - i / p.bs) d++;
    return v[(d * p.bs + j % p.bs) * ld + i];
  }
  View<V> view() { return {p.nbr, p.nbc, p.bs, int(p.off.size()), ld, p.off.data(), v.data(), p.half}; }
};

/* Sizes at which loops go wrong: one block, nothing stored, all blocks outside, thin, wide, tall, longer than any tile */
inline std::vector<Shape> awkward(int bs)
{
  std::vector<Shape> shapes = {
    {1, 1, bs, {0}},
    {1, 1, bs, {-1, 0, 1}},
    {3, 3, bs, {}},
    {4, 4, bs, {-9, 9}},
    {2, 2, bs, {-7, -1, 0, 5}},
    {5, 5, bs, {-4, -3, -2, -1, 0, 1, 2, 3, 4}},
    {1, 6, bs, {0, 2, 5, 6}},
    {6, 1, bs, {-5, -2, 0, 1}},
    {7, 3, bs, {-6, -4, -1, 0, 1, 2}},
    {3, 8, bs, {-2, -1, 0, 3, 7}},
    {0, 0, bs, {0}},
    {0, 3, bs, {-1, 0, 1}},
    {24, 24, bs, {-6, -3, -1, 0, 1, 3, 6}},
    {67, 67, bs, {-12, -4, -1, 0, 1, 4, 12}},
    {45, 45, bs, {-44, -13, -12, -11, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 11, 12, 13, 44}},
  };
  if (bs < 4) shapes.push_back({1300 / bs, 1301 / bs, bs, {-600, -19, -1, 0, 1, 19, 600}});
  return shapes;
}

inline std::vector<Shape> awkward_half(int bs)
{
  std::vector<Shape> shapes = {
    {1, 1, bs, {0}, true},
    {3, 3, bs, {}, true},
    {4, 4, bs, {7}, true},
    {5, 5, bs, {0, 1, 2, 3, 4}, true},
    {6, 6, bs, {1, 5}, true},
    {24, 24, bs, {0, 1, 3, 6}, true},
    {67, 67, bs, {0, 1, 4, 12}, true},
    {40, 40, bs, {2, 3, 39, 40, 50}, true},
  };
  if (bs < 4) shapes.push_back({1300 / bs, 1300 / bs, bs, {0, 1, 19, 600}, true});
  return shapes;
}

inline const int block_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 17};

} // namespace hepta::test
