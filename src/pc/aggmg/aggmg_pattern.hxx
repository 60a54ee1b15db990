/* Patterns: the nodes of a matrix, products, transposes */
#pragma once

#include "aggmg_each.hxx"

namespace hepta::aggmg
{

/* The key of row m and column j < columns: sorts by row, then by column */
HEPTA_HD std::uint64_t key_of(Index m, Index j, Index columns)
{
  return std::uint64_t(m) * std::uint64_t(columns) + std::uint64_t(j);
}

template <class E> Status put_number(const E &each, double number, double *to)
{
  return each(1, [=] HEPTA_LAMBDA(std::size_t) { *to = number; });
}

template <class E> Status fill_with(const E &each, std::size_t n, long long value, long long *to)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) { to[k] = value; });
}

template <class E>
Status split_keys(const E &each, Index rows, Index columns, const std::uint64_t *key, std::size_t count, Index *first, Index *col,
                  Index *row)
{
  const Status bad = each(std::size_t(rows) + 1, [=] HEPTA_LAMBDA(std::size_t m) {
    const std::uint64_t least = std::uint64_t(m) * std::uint64_t(columns);
    std::size_t         low = 0, high = count;
    while (low < high) {
      const std::size_t mid = low + (high - low) / 2;
      if (key[mid] < least) low = mid + 1;
      else high = mid;
    }
    first[m] = Index(low);
  });
  return bad ? bad : each(count, [=] HEPTA_LAMBDA(std::size_t k) {
    row[k] = Index(key[k] / std::uint64_t(columns));
    col[k] = Index(key[k] % std::uint64_t(columns));
  });
}

template <class E> Status product_offsets(const E &each, const Pattern &A, const Pattern &B, std::size_t *offset)
{
  const Status bad = each(std::size_t(A.rows) + 1, [=] HEPTA_LAMBDA(std::size_t m) {
    std::size_t n = 0;
    for (Index e = A.first[m]; m < std::size_t(A.rows) && e < A.first[m + 1]; e++)
      n += std::size_t(B.first[A.col[e] + 1] - B.first[A.col[e]]);
    offset[m] = n;
  });
  return bad ? bad : running_sums(each, std::size_t(A.rows) + 1, offset);
}

template <class E>
Status product_keys(const E &each, const Pattern &A, const Pattern &B, Index columns, const std::size_t *offset,
                    std::uint64_t *key)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t m) {
    std::size_t at = offset[m];
    for (Index e = A.first[m]; e < A.first[m + 1]; e++) {
      for (Index f = B.first[A.col[e]]; f < B.first[A.col[e] + 1]; f++) key[at++] = key_of(Index(m), B.col[f], columns);
    }
  });
}

template <class E>
Status count_products(const E &each, const Pattern &A, const Pattern &B, const Pattern &C, std::size_t entries,
                      std::size_t *first, long long *too_long)
{
  const Status bad = each(entries + 1, [=] HEPTA_LAMBDA(std::size_t e) {
    std::size_t n    = 0;
    Index       most = 0;
    if (e < entries) {
      const Index begin = A.first[C.row[e]], end = A.first[C.row[e] + 1];
      most = end - begin;
      for (Index a = begin; a < end; a++) {
        const Index row = A.col[a], length = B.first[row + 1] - B.first[row];
        n += find_tile(B, row, C.col[e]) >= 0;
        most = length > most ? length : most;
      }
    }
    first[e] = n;
    if (most > MOST_IN_ROW) *too_long = 1;
  });
  return bad ? bad : running_sums(each, entries + 1, first);
}

template <class E>
Status list_products(const E &each, const Pattern &A, const Pattern &B, const Pattern &C, std::size_t entries,
                     const std::size_t *first, unsigned *pair)
{
  return each(entries, [=] HEPTA_LAMBDA(std::size_t e) {
    const Index begin = A.first[C.row[e]], end = A.first[C.row[e] + 1];
    std::size_t to = first[e];
    for (Index a = begin; a < end; a++) {
      const Index b = find_tile(B, A.col[a], C.col[e]);
      if (b >= 0) pair[to++] = unsigned(a - begin) * unsigned(MOST_IN_ROW) + unsigned(b - B.first[A.col[a]]);
    }
  });
}

template <class E>
Status node_keys(const E &each, Index nodes, Index columns, int bs, const std::size_t *first, const Index *column,
                 std::size_t *offset, std::uint64_t *key)
{
  return each(std::size_t(nodes) + 1, [=] HEPTA_LAMBDA(std::size_t m) {
    offset[m] = first[m * bs];
    for (std::size_t p = offset[m]; m < std::size_t(nodes) && p < first[(m + 1) * bs]; p++)
      key[p] = key_of(Index(m), column[p] / bs, columns);
  });
}

/* The first of n ascending numbers that is not less than x, n if all are less */
HEPTA_HD Index first_not_less(const Index *number, Index n, Index x)
{
  Index low = 0;

  while (low < n) {
    const Index mid = low + (n - low) / 2;
    if (number[mid] < x) low = mid + 1;
    else n = mid;
  }
  return low;
}

template <class E>
Status append_ghosts(const E &each, Index n, int bs, const std::size_t *from, const Index *from_column,
                     const std::size_t *from_slot, const GhostRows &g, std::size_t *first, Index *column, std::size_t *slot)
{
  return each(std::size_t(n) + 1, [=] HEPTA_LAMBDA(std::size_t i) {
    const Index m = Index(i / bs), r = Index(i % bs);
    const Index b      = first_not_less(g.row, g.rows, m);
    const Index blocks = b < g.rows && g.row[b] == m ? g.first[b + 1] - g.first[b] : 0;
    std::size_t at     = from[i] + std::size_t(bs) * (std::size_t(bs) * g.first[b] + std::size_t(r) * blocks);
    first[i]           = at;
    for (std::size_t p = from[i]; i < std::size_t(n) && p < from[i + 1]; p++, at++) {
      column[at] = from_column[p];
      slot[at]   = from_slot[p];
    }
    for (Index q = g.first[b]; q < g.first[b] + blocks; q++) {
      for (int c = 0; c < bs; c++, at++) {
        column[at] = n + g.col[q] * bs + c;
        slot[at]   = (std::size_t(c) * g.ld + std::size_t(g.block[q]) * bs + r) | std::size_t(GHOST);
      }
    }
  });
}

template <class E>
Status extend_rows(const E &each, const Pattern &A, std::size_t tiles, Index ghosts, const Index *end, Index *first, Index *col,
                   Index *row)
{
  Status bad = each(std::size_t(A.rows) + 1, [=] HEPTA_LAMBDA(std::size_t m) { first[m] = A.first[m]; });

  if (!bad)
    bad = each(tiles, [=] HEPTA_LAMBDA(std::size_t e) {
      col[e] = A.col[e];
      row[e] = A.row[e];
    });
  return bad ? bad : each(std::size_t(ghosts), [=] HEPTA_LAMBDA(std::size_t g) {
    first[A.rows + g + 1] = Index(tiles) + end[g];
    for (Index e = g ? end[g - 1] : 0; e < end[g]; e++) row[tiles + e] = A.rows + Index(g);
  });
}

template <class E>
Status tile_keys(const E &each, const Pattern &A, std::size_t tiles, Index start, Index columns, std::uint64_t *key)
{
  return each(tiles, [=] HEPTA_LAMBDA(std::size_t e) { key[e] = key_of(start + A.row[e], A.col[e], columns); });
}

template <class E>
Status outside_keys(const E &each, const Pattern &A, std::size_t tiles, Index start, Index own, std::uint64_t *key)
{
  return each(tiles, [=] HEPTA_LAMBDA(std::size_t e) {
    const Index j = A.col[e];
    key[e]        = j >= start && j - start < own ? 0 : std::uint64_t(j) + 1;
  });
}

/* The local number of node j of all nodes */
HEPTA_HD Index local_of(const LocalNodes &nodes, Index j)
{
  if (j >= nodes.start && j - nodes.start < nodes.own) return j - nodes.start;
  return nodes.own + first_not_less(nodes.ghost, nodes.ghosts, j);
}

template <class E> Status ghost_columns(const E &each, const Pattern &A, std::size_t tiles, const LocalNodes &nodes, Index *col)
{
  return each(tiles, [=] HEPTA_LAMBDA(std::size_t e) {
    const Index j = A.col[e] - nodes.own;
    col[e]        = j < 0 ? j : nodes.ghost[j];
  });
}

template <class E>
Status local_keys(const E &each, const Pattern &A, const LocalNodes &nodes, Index columns, std::size_t *offset,
                  std::uint64_t *key)
{
  return each(std::size_t(A.rows) + 1, [=] HEPTA_LAMBDA(std::size_t m) {
    offset[m] = std::size_t(A.first[m]);
    for (Index e = A.first[m]; m < std::size_t(A.rows) && e < A.first[m + 1]; e++)
      key[e] = key_of(Index(m), local_of(nodes, A.col[e]), columns);
  });
}

template <class E> Status local_columns(const E &each, const Pattern &A, std::size_t tiles, const LocalNodes &nodes, Index *col)
{
  return each(tiles, [=] HEPTA_LAMBDA(std::size_t e) { col[e] = local_of(nodes, A.col[e]); });
}

template <class E>
Status match_tiles(const E &each, const Pattern &local, std::size_t tiles, const Pattern &A, const LocalNodes &nodes, Index *at)
{
  return each(tiles, [=] HEPTA_LAMBDA(std::size_t e) {
    const Index j = local.col[e];
    at[e]         = find_tile(A, local.row[e], j < nodes.own ? nodes.start + j : nodes.ghost[j - nodes.own]);
  });
}

template <class E, class T> Status take_tiles(const E &each, std::size_t tiles, int size, const Index *at, const T *from, T *to)
{
  return each(tiles * size, [=] HEPTA_LAMBDA(std::size_t q) { to[q] = from[std::size_t(at[q / size]) * size + q % size]; });
}

template <class E>
Status list_slots(const E &each, const Pattern &A, int bs, const std::size_t *first, const Index *column, const std::size_t *slot,
                  long long *from)
{
  return each(std::size_t(A.rows) * bs, [=] HEPTA_LAMBDA(std::size_t i) {
    const Index m = Index(i / bs), r = Index(i % bs);
    for (std::size_t p = first[i]; p < first[i + 1]; p++) {
      const Index e                                         = find_tile(A, m, column[p] / bs);
      from[(std::size_t(e) * bs + r) * bs + column[p] % bs] = (long long)slot[p];
    }
  });
}

template <class E>
Status tentative_pattern(const E &each, Index nodes, Index start, const Index *aggregate, Index *first, Index *col, Index *row)
{
  Status bad =
    each(std::size_t(nodes) + 1, [=] HEPTA_LAMBDA(std::size_t m) { first[m] = m < std::size_t(nodes) && aggregate[m] >= 0; });

  if (!bad) bad = running_sums(each, std::size_t(nodes) + 1, first);
  return bad ? bad : each(std::size_t(nodes), [=] HEPTA_LAMBDA(std::size_t m) {
    if (aggregate[m] < 0) return;
    col[first[m]] = start + aggregate[m];
    row[first[m]] = Index(m);
  });
}

template <class E>
Status transpose_pattern(const E &each, const Pattern &A, std::size_t entries, Index start, Index columns, Index *first,
                         Index *col, Index *row, Index *at, Index *group, std::size_t *work_first)
{
  Status bad = each(entries, [=] HEPTA_LAMBDA(std::size_t e) {
    const Index j = A.col[e] - start;
    group[e]      = j >= 0 && j < columns ? j : columns;
  });

  if (!bad) bad = by_groups(each, entries, (const Index *)group, columns + 1, at, work_first);
  if (!bad) bad = each(std::size_t(columns) + 1, [=] HEPTA_LAMBDA(std::size_t j) { first[j] = Index(work_first[j]); });
  return bad ? bad : each(entries, [=] HEPTA_LAMBDA(std::size_t t) {
    col[t] = A.row[at[t]];
    row[t] = A.col[at[t]] - start;
  });
}

template <class E, class T>
Status strong_pattern(const E &each, const Tiles<T> &A, double threshold, const double *norm, bool rest, Index *first, Index *col)
{
  const double t2  = threshold * threshold;
  const Status bad = each(std::size_t(A.rows) + 1, [=] HEPTA_LAMBDA(std::size_t m) {
    const Index begin = col ? first[m] : 0;
    Index       at    = begin;
    bool        ghost = false; /* has a strong ghost */
    for (Index e = A.first[m]; m < std::size_t(A.rows) && e < A.first[m + 1]; e++) {
      const Index j = A.col[e];
      if (j == Index(m) ? !rest : !(square_of(A, e) > t2 * norm[m] * norm[j])) continue;
      ghost = ghost || j >= A.rows;
      if (j >= A.rows && !rest) continue;
      if (col) col[at] = j;
      at++;
    }
    if (ghost && at == begin) {
      if (col) col[at] = Index(m);
      at++;
    }
    if (!col) first[m] = at;
  });
  return bad || col ? bad : running_sums(each, std::size_t(A.rows) + 1, first);
}

template <class E, class T>
Status filter_values(const E &each, const Tiles<T> &A, const Pattern &F, const double *rho, const double *w, T *val, double *wF)
{
  const int size = A.br * A.bc;

  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t m) {
    Index f = F.first[m], diagonal = -1;
    for (Index e = A.first[m]; e < A.first[m + 1]; e++) {
      if (f == F.first[m + 1] || F.col[f] != A.col[e]) continue;
      for (int k = 0; k < size; k++) val[std::size_t(f) * size + k] = A.val[std::size_t(e) * size + k];
      if (A.col[e] == Index(m)) diagonal = f;
      f++;
    }
    f = F.first[m];
    for (Index e = A.first[m]; e < A.first[m + 1]; e++) {
      if (f < F.first[m + 1] && F.col[f] == A.col[e]) f++;
      else {
        for (int k = 0; diagonal >= 0 && k < size; k++) val[std::size_t(diagonal) * size + k] += A.val[std::size_t(e) * size + k];
      }
    }
    for (int r = 0; r < A.br; r++) {
      const std::size_t i = m * A.br + r;
      const double      d = diagonal < 0 ? 0 : *rho * double(val[std::size_t(diagonal) * size + r * A.bc + r]);
      wF[i]               = 10 * d * w[i] > 1 ? 1 / d : w[i];
    }
  });
}

} // namespace hepta::aggmg
