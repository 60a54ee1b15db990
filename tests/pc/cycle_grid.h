/* Matrices on grids for the tests of the cycle over nested boxes */
#pragma once

#include "program.h"
#include "solve.h"

/* A grid of cells whose faces have the mean of their cells' coefficients, at random 1 or 1/contrast */
struct CycleGrid {
  PetscInt              n[3];
  PetscReal             contrast = 1000;
  bool                  closed   = false;     /* no flow through the boundary: the matrix is singular */
  PetscReal             fix      = 0;         /* is added to the last diagonal entry */
  PetscReal             along[3] = {1, 1, 1}; /* factors of the couplings along the axes */
  PetscReal             scale    = 1;         /* of the whole matrix */
  PetscInt              seed     = 1;
  MPI_Comm              comm     = PETSC_COMM_SELF;
  std::vector<PetscInt> planes   = {}; /* of the last axis that has several, for each process of comm; without them this one has all */

  int      Last() const { return n[2] > 1 ? 2 : n[1] > 1 ? 1 : 0; }
  PetscInt Rows() const
  {
    PetscMPIInt rank;

    (void)MPI_Comm_rank(comm, &rank);
    return planes.empty() ? Cells() : planes[rank] * (Cells() / n[Last()]);
  }
  PetscInt  Cells() const { return n[0] * n[1] * n[2]; }
  PetscInt  Step(int a) const { return a == 0 ? 1 : a == 1 ? n[0] : n[0] * n[1]; }
  PetscInt  At(int a, PetscInt i) const { return i / Step(a) % n[a]; }
  PetscReal Coefficient(PetscInt i) const { return PairNumber(i, 7, seed) > 0 ? 1 : 1 / contrast; }
};

/* The values of this process's rows, into a matrix that is set up */
static inline PetscErrorCode CycleFill(const CycleGrid &g, Mat A)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscReal sum = i + 1 == g.Cells() ? g.fix : 0;
    for (int a = 0; a < 3; a++) {
      for (int side = -1; side <= 1; side += 2) {
        const PetscInt at = g.At(a, i) + side, j = i + side * g.Step(a);
        if (at < 0 || at >= g.n[a]) {
          if (!g.closed && g.n[a] > 1) sum += g.along[a] * g.Coefficient(i);
          continue;
        }
        const PetscReal v = g.along[a] * (g.Coefficient(i) + g.Coefficient(j)) / 2;
        sum += v;
        PetscCall(MatSetValue(A, i, j, -v * g.scale, INSERT_VALUES));
      }
    }
    if (g.Cells() == 1) sum = 3;
    PetscCall(MatSetValue(A, i, i, sum * g.scale, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In block diagonals, which know the grid */
static inline PetscErrorCode CycleMat(const CycleGrid &g, Mat *A, bool half = false, bool single = false)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(g.comm, A));
  PetscCall(MatSetSizes(*A, g.Rows(), g.Rows(), g.Cells(), g.Cells()));
  PetscCall(MatSetType(*A, TestType()));
  PetscCall(HeptaMatBDIASetGrid(*A, g.n[0], g.n[1], g.n[2]));
  if (half) {
    PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    PetscCall(HeptaMatBDIASetHalf(*A, PETSC_TRUE));
  }
  if (single) PetscCall(HeptaMatBDIASetStorage(*A, HEPTA_MAT_STORAGE_SINGLE));
  PetscCall(MatSetUp(*A));
  PetscCall(CycleFill(g, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In compressed rows, which know nothing of it */
static inline PetscErrorCode CycleAIJ(const CycleGrid &g, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(g.comm, A));
  PetscCall(MatSetSizes(*A, g.Rows(), g.Rows(), g.Cells(), g.Cells()));
  PetscCall(MatSetType(*A, TestAIJ()));
  PetscCall(MatSeqAIJSetPreallocation(*A, 7, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(*A, 7, nullptr, 2, nullptr));
  PetscCall(CycleFill(g, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner with options of its own */
static inline PetscErrorCode CyclePC(Mat A, const std::string &options, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(SetOptions(options));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetType(*pc, PCSUBDEFLATION));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver that takes the cycle unless options say something else, to 1e-9 */
static inline PetscErrorCode CycleKSP(Mat A, const std::string &options, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(SetOptions(options));
  PetscCall(NewKSP(A, PCSUBDEFLATION, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x <- numbers in [-1, 1] */
static inline PetscErrorCode CycleRandom(Vec x, PetscInt seed)
{
  PetscScalar *a;
  PetscInt     start, end;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  PetscCall(VecGetArrayWrite(x, &a));
  for (PetscInt i = start; i < end; i++) a[i - start] = PairNumber(i, 5, seed);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline std::string CycleName(const CycleGrid &g)
{
  return std::to_string(g.n[0]) + " x " + std::to_string(g.n[1]) + " x " + std::to_string(g.n[2]);
}
