/* The cycle over nested boxes on the PETSc side */
#pragma once

#include <algorithm>
#include <petscsf.h>
#include <string>

#include "../../grid.h"
#include "../../operator.h"
#include "cycle_kernels.hxx"

/* A level's grid, and where its arrays begin in HeptaCycle::arrays */
struct HeptaCycleLevel {
  hepta::cycle::Grid        grid;
  size_t                    cells;  /* of the grid */
  size_t                    size;   /* of an array, with room on both sides */
  size_t                    before; /* room before the first cell */
  size_t                    at;
  double                    strength[3]; /* mean couplings along the axes against the strongest */
  bool                      weak[3];     /* has boxes of one cell along the axis because of them */
  std::vector<hepta::Index> first;       /* several MPI processes, down to the level that is gathered: the plane of the last axis with which each begins, and their number */
};

/* On several MPI processes: each has slabs of whole planes of the levels before `gathered`, and the whole of that one and of those that follow */
struct HeptaCycleRanks {
  bool                         several  = false;
  PetscMPIInt                  rank     = 0;
  size_t                       gathered = 0;
  hepta::Index                 few      = 0; /* planes of that level that a process has, if it is gathered because a box has more; otherwise 0 */
  std::unique_ptr<HeptaHalo[]> halo;         /* for each level before `gathered`: brings the neighbors' planes to the room around the slab */
  HeptaHalo                    planes;       /* the planes of all to the whole level `gathered` */
  HeptaHalo                    border;       /* what the process above has of `entries` */
  HeptaHalo                    number;       /* one number of each to all, */
  HeptaValues                  numbers;      /* which are these */
  HeptaValues                  entries;      /* over the ends of the first level's slab: the numbers that build_fine_host() takes as border */
  std::vector<hepta::Index>    column;       /* of the matrix's part in columns of other processes: global numbers */
  HeptaTable<hepta::Index>     columns;      /* the same on the device */

  PetscErrorCode Reset();
};

/* What is chosen for the cycle */
struct HeptaCycleChoice {
  HeptaMatStorage       storage        = HEPTA_MAT_STORAGE_SINGLE;
  bool                  storage_given  = false; /* otherwise it becomes double with the first method that float would harm, or matrix that it cannot hold */
  PetscReal             overcorrection = 1.8;
  PetscReal             strong         = 0.25;  /* axes with couplings of this strength against the strongest are coarsened */
  PetscInt              levels         = 0;     /* 0: until a dense inverse is cheap */
  PetscInt              gather         = 16384; /* the most cells of a level that each of several MPI processes gathers, if gather_given */
  PetscBool             gather_given   = PETSC_FALSE;
  PetscBool             w              = PETSC_FALSE;                              /* W-cycle */
  PetscBool             w_given = PETSC_FALSE, overcorrection_given = PETSC_FALSE; /* otherwise levels of other aggregates than boxes have other defaults */
  std::string           smoother = PCIP;
  PetscInt              pre = 1, post = 1;    /* smoothing steps */
  PetscBool             jacobi = PETSC_FALSE; /* the smoother is damped Jacobi */
  std::vector<PetscInt> sizes;                /* cells a side of the boxes, for each level; the last for all that follow; none: 2 */

  PetscErrorCode FromOptions(PC, PetscOptionItems);
  /* Is the smoother one of those that the cycle over nested boxes has? Others need levels of matrices. */
  bool     SmootherFitsBoxes() const { return jacobi || smoother == PCIP; }
  bool     General() const { return w || jacobi || pre != 1 || post != 1; } /* cycles that need Level::u */
  PetscInt Size(size_t l) const { return sizes.empty() ? 2 : sizes[std::min(l, sizes.size() - 1)]; }
};

/* What may be against a matrix' structure; the larger one counts */
enum HeptaCycleReason {
  HEPTA_CYCLE_FITS,
  HEPTA_CYCLE_COUPLES,
  HEPTA_CYCLE_NO_DIAGONAL
};

struct HeptaCycle {
  HeptaCycleChoice             choice;
  HeptaOperator                op;
  HeptaGrid                    grid;
  int                          axes = 0; /* with more than one cell; at least 1 */
  hepta::cycle::Diagonals      diagonals;
  hepta::Index                 n[3] = {1, 1, 1}; /* cells of the first level along them, on all MPI processes */
  std::vector<HeptaCycleLevel> levels;
  HeptaCycleRanks              ranks;
  HeptaValues                  arrays;  /* of all levels, zero where no cell is */
  HeptaValues                  inverse; /* of the last level's matrix */
  HeptaValues                  elimination[2];
  HeptaValues                  scales, found; /* a Scales; a Found */

  bool gathers_many      = false; /* what is in its way is that each MPI process would have to gather a large level */
  bool structure_refused = false; /* the reason of the last set-up against the cycle is one of structure, not of values */

  PetscErrorCode Reset();
  /* cycle_setup.cxx: everything from the operators of pc; *why <- what is in the way of the cycle, empty if it is ready. Collective. */
  PetscErrorCode SetUp(PC, const PetscInt grid_given[3], std::string *why);
  /* y <- B x, or B^T x, which has the smoothing steps before and after exchanged */
  PetscErrorCode Apply(Vec x, Vec y, bool transposed);
  PetscErrorCode View(PetscViewer) const;
  /* cycle_view.cxx: a line for each axis that is not coarsened on some level, with the reason */
  PetscErrorCode ViewAxes(PetscViewer) const;

  size_t ValueSize() const { return choice.storage == HEPTA_MAT_STORAGE_SINGLE ? sizeof(float) : sizeof(double); }
  size_t LastRows() const { return (levels.back().cells + hepta::cycle::DENSE_TILE - 1) / hepta::cycle::DENSE_TILE * hepta::cycle::DENSE_TILE; }
  /* level l for launchers; values: of arrays */
  template <class T> hepta::cycle::Level<T> Typed(size_t l, void *values) const
  {
    const HeptaCycleLevel &c = levels[l];
    T                     *p = (T *)values + c.at + c.before;
    hepta::cycle::Level<T> L{
      c.grid, nullptr, {nullptr, nullptr, nullptr},
        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr
    };
    for (int a = 0; a < axes; a++, p += c.size) L.a[a] = p;
    for (T **v : {&L.e, &L.row_sum, &L.s, &L.z, &L.t}) {
      *v = p;
      p += c.size;
    }
    if (choice.General()) L.u = p;
    return L;
  }
  size_t Arrays() const { return (size_t)axes + 5 + choice.General(); }
  /* the planes of this MPI process; a part of the level that is gathered, and all of others */
  template <class T> hepta::cycle::Level<T> Own(size_t l, void *values) const
  {
    hepta::cycle::Level<T> L = Typed<T>(l, values);
    if (!ranks.several || l != ranks.gathered) return L;
    const hepta::Index *first = &levels[l].first[(size_t)ranks.rank], at = first[0] * L.g.stride[axes - 1];
    for (T **v : {&L.a[0], &L.a[1], &L.a[2], &L.e, &L.row_sum, &L.s, &L.z, &L.t, &L.u}) *v = *v ? *v + at : nullptr;
    L.g.n[axes - 1] = first[1] - first[0];
    L.g.first       = first[0] * PlaneCells(levels[l].grid);
    return L;
  }
  /* the same for new right-hand sides: those of the level that is gathered go to t, from where Gather() brings them to s on all MPI processes */
  template <class T> hepta::cycle::Level<T> Sent(size_t l, void *values) const
  {
    hepta::cycle::Level<T> L = Own<T>(l, values);
    if (ranks.several && l == ranks.gathered) L.s = L.t;
    return L;
  }
  /* of the last axis */
  hepta::Index PlaneCells(const hepta::cycle::Grid &g) const { return (axes > 1 ? g.n[0] : 1) * (axes > 2 ? g.n[1] : 1); }

private:
  template <class T> PetscErrorCode Build(const HeptaSpace &);
  template <class T> PetscErrorCode Invert(const HeptaSpace &, void *values);
  template <class T> PetscErrorCode Launch(const HeptaSpace &, const PetscScalar *x, PetscScalar *y, bool transposed);
  template <class T> PetscErrorCode VCycle(const HeptaSpace &, void *values, const double *inv, hepta::cycle::Scales *, PetscScalar *y);
  template <class T> PetscErrorCode Smooth(const HeptaSpace &, size_t l, bool start, bool corrected, bool step, void *values);
  template <class T> PetscErrorCode Visit(const HeptaSpace &, size_t l, bool again, bool transposed, void *values, const double *inv, hepta::cycle::Scales *);
  PetscErrorCode                    FindGrid(PC, const PetscInt grid_given[3], std::string *why);
  PetscErrorCode                    Fit(bool same, std::string *why);
  PetscErrorCode                    Forget(); /* the levels */
  PetscErrorCode                    ChooseGather();
  PetscErrorCode                    Nest(std::string *why);
  PetscErrorCode                    SetOffsets(HeptaCycleLevel &, size_t *at);
  PetscErrorCode                    Strengths(double strength[3]);
  void                              ChooseBoxes(size_t l, double strength[3]);
  PetscErrorCode                    Check(std::string *why, bool *range);
  /* cycle_ranks.cxx and cycle_exchange.cxx, for several MPI processes; all collective but Slab(). Halo(), Gather() and Share() do nothing on one, and on levels that need nothing. */
  PetscErrorCode                    FitPlanes(Mat, std::string *why);                 /* are the rows of each whole planes? */
  PetscErrorCode                    FitBorder(PetscMPIInt *reason);                   /* of all, a HeptaCycleReason */
  PetscErrorCode                    Planes(std::vector<hepta::Index> *first) const;   /* of each on the first level */
  PetscErrorCode                    AddBorder(hepta::Index step, double strength[3]); /* sums of all, with the couplings between them */
  void                              Slab(size_t l, bool last, HeptaCycleLevel *next); /* level l becomes a slab, or the one that is gathered */
  PetscErrorCode                    Connect();
  PetscErrorCode                    ReadBorder(const HeptaSpace &, const hepta::cycle::Grid &, hepta::cycle::Found *, const double **border);
  PetscErrorCode                    LargestOfAll(const HeptaSpace &, hepta::cycle::Scales **);
  template <class T> PetscErrorCode Halo(const HeptaSpace &, size_t l, T *v);                   /* brings the planes next to the slab of level l */
  template <class T> PetscErrorCode Gather(const HeptaSpace &, size_t l, const T *from, T *to); /* own planes to all of level l */
  template <class T> PetscErrorCode Share(const HeptaSpace &, size_t l, void *values);          /* what is built of level l */
};
