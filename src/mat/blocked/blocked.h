/*
   The bdia matrix on the PETSc side. One structure serves seqbdia and mpibdia: a rank's block diagonals, and the ghost
   part that couples them to other ranks' columns (empty on one rank).
*/
#pragma once

#include <functional>
#include <memory>
#include <petscdm.h>
#include <vector>

#include "../bdia/diagonals.h"
#include "ghost.h"
#include "plans.h"

namespace hepta::blocked
{

/* What options and setters decide */
struct Settings {
  PetscInt        max_offsets  = 27;
  PetscReal       max_fill     = 4.0;
  PetscBool       half         = PETSC_FALSE;
  PetscBool       check_values = PETSC_FALSE;
  PetscBool       auto_bs      = PETSC_FALSE; /* MatConvert() and MatLoad() choose the block size */
  PetscBool       given_bs     = PETSC_FALSE; /* the block size comes from -mat_bdia_bs, not from the converted matrix */
  HeptaMatStorage storage      = HEPTA_MAT_STORAGE_DOUBLE;
  PetscInt        grid[3]      = {0, 0, 0}; /* J, H, I; zero: not given */
  int             new_entry    = 0;         /* as Mat_SeqAIJ's nonew: 1 ignore, -1 error, -2 error if it needs a new diagonal */
  PetscBool       row_oriented = PETSC_TRUE;
  PetscBool       ignore_zero = PETSC_FALSE, ignore_off_rank = PETSC_FALSE, keep_pattern = PETSC_FALSE;
};

} // namespace hepta::blocked

struct Mat_Blocked {
  hepta::blocked::Settings                 set;
  std::shared_ptr<hepta::bdia::Diagonals>  diag; /* shared with the Mat that MatGetDiagonalBlock() lends */
  hepta::blocked::Ghost                    ghost;
  std::vector<HeptaEntry>                  stash; /* entries of other ranks' rows */
  VecScatter                               halo               = nullptr;
  Vec                                      lvec               = nullptr; /* ghost values of x */
  bool                                     ready              = false;   /* assembled at least once: locations not yet set are new */
  bool                                     changed            = false;   /* locations were added since the last final assembly */
  bool                                     mirrored           = false;   /* half storage under assembly: the lower half stands beside the upper */
  bool                                     set_lower          = false;   /* half storage: blocks below the diagonal were set in this assembly */
  bool                                     set_lower_in_block = false;   /* likewise: entries below the diagonal, in diagonal blocks */
  Mat                                      block              = nullptr; /* what MatGetDiagonalBlock() lends, and the state it shows */
  PetscObjectState                         block_state        = -1;
  Mat                                      aij                = nullptr; /* converted copy, and the states it shows */
  PetscObjectState                         aij_state = -1, aij_nonzerostate = -1;
  std::vector<PetscInt>                    row_cols; /* MatGetRow() */
  std::vector<PetscScalar>                 row_vals;
  PetscScalar                             *inverse = nullptr; /* MatInvertBlockDiagonal() */
  std::shared_ptr<hepta::blocked::COOPlan> coo;               /* shared with duplicates */
  std::unique_ptr<hepta::blocked::CSRPlan> csr;
  PetscErrorCode (*dm_view)(Mat, PetscViewer) = nullptr; /* the view that DMDA put over ours */
};

template <class D, class V> using HeptaViewOf = std::conditional_t<std::is_same_v<D, hepta::blocked::Ghost>, hepta::blocked::GhostView<V>, hepta::bdia::View<V>>;

/* Calls f(ghost, global column, slot) for the set entries of local row i, columns ascending */
template <class F> static inline void HeptaForSetInRow(Mat A, PetscInt i, F f)
{
  const Mat_Blocked                   *a  = (const Mat_Blocked *)A->data;
  const hepta::blocked::Ghost         &g  = a->ghost;
  const PetscInt                       bs = a->diag->bs, b = g.border.empty() ? -1 : g.border[i / bs];
  const hepta::bdia::View<PetscScalar> shape = a->diag->Shape();
  PetscInt                             k     = 0;

  /* a border row's ghost blocks stand in ascending order: those below `end` first, the local ones next */
  const auto ghosts = [&](PetscInt end) {
    for (; b >= 0 && k < g.width; k++) {
      const hepta::Index c = g.col[(size_t)k * g.row.size() + b];
      if (c < 0 || g.garray[c] >= end) return;
      for (PetscInt s = 0; s < bs; s++) {
        const size_t at = g.Slot(k, b, i % bs, s);
        if (g.IsSet(at)) f(true, g.garray[c] * bs + s, at);
      }
    }
  };
  ghosts(A->cmap->rstart / bs);
  for_row(shape, i / bs, i % bs, [&](hepta::Index j, size_t at) {
    if (a->diag->IsSet(at)) f(false, A->cmap->rstart + j, at);
  });
  ghosts(PETSC_INT_MAX);
}

/* While it lives MatSetValues() takes every entry, zeros and new places included: the structure is what the caller says */
struct HeptaTakeAll {
  hepta::blocked::Settings      &now;
  const hepta::blocked::Settings before;

  explicit HeptaTakeAll(Mat A) : now(((Mat_Blocked *)A->data)->set), before(now)
  {
    now.new_entry   = 0;
    now.ignore_zero = now.ignore_off_rank = PETSC_FALSE;
  }
  ~HeptaTakeAll()
  {
    now.new_entry       = before.new_entry;
    now.ignore_zero     = before.ignore_zero;
    now.ignore_off_rank = before.ignore_off_rank;
  }
};

static inline Mat_Blocked *MatBlocked(Mat A)
{
  return (Mat_Blocked *)A->data;
}

/* Calls f with a view, in the given space, of the right stored type: f(View<PetscScalar>) or f(View<float>); f returns a PetscErrorCode */
template <class D, class F> PetscErrorCode HeptaVisit(D &d, const HeptaSpace &space, HeptaAccess access, F f)
{
  PetscFunctionBegin;
  if (d.single) {
    HeptaViewOf<D, float> view{};
    PetscCall(d.Typed(space, access, &view));
    PetscCall(f(view));
  } else {
    HeptaViewOf<D, PetscScalar> view{};
    PetscCall(d.Typed(space, access, &view));
    PetscCall(f(view));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same on the host, to read */
template <class D, class F> PetscErrorCode HeptaRead(D &d, F f)
{
  return HeptaVisit(d, HeptaSpace(), HeptaAccess::read, f);
}

/* The same on the host, to change */
template <class D, class F> PetscErrorCode HeptaEdit(D &d, F f)
{
  return HeptaVisit(d, HeptaSpace(), HeptaAccess::read_write, f);
}

/* bdia.cxx */
PETSC_INTERN PetscErrorCode MatSetUp_Blocked(Mat);
/* MatSetUp_Blocked() without the offsets that a grid or a DMDA sets: empty, whatever was there before */
PETSC_INTERN PetscErrorCode MatBlockedShape(Mat);
PETSC_INTERN PetscErrorCode MatSetFromOptions_BDIA(Mat, PetscOptionItems);
PETSC_INTERN PetscErrorCode MatBlockedSetOps(Mat);
/* bdia_part.cxx: a matrix of A's type, sizes and settings but for these two, set up and empty */
PETSC_INTERN PetscErrorCode MatBlockedCreateLike(Mat A, HeptaMatStorage, PetscBool half, Mat *B);
/* a zero matrix of A's type and structure, or of that of its lower or upper part with the main diagonal; its ghost part is always A's */
PETSC_INTERN PetscErrorCode MatBDIACreatePart(Mat A, HeptaMatStorage, bool lower, bool upper, Mat *B);
/* bdia_mult.cxx */
PETSC_INTERN PetscErrorCode MatMult_Blocked(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultAdd_Blocked(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTranspose_Blocked(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_Blocked(Mat, Vec, Vec, Vec);
/* y <- z + op(D) x, z null or y itself, where the vectors are; *space: there */
PETSC_INTERN PetscErrorCode HeptaBlockedProduct(hepta::bdia::Diagonals &, bool transpose, Vec x, Vec z, Vec y, HeptaSpace *space);
/* lvec, in the memory asked for */
PETSC_INTERN PetscErrorCode MatBlockedHaloVec(Mat, bool device);
/* lvec <- the ghost values of x; collective */
PETSC_INTERN PetscErrorCode MatBlockedHaloBegin(Mat, Vec x);
PETSC_INTERN PetscErrorCode MatBlockedHaloEnd(Mat, Vec x);
/* bdia_setvalues.cxx */
PETSC_INTERN PetscErrorCode MatSetValues_Blocked(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[], const PetscScalar[], InsertMode);
PETSC_INTERN PetscErrorCode MatSetValuesBlocked_Blocked(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[], const PetscScalar[], InsertMode);
PETSC_INTERN PetscErrorCode MatSetOption_Blocked(Mat, MatOption, PetscBool);
/* bdia_assembly.cxx */
PETSC_INTERN PetscErrorCode MatAssemblyBegin_Blocked(Mat, MatAssemblyType);
PETSC_INTERN PetscErrorCode MatAssemblyEnd_Blocked(Mat, MatAssemblyType);
/* the structure is complete: packs, checks the limits, builds ghost part and halo exchange; collective */
PETSC_INTERN PetscErrorCode MatBlockedFinish(Mat);
/* merges ghost entries that wait for a place; not collective */
PETSC_INTERN PetscErrorCode MatBlockedBuildGhost(Mat);
/* the scatter that brings the ghost values of x; collective */
PETSC_INTERN PetscErrorCode MatBlockedBuildHalo(Mat);
/* bdia_half.cxx */
PETSC_INTERN PetscErrorCode MatBDIAHalfOpen(Mat);
PETSC_INTERN PetscErrorCode MatBDIAHalfClose(Mat);
/* bdia_coo_plan.cxx: A gets the structure of the places, zero, and a plan for their values; collective */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOO(Mat, PetscCount, const PetscInt[], const PetscInt[]);
/* bdia_coo.cxx */
PETSC_INTERN PetscErrorCode MatSetPreallocationCOO_Blocked(Mat, PetscCount, PetscInt[], PetscInt[]);
PETSC_INTERN PetscErrorCode MatSetValuesCOO_Blocked(Mat, const PetscScalar[], InsertMode);
/* bdia_grid.cxx */
PETSC_INTERN PetscErrorCode HeptaMatBDIASetGrid_BDIA(Mat, PetscInt, PetscInt, PetscInt);
PETSC_INTERN PetscErrorCode MatBDIAPresetGrid(Mat);
PETSC_INTERN PetscErrorCode MatBlockedPresetDMDA(Mat, DM);
/* bdia_convert.cxx */
PETSC_INTERN PetscErrorCode MatConvertFrom_Blocked(Mat, MatType, MatReuse, Mat *);
/* MatConvert() to one of our types that is not in half storage, whatever the options say */
PETSC_INTERN PetscErrorCode MatBlockedConvertFull(Mat, MatType, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode MatLoad_Blocked(Mat, PetscViewer);
PETSC_INTERN PetscErrorCode MatDuplicate_Blocked(Mat, MatDuplicateOption, Mat *);
/* bdia_cusparse.cxx */
/* Can the values of C, of any type, go to A on the device? */
PETSC_INTERN bool MatBlockedConvertsOnDevice(Mat C, Mat A);
/* Is C known to have the entries of A and no others? */
PETSC_INTERN PetscErrorCode MatBlockedKnowsCUSPARSE(Mat A, Mat C, bool *known);
/* calls f(row, columns, null) for every row of an aijcusparse, whose values are left alone */
PETSC_INTERN PetscErrorCode MatBlockedForPattern(Mat C, const std::function<PetscErrorCode(PetscInt, PetscInt, const PetscInt *, const PetscScalar *)> &f);
/* the values of A <- those of C, an aijcusparse with the same entries, on the device */
PETSC_INTERN PetscErrorCode MatBlockedFromCUSPARSE(Mat C, Mat A);
/* and the other way */
PETSC_INTERN PetscErrorCode MatBlockedToCUSPARSE(Mat A, Mat C);
/* bdia_csr.cxx */
PETSC_INTERN PetscErrorCode MatConvert_Blocked(Mat, MatType, MatReuse, Mat *);
/* the set entries of local row i (from 0), global columns ascending */
PETSC_INTERN PetscErrorCode MatBlockedRow(Mat, PetscInt i, std::vector<PetscInt> &cols, std::vector<PetscScalar> &vals);
/* the matrix as MATAIJ with exactly the set entries: borrowed, values as of now, kept for the next call */
PETSC_INTERN PetscErrorCode MatBlockedGetAIJ(Mat, Mat *);
/* bdia_values.cxx, bdia_rows.cxx, bdia_view.cxx, bdia_viaaij.cxx: fill in their part of the table of operations */
PETSC_INTERN PetscErrorCode MatBlockedSetOps_Values(Mat);
PETSC_INTERN PetscErrorCode MatBlockedSetOps_Rows(Mat);
PETSC_INTERN PetscErrorCode MatBlockedSetOps_View(Mat);
/* bdia_view.cxx: puts our view back over the one that DMDA set, which shows nothing for the info formats */
PETSC_INTERN PetscErrorCode MatBlockedRewrapView(Mat);
PETSC_INTERN PetscErrorCode MatBlockedSetOps_ViaAIJ(Mat);
/* bdia_factor.cxx, bdia_coloring.cxx, bdia_product.cxx: in the table that MatBlockedSetOps_ViaAIJ() fills */
PETSC_INTERN PetscErrorCode MatLUFactor_Blocked(Mat, IS, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatILUFactor_Blocked(Mat, IS, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatFDColoringCreate_Blocked(Mat, ISColoring, MatFDColoring);
PETSC_INTERN PetscErrorCode MatFDColoringSetUp_Blocked(Mat, ISColoring, MatFDColoring);
PETSC_INTERN PetscErrorCode MatFDColoringApply_Blocked(Mat, MatFDColoring, Vec, void *);
PETSC_INTERN PetscErrorCode MatProductSetFromOptions_Blocked(Mat);
