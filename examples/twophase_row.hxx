/*
   Flow of water and oil: the formulas of a cell, for host and device, without PETSc.

   Unknowns of a cell are the pressure p and the saturation s of water. Both fluids keep their volume; the pores grow with the
   pressure, f(p) = 1 + c (p - p_well). With the flow q over each face, upwinded by phase, and the wells' w, in pore volumes a
   step, the residuals are
     both fluids   f(p)   - f(p_old)       + sum over faces of (q_water + q_oil) - (w_water + w_oil)
     water         f(p) s - f(p_old) s_old + sum over faces of q_water           - w_water
   so that the derivative of the first by all pressures is symmetric: a preconditioner takes this matrix as it is.

   Units: m, day, bar, mD, cP, kg/m^3. Layers are numbered from top to bottom.
*/
#pragma once

#include "box.hxx"

namespace hepta::twophase
{

using namespace flow;

constexpr int    PHASES = 2, WATER = 0, OIL = 1;
constexpr int    UNKNOWNS = 2, BLOCK = 4, PLACES = 7; /* blocks of a row: below, ..., the cell's own, ..., above */
constexpr int    ROCK = 5, RATE = 3, INDEX = 4; /* a cell's permeability along x, y, z, rate of injection, index of a producer */
constexpr int    AMOUNTS = 4;                   /* water and oil in a cell, water and oil that left the cell by a well */
constexpr Scalar DARCY   = 8.52702e-3;          /* flow in m^3/day = DARCY mD m bar / cP */
constexpr Scalar GRAVITY = 9.80665e-5;          /* pressure in bar = GRAVITY kg/m^3 m */
constexpr Scalar CHOP    = 0.2;                 /* largest change of a saturation in an iteration of Newton's method */

struct Model : Box {
  Scalar h[3]; /* cell size */
  Scalar viscosity[PHASES], density[PHASES], residual[PHASES];
  Scalar compressibility; /* of the pores */
  Scalar pressure;        /* at the top of producers and of the first state, oil at rest */
  Scalar volume;          /* of a cell's pores */
  Scalar step;            /* length of the time step / volume */
};

/*
   Mobility of a phase and the derivative by s: Corey's relative permeability with the exponent 2. No bound at 1: pores that grow
   around residual water take s below, where a bound would make the derivative of oil jump to 0.
*/
HEPTA_HD Scalar mobility(const Model &M, int phase, Scalar s, Scalar *derivative)
{
  const Scalar width = 1 - M.residual[WATER] - M.residual[OIL], e = (s - M.residual[WATER]) / width;
  const Scalar mobile = phase == WATER ? e : 1 - e, u = mobile > 0 ? mobile : 0;

  *derivative = (phase == WATER ? 2 : -2) * u / (width * M.viscosity[phase]);
  return u * u / M.viscosity[phase];
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

/* Flow in pore volumes a step from cell a, of a face into the upper cell b, with the derivatives by a's pressure; b's are -dp */
struct Flow {
  Scalar q[PHASES], dp[PHASES], ds[2][PHASES]; /* ds: by the saturations of a and b */
};

HEPTA_HD Flow face(const Model &M, const Scalar *rock, const Scalar *x, int d, std::size_t a, std::size_t b)
{
  const Scalar ka = rock[a * ROCK + d], kb = rock[b * ROCK + d];
  const Scalar T = M.step * DARCY * M.h[0] * M.h[1] * M.h[2] / (M.h[d] * M.h[d]) * (2 * ka * kb / (ka + kb));
  Flow         f;

  for (int phase = 0; phase < PHASES; phase++) {
    const Scalar weight = d == 2 ? M.density[phase] * GRAVITY * M.h[2] : 0, drop = x[a * UNKNOWNS] - x[b * UNKNOWNS] + weight;
    const bool   from_a = drop >= 0;
    Scalar       slope;

    f.dp[phase]    = T * mobility(M, phase, x[(from_a ? a : b) * UNKNOWNS + 1], &slope);
    f.q[phase]     = f.dp[phase] * drop;
    f.ds[0][phase] = from_a ? T * slope * drop : 0;
    f.ds[1][phase] = from_a ? 0 : T * slope * drop;
  }
  return f;
}

/* From the cell into a producer, which gives nothing back where the reservoir has the lower pressure */
HEPTA_HD Flow producer(const Model &M, const Scalar *rock, const Scalar *x, std::size_t a, Index layer)
{
  const Scalar drop = x[a * UNKNOWNS] - oil_column(M, layer), W = drop >= 0 ? M.step * rock[a * ROCK + INDEX] : 0;
  Flow         f;

  for (int phase = 0; phase < PHASES; phase++) {
    Scalar slope;

    f.dp[phase]    = W * mobility(M, phase, x[a * UNKNOWNS + 1], &slope);
    f.q[phase]     = f.dp[phase] * drop;
    f.ds[0][phase] = W * slope * drop;
    f.ds[1][phase] = 0;
  }
  return f;
}

/* x and rock over the box with neighbors, old over own cells, r: the cell's two residuals */
HEPTA_HD void residual(const Model &M, const Scalar *rock, const Scalar *x, const Scalar *old, const Index at[3], Scalar *r)
{
  const std::size_t a    = ghosted(M, at);
  std::size_t       step = 1;
  const Flow        well = producer(M, rock, x, a, at[2]);
  const Scalar      now = pores(M, x[a * UNKNOWNS]), before = pores(M, old[0]), inflow = M.step * rock[a * ROCK + RATE];
  Scalar            both  = now - before + well.q[WATER] + well.q[OIL] - inflow;
  Scalar            water = now * x[a * UNKNOWNS + 1] - before * old[1] + well.q[WATER] - inflow;

  for (int d = 0; d < 3; d++) {
    for (int side = -1; side <= 1; side += 2) {
      if (side < 0 ? at[d] == 0 : at[d] == M.n[d] - 1) continue;
      const Flow f = side < 0 ? face(M, rock, x, d, a - step, a) : face(M, rock, x, d, a, a + step);

      both += side * (f.q[WATER] + f.q[OIL]);
      water += side * f.q[WATER];
    }
    step *= M.ghost_size[d];
  }
  r[0] = both;
  r[1] = water;
}

/* block <- block + sign * derivatives of the sums of a flow by p, if dp is 1 or -1, and by the saturation of a (0) or b (1) */
HEPTA_HD void add(const Flow &f, Scalar sign, Scalar dp, int cell, Scalar *block)
{
  block[0] += sign * dp * (f.dp[WATER] + f.dp[OIL]);
  block[1] += sign * (f.ds[cell][WATER] + f.ds[cell][OIL]);
  block[2] += sign * dp * f.dp[WATER];
  block[3] += sign * f.ds[cell][WATER];
}

/* The blocks of a cell's rows, in ascending order of columns, by rows and `stride` numbers apart; zeros for absent neighbors */
HEPTA_HD void jacobian(const Model &M, const Scalar *rock, const Scalar *x, const Index at[3], std::size_t stride, Scalar *v)
{
  const std::size_t a          = ghosted(M, at);
  std::size_t       step       = 1;
  const Scalar      c          = M.compressibility;
  Scalar            own[BLOCK] = {c, 0, c * x[a * UNKNOWNS + 1], pores(M, x[a * UNKNOWNS])};

  add(producer(M, rock, x, a, at[2]), 1, 1, 0, own);
  for (int d = 0; d < 3; d++) {
    for (int side = -1; side <= 1; side += 2) {
      Scalar other[BLOCK] = {};

      if (side < 0 ? at[d] > 0 : at[d] < M.n[d] - 1) {
        const Flow f  = side < 0 ? face(M, rock, x, d, a - step, a) : face(M, rock, x, d, a, a + step);
        const int  me = side < 0 ? 1 : 0;

        add(f, side, side, me, own);
        add(f, side, -side, 1 - me, other);
      }
      for (int k = 0; k < BLOCK; k++) v[(PLACES / 2 + side * (d + 1)) * stride + k] = other[k];
    }
    step *= M.ghost_size[d];
  }
  for (int k = 0; k < BLOCK; k++) v[PLACES / 2 * stride + k] = own[k];
}

/*
   y <- a cell's change, at most CHOP of the saturation, which stays from 0 to 1 in x - y. The residual saturations are no bounds:
   pores that grow take in the mobile fluid alone.
*/
HEPTA_HD void chop(const Scalar *x, Scalar *y)
{
  const Scalar low = x[1] - 1 > -CHOP ? x[1] - 1 : -CHOP, high = x[1] < CHOP ? x[1] : CHOP;

  y[1] = y[1] > high ? high : y[1] < low ? low : y[1];
}

/* AMOUNTS in pore volumes, and in pore volumes a step */
HEPTA_HD void amounts(const Model &M, const Scalar *rock, const Scalar *x, const Index at[3], Scalar amount[])
{
  const std::size_t a    = ghosted(M, at);
  const Flow        well = producer(M, rock, x, a, at[2]);
  const Scalar      now = pores(M, x[a * UNKNOWNS]), s = x[a * UNKNOWNS + 1];

  amount[0] = now * s;
  amount[1] = now * (1 - s);
  amount[2] = well.q[WATER];
  amount[3] = well.q[OIL];
}

} // namespace hepta::twophase
