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
PETSC_INTERN const char *const HeptaBBSEngines[];

/* The levels of a triangle's block rows on the device. The elimination and the solves use the same levels of L. */
struct HeptaRowLevels {
  HeptaValues  level, order;
  hepta::Index levels = 0, widest = 0, longest = 0; /* number of levels, 0 until they are found; block rows of the widest one; blocks of the longest row */

  PetscErrorCode Forget()
  {
    PetscFunctionBegin;
    levels = 0;
    PetscCall(order.Free());
    PetscCall(level.Free());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#if defined(HEPTA_HAVE_CUDA)
  PetscErrorCode Find(const HeptaSpace &, const hepta::bbs::StrictTriangle &, const hepta::Index **of_rows);
  /* The block rows sorted by level, each after those that it depends on */
  PetscErrorCode Order(const HeptaSpace &, const hepta::bbs::StrictTriangle &, const hepta::Index **of_levels);
#endif
};

/* A strict triangle of the factors, or its transpose */
struct HeptaTriangleShape {
  bool            upper, transposed; /* which triangle of the factors; is it transposed? */
  hepta::Index    n;                 /* rows of the scalar matrix */
  size_t          entries;           /* the number of off-diagonal entries */
  HeptaRowLevels *levels;            /* the levels of its rows */

  /* The triangle of the factors, not transposed */
  hepta::bbs::StrictTriangle Of(const hepta::bbs::Blocks &B) const { return {B.n, B.bs, upper, B.i, B.j, B.diag}; }
};

/* A triangle by rows on the host, solved row by row */
class HeptaTriangleRows {
public:
  /* Sets the values from those of the blocks, and at the first call the structure; scale: see solve_value() */
  PetscErrorCode Fill(const HeptaTriangleShape &, const hepta::bbs::Blocks &, bool scale);
  PetscErrorCode Solve(const HeptaTriangleShape &, const hepta::bbs::Vectors &) const;

private:
  std::vector<hepta::Index>  first, col, from; /* from: the index of each entry's value among those of the blocks */
  std::vector<hepta::Scalar> value;

  void SetStructure(const hepta::bbs::StrictTriangle &);
};

/* A triangle in tiles on the device, which are arranged for the engine of its plan */
class HeptaTriangleTiles {
public:
  PetscErrorCode Fill(const HeptaSpace &, const HeptaTriangleShape &, const HeptaBBSOptions &, const hepta::bbs::Blocks &, bool scale);
  PetscErrorCode Solve(const HeptaSpace &, const HeptaTriangleShape &, hepta::bbs::Vectors);
  bool           IsBuilt() const { return built; }
  /* The number of right-hand sides from which on engine `together` solves instead of these tiles; 0: never */
  int MultiRHSFrom() const { return multi_rhs_from; }
  /* Does Solve() use buffers of its own instead of the caller's v.work? Solves by `syncfree` with one vector do: they use two buffers alternately, and each solve fills the other one with `unset`. */
  bool           HasWork(const hepta::bbs::Vectors &v) const { return plan.engine == hepta::bbs::Engine::syncfree && v.count == 1; }
  PetscErrorCode View(const HeptaTriangleShape &, PetscViewer, const char name[]) const;

private:
  bool             built = false;
  hepta::bbs::Plan plan;
  hepta::Index     levels = 0, widest = 0, chunks = 0, tiles = 0;
  int              threads = 32, multi_rhs_from = 0;
  size_t           entries = 0;
  HeptaValues      chunk, tile, from, other, entry, position, ticket; /* position: both order and position of TiledTriangle, or empty */
  HeptaValues      buffers;                                           /* the two buffers of HasWork(), and one for recorded solves */
  int              buffer       = 0;                                  /* the one of the two that the next solve uses */
  bool             buffer_ready = false;                              /* is it filled with `unset`? */

  PetscErrorCode Build(const HeptaSpace &, const HeptaTriangleShape &, const HeptaBBSOptions &, const hepta::bbs::Blocks &);
  PetscErrorCode Decide(const HeptaSpace &, const HeptaTriangleShape &, const HeptaBBSOptions &, const hepta::bbs::StrictTriangle &, const hepta::Index *level);
  PetscErrorCode ArrangeChunks(hepta::bbs::Analysis &, hepta::Index rows, bool narrow, hepta::bbs::ChunkLoad *);
  PetscErrorCode Write(const HeptaSpace &, hepta::bbs::Analysis &);
  PetscErrorCode Get(const HeptaSpace &, const HeptaTriangleShape &, hepta::bbs::TiledTriangle *);
};

/* A triangle in the forms in which it is solved; each is made when it is first needed */
class HeptaTriangle {
public:
  HeptaTriangle(const HeptaTriangleShape &s, const HeptaBBSOptions &o) : shape(s), options(o) {}

  bool IsFilled(const HeptaSpace &space) const { return filled[space.device]; }
  void Invalidate() { filled[0] = filled[1] = false; }
  /* Sets the values from those of the blocks, in the form for this space; scale: see solve_value() */
  PetscErrorCode Fill(const HeptaSpace &, const hepta::bbs::Blocks &, bool scale);
  /* Does engine `together` solve for these vectors? Then Solve() needs the blocks from which the triangle was filled. */
  bool UsesMultiRHS(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  /* The number of vectors that v.work must have room for */
  size_t         WorkVectors(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  PetscErrorCode Solve(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::bbs::Vectors &v);
  PetscErrorCode View(PetscViewer, const char name[]) const;

private:
  HeptaTriangleShape shape;
  HeptaBBSOptions    options;
  bool               filled[2] = {false, false}; /* is the form for the host, for the device filled? */
  bool               scaled    = false;          /* are the values those of L D times D^-1? */
  HeptaTriangleRows  rows;
  HeptaTriangleTiles tiles;
  HeptaValues        ticket; /* of engine `together` */

  /* `together` reads the rows of the factors themselves, and so cannot solve a transposed triangle */
  bool           OnlyMultiRHS() const { return options.engine == hepta::bbs::Engine::together && !shape.transposed; }
  PetscErrorCode SolveMultiRHS(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::bbs::Vectors &);
};
