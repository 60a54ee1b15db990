/*
   PC "l1jacobi": M = D + diag(s) / 2, where D is the diagonal of A, for block size bs > 1 its block diagonal, and

     s_i = sum |a_ij| w_ij over the columns j outside of D,  w_ij = sqrt(a_ii / a_jj)

   For symmetric positive definite A the step z <- z + M^-1 (b - A z) is a contraction in the norm of A, since 2 M - A is positive
   definite: it is D + (diag(s) - (A - D)), D is positive definite, and the rest is at least 0: it adds for each pair i, j

     |a_ij| (w_ij x_i^2 + x_j^2 / w_ij) - 2 a_ij x_i x_j = |a_ij| (sqrt(w_ij) x_i -+ x_j / sqrt(w_ij))^2

   So the eigenvalues of M^-1 A are between 0 and 2. The weights make M of S A S equal to S M S for any diagonal S: what counts are
   the couplings of the matrix with a unit diagonal, not the units of its unknowns. With w_ij = 1 a row whose neighbors have larger
   units gets an s_i far above a_ii, and is hardly relaxed. Where the diagonal is constant and s_i = a_ii, as in a Laplacian, this is
   Jacobi damped by 2/3.
*/
#include "l1jacobi.h"

#include "../../mat/brow/brow.h"
#include "../../shared/arrays.h"

using hepta::Index;
using hepta::Scalar;
using namespace hepta::l1jacobi;

static PC_L1Jacobi *L1(PC pc)
{
  return (PC_L1Jacobi *)pc->data;
}

PetscErrorCode HeptaL1Rows::Free()
{
  PetscFunctionBegin;
  for (HeptaValues *v : {&block, &sum, &count, &root, &found}) PetscCall(v->Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r->root, r->ghost_root <- those of A */
PetscErrorCode HeptaL1Rows::ReadRoots(const HeptaSpace &space, Mat A, Rows *r)
{
  Mat_Blocked *a = MatBlocked(A);
  Scalar      *all;

  PetscFunctionBegin;
  PetscCall(root.Make(space, r->n + a->ghost.garray.size() * a->ghost.bs, &all));
  PetscCall(a->local->GetDiagonal(space, all));
  HeptaLaunchEach(space, take_roots, r->n, all);
  if (a->halo) PetscCall(a->halo.Bring({space, all, all + r->n}));
  r->root       = all;
  r->ghost_root = all + r->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaL1Rows::Read(const HeptaSpace &space, Mat A, PetscInt bs, bool weighted, Rows *r, Found **noted)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  *r = {(size_t)A->rmap->n, (Index)bs, nullptr, nullptr, nullptr, nullptr, nullptr};
  if (weighted) PetscCall(ReadRoots(space, A, r));
  PetscCall(block.Make(space, r->n * bs, &r->block));
  PetscCall(sum.Make(space, r->n, &r->sum));
  PetscCall(count.Make(space, r->n, &r->count));
  PetscCall(found.Reserve(sizeof(Found)));
  PetscCall(found.Zero(space));
  PetscCall(found.Access(space, HeptaAccess::read_write, noted));
  if (hepta::bdia::Diagonals *D = MatBDIADiagonals(A)) PetscCall(HeptaVisitLaunchEach(*D, space, HeptaAccess::read, read_rows, *r));
  else PetscCall(HeptaVisitLaunchEach(*MatBROWBlockRows(A), space, HeptaAccess::read, read_rows, *r));
  if (!a->ghost.row.empty()) PetscCall(HeptaVisitLaunchEach(a->ghost, space, HeptaAccess::read, add_ghosts, *r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFirstRowNotDominant(Mat A, PetscInt most, PetscInt *row)
{
  HeptaL1Rows rows;
  HeptaSpace  space;
  Rows        r;
  Found      *found;
  PetscInt    first;

  PetscFunctionBegin;
  PetscCall(HeptaOperatorSpaceOfAll(A, &space));
  PetscCall(rows.Read(space, A, 1, false, &r, &found));
  HeptaLaunchEach(space, note_rows, r, (Index)most, found);
  PetscCall(rows.found.Access(HeptaSpace(), HeptaAccess::read, &found));
  first = found->other ? (PetscInt)hepta::first_noted(found->other) + A->rmap->rstart : PETSC_INT_MAX;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_MIN, PetscObjectComm((PetscObject)A)));
  *row = first == PETSC_INT_MAX ? -1 : first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error if some process has found a `bad` row, with Inf or NaN; collective */
static PetscErrorCode CheckFound(Mat A, bool bad)
{
  PetscFunctionBegin;
  PetscCall(HeptaAgreeOnAny(PetscObjectComm((PetscObject)A), &bad));
  if (!bad) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaCheckFinite(A, PCL1JACOBI));
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_FP, "PC l1jacobi: the sum of a row's magnitudes overflows: scale the matrix");
}

static PetscErrorCode SetUp(PC pc)
{
  PC_L1Jacobi *l = L1(pc);
  HeptaSpace   space;
  Rows         r;
  Found       *found;
  Index       *pivot;
  bool         same;

  PetscFunctionBegin;
  l->op.plain = true;
  PetscCall(l->op.Update(pc, MatBROWBlockRows(pc->pmat) ? HeptaForm::block_rows : HeptaForm::diagonals, HeptaForm::block_rows, &same));
  PetscCall(HeptaOperatorSpaceOfAll(l->op.A, &space));
  PetscCall(l->rows.Read(space, l->op.A, l->op.A->rmap->bs, true, &r, &found));
  PetscCall(l->pivot.Make(space, r.n, &pivot));
  HeptaLaunchEach(space, invert, r, pivot, found);
  PetscCall(l->rows.found.Access(HeptaSpace(), HeptaAccess::read, &found));
  PetscCall(CheckFound(l->op.A, found->infinite != 0));
  PetscCall(PCSetFailedReason(pc, found->pivot ? PC_FACTOR_NUMERIC_ZEROPIVOT : PC_NOERROR)); /* for the KSP to see */
  if (found->pivot) {
    const PetscInt row = (PetscInt)hepta::first_noted(found->pivot) + l->op.A->rmap->rstart;
    PetscCall(PetscInfo(pc, "Row %" PetscInt_FMT " has no pivot: diagonal block %" PetscInt_FMT " of size %" PetscInt_FMT " is singular\n", row, row / r.bs, (PetscInt)r.bs));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z <- M^-1 (x - t), or z + M^-1 (x - t) if `add`, in the given memory */
static PetscErrorCode Launch(PC pc, const HeptaSpace &space, bool transposed, bool add, const PetscScalar *x, const PetscScalar *t, PetscScalar *z)
{
  PC_L1Jacobi   *l  = L1(pc);
  const PetscInt bs = l->op.A->rmap->bs, n = l->op.A->rmap->n;
  Scalar        *inverse;

  PetscFunctionBegin;
  PetscCall(l->rows.block.Access(space, HeptaAccess::read, &inverse));
  HeptaLaunchEach(space, apply, (size_t)n, (Index)bs, (const Scalar *)inverse, transposed, add, x, t, z);
  PetscCall(HeptaLogFlops(space, (2. * (PetscLogDouble)bs + add + (t != nullptr) - 1) * (PetscLogDouble)n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool transposed> static PetscErrorCode Apply(PC pc, Vec x, Vec z)
{
  HeptaArrays p;

  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  PetscCall(HeptaArraysGet(x, nullptr, z, &p));
  PetscCall(Launch(pc, p.space, transposed, false, p.x, nullptr, p.y));
  PetscCall(HeptaArraysRestore(x, nullptr, z, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaL1JacobiCorrect(PC pc, Vec x, Vec t, Vec z, bool transposed, bool *added)
{
  PetscBool   l1;
  HeptaArrays p, q;

  PetscFunctionBegin;
  *added = false;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCL1JACOBI, &l1));
  if (!l1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaPCCheckReady(pc));
  PetscCall(HeptaArraysGet(x, z, z, &p));
  PetscCall(HeptaArraysGet(t, nullptr, nullptr, &q));
  *added = p.space.device == q.space.device;
  if (*added) PetscCall(Launch(pc, p.space, transposed, true, p.x, q.x, p.y));
  PetscCall(HeptaArraysRestore(t, nullptr, nullptr, &q));
  PetscCall(HeptaArraysRestore(x, z, z, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCReset_L1Jacobi(PC pc)
{
  PC_L1Jacobi *l = L1(pc);

  PetscFunctionBegin;
  l->stage = HeptaPCStage::none;
  PetscCall(l->op.Reset());
  PetscCall(l->rows.Free());
  PetscCall(l->pivot.Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_L1Jacobi(PC pc, PetscViewer viewer)
{
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (ascii) PetscCall(L1(pc)->op.View(pc->pmat, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   PCL1JACOBI - "l1jacobi" - l1-Jacobi: a smoother that converges for every symmetric positive definite matrix

   Options Database Key:
. -pc_type l1jacobi - sets the preconditioner type to `PCL1JACOBI`

   Level: beginner

   Notes:
   M is the diagonal of A plus, in each row i, half the sum of |a_ij| sqrt(a_ii / a_jj) over the other entries. For block size
   bs > 1 it is the block diagonal, plus on its diagonal half that sum over the entries outside of it; the blocks are inverted.
   Entries of other MPI processes are counted. The weights sqrt(a_ii / a_jj), 1 where one of the two is zero, make the
   iterations the same for S A S with any diagonal matrix S.

   For A symmetric positive definite the eigenvalues of M^-1 A are between 0 and 2, so that x <- x + M^-1 (b - A x) converges;
   beside Jacobi damped by 2/3, which it is where the diagonal is constant and each row's other entries add up to it, it converges too
   where rows are not diagonally dominant, as those of
   finite elements on meshes with flat elements, or of elasticity. It is the default smoother of `PCSUBDEFLATION` for such matrices without a grid.

   Set-up and application run where the matrix and the vectors are. The matrix is a `MATBDIA` or `MATBROW`, or of a type that
   `MatConvert()` takes to one; the converted copy is kept. A row of zeros gets 1, as in `PCJACOBI`. A block of M without an
   inverse makes the `KSP` end with `KSP_DIVERGED_PC_FAILED`; pivots are judged in the block with its rows and columns scaled by
   its diagonal, so that blocks of unknowns of different units, such as diag(1, 1e-16), have one.

   An entry that is Inf or NaN is an error that names its row.

   References:
   See `PCJACOBI`, whose type `rowl1` with a scale of 0.5 is that with weights of 1, for block size 1.

.seealso: `PCSUBDEFLATION`, `PCJACOBI`, `PCPBJACOBI`, `PCIP`
M*/

PetscErrorCode PCCreate_L1Jacobi(PC pc)
{
  PetscFunctionBegin;
  pc->data                = new PC_L1Jacobi;
  pc->ops->setup          = HeptaNoThrow<HeptaPCSetUp<&HeptaEvents::l1jacobi_setup, SetUp>>;
  pc->ops->apply          = HeptaNoThrow<Apply<false>>;
  pc->ops->applytranspose = HeptaNoThrow<Apply<true>>;
  pc->ops->reset          = HeptaNoThrow<PCReset_L1Jacobi>;
  pc->ops->destroy        = HeptaNoThrow<HeptaPCDestroy<PC_L1Jacobi>>;
  pc->ops->view           = HeptaNoThrow<PCView_L1Jacobi>;
  PetscFunctionReturn(PETSC_SUCCESS);
}
