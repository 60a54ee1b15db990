/* All Krylov methods of ours, PETSc's with the same iterates, and the preconditioners that they meet */
#pragma once

#include "beside_cg.h"

#include "view.h"

/* A method, and what both solvers are given */
struct Method {
  Methods     types;
  const char *options;
  bool        deflated;    /* the preconditioner is the one inside subdeflation */
  bool        unsymmetric; /* solves with any matrix, as PETSc's method does */
};

static const Method METHODS[] = {
  {{KSPCG, KSPFUSEDCG}, "-ksp_norm_type unpreconditioned ", false, false},
  {{KSPCG, KSPFUSEDCG}, "-ksp_norm_type natural -ksp_cg_single_reduction -ksp_fusedcg_single_reduction ", false, false},
  {{KSPCG, KSPDPCG}, "-ksp_norm_type natural ", true, false},
  {{KSPCR, KSPBICGCR}, "-ksp_norm_type preconditioned ", false, false},
  {{KSPBCGS, KSPFUSEDBCGS}, "-ksp_pc_side right ", false, true}};

/* "ip -pc_storage single" for the preconditioner of a method: the options of the PC inside subdeflation have a longer prefix.
   `domains`: stripes. */
static inline std::string WithPC(const Method &m, std::string pc, int domains = 4)
{
  const std::string prefix = m.deflated ? "-pc_subdeflation_pc_" : "-pc_";

  for (size_t at = pc.find("-pc_"); at != std::string::npos; at = pc.find("-pc_", at + prefix.size())) pc.replace(at, 4, prefix);
  return m.options +
         (m.deflated
            ? "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count " + std::to_string(domains) + " "
            : std::string()) +
         prefix + "type " + pc + " ";
}

/* On one process alone, or on several: the matrix has A_ii = 4 - 1/(i + 2) and -1 beside it, and rows as `share` says */
static inline PetscErrorCode LineMat(MPI_Comm comm, PetscInt n, PetscInt share, Mat *A)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, share, share, n, n));
  PetscCall(MatSetType(*A, TestType()));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = PetscMax(0, i - 1); j <= PetscMin(n - 1, i + 1); j++)
      PetscCall(MatSetValue(*A, i, j, i == j ? 4 - 1 / (PetscReal)(i + 2) : -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The answers are the same to `tol`; 0: the same bits */
static inline PetscErrorCode CheckAnswer(Vec expected, Vec x, PetscReal tol, const std::string &what)
{
  PetscFunctionBeginUser;
  if (tol > 0) {
    PetscCall(CheckVec(expected, x, tol, what.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscBool same;
  PetscCall(VecEqual(expected, x, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the answer has other bits", what.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}
