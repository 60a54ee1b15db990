/* Setting up the blockic preconditioner: structure, factors, and the shift that makes their pivots good */
#include <algorithm>

#include "blockic.h"

using namespace hepta;
using namespace hepta::blockic;

static constexpr PetscReal tolerance = 100 * PETSC_MACHINE_EPSILON; /* PETSc's zero pivot and least shift */

/* The matrix and the views that the launchers need, in one memory */
struct Attempt {
  HeptaSpace space;
  Factors    F;
  Blocks     B;
};

static PetscErrorCode Prepare(PC pc, Attempt *a)
{
  PC_BlockIC *ic = BlockIC(pc);
  void       *v, *w;

  PetscFunctionBegin;
  PetscCall(HeptaOperatorSpace(ic->op.A, &a->space));
  PetscCall(ic->structure.Views(a->space, &a->F, &a->B));
  PetscCall(ic->factors.Access(a->space, HeptaAccess::write, &v));
  PetscCall(ic->work.Access(a->space, HeptaAccess::write, &w));
  a->F.v       = (Scalar *)v;
  a->F.scratch = (Scalar *)w;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Load(PC pc, const Attempt &a, Scalar shift, Scalar *excess)
{
  PetscFunctionBegin;
  PetscCall(HeptaVisit(*MatBDIADiagonals(BlockIC(pc)->op.A), a.space, HeptaAccess::read, [&](auto view) {
    HeptaLaunch(a.space, load, view, a.F, a.B, shift, excess);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The top of the shifts: 1.1 max over the rows of sum |a_ij| - a_ii, with which all rows are diagonally dominant; collective */
static PetscErrorCode Top(PC pc)
{
  PC_BlockIC  *ic = BlockIC(pc);
  const size_t n  = (size_t)ic->op.A->rmap->n;
  HeptaValues  excess;
  Attempt      a;
  void        *p;
  PetscReal    top = tolerance;
  Mat          local;

  PetscFunctionBegin;
  if (ic->rows) {
    PetscCall(MatGetDiagonalBlock(ic->op.A, &local));
    PetscCall(ic->rows->Excess(local, &top));
    top = PetscMax(top, tolerance);
  } else {
    PetscCall(excess.Resize(n * sizeof(Scalar)));
    PetscCall(Prepare(pc, &a));
    PetscCall(excess.Access(a.space, HeptaAccess::write, &p));
    PetscCall(Load(pc, a, 0, (Scalar *)p));
    PetscCall(excess.Access(HeptaSpace(), HeptaAccess::read, &p));
    for (size_t i = 0; i < n; i++) top = PetscMax(top, ((Scalar *)p)[i]);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &top, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)pc)));
  ic->shift.top = 1.1 * top;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same by rows */
static PetscErrorCode AttemptedRows(PC pc, const Pivots &rule)
{
  PC_BlockIC *ic = BlockIC(pc);
  Mat         local;

  PetscFunctionBegin;
  PetscCall(MatGetDiagonalBlock(ic->op.A, &local));
  ic->rows->shift = ic->shift;
  PetscCall(ic->rows->Attempt(local, rule, ic->report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One factorization; what it finds goes to the PC's report */
static PetscErrorCode AttemptedDiagonals(PC pc, const Pivots &rule)
{
  PC_BlockIC *ic = BlockIC(pc);
  Attempt     a;
  void       *p;

  PetscFunctionBegin;
  PetscCall(Prepare(pc, &a));
  PetscCall(Load(pc, a, ic->shift.type == MAT_SHIFT_INBLOCKS ? Scalar(0) : Scalar(ic->shift.amount), nullptr));
  PetscCall(ic->report.Access(a.space, HeptaAccess::read_write, &p));
  HeptaLaunch(a.space, factor, a.F, a.B, rule, (Report *)p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One factorization; the report is this rank's */
static PetscErrorCode Attempted(PC pc, Report *report)
{
  PC_BlockIC  *ic = BlockIC(pc);
  void        *p;
  const Pivots rule = {ic->symmetric, ic->symmetric || ic->shift.type == MAT_SHIFT_POSITIVE_DEFINITE, ic->shift.type == MAT_SHIFT_INBLOCKS, tolerance, (Scalar)ic->shift.amount, Scalar(1.01)};

  PetscFunctionBegin;
  *report = Report();
  if (!ic->op.A->rmap->n) PetscFunctionReturn(PETSC_SUCCESS);
  if (!ic->rows && ic->structure.main < 0) {
    report->pivot = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ic->report.Access(HeptaSpace(), HeptaAccess::write, &p));
  *(Report *)p = *report;
  PetscCall((ic->rows ? AttemptedRows : AttemptedDiagonals)(pc, rule));
  PetscCall(ic->report.Access(HeptaSpace(), HeptaAccess::read, &p));
  *report = *(Report *)p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The structure for a matrix without block diagonals */
static PetscErrorCode BuildRows(PC pc, const std::vector<PetscInt> &block_of_row)
{
  PC_BlockIC *ic = BlockIC(pc);
  Mat         local;

  PetscFunctionBegin;
  ic->rows.reset(new HeptaFactors);
  ic->structure.bs = (int)ic->op.A->rmap->bs;
  ic->structure.Count(block_of_row);
  PetscCall(MatGetDiagonalBlock(ic->op.A, &local));
  PetscCall(ic->rows->SetParts(local, block_of_row, HeptaBBSOptions()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The structure for one with them */
static PetscErrorCode BuildDiagonals(PC pc, const std::vector<PetscInt> &block_of_row)
{
  PC_BlockIC      *ic = BlockIC(pc);
  bdia::Diagonals &D  = *MatBDIADiagonals(ic->op.A);

  PetscFunctionBegin;
  ic->rows.reset();
  PetscCall(ic->structure.Build(D, block_of_row, !ic->steep));
  PetscCall(ic->factors.Resize(D.off.size() * D.DiagonalSize() * sizeof(Scalar)));
  /* the larger of the factorization's and the solution's needs */
  PetscCall(ic->work.Resize(ic->structure.natural ? 0 : (size_t)D.nbr * D.bs * PetscMax(2, D.bs > 1 ? D.bs + 2 : 0) * sizeof(Scalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The structure for the matrix and the options; with steep factors without scans */
static PetscErrorCode Build(PC pc)
{
  PC_BlockIC           *ic = BlockIC(pc);
  std::vector<PetscInt> block_of_row;
  PetscInt64            numbers[2];

  PetscFunctionBegin;
  PetscCall(HeptaBlockICPartition(pc, &block_of_row));
  PetscCall((ic->op.ByRows() ? BuildRows : BuildDiagonals)(pc, block_of_row));
  PetscCall(ic->report.Resize(sizeof(Report)));
  numbers[0] = ic->structure.nblocks;
  numbers[1] = ic->structure.most;
  PetscCallMPI(MPIU_Allreduce(&numbers[0], &ic->total, 1, MPIU_INT64, MPI_SUM, PetscObjectComm((PetscObject)pc)));
  PetscCallMPI(MPIU_Allreduce(&numbers[1], &ic->most, 1, MPIU_INT64, MPI_MAX, PetscObjectComm((PetscObject)pc)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One factorization on every rank, by scans where they are accurate on all; global rows in the report; collective */
static PetscErrorCode AttemptedByAll(PC pc, Report *report)
{
  PC_BlockIC    *ic    = BlockIC(pc);
  const MPI_Comm comm  = PetscObjectComm((PetscObject)pc);
  const PetscInt start = ic->op.A->rmap->rstart;
  PetscInt64     least[3];

  PetscFunctionBegin;
  for (;;) {
    PetscCall(Attempted(pc, report));
    least[0] = report->pivot == Report::none ? report->pivot : report->pivot + start;
    least[1] = report->infinite == Report::none ? report->infinite : report->infinite + start;
    least[2] = report->steep;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, least, 3, MPIU_INT64, MPI_MIN, comm));
    if (ic->steep || least[2] == Report::none || PetscMin(least[0], least[1]) != Report::none) break;
    ic->steep = true;
    PetscCall(Build(pc));
  }
  report->pivot    = least[0];
  report->infinite = least[1];
  ic->shift.pivots = report->shifted;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &ic->shift.pivots, 1, MPIU_INT64, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The failure that no shift has cured; the same on all ranks */
static PetscErrorCode Fail(PC pc, const Report &report)
{
  PC_BlockIC    *ic      = BlockIC(pc);
  const MPI_Comm comm    = PetscObjectComm((PetscObject)pc);
  const char    *shifted = ic->shift.tries || ic->shift.pivots ? ", in spite of the shift" : "";

  PetscFunctionBegin;
  PetscCheck(report.infinite > report.pivot || report.infinite == Report::none, comm, PETSC_ERR_FP,
             "PC blockic: row %lld of the factors holds Inf or NaN, or values that overflow in the factorization; -mat_%s_check_values finds such entries of the matrix", (long long)report.infinite, MatBlocked(ic->op.A)->format->name);
  if (ic->symmetric) {
    SETERRQ(comm, PETSC_ERR_MAT_CH_ZRPVT, "PC blockic: IC(0) meets a pivot that is not positive in row %lld%s; try -pc_blockic_shift_type positive_definite, or other blocks, or, if the matrix is not positive definite, do not declare it symmetric",
            (long long)report.pivot, shifted);
  }
  SETERRQ(comm, PETSC_ERR_MAT_LU_ZRPVT, "PC blockic: ILU(0) meets a zero pivot in row %lld%s; try -pc_blockic_shift_type nonzero, or inblocks with -pc_blockic_shift_amount", (long long)report.pivot, shifted);
}

/* Is the factorization to be symmetric? What the user has said decides; nothing is computed. */
static PetscErrorCode FindSymmetry(PC pc)
{
  PC_BlockIC *ic   = BlockIC(pc);
  bool        bdia = false;

  PetscFunctionBegin;
  PetscCall(HeptaKnownSymmetric(pc->pmat, &ic->symmetric));
  PetscCall(HeptaIsBDIA(pc->pmat, &bdia));
  if (bdia && MatBDIADiagonals(pc->pmat)->half) ic->symmetric = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaBlockICFactor(PC pc, bool same_structure)
{
  PC_BlockIC *ic = BlockIC(pc);
  Report      report;
  PetscReal   start = ic->given_amount > 0 ? ic->given_amount : tolerance;
  bool        again, good;

  PetscFunctionBegin;
  PetscCall(FindSymmetry(pc));
  if (!same_structure || !ic->built) {
    ic->steep = ic->built = false; /* an error leaves nothing that looks complete */
    PetscCall(Build(pc));
    ic->built = true;
  }
  ic->shift      = HeptaShift();
  ic->shift.type = ic->given_shift != PETSC_DECIDE ? (MatFactorShiftType)ic->given_shift : ic->symmetric ? MAT_SHIFT_POSITIVE_DEFINITE : MAT_SHIFT_NONE;
  if (ic->shift.type == MAT_SHIFT_INBLOCKS) ic->shift.amount = start;
  do {
    PetscCall(AttemptedByAll(pc, &report));
    good = report.pivot == Report::none && report.infinite == Report::none;
    if (!good && report.infinite <= report.pivot) break;
    if (!good && ic->shift.type == MAT_SHIFT_POSITIVE_DEFINITE && !ic->shift.tries) PetscCall(Top(pc));
    ic->shift.Next(good, !ic->symmetric, start, &again);
  } while (again);
  if (!good) PetscCall(Fail(pc, report));
  if (ic->rows && ic->rows->Rows()) PetscCall(ic->rows->Prepare());
  PetscFunctionReturn(PETSC_SUCCESS);
}
