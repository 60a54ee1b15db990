/* Solving with the factors: A ~ (I + L) D (I + U) */
#include "factors.h"

using namespace hepta;
using namespace hepta::bbs;

/* The triangle, filled again after each change of the values; the host solves the transpose by the rows of the triangle itself */
PetscErrorCode HeptaFactors::GetTriangle(bool upper, bool transposed, const HeptaSpace &space, HeptaTriangle **triangle)
{
  Blocks B;

  PetscFunctionBegin;
  *triangle = triangles[Number(upper, transposed && space.device)].get();
  if (!(*triangle)->IsFilled(space)) {
    PetscCall(GetBlocks(space, HeptaAccess::read, &B));
    PetscCall((*triangle)->Fill(space, B));
  }
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

PetscInt HeptaFactors::Overflow() const
{
  PetscInt first = -1;

  for (const auto &t : triangles) {
    if (t && t->Overflow() >= 0 && (first < 0 || t->Overflow() < first)) first = t->Overflow();
  }
  return Original(first);
}

/*
   Solves with one triangle. Of the first triangle of a solve b is in the order of the matrix's rows, of the last triangle x is in
   the order of the columns; transposed: columns and rows.
*/
PetscErrorCode HeptaFactors::SolveWith(bool upper, bool transposed, const HeptaSpace &space, Vectors v)
{
  HeptaTriangle *triangle;
  Blocks         B = {};

  PetscFunctionBegin;
  PetscCall(GetTriangle(upper, transposed, space, &triangle));
  PetscCheck(triangle->Overflow() < 0, PETSC_COMM_SELF, PETSC_ERR_FP, HEPTA_BBS_OVERFLOW, Original(triangle->Overflow()));
  PetscCall(scalar_row[upper].Access(space, HeptaAccess::read, upper == transposed ? &v.in : &v.out));
  if (triangle->UsesMultiRHS(space, v)) PetscCall(GetBlocks(space, HeptaAccess::read, &B));
  PetscCall(triangle->Solve(space, B, work, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = (I + U)^-1 D^-1 (I + L)^-1 b, or transposed (I + L)^-T D^-T (I + U)^-T b */
PetscErrorCode HeptaFactors::SolveBoth(bool transposed, const HeptaSpace &space, const Vectors &v)
{
  Vectors a = v, b = v;

  PetscFunctionBegin;
  PetscCall(intermediate.Reserve((size_t)Rows() * v.count * sizeof(Scalar)));
  PetscCall(intermediate.Access(space, HeptaAccess::write, &a.x));
  b.b   = a.x;
  a.ldx = b.ldb = (size_t)Rows();
  a.scaling     = Scaling::none;
  b.scaling     = Scaling::before;
  PetscCall(SolveWith(transposed, transposed, space, a));
  PetscCall(SolveWith(!transposed, transposed, space, b));
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
  for (PetscInt m = 0; m < n && !root_current; m++) {
    const Scalar a = d[m];
    PetscCheck(a > 0, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
               "bbs: the pivot of row %" PetscInt_FMT
               " is not positive, so the halves of IC(0) have no real square root: MatSolve() does not need it",
               row.empty() ? m : (PetscInt)row[m]);
    p[m] = PetscSqrtReal(a);
  }
  root_current = true;
  PetscCall(root.Access(space, HeptaAccess::read, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   One triangle alone: x = (I + N)^-1 D^-1 b, transposed x = D^-T (I + N)^-T b. The halves are I + L and D (I + U); for scalar
   IC(0) each half has the square root of D.
*/
PetscErrorCode HeptaFactors::Solve(HeptaSolve which, const HeptaSpace &space, Vectors v)
{
  const bool half   = which == HeptaSolve::lower || which == HeptaSolve::upper,
             upper  = half ? which == HeptaSolve::upper : kind == HeptaBBSKind::upper,
             rooted = half && kind == HeptaBBSKind::icc && bs == 1;

  PetscFunctionBegin;
  v.bs         = (int)bs;
  v.transposed = which == HeptaSolve::transposed;
  if (!Rows()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(rooted ? GetRoot(space, &v.inverse) : inverse.Access(space, HeptaAccess::read, &v.inverse));
  if (!half && Has(true) && Has(false)) {
    PetscCall(SolveBoth(v.transposed, space, v));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  v.scaling = v.transposed || (rooted && !upper) ? Scaling::after : half && !upper ? Scaling::none : Scaling::before;
  PetscCall(SolveWith(upper, v.transposed, space, v));
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
   Solves for as many columns at a time as fit in 1 GB of work space, two vectors for each column in engine `together`, and at
   most 65535 packs, a dimension of the engine's grids. Of more than one pack only complete packs are taken.
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
  PetscCheck(PetscMemTypeDevice(type[0]) == PetscMemTypeDevice(type[1]), PetscObjectComm((PetscObject)B), PETSC_ERR_SUP,
             "bbs: the right-hand sides (%s) and the solutions (%s) must be of one type", ((PetscObject)B)->type_name,
             ((PetscObject)X)->type_name);
  PetscCall(HeptaSpaceOf(type[0], &space));
  PetscInt step = (PetscInt)PetscClipInterval(most / (sizeof(PetscScalar) * (size_t)PetscMax(1, B->rmap->n)), (size_t)1,
                                              (size_t)65535 * pack_size);
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
