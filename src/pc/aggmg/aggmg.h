/* Algebraic multigrid by smoothed aggregation on the PETSc side */
#pragma once

#include <memory>
#include <utility>

#include "../multigrid.h"
#include "../../mat/blocked/blocked.h"
#include "aggmg_kernels.hxx"

using hepta::Index;

/* A pattern of tiles, with the values of a level */
struct HeptaTiles {
  hepta::Index rows = 0, columns = 0;
  int          br = 1, bc = 1;
  size_t       tiles = 0, own = 0;   /* own: tiles in rows of this process; own rows come first */
  HeptaValues  first, col, row, val; /* row: see Pattern; empty without */

  PetscErrorCode                    View(const HeptaSpace &, hepta::aggmg::Pattern *);
  template <class T> PetscErrorCode Typed(const HeptaSpace &, HeptaAccess, hepta::aggmg::Tiles<T> *);
  size_t                            Values() const { return tiles * (size_t)br * (size_t)bc; }
};

/* The list of tile products of a matrix product, on a device for rows that are not too long; otherwise empty */
struct HeptaProducts {
  size_t      count = 0, bytes = 0;
  HeptaValues first, pair;

  PetscErrorCode View(const HeptaSpace &, hepta::aggmg::Products *);
};

/*
   The part of a process in a level that is distributed over several MPI processes. The process has rows, whose columns are its
   own nodes, then the ghosts: nodes of other processes coupled with the rows. Aggregates consist of a process's own nodes. P_0, P
   and A P have rows of the ghosts too, and number all aggregates; P^T has the rows of the process's own aggregates. The next
   level is distributed likewise or, if it is small, gathered: every process has a copy of the gathered level and of all further
   levels, and repeats all computations on these levels. A first level that is gathered as it is has an aggregate for each node.
*/
struct HeptaAggMGPart {
  bool                     distributed = false;
  bool                     copies      = false; /* has the next level all rows of this level, the first one? */
  Index                    start = 0, own = 0;  /* the first aggregate of this process; its number of aggregates */
  std::vector<PetscSFNode> ghosts;              /* where they are: process, and node there */
  HeptaValues              numbers;             /* of the ghosts among all nodes, ascending */
  HeptaHalo                nodes, node;         /* exchanges of vectors, of a number for each node */
  HeptaHalo                tentative, P, AP, A; /* of rows of P_0, P, A P and A */
  HeptaTiles               rows;                /* of A, and of the ghosts, to find the skew part: see ghost_columns() */
  HeptaTiles               coarse;              /* the process's rows of the next level, with columns among all nodes */
  HeptaValues              at;                  /* number in coarse of each tile of the next level, if that is distributed */
  /* columns of P and A P among the next level's own nodes and ghosts, likewise */
  HeptaValues P_column, AP_column;
  HeptaHalo   right, matrix; /* gathers of right-hand sides and of the next level otherwise */
};

struct HeptaAggMGLevel {
  HeptaTiles    A, P, R, AP;      /* R: P^T */
  HeptaProducts for_AP, for_next; /* for A P, and for P^T (A P) */
  HeptaValues   from;             /* of the first level: the slot of each value */
  /* w: 1 / (rho D) in double; scaled: in the type of the cycle; sums of |a_ij|; ratio: sums / a_ii of the first values */
  HeptaValues    w, scaled, sums, ratio;
  HeptaValues    aggregate, at; /* aggregate of each node; at: number in P of each tile of R */
  HeptaTiles     tentative;     /* P_0 */
  HeptaTiles     filtered;      /* A without weak couplings, for the smoothing of P_0; empty without a threshold */
  HeptaValues    null;          /* near null vectors, rows x k */
  HeptaValues    b, r, z, d[2];
  HeptaValues    rho; /* an estimate of the largest eigenvalue of D^-1 A */
  HeptaAggMGPart part;

  double skew = 0; /* sum |a_ij - a_ji| / sum (|a_ij| + |a_ji|), i != j */

  size_t Rows() const { return (size_t)A.rows * (size_t)A.br; }
  bool   NearlySymmetric() const { return skew <= 0.2; }
  double FirstFactor() const { return NearlySymmetric() ? 4. / 3 : 1.8; } /* of W r, in the first term of a smoother */
};

/* The exchange of a number of each process */
struct HeptaAggMGNumbers {
  PetscMPIInt size = 1, rank = 0;
  HeptaHalo   gather;
  HeptaValues all;
};

/* The coordinates that the program gave for the nodes of this process: dim for each */
struct HeptaAggMGCoordinates {
  PetscInt               dim = 0;
  std::vector<PetscReal> of;

  PetscErrorCode Set(PetscInt dim, PetscInt n, const PetscReal x[]);
  PetscErrorCode Modes(Mat A, MatNullSpace *) const;
};

/* What the program chooses */
struct HeptaAggMGChoice {
  PetscReal  threshold = 0.01;
  PetscInt   degree = 2, levels = 0, coarse_size = 500, gather = 65536;
  PetscBool3 smooth = PETSC_BOOL3_UNKNOWN; /* unknown: smooth on nearly symmetric levels */
  PetscBool  reuse  = PETSC_TRUE;
  /* without a given storage the first method that takes no preconditioner in float clears `single` */
  bool single = true, storage_given = false;
};

class HeptaAggMG {
public:
  HeptaAggMGChoice                              choice;
  HeptaAggMGCoordinates                         coordinates;
  HeptaOperator                                 op;
  HeptaAggMGNumbers                             ranks;
  std::vector<std::unique_ptr<HeptaAggMGLevel>> levels;
  bool                                          symmetric_known = true;    /* to PETSc */
  bool                                          dense           = false;   /* is the last level solved by its inverse? */
  const PetscScalar                            *product         = nullptr; /* see HeptaRecorded::scale */

  PetscErrorCode SetUp(PC);
  PetscErrorCode Apply(Vec x, Vec y);
  bool           IsSymmetric() const { return levels.empty() || levels[0]->skew < 1e-5; }
  bool           SmoothsProlongation(size_t l) const;
  PetscErrorCode View(PetscViewer) const;
  PetscErrorCode Reset();
  bool           TakeDouble() { return choice.storage_given ? false : std::exchange(choice.single, false); }

private:
  int           k         = 1; /* near null vectors */
  PetscObjectId near_null = 0; /* object number of the given near null space */
  HeptaValues   inverse, elimination[2], scale, found, rowsum, lanczos, vectors, work;

  PetscErrorCode FirstLevel(const HeptaSpace &);
  PetscErrorCode NearNull(const HeptaSpace &, MatNullSpace given);
  /* aggmg_ranks.cxx; no operation on one process */
  PetscErrorCode ListGhosts(const HeptaSpace &, hepta::blocked::EntryList *);
  PetscErrorCode ConnectRanks();
  PetscErrorCode ConnectFirst();
  PetscErrorCode ConnectNodes(size_t l);
  PetscErrorCode FindGhosts(const HeptaSpace &, size_t l);
  bool           StaysDistributed(hepta::Index aggregates) const;
  bool           IsCopied(hepta::Index aggregates) const;
  size_t         FirstRow(size_t l) const; /* of this process, among all rows */
  PetscErrorCode NumberAggregates(const HeptaSpace &, size_t l, Index *aggregate, Index *count, bool *coarser);
  PetscErrorCode GatherNull(const HeptaSpace &, size_t l, hepta::Index count);
  PetscErrorCode FindGhostRows(const HeptaSpace &, size_t l, hepta::Index *first, std::vector<PetscSFNode> &roots,
                               std::vector<hepta::Index> &ends);
  PetscErrorCode ExtendRows(const HeptaSpace &, size_t l, HeptaTiles &P, HeptaHalo *halo);
  PetscErrorCode LocalOf(const HeptaSpace &, size_t l, hepta::aggmg::LocalNodes *);
  PetscErrorCode ExtendMatrix(const HeptaSpace &, size_t l);
  PetscErrorCode GatherPattern(const HeptaSpace &, size_t l);
  PetscErrorCode LocalPattern(const HeptaSpace &, size_t l);
  PetscErrorCode Total(const HeptaSpace &, size_t l, double *sum);         /* over all processes */
  PetscErrorCode Largest(const HeptaSpace &, size_t l, long long *number); /* of positive numbers, as bits */
  bool           Distributed(size_t l) const { return l < levels.size() && levels[l]->part.distributed; }
  template <class T> PetscErrorCode BringNodes(const HeptaSpace &space, size_t l, T *v)
  {
    return Distributed(l) ? levels[l]->part.nodes.Bring({space, v, v}) : PETSC_SUCCESS;
  }
  template <class T> PetscErrorCode Build(const HeptaSpace &, bool same);
  template <class T> PetscErrorCode TakeValues(const HeptaSpace &);
  template <class T> PetscErrorCode Diagonal(const HeptaSpace &, size_t l);
  template <class T> PetscErrorCode RunLanczos(const HeptaSpace &, size_t l, double *sums, double *vectors);
  template <class T> PetscErrorCode Bound(const HeptaSpace &, size_t l, bool again);
  template <class T> PetscErrorCode Aggregate(const HeptaSpace &, size_t l, bool *coarser);
  template <class T> PetscErrorCode Interpolate(const HeptaSpace &, size_t l);
  PetscErrorCode                    Patterns(const HeptaSpace &, size_t l);
  PetscErrorCode ListProducts(const HeptaSpace &, HeptaTiles &A, HeptaTiles &B, HeptaTiles &C, HeptaProducts *);
  PetscErrorCode Tentative(const HeptaSpace &, size_t l, hepta::Index count);
  PetscErrorCode TakeTentative(const HeptaSpace &, size_t l, hepta::Index count, const double *T);
  PetscErrorCode Transpose(const HeptaSpace &, HeptaAggMGLevel &);
  template <class T> PetscErrorCode Project(const HeptaSpace &, size_t l);
  template <class T>
  PetscErrorCode AddNull(const HeptaSpace &, const hepta::aggmg::Tiles<T> &A, const double *w, size_t N, double *dense);
  template <class T> PetscErrorCode Invert(const HeptaSpace &);
  template <class T> PetscErrorCode Vectors(const HeptaSpace &);
  template <class T> PetscErrorCode LevelOf(const HeptaSpace &, size_t l, hepta::aggmg::Level<T> *);
  template <class T>
  PetscErrorCode Smooth(const HeptaSpace &, size_t l, const hepta::aggmg::Level<T> &, bool zero,
                        const hepta::aggmg::Step<T> &out);
  template <class T>
  PetscErrorCode SmoothTwice(const HeptaSpace &, size_t l, const hepta::aggmg::Level<T> &, const hepta::aggmg::Step<T> &out);
  template <class T>
  PetscErrorCode Restrict(const HeptaSpace &, size_t l, const hepta::aggmg::Level<T> &, const hepta::aggmg::Level<T> &);
  template <class T> PetscErrorCode Cycle(const HeptaSpace &, const PetscScalar *x, PetscScalar *y);
  PetscErrorCode                    CheckTiles(size_t tiles) const;
  /* the pattern of ascending keys */
  static PetscErrorCode             Split(const HeptaSpace &, const std::uint64_t *key, HeptaTiles *C);
  PetscErrorCode                    Product(const HeptaSpace &, HeptaTiles &A, HeptaTiles &B, HeptaTiles *C);
  PetscErrorCode                    FindScale(const HeptaSpace &, const PetscScalar *x, hepta::aggmg::Scaling *);
  PetscErrorCode                    Check();
  template <class T> PetscErrorCode FindSkew(const HeptaSpace &, size_t l);
  PetscErrorCode                    ShareUnit(const HeptaSpace &, double *unit);
  PetscErrorCode                    Sizes(size_t l, double sizes[3]) const;
  bool                              IsLast(size_t l) const;
};

inline bool HeptaAggMG::SmoothsProlongation(size_t l) const
{
  if (levels[l]->part.copies) return false;
  return choice.smooth == PETSC_BOOL3_UNKNOWN ? levels[l]->NearlySymmetric() : choice.smooth == PETSC_BOOL3_TRUE;
}

using PC_AggMG = HeptaMultigridData<HeptaAggMG>;

static inline PC_AggMG *AggMG(PC pc)
{
  return (PC_AggMG *)pc->data;
}

/* aggmg_options.cxx */
PETSC_INTERN PetscErrorCode HeptaAggMGSetFromOptions(PC, PetscOptionItems);
/* a changed choice makes the next set-up start anew */
PETSC_INTERN PetscErrorCode HeptaAggMGChoose(PC, const HeptaAggMGChoice &);

template <class T> PetscErrorCode HeptaTiles::Typed(const HeptaSpace &space, HeptaAccess access, hepta::aggmg::Tiles<T> *t)
{
  hepta::aggmg::Pattern p = {};
  T                    *v;

  PetscFunctionBegin;
  PetscCall(View(space, &p));
  PetscCall(val.Access(space, access, &v));
  *t = {p.rows, br, bc, p.first, p.col, v};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sort_rows() */
#define HeptaSortRows(space, ...) \
  HeptaLaunchOn(space, hepta::aggmg::sort_rows(hepta::DeviceEach{(space).stream}, __VA_ARGS__), \
                hepta::aggmg::sort_rows(hepta::HostEach(), __VA_ARGS__))

/* Bits of the keys of a pattern's tiles */
inline int BitsOf(const HeptaTiles &C)
{
  return hepta::bits_of((std::uint64_t)PetscMax(C.rows, 1) * (std::uint64_t)PetscMax(C.columns, 1));
}
