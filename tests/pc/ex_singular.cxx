static char help[] = "PCSUBDEFLATION where the coarse matrix is singular: null spaces found, refused and removed, dependent and changed vectors, lengths of vectors.\n\n";

#include "phases.h"
#include "solve.h"

#include <petsc/private/matimpl.h>

#include "failure.h"
#include "program.h"

static const PetscInt N = 12; /* cells a side */

static const char *const coarses[] = {"inverse", "cholesky", "ksp"};

/* 9 boxes, a method that allows the coarse solver; the PC of a new KSP */
static PetscErrorCode Prepare(Mat A, HeptaSubDeflationVariant variant, const char coarse[], KSP *ksp, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-ksp_type", variant == HEPTA_SUBDEFLATION_DEF1 || variant == HEPTA_SUBDEFLATION_ADEF1 ? "gmres" : "fcg"));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_coarse", coarse));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_coarse_ksp_rtol", "1e-6"));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_grid", "12,12"));
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_size", "4"));
  PetscCall(NewKSP(A, PCSUBDEFLATION, ksp));
  if (variant == HEPTA_SUBDEFLATION_DEF1 || variant == HEPTA_SUBDEFLATION_ADEF1) PetscCall(KSPSetNormType(*ksp, KSP_NORM_PRECONDITIONED));
  PetscCall(KSPGetPC(*ksp, pc));
  PetscCall(PCSubdeflationSetVariant(*pc, variant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Forget(KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(ksp));
  for (const char *key : {"-ksp_type", "-pc_subdeflation_coarse", "-pc_subdeflation_coarse_ksp_rtol", "-pc_subdeflation_grid", "-pc_subdeflation_size"}) PetscCall(PetscOptionsClearValue(nullptr, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A singular matrix that says nothing of it: a right-hand side in its range gets its answer, another one no good reason with a bad answer */
static PetscErrorCode Undeclared(MPI_Comm comm, HeptaSubDeflationVariant variant, const char coarse[])
{
  const std::string  what = std::string(HeptaSubDeflationVariants[variant]) + ", " + coarse;
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
  PetscCall(CheckView(pc, {"the coarse matrix is singular: null space of dimension 1", "null space: constants, found because the matrix times ones is zero"}));
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
  PetscCheck(reason < 0 || nr < 1e-3 * nb, comm, PETSC_ERR_PLIB, "%s: reason %d for a system without solution, residual %g of %g", what.c_str(), (int)reason, (double)nr, (double)nb);
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
  PetscCheck(its[0] == its[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations, a new solver %" PetscInt_FMT, what.c_str(), its[0], its[1]);
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Null spaces come and go with the values: found, gone, given, taken away, refused */
static PetscErrorCode ComesAndGoes(MPI_Comm comm, const char coarse[])
{
  Mat          A;
  Vec          v;
  KSP          ksp;
  PC           pc;
  MatNullSpace constants, other;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), false, &A));
  PetscCall(MatCreateVecs(A, &v, nullptr));
  PetscCall(MatNullSpaceCreate(comm, PETSC_TRUE, 0, nullptr, &constants));
  PetscCall(Prepare(A, HEPTA_SUBDEFLATION_ADEF2, coarse, &ksp, &pc));
  PetscCall(SameAsNew(ksp, A, std::string("found, ") + coarse));
  PetscCall(MatShift(A, 0.01));
  PetscCall(SameAsNew(ksp, A, std::string("gone, ") + coarse));
  PetscCall(MatSetNullSpace(A, constants));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(MatScale(A, 2));
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, "Vector 0 of the null space that MatSetNullSpace() gave the matrix is not null: |A v| = ", [&] { return KSPSetUp(ksp); }));
  PetscCall(MatShift(A, -0.02));
  PetscCall(SameAsNew(ksp, A, std::string("given, ") + coarse));
  PetscCall(MatSetNullSpace(A, nullptr));
  PetscCall(MatShift(A, 0.5));
  PetscCall(SameAsNew(ksp, A, std::string("taken away, ") + coarse));
  PetscCall(MatShift(A, -0.5));
  for (PetscInt i = A->rmap->rstart; i < A->rmap->rend; i++) PetscCall(VecSetValue(v, i, 1 + i % 5, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  PetscCall(VecNormalize(v, nullptr));
  PetscCall(MatNullSpaceCreate(comm, PETSC_FALSE, 1, &v, &other));
  PetscCall(MatSetNullSpace(A, other));
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, "is not null", [&] { return KSPSetUp(ksp); }));
  PetscCall(Forget(&ksp));
  PetscCall(MatNullSpaceDestroy(&constants));
  PetscCall(MatNullSpaceDestroy(&other));
  PetscCall(VecDestroy(&v));
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
  PetscCall(ExpectError(PETSC_ERR_MAT_CH_ZRPVT, "is not positive definite: its pivot 0 is not positive", [&] { return KSPSetUp(ksp); }));
  PetscCall(Forget(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vector k of a program: constants, and waves */
static PetscErrorCode FillVector(Vec v, PetscInt k)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &start, &end));
  for (PetscInt i = start; i < end; i++) PetscCall(VecSetValue(v, i, std::cos((double)(k * i) * 0.05), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterations for z, or the error that the set-up raises when words are given */
static PetscErrorCode WithVectors(Mat A, Vec z[4], const std::string &what, const std::string &words, PetscInt *its)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSubdeflationSetVectors(pc, 4, z));
  if (words.empty()) PetscCall(CheckSolve(ksp, what, its));
  else PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, words, [&] { return KSPSetUp(ksp); }));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors of any length, and dependent ones */
static PetscErrorCode Lengths(Mat A, Vec z[4])
{
  const PetscReal huge = PetscPowReal(PETSC_MAX_REAL, 0.65);
  PetscInt        its[2];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 4; k++) PetscCall(FillVector(z[k], k));
  PetscCall(WithVectors(A, z, "vectors", "", &its[0]));
  PetscCall(VecScale(z[0], 1 / huge));
  PetscCall(VecScale(z[1], huge));
  PetscCall(WithVectors(A, z, "long and short vectors", "", &its[1]));
  PetscCheck(PetscAbs(its[1] - its[0]) <= 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%" PetscInt_FMT " iterations, and %" PetscInt_FMT " with vectors of other lengths", its[0], its[1]);
  PetscCall(VecWAXPY(z[2], 2 / huge, z[1], z[3]));
  PetscCall(VecScale(z[2], huge));
  PetscCall(WithVectors(A, z, "", "Deflation vector 3 of PCSubdeflationSetVectors() is a combination of those before it", nullptr));
  PetscCall(VecCopy(z[0], z[1]));
  PetscCall(VecScale(z[1], huge));
  PetscCall(WithVectors(A, z, "", "Deflation vector 1 of PCSubdeflationSetVectors() is a combination of those before it", nullptr));
  PetscCall(VecSet(z[0], 0));
  PetscCall(WithVectors(A, z, "", "Deflation vector 0 of PCSubdeflationSetVectors() is zero", nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The program changes a vector between solves */
static PetscErrorCode Changes(Mat A, Vec z[4])
{
  KSP      ksp;
  PC       pc;
  PetscInt its[2];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 4; k++) PetscCall(FillVector(z[k], k + 1));
  PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSubdeflationSetVectors(pc, 4, z));
  PetscCall(CheckSolve(ksp, "vectors before they change"));
  PetscCall(FillVector(z[2], 0));
  PetscCall(CheckSolve(ksp, "changed vectors", &its[0]));
  PetscCall(WithVectors(A, z, "changed vectors, a new solver", "", &its[1]));
  PetscCheck(its[0] == its[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%" PetscInt_FMT " iterations with changed vectors, %" PetscInt_FMT " with a new solver", its[0], its[1]);
  PetscCall(VecSet(z[2], 0));
  for (int again = 0; again < 2; again++) PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, "Deflation vector 2 of PCSubdeflationSetVectors() is zero", [&] { return PCApply(pc, z[0], z[1]); }));
  PetscCall(FillVector(z[2], 0));
  PetscCall(CheckSolve(ksp, "a good vector again"));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other vectors in their place, which have been changed as often, but are longer */
static PetscErrorCode Others(Mat A, Vec z[4])
{
  KSP      ksp;
  PC       pc;
  Vec      y[4];
  PetscInt its[2];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 4; k++) {
    PetscCall(MatCreateVecs(A, &y[k], nullptr));
    PetscCall(FillVector(y[k], k));
    PetscCall(VecScale(y[k], 3));
  }
  PetscCall(NewKSP(A, PCSUBDEFLATION, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSubdeflationSetVectors(pc, 4, y));
  PetscCall(CheckSolve(ksp, "vectors", &its[0]));
  for (PetscInt k = 0; k < 4; k++) {
    PetscCall(VecDestroy(&z[k]));
    PetscCall(MatCreateVecs(A, &z[k], nullptr));
    PetscCall(FillVector(z[k], k));
    PetscCall(VecScale(z[k], PetscPowReal(PETSC_MAX_REAL, 0.65)));
  }
  PetscCall(PCSubdeflationSetVectors(pc, 4, z));
  PetscCall(CheckSolve(ksp, "longer vectors", &its[1]));
  PetscCheck(PetscAbs(its[1] - its[0]) <= 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%" PetscInt_FMT " iterations, and %" PetscInt_FMT " with longer vectors in their place", its[0], its[1]);
  PetscCall(KSPDestroy(&ksp));
  for (Vec &v : y) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Vectors(MPI_Comm comm, bool dirichlet)
{
  Mat A;
  Vec z[4];

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), dirichlet, &A));
  for (Vec &v : z) PetscCall(MatCreateVecs(A, &v, nullptr));
  PetscCall(Lengths(A, z));
  PetscCall(Changes(A, z));
  PetscCall(Others(A, z));
  for (Vec &v : z) PetscCall(VecDestroy(&v));
  PetscCall(MatDestroy(&A));
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
      if (size < 3 || v == HEPTA_SUBDEFLATION_ADEF2) PetscCall(Undeclared(PETSC_COMM_WORLD, (HeptaSubDeflationVariant)v, coarse));
    }
    PetscCall(ComesAndGoes(PETSC_COMM_WORLD, coarse));
    PetscCall(Refused(PETSC_COMM_WORLD, coarse));
  }
  for (bool dirichlet : {true, false}) PetscCall(Vectors(PETSC_COMM_WORLD, dirichlet));
  PetscCall(PetscFinalize());
  return 0;
}
