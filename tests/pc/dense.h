/* Dense matrices by hand, the same on every rank: the oracle of the preconditioners' tests */
#pragma once

#include "testmat.h"
#include <petsc/private/matimpl.h>

#include <cmath>

struct Dense {
  PetscInt               n = 0;
  std::vector<PetscReal> a; /* a[i*n + j] */

  explicit Dense(PetscInt size = 0) : n(size), a((size_t)size * size, 0) {}
  PetscReal       &operator()(PetscInt i, PetscInt j) { return a[(size_t)i * n + j]; }
  const PetscReal &operator()(PetscInt i, PetscInt j) const { return a[(size_t)i * n + j]; }
};

static inline Dense DenseIdentity(PetscInt n)
{
  Dense C(n);

  for (PetscInt i = 0; i < n; i++) C(i, i) = 1;
  return C;
}

/* alpha A + beta B */
static inline Dense DenseSum(PetscReal alpha, const Dense &A, PetscReal beta, const Dense &B)
{
  Dense C(A.n);

  for (size_t k = 0; k < C.a.size(); k++) C.a[k] = alpha * A.a[k] + beta * B.a[k];
  return C;
}

static inline Dense DenseProduct(const Dense &A, const Dense &B)
{
  Dense C(A.n);

  for (PetscInt i = 0; i < A.n; i++) {
    for (PetscInt k = 0; k < A.n; k++) {
      for (PetscInt j = 0; j < A.n && A(i, k) != 0; j++) C(i, j) += A(i, k) * B(k, j);
    }
  }
  return C;
}

static inline Dense DenseTranspose(const Dense &A)
{
  Dense C(A.n);

  for (PetscInt i = 0; i < A.n; i++) {
    for (PetscInt j = 0; j < A.n; j++) C(j, i) = A(i, j);
  }
  return C;
}

/* Gauss-Jordan elimination with row exchanges */
static inline Dense DenseInverse(Dense A)
{
  const PetscInt n = A.n;
  Dense          X = DenseIdentity(n);

  for (PetscInt k = 0; k < n; k++) {
    PetscInt p = k;
    for (PetscInt i = k + 1; i < n; i++) {
      if (std::abs(A(i, k)) > std::abs(A(p, k))) p = i;
    }
    for (PetscInt j = 0; j < n; j++) {
      std::swap(A(k, j), A(p, j));
      std::swap(X(k, j), X(p, j));
    }
    const PetscReal d = 1 / A(k, k);
    for (PetscInt j = 0; j < n; j++) {
      A(k, j) *= d;
      X(k, j) *= d;
    }
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal f = A(i, k);
      for (PetscInt j = 0; j < n && i != k && f != 0; j++) {
        A(i, j) -= f * A(k, j);
        X(i, j) -= f * X(k, j);
      }
    }
  }
  return X;
}

/* What f keeps: f(i, j) */
template <class F> static inline Dense DenseFilter(const Dense &A, F f)
{
  Dense C(A.n);

  for (PetscInt i = 0; i < A.n; i++) {
    for (PetscInt j = 0; j < A.n; j++) C(i, j) = f(i, j) ? A(i, j) : 0;
  }
  return C;
}

/* All ranks' rows of a distributed matrix */
static inline PetscErrorCode DenseFromMat(Mat A, Dense *C)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  *C = Dense(A->rmap->N);
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscInt           n;
    const PetscInt    *j;
    const PetscScalar *v;
    PetscCall(MatGetRow(A, i, &n, &j, &v));
    for (PetscInt k = 0; k < n; k++) (*C)(i, j[k]) += v[k];
    PetscCall(MatRestoreRow(A, i, &n, &j, &v));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, C->a.data(), (PetscMPIInt)C->a.size(), MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of y <- C x by its columns, x and y being vectors of A: apply(x, y) */
template <class F> static inline PetscErrorCode DenseFromColumns(Mat A, F apply, Dense *C)
{
  Vec                x, y;
  PetscInt           start, end;
  const PetscScalar *v;

  PetscFunctionBeginUser;
  *C = Dense(A->rmap->N);
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  for (PetscInt j = 0; j < C->n; j++) {
    PetscCall(VecSet(x, 0));
    if (j >= start && j < end) PetscCall(VecSetValue(x, j, 1, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(x));
    PetscCall(VecAssemblyEnd(x));
    PetscCall(apply(x, y));
    PetscCall(VecGetArrayRead(y, &v));
    for (PetscInt i = start; i < end; i++) (*C)(i, j) = v[i - start];
    PetscCall(VecRestoreArrayRead(y, &v));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, C->a.data(), (PetscMPIInt)C->a.size(), MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of a preconditioner */
static inline PetscErrorCode DenseFromPC(PC pc, Mat A, bool transpose, Dense *C)
{
  return DenseFromColumns(
    A, [&](Vec x, Vec y) { return (transpose ? PCApplyTranspose : PCApply)(pc, x, y); }, C);
}

/* Raises an error unless |a_ij - b_ij| <= tol max |a| */
static inline PetscErrorCode CheckDense(const Dense &A, const Dense &B, PetscReal tol, const std::string &what)
{
  PetscReal most = 0;

  PetscFunctionBeginUser;
  for (PetscReal x : A.a) most = PetscMax(most, std::abs(x));
  for (PetscInt i = 0; i < A.n; i++) {
    for (PetscInt j = 0; j < A.n; j++) {
      PetscCheck(std::abs(A(i, j) - B(i, j)) <= tol * most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: (%" PetscInt_FMT ", %" PetscInt_FMT ") is %g, not %g", what.c_str(), i, j, (double)B(i, j), (double)A(i, j));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
