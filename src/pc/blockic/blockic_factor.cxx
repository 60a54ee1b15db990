/*
   Set-up of the blockic preconditioner: the rows of each matrix block, structure, factors, and the search for a shift that makes
   all pivots good
*/
#include <algorithm>
#include <numeric>

#include "blockic.h"

using namespace hepta;
using namespace hepta::blockic;
using namespace hepta::factor;

static constexpr PetscReal tolerance = 100 * PETSC_MACHINE_EPSILON; /* PETSc's defaults for the zero pivot and the least shift */

/* The key of the line or box of a row. Lines and boxes are counted from the first cell of the grid, or of a rank's box */
static PetscInt64 Key(const HeptaGrid &g, HeptaBlockICBlocks blocks, PetscInt size, PetscInt row)
{
  const PetscInt *n = g.box ? g.size : g.n;
  PetscInt        c[3];

  g.Cell(row, c);
  for (int x = 0; x < 3 && g.box; x++) c[x] -= g.start[x];
  if (blocks == HEPTA_BLOCKIC_LINES) return (c[1] + (PetscInt64)c[2] * n[1]) / size;
  return c[0] / size + ((PetscInt64)(n[0] - 1) / size + 1) * (c[1] / size + ((PetscInt64)(n[1] - 1) / size + 1) * (c[2] / size));
}

/* The matrix block of each local block row, from 0 on, and the defaults of open options; collective */
static PetscErrorCode Partition(PC pc, std::vector<PetscInt> *block_of_row)
{
  PC_BlockIC             *ic       = BlockIC(pc);
  const PetscInt          n        = ic->op.A->rmap->n / HeptaBlockSize(ic->op.A->rmap);
  const PetscInt          usual[3] = {2, 8, 512};
  HeptaGrid               grid;
  std::vector<PetscInt64> keys(n), names; /* names: the distinct keys, ascending */
  DM                      dm;

  PetscFunctionBegin;
  PetscCall(PCGetDM(pc, &dm));
  if (!dm) PetscCall(MatGetDM(pc->pmat, &dm));
  /* a converted copy does not know the grid of its matrix */
  PetscCall(HeptaGridOf(HeptaBlockSize(pc->pmat->rmap) == HeptaBlockSize(ic->op.A->rmap) ? pc->pmat : ic->op.A, dm, ic->grid,
                        "-pc_blockic_grid", &grid));
  if (ic->given_blocks != PETSC_DECIDE) ic->blocks = (HeptaBlockICBlocks)ic->given_blocks;
  else ic->blocks = grid.dim > 1 ? HEPTA_BLOCKIC_LINES : HEPTA_BLOCKIC_ROWS;
  PetscCheck(grid.dim || ic->blocks == HEPTA_BLOCKIC_ROWS, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
             "-pc_blockic_blocks %s needs a grid, and neither a DMDA nor the matrix gives one: give it by -pc_blockic_grid "
             "J,H,I, or use -pc_blockic_blocks rows",
             HeptaBlockICBlockNames[ic->blocks]);
  ic->size = ic->given_size != PETSC_DECIDE ? ic->given_size : usual[(int)ic->blocks];
  for (PetscInt m = 0; m < n; m++) {
    keys[m] = ic->blocks == HEPTA_BLOCKIC_ROWS ? m / ic->size : Key(grid, ic->blocks, ic->size, m);
    if (!m || keys[m] != keys[m - 1]) names.push_back(keys[m]);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  block_of_row->reserve(n);
  for (PetscInt m = 0; m < n; m++)
    block_of_row->push_back(m && keys[m] == keys[m - 1]
                              ? block_of_row->back()
                              : (PetscInt)(std::lower_bound(names.begin(), names.end(), keys[m]) - names.begin()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F <- the matrix, to be factored for scans; excess (may be null): as in load_host() */
static PetscErrorCode Load(PC_BlockIC *ic, const HeptaSpace &space, Scalar shift, Scalar *excess, Factors *F, Blocks *B)
{
  PetscFunctionBegin;
  PetscCall(ic->scan.Views(space, HeptaAccess::write, F, B));
  PetscCall(HeptaVisitLaunch(*MatBDIADiagonals(ic->op.A), space, HeptaAccess::read, load, *F, *B, shift, excess));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest shift: 1.1 max over the rows of sum |a_ij| - a_ii, which makes all rows diagonally dominant; collective */
static PetscErrorCode Top(PC pc)
{
  PC_BlockIC    *ic = BlockIC(pc);
  const size_t   n  = (size_t)ic->op.A->rmap->n;
  HeptaSpace     space;
  HeptaWorkSpace excess;
  Factors        F;
  Blocks         B;
  Scalar        *p;
  PetscReal      top = tolerance;
  Mat            local;

  PetscFunctionBegin;
  if (ic->factors) {
    PetscCall(MatGetDiagonalBlock(ic->op.A, &local));
    PetscCall(ic->factors->Excess(local, &top));
    top = PetscMax(top, tolerance);
  } else {
    PetscCall(HeptaOperatorSpace(ic->op.A, &space));
    PetscCall(excess.Make(space, n, &p));
    PetscCall(Load(ic, space, 0, p, &F, &B));
    PetscCall(excess.Access(HeptaSpace(), HeptaAccess::read, &p));
    for (size_t i = 0; i < n; i++) top = PetscMax(top, p[i]);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &top, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)pc)));
  ic->shift.top = 1.1 * top;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As Attempt(), by levels, with the triangles for solves */
static PetscErrorCode AttemptByLevels(PC_BlockIC *ic, const PivotRule &rule, Report *report)
{
  Mat      local;
  PetscInt overflow;

  PetscFunctionBegin;
  PetscCall(MatGetDiagonalBlock(ic->op.A, &local));
  ic->factors->shift = ic->shift;
  PetscCall(ic->factors->Attempt(local, rule, report));
  if (report->bad || report->infinite) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ic->factors->Prepare());
  overflow = ic->factors->Overflow();
  if (overflow >= 0) note_first(&report->infinite, overflow);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One factorization; the report is this rank's */
static PetscErrorCode Attempt(PC_BlockIC *ic, Report *report)
{
  const PivotRule rule = {ic->symmetric,
                          ic->symmetric || ic->shift.type == MAT_SHIFT_POSITIVE_DEFINITE,
                          ic->shift.type == MAT_SHIFT_INBLOCKS,
                          Bound::largest,
                          tolerance,
                          (Scalar)ic->shift.amount};
  HeptaSpace      space;
  Factors         F;
  Blocks          B;
  Report         *p;

  PetscFunctionBegin;
  *report = Report();
  if (!ic->op.A->rmap->n) PetscFunctionReturn(PETSC_SUCCESS);
  if (ic->factors) {
    PetscCall(AttemptByLevels(ic, rule, report));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaOperatorSpace(ic->op.A, &space));
  PetscCall(Load(ic, space, rule.replace ? Scalar(0) : rule.amount, nullptr, &F, &B));
  PetscCall(ic->report.Zero(space));
  PetscCall(ic->report.Access(space, HeptaAccess::read_write, &p));
  HeptaLaunch(space, factor, F, B, rule, p);
  PetscCall(ic->report.Access(HeptaSpace(), HeptaAccess::read, &p));
  *report = *p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Builds the structure for the matrix and the options; without scans if factors are steep */
static PetscErrorCode Build(PC pc)
{
  PC_BlockIC           *ic = BlockIC(pc);
  std::vector<PetscInt> block_of_row;
  HeptaBBSOptions       by_levels;
  PetscInt64            numbers[2];
  Mat                   local;

  PetscFunctionBegin;
  PetscCall(Partition(pc, &block_of_row));
  std::vector<Index> first(1, 0); /* the first row of each block, if the rows of blocks are consecutive */
  for (PetscInt b : block_of_row) first.resize(PetscMax(first.size(), (size_t)b + 2), 0);
  for (PetscInt b : block_of_row) first[b + 1]++;
  numbers[0] = (PetscInt64)first.size() - 1;
  numbers[1] = *std::max_element(first.begin(), first.end());
  std::partial_sum(first.begin(), first.end(), first.begin());
  const bdia::Diagonals *D = ic->op.ByRows() || ic->steep ? nullptr : MatBDIADiagonals(ic->op.A);
  ic->factors.reset();
  if (D && ic->scan.Fits(*D, block_of_row, (PetscInt)numbers[1])) {
    ic->scan.Build(*D, first);
    PetscCall(ic->scan.values.Resize(D->Size() * sizeof(Scalar)));
    PetscCall(ic->scan.rounded.Resize(ic->single ? D->Size() * sizeof(float) : 0));
  } else {
    PetscCall(MatGetDiagonalBlock(ic->op.A, &local));
    ic->factors.reset(new HeptaFactors);
    by_levels.single = ic->single;
    PetscCall(ic->factors->SetStructure(local, HeptaBBSKind::ilu, nullptr, nullptr, by_levels, &block_of_row));
    PetscCall(ic->scan.values.Free());
    PetscCall(ic->scan.rounded.Free());
  }
  PetscCall(ic->report.Resize(sizeof(Report)));
  PetscCallMPI(MPIU_Allreduce(&numbers[0], &ic->total, 1, MPIU_INT64, MPI_SUM, PetscObjectComm((PetscObject)pc)));
  PetscCallMPI(MPIU_Allreduce(&numbers[1], &ic->most, 1, MPIU_INT64, MPI_MAX, PetscObjectComm((PetscObject)pc)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   One factorization on every rank, by scans if scans are accurate on all ranks; the report has the first rows of all ranks, as
   global numbers; collective
*/
static PetscErrorCode AttemptOnAll(PC pc, Report *report)
{
  PC_BlockIC    *ic    = BlockIC(pc);
  const MPI_Comm comm  = PetscObjectComm((PetscObject)pc);
  const PetscInt start = ic->op.A->rmap->rstart;

  PetscFunctionBegin;
  for (;;) {
    PetscCall(Attempt(ic, report));
    PetscInt64 first[] = {report->bad, report->infinite, report->steep}; /* an earlier row has a larger code; 0: none */
    for (PetscInt64 &code : first) code -= code ? start : 0;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, first, 3, MPIU_INT64, MPI_MAX, comm));
    report->bad      = first[0];
    report->infinite = first[1];
    if (ic->steep || !first[2] || first[0] || first[1]) break;
    ic->steep = true;
    PetscCall(Build(pc));
  }
  ic->shift.pivots = report->replaced;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &ic->shift.pivots, 1, MPIU_INT64, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Raises the error after a failure that no shift could avoid, on all ranks alike */
static PetscErrorCode Fail(PC pc, const Report &report)
{
  PC_BlockIC    *ic      = BlockIC(pc);
  const MPI_Comm comm    = PetscObjectComm((PetscObject)pc);
  const char    *shifted = ic->shift.tries || ic->shift.pivots ? ", in spite of the shift" : "";

  PetscFunctionBegin;
  PetscCheck(!report.infinite || report.infinite < report.bad, comm, PETSC_ERR_FP,
             "PC blockic: row %lld of the factors holds Inf or NaN, or values that overflow in the factorization%s; "
             "-mat_%s_check_values finds such entries of the matrix",
             first_noted(report.infinite), ic->single ? ", or in single precision (-pc_blockic_storage double avoids this)" : "",
             MatBlocked(ic->op.A)->format->name);
  if (ic->symmetric) {
    SETERRQ(comm, PETSC_ERR_MAT_CH_ZRPVT,
            "PC blockic: IC(0) meets a pivot that is not positive in row %lld%s; try -pc_blockic_shift_type positive_definite, "
            "or other blocks, or, if the matrix is not positive definite, do not declare it symmetric",
            first_noted(report.bad), shifted);
  }
  SETERRQ(comm, PETSC_ERR_MAT_LU_ZRPVT,
          "PC blockic: ILU(0) meets a zero pivot in row %lld%s; try -pc_blockic_shift_type nonzero, or inblocks with "
          "-pc_blockic_shift_amount",
          first_noted(report.bad), shifted);
}

PetscErrorCode HeptaBlockICFactor(PC pc, bool same_structure)
{
  PC_BlockIC            *ic = BlockIC(pc);
  const bdia::Diagonals *D  = MatBDIADiagonals(pc->pmat);
  Report                 report;
  PetscReal              start = ic->given_amount > 0 ? ic->given_amount : tolerance;
  bool                   again, good;

  PetscFunctionBegin;
  PetscCall(HeptaKnownSymmetric(pc->pmat, &ic->symmetric)); /* as the user has said; nothing is computed */
  ic->symmetric = ic->symmetric || (D && D->half);
  if (!same_structure || !ic->built) {
    ic->steep = ic->built = false; /* an error in Build() leaves the structure incomplete */
    PetscCall(Build(pc));
    ic->built = true;
  }
  ic->shift      = HeptaShift();
  ic->shift.type = ic->given_shift != PETSC_DECIDE ? (MatFactorShiftType)ic->given_shift
                   : ic->symmetric                 ? MAT_SHIFT_POSITIVE_DEFINITE
                                                   : MAT_SHIFT_NONE;
  if (ic->shift.type == MAT_SHIFT_INBLOCKS) ic->shift.amount = start;
  do {
    PetscCall(AttemptOnAll(pc, &report));
    good = !report.bad && !report.infinite;
    if (!good && report.infinite >= report.bad) break; /* a shift cannot avoid values that are not finite */
    if (!good && ic->shift.type == MAT_SHIFT_POSITIVE_DEFINITE && !ic->shift.tries) PetscCall(Top(pc));
    ic->shift.Next(good, !ic->symmetric, start, &again);
  } while (again);
  if (!good) PetscCall(Fail(pc, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}
