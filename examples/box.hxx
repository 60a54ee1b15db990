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

/* A number in [0, 1) that depends on k only: splitmix64 (Steele, Lea, Flood 2014), of which the upper 53 bits are taken */
HEPTA_HD double uniform(std::uint64_t k)
{
  std::uint64_t z = k + 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

} // namespace hepta::flow
