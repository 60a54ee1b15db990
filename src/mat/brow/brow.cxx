/* The brow matrix: options, the structure of other matrices, and its format */
#include "brow.h"

using hepta::blocked::Settings;
using hepta::brow::BlockRows;
using hepta::brow::Options;

static const char *const mappings[] = {"auto", "warp", "blockrow", "multirow"}; /* hepta::brow::Mapping */

static PetscErrorCode MatBROWSetTileSize_BROW(Mat A, PetscInt bs)
{
  Settings &s       = MatBlocked(A)->set;
  Options   options = s.OfFormat<Options>();

  PetscFunctionBegin;
  PetscCall(MatBlockedCheckEmpty(A, "The tile size (-mat_brow_bs)", bs == options.tile && (bs || s.auto_bs)));
  options.tile = bs;
  s.SetOfFormat(options);
  s.auto_bs = (PetscBool)!bs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatBROWGetTileSize_BROW(Mat A, PetscInt *bs)
{
  PetscFunctionBegin;
  PetscCheck(MatBlocked(A)->ready, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "The tile size is known after the first final assembly");
  *bs = MatBlocked(A)->local->bs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBROWCheckTileSize(Mat A, PetscInt bs)
{
  PetscFunctionBegin;
  PetscCheck(bs >= 0 && bs <= hepta::brow::max_tile, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "The tile size %" PetscInt_FMT " (-mat_brow_bs) must be from 1 to %d, or 0 (auto) for one to be chosen", bs,
             hepta::brow::max_tile);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBROWReadSettings(Mat A, PetscOptionItems PetscOptionsObject, Settings &s)
{
  Options   options = s.OfFormat<Options>();
  char      tile[32];
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-mat_brow_bs", "Tile size; auto or 0: chosen", "MatBROWSetTileSize",
                               s.auto_bs ? "auto" : "block size, auto for 1", tile, sizeof(tile), &flg));
  if (flg) {
    PetscCall(MatBlockedParseSize(A, "-mat_brow_bs", tile, 0, &options.tile));
    PetscCall(MatBROWCheckTileSize(A, options.tile));
    s.auto_bs = (PetscBool)!options.tile;
  }
  PetscCall(PetscOptionsEList("-mat_brow_mapping", "What the device gives a block row to", "MATBROW", mappings, 4,
                              mappings[options.mapping], &options.mapping, nullptr));
  PetscCall(PetscOptionsInt("-mat_brow_bx", "Threads that share a row, 0: as many as fill the device", "MATBROW", options.bx,
                            &options.bx, nullptr));
  PetscCheck(options.bx >= 0 && options.bx <= 8 && !(options.bx & (options.bx - 1)), PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_OUTOFRANGE, "-mat_brow_bx %" PetscInt_FMT " must be 0, 1, 2, 4 or 8", options.bx);
  s.SetOfFormat(options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_BROW(Mat A, PetscOptionItems PetscOptionsObject)
{
  Settings &s = MatBlocked(A)->set, given = s;
  PetscEnum storage = (PetscEnum)s.storage;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "brow matrix options");
  PetscCall(MatBROWReadSettings(A, PetscOptionsObject, given));
  Options now = given.OfFormat<Options>(), before = s.OfFormat<Options>();
  if (now.tile != before.tile || given.auto_bs != s.auto_bs) PetscCall(MatBROWSetTileSize(A, now.tile));
  PetscCall(MatBlockedCheckEmpty(A, "The mapping (-mat_brow_mapping, -mat_brow_bx)",
                                 now.mapping == before.mapping && now.bx == before.bx));
  PetscCall(PetscOptionsEnum("-mat_brow_storage", "Type of the stored values", "MatBROWSetStorage", HeptaMatStorages, storage,
                             &storage, nullptr));
  PetscCall(MatBROWSetStorage(A, (HeptaMatStorage)storage));
  PetscCall(PetscOptionsBool("-mat_brow_balance", "MatLoad() gives the ranks equally many blocks", "HeptaMatGetBalancedRows",
                             now.balance, &now.balance, nullptr));
  s.SetOfFormat(now);
  PetscCall(PetscOptionsBool("-mat_brow_check_values", "Look for NaN and infinity at every assembly", "", s.check_values,
                             &s.check_values, nullptr));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBROWReadRows(Mat A, PetscInt empty, PetscInt cstart, PetscInt cend, std::vector<size_t> &i,
                               std::vector<hepta::Index> &j)
{
  PetscFunctionBegin;
  i.assign((size_t)empty + 1, 0);
  j.clear();
  PetscCall(
    HeptaForRows(A, A->rmap->rstart, A->rmap->rend, false, [&](PetscInt, PetscInt n, const PetscInt *cols, const PetscScalar *) {
      for (PetscInt k = 0; k < n; k++) {
        if (cols[k] >= cstart && cols[k] < cend) j.push_back((hepta::Index)(cols[k] - cstart));
      }
      i.push_back(j.size());
      return PETSC_SUCCESS;
    }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes block sizes and structure of another matrix, on the host if the device cannot */
PetscErrorCode BlockRows::Fit(Mat A, [[maybe_unused]] bool values, Mat B, bool *whole)
{
  std::vector<size_t>       i;
  std::vector<hepta::Index> j;

  PetscFunctionBegin;
  if (HeptaBlockSize(B->rmap) <= 1 && HeptaBlockSize(B->cmap) <= 1)
    PetscCall(MatSetBlockSizes(B, HeptaBlockSize(A->rmap), HeptaBlockSize(A->cmap)));
  PetscCall(MatSetUp(B));
  if (MatBlocked(B)->ready) PetscFunctionReturn(PETSC_SUCCESS);
#if defined(HEPTA_HAVE_CUDA)
  if (!values) PetscCall(FitCUSPARSE(A, whole));
#endif
  if (*whole) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBROWReadRows(A, 0, A->cmap->rstart, A->cmap->rend, i, j));
  PetscCall(Preset(i.data(), j.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATBROW - "brow" - A matrix stored by blocked rows: small dense tiles, sorted and cut into slices for the GPU

   When to take it:
   Take `MATBROW` for block-structured matrices without regular diagonals, such as matrices of finite elements or of reservoirs
   with wells; any pattern will do. Where nonzeros lie on few block diagonals `MATBDIA` is faster.

   Options Database Keys:
+ -mat_type brow                                  - sets the matrix type to `MATBROW` during a call to `MatSetFromOptions()`
. -mat_brow_bs <n|auto>                           - tile size, at most 1024, as `MatBROWSetTileSize()`; `auto` or 0 takes the size
                                                    from 1 to 8 with the fewest bytes
. -mat_brow_storage <double>                      - `double` or `single`: type of the stored values, as `MatBROWSetStorage()`
. -mat_brow_mapping <auto,warp,blockrow,multirow> - what multiplies a block row on the device, see below
. -mat_brow_bx <0>                                - threads that share a row, each taking every bx-th block: 1, 2, 4 or 8; 0: as
                                                    many as fill the device
. -mat_brow_balance                               - `MatLoad()` gives the MPI processes equally many blocks, as
                                                    `HeptaMatGetBalancedRows()`, unless local sizes are set
- -mat_brow_check_values                          - look for NaN and Inf at every final assembly, and name the first

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type brow -ksp_type fusedcg -pc_type aggmg
.ve

   Limits:
   There is no half storage of symmetric matrices. Entries not set inside a stored tile are zeros that the product multiplies: for
   a pattern without dense tiles measure `MATAIJ` too.

   Level: beginner

   Notes:
   `MATBROW` is `MATSEQBROW` on one MPI process and `MATMPIBROW` on several.

   The tile size n is inside the storage: layouts and vectors stay as they are, and n need not be the block size of the `Mat`, nor
   divide rows or columns. Without a given size, n is the block size of the `Mat`; if the block size is 1, n is chosen when the
   first structure is complete, as the n with the fewest bytes,

.vb
     blocks_n (n*n*bytes of a value + 4) + 8 block rows
.ve

   where blocks_n is counted: on the device, and by `HeptaMatGetBalancedRows()`, in all rows, and on the host in 32 windows of 840
   rows if a process has 53760 rows or more.

   Block rows are sorted by length, stably and in windows of 1024, where their own order would waste memory, and cut into slices
   of 32/gcd(32, n). Slices are padded to their longest block row, at most by a quarter; much longer block rows stand alone. In a
   slice the values of one column of the k-th blocks of all block rows stand side by side, so the threads of a warp, one for each
   row, read consecutive addresses. Padding is neither read nor multiplied. The permutation is internal. With slices of `height`
   block rows value (r, s) of the k-th tile of block row b of slice g, and the tile's block column, are

.vb
     v[first[g]*n*n + ((k*n + s)*height + b)*n + r],     col[first[g] + k*height + b]
.ve

   Of the matrix on the left, in tiles of 2, with dots for entries that were not set, a slice of block rows 0 and 2 is

.vb
     [ 1  2  |        |  3  . ]       thread            0  1    2  3
     [ 4  5  |        |  .  6 ]       row               0  1    4  5
     [-------+--------+-------]       k = 0, s = 0      1  4    7  0      v[first + 0 ...]   col[] 0  1
     [       |        |       ]       k = 0, s = 1      2  5    8  9
     [       |        |       ]       k = 1, s = 0      3  0    .  .      dots: padding,     col[] 2 -1
     [-------+--------+-------]       k = 1, s = 1      0  6    .  .      neither read nor multiplied
     [       | 7   8  |       ]
     [       | .   9  |       ]
.ve

   A block row that stands alone has its tiles one after the other, each by columns: 1 4 2 5 3 0 0 6 for block row 0.

   On the device a thread block multiplies the block rows of a slice (multirow), and a warp or, for a long block row, several
   thread blocks multiply a block row that stands alone (`auto`). All block rows stand alone with the mappings `warp` and
   `blockrow`, and with `auto` in a small `MATBROWCUDA` with a long row, where `-mat_brow_bx` has no effect; `multirow` keeps the
   slices. Small are matrices of up to 4096 rows with more than 2048 values each on the average, and of up to 4096 block rows and
   a million values where some stand alone or one has more than 64 values a row. Sums are made in a fixed order: repeated
   products give the same bits. The transposed product on the device takes a transposed copy, made at the first use and refreshed
   after a change of the values, with the memory of a second matrix.

   The matrix remembers the set entries, so `MatConvert()` to `MATAIJ` gives back exactly the set pattern.
   `PETSC_VIEWER_ASCII_INFO` shows tile size, padding and fill, and the densities of tiles by which the size was chosen.

   Assembly needs no preallocation. The notes of `MATBDIA` on MPI processes, ghost values, operations through `MATAIJ` and
   factorizations hold here too.

   Errors:
   `PETSC_ERR_ARG_OUTOFRANGE` for an index out of range, an impossible tile size or number of threads; `PETSC_ERR_FP` for NaN and
   Inf under `-mat_brow_check_values`.

   References:
   M. Verschoor and A. C. Jalba, Analysis and performance estimation of the Conjugate Gradient method on multiple GPUs, Parallel
   Computing 38, 2012, sections 2.3 (blocked rows), 3.1 and 3.2 (mappings), 3.4 and 3.5 (block reordering, sorting). The mapping
   `multirow` is not the multiple block-row mapping of section 3.3, which gives a tile to n*n threads, one element each: here a
   thread has a row.

.seealso: `MATSEQBROW`, `MATMPIBROW`, `MATBROWCUDA`, `MATSEQAIJBROW`, `MatBROWSetTileSize()`, `MatBROWSetStorage()`,
   `HeptaMatGetBalancedRows()`, `MATBDIA`, `MATBAIJ`
M*/

/*MC
   MATSEQBROW - "seqbrow" - A matrix stored by blocked rows, on one MPI process

   Options Database Keys:
. -mat_type seqbrow - sets the matrix type to `MATSEQBROW` during a call to `MatSetFromOptions()`; the other options are those of
                      `MATBROW`

   Level: beginner

   References:
   See `MATBROW`.

.seealso: `MATBROW`, `MATMPIBROW`, `MATSEQAIJBROW`
M*/

/*MC
   MATMPIBROW - "mpibrow" - A matrix stored by blocked rows, on several MPI processes

   Options Database Keys:
. -mat_type mpibrow - sets the matrix type to `MATMPIBROW` during a call to `MatSetFromOptions()`; the other options are those of
                      `MATBROW`

   Level: beginner

   Notes:
   Each process stores the tiles of its diagonal block, and may choose its own tile size; couplings to other processes' columns
   form a ghost part in blocks of the `Mat`.

   A product takes as long as the process with the most blocks: `PETSC_VIEWER_ASCII_INFO` compares this number with the mean, and
   `HeptaMatGetBalancedRows()` or `-mat_brow_balance` deals out rows by blocks. Each process then sorts its rows by length.

   References:
   See `MATBROW`.

.seealso: `MATBROW`, `MATSEQBROW`, `MatGetDiagonalBlock()`
M*/

/*MC
   MATBROWCUDA - "browcuda" - A `MATBROW` whose vectors live on an NVIDIA GPU

   When to take it:
   Take `MATBROWCUDA` where `MATBROW` fits, there is an NVIDIA GPU and the matrix has more than some ten thousand rows: with fewer
   a launch costs more than a product.

   Options Database Keys:
. -mat_type browcuda - sets the matrix type to `MATBROWCUDA` during a call to `MatSetFromOptions()`; the other options are those
                       of `MATBROW`

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type browcuda -vec_type cuda -ksp_type fusedcg -pc_type aggmg
.ve

   Limits:
   The limits are those of `MATBROW` and `MATBDIACUDA`.

   Level: beginner

   Notes:
   `MATBROWCUDA` is to `MATBROW` what `MATBDIACUDA` is to `MATBDIA`; the page of `MATBDIACUDA` says where values live and where
   operations run.

   References:
   See `MATBROW`.

.seealso: `MATBROW`, `MATSEQBROWCUDA`, `MATMPIBROWCUDA`, `MATBDIACUDA`
M*/

/*MC
   MATSEQBROWCUDA - "seqbrowcuda" - A `MATSEQBROW` whose vectors live on an NVIDIA GPU

   Options Database Keys:
. -mat_type seqbrowcuda - sets the matrix type to `MATSEQBROWCUDA` during a call to `MatSetFromOptions()`

   Level: beginner

   References:
   See `MATBROW`.

.seealso: `MATBROWCUDA`, `MATMPIBROWCUDA`, `MATSEQBROW`
M*/

/*MC
   MATMPIBROWCUDA - "mpibrowcuda" - A `MATMPIBROW` whose vectors live on NVIDIA GPUs

   Options Database Keys:
. -mat_type mpibrowcuda - sets the matrix type to `MATMPIBROWCUDA` during a call to `MatSetFromOptions()`

   Level: beginner

   Note:
   Ranks exchange ghost values as for a `MATMPIBDIACUDA`, by the transport that `-hepta_transport` names.

   References:
   See `MATBROW`.

.seealso: `MATBROWCUDA`, `MATSEQBROWCUDA`, `MATMPIBROW`, `MATMPIBDIACUDA`
M*/
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
  f.unstored = "in a block that is not stored";
  f.direct   = "leave out -mat_brow_storage single";
  f.options  = HeptaNoThrow<MatSetFromOptions_BROW>;
  f.storage  = [] { return static_cast<HeptaStorage *>(new BlockRows); };
  f.seqaij   = &HEPTA_SeqAIJBROW;
  f.methods  = {
    HeptaMethod("MatBROWSetTileSize_C", HeptaNoThrow<MatBROWSetTileSize_BROW>),
    HeptaMethod("MatBROWGetTileSize_C", HeptaNoThrow<MatBROWGetTileSize_BROW>),
    HeptaMethod("MatBROWSetStorage_C", HeptaNoThrow<MatBlockedSetStorage>),
  };
  HeptaSetConstructors<HEPTA_BROW>(f);
  return f;
}

HeptaBlockedFormat HEPTA_BROW = MakeFormat();

BlockRows *MatBROWBlockRows(Mat A)
{
  const bool has = HeptaIsBlocked(A) && MatBlocked(A)->format == &HEPTA_BROW;

  return has ? static_cast<BlockRows *>(MatBlocked(A)->local.get()) : nullptr;
}
