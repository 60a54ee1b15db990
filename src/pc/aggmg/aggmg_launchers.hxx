/* The definitions of all launchers, to be instantiated for host or device */
#pragma once

#include "aggmg_aggregate.hxx"
#include "aggmg_cycle.hxx"
#include "aggmg_lanczos.hxx"
#include "aggmg_pattern.hxx"
#include "aggmg_values.hxx"

/* Instances of all launchers for one Each */
#define HEPTA_AGGMG_OF(E, T) \
  template Status strong_pattern(const E &, const Tiles<T> &, double, const double *, bool, Index *, Index *); \
  template Status filter_values(const E &, const Tiles<T> &, const Pattern &, const double *, const double *, T *, double *); \
  template Status join(const E &, const Tiles<T> &, const Pattern &, const Index *, Index *); \
  template Status take_values(const E &, std::size_t, const long long *, const double *, const double *, const double *, T *); \
  template Status take_values(const E &, std::size_t, const long long *, const float *, const float *, const double *, T *); \
  template Status take_diagonal(const E &, const Tiles<T> &, std::size_t, bool, double *, double *, long long *, Found *); \
  template Status take_tiles(const E &, std::size_t, int, const Index *, const T *, T *); \
  template Status find_skew(const E &, const Tiles<T> &, double *, double *); \
  template Status take_norms(const E &, const Tiles<T> &, double *); \
  template Status multiply_scaled(const E &, const Tiles<T> &, std::size_t, const double *, const double *, const double *, const double *, double *); \
  template Status begin_level(const E &, const Level<T> &, T); \
  template Status scale_diagonal(const E &, std::size_t, bool, const double *, const double *, double *, double *, T *); \
  template Status multiply(const E &, const Tiles<T> &, const Tiles<double> &, const Pattern &, const Products &, std::size_t, double *); \
  template Status smooth(const E &, const Tiles<double> &, const double *, const Pattern &, std::size_t, const double *, T *); \
  template Status transpose_values(const E &, std::size_t, int, int, const Index *, const T *, T *); \
  template Status fill_dense(const E &, const Tiles<T> &, const double *, std::size_t, double, double *); \
  template Status find_energy(const E &, const Tiles<T> &, int, const double *, const double *, double *, double *); \
  template Status take_dense(const E &, std::size_t, std::size_t, const double *, const double *, T *); \
  template Status take_input(const E &, const Level<T> &, const Scalar *, const Scaling &, T); \
  template Status find_residual(const E &, const Level<T> &); \
  template Status smooth_step(const E &, const Level<T> &, const Step<T> &); \
  template Status restrict_residual(const E &, const Level<T> &, const Tiles<T> &, std::size_t, const Level<T> &, T); \
  template Status correct(const E &, const Level<T> &, const Tiles<T> &, const Tiles<T> &, std::size_t, const Level<T> &, T, T); \
  template Status solve_dense(const E &, const Level<T> &, std::size_t, const T *, const Scaling &, Scalar *);
#define HEPTA_AGGMG_LAUNCHERS(E) \
  template Status add_null(const E &, std::size_t, std::size_t, int, const double *, const double *, const double *, const double *, double, double *); \
  template Status put_number(const E &, double, double *); \
  template Status fill_with(const E &, std::size_t, long long, long long *); \
  template Status split_keys(const E &, Index, Index, const std::uint64_t *, std::size_t, Index *, Index *, Index *); \
  template Status product_offsets(const E &, const Pattern &, const Pattern &, std::size_t *); \
  template Status product_keys(const E &, const Pattern &, const Pattern &, Index, const std::size_t *, std::uint64_t *); \
  template Status count_products(const E &, const Pattern &, const Pattern &, const Pattern &, std::size_t, std::size_t *, long long *); \
  template Status list_products(const E &, const Pattern &, const Pattern &, const Pattern &, std::size_t, const std::size_t *, unsigned *); \
  template Status node_keys(const E &, Index, Index, int, const std::size_t *, const Index *, std::size_t *, std::uint64_t *); \
  template Status append_ghosts(const E &, Index, int, const std::size_t *, const Index *, const std::size_t *, const GhostRows &, std::size_t *, Index *, std::size_t *); \
  template Status extend_rows(const E &, const Pattern &, std::size_t, Index, const Index *, Index *, Index *, Index *); \
  template Status outside_keys(const E &, const Pattern &, std::size_t, Index, Index, std::uint64_t *); \
  template Status local_keys(const E &, const Pattern &, const LocalNodes &, Index, std::size_t *, std::uint64_t *); \
  template Status local_columns(const E &, const Pattern &, std::size_t, const LocalNodes &, Index *); \
  template Status match_tiles(const E &, const Pattern &, std::size_t, const Pattern &, const LocalNodes &, Index *); \
  template Status tile_keys(const E &, const Pattern &, std::size_t, Index, Index, std::uint64_t *); \
  template Status list_slots(const E &, const Pattern &, int, const std::size_t *, const Index *, const std::size_t *, long long *); \
  template Status tentative_pattern(const E &, Index, Index, const Index *, Index *, Index *, Index *); \
  template Status transpose_pattern(const E &, const Pattern &, std::size_t, Index, Index, Index *, Index *, Index *, Index *, Index *, std::size_t *); \
  template Status find_roots(const E &, const Pattern &, std::uint64_t *, std::uint64_t *, std::uint64_t *, long long *); \
  template Status open_all(const E &, const Pattern &, std::uint64_t *); \
  template Status number_roots(const E &, Index, const std::uint64_t *, Index *, Index *, Index *); \
  template Status order_nodes(const E &, Index, Index, const Index *, Index *, Index *, std::size_t *); \
  template Status orthonormalize(const E &, Index, int, int, const Index *, const std::size_t *, const double *, double *, double *); \
  template Status take_unit(const E &, const Pattern &, int, const long long *, const double *, double *); \
  template Status take_unit(const E &, const Pattern &, int, const long long *, const float *, double *); \
  template Status largest_of(const E &, int, const long long *, long long *); \
  template Status begin_lanczos(const E &, std::size_t, std::size_t, const double *, double *, double *); \
  template Status normalize(const E &, std::size_t, const double *, const double *, double *, double *); \
  template Status dot(const E &, std::size_t, const double *, const double *, double *); \
  template Status subtract(const E &, std::size_t, const double *, const double *, double *, double *); \
  template Status bound_by_rows(const E &, const long long *, double *); \
  template Status bound_of(const E &, const double *, const long long *, double *); \
  template Status take_tentative(const E &, Index, int, const Index *, const Index *, const double *, double *); \
  template Status multiply(const E &, const Tiles<float> &, const Tiles<float> &, const Pattern &, const Products &, std::size_t, float *); \
  template Status find_largest(const E &, std::size_t, const Scalar *, Scale *, const int *); \
  HEPTA_AGGMG_OF(E, double) \
  HEPTA_AGGMG_OF(E, float)
