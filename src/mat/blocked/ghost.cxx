/* The ghost part: a rank's couplings to columns of other ranks */
#include <algorithm>

#include "blocked.h"

namespace hepta::blocked
{

void Ghost::Free()
{
  GhostStructure empty;

  empty.bs                             = bs;
  empty.nbr                            = nbr;
  empty.single                         = single;
  static_cast<GhostStructure &>(*this) = std::move(empty);
  (void)Forget();
  for (auto &t : tables) t.Invalidate();
  bits.clear();
  bits_table.Invalidate();
}

size_t Ghost::IndexBytes() const
{
  size_t indices = 0;

  for (const auto list : lists) indices += (this->*list).size();
  return indices * sizeof(Index) + (garray.size() + border.size()) * sizeof(PetscInt);
}

/* Jagged diagonals become shorter: the number of diagonals that reach border row b */
PetscInt Ghost::Length(PetscInt b) const
{
  return b < 0 ? 0 : first_above(width, [&](PetscInt k) { return b >= start[k + 1] - start[k]; });
}

bool Ghost::FindSlot(PetscInt i, PetscInt j, size_t *slot) const
{
  const PetscInt b = BorderRow(i / bs), length = Length(b);
  if (!length) return false;
  const auto at = std::lower_bound(garray.begin(), garray.end(), j / bs);
  if (at == garray.end() || *at != j / bs) return false;
  const PetscInt k = first_above(length, [&](PetscInt n) { return col[Block(n, b)] >= at - garray.begin(); });
  if (k == length || col[Block(k, b)] != at - garray.begin()) return false;
  *slot = Slot(Block(k, b), i % bs, j % bs);
  return true;
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
  pointers_valid = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Ghost::Forget()
{
  PetscFunctionBegin;
  pointers_valid = false;
  v              = nullptr;
  PetscCall(values.Resize(Size() * (single ? sizeof(float) : sizeof(PetscScalar))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Ghost::BorderBits(const HeptaSpace &space, const uint32_t **p)
{
  PetscFunctionBegin;
  *p = nullptr;
  if (row.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  if (bits.empty()) {
    bits.assign(((size_t)nbr * bs + 31) / 32, 0);
    for (const Index m : row) {
      for (size_t i = (size_t)m * bs; i < ((size_t)m + 1) * bs; i++) bits[i / 32] |= 1u << i % 32;
    }
  }
  PetscCall(bits_table.Get(space, bits, p));
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
  PetscCall(HeptaVisit(*this, HeptaSpace(), HeptaAccess::read, [&](auto B) {
    for (Index k = 0; k < B.all_rows(); k++) {
      for_row(B, k, [&](Index j, size_t at) {
        if (IsSet(at)) out.push_back({B.row_of(k), garray[j / bs] * bs + j % bs, (PetscScalar)B.v[at], INSERT_VALUES});
      });
    }
    return PETSC_SUCCESS;
  }));
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

/* garray, row, border, width and start of the given blocks: border rows with the most blocks come first */
void Ghost::FindBorder(const std::vector<std::pair<PetscInt, PetscInt>> &blocks)
{
  std::vector<PetscInt> count(nbr, 0);

  for (const auto &block : blocks) {
    garray.push_back(block.second);
    if (!count[block.first]++) row.push_back(block.first);
  }
  std::sort(garray.begin(), garray.end());
  garray.erase(std::unique(garray.begin(), garray.end()), garray.end());
  std::stable_sort(row.begin(), row.end(), [&](Index a, Index b) { return count[a] > count[b]; });
  border.assign(nbr, -1);
  for (size_t b = 0; b < row.size(); b++) border[row[b]] = (PetscInt)b;
  width = count[row[0]];
  start.assign(width + 1, 0);
  for (PetscInt k = 0, rows = (PetscInt)row.size(); k < width; k++) {
    while (count[row[rows - 1]] <= k) rows--;
    start[k + 1] = start[k] + rows;
  }
}

PetscErrorCode Ghost::Build(std::vector<HeptaEntry> &from)
{
  const auto blocks = Blocks(from, bs);

  PetscFunctionBegin;
  Free();
  if (blocks.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(blocks.size() <= (size_t)PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%zu blocks in columns of other MPI processes are more than a PetscInt counts: configure PETSC with "
             "--with-64-bit-indices, or take more processes",
             blocks.size());
  FindBorder(blocks);
  line.resize(blocks.size());
  col.resize(blocks.size());
  std::vector<PetscInt> count(row.size(), 0);
  for (const auto &block : blocks) {
    const PetscInt b = border[block.first], q = Block(count[b]++, b);
    line[q] = block.first;
    col[q]  = (Index)(std::lower_bound(garray.begin(), garray.end(), block.second) - garray.begin());
  }
  index_ghost_columns((Index)garray.size(), col, first, by_column);
  ld    = leading_dimension(blocks.size() * bs);
  slots = (PetscCount)blocks.size() * bs * bs;
  set.assign(Size() / 32, 0);
  PetscCall(Forget());
  PetscCall(Edit());
  for (const HeptaEntry &e : from) {
    size_t at = 0;
    PetscCheck(FindSlot(e.i, e.j, &at), PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "No slot for row %" PetscInt_FMT ", column %" PetscInt_FMT, e.i, e.j);
    Put(at, e.v, e.mode);
  }
  CountEntries();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Ghost::Copy(Ghost &from, bool with_values)
{
  PetscFunctionBegin;
  Free();
  static_cast<GhostStructure &>(*this) = from;
  PetscCall(Forget());
  if (with_values) PetscCall(values.CopyOf(from.values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::blocked
