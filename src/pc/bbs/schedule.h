/* From the pattern of a triangle to chunks, levels and tiles: see bbs_view.hxx */
#pragma once

#include <vector>

#include "choice.h"
#include "tiles.hxx"

namespace hepta::bbs
{

/* The entries of a strict triangle by rows of the scalar matrix; from: where an entry's value is among those of the blocks */
struct StrictRows {
  bool               upper = false; /* rows depend on later ones */
  int                bs    = 1;     /* rows of a block have the same columns */
  std::vector<Index> first, col, from;

  Index      n() const { return Index(first.size()) - 1; }
  Index      length(Index i) const { return first[i + 1] - first[i]; }
  Index      Longest() const;
  StrictRows Transposed() const;
};

class Schedule {
public:
  Index              n = 0, levels = 0, widest = 0; /* rows of the widest level */
  int                threads = 32;
  Plan               plan;
  std::vector<Chunk> chunk; /* in the order of their dependencies */
  std::vector<Tile>  tile;
  std::vector<Index> from;  /* where the values of the entries come from, -1 for none: once they are written */
  std::vector<Index> other; /* see Chunk; likewise */
  std::vector<Index> order; /* see Triangle, as `place`; empty with chunks: once the entries are written */
  std::vector<Index> place; /* meanwhile of a row in `other`, where the chunk at hand has it */

  Schedule() = default;
  /* engine and rows of a chunk: automatic and 0 for a choice by the levels */
  Schedule(const StrictRows &, Engine, Index chunk_rows, const Limits &);
  std::size_t Entries() const { return (steps + ahead) * threads; }
  /* The entries, once, of the same rows; their values are still zero */
  void Write(const StrictRows &, Entry *);

private:
  /* Rows of a level in a chunk, or of a piece of it: order[begin] ... order[end - 1] */
  struct Group {
    Index begin, end;
  };
  std::size_t        steps = 0, others = 0; /* of all chunks; what they need of others */
  long long          cost = 0;              /* level_cost() of all chunks */
  Whole              whole;
  std::vector<Index> level;
  std::vector<Group> group, tile_rows; /* levels of the chunks; rows of the tiles */

  void  Cut(const StrictRows &, Index chunk_rows);
  void  Build(const StrictRows &);
  void  BuildAll(const StrictRows &, Engine, const Limits &);
  void  BuildChunks(const StrictRows &, bool automatic, Index wanted, const Limits &);
  void  SortRows(const StrictRows &, const Chunk &, std::vector<Index> *next);
  void  ChooseThreads(const StrictRows &);
  void  AddTiles(const StrictRows &, Chunk *, Group);
  Index Column(const Chunk &, Index j);
  void  WriteTile(const StrictRows &, const Chunk &, std::size_t t, Entry *);
};

} // namespace hepta::bbs
