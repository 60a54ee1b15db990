/*
   The local part of a blocked matrix: how a rank keeps the entries of its own rows and columns. The PETSc side works on this
   interface and, in loops over entries, on templates that each storage provides; visit.h picks the storage.
*/
#pragma once

#include <hepta.h>
#include <string>
#include <vector>

#include "../../shared/space.h"

namespace hepta::blocked
{

struct COOPlan;

/* What options and setters decide */
struct Settings {
  PetscInt        max_offsets  = 27; /* bdia: the most block offsets of a rank */
  PetscReal       max_fill     = 4.0;
  PetscBool       lenient      = PETSC_FALSE; /* bdia: beyond these limits no error, but */
  PetscBool       misfit       = PETSC_FALSE; /* this mark, the same on all ranks */
  PetscInt        tile         = 0;           /* brow: the tile size, zero: the Mat's block size or chosen; */
  PetscInt        mapping      = 0;           /* hepta::brow::Mapping; */
  PetscInt        bx           = 0;           /* threads that share a row, zero: chosen */
  PetscBool       device       = PETSC_FALSE; /* a type of vectors on the device */
  PetscBool       balance      = PETSC_FALSE; /* brow: MatLoad() gives the ranks equally many blocks */
  PetscBool       half         = PETSC_FALSE;
  PetscBool       check_values = PETSC_FALSE;
  PetscBool       auto_bs      = PETSC_FALSE; /* MatConvert() and MatLoad() choose the block size */
  PetscBool       given_bs     = PETSC_FALSE; /* the block size comes from an option, not from the converted matrix */
  HeptaMatStorage storage      = HEPTA_MAT_STORAGE_DOUBLE;
  PetscInt        grid[3]      = {0, 0, 0}; /* J, H, I; zero: not given */
  int             new_entry    = 0;         /* as Mat_SeqAIJ's nonew: 1 ignore, -1 error, -2 error if it needs new memory */
  PetscBool       row_oriented = PETSC_TRUE;
  PetscBool       ignore_zero = PETSC_FALSE, ignore_off_rank = PETSC_FALSE, keep_pattern = PETSC_FALSE;
};

/* Where an entry stands while values are set: value v[at], and bit `at` of set; entry (r, s) of its block, if (0, 0) stands here, at + s*ld + r */
template <class V> struct Place {
  V        *v   = nullptr; /* null: nowhere */
  uint32_t *set = nullptr;
  size_t    at = 0, ld = 0;

  bool IsSet() const { return set[at >> 5] >> (at & 31) & 1; }
};

/* A run of slots of one matrix and the slots of another that stand for the same entries; all three are multiples of 32 */
struct Piece {
  size_t n, at_x, at_y;
};

} // namespace hepta::blocked

/* The storages there are */
enum class HeptaStorage {
  diagonals, /* hepta::bdia::Diagonals */
  rows       /* hepta::brow::BlockRows */
};

/*
   Values in one array, addressed by slot, and a bit for each slot that tells whether it was set. While values are set, new
   entries may stand elsewhere; Pack() gives every entry its slot. i and j are a rank's own rows and columns, from 0.

   Besides, each storage D provides what HeptaWith() calls with its own type. Packed:

     D::ViewOf<V>                        what its launchers take, with the values as .v
     D::Typed(space, access, view)       that view, in the given space
     D::BothOf<V>, D::TypedBoth<V>(space, BothOf<V> *)     what transposed products and norms take, to read; packed
     D::ForRow(i, f)                     calls f(j, slot) for the stored slots of row i, columns ascending
     D::FindNext(i, j, &slot)            FindSlot() for entries that mostly come row by row, without half storage

   And while values are set, after Edit(), for a Place<V> *p:

     D::Find(i, j, p)                    where entry (i, j) stands; false if nowhere
     D::FindBlock(m, c, p)               the same for entry (0, 0) of block (m, c) of the storage
     D::Add(settings, i, j, p)           a new place for (i, j), and for its block; p->v is null if that would break a limit
     D::PutKnown<V>(i, n, columns, cstart, v, stride, mode)
                                         the usual entries of a row, fast: stores those at the front that were set before, up to
                                         the first that was not or is another rank's, and returns how many
*/
struct HeptaLocal {
  const HeptaStorage storage;
  PetscInt           bs   = 1;           /* the storage's own block size: need not be the Mat's, nor divide rows and cols */
  PetscInt           rows = 0, cols = 0; /* this rank's */
  bool               single = false, half = false;
  HeptaValues        values;            /* packed values */
  uint32_t          *set     = nullptr; /* packed bits */
  PetscCount         entries = 0;       /* entries set, counted at assembly (with half storage the mirrored ones too) */
  PetscCount         slots   = 0;       /* value slots of the stored blocks, likewise */
  PetscCount         main    = 0;       /* main-diagonal entries set, counted at assembly */
  bool               counted = false;   /* Preset() has counted already */

  explicit HeptaLocal(HeptaStorage s) : storage(s) {}
  HeptaLocal(const HeptaLocal &)            = delete;
  HeptaLocal &operator=(const HeptaLocal &) = delete;
  virtual ~HeptaLocal()                     = default;

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
     the same for entries in device memory, fewer than 2^32 - 1, on one rank, with what is set, and the plan's source and runs. Not done, and left to the host: an entry is out of range, or would break a limit, or the storage has no way there.
  */
  virtual PetscErrorCode PlanCOO(const hepta::blocked::Settings &, const HeptaSpace &, size_t n, const PetscInt i[], const PetscInt j[], hepta::blocked::COOPlan &, bool *done) = 0;
#endif

  virtual PetscErrorCode Edit()                              = 0; /* before values are set on the host */
  virtual PetscErrorCode Pack()                              = 0; /* every entry gets its slot */
  virtual PetscErrorCode Zero()                              = 0; /* all values, also of what is not packed yet; what is set stays */
  virtual PetscErrorCode Forget()                            = 0; /* the packed values become zeros, and their memory goes */
  virtual PetscErrorCode Copy(HeptaLocal &from, bool values) = 0; /* of the same storage, packed */
  virtual void           Count()                             = 0; /* entries, slots, main */
  virtual void           Free()                              = 0; /* nothing is left */

  /* slots in the array, a multiple of 32 */
  virtual size_t Size() const = 0;
  /* with half storage (j, i) may stand for (i, j); packed */
  virtual bool FindSlot(PetscInt i, PetscInt j, size_t *slot) const = 0;
  /* may the launchers that set main-diagonal entries be called? */
  virtual bool HasDiagonal() const = 0;
  /* memory of what says where slots belong, if that is worth counting */
  virtual PetscLogDouble IndexBytes() const
  {
    return 0;
  }
  /* the slots of this part, and those of `to`, of the same storage, for the same entries; false if one of them has no place there */
  virtual bool FindPieces(const HeptaLocal &to, std::vector<hepta::blocked::Piece> &) const = 0;
  /* what views tell of the structure: in a line, where `several` ranks are there and only the first is shown; and in full */
  virtual std::string Title(bool several) const = 0;
  virtual std::string Detail() const            = 0;
};
