/* Launchers that read compressed rows into block diagonals. Each returns nullptr or a sentence that says what went wrong. */
#pragma once

#include <vector>

#include "../bdia/bdia_view.hxx"

namespace hepta::bdia
{

using blocked::CSRView;

/* off <- the block offsets j/bs - m/bs of the entries, ascending; bs divides rows and cols */
Status csr_offsets_host(const CSRView &A, int bs, std::vector<Index> &off);

/* D <- A; the offsets of D hold all those of A, entries given twice add up */
template <class V> Status csr_fill_host(const CSRView &A, const View<V> &D);

} // namespace hepta::bdia
