/*
   What PCGRIDMG and PCAGGMG have in common. The class M of the multigrid has Apply(), View(), Reset(), op, product, and
   TakeDouble(), which changes a cycle in float to double, unless the program has chosen the storage; false: nothing changes.
*/
#pragma once

#include "operator.h"
#include "solve_start.h"

template <class M> struct HeptaMultigridData : HeptaPCData {
  M                mg;
  bool             presolved = false; /* is the Krylov method known, by PCPreSolve()? */
  HeptaCheckedNull checked_null[2];   /* of the preconditioner's matrix and of the operator */
};

template <class M> HeptaMultigridData<M> &HeptaMultigrid(PC pc)
{
  return *(HeptaMultigridData<M> *)pc->data;
}

/* The cycle is in double for methods that take no preconditioner in float, and for unknown methods */
template <class M> PetscErrorCode HeptaMultigridTakeDouble(PC pc)
{
  PetscFunctionBegin;
  if (pc->reusepreconditioner || !HeptaMultigrid<M>(pc).mg.TakeDouble()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaPCStartAnew(pc));
  PetscCall(HeptaPCCheckReady(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class M, PetscLogEvent HeptaEvents::*event> PetscErrorCode HeptaMultigridApply(PC pc, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  if (!HeptaMultigrid<M>(pc).presolved) PetscCall(HeptaMultigridTakeDouble<M>(pc)); /* in PCCOMPOSITE, by PCApply() */
  PetscCall(PetscLogEventBegin(HEPTA_Event.*event, pc, x, y, nullptr));
  PetscCall(HeptaMultigrid<M>(pc).mg.Apply(x, y));
  PetscCall(PetscLogEventEnd(HEPTA_Event.*event, pc, x, y, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class M> PetscErrorCode HeptaMultigridPreSolve(PC pc, KSP ksp)
{
  PetscBool takes;

  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  PetscCall(HeptaCheckNullSpaces(pc, HeptaMultigrid<M>(pc).checked_null));
  PetscCall(HeptaTakesFloat(ksp, &takes));
  if (!takes) PetscCall(HeptaMultigridTakeDouble<M>(pc));
  HeptaMultigrid<M>(pc).presolved = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class M> PetscErrorCode HeptaMultigridReset(PC pc)
{
  PetscFunctionBegin;
  HeptaMultigrid<M>(pc).stage = HeptaPCStage::none;
  PetscCall(HeptaMultigrid<M>(pc).mg.Reset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class M> PetscErrorCode HeptaMultigridView(PC pc, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (HeptaMultigrid<M>(pc).stage != HeptaPCStage::ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaMultigrid<M>(pc).mg.op.View(pc->pmat, viewer));
  PetscCall(HeptaMultigrid<M>(pc).mg.View(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class M> PetscErrorCode HeptaMultigridRecorded(PC pc, HeptaRecorded *r)
{
  PetscFunctionBegin;
  r->can = r->stops = true;
  r->scale          = &HeptaMultigrid<M>(pc).mg.product;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills in the table of a preconditioner with new data */
template <class M, PetscLogEvent HeptaEvents::*apply> PetscErrorCode HeptaMultigridCreate(PC pc, HeptaMultigridData<M> *data)
{
  constexpr auto presolve = HeptaMultigridPreSolve<M>;
  constexpr auto view     = HeptaMultigridView<M>;

  PetscFunctionBegin;
  pc->data          = data;
  pc->ops->apply    = HeptaNoThrow<HeptaMultigridApply<M, apply>>;
  pc->ops->presolve = HeptaNoThrow<HeptaPCPreSolve<presolve>>;
  pc->ops->reset    = HeptaNoThrow<HeptaMultigridReset<M>>;
  pc->ops->destroy  = HeptaNoThrow<HeptaPCDestroy>;
  pc->ops->view     = HeptaNoThrow<HeptaPCView<view>>;
  PetscCall(HeptaPCComposeFunction(pc, HEPTA_RECORDED, HeptaNoThrow<HeptaMultigridRecorded<M>>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
