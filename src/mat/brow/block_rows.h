/* Where a brow matrix keeps a rank's own part: its blocks, by block rows */
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "../blocked/typed_storage.h"
#include "brow_csr.hxx"
#include "brow_kernels.hxx"
#include "brow_row.hxx"
#include "stored_layout.h"

namespace hepta::brow
{

/*
   The transposed matrix for products on the device: its structure, made at the first use, and its values, copied from version
   `version` of the original's
*/
struct TransposedCopy {
  StoredLayout        layout;
  std::vector<size_t> source; /* as in Transposed */
  HeptaTable<size_t>  source_on_device;
  HeptaValues         values;
  unsigned long       version = 0;
};

/*
   Blocks at new locations, while values are set: a linked list for each block row m, which begins with the newest block, head[m].
   A hash table finds blocks beyond the first `near` of a list.
*/
struct NewBlocks {
  struct LongRow {
    std::unordered_map<PetscInt, PetscInt> block;       /* block column -> block */
    PetscInt                               newest = -1; /* the newest block in the table */
  };
  static constexpr int                  near = 64;
  std::vector<PetscInt>                 head, next, col;
  std::vector<char>                     values; /* by columns */
  std::vector<uint32_t>                 set;
  std::unordered_map<PetscInt, LongRow> far; /* rows in which a block was not among the newest */

  bool     IsEmpty() const { return col.empty(); }
  void     Clear() { *this = NewBlocks(); }
  PetscInt FindFar(PetscInt m, PetscInt c);
  /* block column c of block row m, or -1 */
  PetscInt Find(PetscInt m, PetscInt c)
  {
    int steps = 0;

    for (PetscInt b = head[m]; b >= 0; b = next[b]) {
      if (col[b] == c) return b;
      if (++steps == near) return FindFar(m, c);
    }
    return -1;
  }
};

/* -mat_brow_bs: the tile size, zero: the Mat's block size or chosen; -mat_brow_mapping; -mat_brow_bx: threads that share a row,
   zero: chosen; -mat_brow_balance */
struct Options final : blocked::FormatOptions {
  PetscInt  tile    = 0;
  PetscInt  mapping = (PetscInt)Mapping::automatic;
  PetscInt  bx      = 0;
  PetscBool balance = PETSC_FALSE;
};

/*
   A rank's blocks. New blocks are added one by one; Pack() moves all blocks into one array, laid out as in brow_view.hxx, whose
   values may then live on the device; the bits of set slots stay on the host. The tile size is that of the option, otherwise the
   Mat's block size. If the Mat's block size is 1, the tile size is the size with the fewest bytes, found when the first structure
   is complete; until then tiles are single entries.
*/
struct BlockRows final : HeptaTypedStorage<BlockRows> {
  PetscInt     nbr = 0, nbc = 0; /* block rows, block columns */
  Mapping      mapping = Mapping::automatic;
  int          bx      = 0;
  bool         choose  = false; /* the tile size is still to be chosen */
  bool         packed  = false; /* has Pack() made a layout? */
  StoredLayout layout;
  BlockCounts  counts; /* the counts that chose the tile size; without entries the size was given */

  ~BlockRows() override { Free(); }
  size_t         Size() const override { return packed ? (layout.slots() + 31) / 32 * 32 : 0; }
  PetscErrorCode SetUp(const blocked::Settings &, PetscInt bs, PetscInt rows, PetscInt cols) override;
  PetscErrorCode Preset(const blocked::Settings &, const blocked::OwnEntries &) override;
  /* not with 64-bit indices, since the kernels that merge columns need 32 bits */
  bool PlansOnDevice() const override { return sizeof(PetscInt) == 4; }
  /* sets the structure of compressed rows of entries (columns from 0), with zeros; chooses the tile size if `choose`. Offsets are
     of type Index or size_t. */
  template <class Offset> PetscErrorCode Preset(const Offset *i, const Index *j);
#if defined(HEPTA_HAVE_CUDA)
  /*
     sets the structure of compressed rows on the device, with all entries set and counted; the host's tables are copied when
     needed. *done stays false, and nothing changes, if the host has to set the structure
  */
  PetscErrorCode PresetOnDevice(const HeptaSpace &, const CSRView &, bool *done);
  PetscErrorCode PlanCOO(const blocked::Settings &, const HeptaSpace &, size_t n, const PetscInt i[], const PetscInt j[],
                         blocked::COOPlan &, bool *done) override;
  PetscErrorCode TakeCUSPARSE(Mat, bool *done) override;
#endif
  PetscErrorCode BringHome() override;
  PetscErrorCode StructureToHost() override;
  PetscErrorCode SetBits(const HeptaSpace &, HeptaValues &copy, const uint32_t **) override;
  PetscErrorCode Pack() override;
  PetscErrorCode Zero() override;
  PetscErrorCode Copy(HeptaStorage &from, bool values) override;
  PetscErrorCode Count() override;
  void           CountSlots();
  void           Free() override;
  bool           FindSlot(PetscInt i, PetscInt j, size_t *slot) const override;
  bool           HasDiagonal() const override { return packed && layout.missing < 0; }
  bool           FindPieces(const HeptaStorage &to, std::vector<blocked::Piece> &) const override;
  PetscLogDouble IndexBytes() const override;
  PetscErrorCode BalancedRows(const blocked::Settings &, Mat, IS *) override;
  std::string    Title(bool several) const override;
  std::string    Detail() const override;

  PetscErrorCode ProductTranspose(const HeptaSpace &, const PetscScalar *x, const PetscScalar *z, PetscScalar *y) override;
  PetscErrorCode AddNorms(const HeptaSpace &, Norm, PetscScalar *work) override;
  PetscErrorCode Fit(Mat from, bool values, Mat, bool *whole) override;

  template <class V> using ViewOf = View<V>;
  template <class V> PetscErrorCode Typed(const HeptaSpace &space, HeptaAccess access, View<V> *view)
  {
    V *v;

    PetscFunctionBegin;
    if (!space.device) PetscCall(StructureToHost());
    PetscCall(values.Access(space, access, &v));
    PetscCall(layout.GetView(space, v, view));
    view->mapping = mapping;
    view->bx      = bx;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  template <class F> void ForRow(PetscInt i, F f) const { for_row(StructureView(), (Index)i, f); }
  /* a view of the structure on the host, without values; after StructureToHost() */
  const View<PetscScalar> &StructureView() const
  {
    if (PetscUnlikely(layout.only_on_device)) throw HeptaError(MissingStructure());
    return structure_view;
  }

  struct Finder {
    const View<PetscScalar> &A;
    PetscInt                 row  = -1; /* the block row of the line, and the block found last */
    Line                     l    = {};
    Index                    near = -1;
    size_t                   step = 0; /* from the slots of a block of the line to the slots of the next block */

    explicit Finder(const BlockRows &D) : A(D.StructureView()) {}
    bool operator()(PetscInt m, PetscInt c, size_t *at, size_t *ld)
    {
      if (m != row) {
        l    = line(A, (Index)m);
        row  = m;
        near = -1;
        step = slot(A, l, 1, 0, 0) - l.slot;
      }
      if (near + 1 < l.length && block_column(l, near + 1) == c) near++;
      else if (near < 0 || block_column(l, near) != c) near = find_block(l, (Index)c);
      *at = l.slot + (size_t)near * step;
      *ld = (size_t)l.height * A.bs;
      return near >= 0;
    }
  };
  template <class V> bool FindBlock(PetscInt m, PetscInt c, blocked::EntrySlot<V> *p);
  PetscErrorCode          AddBlock(const blocked::Settings &, PetscInt m, PetscInt c);
  template <class V>
  PetscInt PutKnown(PetscInt i, PetscInt n, const PetscInt cols[], PetscInt cstart, const PetscScalar v[], PetscInt stride,
                    InsertMode);

private:
  View<PetscScalar>               structure_view;
  std::unique_ptr<TransposedCopy> transposed;
  NewBlocks                       added;          /* blocks added since the last Pack() */
  void                           *host = nullptr; /* the packed values on the host, after Edit() */
  Index                           hint = 0;       /* the block found last, by its number in its block row */

  PetscErrorCode CheckRows() const; /* are there more block rows than a layout counts? */
  PetscErrorCode MissingStructure() const;
  Index          FindNear(const Line &l, Index c)
  {
    if (hint < l.length && block_column(l, hint) == c) return hint;
    if (hint + 1 < l.length && block_column(l, hint + 1) == c) return ++hint;
    const Index k = find_block(l, c);
    if (k >= 0) hint = k;
    return k;
  }
  void                         SetTile(PetscInt tile);
  template <class Offset> void ChooseTile(const Offset *i, const Index *j);
  PetscErrorCode               PresetBlocks(std::vector<size_t> &&i, std::vector<Index> &&j);
  void                         CopyInto(BlockRows &to) const;
  void                         Compress(const blocked::OwnEntries &, std::vector<size_t> &i, std::vector<Index> &j) const;
  void                         TakeShape(const BlockRows &); /* sizes and settings */
  PetscErrorCode               SetLayout(Layout &&);
  PetscErrorCode               SetZeros(Layout &&); /* SetLayout() with values that are zero and not set */
  template <class F> void      ForBlocks(F f) const;
#if defined(HEPTA_HAVE_CUDA)
  HeptaValues set_on_device; /* the bits of set slots, while the layout is only on the device */

  PetscErrorCode LayoutOnDevice(const HeptaSpace &, const CSRView &);
  PetscErrorCode FitCUSPARSE(Mat, bool *done);
  /* *T <- the view of the transposed matrix on the device, with the present values; A is the view of this matrix */
  template <class V> PetscErrorCode Transpose(const HeptaSpace &, const View<V> &A, View<V> *T);
#endif
};

template <class V> inline bool BlockRows::FindBlock(PetscInt m, PetscInt c, blocked::EntrySlot<V> *p)
{
  if (PetscLikely(packed)) {
    const Line  l = line(StructureView(), (Index)m);
    const Index k = FindNear(l, (Index)c);
    if (k >= 0) {
      *p = {(V *)host, set, slot(structure_view, l, k, 0, 0), (size_t)l.height * bs};
      return true;
    }
  }
  if (added.IsEmpty()) return false;
  const PetscInt b = added.Find(m, c);
  if (b < 0) return false;
  *p = {(V *)added.values.data(), added.set.data(), (size_t)b * bs * bs, (size_t)bs};
  return true;
}

/* Sets the leading entries of the call, up to the first that is new or in another rank's column; returns their number */
template <class V>
inline PetscInt BlockRows::PutKnown(PetscInt i, PetscInt n, const PetscInt columns[], PetscInt cstart, const PetscScalar v[],
                                    PetscInt stride, InsertMode mode)
{
  if (!packed) return 0;
  const PetscInt size = bs, m = i / size, r = i - m * size, cend = cstart + cols;
  const Line     l   = line(StructureView(), (Index)m);
  const bool     add = mode == ADD_VALUES;
  PetscInt       k;

  for (k = 0; k < n && columns[k] >= cstart && columns[k] < cend; k++) {
    const PetscInt j = columns[k] - cstart, c = size == 1 ? j : j / size;
    const Index    b = FindNear(l, (Index)c);

    if (b < 0) break;
    const size_t at = slot(structure_view, l, b, (Index)r, (Index)(j - c * size));
    if (!IsSet(at)) break;
    V                &w     = ((V *)host)[at];
    const PetscScalar value = v ? v[(size_t)k * stride] : 0;
    w                       = add ? (V)(w + value) : (V)value;
  }
  return k;
}

} // namespace hepta::brow

extern template struct HeptaTypedStorage<hepta::brow::BlockRows>;
