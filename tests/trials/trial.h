/*
   Cases of bad input and of solvers that are kept. A case judges by itself: Expect() records what is not as it must be, an error
   of PETSc counts likewise, and the program fails when anything was recorded.
*/
#pragma once

#include "device.h"
#include "failure.h"
#include "pair.h"

#include <functional>
#include <limits>

static PetscInt trial_failures = 0, trial_cases = 0;

/* Collective: records a failure of the case if `right` is false on any rank */
static inline PetscErrorCode Expect(bool right, const std::string &what)
{
  PetscMPIInt wrong = !right;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  if (wrong) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  wrong: %s\n", what.c_str()));
  trial_failures += wrong;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs a case; -case takes a part of the names of those to run. Where tools make all slow it is one in eleven, so that each way
   meets another. */
static inline PetscErrorCode Case(const std::string &name, const std::function<PetscErrorCode()> &f)
{
  static PetscInt number    = 0;
  char            part[128] = "";
  PetscErrorCode  code;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-case", part, sizeof(part), nullptr));
  if (name.find(part) == std::string::npos || (TestQuick() && number++ % 11)) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt before = trial_failures;
  trial_cases++;
  code = f();
  PetscCall(Expect(!code, "the case ended with error code " + std::to_string((int)code)));
  if (trial_failures > before) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "failed: %s\n", name.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends the program: an exit code that says whether all was right */
static inline PetscErrorCode TrialsEnd(int *status)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d cases, %d wrong\n", (int)trial_cases, (int)trial_failures));
  *status = trial_failures || !trial_cases;
  PetscCall(PetscFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs f() without printing its error; its code, and the message of the error's origin on this rank */
static inline PetscErrorCode Try(const std::function<PetscErrorCode()> &f, std::string *message = nullptr)
{
  std::string unused;

  (void)PetscPushErrorHandler(KeepMessage, message ? message : &unused);
  const PetscErrorCode code = f();
  (void)PetscPopErrorHandler();
  return code;
}

/* A = the 5-point operator on nx x ny cells, Dirichlet or Neumann everywhere, with a coefficient in each cell; symmetric */
static inline PetscErrorCode Laplace(MatType type, PetscInt nx, PetscInt ny, bool neumann,
                                     const std::function<PetscReal(PetscInt)> &k, Mat *A)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, nx * ny, nx * ny));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    const PetscInt x = i % nx, y = i / nx,
                   next[4] = {x > 0 ? i - 1 : -1, x < nx - 1 ? i + 1 : -1, y > 0 ? i - nx : -1, y < ny - 1 ? i + nx : -1};
    PetscReal      sum     = 0;

    for (PetscInt j : next) {
      const PetscReal c = j < 0 ? (neumann ? 0 : k(i)) : 2 * k(i) * k(j) / (k(i) + k(j));
      sum += c;
      if (j >= 0) PetscCall(MatSetValue(*A, i, j, -c, INSERT_VALUES));
    }
    PetscCall(MatSetValue(*A, i, i, sum, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscReal One(PetscInt)
{
  return 1;
}

/* The values at the given entries, set by the rows' owners */
static inline PetscErrorCode PutEntry(Mat A, PetscInt i, PetscInt j, PetscScalar v)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  if (i >= start && i < end) PetscCall(MatSetValue(A, i, j, v, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b_i = 1 + 0.3 sin(i), or with its mean removed */
static inline PetscErrorCode Sides(Mat A, bool without_mean, Vec *x, Vec *b)
{
  PetscInt    start, end;
  PetscScalar sum;
  PetscInt    n;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, x, b));
  PetscCall(VecGetOwnershipRange(*b, &start, &end));
  for (PetscInt i = start; i < end; i++) PetscCall(VecSetValue(*b, i, 1 + 0.3 * PetscSinReal((PetscReal)i), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  PetscCall(VecSum(*b, &sum));
  PetscCall(VecGetSize(*b, &n));
  if (without_mean) PetscCall(VecShift(*b, -sum / (PetscReal)n));
  PetscCall(VecSet(*x, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||b - A x|| / ||b|| */
static inline PetscErrorCode Residual(Mat A, Vec b, Vec x, PetscReal *r)
{
  Vec       y;
  PetscReal nb;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &y));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecAYPX(y, -1, b));
  PetscCall(VecNorm(y, NORM_2, r));
  PetscCall(VecNorm(b, NORM_2, &nb));
  if (nb > 0) *r /= nb;
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver of A with options, which are those of a prefix that this solver alone has */
static inline PetscErrorCode NewSolver(Mat A, const std::string &options, KSP *ksp)
{
  static int        count  = 0;
  const std::string prefix = "t" + std::to_string(count++) + "_";
  std::string       own    = " " + options;

  PetscFunctionBeginUser;
  for (size_t at = own.find(" -"); at != std::string::npos; at = own.find(" -", at + 2)) own.insert(at + 2, prefix);
  PetscCall(PetscOptionsInsertString(nullptr, own.c_str()));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix.c_str()));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What became of a solve */
struct Outcome {
  PetscErrorCode     code     = PETSC_SUCCESS;
  KSPConvergedReason reason   = KSP_CONVERGED_ITERATING;
  PetscInt           its      = 0;
  PetscReal          residual = 0;
  std::string        message;
  bool               Converged() const { return !code && reason > 0; }
};

static inline std::string Tell(const Outcome &o)
{
  return o.code ? "error " + std::to_string((int)o.code) + " " + o.message
                : "reason " + std::to_string((int)o.reason) + ", " + std::to_string((int)o.its) + " iterations";
}

/* Solves from zero. Who says that it converged must have a small residual: that holds for every solve of these programs. */
static inline PetscErrorCode Solve(KSP ksp, Mat A, Vec b, Vec x, const std::string &what, Outcome *out)
{
  PetscMPIInt any;

  PetscFunctionBeginUser;
  *out = Outcome();
  PetscCall(VecSet(x, 0));
  out->code = Try([&] { return KSPSolve(ksp, b, x); }, &out->message);
  any       = out->code;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  out->code = (PetscErrorCode)any;
  if (out->code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetConvergedReason(ksp, &out->reason));
  PetscCall(KSPGetIterationNumber(ksp, &out->its));
  PetscCall(Residual(A, b, x, &out->residual));
  if (out->reason > 0)
    PetscCall(Expect(out->residual < 1e-3, what + ": converged (reason " + std::to_string((int)out->reason) +
                                             ") with a residual of " + std::to_string((double)out->residual)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
