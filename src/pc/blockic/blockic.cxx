/* PC "blockic": IC(0) or ILU(0) of independent blocks of rows */
#include "blockic.h"

#include "../../shared/arrays.h"

using namespace hepta;
using namespace hepta::blockic;

const char *const HeptaBlockICBlockNames[] = {"lines", "boxes", "rows", "HeptaBlockICBlocks", "HEPTA_BLOCKIC_", nullptr};

static PetscErrorCode SetUp(PC pc)
{
  bool same;

  PetscFunctionBegin;
  PetscCall(BlockIC(pc)->op.Update(pc, HeptaForm::full_diagonals, HeptaForm::block_rows, &same));
  PetscCall(HeptaBlockICFactor(pc, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V>
static PetscErrorCode Scan(PC_BlockIC *ic, const Factors &F, const Blocks &B, const V *values, bool transpose,
                           const HeptaArrays &p)
{
  Sweep<V> sweep[2];

  PetscFunctionBegin;
  ic->scan.Sweeps(F, values, transpose, sweep);
  HeptaLaunch(p.space, scan, sweep[0], sweep[1], B, F.v + std::size_t(F.main) * F.ld, p.x, p.y);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveByScan(PC_BlockIC *ic, bool transpose, Vec x, Vec y)
{
  HeptaArrays p;
  Factors     F;
  Blocks      B;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(x, nullptr, y, &p));
  PetscCall(ic->scan.Views(p.space, HeptaAccess::read, &F, &B));
  if (F.rounded) PetscCall(Scan(ic, F, B, F.rounded, transpose, p));
  else PetscCall(Scan(ic, F, B, F.v, transpose, p));
  PetscCall(HeptaArraysRestore(x, nullptr, y, &p));
  PetscCall(HeptaLogFlops(p.space, 2. * F.nd * ic->op.A->rmap->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool transpose> static PetscErrorCode Apply(PC pc, Vec x, Vec y)
{
  PC_BlockIC *ic = BlockIC(pc);

  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  if (ic->factors) PetscCall(ic->factors->Solve(transpose ? HeptaSolve::transposed : HeptaSolve::all, x, y));
  else PetscCall(SolveByScan(ic, transpose, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCReset_BlockIC(PC pc)
{
  PC_BlockIC *ic = BlockIC(pc);

  PetscFunctionBegin;
  ic->stage = HeptaPCStage::none;
  PetscCall(ic->op.Reset());
  ic->factors.reset();
  PetscCall(ic->scan.values.Free());
  PetscCall(ic->scan.rounded.Free());
  PetscCall(ic->report.Free());
  ic->built = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The choices on which the factors depend */
static std::vector<PetscReal> Choices(const PC_BlockIC *ic)
{
  return {(PetscReal)ic->given_blocks, (PetscReal)ic->given_size, (PetscReal)ic->given_shift, ic->given_amount,
          (PetscReal)ic->grid[0],      (PetscReal)ic->grid[1],    (PetscReal)ic->grid[2],     (PetscReal)ic->single};
}

static PetscErrorCode GetStorage(PetscOptionItems PetscOptionsObject, bool *single)
{
  PetscInt storage = *single;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-pc_blockic_storage", "Type of the values of L and V in solves", "PCBLOCKIC", HeptaMatStorages, 2,
                              HeptaMatStorages[storage], &storage, nullptr));
  *single = storage == HEPTA_MAT_STORAGE_SINGLE && sizeof(Scalar) > sizeof(float);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetFromOptions_BlockIC(PC pc, PetscOptionItems PetscOptionsObject)
{
  PC_BlockIC        *ic     = BlockIC(pc);
  PetscInt           blocks = PetscMax(ic->given_blocks, 0), size = ic->given_size, n = 3;
  MatFactorShiftType shift  = ic->given_shift == PETSC_DECIDE ? MAT_SHIFT_POSITIVE_DEFINITE : (MatFactorShiftType)ic->given_shift;
  PetscReal          amount = ic->given_amount;
  PetscBool          set[5];
  const auto         before = Choices(ic);

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Block incomplete Cholesky options");
  PetscCall(PetscOptionsEList("-pc_blockic_blocks",
                              "What a matrix block is made of: by default grid lines when a grid is known, otherwise rows",
                              "PCBlockICSetBlocks", HeptaBlockICBlockNames, 3, HeptaBlockICBlockNames[blocks], &blocks, &set[0]));
  PetscCall(PetscOptionsInt("-pc_blockic_size", "Grid lines (default 2), cells a side (8) or block rows (512) of a block",
                            "PCBlockICSetBlocks", size, &size, &set[1]));
  PetscCall(PetscOptionsEnum("-pc_blockic_shift_type", "For bad pivots: positive_definite for symmetric matrices, else none",
                             "PCFactorSetShiftType", MatFactorShiftTypes, (PetscEnum)shift, (PetscEnum *)&shift, &set[2]));
  PetscCall(PetscOptionsReal("-pc_blockic_shift_amount", "The first shift (nonzero), or what is added to a bad pivot (inblocks)",
                             "PCFactorSetShiftAmount", amount, &amount, &set[3]));
  PetscCall(PetscOptionsIntArray("-pc_blockic_grid", "The grid J,H,I behind the rows, the first index fastest", "PCBLOCKIC",
                                 ic->grid, &n, &set[4]));
  PetscCall(GetStorage(PetscOptionsObject, &ic->single));
  PetscOptionsHeadEnd();
  PetscCheck(!set[1] || size > 0 || size == PETSC_DECIDE, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_blockic_size %" PetscInt_FMT " must be positive", size);
  PetscCheck(!set[3] || amount > 0 || amount == PETSC_DECIDE, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_blockic_shift_amount %g must be positive", (double)amount);
  for (PetscInt k = 0; k < n && set[4]; k++)
    PetscCheck(ic->grid[k] > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_blockic_grid: size %" PetscInt_FMT " must be positive", ic->grid[k]);
  for (PetscInt k = n; k < 3 && set[4]; k++) ic->grid[k] = 0;
  if (set[0]) ic->given_blocks = blocks;
  if (set[1]) ic->given_size = size;
  if (set[2]) ic->given_shift = shift;
  if (set[3]) ic->given_amount = amount;
  if (before != Choices(ic)) PetscCall(HeptaPCStartAnew(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets a choice, and starts anew if the choice changed */
template <class V, auto choice> static PetscErrorCode Choose(PC pc, V value)
{
  const auto before = Choices(BlockIC(pc));

  PetscFunctionBegin;
  BlockIC(pc)->*choice = value;
  if (before != Choices(BlockIC(pc))) PetscCall(HeptaPCStartAnew(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCFactorSetShiftAmount_BlockIC(PC pc, PetscReal amount)
{
  PetscFunctionBegin;
  PetscCheck(amount > 0 || amount == (PetscReal)PETSC_DECIDE, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCFactorSetShiftAmount(): the amount %g must be positive", (double)amount);
  PetscCall((Choose<PetscReal, &PC_BlockIC::given_amount>(pc, amount)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCBlockICSetBlocks_BlockIC(PC pc, HeptaBlockICBlocks blocks, PetscInt size)
{
  PetscFunctionBegin;
  PetscCall((Choose<PetscInt, &PC_BlockIC::given_blocks>(pc, blocks)));
  PetscCall((Choose<PetscInt, &PC_BlockIC::given_size>(pc, size)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBlockICSetBlocks - Sets which blocks `PCBLOCKIC` factors

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner
. blocks - `HEPTA_BLOCKIC_LINES`, `HEPTA_BLOCKIC_BOXES` or `HEPTA_BLOCKIC_ROWS`
- size   - the size of a block: grid lines, cells along a side of a box, or block rows; `PETSC_DECIDE` for 2, 8 and 512

  Options Database Keys:
+ -pc_blockic_blocks <lines> - `lines`, `boxes` or `rows`
- -pc_blockic_size <2>       - the size of a block

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. After set-up it makes the next `PCSetUp()` start anew.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is no `HeptaBlockICBlocks`, or a size that is not positive.

.seealso: `PCBLOCKIC`, `HeptaBlockICBlocks`, `PCFactorSetShiftType()`
@*/
PetscErrorCode PCBlockICSetBlocks(PC pc, HeptaBlockICBlocks blocks, PetscInt size)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, blocks, 2);
  PetscValidLogicalCollectiveInt(pc, size, 3);
  PetscCall(HeptaCheckEnum(PetscObjectComm((PetscObject)pc), blocks, HeptaBlockICBlockNames));
  PetscCheck(size > 0 || size == PETSC_DECIDE, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCBlockICSetBlocks(): the size %" PetscInt_FMT " must be positive", size);
  PetscTryMethod(pc, "PCBlockICSetBlocks_C", (PC, HeptaBlockICBlocks, PetscInt), (pc, blocks, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_BlockIC(PC pc, PetscViewer viewer)
{
  PC_BlockIC       *ic      = BlockIC(pc);
  const char *const units[] = {"grid lines", "cells a side", "block rows"};

  PetscFunctionBegin;
  if (!ic->built) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  not yet set up\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  %s of %" PetscInt64_FMT " independent blocks (%s): %" PetscInt_FMT
                                   " %s each, at most %" PetscInt64_FMT " block rows of size %" PetscInt_FMT "\n",
                                   ic->symmetric ? "IC(0)" : "ILU(0)", ic->total, HeptaBlockICBlockNames[ic->blocks], ic->size,
                                   units[(int)ic->blocks], ic->most, HeptaBlockSize(ic->op.A->rmap)));
  if (ic->single) PetscCall(PetscViewerASCIIPrintf(viewer, "  values in single precision\n"));
  PetscCall(ic->shift.View(viewer));
  PetscCall(ic->op.View(pc->pmat, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   PCBLOCKIC - "blockic" - Incomplete factorization of independent blocks of rows: IC(0) for symmetric matrices, ILU(0) for others

   When to take it:
   Take `PCBLOCKIC` inside `PCSUBDEFLATION`, or alone on a GPU. Iterations are fewer than with `PCIP`, and an application costs
   about twice as much. `PCBLOCKIC` suits elasticity too.

   Options Database Keys:
+ -pc_type blockic                    - sets the preconditioner type to `PCBLOCKIC`
. -pc_blockic_blocks <lines>          - kind of blocks: `lines` of the grid, `boxes` of cells or block `rows`; `rows` is the
                                        default without a known grid of two or three dimensions
. -pc_blockic_size <2>                - size of a block: grid lines (default 2), cells along a side of a box (8), or block rows
                                        (512)
. -pc_blockic_grid <J,H,I>            - the grid of the rows, the first index fastest, if neither a `DMDA` nor the matrix
                                        (`-mat_bdia_grid`) has a grid
. -pc_blockic_storage <double>        - `double` or `single`: type of the values of L and V in solves
. -pc_blockic_shift_type <none>       - `none`, `nonzero`, `positive_definite` or `inblocks`: the treatment of bad pivots;
                                        `positive_definite` is the default for symmetric matrices
- -pc_blockic_shift_amount <2.2e-14>  - the first shift of `nonzero`, or what `inblocks` adds to a bad pivot; default 100 times
                                        the machine epsilon

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -m 64 -n 64 -mat_type bdia -mat_bdia_grid 64,64,1 -ksp_type fusedcg -pc_type blockic
.ve

   Limits:
   The number of iterations grows with the number of blocks, as couplings between blocks are dropped. On the device blocks that
   are solved by levels have at most 134 217 726 rows on an MPI process.

   Level: intermediate

   Notes:
   Couplings between blocks are dropped, so blocks are set up and solved in parallel. Larger blocks take fewer iterations: with
   grid lines of n rows `-pc_blockic_size` 2, 4 and 8 give blocks of 2n, 4n and 8n rows. Lines and boxes are counted from the
   first cell of the grid, or of the MPI process's part of a `DMDA`; a block ends at the last row of the MPI process.

   A block is factored as L D V with L and V of unit diagonal, in natural order, in the pattern of the stored block diagonals
   inside the block: point-block ILU(0), for a symmetric matrix IC(0) with V = L^T. On one MPI process with one block the factors
   of a scalar grid matrix are the factors of `PCICC` and `PCILU` with zero levels of fill. (A grid that is two cells wide has
   differences of neighbors' offsets that are offsets too: `PCBLOCKIC` keeps fill in locations without an entry in `MATAIJ`.)

   A matrix counts as symmetric if `MAT_SYMMETRIC` or `MAT_SPD` was set, or if the matrix is stored by half (`-mat_bdia_half`); no
   entries are compared. A good pivot is larger than 100 times the machine epsilon times the larger of |a_ii| and the sum of the
   row's other factors; for a matrix that does not count as symmetric the pivot's absolute value decides. The shifts for bad
   pivots are PETSc's,

.vb
     none               - a bad pivot is an error: the default for matrices not known to be symmetric
     positive_definite  - Manteuffel: adds to the diagonal a fraction of the shift that makes all rows diagonally dominant, found
                          by bisection in a few factorizations; the default for symmetric matrices, as in PCICC; free with
                          good pivots
     nonzero            - the amount is added to the diagonal, and doubled until all pivots are good
     inblocks           - only the bad pivots change: the amount is added, for a symmetric matrix to their absolute value
.ve

   and are equal on all MPI processes; `PCFactorSetShiftType()` and `PCFactorSetShiftAmount()` set the type and the amount.
   `PCView()` (`-ksp_view`) shows the shift in use.

   The matrix is a `MATBDIA`, or of a type that `MatConvert()` takes to `MATBDIA` (`MATAIJ` and its relatives with few diagonals);
   the converted copy is kept and follows the values. A matrix that exceeds the limits of `MATBDIA` (`-mat_bdia_max_offsets`,
   `-mat_bdia_max_fill`) is factored by rows, as a `MATBROW` without a copy, any other type as a copy in `MATBROW`; `PCView()`
   says so. By rows the factors have the pattern of the matrix's blocks, of the matrix's block size.

   With `-pc_blockic_storage single` the blocks are factored in double precision, and solves read L and V rounded to single
   precision. D, vectors and the arithmetic of scans remain in double precision; blocks solved by levels are solved as
   `MATSOLVERBBS` solves with `-mat_bbs_storage single`.

   A matrix on the device is factored and applied on the device. If couplings inside a block are to the next row or at least 32
   rows away, as in blocks of grid lines, a triangular solve is a scan: the threads of a block compose the recurrences y_i = f_i -
   l_i y_{i-1} of their rows. Otherwise, for block sizes above 1, for |l_i| > 1.01, and by rows, blocks are factored and solved as
   by `MATSOLVERBBS`, the rows of a level of all blocks at once. `PCApplyTranspose()` is available.

   Errors:
   `PETSC_ERR_MAT_CH_ZRPVT` and `PETSC_ERR_MAT_LU_ZRPVT` for a bad pivot, with its global row; `PETSC_ERR_FP` for values that
   are not finite, or that overflow with `-pc_blockic_storage single`; `PETSC_ERR_ARG_WRONGSTATE` for lines or boxes without a
   grid; `PETSC_ERR_ARG_SIZ` for a grid that does not fit the rows.

   References:
   R. Gupta, Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow on the Graphical Processing
   Unit (GPU), M.Sc. thesis, Delft University of Technology, 2010, sections 7.3 and 7.4 (block incomplete Cholesky). T. A.
   Manteuffel, An incomplete factorization technique for positive definite linear systems, Mathematics of Computation 34, 1980
   (the shift). G. E. Blelloch, Prefix sums and their applications, technical report CMU-CS-90-190, 1990 (recurrences as scans).

.seealso: `MATBDIA`, `MATBDIACUDA`, `MATBROW`, `PCIP`, `PCSUBDEFLATION`, `PCICC`, `PCILU`, `PCBJACOBI`, `PCBlockICSetBlocks()`,
   `PCFactorSetShiftType()`, `HeptaRegisterAll()`
M*/

PETSC_INTERN PetscErrorCode PCCreate_BlockIC(PC pc)
{
  PetscFunctionBegin;
  pc->data                = new PC_BlockIC;
  pc->ops->setup          = HeptaNoThrow<HeptaPCSetUp<&HeptaEvents::blockic_setup, SetUp>>;
  pc->ops->apply          = HeptaNoThrow<Apply<false>>;
  pc->ops->applytranspose = HeptaNoThrow<Apply<true>>;
  pc->ops->reset          = HeptaNoThrow<PCReset_BlockIC>;
  pc->ops->destroy        = HeptaNoThrow<HeptaPCDestroy>;
  pc->ops->setfromoptions = HeptaNoThrow<PCSetFromOptions_BlockIC>;
  pc->ops->view           = HeptaNoThrow<HeptaPCView<PCView_BlockIC>>;
  PetscCall(HeptaPCComposeFunction(pc, HEPTA_RECORDED, HeptaNoThrow<HeptaPCRecordsAlways>));
  PetscCall(HeptaPCComposeFunction(pc, "PCBlockICSetBlocks_C", HeptaNoThrow<PCBlockICSetBlocks_BlockIC>));
  PetscCall(
    HeptaPCComposeFunction(pc, "PCFactorSetShiftType_C", HeptaNoThrow<Choose<MatFactorShiftType, &PC_BlockIC::given_shift>>));
  PetscCall(HeptaPCComposeFunction(pc, "PCFactorSetShiftAmount_C", HeptaNoThrow<PCFactorSetShiftAmount_BlockIC>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
