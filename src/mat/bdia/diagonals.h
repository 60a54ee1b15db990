/* Where a bdia matrix keeps a rank's own part: its block diagonals */
#pragma once

#include <unordered_set>
#include <vector>

#include "../blocked/typed_storage.h"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

/*
   The index of offset o among n, -1 if absent. Entries of a row mostly come in column order: the offset after the last found
   offset *at is tried first, then *at.
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

/*
   -mat_bdia_grid J,H,I, zero: not given; -mat_bdia_max_offsets and -mat_bdia_max_fill: the most block offsets on a rank, and
   value slots for every entry set, that suit the format
*/
struct Options final : blocked::FormatOptions {
  PetscInt  grid[3]     = {0, 0, 0};
  PetscInt  max_offsets = 27;
  PetscReal max_fill    = 4.0;
};

/* One block diagonal: values v[s*ld + i] and a bit for each value, in the same order, that says whether the value was set */
struct Diagonal {
  PetscInt  off;
  void     *v; /* on the host, after Diagonals::Edit() */
  uint32_t *set;
  bool      own; /* allocated by itself during assembly, not yet part of the packed array */
};

/*
   A rank's block diagonals. New offsets are diagonals with separate memory; Pack() sorts all diagonals into one array, whose
   values may then live on the device; the bits of set slots stay on the host.
*/
struct Diagonals final : HeptaTypedStorage<Diagonals> {
  PetscInt                     nbr = 0, nbc = 0; /* block rows, block columns */
  size_t                       ld = 0;
  std::vector<Diagonal>        diag;
  std::vector<Index>           off;          /* offsets in the order of diag, for the views */
  HeptaTable<Index>            off_table;    /* `off` on the device */
  std::unordered_set<PetscInt> refused;      /* offsets beyond the limit, counted for the message */
  PetscInt                     limit   = 0;  /* the limit that `refused` exceeds */
  PetscCount                   checked = -1; /* slots, with the ghost part's, at the last check of -mat_bdia_max_fill */
  PetscInt                     hint    = 0;  /* diagonal of the last entry set: the next entry is close */

  ~Diagonals() override;
  size_t         DiagonalSize() const { return (size_t)bs * ld; } /* values of one diagonal */
  size_t         Size() const override { return diag.size() * DiagonalSize(); }
  PetscErrorCode Shape(PetscInt bs, PetscInt nbr, PetscInt nbc, bool single);
  PetscErrorCode Add(PetscInt offset);                         /* a zero diagonal with separate memory */
  PetscErrorCode Preset(const std::vector<PetscInt> &offsets); /* packed at once, zero */
  int            Find(PetscInt offset) const;                  /* index in diag, -1 if absent */
  PetscErrorCode BringHome() override;                         /* lets diag[].v point to the packed values on the host */
  PetscErrorCode SetUp(const blocked::Settings &, PetscInt bs, PetscInt rows, PetscInt cols) override;
  PetscErrorCode Preset(const blocked::Settings &, const blocked::OwnEntries &) override;
#if defined(HEPTA_HAVE_CUDA)
  PetscErrorCode PlanCOO(const blocked::Settings &, const HeptaSpace &, size_t n, const PetscInt i[], const PetscInt j[],
                         blocked::COOPlan &, bool *done) override;
#endif
  PetscErrorCode Pack() override;
  PetscErrorCode Zero() override;
  PetscErrorCode Copy(HeptaStorage &from, bool values) override;
  PetscErrorCode Count() override;
  void           Free() override;
  bool           FindSlot(PetscInt i, PetscInt j, size_t *slot) const override;
  bool           HasDiagonal() const override { return Find(0) >= 0; }
  bool           FindPieces(const HeptaStorage &to, std::vector<blocked::Piece> &) const override;
  std::string    OptionsTitle(const blocked::Settings &) const override;
  std::string    Title(bool several) const override;
  std::string    Detail() const override;

  PetscErrorCode ProductTranspose(const HeptaSpace &, const PetscScalar *x, const PetscScalar *z, PetscScalar *y) override;
  PetscErrorCode AddNorms(const HeptaSpace &, blocked::Norm, PetscScalar *work) override;

  PetscErrorCode SetUpLayouts(Mat) override;
  PetscErrorCode PresetFromOptions(Mat) override;
  PetscErrorCode Fit(Mat from, bool values, Mat, bool *whole) override;
  bool           CountsFirst() const override { return true; }
  PetscErrorCode CheckLimits(Mat) override;
  PetscErrorCode ReportBeyond() override;
  PetscErrorCode OpenHalf(Mat) override;
  PetscErrorCode CloseHalf(Mat) override;
  PetscErrorCode MirrorDiagonalBlocks() override;

  /* a view of the structure, without values; the diagonals must be packed */
  View<PetscScalar> StructureView() const
  {
    return {nbr, nbc, (int)bs, (int)diag.size(), ld, off.data(), nullptr, half, off.data()};
  }

  template <class V> using ViewOf = View<V>;
  /* the view for a launcher; the diagonals must be packed */
  template <class V> PetscErrorCode Typed(const HeptaSpace &space, HeptaAccess access, View<V> *view)
  {
    const Index *table;
    V           *v;

    PetscFunctionBegin;
    PetscCall(values.Access(space, access, &v));
    PetscCall(off_table.Get(space, off, &table));
    *view = {nbr, nbc, (int)bs, (int)diag.size(), ld, table, v, half, off.data()};
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  template <class F> void ForRow(PetscInt i, F f) const { for_row(StructureView(), i, f); }

  struct Finder {
    const PetscInt *off;
    const PetscInt  nd, bs;
    const size_t    lead;
    PetscInt        near = 0;

    explicit Finder(const Diagonals &D) : off(D.off.data()), nd((PetscInt)D.off.size()), bs(D.bs), lead(D.ld) {}
    bool operator()(PetscInt m, PetscInt c, size_t *at, size_t *ld)
    {
      const PetscInt d = HeptaFindNear(off, nd, c - m, &near);

      *at = (size_t)d * bs * lead + (size_t)m * bs;
      *ld = lead;
      return d >= 0;
    }
  };
  template <class V> bool FindBlock(PetscInt m, PetscInt c, blocked::EntrySlot<V> *p)
  {
    const PetscInt d = HeptaFindNear(off.data(), (PetscInt)off.size(), c - m, &hint);

    if (PetscUnlikely(d < 0)) return false;
    *p = {(V *)diag[d].v, diag[d].set, (size_t)m * bs, ld};
    return true;
  }
  /* adds a diagonal for a new offset, unless that would exceed the limit */
  PetscErrorCode AddBlock(const blocked::Settings &s, PetscInt m, PetscInt c)
  {
    PetscFunctionBegin;
    const PetscInt most = s.OfFormat<Options>().max_offsets;

    hint = (PetscInt)diag.size();
    if (hint / (half ? 2 : 1) < most) PetscCall(Add(c - m));
    else Refuse(c - m, most);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void Refuse(PetscInt offset, PetscInt most)
  {
    refused.insert(offset);
    limit = most;
  }
  template <class V>
  PetscInt PutKnown(PetscInt i, PetscInt n, const PetscInt cols[], PetscInt cstart, const PetscScalar v[], PetscInt stride,
                    InsertMode);
};

/* Sets the leading entries of the call, up to the first that is new or in another rank's column; returns their number */
template <class V>
inline PetscInt Diagonals::PutKnown(PetscInt i, PetscInt n, const PetscInt columns[], PetscInt cstart, const PetscScalar v[],
                                    PetscInt stride, InsertMode mode)
{
  const Diagonal *const first   = diag.data(); /* copies: the compiler cannot know that no store changes the originals */
  const PetscInt *const offsets = off.data();
  const PetscInt        nd = (PetscInt)off.size(), size = bs, m = i / size, cend = cstart + cols;
  const size_t          lead = ld;
  const bool            add  = mode == ADD_VALUES;
  PetscInt              k, near = hint;

  for (k = 0; k < n && columns[k] >= cstart && columns[k] < cend; k++) {
    const PetscInt j = columns[k] - cstart, c = size == 1 ? j : j / size, d = HeptaFindNear(offsets, nd, c - m, &near);

    if (d < 0) break;
    const size_t at = (size_t)(j - c * size) * lead + i;
    if (!(first[d].set[at >> 5] >> (at & 31) & 1)) break;
    V                &w     = ((V *)first[d].v)[at];
    const PetscScalar value = v ? v[(size_t)k * stride] : 0;
    w                       = add ? (V)(w + value) : (V)value;
  }
  hint = near;
  return k;
}

} // namespace hepta::bdia

extern template struct HeptaTypedStorage<hepta::bdia::Diagonals>;
