/*
   Levels of multigrid on boxes of a grid, and the launchers of their set-up and of both ends of an application. A level is a grid with one unknown a cell, coupled with its neighbors along each of D axes. Its symmetric matrix
   is stored as the couplings a_mq with the upper neighbors and e, one over the diagonal, in a set-up with row sums: as

     (A x)_m = row_sum_m x_m + sum over the neighbors q of a_mq (x_q - x_m)

   which is exact for constants, independent of the rounding of couplings that differ by many orders of magnitude: in float a diagonal entry would not be the sum of its row.

   The next level has a cell for each box of cells, and the matrix P^T A P, P with ones in the rows of a box. Its couplings are sums of those that cross a face, its row sums those of
   the box's rows, and its diagonal the row sum minus the couplings, without the cancellation of large entries inside a box.

   Lines of cells begin at multiples of four elements of arrays, so that two cells can be loaded at once; all arrays are zero in padding cells, and in a plane before and after the cells, so that no test for a neighbor's existence is
   needed. A box that is coupled with nothing has e = 0: it gets no correction.

   On several MPI processes a level is a slab of whole planes of the last of the D axes: those of one process, while the planes before and after them are those of its neighbors. A pass over some of
   these too does what the neighbors do there, so that nothing has to be exchanged before the next pass.
*/
#pragma once

#include <cstddef>
#include <cstring>

#include "../../mat/bdia/bdia_view.hxx"
#include "../../shared/device.hxx"

namespace hepta::gridmg
{

/* A float without the last 16 bits of its significand, rounded to nearest, ties to even: the range of a float in half of the memory */
class Bf16 {
public:
  Bf16() = default;
  HEPTA_HD explicit Bf16(double a)
  {
    const float   f = float(a);
    std::uint32_t b;

    memcpy(&b, &f, sizeof(b));
    bits = std::uint16_t((b + 0x7fff + (b >> 16 & 1)) >> 16); /* no NaN becomes a number: the set-up refuses what is not finite */
  }
  HEPTA_HD operator float() const
  {
    const std::uint32_t b = std::uint32_t(bits) << 16;
    float               f;

    memcpy(&f, &b, sizeof(f));
    return f;
  }

private:
  std::uint16_t bits;
};

/* The sizes of a level's grid, those of the boxes that are the cells of the next level, and where cells are in arrays */
struct Grid {
  Index n[3];      /* cells along each axis, more than one along the first D axes */
  Index box[3];    /* cells along each side of a box */
  Index stride[3]; /* strides of the axes in the arrays */
  Index first = 0; /* the row of its first cell in the grid that all slabs are part of */
  bool  slab  = false;
  Index odd   = 0; /* of its first cell, the sum of the indices in that grid, modulo 2 */
  Index below = 0, above = 0; /* of the planes of a slab, the number of those that are the neighbors' */
  Index last_below = 1;       /* the planes of the last box of the slab below */
  Index boxes_above = 1;      /* along the last axis, of the slab above */
};

/* A level: T is the type of the arithmetic, C that of the couplings */
template <class T, class C = T> struct Level {
  Grid       g;
  const int *stop;        /* applications return at once if this is not zero; null: they never do */
  C         *a[3];        /* couplings with the upper neighbor along each axis */
  T         *e, *row_sum; /* e and, in a set-up, row sums, as above */
  T         *s;           /* right-hand side */
  T         *z;           /* solution. In a set-up the largest diagonal entry of A in the rows of each cell. */
  T         *t;           /* solution before the correction, with several sweeps, of red cells alone, as t_index() has them */
};

/* The level whose first cell is the one of this index in the arrays of L */
template <class T, class C> Level<T, C> from_cell(Level<T, C> L, std::ptrdiff_t first)
{
  for (C *&a : L.a) a = a ? a + first : nullptr;
  for (T **v : {&L.e, &L.row_sum, &L.s, &L.z, &L.t}) *v = *v ? *v + first : nullptr;
  return L;
}

/* The level for passes over its vectors alone */
template <class T, class U> Level<T> without_couplings(const Level<T, U> &L)
{
  return {L.g, L.stop, {}, L.e, L.row_sum, L.s, L.z, L.t};
}

/* Problems found by a set-up, encoded by note_first(): rows with a diagonal entry that is not positive, with a coupling across the end of a line, with an entry that differs from the transposed one beyond rounding (unsymmetric) or at all (rounded), or that is not finite; rows and boxes with a value out of T's range; a coupling that is too large for a positive definite matrix; a box with a negative diagonal entry; and the ratio of note_ratio() */
struct Found {
  long long diagonal, wrapped, unsymmetric, rounded, infinite, range, coupling, indefinite, ratio;
};

/* Scales that keep the arithmetic within its range: the matrix is divided by its first diagonal entry, the right-hand side by about its largest |e_m x_m| */
struct Scales {
  double             diagonal;
  unsigned long long largest; /* the largest |e_m x_m| of the application that begins, or a guess of it, as the bits of a double */
  double             output;  /* the factor of the solution of the present application */
};

/*
   The first level's couplings and row sums in float, for products that need more than bf16; null: not wanted. A product with a
   diagonal in their place would lose small row sums in the rounding of large couplings.
*/
struct FloatMatrix {
  float *a[3], *row_sum;
};

/* The numbers of a symmetric matrix's diagonals: the main one, then for each axis the upper and the lower one (-1: none; in half storage the upper one twice) */
struct Diagonals {
  int main, upper[3], lower[3];
};

/* sum[a] <- the sum of |a_mq| over the couplings along each axis, in every step-th row; summed in a fixed order */
template <class V> Status strengths_host(const bdia::View<V> &A, const Diagonals &d, Index step, double *sum);
/* on several MPI processes, before build_fine: the entries across the ends of the slab g from the ghost part B, whose global columns are column[]: in border first those
   of the slab's first plane with the plane below, then those of its last plane with the plane above, a number for each cell of a plane. border must be zero before. */
template <class E, class V> Status read_border(const E &, const blocked::GhostView<V> &B, int D, const Grid &g, const Index *column, double *border, Found *found);
/* set-up: the first level, and the same in float, from A; a row sum below rounding is set to zero; border: as above, followed by the entries of the process above with the plane below it; null on one process */
template <class E, class V, class T, class U>
Status build_fine(const E &, const bdia::View<V> &A, int D, const Diagonals &d, const Level<T, U> &L, const FloatMatrix &, const double *border,
                  Scales *scales, Found *found);
/* level C from the next finer level L */
template <class E, class T, class U> Status build_coarse(const E &, int D, const Level<T, U> &L, const Level<T, U> &C, Found *found);
/*
   null, of 3 N numbers, <- for each of N rows the null vector of the row's connected component in the last level's matrix, scaled to a unit diagonal, if all row sums of the component are zero, otherwise zero;
   the diagonal entry before the scaling; and the number of the component, or -1. N: the number of cells, rounded up to a multiple of DENSE_TILE
*/
template <class T, class U> Status find_null_host(int D, const Level<T, U> &L, std::size_t N, double *null);
/* dense, an N x N matrix, <- the last level's matrix scaled to a unit diagonal and the identity in cells without an unknown; plus null null^T in each component, so that it is positive definite and its inverse is the pseudo-inverse plus null null^T */
template <class E, class T, class U> Status fill_dense(const E &, int D, const Level<T, U> &L, std::size_t N, const double *null, double *dense);
/* to <- from after block Gauss-Jordan elimination of the DENSE_TILE rows from `first` on; after all rows it is minus the inverse. Notes the pivots that are zero to rounding, see inverse_pivot(). */
constexpr int DENSE_TILE = 32;
Status        eliminate_host(std::size_t N, std::size_t first, const double *from, double *to, Found *found);
/* B, an n x n matrix, <- the last level's inverse, scaled, from the eliminated matrix, which is minus the inverse; in double, because in float the large entries that a nearly singular matrix brings would swamp the others; notes what its diagonal amplifies */
template <class E, class T, class U> Status take_inverse(const E &, const Level<T, U> &L, std::size_t n, std::size_t N, const double *dense, double *B, Found *found);

/* to <- from, n numbers of another type */
template <class E, class T, class U> Status copy_numbers(const E &, std::size_t n, const T *from, U *to);

/* application: largest <- max(largest, |e_m x_m|) */
template <class T, class U> Status find_largest_host(const Level<T, U> &L, const Scalar *x, Scales *scales);
/* or largest <- guess_largest() from the product (x, y) of an earlier application to a similar x */
template <class E, class T, class U> Status guess_scale(const E &, const Level<T, U> &L, const Scalar *product, Scales *scales);
/* the first level: s <- x / largest */
template <class T, class U> Status scale_input_host(const Level<T, U> &L, const Scalar *x, const Scales *scales);
/* the last level: z <- A^-1 r; with scales, if it is also the first level: output <- largest / diagonal, largest <- 0 */
template <class T, class U> Status solve_last_host(const Level<T, U> &L, std::size_t n, const double *inverse, Scales *scales);
/* y <- z with both scales, where the first level is the last or is gathered */
template <class T, class U> Status finish_dense_host(const Level<T, U> &L, const Scales *scales, Scalar *y);

template <class V> Status strengths_cuda(const bdia::View<V> &A, const Diagonals &d, Index step, double *sum, Stream stream);
template <class T, class U> Status find_null_cuda(int D, const Level<T, U> &L, std::size_t N, double *null, Stream stream);
Status                    eliminate_cuda(std::size_t N, std::size_t first, const double *from, double *to, Found *found, Stream stream);
template <class T, class U> Status find_largest_cuda(const Level<T, U> &L, const Scalar *x, Scales *scales, Stream stream);
template <class T, class U> Status scale_input_cuda(const Level<T, U> &L, const Scalar *x, const Scales *scales, Stream stream);
template <class T, class U> Status solve_last_cuda(const Level<T, U> &L, std::size_t n, const double *inverse, Scales *scales, Stream stream);
template <class T, class U> Status finish_dense_cuda(const Level<T, U> &L, const Scales *scales, Scalar *y, Stream stream);

} // namespace hepta::gridmg
