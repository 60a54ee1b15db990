/* The strict triangles of a factored matrix, ready to be solved with, on the PETSc side */
#pragma once

#include "../../shared/arrays.h"
#include "bbs_analysis.hxx"

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

/* A strict triangle of the factors, or its transpose */
struct HeptaTriangleShape {
  bool         upper, transposed; /* which one; is its transpose meant? */
  hepta::Index n;                 /* rows of the scalar matrix */
  size_t       entries;           /* off the diagonal */
  HeptaLevels *levels;            /* of its rows, or of its transpose's */

  hepta::bbs::Half Of(const hepta::bbs::Blocks &B) const { return {B.n, B.bs, upper, B.i, B.j, B.diag}; }
};

/* By rows, for the host, which takes them one after the other */
class HeptaTriangleRows {
public:
  /* The structure, where there is none yet, and the values, those of the blocks; scale: see solve_value() */
  PetscErrorCode Fill(const HeptaTriangleShape &, const hepta::bbs::Blocks &, bool scale);
  PetscErrorCode Solve(const HeptaTriangleShape &, const hepta::bbs::Vectors &) const;

private:
  std::vector<hepta::Index>  first, col, from; /* of each row, of each entry, and where its value is among those of the blocks */
  std::vector<hepta::Scalar> value;

  void SetStructure(const hepta::bbs::Half &);
};

/* For the device, which arranges the rows in tiles as its plan says */
class HeptaTriangleTiles {
public:
  PetscErrorCode Fill(const HeptaSpace &, const HeptaTriangleShape &, const HeptaBBSOptions &, const hepta::bbs::Blocks &, bool scale);
  PetscErrorCode Solve(const HeptaSpace &, const HeptaTriangleShape &, hepta::bbs::Vectors);
  bool           IsBuilt() const { return built; }
  /* Right-hand sides from which on `auto` takes engine `together` in place of these tiles; 0: never */
  int TogetherFrom() const { return together_from; }
  /* Does a solve bring its own v.work? That of `syncfree` with one vector alternates between two buffers. */
  bool           HasWork(const hepta::bbs::Vectors &v) const { return plan.engine == hepta::bbs::Engine::syncfree && v.count == 1; }
  PetscErrorCode View(const HeptaTriangleShape &, PetscViewer, const char name[]) const;

private:
  bool             built = false;
  hepta::bbs::Plan plan;
  hepta::Index     levels = 0, widest = 0, chunks = 0, tiles = 0;
  int              threads = 32, together_from = 0;
  size_t           entries = 0;
  HeptaValues      chunk, tile, from, other, entry, position, ticket; /* position: order and place of Triangle, or empty */
  HeptaValues      buffers;                                           /* HasWork(): two, which solves use in turn */
  int              buffer       = 0;                                  /* of the next solve */
  bool             buffer_ready = false;                              /* is it as the kernel wants it? */

  PetscErrorCode Build(const HeptaSpace &, const HeptaTriangleShape &, const HeptaBBSOptions &, const hepta::bbs::Blocks &);
  PetscErrorCode Decide(const HeptaSpace &, const HeptaTriangleShape &, const HeptaBBSOptions &, const hepta::bbs::Half &, const hepta::Index *level);
  PetscErrorCode ArrangeChunks(hepta::bbs::Analysis &, hepta::Index rows, bool narrow, hepta::bbs::ChunkLoad *);
  PetscErrorCode Write(const HeptaSpace &, hepta::bbs::Analysis &);
  PetscErrorCode Get(const HeptaSpace &, const HeptaTriangleShape &, hepta::bbs::Triangle *);
};

/* Engine `together`: many right-hand sides on the device, with the rows of the factors themselves, hence not with a transposed triangle */
class HeptaTriangleTogether {
public:
  /* The order of the rows, once for a structure */
  PetscErrorCode SetOrder(const HeptaSpace &, const HeptaTriangleShape &, const hepta::bbs::Blocks &);
  PetscErrorCode Solve(const HeptaSpace &, const HeptaTriangleShape &, const hepta::bbs::Blocks &, bool scale, const hepta::bbs::Vectors &);

private:
  HeptaValues order, ticket; /* order: the block rows by level */
};

/* A triangle in each of the forms that it is solved in, which are made when they are first needed */
class HeptaTriangle {
public:
  HeptaTriangle(const HeptaTriangleShape &s, const HeptaBBSOptions &o) : shape(s), options(o) {}

  bool IsFilled(const HeptaSpace &space) const { return filled[space.device]; }
  void Invalidate() { filled[0] = filled[1] = false; }
  /* Values from those of the blocks, in the form for this space; scale: see solve_value() */
  PetscErrorCode Fill(const HeptaSpace &, const hepta::bbs::Blocks &, bool scale);
  /* Is it solved by engine `together`, which takes the blocks that it was filled from? */
  bool IsTogether(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  /* Vectors that v.work is to hold */
  size_t         WorkVectors(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  PetscErrorCode Solve(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::bbs::Vectors &v);
  PetscErrorCode View(PetscViewer, const char name[]) const;

private:
  HeptaTriangleShape    shape;
  HeptaBBSOptions       options;
  bool                  filled[2] = {false, false}; /* on the host, on the device */
  bool                  scaled    = false;          /* the values are those of L D times D^-1 */
  HeptaTriangleRows     rows;
  HeptaTriangleTiles    tiles;
  HeptaTriangleTogether together;

  bool OnlyTogether() const { return options.engine == hepta::bbs::Engine::together && !shape.transposed; }
};
