/*
   brow matrices made from dense ones, in host memory or on the device (HEPTA_TEST_DEVICE=1), so that every case runs on both.

   As in dense.h all numbers are small integers and must agree to the last bit, and slots that no entry owns (padding, what
   the matrix's end cuts off) hold NaN.
*/
#pragma once

#include "mat/brow/brow_kernels.hxx"
#include "mat/brow/brow_layout.hxx"
#include "mat/brow/brow_row.hxx"
#include "memory.h"

namespace hepta::test
{

/* The blocks of size bs that hold an entry of D, and the diagonal's if asked for */
inline brow::Pattern pattern_of(const Dense &D, int bs)
{
  std::vector<Index> i(1, 0), j;

  for (Index row = 0; row < D.rows; row++) {
    for (Index c = 0; c < D.cols; c++) {
      if (D(row, c) != 0) j.push_back(c);
    }
    i.push_back(Index(j.size()));
  }
  return brow::block_pattern(D.rows, D.cols, bs, i.data(), j.data());
}

/* Is (i, j) in a stored block? */
inline bool stored(const brow::Pattern &P, Index i, Index j)
{
  for (std::size_t k = P.first[i / P.bs]; k < P.first[i / P.bs + 1]; k++) {
    if (P.col[k] == j / P.bs) return true;
  }
  return false;
}

/* A layout with values, and its view */
template <class V> class Rows {
public:
  Rows(brow::Layout layout, std::vector<V> v)
    : L(std::move(layout)), v(std::move(v)), perm_(L.perm), position_(L.position), length_(L.length), col_(L.col), part_(L.part),
      first_(L.first), work_(Vector(std::size_t(L.part.back()) * L.bs, nan_value)), arrived_(std::vector<unsigned>(L.nlong, 0))
  {
  }
  Rows(const Dense &D, int bs, brow::Mapping mapping = brow::Mapping::automatic)
    : Rows(brow::make_layout(pattern_of(D, bs), mapping), D)
  {
  }
  Rows(const brow::Layout &layout, const Dense &D) : Rows(layout, fill(layout, D)) {}

  /* NaN, and the entries of D where a block is stored */
  static std::vector<V> fill(const brow::Layout &L, const Dense &D)
  {
    std::vector<V> v(L.slots(), V(nan_value));
    const auto     A = L.view(v.data());

    for (Index i = 0; i < D.rows; i++) {
      for (Index j = 0; j < D.cols; j++) {
        const std::size_t at = brow::find_slot(A, i, j);
        if (at != brow::no_slot) v[at] = V(D(i, j));
      }
    }
    return v;
  }
  brow::View<V> view()
  {
    brow::View<V> A = L.view(v.get());

    A.perm     = perm_.get();
    A.position = position_.get();
    A.length   = length_.get();
    A.first    = first_.get();
    A.col      = col_.get();
    A.part     = part_.get();
    A.work     = work_.get();
    A.arrived  = arrived_.get();
    return A;
  }

  brow::Layout L;
  Memory<V>    v;

private:
  Memory<Index>       perm_, position_, length_, col_, part_;
  Memory<std::size_t> first_;
  Memory<Scalar>      work_;
  Memory<unsigned>    arrived_;
};

/* A sparse matrix: about `each` entries in a row, in runs; some rows and block rows empty; row `full` (if any) without a zero */
inline Dense sparse(Index rows, Index cols, int each, std::size_t seed, Index full = -1)
{
  Dense       D(rows, cols);
  std::size_t k = seed * 7919 + 11;

  for (Index i = 0; i < rows; i++) {
    const bool empty = number(i + seed) == 3 || i / 16 % 5 == 4;
    for (int e = 0; e < each && !empty && cols; e++) {
      k               = k * 6364136223846793005u + 1442695040888963407u;
      const Index run = Index(1 + (k >> 60) % 4), j = Index((k >> 33) % std::size_t(cols));
      for (Index c = j; c < j + run && c < cols; c++) D(i, c) = number(std::size_t(i) * 10007 + c);
    }
    for (Index j = 0; j < cols && i == full; j++) D(i, j) = number(std::size_t(j) + 5);
  }
  return D;
}

inline const int tile_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13};

/* Calls f(D, bs) at sizes where loops go wrong, with tiles of every size */
template <class F> void for_matrices(F f)
{
  for (int bs : tile_sizes) {
    const std::vector<Dense> all = {sparse(0, 0, 0, 1),         sparse(0, 5, 0, 1),         sparse(7, 0, 0, 1),
                                    sparse(1, 1, 1, 2, 0),      sparse(bs, bs, 2, 3, 0),    sparse(bs + 1, 2 * bs - 1, 3, 4, bs),
                                    sparse(61, 61, 4, 5),       sparse(37, 150, 6, 6),      sparse(150, 37, 2, 7, 100),
                                    sparse(400, 403, 5, 8, 77), sparse(33, 1201, 3, 9, 32), sparse(90, 90, 90, 10)};
    for (const Dense &D : all) {
      SCOPED_TRACE(std::to_string(D.rows) + " x " + std::to_string(D.cols) + ", tiles of " + std::to_string(bs));
      f(D, bs);
    }
  }
}

} // namespace hepta::test
