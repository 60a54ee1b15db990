/* The definitions of all launchers, and their instances for host or device */
#pragma once

#include "aggmg_aggregate.hxx"
#include "aggmg_cycle.hxx"
#include "aggmg_lanczos.hxx"
#include "aggmg_pattern.hxx"
#include "aggmg_values.hxx"

namespace hepta::aggmg
{

HEPTA_EACH_OF(strong_pattern)
HEPTA_EACH_OF(filter_values)
HEPTA_EACH_OF(join)
HEPTA_EACH_OF(take_diagonal)
HEPTA_EACH_OF(take_tiles)
HEPTA_EACH_OF(find_skew)
HEPTA_EACH_OF(take_norms)
HEPTA_EACH_OF(multiply_scaled)
HEPTA_EACH_OF(begin_level)
HEPTA_EACH_OF(scale_diagonal)
HEPTA_EACH_OF(smooth)
HEPTA_EACH_OF(transpose_values)
HEPTA_EACH_OF(fill_dense)
HEPTA_EACH_OF(find_energy)
HEPTA_EACH_OF(take_dense)
HEPTA_EACH_OF(take_input)
HEPTA_EACH_OF(find_residual)
HEPTA_EACH_OF(smooth_step)
HEPTA_EACH_OF(restrict_residual)
HEPTA_EACH_OF(correct)
HEPTA_EACH_OF(solve_dense)
HEPTA_EACH_OF(take_unit)
HEPTA_EACH(add_null)
HEPTA_EACH(put_number)
HEPTA_EACH(fill_with)
HEPTA_EACH(split_keys)
HEPTA_EACH(product_offsets)
HEPTA_EACH(product_keys)
HEPTA_EACH(count_products)
HEPTA_EACH(list_products)
HEPTA_EACH(node_keys)
HEPTA_EACH(append_ghosts)
HEPTA_EACH(extend_rows)
HEPTA_EACH(outside_keys)
HEPTA_EACH(local_keys)
HEPTA_EACH(ghost_columns)
HEPTA_EACH(local_columns)
HEPTA_EACH(match_tiles)
HEPTA_EACH(tile_keys)
HEPTA_EACH(list_slots)
HEPTA_EACH(tentative_pattern)
HEPTA_EACH(transpose_pattern)
HEPTA_EACH(find_roots)
HEPTA_EACH(open_all)
HEPTA_EACH(keep_nodes)
HEPTA_EACH(number_roots)
HEPTA_EACH(order_nodes)
HEPTA_EACH(orthonormalize)
HEPTA_EACH(largest_of)
HEPTA_EACH(begin_lanczos)
HEPTA_EACH(normalize)
HEPTA_EACH(dot)
HEPTA_EACH(subtract)
HEPTA_EACH(bound_by_rows)
HEPTA_EACH(bound_of)
HEPTA_EACH(take_tentative)
HEPTA_EACH(find_largest)
#define HEPTA_VALUES(T) \
  HEPTA_EACH_WITH(take_values, double, T) \
  HEPTA_EACH_WITH(take_values, float, T) \
  template Status multiply(const HEPTA_EACH_HERE &, const Tiles<T> &, const Tiles<double> &, const Pattern &, const Products &, \
                           std::size_t, double *);
HEPTA_VALUES(double)
HEPTA_VALUES(float)
template Status multiply(const HEPTA_EACH_HERE &, const Tiles<float> &, const Tiles<float> &, const Pattern &, const Products &,
                         std::size_t, float *);

} // namespace hepta::aggmg
