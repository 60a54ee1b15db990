/* The bound of a level's eigenvalues: see aggmg_lanczos.hxx */
#include "aggmg.h"

using namespace hepta::aggmg;

/*
   The method of Lanczos for B = sqrt(W) A sqrt(W). sums[0]: (v_0, v_0) before the normalization. Step k: sums[2k + 1] = alpha_k =
   (v_k, B v_k), sums[2k + 2] = (v_(k+1), v_(k+1)) before the normalization. Each sum has SUM numbers. y has room for ghosts.
*/
template <class T> PetscErrorCode HeptaAggMG::RunLanczos(const HeptaSpace &space, size_t l, double *sums, double *vectors)
{
  HeptaAggMGLevel &L = *levels[l];
  const size_t     n = L.Rows();
  double *const    y = vectors + (size_t)(STEPS + 1) * n, *w;
  Tiles<T>         A;

  PetscFunctionBegin;
  PetscCall(L.A.Typed(space, HeptaAccess::read, &A));
  PetscCall(L.w.Access(space, HeptaAccess::read, &w));
  HeptaLaunchEach(space, begin_lanczos, n, FirstRow(l), (const double *)w, vectors, sums);
  PetscCall(Total(space, l, sums));
  for (int j = 0; j < STEPS; j++) {
    double *const v = vectors + (size_t)j * n, *const s = sums + 2 * j * SUM;
    HeptaLaunchEach(space, normalize, n, (const double *)w, (const double *)s, v, y);
    PetscCall(BringNodes(space, l, y));
    HeptaLaunchEach(space, multiply_scaled, A, L.A.tiles, (const double *)w, (const double *)y, (const double *)s,
                    j ? (const double *)v - n : nullptr, v + n);
    HeptaLaunchEach(space, dot, n, (const double *)v + n, (const double *)v, s + SUM);
    PetscCall(Total(space, l, s + SUM));
    HeptaLaunchEach(space, subtract, n, (const double *)s + SUM, (const double *)v, v + n, s + 2 * SUM);
    PetscCall(Total(space, l, s + 2 * SUM));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   w <- 1 / (rho D). A new structure gets a new rho; new values keep rho. In rows with a larger sum of |a_ij| / a_ii rho grows,
   since new eigenvalues may exceed the Lanczos bound. For the smoother of Jacobi rho is the largest row sum.
*/
template <class T> PetscErrorCode HeptaAggMG::Bound(const HeptaSpace &space, size_t l, bool again)
{
  HeptaAggMGLevel &L = *levels[l];
  const size_t     n = L.Rows();
  double          *w, *rho, *v, *s, *sums, *ratio;
  long long       *largest;
  T               *scaled;

  PetscFunctionBegin;
  PetscCall(L.w.Access(space, HeptaAccess::read_write, &w));
  PetscCall(L.sums.Access(space, HeptaAccess::read, &sums));
  PetscCall(L.scaled.Make(space, n, &scaled));
  PetscCall(rowsum.Access(space, HeptaAccess::read, &largest));
  if (!again) {
    PetscCall(L.rho.Make(space, 1, &rho));
    PetscCall(L.ratio.Make(space, n, &ratio));
  }
  PetscCall(L.rho.Access(space, HeptaAccess::read_write, &rho));
  PetscCall(L.ratio.Access(space, HeptaAccess::read_write, &ratio));
  if (!L.NearlySymmetric()) HeptaLaunchEach(space, bound_by_rows, (const long long *)largest, rho);
  else if (!again) {
    PetscCall(vectors.Reserve(((STEPS + 1) * n + (size_t)L.A.columns * (size_t)L.A.bc) * sizeof(double)));
    PetscCall(vectors.Access(space, HeptaAccess::write, &v));
    PetscCall(lanczos.Reserve((2 * STEPS + 1) * SUM * sizeof(double)));
    PetscCall(lanczos.Zero(space));
    PetscCall(lanczos.Access(space, HeptaAccess::read_write, &s));
    PetscCall(RunLanczos<T>(space, l, s, v));
    HeptaLaunchEach(space, bound_of, (const double *)s, (const long long *)largest, rho);
  }
  HeptaLaunchEach(space, scale_diagonal, n, again, (const double *)rho, (const double *)sums, ratio, w, scaled);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode HeptaAggMG::Bound<float>(const HeptaSpace &, size_t, bool);
template PetscErrorCode HeptaAggMG::Bound<double>(const HeptaSpace &, size_t, bool);
