/*
   Flow of water and oil, and of a polymer in the water if asked for: the formulas of a cell, for host and device, without PETSc.

   Unknowns of a cell are the pressure p, the saturation s of water and, with N = 3 unknowns, the concentration c of the polymer,
   which is 1 in injected water. Both fluids keep their volume; the pores grow with the pressure, f(p) = 1 + r (p - p_well). With
   the flow q over each face, upwinded by phase, and the wells' w, in pore volumes a step, the residuals are
     both fluids   f(p)     - f(p_old)             + sum over faces of (q_water + q_oil) - (w_water + w_oil)
     water         f(p) s   - f(p_old) s_old       + sum over faces of q_water           - w_water
     polymer       f(p) s c - f(p_old) s_old c_old + sum over faces of c q_water         - c w_water
   so that the derivative of the first by all pressures is symmetric: a preconditioner takes this matrix as it is.

   Units: m, day, bar, mD, cP, kg/m^3. Layers are numbered from top to bottom.
*/
#pragma once

#include "box.hxx"

namespace hepta::twophase
{

using namespace flow;

constexpr int    PHASES = 2, WATER = 0, OIL = 1;
constexpr int    MOST = 3, AMOUNTS = 2 * MOST; /* the most unknowns of a cell, and the most numbers of amounts() */
constexpr int    PLACES   = 7;                 /* blocks of a row: below, ..., the cell's own, ..., above */
constexpr int    PRESSURE = 0, SATURATION = 1, CONCENTRATION = 2;
constexpr int    ROCK = 5, RATE = 3, INDEX = 4; /* a cell's permeability along x, y, z, rate of injection, index of a producer */
constexpr Scalar DARCY   = 8.52702e-3;          /* flow in m^3/day = DARCY mD m bar / cP */
constexpr Scalar GRAVITY = 9.80665e-5;          /* pressure in bar = GRAVITY kg/m^3 m */
constexpr Scalar CHOP    = 0.2;                 /* largest change of a saturation in an iteration of Newton's method */
constexpr Scalar BEYOND  = 1e-3;                /* how far a concentration may be from its range in such an iteration */

struct Model : Box {
  int    unknowns; /* of a cell, 2 or 3 */
  Scalar h[3];     /* cell size */
  Scalar viscosity[PHASES], density[PHASES], residual[PHASES];
  Scalar polymer;         /* viscosity of injected water over that of water without polymer */
  Scalar compressibility; /* of the pores */
  Scalar pressure;        /* at the top of producers and of the first state, oil at rest */
  Scalar volume;          /* of a cell's pores */
  Scalar step;            /* length of the time step / volume */
};

/*
   Mobility of a phase, derivatives by s and c: Corey's relative permeability with the exponent 2. No bound at 1: pores that grow
   around residual water take s below, where a bound would make the derivative of oil jump to 0.
*/
HEPTA_HD Scalar mobility(const Model &M, int phase, Scalar s, Scalar c, Scalar slope[2])
{
  const Scalar width = 1 - M.residual[WATER] - M.residual[OIL], e = (s - M.residual[WATER]) / width;
  const Scalar mobile = phase == WATER ? e : 1 - e, u = mobile > 0 ? mobile : 0, more = phase == WATER ? M.polymer - 1 : 0;
  const Scalar viscosity = M.viscosity[phase] * (1 + more * c);

  slope[0] = (phase == WATER ? 2 : -2) * u / (width * viscosity);
  slope[1] = -u * u / viscosity * (more * M.viscosity[phase] / viscosity);
  return u * u / viscosity;
}

HEPTA_HD Scalar pores(const Model &M, Scalar p)
{
  return 1 + M.compressibility * (p - M.pressure);
}

/* Pressure at the middle of a layer in a column of oil: of the reservoir at rest, and of a producer */
HEPTA_HD Scalar oil_column(const Model &M, Index layer)
{
  return M.pressure + M.density[OIL] * GRAVITY * M.h[2] * (layer + Scalar(0.5));
}

/*
   Flow in pore volumes a step from cell a, of a face into the upper cell b: of both fluids, of water and of the polymer, with the
   derivatives by a's pressure (b's are -dp) and by the other unknowns of a (0) and b (1)
*/
template <int N> struct Flow {
  Scalar q[N] = {}, dp[N] = {}, d[2][N][N - 1] = {};
};

/* f <- f + T (mobility of a phase) drop, with the unknowns `up` of the upstream cell, 0 or 1 */
template <int N> HEPTA_HD void add_phase(const Model &M, int phase, const Scalar *up, int cell, Scalar T, Scalar drop, Flow<N> &f)
{
  const Scalar c = N > CONCENTRATION ? up[N - 1] : 0;
  Scalar       slope[2];
  const Scalar dp = T * mobility(M, phase, up[SATURATION], c, slope);

  for (int k = 0; k < (phase == WATER ? N : 1); k++) {
    const Scalar part = k == CONCENTRATION ? c : 1;

    f.dp[k] += part * dp;
    f.q[k] += part * (dp * drop);
    for (int u = 0; u < N - 1; u++) f.d[cell][k][u] += part * (T * slope[u] * drop);
  }
  if (N > CONCENTRATION && phase == WATER) f.d[cell][N - 1][N - 2] += dp * drop;
}

template <int N> HEPTA_HD Flow<N> face(const Model &M, const Scalar *rock, const Scalar *x, int d, std::size_t a, std::size_t b)
{
  const Scalar ka = rock[a * ROCK + d], kb = rock[b * ROCK + d];
  const Scalar T = M.step * DARCY * M.h[0] * M.h[1] * M.h[2] / (M.h[d] * M.h[d]) * (2 * ka * kb / (ka + kb));
  Flow<N>      f;

  for (int phase = 0; phase < PHASES; phase++) {
    const Scalar weight = d == 2 ? M.density[phase] * GRAVITY * M.h[2] : 0, drop = x[a * N] - x[b * N] + weight;

    add_phase<N>(M, phase, x + (drop >= 0 ? a : b) * N, drop >= 0 ? 0 : 1, T, drop, f);
  }
  return f;
}

/* From the cell into a producer, which gives nothing back where the reservoir has the lower pressure */
template <int N> HEPTA_HD Flow<N> producer(const Model &M, const Scalar *rock, const Scalar *x, std::size_t a, Index layer)
{
  const Scalar drop = x[a * N] - oil_column(M, layer), W = drop >= 0 ? M.step * rock[a * ROCK + INDEX] : 0;
  Flow<N>      f;

  for (int phase = 0; phase < PHASES; phase++) add_phase<N>(M, phase, x + a * N, 0, W, drop, f);
  return f;
}

/* What a cell with these unknowns has of both fluids, of water and of the polymer */
template <int N> HEPTA_HD void contents(const Model &M, const Scalar *x, Scalar *amount)
{
  amount[0] = pores(M, x[PRESSURE]);
  for (int k = 1; k < N; k++) amount[k] = amount[k - 1] * x[k];
}

/* x and rock over the box with neighbors, old over own cells, r: the cell's residuals */
template <int N>
HEPTA_HD void residual(const Model &M, const Scalar *rock, const Scalar *x, const Scalar *old, const Index at[3], Scalar *r)
{
  const std::size_t a    = ghosted(M, at);
  std::size_t       step = 1;
  const Flow<N>     well = producer<N>(M, rock, x, a, at[2]);
  Scalar            now[N], before[N];

  contents<N>(M, x + a * N, now);
  contents<N>(M, old, before);
  for (int k = 0; k < N; k++) r[k] = now[k] - before[k] + well.q[k] - M.step * rock[a * ROCK + RATE];
  for (int d = 0; d < 3; d++) {
    for (int side = -1; side <= 1; side += 2) {
      if (side < 0 ? at[d] == 0 : at[d] == M.n[d] - 1) continue;
      const Flow<N> f = side < 0 ? face<N>(M, rock, x, d, a - step, a) : face<N>(M, rock, x, d, a, a + step);

      for (int k = 0; k < N; k++) r[k] += side * f.q[k];
    }
    step *= M.ghost_size[d];
  }
}

/* block <- block + sign * derivatives of a flow by p, if dp is 1 or -1, and by the other unknowns of a (0) or b (1) */
template <int N> HEPTA_HD void add(const Flow<N> &f, Scalar sign, Scalar dp, int cell, Scalar *block)
{
  for (int k = 0; k < N; k++) {
    block[k * N] += sign * dp * f.dp[k];
    for (int u = 1; u < N; u++) block[k * N + u] += sign * f.d[cell][k][u - 1];
  }
}

/* block <- derivatives of contents() */
template <int N> HEPTA_HD void contents_derivatives(const Model &M, const Scalar *x, Scalar *block)
{
  for (int u = 0; u < N; u++) {
    Scalar amount = u == 0 ? M.compressibility : pores(M, x[PRESSURE]);

    for (int k = 0; k < N; k++) {
      if (k > 0 && k != u) amount *= x[k];
      block[k * N + u] = k < u ? 0 : amount;
    }
  }
}

/* The blocks of a cell's rows, in ascending order of columns, by rows and `stride` numbers apart; zeros for absent neighbors */
template <int N>
HEPTA_HD void jacobian(const Model &M, const Scalar *rock, const Scalar *x, const Index at[3], std::size_t stride, Scalar *v)
{
  const std::size_t a    = ghosted(M, at);
  std::size_t       step = 1;
  Scalar            own[N * N];

  contents_derivatives<N>(M, x + a * N, own);
  add<N>(producer<N>(M, rock, x, a, at[2]), 1, 1, 0, own);
  for (int d = 0; d < 3; d++) {
    for (int side = -1; side <= 1; side += 2) {
      Scalar other[N * N] = {};

      if (side < 0 ? at[d] > 0 : at[d] < M.n[d] - 1) {
        const Flow<N> f  = side < 0 ? face<N>(M, rock, x, d, a - step, a) : face<N>(M, rock, x, d, a, a + step);
        const int     me = side < 0 ? 1 : 0;

        add<N>(f, side, side, me, own);
        add<N>(f, side, -side, 1 - me, other);
      }
      for (int k = 0; k < N * N; k++) v[(PLACES / 2 + side * (d + 1)) * stride + k] = other[k];
    }
    step *= M.ghost_size[d];
  }
  for (int k = 0; k < N * N; k++) v[PLACES / 2 * stride + k] = own[k];
}

/*
   y <- a cell's change, at most CHOP of the saturation, which stays from 0 to 1 in x - y, and the concentration within BEYOND of
   0 and 1. The residual saturations are no bounds: pores that grow take in the mobile fluid alone.
*/
template <int N> HEPTA_HD void chop(const Scalar *x, Scalar *y)
{
  const Scalar low = x[1] - 1 > -CHOP ? x[1] - 1 : -CHOP, high = x[1] < CHOP ? x[1] : CHOP;

  y[1] = y[1] > high ? high : y[1] < low ? low : y[1];
  if (N <= CONCENTRATION) return;
  const Scalar c = x[N - 1], least = c - 1 - BEYOND, most = c + BEYOND;

  y[N - 1] = y[N - 1] > most ? most : y[N - 1] < least ? least : y[N - 1];
}

/* In pore volumes: water, oil and polymer in a cell, and what left the cell by a producer in a step */
template <int N> HEPTA_HD void amounts(const Model &M, const Scalar *rock, const Scalar *x, const Index at[3], Scalar amount[])
{
  const std::size_t a    = ghosted(M, at);
  const Flow<N>     well = producer<N>(M, rock, x, a, at[2]);
  Scalar            in[N];

  contents<N>(M, x + a * N, in);
  for (int half = 0; half < 2; half++) {
    const Scalar *part = half ? well.q : in;

    amount[half * N + WATER] = part[1];
    amount[half * N + OIL]   = part[0] - part[1];
    for (int k = CONCENTRATION; k < N; k++) amount[half * N + k] = part[k];
  }
}

} // namespace hepta::twophase
