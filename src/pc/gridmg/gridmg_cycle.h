/* The cycle of multigrid on boxes on the PETSc side */
#pragma once

#include <algorithm>
#include <petscsf.h>
#include <string>

#include "../grid.h"
#include "../operator.h"
#include "gridmg_level.hxx"

/* A level's grid, and where its arrays begin in HeptaGridMG::arrays */
struct HeptaGridMGLevel {
  hepta::gridmg::Grid grid;
  size_t              cells;  /* of the grid */
  size_t              size;   /* elements of an array, with room on both sides */
  size_t              before; /* room before the first cell */
  size_t              at;
  double              strength[3]; /* mean couplings along the axes relative to the strongest */
  bool                weak[3];     /* weak couplings: do boxes have one cell along the axis? */
  /* on several MPI processes, to level `gathered`: each process's first plane of the last axis; the number of planes */
  std::vector<hepta::Index> first;
};

/* The exchanges of a level in slabs: each brings planes of the neighbors to the room around the slab */
struct HeptaGridMGHalos {
  HeptaHalo s; /* Ghosts() planes of right-hand sides and of the matrix */
  HeptaHalo z; /* GhostsOfSolution() planes of the solution */
};

/*
   Each of several MPI processes has slabs of whole planes of the levels before `gathered`, and all of the levels from `gathered`
   on
*/
struct HeptaGridMGRanks {
  bool        several  = false;
  PetscMPIInt rank     = 0;
  size_t      gathered = 0;
  bool        below    = false; /* are there planes of another process below? */
  bool        above    = false;
  /* the number of planes of a process, if fewer than LeastPlanes() and so the reason of the gathering; otherwise 0 */
  hepta::Index                        few = 0;
  std::unique_ptr<HeptaGridMGHalos[]> halo;    /* of each level before `gathered` */
  HeptaHalo                           planes;  /* gathers the planes of all processes to the complete level `gathered` */
  HeptaHalo                           border;  /* receives `entries` of the process above */
  HeptaHalo                           number;  /* gathers one number of each process on all */
  HeptaValues                         numbers; /* the numbers gathered by `number` */
  /* the entries across the ends of the first level's slab: the argument `border` of build_fine() */
  HeptaValues              entries;
  HeptaTable<hepta::Index> columns; /* the global columns of the ghost part of the matrix on the device */
};

/* The choices for the cycle */
struct HeptaGridMGChoice {
  HeptaMatStorage storage = HEPTA_MAT_STORAGE_SINGLE;
  /* if false, a method that takes no preconditioner in float, or a matrix out of float's range, sets storage to double */
  bool      storage_given  = false;
  bool      bf16           = true; /* the couplings are in bf16, the arithmetic in float */
  PetscReal overcorrection = 2;
  /* axes with couplings of at least this strength relative to the strongest are coarsened */
  PetscReal strong = 0.25;
  PetscInt  levels = 0; /* 0: until a dense inverse is cheap */
  /* the largest level, in cells, that each of several MPI processes gathers, if gather_given */
  PetscInt  gather       = 16384;
  PetscBool gather_given = PETSC_FALSE;
  PetscInt  sweeps       = 2;    /* red-black sweeps before and after */
  PetscInt  block        = 4096; /* the most cells of the levels that one launch solves on a device */
  /* cells along a side of the boxes, for each level; the last one for all that follow; 2 if empty */
  std::vector<PetscInt> sizes;

  PetscInt Size(size_t l) const { return sizes.empty() ? 2 : sizes[std::min(l, sizes.size() - 1)]; }
};

/* Reasons why a matrix's structure does not allow the cycle; of several, the largest counts */
enum HeptaGridMGReason {
  HEPTA_GRIDMG_FITS,
  HEPTA_GRIDMG_COUPLES,
  HEPTA_GRIDMG_NO_DIAGONAL
};

namespace hepta::gridmg
{
template <class T, class U> struct Bottom;
}

struct HeptaGridMG {
  HeptaGridMGChoice             choice;
  HeptaOperator                 op;
  HeptaGrid                     grid;
  int                           axes = 0; /* the number of axes with more than one cell; at least 1 */
  hepta::gridmg::Diagonals      diagonals;
  hepta::Index                  n[3] = {1, 1, 1}; /* cells of the first level along the axes, on all MPI processes */
  std::vector<HeptaGridMGLevel> levels;
  HeptaGridMGRanks              ranks;
  HeptaValues                   matrix; /* of a FloatMatrix; made by each set-up after a solver's first request */
  bool                          wants_matrix = false, has_matrix = false;
  bool                          symmetric = false; /* does the matrix equal its transpose bit by bit, in the last set-up? */
  PetscObjectId                 built_of  = 0;     /* the matrix of the last set-up, and its state then */
  PetscObjectState              built     = -1;
  HeptaValues                   arrays;  /* the arrays of all levels, zero where there is no cell */
  HeptaValues                   inverse; /* the inverse of the last level's matrix */
  HeptaValues                   elimination[2];
  HeptaValues                   exchanged;     /* couplings in an exchange, in the type of the arithmetic */
  HeptaValues                   scales, found; /* a Scales; a Found */
  /* (x, y) of an earlier application to a similar x, in the memory of the next x; null: the scale is found from x */
  const PetscScalar *product = nullptr;

  PetscErrorCode Reset();
  /* gridmg_setup.cxx: sets up all from the operators of pc; *why <- why the cycle cannot be used, or empty; collective */
  PetscErrorCode SetUp(PC, const PetscInt grid_given[3], std::string *why);
  /* gridmg_apply.cxx: y <- B x */
  PetscErrorCode Apply(Vec x, Vec y);
  PetscLogDouble Flops() const; /* of the sweeps, the residuals and the transfers of an application, on this process */
  /*
     gridmg_cycle.cxx, for a storage other than double: the first level's z <- B r in float, without scales, from s = r / a_00;
     and z of the neighbors' planes; *summed <- are `parts` of (r, z) stored, see up_cuda()? No for null parts.
  */
  PetscErrorCode ApplyInFloat(HeptaSpace, PetscScalar *parts, bool *summed);
  size_t         Parts(const HeptaSpace &) const; /* the number of parts of (r, z); on the host 0 */
  /*
     gridmg_fine.cxx: the first level's vectors for ApplyInFloat(); makes the first matrix in float, unless made; the matrix.
     Collective the first time.
  */
  PetscErrorCode FirstLevel(const HeptaSpace &, hepta::gridmg::Level<float> *);
  PetscErrorCode MakeMatrix(const HeptaSpace &);
  PetscErrorCode FirstMatrix(const HeptaSpace &, HeptaAccess, hepta::gridmg::FloatMatrix *);
  /* the argument of build_fine(), null on one process */
  PetscErrorCode Border(const HeptaSpace &, const double **);
  /* can a solver in float use the first level? Not on several MPI processes with a gathered first level or in one dimension. */
  bool Single() const { return choice.storage == HEPTA_MAT_STORAGE_SINGLE && (!ranks.several || (ranks.gathered && axes > 1)); }
  /* is the set-up that of the present values of A? */
  PetscErrorCode IsOf(Mat A, bool *is) const;
  bool           TakeDouble();            /* see HeptaMultigridData */
  PetscErrorCode View(PetscViewer) const; /* gridmg_view.cxx */

  size_t ValueSize() const { return choice.storage == HEPTA_MAT_STORAGE_SINGLE ? sizeof(float) : sizeof(double); }
  size_t LastRows() const
  {
    return (levels.back().cells + hepta::gridmg::DENSE_TILE - 1) / hepta::gridmg::DENSE_TILE * hepta::gridmg::DENSE_TILE;
  }
  /* level l for launchers, which do nothing in a recording that has paused; values: the address of `arrays` in the space */
  template <class T, class U = T> hepta::gridmg::Level<T, U> Typed(const HeptaSpace &space, size_t l, T *values) const
  {
    const HeptaGridMGLevel    &c = levels[l];
    U                         *a = (U *)(values + c.at) + c.before;
    T                         *p = (T *)((U *)(values + c.at) + (size_t)axes * c.size) + c.before;
    hepta::gridmg::Level<T, U> L{};
    L.g    = c.grid;
    L.stop = space.stop;
    for (int k = 0; k < axes; k++, a += c.size) L.a[k] = a;
    for (T **v : {&L.e, &L.s, &L.z}) {
      *v = p;
      p += c.size;
    }
    if (HasT(l)) L.t = p;
    return L;
  }
  /* the level L for a set-up, with room for row sums and the largest diagonal entries */
  template <class T, class U> hepta::gridmg::Level<T, U> InSetUp(hepta::gridmg::Level<T, U> L) const
  {
    L.row_sum = L.z;
    L.z       = L.s;
    return L;
  }
  /* does level l have an array t? */
  bool HasT(size_t l) const { return choice.sweeps > 1 || (ranks.several && l == ranks.gathered); }
  /* the number of planes of each neighbor that Halo() brings to level l; at least room for a plane of zeros */
  hepta::Index Ghosts(size_t l) const { return l < ranks.gathered ? hepta::gridmg::planes_down((int)choice.sweeps) : 1; }
  /* the planes of each neighbor's solution that HaloOfSolution() brings: the boxes of planes_up() planes of the level before, or
     the plane for a solver's product */
  hepta::Index GhostsOfSolution(size_t l) const
  {
    if (!l) return 1;
    const hepta::Index box = levels[l - 1].grid.box[axes - 1];
    return (hepta::gridmg::planes_up((int)choice.sweeps) + box - 1) / box;
  }
  /* the planes of a box, and those that a neighbor reads, of a level in slabs */
  hepta::Index LeastPlanes(const hepta::gridmg::Grid &g) const
  {
    return std::max(g.box[axes - 1], hepta::gridmg::planes_down((int)choice.sweeps));
  }
  /* the bytes of a cell of level l */
  size_t CellSize(size_t l) const
  {
    return (size_t)axes * (choice.bf16 ? sizeof(hepta::gridmg::Bf16) : ValueSize()) + (3 + HasT(l)) * ValueSize();
  }
  /* n planes of level l; the first planes may belong to the process below (first < 0), the last planes to the process above */
  template <class T, class U = T>
  hepta::gridmg::Level<T, U> Part(const HeptaSpace &space, size_t l, hepta::Index first, hepta::Index n, T *values) const
  {
    hepta::gridmg::Level<T, U> L =
      hepta::gridmg::from_cell(Typed<T, U>(space, l, values), (std::ptrdiff_t)first * levels[l].grid.stride[axes - 1]);
    L.g.n[axes - 1] = n;
    L.g.odd         = (L.g.odd + first) & 1;
    return L;
  }
  /* the planes of this MPI process: a part of the level `gathered`, and the whole array of other levels */
  template <class T, class U = T> hepta::gridmg::Level<T, U> Own(const HeptaSpace &space, size_t l, T *values) const
  {
    if (!ranks.several || l != ranks.gathered) return Typed<T, U>(space, l, values);
    const hepta::Index        *first = &levels[l].first[(size_t)ranks.rank];
    hepta::gridmg::Level<T, U> L     = Part<T, U>(space, l, first[0], first[1] - first[0], values);
    L.g.first                        = first[0] * PlaneCells(levels[l].grid);
    return L;
  }
  /* a slab with n planes of each neighbor (none for a negative n); levels from `gathered` on without change */
  template <class T, class U = T>
  hepta::gridmg::Level<T, U> Extended(const HeptaSpace &space, size_t l, hepta::Index n, T *values) const
  {
    if (l >= ranks.gathered || n <= 0) return Typed<T, U>(space, l, values);
    const hepta::Index         below = ranks.below ? n : 0, above = ranks.above ? n : 0;
    hepta::gridmg::Level<T, U> L = Part<T, U>(space, l, -below, below + levels[l].grid.n[axes - 1] + above, values);
    L.g.below                    = below;
    L.g.above                    = above;
    return L;
  }
  /* Own() for new right-hand sides: on level `gathered` in t, from which Gather() copies to s on all MPI processes */
  template <class T, class U = T> hepta::gridmg::Level<T, U> Sent(const HeptaSpace &space, size_t l, T *values) const
  {
    hepta::gridmg::Level<T, U> L = Own<T, U>(space, l, values);
    if (ranks.several && l == ranks.gathered) L.s = L.t;
    return L;
  }
  /* the arguments of exchanges of an array of level l */
  template <class T> HeptaHaloArrays HaloArrays(const HeptaSpace &space, size_t l, T *v) const
  {
    return {space, v - levels[l].before, v - levels[l].before};
  }
  /* the cells of a plane of the last axis */
  hepta::Index PlaneCells(const hepta::gridmg::Grid &g) const { return (axes > 1 ? g.n[0] : 1) * (axes > 2 ? g.n[1] : 1); }

private:
  PetscErrorCode ViewAxes(PetscViewer) const; /* a line for each axis that is not coarsened on some level, with the reason */
  template <class T, class U = T> PetscErrorCode Build(const HeptaSpace &);
  template <class T, class U> PetscErrorCode     BuildFine(const HeptaSpace &, T *values, hepta::gridmg::Found *);
  template <class T, class U> PetscErrorCode     Invert(const HeptaSpace &, T *values, hepta::gridmg::Found *);
  template <class T, class U>
  PetscErrorCode Begin(const HeptaSpace &, const PetscScalar *x, T **values, double **inv, hepta::gridmg::Scales **);
  /* gridmg_cycle.cxx */
  template <class T, class U> PetscErrorCode RedBlack(const HeptaSpace &, const PetscScalar *x, PetscScalar *y);
  template <class T, class U>
  PetscErrorCode Descend(const HeptaSpace &, T *values, const double *inv, hepta::gridmg::Scales *, PetscScalar *y,
                         PetscScalar *parts = nullptr, bool *summed = nullptr);
  template <class T, class U>
  PetscErrorCode Up(const HeptaSpace &, size_t l, T *values, hepta::gridmg::Scales *, PetscScalar *y, PetscScalar *parts);
#if defined(HEPTA_HAVE_CUDA)
  template <class T, class U>
  size_t FindBottom(const HeptaSpace &, T *values, const double *inv, hepta::gridmg::Scales *,
                    hepta::gridmg::Bottom<T, U> *) const;
#endif
  PetscErrorCode FindGrid(PC, const PetscInt grid_given[3], std::string *why);
  PetscErrorCode Fit(bool same, std::string *why);
  PetscErrorCode Forget(); /* forgets the levels */
  PetscErrorCode Nest(std::string *why);
  PetscErrorCode Allocate();
  PetscErrorCode Strengths(const HeptaSpace &, double strength[3]);
  void           ChooseBoxes(size_t l, double strength[3]);
  PetscErrorCode Check(std::string *why, bool *range); /* gridmg_check.cxx */
  PetscInt       FirstRow(hepta::Index cell) const;    /* the first row of a cell of the last level */
  /* gridmg_ranks.cxx, for several MPI processes; all collective except Slab(). Halo(), Gather() and Share() do nothing on one
     process, and on levels that need no exchange. */
  PetscErrorCode FitPlanes(Mat, std::string *why); /* are the rows of each process whole planes? */
  /* *reason <- the largest HeptaGridMGReason of all processes */
  PetscErrorCode FitBorder(PetscMPIInt *reason);
  /* adds the sums of all processes, and the couplings between processes */
  PetscErrorCode AddBorder(hepta::Index step, double strength[3]);
  /* makes level l a slab, or the level that is gathered */
  void                                       Slab(size_t l, bool last, HeptaGridMGLevel *next);
  PetscErrorCode                             Connect();
  PetscErrorCode                             ConnectPlanes(size_t l, const PetscMPIInt neighbors[2], hepta::Index n, HeptaHalo *);
  template <class T, class U> PetscErrorCode ShareCouplings(const HeptaSpace &, size_t l, int a, T *values);
  PetscErrorCode ReadBorder(const HeptaSpace &, const hepta::gridmg::Grid &, hepta::gridmg::Found *, const double **border);
  PetscErrorCode LargestOfAll(const HeptaSpace &, unsigned long long *largest);
  /* brings the neighbors' planes of level l */
  template <class T> PetscErrorCode Halo(const HeptaSpace &space, size_t l, T *v)
  {
    return l < ranks.gathered ? ranks.halo[l].s.Bring(HaloArrays(space, l, v)) : PETSC_SUCCESS;
  }
  /* brings the neighbors' planes of the solution z of level l */
  template <class T> PetscErrorCode HaloOfSolution(const HeptaSpace &space, size_t l, T *z)
  {
    return l < ranks.gathered ? ranks.halo[l].z.Bring(HaloArrays(space, l, z)) : PETSC_SUCCESS;
  }
  /* gathers the planes of all processes, if l is the level to gather */
  template <class T> PetscErrorCode Gather(const HeptaSpace &space, size_t l, T *from, T *to)
  {
    return ranks.several && l == ranks.gathered ? ranks.planes.Bring({space, from, to}) : PETSC_SUCCESS;
  }
  /* gathers the matrix of level l, or exchanges its planes */
  template <class T, class U> PetscErrorCode Share(const HeptaSpace &, size_t l, T *values);
};
