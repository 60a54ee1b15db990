/* A rank's block rows: finding entries, and describing the storage */
#include "block_rows.h"

namespace hepta::brow
{

PetscErrorCode BlockRows::CheckRows() const
{
  PetscFunctionBegin;
  PetscCheck(nbr <= most_block_rows, PETSC_COMM_SELF, PETSC_ERR_SUP, "%" PetscInt_FMT " rows on an MPI process are %" PetscInt_FMT " block rows of brow, which counts up to %" PetscInt_FMT ": use more processes, or larger tiles (-mat_brow_bs)", rows,
             nbr, (PetscInt)most_block_rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::StructureToHost()
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  const uint32_t *bits;

  if (!layout.only_on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_on_device.Access(HeptaSpace(), HeptaAccess::read, &bits));
  if (!set) PetscCall(PetscMalloc1(Size() / 32, &set)); /* after a failed attempt it is already allocated */
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

bool BlockRows::FindNext(PetscInt i, PetscInt j, size_t *at)
{
  if (!packed) return false;
  const Line  l = line(StructureView(), (Index)(i / bs));
  const Index k = FindNear(l, (Index)(j / bs));

  if (k < 0) return false;
  *at = slot(structure_view, l, k, (Index)(i % bs), (Index)(j % bs));
  return true;
}

void BlockRows::CountSlots()
{
  slots = 0;
  for (PetscInt m = 0; m < nbr; m++) {
    const Line     l = line(StructureView(), (Index)m);
    const PetscInt h = PetscMin(bs, rows - m * bs);
    for (Index k = 0; k < l.length; k++) slots += (PetscCount)h * width_of(structure_view, block_column(l, k));
  }
}

PetscErrorCode BlockRows::Count()
{
  PetscFunctionBegin;
  PetscCall(StructureToHost());
  entries = main = 0;
  CountSlots();
  for (size_t w = 0; w < Size() / 32; w++) entries += __builtin_popcount(set[w]);
  for (PetscInt i = 0; i < PetscMin(rows, cols); i++) {
    size_t at;
    if (FindSlot(i, i, &at)) main += IsSet(at);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The slots are the same if the tables are */
bool BlockRows::FindPieces(const HeptaStorage &other, std::vector<blocked::Piece> &pieces) const
{
  const BlockRows &to = static_cast<const BlockRows &>(other);

  if (!packed || !to.packed) return false;
  if (layout.bs != to.layout.bs || layout.nslices != to.layout.nslices || layout.col != to.layout.col || layout.perm != to.layout.perm || layout.length != to.layout.length) return false;
  pieces = {
    {Size(), 0, 0}
  };
  return true;
}

PetscLogDouble BlockRows::IndexBytes() const
{
  return (PetscLogDouble)((2 * layout.positions() + layout.nbr + layout.total) * sizeof(Index) + layout.groups() * sizeof(size_t));
}

std::string BlockRows::Title(bool several) const
{
  std::string title = HeptaFormat("tiles of %" PetscInt_FMT "%s, %zu blocks, padding %.3g%%, %" PetscInt_FMT " slices of %d block rows, %" PetscInt_FMT " block rows alone", bs, several ? " on the first rank" : "", layout.blocks,
                                  100 * layout.padding(), (PetscInt)layout.nslices, layout.height, (PetscInt)layout.nlong);

  if (!counts.blocks[1]) return title;
  title += "; density";
  for (int n = 1; n <= max_counted; n++) title += HeptaFormat(" %.2f", counts.density(n));
  return title + " in tiles of 1 to 8";
}

std::string BlockRows::Detail() const
{
  Index most = 0;

  for (Index h = 0; h < layout.nlong; h++) most = std::max(most, layout.part[h + 1] - layout.part[h]);
  return HeptaFormat("block rows %" PetscInt_FMT ", block columns %" PetscInt_FMT ", longest block row alone in %" PetscInt_FMT " parts", nbr, nbc, (PetscInt)most);
}

} // namespace hepta::brow
