/* A triangle of a factored matrix, ready to be solved, on the PETSc side */
#pragma once

#include <functional>
#include <memory>

#include "../../shared/arrays.h"
#include "bbs_analysis.hxx"
#include "schedule.h"

/* The choices of the options database */
struct HeptaBBSOptions {
  hepta::bbs::Engine engine = hepta::bbs::Engine::automatic;
  PetscInt           chunk  = 0; /* rows; 0: chosen */

  PetscErrorCode SetFromOptions(PetscOptionItems);
};
PETSC_INTERN const char *const HeptaBBSEngines[];
constexpr PetscInt             HeptaBBSEngineCount = 5;

/* The levels of a triangle's block rows on the device, found once for all who need them */
struct HeptaLevels {
  HeptaValues  level;
  hepta::Index levels = 0, widest = 0, longest = 0; /* block rows in one; blocks of a row. No levels: not found yet */

  PetscErrorCode Forget()
  {
    levels = 0;
    return level.Free();
  }
#if defined(HEPTA_HAVE_CUDA)
  PetscErrorCode Find(const HeptaSpace &, const hepta::bbs::Half &, const hepta::Index **of_rows);
#endif
};

/* What HeptaTriangle is made of */
struct HeptaTriangleSource {
  bool                                                    upper, transposed;
  hepta::Index                                            n;       /* rows of the scalar matrix */
  size_t                                                  entries; /* off the diagonal */
  HeptaLevels                                            *levels;  /* not of the transposed */
  std::function<PetscErrorCode(hepta::bbs::StrictRows *)> rows;    /* on the host, for those who need them */
};

/*
   The strict triangle in two forms, each made when it is first needed: by rows for the host, which solves them one after the other, and in
   tiles for the device, which makes them itself but for transposed triangles. Engine `together` has no tiles: it reads the factors, which transposed triangles cannot.
*/
class HeptaTriangle {
public:
  HeptaTriangle(HeptaTriangleSource &&, const HeptaBBSOptions &);

  bool IsFilled(const HeptaSpace &space) const { return filled[space.device]; }
  /* Values from those of the blocks, in the form for this space; scale: from L D */
  PetscErrorCode Fill(const HeptaSpace &, const hepta::bbs::Blocks &, bool scale);
  void           Invalidate() { filled[0] = filled[1] = false; }
  /* Is it to be SolveTogether(), with the blocks that it was filled from, in place of Solve()? */
  bool IsTogether(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  /* Vectors that v.work is to hold */
  size_t         WorkVectors(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  PetscErrorCode Solve(const HeptaSpace &, const hepta::bbs::Vectors &v);
  PetscErrorCode SolveTogether(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::bbs::Vectors &v);
  PetscErrorCode View(PetscViewer, const char name[]) const;

private:
  /* Sizes of what was built */
  struct Built {
    hepta::Index     levels = 0, widest = 0, chunks = 0, tiles = 0;
    int              threads       = 32;
    size_t           entries       = 0;
    int              together_from = 0; /* right-hand sides from which on `auto` takes engine `together`; 0: never */
    hepta::bbs::Plan plan;
  };
  HeptaTriangleSource        source;
  HeptaBBSOptions            options;
  bool                       filled[2] = {false, false}; /* rows, tiles */
  bool                       built     = false;          /* the tiles */
  Built                      size;
  HeptaValues                chunk, tile, from, other, entry, position, ticket; /* position: order and place of Triangle, or empty */
  hepta::bbs::StrictRows     rows;                                              /* by rows, with their values */
  std::vector<hepta::Scalar> value;
  bool                       right = false; /* see solve_value() */
  HeptaValues                turns;         /* syncfree with one vector: room for two, which solves take in turn */
  int                        turn       = 0;
  bool                       turn_ready = false; /* is the room for the next one as its kernel wants it? */
  HeptaValues                order;              /* together: the block rows by level */

  /* Neither an engine nor chunks were asked for */
  bool IsFree() const { return options.engine == hepta::bbs::Engine::automatic && !options.chunk; }
  /* What is to go through the tiles, where there are any */
  hepta::bbs::Engine TileEngine() const { return options.engine == hepta::bbs::Engine::together ? hepta::bbs::Engine::automatic : options.engine; }
  bool               OnlyTogether(const HeptaSpace &space) const { return space.device && !source.transposed && options.engine == hepta::bbs::Engine::together; }

  PetscErrorCode OrderByLevel(const HeptaSpace &, const hepta::bbs::Blocks &);
  PetscErrorCode Build(const HeptaSpace &, const hepta::bbs::Blocks &);
  PetscErrorCode BuildOnHost(const hepta::bbs::Limits &);
  PetscErrorCode Write(const HeptaSpace &, hepta::bbs::Analysis &);
  PetscErrorCode ArrangeChunks(hepta::bbs::Analysis &, hepta::Index rows);
  PetscErrorCode BuildChunks(const HeptaSpace &, hepta::bbs::Analysis &, const hepta::bbs::Limits &, hepta::bbs::ChunkLoad *);
  PetscErrorCode BuildOnDevice(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::bbs::Limits &);
  PetscErrorCode FillTiles(const HeptaSpace &, const hepta::bbs::Blocks &);
  PetscErrorCode GetTiles(const HeptaSpace &, hepta::bbs::Triangle *);
  bool           TakesTurns(const HeptaSpace &space, const hepta::bbs::Vectors &v) const { return space.device && size.plan.engine == hepta::bbs::Engine::syncfree && v.count == 1; }
  PetscErrorCode SolveTiles(const HeptaSpace &, hepta::bbs::Vectors);
};
