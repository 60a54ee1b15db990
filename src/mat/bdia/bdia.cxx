/* The bdia matrix: options, limits, and its format */
#include "bdia.h"

using hepta::bdia::Diagonals;
using hepta::bdia::Options;
using hepta::blocked::Settings;

static PetscErrorCode MatBDIASetHalf_BDIA(Mat A, PetscBool half)
{
  PetscFunctionBegin;
  PetscCall(MatBlockedCheckEmpty(A, "Half storage (-mat_bdia_half)", MatBlocked(A)->set.half == half));
  MatBlocked(A)->set.half = half;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error on every rank if some rank's rows or columns do not consist of whole blocks */
static PetscErrorCode CheckShares(Mat A, PetscInt bs)
{
  const PetscInt n = PetscMax(A->rmap->n, 0), m = PetscMax(A->cmap->n, 0); /* -1 if not yet known */
  const bool     whole = n % bs == 0 && m % bs == 0;

  PetscFunctionBegin;
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), whole ? PETSC_SUCCESS : PETSC_ERR_ARG_SIZ,
                              HeptaFormat("Block size %" PetscInt_FMT
                                          " (-mat_bdia_bs, MatSetBlockSize()) does not divide this rank's %" PetscInt_FMT
                                          " rows and %" PetscInt_FMT " columns",
                                          bs, n, m)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void MatBDIASetMaxFill(Mat A, PetscReal fill)
{
  Options limits = MatBlocked(A)->set.OfFormat<Options>();

  limits.max_fill = fill;
  MatBlocked(A)->set.SetOfFormat(limits);
}

/* -mat_bdia_bs <n|auto> */
static PetscErrorCode SetBlockSizeOption(Mat A, const char value[])
{
  PetscInt bs;

  PetscFunctionBegin;
  PetscCall(MatBlockedParseSize(A, "-mat_bdia_bs", value, 1, &bs));
  MatBlocked(A)->set.auto_bs = (PetscBool)!bs;
  if (!bs || (A->preallocated && HeptaBlockSize(A->rmap) == bs)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck((A->rmap->N < 0 || A->rmap->N % bs == 0) && (A->cmap->N < 0 || A->cmap->N % bs == 0),
             PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "-mat_bdia_bs %" PetscInt_FMT " does not divide the %" PetscInt_FMT " rows and %" PetscInt_FMT
             " columns of the matrix",
             bs, A->rmap->N, A->cmap->N);
  PetscCall(CheckShares(A, bs));
  PetscCall(MatSetBlockSize(A, bs));
  MatBlocked(A)->set.given_bs = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetGridOption(Mat A, PetscOptionItems PetscOptionsObject)
{
  PetscInt  grid[4] = {0, 0, 0, 0}, n = 4; /* one more than allowed, to detect too many values */
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscOptionsIntArray("-mat_bdia_grid", "Grid J,H,I: sets the offsets 0, 1, J, J*H and their negatives",
                                 "MatBDIASetGrid", grid, &n, &flg));
  const char *given = n > 3 ? "more" : n == 2 ? "two" : "one";
  PetscCheck(!flg || n == 3, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "-mat_bdia_grid needs three numbers J,H,I, got %s", given);
  if (flg) PetscCall(MatBDIASetGrid(A, grid[0], grid[1], grid[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_BDIA(Mat A, PetscOptionItems PetscOptionsObject)
{
  Settings &s = MatBlocked(A)->set;
  char      bs[32];
  PetscBool half    = s.half, flg;
  PetscEnum storage = (PetscEnum)s.storage;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "bdia matrix options");
  PetscCall(PetscOptionsString("-mat_bdia_bs", "Block size, or auto: chosen by MatConvert() and MatLoad()", "MatSetBlockSize",
                               s.auto_bs ? "auto" : "from the matrix", bs, sizeof(bs), &flg));
  if (flg) PetscCall(SetBlockSizeOption(A, bs));
  PetscCall(SetGridOption(A, PetscOptionsObject));
  Options limits = s.OfFormat<Options>();
  PetscCall(PetscOptionsBool("-mat_bdia_half", "Store the diagonal and upper half of a symmetric matrix", "MatBDIASetHalf", half,
                             &half, nullptr));
  PetscCall(MatBDIASetHalf(A, half));
  PetscCall(PetscOptionsEnum("-mat_bdia_storage", "Type of the stored values", "MatBDIASetStorage", HeptaMatStorages, storage,
                             &storage, nullptr));
  PetscCall(MatBDIASetStorage(A, (HeptaMatStorage)storage));
  PetscCall(PetscOptionsInt("-mat_bdia_max_offsets", "Largest number of block offsets of a rank", "", limits.max_offsets,
                            &limits.max_offsets, nullptr));
  PetscCheck(limits.max_offsets >= 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_bdia_max_offsets %" PetscInt_FMT " must be at least 1", limits.max_offsets);
  PetscCall(PetscOptionsReal("-mat_bdia_max_fill", "Largest number of value slots for each entry that is set", "",
                             limits.max_fill, &limits.max_fill, nullptr));
  PetscCheck(limits.max_fill >= 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_bdia_max_fill %g must be at least 1", (double)limits.max_fill);
  s.SetOfFormat(limits);
  PetscCall(PetscOptionsBool("-mat_bdia_check_values", "Look for NaN and infinity at every assembly", "", s.check_values,
                             &s.check_values, nullptr));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns must be split into the same blocks on every rank */
PetscErrorCode Diagonals::SetUpLayouts(Mat A)
{
  PetscFunctionBegin;
  PetscCheck(!MatBlocked(A)->set.auto_bs, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "-mat_bdia_bs auto chooses from a known pattern: it works in MatConvert() and MatLoad(); here give a number");
  PetscCall(HeptaStorage::SetUpLayouts(A));
  const PetscInt size = HeptaBlockSize(A->rmap);
  PetscCheck(HeptaBlockSize(A->cmap) == size, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "bdia needs one block size for rows and columns, not %" PetscInt_FMT " and %" PetscInt_FMT
             ": call MatSetBlockSize()",
             size, HeptaBlockSize(A->cmap));
  PetscCall(CheckShares(A, size));
  PetscCheck(!MatBlocked(A)->set.half || (A->rmap->N == A->cmap->N && A->rmap->n == A->cmap->n), PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_SIZ, "Half storage (-mat_bdia_half) needs a square matrix, not %" PetscInt_FMT " x %" PetscInt_FMT,
             A->rmap->N, A->cmap->N);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBDIARefuse(Mat A, bool refuse, const std::string &why)
{
  Settings &s = MatBlocked(A)->set;

  PetscFunctionBegin;
  if (!s.lenient) PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), refuse ? PETSC_ERR_SUP : PETSC_SUCCESS, why));
  else PetscCall(HeptaAgreeOnAny(PetscObjectComm((PetscObject)A), &refuse));
  if (refuse) s.misfit = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What to do about too many block offsets */
static const char few_offsets[] =
  "nonzeros do not lie on few block diagonals. Use another block size (-mat_bdia_bs), a higher limit, or "
  "-mat_type brow";

PetscErrorCode Diagonals::ReportBeyond()
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "The entry at row %" PetscInt_FMT ", column %" PetscInt_FMT " is on block offset number %" PetscInt_FMT
          "%s of this rank at block size %" PetscInt_FMT ", more than -mat_bdia_max_offsets %" PetscInt_FMT ": the matrix's %s",
          beyond[0], beyond[1], (PetscInt)diag.size() + 1, half ? " in both halves" : "", bs, limit, few_offsets);
}

/* Refuses matrices that do not suit the format: too many block offsets on a rank, or too many empty slots over all ranks */
PetscErrorCode Diagonals::CheckLimits(Mat A)
{
  const Options  limits = MatBlocked(A)->set.OfFormat<Options>();
  const PetscInt nd     = (PetscInt)(diag.size() + refused.size());
  /* the limit may have been raised since, but refused entries are not stored */
  const PetscInt   most = refused.empty() ? limits.max_offsets : limit;
  const PetscCount all  = slots + MatBlocked(A)->ghost.slots;
  bool             more = all != checked;
  std::string      why;
  PetscReal        fill;

  PetscFunctionBegin;
  if (!refused.empty() || nd > most) {
    why = HeptaFormat("The matrix has %" PetscInt_FMT " block offsets%s at block size %" PetscInt_FMT
                      ", more than -mat_bdia_max_offsets %" PetscInt_FMT ": its %s",
                      nd, A->rmap->size > 1 ? " on one rank" : "", bs, most, few_offsets);
  }
  PetscCall(MatBDIARefuse(A, !why.empty(), why));
  PetscCall(HeptaAgreeOnAny(PetscObjectComm((PetscObject)A), &more));
  /* the fill was accepted when these slots had entries, which MatZeroRows() may have removed since */
  if (!more) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBlockedGetFill(A, &fill));
  why = HeptaFormat(
    "The block diagonals hold %.3g value slots for every entry set, more than -mat_bdia_max_fill %g (block size %" PetscInt_FMT
    ", %" PetscInt_FMT
    " block offsets on the first rank). Use another block size (-mat_bdia_bs), a higher limit, or -mat_type brow",
    (double)fill, (double)limits.max_fill, bs, (PetscInt)diag.size());
  PetscCall(MatBDIARefuse(A, fill > limits.max_fill, why));
  checked = all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatBDIAGetOffsets_BDIA(Mat A, PetscInt *nd, const PetscInt *off[])
{
  PetscFunctionBegin;
  PetscCheck(MatBlocked(A)->ready, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "The block offsets are known after the first final assembly");
  if (nd) *nd = (PetscInt)MatBDIADiagonals(A)->off.size();
  if (off) *off = MatBDIADiagonals(A)->off.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATBDIACUDA - "bdiacuda" - A `MATBDIA` whose vectors live on an NVIDIA GPU

   When to take it:
   Take `MATBDIACUDA` where `MATBDIA` fits, there is an NVIDIA GPU and the matrix has more than some ten thousand rows: with fewer
   a launch costs more than a product.

   Options Database Keys:
. -mat_type bdiacuda - sets the matrix type to `MATBDIACUDA` during a call to `MatSetFromOptions()`; the other options are those
                       of `MATBDIA`

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type bdiacuda -vec_type cuda -ksp_type fusedbcgs -pc_type ilu
     ./app -dll_append /path/to/libhepta.so -dm_mat_type bdiacuda -dm_vec_type cuda -ksp_type fusedcg -pc_type gridmg
.ve

   Limits:
   Rows, zeroing rows, factorizations other than `MATSOLVERBBS` and operations on a converted `MATAIJ` run on the host. On a
   machine without a GPU or its driver the type raises `PETSC_ERR_GPU`; `MATBDIA` works there, from the same library.

   Level: beginner

   Notes:
   `MATBDIACUDA` is `MATSEQBDIACUDA` on one MPI process and `MATMPIBDIACUDA` on several. `MATBDIACUDA` differs from `MATBDIA` in
   two points: `MatCreateVecs()`, also called by solvers for work vectors, makes `VECCUDA` vectors, and `PCPBJACOBI` applies its
   blocks on the device. For both types the memory of the vectors decides where a product runs: `MATBDIA` multiplies `VECCUDA`
   vectors on the device, `MATBDIACUDA` multiplies host vectors on the host. Where the vectors of one call are in different
   memories, the host works.

   Values live where they were last written: `MatSetValues()` writes on the host, `MatSetValuesCOO()` where its values are,
   `MatScale()`, `MatShift()`, `MatAXPY()`, `MatCopy()`, `MatZeroEntries()` and `MatNorm()` work where the values are,
   `MatGetDiagonal()`, `MatDiagonalSet()`, `MatDiagonalScale()` and products where the vectors are. The first access from the
   other side copies the values; a copy back follows only after a change.

   `MatSetPreallocationCOO()` takes indices on the host or the device. With full storage the device analyzes the indices, but for
   entries in other ranks' rows and columns; with half storage the host analyzes the indices, takes the COO values and compares
   the two halves.

   `MatConvert()` from `MATAIJCUSPARSE`, and to `MATAIJCUSPARSE` once the values are on the device, moves the values on the
   device; the host finds the structure, with `MAT_REUSE_MATRIX` only the first time.

   Repeated products give the same bits.

   Kernels run in the stream of PETSc's current device context (`PetscDeviceContextSetCurrentContext()`). After a change of
   context a matrix or preconditioner waits on the device for its work in the former context. PETSc 3.26.1 does not order vectors
   with `PETSC_STREAM_NONBLOCKING`: solve in PETSc's own context. Memory comes from the device's default pool, in the order of
   the stream; pieces for other ranks are allocated separately and stay with the process until its end. Vectors may be on a
   program's own arrays (`VecCreateSeqWithArrayAndMemType()`).

   References:
   See `MATBDIA`. The device product keeps the column-major values of L. A. Firdaus's thesis, section 5.2; its threads, one for
   each row and further ones that share a row's diagonals in small matrices, are our own.

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
+ -mat_type mpibdiacuda                        - sets the matrix type to `MATMPIBDIACUDA` during a call to `MatSetFromOptions()`
. -hepta_transport <auto,ipc,nccl,mpi,mpi_gpu> - how numbers travel from one rank's GPU to another's, for all matrices,
                                                 preconditioners and Krylov methods of Hepta's on a communicator
. -hepta_transport_nccl <libnccl.so.2>         - NCCL's library, for `nccl`
- -hepta_transport_timeout <300>               - seconds that a rank waits for another with `ipc` and `nccl`, before the next
                                                 exchange, or a fused method, stops with an error

   Level: beginner

   Notes:
   With `ipc`, for ranks of one host, a kernel writes ghost values into the memory of the neighbors, whose kernels wait for the
   ghost values; the block diagonals are multiplied meanwhile. With `nccl`, also between hosts, NCCL sends ghost values from the
   device in a separate stream. The host has no part in either exchange, so that `KSPFUSEDCG` and its kin record their iterations.
   With `mpi` a separate stream copies packed values to pinned host memory, from where MPI sends them; with `mpi_gpu` a GPU-aware
   MPI (`-use_gpu_aware_mpi`) sends from device memory.

   `auto` takes the available transport with the shortest exchange of 128 x 128 numbers by the model latency + bytes / bandwidth,
   whose numbers are in the tuning file (`HeptaRegisterAll()`). Available are `ipc` where all ranks are on one host, each with its
   own GPU that the other ranks can address; `nccl` where each rank has its own GPU and NCCL's library is found; and `mpi`. Where
   the requested transport is not available all ranks take `mpi`, and `MatView()` with an info format, as in `-ksp_view`, says
   why. Ranks that share a GPU may ask for `ipc`; their kernels then take turns, unless the Multi-Process Service (MPS) of CUDA
   runs. Ghost values have the same bits with all transports; sums over more than two ranks are added by ascending rank with `ipc`
   and `nccl`, and in an order of MPI's own with `mpi` and `mpi_gpu`. Vectors on the host travel by `PetscSF`.

   In products of PETSc's methods `nccl` is not recorded: the host spends 80 us in each exchange on H100s, and `mpi` may be
   faster. PETSc gives rank r the GPU r modulo the number of GPUs that the process sees (`CUDA_VISIBLE_DEVICES`). After a rank
   that fails, or omits a collective call, missing numbers are NaN, and the communicator is of no use; a duplicate still works.

   Vectors may be on the GPU of some ranks only, as with `-vec_bind_below`: exchanges go through the host until the vectors of
   all ranks have been on GPUs in some exchange. One case hangs: a matrix that is assembled before PETSc has initialized any
   rank's GPU, whose first products have vectors on the host of all ranks, and whose later products have vectors on the GPU of
   some ranks.

   References:
   See `MATBDIACUDA`.

.seealso: `MATBDIACUDA`, `MATSEQBDIACUDA`, `MATMPIBDIA`
M*/
static HeptaBlockedFormat MakeFormat()
{
  HeptaBlockedFormat f;

  f.name     = MATBDIA;
  f.cuda     = MATBDIACUDA;
  f.seq      = MATSEQBDIA;
  f.mpi      = MATMPIBDIA;
  f.seqcuda  = MATSEQBDIACUDA;
  f.mpicuda  = MATMPIBDIACUDA;
  f.log      = "HeptaBDIA";
  f.unstored = "on a block offset that is not stored";
  f.direct   = "leave out -mat_bdia_half and -mat_bdia_storage single";
  f.options  = HeptaNoThrow<MatSetFromOptions_BDIA>;
  f.storage  = [] { return static_cast<HeptaStorage *>(new Diagonals); };
  f.seqaij   = &HEPTA_SeqAIJBDIA;
  f.methods  = {
    HeptaMethod("MatBDIASetGrid_C", HeptaNoThrow<MatBDIASetGrid_BDIA>),
    HeptaMethod("MatBDIASetHalf_C", HeptaNoThrow<MatBDIASetHalf_BDIA>),
    HeptaMethod("MatBDIASetStorage_C", HeptaNoThrow<MatBlockedSetStorage>),
    HeptaMethod("MatBDIAGetOffsets_C", HeptaNoThrow<MatBDIAGetOffsets_BDIA>),
    HeptaMethod("MatBDIAGetFill_C", HeptaNoThrow<MatBlockedGetFill>),
  };
  HeptaSetConstructors<HEPTA_BDIA>(f);
  return f;
}

HeptaBlockedFormat HEPTA_BDIA = MakeFormat();

Diagonals *MatBDIADiagonals(Mat A)
{
  const bool has = HeptaIsBlocked(A) && MatBlocked(A)->format == &HEPTA_BDIA;

  return has ? static_cast<Diagonals *>(MatBlocked(A)->local.get()) : nullptr;
}
