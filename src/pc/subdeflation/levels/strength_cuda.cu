/* Aggregates of strongly coupled rows on the device */
#include "../../../shared/scratch.cuh"
#include "strength_launch.hxx"

namespace hepta::strength
{

HEPTA_STRENGTH_LAUNCHERS(DeviceEach)

using Key = std::uint64_t; /* the two aggregates of a coupling, the first in the upper bits; couplings within an aggregate have a key larger than all others */

/* Couplings sorted stably by key: each run of equal keys is a coupling between aggregates; run[k] runs begin before coupling k */
struct Sorted {
  std::size_t  n;
  Key          none;
  Key         *unsorted, *key, *index, *number; /* unsorted and index: before they are sorted */
  std::size_t *run;

  HEPTA_HD bool begins(std::size_t k) const { return k < n && key[k] != none && (!k || key[k] != key[k - 1]); }
};

static Status sort(const Graph &g, const Index *number, Index count, const Sorted &by, cudaStream_t s)
{
  Status bad = each(std::size_t(g.n), s, [=] __device__(std::size_t i) {
    const Index e = number[i];
    for (std::size_t p = g.first[i]; p < g.first[i + 1]; p++) {
      const Index f  = number[g.neighbor[p]];
      by.unsorted[p] = e == f ? by.none : Key(e) * Key(count) + Key(f);
      by.index[p]    = p;
    }
  });
  if (!bad) bad = sort_by_key(DeviceEach{s}, by.n, bits_of(by.none), by.unsorted, by.key, by.index, by.number);
  if (!bad) bad = each(by.n + 1, s, [=] __device__(std::size_t k) { by.run[k] = by.begins(k); });
  return bad ? bad : running_sums(DeviceEach{s}, by.n + 1, by.run);
}

/* Sets where the couplings of each aggregate begin, and the couplings, which are sums over the runs in their order */
static Status sum_runs(const Sorted &by, const Scalar *given, Index count, std::size_t *first, Index *neighbor, Scalar *weight, cudaStream_t s)
{
  const Status bad = each(by.n, s, [=] __device__(std::size_t k) {
    if (!by.begins(k)) return;
    Scalar sum = 0;
    for (std::size_t l = k; l < by.n && by.key[l] == by.key[k]; l++) sum += given[by.number[l]];
    neighbor[by.run[k]] = Index(by.key[k] % Key(count));
    weight[by.run[k]]   = sum;
  });

  return bad ? bad : each(std::size_t(count) + 1, s, [=] __device__(std::size_t e) { first[e] = by.run[first_above(by.n, [&](std::size_t k) { return by.key[k] >= Key(e) * Key(count); })]; });
}

Status coarsen_cuda(const Graph &g, const Index *number, Index count, std::size_t *first, Index *neighbor, Scalar *weight, std::size_t *entries, Stream stream)
{
  const cudaStream_t s = (cudaStream_t)stream;
  Sorted             by{};
  Scratch            scratch(s);

  Status bad = fetch(DeviceEach{stream}, g.first + g.n, &by.n);
  by.none    = Key(count) * Key(count);
  if (!bad) bad = scratch.Take(by.n, &by.unsorted, by.n, &by.key, by.n, &by.index, by.n, &by.number, by.n + 1, &by.run);
  if (!bad) bad = sort(g, number, count, by, s);
  if (!bad) bad = sum_runs(by, g.weight, count, first, neighbor, weight, s);
  return bad ? bad : fetch(DeviceEach{stream}, by.run + by.n, entries);
}

} // namespace hepta::strength
