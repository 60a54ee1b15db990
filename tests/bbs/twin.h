/* A factor by PETSc and one by bbs, and checks that they solve alike */
#pragma once

#include "entries.h"

/* A matrix on the host and the same one in a type under test, with factors by PETSc and by bbs */
struct Twin {
  Mat A[2] = {}, F[2] = {};
  PC  pc[2] = {};
};

/* The oracle is a matrix of type aij, or baij where factors are of point blocks. PETSc's ICC of these orders nothing: there ILU, the same of a symmetric matrix, stands in. */
static inline PetscErrorCode TwinCreate(const Entries &e, const char pc_type[], MatType type, bool blocks, const std::string &theirs, const std::string &ours, Twin *t)
{
  const char *const oracle = blocks && strstr(theirs.c_str(), "ordering") ? "ilu" : pc_type;
  MatSolverType     solver;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, blocks ? MATBAIJ : MATAIJ, e, &t->A[0]));
  PetscCall(Make(PETSC_COMM_SELF, type, e, &t->A[1]));
  PetscCall(NewFactor(t->A[0], std::string("-pc_factor_mat_solver_type petsc -pc_type ") + oracle + " " + theirs, &t->pc[0], &t->F[0]));
  PetscCall(NewFactor(t->A[1], std::string("-pc_factor_mat_solver_type bbs -pc_type ") + pc_type + " " + ours, &t->pc[1], &t->F[1]));
  PetscCall(MatFactorGetSolverType(t->F[1], &solver));
  PetscCheck(!strcmp(solver, MATSOLVERBBS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The factor is of type %s", solver);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode TwinDestroy(Twin *t)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(Destroy(&t->pc[k], &t->A[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscErrorCode (*Solver)(Mat, Vec, Vec);

/* Both factors make the same of random vectors */
static inline PetscErrorCode CheckSolver(const Twin &t, Solver solve, PetscReal tol, const std::string &what)
{
  Vec b, x[2];

  PetscFunctionBegin;
  for (PetscInt seed = 0; seed < 3; seed++) {
    for (int k = 0; k < 2; k++) {
      PetscCall(NewVecs(t.A[k], &x[k], &b, seed));
      PetscCall(solve(t.F[k], b, x[k]));
      PetscCall(VecDestroy(&b));
    }
    PetscCall(CheckVec(x[0], x[1], tol, what.c_str()));
    for (Vec &v : x) PetscCall(VecDestroy(&v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode Compare(const Twin &t, const std::string &what)
{
  PetscFunctionBegin;
  PetscCall(CheckSolver(t, MatSolve, 1e-12, what + ", MatSolve"));
  PetscCall(CheckSolver(t, MatSolveTranspose, 1e-12, what + ", MatSolveTranspose"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
