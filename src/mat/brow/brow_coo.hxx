/* From COO entries to compressed rows, on the device */
#pragma once

#include "../blocked/coo.hxx"
#include "brow_csr.hxx"

namespace hepta::brow
{

/* The distinct locations of entries as compressed rows with ascending columns; this owns the arrays of `csr` */
class CooRows {
public:
  std::size_t entries = 0;     /* distinct locations */
  bool        outside = false; /* some entry is beyond the last row or column */
  CSR         csr{};           /* null if some entry is outside, or there are no locations or more than 2^31 - 2 */

  CooRows()                = default;
  CooRows(const CooRows &) = delete;
  ~CooRows();
  Status Take(Index rows, Index cols, const blocked::CooEntries &e, Stream stream);

private:
  void  *compressed = nullptr;
  Stream used       = nullptr;
};

} // namespace hepta::brow
