/* Structure and values of the factors */
#include "factors.h"

#include <algorithm>

#include "../../shared/each.hxx"

using namespace hepta;
using namespace hepta::bbs;
using namespace hepta::factor;

/* A permutation of block rows, empty for the identity; PETSc's orderings of block matrices are by blocks or by rows */
PetscErrorCode HeptaFactors::SetPermutation(IS is, std::vector<Index> *p)
{
  const PetscInt *k;
  PetscInt        n;
  PetscBool       identity = PETSC_TRUE;

  PetscFunctionBegin;
  p->clear();
  if (is) PetscCall(ISIdentity(is, &identity));
  if (identity) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(is, &n));
  const PetscInt step = n == pattern.n ? 1 : pattern.bs;
  PetscCheck(n == pattern.n * step, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "bbs: an ordering of %" PetscInt_FMT " rows for %" PetscInt_FMT " block rows of size %" PetscInt_FMT, n, pattern.n, pattern.bs);
  PetscCall(ISGetIndices(is, &k));
  for (PetscInt m = 0; m < n; m++) {
    PetscCheck(k[m] - k[m - m % step] == m % step && k[m - m % step] % step == 0, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: the ordering tears block row %" PetscInt_FMT " of size %" PetscInt_FMT " apart; order block rows", m / step, step);
    if (m % step == 0) p->push_back((Index)(k[m] / step));
  }
  PetscCall(ISRestoreIndices(is, &k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A triangle whose side is not given has that of the first off-diagonal entry, or is upper if there is none. The first entry on the other side is an error. */
PetscErrorCode HeptaFactors::CheckTriangular()
{
  PetscFunctionBegin;
  if (Eliminated() || kind == HeptaBBSKind::both) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt m = 0; m < pattern.n; m++) {
    for (Index p = pattern.i[m]; p < pattern.i[m + 1]; p++) {
      const HeptaBBSKind side = pattern.j[p] < m ? HeptaBBSKind::lower : HeptaBBSKind::upper;

      if (pattern.j[p] == m) continue;
      if (kind == HeptaBBSKind::triangle) kind = side;
      PetscCheck(kind == side, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "PC bbs: the matrix is not %s triangular: row %" PetscInt_FMT " has an entry in column %" PetscInt_FMT "; -pc_bbs_triangle both takes the two triangles as factors L and U, -pc_type ilu factors a matrix",
                 kind == HeptaBBSKind::upper ? "upper" : "lower", m * pattern.bs, pattern.j[p] * pattern.bs);
    }
  }
  if (kind == HeptaBBSKind::triangle) kind = HeptaBBSKind::upper;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks that PetscInt can count the values, of which IC(0) has those of the upper triangle twice */
PetscErrorCode HeptaFactors::CheckSize()
{
  const PetscInt64 most = (PetscInt64)values * (kind == HeptaBBSKind::icc ? 2 : 1);

  PetscFunctionBegin;
  PetscCheck(most < PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: %" PetscInt64_FMT " values on an MPI process are too many for PetscInt: configure PETSc with --with-64-bit-indices, or take more processes", most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::Resize()
{
  const size_t n = (size_t)pattern.n, bs = (size_t)pattern.bs, block = bs * bs;

  PetscFunctionBegin;
  PetscCall(w.Resize(values * sizeof(Scalar)));
  PetscCall(inverse.Resize(n * block * sizeof(Scalar)));
  PetscCall(scratch.Resize(bs > 1 ? n * block * sizeof(Scalar) : 0));
  PetscCall(pivot.Resize(bs > 1 ? n * bs * sizeof(Index) : 0));
  PetscCall(root.Resize(bs > 1 ? 0 : n * sizeof(Scalar)));
  PetscCall(done.Resize((n + 1) * sizeof(unsigned)));
  PetscCall(report.Resize(sizeof(Report)));
  for (HeptaRowLevels &l : levels) PetscCall(l.Forget());
  for (auto *table : {&i_table, &j_table, &from_table, &diagonal_table, &scalar_row_table[0], &scalar_row_table[1]}) table->Invalidate();
  for (auto &h : triangles) h.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::SetStructureOnHost(Mat A, IS row_is, IS col_is, const std::vector<PetscInt> *part)
{
  PetscFunctionBegin;
  PetscCall(part && MatBDIADiagonals(A) ? pattern.ReadDiagonals(A) : pattern.Read(A));
  if (part) pattern.Separate(*part);
  values = pattern.from.size();
  PetscCall(SetPermutation(row_is, &row));
  PetscCall(SetPermutation(kind == HeptaBBSKind::icc ? row_is : col_is, &col));
  PetscCall(CheckTriangular());
  PetscCall(CheckSize());
  pattern.Permute(row, col, kind == HeptaBBSKind::icc);
  PetscCall(pattern.Diagonals(row, &diagonal));
  values = pattern.from.size();
  below  = 0;
  for (PetscInt m = 0; m < pattern.n; m++) below += (size_t)(diagonal[m] - pattern.i[m]) * pattern.bs * pattern.bs;
  for (int k = 0; k < 2; k++) {
    scalar_row[k].clear();
    for (Index m : k ? col : row) {
      for (PetscInt r = 0; r < pattern.bs; r++) scalar_row[k].push_back(m * (Index)pattern.bs + (Index)r);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::SetStructure(Mat A, HeptaBBSKind of, IS row_is, IS col_is, const HeptaBBSOptions &with, const std::vector<PetscInt> *part)
{
  PetscFunctionBegin;
  kind                = of;
  options             = with;
  structure_on_device = false;
  if (!part) PetscCall(SetStructureOnDevice(A, row_is, col_is));
  if (!structure_on_device) PetscCall(SetStructureOnHost(A, row_is, col_is, part));
  PetscCall(Resize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::GetBlocks(const HeptaSpace &space, HeptaAccess access, Blocks *B)
{
  PetscFunctionBegin;
  *B    = {};
  B->n  = (Index)pattern.n;
  B->bs = (int)pattern.bs;
  PetscCall(w.Access(space, access, &B->w));
  PetscCall(inverse.Access(space, access, &B->inverse));
  PetscCall(scratch.Access(space, HeptaAccess::write, &B->scratch));
  PetscCall(pivot.Access(space, HeptaAccess::write, &B->pivot));
  PetscCall(done.Access(space, HeptaAccess::write, &B->done));
  if (structure_on_device && space.device) {
    PetscCall(device_i.Access(space, HeptaAccess::read, &B->i));
    PetscCall(device_j.Access(space, HeptaAccess::read, &B->j));
    PetscCall(device_diagonal.Access(space, HeptaAccess::read, &B->diag));
  } else {
    PetscCall(FetchPattern());
    PetscCall(i_table.Get(space, pattern.i, &B->i));
    PetscCall(j_table.Get(space, pattern.j, &B->j));
    PetscCall(diagonal_table.Get(space, diagonal, &B->diag));
  }
#if defined(HEPTA_HAVE_CUDA)
  if (space.device && Eliminated()) PetscCall(levels[Number(false, false)].Order(space, {B->n, B->bs, false, B->i, B->j, B->diag}, &B->order));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blocks <- the values of A */
PetscErrorCode HeptaFactors::Gather(Mat A, const HeptaSpace &space)
{
  const Index *from = nullptr; /* null if values are in the order of the Mat */
  Scalar      *v;

  PetscFunctionBegin;
  if (!structure_on_device) PetscCall(from_table.Get(space, pattern.from, &from));
  PetscCall(w.Access(space, HeptaAccess::write, &v));
  PetscCall(HeptaPatternGather(A, space, values, from, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stores A + shift in the blocks, to be factored */
PetscErrorCode HeptaFactors::Load(Mat A, const HeptaSpace &space, Blocks *B)
{
  PetscFunctionBegin;
  root_current = false;
  for (auto &h : triangles) {
    if (h) h->Invalidate();
  }
  PetscCall(done.Zero(space));
  PetscCall(GetBlocks(space, HeptaAccess::write, B));
  PetscCall(Gather(A, space));
  if (shift.type != MAT_SHIFT_INBLOCKS && shift.amount != 0) HeptaLaunchEach(space, add_to_diagonal, *B, (Scalar)shift.amount);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::Attempt(Mat A, const PivotRule &rule, Report *result)
{
  HeptaSpace space;
  Blocks     B;
  Report    *r;

  PetscFunctionBegin;
  PetscCall(HeptaPatternSpace(A, &space));
  PetscCall(report.Zero(space));
  PetscCall(Load(A, space, &B));
  PetscCall(report.Access(space, HeptaAccess::read_write, &r));
  if (Eliminated()) HeptaLaunch(space, factor, B, rule, r);
  else HeptaLaunch(space, scale_rows, B, kind != HeptaBBSKind::lower, rule, r);
  PetscCall(report.Access(HeptaSpace(), HeptaAccess::read, &r));
  *result = *r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::Excess(Mat A, PetscReal *most)
{
  const PetscInt         bs = pattern.bs;
  HeptaSpace             space;
  const Scalar          *v;
  std::vector<PetscReal> excess((size_t)pattern.n * bs, 0);

  PetscFunctionBegin;
  PetscCall(HeptaPatternSpace(A, &space));
  PetscCall(Gather(A, space));
  PetscCall(FetchPattern());
  PetscCall(w.Access(HeptaSpace(), HeptaAccess::read, &v));
  for (PetscInt m = 0; m < pattern.n; m++) {
    for (Index p = pattern.i[m]; p < pattern.i[m + 1]; p++) {
      for (PetscInt e = 0; e < bs * bs; e++) {
        const Scalar a = v[(size_t)p * bs * bs + e];
        excess[m * bs + e % bs] += p == diagonal[m] && e % (bs + 1) == 0 ? -a : PetscAbsScalar(a);
      }
    }
  }
  *most = excess.empty() ? PETSC_MIN_REAL : *std::max_element(excess.begin(), excess.end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::SetValues(Mat A, const MatFactorInfo &info, PetscInt *bad, PetscInt *infinite)
{
  const PetscInt bs = pattern.bs;
  Report         result;
  bool           again;

  PetscFunctionBegin;
  shift        = HeptaShift();
  shift.type   = Eliminated() ? (MatFactorShiftType)(PetscInt)info.shifttype : MAT_SHIFT_NONE;
  shift.amount = shift.type == MAT_SHIFT_INBLOCKS ? info.shiftamount : 0;
  /* shifts depend on signs and sizes of scalar pivots; blocks are only checked for singularity */
  const bool      definite = shift.type == MAT_SHIFT_POSITIVE_DEFINITE && bs == 1, sums = definite || (shift.type == MAT_SHIFT_NONZERO && bs == 1);
  const PivotRule rule = {kind == HeptaBBSKind::icc, definite, shift.type == MAT_SHIFT_INBLOCKS, sums ? Bound::row : Bound::fixed, Eliminated() ? (Scalar)info.zeropivot : Scalar(0), (Scalar)info.shiftamount};
  do {
    PetscCall(Attempt(A, rule, &result));
    /* a pivot also fails if its row has Inf or NaN, perhaps from an earlier row: then that is reported */
    if (result.infinite && first_noted(result.infinite) / bs <= first_noted(result.bad) / bs) result.bad = 0;
    const bool good = !result.bad;
    if (!good && shift.type == MAT_SHIFT_POSITIVE_DEFINITE && !shift.tries) { /* start from a shift that makes all rows diagonally dominant */
      PetscCall(Excess(A, &shift.top));
      shift.top = 1.1 * PetscMax(shift.top, info.zeropivot);
    }
    shift.Next(good, kind == HeptaBBSKind::ilu, info.shiftamount, &again);
  } while (again);
  const auto original = [&](long long code) {
    const PetscInt i = (PetscInt)first_noted(code);
    return i < 0 || row.empty() ? i : (PetscInt)row[i / bs] * bs + i % bs;
  };
  shift.pivots = (PetscInt64)result.replaced;
  *bad         = original(result.bad);
  *infinite    = original(result.infinite);
  PetscFunctionReturn(PETSC_SUCCESS);
}
