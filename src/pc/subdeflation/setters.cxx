/* Manual page and setters of the subdomain deflation */
#include "subdeflation.h"

/*MC
   PCSUBDEFLATION - "subdeflation" - Subdomain deflation: coarse corrections over subdomains, on two levels with any inner preconditioner or on many in a cycle over boxes or other aggregates

   Options Database Keys:
+ -pc_type subdeflation                     - sets the preconditioner type to `PCSUBDEFLATION`
. -pc_subdeflation_type <auto>              - kind of subdomains, as `PCSubdeflationSetType()`; `auto` is boxes where a grid is known, and elsewhere strength, or on two levels stripes
. -pc_subdeflation_variant <cycle>          - how the levels are joined, as `PCSubdeflationSetVariant()`; the default is the cycle where the matrix fits it or no grid is known, and adef2 elsewhere
. -pc_subdeflation_overcorrection <1.8>     - `cycle`: factor of the corrections from coarser levels; the default is 1.5 for other aggregates than boxes
. -pc_subdeflation_cycle_type <v>           - `cycle`: `v` or `w`; in a W-cycle each level but the first and the last is visited twice; the default is `w` for other aggregates than boxes
. -pc_subdeflation_smoother <ip>            - `cycle`: `ip`, `l1jacobi`, or `jacobi`, `pbjacobi` and `vpbjacobi`, which are damped by 2/3, or any other type of PC, such as `blockic`; a cycle is asked for with it. For other aggregates than boxes the default is `ip` or `l1jacobi`, by the matrix
. -pc_subdeflation_smooth_pre <1>           - `cycle`: smoothing steps before each correction; 0 is allowed if there are steps after it
. -pc_subdeflation_smooth_post <1>          - `cycle`: smoothing steps after each correction; 0 is allowed if there are steps before it
. -pc_subdeflation_axis_strength <0.25>     - `cycle`: boxes of a level have one cell along axes whose couplings are weaker than this times the strongest; the view names these axes and levels
. -pc_subdeflation_levels <n>               - `cycle`: number of levels; the default is as many as lead to 256 unknowns, 1024 on the device
. -pc_subdeflation_count <n>                - number of subdomains of `stripes` and `graph`, and the most subdomains of `labels`; default 1024
. -pc_subdeflation_size <n|nx,ny,nz>        - cells along a side of a box; the default makes about 2048 boxes, fewer in small grids. With the variant `cycle` asked for: along all sides, for each level, the last for all that follow; default 2
. -pc_subdeflation_grid <nx,ny,nz>          - the grid behind the block rows, x fastest, where neither a `DMDA` nor the matrix (`-mat_bdia_grid`) tells it
. -pc_subdeflation_strength <0.08>          - `material`: couplings |a_ij| / sqrt(a_ii a_jj) at least so large join rows
. -pc_subdeflation_max <8192>               - `material`: more components are an error
. -pc_subdeflation_coarse <inverse>         - coarse solver, as `PCSubdeflationSetCoarse()`
- -pc_subdeflation_coarse_storage <double>  - `double` or `single`: type of the dense inverse

   Level: beginner

   Notes:
   For 5- and 7-point operators with one unknown a cell take `PCGRIDMG`, which takes less time for the same matrices. On many levels this preconditioner is for the others: blocks, couplings over the ends of lines or with cells that are
   not next to each other, matrices that are not symmetric or not definite, MPI processes whose rows cut planes, unknown grids, other subdomains, other smoothers.

   The variant `cycle` is the default without a grid, and with one for block size 1 and symmetric matrices that are diagonally dominant and have at most 7 entries a row, where no option or call chooses a part of the two-level method: another variant, a type other
   than boxes, the size or number of subdomains, the coarse solver, or the inner preconditioner. Otherwise, and where values do not fit, two levels are taken, and the view says why. Rounding is one such reason, see below. The symmetry is looked for in products with random numbers where `MatSetOption()` does not tell
   it. An application z = B r is, on a level with the matrix A, the preconditioner M of `PCIP` and P with ones in the rows of each box,

.vb
     z <- M r
     z_c <- B_c P^T (r - A z)         the same on the next level, whose matrix is P^T A P; an exact solve with a dense inverse on the last
     z <- z + 1.8 P z_c
     z <- z + M (r - A z)
.ve

   which is linear, and with the default steps symmetric and positive definite for such matrices. Piecewise constant corrections are too small, by a factor of nearly 2 for smooth errors, hence 1.8; with boxes of 2 cells a side 2.0 differs by an iteration at most, with boxes of 3 or 4 it saves up to 3 of 23 to 44 (docs/studies.md). M needs no scaling: the largest eigenvalue of
   M A is 1.1 to 1.5. Boxes have two cells along a side, the last three where the number is odd.

   In a W-cycle (`-pc_subdeflation_cycle_type w`) the second visit of a level solves for the residual of the first: I - B_2 A = (I - B_1 A)^2 there. More than one smoothing step takes the residual of the one
   before. B is symmetric if there are as many steps before as after a correction; otherwise the view says that it is not, and `KSPCG`, `KSPMINRES` and other methods for symmetric preconditioners refuse it.
   Damped Jacobi is z = 2/3 D^-1 r: with couplings that are not positive the eigenvalues of D^-1 A are at most 2, those of I - 2/3 D^-1 A between -1/3 and 1.

   The number of iterations grows where boxes join cells that are hardly coupled: thin channels, coefficients that jump from cell to cell, couplings 100 times stronger along an axis (57 iterations in place of 15 on 256^2 cells).

   A level is a `MATBDIA` or
   `MATBROW`, with its vectors where those of the matrix are; a block row belongs to one aggregate, and its fields stay apart. The next level's matrix, P^T A P, is assembled from the level's entries by `MatSetValuesCOO()`; new values of a matrix
   are one such pass a level, on the device where the vectors are there, while the structure stays. The transposed application is that of A^T, with the smoother's transposed application. Nothing in it is a `KSP`. On one MPI process, with `ip`, `l1jacobi`, `blockic`, or a factorization by `bbs` as smoother, its launches stand in the recordings of `KSPFUSEDCG`; with other smoothers, or on several MPI processes, they do not. For other matrices on a known grid it is no default, since it does not win everywhere. On one core of
   the host adef2 takes this many times as long for a changed matrix, set-up and solve: General Hepta on 256^2 to 512^2 cells 2.3 to 5.9, on 40^3 to 64^3 1.2 to 2.6; blocks of 2 2.9 to 5.7 and 1.7 to 3.4, of 4 8.4 to 14 and 3.6 to 7.6; convection with couplings 0.02 times stronger in one direction 4.3 to 8.1 and 2.4 to 3.9, 0.2 times 1.0 to 2.5 and 1.4 to 2.7, 2 times 1.0 to 2.1 and 0.8 to 1.8. With the first set-up it is 0.7 to 12, and on 64^2 and 20^3 cells 0.3 to 1.5, a matter of 3 to 25 ms. Ask for it where a matrix is symmetric and large or changes often, with blocks also as W-cycle (14 iterations in place of 24 on
   256^2 blocks of 2). Where convection dominates do not: with couplings 10 times stronger in one direction it takes 210 iterations on 128^2 cells where adef2 takes 154, with 100 times it does not converge (368). -pc_subdeflation_overcorrection 1 helps in between (83 in place of 210, 36 in place of 65 for 2 times). On a GPU its set-up takes 20 to 30 ms at 1 million rows, where that of `PCGRIDMG` takes 0.2 ms.

   Its aggregates are boxes where a grid is known and no other type is chosen; the subdomains of another type (`materialboxes` with 2 cells a side if no size is given) on the first level, and below them, or with the type `strength`, or without a grid, strongly coupled rows. Of these
   each row is paired with the free row that it is coupled with most strongly, if that coupling has at least a quarter of the strongest of one of the two; rows that are left join the pair of their strongest neighbor; then the pairs are paired in the same way. A coupling is -a_ij, with the other
   sign beside a negative diagonal, for blocks the Frobenius norm, and the mean of both directions. Subdomains of `material` and `materialboxes` follow the values; aggregates by strength stay while the structure does. They, the structures that follow from them, and the last level's dense matrix are made where the matrix is, for block size 1 on one MPI process and where an entry (i, j) has one at (j, i); otherwise the pairs are found on the host. Both find the same. Strength is for channels and coefficients that jump from cell to cell: on 256^2 cells 19 iterations
   in place of 54 with boxes in a W-cycle and 115 with adef2 (lines of one cell, contrast 1e4), 92 in place of 104 and 271 (cells independent of each other, 1e7); on a smooth field boxes are better (13 in place of 19).

   On several MPI processes an aggregate of these levels has rows of one process. Boxes are cut in the smallest part of the grid that has all cells of a process, be these any rows of a grid in natural order or the cells of a `DMDA`; a process with parts of lines or planes may
   have boxes with fewer cells. Subdomains of other types that have rows of several processes are cut where these end, and strength counts couplings within a process. The levels are parallel matrices with parallel smoothers, so a smoother must be a PC for several processes (`ip`, `jacobi`,
   `pbjacobi`, `blockic`, `bjacobi`, `sor`). Restriction and prolongation send nothing. The last level is gathered by all, and each solves for it. Iterations are those of one process but for 3 on 64^2 cells and 2 to 4 processes (thin channels, a disk with a contrast of 1000, convection, blocks on 12 x 10 x 12 cells), but at a contrast of 1e7 up to 1.7 times as many, since the ends of the processes' rows cut what should stay together. The aggregates end at one for each process, so on P processes with blocks of bs the last level has at least P bs unknowns; more than 4096 are an error.
   The locations of a level's entries are then planned on the host; its values go from level to level on the device all the same.

   The smoother's options have the prefix `pc_subdeflation_smoother_`. For other aggregates than boxes the default is `PCIP` for block size 1 and rows of up to 7 entries with a_ii >= sum |a_ij| over j != i, and otherwise `PCL1JACOBI`; new values decide anew, and the view gives the reason. A cycle for a positive definite matrix is positive definite, with over-corrections below 2 as W-cycle too, where the smoother converges: `PCL1JACOBI` does for each of them, `PCIP` for couplings that are not positive.

   On two levels Z has one column for each subdomain (with block size bs > 1 one for each subdomain and field), one in its rows and zero elsewhere; it is not stored. With
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

   The dense inverse is used up to 8192 coarse unknowns, beyond that cg (gmres for matrices not known to be symmetric) to a relative 1e-3 on the sparse E. For boxes E is a `MATBDIA` on the
   grid of boxes, and this solver's preconditioner is `PCSUBDEFLATION` again; `-pc_subdeflation_coarse_pc_type gridmg` takes `PCGRIDMG`, for one unknown a cell. Such a coarse solve is not a fixed linear map: use a flexible method, `KSPFCG` or `KSPFGMRES`.

   When the matrix has a null space (`MatSetNullSpace()`) whose vectors are constant in each subdomain, as the constant for Neumann problems, E is singular and its pseudo-inverse is used.
   With all variants each vector v of the null space must have |A v| <= 1e-5 |A| |v|, with the largest entries of A's diagonal and of the vectors, and |A^T v| those of `MatSetTransposeNullSpace()`: set-ups and solves look at them where they or A are new. The same holds for an operator that is not the preconditioner's matrix, whose null spaces the Krylov method removes; for one without rows |A| is the largest entry of A times random numbers from 1 to 2. Null spaces of a transposed operator without rows are looked at only where it is a `MATSHELL` with `MatMultTranspose()`, and those of `MATMFFD`, whose products are differences, not at all. A matrix without a null space, but with
   |(A 1)_i| <= 64 eps |a_ii| in every row i, eps being the machine precision, is taken to have that of constants in the coarse problem, and the view says so. The Krylov method is
   not told: a right-hand side in the range of A gets its solution, and for another one the method fails as with any preconditioner, or says, as `KSPBCGS` and `KSPFUSEDBCGS` on the left do here and with `PCICC`, that it has converged, with an x that rounding has made huge.

   E is taken for singular where a vector has v^T E v <= 2 eps v^T D v, D_e being the sum of |a_ii| over the rows of subdomain e, since E's entries are not known better. A cycle is refused already where max a_mm (E^-1)_qq > 0.01 / eps, in double 4.5e13, with the rows m of an unknown q of the last level, whose matrix is E. There the diagonal has lost what couples these rows with others. Contrast times anisotropy gives about this ratio: compare with `icc` or `jacobi` beyond 1e12. Of 720 solves of random grids at a contrast of 1e15, levels of matrices without this check gave 10 wrong answers as converged. With it they gave none, and 138 more ended in this refusal.

   The tolerances and the flag of a nonzero initial guess of the `KSP` are others while it solves, and what the program has set before and after, also when the solve ends in an error.

   Errors:
   `PETSC_ERR_MAT_CH_ZRPVT` or `PETSC_ERR_MAT_LU_ZRPVT` when E has no inverse or is singular to rounding, with its size, and what A does with its null vector;
   `PETSC_ERR_ARG_UNKNOWN_TYPE` for a smoother that is no type of PC; `PETSC_ERR_ARG_WRONG` for a vector of `MatSetNullSpace()` or `MatSetTransposeNullSpace()` that is not null, with its number and the ratio, and for linearly dependent vectors, with the number of the first; `PETSC_ERR_ARG_OUTOFRANGE` for labels out of range,
   sizes that are not positive, or more subdomains than rows; `PETSC_ERR_ARG_WRONGSTATE` for boxes without a grid; `PETSC_ERR_SUP` for a matrix that does not fit the variant `cycle` where this is asked for, with the reason, for choices that clash with the cycle, with both, for too many materials and for `def1`, `def2` and `adef2` where they do not work, and for transposed applications with a matrix not known to be symmetric;
   `PETSC_ERR_FP` for NaN in the matrix.

   References:
   R. Gupta, Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow on the Graphical Processing Unit (GPU), M.Sc. thesis, Delft
   University of Technology, 2010, sections 3.3, 6.3, 7.4.1 and 7.5. J. M. Tang, R. Nabben, C. Vuik, Y. A. Erlangga, Comparison of two-level preconditioners derived from deflation,
   domain decomposition and multigrid methods, Journal of Scientific Computing 39, 2009, table 2 (the variants). The cycle: sections 3.2.2, 3.3 and 10 of the thesis for its parts; over-correction of aggregates: R. Blaheta, A multilevel method
   with correction by aggregation for solving discrete elliptic problems, Aplikace Matematiky 31, 1986; D. Braess, Towards algebraic multigrid for elliptic problems of second
   order, Computing 55, 1995; Y. Notay, An aggregation-based algebraic multigrid method, Electronic Transactions on Numerical Analysis 37, 2010.

.seealso: `PCSubdeflationSetType()`, `PCSubdeflationSetVariant()`, `PCSubdeflationSetCoarse()`, `PCSubdeflationSetLabels()`, `PCSubdeflationSetVectors()`, `PCSubdeflationGetPC()`, `PCGRIDMG`, `PCIP`, `PCBLOCKIC`, `PCDEFLATION`, `PCGAMG`
M*/

/*@
  PCSubdeflationSetType - Sets how `PCSUBDEFLATION` partitions the rows into subdomains

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner
- type - one of `HeptaSubdeflationType`

  Options Database Key:
. -pc_subdeflation_type <auto> - `stripes`, `boxes`, `graph`, `material`, `materialboxes`, `labels`, `vectors`, `strength` or `auto`

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. Without a call, and with `auto`, which takes an earlier choice back, boxes are taken where a grid is known, and elsewhere strength, or on two levels stripes. `strength` is for the variant `cycle`, which it asks for.

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
. -pc_subdeflation_variant <cycle> - `def1`, `def2`, `adef1`, `adef2`, `bnn` or `cycle`

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. Without a call it is `cycle` where the matrix fits it, or no grid is known, and no part of the two-level method is chosen, and `adef2` elsewhere.

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
