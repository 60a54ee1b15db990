/*
   Applications of the cycle over levels of any aggregates: with products by the levels' matrices and any preconditioner M as smoother. On a level

     z <- M r, in steps;  z <- z + weight P B_next P^T (r - A z);  z <- z + M (r - A z), in steps

   On several MPI processes an aggregate has rows of one process, so that P and P^T need no communication; the levels' matrices and smoothers are parallel. The right-hand side of the last level is gathered on all processes, and each solves for it.

   For positive definite A, B is positive definite where the smoother is a contraction in the norm of A, |I - M A| < 1:
   I - B A = (I - M A) (I - w P B_next P^T A) (I - M A), with w the weight, is below 1 in that norm's inner product if B_next is positive
   definite. In a W-cycle B_next, of the two visits of a level with the matrix A_next, has I - B_next A_next = (I - B_1 A_next)^2, so it
   is positive definite if the eigenvalues of B_1 A_next are below 2; those of B_next A_next are at most 1 then, and
   I - w P B_next P^T A is at least 1 - w: the eigenvalues of B A are below 2 for w < 2, and so on up to the first level.

   The transposed application uses A^T and M^T, with the steps before and after swapped. Since B_next is linear, the weight is applied with the sums of P^T.
*/
#include <petsc/private/vecimpl.h>

#include "../../../shared/arrays.h"
#include "../../ip/ip.h"
#include "../../l1jacobi/l1jacobi.h"
#include "../subdeflation.h"

using namespace hepta::subdeflation;

/* Is the smoother damped by 2/3? Others are used without damping */
static bool IsDamped(PC smoother)
{
  const std::string type = ((PetscObject)smoother)->type_name;
  return type == PCJACOBI || type == PCPBJACOBI || type == PCVPBJACOBI;
}

/* y <- alpha x + beta y; x may be null: zero; y is not read if beta is 0. flops: of a row. PETSc's vector operations would not become part of a recording; this launch does. */
static PetscErrorCode Combine(PetscScalar alpha, Vec x, PetscScalar beta, Vec y, PetscLogDouble flops)
{
  const Vec   before = beta == 0. ? nullptr : y;
  HeptaArrays p;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(x, before, y, &p));
  HeptaLaunchEach(p.space, hepta::levels::combine, (size_t)y->map->n, alpha, p.x, beta, p.y);
  PetscCall(HeptaLogFlops(p.space, flops * (PetscLogDouble)y->map->n));
  PetscCall(HeptaArraysRestore(x, before, y, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Smoothing steps, the first from zero if from_zero */
PetscErrorCode HeptaLevels::Smooth(size_t l, Vec b, Vec z, PetscInt steps, bool from_zero, bool transposed)
{
  const HeptaLevel &L       = *levels[l];
  const bool        damped  = IsDamped(L.smoother);
  const PetscScalar damping = damped ? 2. / 3 : 1;
  bool              added   = false;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < steps; k++) {
    if (from_zero && !k) {
      PetscCall((transposed ? PCApplyTranspose : PCApply)(L.smoother, b, z));
      if (damped) PetscCall(Combine(0, nullptr, damping, z, 1));
      continue;
    }
    PetscCall((transposed ? MatMultTranspose : MatMult)(L.A, z, L.t));
    PetscCall(HeptaL1JacobiCorrect(L.smoother, b, L.t, z, transposed, &added));
    if (added) continue;
    PetscCall(Combine(1, b, -1, L.t, 1));
    PetscCall(HeptaIPApplyAdd(L.smoother, L.t, z, transposed, &added));
    if (added) continue;
    PetscCall((transposed ? PCApplyTranspose : PCApply)(L.smoother, L.t, L.u));
    PetscCall(Combine(damping, L.u, 1, z, 2));
  }
  if (from_zero && !steps) PetscCall(Combine(0, nullptr, 0, z, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* coarse.y <- the solution for coarse.q with the last level's matrix, or its transpose */
PetscErrorCode HeptaLevels::SolveLast(PC pc, const HeptaSpace &space, bool transpose)
{
  HeptaCoarse &c = Subdeflation(pc)->coarse;
  const size_t d = (size_t)c.d;
  void        *q, *y, *inverse, *other;

  PetscFunctionBegin;
  if (!transpose || c.symmetric) {
    PetscCall(HeptaSubdeflationCoarseSolve(pc, space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (transposed_of != c.inverse.Version()) {
    PetscCall(transposed.Resize(d * d * sizeof(PetscScalar)));
    PetscCall(c.inverse.Access(space, HeptaAccess::read, &inverse));
    PetscCall(transposed.Access(space, HeptaAccess::write, &other));
    HeptaLaunchEach(space, hepta::levels::transpose_dense, d, (const PetscScalar *)inverse, (PetscScalar *)other);
    transposed_of = c.inverse.Version();
  }
  PetscCall(c.q.Access(space, HeptaAccess::read, &q));
  PetscCall(c.y.Access(space, HeptaAccess::write, &y));
  PetscCall(transposed.Access(space, HeptaAccess::read, &other));
  HeptaLaunch(space, dense_product, d, (const PetscScalar *)other, (const PetscScalar *)q, (PetscScalar *)y);
  PetscCall(HeptaLogFlops(space, 2. * (PetscLogDouble)d * (PetscLogDouble)d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next level's b <- weight P^T (v - w), or from the last but one coarse.q, of all MPI processes; w may be null. *space <- where this was done */
PetscErrorCode HeptaLevels::Restrict(PC pc, size_t l, PetscScalar weight, Vec v, Vec w, HeptaSpace *space)
{
  const bool   last = l + 2 >= levels.size();
  Vec          next = last ? nullptr : levels[l + 1]->b;
  HeptaCoarse &c    = Subdeflation(pc)->coarse;
  HeptaArrays  p;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(v, w, next, &p));
  *space            = p.space;
  PetscScalar *sums = p.y, *all;
  if (last) PetscCall((gather ? part : c.q).Access(p.space, HeptaAccess::write, &sums));
  PetscCall(levels[l]->down.Restrict(p.space, weight, p.x, p.z, sums));
  if (last && gather) {
    PetscCall(c.q.Access(p.space, HeptaAccess::write, &all));
    PetscCall(gather.Bring({p.space, sums, all}));
  }
  PetscCall(HeptaArraysRestore(v, w, next, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::SumRows(PC pc, Vec v)
{
  HeptaSpace space;

  PetscFunctionBegin;
  for (size_t l = 0; v; l++) {
    PetscCall(Restrict(pc, l, 1, v, nullptr, &space));
    v = l + 2 >= levels.size() ? nullptr : levels[l + 1]->b;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z <- z + weight P B_next P^T (r - A z), where z is zero if `zero` */
PetscErrorCode HeptaLevels::Correct(PC pc, size_t l, Vec b, Vec z, bool zero, bool transpose)
{
  HeptaCoarse      &c    = Subdeflation(pc)->coarse;
  HeptaLevel       &L    = *levels[l];
  const bool        last = l + 2 >= levels.size(), alone = levels.size() == 1;
  const PetscScalar weight = alone ? 1 : Overcorrection();
  HeptaArrays       p;
  Vec               r = b, Az = nullptr; /* the residual is r - Az */
  void             *coarse;

  PetscFunctionBegin;
  if (!zero) {
    Az = L.t;
    PetscCall((transpose ? MatMultTranspose : MatMult)(L.A, z, Az));
  }
  if (Az && L.down.split) {
    PetscCall(Combine(1, b, -1, Az, 1));
    r  = Az;
    Az = nullptr;
  }
  HeptaLevel *next = last ? nullptr : levels[l + 1].get();
  PetscCall(Restrict(pc, l, weight, r, Az, &p.space));
  PetscCall(HeptaLogFlops(p.space, (Az ? 2. : 1.) * (PetscLogDouble)L.down.n));
  if (last) PetscCall(SolveLast(pc, p.space, transpose));
  else {
    PetscCall(Visit(pc, l + 1, next->b, next->z, false, transpose));
    if (IsW()) PetscCall(Visit(pc, l + 1, next->b, next->z, true, transpose));
  }
  PetscCall(HeptaArraysGet(next ? next->z : nullptr, z, z, &p));
  if (last) PetscCall(c.y.Access(p.space, HeptaAccess::read, &coarse));
  PetscCall(L.down.Prolong(p.space, last ? (const PetscScalar *)coarse + levels.back()->A->rmap->rstart : p.x, p.y));
  PetscCall(HeptaLogFlops(p.space, (PetscLogDouble)L.down.n));
  PetscCall(HeptaArraysRestore(next ? next->z : nullptr, z, z, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level l, which is not the last: z <- its approximate solution for b; with `again` z is improved */
PetscErrorCode HeptaLevels::Visit(PC pc, size_t l, Vec b, Vec z, bool again, bool transpose)
{
  const PetscInt          pre = transpose ? choice.post : choice.pre, post = transpose ? choice.pre : choice.post;

  PetscFunctionBegin;
  PetscCall(Smooth(l, b, z, pre, !again, transpose));
  PetscCall(Correct(pc, l, b, z, !again && !pre, transpose));
  PetscCall(Smooth(l, b, z, post, false, transpose));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::Apply(PC pc, Vec x, Vec y, bool transpose)
{
  PetscFunctionBegin;
  if (levels.size() > 1) PetscCall(Visit(pc, 0, x, y, false, transpose));
  else {
    PetscCall(Combine(0, nullptr, 0, y, 0));
    PetscCall(Correct(pc, 0, x, y, true, transpose));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaLevels::IsW() const
{
  return choice.w_given ? choice.w : kind != HeptaAggregateKind::boxes;
}

PetscReal HeptaLevels::Overcorrection() const
{
  return choice.overcorrection_given || kind == HeptaAggregateKind::boxes ? choice.overcorrection : 1.5;
}

/* The kind of aggregates, for the view */
static std::string Title(PC pc, HeptaAggregateKind kind)
{
  switch (kind) {
  case HeptaAggregateKind::boxes: return "nested boxes";
  case HeptaAggregateKind::strength: return "aggregates of strongly coupled rows";
  case HeptaAggregateKind::labels: break;
  }
  return std::string("aggregates: first the subdomains ") + HeptaSubdeflationTypes[Subdeflation(pc)->type] + ", then strongly coupled rows";
}

/* Why the smoother was chosen, for the view */
static std::string ReasonForSmoother(PetscInt bs, PetscInt unlike_ip)
{
  if (bs > 1) return HeptaFormat("the block size is %" PetscInt_FMT, bs);
  if (unlike_ip < 0) return "all rows are diagonally dominant and have up to 7 entries";
  return HeptaFormat("row %" PetscInt_FMT " is not diagonally dominant or has more than 7 entries", unlike_ip);
}

PetscErrorCode HeptaLevels::View(PC pc, PetscViewer viewer) const
{
  const PC_Subdeflation  *s        = Subdeflation(pc);
  const PetscInt          bs       = op.A->rmap->bs;
  const PC                smoother = levels[0]->smoother; /* null if there is only one level */

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s-cycle over %d levels of %s, %s%s %" PetscInt_FMT " before and %" PetscInt_FMT " after, over-correction %g\n", IsW() ? "W" : "V", (int)levels.size(), Title(pc, kind).c_str(),
                                   smoother && IsDamped(smoother) ? "damped " : "", smoother ? ((PetscObject)smoother)->type_name : this->smoother.c_str(), choice.pre, choice.post, (double)Overcorrection()));
  if (chosen && smoother && this->smoother == ((PetscObject)smoother)->type_name) PetscCall(PetscViewerASCIIPrintf(viewer, "    %s because %s\n", this->smoother.c_str(), ReasonForSmoother(bs, unlike_ip).c_str()));
  if (choice.pre != choice.post) PetscCall(PetscViewerASCIIPrintf(viewer, "    not symmetric, because the steps before and after differ\n"));
  for (size_t l = 0; l < levels.size(); l++) {
    const HeptaLevel &L    = *levels[l];
    std::string       text = HeptaFormat("%" PetscInt_FMT " rows", L.A->rmap->N / bs);
    if (bs > 1) text = HeptaFormat("%" PetscInt_FMT " block rows of size %" PetscInt_FMT, L.A->rmap->N / bs, bs);
    if (kind == HeptaAggregateKind::boxes && !gather) text += HeptaFormat(", %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells", L.n[0], L.n[1], L.n[2]);
    PetscCall(PetscViewerASCIIPrintf(viewer, "    level %d: %s, %s%s\n", (int)l, text.c_str(), ((PetscObject)L.A)->type_name, l + 1 < levels.size() ? "" : ", dense inverse"));
  }
  if (gather) PetscCall(PetscViewerASCIIPrintf(viewer, "    on several MPI processes: aggregates are of rows of one of them, and the last level is gathered by each\n"));
  if (!s->coarse.null.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "    the last level's matrix is singular: null space of dimension %d\n", (int)s->coarse.null.size()));
  if (s->dropped > 0 && kind == HeptaAggregateKind::labels) PetscCall(PetscViewerASCIIPrintf(viewer, "    %" PetscInt_FMT " empty subdomains were dropped\n", s->dropped));
  PetscFunctionReturn(PETSC_SUCCESS);
}
