static char help[] = "PCSUBDEFLATION where the coarse matrix is singular: null spaces found, refused and removed.\n\n";

#include "phases.h"
#include "solve.h"

#include <petsc/private/matimpl.h>

#include "failure.h"
#include "program.h"

static const PetscInt N = 12; /* cells a side */

static const char *const coarses[] = {"inverse", "cholesky", "ksp"};

/* 9 boxes, a method that allows the coarse solver; the PC of a new KSP */
static PetscErrorCode Prepare(Mat A, HeptaSubdeflationVariant variant, const char coarse[], KSP *ksp, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-ksp_type",
                                 variant == HEPTA_SUBDEFLATION_DEF1 || variant == HEPTA_SUBDEFLATION_ADEF1 ? "gmres" : "fcg"));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_coarse", coarse));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_coarse_ksp_rtol", "1e-9"));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_grid", "12,12"));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_size", "4"));
  PetscCall(NewKSP(A, PCSUBDEFLATION, ksp));
  if (variant == HEPTA_SUBDEFLATION_DEF1 || variant == HEPTA_SUBDEFLATION_ADEF1)
    PetscCall(KSPSetNormType(*ksp, KSP_NORM_PRECONDITIONED));
  PetscCall(KSPGetPC(*ksp, pc));
  PetscCall(PCSubdeflationSetVariant(*pc, variant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Forget(KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(ksp));
  for (const char *key : {"-ksp_type", "-pc_subdeflation_coarse", "-pc_subdeflation_coarse_ksp_rtol", "-pc_subdeflation_grid",
                          "-pc_subdeflation_size"})
    PetscCall(PetscOptionsClearValue(nullptr, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A singular matrix that says nothing of it: a right-hand side in its range gets its answer, another one no good reason with a
   bad answer */
static PetscErrorCode Undeclared(MPI_Comm comm, HeptaSubdeflationVariant variant, const char coarse[])
{
  const std::string  what = std::string(HeptaSubdeflationVariants[variant]) + ", " + coarse;
  Mat                A;
  Vec                b, x, r;
  KSP                ksp;
  PC                 pc;
  KSPConvergedReason reason;
  PetscReal          nr, nb;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), false, &A));
  PetscCall(Prepare(A, variant, coarse, &ksp, &pc));
  PetscCall(CheckSolve(ksp, "no null space given, " + what));
  PetscCall(CheckView(pc, {"the coarse matrix is singular: null space of dimension 1",
                           "null space: constants, found because the matrix times ones is zero"}));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecSet(b, 1));
  if (!A->rmap->rstart) PetscCall(VecSetValue(b, 0, 3, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 100));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &nr));
  PetscCall(VecNorm(b, NORM_2, &nb));
  PetscCheck(reason < 0 || nr < 1e-3 * nb, comm, PETSC_ERR_PLIB, "%s: reason %d for a system without solution, residual %g of %g",
             what.c_str(), (int)reason, (double)nr, (double)nb);
  for (Vec *v : {&b, &x, &r}) PetscCall(VecDestroy(v));
  PetscCall(Forget(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kept solver takes as many iterations as a new one */
static PetscErrorCode SameAsNew(KSP kept, Mat A, const std::string &what)
{
  KSP      ksp;
  PetscInt its[2];

  PetscFunctionBeginUser;
  PetscCall(CheckSolve(kept, what, &its[0]));
  PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
  PetscCall(CheckSolve(ksp, what + ", a new solver", &its[1]));
  PetscCheck(its[0] == its[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations, a new solver %" PetscInt_FMT,
             what.c_str(), its[0], its[1]);
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vector that is not null */
static PetscErrorCode WrongNullSpace(Mat A, MatNullSpace *space)
{
  Vec v;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &v, nullptr));
  for (PetscInt i = A->rmap->rstart; i < A->rmap->rend; i++) PetscCall(VecSetValue(v, i, 1 + i % 5, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  PetscCall(VecNormalize(v, nullptr));
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)A), PETSC_FALSE, 1, &v, space));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Null spaces come and go with the values: found, gone, given, taken away, refused */
static PetscErrorCode ComesAndGoes(MPI_Comm comm, const char coarse[])
{
  Mat          A;
  KSP          ksp;
  PC           pc;
  MatNullSpace constants, other;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), false, &A));
  PetscCall(MatNullSpaceCreate(comm, PETSC_TRUE, 0, nullptr, &constants));
  PetscCall(Prepare(A, HEPTA_SUBDEFLATION_ADEF2, coarse, &ksp, &pc));
  PetscCall(SameAsNew(ksp, A, std::string("found, ") + coarse));
  PetscCall(MatShift(A, 0.01));
  PetscCall(SameAsNew(ksp, A, std::string("gone, ") + coarse));
  PetscCall(MatSetNullSpace(A, constants));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(MatScale(A, 2));
  PetscCall(ExpectError(
    PETSC_ERR_ARG_WRONG,
    "Vector 0 of the null space that MatSetNullSpace() gave the matrix is not null: |A v| = ", [&] { return KSPSetUp(ksp); }));
  PetscCall(MatShift(A, -0.02));
  PetscCall(SameAsNew(ksp, A, std::string("given, ") + coarse));
  PetscCall(MatSetNullSpace(A, nullptr));
  PetscCall(MatShift(A, 0.5));
  PetscCall(SameAsNew(ksp, A, std::string("taken away, ") + coarse));
  PetscCall(MatShift(A, -0.5));
  PetscCall(WrongNullSpace(A, &other));
  PetscCall(MatSetNullSpace(A, other));
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, "is not null", [&] { return KSPSetUp(ksp); }));
  PetscCall(Forget(&ksp));
  PetscCall(MatNullSpaceDestroy(&constants));
  PetscCall(MatNullSpaceDestroy(&other));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Null vectors that nobody names: each region's constants. And a matrix that is negative definite. */
static PetscErrorCode Refused(MPI_Comm comm, const char coarse[])
{
  Mat A;
  Vec null[2];
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(PhaseTwoRegions(comm, N, &A, null));
  PetscCall(Prepare(A, HEPTA_SUBDEFLATION_ADEF2, coarse, &ksp, &pc));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_size", "3"));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(ExpectError(PETSC_ERR_MAT_CH_ZRPVT, "MatSetNullSpace()", [&] { return KSPSetUp(ksp); }));
  PetscCall(Forget(&ksp));
  for (Vec &v : null) PetscCall(VecDestroy(&v));
  PetscCall(MatDestroy(&A));
  if (std::string(coarse) != "inverse") PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PhaseMat(comm, N, TestType(), true, &A));
  PetscCall(MatScale(A, -1));
  PetscCall(Prepare(A, HEPTA_SUBDEFLATION_ADEF2, coarse, &ksp, &pc));
  PetscCall(
    ExpectError(PETSC_ERR_MAT_CH_ZRPVT, "is not positive definite: its pivot 0 is not positive", [&] { return KSPSetUp(ksp); }));
  PetscCall(Forget(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The products of a matrix are counted */
struct Counting {
  Mat      A;
  PetscInt products;
};

static PetscErrorCode CountingMult(Mat S, Vec x, Vec y)
{
  Counting *c;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &c));
  c->products++;
  PetscCall(MatMult(c->A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An operator, the preconditioner's matrix P itself with other objects: a copy, or without entries, diagonal and transposed
   products, or composed of that, which claims to have both */
static PetscErrorCode NewOperator(Mat P, bool shell, bool composed, Counting *c, Mat *S)
{
  VecType type;
  Mat     part;

  PetscFunctionBeginUser;
  *c = {P, 0};
  if (!shell) {
    PetscCall(MatDuplicate(P, MAT_COPY_VALUES, S));
    PetscCall(MatSetOption(*S, MAT_SYMMETRIC, PETSC_FALSE)); /* so that each of its null spaces is one of its own */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)P), P->rmap->n, P->cmap->n, P->rmap->N, P->cmap->N, c, S));
  PetscCall(MatGetVecType(P, &type));
  PetscCall(MatShellSetVecType(*S, type));
  PetscCall(MatShellSetOperation(*S, MATOP_MULT, (PetscErrorCodeFn *)CountingMult));
  if (!composed) PetscFunctionReturn(PETSC_SUCCESS);
  part = *S;
  PetscCall(MatCreateComposite(PetscObjectComm((PetscObject)P), 1, &part, S));
  PetscCall(MatSetVecType(*S, type));
  PetscCall(MatDestroy(&part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two solves: the first looks at the null space of a shell with two products more than the second */
static PetscErrorCode CheckProducts(KSP ksp, const std::string &what, bool shell, Counting *c)
{
  PetscInt products[2];

  PetscFunctionBeginUser;
  for (PetscInt &n : products) {
    c->products = 0;
    PetscCall(CheckSolve(ksp, what));
    n = c->products;
  }
  PetscCheck(!shell || products[0] == products[1] + 2, PetscObjectComm((PetscObject)ksp), PETSC_ERR_PLIB,
             "%s: a first solve with %d products and a second one with %d", what.c_str(), (int)products[0], (int)products[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The null spaces of an operator that is not the preconditioner's matrix, which methods remove: the right one, looked at with two
   products in all, and wrong ones, refused until they are taken away */
static PetscErrorCode Operator(MPI_Comm comm, bool shell, bool composed)
{
  const std::string what = composed ? "composed operator" : shell ? "operator without entries" : "operator";
  Mat               P, S;
  KSP               ksp;
  PC                pc;
  MatNullSpace      constants, wrong;
  Counting          c;
  Vec               x, b;
  const auto        set_up = [&] { return KSPSetUp(ksp); };
  const auto        solve  = [&] { return KSPSolve(ksp, b, x); };

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), false, &P));
  PetscCall(MatCreateVecs(P, &x, &b));
  PetscCall(NewOperator(P, shell, composed, &c, &S));
  PetscCall(Prepare(P, HEPTA_SUBDEFLATION_ADEF2, "inverse", &ksp, &pc));
  PetscCall(KSPSetType(ksp, KSPCG)); /* PETSc's fcg does not bear a second set-up */
  PetscCall(KSPSetOperators(ksp, S, P));
  PetscCall(WrongNullSpace(P, &wrong));
  PetscCall(MatSetNullSpace(S, wrong));
  for (int twice = 0; twice < 2; twice++)
    PetscCall(ExpectError(PETSC_ERR_ARG_WRONG,
                          "Vector 0 of the null space that MatSetNullSpace() gave the operator is not null: |A v| = ", set_up));
  PetscCall(MatNullSpaceCreate(comm, PETSC_TRUE, 0, nullptr, &constants));
  PetscCall(MatSetNullSpace(S, constants));
  PetscCall(CheckProducts(ksp, what, shell, &c));
  PetscCall(MatSetNullSpace(S, wrong));
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, "MatSetNullSpace() gave the operator", solve));
  PetscCall(MatSetNullSpace(S, nullptr));
  PetscCall(CheckSolve(ksp, what + " without a null space"));
  PetscCall(MatSetTransposeNullSpace(S, wrong));
  if (!shell)
    PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, "MatSetTransposeNullSpace() gave the operator is not null: |A^T v| = ", solve));
  else PetscCall(KSPSolve(ksp, b, x)); /* not looked at */
  PetscCall(Forget(&ksp));
  PetscCall(Destroy(&constants, &wrong, &x, &b, &S, &P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (const char *coarse : coarses) {
    for (int v = HEPTA_SUBDEFLATION_DEF1; v <= HEPTA_SUBDEFLATION_BNN; v++) {
      if (size < 3 || v == HEPTA_SUBDEFLATION_ADEF2) PetscCall(Undeclared(PETSC_COMM_WORLD, (HeptaSubdeflationVariant)v, coarse));
    }
    PetscCall(ComesAndGoes(PETSC_COMM_WORLD, coarse));
    PetscCall(Refused(PETSC_COMM_WORLD, coarse));
  }
  PetscCall(Operator(PETSC_COMM_WORLD, false, false));
  for (bool composed : {false, true}) PetscCall(Operator(PETSC_COMM_WORLD, true, composed));
  PetscCall(PetscFinalize());
  return 0;
}
