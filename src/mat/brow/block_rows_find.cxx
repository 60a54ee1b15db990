/* A rank's block rows: finding entries, and describing the storage */
#include "block_rows.h"

namespace hepta::brow
{

PetscErrorCode BlockRows::CheckRows() const
{
  PetscFunctionBegin;
  PetscCheck(nbr <= most_block_rows, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " rows on an MPI process are %" PetscInt_FMT
             " block rows of brow, which counts up to %" PetscInt_FMT ": use more processes, or larger tiles (-mat_brow_bs)",
             rows, nbr, (PetscInt)most_block_rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::StructureToHost()
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  const uint32_t *bits;

  if (!layout.only_on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_on_device.Access(HeptaSpace(), HeptaAccess::read, &bits));
  if (!set) PetscCall(PetscMalloc1(Size() / 32, &set)); /* already allocated after a failed attempt */
  PetscCall(PetscArraycpy(set, bits, Size() / 32));
  PetscCall(layout.ToHost());
  PetscCall(set_on_device.Free());
  structure_view = layout.view((PetscScalar *)nullptr);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::SetBits(const HeptaSpace &space, HeptaValues &copy, const uint32_t **bits)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (space.device && layout.only_on_device) {
    uint32_t *p;
    PetscCall(set_on_device.Access(space, HeptaAccess::read, &p));
    *bits = p;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(StructureToHost());
  PetscCall(HeptaStorage::SetBits(space, copy, bits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::MissingStructure() const
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "The block rows are read on the host before StructureToHost() has brought them there");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds blocks of long rows by a hash table, since searching the whole list for each new block would take quadratic time */
PetscInt NewBlocks::FindFar(PetscInt m, PetscInt c)
{
  LongRow &row = far[m];

  for (PetscInt b = head[m]; b != row.newest; b = next[b]) row.block[col[b]] = b;
  row.newest       = head[m];
  const auto found = row.block.find(c);
  return found == row.block.end() ? -1 : found->second;
}

bool BlockRows::FindSlot(PetscInt i, PetscInt j, size_t *at) const
{
  *at = packed ? find_slot(StructureView(), (Index)i, (Index)j) : no_slot;
  return *at != no_slot;
}

void BlockRows::CountSlots()
{
  const bool whole = rows % bs == 0 && cols % bs == 0;

  slots = (PetscCount)layout.blocks * bs * bs;
  for (PetscInt m = 0; m < nbr && !whole; m++) { /* locations beyond the matrix in the last block row and column are no slots */
    const Line     l     = line(StructureView(), (Index)m);
    const PetscInt h     = PetscMin(bs, rows - m * bs);
    const bool     right = l.length && block_column(l, l.length - 1) == nbc - 1;
    slots -= (PetscCount)l.length * (bs - h) * bs + (right ? (PetscCount)h * (bs - width_of(structure_view, (Index)nbc - 1)) : 0);
  }
}

PetscErrorCode BlockRows::Count()
{
  PetscFunctionBegin;
  PetscCall(StructureToHost());
  entries = main = 0;
  CountSlots();
  for (size_t w = 0; w < Size() / 32; w++) entries += __builtin_popcount(set[w]);
  const bool whole = entries == slots && layout.missing < 0; /* every slot is set, and the diagonal has slots */
  if (whole) main = PetscMin(rows, cols);
  /* by block rows, since the number of rows may be near PETSC_INT_MAX */
  for (PetscInt m = 0; m < PetscMin(nbr, nbc) && !whole; m++) {
    const Line     l    = line(StructureView(), (Index)m);
    const Index    k    = find_block(l, (Index)m);
    const PetscInt last = k < 0 ? 0 : PetscMin(bs, PetscMin(rows, cols) - m * bs);
    for (PetscInt r = 0; r < last; r++) main += IsSet(slot(structure_view, l, k, (Index)r, (Index)r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Equal tables mean equal slots */
bool BlockRows::FindPieces(const HeptaStorage &other, std::vector<blocked::Piece> &pieces) const
{
  const BlockRows &to = static_cast<const BlockRows &>(other);

  if (!packed || !to.packed) return false;
  if (layout.bs != to.layout.bs || layout.nslices != to.layout.nslices || layout.col != to.layout.col ||
      layout.perm != to.layout.perm || layout.length != to.layout.length)
    return false;
  pieces = {{Size(), 0, 0}};
  return true;
}

PetscLogDouble BlockRows::IndexBytes() const
{
  return (PetscLogDouble)((2 * layout.positions() + layout.nbr + layout.total) * sizeof(Index) +
                          layout.groups() * sizeof(size_t));
}

std::string BlockRows::Title(bool several) const
{
  std::string title = HeptaFormat("tiles of %" PetscInt_FMT "%s, %zu blocks, padding %.3g%%, %" PetscInt_FMT
                                  " slices of %d block rows, %" PetscInt_FMT " block rows alone",
                                  bs, several ? " on the first rank" : "", layout.blocks, 100 * layout.padding(),
                                  (PetscInt)layout.nslices, layout.height, (PetscInt)layout.nlong);

  if (!counts.blocks[1]) return title;
  title += "; density";
  for (int n = 1; n <= max_counted; n++) title += HeptaFormat(" %.2f", counts.density(n));
  return title + " in tiles of 1 to 8";
}

std::string BlockRows::Detail() const
{
  Index most = 0;

  for (Index h = 0; h < layout.nlong; h++) most = std::max(most, layout.part[h + 1] - layout.part[h]);
  return HeptaFormat("block rows %" PetscInt_FMT ", block columns %" PetscInt_FMT ", longest block row alone in %" PetscInt_FMT
                     " parts",
                     nbr, nbc, (PetscInt)most);
}

} // namespace hepta::brow
