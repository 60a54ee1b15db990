#include "fusedcg.h"

static PetscErrorCode KSPSetUp_FusedCG(KSP ksp)
{
  KSP_FusedCG *cg = (KSP_FusedCG *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(!cg->single || !cg->flexible, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
             "KSP fusedcg has no flexible form with a single reduction: use one of -ksp_fusedcg_flexible and "
             "-ksp_fusedcg_single_reduction");
  cg->works = cg->single ? 8 : 5;
  if (ksp->setupstage == KSP_SETUP_NEW) PetscCall(HeptaKSPSetUp(ksp)); /* with a new matrix the work vectors stay */
  if (cg->deflated) PetscCall(HeptaDPCGCheck(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridCGData::Free()
{
  PetscFunctionBegin;
  for (HeptaValues *v : {&vectors, &parts, &solve, &state}) PetscCall(v->Free());
  clean = false;
  words.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

void KSP_FusedCG::Clear(PetscInt from)
{
  d.clear();
  e.clear();
  error.Clear();
  start = from;
  shown = 0;
}

PetscErrorCode KSP_FusedCG::Reset()
{
  PetscFunctionBegin;
  PetscCall(HeptaKSPData::Reset());
  PetscCall(y.Free());
  PetscCall(recycling.Reset());
  PetscCall(pg.Free());
  PetscCall(grid.Free());
  ghosts = 0;
  Clear(0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<std::string> KSP_FusedCG::Words() const
{
  std::vector<std::string> words;

  if (flexible) words.push_back("flexible");
  if (single) words.push_back("with a single reduction");
  if (!grid.words.empty()) words.push_back(grid.words);
  if (const std::string recycled = recycling.Words(); !recycled.empty()) words.push_back(recycled);
  if (true_residual) words.push_back("converges only if b - A x passes the test too");
  if (tests_error) words.push_back("tolerances for the energy norm of the error");
  if (const PetscInt known = error.Known())
    words.push_back(HeptaFormat("energy norm of the error estimated as %g in iteration %" PetscInt_FMT,
                                (double)error.Of(known - 1), start + known - 1));
  return words;
}

static PetscErrorCode KSPFusedCGSetFlexible_FusedCG(KSP ksp, PetscBool flexible)
{
  PetscFunctionBegin;
  ((KSP_FusedCG *)ksp->data)->flexible = flexible;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A single reduction needs more work vectors, which the next set-up creates */
static PetscErrorCode KSPFusedCGSetSingleReduction_FusedCG(KSP ksp, PetscBool single)
{
  KSP_FusedCG *cg = (KSP_FusedCG *)ksp->data;

  PetscFunctionBegin;
  if (cg->single != single) ksp->setupstage = KSP_SETUP_NEW;
  cg->single = single;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPFusedCGSetPrecision_FusedCG(KSP ksp, HeptaMatStorage precision)
{
  PetscFunctionBegin;
  ((KSP_FusedCG *)ksp->data)->precision =
    precision == HEPTA_MAT_STORAGE_SINGLE ? HeptaGridCGData::SINGLE : HeptaGridCGData::DOUBLE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_FusedCG(KSP ksp, PetscOptionItems PetscOptionsObject)
{
  const KSP_FusedCG *cg       = (const KSP_FusedCG *)ksp->data;
  PetscBool          flexible = cg->flexible, single = cg->single, residual = cg->true_residual, estimate = cg->tests_error, flg;
  PetscEnum          precision = (PetscEnum)HEPTA_MAT_STORAGE_DOUBLE;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Fused CG options");
  PetscCall(PetscOptionsBool("-ksp_fusedcg_flexible", "For preconditioners that change between iterations",
                             "KSPFusedCGSetFlexible", flexible, &flexible, nullptr));
  PetscCall(KSPFusedCGSetFlexible(ksp, flexible));
  PetscCall(PetscOptionsBool("-ksp_fusedcg_single_reduction", "One reduction an iteration", "KSPFusedCGSetSingleReduction",
                             single, &single, nullptr));
  PetscCall(KSPFusedCGSetSingleReduction(ksp, single));
  PetscCall(PetscOptionsEnum("-ksp_fusedcg_precision", "Type of the iterations with PC gridmg", "KSPFusedCGSetPrecision",
                             HeptaMatStorages, precision, &precision, &flg));
  if (flg) PetscCall(KSPFusedCGSetPrecision(ksp, (HeptaMatStorage)precision));
  PetscCall(PetscOptionsBool("-ksp_fusedcg_error_estimate", "The tolerances are for the estimated energy norm of the error",
                             "KSPFusedCGSetErrorEstimate", estimate, &estimate, nullptr));
  PetscCall(KSPFusedCGSetErrorEstimate(ksp, estimate));
  PetscCall(PetscOptionsBool("-ksp_fusedcg_true_residual", "b - A x must pass the convergence test too",
                             "KSPFusedCGSetTrueResidual", residual, &residual, nullptr));
  PetscCall(KSPFusedCGSetTrueResidual(ksp, residual));
  PetscCall(KSPMonitorSetFromOptions(ksp, "-ksp_monitor_fusedcg_error", "fusedcg_error", nullptr));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPFusedCGSetFlexible - Sets that the preconditioner of `KSPFUSEDCG` may change from iteration to iteration

  Logically Collective

  Input Parameters:
+ ksp      - the Krylov method
- flexible - `PETSC_TRUE`: beta = (z, r - r_old)/(r, z)_old, after Polak and Ribiere, which costs one more inner product

  Options Database Key:
. -ksp_fusedcg_flexible <false> - as this function

  Level: intermediate

  Note:
  Does nothing for a Krylov method of another type.

.seealso: `KSPFUSEDCG`, `KSPFCG`
@*/
PetscErrorCode KSPFusedCGSetFlexible(KSP ksp, PetscBool flexible)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveBool(ksp, flexible, 2);
  PetscTryMethod(ksp, "KSPFusedCGSetFlexible_C", (KSP, PetscBool), (ksp, flexible));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPFusedCGSetPrecision - Sets the type of the iterations of `KSPFUSEDCG` with `PCGRIDMG`

  Logically Collective

  Input Parameters:
+ ksp       - the Krylov method
- precision - `HEPTA_MAT_STORAGE_SINGLE` or `HEPTA_MAT_STORAGE_DOUBLE`

  Options Database Key:
. -ksp_fusedcg_precision <single,double> - as this function

  Level: intermediate

  Notes:
  Without a choice the iterations are in single from 300 000 rows on, and otherwise in double, because an iteration on fewer rows
  takes as long in single.

  In single the directions p, A p, the residual of the recurrence, A and the increment of x are floats; x and a second residual
  are in double. When the norm has fallen by a factor of 1000 (10, where a replaced residual was 10 percent larger than the
  residual of the recurrence), after ten iterations, and in each iteration that may be the last, x gets the increment, and the
  residual in double is updated by the increment and replaces the residual of the recurrence. So the norm of b - A x ends the
  iterations; norms between two replacements are those of the recurrence, as always in CG. Where replaced residuals do not fall by
  a factor of 10 in 2.5 iterations, the solve goes on in double, from the x with the smaller residual.

  The iterations are in double whatever the choice with another preconditioner, with `-pc_gridmg_storage double`, with several MPI
  processes that all have the whole first level (`-pc_gridmg_gather`) or parts of one line, on devices whose processes add their
  sums on the host, with a preconditioner of another matrix or kept from earlier values, in transposed solves, without a tested
  norm, with a monitor or a convergence test that may look at more than the norm, with a null space and the preconditioned norm,
  and in the flexible form and the form with a single reduction; `KSPView()` says why after a solve, if single was chosen. Does
  nothing for a Krylov method of another type.

  References:
  H. van der Vorst, Q. Ye, Residual replacement strategies for Krylov subspace iterative methods for the convergence of true
  residuals, SIAM J. Sci. Comput. 22, 2000. M. A. Clark et al., Solving lattice QCD systems of equations using mixed precision
  solvers on GPUs, Comput. Phys. Commun. 181, 2010, section 4.

.seealso: `KSPFUSEDCG`, `PCGRIDMG`, `HeptaMatStorage`
@*/
PetscErrorCode KSPFusedCGSetPrecision(KSP ksp, HeptaMatStorage precision)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(ksp, precision, 2);
  PetscTryMethod(ksp, "KSPFusedCGSetPrecision_C", (KSP, HeptaMatStorage), (ksp, precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPFusedCGSetSingleReduction - Sets that `KSPFUSEDCG` sums once an iteration, after Chronopoulos and Gear

  Logically Collective

  Input Parameters:
+ ksp    - the Krylov method
- single - `PETSC_TRUE`: all inner products of an iteration are made together, with three more work vectors

  Options Database Key:
. -ksp_fusedcg_single_reduction <false> - as this function

  Level: intermediate

  Notes:
  On the device, for a sequential `MATBDIA` or `MATBDIACUDA` of block size 1 to 8 with `PCNONE` or `PCJACOBI`, a whole iteration
  is then one kernel, which is fastest for small systems. On several MPI processes there is one reduction in place of two. The
  iterates are those of `KSPCG` in exact arithmetic; the residual that can be reached at last is larger. (p, A p) is not summed
  but follows from other inner products.

  Cannot be combined with `KSPFusedCGSetFlexible()`, which ends the set-up in an error. Does nothing for a Krylov method of
  another type.

.seealso: `KSPFUSEDCG`, `KSPFusedCGSetFlexible()`, `KSPCGUseSingleReduction()`
@*/
PetscErrorCode KSPFusedCGSetSingleReduction(KSP ksp, PetscBool single)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveBool(ksp, single, 2);
  PetscTryMethod(ksp, "KSPFusedCGSetSingleReduction_C", (KSP, PetscBool), (ksp, single));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPFUSEDCG - "fusedcg" - Preconditioned conjugate gradients in few passes over memory, with scalars that stay where the vectors
   are

   When to take it:
   Take `KSPFUSEDCG` in place of `KSPCG`: for a matrix and a preconditioner that are symmetric and positive definite.

   Options Database Keys:
+ -ksp_type fusedcg              - sets the Krylov method to `KSPFUSEDCG`
. -ksp_fusedcg_flexible <false>  - for preconditioners that change between iterations, as `KSPFusedCGSetFlexible()`
. -ksp_fusedcg_precision <single,double> - type of the iterations with `PCGRIDMG`, as `KSPFusedCGSetPrecision()`; by default by
                                           the number of rows
. -ksp_fusedcg_single_reduction <false> - one reduction an iteration, as `KSPFusedCGSetSingleReduction()`
. -ksp_fusedcg_error_estimate <false> - the tolerances are for the estimated energy norm of the error, as
                                        `KSPFusedCGSetErrorEstimate()`
. -ksp_fusedcg_true_residual <false> - b - A x must pass the convergence test too, as `KSPFusedCGSetTrueResidual()`
- -ksp_monitor_fusedcg_error     - print the estimates of the error

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type bdia -ksp_type fusedcg -pc_type jacobi
.ve

   Limits:
   A matrix or preconditioner that proves indefinite ends the solve with `KSP_DIVERGED_INDEFINITE_MAT` or
   `KSP_DIVERGED_INDEFINITE_PC`. With `-ksp_fusedcg_single_reduction` the rounding of the last digits may end a solve so too.

   Level: beginner

   Notes:
   The iterates are those of `KSPCG`. An iteration is

.vb
     p <- z + beta p,   q <- A p,   (p, q)                               one pass
     alpha = (r, z)/(p, q)
     x <- x + alpha p,  r <- r - alpha q,  z <- M^-1 r,  (r, z), norm    one pass
     beta = (r, z)/(r, z)_old
.ve

   On the device, for a `MATBDIA` or `MATBDIACUDA` of block size 1 to 8 and at most 32 block offsets (on several MPI processes
   with the transports `ipc` and `nccl`, and then with a pass over the rows that have columns of other processes), the first
   pass is one kernel; the second pass is one kernel with `PCNONE`, `PCJACOBI` and `PCPBJACOBI` (blocks of at most 8), two
   kernels with `PCIP` of one factor. The last thread block of a kernel adds up the sums in a fixed order, so that repeated
   solves give the same bits; the last thread block of the last kernel makes beta. Several iterations are recorded as a CUDA
   graph and launched ahead; the host reads the device's reports, calls monitors and convergence test, and never waits for a
   sum.

   Recorded as well, as further kernels: products with `MATBROW`, `MATBROWCUDA` and other block sizes (with few rows of a
   `MATBROW` the sum is in the product's kernel), and applications of `PCIP` of any form, `PCBLOCKIC`, `PCBBS`, `PCGRIDMG`,
   `PCAGGMG`, `PCICC` and `PCILU` with `MATSOLVERBBS`, and of `PCSUBDEFLATION` over subdomains with the coarse solver `inverse`,
   one of these preconditioners inside and, but for the variant adef1, a matrix known to be symmetric. `KSPDPCG` has the deflation
   of `PCSUBDEFLATION` inside its passes.

   On several MPI processes whose exchanges need no host (`ipc` and `nccl`, see `MATMPIBDIACUDA`) the last thread block of a pass,
   or with `nccl` a kernel after the pass, adds the sums of all processes, in the same order everywhere. Products with
   `MATMPIBDIA` and `MATMPIBROW`, and applications of `PCIP`, `PCBLOCKIC`, `PCGRIDMG`, `PCAGGMG` and `PCSUBDEFLATION`, but for
   the variant bnn, are recorded with their exchanges.

   With another matrix or preconditioner, an attached null space where the norm is `KSP_NORM_PRECONDITIONED`, a right-hand side
   that is not orthogonal to the null space, `KSPSolveTranspose()`, several MPI processes whose exchanges need the host, or
   `-log_view_gpu_time`, passes are launched one by one between `MatMult()` and `PCApply()`; `KSPView()` says why. A monitor other
   than `KSPMonitorResidual()`, or a convergence test of the program's own, is called after each iteration with the right vectors,
   while the device waits; nothing is recorded then. The monitor or test may call `KSPSetTolerances()`, as in `KSPCG`: a new
   max_it or divtol holds at once, and a new rtol in this solve if set before the first iteration. Until the solve is over, x may
   have a part in the null space of the matrix.

   Supports the norms `KSP_NORM_PRECONDITIONED`, `KSP_NORM_UNPRECONDITIONED`, `KSP_NORM_NATURAL` and `KSP_NORM_NONE` with left
   preconditioning, nonzero initial guesses, and `KSPSetComputeSingularValues()`.

   References:
   The fused passes are those of M. Verschoor and A. C. Jalba, Analysis and performance estimation of the Conjugate Gradient
   method on multiple GPUs, Parallel Computing 38 (2012), section 4, with p made inside the product.

.seealso: `KSPFusedCGSetFlexible()`, `KSPFusedCGSetPrecision()`, `KSPFusedCGSetErrorEstimate()`,
   `KSPFusedCGSetTrueResidual()`, `KSPDPCG`, `KSPFUSEDBCGS`, `KSPBICGCR`, `KSPCG`, `MATBDIA`, `PCIP`
M*/

PetscErrorCode KSPCreate_FusedCG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(HeptaKSPCreate(ksp, new KSP_FusedCG, 5, HeptaNoThrow<KSPSolve_FusedCG>));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NATURAL, PC_LEFT, 2));
  ksp->ops->setup                        = HeptaNoThrow<KSPSetUp_FusedCG>;
  ksp->ops->setfromoptions               = HeptaNoThrow<KSPSetFromOptions_FusedCG>;
  ksp->ops->computeextremesingularvalues = HeptaNoThrow<KSPComputeExtremeSingularValues_FusedCG>;
  ksp->ops->computeeigenvalues           = HeptaNoThrow<KSPComputeEigenvalues_FusedCG>;
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPFusedCGSetFlexible_C", HeptaNoThrow<KSPFusedCGSetFlexible_FusedCG>));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPFusedCGSetSingleReduction_C",
                                       HeptaNoThrow<KSPFusedCGSetSingleReduction_FusedCG>));
  PetscCall(
    PetscObjectComposeFunction((PetscObject)ksp, "KSPFusedCGSetPrecision_C", HeptaNoThrow<KSPFusedCGSetPrecision_FusedCG>));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPFusedCGSetErrorEstimate_C",
                                       HeptaNoThrow<KSPFusedCGSetErrorEstimate_FusedCG>));
  PetscCall(
    PetscObjectComposeFunction((PetscObject)ksp, "KSPFusedCGSetTrueResidual_C", HeptaNoThrow<KSPFusedCGSetTrueResidual_FusedCG>));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPFusedCGGetErrorEstimate_C",
                                       HeptaNoThrow<KSPFusedCGGetErrorEstimate_FusedCG>));
  ((KSP_FusedCG *)ksp->data)->setters = {"KSPFusedCGSetFlexible_C",      "KSPFusedCGSetSingleReduction_C",
                                         "KSPFusedCGSetPrecision_C",     "KSPFusedCGSetErrorEstimate_C",
                                         "KSPFusedCGGetErrorEstimate_C", "KSPFusedCGSetTrueResidual_C"};
  PetscFunctionReturn(PETSC_SUCCESS);
}
