/* Structure and values of the factors */
#include "factors.h"

#include <algorithm>

#include "../../shared/each.hxx"

using namespace hepta;
using namespace hepta::bbs;
using namespace hepta::factor;

/*
   Permutations of block rows and of scalar rows, empty for the identity; PETSc's orderings of block matrices are by blocks or by
   rows
*/
PetscErrorCode HeptaFactors::GetPermutation(IS is, std::vector<Index> *p, HeptaValues *scalar) const
{
  const PetscInt *k;
  PetscInt        rows;
  PetscBool       identity = PETSC_TRUE;
  Index          *s;

  PetscFunctionBegin;
  p->clear();
  PetscCall(scalar->Free());
  if (is) PetscCall(ISIdentity(is, &identity));
  if (identity) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(is, &rows));
  const PetscInt step = rows == n ? 1 : bs;
  PetscCheck(rows == n * step, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "bbs: an ordering of %" PetscInt_FMT " rows for %" PetscInt_FMT " block rows of size %" PetscInt_FMT, rows, n, bs);
  PetscCall(ISGetIndices(is, &k));
  for (PetscInt m = 0; m < rows; m++) {
    PetscCheck(k[m] - k[m - m % step] == m % step && k[m - m % step] % step == 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "bbs: the ordering tears block row %" PetscInt_FMT " of size %" PetscInt_FMT " apart; order block rows", m / step,
               step);
    if (m % step == 0) p->push_back((Index)(k[m] / step));
  }
  PetscCall(ISRestoreIndices(is, &k));
  PetscCall(scalar->Make(HeptaSpace(), (size_t)Rows(), &s));
  for (PetscInt m = 0; m < Rows(); m++) s[m] = (*p)[m / bs] * (Index)bs + (Index)(m % bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Without a given side the first off-diagonal entry decides: upper or lower; a diagonal matrix is upper. The first entry on the
   other side is an error.
*/
PetscErrorCode HeptaFactors::CheckTriangular(const HeptaPattern &A)
{
  PetscFunctionBegin;
  if (Eliminated() || kind == HeptaBBSKind::both) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt m = 0; m < A.n; m++) {
    for (Index p = A.i[m]; p < A.i[m + 1]; p++) {
      const HeptaBBSKind side = A.j[p] < m ? HeptaBBSKind::lower : HeptaBBSKind::upper;

      if (A.j[p] == m) continue;
      if (kind == HeptaBBSKind::triangle) kind = side;
      PetscCheck(kind == side, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "PC bbs: the matrix is not %s triangular: row %" PetscInt_FMT " has an entry in column %" PetscInt_FMT
                 "; -pc_bbs_triangle both takes the two triangles as factors L and U, -pc_type ilu factors a matrix",
                 kind == HeptaBBSKind::upper ? "upper" : "lower", m * A.bs, A.j[p] * A.bs);
    }
  }
  if (kind == HeptaBBSKind::triangle) kind = HeptaBBSKind::upper;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::Resize()
{
  const size_t rows = (size_t)Rows(), above = values - below - rows * bs;

  PetscFunctionBegin;
  PetscCall(w.Resize(values * sizeof(Scalar)));
  PetscCall(inverse.Resize(rows * bs * sizeof(Scalar)));
  PetscCall(scratch.Resize(bs > 1 ? rows * bs * sizeof(Scalar) : 0));
  PetscCall(pivot.Resize(bs > 1 ? rows * sizeof(Index) : 0));
  PetscCall(root.Resize(bs > 1 ? 0 : rows * sizeof(Scalar)));
  PetscCall(done.Resize(((size_t)n + 1) * sizeof(unsigned)));
  PetscCall(report.Resize(sizeof(Report)));
  for (bool upper : {false, true}) {
    for (bool transposed : {false, true})
      triangles[Number(upper, transposed)].reset(
        new HeptaTriangle(upper, transposed, Eliminated() && !upper, (Index)rows, (int)bs, upper ? above : below, options));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::SetStructureOnHost(Mat A, const std::vector<Index> &col, const std::vector<PetscInt> *part)
{
  HeptaPattern pattern;

  PetscFunctionBegin;
  PetscCall(part && MatBDIADiagonals(A) ? pattern.ReadDiagonals(A) : pattern.Read(A, bs));
  PetscCall(CheckTriangular(pattern));
  /* IC(0) has the values of the upper triangle twice */
  PetscCall(HeptaPatternCheckSize(pattern.j.size() * bs * bs * (kind == HeptaBBSKind::icc ? 2 : 1)));
  pattern.Permute(row, col, kind == HeptaBBSKind::icc, part);
  PetscCall(pattern.Diagonals(row, &diagonal));
  values = pattern.j.size() * bs * bs;
  PetscCall(HeptaPatternCheckSize(values));
  below = 0;
  for (PetscInt m = 0; m < n; m++) below += (size_t)(diagonal[m] - pattern.i[m]) * bs * bs;
  i.swap(pattern.i);
  j.swap(pattern.j);
  from.swap(pattern.from);
  for (auto *table : {&i_table, &j_table, &diagonal_table, &from_table}) table->Invalidate();
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
/*
   Takes the structure of an aijcusparse in natural order; *taken <- false for a faulty structure, which the host then sets, to
   report the error
*/
PetscErrorCode HeptaFactors::SetStructureOnDevice(Mat A, bool *taken)
{
  HeptaSpace      space;
  const PetscInt *rows, *columns;
  Index          *p[3];
  Inspection      found;
  MatInfo         info;

  PetscFunctionBegin;
  PetscCall(HeptaPatternSpace(A, &space));
  if (!space.device || HeptaIsBlocked(A) || kind == HeptaBBSKind::icc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  values = (size_t)info.nz_used;
  PetscCall(HeptaPatternCheckSize(values));
  PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &rows, &columns));
  PetscCall(i_table.Make(space, (size_t)n + 1, &p[0])); /* copies, since the factors may outlive the Mat */
  PetscCall(j_table.Make(space, values, &p[1]));
  PetscCallHepta(copy_on_device(p[0], rows, ((size_t)n + 1) * sizeof(Index), space.stream));
  PetscCallHepta(copy_on_device(p[1], columns, values * sizeof(Index), space.stream));
  PetscCall(MatSeqAIJCUSPARSERestoreIJ(A, PETSC_FALSE, &rows, &columns));
  PetscCall(diagonal_table.Make(space, (size_t)n, &p[2]));
  PetscCallHepta(inspect_cuda((Index)n, values, p[0], p[1], p[2], &found, space.stream));
  below            = (size_t)found.below;
  const bool lower = below > 0, upper = values > below + (size_t)n; /* are there entries below, above the diagonal? */
  const auto of = kind != HeptaBBSKind::triangle ? kind : lower && !upper ? HeptaBBSKind::lower : HeptaBBSKind::upper;
  *taken        = found.diagonal == (size_t)n && !found.unordered && !(of == HeptaBBSKind::upper && lower) &&
                  !(of == HeptaBBSKind::lower && upper);
  if (!*taken) PetscFunctionReturn(PETSC_SUCCESS);
  kind = of;
  for (auto *v : {&i, &j, &diagonal, &from}) v->clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode HeptaFactors::SetStructure(Mat A, HeptaBBSKind of, IS row_is, IS col_is, const HeptaBBSOptions &with,
                                          const std::vector<PetscInt> *part)
{
  std::vector<Index> col;
  PetscBool          baij;
  bool               taken = false;

  PetscFunctionBegin;
  kind    = of;
  options = with;
  structure.Forget();
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  bs = baij || HeptaIsBlocked(A) ? HeptaBlockSize(A->rmap) : 1;
  n  = A->rmap->n / bs;
  PetscCall(GetPermutation(row_is, &row, &scalar_row[0]));
  PetscCall(GetPermutation(kind == HeptaBBSKind::icc ? row_is : col_is, &col, &scalar_row[1]));
#if defined(HEPTA_HAVE_CUDA)
  if (!part && row.empty() && col.empty()) PetscCall(SetStructureOnDevice(A, &taken));
#endif
  if (!taken) PetscCall(SetStructureOnHost(A, col, part));
  PetscCall(Resize());
  structure.Note(A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::GetMatrix(const HeptaSpace &space, HeptaAccess access, Blocks *B)
{
  PetscFunctionBegin;
  *B    = {};
  B->n  = (Index)n;
  B->bs = (int)bs;
#if defined(HEPTA_HAVE_CUDA)
  if (!space.device && i.empty()) {
    HeptaSpace device;
    PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &device));
    PetscCall(diagonal_table.Bring(device, (size_t)n, diagonal));
    PetscCall(j_table.Bring(device, values, j));
    PetscCall(i_table.Bring(device, (size_t)n + 1, i)); /* i_table last: its presence shows that all tables are there */
  }
#endif
  PetscCall(i_table.Get(space, i, &B->i));
  PetscCall(j_table.Get(space, j, &B->j));
  PetscCall(diagonal_table.Get(space, diagonal, &B->diag));
  PetscCall(w.Access(space, access, &B->w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::GetBlocks(const HeptaSpace &space, HeptaAccess access, Blocks *B)
{
  PetscFunctionBegin;
  PetscCall(GetMatrix(space, access, B));
  PetscCall(inverse.Access(space, access, &B->inverse));
  PetscCall(scratch.Access(space, HeptaAccess::write, &B->scratch));
  PetscCall(pivot.Access(space, HeptaAccess::write, &B->pivot));
  PetscCall(done.Access(space, HeptaAccess::write, &B->done));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device && Eliminated()) PetscCall(triangles[Number(false, false)]->Order(space, *B, &B->order));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blocks <- the values of A */
PetscErrorCode HeptaFactors::Gather(Mat A, const HeptaSpace &space)
{
  const Index *f = nullptr;
  Scalar      *v;

  PetscFunctionBegin;
  if (!from.empty()) PetscCall(from_table.Get(space, from, &f));
  PetscCall(w.Access(space, HeptaAccess::write, &v));
  PetscCall(HeptaPatternGather(A, space, values, f, v));
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
  PetscCall(done.Zero(space));
  root_current = false;
  for (auto &h : triangles) h->Invalidate();
  PetscCall(GetBlocks(space, HeptaAccess::write, &B));
  PetscCall(Gather(A, space));
  if (shift.type != MAT_SHIFT_INBLOCKS && shift.amount != 0) HeptaLaunchEach(space, add_to_diagonal, B, (Scalar)shift.amount);
  PetscCall(report.Access(space, HeptaAccess::read_write, &r));
  if (Eliminated()) HeptaLaunch(space, factor, B, rule, r);
  else HeptaLaunch(space, scale_rows, B, kind != HeptaBBSKind::lower, rule, r);
  PetscCall(report.Access(HeptaSpace(), HeptaAccess::read, &r));
  *result = *r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::Excess(Mat A, PetscReal *most)
{
  HeptaSpace             space;
  Blocks                 B;
  std::vector<PetscReal> excess((size_t)Rows(), 0);

  PetscFunctionBegin;
  PetscCall(HeptaPatternSpace(A, &space));
  PetscCall(Gather(A, space));
  PetscCall(GetMatrix(HeptaSpace(), HeptaAccess::read, &B));
  for (PetscInt m = 0; m < n; m++) {
    for (Index p = B.i[m]; p < B.i[m + 1]; p++) {
      for (PetscInt e = 0; e < bs * bs; e++) {
        const Scalar a = B.w[(size_t)p * bs * bs + e];
        excess[m * bs + e % bs] += p == B.diag[m] && e % (bs + 1) == 0 ? -a : PetscAbsScalar(a);
      }
    }
  }
  *most = excess.empty() ? PETSC_MIN_REAL : *std::max_element(excess.begin(), excess.end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::SetValues(Mat A, const MatFactorInfo &info, PetscInt *bad, PetscInt *infinite)
{
  Report result;
  bool   again;

  PetscFunctionBegin;
  shift        = HeptaShift();
  shift.type   = Eliminated() ? (MatFactorShiftType)(PetscInt)info.shifttype : MAT_SHIFT_NONE;
  shift.amount = shift.type == MAT_SHIFT_INBLOCKS ? info.shiftamount : 0;
  /* shifts depend on signs and sizes of scalar pivots; blocks are only checked for singularity */
  const bool      definite = shift.type == MAT_SHIFT_POSITIVE_DEFINITE && bs == 1,
                  sums     = definite || (shift.type == MAT_SHIFT_NONZERO && bs == 1);
  const PivotRule rule     = {kind == HeptaBBSKind::icc,
                              definite,
                              shift.type == MAT_SHIFT_INBLOCKS,
                              sums ? Bound::row : Bound::fixed,
                              Eliminated() ? (Scalar)info.zeropivot : Scalar(0),
                              (Scalar)info.shiftamount};
  do {
    PetscCall(Attempt(A, rule, &result));
    /* Inf or NaN in a row, perhaps from an earlier row, makes the pivot fail too: the value is reported, not the pivot */
    if (result.infinite && first_noted(result.infinite) / bs <= first_noted(result.bad) / bs) result.bad = 0;
    const bool good = !result.bad;
    /* start from a shift that makes all rows diagonally dominant */
    if (!good && shift.type == MAT_SHIFT_POSITIVE_DEFINITE && !shift.tries) {
      PetscCall(Excess(A, &shift.top));
      shift.top = 1.1 * PetscMax(shift.top, info.zeropivot);
    }
    shift.Next(good, kind == HeptaBBSKind::ilu, info.shiftamount, &again);
  } while (again);
  shift.pivots = (PetscInt64)result.replaced;
  *bad         = Original((PetscInt)first_noted(result.bad));
  *infinite    = Original((PetscInt)first_noted(result.infinite));
  PetscFunctionReturn(PETSC_SUCCESS);
}
