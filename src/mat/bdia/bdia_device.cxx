/* What makes a bdia matrix a bdiacuda one: vectors on the device, and the diagonal blocks for PETSc's PCPBJACOBI there */
#include <petscdevice.h>

#include "bdia_values.h"

using namespace hepta::bdia;

#if defined(HEPTA_HAVE_CUDA)
static PetscErrorCode MatGetBlockDiagonal_BDIA(Mat, Mat *);

static PetscErrorCode MatBindToCPU_BDIA(Mat A, PetscBool flg)
{
  PetscFunctionBegin;
  A->boundtocpu            = flg;
  A->ops->getblockdiagonal = flg ? nullptr : MatGetBlockDiagonal_BDIA;
  PetscCall(PetscFree(A->defaultvectype));
  PetscCall(PetscStrallocpy(flg ? VECSTANDARD : VECCUDA, &A->defaultvectype));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetCurrentMemType_BDIA(Mat A, PetscMemType *type)
{
  PetscFunctionBegin;
  *type = A->boundtocpu ? PETSC_MEMTYPE_HOST : PETSC_MEMTYPE_CUDA;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's diagonal blocks as an aijcusparse of its own: PCPBJACOBI inverts the blocks on the host and applies them on the device for that type only */
static PetscErrorCode MatGetBlockDiagonal_BDIA(Mat A, Mat *B)
{
  Mat_BDIA             *a = MatBDIA(A);
  const PetscInt        n = A->rmap->n, bs = a->diag->bs;
  std::vector<PetscInt> cols(bs);
  const PetscInt        d = a->diag->Find(0);

  PetscFunctionBegin;
  PetscCheck(A->rmap->rstart == A->cmap->rstart && n == A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_SUP, "The diagonal blocks need rows and columns split over the ranks alike; convert the matrix to MATAIJ first");
  PetscCall(MatCreate(PETSC_COMM_SELF, B));
  PetscCall(MatSetSizes(*B, n, n, n, n));
  PetscCall(MatSetBlockSize(*B, bs));
  PetscCall(MatSetType(*B, MATSEQAIJCUSPARSE));
  PetscCall(MatSeqAIJSetPreallocation(*B, bs, nullptr));
  PetscCall(HeptaRead(*a->diag, [&](auto D) {
    std::vector<PetscScalar> vals(bs);
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt s = 0; s < bs; s++) {
        cols[s] = i / bs * bs + s;
        vals[s] = d < 0 ? 0 : (PetscScalar)D.v[slot(D, d, i / bs, i % bs, s)];
      }
      PetscCall(MatSetValues(*B, 1, &i, bs, cols.data(), vals.data(), INSERT_VALUES));
    }
    return PETSC_SUCCESS;
  }));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  (*B)->erroriffailure = A->erroriffailure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UseDevice(Mat A)
{
  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const PetscErrorCode missing = PetscDeviceInitialize(PETSC_DEVICE_CUDA);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!missing, PetscObjectComm((PetscObject)A), PETSC_ERR_GPU, "%s needs an NVIDIA GPU and its driver, and CUDA finds none here: use -mat_type bdia", ((PetscObject)A)->type_name);
  A->ops->bindtocpu         = MatBindToCPU_BDIA;
  A->ops->getcurrentmemtype = MatGetCurrentMemType_BDIA;
  PetscCall(MatBindToCPU_BDIA(A, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
static PetscErrorCode UseDevice(Mat A)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "This libhepta was built without device kernels, so it has no bdiacuda matrix: use -mat_type bdia");
}
#endif

PetscErrorCode MatCreate_SeqBDIACUDA(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate_SeqBDIA(A));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATSEQBDIACUDA));
  PetscCall(UseDevice(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_MPIBDIACUDA(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate_MPIBDIA(A));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATMPIBDIACUDA));
  PetscCall(UseDevice(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
