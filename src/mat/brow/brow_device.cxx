/*
   The structure made on the device, of COO entries or of an aijcusparse. The host does not read the entries; its tables are
   copied from the device when needed.
*/
#if defined(HEPTA_HAVE_CUDA)
  #include "../blocked/coo_device.h"
  #include "brow.h"

namespace hepta::brow
{

/* Makes the layout of the compressed rows' blocks with its tables on the device, and fills the columns, the bits of set slots,
   and the counts */
PetscErrorCode BlockRows::LayoutOnDevice(const HeptaSpace &space, const CSRView &A)
{
  HeptaValues        length, order, before;
  DividedRows        R;
  Tables             T;
  View<const Scalar> view;
  BlockContents      contents;
  uint32_t          *b;

  PetscFunctionBegin;
  Free();
  PetscCall(layout.Set(empty_layout(A.rows, A.cols, (int)bs)));
  PetscCall(length.Make(space, (size_t)nbr, &R.length));
  PetscCall(order.Make(space, (size_t)nbr, &R.order));
  PetscCall(before.Make(space, (size_t)nbr / window + 2, &R.before));
  PetscCallHepta(block_lengths_cuda(A, (int)bs, R.length, &layout.blocks, space.stream));
  PetscCallHepta(divide_rows_cuda(R, !all_alone(layout, mapping), &layout, space.stream));
  if (layout.nslices && all_alone(layout, mapping)) PetscCallHepta(divide_rows_cuda(R, false, &layout, space.stream));
  PetscCall(layout.Make(space, &T));
  PetscCallHepta(fill_rows_cuda(R, layout, T, space.stream));
  packed = true;
  PetscCall(Forget());
  PetscCall(layout.GetView(space, (const Scalar *)nullptr, &view));
  PetscCall(set_on_device.Make(space, Size() / 32, &b));
  PetscCallHepta(fill_structure_cuda(A, view, T.col, b, &contents, space.stream));
  const Index missing = (Index)first_noted(contents.missing);
  layout.missing      = missing < 0 ? -1 : missing * (Index)bs;
  entries             = (PetscCount)contents.entries;
  slots               = (PetscCount)contents.slots;
  main                = (PetscCount)contents.main;
  counted             = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::PresetOnDevice(const HeptaSpace &space, const CSRView &A, bool *done)
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::PlanCOO(const blocked::Settings &, const HeptaSpace &space, size_t n, const PetscInt i[],
                                  const PetscInt j[], blocked::COOPlan &plan, bool *done)
{
  const blocked::CooEntries entries{n, i, j};
  View<PetscScalar>         A;

  PetscFunctionBegin;
  *done = false;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  {
    CooRows rows;
    PetscCallHepta(rows.Take((Index)this->rows, (Index)cols, entries, space.stream));
    *done = !rows.outside && !rows.entries; /* all entries may be in other ranks' columns */
    if (*done) PetscCall(plan.source.Resize(Size() * sizeof(uint32_t)));
    if (rows.outside || !rows.csr.i) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PresetOnDevice(space, rows.csr, done));
  }
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(layout.GetView(space, (PetscScalar *)nullptr, &A));
  PetscCall(blocked::COOPlanOnDevice(A, space, Size(), entries, nullptr, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f(space, the compressed rows of A with values a) */
template <class F> static PetscErrorCode WithRows(Mat A, const PetscScalar *a, F f)
{
  HeptaSpace      space;
  const PetscInt *i, *j;

  PetscFunctionBegin;
  PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &space));
  PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &i, &j));
  PetscCall(f(space, CSRView{(Index)A->rmap->n, (Index)A->cmap->n, (const Index *)i, (const Index *)j, a}));
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
  PetscCall(WithRows(A, nullptr, [&](const HeptaSpace &space, const CSRView &csr) { return PresetOnDevice(space, csr, done); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockRows::TakeCUSPARSE(Mat A, bool *done)
{
  const PetscScalar *w;
  long long          lost = 0;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &w));
  PetscCall(WithRows(A, w, [&](const HeptaSpace &space, const CSRView &csr) {
    return HeptaVisit(*this, space, HeptaAccess::read_write, [&](auto view) {
      PetscCallHepta(scatter_values_cuda(csr, view, &lost, space.stream));
      return PETSC_SUCCESS;
    });
  }));
  PetscCheck(!lost, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %lld has an entry for which the blocks have no slot",
             first_noted(lost));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &w));
  *done = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::brow
#endif
