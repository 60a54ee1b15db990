/*
   The pressure equation -div((1/rho) grad p) = f on cells of one size: the formulas of a cell, for host and device, without
   PETSc.

   A coefficient 1/rho belongs to each cell; a face has the arithmetic mean of its two cells', or, beside a cell on an interface,
   the other cell's. Multiplied by the square of the cell size, the row of cell i is
     sum over faces to cells j of c_ij (p_i - p_j)  +  sum over faces to the boundary of c_i p_i  (Dirichlet),
     c_ij = (c_i + c_j) / 2,
   so an inner row in gas, where c = 1, is -1 -1 4 -1 -1 in 2-D. Closed walls (Neumann) add nothing. In layers of rock c_ij and
   c_i of horizontal faces, through which the flow is vertical, have a factor.
*/
#pragma once

#include <cmath>

#include "box.hxx"

namespace hepta::flow
{

constexpr int MAX_PLACES   = 7; /* entries of a row: 2 dim + 1 are used */
constexpr int BUBBLE_ITEMS = 5; /* a bubble: its center x, y, z at time 0, its radius, its coefficient */

/* The cells of bubbly flow; the coefficients are kept over the box with neighbors */
struct Grid : Box {
  int    dim;
  Scalar h;         /* cell size */
  Scalar vertical;  /* factor of the coefficients of faces across y */
  bool   dirichlet; /* else Neumann */
  Scalar fixed;     /* is added to the diagonal of the last cell */
  Index  interface; /* the row of cells, along y, on the interface of INTERFACE; -1: none */
};

/* Where is which fluid? y, the second coordinate, points up. */
struct Fluids {
  enum {
    ONE,      /* coefficient 1 everywhere */
    TWOPHASE, /* liquid above y = 1/2, gas below */
    BUBBLES,  /* liquid around bubbles */
    CHANNELS, /* gas in lines of one cell along each axis, liquid around them */
    CELLS,    /* cells independent of each other, their coefficients between those of liquid and gas */
    FIELD,    /* the same, with waves of all directions in place of cells */
    LAYERS,   /* the same, with horizontal layers in place of cells, each with a variation of its own from cell to cell */
    INTERFACE /* liquid above a row of cells on the interface, gas below */
  } kind;
  Scalar        liquid; /* coefficient 1/rho of the liquid; that of gas is 1 */
  Scalar        rise;   /* how far the bubbles have risen */
  Scalar        height; /* of the domain: what leaves at the top enters at the bottom */
  Index         count;
  const Scalar *bubble; /* count times BUBBLE_ITEMS */
};

/* Is the cell in a line along some axis? One of 32 is; so in two dimensions lines are 16 cells from each other on the average. */
HEPTA_HD bool in_channel(const Grid &G, const Index at[3])
{
  bool in = false;

  for (int d = 0; d < G.dim; d++) {
    Index across[3] = {at[0], at[1], at[2]};
    across[d]       = d; /* the same for all cells of the line */
    in              = in || uniform(natural(G, across) * 4 + std::uint64_t(d)) < 1. / 32;
  }
  return in;
}

/* A sum of 24 waves with up to 4 periods in the domain, cut to [-1, 1] */
HEPTA_HD double waves(double x, double y, double z)
{
  constexpr double two_pi = 6.283185307179586;
  double           sum    = 0;

  for (std::uint64_t k = 0; k < 24; k++)
    sum += std::cos(two_pi * ((8 * uniform(4 * k) - 4) * x + (8 * uniform(4 * k + 1) - 4) * y + (8 * uniform(4 * k + 2) - 4) * z +
                              uniform(4 * k + 3)));
  return sum < -8 ? -1 : sum > 8 ? 1 : sum / 8;
}

constexpr Index LAYER_CELLS = 3; /* its thickness; boxes of two cells do not end where layers do */

/* A layer's coefficient, liquid to a power in [0, 1), times e to a number that is nearly normal, of mean 0 and variance 1, and at
   most 3.5 in size: a sum of four uniform ones */
HEPTA_HD double layered(const Grid &G, const Fluids &F, const Index at[3])
{
  const std::uint64_t k   = natural(G, at);
  double              sum = -2;

  for (std::uint64_t m = 0; m < 4; m++) sum += uniform(4 * k + m);
  return std::pow(double(F.liquid), std::fmod(uniform(std::uint64_t(at[1] / LAYER_CELLS)) + F.rise, 1.)) *
         std::exp(std::sqrt(3.) * sum);
}

/* 1/rho at the center of a cell. A bubble that crosses the top also is at the bottom: the nearest image counts. */
HEPTA_HD Scalar coefficient(const Grid &G, const Fluids &F, const Index at[3])
{
  const Scalar x = (at[0] + Scalar(0.5)) * G.h, y = (at[1] + Scalar(0.5)) * G.h, z = G.dim > 2 ? (at[2] + Scalar(0.5)) * G.h : 0;

  if (F.kind == Fluids::ONE) return 1;
  if (F.kind == Fluids::TWOPHASE) return y > Scalar(0.5) ? F.liquid : 1;
  if (F.kind == Fluids::INTERFACE) return at[1] == G.interface ? (1 + F.liquid) / 2 : at[1] > G.interface ? F.liquid : 1;
  if (F.kind == Fluids::CHANNELS) return in_channel(G, at) ? 1 : F.liquid * (1 + F.rise);
  if (F.kind == Fluids::CELLS) return Scalar(std::pow(double(F.liquid), std::fmod(uniform(natural(G, at)) + F.rise, 1.)));
  if (F.kind == Fluids::LAYERS) return Scalar(layered(G, F, at));
  if (F.kind == Fluids::FIELD) return Scalar(std::pow(double(F.liquid), (1 + waves(x, y - F.rise, z)) / 2));
  for (Index k = 0; k < F.count; k++) {
    const Scalar *b  = F.bubble + k * BUBBLE_ITEMS;
    const Scalar  dx = x - b[0], dz = z - b[2];
    Scalar        dy = y - (b[1] + F.rise);

    while (dy < -F.height / 2) dy += F.height;
    while (dy > F.height / 2) dy -= F.height;
    if (dx * dx + dy * dy + dz * dz <= b[3] * b[3]) return b[4];
  }
  return F.liquid;
}

/* The factor of the coefficients of faces across axis d */
HEPTA_HD Scalar along(const Grid &G, int d)
{
  return d == 1 ? G.vertical : 1;
}

/* The coefficient of the face between cell p, which is at `at`, and its neighbor p + step along axis d. A face beside a cell on
   the interface has the other cell's (Gupta, eq. 7). */
HEPTA_HD Scalar face(const Grid &G, const Scalar *c, const Index at[3], std::size_t p, int d, std::ptrdiff_t step)
{
  const Scalar own = c[p], other = c[std::ptrdiff_t(p) + step];

  if (d == 1 && at[1] == G.interface) return other;
  if (d == 1 && at[1] + (step < 0 ? -1 : 1) == G.interface) return own;
  return (own + other) / 2;
}

/* The entries of a row in ascending order of columns: below, left, ..., diagonal, ..., right, above. 0 without a neighbor. */
HEPTA_HD void row(const Grid &G, const Scalar *c, const Index at[3], std::size_t stride, Scalar *v)
{
  const std::size_t p        = ghosted(G, at);
  std::ptrdiff_t    step     = 1;
  Scalar            diagonal = natural(G, at) + 1 == std::uint64_t(cells(G.n)) ? G.fixed : 0;

  for (int d = 0; d < G.dim; d++) {
    const bool   lower = at[d] > 0, upper = at[d] < G.n[d] - 1;
    const Scalar f = along(G, d), wall = G.dirichlet ? f * c[p] : 0;
    const Scalar l = lower ? f * face(G, c, at, p, d, -step) : wall, u = upper ? f * face(G, c, at, p, d, step) : wall;

    v[(G.dim - 1 - d) * stride] = lower ? -l : 0;
    v[(G.dim + 1 + d) * stride] = upper ? -u : 0;
    diagonal += l + u;
    step *= G.ghost_size[d];
  }
  v[G.dim * stride] = diagonal;
}

/* Row times x from the flows over the faces, without the matrix: x over the box with neighbors */
HEPTA_HD Scalar apply(const Grid &G, const Scalar *c, const Scalar *x, const Index at[3])
{
  const std::size_t p    = ghosted(G, at);
  std::ptrdiff_t    step = 1;
  Scalar            sum  = natural(G, at) + 1 == std::uint64_t(cells(G.n)) ? G.fixed * x[p] : 0;

  for (int d = 0; d < G.dim; d++) {
    const Scalar f = along(G, d);

    if (at[d] > 0) sum += f * face(G, c, at, p, d, -step) * (x[p] - x[p - step]);
    else if (G.dirichlet) sum += f * c[p] * x[p];
    if (at[d] < G.n[d] - 1) sum += f * face(G, c, at, p, d, step) * (x[p] - x[p + step]);
    else if (G.dirichlet) sum += f * c[p] * x[p];
    step *= G.ghost_size[d];
  }
  return sum;
}

/*
   The right-hand side of a fluid at rest under gravity g = 1, which acts along -y: the pressure whose flow takes up that of
   gravity, so that div((1/rho) (grad p - rho g)) = 0. Over a horizontal face the flow of gravity is c_ij times the face's own
   density 1 / c_ij times h = h, over an upright one 0, and its sum over a cell's faces is 0, except in cells at closed walls,
   which nothing crosses: +h at the bottom, -h at the top. The sum over all cells is 0, as the singular system needs it, and
   fluids in horizontal layers get the pressure of their weight, p_i - p_above = h / c_ij. With Dirichlet boundaries the cells
   outside hold the pressure of liquid at rest, q(y) = (H - y) / c_liquid, whose part of the row, c_i q, goes to the right.
*/
HEPTA_HD Scalar gravity(const Grid &G, const Fluids &F, const Scalar *c, const Index at[3])
{
  const Scalar own = c[ghosted(G, at)], y = (at[1] + Scalar(0.5)) * G.h;
  Scalar       f = 0;

  for (int d = 0; d < G.dim; d++) {
    for (int side = -1; side <= 1; side += 2) {
      const bool inside = side < 0 ? at[d] > 0 : at[d] < G.n[d] - 1;

      if (d == 1 && (inside || G.dirichlet)) f += side * G.h;
      if (!inside && G.dirichlet) f += own * (F.height - (y + (d == 1 ? side * G.h : 0))) / F.liquid;
    }
  }
  return f;
}

/* The exact solution that is drawn: another one in every time step */
HEPTA_HD Scalar exact(const Grid &G, Index step, const Index at[3])
{
  return Scalar(uniform(natural(G, at) + std::uint64_t(step) * cells(G.n)));
}

} // namespace hepta::flow
