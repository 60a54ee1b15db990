/* The cycle over levels of any aggregates on the PETSc side */
#pragma once

#include <memory>
#include <string>

#include "../../grid.h"
#include "../../operator.h"
#include "levels_kernels.hxx"

/*
   The transfer from a level to the next one: each block row belongs to one aggregate, each unknown i of a row to unknown label[i], that of the same field, of the aggregate. The next level's matrix is
   the sum of this one's entries over pairs of aggregates. On several MPI processes an aggregate has rows of one process, and each process numbers rows and labels from 0.
*/
struct HeptaAggregates {
  size_t      n = 0, coarse = 0;    /* unknowns of this level and of the next one */
  HeptaValues label, member, first; /* of types Index, Index, size_t: member has the unknowns sorted by label, those of unknown e of the next level from first[e] on */
  bool        split  = false;       /* are long aggregates summed in chunks? chunk: where each begins in member; segment: the first chunk of each unknown (size_t); own: ones for chunk_sums() (bytes) */
  size_t      chunks = 0;
  HeptaValues chunk, segment, own;
  size_t      slots = 0, ghost_slots = 0; /* the number of entries in columns of this MPI process, and of others */
  HeptaValues slot, ghost_slot;           /* the slot of each of these entries (size_t) in this level's values, and in those of the ghost part */
  HeptaValues partial, values;            /* sums over chunks; the entries in the order of slot and ghost_slot */

  /* number: for each of `rows` block rows its aggregate, one of `count`, of type Index; the tables are made in the same memory */
  PetscErrorCode Set(HeptaValues &number, size_t rows, PetscInt count, PetscInt bs);
  /* coarse <- alpha times the sums of v - w over the aggregates, where w may be null: zero, and must be if aggregates are split; w_i <- w_i + the value of coarse for the aggregate of row i */
  PetscErrorCode Restrict(const HeptaSpace &, PetscScalar alpha, const PetscScalar *v, const PetscScalar *w, PetscScalar *coarse);
  PetscErrorCode Prolong(const HeptaSpace &, const PetscScalar *coarse, PetscScalar *w);

private:
  PetscErrorCode SplitIntoChunks();
};

struct HeptaLevel {
  Mat                       A        = nullptr;                                 /* a reference: MATBDIA or MATBROW */
  PC                        smoother = nullptr;                                 /* not on the last level */
  Vec                       b = nullptr, z = nullptr, t = nullptr, u = nullptr; /* right-hand side and solution, not on the first level; a residual and a smoothing step */
  PetscInt                  n[3] = {0, 0, 0}, box[3] = {1, 1, 1};               /* with boxes: the grid, on several MPI processes the part of it around this one's cells; and the cells along each side of a box */
  std::vector<PetscInt>     cell;                                               /* the cell of each block row in that part, in natural order; empty if the rows are all its cells in order */
  hepta::blocked::EntryList entries;                                            /* the entries in this MPI process's rows and columns, while they are needed */
  HeptaAggregates           down;                                               /* to the next level */

  HeptaLevel()                              = default;
  HeptaLevel(const HeptaLevel &)            = delete;
  HeptaLevel &operator=(const HeptaLevel &) = delete;
  ~HeptaLevel();

  /* where `entries` are listed: where the matrix is; with several MPI processes on the host */
  PetscErrorCode ListSpace(HeptaSpace *) const;
};

/* How the rows of a level are aggregated */
enum class HeptaAggregateKind {
  boxes,   /* boxes of the grid */
  labels,  /* the subdomains of a type of the two-level method; by strength on the following levels */
  strength /* by strength of the couplings */
};

/* The choices for the cycle */
struct HeptaLevelsChoice {
  PetscReal             overcorrection       = 1.8;
  PetscReal             strong               = 0.25; /* boxes: axes with couplings of at least this strength relative to the strongest are coarsened */
  PetscInt              levels               = 0;    /* 0: until a dense inverse is cheap */
  PetscBool             w                    = PETSC_FALSE; /* W-cycle */
  PetscBool             w_given              = PETSC_FALSE; /* if these are not given, aggregates other than boxes have other defaults */
  PetscBool             overcorrection_given = PETSC_FALSE;
  std::string           smoother             = PCIP;
  PetscBool             smoother_given       = PETSC_FALSE; /* if not given, levels of aggregates other than boxes choose by the matrix */
  PetscInt              pre = 1, post = 1;                  /* smoothing steps */
  std::vector<PetscInt> sizes;                              /* cells along a side of the boxes, for each level; the last one for all that follow; 2 if empty */

  PetscErrorCode FromOptions(PC, PetscOptionItems); /* levels_options.cxx */
  PetscInt       Size(size_t l) const { return sizes.empty() ? 2 : sizes[PetscMin(l, sizes.size() - 1)]; }
};

struct HeptaLevels {
  HeptaLevelsChoice                        choice;
  HeptaOperator                            op; /* its matrix is that of the first level */
  std::vector<std::unique_ptr<HeptaLevel>> levels;
  HeptaAggregateKind                       kind = HeptaAggregateKind::boxes;
  std::string                              smoother;       /* the type of the levels' smoothers, unless their own options give another */
  PetscInt                                 unlike_ip = -1; /* the first row that is not for PCIP, if the smoother has been chosen by the matrix */
  bool                                     chosen = false; /* has it? */
  HeptaValues                              label;      /* the subdomains that the first level was aggregated by, as PC_Subdeflation::label */
  HeptaHalo                                gather;     /* on several MPI processes: gathers the last level's unknowns on all */
  HeptaValues                              part;       /* the right-hand side of the last level, of this process */
  HeptaValues                              found;      /* a flag set by launchers */
  HeptaValues                              transposed; /* the transpose of the last level's inverse, once it has been needed */
  unsigned long                            transposed_of = 0;

  PetscErrorCode Reset();
  /* levels_setup.cxx: sets up everything from the operators of pc; *why <- why levels cannot be used, or are no default unless they are `asked` for, empty if they are ready. Collective. */
  PetscErrorCode SetUp(PC, bool asked, std::string *why);
  /* the smoothers of all levels read their options again */
  PetscErrorCode SmoothersFromOptions();
  /* levels.cxx: y <- B x, or B^T x */
  PetscErrorCode Apply(PC, Vec x, Vec y, bool transposed);
  PetscErrorCode View(PC, PetscViewer) const;
  /* coarse.q <- the sums of v, of all MPI processes, over the rows of the unknowns of the last level */
  PetscErrorCode SumRows(PC, Vec v);
  /* levels_last.cxx: az.label <- for each row of the first level the global number of its unknown of the last level, unless it is already set */
  PetscErrorCode GiveLabels(PC);
  /* these return the user's choice, or the default for the kind of aggregates */
  bool      IsW() const;
  PetscReal Overcorrection() const;

private:
  /* levels_default.cxx: *why <- why a cycle is no default for the matrix, empty if it is: what does not need `op`, and the rest; collective */
  static constexpr PetscInt MOST = 7; /* the most entries of a row of a 7-point operator */
  PetscErrorCode            FitsBefore(PC, std::string *why);
  PetscErrorCode            FitsValues(PC, std::string *why);
  PetscErrorCode FindKind(PC, bool *same, std::string *why);
  PetscErrorCode Aggregate(PC, size_t l, HeptaLevel &next, bool *fewer);
  PetscErrorCode Nest(PC, std::string *why);
  PetscErrorCode Complete(PC);
  PetscErrorCode ChooseSmoother();
  PetscErrorCode MakeSmoother(PC, HeptaLevel &);
  PetscErrorCode SetUpSmoother(PC, HeptaLevel &);
  PetscErrorCode Forget();
  /* levels_last.cxx: the dense inverse */
  PetscErrorCode SetUpLast(PC, std::string *why);
  PetscErrorCode FindHidden(PC, const HeptaSpace &, std::string *why);
  PetscErrorCode LargestDiagonals(PC, std::vector<PetscReal> &largest, std::vector<PetscInt> &first);
  /* levels.cxx */
  PetscErrorCode Smooth(size_t l, Vec b, Vec z, PetscInt steps, bool from_zero, bool transposed);
  PetscErrorCode Restrict(PC, size_t l, PetscScalar weight, Vec v, Vec w, HeptaSpace *);
  PetscErrorCode Correct(PC, size_t l, Vec b, Vec z, bool zero, bool transposed);
  PetscErrorCode SolveLast(PC, const HeptaSpace &, bool transposed);
  PetscErrorCode Visit(PC, size_t l, Vec b, Vec z, bool again, bool transposed);
};

/* levels_aggregates.cxx: this MPI process's cells of the grid, on the first level */
PETSC_INTERN void HeptaLevelCells(const HeptaGrid &, HeptaLevel &);
/* number, *count <- the aggregates of level l, of type Index on the host, and how many there are, of this MPI process; sets the grid of `next`; collective */
PETSC_INTERN PetscErrorCode HeptaLevelBoxes(PC, size_t l, HeptaLevel &, HeptaLevel &next, HeptaValues &number, PetscInt *count);
/* levels_strength.cxx: the same for aggregates by strength, where they are found: with the matrix for block size 1 on one MPI process, otherwise on the host */
PETSC_INTERN PetscErrorCode HeptaLevelStrength(HeptaLevel &, HeptaValues &number, PetscInt *count);
/* levels_galerkin.cxx: the next level's matrix, its structure and then its values; collective */
PETSC_INTERN PetscErrorCode HeptaLevelStructure(HeptaLevel &, PetscInt count, bool boxes, HeptaLevel &next);
PETSC_INTERN PetscErrorCode HeptaLevelValues(HeptaLevel &, HeptaLevel &next);
