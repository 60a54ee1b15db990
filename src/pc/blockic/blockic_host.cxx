/* The launchers of blockic_kernels.hxx on the host: the blocks one after another, each by positions */
#include "blockic_kernels.hxx"
#include "blockic_row.hxx"

namespace hepta::blockic
{

template <class V> Status load_host(const bdia::View<V> &A, const Factors &F, const Blocks &B, Scalar shift, Scalar *excess)
{
  for (Index k = 0; k < B.n; k++) {
    const Range b = range(B, k);
    for (Index p = b.begin; p < b.end; p++) {
      for (int r = 0; r < F.bs; r++) load_row(A, F, b, p, r, shift, excess);
    }
  }
  return nullptr;
}

Status factor_host(const Factors &F, const Blocks &B, const Pivots &rule, Report *report)
{
  for (Index k = 0; k < B.n; k++) {
    const Range b = range(B, k);
    for (Index p = b.begin; p < b.end; p++) {
      if (F.bs == 1) factor_row<1>(F, b, p, rule, report);
      else factor_row<0>(F, b, p, rule, report);
    }
  }
  return nullptr;
}

/* One matrix block; w takes the solution of the lower sweep, u that of the upper one */
template <int BS> static void solve_block(const Factors &F, const Range &b, bool transpose, const Scalar *x, Scalar *y, Scalar *w, Scalar *u)
{
  for (Index p = b.begin; p < b.end; p++) {
    for (int r = 0; r < F.bs; r++) w[std::size_t(p - b.begin) * F.bs + r] = x[std::size_t(F.row[p]) * F.bs + r] - coupled<BS>(F, b, true, transpose, p, r, w);
  }
  for (Index p = b.end - 1; p >= b.begin; p--) {
    for (int r = 0; r < F.bs; r++) {
      const Scalar value                               = divided<BS>(F, b, transpose, p, r, w) - coupled<BS>(F, b, false, transpose, p, r, u);
      u[std::size_t(p - b.begin) * F.bs + r]           = value;
      y[std::size_t(F.row[p]) * std::size_t(F.bs) + r] = value;
    }
  }
}

Status solve_host(const Factors &F, const Blocks &B, bool transpose, const Scalar *x, Scalar *y, Scalar *work)
{
  for (Index k = 0; k < B.n; k++) {
    const Range b = range(B, k);
    Scalar     *w = work + std::size_t(b.begin) * F.bs, *u = w + std::size_t(F.nbr) * F.bs;
    if (F.bs == 1) solve_block<1>(F, b, transpose, x, y, w, u);
    else solve_block<0>(F, b, transpose, x, y, w, u);
  }
  return nullptr;
}

/* A sweep row by row */
static void sweep(const Sweep &S, const Range &b, const Scalar *inverse, const Scalar *f, Scalar *y)
{
  Scalar last = 0;

  for (Index g = 0; g < b.end - b.begin; g++) {
    Affine row[1];
    sweep_rows(S, b, g, b.end - b.begin, inverse, f, y, row);
    y[cell(S.up, b, g)] = last = row[0].slope * last + row[0].value;
  }
}

Status scan_host(const Sweep &lower, const Sweep &upper, const Blocks &B, const Scalar *inverse, const Scalar *x, Scalar *y)
{
  for (Index k = 0; k < B.n; k++) {
    sweep(lower, range(B, k), nullptr, x, y);
    sweep(upper, range(B, k), inverse, y, y);
  }
  return nullptr;
}

template Status load_host(const bdia::View<double> &, const Factors &, const Blocks &, Scalar, Scalar *);
template Status load_host(const bdia::View<float> &, const Factors &, const Blocks &, Scalar, Scalar *);

} // namespace hepta::blockic
