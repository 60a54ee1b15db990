/*
   The options of the flow problem, and what they have come to
*/
#include "bubbly_impl.h"

#include <cstdio>

static const char *const Problems[] = {"poisson", "twophase", "bubbles", "channels", "cells", "field", "layers", "interface"};
static const char *const BCs[]      = {"default", "neumann", "dirichlet"};
static const char *const RHSs[]     = {"random", "gravity", "constant", "ones"};

/* One of the names; the error lists them */
static PetscErrorCode GetName(PetscOptionItems PetscOptionsObject, MPI_Comm comm, const char option[], const char text[],
                              const char *const names[], PetscInt n, PetscInt *value, PetscBool *set)
{
  char      given[64] = "", all[128] = "";
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString(option, text, NULL, names[*value], given, sizeof(given), set));
  if (!*set) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n && !same; k++) {
    PetscCall(PetscStrcasecmp(given, names[k], &same));
    if (same) *value = k;
    PetscCall(PetscStrlcat(all, k ? ", " : "", sizeof(all)));
    PetscCall(PetscStrlcat(all, names[k], sizeof(all)));
  }
  PetscCheck(same, comm, PETSC_ERR_ARG_OUTOFRANGE, "%s is one of %s, not \"%s\"", option, all, given);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(MPI_Comm comm, const FlowOptions *o)
{
  PetscFunctionBegin;
  PetscCheck(o->dim == 2 || o->dim == 3, comm, PETSC_ERR_ARG_OUTOFRANGE, "-dim is 2 or 3, not %" PetscInt_FMT, o->dim);
  PetscCheck(o->n >= 2, comm, PETSC_ERR_ARG_OUTOFRANGE, "-n, the cells a side, must be at least 2, not %" PetscInt_FMT, o->n);
  PetscCheck(PetscIsNormalReal(o->contrast) && o->contrast > 0.0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-contrast, the density of the liquid where gas has 1, must be positive, not %g", (double)o->contrast);
  PetscCheck(PetscIsNormalReal(o->vertical) && o->vertical > 0.0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-vertical, the factor of the coefficients along y, must be positive, not %g", (double)o->vertical);
  PetscCheck(o->nbubbles >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "-nbubbles must not be negative, but is %" PetscInt_FMT,
             o->nbubbles);
  PetscCheck(o->seed >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "-seed must not be negative, but is %" PetscInt_FMT, o->seed);
  PetscCheck(o->radius >= 0.0, comm, PETSC_ERR_ARG_OUTOFRANGE, "-radius must be positive, not %g", (double)o->radius);
  PetscCheck(o->problem <= FLOW_BUBBLES || o->rhs != FLOW_RHS_GRAVITY, comm, PETSC_ERR_ARG_INCOMP,
             "-rhs gravity is for fluids, not for -problem %s", Problems[o->problem]);
  PetscCheck(!o->bubbles[0] || !o->nbubbles, comm, PETSC_ERR_ARG_INCOMP,
             "-bubbles gives the bubbles of a file, -nbubbles random ones: take one of the two");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowOptionsFromDatabase(MPI_Comm comm, FlowOptions *o)
{
  PetscInt  problem = o->problem, bc = o->bc, rhs = o->rhs;
  PetscBool set, vertical, given[4];

  PetscFunctionBegin;
  PetscOptionsBegin(comm, NULL, "Pressure equation of two-phase flow", NULL);
  PetscCall(PetscOptionsInt("-dim", "dimension, 2 or 3", NULL, o->dim, &o->dim, NULL));
  PetscCall(PetscOptionsInt("-n", "cells a side", NULL, o->n, &o->n, NULL));
  PetscCall(PetscOptionsReal("-contrast", "density of the liquid; that of gas is 1", NULL, o->contrast, &o->contrast, NULL));
  PetscCall(
    PetscOptionsReal("-vertical", "layers: factor of the coefficients along y", NULL, o->vertical, &o->vertical, &vertical));
  PetscCall(PetscOptionsBool("-fix", "closed walls: 1 is added to the last cell's diagonal instead of a null space",
                             "MatSetNullSpace", o->fix, &o->fix, NULL));
  PetscCall(PetscOptionsString("-bubbles", "file with center, radius and maybe density of a bubble in each line", NULL,
                               o->bubbles, o->bubbles, sizeof(o->bubbles), &given[0]));
  PetscCheck(!given[0] || o->bubbles[0], comm, PETSC_ERR_ARG_WRONG, "-bubbles needs the name of a file");
  PetscCall(PetscOptionsInt("-nbubbles", "number of bubbles at random positions", NULL, o->nbubbles, &o->nbubbles, &given[1]));
  PetscCall(PetscOptionsInt("-seed", "of the random positions", NULL, o->seed, &o->seed, &given[2]));
  PetscCall(PetscOptionsReal("-radius", "of bubbles at random positions; default: they fill a fifth of the domain", NULL,
                             o->radius, &o->radius, &given[3]));
  PetscCheck(!given[3] || o->radius > 0.0, comm, PETSC_ERR_ARG_OUTOFRANGE, "-radius must be positive, not %g", (double)o->radius);
  PetscCall(GetName(PetscOptionsObject, comm, "-problem",
                    "poisson, twophase, bubbles, channels, cells, field, layers or interface", Problems, 8, &problem, &set));
  if (!set && (given[0] || given[1])) problem = FLOW_BUBBLES;
  PetscCheck(problem == FLOW_BUBBLES || !(given[0] || given[1]), comm, PETSC_ERR_ARG_INCOMP,
             "-bubbles and -nbubbles are for -problem bubbles, not %s", Problems[problem]);
  PetscCheck(!vertical || problem == FLOW_LAYERS, comm, PETSC_ERR_ARG_INCOMP, "-vertical is for -problem layers, not %s",
             Problems[problem]);
  PetscCall(GetName(PetscOptionsObject, comm, "-bc", "neumann or dirichlet; default dirichlet for poisson, else neumann", BCs, 3,
                    &bc, &set));
  PetscCall(
    GetName(PetscOptionsObject, comm, "-rhs", "random (solution), gravity, constant (solution) or ones", RHSs, 4, &rhs, &set));
  PetscOptionsEnd();
  o->problem = (FlowProblem)problem;
  o->bc      = (FlowBC)bc;
  o->rhs     = (FlowRHSKind)rhs;
  PetscCall(Check(comm, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* flow     bubbles, 64 x 64 x 64 cells, contrast 1000, 8 bubbles, closed walls, null space of constants */
PetscErrorCode FlowView(Flow flow)
{
  const MPI_Comm           comm = PetscObjectComm((PetscObject)flow->da);
  const hepta::flow::Grid &g    = flow->grid;
  PetscInt                 n    = 0;
  char                     contrast[32], vertical[32];

  PetscFunctionBegin;
  std::snprintf(contrast, sizeof(contrast), "%g", (double)flow->o.contrast); /* PETSc's %g writes 1000. */
  PetscCall(PetscPrintf(comm, "flow     %s, %" PetscInt_FMT " x %" PetscInt_FMT, Problems[flow->o.problem], (PetscInt)g.n[0],
                        (PetscInt)g.n[1]));
  if (g.dim > 2) PetscCall(PetscPrintf(comm, " x %" PetscInt_FMT, (PetscInt)g.n[2]));
  PetscCall(PetscPrintf(comm, " cells"));
  if (flow->o.problem != FLOW_POISSON) PetscCall(PetscPrintf(comm, ", the liquid %s times as dense as gas", contrast));
  std::snprintf(vertical, sizeof(vertical), "%g", (double)flow->o.vertical);
  if (flow->o.problem == FLOW_LAYERS) PetscCall(PetscPrintf(comm, ", coefficients along y times %s", vertical));
  if (flow->bubbles) {
    PetscCall(VecGetLocalSize(flow->bubbles, &n));
    PetscCall(
      PetscPrintf(comm, ", %" PetscInt_FMT " bubble%s", n / hepta::flow::BUBBLE_ITEMS, n > hepta::flow::BUBBLE_ITEMS ? "s" : ""));
  }
  PetscCall(PetscPrintf(comm, ", %s%s\n", g.dirichlet ? "pressure given at the walls (dirichlet)" : "closed walls (neumann)",
                        flow->constants ? ", the pressure up to a constant"
                        : flow->o.fix   ? ", the last cell fixed"
                                        : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
