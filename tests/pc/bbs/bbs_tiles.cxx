/* Strict triangles and their transposes by rows, how rows are laid out in tiles, and which engine is taken */
#include "bbs_triangles.h"

using namespace hepta;
using namespace hepta::bbs;
using namespace hepta::test;

TEST(BbsTiles, Rows)
{
  for (const BlockRows &A : shapes()) {
    for_triangles(A, [](const List &list, TestTriangle &T) {
      const StrictTriangle H = T.host();
      for (Index i = 0; i < Index(list.size()); i++) {
        ASSERT_EQ(strict_length(H, i), Index(list[i].size()));
        for (Index k = 0; k < strict_length(H, i); k++)
          ASSERT_EQ(std::make_pair(strict_column(H, i, k), strict_source(H, i, k)), list[i][k])
            << "entry " << k << " of row " << i;
      }
    });
  }
}

/* Each row in one tile, with room for its entries */
TEST(BbsTiles, Layout)
{
  for (int threads : {32, 64, 512}) {
    for (const TileLayout &layout : {TileLayout(), limits.Layout(Engine::levels), limits.Layout(Engine::syncfree)}) {
      for (Index rows : {1, 7, 33, 5000}) {
        const auto length = [&](Index k) { return (rows - k) * 3 / 5; };
        Index      next   = 0;
        for_tiles(rows, threads, layout, length, [&](Index first, Index count, int code, Index steps) {
          const int parts = threads_of_row(code, threads);
          EXPECT_EQ(first, next);
          EXPECT_GT(count, 0);
          EXPECT_LE(count * parts, threads);
          EXPECT_GE(2 * steps * parts, length(first));
          next += count;
        });
        EXPECT_EQ(next, rows);
      }
    }
  }
}

/* What was measured on an H200 with the fastest engine of each */
TEST(BbsTiles, ChooseEngine)
{
  const ChunkLoad none, grid2 = {132, 135000, 32, 134144, 20389500000}, grid2_by_level = {132, 2200, 256, 90122, 2004100000},
                        grid3 = {132, 25000, 128, 1002851, 8684800000}, alone = {1, 552, 128, 0, 170200000},
                        twice = {350, 1015797, 32, 1010704, 152369500000}, often = {700, 2802601, 32, 2796000, 420390000000},
                        small3 = {132, 7662, 32, 67537, 1294080000}, small2 = {132, 26319, 32, 26177, 3947850000},
                        wide2 = {493, 1678615, 32, 1672800, 251792250000};
  const auto chosen           = [](Index n, std::size_t entries, Index levels, Index longest, const ChunkLoad &load) {
    return choose_engine(engine_times(n, entries, levels, longest, load, {27000, 132, 2048, false}), load.chunks);
  };

  EXPECT_EQ(chosen(1048576, 2095104, 2047, 2, grid2), Engine::chunks);
  EXPECT_EQ(chosen(1048576, 2095104, 2047, 2, grid2_by_level), Engine::syncfree);
  EXPECT_EQ(chosen(1000000, 2970000, 298, 3, grid3), Engine::syncfree);
  EXPECT_EQ(chosen(64000, 187200, 118, 3, small3), Engine::syncfree); /* hand-overs between chunks take longest */
  EXPECT_EQ(chosen(40000, 79600, 399, 2, small2), Engine::chunks);
  EXPECT_EQ(chosen(8386816, 16767840, 5791, 2, twice), Engine::chunks);
  EXPECT_EQ(chosen(11560000, 23113200, 6799, 2, wide2), Engine::chunks);
  EXPECT_EQ(chosen(16000000, 31992000, 7999, 2, often), Engine::syncfree); /* chunks that wait for a multiprocessor */
  EXPECT_EQ(chosen(19366, 57691, 552, 7, alone), Engine::chunks);
  EXPECT_EQ(chosen(300000, 18809679, 35, 190, none), Engine::syncfree);
  EXPECT_EQ(chosen(300000, 299999, 2, 299999, none), Engine::levels);

  const Tuning before     = tuning();
  tuning().syncfree_level = 100; /* a device on which waiting for other warps costs much */
  EXPECT_EQ(chosen(1000000, 2970000, 298, 3, grid3), Engine::chunks);
  tuning() = before;
}
