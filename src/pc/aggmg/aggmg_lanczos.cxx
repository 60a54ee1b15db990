/* The bound of a level's eigenvalues: see aggmg_lanczos.hxx */
#include "aggmg.h"

using namespace hepta::aggmg;

/*
   With v <- v / |v|, whose square *z.work is: u <- B v - *beta times the vector before v, where there is one, for
   B = sqrt(W) A sqrt(W), *alpha <- (u, v), and u <- u - *alpha v, or with `keep` v <- u; *z.work <- the square of that difference.
   z.y has room for ghosts.
*/
template <class T> PetscErrorCode HeptaAggMG::LanczosStep(const HeptaSpace &space, size_t l, const double *w, const Lanczos &z, const LanczosVectors &s, bool keep)
{
  HeptaAggMGLevel &L = *levels[l];
  const size_t     n = L.Rows();
  Tiles<T>         A;

  PetscFunctionBegin;
  PetscCall(L.A.Typed(space, HeptaAccess::read, &A));
  HeptaLaunchEach(space, normalize, n, w, (const double *)z.work, s.v, z.y);
  PetscCall(BringNodes(space, l, z.y));
  HeptaLaunchEach(space, multiply_scaled, A, L.A.tiles, w, (const double *)z.y, s.beta, s.before, s.u);
  HeptaLaunchEach(space, dot, n, (const double *)s.u, (const double *)s.v, z.work);
  PetscCall(Total(space, l, z.work));
  HeptaLaunchEach(space, take_total, (const double *)z.work, false, s.alpha);
  HeptaLaunchEach(space, subtract, n, (const double *)s.alpha, s.u, s.v, keep, z.work);
  PetscCall(Total(space, l, z.work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Lanczos method from a vector that looks random */
template <class T> PetscErrorCode HeptaAggMG::RunLanczos(const HeptaSpace &space, size_t l, const double *w, const Lanczos &z)
{
  const size_t n = levels[l]->Rows();

  PetscFunctionBegin;
  HeptaLaunchEach(space, begin_lanczos, n, l ? (size_t)0 : (size_t)op.A->rmap->rstart, w, z.v, z.work);
  PetscCall(Total(space, l, z.work));
  for (int j = 0; j < STEPS; j++) {
    double *const v = z.v + (size_t)j * n;
    PetscCall(LanczosStep<T>(space, l, w, z, {v, v + n, z.alpha + j, j ? z.beta + j - 1 : nullptr, j ? v - n : nullptr}, false));
    HeptaLaunchEach(space, take_total, (const double *)z.work, true, z.beta + j);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Rayleigh quotient z.alpha[0] of q and, in *z.work, the square of its residual; q <- its product */
template <class T> PetscErrorCode HeptaAggMG::LookAgain(const HeptaSpace &space, size_t l, const double *w, const Lanczos &z, double *q)
{
  PetscFunctionBegin;
  HeptaLaunchEach(space, dot, levels[l]->Rows(), (const double *)q, (const double *)q, z.work);
  PetscCall(Total(space, l, z.work));
  PetscCall(LanczosStep<T>(space, l, w, z, {q, z.v, z.alpha, nullptr, nullptr}, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w <- 1 / (rho D); again: from the vector that the last set-up has left */
template <class T> PetscErrorCode HeptaAggMG::Bound(const HeptaSpace &space, size_t l, bool again)
{
  HeptaAggMGLevel &L = *levels[l];
  const size_t     n = L.Rows(), all = (size_t)L.A.columns * (size_t)L.A.bc;
  double          *w, *rho, *v, *s, *q;
  long long       *largest;
  T               *scaled;

  PetscFunctionBegin;
  PetscCall(L.w.Access(space, HeptaAccess::read_write, &w));
  PetscCall(L.scaled.Make(space, n, &scaled));
  PetscCall(L.rho.Make(space, 1, &rho));
  PetscCall(rowsum.Access(space, HeptaAccess::read, &largest));
  if (!L.NearlySymmetric()) {
    HeptaLaunchEach(space, bound_by_rows, (const long long *)largest, rho);
    HeptaLaunchEach(space, scale_diagonal, n, (const double *)rho, w, scaled);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (again) PetscCall(L.ritz.Access(space, HeptaAccess::read_write, &q));
  else PetscCall(L.ritz.Make(space, n, &q));
  PetscCall(vectors.Reserve(((again ? 1 : STEPS + 1) * n + all) * sizeof(double)));
  PetscCall(vectors.Access(space, HeptaAccess::write, &v));
  PetscCall(lanczos.Reserve((3 * STEPS + PARTS + 2) * sizeof(double)));
  PetscCall(lanczos.Zero(space));
  PetscCall(lanczos.Access(space, HeptaAccess::read_write, &s));
  const Lanczos z = {s, s + STEPS, s + 3 * STEPS, v, v + (again ? 1 : STEPS + 1) * n};
  if (again) {
    PetscCall(LookAgain<T>(space, l, w, z, q));
    HeptaLaunchEach(space, bound_again, (const double *)z.alpha, (const double *)z.work, (const long long *)largest, rho);
  } else {
    PetscCall(RunLanczos<T>(space, l, w, z));
    HeptaLaunchEach(space, bound_of, (const double *)z.alpha, (const double *)z.beta, (const long long *)largest, s + 2 * STEPS, rho);
    HeptaLaunchEach(space, take_ritz, n, (const double *)s + 2 * STEPS, (const double *)v, q);
  }
  HeptaLaunchEach(space, scale_diagonal, n, (const double *)rho, w, scaled);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode HeptaAggMG::Bound<float>(const HeptaSpace &, size_t, bool);
template PetscErrorCode HeptaAggMG::Bound<double>(const HeptaSpace &, size_t, bool);
