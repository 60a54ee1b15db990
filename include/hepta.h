/*
   Hepta: matrices, preconditioners and Krylov methods for block-structured problems, as a PETSc plugin.

   A program that loads libhepta.so with -dll_append needs nothing of this header; one that links it calls
   HeptaRegisterAll() after PetscInitialize() and may set by function what others set by option.
   Each function has its manual page where it is defined, and so has a type where its constructor is; scripts/docs.py collects
   them.
*/
#pragma once

#include <petscksp.h>

/* Matrix types */
#define MATBDIA        "bdia"
#define MATSEQBDIA     "seqbdia"
#define MATMPIBDIA     "mpibdia"
#define MATBDIACUDA    "bdiacuda"
#define MATSEQBDIACUDA "seqbdiacuda"
#define MATMPIBDIACUDA "mpibdiacuda"
#define MATSEQAIJBDIA  "seqaijbdia"

#define MATBROW        "brow"
#define MATSEQBROW     "seqbrow"
#define MATMPIBROW     "mpibrow"
#define MATBROWCUDA    "browcuda"
#define MATSEQBROWCUDA "seqbrowcuda"
#define MATMPIBROWCUDA "mpibrowcuda"
#define MATSEQAIJBROW  "seqaijbrow"

/* Preconditioner types */
#define PCIP           "ip"
#define PCBLOCKIC      "blockic"
#define PCGRIDMG       "gridmg"
#define PCAGGMG        "aggmg"
#define PCSUBDEFLATION "subdeflation"
#define PCBBS          "bbs"

/* Krylov methods */
#define KSPFUSEDCG   "fusedcg"
#define KSPFUSEDBCGS "fusedbcgs"
#define KSPDPCG      "dpcg"
#define KSPBICGCR    "bicgcr"

/* A package of factorizations, and orders of rows */
#define MATSOLVERBBS            "bbs"
#define MATORDERINGLEVEL        "level"
#define MATORDERINGBLOCKDENSITY "blockdensity"

/*MC
   MATBDIA - "bdia" - A matrix stored by block diagonals, without column indices: for block-structured grid operators

   When to take it:
   Take `MATBDIA` for the matrix of a grid, whose nonzeros lie on few block diagonals, and with a fill of at most about 1.5. For
   other patterns take `MATBROW`.

   Options Database Keys:
+ -mat_type bdia                - sets the matrix type to `MATBDIA` during a call to `MatSetFromOptions()`
. -mat_bdia_grid <J,H,I>        - the grid, as `MatBDIASetGrid()`: sets the offsets before assembly
. -mat_bdia_bs <n|auto>         - block size; `auto` (`MatConvert()`, `MatLoad()`) takes the one with the least fill
. -mat_bdia_half                - the matrix is symmetric: keep its diagonal and upper half only, as `MatBDIASetHalf()`
. -mat_bdia_storage <double>    - `double` or `single`: type of the stored values, as `MatBDIASetStorage()`
. -mat_bdia_max_offsets <27>    - the most block offsets an MPI process may have; more is an error
. -mat_bdia_max_fill <4>        - the largest fill (value slots inside the matrix / entries set); more is an error
- -mat_bdia_check_values        - look for NaN and Inf at every final assembly, and name the first

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type bdia -ksp_type fusedbcgs -pc_type ilu
     ./app -dll_append /path/to/libhepta.so -dm_mat_type bdia -ksp_type fusedcg -pc_type gridmg
.ve

   Limits:
   `-mat_bdia_max_offsets` limits the offsets of an MPI process, `-mat_bdia_max_fill` the fill of the whole matrix. The block size
   divides the rows of every MPI process.

   Level: beginner

   Notes:
   `MATBDIA` is `MATSEQBDIA` on one MPI process and `MATMPIBDIA` on several.

   Row i = m*bs + r is row r of block row m; the block in block column m + off[d] belongs to block diagonal d. The values of a
   rank's block diagonals stand in one array, column-major, with ld = local rows rounded up to 32,

.vb
     a_ij = v[(d*bs + s)*ld + i],   j = (m + off[d])*bs + s,
     y_i  = sum_d sum_s v[(d*bs + s)*ld + i] * x[(m + off[d])*bs + s],   blocks outside the matrix skipped
.ve

   so a product reads the values once, in order, and no indices. Block size 1 is the DIA format; seven offsets {-JH, -J, -1, 0, 1,
   J, JH} are the General Hepta structure of a reservoir grid. Any block size and any set of offsets will do. The block size of
   the format is the block size of the `Mat` (`MatSetBlockSize()`, `MatGetBlockSize()`).

   The offsets are found while the matrix is assembled: no preallocation is needed, and none helps;
   `MatSeqAIJSetPreallocationCSR()` and its kin set the values. `MatSetPreallocationCOO()`, `MatBDIASetGrid()`, or a `DMDA` set
   them before the first value. Entries not set inside a stored block are zeros that the product multiplies; the matrix remembers
   which ones were set, so `MatConvert()` to `MATAIJ` gives back exactly the set pattern. The number of slots stored per entry set
   is the fill, `MatBDIAGetFill()`.

   `MatSeqAIJSetPreallocation()`, its kin for `MATMPIAIJ` and `MATBAIJ` and `MatXAIJSetPreallocation()` set up an empty matrix;
   `MatResetPreallocation()` and `MatResetHash()` empty a matrix. The matrix of a `DMDA` has the structure of the stencil, with
   zero values; `DMDASetBlockFills()`, `DMSetMatrixPreallocateOnly()` and `DMSetMatrixStructureOnly()` work as for `MATAIJ`, but
   `DMSetMatrixStructureOnly()` saves no memory. After set-up `MatSetBlockSize()` with another size is an error.

   Local matrices of a `MATIS` may be of this type. Products are then Hepta's, unless rows and columns have different mappings or
   distributions, or an MPI process has one of its own nodes twice after `MatISSetAllowRepeated()`. `MatISFixLocalEmpty()` and
   `-mat_is_fixempty` need local matrices of type `MATSEQAIJ` or its kin. PETSc 3.26.1 itself assembles a `MATIS` of such local
   matrices alone, and `PCBDDC` makes its factors on the host from local matrices converted to `MATAIJ`.

   On several MPI processes each stores the block diagonals of its diagonal block; couplings to other processes' columns form a
   ghost part, kept for the border rows only. The exchange of ghost values runs while the block diagonals are multiplied.

   Products, scaling, sums, norms and rows work on the format itself, ILU(0) and IC(0) on its values (`MATSOLVERBBS`). Other
   factorizations, `MatSOR()` and what else needs a row-compressed matrix work on a converted `MATAIJ`, made at the first such
   call, kept, and refreshed when the values change: it costs the memory of a `MATAIJ`. Entries that `MatZeroRows()` zeroes leave
   the structure unless `MAT_KEEP_NONZERO_PATTERN` is set; their slots remain, so products take as long as before, and
   `MatSetValuesCOO()` brings the entries back. `MatGetRowIJ()` gives orderings and colorings the structure; a program that asks
   for it neither compressed nor symmetrized gets `done` false.

   On one MPI process petsc4py's `setUp()` comes before `setPreallocationCSR()` for a matrix of a `DMDA`, and for a matrix with
   both sizes, local and global, set before its type.

   Errors:
   `PETSC_ERR_ARG_OUTOFRANGE` for an index out of range; `PETSC_ERR_SUP` for more offsets or fill than allowed, and for operations
   that the type does not have; `PETSC_ERR_FP` for NaN and Inf under `-mat_bdia_check_values`. An entry beyond the allowed offsets
   is an error of the `MatSetValues()` that sets it, on its process alone; too much fill is an error of the assembly. The messages
   name the numbers, the option to change, and what to use instead.

   References:
   L. A. Firdaus, CUDA Optimization of a Class of Iterative Linear Algebra Solver, M.Sc. thesis, King Fahd University of Petroleum
   and Minerals, 2017, sections 5.1 (General Hepta BDIA) and 5.2 (its product, algorithm 8). For block size 1, the DIA format: R.
   Gupta, Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow on the Graphical Processing Unit
   (GPU), M.Sc. thesis, Delft University of Technology, 2010, section 6.1.

.seealso: `MATSEQBDIA`, `MATMPIBDIA`, `MATSEQAIJBDIA`, `MatBDIASetGrid()`, `MatBDIASetHalf()`, `MatBDIASetStorage()`,
          `MatBDIAGetOffsets()`, `MatBDIAGetFill()`, `HeptaRegisterAll()`, `MATBDIACUDA`, `MATBAIJ`, `MATAIJ`
M*/

/*MC
   MATSEQBDIA - "seqbdia" - A matrix stored by block diagonals, on one MPI process

   Options Database Keys:
. -mat_type seqbdia - sets the matrix type to `MATSEQBDIA` during a call to `MatSetFromOptions()`; the other options are those of
                      `MATBDIA`

   Level: beginner

   References:
   See `MATBDIA`.

.seealso: `MATBDIA`, `MATMPIBDIA`, `MATSEQAIJBDIA`
M*/

/*MC
   MATMPIBDIA - "mpibdia" - A matrix stored by block diagonals, on several MPI processes

   Options Database Keys:
. -mat_type mpibdia - sets the matrix type to `MATMPIBDIA` during a call to `MatSetFromOptions()`; the other options are those of
                      `MATBDIA`

   Level: beginner

   Notes:
   Rows are split as PETSc splits them; a process may have none. Ghost values may come from any processes, not just neighbors.
   `MatGetDiagonalBlock()` returns a `MATSEQBDIA` that shares the stored values.

   References:
   See `MATBDIA`.

.seealso: `MATBDIA`, `MATSEQBDIA`, `MatGetDiagonalBlock()`
M*/

/*E
   HeptaMatStorage - the type in which a `MATBDIA` or `MATBROW` matrix keeps its values, `PCIP` those of its approximate inverse,
   and `KSPFUSEDCG` its iterations

   Values:
+  `HEPTA_MAT_STORAGE_DOUBLE` - `PetscScalar`, the default
-  `HEPTA_MAT_STORAGE_SINGLE` - float, under `PetscScalar` vectors: half the bytes, for preconditioning

   Level: intermediate

.seealso: `MatBDIASetStorage()`, `MatBROWSetStorage()`, `PCIPSetStorage()`, `KSPFusedCGSetPrecision()`, `MATBDIA`, `MATBROW`,
   `PCIP`
E*/
typedef enum {
  HEPTA_MAT_STORAGE_DOUBLE,
  HEPTA_MAT_STORAGE_SINGLE
} HeptaMatStorage;
PETSC_EXTERN const char *const HeptaMatStorages[]; /* their names in options: "double", "single" */

/*E
   HeptaIPVariant - which approximate inverse `PCIP` makes

   Values:
+  `HEPTA_IP_SCALED`    - (I - D^-1 U) D^-1 (I - L D^-1) on A's pattern, the default
.  `HEPTA_IP_PUBLISHED` - (I - L D^-1)(I - D^-1 U) on A's pattern
-  `HEPTA_IP_FULL`      - (I - D^-1 U) D^-1 (I - L D^-1), nothing dropped

   Level: intermediate

.seealso: `PCIPSetVariant()`, `PCIP`
E*/
typedef enum {
  HEPTA_IP_SCALED,
  HEPTA_IP_PUBLISHED,
  HEPTA_IP_FULL
} HeptaIPVariant;
PETSC_EXTERN const char *const HeptaIPVariants[]; /* their names in options: "scaled", "published", "full" */

/*E
   HeptaBlockICBlocks - what the blocks of `PCBLOCKIC` are made of

   Values:
+  `HEPTA_BLOCKIC_LINES` - lines of the grid
.  `HEPTA_BLOCKIC_BOXES` - boxes of cells
-  `HEPTA_BLOCKIC_ROWS`  - block rows one after the other

   Level: intermediate

.seealso: `PCBlockICSetBlocks()`, `PCBLOCKIC`
E*/
typedef enum {
  HEPTA_BLOCKIC_LINES,
  HEPTA_BLOCKIC_BOXES,
  HEPTA_BLOCKIC_ROWS
} HeptaBlockICBlocks;
PETSC_EXTERN const char *const HeptaBlockICBlockNames[]; /* their names in options: "lines", "boxes", "rows" */

/*E
   HeptaBBSTriangle - what the matrix of `PCBBS` is

   Values:
+  `HEPTA_BBS_AUTO`  - upper or lower triangular, which the set-up finds; the default
.  `HEPTA_BBS_UPPER` - upper triangular
.  `HEPTA_BBS_LOWER` - lower triangular
-  `HEPTA_BBS_BOTH`  - factors L and U in one matrix, L with a unit diagonal

   Level: intermediate

.seealso: `PCBBSSetTriangle()`, `PCBBS`
E*/
typedef enum {
  HEPTA_BBS_AUTO,
  HEPTA_BBS_UPPER,
  HEPTA_BBS_LOWER,
  HEPTA_BBS_BOTH
} HeptaBBSTriangle;
PETSC_EXTERN const char *const HeptaBBSTriangles[]; /* their names in options: "auto", "upper", "lower", "both" */

/*E
   HeptaSubdeflationType - how `PCSUBDEFLATION` cuts the rows into subdomains

   Values:
+  `HEPTA_SUBDEFLATION_STRIPES`       - runs of consecutive block rows
.  `HEPTA_SUBDEFLATION_BOXES`         - boxes of grid cells
.  `HEPTA_SUBDEFLATION_GRAPH`         - what `MatPartitioning` finds
.  `HEPTA_SUBDEFLATION_MATERIAL`      - connected components of strongly coupled rows
.  `HEPTA_SUBDEFLATION_MATERIALBOXES` - these, cut into boxes
.  `HEPTA_SUBDEFLATION_LABELS`        - the labels of `PCSubdeflationSetLabels()`
.  `HEPTA_SUBDEFLATION_VECTORS`       - no subdomains: the vectors of `PCSubdeflationSetVectors()`
-  `HEPTA_SUBDEFLATION_AUTO`          - the default: boxes where a grid is known, elsewhere stripes

   Level: intermediate

.seealso: `PCSubdeflationSetType()`, `PCSUBDEFLATION`
E*/
typedef enum {
  HEPTA_SUBDEFLATION_STRIPES,
  HEPTA_SUBDEFLATION_BOXES,
  HEPTA_SUBDEFLATION_GRAPH,
  HEPTA_SUBDEFLATION_MATERIAL,
  HEPTA_SUBDEFLATION_MATERIALBOXES,
  HEPTA_SUBDEFLATION_LABELS,
  HEPTA_SUBDEFLATION_VECTORS,
  HEPTA_SUBDEFLATION_AUTO
} HeptaSubdeflationType;
/* "stripes", "boxes", "graph", "material", "materialboxes", "labels", "vectors", "auto" */
PETSC_EXTERN const char *const HeptaSubdeflationTypes[];

/*E
   HeptaSubdeflationVariant - how `PCSUBDEFLATION` joins the inner preconditioner M^-1 and the coarse correction Q = Z E^-1 Z^T; P
   = I - A Q

   Values:
+  `HEPTA_SUBDEFLATION_DEF1`  - M^-1 P
.  `HEPTA_SUBDEFLATION_DEF2`  - P^T M^-1
.  `HEPTA_SUBDEFLATION_ADEF1` - M^-1 P + Q
.  `HEPTA_SUBDEFLATION_ADEF2` - P^T M^-1 + Q, the default
-  `HEPTA_SUBDEFLATION_BNN`   - P^T M^-1 P + Q

   Level: intermediate

.seealso: `PCSubdeflationSetVariant()`, `PCSUBDEFLATION`
E*/
typedef enum {
  HEPTA_SUBDEFLATION_DEF1,
  HEPTA_SUBDEFLATION_DEF2,
  HEPTA_SUBDEFLATION_ADEF1,
  HEPTA_SUBDEFLATION_ADEF2,
  HEPTA_SUBDEFLATION_BNN
} HeptaSubdeflationVariant;
PETSC_EXTERN const char *const HeptaSubdeflationVariants[]; /* "def1", "def2", "adef1", "adef2", "bnn" */

/*E
   HeptaSubdeflationCoarse - how `PCSUBDEFLATION` solves with E = Z^T A Z

   Values:
+  `HEPTA_SUBDEFLATION_COARSE_INVERSE`  - a dense inverse, made once and multiplied
.  `HEPTA_SUBDEFLATION_COARSE_CHOLESKY` - PETSc's sparse factorization of E
-  `HEPTA_SUBDEFLATION_COARSE_KSP`      - a `KSP` with the sparse E

   Level: intermediate

.seealso: `PCSubdeflationSetCoarse()`, `PCSUBDEFLATION`
E*/
typedef enum {
  HEPTA_SUBDEFLATION_COARSE_INVERSE,
  HEPTA_SUBDEFLATION_COARSE_CHOLESKY,
  HEPTA_SUBDEFLATION_COARSE_KSP
} HeptaSubdeflationCoarse;
PETSC_EXTERN const char *const HeptaSubdeflationCoarses[]; /* "inverse", "cholesky", "ksp" */

PETSC_EXTERN PetscErrorCode HeptaRegisterAll(void);
PETSC_EXTERN PetscErrorCode HeptaView(PetscViewer);
PETSC_EXTERN const char     HeptaBuiltFor[]; /* "PETSc 3.26.1, real scalars in double precision, 32-bit indices" */
PETSC_EXTERN PetscErrorCode HeptaSetTuning(const char[], PetscReal);
PETSC_EXTERN PetscErrorCode HeptaGetTuning(const char[], PetscReal *);

/* Matrices */
PETSC_EXTERN PetscErrorCode MatBDIASetGrid(Mat, PetscInt, PetscInt, PetscInt);
PETSC_EXTERN PetscErrorCode MatBDIASetHalf(Mat, PetscBool);
PETSC_EXTERN PetscErrorCode MatBDIASetStorage(Mat, HeptaMatStorage);
PETSC_EXTERN PetscErrorCode MatBDIAGetOffsets(Mat, PetscInt *, const PetscInt *[]);
PETSC_EXTERN PetscErrorCode MatBDIAGetFill(Mat, PetscReal *);
PETSC_EXTERN PetscErrorCode MatBROWSetTileSize(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatBROWGetTileSize(Mat, PetscInt *);
PETSC_EXTERN PetscErrorCode MatBROWSetStorage(Mat, HeptaMatStorage);
PETSC_EXTERN PetscErrorCode HeptaMatSetPreallocationCOOBlocked(Mat, PetscCount, const PetscInt[], const PetscInt[]);
PETSC_EXTERN PetscErrorCode HeptaMatGetBalancedRows(Mat, PetscInt, IS *);
PETSC_EXTERN PetscErrorCode HeptaMatGetLevels(Mat, PetscBool, PetscInt *, PetscInt *, PetscInt *, PetscInt[]);

/* Preconditioners */
PETSC_EXTERN PetscErrorCode PCIPSetVariant(PC, HeptaIPVariant);
PETSC_EXTERN PetscErrorCode PCIPSetStorage(PC, HeptaMatStorage);
PETSC_EXTERN PetscErrorCode PCBlockICSetBlocks(PC, HeptaBlockICBlocks, PetscInt);
PETSC_EXTERN PetscErrorCode PCBBSSetTriangle(PC, HeptaBBSTriangle);
PETSC_EXTERN PetscErrorCode PCGridMGSetGrid(PC, PetscInt, PetscInt, PetscInt);
PETSC_EXTERN PetscErrorCode PCGridMGSetSweeps(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCAggMGSetThreshold(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCAggMGSetReuseInterpolation(PC, PetscBool);
PETSC_EXTERN PetscErrorCode PCSubdeflationSetType(PC, HeptaSubdeflationType);
PETSC_EXTERN PetscErrorCode PCSubdeflationSetVariant(PC, HeptaSubdeflationVariant);
PETSC_EXTERN PetscErrorCode PCSubdeflationSetCoarse(PC, HeptaSubdeflationCoarse);
PETSC_EXTERN PetscErrorCode PCSubdeflationSetLabels(PC, IS);
PETSC_EXTERN PetscErrorCode PCSubdeflationSetVectors(PC, PetscInt, const Vec[]);
PETSC_EXTERN PetscErrorCode PCSubdeflationGetPC(PC, PC *);

/* Krylov methods */
PETSC_EXTERN PetscErrorCode KSPFusedCGSetFlexible(KSP, PetscBool);
PETSC_EXTERN PetscErrorCode KSPFusedCGSetSingleReduction(KSP, PetscBool);
PETSC_EXTERN PetscErrorCode KSPFusedCGSetPrecision(KSP, HeptaMatStorage);
PETSC_EXTERN PetscErrorCode KSPFusedCGSetTrueResidual(KSP, PetscBool);
PETSC_EXTERN PetscErrorCode KSPFusedCGSetErrorEstimate(KSP, PetscBool);
PETSC_EXTERN PetscErrorCode KSPFusedCGGetErrorEstimate(KSP, PetscInt *, PetscReal *);
PETSC_EXTERN PetscErrorCode KSPDPCGSetRecycle(KSP, PetscInt);
PETSC_EXTERN PetscErrorCode KSPBiCGCRSetSymmetric(KSP, PetscBool);
