static char help[] = "An error in the middle of a solve with PCSUBDEFLATION leaves the KSP as the program made it.\n\n";

#include "phases.h"
#include "solve.h"

#include <petsc/private/kspimpl.h>
#include <petsc/private/matimpl.h>

#include "failure.h"

/* A matrix whose products fail from a certain one on */
struct Failing {
  Mat      A;
  PetscInt left;
};

static PetscErrorCode FailingMult(Mat S, Vec x, Vec y)
{
  Failing *f;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &f));
  PetscCheck(f->left-- > 0, PetscObjectComm((PetscObject)S), PETSC_ERR_USER, "This product fails");
  PetscCall(MatMult(f->A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of the inner preconditioner */
static PetscErrorCode FailingApply(PC pc, Vec x, Vec y)
{
  PetscInt *left;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &left));
  PetscCheck((*left)-- > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_USER, "This application fails");
  PetscCall(VecCopy(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckKSP(KSP ksp, PetscErrorCode (*solve)(KSP), PetscBool guess, const std::string &what)
{
  PetscReal rtol, abstol, dtol;
  PetscInt  most;
  PetscBool nonzero;

  PetscFunctionBeginUser;
  PetscCall(KSPGetTolerances(ksp, &rtol, &abstol, &dtol, &most));
  PetscCall(KSPGetInitialGuessNonzero(ksp, &nonzero));
  PetscCheck(rtol == (PetscReal)1e-9 && abstol == (PetscReal)1e-30 && dtol == (PetscReal)1e6 && most == 300, PETSC_COMM_WORLD,
             PETSC_ERR_PLIB, "%s: the tolerances are %g, %g, %g", what.c_str(), (double)rtol, (double)abstol, (double)dtol);
  PetscCheck(nonzero == guess, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the guess is %s now", what.c_str(),
             nonzero ? "nonzero" : "zero");
  PetscCheck(ksp->ops->solve == solve, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the KSP's solve is another", what.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* gmres with tolerances of its own, for the operator S, and an inner preconditioner that fails after *left applications */
static PetscErrorCode Create(Mat S, Mat A, HeptaSubdeflationVariant variant, PetscInt *left, KSP *ksp)
{
  PC pc, inner;

  PetscFunctionBeginUser;
  PetscCall(NewKSP(A, PCSUBDEFLATION, ksp));
  PetscCall(KSPSetType(*ksp, KSPGMRES));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_PRECONDITIONED));
  PetscCall(KSPSetOperators(*ksp, S, A));
  PetscCall(KSPSetTolerances(*ksp, 1e-9, 1e-30, 1e6, 300));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSubdeflationSetVariant(pc, variant));
  PetscCall(PCSubdeflationGetPC(pc, &inner));
  PetscCall(PCSetType(inner, PCSHELL));
  PetscCall(PCShellSetContext(inner, left));
  PetscCall(PCShellSetApply(inner, FailingApply));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error comes in the product or the application numbered `good`, and then no more */
static PetscErrorCode Case(MPI_Comm comm, HeptaSubdeflationVariant variant, bool in_product, PetscInt good, PetscBool guess)
{
  const std::string what = std::string(HeptaSubdeflationVariants[variant]) + (in_product ? ", product " : ", application ") +
                           std::to_string((int)good) + (guess ? ", nonzero guess" : "");
  Failing           f;
  Mat               S;
  Vec               x, b;
  KSP               ksp;
  PetscInt          left = in_product ? PETSC_INT_MAX : good;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, 12, TestType(), true, &f.A));
  f.left = in_product ? good : PETSC_INT_MAX;
  PetscCall(MatCreateShell(comm, f.A->rmap->n, f.A->cmap->n, f.A->rmap->N, f.A->cmap->N, &f, &S));
  PetscCall(MatShellSetOperation(S, MATOP_MULT, (PetscErrorCodeFn *)FailingMult));
  PetscCall(MatShellSetVecType(S, f.A->defaultvectype));
  PetscCall(MatCreateVecs(f.A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(VecSet(x, 0.5));
  PetscCall(Create(S, f.A, variant, &left, &ksp));
  PetscCall(KSPSetInitialGuessNonzero(ksp, guess));
  PetscCall(KSPSetUp(ksp));
  PetscErrorCode (*const solve)(KSP) = ksp->ops->solve;
  PetscCall(ExpectError(PETSC_ERR_USER, "fails", [&] { return KSPSolve(ksp, b, x); }));
  PetscCall(CheckKSP(ksp, solve, guess, what));
  f.left = left = PETSC_INT_MAX;
  PetscCall(KSPReset(ksp)); /* an error leaves PETSc's work vectors locked */
  PetscCall(KSPSetOperators(ksp, S, f.A));
  PetscCall(CheckSolve(ksp, what + ", the next solve"));
  PetscCall(CheckKSP(ksp, solve, guess, what + ", the next solve"));
  PetscCall(KSPDestroy(&ksp));
  for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
  for (Mat *M : {&S, &f.A}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-pc_subdeflation_grid 12,12 -pc_subdeflation_size 4"));
  for (int v = HEPTA_SUBDEFLATION_DEF1; v <= HEPTA_SUBDEFLATION_BNN; v++) {
    for (bool in_product : {true, false}) {
      for (PetscInt good : {0, 1, 3}) {
        for (PetscBool guess : {PETSC_FALSE, PETSC_TRUE})
          PetscCall(Case(PETSC_COMM_WORLD, (HeptaSubdeflationVariant)v, in_product, good, guess));
      }
    }
  }
  PetscCall(PetscFinalize());
  return 0;
}
