/* The launchers of blockic_kernels.hxx on the host: the blocks one after another, each row by row */
#include "blockic_row.hxx"

namespace hepta::blockic
{

template <class V> Status load_host(const bdia::View<V> &A, const Factors &F, const Blocks &B, Scalar shift, Scalar *excess)
{
  for (Index k = 0; k < B.n; k++) {
    const Range b = range(B, k);
    for (Index i = b.begin; i < b.end; i++) load_row(A, F, b, i, shift, excess);
  }
  return nullptr;
}

Status factor_host(const Factors &F, const Blocks &B, const factor::PivotRule &rule, factor::Report *report)
{
  for (Index k = 0; k < B.n; k++) {
    const Range b = range(B, k);
    for (Index i = b.begin; i < b.end; i++) factor_row(F, b, i, rule, report);
  }
  return nullptr;
}

/* A sweep, row by row */
template <class V> static void sweep(const Sweep<V> &S, const Range &b, const Scalar *inverse, const Scalar *f, Scalar *y)
{
  Scalar last = 0;

  for (Index g = 0; g < b.end - b.begin; g++) {
    Affine row[1];
    sweep_rows(S, b, g, b.end - b.begin, inverse, f, y, row);
    y[cell(S.up, b, g)] = last = row[0].slope * last + row[0].value;
  }
}

template <class V>
Status scan_host(const Sweep<V> &lower, const Sweep<V> &upper, const Blocks &B, const Scalar *inverse, const Scalar *x, Scalar *y)
{
  for (Index k = 0; k < B.n; k++) {
    sweep(lower, range(B, k), nullptr, x, y);
    sweep(upper, range(B, k), inverse, y, y);
  }
  return nullptr;
}

HEPTA_INSTANCES(load_host)
HEPTA_INSTANCES(scan_host)

} // namespace hepta::blockic
