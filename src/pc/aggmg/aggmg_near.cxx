/* The near null vectors of the first level */
#include "aggmg.h"

using hepta::Index;

PetscErrorCode HeptaAggMGCoordinates::Set(PetscInt d, PetscInt n, const PetscReal x[])
{
  PetscFunctionBegin;
  dim = d;
  of.assign(x, x + (size_t)d * (size_t)n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rigid-body modes, if a node has as many unknowns as coordinates; nullptr otherwise */
PetscErrorCode HeptaAggMGCoordinates::Modes(Mat A, MatNullSpace *modes) const
{
  const PetscInt bs = HeptaBlockSize(A->rmap), n = A->rmap->n;
  PetscScalar   *to;
  Vec            x;

  PetscFunctionBegin;
  *modes = nullptr;
  if (!dim) PetscFunctionReturn(PETSC_SUCCESS);
  if (bs != dim || bs == 1) PetscFunctionReturn(PETSC_SUCCESS);
  const bool fits = of.size() == (size_t)(n / bs) * (size_t)dim;
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), fits ? PETSC_SUCCESS : PETSC_ERR_ARG_SIZ,
                              HeptaFormat("PC aggmg: PCSetCoordinates() gave %zu coordinates of %" PetscInt_FMT
                                          " dimensions, but this process has %" PetscInt_FMT " blocks of %" PetscInt_FMT " rows",
                                          of.size(), dim, n / bs, bs)));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)A), n, A->rmap->N, &x));
  PetscCall(VecSetBlockSize(x, bs));
  PetscCall(VecGetArrayWrite(x, &to));
  std::copy(of.begin(), of.end(), to);
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(MatNullSpaceCreateRigidBody(x, modes));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x, the near null vector number v, must have n rows, and finite entries */
static PetscErrorCode CheckNear(MPI_Comm comm, size_t n, PetscInt v, Vec x)
{
  PetscReal size;
  PetscInt  rows;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &rows));
  PetscCall(HeptaAgreeOnError(comm, rows == (PetscInt)n ? PETSC_SUCCESS : PETSC_ERR_ARG_SIZ,
                              HeptaFormat("PC aggmg: near null vector %" PetscInt_FMT " has %" PetscInt_FMT
                                          " rows on a process where the matrix has %zu",
                                          v, rows, n)));
  PetscCall(VecNorm(x, NORM_INFINITY, &size));
  PetscCheck(PetscIsNormalReal(size) || size == 0, comm, PETSC_ERR_FP,
             "PC aggmg: near null vector %" PetscInt_FMT
             ", of MatSetNearNullSpace() or PCSetCoordinates(), has an entry that is Inf or NaN",
             v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Near null vectors: of MatSetNearNullSpace(), or rigid-body modes of PCSetCoordinates(), or constants for each unknown of a node
*/
PetscErrorCode HeptaAggMG::NearNull(const HeptaSpace &space, MatNullSpace given)
{
  const size_t n        = levels[0]->Rows();
  const int    bs       = levels[0]->A.br;
  MatNullSpace modes    = nullptr;
  PetscBool    constant = PETSC_FALSE;
  PetscInt     count    = 0;
  const Vec   *vecs     = nullptr;
  double      *B;

  PetscFunctionBegin;
  if (!given) PetscCall(coordinates.Modes(op.A, &modes));
  if (!given) given = modes;
  if (given) PetscCall(MatNullSpaceGetVecs(given, &constant, &count, &vecs));
  if (!(count + constant)) given = nullptr;
  k = given ? (int)(count + constant) : bs;
  PetscCall(levels[0]->null.Make(HeptaSpace(), n * (size_t)k, &B));
  for (size_t i = 0; i < n; i++) {
    for (int c = 0; c < k; c++) B[i * (size_t)k + (size_t)c] = given ? (constant && c == 0) : (int)(i % (size_t)bs) == c;
  }
  for (PetscInt v = 0; v < count; v++) {
    const PetscScalar *x;
    PetscCall(CheckNear(PetscObjectComm((PetscObject)op.A), n, v, vecs[v]));
    PetscCall(VecGetArrayRead(vecs[v], &x));
    for (size_t i = 0; i < n; i++) B[i * (size_t)k + (size_t)(v + constant)] = x[i];
    PetscCall(VecRestoreArrayRead(vecs[v], &x));
  }
  PetscCall(levels[0]->null.Access(space, HeptaAccess::read, &B));
  PetscCall(MatNullSpaceDestroy(&modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
