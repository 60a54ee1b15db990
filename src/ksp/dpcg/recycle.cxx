#include "recycle.h"

#include <cmath>

#include "../../pc/subdeflation/subdeflation.h"
#include "../../shared/arrays.h"
#include "../fusedcg/fusedcg.h"
#include "recycle_kernels.hxx"

using hepta::Index;
using namespace hepta::ksp;

/* Directions that a solve keeps at most: two kilobytes a row */
static constexpr PetscInt most_directions = 512;
/* The square of the A-norm that a vector keeps without its parts in the vectors before, for an independent vector */
static constexpr PetscReal least_part = PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-4;

PetscErrorCode HeptaRecycling::Forget()
{
  PetscFunctionBegin;
  PetscCall(VecDestroyVecs(wanted, &made));
  W.clear();
  for (HeptaValues *v : {&kept, &few_w, &few_aw, &partial, &q}) PetscCall(v->Free());
  alpha.clear();
  beta.clear();
  fitted = {};
  stage  = learns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRecycling::Reset()
{
  PetscFunctionBegin;
  PetscCall(Forget());
  PetscCall(of_ranks.Reset());
  rows    = 0;
  learned = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   w_e <- w_e without its parts in Z and in the vectors before, of A-norm 1, and the floats of w_e and A w_e. *independent: is
   something left?
*/
PetscErrorCode HeptaRecycling::Orthonormalize(KSP ksp, size_t e, Vec aw, bool *independent)
{
  std::vector<PetscScalar> c(e);
  PetscScalar              before, square;
  HeptaArrays              p;
  Mat                      A;
  MatNullSpace             null;
  float                   *few[2];

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(HeptaSubdeflationRestrict(ksp->pc, nullptr, W[e]));
  PetscCall(HeptaSubdeflationSolveLike(ksp->pc, W[e]));
  PetscCall(HeptaSubdeflationProlong(ksp->pc, W[e], W[e]));
  PetscCall(MatGetNullSpace(A, &null));
  if (null) PetscCall(MatNullSpaceRemove(null, W[e])); /* x is to have no part of W in the null space */
  PetscCall(MatMult(A, W[e], aw));
  PetscCall(VecDot(aw, W[e], &before));
  PetscCall(VecMDot(aw, (PetscInt)e, W.data(), c.data()));
  for (PetscScalar &v : c) v = -v;
  PetscCall(VecMAXPY(W[e], (PetscInt)e, c.data(), W.data()));
  PetscCall(MatMult(A, W[e], aw));
  PetscCall(VecDot(aw, W[e], &square));
  /* Ritz vectors repeat once CG has lost its orthogonality, and are floats: less than a hundredth of w_e would be rounding */
  *independent =
    PetscRealPart(square) > 0 && PetscRealPart(square) > least_part * PetscRealPart(before) && !PetscIsInfOrNanScalar(square);
  if (!*independent) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecScale(W[e], 1 / PetscSqrtScalar(square)));
  PetscCall(VecScale(aw, 1 / PetscSqrtScalar(square)));
  PetscCall(HeptaArraysGet(W[e], aw, nullptr, &p));
  PetscCall(few_w.Access(p.space, HeptaAccess::read_write, &few[0]));
  PetscCall(few_aw.Access(p.space, HeptaAccess::read_write, &few[1]));
  HeptaLaunchEach(p.space, narrow, rows, (Index)e, p.x, few[0]);
  HeptaLaunchEach(p.space, narrow, rows, (Index)e, p.z, few[1]);
  PetscCall(HeptaArraysRestore(W[e], aw, nullptr, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fits W to the present operators, if they have changed; aw: a work vector */
PetscErrorCode HeptaRecycling::Fit(KSP ksp, Vec aw)
{
  Fitted now;
  Mat    A;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(PetscObjectGetId((PetscObject)A, &now.matrix));
  PetscCall(PetscObjectGetId((PetscObject)ksp->pc, &now.pc));
  PetscCall(PetscObjectStateGet((PetscObject)A, &now.state));
  now.coarse = Subdeflation(ksp->pc)->coarse.made;
  if (now == fitted) PetscFunctionReturn(PETSC_SUCCESS);
  fitted         = {}; /* until all vectors fit */
  const size_t k = (size_t)recycle_groups((Index)W.size()) * recycle_group;
  for (HeptaValues *v : {&few_w, &few_aw}) {
    PetscCall(v->Reserve(k * rows * sizeof(float)));
    PetscCall(v->Zero());
  }
  PetscCall(partial.Reserve(k * recycle_parts(rows) * sizeof(PetscScalar)));
  PetscCall(q.Reserve(k * sizeof(PetscScalar)));
  for (size_t e = 0; e < W.size();) {
    bool independent;

    PetscCall(Orthonormalize(ksp, e, aw, &independent));
    if (independent) e++;
    else W.erase(W.begin() + (ptrdiff_t)e);
  }
  fitted = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRecycling::Begin(KSP ksp, Vec r, Vec w)
{
  HeptaSpace space;
  PetscBool  none;
  PetscInt   n;
  float     *memory;

  PetscFunctionBegin;
  if (asked != wanted) {
    PetscCall(Reset());
    wanted = asked;
  }
  if (!Recycles()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)Subdeflation(ksp->pc)->inner, PCNONE, &none));
  PetscCheck(!none, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
             "-ksp_dpcg_recycle needs a preconditioner inside PC subdeflation: -pc_subdeflation_pc_type jacobi, or another");
  PetscCall(VecGetLocalSize(r, &n)); /* the same until KSPReset() */
  rows = (size_t)n;
  if (stage == learns) {
    most = PetscMin(ksp->max_it, most_directions);
    PetscCall(kept.Reserve((size_t)most * rows * sizeof(float)));
    PetscCall(HeptaVecSpace(r, &space));
    PetscCall(kept.Access(space, HeptaAccess::write, &memory)); /* a recording allocates nothing */
    alpha.clear();
    beta.clear();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Fit(ksp, w));
  if (W.empty()) {
    stage = dependent;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::vector<PetscScalar> c(W.size());
  PetscCall(HeptaKSPResidual(ksp, r));
  PetscCall(VecMDot(r, (PetscInt)W.size(), W.data(), c.data()));
  PetscCall(VecMAXPY(ksp->vec_sol, (PetscInt)W.size(), c.data(), W.data()));
  ksp->guess_zero = PETSC_FALSE; /* PC subdeflation restores the program's choice */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRecycling::Correct(MPI_Comm comm, Vec r, Vec z, const State *s)
{
  HeptaArrays  p;
  const Index  groups = recycle_groups((Index)W.size());
  float       *w, *aw;
  PetscScalar *parts, *sums;

  PetscFunctionBegin;
  if (W.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaArraysGet(r, z, z, &p));
  PetscCall(few_w.Access(p.space, HeptaAccess::read, &w));
  PetscCall(few_aw.Access(p.space, HeptaAccess::read, &aw));
  PetscCall(partial.Access(p.space, HeptaAccess::write, &parts));
  PetscCall(q.Access(p.space, HeptaAccess::write, &sums));
  HeptaLaunch(p.space, recycle_sums, rows, groups, w, aw, p.x, p.y, parts, sums);
  PetscCall(of_ranks.Add(comm, p.space, groups * recycle_group, q));
  PetscCall(q.Access(p.space, HeptaAccess::read, &sums));
  HeptaLaunchEach(p.space, add_vectors, rows, groups, s, w, (const PetscScalar *)sums, p.y);
  PetscCall(HeptaLogFlops(p.space, 6. * (PetscLogDouble)W.size() * (PetscLogDouble)rows));
  PetscCall(HeptaArraysRestore(r, z, z, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRecycling::Keep(const HeptaSpace &space, const State *s, const PetscScalar *const p[2], bool two)
{
  float *to;

  PetscFunctionBegin;
  if (!wanted || stage != learns) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(kept.Access(space, HeptaAccess::read_write, &to));
  HeptaLaunchEach(space, keep_direction, rows, s, p[0], p[two ? 1 : 0], (Index)most, to);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaRecycling::Note(const Entry &entry)
{
  if (!wanted || stage != learns || (PetscInt)alpha.size() == most) return;
  alpha.push_back(PetscRealPart(entry.alpha));
  beta.push_back(PetscRealPart(entry.beta));
}

/* factors[e][j]: the factor of p_j / sqrt(rho_j) in Ritz vector e, where beta_j = rho_j / rho_(j-1) */
PetscErrorCode HeptaRecycling::Ritz(std::vector<std::vector<PetscScalar>> &factors) const
{
  const size_t           m = alpha.size();
  std::vector<PetscReal> d(m), side(m), vectors;

  PetscFunctionBegin;
  for (size_t j = 0; j < m; j++) {
    d[j] = 1 / alpha[j] + (j ? beta[j] / alpha[j - 1] : 0);
    if (j) side[j - 1] = std::sqrt(beta[j]) / alpha[j - 1];
  }
  PetscCall(HeptaTridiagonalEigen(d, side, &vectors));
  factors.assign((size_t)wanted, std::vector<PetscScalar>(m));
  for (size_t e = 0; e < factors.size(); e++) {
    const auto of = [&](size_t j) { return (j % 2 ? -1 : 1) * vectors[e * m + j]; };

    for (size_t j = 0; j < m; j++) factors[e][j] = of(j) - (j + 1 < m ? std::sqrt(beta[j + 1]) * of(j + 1) : 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* W <- the Ritz vectors */
PetscErrorCode HeptaRecycling::Combine(Vec like)
{
  std::vector<std::vector<PetscScalar>> factors;
  HeptaValues                           values;
  HeptaArrays                           p;

  PetscFunctionBegin;
  PetscCall(Ritz(factors));
  PetscCall(VecDuplicateVecs(like, wanted, &made));
  W.assign(made, made + wanted);
  for (size_t e = 0; e < W.size(); e++) {
    float       *from;
    PetscScalar *factor;

    PetscCall(values.Take(factors[e]));
    PetscCall(HeptaArraysGet(like, nullptr, W[e], &p)); /* in the memory of `like` */
    PetscCall(kept.Access(p.space, HeptaAccess::read, &from));
    PetscCall(values.Access(p.space, HeptaAccess::read, &factor));
    HeptaLaunchEach(p.space, combine, rows, (Index)alpha.size(), (const float *)from, (const PetscScalar *)factor, p.y);
    PetscCall(HeptaArraysRestore(like, nullptr, W[e], &p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Forgets vectors with which a solve failed, or which cost more than they saved: after the first solve with them for good, later
   to learn new ones
*/
PetscErrorCode HeptaRecycling::Judge(KSP ksp, double bytes)
{
  double all[2] = {bytes - Vectors() * (double)rows * sizeof(PetscScalar), bytes}; /* without W, with W */

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)ksp)));
  if (ksp->reason < 0 || (double)ksp->its * all[1] > (double)learned * all[0]) {
    const bool first = !used;

    PetscCall(Forget());
    if (first) stage = useless;
  }
  used = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRecycling::End(KSP ksp, Vec like, double bytes)
{
  PetscFunctionBegin;
  if (stage == uses) {
    if (ksp->reason != KSP_CONVERGED_ITS) PetscCall(Judge(ksp, bytes)); /* a fixed number says nothing */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  bool usable = ksp->reason > 0 && (PetscInt)alpha.size() >= 2 * wanted;
  for (size_t j = 0; j < alpha.size(); j++) usable = usable && alpha[j] > 0 && beta[j] >= 0;
  if (!usable) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Combine(like));
  PetscCall(kept.Free());
  stage   = uses;
  learned = ksp->its;
  used    = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string HeptaRecycling::Key() const
{
  return HeptaFormat("%d %p %zu %d", (int)stage, wanted ? (const void *)this : nullptr, W.size(), (int)most);
}

double HeptaRecycling::Vectors() const
{
  const double of_float = sizeof(float) / (double)sizeof(PetscScalar),
               k        = recycle_group * (double)recycle_groups((Index)W.size());

  if (!Recycles()) return 0;
  return stage == learns ? 1 + of_float : 4 + 3 * k * of_float;
}

std::string HeptaRecycling::Words() const
{
  if (asked && (asked != wanted || stage == learns))
    return HeptaFormat("keeps the directions of a solve, to recycle %" PetscInt_FMT " vectors", asked);
  if (!asked) return "";
  if (stage == useless) return "recycles no vectors: they cost more than they saved";
  if (stage == dependent) return "recycles no vectors: the subdomains have them already";
  return HeptaFormat("recycles %d vectors of a solve of %" PetscInt_FMT " iterations", (int)W.size(), learned);
}
