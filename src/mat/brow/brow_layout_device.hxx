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

/* Rows() finds how many rows go into slices and how many stand alone, Write() fills the tables; in between the caller takes memory for them */
class DeviceLayout {
public:
  /* length: on the device, as long as this lives; slices: false lets every block row stand alone */
  DeviceLayout(const Index *length, Stream stream);
  ~DeviceLayout();

  /* L has its sizes: nslices, nlong; and natural and longest */
  Status Rows(bool slices, Layout *L);
  /* nhuge, huge_parts, parts, blocks, sliced, total */
  Status Write(const RowTables &, Layout *L);

private:
  const Index                *length;
  Stream                      stream;
  std::unique_ptr<LayoutWork> work;
};

} // namespace hepta::brow
