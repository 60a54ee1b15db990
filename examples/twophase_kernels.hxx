/*
   Loops over the cells of a process; arrays are in the memory of Each, hepta::HostEach or hepta::DeviceEach. The arguments are
   those of twophase_row.hxx, x and rock over the box with neighbors unless said otherwise.
*/
#pragma once

#include "shared/each.hxx"
#include "twophase_row.hxx"

namespace hepta::twophase
{

template <class E> Status residuals(const E &, const Model &, const Scalar *rock, const Scalar *x, const Scalar *old, Scalar *r);
/* Block e of cell k begins at v[(e * own cells + k) * unknowns^2] */
template <class E> Status jacobians(const E &, const Model &, const Scalar *rock, const Scalar *x, Scalar *v);
/* x and y over own cells */
template <class E> Status chops(const E &, const Model &, const Scalar *x, Scalar *y);
/* amount[k] over own cells, k < 2 * unknowns */
template <class E> Status all_amounts(const E &, const Model &, const Scalar *rock, const Scalar *x, Scalar *const amount[]);

} // namespace hepta::twophase
