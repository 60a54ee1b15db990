/* From an aijcusparse on the device, without its entries ever being looked at by the host: that sees the lengths of block rows, the columns of blocks and which slots are set */
#include "../../shared/each.hxx"
#include "brow.h"

#if defined(HEPTA_HAVE_CUDA)
namespace hepta::brow
{

/* Columns, what is set, and the counts, for the layout's rows */
PetscErrorCode BlockRows::PlaceOnDevice(const HeptaSpace &space, const CSR &A)
{
  View<const Scalar> T;
  HeptaValues        bits;
  Placed             placed;
  Index             *col;
  void              *b;

  PetscFunctionBegin;
  PetscCall(tables.MakeColumns(space, layout.total, &col));
  PetscCall(tables.Fill(space, layout, (const Scalar *)nullptr, &T));
  PetscCall(bits.Resize(Size() / 8));
  PetscCall(bits.Access(space, HeptaAccess::write, &b));
  PetscCallHepta(place_blocks_cuda(A, T, col, (uint32_t *)b, &placed, space.stream));
  PetscCallHepta(copy_to_host(layout.col.data(), col, layout.total * sizeof(Index), space.stream));
  PetscCallHepta(copy_to_host(set, b, Size() / 8, space.stream));
  PetscCall(PetscLogGpuToCpu((PetscLogDouble)(layout.total * sizeof(Index) + Size() / 8)));
  const Index missing = (Index)first_noted(placed.missing);
  layout.missing      = missing < 0 ? -1 : missing * (Index)bs;
  places              = layout.view((PetscScalar *)nullptr);
  entries             = (PetscCount)placed.entries;
  slots               = (PetscCount)placed.slots;
  main                = (PetscCount)placed.main;
  counted             = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::PresetOnDevice(const HeptaSpace &space, const CSR &A, bool *done)
{
  BlockCounts found;
  Pattern     P;

  PetscFunctionBegin;
  PetscCallHepta(ascending_cuda(A, done, space.stream));
  if (*done && choose) PetscCallHepta(count_blocks_cuda(A, &found, space.stream));
  if (choose) *done = *done && found.entries;
  else *done = *done && bs <= most_lanes;
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  if (choose) {
    counts = found;
    choose = false;
    SetTile(counts.best(ValueSize()));
  }
  std::vector<Index> length(nbr);
  PetscCallHepta(block_lengths_cuda(A, (int)bs, length.data(), space.stream));
  P.rows = A.rows;
  P.cols = A.cols;
  P.bs   = (int)bs;
  P.first.resize((size_t)nbr + 1);
  for (PetscInt m = 0; m < nbr; m++) P.first[m + 1] = P.first[m] + (size_t)length[m];
  PetscCall(Lay(lay_rows(P, mapping)));
  PetscCall(PlaceOnDevice(space, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::TakeValues(const HeptaSpace &space, const CSR &A, const PetscScalar *w)
{
  long long lost = 0;

  PetscFunctionBegin;
  PetscCall(HeptaVisit(*this, space, HeptaAccess::read_write, [&](auto view) {
    PetscCallHepta(place_values_cuda(A, w, view, &lost, space.stream));
    return PETSC_SUCCESS;
  }));
  PetscCheck(!lost, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %lld has an entry that the blocks have no place for", first_noted(lost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::brow

using namespace hepta::brow;

/* Calls f(space, the compressed rows of A) */
template <class F> static PetscErrorCode WithRows(Mat A, F f)
{
  HeptaSpace      space;
  const PetscInt *i, *j;

  PetscFunctionBegin;
  PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &space));
  PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &i, &j));
  PetscCall(f(space, CSR{(hepta::Index)A->rmap->n, (hepta::Index)A->cmap->n, (const hepta::Index *)i, (const hepta::Index *)j}));
  PetscCall(MatSeqAIJCUSPARSERestoreIJ(A, PETSC_FALSE, &i, &j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBROWFitCUSPARSE(Mat A, Mat B, bool *done)
{
  PetscBool seq;
  MatInfo   info;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &seq));
  if (!seq || sizeof(PetscInt) != sizeof(hepta::Index)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  if (!(info.nz_used > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WithRows(A, [&](const HeptaSpace &space, const CSR &rows) { return MatBROWBlockRows(B)->PresetOnDevice(space, rows, done); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBROWTakeCUSPARSE(Mat A, Mat B)
{
  const PetscScalar *w;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &w));
  PetscCall(WithRows(A, [&](const HeptaSpace &space, const CSR &rows) { return MatBROWBlockRows(B)->TakeValues(space, rows, w); }));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &w));
  PetscCall(PetscObjectStateIncrease((PetscObject)B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
