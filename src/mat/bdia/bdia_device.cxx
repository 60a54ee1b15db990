/* What makes a bdia matrix a bdiacuda one: vectors on the device, and the diagonal blocks for PETSc's PCPBJACOBI there */
#include <petscdevice.h>

#include "../blocked/blocked_values.h"

using namespace hepta::bdia;
using namespace hepta::blocked;

#if defined(HEPTA_HAVE_CUDA)
static PetscErrorCode MatGetBlockDiagonal_Blocked(Mat, Mat *);

static PetscErrorCode MatBindToCPU_Blocked(Mat A, PetscBool flg)
{
  PetscFunctionBegin;
  A->boundtocpu            = flg;
  A->ops->getblockdiagonal = flg ? nullptr : MatGetBlockDiagonal_Blocked;
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

/* This rank's diagonal blocks as an aijcusparse of its own: PCPBJACOBI inverts the blocks on the host and applies them on the device for that type only */
static PetscErrorCode MatGetBlockDiagonal_Blocked(Mat A, Mat *B)
{
  Mat_Blocked          *a = MatBlocked(A);
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
  A->ops->bindtocpu         = MatBindToCPU_Blocked;
  A->ops->getcurrentmemtype = MatGetCurrentMemType_Blocked;
  PetscCall(MatBindToCPU_Blocked(A, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
static PetscErrorCode UseDevice(Mat A)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "This libhepta was built without device kernels, so it has no bdiacuda matrix: use -mat_type bdia");
}
#endif

/*MC
   MATBDIACUDA - "bdiacuda" - A `MATBDIA` whose vectors live on an NVIDIA GPU

   Options Database Keys:
. -mat_type bdiacuda - sets the matrix type to `MATBDIACUDA` during a call to `MatSetFromOptions()`; the other options are those of `MATBDIA`

   Level: beginner

   Notes:
   `MATBDIACUDA` is `MATSEQBDIACUDA` on one MPI process and `MATMPIBDIACUDA` on several. It is `MATBDIA` in everything but this: `MatCreateVecs()` makes
   `VECCUDA` vectors, and so do the solvers that ask it for work vectors; `PCPBJACOBI` applies its blocks on the device. For both types the memory of the vectors decides where a product runs: `MATBDIA` multiplies
   `VECCUDA` vectors on the device, `MATBDIACUDA` multiplies host vectors on the host. Where the vectors of one call are in different memories, the host works.

   Values live where they were last written: `MatSetValues()` writes on the host, `MatSetValuesCOO()` where its values are, `MatScale()`, `MatShift()`, `MatAXPY()`,
   `MatCopy()`, `MatZeroEntries()` and `MatNorm()` work where the values are, `MatGetDiagonal()`, `MatDiagonalSet()`, `MatDiagonalScale()` and products where the
   vectors are. An access from the other side copies the values once; they are copied back only after a change.

   `MatSetPreallocationCOO()` takes indices on the host or the device and analyzes them on the host. Half storage takes COO values through the host, where it
   compares the two halves. Rows, zeroing rows, factorizations other than `MATSOLVERBBS` and what works on a converted `MATAIJ` run on the host.

   `MatConvert()` from `MATAIJCUSPARSE`, and to it once the values are on the device, moves the values on the device; the structure is found on the host, and
   with `MAT_REUSE_MATRIX` not again.

   Repeated products give the same bits. On a machine without a GPU or its driver the type raises `PETSC_ERR_GPU`; `MATBDIA` works there, from the same library.

   References:
   See `MATBDIA`. The device product keeps the column-major values of L. A. Firdaus's thesis, section 5.2; its threads, one for each row and further ones that share a
   row's diagonals in small matrices, are our own.

.seealso: `MATBDIA`, `MATSEQBDIACUDA`, `MATMPIBDIACUDA`, `VECCUDA`, `MATAIJCUSPARSE`
M*/

/*MC
   MATSEQBDIACUDA - "seqbdiacuda" - A `MATSEQBDIA` whose vectors live on an NVIDIA GPU

   Options Database Keys:
. -mat_type seqbdiacuda - sets the matrix type to `MATSEQBDIACUDA` during a call to `MatSetFromOptions()`

   Level: beginner

   References:
   See `MATBDIACUDA`.

.seealso: `MATBDIACUDA`, `MATMPIBDIACUDA`, `MATSEQBDIA`
M*/

/*MC
   MATMPIBDIACUDA - "mpibdiacuda" - A `MATMPIBDIA` whose vectors live on NVIDIA GPUs

   Options Database Keys:
. -mat_type mpibdiacuda - sets the matrix type to `MATMPIBDIACUDA` during a call to `MatSetFromOptions()`

   Level: beginner

   Notes:
   Ghost values are packed on the device and travel from there when MPI is GPU-aware, else (`-use_gpu_aware_mpi 0`) through pinned host memory, while the block diagonals are
   multiplied.

   References:
   See `MATBDIACUDA`.

.seealso: `MATBDIACUDA`, `MATSEQBDIACUDA`, `MATMPIBDIA`
M*/

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
