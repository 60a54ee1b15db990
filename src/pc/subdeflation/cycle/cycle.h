/* The cycle over nested boxes on the PETSc side */
#pragma once

#include <algorithm>
#include <string>

#include "../../grid.h"
#include "../../operator.h"
#include "cycle_kernels.hxx"

/* A level's grid, and where its arrays begin in HeptaCycle::arrays */
struct HeptaCycleLevel {
  hepta::cycle::Grid grid;
  size_t             cells;  /* of the grid */
  size_t             size;   /* of an array, with room on both sides */
  size_t             before; /* room before the first cell */
  size_t             at;
};

/* What is chosen for the cycle */
struct HeptaCycleChoice {
  HeptaMatStorage       storage        = HEPTA_MAT_STORAGE_SINGLE;
  bool                  storage_given  = false; /* otherwise it becomes double with the first method that float would harm, or matrix that it cannot hold */
  PetscReal             overcorrection = 1.8;
  PetscReal             strong         = 0.25;        /* axes with couplings of this strength against the strongest are coarsened */
  PetscInt              levels         = 0;           /* 0: until a dense inverse is cheap */
  PetscBool             w              = PETSC_FALSE; /* W-cycle */
  PetscInt              pre = 1, post = 1;            /* smoothing steps */
  PetscBool             jacobi = PETSC_FALSE;         /* the smoother is damped Jacobi */
  std::vector<PetscInt> sizes;                        /* cells a side of the boxes, for each level; the last for all that follow; none: 2 */

  PetscErrorCode FromOptions(PC, PetscOptionItems);
  bool           General() const { return w || jacobi || pre != 1 || post != 1; } /* cycles that need Level::u */
  PetscInt       Size(size_t l) const { return sizes.empty() ? 2 : sizes[std::min(l, sizes.size() - 1)]; }
};

struct HeptaCycle {
  HeptaCycleChoice             choice;
  HeptaOperator                op;
  HeptaGrid                    grid;
  int                          axes = 0; /* with more than one cell; at least 1 */
  hepta::cycle::Diagonals      diagonals;
  std::vector<HeptaCycleLevel> levels;
  HeptaValues                  arrays;  /* of all levels, zero where no cell is */
  HeptaValues                  inverse; /* of the last level's matrix */
  HeptaValues                  elimination[2];
  HeptaValues                  scales, found; /* a Scales; a Found */

  bool structure_refused = false; /* the reason of the last set-up against the cycle is one of structure, not of values */

  PetscErrorCode Reset();
  /* cycle_setup.cxx: everything from the operators of pc; *why <- what is in the way of the cycle, empty if it is ready. Collective. */
  PetscErrorCode SetUp(PC, const PetscInt grid_given[3], std::string *why);
  /* y <- B x, or B^T x, which has the smoothing steps before and after exchanged */
  PetscErrorCode Apply(Vec x, Vec y, bool transposed);
  PetscErrorCode View(PetscViewer) const;

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

private:
  template <class T> PetscErrorCode Build(const HeptaSpace &);
  template <class T> PetscErrorCode Invert(const HeptaSpace &, void *values);
  template <class T> PetscErrorCode Launch(const HeptaSpace &, const PetscScalar *x, PetscScalar *y, bool transposed);
  template <class T> PetscErrorCode Visit(const HeptaSpace &, size_t l, bool again, bool transposed, void *values, const double *inv, hepta::cycle::Scales *);
  PetscErrorCode                    FindGrid(PC, const PetscInt grid_given[3], std::string *why);
  PetscErrorCode                    Fit(bool same, std::string *why);
  PetscErrorCode                    Nest();
  PetscErrorCode                    Strengths(double strength[3]);
  void                              ChooseBoxes(size_t l, double strength[3]);
  PetscErrorCode                    Check(std::string *why, bool *range);
};
