/* The cycle over levels of any aggregates on the PETSc side */
#pragma once

#include <memory>
#include <string>

#include "../../grid.h"
#include "../../operator.h"
#include "levels_kernels.hxx"

/*
   From a level to the next one: each block row belongs to one aggregate, each unknown i of a row to that field's unknown label[i] of the aggregate. The next level's matrix is
   the sum of this one's entries over pairs of aggregates. On several MPI processes an aggregate has rows of one of them, and rows and labels are numbered by each from 0.
*/
struct HeptaAggregates {
  std::vector<hepta::Index>  label;
  std::vector<hepta::Index>  member; /* the unknowns in the order of their labels: those of unknown e of the next level from first[e] on */
  std::vector<size_t>        first;
  bool                       cut = false; /* long aggregates are summed in chunks: where these begin in member, and where each unknown's begin among the chunks */
  std::vector<size_t>        chunk, segment;
  std::vector<unsigned char> own;        /* ones, for chunk_sums() */
  std::vector<size_t>        slot;       /* of each entry that a sum takes, in this level's values: those in columns of this MPI process, */
  std::vector<size_t>        ghost_slot; /* and those in columns of others, in the values of the ghost part */
  HeptaTable<hepta::Index>   label_table, member_table;
  HeptaTable<size_t>         size_tables[5]; /* first, chunk, segment, slot, ghost_slot */
  HeptaTable<unsigned char>  own_table;
  HeptaValues                partial, values; /* sums over chunks; the entries in the order of slot and ghost_slot */

  /* of each block row: the number of its aggregate, one of count */
  PetscErrorCode Set(const std::vector<PetscInt> &number, PetscInt count, PetscInt bs);
  /* coarse <- alpha times the sums of v - w over the aggregates, where w may be null: zero, and must be if they are cut; w <- w + what coarse has for each row */
  PetscErrorCode Restrict(const HeptaSpace &, PetscScalar alpha, const PetscScalar *v, const PetscScalar *w, PetscScalar *coarse);
  PetscErrorCode Prolong(const HeptaSpace &, const PetscScalar *coarse, PetscScalar *w);
};

struct HeptaLevel {
  Mat                   A        = nullptr;                                 /* a reference: MATBDIA or MATBROW */
  PC                    smoother = nullptr;                                 /* not on the last level */
  Vec                   b = nullptr, z = nullptr, t = nullptr, u = nullptr; /* right-hand side and solution, not on the first level; a residual and a smoothing step */
  PetscInt              n[3] = {0, 0, 0}, box[3] = {1, 1, 1};               /* with boxes: the grid, on several MPI processes the part of it around this one's cells; and the cells along each side of a box */
  std::vector<PetscInt> place;                                              /* of each block row in that part, in natural order; empty where they are all the cells of it */
  HeptaAggregates       down;                                               /* to the next level */

  HeptaLevel()                              = default;
  HeptaLevel(const HeptaLevel &)            = delete;
  HeptaLevel &operator=(const HeptaLevel &) = delete;
  ~HeptaLevel();
};

/* How the rows of a level are put together */
enum class HeptaAggregateKind {
  boxes,   /* of the grid */
  labels,  /* the subdomains of a type of the two-level method; strength below */
  strength /* of the couplings */
};

struct HeptaLevels {
  HeptaOperator                            op; /* whose matrix is the first level's */
  std::vector<std::unique_ptr<HeptaLevel>> levels;
  HeptaAggregateKind                       kind = HeptaAggregateKind::boxes;
  std::vector<PetscInt>                    label;          /* the subdomains that the first level was aggregated by */
  HeptaHalo                                gather;         /* several MPI processes: what each has of the last level's unknowns to all */
  HeptaValues                              part, gathered; /* right-hand sides there, of this one and of all */
  HeptaValues                              transposed;     /* of the last level's inverse, once it has been needed */
  unsigned long                            transposed_of = 0;

  PetscErrorCode Reset();
  /* levels_setup.cxx: everything from the operators of pc; *why <- what is in the way, empty if it is ready. Collective. */
  PetscErrorCode SetUp(PC, std::string *why);
  /* those of all levels read their options again */
  PetscErrorCode SmoothersFromOptions();
  /* levels.cxx: y <- B x, or B^T x */
  PetscErrorCode Apply(PC, Vec x, Vec y, bool transposed);
  PetscErrorCode View(PC, PetscViewer) const;
  /* what is chosen, or the default for the kind of aggregates */
  bool      IsW(PC) const;
  PetscReal Overcorrection(PC) const;

private:
  PetscErrorCode FindKind(PC, bool *same, std::string *why);
  PetscErrorCode Aggregate(PC, size_t l, HeptaLevel &next, bool *fewer);
  PetscErrorCode Nest(PC, std::string *why);
  PetscErrorCode Complete(PC);
  PetscErrorCode MakeSmoother(PC, HeptaLevel &);
  PetscErrorCode SetUpSmoother(PC, HeptaLevel &);
  PetscErrorCode SetUpLast(PC);
  PetscErrorCode Forget();
  PetscErrorCode Smooth(size_t l, Vec b, Vec z, PetscInt steps, bool from_zero, bool transposed);
  PetscErrorCode RestrictToLast(PC, const HeptaSpace &, PetscScalar weight, const PetscScalar *v, const PetscScalar *w);
  PetscErrorCode Correct(PC, size_t l, Vec b, Vec z, bool zero, bool transposed);
  PetscErrorCode SolveLast(PC, const HeptaSpace &, bool transposed);
  PetscErrorCode Visit(PC, size_t l, Vec b, Vec z, bool again, bool transposed);
};

/* levels_aggregates.cxx: this MPI process's cells of the grid, on the first level */
PETSC_INTERN void HeptaLevelCells(const HeptaGrid &, HeptaLevel &);
/* the aggregates of level l, and how many they are, both of this MPI process; the boxes' grid goes to next; collective */
PETSC_INTERN PetscErrorCode HeptaLevelBoxes(PC, size_t l, HeptaLevel &, HeptaLevel &next, std::vector<PetscInt> &number, PetscInt *count);
/* levels_strength.cxx: the same for aggregates by strength */
PETSC_INTERN PetscErrorCode HeptaLevelStrength(const HeptaLevel &, std::vector<PetscInt> &number, PetscInt *count);
/* levels_galerkin.cxx: the next level's matrix, its structure and then its values; collective */
PETSC_INTERN PetscErrorCode HeptaLevelStructure(HeptaLevel &, PetscInt count, bool boxes, HeptaLevel &next);
PETSC_INTERN PetscErrorCode HeptaLevelValues(HeptaLevel &, HeptaLevel &next);
