/* Products and applications of the preconditioner between the passes of a Krylov method */
#include "operators.h"

using namespace hepta::ksp;

double HeptaKSPOperators::VectorsOfProduct(bool sums, bool is_x, bool scaled) const
{
  if (!sums) return 2;
  return fused || summed ? 3 - is_x + scaled : 4 + 2 * scaled; /* a separate pass reads y and `with`, and scales y in place */
}

PetscErrorCode HeptaKSPOperators::Multiply(const HeptaSpace &space, const Pass &pass, int x, int y, ProductSums p)
{
  PetscFunctionBegin;
  static_cast<Pass &>(p) = pass;
#if defined(HEPTA_HAVE_CUDA)
  if ((fused && !several) || ((fused || summed) && (p.summed || p.square || p.scale))) {
    const auto product = [&](ProductSums &own) {
      const auto launch = [&](auto view) { return product_with_sums_cuda(own, view, space.stream); };

      own.x      = arrays.a[x];
      own.y      = arrays.a[y];
      own.border = border;
      return fused ? HeptaLaunchView(*MatBDIADiagonals(A), space, launch) : HeptaLaunchView(*MatBROWBlockRows(A), space, launch);
    };

    PetscCall(MultiplyInPass(space, p, p.first, x, product,
                             [&](auto B, const PetscScalar *xg, const hepta::transport::Mailboxes *arriving) {
                               p.y = arrays.a[y];
                               return border_with_sums_cuda(p, B, xg, arriving, space.stream);
                             }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(arrays.Lend([&] { return KSP_MatMult(ksp, A, arrays.vecs[x], arrays.vecs[y]); }));
  p.y = arrays.a[y];
  if (p.summed || p.square || p.scale) HeptaLaunchEach(space, run_pass, pass_of<SumProduct>(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPOperators::Apply(const HeptaSpace &space, const Pass &pass, int r, int z, bool follows)
{
  PetscFunctionBegin;
  if (inner == Inner::blocks) {
    MultiplyBlocks b;

    static_cast<Pass &>(b) = pass;
    b.bs                   = (int)bs;
    b.d                    = arrays.d;
    b.r                    = arrays.a[r];
    b.z                    = arrays.a[z];
    HeptaLaunchEach(space, run_pass, b);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(arrays.Restore());
  /*
     only where all ranks have vectors and state on the device, or a single rank has vectors and state on the host: of several
     ranks some may have vectors on the device and the state on the host
  */
  if (recorded.scale) *recorded.scale = follows && (space.device || (!several && !arrays.fetched)) ? &pass.state->rho : nullptr;
  const PetscErrorCode code =
    null_last ? PCApply(pc, arrays.vecs[r], arrays.vecs[z]) : KSP_PCApply(ksp, arrays.vecs[r], arrays.vecs[z]);
  if (recorded.scale) *recorded.scale = nullptr;
  PetscCall(code);
  PetscCall(arrays.Get());
  PetscFunctionReturn(PETSC_SUCCESS);
}
