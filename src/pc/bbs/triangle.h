/* The strict triangles of a factored matrix in the forms for solves, on the PETSc side */
#pragma once

#include "../../shared/arrays.h"
#include "bbs_analysis.hxx"

/* The options of bbs */
struct HeptaBBSOptions {
  hepta::bbs::Engine engine = hepta::bbs::Engine::automatic;
  PetscInt           chunk  = 0; /* rows of a chunk; 0: chosen automatically */

  PetscErrorCode SetFromOptions(PetscOptionItems);
};

/*
   A strict triangle of the factors, or its transpose, in the forms in which it is solved: by rows on the host, which serve for the transpose too, and in tiles on the
   device, which are arranged for the engine that solves it. Each is made when it is first needed.
*/
class HeptaTriangle {
public:
  /* up: which triangle of the factors; across: is it transposed? times: see solve_value(); rows: of the scalar matrix, in blocks of `size`; count: the number of its entries */
  HeptaTriangle(bool up, bool across, bool times, hepta::Index rows, int size, size_t count, const HeptaBBSOptions &o) : upper(up), transposed(across), scale(times), n(rows), bs(size), entries(count), options(o) {}

  bool IsFilled(const HeptaSpace &space) const { return filled[space.device]; }
  void Invalidate() { filled[0] = filled[1] = false; }
  /* Sets the values from those of the blocks, in the form for this space, which is made at the first call */
  PetscErrorCode Fill(const HeptaSpace &, const hepta::bbs::Blocks &);
  /* Does engine `together` solve for these vectors? Then Solve() needs the blocks from which the triangle was filled. */
  bool UsesMultiRHS(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  /* work: memory for v.work, which the caller keeps for the next solve */
  PetscErrorCode Solve(const HeptaSpace &, hepta::bbs::Blocks, HeptaValues &work, hepta::bbs::Vectors v);
  /* The block rows by level, each after those that it depends on, on the device, for a triangle that is not transposed. The elimination uses the levels of L, too. */
  PetscErrorCode Order(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::Index **of_levels);
  /* Prints nothing for a triangle that was never filled */
  PetscErrorCode View(PetscViewer, const char name[]);

private:
  const bool            upper, transposed, scale;
  const hepta::Index    n; /* rows of the scalar matrix */
  const int             bs;
  const size_t          entries; /* off the diagonal */
  const HeptaBBSOptions options;
  bool                  made      = false;          /* was it ever filled? */
  bool                  filled[2] = {false, false}; /* is the form for the host, for the device filled? */

  /* the rows on the host */
  std::vector<hepta::Index>  first, col, source; /* source: the index of each entry's value among those of the blocks */
  std::vector<hepta::Scalar> value;

  /* the tiles on the device */
  bool                      built = false;
  hepta::bbs::TiledTriangle tiled;
  hepta::bbs::EngineTimes   times;                                             /* as estimated, if the engine was chosen by these; */
  double                    each_of_many = 0;                                  /* and that of each of many right-hand sides */
  hepta::Index              levels = 0, longest = 0;                           /* number of levels, 0 until they are found; blocks of the longest row */
  HeptaValues               level, order;                                      /* the level of each block row; the rows by level */
  int                       multi_rhs_from = 0;                                /* the number of right-hand sides from which on engine `together` solves instead of the tiles; 0: never */
  size_t                    pairs          = 0;                                /* of entries in the tiles */
  HeptaValues               chunk, tile, from, other, entry, position, ticket; /* position: both order and position of TiledTriangle, or empty */
  HeptaValues               buffers;                                           /* the two buffers of HasWork(), and one for recorded solves */
  int                       buffer       = 0;                                  /* the one of the two that the next solve uses */
  bool                      buffer_ready = false;                              /* is it filled with `unset`? */

  /* `together` reads the rows of the factors themselves, and so cannot solve a transposed triangle */
  bool OnlyMultiRHS() const { return options.engine == hepta::bbs::Engine::together && !transposed; }
  /* Do the tiles have buffers of their own instead of the caller's v.work? Solves by `syncfree` with one vector do: they use two buffers alternately, and each solve fills the other one with `unset`. */
  bool           HasWork(const hepta::bbs::Vectors &v) const { return tiled.engine == hepta::bbs::Engine::syncfree && v.count == 1; }
  PetscErrorCode FindLevels(const HeptaSpace &, const hepta::bbs::StrictTriangle &, const hepta::Index **of_rows);
  PetscErrorCode Build(const HeptaSpace &, const hepta::bbs::Blocks &);
  PetscErrorCode Decide(const HeptaSpace &, const hepta::bbs::StrictTriangle &, const hepta::Index *of_rows);
  PetscErrorCode ArrangeChunks(hepta::bbs::Analysis &, hepta::Index rows);
  PetscErrorCode Write(const HeptaSpace &, hepta::bbs::Analysis &);
  PetscErrorCode GetTiles(const HeptaSpace &);
  PetscErrorCode FillTiles(const HeptaSpace &, const hepta::bbs::Blocks &);
  PetscErrorCode SolveTiles(const HeptaSpace &, hepta::bbs::Vectors);
};
