/*
   Applications of red-black multigrid, y = B x. On a level with the matrix A and the boxes P, S being `sweeps` red-black sweeps,

     z <- S applied to r, from zero, red cells first
     the next level's r <- P^T (r - A z), the next level's z by the cycle, or by the inverse on the last level
     z <- z + weight P (the next level's z)
     z <- S applied to r, from z, black cells first

   B is linear, symmetric, and positive definite for any positive weight: I - B A = (I - M^T A)(I - weight P B_next P^T A)(I - M
   A), where M is a Gauss-Seidel method.

   On several MPI processes a level needs planes_up() planes of the neighbors' solutions before the correction on the way up, and
   the next level's boxes of these planes. Each process makes the neighbors' solutions before the correction itself, from
   planes_down() planes of their right-hand sides: a wider exchange takes less time than a second one.
*/
#include "gridmg_kernels.hxx"

#include "../../shared/arrays.h"
#include "gridmg_cycle.h"

using namespace hepta::gridmg;
using hepta::Index;

#if defined(HEPTA_HAVE_CUDA)
/*
   *b <- the last levels, solved by one launch; returns the first level of *b. A single level is left to solve_last(). s: the
   scales
*/
template <class T, class U>
size_t HeptaGridMG::FindBottom(const HeptaSpace &space, T *values, const double *inv, Scales *s,
                               hepta::gridmg::Bottom<T, U> *b) const
{
  const size_t last  = levels.size() - 1;
  size_t       found = last;

  if constexpr (std::is_same_v<T, float>) {
    for (size_t first = last; first-- > ranks.gathered && last - first < (size_t)hepta::gridmg::most_in_block &&
                              levels[first].cells <= (size_t)choice.block;) {
      hepta::gridmg::Bottom<T, U> all{(int)(last - first + 1), {}, inv, first ? nullptr : s, {}, 0, 1};
      for (size_t l = first; l <= last; l++) all.level[l - first] = Typed<T, U>(space, l, values);
      if (!hepta::gridmg::fit_block(axes, &all)) break;
      *b    = all;
      found = first;
    }
  }
  return found;
}
#endif

/* The arrays of an application, in the space; (*s)->largest <- the largest |e x| of the right-hand side x, or a guess */
template <class T, class U>
PetscErrorCode HeptaGridMG::Begin(const HeptaSpace &space, const PetscScalar *x, T **values, double **inv, Scales **s)
{
  PetscFunctionBegin;
  PetscCall(arrays.Access(space, HeptaAccess::read_write, values));
  PetscCall(inverse.Access(space, HeptaAccess::read, inv));
  PetscCall(scales.Access(space, HeptaAccess::read_write, s));
  const Level<T, U> first = Own<T, U>(space, 0, *values);
  if (product) HeptaLaunchEach(space, guess_scale, first, product, *s);
  else {
    HeptaLaunch(space, find_largest, first, x, *s);
    if (ranks.several) PetscCall(LargestOfAll(space, &(*s)->largest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level l's z from the next level's z */
template <class T, class U>
PetscErrorCode HeptaGridMG::Up(const HeptaSpace &space, size_t l, T *values, Scales *s, PetscScalar *y, PetscScalar *parts)
{
  const Level<T, U> L = Extended<T, U>(space, l, planes_up((int)choice.sweeps), values), C = Own<T, U>(space, l + 1, values);
  const T           weight = T(choice.overcorrection);
  const int         sweeps = (int)choice.sweeps;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) {
    PetscCallHepta(up_cuda(axes, sweeps, weight, L, C, (const Scales *)s, y, parts, space.stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  (void)parts;
  PetscCallHepta(up_host(axes, sweeps, weight, L, C, (const Scales *)s, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the first level's s: y <- z with both scales or, without scales and y, z; parts: see ApplyInFloat() */
template <class T, class U>
PetscErrorCode HeptaGridMG::Descend(const HeptaSpace &space, T *values, const double *inv, Scales *s, PetscScalar *y,
                                    PetscScalar *parts, bool *summed)
{
  const size_t last   = levels.size() - 1;
  const int    sweeps = (int)choice.sweeps;
  size_t       bottom = last; /* the first level that one launch solves */

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  hepta::gridmg::Bottom<T, U> block;
  if (space.device) bottom = FindBottom(space, values, inv, s, &block);
#endif
  /* the solution is copied to y: the first level is solved so, or is complete on each MPI process */
  const bool apart          = y && (!bottom || (ranks.several && !ranks.gathered));
  const auto whole          = [&](size_t l) { return Typed<T, U>(space, l, values); };
  const auto with_neighbors = [&](size_t l) { return Extended<T, U>(space, l, planes_down(sweeps), values); };
  for (size_t l = 0; l <= bottom; l++) {
    PetscCall(Gather(space, l, Own<T, U>(space, l, values).t, whole(l).s));
    if (l == bottom) break;
    PetscCall(Halo(space, l, whole(l).s));
    HeptaLaunch(space, down, axes, sweeps, with_neighbors(l), Sent<T, U>(space, l + 1, values), l ? (Scales *)nullptr : s);
  }
  if (bottom == last) HeptaLaunch(space, solve_last, whole(last), levels[last].cells, inv, last ? (Scales *)nullptr : s);
#if defined(HEPTA_HAVE_CUDA)
  if constexpr (std::is_same_v<T, float>) {
    if (bottom < last) PetscCallHepta(bottom_cuda(axes, sweeps, T(choice.overcorrection), block, space.stream));
  }
#endif
  for (size_t l = bottom; l-- > 0;) {
    PetscCall(HaloOfSolution(space, l + 1, whole(l + 1).z));
    PetscCall((Up<T, U>(space, l, values, s, l || apart ? nullptr : y, l ? nullptr : parts)));
  }
  if (summed) *summed = bottom && parts;
  if (apart) HeptaLaunch(space, finish_dense, Own<T, U>(space, 0, values), (const Scales *)s, y);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T, class U> PetscErrorCode HeptaGridMG::RedBlack(const HeptaSpace &space, const PetscScalar *x, PetscScalar *y)
{
  T      *values;
  double *inv;
  Scales *s;

  PetscFunctionBegin;
  PetscCall((Begin<T, U>(space, x, &values, &inv, &s)));
  HeptaLaunch(space, scale_input, Sent<T, U>(space, 0, values), x, (const Scales *)s);
  PetscCall((Descend<T, U>(space, values, inv, s, y)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode HeptaGridMG::RedBlack<float, Bf16>(const HeptaSpace &, const PetscScalar *, PetscScalar *);
template PetscErrorCode HeptaGridMG::RedBlack<float, float>(const HeptaSpace &, const PetscScalar *, PetscScalar *);
template PetscErrorCode HeptaGridMG::RedBlack<double, double>(const HeptaSpace &, const PetscScalar *, PetscScalar *);

size_t HeptaGridMG::Parts(const HeptaSpace &space) const
{
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) {
    const Grid g = Extended<float>(space, 0, planes_up((int)choice.sweeps), (float *)nullptr).g;
    return (choice.bf16 ? hepta::gridmg::up_parts<Bf16> : hepta::gridmg::up_parts<float>)(axes, (int)choice.sweeps, g);
  }
#endif
  (void)space;
  return 0;
}

PetscErrorCode HeptaGridMG::ApplyInFloat(HeptaSpace space, PetscScalar *parts, bool *summed)
{
  float       *values;
  double      *inv;
  Level<float> first;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  space.stop = HeptaRecording::Stop();
#endif
  PetscCall(arrays.Access(space, HeptaAccess::read_write, &values));
  PetscCall(inverse.Access(space, HeptaAccess::read, &inv));
  if (choice.bf16) PetscCall((Descend<float, Bf16>(space, values, inv, nullptr, nullptr, parts, summed)));
  else PetscCall((Descend<float, float>(space, values, inv, nullptr, nullptr, parts, summed)));
  PetscCall(FirstLevel(space, &first));
  PetscCall(HaloOfSolution(space, 0, first.z));
  PetscCall(HeptaLogFlops(space, Flops()));
  PetscFunctionReturn(PETSC_SUCCESS);
}
