/* Slices of block rows with bounded padding, and the layout of the transpose */
#include <algorithm>

#include "../../shared/tuning.hxx"
#include "brow_layout.hxx"
#include "brow_row.hxx"

namespace hepta::brow
{

namespace
{

/* The block rows of one window: which block rows go into slices, in which order, and which stand alone */
class Window {
public:
  Window(const Pattern &P, int height) : P_(P), height_(height) {}

  /* Appends block rows [begin, end) to `sliced`, filled up to whole slices with -1, and to `alone` */
  void Divide(Index begin, Index end, std::vector<Index> &sliced, std::vector<Index> &alone)
  {
    order_.resize(end - begin);
    for (Index m = begin; m < end; m++) order_[m - begin] = m;
    const std::size_t blocks = P_.first[end] - P_.first[begin];
    std::size_t       left = blocks, k = 0;

    if (Padding(0) > tidy_padding * double(blocks)) {
      Sort();
      for (; k < order_.size() && Padding(k) > most_padding * double(left + order_.size() - k); k++) left -= P_.length(order_[k]);
    }
    alone.insert(alone.end(), order_.begin(), order_.begin() + k);
    sliced.insert(sliced.end(), order_.begin() + k, order_.end());
    sliced.resize((sliced.size() + height_ - 1) / height_ * height_, -1);
  }

private:
  /* The number of padding blocks if slices begin at order_[k] */
  double Padding(std::size_t k) const
  {
    std::size_t padding = 0;

    for (; k < order_.size(); k += height_) {
      const std::size_t end  = std::min(order_.size(), k + height_);
      std::size_t       most = 0, sum = 0;
      for (std::size_t p = k; p < end; p++) {
        most = std::max(most, P_.length(order_[p]));
        sum += P_.length(order_[p]);
      }
      padding += most * height_ - sum;
    }
    return double(padding);
  }

  /* Sorts stably, the longest first; by counting unless the range of lengths is large */
  void Sort()
  {
    std::size_t least = ~std::size_t(0), most = 0;

    for (Index m : order_) {
      least = std::min(least, P_.length(m));
      most  = std::max(most, P_.length(m));
    }
    if (most - least > 4 * std::size_t(window)) {
      std::stable_sort(order_.begin(), order_.end(), [this](Index a, Index b) { return P_.length(a) > P_.length(b); });
      return;
    }
    next_.assign(most - least + 2, 0);
    for (Index m : order_) next_[most - P_.length(m) + 1]++;
    for (std::size_t l = 1; l < next_.size(); l++) next_[l] += next_[l - 1];
    sorted_.resize(order_.size());
    for (Index m : order_) sorted_[next_[most - P_.length(m)]++] = m;
    order_.swap(sorted_);
  }

  const Pattern     &P_;
  const std::size_t  height_;
  std::vector<Index> order_, sorted_, next_;
};

/* Sets perm, nslices, nlong, nhuge, longest and natural */
void set_positions(const Pattern &P, bool slices, Layout &L)
{
  Window             w(P, L.height);
  std::vector<Index> alone;

  L.perm.clear();
  L.perm.reserve(std::size_t(L.nbr) + L.nbr / 8 + 32);
  for (Index m = 0; slices && m < L.nbr; m += std::min(window, L.nbr - m))
    w.Divide(m, m + std::min(window, L.nbr - m), L.perm, alone);
  for (Index m = 0; !slices && m < L.nbr; m++) alone.push_back(m);
  L.nslices       = Index(L.perm.size() / L.height);
  L.nlong         = Index(alone.size());
  const auto huge = std::stable_partition(alone.begin(), alone.end(), [&](Index m) { return is_huge(P.length(m), P.bs); });
  L.nhuge         = Index(huge - alone.begin());
  L.perm.insert(L.perm.end(), alone.begin(), alone.end());
  L.longest = 0;
  for (std::size_t p = 0; p < std::size_t(L.nslices) * L.height; p++) {
    if (L.perm[p] >= 0) L.longest = std::max(L.longest, Index(P.length(L.perm[p])));
  }
  L.natural = !L.nlong;
  for (Index p = 0; L.natural && p < L.nbr; p++) L.natural = L.perm[p] == p;
}

/* Sets position, length, first, part and the sums from perm, and makes room for the columns */
void set_lengths(const Pattern &P, Layout &L)
{
  std::size_t p = 0;

  L.position.resize(L.nbr);
  L.length.assign(L.perm.size(), 0);
  for (; p < L.perm.size(); p++) {
    const Index m = L.perm[p];
    if (m < 0) continue;
    L.position[m] = Index(p);
    L.length[p]   = Index(P.length(m));
  }
  p = 0;
  for (Index g = 0; g < L.nslices; g++, p += L.height) {
    L.first.push_back(L.total);
    L.total += std::size_t(*std::max_element(L.length.begin() + p, L.length.begin() + p + L.height)) * L.height;
  }
  L.sliced = L.total;
  for (; p < L.perm.size(); p++) {
    L.first.push_back(L.total);
    L.total += L.length[p];
    L.part.push_back(L.part.back() + parts_alone(std::size_t(L.length[p]), P.bs));
  }
  L.huge_parts = L.part[L.nhuge];
  L.parts      = L.part[L.nlong];
  L.col.assign(L.total, -1);
}

/* Sets col, and the first row without a diagonal entry */
void set_columns(const Pattern &P, Layout &L)
{
  const View<const Scalar> A = L.view((const Scalar *)nullptr);
  for (Index m = 0; m < L.nbr; m++) {
    const Line   l    = line(A, m);
    const Index *from = P.col.data() + P.first[m];
    Index       *to   = L.col.data() + (l.col - A.col);

    bool diagonal = m >= L.nbc;

    for (Index k = 0; k < l.length; k++) {
      to[std::size_t(k) * l.height] = from[k];
      diagonal |= from[k] == m;
    }
    if (!diagonal && L.missing < 0) L.missing = m * P.bs;
  }
}

} // namespace

Layout empty_layout(Index rows, Index cols, int bs)
{
  Layout L;

  L.rows   = rows;
  L.cols   = cols;
  L.bs     = bs;
  L.nbr    = Index((std::size_t(rows) + bs - 1) / bs);
  L.nbc    = Index((std::size_t(cols) + bs - 1) / bs);
  L.height = slice_height(bs);
  L.part.assign(1, 0);
  return L;
}

bool all_alone(const Layout &L, Mapping mapping)
{
  if (mapping != Mapping::automatic) return mapping != Mapping::multirow;
  const std::size_t values = L.blocks * L.bs * L.bs;
  if (values > std::size_t(L.nbr) * huge_values) return L.rows < few_rows;
  return L.nbr < few_rows && values <= few_values && (L.nlong > 0 || L.longest > shared_values / L.bs);
}

Layout make_layout(const Pattern &P, Mapping mapping)
{
  Layout L = empty_layout(P.rows, P.cols, P.bs);

  L.blocks = P.col.size();
  set_positions(P, !all_alone(L, mapping), L);
  if (L.nslices && all_alone(L, mapping)) set_positions(P, false, L);
  set_lengths(P, L);
  set_columns(P, L);
  return L;
}

Transposed transpose_layout(const Layout &L, Mapping mapping)
{
  const View<const Scalar> A = L.view((const Scalar *)nullptr);
  std::vector<std::size_t> next, source(L.blocks);
  Pattern                  P;
  Transposed               T;

  P.rows = L.cols;
  P.cols = L.rows;
  P.bs   = L.bs;
  P.first.assign(std::size_t(L.nbc) + 1, 0);
  P.col.resize(L.blocks);
  for (Index c : L.col) {
    if (c >= 0) P.first[std::size_t(c) + 1]++;
  }
  for (Index c = 0; c < L.nbc; c++) P.first[std::size_t(c) + 1] += P.first[c];
  next.assign(P.first.begin(), P.first.end() - 1);
  for (Index m = 0; m < L.nbr; m++) {
    const Line l = line(A, m);
    for (Index k = 0; k < l.length; k++) {
      const std::size_t at = next[block_column(l, k)]++;
      P.col[at]            = m;
      source[at]           = slot(A, l, k, 0, 0);
    }
  }
  T.layout                   = make_layout(P, mapping);
  const View<const Scalar> B = T.layout.view((const Scalar *)nullptr);
  T.source.assign(T.layout.total, no_slot);
  for (Index c = 0; c < B.nbr; c++) {
    const Line l = line(B, c);
    for (Index k = 0; k < l.length; k++)
      T.source[std::size_t(l.col - B.col) + std::size_t(k) * l.height] = source[P.first[c] + k];
  }
  return T;
}

} // namespace hepta::brow
