/*
   The flow problem's grid, bubbles and coefficients. Values are computed where the matrix type keeps its vectors.
*/
#include "bubbly_impl.h"

#include <cmath>

using namespace hepta::flow;
using hepta::Scalar;

PetscErrorCode FlowArrayRead(Flow flow, Vec x, const PetscScalar **a)
{
  PetscMemType type;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, a, &type));
  PetscCheck(PetscMemTypeHost(type) != flow->device, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "The vector is not where the matrix type computes: create it by DMCreateGlobalVector() of the flow's DM");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowArrayWrite(Flow flow, Vec x, PetscScalar **a)
{
  PetscMemType type;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWriteAndMemType(x, a, &type));
  PetscCheck(PetscMemTypeHost(type) != flow->device, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "The vector is not where the matrix type computes: create it by DMCreateGlobalVector() of the flow's DM");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Host, or device if that is where the DM's matrix type keeps its vectors; the DM's vectors then are there too */
static PetscErrorCode ChooseSpace(Flow flow)
{
  Mat     A;
  MatType type;
  VecType vectype;

  PetscFunctionBegin;
  PetscCall(DMGetMatType(flow->da, &type));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)flow->da), &A));
  PetscCall(MatSetType(A, type));
  PetscCall(MatSetFromOptions(A)); /* -mat_type, which DMCreateMatrix() heeds too */
  PetscCall(MatGetVecType(A, &vectype));
  PetscCall(PetscStrendswith(vectype, "cuda", &flow->device));
  PetscCall(DMSetVecType(flow->da, vectype));
  PetscCall(MatDestroy(&A));
#if !defined(HEPTA_HAVE_CUDA)
  PetscCheck(!flow->device, PetscObjectComm((PetscObject)flow->da), PETSC_ERR_SUP,
             "This program was built without CUDA: use -dm_mat_type bdia or aij");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processes have slabs of grid lines (planes in 3-D), so that rows are in natural order; -da_processors_x and kin change that */
static PetscErrorCode CreateDM(MPI_Comm comm, Flow flow)
{
  const PetscInt       n = flow->o.n;
  const DMBoundaryType b = DM_BOUNDARY_NONE;

  PetscFunctionBegin;
  if (flow->o.dim == 2)
    PetscCall(DMDACreate2d(comm, b, b, DMDA_STENCIL_STAR, n, n, 1, PETSC_DECIDE, 1, 1, NULL, NULL, &flow->da));
  else PetscCall(DMDACreate3d(comm, b, b, b, DMDA_STENCIL_STAR, n, n, n, 1, 1, PETSC_DECIDE, 1, 1, NULL, NULL, NULL, &flow->da));
  PetscCall(DMSetMatType(flow->da, flow->o.mat_type));
  PetscCall(DMSetFromOptions(flow->da));
  PetscCall(DMSetUp(flow->da));
  PetscCall(DMSetMatrixPreallocateSkip(flow->da, PETSC_TRUE)); /* the locations are given by MatSetPreallocationCOO() */
  PetscCall(ChooseSpace(flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateGrid(Flow flow)
{
  Grid    &g = flow->grid;
  PetscInt n[3], s[3], m[3], gs[3], gm[3];

  PetscFunctionBegin;
  PetscCall(DMDAGetInfo(flow->da, NULL, &n[0], &n[1], &n[2], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(DMDAGetCorners(flow->da, &s[0], &s[1], &s[2], &m[0], &m[1], &m[2]));
  PetscCall(DMDAGetGhostCorners(flow->da, &gs[0], &gs[1], &gs[2], &gm[0], &gm[1], &gm[2]));
  g = {};
  for (PetscInt d = 0; d < 3; d++) {
    PetscCheck(d >= flow->o.dim || n[d] >= 2, PetscObjectComm((PetscObject)flow->da), PETSC_ERR_ARG_OUTOFRANGE,
               "-da_grid_%c must be at least 2, not %" PetscInt_FMT, (char)('x' + d), n[d]);
    g.n[d]           = n[d];
    g.start[d]       = s[d];
    g.size[d]        = m[d];
    g.ghost_start[d] = gs[d];
    g.ghost_size[d]  = gm[d];
  }
  g.dim       = (int)flow->o.dim;
  g.h         = Scalar(1) / n[0];
  g.vertical  = flow->o.problem == FLOW_LAYERS ? Scalar(flow->o.vertical) : Scalar(1);
  g.dirichlet = flow->o.bc == FLOW_BC_DIRICHLET;
  g.interface = flow->o.problem == FLOW_INTERFACE ? g.n[1] / 2 : -1;
  /* the last diagonal entry of the thesis's matrix is 2 */
  g.fixed = !flow->o.fix ? Scalar(0) : g.interface < 0 ? Scalar(1) : 2 - g.dim / Scalar(flow->o.contrast);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The list of bubbles as a vector on each process, in the flow's memory */
static PetscErrorCode CreateBubbles(MPI_Comm comm, Flow flow)
{
  const Grid              &g       = flow->grid;
  const PetscReal          size[3] = {g.n[0] * g.h, g.n[1] * g.h, g.dim > 2 ? g.n[2] * g.h : Scalar(0)};
  std::vector<PetscScalar> list;
  PetscScalar             *a;

  PetscFunctionBegin;
  PetscCall(FlowBubblesCreate(comm, &flow->o, size, list));
  PetscCall(VecCreate(PETSC_COMM_SELF, &flow->bubbles));
  PetscCall(VecSetSizes(flow->bubbles, (PetscInt)list.size(), PETSC_DECIDE));
  PetscCall(VecSetType(flow->bubbles, flow->device ? VECCUDA : VECSTANDARD));
  PetscCall(VecGetArrayWrite(flow->bubbles, &a));
  PetscCall(PetscArraycpy(a, list.data(), list.size()));
  PetscCall(VecRestoreArrayWrite(flow->bubbles, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowCreate(MPI_Comm comm, const FlowOptions *options, Flow *flow)
{
  Flow f;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  f->o = *options;
  if (f->o.bc == FLOW_BC_DEFAULT) f->o.bc = f->o.problem == FLOW_POISSON ? FLOW_BC_DIRICHLET : FLOW_BC_NEUMANN;
  PetscCheck(!f->o.fix || f->o.bc == FLOW_BC_NEUMANN, comm, PETSC_ERR_ARG_INCOMP,
             "-fix makes the singular matrix of -bc neumann regular: it has no place with -bc dirichlet");
  PetscCheck(f->o.rhs < FLOW_RHS_CONSTANT || f->o.fix || f->o.bc == FLOW_BC_DIRICHLET, comm, PETSC_ERR_ARG_INCOMP,
             "-rhs %s has no place with the singular matrix of -bc neumann: give -fix, which makes it regular",
             f->o.rhs == FLOW_RHS_ONES ? "ones" : "constant");
  PetscCall(CreateDM(comm, f));
  PetscCall(CreateGrid(f));
  if (f->o.problem == FLOW_BUBBLES) PetscCall(CreateBubbles(comm, f));
  if (f->o.bc == FLOW_BC_NEUMANN && !f->o.fix) PetscCall(MatNullSpaceCreate(comm, PETSC_TRUE, 0, NULL, &f->constants));
  PetscCall(DMCreateLocalVector(f->da, &f->coefficient));
  PetscCall(FlowSetTime(f, 0.0));
  *flow = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowDestroy(Flow *flow)
{
  Flow f = *flow;

  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&f->bubbles));
  PetscCall(VecDestroy(&f->coefficient));
  PetscCall(VecDestroy(&f->values));
  PetscCall(VecDestroy(&f->local));
  PetscCall(MatNullSpaceDestroy(&f->constants));
  PetscCall(DMDestroy(&f->da));
  PetscCall(PetscFree(*flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowGetDM(Flow flow, DM *da)
{
  PetscFunctionBegin;
  *da = flow->da;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowIsOnDevice(Flow flow, PetscBool *device)
{
  PetscFunctionBegin;
  *device = flow->device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowSetCoordinates(Flow flow)
{
  const Grid &g    = flow->grid;
  const auto  last = [&](int d) { return (g.n[d] - 0.5) * g.h; };

  PetscFunctionBegin;
  PetscCall(DMDASetUniformCoordinates(flow->da, 0.5 * g.h, last(0), 0.5 * g.h, last(1), 0.5 * g.h, last(2)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowFluidsGet(Flow flow, Fluids *F)
{
  const Scalar height = flow->grid.n[1] * flow->grid.h;
  PetscInt     n      = 0;

  PetscFunctionBegin;
  *F = {Fluids::ONE, 1, Scalar(flow->time) - height * std::floor(Scalar(flow->time) / height), height, 0, nullptr};
  if (flow->o.problem != FLOW_POISSON) {
    F->kind   = decltype(F->kind)(flow->o.problem); /* in the same order */
    F->liquid = Scalar(1) / flow->o.contrast;
  }
  if (flow->bubbles) {
    PetscCall(VecGetLocalSize(flow->bubbles, &n));
    PetscCall(FlowArrayRead(flow, flow->bubbles, &F->bubble));
  }
  F->count = n / BUBBLE_ITEMS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowFluidsRestore(Flow flow, Fluids *F)
{
  PetscFunctionBegin;
  if (flow->bubbles) PetscCall(VecRestoreArrayReadAndMemType(flow->bubbles, &F->bubble));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowSetTime(Flow flow, PetscReal time)
{
  Fluids       F;
  PetscScalar *c;

  PetscFunctionBegin;
  flow->time = time;
  PetscCall(FlowFluidsGet(flow, &F));
  PetscCall(FlowArrayWrite(flow, flow->coefficient, &c));
  FlowLaunch(flow, coefficients, flow->grid, F, c);
  PetscCall(VecRestoreArrayWriteAndMemType(flow->coefficient, &c));
  PetscCall(FlowFluidsRestore(flow, &F));
  PetscFunctionReturn(PETSC_SUCCESS);
}
