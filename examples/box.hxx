/* A process's box of cells of a grid, for host and device, without PETSc */
#pragma once

#include "shared/hepta_hd.hxx"

namespace hepta::flow
{

/* This process's box of cells and the same box with the neighbors across its faces */
struct Box {
  Index n[3];                          /* cells of the whole grid; 1 in unused directions */
  Index start[3], size[3];             /* own cells */
  Index ghost_start[3], ghost_size[3]; /* own cells and their neighbors */
};

HEPTA_HD std::size_t cells(const Index size[3])
{
  return std::size_t(size[0]) * size[1] * size[2];
}

/* Cell k of a box, x fastest, as a cell of the whole grid */
HEPTA_HD void cell_at(const Index start[3], const Index size[3], std::size_t k, Index at[3])
{
  at[0] = start[0] + Index(k % size[0]);
  at[1] = start[1] + Index(k / size[0] % size[1]);
  at[2] = start[2] + Index(k / size[0] / size[1]);
}

/* A cell's index in the arrays over the box with neighbors */
HEPTA_HD std::size_t ghosted(const Box &B, const Index at[3])
{
  const std::size_t line = std::size_t(at[1] - B.ghost_start[1]) + std::size_t(B.ghost_size[1]) * (at[2] - B.ghost_start[2]);

  return std::size_t(at[0] - B.ghost_start[0]) + std::size_t(B.ghost_size[0]) * line;
}

/* The number of a cell in the whole grid, x fastest */
HEPTA_HD std::uint64_t natural(const Box &B, const Index at[3])
{
  return std::uint64_t(at[0]) + std::uint64_t(B.n[0]) * (std::uint64_t(at[1]) + std::uint64_t(B.n[1]) * std::uint64_t(at[2]));
}

/* The locations of a matrix's entries for own cell k and its neighbors e = 0, 1, ... 2 dim, which are -z, -y, -x, the cell, x, y,
   z if dim is 3: rows[e n + k] and columns[e n + k] of n own cells, from global[cell of the box with neighbors]. They stay as
   they are where there is no neighbor. */
template <typename Int> void locations(const Box &B, int dim, const Int global[], Int rows[], Int columns[])
{
  const std::size_t n = cells(B.size);

  for (std::size_t k = 0; k < n; k++) {
    Index       at[3];
    std::size_t step = 1;

    cell_at(B.start, B.size, k, at);
    const std::size_t p   = ghosted(B, at);
    const auto        set = [&](int e, std::size_t neighbor) {
      rows[e * n + k]    = global[p];
      columns[e * n + k] = global[neighbor];
    };
    set(dim, p);
    for (int d = 0; d < dim; d++) {
      if (at[d] > 0) set(dim - 1 - d, p - step);
      if (at[d] < B.n[d] - 1) set(dim + 1 + d, p + step);
      step *= std::size_t(B.ghost_size[d]);
    }
  }
}

/* A number in [0, 1) that depends on k only: splitmix64 (Steele, Lea, Flood 2014), of which the upper 53 bits are taken */
HEPTA_HD double uniform(std::uint64_t k)
{
  std::uint64_t z = k + 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

} // namespace hepta::flow
