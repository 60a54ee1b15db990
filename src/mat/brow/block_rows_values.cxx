/* A rank's block rows: operations on the values, and the transposed copy for those on the device */
#include "block_rows.h"

namespace hepta::brow
{

#if defined(HEPTA_HAVE_CUDA)
template <class V> PetscErrorCode BlockRows::Transpose(const HeptaSpace &space, const View<V> &A, View<V> *T)
{
  const size_t *source;
  void         *v;

  PetscFunctionBegin;
  if (!transposed) {
    (void)Places();
    transposed.reset(new TransposedCopy);
    transposed->T = transpose_layout(layout, mapping);
    PetscCall(transposed->values.Resize(transposed->T.layout.slots() * sizeof(V)));
    PetscCall(transposed->tables.Invalidate(transposed->T.layout));
  }
  PetscCall(transposed->values.Access(space, HeptaAccess::read_write, &v));
  PetscCall(transposed->tables.Fill(space, transposed->T.layout, (V *)v, T));
  T->mapping = mapping;
  T->bx      = bx;
  if (transposed->version == values.Version()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(transposed->source.Get(space, transposed->T.source, &source));
  HeptaLaunch(space, transpose_values, *T, source, A);
  transposed->version = values.Version();
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* On the device the transposed matrix multiplies */
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
      HeptaLaunch(space, norm, T, Norm::infinity, work);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
#endif
    HeptaLaunch(space, norm, A, type, work);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

} // namespace hepta::brow

template struct HeptaTypedStorage<hepta::brow::BlockRows>;
