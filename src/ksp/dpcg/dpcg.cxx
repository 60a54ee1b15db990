#include "../../pc/subdeflation/subdeflation.h"
#include "../fusedcg/fusedcg.h"

using hepta::Index;

PetscErrorCode HeptaDPCGInner(KSP ksp, PC *inner)
{
  const char *type = ((PetscObject)ksp->pc)->type_name;

  PetscFunctionBegin;
  PetscCheck(HeptaDeflates(ksp->pc), PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
             "KSP dpcg deflates with PC subdeflation, not with %s: use -pc_type subdeflation, or -ksp_type fusedcg",
             type ? type : "PETSc's default");
  *inner = Subdeflation(ksp->pc)->inner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaDPCGCheck(KSP ksp)
{
  PC inner;

  PetscFunctionBegin;
  PetscCall(HeptaDPCGInner(ksp, &inner));
  PetscCall(HeptaSubdeflationServeDPCG(ksp->pc, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Swaps in the method's own y, because monitors and convergence tests may apply the preconditioner between two passes */
PetscErrorCode HeptaDPCGCorrect(KSP ksp, Vec r, Vec z, const hepta::ksp::State *running)
{
  PC_Subdeflation *s = Subdeflation(ksp->pc);
  HeptaValues     &y = ((KSP_FusedCG *)ksp->data)->y;

  PetscFunctionBegin;
  PetscCall(((KSP_FusedCG *)ksp->data)->recycling.Correct(PetscObjectComm((PetscObject)ksp), r, z, running));
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

  return type == HEPTA_SUBDEFLATION_COARSE_INVERSE
           ? ""
           : std::string("the coarse solver ") + HeptaSubdeflationCoarses[type] + " runs between them";
}

static PetscErrorCode KSPDPCGSetRecycle_DPCG(KSP ksp, PetscInt k)
{
  PetscFunctionBegin;
  PetscCheck(k >= 0 && k <= 64, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE,
             "KSP dpcg recycles 0 to 64 vectors (-ksp_dpcg_recycle), not %" PetscInt_FMT, k);
  ((KSP_FusedCG *)ksp->data)->recycling.asked = k; /* from the next solve on */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPDPCGSetRecycle - Sets the number of deflation vectors that `KSPDPCG` makes from an earlier solve, beside the subdomains of
  `PCSUBDEFLATION`

  Logically Collective

  Input Parameters:
+ ksp - the Krylov method
- k   - the number of vectors, at most 64; 0 for none

  Options Database Key:
. -ksp_dpcg_recycle <0> - as this function

  Level: intermediate

  Notes:
  For many solves with a matrix that changes little, as in time steps. A solve keeps its directions (at most 512, a float for each
  row and direction) until one converges after at least 2 k iterations; its k Ritz vectors of the smallest eigenvalues are
  deflated in later solves. For a matrix with new values the vectors are made orthogonal again, at the cost of 2 k products.

  An iteration reads and writes 32 + 12 k bytes a row more, with k rounded up to a multiple of 4, beside about 150 with `PCJACOBI`
  and 7 points, so that 4 to 8 vectors pay where the subdomains leave few small eigenvalues, as a few bubbles do that cross
  subdomains and move less than a cell. After a solve with the vectors `KSPDPCG` compares its bytes with those of the solve
  before. Vectors that cost more, or with which a solve fails, are given up until `KSPReset()` or another k; if earlier solves
  with the vectors were good, the next solve learns new ones. `PCGRIDMG` and `PCAGGMG`, where they apply, are several times as
  fast.

  A preconditioner inside `PCSUBDEFLATION` is needed. Does nothing for a Krylov method of another type.

  References:
  R. Gupta, Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow on the Graphical Processing
  Unit (GPU), M.Sc. thesis, Delft University of Technology, 2010, section 3.3 (eigenvectors as deflation vectors); A. Stathopoulos
  and K. Orginos, Computing and deflating eigenvalues while solving multiple right-hand side linear systems with an application
  to quantum chromodynamics, SIAM J. Sci. Comput. 32, 2010.

.seealso: `KSPDPCG`, `PCSUBDEFLATION`
@*/
PetscErrorCode KSPDPCGSetRecycle(KSP ksp, PetscInt k)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveInt(ksp, k, 2);
  PetscTryMethod(ksp, "KSPDPCGSetRecycle_C", (KSP, PetscInt), (ksp, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_DPCG(KSP ksp, PetscOptionItems PetscOptionsObject)
{
  PetscInt k = ((const KSP_FusedCG *)ksp->data)->recycling.asked;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Deflated CG options");
  PetscCall(PetscOptionsInt("-ksp_dpcg_recycle", "Deflation vectors from an earlier solve", "KSPDPCGSetRecycle", k, &k, nullptr));
  PetscCall(KSPDPCGSetRecycle(ksp, k));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPDPCG - "dpcg" - Deflated preconditioned conjugate gradients: `KSPFUSEDCG` with the deflation of `PCSUBDEFLATION` inside its
   passes

   When to take it:
   Take `KSPDPCG` in place of `KSPCG` and `KSPFUSEDCG` where `PCSUBDEFLATION` is the preconditioner.

   Options Database Keys:
+ -ksp_type dpcg                 - sets the Krylov method to `KSPDPCG`
. -ksp_dpcg_recycle <0>          - deflation vectors from an earlier solve, as `KSPDPCGSetRecycle()`
- -pc_type subdeflation          - the deflation, with its own options; the variant is adef2, the default, or def2

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -m 64 -n 64 -mat_type bdia -mat_bdia_grid 64,64,1 -ksp_type dpcg -pc_type subdeflation
.ve

   Limits:
   `KSPDPCG` needs a matrix that is known to be symmetric (`MAT_SYMMETRIC`) and subdomains (boxes, stripes, graph, material,
   labels), and refuses another preconditioner, other variants, vectors of the program's and other matrices in words: in
   `KSPSetUp()`, or in `KSPSolve()` after a later change. The preconditioner must not change between iterations: with a KSP
   for the coarse matrix take `KSPFCG`.

   Level: beginner

   Notes:
   Gives the iterates of `KSPCG` with `PCSUBDEFLATION`, without the pass of the preconditioner that adds Z y and the pass of sums
   after it. With E = Z^T A Z and Z^T r = 0 an iteration is

.vb
     p <- z + Z y + beta p,   q <- A p,   (p, q)                  one pass
     alpha = (r, z)/(p, q)
     x <- x + alpha p,  r <- r - alpha q                          one pass, with z in it for a diagonal M
     z <- M^-1 r,  (r, z), norm                                   one pass, for `PCIP` of one factor
     y <- E^-1 (Z^T r - (A Z)^T z)                                sums over subdomains, and a product with E^-1
     beta = (r, z)/(r, z)_old
.ve

   where z + Z y is the preconditioned residual. The norm `KSP_NORM_PRECONDITIONED` is that of z = M^-1 r, while `KSPCG` takes
   that of z + Z y; `KSP_NORM_NATURAL` and `KSP_NORM_UNPRECONDITIONED` are the same in both.

   M is the preconditioner inside `PCSUBDEFLATION`, see `PCSubdeflationGetPC()`; its type is that of `-pc_subdeflation_pc_type`.

   With the coarse solver `inverse` and vectors on the device, on several MPI processes with the transports `ipc` and `nccl`
   (see `MATMPIBDIACUDA`), the iterations are recorded as a CUDA graph, as in `KSPFUSEDCG`, if M can be recorded: `PCNONE`,
   `PCJACOBI` and `PCPBJACOBI` in a pass, `PCIP`, `PCBLOCKIC`, `PCBBS` and a factorization of `MATSOLVERBBS` by their kernels. A
   null space attached to the matrix does not prevent a recording; the solution is made orthogonal to the null space at the end.
   `KSPView()` says what prevents a recording.

   Supports the norms of `KSPFUSEDCG` and `KSPSetComputeSingularValues()`.

   References:
   J. M. Tang, R. Nabben, C. Vuik and Y. A. Erlangga, Comparison of two-level preconditioners derived from deflation, domain
   decomposition and multigrid methods, Journal of Scientific Computing 39 (2009); R. Gupta, Implementation of the Deflated
   Preconditioned Conjugate Gradient Method for Bubbly Flow on the Graphical Processing Unit (GPU), M.Sc. thesis, Delft University
   of Technology, 2010, section 3.3 (algorithm 8, of which this is the form with the deflation in the direction).

.seealso: `KSPFUSEDCG`, `PCSUBDEFLATION`, `PCIP`, `KSPCG`
M*/

PetscErrorCode KSPCreate_DPCG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPCreate_FusedCG(ksp));
  ((KSP_FusedCG *)ksp->data)->deflated = true;
  ksp->setupnewmatrix                  = PETSC_TRUE; /* another matrix or preconditioner is checked in the set-up too */
  ksp->ops->setfromoptions             = HeptaNoThrow<KSPSetFromOptions_DPCG>;
  for (const char *name : ((KSP_FusedCG *)ksp->data)->setters)
    PetscCall(PetscObjectComposeFunction((PetscObject)ksp, name, nullptr));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPDPCGSetRecycle_C", HeptaNoThrow<KSPDPCGSetRecycle_DPCG>));
  ((KSP_FusedCG *)ksp->data)->setters = {"KSPDPCGSetRecycle_C"};
  PetscFunctionReturn(PETSC_SUCCESS);
}
