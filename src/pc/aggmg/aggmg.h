/* Algebraic multigrid by smoothed aggregation on the PETSc side */
#pragma once

#include <memory>

#include "../operator.h"
#include "aggmg_kernels.hxx"

/* A pattern of tiles; values are those of a level */
struct HeptaTiles {
  hepta::Index rows = 0, columns = 0;
  int          br = 1, bc = 1;
  size_t       tiles = 0;
  HeptaValues  first, col, row, val; /* row: see Pattern; empty without */

  PetscErrorCode View(const HeptaSpace &, hepta::aggmg::Pattern *);
  template <class T> PetscErrorCode Typed(const HeptaSpace &, HeptaAccess, hepta::aggmg::Tiles<T> *);
  size_t         Values() const { return tiles * (size_t)br * (size_t)bc; }
};

struct HeptaAggMGLevel {
  HeptaTiles  A, P, R;            /* R: P^T */
  HeptaTiles  AP;                 /* in double */
  HeptaValues from;               /* of the first level: the slot of each value */
  HeptaValues w, scaled;          /* 1 / (rho D) in double, and in the type of the cycle */
  HeptaValues aggregate, at;      /* of each node; of each tile of R its number in P */
  HeptaTiles  tentative;          /* P_0 */
  HeptaValues null;               /* near null vectors, rows x k */
  HeptaValues b, r, z, d[2];
  HeptaValues rho, ritz;          /* the bound of eigenvalues, and the vector that it is from */

  size_t Rows() const { return (size_t)A.rows * (size_t)A.br; }
};

/* What the program chooses */
struct HeptaAggMGChoice {
  PetscReal threshold = 0;
  PetscInt  degree = 2, levels = 0, coarse_size = 500;
  PetscBool smooth = PETSC_TRUE, reuse = PETSC_TRUE;
  bool      single = true;
};

class HeptaAggMG {
public:
  HeptaAggMGChoice                              choice;
  HeptaOperator                                 op;
  std::vector<std::unique_ptr<HeptaAggMGLevel>> levels;
  bool                                          dense   = false;   /* is the last level solved by its inverse? */
  const PetscScalar                            *product = nullptr; /* see HeptaPCTakeScale() */

  PetscErrorCode SetUp(PC);
  PetscErrorCode Apply(Vec x, Vec y);
  PetscErrorCode View(PetscViewer) const;
  PetscErrorCode Reset();

private:
  int                      k = 1;          /* near null vectors */
  Mat                      near = nullptr; /* the preconditioner's matrix, borrowed */
  hepta::blocked::EntryList list;
  HeptaValues              inverse, elimination[2], scale, found, rowsum, lanczos, vectors, work[3];

  PetscErrorCode FirstLevel(const HeptaSpace &);
  PetscErrorCode NearNull(const HeptaSpace &);
  template <class T> PetscErrorCode Build(const HeptaSpace &, bool same);
  template <class T> PetscErrorCode TakeValues(const HeptaSpace &);
  template <class T> PetscErrorCode Diagonal(const HeptaSpace &, size_t l);
  template <class T> PetscErrorCode Bound(const HeptaSpace &, size_t l, bool again);
  template <class T> PetscErrorCode Aggregate(const HeptaSpace &, size_t l, bool *coarser);
  template <class T> PetscErrorCode Interpolate(const HeptaSpace &, size_t l);
  PetscErrorCode Patterns(const HeptaSpace &, size_t l);
  PetscErrorCode Tentative(const HeptaSpace &, size_t l, hepta::Index count);
  template <class T> PetscErrorCode Project(const HeptaSpace &, size_t l);
  template <class T> PetscErrorCode Invert(const HeptaSpace &);
  template <class T> PetscErrorCode Vectors(const HeptaSpace &);
  template <class T> PetscErrorCode LevelOf(const HeptaSpace &, size_t l, hepta::aggmg::Level<T> *);
  template <class T> PetscErrorCode Cycle(const HeptaSpace &, const PetscScalar *x, PetscScalar *y);
  PetscErrorCode Product(const HeptaSpace &, HeptaTiles &A, HeptaTiles &B, HeptaTiles *C);
  PetscErrorCode FindScale(const HeptaSpace &, const PetscScalar *x, hepta::aggmg::Scale **);
  PetscErrorCode Check();
  bool           IsLast(size_t l) const;
};

struct PC_AggMG : HeptaPCData {
  HeptaAggMG mg;

  HeptaCheckedNull checked_null[2];
};

static inline PC_AggMG *AggMG(PC pc)
{
  return (PC_AggMG *)pc->data;
}

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
