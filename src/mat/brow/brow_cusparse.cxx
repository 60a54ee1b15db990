/* Conversion from an aijcusparse on the device. The host does not read its entries; the host's tables are copied from the device when they are needed. */
#include "../../shared/each.hxx"
#include "brow.h"

#if defined(HEPTA_HAVE_CUDA)
namespace hepta::brow
{

/* Makes the layout of the compressed rows' blocks, with its tables of rows on the device */
PetscErrorCode BlockRows::LayoutOnDevice(const HeptaSpace &space, const CSR &A)
{
  HeptaValues length;
  RowTables   T;
  Index      *l;

  PetscFunctionBegin;
  Free();
  PetscCall(layout.Set(empty_layout(A.rows, A.cols, (int)bs)));
  PetscCall(length.Make(space, (size_t)nbr, &l));
  PetscCallHepta(block_lengths_cuda(A, (int)bs, l, &layout.blocks, space.stream));
  DeviceLayout maker(l, space.stream);
  PetscCallHepta(maker.Rows(!all_alone(layout, mapping), &layout));
  if (layout.nslices && all_alone(layout, mapping)) PetscCallHepta(maker.Rows(false, &layout));
  PetscCall(layout.MakeRows(space, &T));
  PetscCallHepta(maker.Write(T, &layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills the columns, the bits of set slots, and the counts */
PetscErrorCode BlockRows::FillStructureOnDevice(const HeptaSpace &space, const CSR &A)
{
  View<const Scalar> T;
  BlockContents      contents;
  Index             *col;
  uint32_t          *b;

  PetscFunctionBegin;
  packed = true;
  PetscCall(Forget());
  PetscCall(layout.MakeColumns(space, &col));
  PetscCall(layout.GetView(space, (const Scalar *)nullptr, &T));
  PetscCall(set_on_device.Make(space, Size() / 32, &b));
  PetscCallHepta(fill_structure_cuda(A, T, col, b, &contents, space.stream));
  const Index missing = (Index)first_noted(contents.missing);
  layout.missing      = missing < 0 ? -1 : missing * (Index)bs;
  entries             = (PetscCount)contents.entries;
  slots               = (PetscCount)contents.slots;
  main                = (PetscCount)contents.main;
  counted             = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::PresetOnDevice(const HeptaSpace &space, const CSR &A, bool *done)
{
  BlockCounts found;

  PetscFunctionBegin;
  PetscCallHepta(ascending_cuda(A, done, space.stream));
  if (*done && choose) PetscCallHepta(count_blocks_cuda(A, &found, space.stream));
  *done = *done && (choose || bs <= most_lanes);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  if (choose) {
    counts = found;
    choose = false;
    SetTile(counts.best(ValueSize()));
  }
  PetscCall(CheckRows());
  PetscCall(LayoutOnDevice(space, A));
  PetscCall(FillStructureOnDevice(space, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f(space, the compressed rows of A) */
template <class F> static PetscErrorCode WithRows(Mat A, F f)
{
  HeptaSpace      space;
  const PetscInt *i, *j;

  PetscFunctionBegin;
  PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &space));
  PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &i, &j));
  PetscCall(f(space, CSR{(Index)A->rmap->n, (Index)A->cmap->n, (const Index *)i, (const Index *)j}));
  PetscCall(MatSeqAIJCUSPARSERestoreIJ(A, PETSC_FALSE, &i, &j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::FitCUSPARSE(Mat A, bool *done)
{
  PetscBool seq;
  MatInfo   info;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &seq));
  if (!seq || !PlansOnDevice()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  if (!(info.nz_used > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WithRows(A, [&](const HeptaSpace &space, const CSR &csr) { return PresetOnDevice(space, csr, done); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::TakeCUSPARSE(Mat A, bool *done)
{
  const PetscScalar *w;
  long long          lost = 0;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &w));
  PetscCall(WithRows(A, [&](const HeptaSpace &space, const CSR &csr) {
    return HeptaVisit(*this, space, HeptaAccess::read_write, [&](auto view) {
      PetscCallHepta(scatter_values_cuda(csr, w, view, &lost, space.stream));
      return PETSC_SUCCESS;
    });
  }));
  PetscCheck(!lost, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %lld has an entry for which the blocks have no slot", first_noted(lost));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &w));
  *done = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::brow
#endif
