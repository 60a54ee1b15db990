/* A rank's block rows: operations on the values, and the transposed copy for operations on the device */
#include "block_rows.h"

namespace hepta::brow
{

#if defined(HEPTA_HAVE_CUDA)
template <class V> PetscErrorCode BlockRows::Transpose(const HeptaSpace &space, const View<V> &A, View<V> *T)
{
  const size_t *source;
  V            *v;

  PetscFunctionBegin;
  if (!transposed) {
    PetscCall(StructureToHost());
    std::unique_ptr<TransposedCopy> copy(new TransposedCopy);
    Transposed                      made = transpose_layout(layout, mapping);
    copy->source                         = std::move(made.source);
    PetscCall(copy->layout.Set(std::move(made.layout)));
    PetscCall(copy->values.Resize(copy->layout.slots() * sizeof(V)));
    transposed = std::move(copy);
  }
  PetscCall(transposed->values.Access(space, HeptaAccess::read_write, &v));
  PetscCall(transposed->layout.GetView(space, v, T));
  T->mapping = mapping;
  T->bx      = bx;
  if (transposed->version == values.Version()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(transposed->source_on_device.Get(space, transposed->source, &source));
  HeptaLaunchEach(space, transpose_values, *T, source, A);
  transposed->version = values.Version();
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* On the device by a product with the transposed copy */
PetscErrorCode BlockRows::ProductTranspose(const HeptaSpace &space, const PetscScalar *x, const PetscScalar *z, PetscScalar *y)
{
  return HeptaVisit(*this, space, HeptaAccess::read, [&](auto A) {
    PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
    if (space.device) {
      decltype(A) T{};
      PetscCall(Transpose(space, A, &T));
      HeptaLaunch(space, spmv, T, x, z, y);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
#endif
    PetscCallHepta(spmv_transpose_host(A, x, z, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* Sums by column are sums by row of the transposed matrix */
PetscErrorCode BlockRows::AddNorms(const HeptaSpace &space, Norm type, PetscScalar *work)
{
  return HeptaVisit(*this, space, HeptaAccess::read, [&](auto A) {
    PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
    if (space.device && type == Norm::one) {
      decltype(A) T{};
      PetscCall(Transpose(space, A, &T));
      HeptaLaunchEach(space, blocked::row_norms, T, Norm::infinity, work);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
#endif
    if (type == Norm::one) PetscCallHepta(column_norms_host(A, work));
    else HeptaLaunchEach(space, blocked::row_norms, A, type, work);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

} // namespace hepta::brow

template struct HeptaTypedStorage<hepta::brow::BlockRows>;
