/* The launchers of bbs_kernels.hxx on the host */
#include <vector>

#include "bbs_kernels.hxx"
#include "bbs_row.hxx"

namespace hepta::bbs
{

static const HostEach each;

template <class V> Status gather_host(std::size_t n, const Index *from, const V *v, Scalar *w)
{
  return gather(each, n, from, v, w);
}

template Status gather_host(std::size_t, const Index *, const double *, Scalar *);
template Status gather_host(std::size_t, const Index *, const float *, Scalar *);

Status add_to_diagonal_host(const Blocks &B, Scalar amount)
{
  return add_to_diagonal(each, B, amount);
}

Status factor_host(const Blocks &B, const factor::PivotRule &rule, factor::Report *report)
{
  std::vector<Index> place(std::size_t(B.n), -1);

  for (Index m = 0; m < B.n; m++) { /* in this order each row comes after those that it depends on */
    for (Index p = B.i[m]; p < B.i[m + 1]; p++) place[B.j[p]] = p;
    eliminate_row(B, SingleThread{place.data()}, m, rule, report);
    for (Index p = B.i[m]; p < B.i[m + 1]; p++) place[B.j[p]] = -1;
  }
  return nullptr;
}

Status scale_rows_host(const Blocks &B, bool upper, const factor::PivotRule &rule, factor::Report *report)
{
  for (Index m = 0; m < B.n; m++) scale_row_of(B, SingleThread(), m, upper, rule, report);
  return nullptr;
}

Status fill_rows_host(std::size_t n, const Index *from, const Blocks &B, bool scale, Scalar *val)
{
  for (std::size_t e = 0; e < n; e++) val[e] = solve_value(B, scale, from[e]);
  return nullptr;
}

Status solve_rows_host(const TriangleRows &R, const Vectors &v)
{
  const bool apart = needs_work(v);

  for (int k = 0; k < v.count; k++) {
    Scalar *y = apart ? v.work + std::size_t(k) * R.n : v.x + k * v.ldx;
    for (Index n = 0; n < R.n; n++) {
      const Index i = R.upper ? R.n - 1 - n : n;
      Scalar      a = right_hand_side(v, k, i);
      for (Index p = R.first[i]; p < R.first[i + 1]; p++) a += R.val[p] * y[R.col[p]];
      y[i] = a;
    }
    for (Index i = 0; i < R.n && apart; i++) store_solution(v, k, i, [&](Index c) { return y[c]; });
  }
  return nullptr;
}

} // namespace hepta::bbs
