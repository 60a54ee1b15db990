/* The loops over cells on the host */
#include "bubbly_kernels.hxx"

namespace hepta::flow
{

/* Calls f(k, cell) for the cells of a box */
template <class F> static Status each_cell(const Index start[3], const Index size[3], F f)
{
  Index at[3];

  for (std::size_t k = 0; k < cells(size); k++) {
    cell_at(start, size, k, at);
    f(k, at);
  }
  return nullptr;
}

Status coefficients_host(const Grid &G, const Fluids &F, Scalar *c)
{
  return each_cell(G.ghost_start, G.ghost_size, [&](std::size_t k, const Index at[3]) { c[k] = coefficient(G, F, at); });
}

Status rows_host(const Grid &G, const Scalar *c, Scalar *v)
{
  const std::size_t n = cells(G.size);

  return each_cell(G.start, G.size, [&](std::size_t k, const Index at[3]) { row(G, c, at, n, v + k); });
}

Status apply_host(const Grid &G, const Scalar *c, const Scalar *x, Scalar *y)
{
  return each_cell(G.start, G.size, [&](std::size_t k, const Index at[3]) { y[k] = apply(G, c, x, at); });
}

Status gravity_host(const Grid &G, const Fluids &F, const Scalar *c, Scalar *f)
{
  return each_cell(G.start, G.size, [&](std::size_t k, const Index at[3]) { f[k] = gravity(G, F, c, at); });
}

Status exact_host(const Grid &G, Index step, Scalar *x)
{
  return each_cell(G.start, G.size, [&](std::size_t k, const Index at[3]) { x[k] = exact(G, step, at); });
}

Status density_host(const Grid &G, const Scalar *c, Scalar *rho)
{
  return each_cell(G.start, G.size, [&](std::size_t k, const Index at[3]) { rho[k] = 1 / c[ghosted(G, at)]; });
}

} // namespace hepta::flow
