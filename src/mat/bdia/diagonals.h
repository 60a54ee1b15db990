/* Where a bdia matrix keeps a rank's own part: its block diagonals */
#pragma once

#include <unordered_set>
#include <vector>

#include "../../shared/space.h"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

/*
   The index of offset o among n, -1 if it is not there. Entries of a row mostly come in column order: the offset after the one
   found last, *at, is tried first, then that one.
*/
static inline PetscInt HeptaFindNear(const PetscInt off[], PetscInt n, PetscInt o, PetscInt *at)
{
  const PetscInt next = *at + 1 < n ? *at + 1 : 0;

  if (PetscLikely(*at < n)) {
    if (off[next] == o) return *at = next;
    if (off[*at] == o) return *at;
  }
  for (PetscInt d = 0; d < n; d++) {
    if (off[d] == o) return *at = d;
  }
  return -1;
}

/* One block diagonal: values v[s*ld + i] and, one bit each in the same order, which of them were set */
struct Diagonal {
  PetscInt  off;
  void     *v; /* on the host, after Diagonals::Edit() */
  uint32_t *set;
  bool      own; /* allocated by itself during assembly, not yet part of the packed array */
};

/*
   A rank's block diagonals. New offsets arrive as diagonals of their own; Pack() sorts all into one array, whose values may
   then live on the device; what was set is kept on the host.
*/
struct Diagonals {
  PetscInt                     bs = 1, nbr = 0, nbc = 0; /* block size, block rows, block columns */
  size_t                       ld     = 0;
  bool                         single = false, half = false;
  std::vector<Diagonal>        diag;
  std::vector<Index>           off;               /* offsets in the order of diag, for the views */
  HeptaTable<Index>            off_table;         /* the same on the device */
  HeptaValues                  values;            /* packed values */
  uint32_t                    *set     = nullptr; /* packed bits */
  bool                         pointed = false;   /* diag[].v point to the packed values on the host */
  std::unordered_set<PetscInt> refused;           /* offsets beyond the limit, counted for the message */
  PetscInt                     hint    = 0;       /* diagonal of the last entry set: the next one is close */
  PetscCount                   entries = 0;       /* entries set, counted at assembly (with half storage the mirrored ones too) */
  PetscCount                   slots   = 0;       /* value slots whose block lies inside the matrix, likewise */
  PetscCount                   main    = 0;       /* main-diagonal entries set, counted at assembly */

  ~Diagonals();
  size_t         ValueSize() const { return single ? sizeof(float) : sizeof(PetscScalar); }
  size_t         DiagonalSize() const { return (size_t)bs * ld; } /* values of one diagonal */
  size_t         Size() const { return diag.size() * DiagonalSize(); }
  PetscErrorCode Shape(PetscInt bs, PetscInt nbr, PetscInt nbc, bool single);
  PetscErrorCode Add(PetscInt offset);                                                                          /* a zero diagonal of its own */
  PetscErrorCode Preset(const std::vector<PetscInt> &offsets);                                                  /* packed at once, zero */
  PetscErrorCode Edit() { return PetscLikely(pointed && values.IsOnlyOnHost()) ? PETSC_SUCCESS : BringHome(); } /* to write the values through diag[].v */
  PetscErrorCode Forget();                                                                                      /* the packed values become zeros, and their memory goes */
  PetscErrorCode Pack();
  PetscErrorCode Copy(Diagonals &from, bool values);
  void           Count();
  int            Find(PetscInt offset) const;                          /* index in diag, -1 if absent */
  bool           FindSlot(PetscInt i, PetscInt j, size_t *slot) const; /* of local entry (i, j); with half storage (j, i) may stand for it */
  bool           IsSet(size_t slot) const { return set[slot >> 5] >> (slot & 31) & 1; }
  void           Free();

  /* a view without values, for what concerns places only; the diagonals must be packed */
  View<PetscScalar> Shape() const { return {nbr, nbc, (int)bs, (int)diag.size(), ld, off.data(), nullptr, half, off.data()}; }
  /* the view for a launcher; the diagonals must be packed */
  template <class V> PetscErrorCode Typed(const HeptaSpace &space, HeptaAccess access, View<V> *view)
  {
    const Index *table;
    void        *v;

    PetscFunctionBegin;
    PetscCall(values.Access(space, access, &v));
    PetscCall(off_table.Get(space, off, &table));
    *view = {nbr, nbc, (int)bs, (int)diag.size(), ld, table, (V *)v, half, off.data()};
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  PetscErrorCode BringHome();
};

} // namespace hepta::bdia
