/*
   The bdia matrix on the PETSc side. One structure serves seqbdia and mpibdia: a rank's block diagonals, and the ghost
   part that couples them to other ranks' columns (empty on one rank).
*/
#pragma once

#include <memory>
#include <petscdm.h>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../shared/exchange.h"
#include "../../shared/heptaimpl.h"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
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

/* One block diagonal: values v[s*ld + i] and, one bit each in the same order, which of them were set */
struct Diagonal {
  PetscInt  off;
  void     *v;
  uint32_t *set;
  bool      own; /* allocated by itself during assembly, not yet part of the packed array */
};

/* A rank's block diagonals. New offsets arrive as diagonals of their own; Pack() sorts all into one array. */
struct Diagonals {
  PetscInt                     bs = 1, nbr = 0, nbc = 0; /* block size, block rows, block columns */
  size_t                       ld     = 0;
  bool                         single = false, half = false;
  std::vector<Diagonal>        diag;
  std::vector<Index>           off;           /* offsets in the order of diag, for the views */
  void                        *v   = nullptr; /* packed values */
  uint32_t                    *set = nullptr; /* packed bits */
  std::unordered_set<PetscInt> refused;       /* offsets beyond the limit, counted for the message */
  PetscInt                     hint    = 0;   /* diagonal of the last entry set: the next one is close */
  PetscCount                   entries = 0;   /* entries set, counted at assembly (with half storage the mirrored ones too) */
  PetscCount                   slots   = 0;   /* value slots whose block lies inside the matrix, likewise */

  ~Diagonals();
  size_t         DiagonalSize() const { return (size_t)bs * ld; } /* values of one diagonal */
  size_t         Size() const { return diag.size() * DiagonalSize(); }
  PetscErrorCode Shape(PetscInt bs, PetscInt nbr, PetscInt nbc, bool single);
  PetscErrorCode Add(PetscInt offset);                         /* a zero diagonal of its own */
  PetscErrorCode Preset(const std::vector<PetscInt> &offsets); /* packed at once, zero */
  PetscErrorCode Pack();
  PetscErrorCode Copy(const Diagonals &from, bool values);
  void           Count();
  int            Find(PetscInt offset) const;                          /* index in diag, -1 if absent */
  bool           FindSlot(PetscInt i, PetscInt j, size_t *slot) const; /* of local entry (i, j); with half storage (j, i) may stand for it */
  bool           IsSet(size_t slot) const { return set[slot >> 5] >> (slot & 31) & 1; }
  void           Free();

  template <class V> View<V> Typed() const { return {nbr, nbc, (int)bs, (int)diag.size(), ld, off.data(), (V *)v, half}; }
};

/* The ghost part; entries that find no slot wait in `pending` for the next assembly */
struct Ghost {
  PetscInt                bs = 1, nbr = 0, width = 0;
  size_t                  ld     = 0;
  bool                    single = false;
  std::vector<PetscInt>   garray;   /* global block column of each ghost block column, ascending */
  std::vector<Index>      row, col; /* as in GhostView */
  std::vector<PetscInt>   border;   /* block row -> border block row or -1; empty without border rows */
  void                   *v   = nullptr;
  uint32_t               *set = nullptr;
  std::vector<HeptaEntry> pending;                /* i local row, j global column */
  PetscCount              entries = 0, slots = 0; /* entries set, value slots of the blocks stored */

  ~Ghost();
  size_t         Size() const { return (size_t)width * bs * ld; }
  size_t         Slot(PetscInt k, PetscInt b, PetscInt r, PetscInt s) const { return ((size_t)k * bs + s) * ld + (size_t)b * bs + r; }
  bool           FindSlot(PetscInt i, PetscInt j, size_t *slot) const;
  bool           IsSet(size_t slot) const { return set[slot >> 5] >> (slot & 31) & 1; }
  PetscScalar    Value(size_t slot) const { return single ? (PetscScalar)((float *)v)[slot] : ((PetscScalar *)v)[slot]; }
  void           Put(size_t slot, PetscScalar value, InsertMode mode);
  PetscErrorCode Entries(std::vector<HeptaEntry> &out) const; /* what is set, by row and column */
  PetscErrorCode Build(std::vector<HeptaEntry> &entries);     /* from entries in order of arrival */
  PetscErrorCode Copy(const Ghost &from, bool values);
  void           Free();

  template <class V> GhostView<V> Typed() const { return {(Index)row.size(), (Index)garray.size(), (int)bs, (int)width, ld, row.data(), col.data(), (V *)v}; }
};

/* Where each COO value goes (MatSetPreallocationCOO()) */
struct COOPlan {
  std::vector<size_t>   slot, perm;             /* v[slot[k]] += values[perm[k]] in the block diagonals */
  std::vector<size_t>   ghost_slot, ghost_perm; /* likewise in the ghost part */
  std::vector<PetscInt> order;                  /* entries that other ranks own, in sending order */
  std::vector<PetscInt> i, j;                   /* half storage: the places themselves, in the order of perm */
  PetscCount            n        = 0;           /* entries given here */
  PetscInt              received = 0;           /* entries that arrive: they follow the given ones */
  PetscSF               sf       = nullptr;
  ~COOPlan() { (void)PetscSFDestroy(&sf); }
};

} // namespace hepta::bdia

struct Mat_BDIA {
  hepta::bdia::Settings                   set;
  std::shared_ptr<hepta::bdia::Diagonals> diag; /* shared with the Mat that MatGetDiagonalBlock() lends */
  hepta::bdia::Ghost                      ghost;
  std::vector<HeptaEntry>                 stash; /* entries of other ranks' rows */
  VecScatter                              halo               = nullptr;
  Vec                                     lvec               = nullptr; /* ghost values of x */
  bool                                    ready              = false;   /* assembled at least once: locations not yet set are new */
  bool                                    changed            = false;   /* locations were added since the last final assembly */
  bool                                    mirrored           = false;   /* half storage under assembly: the lower half stands beside the upper */
  bool                                    set_lower          = false;   /* half storage: blocks below the diagonal were set in this assembly */
  bool                                    set_lower_in_block = false;   /* likewise: entries below the diagonal, in diagonal blocks */
  Mat                                     block              = nullptr; /* what MatGetDiagonalBlock() lends, and the state it shows */
  PetscObjectState                        block_state        = -1;
  Mat                                     aij                = nullptr; /* converted copy, and the states it shows */
  PetscObjectState                        aij_state = -1, aij_nonzerostate = -1;
  std::vector<PetscInt>                   row_cols; /* MatGetRow() */
  std::vector<PetscScalar>                row_vals;
  PetscScalar                            *inverse = nullptr; /* MatInvertBlockDiagonal() */
  std::shared_ptr<hepta::bdia::COOPlan>   coo;               /* shared with duplicates */
  PetscErrorCode (*dm_view)(Mat, PetscViewer) = nullptr;     /* the view that DMDA put over ours */
};

/* While it lives MatSetValues() takes every entry, zeros and new places included: the structure is what the caller says */
struct HeptaTakeAll {
  hepta::bdia::Settings      &now;
  const hepta::bdia::Settings before;

  explicit HeptaTakeAll(Mat A) : now(((Mat_BDIA *)A->data)->set), before(now)
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

static inline Mat_BDIA *MatBDIA(Mat A)
{
  return (Mat_BDIA *)A->data;
}

/* Calls f with a view of the right stored type: f(View<PetscScalar>) or f(View<float>); f returns a PetscErrorCode */
template <class D, class F> PetscErrorCode HeptaVisit(const D &d, F f)
{
  return d.single ? f(d.template Typed<float>()) : f(d.template Typed<PetscScalar>());
}

/* bdia.cxx */
PETSC_INTERN PetscErrorCode MatSetUp_BDIA(Mat);
/* MatSetUp_BDIA() without the offsets that a grid or a DMDA sets: empty, whatever was there before */
PETSC_INTERN PetscErrorCode MatBDIAShape(Mat);
PETSC_INTERN PetscErrorCode MatSetFromOptions_BDIA(Mat, PetscOptionItems);
PETSC_INTERN PetscErrorCode MatBDIASetOps(Mat);
/* a matrix of A's type, sizes and settings, set up and empty */
PETSC_INTERN PetscErrorCode MatBDIACreateLike(Mat A, Mat *B);
/* bdia_mult.cxx */
PETSC_INTERN PetscErrorCode MatMult_BDIA(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultAdd_BDIA(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTranspose_BDIA(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_BDIA(Mat, Vec, Vec, Vec);
/* bdia_setvalues.cxx */
PETSC_INTERN PetscErrorCode MatSetValues_BDIA(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[], const PetscScalar[], InsertMode);
PETSC_INTERN PetscErrorCode MatSetValuesBlocked_BDIA(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[], const PetscScalar[], InsertMode);
PETSC_INTERN PetscErrorCode MatSetOption_BDIA(Mat, MatOption, PetscBool);
/* bdia_assembly.cxx */
PETSC_INTERN PetscErrorCode MatAssemblyBegin_BDIA(Mat, MatAssemblyType);
PETSC_INTERN PetscErrorCode MatAssemblyEnd_BDIA(Mat, MatAssemblyType);
/* the structure is complete: packs, checks the limits, builds ghost part and halo exchange; collective */
PETSC_INTERN PetscErrorCode MatBDIAFinish(Mat);
/* merges ghost entries that wait for a place; not collective */
PETSC_INTERN PetscErrorCode MatBDIABuildGhost(Mat);
/* the scatter that brings the ghost values of x; collective */
PETSC_INTERN PetscErrorCode MatBDIABuildHalo(Mat);
/* bdia_half.cxx */
PETSC_INTERN PetscErrorCode MatBDIAHalfOpen(Mat);
PETSC_INTERN PetscErrorCode MatBDIAHalfClose(Mat);
/* bdia_coo.cxx */
PETSC_INTERN PetscErrorCode MatSetPreallocationCOO_BDIA(Mat, PetscCount, PetscInt[], PetscInt[]);
PETSC_INTERN PetscErrorCode MatSetValuesCOO_BDIA(Mat, const PetscScalar[], InsertMode);
/* bdia_grid.cxx */
PETSC_INTERN PetscErrorCode HeptaMatBDIASetGrid_BDIA(Mat, PetscInt, PetscInt, PetscInt);
PETSC_INTERN PetscErrorCode MatBDIAPresetGrid(Mat);
PETSC_INTERN PetscErrorCode MatBDIAPresetDMDA(Mat, DM);
/* bdia_convert.cxx */
PETSC_INTERN PetscErrorCode MatConvertFrom_BDIA(Mat, MatType, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode MatConvert_BDIA(Mat, MatType, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode MatLoad_BDIA(Mat, PetscViewer);
PETSC_INTERN PetscErrorCode MatDuplicate_BDIA(Mat, MatDuplicateOption, Mat *);
/* the set entries of local row i (from 0), global columns ascending */
PETSC_INTERN PetscErrorCode MatBDIARow(Mat, PetscInt i, std::vector<PetscInt> &cols, std::vector<PetscScalar> &vals);
/* the matrix as MATAIJ with exactly the set entries: borrowed, values as of now, kept for the next call */
PETSC_INTERN PetscErrorCode MatBDIAGetAIJ(Mat, Mat *);
/* bdia_values.cxx, bdia_rows.cxx, bdia_view.cxx, bdia_viaaij.cxx: fill in their part of the table of operations */
PETSC_INTERN PetscErrorCode MatBDIASetOps_Values(Mat);
PETSC_INTERN PetscErrorCode MatBDIASetOps_Rows(Mat);
PETSC_INTERN PetscErrorCode MatBDIASetOps_View(Mat);
/* bdia_view.cxx: puts our view back over the one that DMDA set, which shows nothing for the info formats */
PETSC_INTERN PetscErrorCode MatBDIARewrapView(Mat);
PETSC_INTERN PetscErrorCode MatBDIASetOps_ViaAIJ(Mat);
/* bdia_factor.cxx, bdia_coloring.cxx, bdia_product.cxx: in the table that MatBDIASetOps_ViaAIJ() fills */
PETSC_INTERN PetscErrorCode MatLUFactor_BDIA(Mat, IS, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatILUFactor_BDIA(Mat, IS, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatFDColoringCreate_BDIA(Mat, ISColoring, MatFDColoring);
PETSC_INTERN PetscErrorCode MatFDColoringSetUp_BDIA(Mat, ISColoring, MatFDColoring);
PETSC_INTERN PetscErrorCode MatFDColoringApply_BDIA(Mat, MatFDColoring, Vec, void *);
PETSC_INTERN PetscErrorCode MatProductSetFromOptions_BDIA(Mat);
