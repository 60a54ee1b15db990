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

class HeptaTriangle {
public:
  /* The rows by levels, chunks and tiles */
  PetscErrorCode Build(const hepta::bbs::StrictRows &, const HeptaBBSOptions &);
  /* Values from those of the blocks; scale: from L D */
  PetscErrorCode Fill(const HeptaSpace &, const hepta::bbs::Blocks &, bool scale);
  /* v.work is set here */
  PetscErrorCode Solve(const HeptaSpace &, hepta::bbs::Vectors v);
  PetscErrorCode View(PetscViewer, const char name[]) const;

  const hepta::bbs::Schedule &Schedule() const { return schedule; }

private:
  hepta::bbs::Schedule          schedule;
  HeptaTable<hepta::bbs::Chunk> chunk;
  HeptaTable<hepta::bbs::Tile>  tile;
  HeptaTable<hepta::Index>      from, other;
  HeptaValues                   entry, work, ticket;
  size_t                        room = 0; /* bytes of work */
};
