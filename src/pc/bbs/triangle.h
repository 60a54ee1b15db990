/* The strict triangles of a factored matrix in the forms for solves, on the PETSc side */
#pragma once

#include "../../shared/arrays.h"
#include "bbs_analysis.hxx"

/* The options of bbs */
struct HeptaBBSOptions {
  hepta::bbs::Engine engine = hepta::bbs::Engine::automatic;
  PetscInt           chunk  = 0;     /* rows of a chunk; 0: chosen automatically */
  bool               single = false; /* are the values of the solves floats? */

  PetscErrorCode SetFromOptions(PetscOptionItems);
  bool operator==(const HeptaBBSOptions &o) const { return engine == o.engine && chunk == o.chunk && single == o.single; }
};

/*
   A strict triangle of the factors, or its transpose, in two forms, each made at its first use: rows on the host, which serve for
   the transpose too, and tiles on the device, arranged for an engine.
*/
class HeptaTriangle {
public:
  /*
     up: the upper triangle? across: transposed? times: see solve_value(); rows: of the scalar matrix, in blocks of `size`; count:
     the number of the triangle's entries
  */
  HeptaTriangle(bool up, bool across, bool times, hepta::Index rows, int size, size_t count, const HeptaBBSOptions &o)
    : upper(up), transposed(across), scale(times), n(rows), bs(size), entries(count), options(o)
  {
  }

  bool IsFilled(const HeptaSpace &space) const { return filled[space.device]; }
  void Invalidate()
  {
    filled[0] = filled[1] = false;
    overflow              = -1;
  }
  /* The first row with a value that single precision cannot hold, where single precision was asked for; -1 for none */
  PetscInt Overflow() const { return overflow; }
  /* Sets the values from the values of the blocks, in the form for the space; the first call makes the form */
  PetscErrorCode Fill(const HeptaSpace &, const hepta::bbs::Blocks &);
  /* Does engine `together` solve for the vectors? If so, Solve() needs the blocks that filled the triangle. */
  bool UsesMultiRHS(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  /* work: memory for v.work, which the caller keeps for the next solve */
  PetscErrorCode Solve(const HeptaSpace &, hepta::bbs::Blocks, HeptaValues &work, hepta::bbs::Vectors v);
  /*
     The block rows by level, each after its dependencies, on the device, for a triangle that is not transposed. The elimination
     uses the levels of L too.
  */
  PetscErrorCode Order(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::Index **of_levels);
  /* Prints nothing for a triangle that was never filled */
  PetscErrorCode View(PetscViewer, const char name[]);

private:
  const bool            upper, transposed, scale;
  const hepta::Index    n; /* rows of the scalar matrix */
  const int             bs;
  const size_t          entries; /* off the diagonal */
  const HeptaBBSOptions options;
  bool                  made      = false;          /* was the triangle ever filled? */
  bool                  filled[2] = {false, false}; /* is the form for the host, for the device filled? */
  PetscInt              overflow  = -1;
  HeptaValues           too_large; /* for `overflow` */

  /* the rows on the host */
  std::vector<hepta::Index> first, col, source; /* source: the index of each entry's value among those of the blocks */
  HeptaValues               value;

  /* the tiles on the device */
  bool                      built = false;
  hepta::bbs::TiledTriangle tiled;
  /* the estimates, if the estimates chose the engine */
  hepta::bbs::EngineTimes times;
  /* the estimate for each of many right-hand sides */
  double each_of_many = 0;
  /* the number of levels, 0: not found yet; blocks of the longest row */
  hepta::Index levels = 0, longest = 0;
  /* the level of each block row; the rows by level */
  HeptaValues level, order;
  /* the least number of right-hand sides for engine `together`; 0: never */
  int    multi_rhs_from = 0;
  size_t pairs          = 0; /* of entries in the tiles */
  /* position: both order and position of TiledTriangle, or empty */
  HeptaValues chunk, tile, from, other, entry, position, ticket;
  /* the two buffers of HasWork(), and one for recorded solves */
  HeptaValues buffers;
  /* for Vectors::largest */
  HeptaValues sizes;
  int         buffer = 0; /* the buffer of the next solve: 0 or 1 */
  /* is the buffer of the next solve filled with `unset`? */
  bool buffer_ready = false;

  /* `together` reads the rows of the factors, so it cannot solve a transposed triangle */
  bool OnlyMultiRHS() const { return options.engine == hepta::bbs::Engine::together && !transposed; }
  /*
     Do the tiles have buffers of their own instead of the caller's v.work? Yes for `syncfree` with one vector: solves alternate
     between two buffers, and a solve fills the idle buffer with `unset`.
  */
  bool HasWork(const hepta::bbs::Vectors &v) const { return tiled.engine == hepta::bbs::Engine::syncfree && v.count == 1; }
  PetscErrorCode FindLevels(const HeptaSpace &, const hepta::bbs::StrictTriangle &, const hepta::Index **of_rows);
  PetscErrorCode Build(const HeptaSpace &, const hepta::bbs::Blocks &);
  PetscErrorCode Decide(const HeptaSpace &, const hepta::bbs::StrictTriangle &, const hepta::Index *of_rows);
  /* can Analysis arrange chunks of `rows` rows, of which `most` have their values in a thread block? */
  bool           Arrangeable(hepta::Index rows, hepta::Index most) const;
  PetscErrorCode ArrangeChunks(hepta::bbs::Analysis &, hepta::Index rows);
  PetscErrorCode Write(const HeptaSpace &, hepta::bbs::Analysis &);
  PetscErrorCode GetTiles(const HeptaSpace &);
  PetscErrorCode FillTiles(const HeptaSpace &, const hepta::bbs::Blocks &);
  PetscErrorCode SolveTiles(const HeptaSpace &, hepta::bbs::Vectors);
  PetscErrorCode FindSizes(const HeptaSpace &, hepta::bbs::Vectors *);
  PetscErrorCode SolveRows(const hepta::bbs::Vectors &);
  /* fills `count` values of a form, and sets `overflow` */
  PetscErrorCode FillValues(const HeptaSpace &, size_t count, const hepta::Index *from, const hepta::bbs::Blocks &, void *to);
};
