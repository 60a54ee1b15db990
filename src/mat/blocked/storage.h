/*
   The local part of a blocked matrix: how a rank keeps the entries of its own rows and columns. All that blocked matrices share works on the
   interface HeptaStorage; each format derives a storage from it in a folder of its own.
*/
#pragma once

#include <hepta.h>
#include <memory>
#include <petsc/private/matimpl.h>
#include <string>
#include <vector>

#include "../../shared/space.h"
#include "blocked_kernels.hxx"

namespace hepta::blocked
{

struct COOPlan;
struct Target;

/* The options of one format: it derives its own, see Settings::OfFormat() */
struct FormatOptions {
  virtual ~FormatOptions() = default;
};

/* What options and setters decide for every format */
struct Settings {
  PetscBool       lenient      = PETSC_FALSE; /* MatConvert() to a format that a matrix does not suit is no error, and sets misfit */
  PetscBool       misfit       = PETSC_FALSE; /* the matrix is beyond the limits of the format; the same on all ranks */
  PetscBool       presets      = PETSC_TRUE;  /* MatSetUp() gives the structure that options of the format tell, PresetFromOptions() */
  PetscBool       device       = PETSC_FALSE; /* the type makes vectors on the device */
  PetscBool       half         = PETSC_FALSE; /* only the diagonal and upper half of a symmetric matrix is stored */
  PetscBool       check_values = PETSC_FALSE;
  PetscBool       auto_bs      = PETSC_FALSE; /* MatConvert() and MatLoad() choose the block size */
  PetscBool       given_bs     = PETSC_FALSE; /* the block size comes from an option, not from the converted matrix */
  HeptaMatStorage storage      = HEPTA_MAT_STORAGE_DOUBLE;
  int             new_entry    = 0; /* as Mat_SeqAIJ's nonew: 1 ignore, -1 error, -2 error if it needs new memory */
  PetscBool       row_oriented = PETSC_TRUE;
  PetscBool       ignore_zero = PETSC_FALSE, ignore_off_rank = PETSC_FALSE, keep_pattern = PETSC_FALSE;

  /* The options O of the format whose matrix has these settings, and new ones; copies of the settings share them until then. Those of another format are an error. */
  template <class O> const O &OfFormat() const
  {
    static const O standard;

    return format ? dynamic_cast<const O &>(*format) : standard;
  }
  template <class O> void SetOfFormat(const O &options) { format = std::make_shared<O>(options); }

private:
  std::shared_ptr<const FormatOptions> format;
};

/* Where an entry stands while values are set: value v[at], and bit `at` of set; entry (r, s) of its block, if (0, 0) stands here, at + s*ld + r */
template <class V> struct EntrySlot {
  V        *v   = nullptr; /* null: nowhere */
  uint32_t *set = nullptr;
  size_t    at = 0, ld = 0;

  bool IsSet() const { return set[at >> 5] >> (at & 31) & 1; }
};

/* The slot of an entry that is set, and its global column; in the ghost part or the local part */
struct RowSlot {
  PetscInt j;
  bool     ghost;
  size_t   at;
};

constexpr size_t no_slot = ~(size_t)0;

/* The arrays of an EntryList, to be read in one memory */
struct EntryArrays {
  const size_t *first  = nullptr;
  const Index  *column = nullptr;
  const size_t *slot   = nullptr;
};

/* The set entries of a storage, in one memory: those of row i are numbers first[i] ... first[i + 1] - 1, in their columns, from 0 and ascending, and slots */
struct EntryList {
  bool        listed = false;
  size_t      n      = 0;          /* entries */
  HeptaValues first, column, slot; /* of size_t, Index and size_t */

  PetscErrorCode Free()
  {
    PetscFunctionBegin;
    listed = false;
    for (HeptaValues *v : {&first, &column, &slot}) PetscCall(v->Free());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* A run of slots of one matrix and the slots of another that stand for the same entries; all three are multiples of 32 */
struct Piece {
  size_t n, at_x, at_y;
};

} // namespace hepta::blocked

/*
   Values in one array, addressed by slot, and a bit for each slot that tells whether it was set. While values are set, new
   entries may stand elsewhere; Pack() gives every entry its slot. i and j are a rank's own rows and columns, from 0.
*/
struct HeptaStorage {
  PetscInt    bs   = 1;           /* the storage's own block size: need not be the Mat's, nor divide rows and cols */
  PetscInt    rows = 0, cols = 0; /* this rank's */
  bool        single = false, half = false;
  HeptaValues values;            /* packed values */
  uint32_t   *set     = nullptr; /* packed bits */
  PetscCount  entries = 0;       /* entries set, counted at assembly (with half storage the mirrored ones too) */
  PetscCount  slots   = 0;       /* value slots of the stored blocks, likewise */
  PetscCount  main    = 0;       /* main-diagonal entries set, counted at assembly */
  bool        counted = false;   /* Preset() has counted already */

  HeptaStorage()                                = default;
  HeptaStorage(const HeptaStorage &)            = delete;
  HeptaStorage &operator=(const HeptaStorage &) = delete;
  virtual ~HeptaStorage()                       = default;

  size_t ValueSize() const { return single ? sizeof(float) : sizeof(PetscScalar); }
  bool   IsSet(size_t slot) const { return set[slot >> 5] >> (slot & 31) & 1; }

  /* empty; bs is the Mat's block size, or 1 where rows and columns have different ones */
  virtual PetscErrorCode SetUp(const hepta::blocked::Settings &, PetscInt bs, PetscInt rows, PetscInt cols) = 0;
  /*
     the structure that n entries need, besides what is there already; packed, zero. Row i[k] - rstart, column j[k] - cstart;
     columns beyond this rank's are passed over. What would break a limit is left out; the check of limits after assembly reports it.
  */
  virtual PetscErrorCode Preset(const hepta::blocked::Settings &, size_t n, const PetscInt i[], const PetscInt j[], PetscInt rstart, PetscInt cstart) = 0;

#if defined(HEPTA_HAVE_CUDA)
  /*
     the same for n > 0 entries in device memory, fewer than 2^32 - 1, in local rows and columns, with what is set, and the plan's source and runs: the given entries, plan.n of them, then those that arrive. A negative row or column
     is passed over. Not done, and left to the host: an entry is out of range, or would break a limit, or the storage has no way there.
  */
  virtual PetscErrorCode PlanCOO(const hepta::blocked::Settings &, const HeptaSpace &, size_t n, const PetscInt i[], const PetscInt j[], hepta::blocked::COOPlan &, bool *done) = 0;
#endif

  virtual PetscErrorCode Edit() = 0; /* before values are set on the host */
  /* before the host looks at the structure and at what is set: a format may have made them on the device. Edit() and operations on values on the host do the same. */
  virtual PetscErrorCode StructureToHost()
  {
    return PETSC_SUCCESS;
  }
  /* the bits of what is set, in the given space; a copy lives in `copy` */
  virtual PetscErrorCode SetBits(const HeptaSpace &, HeptaValues &copy, const uint32_t **);
  virtual PetscErrorCode Pack()                                = 0; /* every entry gets its slot */
  virtual PetscErrorCode Zero()                                = 0; /* all values, also of what is not packed yet; what is set stays */
  virtual PetscErrorCode Forget()                              = 0; /* the packed values become zeros, and their memory goes */
  virtual PetscErrorCode Copy(HeptaStorage &from, bool values) = 0; /* of the same format, packed */
  virtual PetscErrorCode Count()                               = 0; /* entries, slots, main */
  virtual void           Free()                                = 0; /* nothing is left */

  /* slots in the array, a multiple of 32 */
  virtual size_t Size() const = 0;
  /* with half storage (j, i) may stand for (i, j); packed, after StructureToHost() */
  virtual bool FindSlot(PetscInt i, PetscInt j, size_t *slot) const = 0;
  /* may SetDiagonal() and SetDiagonalRows() be called? */
  virtual bool HasDiagonal() const = 0;
  /* memory of what says where slots belong, if that is worth counting */
  virtual PetscLogDouble IndexBytes() const
  {
    return 0;
  }
  /* the slots of this part, and those of `to`, of the same format, for the same entries; false if an entry of one has no slot in the other; both after StructureToHost() */
  virtual bool FindPieces(const HeptaStorage &to, std::vector<hepta::blocked::Piece> &) const = 0;
  /* what views tell of the structure: in a line, where `several` ranks are there and only the first is shown; and in full, after StructureToHost() */
  virtual std::string Title(bool several) const = 0;
  virtual std::string Detail() const            = 0;

  /* What concerns the whole matrix that the storage is a part of: */

  /* the layouts of rows and columns: an error where the storage cannot have them; collective */
  virtual PetscErrorCode SetUpLayouts(Mat);
  /* MatSetUp() and COO: the structure that options of the format give, and what views say of it */
  virtual PetscErrorCode PresetFromOptions(Mat)
  {
    return PETSC_SUCCESS;
  }
  virtual std::string OptionsTitle(const hepta::blocked::Settings &) const
  {
    return "";
  }
  /* MatLoad() of several ranks: *rows <- the rows that this rank is to have of a matrix that was read, null where the options leave them where they are; collective */
  virtual PetscErrorCode BalancedRows(const hepta::blocked::Settings &, Mat, IS *rows)
  {
    *rows = nullptr;
    return PETSC_SUCCESS;
  }
  /*
     set-up for the entries of another matrix: its block size, what structure it can have before values, as far as options do not say. If values is false
     they are not looked at; *whole: all entries are set then, with zeros
  */
  virtual PetscErrorCode Fit(Mat from, bool values, Mat, bool *whole) = 0;
  /* *done if the values of a sequential aijcusparse with the same entries were taken on the device */
  virtual PetscErrorCode TakeCUSPARSE(Mat, bool *done)
  {
    *done = false;
    return PETSC_SUCCESS;
  }
  /* after assembly: the limits of the format; collective */
  virtual PetscErrorCode CheckLimits(Mat)
  {
    return PETSC_SUCCESS;
  }
  /* half storage, which a format may lack: before values are set, after assembly; the lower triangle of the diagonal blocks follows the upper one */
  virtual PetscErrorCode OpenHalf(Mat)
  {
    return PETSC_SUCCESS;
  }
  virtual PetscErrorCode CloseHalf(Mat)
  {
    return PETSC_SUCCESS;
  }
  virtual PetscErrorCode MirrorDiagonalBlocks()
  {
    return PETSC_SUCCESS;
  }

  /* Operations on packed values, with arrays in the given space. As the launchers say, see bdia_kernels.hxx: */

  virtual PetscErrorCode Bring(const HeptaSpace &)                                                                                    = 0; /* what a product reads */
  virtual PetscErrorCode Product(const HeptaSpace &, const PetscScalar *x, const PetscScalar *z, PetscScalar *y)                      = 0; /* y <- z + A x */
  virtual PetscErrorCode ProductTranspose(const HeptaSpace &, const PetscScalar *x, const PetscScalar *z, PetscScalar *y)             = 0; /* y <- z + A^T x */
  virtual PetscErrorCode ProductColumns(const HeptaSpace &, PetscInt n, const PetscScalar *x, size_t ldx, PetscScalar *y, size_t ldy) = 0; /* Y <- A X */
  virtual PetscErrorCode GetDiagonal(const HeptaSpace &, PetscScalar *d)                                                              = 0;
  virtual PetscErrorCode SetDiagonal(const HeptaSpace &, PetscScalar beta, PetscScalar alpha, const PetscScalar *d)                   = 0;
  virtual PetscErrorCode ScaleRowsAndColumns(const HeptaSpace &, const PetscScalar *l, const PetscScalar *r)                          = 0;
  virtual PetscErrorCode AddNorms(const HeptaSpace &, hepta::blocked::Norm, PetscScalar *work)                                        = 0;
  virtual PetscErrorCode PutCOO(const HeptaSpace &, bool add, const uint32_t *source, const PetscScalar *w)                           = 0;

  /* On the host: a_ij <- 0 where row[i] or col[j] is nonzero; col may be null (no column); half storage needs col = row */
  virtual PetscErrorCode ZeroRows(const unsigned char *row, const unsigned char *col) = 0;
  /* b_i <- b_i - sum of a_ij x_j over the columns with col[j] nonzero, for the rows with row[i] zero */
  virtual PetscErrorCode SubtractColumns(const unsigned char *row, const unsigned char *col, const PetscScalar *x, PetscScalar *b) = 0;
  /* a_ii <- alpha where row[i] is nonzero; these need their slots */
  virtual PetscErrorCode SetDiagonalRows(const unsigned char *row, PetscScalar alpha) = 0;
  /* blocks[(m*bs + s)*bs + r] <- entry (r, s) of diagonal block m of size bs, which divides the rows and need not be the storage's; zero where nothing is stored */
  virtual PetscErrorCode DiagonalBlocks(PetscInt bs, PetscScalar *blocks) = 0;

  /* Entries: */

  /* row[n], row[n + 1], ... <- the entries of row i that are set, columns ascending and from cstart on; gives n for what comes next. row grows as needed. Packed; this and the next two after StructureToHost(). */
  virtual size_t Row(PetscInt i, PetscInt cstart, std::vector<hepta::blocked::RowSlot> &row, size_t n) const = 0;
  /* all of these, in the given space */
  virtual PetscErrorCode ListEntries(const HeptaSpace &, hepta::blocked::EntryList &) = 0;
  /* the arrays of the list, which is made first if it has not been */
  PetscErrorCode GetEntries(const HeptaSpace &space, hepta::blocked::EntryList &list, hepta::blocked::EntryArrays *arrays)
  {
    size_t       *first, *slot;
    hepta::Index *column;

    PetscFunctionBegin;
    if (!list.listed) PetscCall(ListEntries(space, list));
    PetscCall(list.first.Access(space, HeptaAccess::read, &first));
    PetscCall(list.column.Access(space, HeptaAccess::read, &column));
    PetscCall(list.slot.Access(space, HeptaAccess::read, &slot));
    *arrays = {first, column, slot};
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* count[i] <- how many these are in each row */
  virtual void CountRows(PetscInt count[]) const = 0;
  /* slot[k] <- that of row i[k] - rstart, column j[k] - cstart, or no_slot; packed, without half storage, fast where entries come row by row */
  virtual void FindSlots(size_t n, const PetscInt i[], const PetscInt j[], PetscInt rstart, PetscInt cstart, size_t slot[]) = 0;
  /* after Edit(): n entries of global row i, the k-th value at v[k*col_stride], v may be null (zeros); and a block of the storage, value (r, s) at v[r*row_stride + s*col_stride] */
  virtual PetscErrorCode PutRow(const hepta::blocked::Target &, PetscInt i, PetscInt n, const PetscInt cols[], const PetscScalar v[]) = 0;
  virtual PetscErrorCode PutBlock(const hepta::blocked::Target &, PetscInt m, PetscInt c, const PetscScalar v[])                      = 0;
};
