/*
   Levels of multigrid on boxes of a grid, and the launchers of the set-up and of both ends of an application. A level is a grid
   with an unknown in each cell, coupled with the cell's neighbors along each of D axes. The symmetric matrix of a level is stored
   as the couplings a_mq with the upper neighbors and the inverse diagonal e, in a set-up with row sums:

     (A x)_m = row_sum_m x_m + sum over the neighbors q of a_mq (x_q - x_m)

   The form is exact for constants, for any rounding of couplings that differ by many orders of magnitude: in float a diagonal
   entry would not be the sum of its row.

   The next level has a cell for each box of cells, and the matrix P^T A P, P having ones in the rows of a box. A coupling of the
   next level is the sum of the couplings across a face, a row sum is the sum of the box's row sums, and a diagonal entry is the
   row sum minus the couplings, without the cancellation of large entries inside a box.

   Lines of cells begin at multiples of four elements of arrays, so that two cells can be loaded at once. All arrays are zero in
   padding cells, and in a plane before and after the cells, which saves tests for a neighbor's existence. A box without couplings
   has e = 0: no correction.

   On several MPI processes a level is a slab of whole planes of the last of the D axes: a process's own planes, between planes of
   its neighbors. A pass over neighbors' planes repeats the neighbors' work, and saves an exchange before the next pass.
*/
#pragma once

#include <cstddef>
#include <cstring>

#include "../../mat/bdia/bdia_view.hxx"
#include "../../shared/device.hxx"

namespace hepta::gridmg
{

/* A float without the last 16 bits of its significand, rounded to nearest, ties to even: a float's range in half of the memory */
class Bf16 {
public:
  Bf16() = default;
  HEPTA_HD explicit Bf16(double a)
  {
    const float   f = float(a);
    std::uint32_t b;

    memcpy(&b, &f, sizeof(b));
    /* NaN does not occur: the set-up refuses values that are not finite */
    bits = std::uint16_t((b + 0x7fff + (b >> 16 & 1)) >> 16);
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

/*
   The planes of a neighbor that a slab needs. Up: a plane for each of the 2 sweeps passes. Down: planes_up() planes, whose t is
   made here, and around them a plane for each pass before t is complete, 2 sweeps - 2
*/
HEPTA_HD constexpr Index planes_up(int sweeps)
{
  return 2 * Index(sweeps);
}

HEPTA_HD constexpr Index planes_down(int sweeps)
{
  return 4 * Index(sweeps) - 2;
}

/* The sizes of a level's grid and of the boxes, the cells of the next level; the places of cells in arrays */
struct Grid {
  Index n[3];      /* cells along each axis, more than one along the first D axes */
  Index box[3];    /* cells along each side of a box */
  Index stride[3]; /* strides of the axes in the arrays */
  Index first = 0; /* the row of the first cell in the whole grid */
  bool  slab  = false;
  Index odd   = 0;            /* the sum, modulo 2, of the first cell's indices in the whole grid */
  Index below = 0, above = 0; /* the neighbors' planes in a slab */
  Index last_below  = 1;      /* the planes of the last box of the slab below */
  Index boxes_above = 1;      /* along the last axis, of the slab above */
};

/* A level: T is the type of the arithmetic, C that of the couplings */
template <class T, class C = T> struct Level {
  Grid       g;
  const int *stop;        /* applications return at once if *stop is not zero; null: never */
  C         *a[3];        /* couplings with the upper neighbor along each axis */
  T         *e, *row_sum; /* e and, in a set-up, row sums, as above */
  T         *s;           /* right-hand side */
  T         *z;           /* solution. In a set-up the largest diagonal entry of A in the rows of each cell. */
  T         *t;           /* solution before the correction, with several sweeps, in red cells, at t_index() */
};

/* The level whose first cell has the index `first` in the arrays of L */
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

/*
   Problems found by a set-up, encoded by note_first(). Rows: diagonal: an entry <= 0; wrapped: a coupling across the end of a
   line; unsymmetric, rounded: an entry differs from its transposed entry, beyond rounding or at all; infinite: an entry is not
   finite; coupling: too large for a positive definite matrix. Rows and boxes: range: a value out of T's range. Boxes: indefinite:
   a negative diagonal entry. ratio: see note_ratio()
*/
struct Found {
  long long diagonal, wrapped, unsymmetric, rounded, infinite, range, coupling, indefinite, ratio;
};

/*
   Scales for the range of the arithmetic: the matrix is divided by its first diagonal entry, the right-hand side by about the
   largest |e_m x_m|
*/
struct Scales {
  double             diagonal;
  unsigned long long largest; /* the largest |e_m x_m| of the present application, or a guess, as the bits of a double */
  double             output;  /* the factor of the solution of the present application */
};

/*
   The first level's couplings and row sums in float, for products that need more than bf16; null: not wanted. A product with a
   diagonal in place of row sums would lose small row sums in the rounding of large couplings.
*/
struct FloatMatrix {
  float *a[3], *row_sum;
};

/*
   The numbers of a symmetric matrix's diagonals: main, and upper and lower for each axis (-1: none; in half storage upper =
   lower)
*/
struct Diagonals {
  int main, upper[3], lower[3];
};

/* sum[a] <- the sum of |a_mq| over the couplings along each axis, in every step-th row; summed in a fixed order */
template <class V> Status strengths_host(const bdia::View<V> &A, const Diagonals &d, Index step, double *sum);
/* on several MPI processes, before build_fine: the entries across the ends of the slab g from the ghost part B, whose global
   columns are column[]: in border first those of the slab's first plane with the plane below, then those of its last plane with
   the plane above, a number for each cell of a plane. border must be zero before. */
template <class E, class V>
Status read_border(const E &, const blocked::GhostView<V> &B, int D, const Grid &g, const Index *column, double *border,
                   Found *found);
/*
   set-up: the first level, and the FloatMatrix, from A; a row sum below rounding becomes zero; border: as in read_border(),
   followed by the entries of the process above in columns of the plane below; null on one process
*/
template <class E, class V, class T, class U>
Status build_fine(const E &, const bdia::View<V> &A, int D, const Diagonals &d, const Level<T, U> &L, const FloatMatrix &,
                  const double *border, Scales *scales, Found *found);
/* level C from the next finer level L */
template <class E, class T, class U>
Status build_coarse(const E &, int D, const Level<T, U> &L, const Level<T, U> &C, Found *found);
/*
   null, of 3 N numbers, <- for each of N rows three numbers: the null vector of the row's connected component in the last level's
   matrix, scaled to a unit diagonal, or zero for a component with a nonzero row sum; the diagonal entry before the scaling; the
   number of the component, or -1. N: the number of cells, rounded up to a multiple of DENSE_TILE
*/
template <class T, class U> Status find_null_host(int D, const Level<T, U> &L, std::size_t N, double *null);
/*
   dense, N x N, <- the last level's matrix scaled to a unit diagonal, the identity in cells without an unknown, plus null null^T
   in each component: positive definite, with the pseudo-inverse plus null null^T as its inverse
*/
template <class E, class T, class U>
Status fill_dense(const E &, int D, const Level<T, U> &L, std::size_t N, const double *null, double *dense);
/*
   to <- from after block Gauss-Jordan elimination of the DENSE_TILE rows from `first` on; after all rows minus the inverse. Notes
   pivots that are zero to rounding, see inverse_pivot().
*/
constexpr int DENSE_TILE = 32;
Status        eliminate_host(std::size_t N, std::size_t first, const double *from, double *to, Found *found);
/*
   B, n x n, <- the last level's inverse, scaled, from the eliminated matrix, minus the inverse. In double: in float the large
   entries of a nearly singular matrix's inverse would swamp small entries. Notes the ratios of the diagonal, see note_ratio().
*/
template <class E, class T, class U>
Status take_inverse(const E &, const Level<T, U> &L, std::size_t n, std::size_t N, const double *dense, double *B, Found *found);

/* to <- from, n numbers of another type */
template <class E, class T, class U> Status copy_numbers(const E &, std::size_t n, const T *from, U *to);

/* application: largest <- max(largest, |e_m x_m|) */
template <class T, class U> Status find_largest_host(const Level<T, U> &L, const Scalar *x, Scales *scales);
/* or largest <- guess_largest() from the product (x, y) of an earlier application to a similar x */
template <class E, class T, class U> Status guess_scale(const E &, const Level<T, U> &L, const Scalar *product, Scales *scales);
/* the first level: s <- x / largest */
template <class T, class U> Status scale_input_host(const Level<T, U> &L, const Scalar *x, const Scales *scales);
/* the last level: z <- A^-1 r; scales, for a last level that is the first level: output <- largest / diagonal, largest <- 0 */
template <class T, class U> Status solve_last_host(const Level<T, U> &L, std::size_t n, const double *inverse, Scales *scales);
/* y <- z with both scales, for a first level that is the last level or is gathered */
template <class T, class U> Status finish_dense_host(const Level<T, U> &L, const Scales *scales, Scalar *y);

template <class V> Status strengths_cuda(const bdia::View<V> &A, const Diagonals &d, Index step, double *sum, Stream stream);
template <class T, class U> Status find_null_cuda(int D, const Level<T, U> &L, std::size_t N, double *null, Stream stream);
Status eliminate_cuda(std::size_t N, std::size_t first, const double *from, double *to, Found *found, Stream stream);
template <class T, class U> Status find_largest_cuda(const Level<T, U> &L, const Scalar *x, Scales *scales, Stream stream);
template <class T, class U> Status scale_input_cuda(const Level<T, U> &L, const Scalar *x, const Scales *scales, Stream stream);
template <class T, class U>
Status solve_last_cuda(const Level<T, U> &L, std::size_t n, const double *inverse, Scales *scales, Stream stream);
template <class T, class U> Status finish_dense_cuda(const Level<T, U> &L, const Scales *scales, Scalar *y, Stream stream);

} // namespace hepta::gridmg
