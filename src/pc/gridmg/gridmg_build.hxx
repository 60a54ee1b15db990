/* The arithmetic of the set-up of multigrid on boxes, once, for host and device */
#pragma once

#include "../ip/ip_row.hxx"
#include "gridmg_cell.hxx"

namespace hepta::gridmg
{

/* The entry on diagonal d, of offset o or, in half storage, -o; zero outside the matrix and without such a diagonal */
template <class V> HEPTA_HD double entry(const bdia::View<V> &A, int d, Index i, Index o)
{
  return d < 0 || i + o < 0 || i + o >= A.nbc ? 0 : double(ip::entry(A, d, o, i));
}

/* What row i adds to the strength of axis a: |a_ij| for its upper neighbor j along the axis, 0 without the diagonal */
template <class V> HEPTA_HD double strength(const bdia::View<V> &A, const Diagonals &d, int a, Index i)
{
  return d.upper[a] < 0 ? 0 : fabs(entry(A, d.upper[a], i, A.off[d.upper[a]]));
}

/* The distance of 1 to the next number of type V */
template <class V> constexpr double EPSILON = sizeof(V) < sizeof(double) ? 1.2e-7 : 2.2e-16;

/* Do two entries of type V that should be equal differ by more than rounding? */
template <class V> HEPTA_HD bool differ(double a, double b)
{
  return fabs(a - b) > (sizeof(V) < sizeof(double) ? 1e-5 : 1e-10) * (fabs(a) + fabs(b));
}

/* Is a coupling larger than a positive definite matrix of V allows beside these diagonal entries? Equality is a null space. */
template <class V> HEPTA_HD bool too_large(double coupling, double a, double b)
{
  constexpr double ROUNDINGS = 16 * EPSILON<V>;

  return coupling * coupling > (1 + ROUNDINGS) * a * b;
}

/*
   Are couplings less accurate than the arithmetic? If so, the diagonal is the row sum minus the rounded couplings: the rounded
   matrix keeps A's null space, and gets no positive coupling that A lacks.
*/
template <class T, class U> constexpr bool ROUNDED = sizeof(U) < sizeof(T);
/*
   The largest relative change of a diagonal entry by rounding: 2^-9 for couplings of one sign, not small for large couplings of
   both signs
*/
constexpr double CHANGE = 1. / 128;

/* What rounding to U adds to a */
template <class U> HEPTA_HD double rounding(double a)
{
  return double(U(a)) - a;
}

/* Are the values of a cell in the range of T? */
template <int D, class T, class U> HEPTA_HD bool in_range(const Level<T, U> &L, Index m)
{
  T sum = L.row_sum[m] + L.e[m];

  HEPTA_DEVICE_UNROLL
  for (int a = 0; a < D; a++) sum += T(L.a[a][m]);
  return sum - sum == 0 && L.e[m] > 0;
}

/* The rows of a plane of the last axis */
template <int D> HEPTA_HD Index plane_rows(const Grid &g)
{
  return D == 1 ? 1 : D == 2 ? g.n[0] : g.n[0] * g.n[1];
}

/* Stores block q of B in border, see read_border() */
template <int D, class V>
HEPTA_HD void read_border_entry(const blocked::GhostView<V> &B, const Grid &g, const Index *column, double *border, Found *found,
                                Index q)
{
  const Index  i = B.line[q], o = column[B.col[q]] - g.first - i, plane = plane_rows<D>(g);
  const double a = double(B.v[q]);

  if (o == -plane) border[i] = a;
  else if (o == plane) border[2 * plane + i - plane * g.n[D - 1]] = a;
  else if (a != 0) note_first(&found->wrapped, g.first + i);
  if (!(a - a == 0)) note_first(&found->infinite, g.first + i);
}

/* The entries of row m along an axis: a_m,upper, its transposed entry a_upper,m, and a_m,lower */
struct Couplings {
  double upper, back, lower;
};

/* The Couplings of row `at` along axis x, with the neighbors at - step and at + step */
template <class V> HEPTA_HD Couplings couplings(const bdia::View<V> &A, const Diagonals &d, int x, Index at, Index step)
{
  return {entry(A, d.upper[x], at, step), entry(A, d.lower[x], at + step, -step), entry(A, d.lower[x], at, -step)};
}

/* Takes the couplings across the ends of a slab of `rows` rows, `plane` of them a plane, from border, see build_fine() */
HEPTA_HD void take_border(Index rows, Index plane, const double *border, Index at, Couplings *b)
{
  const Index above = at - (rows - plane);

  if (at < plane) b->lower = border[at];
  if (above < 0) return;
  b->upper = border[plane + above];
  b->back  = border[2 * plane + above];
}

/* A computed row sum of entries of type V; zero if below the rounding of the diagonal entry a */
template <class V> HEPTA_HD double row_sum(double sum, double a)
{
  return fabs(sum) <= (sizeof(V) < sizeof(double) ? 16 : 64) * EPSILON<V> * a ? 0 : sum;
}

/* The finest level's cell (i, j, k); SLAB: with a border */
template <int D, bool SLAB, class V, class T, class U>
HEPTA_HD void build_fine_cell(const bdia::View<V> &A, const Diagonals &d, const Level<T, U> &L, const FloatMatrix &M,
                              const double *border, Scales *scales, Found *found, Index i, Index j, Index k)
{
  const Index  c[3] = {i, j, k}, at = row(L.g, i, j, k), m = cell_index(L.g, i, j, k),
               step[3] = {1, L.g.n[0], L.g.n[0] * L.g.n[1]}, name = L.g.first + at;
  const Index  rows     = step[2] * L.g.n[2];
  const V     *diagonal = A.v + std::size_t(d.main) * A.ld;
  const double unit = 1 / (SLAB ? scales->diagonal : double(diagonal[0])), a = diagonal[at];
  double       sum = a, change = 0;

  if (!at && !SLAB) scales->diagonal = diagonal[0];
  if (!(a > 0)) note_first(&found->diagonal, name);
  HEPTA_DEVICE_UNROLL
  for (int x = 0; x < D; x++) {
    const bool slab  = SLAB && x + 1 == D; /* beyond the ends of a slab the grid continues, or the entries are zero */
    const bool first = !slab && !c[x], last = !slab && c[x] + 1 == L.g.n[x];
    Couplings  b = couplings(A, d, x, at, step[x]);
    if (slab) take_border(step[x] * L.g.n[x], step[x], border, at, &b);
    if (!last && b.upper != b.back) note_first(&found->rounded, name);
    if ((last && b.upper != 0) || (first && b.lower != 0)) note_first(&found->wrapped, name);
    else if (!last && differ<V>(b.upper, b.back)) note_first(&found->unsymmetric, name);
    else if (!last && at + step[x] < rows && too_large<V>(b.upper * unit, a * unit, double(diagonal[at + step[x]]) * unit))
      note_first(&found->coupling, name);
    sum += b.upper + b.lower;
    L.a[x][m] = U(last ? 0 : b.upper * unit);
    if (M.row_sum) M.a[x][m] = float(last ? 0 : b.upper * unit);
    if (ROUNDED<T, U>) {
      const double lower = first ? 0 : slab && at < step[x] ? b.lower : entry(A, d.upper[x], at - step[x], step[x]);
      change += double(L.a[x][m]) - b.upper * unit * !last + rounding<U>(lower * unit);
    }
  }
  if (!(sum - sum == 0)) note_first(&found->infinite, name);
  L.row_sum[m] = T(row_sum<V>(sum, a) * unit);
  if (M.row_sum) M.row_sum[m] = float(row_sum<V>(sum, a) * unit);
  L.e[m] = T(1 / (a * unit - change));
  L.z[m] = T(a * unit);
  if (ROUNDED<T, U> && !(fabs(change) <= CHANGE * a * unit)) note_first(&found->range, name);
  if (sum - sum == 0 && !in_range<D>(L, m)) note_first(&found->range, name);
}

/* Box (I, J, K) of level L as a cell of C */
template <int D, class T, class U>
HEPTA_HD void build_coarse_cell(const Level<T, U> &L, const Level<T, U> &C, Found *found, Index I, Index J, Index K)
{
  const Index at = cell_index(C.g, I, J, K), first = cell_index(L.g, I * L.g.box[0], J * L.g.box[1], K * L.g.box[2]);
  const Index n[3]     = {box_cells(L, C, 0, I), box_cells(L, C, 1, J), box_cells(L, C, 2, K)};
  double      upper[3] = {0, 0, 0}, lower[3] = {0, 0, 0}, faces = 0, change = 0, sum = 0, size = 0;
  T           largest = 0;

  for (Index k = 0; k < n[2]; k++) {
    for (Index j = 0; j < n[1]; j++) {
      for (Index i = 0; i < n[0]; i++) {
        const Index m = first + cell_index(L.g, i, j, k), c[3] = {i, j, k};
        sum += L.row_sum[m];
        size += reciprocal(L.e[m]);
        if (L.z[m] > largest) largest = L.z[m];
        HEPTA_DEVICE_UNROLL
        for (int a = 0; a < D; a++) {
          if (c[a] + 1 == n[a]) upper[a] += double(L.a[a][m]);
          if (!c[a]) lower[a] += double(L.a[a][m - L.g.stride[a]]); /* in the box below's order: equal rounding */
        }
      }
    }
  }
  HEPTA_DEVICE_UNROLL
  for (int a = 0; a < D; a++) {
    C.a[a][at] = U(upper[a]);
    faces += upper[a] + lower[a];
    if (ROUNDED<T, U>) change += rounding<U>(upper[a]) + rounding<U>(lower[a]);
  }
  /* zero if below the rounding of the cells' diagonal entries */
  const double d = fabs(sum - faces) <= 1e-12 * size ? 0 : sum - faces;
  if (d < 0) note_first(&found->indefinite, C.g.first + row(C.g, I, J, K));
  if (ROUNDED<T, U> && !(fabs(change) <= CHANGE * d)) note_first(&found->range, C.g.first + row(C.g, I, J, K));
  C.row_sum[at] = T(sum);
  C.e[at]       = T(reciprocal(d - change));
  C.z[at]       = largest;
}

/* The last level's diagonal entry of cell m, in full; zero without an unknown */
template <class T, class U> HEPTA_HD double last_diagonal(int D, const Level<T, U> &L, Index m)
{
  double d = L.row_sum[m];

  for (int a = 0; a < D; a++) d -= double(L.a[a][m]) + double(L.a[a][m - L.g.stride[a]]);
  return L.e[m] > 0 ? d : 0;
}

/* The connected component of a row of the last level before joined(): its number, or -1 where its row sum is not zero */
template <class T, class U> HEPTA_HD double own_component(const Level<T, U> &L, Index row)
{
  return L.row_sum[cell_index(L.g, row)] == 0 ? double(row) : -1;
}

/*
   The least number of the row and its neighbors. In a fixed point each row of a component has the component's least number, -1
   for a component with a nonzero row sum.
*/
template <class T, class U> HEPTA_HD double joined(int D, const Level<T, U> &L, Index row, const double *component)
{
  const Index m = cell_index(L.g, row), step[3] = {1, L.g.n[0], L.g.n[0] * L.g.n[1]};
  double      least = component[row];

  for (int a = 0; a < D; a++) {
    if (T(L.a[a][m]) != 0) least = fmin(least, component[row + step[a]]);
    if (T(L.a[a][m - L.g.stride[a]]) != 0) least = fmin(least, component[row - step[a]]);
  }
  if (least >= 0) least = fmin(least, component[Index(least)]); /* fewer calls: a number travels beyond the next row */
  return least;
}

/*
   The null vector of a row's component with zero row sums, scaled as the matrix, of length 1; d: the diagonal entries of the last
   level's n rows
*/
HEPTA_HD double null_entry(Index n, Index row, const double *d, const double *component)
{
  double sum = 0;

  for (Index q = 0; q < n && component[row] >= 0; q++) sum += component[q] == component[row] ? d[q] : 0;
  return sum > 0 ? sqrt(d[row] / sum) : 0;
}

/* Entry (e, f) of the last level's matrix, scaled to a unit diagonal */
template <class T, class U> HEPTA_HD double dense_entry(int D, const Level<T, U> &L, std::size_t e, std::size_t f)
{
  const Index cells = L.g.n[0] * L.g.n[1] * L.g.n[2];

  if (e == f) return 1;
  if (Index(e) >= cells || Index(f) >= cells) return 0;
  const Index low = cell_index(L.g, Index(e < f ? e : f)), high = cell_index(L.g, Index(e < f ? f : e));
  for (int a = 0; a < D; a++) {
    /* an axis of a single cell shares its stride with the next axis */
    if (L.g.n[a] == 1 || low + L.g.stride[a] != high) continue;
    const double d = last_diagonal(D, L, low) * last_diagonal(D, L, high);
    return d > 0 ? double(L.a[a][low]) / sqrt(d) : 0;
  }
  return 0;
}

/*
   The largest ratio of note_ratio() for the cycle: eps ratio = 0.01. In double, of 600 random grids with contrasts of 1e12 and
   1e15, and couplings along the axes that differ by up to 1e16, nearly all with ratios below 1e13 were solved right, and hardly
   any with ratios above 1e14.
*/
constexpr double LARGEST_RATIO = 0.01 / EPSILON<Scalar>;

/*
   Notes the largest ratio of all calls, and its cell; noted_ratio() decodes ratio and cell. Positive floats are ordered as their
   bits. The ratio of cell q of the last level is

     max a_mm over the rows m of q, times (E^-1)_qq, E = P^T A P from couplings and row sums.

   The residual of row m has a rounding error of about eps a_mm |x|. The correction of q's rows multiplies the error by (E^-1)_qq:
   eps times the ratio times |x|. At a ratio of 1/eps the error is as large as the solution: the stored diagonal of A has lost the
   couplings and row sums that make up 1 / (E^-1)_qq, so A itself does not determine the solution in q's rows.
*/
HEPTA_HD void note_ratio(long long *code, double ratio, Index cell)
{
  const float   rounded = float(fabs(ratio));
  std::uint32_t bits;

  memcpy(&bits, &rounded, sizeof(bits));
  /* the largest code is that of the smallest number */
  note_first(code, 0x7fffffffffffffffLL - ((long long)bits << 32 | (long long)cell));
}

inline double noted_ratio(long long code, Index *cell)
{
  const std::uint32_t bits = std::uint32_t(code >> 32);
  float               ratio;

  memcpy(&ratio, &bits, sizeof(ratio));
  *cell = Index(code & 0xffffffffLL);
  return ratio;
}

/*
   1 / pivot for a matrix with a unit diagonal, or 1 for a pivot not above rounding. The null vectors of find_null() leave no zero
   pivot, so a pivot that is zero to rounding belongs to a row whose couplings with later rows are lost: note_ratio() gets a ratio
   above LARGEST_RATIO. A negative pivot beyond rounding belongs to an indefinite matrix: the ratio is infinite.
*/
HEPTA_HD double inverse_pivot(double pivot, Found *found, std::size_t row)
{
  constexpr double LEAST = EPSILON<double> / 0.01, ROUNDING = 1e-12; /* of thousands of steps */

  if (found && pivot < LEAST) note_ratio(&found->ratio, pivot > -ROUNDING ? 1 / fmax(pivot, 1e-16) : HUGE_VAL, Index(row));
  return fabs(pivot) >= LEAST ? 1 / pivot : 1;
}

} // namespace hepta::gridmg
