/* The ghost part: a rank's couplings to columns of other ranks */
#include <algorithm>

#include "blocked.h"

namespace hepta::blocked
{

Ghost::~Ghost()
{
  Free();
}

void Ghost::Free()
{
  (void)values.Free();
  (void)PetscFree(set);
  v       = nullptr;
  pointed = false;
  garray.clear();
  row.clear();
  col.clear();
  first.clear();
  place.clear();
  for (auto &t : tables) t.Invalidate();
  border.clear();
  width   = 0;
  ld      = 0;
  entries = slots = 0;
}

bool Ghost::FindSlot(PetscInt i, PetscInt j, size_t *slot) const
{
  if (border.empty() || border[i / bs] < 0) return false;
  const PetscInt b  = border[i / bs];
  const auto     at = std::lower_bound(garray.begin(), garray.end(), j / bs);
  if (at == garray.end() || *at != j / bs) return false;
  for (PetscInt k = 0; k < width; k++) {
    if (col[(size_t)k * row.size() + b] != at - garray.begin()) continue;
    *slot = Slot(k, b, i % bs, j % bs);
    return true;
  }
  return false;
}

void Ghost::Put(size_t slot, PetscScalar value, InsertMode mode)
{
  if (single) ((float *)v)[slot] = (float)(mode == ADD_VALUES ? ((float *)v)[slot] + value : value);
  else ((PetscScalar *)v)[slot] = mode == ADD_VALUES ? ((PetscScalar *)v)[slot] + value : value;
  set[slot >> 5] |= 1u << (slot & 31);
}

PetscErrorCode Ghost::BringHome()
{
  PetscFunctionBegin;
  PetscCall(values.Access(HeptaSpace(), HeptaAccess::read_write, &v));
  pointed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Ghost::Forget()
{
  PetscFunctionBegin;
  pointed = false;
  v       = nullptr;
  PetscCall(values.Resize(Size() * (single ? sizeof(float) : sizeof(PetscScalar))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Ghost::CountEntries()
{
  entries = 0;
  for (size_t w = 0; w < Size() / 32; w++) entries += __builtin_popcount(set[w]);
}

PetscErrorCode Ghost::Entries(std::vector<HeptaEntry> &out)
{
  PetscFunctionBegin;
  PetscCall(Look());
  for (size_t b = 0; b < row.size(); b++) {
    for (PetscInt r = 0; r < bs; r++) {
      for (PetscInt k = 0; k < width; k++) {
        const Index c = col[(size_t)k * row.size() + b];
        for (PetscInt s = 0; c >= 0 && s < bs; s++) {
          const size_t at = Slot(k, (PetscInt)b, r, s);
          if (IsSet(at)) out.push_back({row[b] * bs + r, garray[c] * bs + s, Value(at), INSERT_VALUES});
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The distinct blocks of the entries, by block row, then block column */
static std::vector<std::pair<PetscInt, PetscInt>> Blocks(const std::vector<HeptaEntry> &entries, PetscInt bs)
{
  std::vector<std::pair<PetscInt, PetscInt>> blocks;

  for (const HeptaEntry &e : entries) {
    const std::pair<PetscInt, PetscInt> block(e.i / bs, e.j / bs);
    if (blocks.empty() || blocks.back() != block) blocks.push_back(block);
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

/* All border rows have room for as many blocks as the longest: a few very long ones must not take the memory of all. Gigabytes that are mostly padding are refused: why, or empty. */
static std::string TooMuchPadding(size_t rows, PetscInt width, size_t blocks, PetscInt bs)
{
  const double padded = (double)rows * width, bytes = padded * bs * bs * sizeof(PetscScalar);

  if (bytes <= 1e9 || padded <= 16. * (double)blocks) return "";
  return HeptaFormat("%zu rows of blocks on a rank have columns of other ranks, and one has %" PetscInt_FMT " such blocks: with room for as many in each that takes %.1f GB, for %zu blocks in all. Take -mat_type aij for a matrix with such rows", rows,
                     width, bytes / 1e9, blocks);
}

/* garray, row, border and width of so many blocks */
void Ghost::FindBorder(const std::vector<std::pair<PetscInt, PetscInt>> &blocks)
{
  std::vector<PetscInt> count;

  border.assign(nbr, -1);
  for (const auto &block : blocks) {
    garray.push_back(block.second);
    if (row.empty() || row.back() != block.first) row.push_back(block.first);
    border[block.first] = (PetscInt)row.size() - 1;
  }
  std::sort(garray.begin(), garray.end());
  garray.erase(std::unique(garray.begin(), garray.end()), garray.end());
  count.assign(row.size(), 0);
  for (const auto &block : blocks) width = std::max(width, ++count[border[block.first]]);
}

PetscErrorCode Ghost::Build(std::vector<HeptaEntry> &from, std::string *why)
{
  const auto blocks = Blocks(from, bs);

  PetscFunctionBegin;
  Free();
  if (blocks.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  FindBorder(blocks);
  *why = TooMuchPadding(row.size(), width, blocks.size(), bs);
  if (!why->empty()) {
    Free();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  col.assign((size_t)width * row.size(), -1);
  std::vector<PetscInt> count(row.size(), 0);
  for (const auto &block : blocks) {
    const PetscInt b                         = border[block.first];
    col[(size_t)count[b]++ * row.size() + b] = (Index)(std::lower_bound(garray.begin(), garray.end(), block.second) - garray.begin());
  }
  index_ghost_columns((Index)garray.size(), col, first, place);
  ld    = leading_dimension(row.size() * bs);
  slots = (PetscCount)blocks.size() * bs * bs;
  PetscCall(values.Resize(Size() * (single ? sizeof(float) : sizeof(PetscScalar))));
  PetscCall(PetscCalloc1(Size() / 32, &set));
  PetscCall(Edit());
  for (const HeptaEntry &e : from) {
    size_t at = 0;
    PetscCheck(FindSlot(e.i, e.j, &at), PETSC_COMM_SELF, PETSC_ERR_PLIB, "No slot for row %" PetscInt_FMT ", column %" PetscInt_FMT, e.i, e.j);
    Put(at, e.v, e.mode);
  }
  CountEntries();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Ghost::Copy(Ghost &from, bool with_values)
{
  PetscFunctionBegin;
  Free();
  bs      = from.bs;
  nbr     = from.nbr;
  width   = from.width;
  ld      = from.ld;
  single  = from.single;
  garray  = from.garray;
  row     = from.row;
  col     = from.col;
  first   = from.first;
  place   = from.place;
  border  = from.border;
  entries = from.entries;
  slots   = from.slots;
  PetscCall(values.Resize(Size() * (single ? sizeof(float) : sizeof(PetscScalar))));
  PetscCall(PetscCalloc1(Size() / 32, &set));
  PetscCall(PetscArraycpy(set, from.set, Size() / 32));
  if (with_values) PetscCall(values.CopyOf(from.values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::blocked
