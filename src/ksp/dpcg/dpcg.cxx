#include "../../pc/subdeflation/subdeflation.h"
#include "../fusedcg/fusedcg.h"

using hepta::Index;

PetscErrorCode HeptaDPCGTakeTwoLevels(KSP ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  if (HeptaDeflates(pc)) PetscCall(HeptaSubdeflationTakeTwoLevels(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaDPCGInner(KSP ksp, PC *inner)
{
  PetscFunctionBegin;
  PetscCheck(HeptaDeflates(ksp->pc), PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP dpcg deflates with PC subdeflation, not with %s: use -pc_type subdeflation, or -ksp_type fusedcg", ((PetscObject)ksp->pc)->type_name);
  const PC_Subdeflation *s = Subdeflation(ksp->pc);
  PetscCheck(s->variant == HEPTA_SUBDEFLATION_ADEF2 || s->variant == HEPTA_SUBDEFLATION_DEF2, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
             "KSP dpcg is the variant adef2 of PC subdeflation, not %s: leave -pc_subdeflation_variant out, or use -ksp_type fusedcg", HeptaSubdeflationVariants[s->variant]);
  PetscCheck(s->UsesLabels(), PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP dpcg deflates subdomains, not vectors of the program's: use -ksp_type fusedcg with PCSubdeflationSetVectors()");
  PetscCheck(s->coarse.symmetric, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
             "KSP dpcg needs a matrix known to be symmetric: MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE) after its assembly, which forgets it, or with MAT_SYMMETRY_ETERNAL before; or use -ksp_type fusedbcgs");
  *inner = s->inner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Uses memory of the method's own, because monitors and convergence tests may apply the preconditioner between two passes */
PetscErrorCode HeptaDPCGCorrect(KSP ksp, Vec r, Vec z)
{
  PC_Subdeflation *s = Subdeflation(ksp->pc);
  HeptaValues     &y = ((KSP_FusedCG *)ksp->data)->y;

  PetscFunctionBegin;
  PetscCall(y.Reserve((size_t)s->coarse.d * sizeof(PetscScalar)));
  PetscCall(HeptaSubdeflationRestrict(ksp->pc, r, z));
  y.Swap(s->coarse.y);
  const PetscErrorCode code = HeptaSubdeflationSolveLike(ksp->pc, z);
  y.Swap(s->coarse.y);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaDPCGTables(KSP ksp, const HeptaSpace &space, hepta::ksp::CG *c)
{
  hepta::Index *label;
  PetscScalar  *y;

  PetscFunctionBegin;
  PetscCall(Subdeflation(ksp->pc)->az.label.Access(space, HeptaAccess::read, &label));
  PetscCall(((KSP_FusedCG *)ksp->data)->y.Access(space, HeptaAccess::read, &y));
  c->label = label;
  c->y     = y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string HeptaDPCGOutside(KSP ksp)
{
  const HeptaSubdeflationCoarse type = Subdeflation(ksp->pc)->coarse_type;

  return type == HEPTA_SUBDEFLATION_COARSE_INVERSE ? "" : std::string("the coarse solver ") + HeptaSubdeflationCoarses[type] + " runs between them";
}

/*MC
   KSPDPCG - "dpcg" - Deflated preconditioned conjugate gradients: `KSPFUSEDCG` with the deflation of `PCSUBDEFLATION` inside its passes

   Options Database Keys:
+ -ksp_type dpcg                 - sets the Krylov method to `KSPDPCG`
- -pc_type subdeflation          - the deflation, with its own options; the variant adef2, which it takes unless one is given, or def2

   Level: beginner

   Notes:
   Gives the iterates of `KSPCG` with `PCSUBDEFLATION` and saves the passes in which that preconditioner adds Z y and the method sums afterwards. With E = Z^T A Z and Z^T r = 0 an iteration is

.vb
     p <- z + Z y + beta p,   q <- A p,   (p, q)                  one pass
     alpha = (r, z)/(p, q)
     x <- x + alpha p,  r <- r - alpha q                          one pass, with z in it for a diagonal M
     z <- M^-1 r,  (r, z), norm                                   one pass, for `PCIP` of one factor
     y <- E^-1 (Z^T r - (A Z)^T z)                                sums over subdomains, and a product with E^-1
     beta = (r, z)/(r, z)_old
.ve

   where the vector that the method is preconditioned with is z + Z y. The norm `KSP_NORM_PRECONDITIONED` is that of z = M^-1 r, while `KSPCG` takes that of z + Z y; `KSP_NORM_NATURAL` and `KSP_NORM_UNPRECONDITIONED` are the same in both.

   M is the preconditioner inside `PCSUBDEFLATION`, see `PCSubdeflationGetPC()`; its type is that of `-pc_subdeflation_pc_type`. Needs a matrix that is known to be symmetric (`MAT_SYMMETRIC`) and subdomains (boxes, stripes, graph, material,
   labels), and refuses another preconditioner, other variants and vectors of the program's in words.

   With the coarse solver `inverse` and vectors on the device, on several MPI processes with the transports `ipc` and `nccl` (see `MATMPIBDIACUDA`), the iterations are recorded as a CUDA graph as those of `KSPFUSEDCG` are, where M can be: `PCNONE`, `PCJACOBI` and `PCPBJACOBI` in a pass, `PCIP`, `PCBLOCKIC`,
   `PCBBS` and a factorization of `MATSOLVERBBS` by their kernels. A null space attached to the matrix does not prevent it; the solution is made orthogonal to it at the end. `KSPView()` says what is in the way.

   Supports the norms of `KSPFUSEDCG` and `KSPSetComputeSingularValues()`, but no preconditioner that changes between iterations: with a KSP for E take `KSPFCG`.

   References:
   J. M. Tang, R. Nabben, C. Vuik and Y. A. Erlangga, Comparison of two-level preconditioners derived from deflation, domain decomposition and multigrid methods, Journal of Scientific Computing 39 (2009); R. Gupta,
   Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow on the Graphical Processing Unit (GPU), M.Sc. thesis, Delft University of Technology, 2010, section 3.3 (algorithm 8, of which this is the
   form with the deflation in the direction).

.seealso: `KSPFUSEDCG`, `PCSUBDEFLATION`, `PCIP`, `KSPCG`
M*/

PetscErrorCode KSPCreate_DPCG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPCreate_FusedCG(ksp));
  ((KSP_FusedCG *)ksp->data)->deflated = true;
  ksp->ops->setfromoptions             = nullptr;
  for (const char *name : {"KSPFusedCGSetFlexible_C", "KSPFusedCGSetSingleReduction_C"}) PetscCall(PetscObjectComposeFunction((PetscObject)ksp, name, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
