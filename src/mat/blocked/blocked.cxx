/* Blocked matrices: creation, set-up and destruction. The constructor at the end lists the operations. */
#include <cstdlib>

#include "../../shared/arrays.h"
#include "../structure.h"
#include "blocked.h"

using namespace hepta::blocked;

const char *const HeptaMatStorages[] = {"double", "single", "HeptaMatStorage", "HEPTA_MAT_STORAGE_", nullptr};

PetscErrorCode HeptaStorage::SetUpLayouts(Mat A)
{
  PetscFunctionBegin;
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  for (PetscLayout map : {A->rmap, A->cmap}) {
    PetscCheck(map->range[map->size] == map->N, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
               "The local numbers of %s of all MPI processes add up to %" PetscInt_FMT ", and the global number is %" PetscInt_FMT
               ": MatSetSizes() takes PETSC_DETERMINE for one of them",
               map == A->rmap ? "rows" : "columns", map->range[map->size], map->N);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaStorage::SetBits(const HeptaSpace &space, HeptaValues &copy, const uint32_t **bits)
{
  uint32_t *p = set;

  PetscFunctionBegin;
  if (space.device) {
    PetscCall(copy.Make(HeptaSpace(), Size() / 32, &p));
    PetscCall(PetscArraycpy(p, set, Size() / 32));
    PetscCall(copy.Access(space, HeptaAccess::read, &p));
  }
  *bits = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedCheckEmpty(Mat A, const char what[], bool same)
{
  PetscFunctionBegin;
  PetscCheck(same || !A->preallocated, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "%s must be set before MatSetUp() and before values are set", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedSetStorage(Mat A, HeptaMatStorage storage)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCall(MatBlockedCheckEmpty(A, HeptaFormat("The stored type (-mat_%s_storage)", a->format->name).c_str(),
                                 a->set.storage == storage));
  a->set.storage = storage;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedParseSize(Mat A, const char option[], const char value[], PetscInt least, PetscInt *bs)
{
  char      *end;
  const long n = std::strtol(value, &end, 10);
  PetscBool  automatic;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(value, "auto", &automatic));
  PetscCheck(automatic || (*value && !*end && n >= least && n <= PETSC_INT_MAX), PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_OUTOFRANGE, "%s %s is neither a positive block size nor auto", option, value);
  *bs = automatic ? 0 : (PetscInt)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Programs for aij also set block sizes after preallocation, which does not set up an aij. So a matrix without values may change
   its block sizes and is set up again later.
*/
static PetscErrorCode MatSetBlockSizes_Blocked(Mat A, PetscInt rbs, PetscInt cbs)
{
  const bool same = rbs == HeptaBlockSize(A->rmap) && cbs == HeptaBlockSize(A->cmap);

  PetscFunctionBegin;
  if (!same && MatBlocked(A)->only_preallocated && A->insertmode == NOT_SET_VALUES) A->preallocated = PETSC_FALSE;
  PetscCall(MatBlockedCheckEmpty(A, "The block size", same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedShape(Mat A)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCall(a->local->SetUpLayouts(A));
  if (a->block &&
      (HeptaBlockSize(a->block->rmap) != HeptaBlockSize(A->rmap) || HeptaBlockSize(a->block->cmap) != HeptaBlockSize(A->cmap)))
    PetscCall(MatDestroy(&a->block));
  const PetscInt bs = HeptaCommonBlockSize(A);
  PetscCall(a->local->SetUp(a->set, bs, A->rmap->n, A->cmap->n));
  a->ghost.Free();
  a->ghost.pending.clear();
  a->ghost.bs     = bs;
  a->ghost.nbr    = A->rmap->n / bs;
  a->ghost.single = a->local->single;
  a->ready = a->mirrored = a->set_lower = a->set_lower_in_block = false;
  if (a->set.half) {
    PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  A->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetUp_Blocked(Mat A)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(MatBlockedShape(A));
  if (MatBlocked(A)->set.presets) PetscCall(MatBlocked(A)->local->PresetFromOptions(A));
  PetscCall(MatGetDM(A, &dm));
  if (dm) PetscCall(MatBlockedPresetDMDA(A, dm));
  PetscCall(MatBlockedComposePreallocation(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedCreateLike(Mat A, HeptaMatStorage storage, PetscBool half, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(*B, A, A));
  PetscCall(MatSetType(*B, ((PetscObject)A)->type_name));
  (*B)->structure_only        = A->structure_only;
  Settings set                = MatBlocked(A)->set;
  set.storage                 = storage;
  set.half                    = half;
  MatBlocked(*B)->set         = set;
  MatBlocked(*B)->set.presets = PETSC_FALSE; /* the structure comes from A */
  PetscCall(MatSetUp(*B));
  MatBlocked(*B)->set = set;
  PetscCall(PetscLayoutReference(A->rmap, &(*B)->rmap));
  PetscCall(PetscLayoutReference(A->cmap, &(*B)->cmap));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   On one rank the block is the matrix itself; otherwise a sequential matrix that shares the local part and is kept, so that its
   address does not change
*/
static PetscErrorCode MatGetDiagonalBlock_Blocked(Mat A, Mat *block)
{
  Mat_Blocked     *a = MatBlocked(A);
  PetscObjectState state;
  PetscBool        seq, device;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, a->format->seq, &seq));
  if (seq) {
    *block = A;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!a->block) {
    PetscCall(MatCreate(PETSC_COMM_SELF, &a->block));
    PetscCall(MatSetSizes(a->block, A->rmap->n, A->cmap->n, A->rmap->n, A->cmap->n));
    PetscCall(MatSetBlockSizes(a->block, HeptaBlockSize(A->rmap), HeptaBlockSize(A->cmap)));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, a->format->mpicuda, &device));
    PetscCall(MatSetType(a->block, device ? a->format->seqcuda : a->format->seq));
    MatBlocked(a->block)->set         = a->set;
    MatBlocked(a->block)->set.presets = PETSC_FALSE;
    PetscCall(MatSetUp(a->block));
    MatBlocked(a->block)->local = a->local;
    MatBlocked(a->block)->ready = true;
    a->block->assembled         = PETSC_TRUE;
  }
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  if (state != a->block_state) PetscCall(PetscObjectStateIncrease((PetscObject)a->block));
  if (A->nonzerostate != a->block_nonzerostate) PetscCall(HeptaRaiseNonzeroState(a->block, A->nonzerostate));
  a->block_state        = state;
  a->block_nonzerostate = A->nonzerostate;
  *block                = a->block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedGetFill(Mat A, PetscReal *fill)
{
  const Mat_Blocked *a       = MatBlocked(A);
  PetscReal          sums[2] = {(PetscReal)a->local->slots + (PetscReal)a->ghost.slots,
                                (PetscReal)a->local->entries + (PetscReal)a->ghost.entries};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  *fill = sums[1] > 0 ? sums[0] / sums[1] : 1; /* without entries no slot is wasted */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   "MatHeptaExchange_C": the exchange of a product alone, by the transport that A has, for programs that time exchanges.
   *ghosts <- the values of x that this rank received, ascending by global column, in the memory where x is: borrowed, valid until
   A's next operation; null if no rank needs any. Collective
*/
static PetscErrorCode MatHeptaExchange_Blocked(Mat A, Vec x, Vec *ghosts)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  *ghosts = nullptr;
  if (!a->halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBlockedHaloBegin(A, x));
  PetscCall(MatBlockedHaloEnd(A, x));
  *ghosts = a->lvec;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_Blocked(Mat A)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCall(a->halo.Reset());
  PetscCall(HeptaVecFree(&a->lvec));
  PetscCall(MatDestroy(&a->block));
  PetscCall(MatDestroy(&a->aij));
  for (const std::string &name : HeptaBlockedFunctions)
    PetscCall(PetscObjectComposeFunction((PetscObject)A, name.c_str(), nullptr));
  delete a;
  A->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaIsBlocked(Mat A)
{
  return A->ops->destroy == HeptaNoThrow<MatDestroy_Blocked>;
}

/* An error if a sequential type is set on several ranks */
static PetscErrorCode CheckRanks(Mat A, const HeptaBlockedFormat &format, MatType type)
{
  PetscBool seq;

  PetscFunctionBegin;
  PetscCall(PetscStrcmpAny(type, &seq, format.seq, format.seqcuda, ""));
  PetscCheck(!seq || A->rmap->size == 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "%s lives on one rank, not on %d: use %s or %s", format.seq, A->rmap->size, format.name, format.mpi);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_Blocked(Mat A, const HeptaBlockedFormat &format, MatType type)
{
  PetscBool cuda;

  PetscFunctionBegin;
  PetscCall(CheckRanks(A, format, type));
  Mat_Blocked *a = new Mat_Blocked;
  a->format      = &format;
  a->local.reset(format.storage());
  A->data                  = a;
  A->ops->setup            = HeptaNoThrow<MatSetUp_Blocked>;
  A->ops->setfromoptions   = format.options;
  A->ops->setoption        = HeptaNoThrow<MatSetOption_Blocked>;
  A->ops->setblocksizes    = HeptaNoThrow<MatSetBlockSizes_Blocked>;
  A->ops->destroy          = HeptaNoThrow<MatDestroy_Blocked>;
  A->ops->duplicate        = HeptaNoThrow<MatDuplicate_Blocked>;
  A->ops->convert          = HeptaNoThrow<MatConvert_Blocked>;
  A->ops->convertfrom      = HeptaNoThrow<MatConvertFrom_Blocked>;
  A->ops->load             = HeptaNoThrow<MatLoad_Blocked>;
  A->ops->setvalues        = HeptaNoThrow<MatSetValuesChecked_Blocked>;
  A->ops->setvaluesblocked = HeptaNoThrow<MatSetValuesBlockedChecked_Blocked>;
  A->ops->assemblybegin    = HeptaNoThrow<MatAssemblyBegin_Blocked>;
  A->ops->assemblyend      = HeptaNoThrow<MatAssemblyEnd_Blocked>;
  A->ops->mult             = HeptaNoThrow<MatMult_Blocked>;
  A->ops->multadd          = HeptaNoThrow<MatMultAdd_Blocked>;
  A->ops->multtranspose    = HeptaNoThrow<MatMultTranspose_Blocked>;
  A->ops->multtransposeadd = HeptaNoThrow<MatMultTransposeAdd_Blocked>;
  A->ops->getdiagonalblock = HeptaNoThrow<MatGetDiagonalBlock_Blocked>;
  PetscCall(MatBlockedSetOps_Values(A));
  PetscCall(MatBlockedSetOps_Rows(A));
  PetscCall(MatBlockedSetOps_View(A));
  PetscCall(MatBlockedSetOps_ViaAIJ(A));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, type));
  PetscCall(MatBlockedComposeAtFirst(A));
  PetscCall(MatBlockedComposeFunction(A, "MatHeptaExchange_C", HeptaNoThrow<MatHeptaExchange_Blocked>));
  for (const auto &method : format.methods) PetscCall(MatBlockedComposeFunction(A, method.first, method.second));
  PetscCall(PetscStrcmpAny(type, &cuda, format.seqcuda, format.mpicuda, ""));
  if (cuda) PetscCall(MatBlockedUseDevice(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
