/* PC "gridmg": red-black multigrid on nested boxes of a grid */
#include "gridmg.h"

static const char *const Storages[] = {"bf16", "single", "double"};

static PetscErrorCode SetUp(PC pc)
{
  PC_GridMG  *g = GridMG(pc);
  std::string why;

  PetscFunctionBegin;
  PetscCall(HeptaCheckNullSpaces(pc, g->checked_null));
  PetscCall(g->mg.SetUp(pc, g->grid_given, &why));
  PetscCheck(why.empty(), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PC gridmg cannot be used: %s. Take -pc_type aggmg, which needs no grid", why.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Up to three numbers, each at least `least` */
static PetscErrorCode TakeNumbers(PC pc, const char key[], const PetscInt read[4], PetscInt count, PetscInt least, PetscInt most)
{
  PetscFunctionBegin;
  PetscCheck(count > 0 && count <= 3, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONG, "%s takes one to three numbers",
             key);
  for (PetscInt k = 0; k < count; k++)
    PetscCheck(read[k] >= least && read[k] <= most, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
               "%s %" PetscInt_FMT " must be from %" PetscInt_FMT " to %" PetscInt_FMT, key, read[k], least, most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LevelsFromOptions(PC pc, HeptaGridMGChoice *c, PetscOptionItems PetscOptionsObject)
{
  PetscInt  size[4] = {0}, n = 4;
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscOptionsIntArray("-pc_gridmg_size",
                                 "Cells a side of the boxes, of each level; the last number for all that follow", "PCGRIDMG",
                                 size, &n, &flg));
  if (flg) PetscCall(TakeNumbers(pc, "-pc_gridmg_size", size, n, 2, 4));
  if (flg) c->sizes.assign(size, size + n);
  PetscCall(PetscOptionsInt("-pc_gridmg_levels", "Levels (default: until a dense inverse is cheap)", "PCGRIDMG", c->levels,
                            &c->levels, nullptr));
  PetscCall(HeptaCheckNotNegative(pc, "-pc_gridmg_levels", c->levels));
  PetscCall(PetscOptionsReal("-pc_gridmg_axis_strength", "Axes with couplings so strong against the strongest are coarsened",
                             "PCGRIDMG", c->strong, &c->strong, nullptr));
  PetscCheck(c->strong >= 0 && c->strong <= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_gridmg_axis_strength %g must be between 0 and 1", (double)c->strong);
  PetscCall(PetscOptionsInt("-pc_gridmg_gather", "Most cells of a level that each of several MPI processes gathers", "PCGRIDMG",
                            c->gather, &c->gather, &flg));
  c->gather_given = (PetscBool)(c->gather_given || flg);
  PetscCall(HeptaCheckNotNegative(pc, "-pc_gridmg_gather", c->gather));
  PetscCall(PetscOptionsInt("-pc_gridmg_block", "Most cells of the levels that one launch solves on a device, in float",
                            "PCGRIDMG", c->block, &c->block, nullptr));
  PetscCall(HeptaCheckNotNegative(pc, "-pc_gridmg_block", c->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CycleFromOptions(PC pc, HeptaGridMGChoice *c, PetscOptionItems PetscOptionsObject)
{
  const MPI_Comm comm    = PetscObjectComm((PetscObject)pc);
  PetscInt       storage = c->bf16 ? 0 : c->storage == HEPTA_MAT_STORAGE_SINGLE ? 1 : 2;
  PetscBool      flg;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInt("-pc_gridmg_sweeps", "Red-black sweeps before and after a coarse correction", "PCGridMGSetSweeps",
                            c->sweeps, &c->sweeps, nullptr));
  PetscCheck(c->sweeps == 1 || c->sweeps == 2, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_gridmg_sweeps %" PetscInt_FMT " must be 1 or 2", c->sweeps);
  PetscCall(PetscOptionsReal("-pc_gridmg_overcorrection", "Factor of the coarse corrections", "PCGRIDMG", c->overcorrection,
                             &c->overcorrection, nullptr));
  PetscCheck(c->overcorrection > 0 && c->overcorrection <= 16, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_gridmg_overcorrection %g must be positive and at most 16", (double)c->overcorrection);
  PetscCall(PetscOptionsEList("-pc_gridmg_storage", "Type of the couplings; with bf16 the arithmetic is in single", "PCGRIDMG",
                              Storages, 3, Storages[storage], &storage, &flg));
  c->storage       = storage == 2 ? HEPTA_MAT_STORAGE_DOUBLE : HEPTA_MAT_STORAGE_SINGLE;
  c->bf16          = !storage;
  c->storage_given = c->storage_given || flg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The choices on which a set-up depends */
static auto Choices(const PC_GridMG *g)
{
  const HeptaGridMGChoice &c = g->mg.choice;

  return std::make_tuple(c.sizes, c.levels, c.sweeps, c.overcorrection, c.strong, c.gather, c.block, c.storage, c.bf16,
                         g->grid_given[0], g->grid_given[1], g->grid_given[2]);
}

static PetscErrorCode PCSetFromOptions_GridMG(PC pc, PetscOptionItems PetscOptionsObject)
{
  PC_GridMG        *g       = GridMG(pc);
  const auto        before  = Choices(g);
  HeptaGridMGChoice choice  = g->mg.choice; /* a copy, which is taken over only if all options are valid */
  PetscInt          grid[4] = {0}, n = 4;
  PetscBool         flg;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Multigrid on boxes of a grid");
  PetscCall(LevelsFromOptions(pc, &choice, PetscOptionsObject));
  PetscCall(CycleFromOptions(pc, &choice, PetscOptionsObject));
  PetscCall(PetscOptionsIntArray("-pc_gridmg_grid", "Grid of the rows in natural order", "PCGridMGSetGrid", grid, &n, &flg));
  if (flg) PetscCall(TakeNumbers(pc, "-pc_gridmg_grid", grid, n, 1, PETSC_INT_MAX));
  if (flg) std::copy(grid, grid + n, g->grid_given);
  g->mg.choice = choice;
  PetscOptionsHeadEnd();
  if (before != Choices(g)) PetscCall(HeptaPCStartAnew(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   PCGRIDMG - "gridmg" - Multigrid on nested boxes of a grid, with red-black smoothing, for 5- and 7-point operators

   When to take it:
   Take `PCGRIDMG` in `KSPFUSEDCG` for one unknown a cell on a known grid. Take `PCAGGMG` for coefficients that jump from cell to
   cell, for channels of one or two cells, and for couplings that are 100 times stronger along an axis.

   Options Database Keys:
+ -pc_type gridmg                - sets the preconditioner type to `PCGRIDMG`
. -pc_gridmg_grid <J,H,I>        - the grid of the rows in natural order, if the matrix and the `KSP` have no `DMDA`
. -pc_gridmg_sweeps <2>          - red-black sweeps before and after each coarse correction, 1 or 2
. -pc_gridmg_overcorrection <2>  - factor of the coarse corrections
. -pc_gridmg_size <2>            - cells along a side of the boxes, 2 to 4, for each level; the last number serves all further
                                   levels
. -pc_gridmg_levels <0>          - levels; 0: until a dense inverse is cheap
. -pc_gridmg_storage <bf16>      - type of the couplings: `bf16`, `single` or `double`. With `bf16` the arithmetic is in single.
. -pc_gridmg_axis_strength <0.25> - an axis with weaker couplings, relative to the strongest axis, is not coarsened
. -pc_gridmg_block <4096>        - on a device, in float, the most cells of the levels that one launch solves
- -pc_gridmg_gather <n>          - on several MPI processes the most cells of a level that each MPI process gathers

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -m 64 -n 64 -mat_type bdia -mat_bdia_grid 64,64,1 -ksp_type fusedcg -pc_type gridmg
     ./app -dll_append /path/to/libhepta.so -dm_mat_type bdia -ksp_type fusedcg -pc_type gridmg
.ve

   Limits:
   Some indefinite matrices are accepted: `KSPGMRES` on the left may then end with a large true residual. In a grid with closed
   walls on all sides, where the largest contrast of the coefficients times the ratio of the axes' couplings is above 1e10,
   `KSPCG` may converge to a small residual with a wrong answer (22 x 29 x 6 cells, channels of 1e7, an axis of 1e4: residual
   3e-9, error 1.5; `PCICC` 2e-4), or end with `KSP_DIVERGED_INDEFINITE_PC`. With `-pc_gridmg_storage bf16` or `single` `KSPGMRES`
   may report convergence with a true residual of 2e-2 on such a grid: leave the option out.

   Level: beginner

   Notes:
   A level is a grid of cells with an unknown each; a cell is coupled with its neighbors along the axes. The boxes of 2 cells
   along a side are the cells of the next level, with the matrix P^T A P, P having ones in the rows of a box. An application to r
   is

.vb
     red-black sweeps from z = 0, first in red cells (i, j, k), of even i + j + k: z_m <- (r_m - sum a_mq z_q) / a_mm
     the next level's r <- P^T (r - A z)
     the next level's z by the same steps, or by the dense inverse on the last level
     z <- z + overcorrection P (the next level's z)
     red-black sweeps from z, first in black cells, then in red cells
.ve

   An application is linear, symmetric, and positive definite if A is. Couplings are stored in bf16. The diagonal comes from the
   rounded couplings and A's row sums in float, so that the rounded matrix has A's null space.

   The matrix is symmetric, positive definite or with a null space of constants, of type `MATBDIA` or of a type that
   `MatConvert()` takes to `MATBDIA`. Any other structure is an error that says why: take `PCAGGMG`. Rounding that hides the
   couplings of a box with other boxes (a contrast of 1e15) is an error too. On several MPI processes each process has whole
   planes of the grid's last axis. The first levels are slabs of planes. Each process gathers the first level of at most 16384
   cells, on GPUs 131072 (`-pc_gridmg_gather`), or with fewer planes on a process than a box has, or than its neighbors read (6
   with two sweeps, 2 with one), and all levels after. A level of more than 4194304 cells that would be gathered for want of
   planes is an error, unless `-pc_gridmg_gather` allows so many.

   A method that would report less than its true residual, or fail, with a preconditioner in float (`KSPBCGS`, `KSPGMRES` and
   others) gets arithmetic in double: the first solve sets the levels up once more, unless `-pc_gridmg_storage` decides.

   The levels are made where the matrix's vectors are; the host converts other types than `MATBDIA`.

   References:
   See `PCSUBDEFLATION` for boxes of cells as coarse unknowns. Over-correction: R. Blaheta, A multilevel method with correction by
   aggregation for solving discrete elliptic problems, Aplikace Matematiky 31, 1986; D. Braess, Towards algebraic multigrid for
   elliptic problems of second order, Computing 55, 1995. Red-black smoothing: K. Stueben, U. Trottenberg, Multigrid methods:
   fundamental algorithms, model problem analysis and applications, Lecture Notes in Mathematics 960, 1982.

.seealso: `PCGridMGSetGrid()`, `PCGridMGSetSweeps()`, `PCAGGMG`, `KSPFUSEDCG`, `PCMG`, `PCGAMG`, `PCHYPRE`
M*/

static PetscErrorCode PCGridMGSetGrid_GridMG(PC pc, PetscInt J, PetscInt H, PetscInt I)
{
  PC_GridMG     *g      = GridMG(pc);
  const PetscInt grid[] = {J, H, I};

  PetscFunctionBegin;
  if (!std::equal(grid, grid + 3, g->grid_given)) PetscCall(HeptaPCStartAnew(pc));
  std::copy(grid, grid + 3, g->grid_given);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCGridMGSetGrid - Tells `PCGRIDMG` the grid of the rows in natural order

  Logically Collective

  Input Parameters:
+ pc - the preconditioner
. J  - the number of cells along the first axis, whose neighbors are next to each other
. H  - the number of cells along the second axis, 1 in one dimension
- I  - the number of cells along the third axis, 1 in two dimensions

  Options Database Key:
. -pc_gridmg_grid <J,H,I> - the grid

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. Not needed with a `DMDA` or a `MATBDIA` that knows its grid
  (`MatBDIASetGrid()`).

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is not positive. The set-up raises `PETSC_ERR_ARG_SIZ` for a grid of more or fewer
  cells than rows.

.seealso: `PCGRIDMG`, `MatBDIASetGrid()`
@*/
PetscErrorCode PCGridMGSetGrid(PC pc, PetscInt J, PetscInt H, PetscInt I)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, J, 2);
  PetscValidLogicalCollectiveInt(pc, H, 3);
  PetscValidLogicalCollectiveInt(pc, I, 4);
  PetscCheck(J > 0 && H > 0 && I > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCGridMGSetGrid(): the grid %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT
             " must have positive numbers of cells",
             J, H, I);
  PetscTryMethod(pc, "PCGridMGSetGrid_C", (PC, PetscInt, PetscInt, PetscInt), (pc, J, H, I));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCGridMGSetSweeps_GridMG(PC pc, PetscInt sweeps)
{
  PetscFunctionBegin;
  if (sweeps != GridMG(pc)->mg.choice.sweeps) PetscCall(HeptaPCStartAnew(pc));
  GridMG(pc)->mg.choice.sweeps = sweeps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCGridMGSetSweeps - Sets the red-black sweeps of `PCGRIDMG` before and after each coarse correction

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner
- sweeps - 1 or 2, the default; one sweep takes 1.4 to 2.1 times the iterations

  Options Database Key:
. -pc_gridmg_sweeps <2> - the sweeps

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for another number.

.seealso: `PCGRIDMG`
@*/
PetscErrorCode PCGridMGSetSweeps(PC pc, PetscInt sweeps)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, sweeps, 2);
  PetscCheck(sweeps == 1 || sweeps == 2, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCGridMGSetSweeps(): the sweeps %" PetscInt_FMT " must be 1 or 2", sweeps);
  PetscTryMethod(pc, "PCGridMGSetSweeps_C", (PC, PetscInt), (pc, sweeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_GridMG(PC pc)
{
  PetscFunctionBegin;
  PetscCall((HeptaMultigridCreate<HeptaGridMG, &HeptaEvents::gridmg_apply>(pc, new PC_GridMG)));
  pc->ops->setup          = HeptaNoThrow<HeptaPCSetUp<&HeptaEvents::gridmg_setup, SetUp>>;
  pc->ops->applytranspose = HeptaNoThrow<HeptaMultigridApply<HeptaGridMG, &HeptaEvents::gridmg_apply>>; /* B is symmetric */
  pc->ops->setfromoptions = HeptaNoThrow<PCSetFromOptions_GridMG>;
  PetscCall(HeptaPCComposeFunction(pc, "PCGridMGSetGrid_C", HeptaNoThrow<PCGridMGSetGrid_GridMG>));
  PetscCall(HeptaPCComposeFunction(pc, "PCGridMGSetSweeps_C", HeptaNoThrow<PCGridMGSetSweeps_GridMG>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
