/* From the pattern of a triangle to chunks, levels and tiles: see bbs_view.hxx */
#pragma once

#include <vector>

#include "bbs_kernels.hxx"

namespace hepta::bbs
{

/* The entries of a strict triangle by rows of the scalar matrix; from: where an entry's value is among those of the blocks */
struct StrictRows {
  bool               upper = false; /* rows depend on later ones */
  int                bs    = 1;     /* rows of a block have the same columns */
  std::vector<Index> first, col, from;

  Index      n() const { return Index(first.size()) - 1; }
  Index      length(Index i) const { return first[i + 1] - first[i]; }
  StrictRows Transposed() const;
};

/* What a device offers */
struct Limits {
  Index rows            = 0; /* whose solution fits in a thread block's shared memory; 0: no device */
  int   multiprocessors = 0;
};

class Schedule {
public:
  Index              n = 0, levels = 0, widest = 0; /* rows of the widest level */
  int                threads = 32;
  Plan               plan;
  std::vector<Chunk> chunk; /* in the order of their dependencies */
  std::vector<Tile>  tile;
  std::vector<Entry> entry; /* their values are still zero */
  std::vector<Index> from;  /* where they come from, -1 for none */
  std::vector<Index> other; /* see Chunk */

  Schedule() = default;
  /* engine and rows of a chunk: automatic and 0 for a choice by the levels */
  Schedule(const StrictRows &, Engine, Index chunk_rows, const Limits &);

private:
  /* Rows of a level in a chunk: order[begin] ... order[end - 1] */
  struct Group {
    Index begin, end;
  };
  std::vector<Index> level, order;
  std::vector<Group> group;
  std::vector<Index> first_group; /* of each chunk */
  std::vector<Index> place;       /* of a row in `other`, where the chunk at hand has it */

  Index  ChooseRows(const StrictRows &, const Limits &) const;
  void   Build(const StrictRows &, Index chunk_rows);
  double RowsOfGroup(const StrictRows &, Index chunk_rows);
  void   SetChunks(const StrictRows &, Index rows);
  void   SetGroups(const StrictRows &);
  void   ChooseThreads(const StrictRows &);
  Index  Column(Chunk *, Index j);
  void   AddTile(const StrictRows &, Chunk *, Index begin, Index rows, int parts, bool last);
  void   AddSteps(std::size_t steps, Index rows);
  void   AddTiles(const StrictRows &, Chunk *, Group);
};

} // namespace hepta::bbs
