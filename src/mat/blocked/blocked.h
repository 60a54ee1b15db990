/*
   Blocked matrices on the PETSc side. One structure serves the sequential and the parallel types: a rank's local part, and the
   ghost part, its couplings to other ranks' columns (empty on one rank).
*/
#pragma once

#include <memory>
#include <petscdm.h>
#include <set>
#include <vector>

#include "../../shared/rows.h"
#include "../../shared/transport/halo.h"
#include "format.h"
#include "ghost.h"
#include "plans.h"
#include "storage.h"
#include "visit.h"

using HeptaFlags = std::vector<unsigned char>; /* one per local row, or per local or ghost column */

struct Mat_Blocked {
  const HeptaBlockedFormat     *format = nullptr;
  hepta::blocked::Settings      set;
  std::shared_ptr<HeptaStorage> local; /* shared with the Mat that MatGetDiagonalBlock() returns */
  hepta::blocked::Ghost         ghost;
  std::vector<HeptaEntry>       stash; /* entries of other ranks' rows */
  /* brings the ghost values of x; empty when no rank has any */
  HeptaHalo   halo;
  Vec         lvec = nullptr; /* ghost values of x */
  HeptaValues columns;        /* ghost values of several vectors */
  /* assembled at least once: locations not yet set are new */
  bool ready   = false;
  bool changed = false; /* locations were added since the last final assembly */
  /* set up by a preallocation function, and no assembly since */
  bool only_preallocated = false;
  /* MatZeroRows() removed entries that the COO structure has; the same on all ranks */
  bool dropped  = false;
  bool mirrored = false; /* half storage under assembly: both halves are stored */
  /* half storage: blocks below the diagonal were set in this assembly */
  bool set_lower = false;
  /* likewise: entries below the diagonal were set in diagonal blocks */
  bool set_lower_in_block = false;
  /* the Mat that MatGetDiagonalBlock() returns, and A's state at its creation */
  Mat              block       = nullptr;
  PetscObjectState block_state = -1, block_nonzerostate = -1;
  Mat              aij       = nullptr; /* the converted copy, and A's states at the conversion */
  PetscObjectState aij_state = -1, aij_nonzerostate = -1;
  /* how often failed factorizations have increased the nonzero state, see HeptaFactorFailed() */
  PetscObjectState                            failures = 0;
  std::vector<hepta::blocked::RowSlot>        row;      /* work space of MatBlockedSetInRow() */
  std::vector<PetscInt>                       row_cols; /* MatGetRow() */
  std::vector<PetscScalar>                    row_vals;
  std::vector<PetscScalar>                    inverse; /* MatInvertBlockDiagonal() */
  std::shared_ptr<hepta::blocked::COOPlan>    coo;     /* shared with duplicates */
  std::unique_ptr<hepta::blocked::CSRPlan>    csr;
  std::unique_ptr<hepta::blocked::FieldsPlan> fields;    /* a submatrix made by MatBlockedCreateFields() */
  PetscErrorCode (*dm_view)(Mat, PetscViewer) = nullptr; /* the view operation that DMDA set instead of ours */
};

namespace hepta::blocked
{

/*
   The target of a call that sets values: the matrix, the local index ranges, the insert mode, and the distances in the caller's
   array between neighbors in a row and in a column
*/
struct Target {
  Mat          A;
  Mat_Blocked *a;
  PetscInt     rstart, cstart, cend;
  InsertMode   mode;
  size_t       row_stride, col_stride;
};

/* The caller's request for a conversion */
struct Request {
  bool full    = false; /* never in half storage, whatever the options say */
  bool lenient = false; /* the result of a matrix that exceeds the limits of the type is null, not an error */
  bool plain   = false; /* Settings::search_bs becomes false */
};

} // namespace hepta::blocked

/*
   While an object lives MatSetValues() treats entries at new locations by the given policy (Settings::new_entry), and leaves
   limits to the assembly: callers are collective, so all ranks must get the same errors. The destructor restores the settings.
*/
struct HeptaNewEntryPolicy {
  hepta::blocked::Settings      &now;
  const hepta::blocked::Settings before;

  HeptaNewEntryPolicy(Mat A, int policy) : now(((Mat_Blocked *)A->data)->set), before(now)
  {
    now.new_entry          = policy;
    now.limits_at_assembly = true;
  }
  ~HeptaNewEntryPolicy() { now = before; }
};

/* While an object lives MatSetValues() stores zeros and entries at new locations, too: the caller determines the structure */
struct HeptaTakeAll : HeptaNewEntryPolicy {
  explicit HeptaTakeAll(Mat A) : HeptaNewEntryPolicy(A, 0) { now.ignore_zero = now.ignore_off_rank = PETSC_FALSE; }
};

static inline Mat_Blocked *MatBlocked(Mat A)
{
  return (Mat_Blocked *)A->data;
}

/*
   The names of the functions composed with any blocked matrix. A matrix that gets another type loses all these functions: after
   MatHeaderMerge() a matrix may have functions of two types.
*/
inline std::set<std::string> HeptaBlockedFunctions;

/* Composes a function with A */
template <class F> PetscErrorCode MatBlockedComposeFunction(Mat A, const char name[], F f)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, name, f));
  HeptaBlockedFunctions.insert(name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is A of a type with this structure? */
PETSC_INTERN bool HeptaIsBlocked(Mat A);

/* empties the matrix, which MatSetUp() then gives the structure of a grid or DMDA, if any */
PETSC_INTERN PetscErrorCode MatBlockedShape(Mat);
/* an error if a setting of the storage changes (not `same`) although the matrix has entries */
PETSC_INTERN PetscErrorCode MatBlockedCheckEmpty(Mat, const char what[], bool same);
/* sets single or double precision */
PETSC_INTERN PetscErrorCode MatBlockedSetStorage(Mat, HeptaMatStorage);
/* *bs <- the value of an option <n|auto>, n at least `least`; zero for auto */
PETSC_INTERN PetscErrorCode MatBlockedParseSize(Mat, const char option[], const char value[], PetscInt least, PetscInt *bs);
/* the number of value slots per entry set, over all ranks; collective */
PETSC_INTERN PetscErrorCode MatBlockedGetFill(Mat, PetscReal *);
/* creates an empty matrix, set up, with A's type, sizes and settings except for the two given here */
PETSC_INTERN PetscErrorCode MatBlockedCreateLike(Mat A, HeptaMatStorage, PetscBool half, Mat *B);
/*
   blocked_preallocation.cxx: composes the functions that a matrix has from the beginning, and the functions that preallocate as
   for aij and baij
*/
PETSC_INTERN PetscErrorCode MatBlockedComposeAtFirst(Mat);
/*
   On one process to be called only after MatSetUp() if local and global sizes were given with the type: DMDA treats a matrix with
   these functions as aij, and PETSc's MatSeqAIJSetTotalPreallocation() then writes into the matrix without checking its type.
*/
PETSC_INTERN PetscErrorCode MatBlockedComposePreallocation(Mat);
/* blocked_device.cxx: changes a matrix to the type whose vectors live on the device */
PETSC_INTERN PetscErrorCode MatBlockedUseDevice(Mat);
/* blocked_dmda.cxx: zeros at every location of the stencil, and errors for entries elsewhere, unless the DM says otherwise */
PETSC_INTERN PetscErrorCode MatBlockedPresetDMDA(Mat, DM);
/* blocked_mult.cxx */
PETSC_INTERN PetscErrorCode MatMult_Blocked(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultAdd_Blocked(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTranspose_Blocked(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_Blocked(Mat, Vec, Vec, Vec);
/* y <- z + op(D) x, z may be null or y itself; *space <- the memory of the vectors and of the product */
PETSC_INTERN PetscErrorCode HeptaBlockedProduct(HeptaStorage &, bool transpose, bool beside, Vec x, Vec z, Vec y,
                                                HeptaSpace *space);
/* the flops of a product on this rank; adds: the product is added to a vector, or is transposed */
PETSC_INTERN PetscLogDouble MatBlockedFlops(Mat, bool adds);
/* creates lvec, in the given memory */
PETSC_INTERN PetscErrorCode MatBlockedHaloVec(Mat, bool device);
/* lvec <- the ghost values of x; collective */
PETSC_INTERN PetscErrorCode MatBlockedHaloBegin(Mat, Vec x);
PETSC_INTERN PetscErrorCode MatBlockedHaloEnd(Mat, Vec x);
/* y <- y + the values for this rank's columns in the lvec of all ranks; collective */
PETSC_INTERN PetscErrorCode MatBlockedHaloAdd(Mat, Vec y);
/* prepares the exchange, so that products with vectors of the space can be recorded; collective */
PETSC_INTERN PetscErrorCode MatBlockedHaloPrepare(Mat, const HeptaSpace &);
/* blocked_setvalues.cxx: sets an entry in another rank's column */
PETSC_INTERN PetscErrorCode MatBlockedPutGhost(const hepta::blocked::Target &, PetscInt i, PetscInt j, PetscScalar value);
PETSC_INTERN PetscErrorCode MatSetValues_Blocked(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[], const PetscScalar[],
                                                 InsertMode);
PETSC_INTERN PetscErrorCode MatSetValuesBlocked_Blocked(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[],
                                                        const PetscScalar[], InsertMode);
/*
   The operations of the table: with an error for an entry beyond a limit of the format, on the rank that sets the entry.
   Functions that set values and then assemble call the two functions above, or have a HeptaNewEntryPolicy: all ranks get the
   error of the assembly.
*/
PETSC_INTERN PetscErrorCode MatSetValuesChecked_Blocked(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[],
                                                        const PetscScalar[], InsertMode);
PETSC_INTERN PetscErrorCode MatSetValuesBlockedChecked_Blocked(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[],
                                                               const PetscScalar[], InsertMode);
PETSC_INTERN PetscErrorCode MatSetOption_Blocked(Mat, MatOption, PetscBool);
/* blocked_assembly.cxx */
PETSC_INTERN PetscErrorCode MatAssemblyBegin_Blocked(Mat, MatAssemblyType);
PETSC_INTERN PetscErrorCode MatAssemblyEnd_Blocked(Mat, MatAssemblyType);
/* to be called when the structure is complete: packs, checks the limits, builds ghost part and halo exchange; collective */
PETSC_INTERN PetscErrorCode MatBlockedFinish(Mat);
/* merges ghost entries that are not yet part of the structure; not collective */
PETSC_INTERN PetscErrorCode MatBlockedBuildGhost(Mat);
/* builds a->halo; collective */
PETSC_INTERN PetscErrorCode MatBlockedBuildHalo(Mat);
/* blocked_coo_plan.cxx: sets the structure of A to the given locations, zeros there, and plans where values go; collective */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOO(Mat, const HeptaSpace &, PetscCount, const PetscInt[], const PetscInt[],
                                              bool *done);
static inline bool          MatBlockedOwnsColumn(Mat A, PetscInt j)
{
  return j >= A->cmap->rstart && j < A->cmap->rend;
}
/* here <- the entries of `others` in this rank's rows, then the arriving entries; plans the exchange. Collective */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOExchange(Mat, const hepta::blocked::RankEntries &others, hepta::blocked::COOPlan &,
                                                      hepta::blocked::RankEntries &here);
/*
   To be called when the local part has been planned: adds the entries in other ranks' columns, calls MatBlockedFinish(), and
   plans where the values of these entries go. Collective
*/
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOGhost(Mat, const hepta::blocked::RankEntries &, hepta::blocked::COOPlan &);
/*
   blocked_coo_device.cxx: makes the structure and the plan from entries in device memory; if *done is false, on all ranks, the
   host has to make both. Collective
*/
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOOnDevice(Mat, const HeptaSpace &, const PetscInt i[], const PetscInt j[],
                                                      hepta::blocked::COOPlan &, bool *done);
/*
   blocked_coo.cxx: does the device analyze COO locations? Yes if the indices of all ranks are on devices, or the matrix makes
   vectors there; not for half storage, whose mirrored locations the host finds, nor for a storage that cannot. Collective
*/
PETSC_INTERN PetscErrorCode MatBlockedPlansOnDevice(Mat, bool on_device, bool *yes);
PETSC_INTERN PetscErrorCode MatSetPreallocationCOO_Blocked(Mat, PetscCount, PetscInt[], PetscInt[]);
PETSC_INTERN PetscErrorCode MatSetValuesCOO_Blocked(Mat, const PetscScalar[], InsertMode);
/* blocked_convert.cxx */
/* *R <- a matrix whose rows MatGetRow() returns complete, to be destroyed by the caller: A itself or a converted copy */
PETSC_INTERN PetscErrorCode MatBlockedGetRowwise(Mat A, Mat *R);
PETSC_INTERN PetscErrorCode MatConvertFrom_Blocked(Mat, MatType, MatReuse, Mat *);
/* MatConvert() to one of our types, which also passes on known symmetry; collective */
PETSC_INTERN PetscErrorCode MatBlockedConvert(Mat, MatType, MatReuse, const hepta::blocked::Request &, Mat *);
PETSC_INTERN PetscErrorCode MatLoad_Blocked(Mat, PetscViewer);
PETSC_INTERN PetscErrorCode MatDuplicate_Blocked(Mat, MatDuplicateOption, Mat *);
/* blocked_cusparse.cxx */
/* Can the values of C, of any type, be copied to A on the device? */
PETSC_INTERN bool MatBlockedConvertsOnDevice(Mat C, Mat A);
/* Is C known to have exactly the entries of A? */
PETSC_INTERN PetscErrorCode MatBlockedKnowsCUSPARSE(Mat A, Mat C, bool *known);
/*
   copies on the device, between A and an aijcusparse C with exactly the entries of A: C's values <- A's if `to`, otherwise
   A's <- C's
*/
PETSC_INTERN PetscErrorCode MatBlockedCopyCUSPARSE(bool to, Mat A, Mat C);
/* blocked_csr.cxx */
PETSC_INTERN PetscErrorCode MatConvert_Blocked(Mat, MatType, MatReuse, Mat *);
/* the set entries of local row i (from 0), global columns ascending: *n entries, valid until the next call for A */
PETSC_INTERN PetscErrorCode MatBlockedSetInRow(Mat A, PetscInt i, PetscInt *n, const hepta::blocked::RowSlot **row);
/* calls f(ghost, global column, slot) for each set entry of a row */
template <class F> static inline PetscErrorCode HeptaForSetInRow(Mat A, PetscInt i, F f)
{
  PetscInt                       n;
  const hepta::blocked::RowSlot *row;

  PetscFunctionBegin;
  PetscCall(MatBlockedSetInRow(A, i, &n, &row));
  for (PetscInt k = 0; k < n; k++) f(row[k].ghost, row[k].j, row[k].at);
  PetscFunctionReturn(PETSC_SUCCESS);
}
/* the columns and values of the set entries of a row */
PETSC_INTERN PetscErrorCode MatBlockedRow(Mat, PetscInt i, std::vector<PetscInt> &cols, std::vector<PetscScalar> &vals);
/* the matrix as MATAIJ with exactly the set entries and the present values: a borrowed reference, kept for the next call */
PETSC_INTERN PetscErrorCode MatBlockedGetAIJ(Mat, Mat *);
/* blocked_maindiagonal.cxx: a_ii <- alpha for the flagged rows; a main-diagonal entry that was never set is added, or is an error
   if `keep`; collective */
PETSC_INTERN PetscErrorCode MatBlockedSetDiagonalRows(Mat A, const HeptaFlags &row, PetscScalar alpha, bool keep);
/* blocked_maindiagonal.cxx, blocked_pair.cxx: in the table that MatBlockedSetOps_Values() fills */
PETSC_INTERN PetscErrorCode MatGetDiagonal_Blocked(Mat, Vec);
PETSC_INTERN PetscErrorCode MatShift_Blocked(Mat, PetscScalar);
PETSC_INTERN PetscErrorCode MatDiagonalSet_Blocked(Mat, Vec, InsertMode);
PETSC_INTERN PetscErrorCode MatInvertBlockDiagonal_Blocked(Mat, const PetscScalar **);
PETSC_INTERN PetscErrorCode MatAXPY_Blocked(Mat, PetscScalar, Mat, MatStructure);
PETSC_INTERN PetscErrorCode MatAXPYGetPreallocation_Blocked(Mat, Mat, Mat *);
PETSC_INTERN PetscErrorCode MatCopy_Blocked(Mat, Mat, MatStructure);
PETSC_INTERN PetscErrorCode MatEqual_Blocked(Mat, Mat, PetscBool *);
PETSC_INTERN PetscErrorCode MatTranspose_Blocked(Mat, MatReuse, Mat *);
/* blocked_values.cxx, blocked_scale.cxx, blocked_rows.cxx, blocked_view.cxx, blocked_viaaij.cxx: fill in their part of the table
   of operations */
PETSC_INTERN PetscErrorCode MatBlockedSetOps_Values(Mat);
PETSC_INTERN PetscErrorCode MatBlockedSetOps_Scale(Mat);
PETSC_INTERN PetscErrorCode MatBlockedSetOps_Rows(Mat);
PETSC_INTERN PetscErrorCode MatBlockedSetOps_View(Mat);
/* blocked_view.cxx: sets our view operation again in place of DMDA's, which shows nothing for the info formats */
PETSC_INTERN PetscErrorCode MatBlockedRewrapView(Mat);
PETSC_INTERN PetscErrorCode MatBlockedSetOps_ViaAIJ(Mat);
/*
   blocked_fields.cxx: *B <- a submatrix that takes the same unknowns from each block, or null for other index sets, for half
   storage, and where a block has one unknown; collective
*/
PETSC_INTERN PetscErrorCode MatBlockedCreateFields(Mat A, IS rows, IS cols, Mat *B);
/* B, a submatrix made by MatBlockedCreateFields() from these index sets, gets A's present values; collective */
PETSC_INTERN PetscErrorCode MatBlockedCopyFields(Mat A, IS rows, IS cols, Mat B);
/* blocked_factor.cxx, blocked_coloring.cxx, blocked_product.cxx: in the table that MatBlockedSetOps_ViaAIJ() fills */
PETSC_INTERN PetscErrorCode MatLUFactor_Blocked(Mat, IS, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatILUFactor_Blocked(Mat, IS, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatFDColoringSetUp_Blocked(Mat, ISColoring, MatFDColoring);
PETSC_INTERN PetscErrorCode MatFDColoringApply_Blocked(Mat, MatFDColoring, Vec, void *);
PETSC_INTERN PetscErrorCode MatProductSetFromOptions_Blocked(Mat);
/* blocked_dense.cxx */
PETSC_INTERN PetscErrorCode MatProductSymbolic_Blocked_Dense(Mat);
