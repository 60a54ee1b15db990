#include "../../../shared/group.hxx"
#include "subdomains_row.hxx"

namespace hepta::subdeflation
{

template <class E> Status stripe_keys(const E &each, std::size_t n, long long first, long long count, long long rows, Index *key)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t m) { key[m] = Index((first + (long long)m) * count / rows); });
}

template <class E> Status box_keys(const E &each, std::size_t n, const Cells &cells, const CellBoxes &boxes, Index *key)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t m) {
    const Index k = cells.first + Index(m), w = cells.width[0], h = cells.width[1];
    const Index c[3] = {k % w + cells.start[0], k / w % h + cells.start[1], k / w / h + cells.start[2]};
    key[m]           = (c[2] / boxes.size[2] * boxes.n[1] + c[1] / boxes.size[1]) * boxes.n[0] + c[0] / boxes.size[0];
  });
}

template <class E, class R>
Status components(const E &each, std::size_t n, const R &rows, Scalar strength, Scalar *diagonal, Index *name)
{
  Status bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    Scalar d = 0;
    for_entries(rows, Index(i), [&](Index j, Scalar v, bool) { d = j == Index(i) ? magnitude(v) : d; });
    diagonal[i] = d;
    name[i]     = Index(i);
  });

  if (!bad)
    bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) {
      for_entries(rows, Index(i), [&](Index j, Scalar v, bool) {
        if (j != Index(i) && strongly_coupled(magnitude(v), diagonal[i], diagonal[j], strength))
          join_components(name, Index(i), j);
      });
    });
  if (!bad) bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) { (void)find_root(name, Index(i)); });
  return bad ? bad : each(n, [=] HEPTA_LAMBDA(std::size_t i) { name[i] = root_of(name, Index(i)); });
}

template <class E>
Status order_by_pairs(const E &each, std::size_t n, const Index *major, Index majors, const Index *minor, Index minors,
                      const PairRoom &room, Index *order)
{
  if (!major) return by_groups(each, n, minor, minors, order, room.first);
  Status bad = by_groups(each, n, minor, minors, room.a, room.first);
  if (!bad) bad = each(n, [=] HEPTA_LAMBDA(std::size_t k) { room.b[k] = major[room.a[k]]; });
  if (!bad) bad = by_groups(each, n, room.b, majors, room.c, room.first);
  return bad ? bad : each(n, [=] HEPTA_LAMBDA(std::size_t k) { order[k] = room.a[room.c[k]]; });
}

template <class E>
Status number_pairs(const E &each, std::size_t n, const Index *major, const Index *minor, const Index *order, Index *rank,
                    Index *label, Index *count)
{
  Status bad = each(n + 1, [=] HEPTA_LAMBDA(std::size_t k) {
    rank[k] = k < n && (!k || minor[order[k]] != minor[order[k - 1]] || (major && major[order[k]] != major[order[k - 1]]));
  });

  if (!bad) bad = running_sums(each, n + 1, rank);
  if (!bad) bad = each(n, [=] HEPTA_LAMBDA(std::size_t k) { label[order[k]] = rank[k + 1] - 1; });
  return bad ? bad : fetch(each, rank + n, count);
}

template <class E> Status compare(const E &each, std::size_t n, const Index *a, const Index *b, long long *found)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) {
    if (a[k] != b[k]) *found = 1;
  });
}

template <class E, class R>
Status count_entries(const E &each, std::size_t n, const R &rows, const Labels &labels, std::size_t *first, std::size_t *entries)
{
  Status bad = each(n + 1, [=] HEPTA_LAMBDA(std::size_t i) {
    std::size_t count = 0;
    if (i < n) for_subdomains(rows, labels, Index(i), [&](Index) { count++; });
    first[i] = count;
  });

  if (!bad) bad = running_sums(each, n + 1, first);
  return bad ? bad : fetch(each, first + n, entries);
}

template <class E, class R>
Status find_entries(const E &each, std::size_t n, const R &rows, const Labels &labels, const std::size_t *first,
                    const AZEntries &entries)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    std::size_t k = first[i];
    for_subdomains(rows, labels, Index(i), [&](Index e) {
      entries.row[k] = Index(i);
      entries.e[k]   = e;
      entries.f[k++] = labels.local[i];
    });
  });
}

template <class E>
Status order_entries(const E &each, std::size_t n, const AZEntries &entries, const Index *order, Index *row, Index *subdomain)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) {
    row[k]       = entries.row[order[k]];
    subdomain[k] = entries.e[order[k]];
  });
}

template <class E> Status label_unknowns(const E &each, std::size_t n, Index bs, const Index *number, Index *label)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { label[i] = number[i / bs] * bs + Index(i % bs); });
}

template <class E>
Status count_segments(const E &each, std::size_t n, const Labels &labels, const Index *row, const Index *subdomain,
                      std::size_t *before, std::size_t *segments)
{
  Status bad = each(n + 1, [=] HEPTA_LAMBDA(std::size_t k) { before[k] = begins_segment(n, labels, row, subdomain, k); });

  if (!bad) bad = running_sums(each, n + 1, before);
  return bad ? bad : fetch(each, before + n, segments);
}

template <class E>
Status find_segments(const E &each, std::size_t n, const Labels &labels, const Index *row, const Index *subdomain,
                     const std::size_t *before, std::size_t *begin, Index *e, Index *f)
{
  return each(n + 1, [=] HEPTA_LAMBDA(std::size_t k) {
    const std::size_t s = before[k];
    if (k == n) begin[s] = n;
    if (!begins_segment(n, labels, row, subdomain, k)) return;
    begin[s] = k;
    e[s]     = subdomain[k];
    f[s]     = labels.local[row[k]];
  });
}

#define HEPTA_ROWS(f) \
  HEPTA_EACH_WITH(f, ListedRows<double>) \
  HEPTA_EACH_WITH(f, ListedRows<float>) \
  HEPTA_EACH_WITH(f, CompressedRows)
HEPTA_ROWS(components)
HEPTA_ROWS(count_entries)
HEPTA_ROWS(find_entries)
HEPTA_EACH(stripe_keys)
HEPTA_EACH(box_keys)
HEPTA_EACH(order_by_pairs)
HEPTA_EACH(number_pairs)
HEPTA_EACH(label_unknowns)
HEPTA_EACH(compare)
HEPTA_EACH(order_entries)
HEPTA_EACH(count_segments)
HEPTA_EACH(find_segments)

} // namespace hepta::subdeflation
