/* A rank's block rows: collecting new blocks, packing, counting */
#include "../blocked/row_groups.h"
#include "block_rows.h"
#include "filling.h"

namespace hepta::brow
{

void BlockRows::Free()
{
  (void)values.Free();
  (void)PetscFree(set);
  (void)layout.Set(Layout());
  transposed.reset();
  added.Clear();
  packed = pointers_valid = counted = false;
  hint                              = 0;
#if defined(HEPTA_HAVE_CUDA)
  (void)set_on_device.Free();
#endif
}

void BlockRows::SetTile(PetscInt tile)
{
  bs  = tile;
  nbr = rows / bs + (rows % bs > 0);
  nbc = cols / bs + (cols % bs > 0);
}

PetscErrorCode BlockRows::SetUp(const blocked::Settings &s, PetscInt mat_bs, PetscInt rows_, PetscInt cols_)
{
  const Options &options = s.OfFormat<Options>();

  PetscFunctionBegin;
  Free();
  rows   = rows_;
  cols   = cols_;
  single = s.storage == HEPTA_MAT_STORAGE_SINGLE;
  choose = options.tile <= 0 && (s.auto_bs || (s.search_bs && mat_bs == 1) || mat_bs > max_tile);
  counts = BlockCounts();
  /* the host's loops are faster with slices */
  mapping = s.device || options.mapping ? (Mapping)options.mapping : Mapping::multirow;
  bx      = (int)options.bx;
  SetTile(choose ? 1 : options.tile > 0 ? options.tile : mat_bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::BalancedRows(const blocked::Settings &s, Mat A, IS *rows)
{
  const Options &options = s.OfFormat<Options>();

  PetscFunctionBegin;
  *rows = nullptr;
  if (options.balance) PetscCall(HeptaMatGetBalancedRows(A, options.tile, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::AddBlock(const blocked::Settings &, PetscInt m, PetscInt c)
{
  PetscInt b;

  PetscFunctionBegin;
  if (added.IsEmpty()) PetscCall(CheckRows());
  PetscCall(PetscIntCast((MPIU_Count)added.col.size(), &b));
  if (added.head.empty()) added.head.assign(nbr, -1);
  added.col.push_back(c);
  added.next.push_back(added.head[m]);
  added.head[m] = b;
  added.values.resize(added.values.size() + (size_t)bs * bs * ValueSize());
  added.set.resize((((size_t)b + 1) * bs * bs + 31) / 32);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::BringHome()
{
  PetscFunctionBegin;
  PetscCall(StructureToHost());
  PetscCall(values.Access(HeptaSpace(), HeptaAccess::read_write, &host));
  pointers_valid = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::Zero()
{
  PetscFunctionBegin;
  std::fill(added.values.begin(), added.values.end(), 0);
  PetscCall(values.Zero());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::SetLayout(Layout &&with)
{
  PetscFunctionBegin;
  PetscCall(layout.Set(std::move(with)));
  packed         = true;
  pointers_valid = false;
  structure_view = layout.view((PetscScalar *)nullptr);
  transposed.reset();
  hint = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::SetZeros(Layout &&with)
{
  PetscFunctionBegin;
  PetscCall(SetLayout(std::move(with)));
  PetscCall(PetscFree(set));
  PetscCall(PetscCalloc1(Size() / 32, &set));
  PetscCall(Forget());
  PetscFunctionReturn(PETSC_SUCCESS);
}

void BlockRows::TakeShape(const BlockRows &from)
{
  rows    = from.rows;
  cols    = from.cols;
  single  = from.single;
  choose  = from.choose;
  counts  = from.counts;
  mapping = from.mapping;
  bx      = from.bx;
  SetTile(from.bs);
}

/* Calls f(m, c, values, slot of entry (0, 0), ld, bits) for every block */
template <class F> void BlockRows::ForBlocks(F f) const
{
  for (PetscInt m = 0; m < nbr; m++) {
    if (packed) {
      const Line l = line(StructureView(), (Index)m);
      for (Index k = 0; k < l.length; k++)
        f(m, block_column(l, k), (const char *)host, slot(structure_view, l, k, 0, 0), (size_t)l.height * bs, set);
    }
    for (PetscInt b = added.IsEmpty() ? -1 : added.head[m]; b >= 0; b = added.next[b])
      f(m, (Index)added.col[b], added.values.data(), (size_t)b * bs * bs, (size_t)bs, added.set.data());
  }
}

/* The blocks, and the blocks of further entries, as compressed rows, columns ascending */
void BlockRows::Compress(const blocked::OwnEntries &entries, std::vector<size_t> &i, std::vector<Index> &j) const
{
  Filling    filling((Index)nbr, bs == 1 ? entries.lists[0].n + entries.lists[1].n : 0, i, j);
  const auto visit = [&](const auto &f) {
    blocked::for_own_blocks(entries, bs, f);
    ForBlocks([&](PetscInt m, Index c, const char *, size_t, size_t, const uint32_t *) { f(m, c); });
  };

  visit([&](PetscInt m, PetscInt c) { filling.Append((Index)m, (Index)c); });
  if (filling.IsDone()) return;
  visit([&](PetscInt m, PetscInt) { filling.Count((Index)m); });
  filling.Start();
  visit([&](PetscInt m, PetscInt c) { filling.Add((Index)m, (Index)c); });
  filling.End();
}

/* Copies the set values to the same locations of `to`, whose blocks contain these locations */
void BlockRows::CopyInto(BlockRows &to) const
{
  const size_t size = ValueSize();

  ForBlocks([&](PetscInt m, Index c, const char *v, size_t first, size_t ld, const uint32_t *bits) {
    for (PetscInt e = 0; e < bs * bs; e++) {
      const size_t from = first + (size_t)(e / bs) * ld + e % bs;
      if (!(bits[from >> 5] >> (from & 31) & 1)) continue;
      const size_t at = find_slot(to.StructureView(), (Index)(m * bs + e % bs), (Index)(c * bs + e / bs));
      std::copy(v + from * size, v + (from + 1) * size, (char *)to.host + at * size);
      to.set[at >> 5] |= 1u << (at & 31);
    }
  });
}

/* Packs all blocks into a new array; chooses the tile size if `choose` */
PetscErrorCode BlockRows::Pack()
{
  std::vector<size_t> i;
  std::vector<Index>  j;
  BlockRows           to;

  PetscFunctionBegin;
  if (packed && added.IsEmpty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Edit());
  Compress({}, i, j);
  to.TakeShape(*this);
  PetscCall(to.PresetBlocks(std::move(i), std::move(j)));
  PetscCall(to.Edit());
  CopyInto(to);
  PetscCall(SetLayout(std::move(to.layout)));
  std::swap(set, to.set);
  values.Swap(to.values);
  TakeShape(to);
  added.Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chooses the tile size for compressed rows of entries if `choose`; no size can be chosen for an empty matrix */
template <class Offset> void BlockRows::ChooseTile(const Offset *i, const Index *j)
{
  if (!choose || !i[rows]) return;
  counts = sample_blocks((Index)rows, (Index)cols, i, j);
  choose = false;
  SetTile(counts.best(ValueSize()));
}

template <class Offset> PetscErrorCode BlockRows::Preset(const Offset *i, const Index *j)
{
  PetscFunctionBegin;
  PetscCall(CheckRows());
  ChooseTile(i, j);
  PetscCall(SetZeros(make_layout(block_pattern((Index)rows, (Index)cols, (int)bs, i, j), mapping)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode BlockRows::Preset(const Index *, const Index *);
template PetscErrorCode BlockRows::Preset(const size_t *, const Index *);

/* Preset() for compressed rows of blocks, which are single entries if the tile size is still to be chosen */
PetscErrorCode BlockRows::PresetBlocks(std::vector<size_t> &&i, std::vector<Index> &&j)
{
  const PetscInt tile = bs;

  PetscFunctionBegin;
  PetscCall(CheckRows());
  if (bs == 1) ChooseTile(i.data(), j.data());
  const Pattern P = bs == tile ? Pattern{(Index)rows, (Index)cols, (int)bs, std::move(i), std::move(j)}
                               : block_pattern((Index)rows, (Index)cols, (int)bs, i.data(), j.data());
  PetscCall(SetZeros(make_layout(P, mapping)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::Preset(const blocked::Settings &, const blocked::OwnEntries &entries)
{
  std::vector<size_t> i;
  std::vector<Index>  j;

  PetscFunctionBegin;
  PetscCall(StructureToHost());
  Compress(entries, i, j);
  added.Clear();
  PetscCall(PresetBlocks(std::move(i), std::move(j)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::Copy(HeptaStorage &other, bool with_values)
{
  BlockRows &from = static_cast<BlockRows &>(other);

  PetscFunctionBegin;
  PetscCall(from.StructureToHost());
  Free();
  TakeShape(from);
  PetscCall(SetZeros(Layout(from.layout)));
  PetscCall(PetscArraycpy(set, from.set, Size() / 32));
  if (with_values) PetscCall(values.CopyOf(from.values));
  entries = from.entries;
  slots   = from.slots;
  main    = from.main;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::brow
