/* The loops over cells on the device, each the twin of its namesake in bubbly_host.cxx */
#include "shared/cuda_check.cuh"
#include "bubbly_kernels.hxx"

namespace hepta::flow
{

/* Calls f(k, cell) for the cells of a box: of the grid's own cells, or with their neighbors */
template <class F> static Status each_cell(const Grid &G, bool neighbors, Stream stream, F f)
{
  return each(cells(neighbors ? G.ghost_size : G.size), (cudaStream_t)stream, [=] __device__(std::size_t k) {
    Index at[3];

    if (neighbors) cell_at(G.ghost_start, G.ghost_size, k, at);
    else cell_at(G.start, G.size, k, at);
    f(k, at);
  });
}

Status coefficients_cuda(const Grid &G, const Fluids &F, Scalar *c, Stream stream)
{
  return each_cell(G, true, stream, [=] __device__(std::size_t k, const Index at[3]) { c[k] = coefficient(G, F, at); });
}

Status rows_cuda(const Grid &G, const Scalar *c, Scalar *v, Stream stream)
{
  const std::size_t n = cells(G.size);

  return each_cell(G, false, stream, [=] __device__(std::size_t k, const Index at[3]) { row(G, c, at, n, v + k); });
}

Status apply_cuda(const Grid &G, const Scalar *c, const Scalar *x, Scalar *y, Stream stream)
{
  return each_cell(G, false, stream, [=] __device__(std::size_t k, const Index at[3]) { y[k] = apply(G, c, x, at); });
}

Status gravity_cuda(const Grid &G, const Fluids &F, const Scalar *c, Scalar *f, Stream stream)
{
  return each_cell(G, false, stream, [=] __device__(std::size_t k, const Index at[3]) { f[k] = gravity(G, F, c, at); });
}

Status exact_cuda(const Grid &G, Index step, Scalar *x, Stream stream)
{
  return each_cell(G, false, stream, [=] __device__(std::size_t k, const Index at[3]) { x[k] = exact(G, step, at); });
}

Status density_cuda(const Grid &G, const Scalar *c, Scalar *rho, Stream stream)
{
  return each_cell(G, false, stream, [=] __device__(std::size_t k, const Index at[3]) { rho[k] = 1 / c[ghosted(G, at)]; });
}

} // namespace hepta::flow
