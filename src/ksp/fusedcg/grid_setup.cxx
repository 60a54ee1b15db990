/* The arrays of fused CG in float, see grid_row.hxx */
#include "grid_method.h"

using namespace hepta::ksp;

/* Makes room, zero, and takes the matrix if it is another one than that of the last solve; rho: the norm of the first residual */
PetscErrorCode HeptaGridCG::Begin(PetscReal rho)
{
  const HeptaCycleLevel &level = cycle.levels[0];
  const HeptaSpace       space = ops.arrays.space;
  const Mat              A     = cycle.op.A;
  PetscObjectState       now;
  float                 *f;

  PetscFunctionBegin;
  Shape();
  PetscCall(SetScales(rho));
  PetscCall(own.vectors.Make(space, 5 * level.size, &f));
  PetscCall(own.vectors.Zero(space));
  PetscCall(PetscObjectStateGet((PetscObject)A, &now));
  const bool same = own.id == ((PetscObject)A)->id && own.taken == now;
  if (!same) {
    own.id = 0;
    PetscCall(own.matrix.Make(space, ((size_t)c.axes + 1) * level.size, &f));
    PetscCall(own.matrix.Zero(space));
  }
  ops.arrays.user = this;
  PetscCall(ops.arrays.Get());
  auto &diagonals = *MatBDIADiagonals(A);
  if (!same) PetscCall(HeptaVisitLaunchEach(diagonals, space, HeptaAccess::read, grid_matrix, cycle.diagonals, level.grid, c));
  PetscCall(ops.arrays.Restore());
  own.id    = ((PetscObject)A)->id;
  own.taken = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaGridCG::Shape()
{
  const HeptaCycleLevel &level = cycle.levels[0];

  c.norm   = (Norm)ksp->normtype;
  c.two    = ops.arrays.space.device;
  c.axes   = cycle.axes;
  c.planes = c.axes == 1 ? 1 : level.grid.n[c.axes - 1];
  c.cells  = c.axes == 1 ? (level.grid.n[0] + 3) / 4 * 4 : level.grid.stride[c.axes - 1] * c.planes;
  c.n      = (size_t)c.cells / 2;
  std::copy(level.grid.stride, level.grid.stride + 3, c.step);
}

PetscErrorCode HeptaGridCG::SetScales(PetscReal rho)
{
  hepta::cycle::Scales *level;
  GridScales           *to;

  PetscFunctionBegin;
  PetscCall(cycle.scales.Access(HeptaSpace(), HeptaAccess::read, &level));
  const PetscReal a = level->diagonal;
  scales            = {rho, rho / a, rho};
  if (c.norm == Norm::preconditioned) scales.norm = rho / a;
  if (c.norm == Norm::natural) scales.norm = rho / PetscSqrtReal(a);
  PetscCall(own.scales.Make(HeptaSpace(), 1, &to));
  *to = scales;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridCG::Fill()
{
  const size_t               before = cycle.levels[0].before, size = cycle.levels[0].size;
  const HeptaSpace           space = ops.arrays.space;
  hepta::cycle::Level<float> L;
  GridScales                *s;
  float                     *f;

  PetscFunctionBegin;
  PetscCall(own.matrix.Access(space, HeptaAccess::read_write, &f));
  for (int k = 0; k < c.axes; k++) c.a[k] = f + before + (size_t)k * size;
  c.s = f + before + (size_t)c.axes * size;
  PetscCall(own.vectors.Access(space, HeptaAccess::read_write, &f));
  f += before;
  for (float **v : {&c.d, &c.r, &c.q, &c.p[0], &c.p[1]}) {
    *v = f;
    f += size;
  }
  PetscCall(cycle.FirstLevel(space, &L));
  PetscCall(own.scales.Access(space, HeptaAccess::read, &s));
  c.u      = L.s;
  c.z      = L.z;
  c.e      = L.e;
  c.scales = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}
