/* Manual page and setters of the subdomain deflation */
#include "subdeflation.h"

/*MC
   PCSUBDEFLATION - "subdeflation" - Subdomain deflation: a coarse correction over subdomains on top of any inner preconditioner

   When to take it:
   Deflation is for matrices with a few small eigenvalues whose vectors are nearly constant in parts of the domain: bubbles,
   layers, materials of large contrast. For other matrices multigrid takes less time: `PCGRIDMG` for 5- and 7-point operators on a
   grid, otherwise `PCAGGMG`.

   Options Database Keys:
+ -pc_type subdeflation                     - sets the preconditioner type to `PCSUBDEFLATION`
. -pc_subdeflation_type <auto>              - kind of subdomains, as `PCSubdeflationSetType()`; `auto` is boxes with a known grid,
                                              otherwise stripes
. -pc_subdeflation_variant <adef2>          - how the inner preconditioner and the coarse correction are joined, as
                                              `PCSubdeflationSetVariant()`
. -pc_subdeflation_count <n>                - number of subdomains of `stripes` and `graph`, and the most subdomains of `labels`;
                                              default 1024
. -pc_subdeflation_size <n|nx,ny,nz>        - cells along a side of a box; the default makes about 2048 boxes, fewer in small
                                              grids
. -pc_subdeflation_grid <nx,ny,nz>          - the grid of the block rows, x fastest, if neither a `DMDA` nor the matrix
                                              (`-mat_bdia_grid`) has a grid
. -pc_subdeflation_strength <0.08>          - `material`: couplings |a_ij| / sqrt(a_ii a_jj) >= strength join rows
. -pc_subdeflation_max <8192>               - `material`: the most components; more are an error
. -pc_subdeflation_coarse <inverse>         - coarse solver, as `PCSubdeflationSetCoarse()`
- -pc_subdeflation_coarse_storage <double>  - `double` or `single`: type of the dense inverse

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -m 64 -n 64 -mat_type bdia -mat_bdia_grid 64,64,1 -ksp_type cg -pc_type subdeflation
.ve

   Limits:
   The dense inverse is used up to 8192 coarse unknowns. Beyond 8192 the coarse solver is cg (gmres for matrices not known to be
   symmetric) with `PCAGGMG` on the sparse coarse matrix, to a relative tolerance of 1e-3. Such a coarse solve is not a fixed
   linear map: use a flexible method, `KSPFCG` or `KSPFGMRES`.

   Level: beginner

   Notes:
   Z has a column for each subdomain (for block size bs > 1 for each subdomain and field): 1 in the rows of the subdomain, 0
   elsewhere. Z is not stored. With E = Z^T A Z, Q = Z E^-1 Z^T, P = I - A Q and the inner preconditioner M^-1 an application is

.vb
     def1   M^-1 P             gmres and its kin, preconditioner on the left; ends with x <- x + Q (b - A x); not in cg and fcg
     def2   P^T M^-1           starts from x0 + Q (b - A x0); cg, fcg, gmres, bcgs
     adef1  M^-1 P + Q         gmres, bcgs; not symmetric, so cg and fcg may stall
     adef2  P^T M^-1 + Q       starts from x0 + Q (b - A x0); cg, fcg, gmres, bcgs: the default
     bnn    P^T M^-1 P + Q     symmetric and positive definite from any start; two coarse solves
.ve

   Only `bnn` allows a preconditioner that is kept while the matrix changes (`KSPSetReusePreconditioner()`): all other variants
   need the Q of the present A.

   `PCPreSolve()` and `PCPostSolve()` make the starts and corrections, for zero and nonzero initial guesses, except in
   `KSPPREONLY`. With the preconditioner on the right `KSPCGS`, `KSPTFQMR`, `KSPTCQMR` and `KSPIBCGS` lose the start, so `def2`
   and `adef2` refuse these four methods on the right. `KSPSolveTranspose()` needs a matrix known to be symmetric, and solves as
   `KSPSolve()` does.

   The matrix may be of any type that `MatConvert()` takes to `MATAIJ`. `MATBDIA` and all kinds of `MATAIJ` are used without a
   copy, on the device if the values are there. A Z is stored by its nonzeros. For a matrix not known to be symmetric
   (`MAT_SYMMETRIC`, `MAT_SPD`) a product with A replaces the stored A Z.

   The default inner preconditioner is `PCIP` if the matrix fits `MATBDIA`, otherwise `PCJACOBI`. `MATBDIA` limits the offsets on
   each MPI process, so a matrix may fit on several MPI processes and not on one MPI process. `-pc_subdeflation_pc_type ip` works
   for every matrix: for matrices of finite elements `PCIP` is often indefinite, and cg fails; for other matrices `PCIP` takes
   about half the iterations of `PCJACOBI`. `PCBLOCKIC` suits both kinds.

   Subdomains are `stripes`, runs of consecutive block rows; `boxes` of grid cells; parts of the `graph` of block rows, found by
   `MatPartitioning` (options with the prefix `pc_subdeflation_`; without ParMETIS and the like PETSc cuts stripes); `material`,
   the connected components of strongly coupled rows; `materialboxes`, these components cut into boxes; `labels` or `vectors` of
   the program. A subdomain may have rows of several MPI processes.

   The options of the inner preconditioner have the prefix `pc_subdeflation_` (its type: `-pc_subdeflation_pc_type`), the options
   of the solver of `-pc_subdeflation_coarse ksp` have the prefix `pc_subdeflation_coarse_`.

   New values keep subdomains and structures, except for `material` and `materialboxes`, whose subdomains follow the values. For a
   matrix on the device the device makes A Z, E and the inverse of E, and finds subdomains and structures. The host finds the
   parts of `graph`, given `labels`, materials of blocks or on several MPI processes, and on several MPI processes the numbers of
   all subdomains. E is summed over the MPI processes, and each MPI process keeps the inverse. With the coarse solver `inverse`,
   vectors on the devices and the transport `ipc` or `nccl` (`MATMPIBDIACUDA`) the devices sum coarse vectors by ascending rank;
   otherwise MPI sums coarse vectors on the host.

   For boxes E is a `MATBDIA` on the grid of boxes; with one unknown per cell `-pc_subdeflation_coarse_pc_type gridmg` takes
   `PCGRIDMG`.

   With a null space (`MatSetNullSpace()`) of vectors that are constant in each subdomain, such as the constants of Neumann
   problems, E is singular and the pseudo-inverse of E is used.

   Set-ups and solves check new null spaces and the null spaces of a changed matrix: |A v| <= 1e-5 |A| |v| for each vector v, |A|
   and |v| being the largest entries of A's diagonal and of v, and |A^T v| <= 1e-5 |A| |v| for `MatSetTransposeNullSpace()`. An
   operator that is not the preconditioner's matrix is checked too, since the Krylov method removes the operator's null spaces.
   For an operator without rows |A| is the largest entry of A times random numbers from 1 to 2, and the null space of the
   transpose is checked only for a `MATSHELL` with `MatMultTranspose()`. `MATMFFD`, whose products are differences, is not
   checked.

   A matrix without a given null space, but with |(A 1)_i| <= 64 eps |a_ii| in every row i, eps being the machine precision, gets
   the null space of constants in the coarse problem; the view says so. The Krylov method does not get this null space: a
   right-hand side in the range of A gets its solution, and for any other right-hand side the method fails, or reports convergence
   with a huge x, as `KSPBCGS` and `KSPFUSEDBCGS` on the left do, with `PCICC` too.

   E counts as singular if a vector v has v^T E v <= 2 eps v^T D v, D_e being the sum of |a_ii| over the rows of subdomain e: the
   rounding of E is eps D.

   A solve changes the tolerances of the `KSP` and its flag of a nonzero initial guess, and restores both at its end, also after
   an error.

   Errors:
   `PETSC_ERR_MAT_CH_ZRPVT` or `PETSC_ERR_MAT_LU_ZRPVT` for an E without inverse or singular to rounding, with the size of E and
   what A does with E's null vector; `PETSC_ERR_ARG_WRONG` for a vector of `MatSetNullSpace()` or `MatSetTransposeNullSpace()`
   that is not null, with its number and the ratio, and for linearly dependent vectors, with the number of the first dependent
   vector; `PETSC_ERR_ARG_OUTOFRANGE` for labels out of range, sizes that are not positive, or more subdomains than rows;
   `PETSC_ERR_ARG_WRONGSTATE` for boxes without a grid; `PETSC_ERR_SUP` for too many materials, for `def1`, `def2` and `adef2` in
   a method that refuses the variant, and for transposed applications with a matrix not known to be symmetric; `PETSC_ERR_FP` for
   NaN in the matrix.

   References:
   R. Gupta, Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow on the Graphical Processing
   Unit (GPU), M.Sc. thesis, Delft University of Technology, 2010, sections 3.3, 6.3, 7.4.1 and 7.5. J. M. Tang, R. Nabben, C.
   Vuik, Y. A. Erlangga, Comparison of two-level preconditioners derived from deflation, domain decomposition and multigrid
   methods, Journal of Scientific Computing 39, 2009, table 2 (the variants).

.seealso: `PCSubdeflationSetType()`, `PCSubdeflationSetVariant()`, `PCSubdeflationSetCoarse()`, `PCSubdeflationSetLabels()`,
   `PCSubdeflationSetVectors()`, `PCSubdeflationGetPC()`, `PCGRIDMG`, `PCAGGMG`, `PCIP`, `PCBLOCKIC`, `PCDEFLATION`
M*/

/*@
  PCSubdeflationSetType - Sets how `PCSUBDEFLATION` partitions the rows into subdomains

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner
- type - one of `HeptaSubdeflationType`

  Options Database Key:
. -pc_subdeflation_type <auto> - `stripes`, `boxes`, `graph`, `material`, `materialboxes`, `labels`, `vectors` or `auto`

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. The default is boxes with a known grid, otherwise stripes; `auto` restores
  the default.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is no `HeptaSubdeflationType`.

.seealso: `PCSUBDEFLATION`, `HeptaSubdeflationType`, `PCSubdeflationSetLabels()`, `PCSubdeflationSetVectors()`
@*/
PetscErrorCode PCSubdeflationSetType(PC pc, HeptaSubdeflationType type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, type, 2);
  PetscCall(HeptaCheckEnum(PetscObjectComm((PetscObject)pc), type, HeptaSubdeflationTypes));
  PetscTryMethod(pc, "PCSubdeflationSetType_C", (PC, HeptaSubdeflationType), (pc, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSubdeflationSetVariant - Sets how `PCSUBDEFLATION` joins the inner preconditioner and the coarse correction

  Logically Collective

  Input Parameters:
+ pc      - the preconditioner
- variant - one of `HeptaSubdeflationVariant`

  Options Database Key:
. -pc_subdeflation_variant <adef2> - `def1`, `def2`, `adef1`, `adef2` or `bnn`

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is no `HeptaSubdeflationVariant`.

.seealso: `PCSUBDEFLATION`, `HeptaSubdeflationVariant`
@*/
PetscErrorCode PCSubdeflationSetVariant(PC pc, HeptaSubdeflationVariant variant)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, variant, 2);
  PetscCall(HeptaCheckEnum(PetscObjectComm((PetscObject)pc), variant, HeptaSubdeflationVariants));
  PetscTryMethod(pc, "PCSubdeflationSetVariant_C", (PC, HeptaSubdeflationVariant), (pc, variant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSubdeflationSetCoarse - Sets how `PCSUBDEFLATION` solves its coarse problem

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner
- coarse - one of `HeptaSubdeflationCoarse`

  Options Database Key:
. -pc_subdeflation_coarse <inverse> - `inverse`, `cholesky` or `ksp`

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. The default is the dense inverse up to 8192 coarse unknowns, otherwise a
  `KSP`.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is no `HeptaSubdeflationCoarse`.

.seealso: `PCSUBDEFLATION`, `HeptaSubdeflationCoarse`
@*/
PetscErrorCode PCSubdeflationSetCoarse(PC pc, HeptaSubdeflationCoarse coarse)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, coarse, 2);
  PetscCall(HeptaCheckEnum(PetscObjectComm((PetscObject)pc), coarse, HeptaSubdeflationCoarses));
  PetscTryMethod(pc, "PCSubdeflationSetCoarse_C", (PC, HeptaSubdeflationCoarse), (pc, coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSubdeflationSetVectors - Gives `PCSUBDEFLATION` the columns of Z, instead of subdomains

  Collective

  Input Parameters:
+ pc      - the preconditioner
. n       - how many vectors
- vectors - linearly independent vectors of the matrix's layout, of any length; kept by reference, not copied

  Level: advanced

  Notes:
  Does nothing for a preconditioner of another type. Z and A Z are stored as 2n vectors: for a few vectors, such as modes that
  converge slowly. The coarse solver is the dense inverse. After a change of a vector the next solve or application makes the
  coarse problem anew, unless the preconditioner is kept (`PCSetReusePreconditioner()`).

  Errors:
  The set-up raises `PETSC_ERR_ARG_WRONG` for a vector that is zero or a combination of earlier vectors, `PETSC_ERR_FP` for a
  vector with NaN, and `PETSC_ERR_ARG_SIZ` for a vector of another size, each with the vector's number.

.seealso: `PCSUBDEFLATION`, `PCSubdeflationSetLabels()`
@*/
PetscErrorCode PCSubdeflationSetVectors(PC pc, PetscInt n, const Vec vectors[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, n, 2);
  PetscCheck(n > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " deflation vectors: give at least one", n);
  PetscTryMethod(pc, "PCSubdeflationSetVectors_C", (PC, PetscInt, const Vec[]), (pc, n, vectors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSubdeflationGetPC - Gets the inner preconditioner of `PCSUBDEFLATION`

  Not Collective

  Input Parameter:
. pc - the preconditioner

  Output Parameter:
. inner - its inner preconditioner, borrowed; `NULL` for a preconditioner of another type

  Level: intermediate

  Note:
  A type set with `PCSetType()` replaces the default, `PCIP` or `PCJACOBI`.

.seealso: `PCSUBDEFLATION`, `PCIP`
@*/
PetscErrorCode PCSubdeflationGetPC(PC pc, PC *inner)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(inner, 2);
  *inner = nullptr;
  PetscTryMethod(pc, "PCSubdeflationGetPC_C", (PC, PC *), (pc, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
