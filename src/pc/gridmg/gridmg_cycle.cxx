/*
   Applications of red-black multigrid, y = B x. On a level with the matrix A and the boxes P, S being `sweeps` red-black sweeps,

     z <- S applied to r, from zero, red cells first
     the next level's r <- P^T (r - A z), and its z by the same cycle, or by its inverse if it is the last
     z <- z + weight P (the next level's z)
     z <- S applied to r, from z, black cells first

   B is linear, symmetric, and positive definite for any positive weight: I - B A = (I - M^T A)(I - weight P B_next P^T A)(I - M
   A), where M is a Gauss-Seidel method.

   On several MPI processes a level needs 2 sweeps planes of the neighbors' right-hand sides on the way down, and as many of the
   solution before the correction, and those of the next level's solution that they are in, on the way up.
*/
#include "gridmg_kernels.hxx"

#include "gridmg_cycle.h"

using namespace hepta::cycle;
using hepta::Index;
using hepta::gridmg::down_host;
using hepta::gridmg::up_host;
#if defined(HEPTA_HAVE_CUDA)
using hepta::gridmg::down_cuda;
using hepta::gridmg::up_cuda;
#endif

template <class T, class U> PetscErrorCode HeptaCycle::RedBlack(const HeptaSpace &space, const PetscScalar *x, PetscScalar *y)
{
  const size_t last   = levels.size() - 1;
  const int    sweeps = (int)choice.sweeps;
  const bool   apart =
    !last || (ranks.several &&
              !ranks.gathered); /* the solution is copied to y: the first level is the last, or is complete on each MPI process */
  T      *values;
  double *inv;
  Scales *s;

  PetscFunctionBegin;
  PetscCall((Begin<T, U>(space, x, &values, &inv, &s)));
  const auto whole          = [&](size_t l) { return Typed<T, U>(space, l, values); };
  const auto with_neighbors = [&](size_t l) { return Extended<T, U>(space, l, 2 * (Index)sweeps, values); };
  HeptaLaunch(space, scale_input, Sent<T, U>(space, 0, values), x, (const Scales *)s);
  for (size_t l = 0; l <= last; l++) {
    PetscCall(Gather(space, l, Own<T, U>(space, l, values).t, whole(l).s));
    if (l == last) break;
    PetscCall(Halo(space, l, whole(l).s));
    HeptaLaunch(space, down, axes, sweeps, with_neighbors(l), Sent<T, U>(space, l + 1, values), l ? (Scales *)nullptr : s);
    if (sweeps > 1) PetscCall(Halo(space, l, whole(l).t));
  }
  HeptaLaunch(space, solve_last, whole(last), levels[last].cells, inv, last ? (Scales *)nullptr : s);
  for (size_t l = last; l-- > 0;) {
    PetscCall(Halo(space, l + 1, whole(l + 1).z));
    HeptaLaunch(space, up, axes, sweeps, T(choice.overcorrection), with_neighbors(l), Own<T, U>(space, l + 1, values),
                (const Scales *)s, l || apart ? (PetscScalar *)nullptr : y);
  }
  if (apart) HeptaLaunch(space, finish_dense, Own<T, U>(space, 0, values), (const Scales *)s, y);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode HeptaCycle::RedBlack<float, Bf16>(const HeptaSpace &, const PetscScalar *, PetscScalar *);
template PetscErrorCode HeptaCycle::RedBlack<float, float>(const HeptaSpace &, const PetscScalar *, PetscScalar *);
template PetscErrorCode HeptaCycle::RedBlack<double, double>(const HeptaSpace &, const PetscScalar *, PetscScalar *);
