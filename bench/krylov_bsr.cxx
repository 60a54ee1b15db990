/* cuSPARSE's product in blocks as a PETSc matrix: PETSc has no such format on a device */
#include "krylov.h"

#ifdef HEPTA_HAVE_CUDA
  #include "cusparse.h"

namespace
{

struct Blocks {
  cusparseHandle_t handle = nullptr;
  DeviceMatrix     matrix;
  CusparseProduct  product;
};

} // namespace

/* y <- A x on PETSc's stream */
static PetscErrorCode Multiply(Mat A, Vec x, Vec y)
{
  Blocks            *b;
  const PetscScalar *from;
  PetscScalar       *to;
  cudaStream_t       stream;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(A, &b));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCall(VecCUDAGetArrayRead(x, &from));
  PetscCall(VecCUDAGetArrayWrite(y, &to));
  PetscCallCUSPARSE(cusparseSetStream(b->handle, stream));
  PetscCallCUSPARSE(cusparseDnVecSetValues(b->product.vx, const_cast<PetscScalar *>(from)));
  PetscCallCUSPARSE(cusparseDnVecSetValues(b->product.vy, to));
  PetscCall(b->product.Run());
  PetscCall(VecCUDARestoreArrayWrite(y, &to));
  PetscCall(VecCUDARestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Free(Blocks *b)
{
  PetscFunctionBegin;
  PetscCall(b->product.Destroy());
  PetscCall(b->matrix.Destroy());
  PetscCallCUSPARSE(cusparseDestroy(b->handle));
  delete b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Mat A)
{
  Blocks *b;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(A, &b));
  PetscCall(Free(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks whose values stand in columns: the faster order in cuSPARSE */
static PetscErrorCode Create(CSR &A, PetscInt bs, Blocks *b)
{
  const PetscInt nc = A.nc;
  CSR            made;

  PetscFunctionBegin;
  A.nc = bs;
  PetscCallCUSPARSE(cusparseCreate(&b->handle));
  PetscCall(b->matrix.Create(A, ConvertTo(A, Format::BlockColumns, made), Format::BlockColumns, false));
  PetscCall(b->product.Create(b->handle, b->matrix, CUSPARSE_SPMV_BSR_ALG1, false, std::vector<PetscScalar>(A.rows, 1)));
  A.nc = nc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovCreateBSR(CSR &A, PetscInt bs, Mat *B)
{
  auto *b = new Blocks;

  PetscFunctionBegin;
  *B = nullptr;
  PetscCall(Create(A, bs, b));
  if (b->product.status != CUSPARSE_STATUS_SUCCESS) {
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "krylov: cuSPARSE refuses blocks of %" PetscInt_FMT ": %s\n", bs,
                           cusparseGetErrorString(b->product.status)));
    PetscCall(Free(b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateShell(PETSC_COMM_SELF, A.rows, A.rows, A.rows, A.rows, b, B));
  PetscCall(MatShellSetVecType(*B, VECCUDA));
  PetscCall(MatShellSetOperation(*B, MATOP_MULT, (PetscErrorCodeFn *)Multiply));
  PetscCall(MatShellSetOperation(*B, MATOP_DESTROY, (PetscErrorCodeFn *)Destroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode KrylovCreateBSR(CSR &, PetscInt, Mat *B)
{
  PetscFunctionBegin;
  *B = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
