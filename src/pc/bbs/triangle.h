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

/* The levels of a triangle's block rows on the device. The elimination and the solves share those of L. */
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
  bool            upper, transposed; /* which triangle of the factors it is; is it the transpose of that one? */
  hepta::Index    n;                 /* rows of the scalar matrix */
  size_t          entries;           /* off the diagonal */
  HeptaRowLevels *levels;            /* of its own rows */

  /* The triangle of the factors, not transposed */
  hepta::bbs::StrictTriangle Of(const hepta::bbs::Blocks &B) const { return {B.n, B.bs, upper, B.i, B.j, B.diag}; }
};

/* A triangle by rows on the host, which solves them one after the other */
class HeptaTriangleRows {
public:
  /* Sets the values from those of the blocks, and at the first call the structure; scale: see solve_value() */
  PetscErrorCode Fill(const HeptaTriangleShape &, const hepta::bbs::Blocks &, bool scale);
  PetscErrorCode Solve(const HeptaTriangleShape &, const hepta::bbs::Vectors &) const;

private:
  std::vector<hepta::Index>  first, col, from; /* from: where each entry's value is among those of the blocks */
  std::vector<hepta::Scalar> value;

  void SetStructure(const hepta::bbs::StrictTriangle &);
};

/* A triangle in tiles on the device, which are arranged for the engine of its plan */
class HeptaTriangleTiles {
public:
  PetscErrorCode Fill(const HeptaSpace &, const HeptaTriangleShape &, const HeptaBBSOptions &, const hepta::bbs::Blocks &, bool scale);
  PetscErrorCode Solve(const HeptaSpace &, const HeptaTriangleShape &, hepta::bbs::Vectors);
  bool           IsBuilt() const { return built; }
  /* The number of right-hand sides from which on engine `together` is to solve in place of these tiles; 0: never */
  int MultiRHSFrom() const { return multi_rhs_from; }
  /* Does Solve() use buffers of its own in place of the caller's v.work? Solves by `syncfree` with one vector do: they use two buffers in turn, and each fills the other one with `unset`. */
  bool           HasWork(const hepta::bbs::Vectors &v) const { return plan.engine == hepta::bbs::Engine::syncfree && v.count == 1; }
  PetscErrorCode View(const HeptaTriangleShape &, PetscViewer, const char name[]) const;

private:
  bool             built = false;
  hepta::bbs::Plan plan;
  hepta::Index     levels = 0, widest = 0, chunks = 0, tiles = 0;
  int              threads = 32, multi_rhs_from = 0;
  size_t           entries = 0;
  HeptaValues      chunk, tile, from, other, entry, position, ticket; /* position: both order and position of TiledTriangle, or empty */
  HeptaValues      buffers;                                           /* the two of HasWork(), and one for solves that are recorded */
  int              buffer       = 0;                                  /* which of the two the next solve uses */
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
  /* Are these vectors solved for by engine `together`? Then Solve() takes the blocks from which the triangle was filled. */
  bool UsesMultiRHS(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  /* The number of vectors that v.work is to hold */
  size_t         WorkVectors(const HeptaSpace &, const hepta::bbs::Vectors &) const;
  PetscErrorCode Solve(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::bbs::Vectors &v);
  PetscErrorCode View(PetscViewer, const char name[]) const;

private:
  HeptaTriangleShape shape;
  HeptaBBSOptions    options;
  bool               filled[2] = {false, false}; /* on the host, on the device */
  bool               scaled    = false;          /* are the values those of L D times D^-1? */
  HeptaTriangleRows  rows;
  HeptaTriangleTiles tiles;
  HeptaValues        ticket; /* of engine `together` */

  /* `together` reads the rows of the factors themselves, and so cannot solve a transposed triangle */
  bool           OnlyMultiRHS() const { return options.engine == hepta::bbs::Engine::together && !shape.transposed; }
  PetscErrorCode SolveMultiRHS(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::bbs::Vectors &);
};
