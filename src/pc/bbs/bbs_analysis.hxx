/* Levels, chunks and tiles of a triangle, found on the device: what schedule.h does on the host */
#pragma once

#include <memory>

#include "tiles.hxx"

namespace hepta::bbs
{

/* What stands where in a matrix of block rows; rows in the code of note_first() */
struct Inspection {
  long long          missing;      /* the first without a diagonal block */
  long long          below, above; /* the first with a block below the diagonal, and above */
  long long          disorder;     /* the first whose columns do not ascend */
  unsigned long long blocks[2];    /* below and above the diagonal */
};

/* diag[m] <- the diagonal block of row m; *result, on the host, is there when this returns. Rows with columns in disorder have no more than that noted. */
Status inspect_cuda(Index n, const Index *i, const Index *j, Index *diag, Inspection *result, Stream stream);

/*
   The transpose of T, which has so many blocks: i, j and block of its Half, whose rows depend on each other in the other direction. i: T.n + 1; j and
   block: a number for each block. Columns ascend.
*/
Status transpose_host(const Half &T, Index blocks, Index *i, Index *j, Index *block);
Status transpose_cuda(const Half &T, Index blocks, Index *i, Index *j, Index *block, Stream stream);

/* level[m] <- 1 + the largest level among the rows that row m depends on; *levels, *widest, *longest, on the host: how many, the rows of the widest, the most blocks of a row */
Status levels_cuda(const Half &T, Index *level, Index *levels, Index *widest, Index *longest, Stream stream);

/* order <- the block rows, those of the first level first, in a level as they were */
Status level_order_cuda(Index n, Index levels, const Index *level, Index *order, Stream stream);

/*
   The same as Schedule makes: Arrange() finds the sizes, Write() fills arrays of these sizes. Rows of other chunks are listed by level. What is
   on the host is there when a function returns.
*/
struct AnalysisWork;

class Analysis {
public:
  Index       chunks = 0, groups = 0, tiles = 0; /* groups: levels of the chunks */
  Index       others  = 0;                       /* rows of other chunks, by chunk: an upper bound until Write() */
  Index       values  = 0;                       /* the most that a chunk keeps; after Write() */
  int         threads = 32;
  std::size_t steps   = 0;
  long long   cost    = 0; /* level_cost() of all chunks */

  /* level: on the device, as long as this lives */
  Analysis(const Half &T, const Index *level, Index levels, Index longest, Stream stream);
  ~Analysis();

  int         BlockSize() const { return half.bs; }
  Index       Rows() const { return half.n * half.bs; }
  std::size_t Entries() const { return (steps + ahead) * threads; }
  /* Chunks of so many rows, a multiple of the block size, or all rows for another engine; may be called again with others */
  Status Arrange(Index chunk_rows, const Whole &whole = Whole());
  /*
     chunk: `chunks`; entry: Entries(), whose values are left alone; from: twice as many; other: `others`. tile, order and place, which engine `chunks` does without and which are null
     for it: `tiles`, and a number for each row
  */
  Status Write(Chunk *chunk, Tile *tile, Entry *entry, Index *from, Index *other, Index *order, Index *place);

private:
  Half                          half;
  const Index                  *level;
  Index                         levels, longest;
  Whole                         whole;
  Stream                        stream;
  std::unique_ptr<AnalysisWork> work; /* from Arrange() for Write() */
};

} // namespace hepta::bbs
