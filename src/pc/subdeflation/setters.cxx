/* Manual page and setters of the subdomain deflation */
#include "subdeflation.h"

/*MC
   PCSUBDEFLATION - "subdeflation" - Subdomain deflation: a coarse correction over subdomains on top of any inner preconditioner

   Options Database Keys:
+ -pc_type subdeflation                     - sets the preconditioner type to `PCSUBDEFLATION`
. -pc_subdeflation_type <auto>              - kind of subdomains, as `PCSubdeflationSetType()`; `auto` is boxes where a grid is known, and elsewhere stripes
. -pc_subdeflation_variant <adef2>          - how the inner preconditioner and the coarse correction are joined, as `PCSubdeflationSetVariant()`
. -pc_subdeflation_count <n>                - number of subdomains of `stripes` and `graph`, and the most subdomains of `labels`; default 1024
. -pc_subdeflation_size <n|nx,ny,nz>        - cells along a side of a box; the default makes about 2048 boxes, fewer in small grids
. -pc_subdeflation_grid <nx,ny,nz>          - the grid behind the block rows, x fastest, where neither a `DMDA` nor the matrix (`-mat_bdia_grid`) tells it
. -pc_subdeflation_strength <0.08>          - `material`: couplings |a_ij| / sqrt(a_ii a_jj) at least so large join rows
. -pc_subdeflation_max <8192>               - `material`: more components are an error
. -pc_subdeflation_coarse <inverse>         - coarse solver, as `PCSubdeflationSetCoarse()`
- -pc_subdeflation_coarse_storage <double>  - `double` or `single`: type of the dense inverse

   Level: beginner

   Notes:
   Deflation is for matrices with a few small eigenvalues whose vectors are nearly constant in parts of the domain: bubbles, layers, materials of large contrast. Multigrid takes less time where nothing is known of the matrix: `PCGRIDMG`
   for 5- and 7-point operators on a grid, `PCAGGMG` for all others.

   Z has one column for each subdomain (with block size bs > 1 one for each subdomain and field), one in its rows and zero elsewhere; it is not stored. With
   E = Z^T A Z, Q = Z E^-1 Z^T, P = I - A Q and the inner preconditioner M^-1 an application is

.vb
     def1   M^-1 P             gmres and its kin with the preconditioner on the left; corrected at the end: x <- x + Q (b - A x); refused in cg and fcg, where it stalls
     def2   P^T M^-1           starts from x0 + Q (b - A x0); cg, fcg, gmres, bcgs
     adef1  M^-1 P + Q         gmres, bcgs; it is not symmetric, and in cg and fcg it may stall
     adef2  P^T M^-1 + Q       starts from x0 + Q (b - A x0); cg, fcg, gmres, bcgs: the default of these
     bnn    P^T M^-1 P + Q     symmetric and positive definite from any start; two coarse solves
.ve

   Only `bnn` bears a preconditioner that is kept while the matrix changes (`KSPSetReusePreconditioner()`): the others count on Q being that of A.

   The starts and corrections are made in `PCPreSolve()` and `PCPostSolve()`, for zero and nonzero initial guesses. In `KSPPREONLY` there are none. With the preconditioner on
   the right `KSPCGS`, `KSPTFQMR`, `KSPTCQMR` and `KSPIBCGS` lose what they start from, so they are refused there for `def2` and `adef2`. `KSPSolveTranspose()` needs a matrix known to be symmetric, and solves as `KSPSolve()` does.

   A Z is stored by its nonzeros, one for each subdomain among the neighbors of a row, in the order in which (A Z)^T x sums them. A matrix not known to be symmetric
   (`MAT_SYMMETRIC`, `MAT_SPD`) takes a product with A in its place. The matrix may be of any type that `MatConvert()` takes to `MATAIJ`; `MATBDIA` and all kinds of
   `MATAIJ` are used as they are, on the device when their values are there.

   The inner preconditioner is `PCIP` where the matrix fits `MATBDIA`, otherwise `PCJACOBI`, unless another is chosen. `PCIP` works for any matrix, but by rows it is no default:
   for matrices of finite elements it is often indefinite, and cg then fails (64 stripes on msc01440 of the SuiteSparse collection: after 4 iterations, where `PCJACOBI` takes 525), while others take about half the iterations
   with `-pc_subdeflation_pc_type ip` (bodyy4: 82 in place of 148). `blockic` suits both kinds. Offsets are counted on each MPI process, so a matrix that does not fit on one may fit on several.

   Subdomains are `stripes`, runs of consecutive block rows; `boxes` of grid cells; the parts of the `graph` of block rows that `MatPartitioning` finds (options with the prefix
   `pc_subdeflation_`; a PETSc without ParMETIS and the like cuts stripes); `material`, the connected components of strongly coupled rows, and `materialboxes`, these cut into
   boxes; `labels` and
   `vectors` of the program.

   The options of the inner preconditioner have the prefix `pc_subdeflation_` (its type is that of `-pc_subdeflation_pc_type`), those of the solver of
   `-pc_subdeflation_coarse ksp` the prefix `pc_subdeflation_coarse_`.

   When only values change subdomains and structures stay, except for `material` and `materialboxes`, whose subdomains follow the values. A Z, E and its inverse are made on the device when the matrix is there. Subdomains and structures
   are found there too, but for the parts of `graph`, given `labels`, materials of blocks or on several MPI processes, and, on several MPI processes, the numbers of all subdomains. A subdomain may have rows of several MPI processes; E is summed over them and its inverse is kept by each. With the coarse solver `inverse`, vectors on the devices and the transport `ipc` or `nccl` (`MATMPIBDIACUDA`), coarse vectors are summed on the devices by ascending rank; otherwise MPI sums them on the host.

   The dense inverse is used up to 8192 coarse unknowns, beyond that cg (gmres for matrices not known to be symmetric) to a relative 1e-3 on the sparse E. This solver's preconditioner is `PCAGGMG`. For boxes E is a `MATBDIA` on the
   grid of boxes, and with one unknown a cell `-pc_subdeflation_coarse_pc_type gridmg` takes `PCGRIDMG`. Such a coarse solve is not a fixed linear map: use a flexible method, `KSPFCG` or `KSPFGMRES`.

   When the matrix has a null space (`MatSetNullSpace()`) whose vectors are constant in each subdomain, as the constant for Neumann problems, E is singular and its pseudo-inverse is used.
   With all variants each vector v of the null space must have |A v| <= 1e-5 |A| |v|, with the largest entries of A's diagonal and of the vectors, and |A^T v| those of `MatSetTransposeNullSpace()`: set-ups and solves look at them where they or A are new. The same holds for an operator that is not the preconditioner's matrix, whose null spaces the Krylov method removes; for one without rows |A| is the largest entry of A times random numbers from 1 to 2. Null spaces of a transposed operator without rows are looked at only where it is a `MATSHELL` with `MatMultTranspose()`, and those of `MATMFFD`, whose products are differences, not at all. A matrix without a null space, but with
   |(A 1)_i| <= 64 eps |a_ii| in every row i, eps being the machine precision, is taken to have that of constants in the coarse problem, and the view says so. The Krylov method is
   not told: a right-hand side in the range of A gets its solution, and for another one the method fails as with any preconditioner, or says, as `KSPBCGS` and `KSPFUSEDBCGS` on the left do here and with `PCICC`, that it has converged, with an x that rounding has made huge.

   E is taken for singular where a vector has v^T E v <= 2 eps v^T D v, D_e being the sum of |a_ii| over the rows of subdomain e, since E's entries are not known better.

   The tolerances and the flag of a nonzero initial guess of the `KSP` are others while it solves, and what the program has set before and after, also when the solve ends in an error.

   Errors:
   `PETSC_ERR_MAT_CH_ZRPVT` or `PETSC_ERR_MAT_LU_ZRPVT` when E has no inverse or is singular to rounding, with its size, and what A does with its null vector;
   `PETSC_ERR_ARG_WRONG` for a vector of `MatSetNullSpace()` or `MatSetTransposeNullSpace()` that is not null, with its number and the ratio, and for linearly dependent vectors, with the number of the first; `PETSC_ERR_ARG_OUTOFRANGE` for labels out of range,
   sizes that are not positive, or more subdomains than rows; `PETSC_ERR_ARG_WRONGSTATE` for boxes without a grid; `PETSC_ERR_SUP` for too many materials and for `def1`, `def2` and `adef2` where they do not work, and for transposed applications with a matrix not known to be symmetric;
   `PETSC_ERR_FP` for NaN in the matrix.

   References:
   R. Gupta, Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow on the Graphical Processing Unit (GPU), M.Sc. thesis, Delft
   University of Technology, 2010, sections 3.3, 6.3, 7.4.1 and 7.5. J. M. Tang, R. Nabben, C. Vuik, Y. A. Erlangga, Comparison of two-level preconditioners derived from deflation,
   domain decomposition and multigrid methods, Journal of Scientific Computing 39, 2009, table 2 (the variants).

.seealso: `PCSubdeflationSetType()`, `PCSubdeflationSetVariant()`, `PCSubdeflationSetCoarse()`, `PCSubdeflationSetLabels()`, `PCSubdeflationSetVectors()`, `PCSubdeflationGetPC()`, `PCGRIDMG`, `PCAGGMG`, `PCIP`, `PCBLOCKIC`, `PCDEFLATION`
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
  Does nothing for a preconditioner of another type. Without a call, and with `auto`, which takes an earlier choice back, boxes are taken where a grid is known, and elsewhere stripes.

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
  Does nothing for a preconditioner of another type. Without a call it is the dense inverse up to 8192 coarse unknowns, and a `KSP` beyond.

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
- vectors - linearly independent vectors of the matrix's layout, of any length; they are kept, not copied

  Level: advanced

  Notes:
  Does nothing for a preconditioner of another type. Z and A Z are stored, 2n vectors, so this is for a few vectors, such as modes that converge slowly.
  The coarse problem is then solved by its dense inverse. When the program changes one of the vectors, the next solve or application makes the coarse problem anew,
  unless the preconditioner is to be kept (`PCSetReusePreconditioner()`).

  Errors:
  The set-up raises `PETSC_ERR_ARG_WRONG` for a vector that is zero or a combination of those before it, `PETSC_ERR_FP` for one with NaN, and `PETSC_ERR_ARG_SIZ` for one of
  another size; all name the vector's number.

.seealso: `PCSUBDEFLATION`, `PCSubdeflationSetLabels()`
@*/
PetscErrorCode PCSubdeflationSetVectors(PC pc, PetscInt n, const Vec vectors[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, n, 2);
  PetscCheck(n > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " deflation vectors: give at least one", n);
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
