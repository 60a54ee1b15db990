/* Problems of bench/pressure that have a grid */
#include "pressure.h"

#include <cstdio>

PetscErrorCode Problem::OnGrid(Mat from, Mat *A)
{
  PetscFunctionBegin;
  *A = from;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Problem::Tell(KSP)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Problem::Destroy()
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&ours));
  PetscCall(MatDestroy(&theirs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProblemCreate(const PressureOptions &o, FlowProblem kind, PetscInt n, GridProblem *p)
{
  const char *const names[] = {"poisson", "two-phase", "bubbles", "channels", "cells", "field", "layers", "interface"};
  char              contrast[32];

  PetscFunctionBegin;
  std::snprintf(contrast, sizeof(contrast), " %.0e", (double)o.contrast);
  *p            = {};
  p->name       = std::string(names[kind]) + (kind > FLOW_BUBBLES ? contrast : "");
  p->device     = o.device;
  p->o.dim      = kind == FLOW_BUBBLES || kind == FLOW_LAYERS ? 3 : 2;
  p->o.n        = n;
  p->o.problem  = kind;
  p->o.contrast = o.contrast;
  p->o.fix      = PETSC_TRUE;
  p->o.mat_type = o.device ? "bdiacuda" : "bdia";
  p->dim        = p->o.dim;
  p->n          = n;
  p->rows       = n * n * (p->o.dim > 2 ? n : 1);
  PetscCall(FlowCreate(PETSC_COMM_WORLD, &p->o, &p->flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string GridProblem::Title() const
{
  return name + " " + std::to_string(o.n) + "^" + std::to_string(o.dim);
}

PetscErrorCode GridProblem::Matrix(bool of_ours, Mat *A)
{
  PetscFunctionBegin;
  if (of_ours) PetscCall(FlowMatrix(flow, nullptr, &ours));
  else PetscCall(FlowMatrix(flow, device ? MATAIJCUSPARSE : MATAIJ, &theirs));
  *A = of_ours ? ours : theirs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal GridProblem::Time(const PressureOptions &with, PetscInt round) const
{
  return (PetscReal)round * with.move / (PetscReal)n;
}

PetscErrorCode GridProblem::SetTime(PetscReal time)
{
  PetscFunctionBegin;
  PetscCall(FlowSetTime(flow, time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridProblem::CreateVec(Vec *v)
{
  DM da;

  PetscFunctionBegin;
  PetscCall(FlowGetDM(flow, &da));
  PetscCall(DMCreateGlobalVector(da, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridProblem::RHS(PetscInt step, Vec b, Vec exact)
{
  PetscBool has_exact;

  PetscFunctionBegin;
  PetscCall(FlowRHS(flow, step, b, exact, &has_exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridProblem::Apply(Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(FlowApply(flow, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner asks the DM */
PetscErrorCode GridProblem::Tell(KSP ksp)
{
  DM da;

  PetscFunctionBegin;
  PetscCall(FlowGetDM(flow, &da));
  PetscCall(KSPSetDM(ksp, da));
  PetscCall(KSPSetDMActive(ksp, KSP_DMACTIVE_ALL, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridProblem::Destroy()
{
  PetscFunctionBegin;
  PetscCall(Problem::Destroy());
  PetscCall(MatDestroy(&on_grid));
  PetscCall(FlowDestroy(&flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}
