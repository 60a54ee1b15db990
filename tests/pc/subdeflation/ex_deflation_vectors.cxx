static char help[] = "PCSUBDEFLATION with vectors of the program's: dependent ones, of any length, changed and replaced.\n\n";

#include "phases.h"
#include "solve.h"

#include "failure.h"

static const PetscInt N = 12; /* cells a side */

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
  PetscCheck(PetscAbs(its[1] - its[0]) <= 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " iterations, and %" PetscInt_FMT " with vectors of other lengths", its[0], its[1]);
  PetscCall(VecWAXPY(z[2], 2 / huge, z[1], z[3]));
  PetscCall(VecScale(z[2], huge));
  PetscCall(
    WithVectors(A, z, "", "Deflation vector 3 of PCSubdeflationSetVectors() is a combination of those before it", nullptr));
  PetscCall(VecCopy(z[0], z[1]));
  PetscCall(VecScale(z[1], huge));
  PetscCall(
    WithVectors(A, z, "", "Deflation vector 1 of PCSubdeflationSetVectors() is a combination of those before it", nullptr));
  PetscCall(VecSet(z[0], 0));
  PetscCall(WithVectors(A, z, "", "Deflation vector 0 of PCSubdeflationSetVectors() is zero", nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The program changes a vector between solves */
static PetscErrorCode Changes(Mat A, Vec z[4])
{
  KSP      ksp;
  PC       pc;
  Vec      x;
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
  PetscCheck(its[0] == its[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " iterations with changed vectors, %" PetscInt_FMT " with a new solver", its[0], its[1]);
  PetscCall(VecSet(z[2], 0));
  for (int again = 0; again < 2; again++)
    PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, "Deflation vector 2 of PCSubdeflationSetVectors() is zero",
                          [&] { return PCApply(pc, z[0], z[1]); }));
  PetscCall(VecDuplicate(z[0], &x));
  for (int again = 0; again < 3; again++)
    PetscCall(ExpectError(PETSC_ERR_ARG_WRONG, "Deflation vector 2 of PCSubdeflationSetVectors() is zero",
                          [&] { return KSPSolve(ksp, z[0], x); }));
  PetscCall(VecDestroy(&x));
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
  PetscCheck(PetscAbs(its[1] - its[0]) <= 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " iterations, and %" PetscInt_FMT " with longer vectors in their place", its[0], its[1]);
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
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  for (bool dirichlet : {true, false}) PetscCall(Vectors(PETSC_COMM_WORLD, dirichlet));
  PetscCall(PetscFinalize());
  return 0;
}
