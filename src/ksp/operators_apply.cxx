/* Products and applications of the preconditioner between the passes of a Krylov method */
#include "operators.h"

using namespace hepta::ksp;

PetscErrorCode HeptaKSPOperators::Multiply(const HeptaSpace &space, const hepta::ksp::Pass &pass, int x, int y, ProductSums p)
{
  PetscFunctionBegin;
  static_cast<hepta::ksp::Pass &>(p) = pass;
#if defined(HEPTA_HAVE_CUDA)
  if (fused || (summed && (p.summed || p.square || p.scale))) {
    p.x               = arrays.a[x];
    p.y               = arrays.a[y];
    const auto launch = [&](auto view) {
      PetscCallHepta(product_with_sums_cuda(p, view, space.stream));
      return PETSC_SUCCESS;
    };
    PetscCall(fused ? HeptaVisit(*MatBDIADiagonals(A), space, HeptaAccess::read, launch) : HeptaVisit(*MatBROWBlockRows(A), space, HeptaAccess::read, launch));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(arrays.Restore());
  PetscCall(KSP_MatMult(ksp, A, arrays.vecs[x], arrays.vecs[y]));
  PetscCall(arrays.Get());
  p.y = arrays.a[y];
  if (p.summed || p.square || p.scale) HeptaLaunch(space, product_sums, p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPOperators::MultiplyTranspose(int x, int y)
{
  PetscFunctionBegin;
  PetscCall(arrays.Restore());
  PetscCall(KSP_MatMultTranspose(ksp, A, arrays.vecs[x], arrays.vecs[y]));
  PetscCall(arrays.Get());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPOperators::Apply(const HeptaSpace &space, const hepta::ksp::Pass &pass, int r, int z)
{
  PetscFunctionBegin;
  if (inner == Inner::blocks) {
    Blocks b;

    static_cast<hepta::ksp::Pass &>(b) = pass;
    b.bs                               = (int)bs;
    b.d                                = BlocksNow();
    b.r                                = arrays.a[r];
    b.z                                = arrays.a[z];
    HeptaLaunch(space, blocks, b);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(arrays.Restore());
  if (!null_last) PetscCall(KSP_PCApply(ksp, arrays.vecs[r], arrays.vecs[z]));
  else PetscCall(PCApply(pc, arrays.vecs[r], arrays.vecs[z]));
  PetscCall(arrays.Get());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPOperators::ApplyTranspose(int r, int z)
{
  PetscFunctionBegin;
  PetscCall(arrays.Restore());
  PetscCall(KSP_PCApplyTranspose(ksp, arrays.vecs[r], arrays.vecs[z]));
  PetscCall(arrays.Get());
  PetscFunctionReturn(PETSC_SUCCESS);
}
