/* The Incomplete Poisson preconditioner by dense arithmetic */
#pragma once

#include "dense.h"

/* By the definition: blocks of A below and above the diagonal, and the inverses of those on it */
static inline Dense DenseIP(const Dense &A, PetscInt bs, const std::string &variant)
{
  const Dense L = DenseFilter(A, [&](PetscInt i, PetscInt j) { return j / bs < i / bs; });
  const Dense U = DenseFilter(A, [&](PetscInt i, PetscInt j) { return j / bs > i / bs; });
  const Dense D = DenseInverse(DenseFilter(A, [&](PetscInt i, PetscInt j) { return j / bs == i / bs; }));
  const Dense I = DenseIdentity(A.n), left = DenseSum(1, I, -1, DenseProduct(L, D)), right = DenseSum(1, I, -1, DenseProduct(D, U));
  const Dense M = variant == "published" ? DenseProduct(left, right) : DenseProduct(DenseProduct(right, D), left);

  if (variant == "full") return M;
  return DenseFilter(M, [&](PetscInt i, PetscInt j) {
    bool keep = i / bs == j / bs;
    for (PetscInt r = i / bs * bs; r < i / bs * bs + bs; r++) {
      for (PetscInt s = j / bs * bs; s < j / bs * bs + bs; s++) keep = keep || A(r, s) != 0;
    }
    return keep;
  });
}

/* The preconditioner, set up, and its transpose must be that */
static inline PetscErrorCode CheckIP(PC pc, Mat A, const std::string &variant, PetscReal tol, const std::string &what)
{
  Dense a, m;

  PetscFunctionBeginUser;
  PetscCall(PCSetUp(pc));
  PetscCall(DenseFromMat(A, &a));
  const Dense expected = DenseIP(a, A->rmap->bs, variant);
  PetscCall(DenseFromPC(pc, A, false, &m));
  PetscCall(CheckDense(expected, m, tol, what));
  PetscCall(DenseFromPC(pc, A, true, &m));
  PetscCall(CheckDense(DenseTranspose(expected), m, tol, what + ", transposed"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
