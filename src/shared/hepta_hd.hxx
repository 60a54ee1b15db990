/* Types and markers shared by host and device code. No PETSc here: CMake derives the two switches from petscconf.h. */
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
  #define HEPTA_HD __host__ __device__ __forceinline__
#else
  /* always inlined: two compilers with different flags must not emit one weak symbol of which the linker keeps either */
  #define HEPTA_HD inline __attribute__((always_inline))
#endif

namespace hepta
{

#if defined(HEPTA_INDEX64)
using Index = std::int64_t; /* PetscInt */
#else
using Index = std::int32_t;
#endif

#if defined(HEPTA_SINGLE)
using Scalar = float; /* PetscScalar */
#else
using Scalar = double;
#endif

HEPTA_HD Scalar magnitude(Scalar a)
{
  return a < 0 ? -a : a;
}

HEPTA_HD bool finite(Scalar a)
{
  return a - a == 0;
}

/* The first k < n with above(k), by bisection: above() must hold for all later k too; n if there is none */
template <class N, class F> HEPTA_HD N first_above(N n, const F &above)
{
  N low = 0;

  while (low < n) {
    const N middle = low + (n - low) / 2;
    if (above(middle)) n = middle;
    else low = middle + 1;
  }
  return low;
}

/* What a launcher returns: nullptr, or one sentence that says what went wrong */
using Status = const char *;

} // namespace hepta

/* An instance of the function template f for these template arguments; instances for both types of stored values */
#define HEPTA_INSTANCE(f, ...) template decltype(f<__VA_ARGS__>) f<__VA_ARGS__>;
#define HEPTA_INSTANCES(f) \
  HEPTA_INSTANCE(f, double) \
  HEPTA_INSTANCE(f, float)
