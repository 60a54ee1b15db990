/* Solving with the factors: A ~ (I + L) D (I + U) */
#include "factors.h"

using namespace hepta;
using namespace hepta::bbs;

/* Made when it is first needed, and filled after each change of the values */
PetscErrorCode HeptaFactors::GetTriangle(bool upper, bool transposed, const HeptaSpace &space, HeptaTriangle **triangle)
{
  auto  &h = half[upper][transposed];
  Blocks B;

  PetscFunctionBegin;
  if (!h) {
    const size_t above = values - below - (size_t)Rows() * pattern.bs;
    h.reset(new HeptaTriangle({upper, transposed, (Index)Rows(), upper ? above : below, &levels[upper][transposed]}, options));
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
  if (!entry[columns].empty()) PetscCall(entry_table[columns].Get(space, entry[columns], p));
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

/* Room for n numbers, kept for the next time */
static PetscErrorCode Room(const HeptaSpace &space, size_t n, HeptaValues &values, Scalar **p)
{
  void *v;

  PetscFunctionBegin;
  PetscCall(values.Reserve(n * sizeof(Scalar)));
  PetscCall(values.Access(space, HeptaAccess::write, &v));
  *p = (Scalar *)v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::SolveWith(HeptaTriangle *triangle, const HeptaSpace &space, Vectors v)
{
  const size_t vectors = triangle->WorkVectors(space, v);
  Blocks       B       = {};

  PetscFunctionBegin;
  if (vectors) PetscCall(Room(space, (size_t)Rows() * vectors, work, &v.work));
  if (triangle->IsTogether(space, v)) PetscCall(GetBlocks(space, HeptaAccess::read, &B));
  PetscCall(triangle->Solve(space, B, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (I + U)^-1 D^-1 (I + L)^-1 b, or with the transposed ones in the other order */
PetscErrorCode HeptaFactors::SolveBoth(bool transposed, const HeptaSpace &space, const Vectors &v)
{
  const size_t   n = (size_t)Rows();
  HeptaTriangle *first, *second;
  Vectors        a = v, b = v;

  PetscFunctionBegin;
  PetscCall(Room(space, n * v.count, between, &a.x));
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

/* D^-1 before a triangle's solution, after that of the transposed */
PetscErrorCode HeptaFactors::SolveOne(bool transposed, const HeptaSpace &space, const Vectors &v)
{
  HeptaTriangle *triangle;
  Vectors        a = v;

  PetscFunctionBegin;
  PetscCall(GetTriangle(kind == HeptaBBSKind::upper, transposed, space, &triangle));
  a.scaling = transposed ? Scaling::after : Scaling::before;
  PetscCall(SolveWith(triangle, space, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::Solve(bool transposed, const HeptaSpace &space, const Vectors &given)
{
  Vectors v = given;
  void   *d;

  PetscFunctionBegin;
  PetscCall(inverse.Access(space, HeptaAccess::read, &d));
  v.inverse    = (const Scalar *)d;
  v.bs         = (int)pattern.bs;
  v.transposed = transposed;
  if (Has(true) && Has(false)) PetscCall(SolveBoth(transposed, space, v));
  else PetscCall(SolveOne(transposed, space, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |D|^-1/2, a scalar for each row: for IC(0) */
PetscErrorCode HeptaFactors::GetRoot(const HeptaSpace &space, const Scalar **r)
{
  void *d, *p;

  PetscFunctionBegin;
  if (!rooted) {
    PetscCall(inverse.Access(HeptaSpace(), HeptaAccess::read, &d));
    PetscCall(root.Access(HeptaSpace(), HeptaAccess::write, &p));
  }
  for (PetscInt i = 0; i < pattern.n && !rooted; i++) {
    const Scalar a = ((const Scalar *)d)[i];
    PetscCheck(a > 0, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT, "bbs: the pivot of row %" PetscInt_FMT " is not positive, so the halves of IC(0) have no real square root: MatSolve() does not need it", row.empty() ? i : (PetscInt)row[i]);
    ((Scalar *)p)[i] = PetscSqrtReal(a);
  }
  rooted = true;
  PetscCall(root.Access(space, HeptaAccess::read, &p));
  *r = (const Scalar *)p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::SolveHalf(bool upper, const HeptaSpace &space, const Vectors &given)
{
  Vectors        v = given;
  HeptaTriangle *triangle;
  void          *d;

  PetscFunctionBegin;
  v.bs      = (int)pattern.bs;
  v.scaling = upper ? Scaling::before : Scaling::none;
  if (kind == HeptaBBSKind::icc && pattern.bs == 1) {
    PetscCall(GetRoot(space, &v.inverse));
    if (!upper) v.scaling = Scaling::after;
  } else {
    PetscCall(inverse.Access(space, HeptaAccess::read, &d));
    v.inverse = (const Scalar *)d;
  }
  PetscCall(Permuted(upper, space, upper ? &v.out : &v.in));
  PetscCall(GetTriangle(upper, false, space, &triangle));
  PetscCall(SolveWith(triangle, space, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFactors::View(PetscViewer viewer)
{
  static const char *const names[2][2] = {
    {"L", "L transposed"},
    {"U", "U transposed"}
  };

  PetscFunctionBegin;
  if (Eliminated()) PetscCall(shift.View(viewer));
  for (int upper = 0; upper < 2; upper++) {
    for (int transposed = 0; transposed < 2; transposed++) {
      if (half[upper][transposed]) PetscCall(half[upper][transposed]->View(viewer, names[upper][transposed]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
