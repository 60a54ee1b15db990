/*
   The local part of a blocked matrix: how a rank keeps the entries of its own rows and columns. The shared code of blocked
   matrices works on the interface HeptaStorage; each format derives a storage in its own folder.
*/
#pragma once

#include <hepta.h>
#include <memory>
#include <petsc/private/matimpl.h>
#include <string>
#include <vector>

#include "../../shared/space.h"
#include "blocked_kernels.hxx"
#include "own_entries.h"

namespace hepta::blocked
{

struct COOPlan;
struct Target;

/* The options of one format, which derives its own struct from FormatOptions; see Settings::OfFormat() */
struct FormatOptions {
  virtual ~FormatOptions() = default;
};

/* What options and setters decide for every format */
struct Settings {
  PetscBool lenient = PETSC_FALSE; /* MatConvert() of an unsuitable matrix sets misfit, without an error */
  PetscBool misfit  = PETSC_FALSE; /* the matrix exceeds the limits of the format; the same on all ranks */
  /* MatSetUp() makes the structure that options of the format ask for, by PresetFromOptions() */
  PetscBool       presets      = PETSC_TRUE;
  PetscBool       device       = PETSC_FALSE; /* the type makes vectors on the device */
  PetscBool       half         = PETSC_FALSE; /* only the diagonal and upper half of a symmetric matrix is stored */
  PetscBool       check_values = PETSC_FALSE;
  PetscBool       auto_bs      = PETSC_FALSE; /* MatConvert() and MatLoad() choose the block size */
  PetscBool       given_bs     = PETSC_FALSE; /* the block size comes from an option, not from the converted matrix */
  PetscBool       search_bs    = PETSC_TRUE;  /* a storage may choose a block size where the Mat's is 1 and no option gives one */
  HeptaMatStorage storage      = HEPTA_MAT_STORAGE_DOUBLE;
  int             new_entry    = 0; /* as Mat_SeqAIJ's nonew: 1 ignore, -1 error, -2 error for an entry that needs new memory */
  PetscBool       row_oriented = PETSC_TRUE;
  PetscBool       ignore_zero = PETSC_FALSE, ignore_off_rank = PETSC_FALSE, keep_pattern = PETSC_FALSE;
  /* MatSetValues() leaves entries beyond a limit to the assembly, where all ranks agree */
  bool limits_at_assembly = false;

  /*
     The options O of the matrix's format, and a function that replaces the options; copies of the settings share options until
     replaced. OfFormat() throws for options of another format.
  */
  template <class O> const O &OfFormat() const
  {
    static const O standard;

    return format ? dynamic_cast<const O &>(*format) : standard;
  }
  template <class O> void SetOfFormat(const O &options) { format = std::make_shared<O>(options); }

private:
  std::shared_ptr<const FormatOptions> format;
};

/*
   The slot of an entry while values are set: v[at] is its value, and bit `at` of `set` says whether the entry was set. If `at` is
   the slot of entry (0, 0) of a block, entry (r, s) of the block has slot at + s*ld + r.
*/
template <class V> struct EntrySlot {
  V        *v   = nullptr; /* null: the entry has no slot */
  uint32_t *set = nullptr;
  size_t    at = 0, ld = 0;

  bool IsSet() const { return set[at >> 5] >> (at & 31) & 1; }
};

/* An entry that is set: its global column, and its slot in the ghost part or the local part */
struct RowSlot {
  PetscInt j;
  bool     ghost;
  size_t   at;
};

/* The arrays of an EntryList, to be read in one memory */
struct EntryArrays {
  const size_t *first  = nullptr;
  const Index  *column = nullptr;
  const size_t *slot   = nullptr;
};

/* The set entries of a storage, in one memory: row i has the entries k = first[i] ... first[i + 1] - 1, in column[k], from 0 and
   ascending within a row, and with slot[k] */
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

/*
   n slots of one matrix, from at_x on, and n slots of another matrix, from at_y on, with the same locations in the same order; n,
   at_x and at_y are multiples of 32
*/
struct Piece {
  size_t n, at_x, at_y;
};

} // namespace hepta::blocked

/*
   Values in one array, addressed by slot, and a bit for each slot that tells whether its entry was set. While values are being
   set, new entries may be outside this array; Pack() moves every entry to its slot. Rows i and columns j are this rank's, from 0.
*/
struct HeptaStorage {
  PetscInt    bs   = 1;           /* of the storage, maybe other than the Mat's; need not divide rows and cols */
  PetscInt    rows = 0, cols = 0; /* this rank's */
  bool        single = false, half = false;
  HeptaValues values;            /* packed values */
  uint32_t   *set     = nullptr; /* packed bits */
  PetscCount  entries = 0;       /* entries set, counted at assembly (with half storage mirrored entries too) */
  PetscCount  slots   = 0;       /* value slots of the stored blocks, likewise */
  PetscCount  main    = 0;       /* main-diagonal entries set, counted at assembly */
  bool        counted = false;   /* Preset() has counted already */
  /* the global row and column of the first entry left out while values were set, because its block would have exceeded a limit */
  PetscInt beyond[2] = {-1, -1};

  HeptaStorage()                                = default;
  HeptaStorage(const HeptaStorage &)            = delete;
  HeptaStorage &operator=(const HeptaStorage &) = delete;
  virtual ~HeptaStorage()                       = default;

  size_t ValueSize() const { return single ? sizeof(float) : sizeof(PetscScalar); }
  bool   IsSet(size_t slot) const { return set[slot >> 5] >> (slot & 31) & 1; }

  /* makes the storage empty; bs is the block size of the Mat, or 1 if rows and columns have different block sizes */
  virtual PetscErrorCode SetUp(const hepta::blocked::Settings &, PetscInt bs, PetscInt rows, PetscInt cols) = 0;
  /*
     adds to the structure what the own entries need, packed and with zeros as values. Entries that would exceed a limit are left
     out, and CheckLimits() reports them after assembly.
  */
  virtual PetscErrorCode Preset(const hepta::blocked::Settings &, const hepta::blocked::OwnEntries &) = 0;

  /* may PlanCOO() be called? Equal on all ranks, which exchange entries before. */
  virtual bool PlansOnDevice() const { return true; }

  /* are the derived storage's pointers to the packed values on the host, set by BringHome(), valid? */
  bool pointers_valid = false;
  /* to be called before values are set on the host */
  PetscErrorCode         Edit() { return PetscLikely(pointers_valid && values.IsOnlyOnHost()) ? PETSC_SUCCESS : BringHome(); }
  virtual PetscErrorCode BringHome() = 0;
  /*
     to be called before the host reads the structure or which entries are set: the device may have found both. Edit() and
     operations on values on the host call this function.
  */
  virtual PetscErrorCode StructureToHost() { return PETSC_SUCCESS; }
  /* the bits that tell which slots are set, in the given space; `copy` owns a copy made for that space */
  virtual PetscErrorCode SetBits(const HeptaSpace &, HeptaValues &copy, const uint32_t **);
  virtual PetscErrorCode Pack() = 0; /* every entry gets its slot */
  /* all values become zero, also values not packed yet; set entries stay set */
  virtual PetscErrorCode Zero()                                = 0;
  virtual PetscErrorCode Copy(HeptaStorage &from, bool values) = 0; /* `from` is of the same format, and packed */
  virtual PetscErrorCode Count()                               = 0; /* finds entries, slots and main */
  virtual void           Free()                                = 0; /* frees everything */

  /* the number of slots in the array, a multiple of 32 */
  virtual size_t Size() const = 0;
  /* the packed values become zeros, and their memory is freed */
  PetscErrorCode Forget()
  {
    pointers_valid = false;
    return values.Resize(Size() * ValueSize());
  }
  /*
     false if entry (i, j) has no slot; with half storage the slot may be that of (j, i). To be called on a packed storage, after
     StructureToHost()
  */
  virtual bool FindSlot(PetscInt i, PetscInt j, size_t *slot) const = 0;
  /* may SetDiagonal() and SetDiagonalRows() be called? */
  virtual bool HasDiagonal() const = 0;
  /* the memory of the indices that give the location of each slot; 0 if negligible */
  virtual PetscLogDouble IndexBytes() const { return 0; }
  /*
     bytes that a product reads: the values of the stored blocks, with half storage of the diagonals from the main diagonal on,
     and the indices
  */
  PetscLogDouble ProductBytes() const
  {
    return (PetscLogDouble)(half ? (slots + (PetscCount)rows * bs) / 2 : slots) * (PetscLogDouble)ValueSize() + IndexBytes();
  }
  /*
     the pieces of slots with the same locations in this storage and in `to`, which has the same format; false if a slot of this
     storage has no counterpart in `to`. To be called after StructureToHost() of both
  */
  virtual bool FindPieces(const HeptaStorage &to, std::vector<hepta::blocked::Piece> &) const = 0;
  /*
     descriptions of the structure for views: in one line, which is the first rank's if there are `several`; and in full, after
     StructureToHost()
  */
  virtual std::string Title(bool several) const = 0;
  virtual std::string Detail() const            = 0;

  /* Operations on the whole matrix around the storage: */

  /* sets up the layouts of rows and columns, or raises an error for layouts that the storage does not support; collective */
  virtual PetscErrorCode SetUpLayouts(Mat);
  /*
     for MatSetUp() and COO: makes the structure that options of the format ask for; OptionsTitle() describes these options in
     views
  */
  virtual PetscErrorCode PresetFromOptions(Mat) { return PETSC_SUCCESS; }
  virtual std::string    OptionsTitle(const hepta::blocked::Settings &) const { return ""; }
  /*
     for MatLoad() on several ranks: *rows <- the rows of the loaded matrix that this rank is to own, or null if options ask for
     no other distribution; collective
  */
  virtual PetscErrorCode BalancedRows(const hepta::blocked::Settings &, Mat, IS *rows)
  {
    *rows = nullptr;
    return PETSC_SUCCESS;
  }
  /*
     prepares the storage for the entries of another matrix: chooses the block size, and makes as much of the structure as is
     possible before values are set, unless options determine both. If `values` is false the values of the other matrix are not
     read; *whole <- are all entries set now, with zeros as values?
  */
  virtual PetscErrorCode Fit(Mat from, bool values, Mat, bool *whole) = 0;
  /* *done <- were the values of a sequential aijcusparse with the same entries copied on the device? */
  virtual PetscErrorCode TakeCUSPARSE(Mat, bool *done)
  {
    *done = false;
    return PETSC_SUCCESS;
  }
  /*
     are entries counted, and limits checked, before Pack() allocates? For a format that needs much memory where few entries are
     far apart.
  */
  virtual bool CountsFirst() const { return false; }
  /* after assembly: raises an error if a limit of the format is exceeded; collective */
  virtual PetscErrorCode CheckLimits(Mat) { return PETSC_SUCCESS; }
  /* while values are set: the error for the entry `beyond`, on this rank */
  virtual PetscErrorCode ReportBeyond() { return PETSC_SUCCESS; }
  /* for formats with half storage: OpenHalf() is called before values are set, CloseHalf() after assembly; MirrorDiagonalBlocks()
     copies the upper triangle of the diagonal blocks to the lower one */
  virtual PetscErrorCode OpenHalf(Mat) { return PETSC_SUCCESS; }
  virtual PetscErrorCode CloseHalf(Mat) { return PETSC_SUCCESS; }
  virtual PetscErrorCode MirrorDiagonalBlocks() { return PETSC_SUCCESS; }

  /* Operations on packed values, with arrays in the given space; bdia_kernels.hxx has the formulas: */

  /* brings what a product reads to the space */
  virtual PetscErrorCode Bring(const HeptaSpace &) = 0;
  /* y <- z + A x */
  virtual PetscErrorCode Product(const HeptaSpace &, const PetscScalar *x, const PetscScalar *z, PetscScalar *y) = 0;
  /* y <- z + A^T x */
  virtual PetscErrorCode ProductTranspose(const HeptaSpace &, const PetscScalar *x, const PetscScalar *z, PetscScalar *y) = 0;
  /* Y <- A X */
  virtual PetscErrorCode ProductColumns(const HeptaSpace &, PetscInt n, const PetscScalar *x, size_t ldx, PetscScalar *y,
                                        size_t ldy)                                                                 = 0;
  virtual PetscErrorCode GetDiagonal(const HeptaSpace &, PetscScalar *d)                                            = 0;
  virtual PetscErrorCode SetDiagonal(const HeptaSpace &, PetscScalar beta, PetscScalar alpha, const PetscScalar *d) = 0;
  virtual PetscErrorCode ScaleRowsAndColumns(const HeptaSpace &, const PetscScalar *l, const PetscScalar *r)        = 0;
  virtual PetscErrorCode AddNorms(const HeptaSpace &, hepta::blocked::Norm, PetscScalar *work)                      = 0;
  virtual PetscErrorCode PutCOO(const HeptaSpace &, bool add, const uint32_t *source, const PetscScalar *w)         = 0;

  /* On the host: a_ij <- 0 where row[i] or col[j] is nonzero; col may be null (no column); half storage needs col = row */
  virtual PetscErrorCode ZeroRows(const unsigned char *row, const unsigned char *col) = 0;
  /* b_i <- b_i - sum of a_ij x_j over the columns with col[j] nonzero, for the rows with row[i] zero */
  virtual PetscErrorCode SubtractColumns(const unsigned char *row, const unsigned char *col, const PetscScalar *x,
                                         PetscScalar *b) = 0;
  /* a_ii <- alpha where row[i] is nonzero; each such a_ii must have a slot */
  virtual PetscErrorCode SetDiagonalRows(const unsigned char *row, PetscScalar alpha) = 0;
  /* blocks[(m*bs + s)*bs + r] <- entry (r, s) of diagonal block m of size bs, which divides the rows and need not be the block
     size of the storage; zero where no entry is stored */
  virtual PetscErrorCode DiagonalBlocks(PetscInt bs, PetscScalar *blocks) = 0;

  /* Entries. Row() and FindSlots() need a packed storage, after StructureToHost(). */

  /*
     row[n], row[n + 1], ... <- the set entries of row i, columns ascending and counted from cstart on; returns the next free
     position in `row`, which grows as needed
  */
  virtual size_t Row(PetscInt i, PetscInt cstart, std::vector<hepta::blocked::RowSlot> &row, size_t n) const = 0;
  /* lists the set entries of all rows in the given space */
  virtual PetscErrorCode ListEntries(const HeptaSpace &, hepta::blocked::EntryList &) = 0;
  /* gets the arrays of the list in the given space, after making the list if necessary */
  PetscErrorCode GetEntries(const HeptaSpace &space, hepta::blocked::EntryList &list, hepta::blocked::EntryArrays *arrays)
  {
    PetscFunctionBegin;
    if (!list.listed) PetscCall(ListEntries(space, list));
    PetscCall(list.first.Access(space, HeptaAccess::read, &arrays->first));
    PetscCall(list.column.Access(space, HeptaAccess::read, &arrays->column));
    PetscCall(list.slot.Access(space, HeptaAccess::read, &arrays->slot));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /*
     slot[k] <- the slot of entry k of the list, or no_slot for an entry without a slot or not own. Entries of one column in the
     rows of a block have slots that follow each other. Not for half storage; fast if entries come row by row
  */
  virtual void FindSlots(const hepta::blocked::OwnEntries::List &, const hepta::blocked::OwnRange &, size_t slot[]) const = 0;
  /*
     after Edit(). PutRow(): sets n entries of global row i, the k-th to v[k*col_stride], or all to zero if v is null. PutBlock():
     sets block (m, c) of the storage, entry (r, s) to v[r*row_stride + s*col_stride].
  */
  virtual PetscErrorCode PutRow(const hepta::blocked::Target &, PetscInt i, PetscInt n, const PetscInt cols[],
                                const PetscScalar v[])                                                           = 0;
  virtual PetscErrorCode PutBlock(const hepta::blocked::Target &, PetscInt m, PetscInt c, const PetscScalar v[]) = 0;

#if defined(HEPTA_HAVE_CUDA)
  /*
     makes the structure of Preset() on the device, for n entries in device memory, 0 < n < 2^32 - 1, in local rows and columns:
     first the plan.n given entries, then the entries that arrive from other ranks. Also marks the entries as set, and makes the
     plan's source and runs. Entries with a negative row or column are skipped. *done is false, for the host to plan, if an entry
     is out of range or would exceed a limit, or if the device cannot make the storage.
  */
  virtual PetscErrorCode PlanCOO(const hepta::blocked::Settings &, const HeptaSpace &, size_t n, const PetscInt i[],
                                 const PetscInt j[], hepta::blocked::COOPlan &, bool *done) = 0;
#endif
};
