/* Matrices whose pivots fail, and solves that may fail with them */
#pragma once

#include "entries.h"

/* The five-point matrix of a J x H grid, couplings to the right and up times `skew` */
static inline Entries FivePoint(PetscInt J, PetscInt H, PetscScalar diagonal, PetscScalar skew)
{
  Entries e;

  e.n = J * H;
  for (PetscInt i = 0; i < J * H; i++) {
    const PetscInt x = i % J, y = i / J;
    if (y > 0) e.Add(i, i - J, -1);
    if (x > 0) e.Add(i, i - 1, -1);
    e.Add(i, i, diagonal);
    if (x < J - 1) e.Add(i, i + 1, -skew);
    if (y < H - 1) e.Add(i, i + J, -skew);
  }
  return e;
}

/* Kershaw's matrix: positive definite, with a negative last pivot of IC(0) */
static const PetscScalar kershaw[4][4] = {
  {3,  -2, 0,  2 },
  {-2, 3,  -2, 0 },
  {0,  -2, 3,  -2},
  {2,  0,  -2, 3 }
};

/* `copies` times, the k-th times k + 1 */
static inline Entries Kershaw(PetscInt copies)
{
  Entries e;

  e.n         = 4 * copies;
  e.symmetric = true;
  for (PetscInt k = 0; k < 16 * copies; k++) {
    const PetscInt first = k / 16 * 4, r = k % 16 / 4, s = k % 4;
    if (kershaw[r][s] != 0.) e.Add(first + r, first + s, kershaw[r][s] * (k / 16 + 1));
  }
  return e;
}

/* Solves with the options; the preconditioner's answer for another vector in z */
static inline PetscErrorCode Solve(Mat A, const std::string &options, PetscInt *its, KSPConvergedReason *reason, Vec *z)
{
  KSP ksp;
  PC  pc;
  Vec x, b;

  PetscFunctionBegin;
  PetscCall(NewKSP(A, "-ksp_rtol 1e-9 -ksp_max_it 200 " + options, &ksp));
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, z));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscCall(FillVec(b, 2));
  PetscCall(KSPGetPC(ksp, &pc));
  if (*reason != KSP_DIVERGED_PC_FAILED) PetscCall(PCApply(pc, b, *z));
  PetscCall(Destroy(&x, &b, &ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
