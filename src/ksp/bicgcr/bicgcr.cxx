#include "bicgcr.h"

static PetscErrorCode KSPBiCGCRSetSymmetric_BiCGCR(KSP ksp, PetscBool symmetric)
{
  KSP_BiCGCR *b = (KSP_BiCGCR *)ksp->data;

  PetscFunctionBegin;
  b->given     = PETSC_TRUE;
  b->symmetric = symmetric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_BiCGCR(KSP ksp, PetscOptionItems PetscOptionsObject)
{
  PetscBool symmetric = ((KSP_BiCGCR *)ksp->data)->symmetric, set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "BiCGCR options");
  PetscCall(PetscOptionsBool("-ksp_bicgcr_symmetric", "Is the matrix symmetric, whatever its flags say?", "KSPBiCGCRSetSymmetric", symmetric, &symmetric, &set));
  if (set) PetscCall(KSPBiCGCRSetSymmetric(ksp, symmetric));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPBiCGCRSetSymmetric - Tells `KSPBICGCR` whether the matrix and the preconditioner are symmetric

  Logically Collective

  Input Parameters:
+ ksp       - the Krylov method
- symmetric - `PETSC_TRUE`: products with the transposed are left out; `PETSC_FALSE`: they are made even if the matrix is known to be symmetric

  Options Database Key:
. -ksp_bicgcr_symmetric <bool> - as this function

  Level: intermediate

  Notes:
  Without a call the matrix is asked, as `MatIsSymmetricKnown()` does: one that is not known to be symmetric is taken for unsymmetric.

  Does nothing for a Krylov method of another type.

.seealso: `KSPBICGCR`, `MatSetOption()`, `MAT_SYMMETRIC`
@*/
PetscErrorCode KSPBiCGCRSetSymmetric(KSP ksp, PetscBool symmetric)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveBool(ksp, symmetric, 2);
  PetscTryMethod(ksp, "KSPBiCGCRSetSymmetric_C", (KSP, PetscBool), (ksp, symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPBICGCR - "bicgcr" - Biconjugate gradient conjugate residual method, in few passes over memory with scalars that stay where the vectors are

   Options Database Keys:
+ -ksp_type bicgcr               - sets the Krylov method to `KSPBICGCR`
- -ksp_bicgcr_symmetric <bool>   - whether the matrix is symmetric, as `KSPBiCGCRSetSymmetric()`; by default what the matrix knows

   Level: beginner

   Notes:
   Conjugate residual recurrences with the bilinear form. With z = M^-1 (b - A x), p = z, q = A p, u = M^-1 q and their shadows z* = M^-T (b - A x), q* = A^T z*, u* = M^-T q* to begin with, an iteration is

.vb
     alpha = (z*, A z)/(q*, u)
     x <- x + alpha p,  z <- z - alpha u,  z* <- z* - alpha u*           one pass
     w <- A z,  w* <- A^T z*,  (z*, w)                                   one pass for A z
     beta = (z*, w)/(z*, w)_old
     p <- z + beta p,  q <- w + beta q,  q* <- w* + beta q*              one pass
     u <- M^-1 q,  u* <- M^-T q*,  (q*, u)                               in the pass before, for a diagonal M
.ve

   For a symmetric matrix and preconditioner every shadow is the vector itself: what is left is the preconditioned conjugate residual method, whose iterates are those of `KSPCR`, and nothing is transposed. The matrix may be indefinite, the preconditioner not.
   For an unsymmetric matrix each iteration makes a product with the transposed matrix and applies the transposed preconditioner, which `PCApplyTranspose()` must know.

   Supports the norms `KSP_NORM_PRECONDITIONED`, `KSP_NORM_UNPRECONDITIONED` (one more vector), `KSP_NORM_NATURAL`, the square root of |(z*, A z)|, and `KSP_NORM_NONE`, with left preconditioning. With
   `KSP_NORM_UNPRECONDITIONED` the norms are those of b - A x; those of `KSPCR` in PETSc 3.26.1 are not, because its recurrence for that residual has the wrong sign.

   On the device passes are recorded and launched ahead as those of `KSPFUSEDCG` are, with the same conditions; products with the transposed matrix and applications of the transposed `PCIP`, `PCBLOCKIC`, `PCBBS`, `PCSUBDEFLATION` and
   factorizations of `MATSOLVERBBS` too. With transposed products `PCPBJACOBI` of block size above 1 is not recorded.

   References:
   M. Clemens and T. Weiland, Iterative methods for the solution of very large complex symmetric linear systems of equations in electrodynamics (1996), for symmetric matrices; T. Sogabe, M. Sugihara and S.-L. Zhang, An extension of
   the conjugate residual method to nonsymmetric linear systems, Journal of Computational and Applied Mathematics 226 (2009), for the two-sided form, BiCR;
   F. Magoules, A.-K. Cheik Ahamed and R. Putanowicz, Auto-tuned Krylov methods on cluster of graphics processing unit, International Journal of Computer Mathematics (2014), section 4.3, uses it on GPUs.

.seealso: `KSPBiCGCRSetSymmetric()`, `KSPCR`, `KSPBICG`, `KSPFUSEDBCGS`, `MATBDIA`
M*/

PetscErrorCode KSPCreate_BiCGCR(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(HeptaKSPCreate(ksp, new KSP_BiCGCR, HEPTA_BICGCR_VECTORS - 1));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NATURAL, PC_LEFT, 2));
  ksp->ops->solve          = HeptaNoThrow<KSPSolve_BiCGCR>;
  ksp->ops->setfromoptions = HeptaNoThrow<KSPSetFromOptions_BiCGCR>;
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBiCGCRSetSymmetric_C", HeptaNoThrow<KSPBiCGCRSetSymmetric_BiCGCR>));
  ((KSP_BiCGCR *)ksp->data)->setters = {"KSPBiCGCRSetSymmetric_C"};
  PetscFunctionReturn(PETSC_SUCCESS);
}
