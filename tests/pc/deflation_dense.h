/* Subdomain deflation by dense arithmetic */
#pragma once

#include "dense.h"

/* Labels of block rows 0 ... nb - 1, and Z of them with one column for each field */
static inline Dense DenseIndicators(const std::vector<PetscInt> &label, PetscInt bs)
{
  Dense Z((PetscInt)label.size() * bs);

  for (PetscInt i = 0; i < Z.n; i++) Z(i, label[i / bs] * bs + i % bs) = 1;
  return Z;
}

/* Q = Z E^-1 Z^T with E = Z^T A Z, for the first d columns of Z */
static inline Dense DenseCoarse(const Dense &A, const Dense &Z, PetscInt d)
{
  const Dense ZAZ = DenseProduct(DenseTranspose(Z), DenseProduct(A, Z));
  Dense       E(d), F(A.n);

  for (PetscInt i = 0; i < d; i++) {
    for (PetscInt j = 0; j < d; j++) E(i, j) = ZAZ(i, j);
  }
  const Dense inverse = DenseInverse(E);
  for (PetscInt i = 0; i < d; i++) {
    for (PetscInt j = 0; j < d; j++) F(i, j) = inverse(i, j);
  }
  return DenseProduct(DenseProduct(Z, F), DenseTranspose(Z));
}

/* By the definition, with P = I - A Q and M the inner preconditioner's M^-1 */
static inline Dense DenseDeflated(const Dense &A, const Dense &Q, const Dense &M, HeptaSubDeflationVariant variant)
{
  const Dense I = DenseIdentity(A.n), P = DenseSum(1, I, -1, DenseProduct(A, Q)), R = DenseSum(1, I, -1, DenseProduct(Q, A));

  switch (variant) {
  case HEPTA_SUBDEFLATION_DEF1: return DenseProduct(M, P);
  case HEPTA_SUBDEFLATION_DEF2: return DenseProduct(R, M);
  case HEPTA_SUBDEFLATION_ADEF1: return DenseSum(1, DenseProduct(M, P), 1, Q);
  case HEPTA_SUBDEFLATION_ADEF2: return DenseSum(1, DenseProduct(R, M), 1, Q);
  default: return DenseSum(1, DenseProduct(DenseProduct(R, M), P), 1, Q);
  }
}

static inline Dense DenseJacobi(const Dense &A)
{
  Dense M(A.n);

  for (PetscInt i = 0; i < A.n; i++) M(i, i) = 1 / A(i, i);
  return M;
}
