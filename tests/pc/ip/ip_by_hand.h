/* The Incomplete Poisson preconditioner as dense products, for its launchers in host memory or on the device */
#pragma once

#include "memory.h"
#include "pc/ip/ip_kernels.hxx"

namespace hepta::test
{

inline const double ip_tolerance = sizeof(Scalar) == 8 ? 1e-12 : 1e-4;

/* The forms of the factors: scaled, published, and the two of full */
inline const ip::Form ip_forms[] = {{false, true, true, true, true},
                                    {true, false, true, true, true},
                                    {true, false, true, false, false},
                                    {false, true, false, true, false}};

inline Dense product(const Dense &A, const Dense &B)
{
  Dense C(A.rows, B.cols);

  for (Index i = 0; i < A.rows; i++) {
    for (Index k = 0; k < A.cols; k++) {
      for (Index j = 0; j < B.cols && A(i, k) != 0; j++) C(i, j) += A(i, k) * B(k, j);
    }
  }
  return C;
}

/* The inverse of the blocks of size bs on the diagonal, which dominate their rows, so that no rows need be exchanged */
inline Dense block_inverse(const Dense &A, int bs)
{
  Dense D(A.rows, A.rows);

  for (Index first = 0; first < A.rows; first += bs) {
    Dense a(bs, bs);
    for (int r = 0; r < bs; r++) {
      for (int s = 0; s < bs; s++) a(r, s) = A(first + r, first + s);
      D(first + r, first + r) = 1;
    }
    for (int k = 0; k < bs; k++) {
      for (int r = 0; r < bs; r++) {
        const Scalar f = r == k ? (a(k, k) - 1) / a(k, k) : a(r, k) / a(k, k); /* divides row k by its pivot */
        for (int s = 0; s < bs; s++) {
          a(r, s) -= f * a(k, s);
          D(first + r, first + s) -= f * D(first + k, first + s);
        }
      }
    }
  }
  return D;
}

/* The blocks for which keep(row, column) holds, zero elsewhere */
template <class F> Dense blocks_of(const Dense &A, int bs, F keep)
{
  Dense B(A.rows, A.cols);

  for (Index i = 0; i < A.rows; i++) {
    for (Index j = 0; j < A.cols; j++) B(i, j) = keep(i / bs, j / bs) ? A(i, j) : 0;
  }
  return B;
}

/* A <- I - A */
inline Dense one_minus(Dense A)
{
  for (Index i = 0; i < A.rows; i++) {
    for (Index j = 0; j < A.cols; j++) A(i, j) = Scalar(i == j) - A(i, j);
  }
  return A;
}

/* The factor of A = L + D + U on the pattern of A's blocks, from I - L D^-1 and I - D^-1 U, or from those that it keeps */
inline Dense ip_by_hand(const Dense &A, int bs, const ip::Form &f)
{
  const Dense       D     = block_inverse(A, bs);
  const Dense       left  = one_minus(product(blocks_of(A, bs, [&](Index m, Index c) { return f.keep_lower && c < m; }), D)),
                    right = one_minus(product(D, blocks_of(A, bs, [&](Index m, Index c) { return f.keep_upper && c > m; })));
  const Dense       M     = f.left_lower ? product(left, right) : product(product(right, D), left);
  std::vector<char> there(std::size_t(A.rows / bs) * (A.cols / bs), 0);

  for (Index i = 0; i < A.rows; i++) {
    for (Index j = 0; j < A.cols; j++) there[std::size_t(i / bs) * (A.cols / bs) + j / bs] |= A(i, j) != 0;
  }
  return blocks_of(M, bs, [&](Index m, Index c) { return there[std::size_t(m) * (A.cols / bs) + c] != 0; });
}

/* D with large numbers on the diagonal */
inline Dense dominant(Dense D)
{
  for (Index i = 0; i < D.rows; i++) D(i, i) = 64 + i % 3;
  return D;
}

} // namespace hepta::test
