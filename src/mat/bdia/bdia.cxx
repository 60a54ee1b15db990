/* The bdia matrix: options, set-up, life and death. The constructor at the end lists what the type can do. */
#include <cstdlib>

#include "../blocked/blocked.h"

using namespace hepta::bdia;
using namespace hepta::blocked;

const char *const HeptaMatStorages[] = {"double", "single", "HeptaMatStorage", "HEPTA_MAT_STORAGE_", nullptr};

/* Settings that shape the storage may change only while the matrix holds nothing */
static PetscErrorCode CheckEmpty(Mat A, const char what[], PetscBool same)
{
  PetscFunctionBegin;
  PetscCheck(same || !A->preallocated, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "%s must be set before MatSetUp() and before values are set", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HeptaMatBDIASetHalf_BDIA(Mat A, PetscBool half)
{
  PetscFunctionBegin;
  PetscCall(CheckEmpty(A, "Half storage (-mat_bdia_half)", (PetscBool)(MatBlocked(A)->set.half == half)));
  MatBlocked(A)->set.half = half;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HeptaMatBDIASetStorage_BDIA(Mat A, HeptaMatStorage storage)
{
  PetscFunctionBegin;
  PetscCall(CheckEmpty(A, "The stored type (-mat_bdia_storage)", (PetscBool)(MatBlocked(A)->set.storage == storage)));
  MatBlocked(A)->set.storage = storage;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetBlockSizes_Blocked(Mat A, PetscInt rbs, PetscInt cbs)
{
  PetscFunctionBegin;
  PetscCall(CheckEmpty(A, "The block size", (PetscBool)(rbs == A->rmap->bs && cbs == A->cmap->bs)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Some rank's rows or columns do not consist of whole blocks: every rank says so */
static PetscErrorCode CheckShares(Mat A, PetscInt bs)
{
  const PetscInt n = PetscMax(A->rmap->n, 0), m = PetscMax(A->cmap->n, 0); /* -1: not yet known */
  const bool     whole = n % bs == 0 && m % bs == 0;

  PetscFunctionBegin;
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), whole ? PETSC_SUCCESS : PETSC_ERR_ARG_SIZ,
                              HeptaFormat("Block size %" PetscInt_FMT " (-mat_bdia_bs, MatSetBlockSize()) does not divide this rank's %" PetscInt_FMT " rows and %" PetscInt_FMT " columns", bs, n, m)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -mat_bdia_bs <n|auto> */
static PetscErrorCode SetBlockSizeOption(Mat A, const char value[])
{
  char      *end;
  const long bs = std::strtol(value, &end, 10);
  PetscBool  automatic;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(value, "auto", &automatic));
  MatBlocked(A)->set.auto_bs = automatic;
  if (automatic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(*value && !*end && bs > 0 && bs <= PETSC_INT_MAX, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_bdia_bs %s is neither a positive block size nor auto", value);
  if (A->preallocated && A->rmap->bs == bs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck((A->rmap->N < 0 || A->rmap->N % bs == 0) && (A->cmap->N < 0 || A->cmap->N % bs == 0), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "-mat_bdia_bs %ld does not divide the %" PetscInt_FMT " rows and %" PetscInt_FMT " columns of the matrix", bs, A->rmap->N, A->cmap->N);
  PetscCall(CheckShares(A, (PetscInt)bs));
  PetscCall(MatSetBlockSize(A, (PetscInt)bs));
  MatBlocked(A)->set.given_bs = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetFromOptions_BDIA(Mat A, PetscOptionItems PetscOptionsObject)
{
  Settings &s = MatBlocked(A)->set;
  char      bs[32];
  PetscInt  grid[4] = {0, 0, 0, 0}, n = 4; /* one more than needed, to notice it */
  PetscBool half    = s.half, flg;
  PetscEnum storage = (PetscEnum)s.storage;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "bdia matrix options");
  PetscCall(PetscOptionsString("-mat_bdia_bs", "Block size, or auto: chosen by MatConvert() and MatLoad()", "MatSetBlockSize", s.auto_bs ? "auto" : "from the matrix", bs, sizeof(bs), &flg));
  if (flg) PetscCall(SetBlockSizeOption(A, bs));
  PetscCall(PetscOptionsIntArray("-mat_bdia_grid", "Grid J,H,I: sets the offsets 0, 1, J, J*H and their negatives", "HeptaMatBDIASetGrid", grid, &n, &flg));
  PetscCheck(!flg || n == 3, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG, "-mat_bdia_grid needs three numbers J,H,I, got %s", n > 3 ? "more" : n == 2 ? "two" : "one");
  if (flg) PetscCall(HeptaMatBDIASetGrid(A, grid[0], grid[1], grid[2]));
  PetscCall(PetscOptionsBool("-mat_bdia_half", "Store the diagonal and upper half of a symmetric matrix", "HeptaMatBDIASetHalf", half, &half, nullptr));
  PetscCall(HeptaMatBDIASetHalf(A, half));
  PetscCall(PetscOptionsEnum("-mat_bdia_storage", "Type of the stored values", "HeptaMatBDIASetStorage", HeptaMatStorages, storage, &storage, nullptr));
  PetscCall(HeptaMatBDIASetStorage(A, (HeptaMatStorage)storage));
  PetscCall(PetscOptionsInt("-mat_bdia_max_offsets", "The most block offsets a rank may have", "", s.max_offsets, &s.max_offsets, nullptr));
  PetscCheck(s.max_offsets >= 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_bdia_max_offsets %" PetscInt_FMT " must be at least 1", s.max_offsets);
  PetscCall(PetscOptionsReal("-mat_bdia_max_fill", "The most value slots for every entry set", "", s.max_fill, &s.max_fill, nullptr));
  PetscCheck(s.max_fill >= 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_bdia_max_fill %g must be at least 1", (double)s.max_fill);
  PetscCall(PetscOptionsBool("-mat_bdia_check_values", "Look for NaN and infinity at every assembly", "", s.check_values, &s.check_values, nullptr));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns must be cut into the same blocks on every rank */
static PetscErrorCode CheckBlocks(Mat A)
{
  const PetscInt bs = A->rmap->bs;

  PetscFunctionBegin;
  PetscCheck(A->cmap->bs == bs, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "bdia needs one block size for rows and columns, not %" PetscInt_FMT " and %" PetscInt_FMT ": call MatSetBlockSize()", bs, A->cmap->bs);
  PetscCall(CheckShares(A, bs));
  PetscCheck(!MatBlocked(A)->set.half || (A->rmap->N == A->cmap->N && A->rmap->n == A->cmap->n), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ, "Half storage (-mat_bdia_half) needs a square matrix, not %" PetscInt_FMT " x %" PetscInt_FMT,
             A->rmap->N, A->cmap->N);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedShape(Mat A)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCheck(!a->set.auto_bs, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "-mat_bdia_bs auto chooses from a known pattern: it works in MatConvert() and MatLoad(); here give a number");
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  PetscCall(CheckBlocks(A));
  const PetscInt bs     = A->rmap->bs;
  const bool     single = a->set.storage == HEPTA_MAT_STORAGE_SINGLE;
  PetscCall(a->diag->Shape(bs, A->rmap->n / bs, A->cmap->n / bs, single));
  a->diag->half = a->set.half;
  a->ghost.Free();
  a->ghost.pending.clear();
  a->ghost.bs     = bs;
  a->ghost.nbr    = A->rmap->n / bs;
  a->ghost.single = single;
  a->ready = a->mirrored = a->set_lower = a->set_lower_in_block = false;
  if (a->set.half) {
    PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  A->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetUp_Blocked(Mat A)
{
  Mat_Blocked *a = MatBlocked(A);
  DM           dm;

  PetscFunctionBegin;
  PetscCall(MatBlockedShape(A));
  if (a->set.grid[0]) PetscCall(MatBDIAPresetGrid(A));
  PetscCall(MatGetDM(A, &dm));
  if (dm) PetscCall(MatBlockedPresetDMDA(A, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On one rank the matrix itself; else a sequential matrix that shares the block diagonals, kept so that its address does not change */
static PetscErrorCode MatGetDiagonalBlock_Blocked(Mat A, Mat *block)
{
  Mat_Blocked     *a = MatBlocked(A);
  PetscObjectState state;
  PetscBool        seq, device;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQBDIA, &seq));
  if (seq) {
    *block = A;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!a->block) {
    PetscCall(MatCreate(PETSC_COMM_SELF, &a->block));
    PetscCall(MatSetSizes(a->block, A->rmap->n, A->cmap->n, A->rmap->n, A->cmap->n));
    PetscCall(MatSetBlockSize(a->block, a->diag->bs));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIBDIACUDA, &device));
    PetscCall(MatSetType(a->block, device ? MATSEQBDIACUDA : MATSEQBDIA));
    MatBlocked(a->block)->set         = a->set;
    MatBlocked(a->block)->set.grid[0] = 0;
    PetscCall(MatSetUp(a->block));
    MatBlocked(a->block)->diag  = a->diag;
    MatBlocked(a->block)->ready = true;
    a->block->assembled         = PETSC_TRUE;
  }
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  if (state != a->block_state) PetscCall(PetscObjectStateIncrease((PetscObject)a->block));
  a->block_state         = state;
  a->block->nonzerostate = A->nonzerostate;
  *block                 = a->block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HeptaMatBDIAGetOffsets_BDIA(Mat A, PetscInt *nd, const PetscInt *off[])
{
  PetscFunctionBegin;
  PetscCheck(MatBlocked(A)->ready, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "The block offsets are known after the first final assembly");
  if (nd) *nd = (PetscInt)MatBlocked(A)->diag->off.size();
  if (off) *off = MatBlocked(A)->diag->off.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HeptaMatBDIAGetFill_BDIA(Mat A, PetscReal *fill)
{
  const Mat_Blocked *a       = MatBlocked(A);
  PetscReal          sums[2] = {(PetscReal)a->diag->slots + (PetscReal)a->ghost.slots, (PetscReal)a->diag->entries + (PetscReal)a->ghost.entries};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  *fill = sums[1] > 0 ? sums[0] / sums[1] : 1; /* nothing set: nothing wasted yet */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_Blocked(Mat A)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCall(VecScatterDestroy(&a->halo));
  PetscCall(VecDestroy(&a->lvec));
  PetscCall(MatDestroy(&a->block));
  PetscCall(MatDestroy(&a->aij));
  PetscCall(PetscFree(a->inverse));
  for (const char *name : {"HeptaMatBDIASetGrid_C", "HeptaMatBDIASetHalf_C", "HeptaMatBDIASetStorage_C", "HeptaMatBDIAGetOffsets_C", "HeptaMatBDIAGetFill_C", "MatSetPreallocationCOO_C", "MatSetValuesCOO_C", "MatAXPYGetPreallocation_C",
                           "MatIsTranspose_C", "MatProductSetFromOptions_anytype_C", "MatSeqAIJSetPreallocation_C", "MatMPIAIJSetPreallocation_C", "MatReorderForNonzeroDiagonal_C"})
    PetscCall(PetscObjectComposeFunction((PetscObject)A, name, nullptr));
  delete a;
  A->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreate_BDIA(Mat A, MatType type)
{
  PetscFunctionBegin;
  Mat_Blocked *a = new Mat_Blocked;
  a->diag        = std::make_shared<Diagonals>();
  A->data        = a;

  A->ops->setup            = MatSetUp_Blocked;
  A->ops->setfromoptions   = MatSetFromOptions_BDIA;
  A->ops->setoption        = MatSetOption_Blocked;
  A->ops->setblocksizes    = MatSetBlockSizes_Blocked;
  A->ops->destroy          = MatDestroy_Blocked;
  A->ops->duplicate        = MatDuplicate_Blocked;
  A->ops->convert          = MatConvert_Blocked;
  A->ops->convertfrom      = MatConvertFrom_Blocked;
  A->ops->load             = MatLoad_Blocked;
  A->ops->setvalues        = MatSetValues_Blocked;
  A->ops->setvaluesblocked = MatSetValuesBlocked_Blocked;
  A->ops->assemblybegin    = MatAssemblyBegin_Blocked;
  A->ops->assemblyend      = MatAssemblyEnd_Blocked;
  A->ops->mult             = MatMult_Blocked;
  A->ops->multadd          = MatMultAdd_Blocked;
  A->ops->multtranspose    = MatMultTranspose_Blocked;
  A->ops->multtransposeadd = MatMultTransposeAdd_Blocked;
  A->ops->getdiagonalblock = MatGetDiagonalBlock_Blocked;
  PetscCall(MatBlockedSetOps_Values(A));
  PetscCall(MatBlockedSetOps_Rows(A));
  PetscCall(MatBlockedSetOps_View(A));
  PetscCall(MatBlockedSetOps_ViaAIJ(A));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "HeptaMatBDIASetGrid_C", HeptaMatBDIASetGrid_BDIA));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "HeptaMatBDIASetHalf_C", HeptaMatBDIASetHalf_BDIA));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "HeptaMatBDIASetStorage_C", HeptaMatBDIASetStorage_BDIA));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "HeptaMatBDIAGetOffsets_C", HeptaMatBDIAGetOffsets_BDIA));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "HeptaMatBDIAGetFill_C", HeptaMatBDIAGetFill_BDIA));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetPreallocationCOO_C", MatSetPreallocationCOO_Blocked));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetValuesCOO_C", MatSetValuesCOO_Blocked));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_SeqBDIA(Mat A)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCheck(size == 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG, "seqbdia lives on one rank, not on %d: use bdia or mpibdia", size);
  PetscCall(MatCreate_BDIA(A, MATSEQBDIA));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_MPIBDIA(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate_BDIA(A, MATMPIBDIA));
  PetscFunctionReturn(PETSC_SUCCESS);
}
