/* The states and vectors with which the passes of fused CG are tested: alpha is 2, beta 3 */
#pragma once

#include "../passes.h"
#include "ksp/fusedcg/fusedcg_kernels.hxx"

namespace hepta::test
{

/* Before iteration it + 1, where alpha is (r, z)/(p, q) = 8/4 */
inline ksp::State cg_state(int it)
{
  ksp::State s = unlimited();

  s.rho                = 8;
  s.sum[ksp::index_pq] = s.pq = 4;
  s.beta                      = 3;
  s.it                        = it;
  return s;
}

/* Before iteration 1 of the form with a single reduction, which keeps alpha */
inline ksp::State single_state()
{
  ksp::State s = unlimited();

  s.rho   = 8;
  s.pq    = 4;
  s.alpha = 2;
  s.beta  = 3;
  return s;
}

} // namespace hepta::test

/* The vectors of CG with two reductions */
namespace hepta::test::cg
{

constexpr std::size_t x = 0, r = 1, z = 2, p = 3, p1 = 4, q = 5, count = 6; /* and how many there are */

inline ksp::CG cg_of(Vectors &v, Iteration &now, std::size_t n)
{
  ksp::CG c{};

  now.Give(c, n);
  c.x    = v[x];
  c.r    = v[r];
  c.z    = v[z];
  c.p[0] = v[p];
  c.p[1] = v[p1];
  c.q    = v[q];
  return c;
}

} // namespace hepta::test::cg
