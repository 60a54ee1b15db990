/*
   The changes from bdia to bdiacuda, and likewise for other formats: vectors on the device, and the diagonal blocks for PETSc's
   PCPBJACOBI on the device
*/
#include <petscdevice.h>

#include "blocked.h"

using namespace hepta::blocked;

#if defined(HEPTA_HAVE_CUDA)
static PetscErrorCode MatGetBlockDiagonal_Blocked(Mat, Mat *);

static PetscErrorCode MatBindToCPU_Blocked(Mat A, PetscBool flg)
{
  PetscFunctionBegin;
  A->boundtocpu            = flg;
  A->ops->getblockdiagonal = flg ? nullptr : HeptaNoThrow<MatGetBlockDiagonal_Blocked>;
  PetscCall(PetscFree(A->defaultvectype));
  PetscCall(PetscStrallocpy(flg ? VECSTANDARD : VECCUDA, &A->defaultvectype));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetCurrentMemType_Blocked(Mat A, PetscMemType *type)
{
  PetscFunctionBegin;
  *type = A->boundtocpu ? PETSC_MEMTYPE_HOST : PETSC_MEMTYPE_CUDA;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   This rank's diagonal blocks as a separate aijcusparse: for that type alone PCPBJACOBI, which inverts the blocks on the host,
   applies the blocks on the device
*/
static PetscErrorCode MatGetBlockDiagonal_Blocked(Mat A, Mat *B)
{
  Mat_Blocked             *a = MatBlocked(A);
  const PetscInt           n = A->rmap->n, bs = a->ghost.bs;
  std::vector<PetscInt>    rows(bs);
  std::vector<PetscScalar> blocks((size_t)n * bs);

  PetscFunctionBegin;
  PetscCheck(
    A->rmap->rstart == A->cmap->rstart && n == A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_SUP,
    "The diagonal blocks need rows and columns split over the ranks in the same way; convert the matrix to MATAIJ first");
  PetscCall(a->local->DiagonalBlocks(bs, blocks.data()));
  PetscCall(MatCreate(PETSC_COMM_SELF, B));
  PetscCall(MatSetSizes(*B, n, n, n, n));
  PetscCall(MatSetBlockSize(*B, bs));
  PetscCall(MatSetType(*B, MATSEQAIJCUSPARSE));
  PetscCall(MatSeqAIJSetPreallocation(*B, bs, nullptr));
  PetscCall(MatSetOption(*B, MAT_ROW_ORIENTED, PETSC_FALSE)); /* the blocks are stored by columns */
  for (PetscInt i = 0; i < n; i += bs) {
    for (PetscInt r = 0; r < bs; r++) rows[r] = i + r;
    PetscCall(MatSetValues(*B, bs, rows.data(), bs, rows.data(), blocks.data() + (size_t)i * bs, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  /* for MatInvertBlockDiagonal(), whose MatGetValues() depends on this option too */
  PetscCall(MatSetOption(*B, MAT_ROW_ORIENTED, PETSC_TRUE));
  (*B)->erroriffailure = A->erroriffailure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedUseDevice(Mat A)
{
  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const PetscErrorCode missing = PetscDeviceInitialize(PETSC_DEVICE_CUDA);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!missing, PetscObjectComm((PetscObject)A), PETSC_ERR_GPU,
             "%s needs an NVIDIA GPU and its driver, and CUDA finds none here: use -mat_type %s", ((PetscObject)A)->type_name,
             MatBlocked(A)->format->name);
  A->ops->bindtocpu         = HeptaNoThrow<MatBindToCPU_Blocked>;
  A->ops->getcurrentmemtype = HeptaNoThrow<MatGetCurrentMemType_Blocked>;
  MatBlocked(A)->set.device = PETSC_TRUE;
  PetscCall(MatBindToCPU_Blocked(A, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode MatBlockedUseDevice(Mat A)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
          "This libhepta was built without device kernels, so it has no %scuda matrix: use -mat_type %s",
          MatBlocked(A)->format->name, MatBlocked(A)->format->name);
}
#endif
