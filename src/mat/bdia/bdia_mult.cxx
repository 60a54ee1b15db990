/*
   Products of the bdia matrix. The ghost values of x travel while the block diagonals multiply; the ghost part follows:

     y <- z + A_local x + B x_ghost
*/
#include "bdia.h"

using namespace hepta::bdia;

/* The vectors of a product must live where a kernel can run */
static PetscErrorCode CheckMemory(PetscMemType type)
{
  PetscFunctionBegin;
  PetscCheck(PetscMemTypeHost(type), PETSC_COMM_SELF, PETSC_ERR_SUP, "This libhepta has no device kernels for bdia: use host vectors (-vec_type standard, -dm_vec_type standard)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays of y <- z + op(A) x; z may be null or y itself */
struct ProductArrays {
  const PetscScalar *x, *z;
  PetscScalar       *y;
};

static PetscErrorCode GetArrays(Vec x, Vec z, Vec y, ProductArrays *p)
{
  PetscMemType type;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, &p->x, &type));
  PetscCall(CheckMemory(type));
  if (z == y) PetscCall(VecGetArrayAndMemType(y, &p->y, &type));
  else PetscCall(VecGetArrayWriteAndMemType(y, &p->y, &type));
  PetscCall(CheckMemory(type));
  p->z = z == y ? p->y : nullptr;
  if (z && z != y) PetscCall(VecGetArrayReadAndMemType(z, &p->z, &type));
  PetscCall(CheckMemory(type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RestoreArrays(Vec x, Vec z, Vec y, ProductArrays *p)
{
  PetscFunctionBegin;
  PetscCall(VecRestoreArrayReadAndMemType(x, &p->x));
  if (z && z != y) PetscCall(VecRestoreArrayReadAndMemType(z, &p->z));
  if (z == y) PetscCall(VecRestoreArrayAndMemType(y, &p->y));
  else PetscCall(VecRestoreArrayWriteAndMemType(y, &p->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two flops an entry set, less one for the first of each row: counted as aij counts them */
static PetscErrorCode LogFlops(Mat A)
{
  const Mat_BDIA *a = MatBDIA(A);

  PetscFunctionBegin;
  PetscCall(PetscLogFlops(PetscMax(0., 2. * (PetscLogDouble)(a->diag->entries + a->ghost.entries) - (PetscLogDouble)A->rmap->n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- y + B lvec */
static PetscErrorCode AddGhostProduct(Mat_BDIA *a, Vec y)
{
  const PetscScalar *xg;
  PetscScalar       *ya;
  PetscMemType       type;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(a->lvec, &xg, &type));
  PetscCall(VecGetArrayAndMemType(y, &ya, &type));
  PetscCall(CheckMemory(type));
  PetscCall(HeptaVisit(a->ghost, [&](auto B) {
    PetscCallHepta(ghost_spmv_host(B, xg, ya));
    return PETSC_SUCCESS;
  }));
  PetscCall(VecRestoreArrayAndMemType(y, &ya));
  PetscCall(VecRestoreArrayReadAndMemType(a->lvec, &xg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- z + A x */
PetscErrorCode MatMultAdd_BDIA(Mat A, Vec x, Vec z, Vec y)
{
  Mat_BDIA     *a = MatBDIA(A);
  ProductArrays p;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(HEPTA_Event.bdia_mult, A, x, y, nullptr));
  if (a->halo) PetscCall(VecScatterBegin(a->halo, x, a->lvec, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(GetArrays(x, z, y, &p));
  PetscCall(HeptaVisit(*a->diag, [&](auto D) {
    PetscCallHepta(spmv_host(D, p.x, p.z, p.y));
    return PETSC_SUCCESS;
  }));
  PetscCall(RestoreArrays(x, z, y, &p));
  if (a->halo) {
    PetscCall(VecScatterEnd(a->halo, x, a->lvec, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(AddGhostProduct(a, y));
  }
  PetscCall(LogFlops(A));
  PetscCall(PetscLogEventEnd(HEPTA_Event.bdia_mult, A, x, y, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_BDIA(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMultAdd_BDIA(A, x, nullptr, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* lvec <- B^T x: what this rank's rows add to other ranks' columns */
static PetscErrorCode GhostTransposeProduct(Mat_BDIA *a, Vec x)
{
  const PetscScalar *xa;
  PetscScalar       *xg;
  PetscMemType       type;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, &xa, &type));
  PetscCall(CheckMemory(type));
  PetscCall(VecGetArrayWriteAndMemType(a->lvec, &xg, &type));
  PetscCall(HeptaVisit(a->ghost, [&](auto B) {
    PetscCallHepta(ghost_spmv_transpose_host(B, xa, xg));
    return PETSC_SUCCESS;
  }));
  PetscCall(VecRestoreArrayWriteAndMemType(a->lvec, &xg));
  PetscCall(VecRestoreArrayReadAndMemType(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- z + A^T x */
PetscErrorCode MatMultTransposeAdd_BDIA(Mat A, Vec x, Vec z, Vec y)
{
  Mat_BDIA     *a = MatBDIA(A);
  ProductArrays p;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(HEPTA_Event.bdia_multtranspose, A, x, y, nullptr));
  if (a->halo) PetscCall(GhostTransposeProduct(a, x));
  PetscCall(GetArrays(x, z, y, &p));
  PetscCall(HeptaVisit(*a->diag, [&](auto D) {
    PetscCallHepta(spmv_transpose_host(D, p.x, p.z, p.y));
    return PETSC_SUCCESS;
  }));
  PetscCall(RestoreArrays(x, z, y, &p));
  if (a->halo) {
    PetscCall(VecScatterBegin(a->halo, a->lvec, y, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecScatterEnd(a->halo, a->lvec, y, ADD_VALUES, SCATTER_REVERSE));
  }
  PetscCall(LogFlops(A));
  PetscCall(PetscLogEventEnd(HEPTA_Event.bdia_multtranspose, A, x, y, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTranspose_BDIA(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMultTransposeAdd_BDIA(A, x, nullptr, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
