/* Matrices that the cycle over nested boxes refuses */
#pragma once

#include "cycle_grid.h"
#include "failure.h"

#include <functional>

/* Two levels by default, with the reason in the view; if the cycle is asked for, levels of matrices with the same reason, or on several processes an error that has it */
static inline PetscErrorCode Falls(Mat A, const std::string &reason, const std::string &options = "")
{
  PC          pc;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(CyclePC(A, options, &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckView(pc, {("two levels in place of a cycle over nested boxes, because " + reason).c_str(), "variant adef2"}));
  PetscCall(PCDestroy(&pc));
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle " + options, &pc));
  if (size == 1) {
    PetscCall(PCSetUp(pc));
    PetscCall(CheckView(pc, {"-cycle over", ("with matrices for each level, because " + reason).c_str()}));
  } else {
    for (int k = 0; k < 2; k++)
      PetscCall(ExpectError(PETSC_ERR_SUP, "The variant cycle cannot be used: " + reason + "; and levels of general aggregates are for one MPI process. Take -pc_subdeflation_variant adef2, or leave the variant out", [&] { return PCSetUp(pc); }));
  }
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for a matrix of a grid with entries that edit sets */
static inline PetscErrorCode Edited(const CycleGrid &g, const std::function<PetscErrorCode(Mat)> &edit, const std::string &reason)
{
  const std::string grid = "-pc_subdeflation_grid " + std::to_string(g.n[0]) + "," + std::to_string(g.n[1]) + "," + std::to_string(g.n[2]);

  PetscFunctionBeginUser;
  for (bool aij : {false, true}) {
    Mat A;
    PetscCall(SetOptions(""));
    PetscCall(aij ? CycleAIJ(g, &A) : CycleMat(g, &A));
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(edit(A));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(Falls(A, reason, aij ? grid : ""));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries (i, j) and (j, i) */
static inline PetscErrorCode SetBoth(Mat A, PetscInt i, PetscInt j, PetscReal value)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValue(A, i, j, value, INSERT_VALUES));
  PetscCall(MatSetValue(A, j, i, value, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}
