/* The layout of block rows made on the device, from their lengths: the tables that lay_rows() makes on the host */
#pragma once

#include <memory>

#include "../../shared/device.hxx"
#include "brow_layout.hxx"

namespace hepta::brow
{

/* A layout's tables for rows, as in Layout, on the device */
struct RowTables {
  Index       *perm, *place, *length, *part;
  std::size_t *first;
};

struct CutWork;

/* Cut() finds how many rows go into slices and how many stand alone, Write() fills the tables; in between the caller takes memory for them */
class Cut {
public:
  /* length: on the device, as long as this lives; slices: false lets every block row stand alone */
  Cut(const Index *length, Stream stream);
  ~Cut();

  /* L has its sizes: nslices, nlong; and natural and longest */
  Status Rows(bool slices, Layout *L);
  /* nhuge, huge_parts, parts, blocks, sliced, total */
  Status Write(const RowTables &, Layout *L);

private:
  const Index             *length;
  Stream                   stream;
  std::unique_ptr<CutWork> work;
};

} // namespace hepta::brow
