/* Loops over the cells of a process, on the host (bubbly_host.cxx) or the device (bubbly_cuda.cu), with pointers to its memory */
#pragma once

#include "bubbly_row.hxx"

namespace hepta::flow
{

using Stream = void *; /* cudaStream_t */

/* c <- 1/rho, over the box with neighbors */
Status coefficients_host(const Grid &, const Fluids &, Scalar *c);
Status coefficients_cuda(const Grid &, const Fluids &, Scalar *c, Stream);

/* v[k * own cells + cell] <- entry k of the cell's row */
Status rows_host(const Grid &, const Scalar *c, Scalar *v);
Status rows_cuda(const Grid &, const Scalar *c, Scalar *v, Stream);

/* y <- A x without a matrix; x over the box with neighbors */
Status apply_host(const Grid &, const Scalar *c, const Scalar *x, Scalar *y);
Status apply_cuda(const Grid &, const Scalar *c, const Scalar *x, Scalar *y, Stream);

/* Over own cells: the right-hand side of gravity, the exact solution of a time step, the density */
Status gravity_host(const Grid &, const Fluids &, const Scalar *c, Scalar *f);
Status gravity_cuda(const Grid &, const Fluids &, const Scalar *c, Scalar *f, Stream);
Status exact_host(const Grid &, Index step, Scalar *x);
Status exact_cuda(const Grid &, Index step, Scalar *x, Stream);
Status density_host(const Grid &, const Scalar *c, Scalar *rho);
Status density_cuda(const Grid &, const Scalar *c, Scalar *rho, Stream);

} // namespace hepta::flow
