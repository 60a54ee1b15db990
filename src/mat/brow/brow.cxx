/* The brow matrix: options, the structure of other matrices, and its format */
#include "brow.h"

using hepta::blocked::Settings;
using hepta::brow::BlockRows;

static const char *const mappings[] = {"auto", "warp", "blockrow", "multirow"}; /* hepta::brow::Mapping */

static PetscErrorCode HeptaMatBROWSetTileSize_BROW(Mat A, PetscInt bs)
{
  Settings &s = MatBlocked(A)->set;

  PetscFunctionBegin;
  PetscCall(MatBlockedCheckEmpty(A, "The tile size (-mat_brow_bs)", bs == s.tile && (bs || s.auto_bs)));
  s.tile    = bs;
  s.auto_bs = (PetscBool)!bs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HeptaMatBROWGetTileSize_BROW(Mat A, PetscInt *bs)
{
  PetscFunctionBegin;
  PetscCheck(MatBlocked(A)->ready, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "The tile size is known after the first final assembly");
  *bs = MatBlocked(A)->local->bs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBROWCheckTileSize(Mat A, PetscInt bs)
{
  PetscFunctionBegin;
  PetscCheck(bs >= 0 && bs <= hepta::brow::max_tile, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "The tile size %" PetscInt_FMT " (-mat_brow_bs) must be from 1 to %d, or 0 (auto) for one to be chosen", bs, hepta::brow::max_tile);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBROWReadSettings(Mat A, PetscOptionItems PetscOptionsObject, Settings &s)
{
  char      tile[32];
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-mat_brow_bs", "Tile size; auto or 0: chosen", "HeptaMatBROWSetTileSize", s.auto_bs ? "auto" : "block size, auto for 1", tile, sizeof(tile), &flg));
  if (flg) {
    PetscCall(MatBlockedParseSize(A, "-mat_brow_bs", tile, 0, &s.tile));
    PetscCall(MatBROWCheckTileSize(A, s.tile));
    s.auto_bs = (PetscBool)!s.tile;
  }
  PetscCall(PetscOptionsEList("-mat_brow_mapping", "What the device gives a block row to", "MATBROW", mappings, 4, mappings[s.mapping], &s.mapping, nullptr));
  PetscCall(PetscOptionsInt("-mat_brow_bx", "Threads that share a row, 0: as many as fill the device", "MATBROW", s.bx, &s.bx, nullptr));
  PetscCheck(s.bx >= 0 && s.bx <= 8 && !(s.bx & (s.bx - 1)), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_brow_bx %" PetscInt_FMT " must be 0, 1, 2, 4 or 8", s.bx);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_BROW(Mat A, PetscOptionItems PetscOptionsObject)
{
  Settings &s = MatBlocked(A)->set, given = s;
  PetscEnum storage = (PetscEnum)s.storage;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "brow matrix options");
  PetscCall(MatBROWReadSettings(A, PetscOptionsObject, given));
  if (given.tile != s.tile || given.auto_bs != s.auto_bs) PetscCall(HeptaMatBROWSetTileSize(A, given.tile));
  PetscCall(MatBlockedCheckEmpty(A, "The mapping (-mat_brow_mapping, -mat_brow_bx)", given.mapping == s.mapping && given.bx == s.bx));
  s.mapping = given.mapping;
  s.bx      = given.bx;
  PetscCall(PetscOptionsEnum("-mat_brow_storage", "Type of the stored values", "HeptaMatBROWSetStorage", HeptaMatStorages, storage, &storage, nullptr));
  PetscCall(HeptaMatBROWSetStorage(A, (HeptaMatStorage)storage));
  PetscCall(PetscOptionsBool("-mat_brow_balance", "MatLoad() gives the ranks equally many blocks", "HeptaMatGetBalancedRows", s.balance, &s.balance, nullptr));
  PetscCall(PetscOptionsBool("-mat_brow_check_values", "Look for NaN and infinity at every assembly", "", s.check_values, &s.check_values, nullptr));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBROWReadRows(Mat A, PetscInt empty, std::vector<hepta::Index> &i, std::vector<hepta::Index> &j)
{
  PetscInt last;

  PetscFunctionBegin;
  i.assign((size_t)empty + 1, 0);
  j.clear();
  PetscCall(MatBlockedForRows(A, true, [&](PetscInt, PetscInt n, const PetscInt *cols, const PetscScalar *) {
    j.insert(j.end(), cols, cols + n);
    PetscCall(PetscIntCast((MPIU_Count)j.size(), &last));
    i.push_back((hepta::Index)last);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Structure of another matrix: what the device cannot find is found here */
static PetscErrorCode FitRows(Mat A, bool values, BlockRows &B)
{
  std::vector<size_t>       i(1, 0);
  std::vector<hepta::Index> j;
  const PetscInt            cstart = A->cmap->rstart, cend = A->cmap->rend;

  PetscFunctionBegin;
  PetscCall(MatBlockedForRows(A, values, [&](PetscInt, PetscInt n, const PetscInt *cols, const PetscScalar *) {
    for (PetscInt k = 0; k < n; k++) {
      if (cols[k] >= cstart && cols[k] < cend) j.push_back((hepta::Index)(cols[k] - cstart));
    }
    i.push_back(j.size());
    return PETSC_SUCCESS;
  }));
  PetscCall(B.Preset(i.data(), j.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Block sizes and structure of another matrix */
PetscErrorCode BlockRows::Fit(Mat A, bool values, Mat B, bool *whole)
{
  PetscFunctionBegin;
  if (B->rmap->bs <= 1 && B->cmap->bs <= 1) PetscCall(MatSetBlockSizes(B, A->rmap->bs, A->cmap->bs));
  PetscCall(MatSetUp(B));
  if (MatBlocked(B)->ready) PetscFunctionReturn(PETSC_SUCCESS);
#if defined(HEPTA_HAVE_CUDA)
  if (!values) PetscCall(FitCUSPARSE(A, whole));
#endif
  if (!*whole) PetscCall(FitRows(A, values, *this));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static HeptaBlockedFormat MakeFormat()
{
  HeptaBlockedFormat f;

  f.name     = MATBROW;
  f.cuda     = MATBROWCUDA;
  f.seq      = MATSEQBROW;
  f.mpi      = MATMPIBROW;
  f.seqcuda  = MATSEQBROWCUDA;
  f.mpicuda  = MATMPIBROWCUDA;
  f.log      = "HeptaBROW";
  f.no_place = "in a block that is not stored";
  f.direct   = "leave out -mat_brow_storage single";
  f.options  = HeptaNoThrow<MatSetFromOptions_BROW>;
  f.storage  = []() -> HeptaStorage  *{ return new BlockRows; };
  f.seqaij   = &HEPTA_SeqAIJBROW;
  f.methods  = {
     HeptaMethod("HeptaMatBROWSetTileSize_C", HeptaNoThrow<HeptaMatBROWSetTileSize_BROW>),
     HeptaMethod("HeptaMatBROWGetTileSize_C", HeptaNoThrow<HeptaMatBROWGetTileSize_BROW>),
     HeptaMethod("HeptaMatBROWSetStorage_C", HeptaNoThrow<MatBlockedSetStorage>),
  };
  HeptaSetConstructors<HEPTA_BROW>(f);
  return f;
}

HeptaBlockedFormat HEPTA_BROW = MakeFormat();

BlockRows *MatBROWBlockRows(Mat A)
{
  return HeptaIsBlocked(A) && MatBlocked(A)->format == &HEPTA_BROW ? static_cast<BlockRows *>(MatBlocked(A)->local.get()) : nullptr;
}
