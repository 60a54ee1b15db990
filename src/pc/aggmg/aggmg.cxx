/* PC "aggmg": algebraic multigrid by smoothed aggregation */
#include "aggmg.h"

static PetscErrorCode SetUp(PC pc)
{
  PetscFunctionBegin;
  PetscCall(HeptaCheckNullSpaces(pc, AggMG(pc)->checked_null));
  PetscCall(AggMG(pc)->mg.SetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr auto Apply = HeptaMultigridApply<HeptaAggMG, &HeptaEvents::aggmg_apply>;

static PetscErrorCode ApplyTranspose(PC pc, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  PetscCheck(AggMG(pc)->mg.IsSymmetric(), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PC aggmg has no transpose for a matrix that is not symmetric: take a method without products with the transpose, "
             "as KSPGMRES or KSPBCGS, or PCGAMG");
  PetscCall(Apply(pc, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetCoordinates_AggMG(PC pc, PetscInt dim, PetscInt n, PetscReal coordinates[])
{
  PetscFunctionBegin;
  PetscCheck(dim >= 1 && dim <= 3 && n >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "PC aggmg: PCSetCoordinates() takes 1 to 3 coordinates of each node, not %" PetscInt_FMT " of %" PetscInt_FMT
             " nodes",
             dim, n);
  PetscCall(AggMG(pc)->mg.coordinates.Set(dim, n, coordinates));
  PetscCall(HeptaPCStartAnew(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V, V HeptaAggMGChoice::*choice> static PetscErrorCode Choose(PC pc, V value)
{
  HeptaAggMGChoice c = AggMG(pc)->mg.choice;

  PetscFunctionBegin;
  c.*choice = value;
  PetscCall(HeptaAggMGChoose(pc, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   PCAGGMG - "aggmg" - Algebraic multigrid by smoothed aggregation, in float, for matrices of any mesh

   When to take it:
   Take `PCAGGMG` for a matrix without a grid: symmetric positive definite, elasticity too, or of convection and diffusion. For
   one unknown a cell on a grid try `PCGRIDMG` first.

   Options Database Keys:
+ -pc_type aggmg                 - sets the preconditioner type to `PCAGGMG`
. -pc_aggmg_degree <2>           - degree of the Chebyshev polynomials before and after each coarse correction, 2 to 4
. -pc_aggmg_threshold <0.01>     - couplings weaker than the threshold, relative to the diagonals, do not aggregate; halved on
                                   each level, but at least 0.03 on coarse levels
. -pc_aggmg_coarse_size <500>    - the most rows of a level that is not coarsened; a last level of at most so many rows, or 1000,
                                   is solved by its dense inverse
. -pc_aggmg_levels <0>           - the most levels, without a copy of the matrix; 0: until a dense inverse is cheap
. -pc_aggmg_gather <65536>      - on several MPI processes the most rows of a level that each MPI process gathers; at least the
                                  coarse size
. -pc_aggmg_smooth_prolongation <true> - smooth the prolongation; `false`, plain aggregates, is the default on levels far from
                                         symmetric
. -pc_aggmg_reuse_interpolation <true> - keep the prolongation when the values of the matrix change and its structure does not
- -pc_aggmg_storage <single>     - type of the levels: `single` or `double`; the default is `double` for methods that would report
                                   less than their true residual with `single`, as `KSPGMRES` and `KSPBCGS`, and within other
                                   preconditioners

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type brow -ksp_type fusedcg -pc_type aggmg
.ve

   Limits:
   A diagonal entry that is 0, or has another sign than the first diagonal entry, is an error. Aggregates do not cross MPI
   processes.

   Level: beginner

   Notes:
   Nodes are blocks of rows of the matrix's block size. Aggregates gather nodes about roots; two roots are more than two couplings
   apart. The prolongation is P = (I - 4/3 W A) P_0, with W = 1 / (rho D), rho being a bound of the largest eigenvalue of D^-1 A.
   P_0 has near null vectors in its columns, orthonormal in each aggregate: of `MatSetNearNullSpace()`, otherwise rigid-body modes
   by `PCSetCoordinates()` if a node has as many unknowns as coordinates, otherwise constants. The next level's matrix is P^T A P.
   A V-cycle smooths before and after each correction with one polynomial in W A, whose error is less than one for all
   eigenvalues, so that the preconditioner is symmetric and positive definite if A is. A last level without an inverse is smoothed
   twice; M A has no eigenvalue above one. With a threshold A is filtered before the
   smoothing of P: couplings below the threshold, on coarse levels below a third of the threshold, are added to the diagonal.
   Without the filter couplings that are strong in one direction alone would fill the coarse matrices.

   rho is the largest Ritz value of ten steps of the Lanczos method plus its residual and a twentieth, or the largest row sum of
   |D^-1 A|, if less. New values keep rho; in a row whose sum of |a_ij| / a_ii has grown, rho grows as much, up to this sum.

   The levels are made where the matrix's vectors are, on a device by kernels. New values of an unchanged structure keep P, as in
   `PCGAMG`, and only products and the dense inverse are made again.

   On several MPI processes each process has its rows of the large levels, and aggregates of its own nodes; the first coarse level
   of at most 65536 rows (`-pc_aggmg_gather`) and the levels after it are copied to each process. With degree 2 a cycle has four
   or five exchanges of ghost values on a large level, and one gathering. The second level is a copy of the matrix on each process
   if the matrix has at most `-pc_aggmg_coarse_size` rows, or at most 65536 rows and aggregates of fewer than two nodes, because
   most neighbors of a node are on other processes.

   Solve matrices that are not symmetric by `KSPGMRES`, `KSPBCGS` or `KSPFUSEDBCGS`. On a level whose sum of |a_ij - a_ji| exceeds
   a fifth of the sum of |a_ij| + |a_ji|, i != j, aggregates are not smoothed, corrections are taken 1.5 times, and the smoother
   is the method of Jacobi, damped by 1.8 over the largest row sum of |D^-1 A|, for upwind schemes of convection. `MatSetOption()`
   with `MAT_SYMMETRIC` declares a matrix symmetric; otherwise each set-up compares entries (i, j) and (j, i).

   Near null vectors whose energy on the last level is zero to rounding count as the last level's null space, with and without
   `MatSetNullSpace()`.

   For a negative definite matrix, with a negative first diagonal entry, the preconditioner is minus the preconditioner of -A, as
   in `PCGAMG`.

   References:
   P. Vanek, J. Mandel, M. Brezina, Algebraic multigrid by smoothed aggregation for second and fourth order elliptic problems,
   Computing 56, 1996, sections 3 and 5. N. Bell, S. Dalton, L. Olson, Exposing fine-grained parallelism in algebraic multigrid
   methods, SIAM Journal on Scientific Computing 34, 2012, section 4. J. Lottes, Optimal polynomial smoothers for multigrid
   V-cycles, Numerical Linear Algebra with Applications 30, 2023, section 4.

.seealso: `PCGRIDMG`, `PCSUBDEFLATION`, `PCGAMG`, `KSPFUSEDCG`, `MatSetNearNullSpace()`, `PCSetCoordinates()`,
   `PCAggMGSetThreshold()`, `PCAggMGSetReuseInterpolation()`
M*/

PetscErrorCode PCCreate_AggMG(PC pc)
{
  PetscFunctionBegin;
  PetscCall((HeptaMultigridCreate<HeptaAggMG, &HeptaEvents::aggmg_apply>(pc, new PC_AggMG)));
  pc->ops->setup          = HeptaNoThrow<HeptaPCSetUp<&HeptaEvents::aggmg_setup, SetUp>>;
  pc->ops->applytranspose = HeptaNoThrow<ApplyTranspose>;
  pc->ops->setfromoptions = HeptaNoThrow<HeptaAggMGSetFromOptions>;
  PetscCall(HeptaPCComposeFunction(pc, "PCSetCoordinates_C", HeptaNoThrow<PCSetCoordinates_AggMG>));
  PetscCall(HeptaPCComposeFunction(pc, "PCAggMGSetThreshold_C", HeptaNoThrow<Choose<PetscReal, &HeptaAggMGChoice::threshold>>));
  PetscCall(
    HeptaPCComposeFunction(pc, "PCAggMGSetReuseInterpolation_C", HeptaNoThrow<Choose<PetscBool, &HeptaAggMGChoice::reuse>>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
