/* A triangle of a factored matrix, ready to be solved, on the PETSc side */
#pragma once

#include <memory>

#include "../../shared/arrays.h"
#include "schedule.h"

/* The choices of the options database */
struct HeptaBBSOptions {
  hepta::bbs::Engine engine = hepta::bbs::Engine::automatic;
  PetscInt           chunk  = 0; /* rows; 0: chosen */
  PetscInt           blocks = 0; /* thread blocks of persistent and syncfree; 0: as many as are resident */

  PetscErrorCode SetFromOptions(PetscOptionItems);
};
PETSC_INTERN const char *const HeptaBBSEngines[];
constexpr PetscInt             HeptaBBSEngineCount = 5;

/*
   The strict triangle in two forms, each made when it is first needed: by rows for the host, which solves them one after the other, and in
   tiles for the device. An engine or chunks that were asked for take the tiles to the host too.
*/
class HeptaTriangle {
public:
  HeptaTriangle(hepta::bbs::StrictRows &&, const HeptaBBSOptions &);

  bool IsFilled(const HeptaSpace &space) const { return filled[ByRows(space)]; }
  /* Values from those of the blocks, in the form for this space; scale: from L D */
  PetscErrorCode Fill(const HeptaSpace &, const hepta::bbs::Blocks &, bool scale);
  void           Invalidate() { filled[0] = filled[1] = false; }
  /* Does Solve() use v.work? */
  bool           NeedsWork(const HeptaSpace &space, const hepta::bbs::Vectors &v) const { return !ByRows(space) || is_apart(v); }
  PetscErrorCode Solve(const HeptaSpace &, const hepta::bbs::Vectors &v);
  PetscErrorCode View(PetscViewer, const char name[]) const;

private:
  hepta::bbs::StrictRows        rows;
  HeptaBBSOptions               options;
  bool                          filled[2] = {false, false}; /* tiles, rows */
  bool                          built     = false;          /* the tiles */
  hepta::bbs::Schedule          schedule;
  HeptaTable<hepta::bbs::Chunk> chunk;
  HeptaTable<hepta::bbs::Tile>  tile;
  HeptaTable<hepta::Index>      from, other;
  HeptaValues                   entry, ticket;
  std::vector<hepta::Scalar>    value; /* by rows */

  bool           ByRows(const HeptaSpace &space) const { return !space.device && options.engine == hepta::bbs::Engine::automatic && !options.chunk; }
  PetscErrorCode BuildTiles();
  PetscErrorCode GetTiles(const HeptaSpace &, hepta::bbs::Triangle *);
  PetscErrorCode SolveTiles(const HeptaSpace &, const hepta::bbs::Vectors &);
};
