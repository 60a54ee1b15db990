/*
   The exact flow of water and polymer along a line of cells: S. E. Buckley and M. C. Leverett, 1942; G. A. Pope, 1980
*/
#include "twophase.h"

using namespace hepta::twophase;

/* The part of water in the flow, and the derivative by s */
static PetscReal FractionalFlow(const Model &M, PetscReal s, PetscReal c, PetscReal *derivative)
{
  PetscReal       dw[2], dn[2];
  const PetscReal w = mobility(M, WATER, s, c, dw), n = mobility(M, OIL, s, c, dn);

  *derivative = (dw[0] * n - w * dn[0]) / ((w + n) * (w + n));
  return w / (w + n);
}

static PetscReal Speed(const Model &M, PetscReal s, PetscReal c)
{
  PetscReal slope;

  (void)FractionalFlow(M, s, c, &slope);
  return slope;
}

/* The s between low and high where a decreasing function is 0, by bisection */
template <class F> static PetscReal Zero(PetscReal low, PetscReal high, F f)
{
  for (int k = 0; k < 60; k++) (f((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  return low;
}

/* The s where the tangent of f(s, c) goes through (from, 0) */
static PetscReal Tangent(const Model &M, PetscReal from, PetscReal c)
{
  return Zero(M.residual[WATER], 1 - M.residual[OIL], [&](PetscReal s) {
    PetscReal       slope;
    const PetscReal f = FractionalFlow(M, s, c, &slope);

    return slope * (s - from) - f;
  });
}

/*
   Saturations travel by the derivative of f times the injected volume. The polymer's front is as fast as its water: behind the
   front, at s_1, f'(s_1, 1) = f(s_1, 1) / s_1, and ahead, at s_2, f(s_2, 0) / s_2 is the same. Residual water follows, after a
   jump from s_2, or from where a tangent is the secant.
*/
struct Line {
  PetscReal speed, behind, bank, front, lead; /* of the polymer's front; s_1; s_2; s of the tangent; speed of the last jump */

  explicit Line(const Model &M)
  {
    const PetscReal low = M.residual[WATER];
    PetscReal       slope;

    behind = Tangent(M, 0, 1);
    front  = Tangent(M, low, 0);
    speed  = Speed(M, behind, 1);
    bank   = Zero(low, behind, [&](PetscReal s) { return speed * s - FractionalFlow(M, s, 0, &slope); });
    lead   = bank > front ? Speed(M, front, 0) : FractionalFlow(M, bank, 0, &slope) / (bank - low);
  }
  /* where saturations of this speed are */
  PetscReal Saturation(const Model &M, PetscReal v) const
  {
    if (v > lead) return M.residual[WATER];
    if (v > speed && bank <= front) return bank;
    if (v > speed) return Zero(front, bank, [&](PetscReal s) { return Speed(M, s, 0) - v; });
    return Zero(behind, 1 - M.residual[OIL], [&](PetscReal s) { return Speed(M, s, 1) - v; });
  }
};

PetscErrorCode ReservoirCheckLine(Reservoir r, PetscReal injected, PetscReal error[2])
{
  const Model       &M = r->model;
  const Line         line(M);
  const PetscScalar *x, *cell;

  PetscFunctionBeginUser;
  error[0] = error[1] = 0;
  PetscCall(VecGetArrayRead(r->old, &x));
  for (PetscInt k = 0; k < M.size[0]; k++) {
    const PetscReal v = (M.start[0] + k + 0.5) / (M.n[0] * injected);

    cell = x + k * M.unknowns;
    error[0] += PetscAbsReal(PetscRealPart(cell[SATURATION]) - line.Saturation(M, v)) / M.n[0];
    if (M.unknowns > CONCENTRATION) error[1] += PetscAbsReal(PetscRealPart(cell[CONCENTRATION]) - (v < line.speed)) / M.n[0];
  }
  PetscCall(VecRestoreArrayRead(r->old, &x));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, error, 2, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}
