/* The layout of block rows made on the device, from their lengths: the tables that make_layout() makes on the host */
#pragma once

#include <memory>

#include "../../shared/device.hxx"
#include "brow_layout.hxx"

namespace hepta::brow
{

/* A layout's tables for rows, as in Layout, on the device */
struct RowTables {
  Index       *perm, *position, *length, *part;
  std::size_t *first;
};

struct LayoutWork;

/* Rows() finds how many rows go into slices and how many stand alone, Write() fills the tables; in between the caller allocates the tables */
class DeviceLayout {
public:
  /* length: on the device, for the lifetime of this object */
  DeviceLayout(const Index *length, Stream stream);
  ~DeviceLayout();

  /* sets nslices, nlong, natural and longest of L, whose other sizes are set; without `slices` every block row stands alone */
  Status Rows(bool slices, Layout *L);
  /* fills the tables, and sets nhuge, huge_parts, parts, blocks, sliced and total of L */
  Status Write(const RowTables &, Layout *L);

private:
  const Index                *length;
  Stream                      stream;
  std::unique_ptr<LayoutWork> work;
};

} // namespace hepta::brow
