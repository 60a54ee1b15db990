/* The arrays of fused CG in float, see grid_row.hxx */
#include "grid_method.h"

using namespace hepta::ksp;
using hepta::Index;

/* Makes room, and the matrix; rho: the norm of the first residual */
PetscErrorCode HeptaGridCG::Begin(PetscReal rho)
{
  const HeptaSpace space = ops.arrays.space;
  GridSolve       *solve;
  float           *f;

  PetscFunctionBegin;
  Shape();
  PetscCall(own.solve.Make(HeptaSpace(), 1, &solve));
  *solve     = {};
  solve->rho = solve->last = solve->norm = rho;
  solve->unit                            = 1 / rho;
  solve->fall                            = FALL;
  solve->ratio                           = ksp->rnorm / rho;
  const std::array<Index, 5> shape       = {c.step[1], c.step[2], c.cells, (Index)c.axes, (Index)space.device};
  PetscCall(own.vectors.Make(space, 4 * cycle.levels[0].size, &f));
  /* a solve writes all numbers but those around the cells, which stay zero */
  if (!own.clean || own.shape != shape) PetscCall(own.vectors.Zero(space));
  own.shape = shape;
  own.clean = false;
  c.warps   = cycle.Parts(space);
  PetscCall(own.parts.Make(space, c.warps, &c.parts));
  PetscCall(cycle.MakeMatrix(space));
  PetscCall(MatBlocked(cycle.op.A)->local->Bring(space)); /* because a recording cannot bring values to the device */
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaGridCG::Shape()
{
  const HeptaGridMGLevel &level = cycle.levels[0];

  c.norm   = (Norm)ksp->normtype;
  c.two    = ops.arrays.space.device;
  c.axes   = cycle.axes;
  c.planes = c.axes == 1 ? 1 : level.grid.n[c.axes - 1];
  c.cells  = c.axes == 1 ? (level.grid.n[0] + 3) / 4 * 4 : level.grid.stride[c.axes - 1] * c.planes;
  c.n      = (size_t)c.cells / 2;
  c.halo   = cycle.ranks.several ? level.grid.stride[c.axes - 1] : 0;
  std::copy(level.grid.stride, level.grid.stride + 3, c.step);
}

PetscErrorCode HeptaGridCG::Fill()
{
  const size_t                before = cycle.levels[0].before, size = cycle.levels[0].size;
  const HeptaSpace            space = ops.arrays.space;
  hepta::gridmg::Level<float> L;
  hepta::gridmg::Scales      *scales;
  float                      *f;

  PetscFunctionBegin;
  PetscCall(own.vectors.Access(space, HeptaAccess::read_write, &f));
  f += before;
  for (float **v : {&c.d, &c.q, &c.p[0], &c.p[1]}) {
    *v = f;
    f += size;
  }
  PetscCall(own.parts.Access(space, HeptaAccess::write, &c.parts));
  PetscCall(cycle.FirstLevel(space, &L));
  PetscCall(cycle.FirstMatrix(space, HeptaAccess::read, &c.matrix));
  PetscCall(cycle.Border(space, &c.border));
  PetscCall(own.solve.Access(space, HeptaAccess::read_write, &c.solve));
  PetscCall(cycle.scales.Access(space, HeptaAccess::read, &scales));
  c.r        = L.s;
  c.z        = L.z;
  c.level    = scales;
  c.x        = ops.arrays.a[X];
  c.residual = ops.arrays.a[R];
  PetscFunctionReturn(PETSC_SUCCESS);
}
