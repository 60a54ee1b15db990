/* Solving with the factors: A ~ (I + L) D (I + U) */
#include "factors.h"

using namespace hepta;
using namespace hepta::bbs;

/* The triangle, which is made when first needed, and filled again after each change of the values */
PetscErrorCode HeptaFactors::GetTriangle(bool upper, bool transposed, const HeptaSpace &space, HeptaTriangle **triangle)
{
  const int which = Number(upper, transposed);
  auto     &h     = triangles[which];
  Blocks    B;

  PetscFunctionBegin;
  if (!h) {
    const size_t above = values - below - (size_t)Rows() * pattern.bs;
    h.reset(new HeptaTriangle({upper, transposed, (Index)Rows(), upper ? above : below, &levels[which]}, options));
  }
  if (!h->IsFilled(space)) {
    PetscCall(GetBlocks(space, HeptaAccess::read, &B));
    PetscCall(h->Fill(space, B, Eliminated() && !upper));
  }
  *triangle = h.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::Permuted(bool columns, const HeptaSpace &space, const Index **p)
{
  PetscFunctionBegin;
  *p = nullptr;
  if (!scalar_row[columns].empty()) PetscCall(scalar_row_table[columns].Get(space, scalar_row[columns], p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::Prepare()
{
  HeptaSpace     space;
  HeptaTriangle *triangle;

  PetscFunctionBegin;
  PetscCall(w.Space(&space));
  for (bool upper : {false, true}) {
    if (Has(upper)) PetscCall(GetTriangle(upper, false, space, &triangle));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::SolveWith(HeptaTriangle *triangle, const HeptaSpace &space, Vectors v)
{
  const size_t vectors = triangle->WorkVectors(space, v);
  Blocks       B       = {};

  PetscFunctionBegin;
  if (vectors) { /* the work space is kept for the next solve */
    PetscCall(work.Reserve((size_t)Rows() * vectors * sizeof(Scalar)));
    PetscCall(work.Access(space, HeptaAccess::write, &v.work));
  }
  if (triangle->UsesMultiRHS(space, v)) PetscCall(GetBlocks(space, HeptaAccess::read, &B));
  PetscCall(triangle->Solve(space, B, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = (I + U)^-1 D^-1 (I + L)^-1 b, or transposed (I + L)^-T D^-T (I + U)^-T b */
PetscErrorCode HeptaFactors::SolveBoth(bool transposed, const HeptaSpace &space, const Vectors &v)
{
  const size_t   n = (size_t)Rows();
  HeptaTriangle *first, *second;
  Vectors        a = v, b = v;

  PetscFunctionBegin;
  PetscCall(intermediate.Reserve(n * v.count * sizeof(Scalar)));
  PetscCall(intermediate.Access(space, HeptaAccess::write, &a.x));
  PetscCall(GetTriangle(transposed, transposed, space, &first));
  PetscCall(GetTriangle(!transposed, transposed, space, &second));
  PetscCall(Permuted(transposed, space, &a.in));
  PetscCall(Permuted(!transposed, space, &b.out));
  b.b   = a.x;
  a.ldx = b.ldb = n;
  a.scaling     = Scaling::none;
  b.scaling     = Scaling::before;
  PetscCall(SolveWith(first, space, a));
  PetscCall(SolveWith(second, space, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = (I + N)^-1 D^-1 b for the one triangle, or transposed D^-T (I + N)^-T b */
PetscErrorCode HeptaFactors::SolveOne(bool transposed, const HeptaSpace &space, Vectors v)
{
  HeptaTriangle *triangle;

  PetscFunctionBegin;
  PetscCall(GetTriangle(kind == HeptaBBSKind::upper, transposed, space, &triangle));
  v.scaling = transposed ? Scaling::after : Scaling::before;
  PetscCall(SolveWith(triangle, space, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D^-1/2, a number for each row, for IC(0) */
PetscErrorCode HeptaFactors::GetRoot(const HeptaSpace &space, const Scalar **r)
{
  const Scalar *d;
  Scalar       *p;

  PetscFunctionBegin;
  if (!root_current) {
    PetscCall(inverse.Access(HeptaSpace(), HeptaAccess::read, &d));
    PetscCall(root.Access(HeptaSpace(), HeptaAccess::write, &p));
  }
  for (PetscInt i = 0; i < pattern.n && !root_current; i++) {
    const Scalar a = d[i];
    PetscCheck(a > 0, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT, "bbs: the pivot of row %" PetscInt_FMT " is not positive, so the halves of IC(0) have no real square root: MatSolve() does not need it", row.empty() ? i : (PetscInt)row[i]);
    p[i] = PetscSqrtReal(a);
  }
  root_current = true;
  PetscCall(root.Access(space, HeptaAccess::read, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::SolveHalf(bool upper, const HeptaSpace &space, Vectors v)
{
  HeptaTriangle *triangle;

  PetscFunctionBegin;
  v.scaling = upper ? Scaling::before : Scaling::none;
  if (kind == HeptaBBSKind::icc && pattern.bs == 1) {
    PetscCall(GetRoot(space, &v.inverse));
    if (!upper) v.scaling = Scaling::after;
  }
  PetscCall(Permuted(upper, space, upper ? &v.out : &v.in));
  PetscCall(GetTriangle(upper, false, space, &triangle));
  PetscCall(SolveWith(triangle, space, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::Solve(HeptaSolve which, const HeptaSpace &space, Vectors v)
{
  v.bs         = (int)pattern.bs;
  v.transposed = which == HeptaSolve::transposed;

  PetscFunctionBegin;
  if (!Rows()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(inverse.Access(space, HeptaAccess::read, &v.inverse));
  if (which == HeptaSolve::lower || which == HeptaSolve::upper) PetscCall(SolveHalf(which == HeptaSolve::upper, space, v));
  else if (Has(true) && Has(false)) PetscCall(SolveBoth(v.transposed, space, v));
  else PetscCall(SolveOne(v.transposed, space, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vectors are accessed even without rows, so that the state of x increases on all ranks */
PetscErrorCode HeptaFactors::Solve(HeptaSolve which, Vec b, Vec x)
{
  HeptaArrays p;
  Vectors     v = {};

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(b, nullptr, x, &p));
  v.b     = p.x;
  v.x     = p.y;
  v.count = 1;
  PetscCall(Solve(which, p.space, v));
  PetscCall(HeptaArraysRestore(b, nullptr, x, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Solves for some columns at a time: as many as fit in 1 GB of work space, of which engine `together` needs two vectors for each column, and at most 65535
   packs, which are a dimension of its grids. If there is more than one pack, only complete packs are taken.
*/
PetscErrorCode HeptaFactors::Solve(HeptaSolve which, Mat B, Mat X)
{
  constexpr size_t   most = (size_t)1 << 30;
  Vectors            v    = {};
  const PetscScalar *b;
  PetscScalar       *x;
  PetscMemType       type[2];
  PetscInt           ldb, ldx;
  HeptaSpace         space;

  PetscFunctionBegin;
  PetscCall(MatDenseGetLDA(B, &ldb));
  PetscCall(MatDenseGetLDA(X, &ldx));
  PetscCall(MatDenseGetArrayReadAndMemType(B, &b, &type[0]));
  PetscCall(MatDenseGetArrayWriteAndMemType(X, &x, &type[1]));
  PetscCheck(PetscMemTypeDevice(type[0]) == PetscMemTypeDevice(type[1]), PetscObjectComm((PetscObject)B), PETSC_ERR_SUP, "bbs: the right-hand sides (%s) and the solutions (%s) must be of one type", ((PetscObject)B)->type_name,
             ((PetscObject)X)->type_name);
  PetscCall(HeptaSpaceOf(type[0], &space));
  PetscInt step = (PetscInt)PetscClipInterval(most / (sizeof(PetscScalar) * (size_t)PetscMax(1, B->rmap->n)), (size_t)1, (size_t)65535 * pack_size);
  if (step > pack_size) step -= step % pack_size;
  for (PetscInt k = 0; k < B->cmap->n; k += (PetscInt)v.count) {
    v.b     = b + (size_t)k * ldb;
    v.x     = x + (size_t)k * ldx;
    v.ldb   = (size_t)ldb;
    v.ldx   = (size_t)ldx;
    v.count = (int)PetscMin(step, B->cmap->n - k);
    PetscCall(Solve(which, space, v));
  }
  PetscCall(MatDenseRestoreArrayWriteAndMemType(X, &x));
  PetscCall(MatDenseRestoreArrayReadAndMemType(B, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::View(PetscViewer viewer)
{
  static const char *const names[] = {"L", "L transposed", "U", "U transposed"};

  PetscFunctionBegin;
  if (Eliminated()) PetscCall(shift.View(viewer));
  for (int k = 0; k < 4; k++) {
    if (triangles[k]) PetscCall(triangles[k]->View(viewer, names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
