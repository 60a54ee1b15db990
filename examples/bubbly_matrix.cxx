/*
   The flow problem's matrix by COO values, its product without a matrix, right-hand sides, exact solution and density
*/
#include "bubbly_impl.h"

using namespace hepta::flow;
using hepta::Index;

/* Calls launch(c, y) with the arrays of the coefficients and of y, which is written */
template <class F> static PetscErrorCode Fill(Flow flow, Vec y, F launch)
{
  const PetscScalar *c;
  PetscScalar       *a;

  PetscFunctionBegin;
  PetscCall(FlowArrayRead(flow, flow->coefficient, &c));
  PetscCall(FlowArrayWrite(flow, y, &a));
  PetscCall(launch(c, a));
  PetscCall(VecRestoreArrayWriteAndMemType(y, &a));
  PetscCall(VecRestoreArrayReadAndMemType(flow->coefficient, &c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The locations of the entries, in the order of hepta::flow::row() and rows_host(): -1, which COO ignores, without a neighbor */
static PetscErrorCode Locations(Flow flow, std::vector<PetscInt> &rows, std::vector<PetscInt> &columns)
{
  const Grid            &g = flow->grid;
  const size_t           n = cells(g.size);
  const PetscInt        *global; /* cell of the box with neighbors -> row of the matrix */
  ISLocalToGlobalMapping map;

  PetscFunctionBegin;
  rows.assign((2 * g.dim + 1) * n, -1);
  columns.assign((2 * g.dim + 1) * n, -1);
  PetscCall(DMGetLocalToGlobalMapping(flow->da, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &global));
  locations(g, g.dim, global, rows.data(), columns.data());
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(Flow flow, MatType type, Mat *A)
{
  std::vector<PetscInt> rows, columns;
  MatType               own;
  char                 *kept;

  PetscFunctionBegin;
  PetscCall(DMGetMatType(flow->da, &own));
  PetscCall(PetscStrallocpy(own, &kept));
  if (type) PetscCall(DMSetMatType(flow->da, type));
  PetscCall(DMCreateMatrix(flow->da, A));
  PetscCall(DMSetMatType(flow->da, kept));
  PetscCall(PetscFree(kept));
  PetscCall(Locations(flow, rows, columns));
  PetscCall(MatSetPreallocationCOO(*A, (PetscCount)rows.size(), rows.data(), columns.data()));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  if (flow->constants) {
    PetscCall(MatSetNullSpace(*A, flow->constants));
  } else {
    PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
    PetscCall(MatSetOption(*A, MAT_SPD_ETERNAL, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A type without COO of its own, such as sellcuda, gets the values one by one on the host (PETSc 3.26) */
static PetscErrorCode SetValues(Flow flow, Mat A)
{
  const PetscScalar *v;
  void (*own)(void) = NULL;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatSetValuesCOO_C", &own));
  PetscCall(own ? FlowArrayRead(flow, flow->values, &v) : VecGetArrayRead(flow->values, &v));
  PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
  PetscCall((own ? VecRestoreArrayReadAndMemType : VecRestoreArrayRead)(flow->values, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowMatrix(Flow flow, MatType type, Mat *A)
{
  PetscInt n;

  PetscFunctionBegin;
  if (!*A) PetscCall(CreateMatrix(flow, type, A));
  if (!flow->values) {
    PetscCall(VecCreate(PETSC_COMM_SELF, &flow->values));
    PetscCall(PetscIntCast((2 * flow->grid.dim + 1) * (PetscInt64)cells(flow->grid.size), &n));
    PetscCall(VecSetSizes(flow->values, n, PETSC_DECIDE));
    PetscCall(VecSetType(flow->values, flow->device ? VECCUDA : VECSTANDARD));
  }
  PetscCall(Fill(flow, flow->values, [&](const PetscScalar *c, PetscScalar *values) {
    FlowLaunch(flow, rows, flow->grid, c, values);
    return PETSC_SUCCESS;
  }));
  PetscCall(SetValues(flow, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowApply(Flow flow, Vec x, Vec y)
{
  const PetscScalar *local;

  PetscFunctionBegin;
  if (!flow->local) PetscCall(DMCreateLocalVector(flow->da, &flow->local));
  PetscCall(DMGlobalToLocal(flow->da, x, INSERT_VALUES, flow->local));
  PetscCall(FlowArrayRead(flow, flow->local, &local));
  PetscCall(Fill(flow, y, [&](const PetscScalar *c, PetscScalar *a) {
    FlowLaunch(flow, apply, flow->grid, c, local, a);
    return PETSC_SUCCESS;
  }));
  PetscCall(VecRestoreArrayReadAndMemType(flow->local, &local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Gravity(Flow flow, Vec b)
{
  Fluids F;

  PetscFunctionBegin;
  PetscCall(FlowFluidsGet(flow, &F));
  PetscCall(Fill(flow, b, [&](const PetscScalar *c, PetscScalar *f) {
    FlowLaunch(flow, gravity, flow->grid, F, c, f);
    return PETSC_SUCCESS;
  }));
  PetscCall(FlowFluidsRestore(flow, &F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Exact(Flow flow, PetscInt step, Vec x)
{
  PetscFunctionBegin;
  if (flow->o.rhs == FLOW_RHS_CONSTANT) PetscCall(VecSet(x, 1.0));
  else
    PetscCall(Fill(flow, x, [&](const PetscScalar *, PetscScalar *a) {
      FlowLaunch(flow, exact, flow->grid, step, a);
      return PETSC_SUCCESS;
    }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowRHS(Flow flow, PetscInt step, Vec b, Vec exact, PetscBool *has_exact)
{
  Vec x = exact;

  PetscFunctionBegin;
  *has_exact = (PetscBool)(flow->o.rhs == FLOW_RHS_RANDOM || flow->o.rhs == FLOW_RHS_CONSTANT);
  if (!*has_exact) {
    PetscCall(flow->o.rhs == FLOW_RHS_ONES ? VecSet(b, 1.0) : Gravity(flow, b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!exact) PetscCall(VecDuplicate(b, &x));
  PetscCall(Exact(flow, step, x));
  PetscCall(FlowApply(flow, x, b));
  if (!exact) PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowDensity(Flow flow, Vec rho)
{
  PetscFunctionBegin;
  PetscCall(Fill(flow, rho, [&](const PetscScalar *c, PetscScalar *a) {
    FlowLaunch(flow, density, flow->grid, c, a);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowRemoveNullSpace(Flow flow, Vec x)
{
  PetscFunctionBegin;
  if (flow->constants) PetscCall(MatNullSpaceRemove(flow->constants, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
