/* The factors as a MatSolverType, "bbs" */
#include "../../mat/structure.h"
#include "factors.h"

struct Mat_BBS {
  HeptaFactors factors;
  bool         level   = false; /* -mat_bbs_ordering */
  bool         by_name = false; /* was bbs asked for by name, as -pc_factor_mat_solver_type does? */
};

static Mat_BBS *BBS(Mat F)
{
  return (Mat_BBS *)F->data;
}

/* MatSolve(), MatSolveTranspose(), MatForwardSolve() and MatBackwardSolve() for X = Vec, MatMatSolve() and MatMatSolveTranspose()
   for X = Mat */
template <class X, HeptaSolve WHICH> static PetscErrorCode Solve(Mat F, X b, X x)
{
  PetscFunctionBegin;
  PetscCall(BBS(F)->factors.Solve(WHICH, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_BBS(Mat F)
{
  PetscFunctionBegin;
  delete BBS(F);
  F->data = nullptr;
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_BBS(Mat F, PetscViewer viewer)
{
  PetscBool         ascii;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii || !BBS(F)->factors.Rows()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s, rows in %s order\n", F->factortype == MAT_FACTOR_ICC ? "IC(0)" : "ILU(0)",
                                   BBS(F)->level ? "level" : "the given"));
  PetscCall(BBS(F)->factors.View(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetInfo_BBS(Mat F, MatInfoType, MatInfo *info)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(info, sizeof(*info)));
  info->block_size       = (PetscLogDouble)HeptaBlockSize(F->rmap);
  info->nz_allocated     = BBS(F)->factors.Entries();
  info->nz_used          = BBS(F)->factors.Entries();
  info->fill_ratio_given = info->fill_ratio_needed = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error if the matrix has erroriffailure set; otherwise F->factorerrortype reports the failure to PCSetUp() and KSPSolve() */
static PetscErrorCode ReportFailure(Mat F, Mat A, PetscInt bad, PetscInt infinite, PetscInt overflow)
{
  const bool        icc  = F->factortype == MAT_FACTOR_ICC;
  const char *const name = icc ? "IC(0)" : "ILU(0)";
  PetscErrorCode    code = PETSC_ERR_FP;
  std::string       why;

  PetscFunctionBegin;
  if (bad >= 0) {
    F->factorerrortype           = MAT_FACTOR_NUMERIC_ZEROPIVOT;
    F->factorerror_zeropivot_row = bad;

    code = icc ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT;
    why  = HeptaFormat(
      "bbs: %s has no good pivot in row %" PetscInt_FMT "; try -pc_factor_shift_type nonzero or positive_definite", name, bad);
  } else if (overflow >= 0) why = HeptaFormat(HEPTA_BBS_OVERFLOW, overflow);
  else why = HeptaFormat("bbs: row %" PetscInt_FMT " of %s holds Inf or NaN: look for such values in the matrix", infinite, name);
  PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, code, "%s", why.c_str());
  PetscCall(PetscInfo(F, "%s\n", why.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the values; after an error F->factorerrortype is MAT_FACTOR_OTHER */
static PetscErrorCode Factor(Mat F, Mat A, const MatFactorInfo *info)
{
  PetscInt bad, infinite;

  PetscFunctionBegin;
  F->factorerrortype = MAT_FACTOR_OTHER;
  PetscCall(BBS(F)->factors.SetValues(A, *info, &bad, &infinite));
  if (bad < 0 && infinite < 0) PetscCall(BBS(F)->factors.Prepare());
  const PetscInt overflow = BBS(F)->factors.Overflow();
  if (bad >= 0 || infinite >= 0 || overflow >= 0) PetscCall(ReportFailure(F, A, bad, infinite, overflow));
  else F->factorerrortype = MAT_FACTOR_NOERROR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Numeric(Mat F, Mat A, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCheck(BBS(F)->factors.structure.Of(A), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "bbs: the matrix does not have the type and the entries that the factor was made for: call MatILUFactorSymbolic() "
             "or MatICCFactorSymbolic() first");
  const PetscErrorCode code = HeptaNoThrow<Factor>(F, A, info);
  if (F->factorerrortype) {
    PetscCall(HeptaFactorFailed(A));
    BBS(F)->factors.structure.Note(A);
  }
  PetscCall(code);
  F->ops->solve             = HeptaNoThrow<Solve<Vec, HeptaSolve::all>>;
  F->ops->solvetranspose    = HeptaNoThrow<Solve<Vec, HeptaSolve::transposed>>;
  F->ops->matsolve          = HeptaNoThrow<Solve<Mat, HeptaSolve::all>>;
  F->ops->matsolvetranspose = HeptaNoThrow<Solve<Mat, HeptaSolve::transposed>>;
  F->ops->forwardsolve      = HeptaNoThrow<Solve<Vec, HeptaSolve::lower>>;
  F->ops->backwardsolve     = HeptaNoThrow<Solve<Vec, HeptaSolve::upper>>;
  F->assembled              = PETSC_TRUE;
  F->preallocated           = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOptions(Mat F, HeptaBBSOptions *options)
{
  static const char *const orderings[] = {"natural", "level"};
  PetscInt                 ordering    = 0;

  PetscFunctionBegin;
  PetscOptionsBegin(PetscObjectComm((PetscObject)F), ((PetscObject)F)->prefix, "Block back substitution options", "Mat");
  PetscCall(options->SetFromOptions(PetscOptionsObject));
  PetscCall(PetscOptionsEList("-mat_bbs_ordering", "Order of the rows, where the factorization is given none", "MATSOLVERBBS",
                              orderings, 2, orderings[0], &ordering, nullptr));
  PetscOptionsEnd();
  BBS(F)->level = ordering == 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With fill F becomes PETSc's factor, unless bbs was asked for by name */
static PetscErrorCode BecomePETSc(Mat F, Mat A, const MatFactorInfo *info)
{
  const MatFactorType type = F->factortype;
  Mat                 P;

  PetscFunctionBegin;
  PetscCheck(!BBS(F)->by_name, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "bbs factors without fill: -pc_factor_levels %" PetscInt_FMT " needs -pc_factor_mat_solver_type petsc",
             (PetscInt)info->levels);
  PetscCall(
    PetscInfo(F, "bbs factors without fill: -pc_factor_levels %" PetscInt_FMT " are left to the solver type " MATSOLVERPETSC "\n",
              (PetscInt)info->levels));
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, type, &P));
  PetscCheck(P, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The solver type " MATSOLVERPETSC " has no factor of this matrix, and bbs factors without fill only");
  PetscCall(MatSetOptionsPrefix(P, ((PetscObject)F)->prefix));
  PetscCall(MatHeaderReplace(F, &P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symbolic(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  HeptaBBSOptions options;
  PetscBool       natural[2] = {PETSC_TRUE, PETSC_TRUE};
  IS              level[2]   = {nullptr, nullptr};
  const bool      icc        = F->factortype == MAT_FACTOR_ICC;

  PetscFunctionBegin;
  if (info->levels > 0) {
    PetscCall(BecomePETSc(F, A, info));
    if (icc) PetscUseTypeMethod(F, iccfactorsymbolic, A, row, info);
    else PetscUseTypeMethod(F, ilufactorsymbolic, A, row, col, info);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(A->rmap->n == A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "bbs factors square matrices, not %" PetscInt_FMT " x %" PetscInt_FMT, A->rmap->n, A->cmap->n);
  PetscCall(GetOptions(F, &options));
  if (row) PetscCall(ISIdentity(row, &natural[0]));
  if (col) PetscCall(ISIdentity(col, &natural[1]));
  BBS(F)->level = BBS(F)->level && natural[0] && natural[1];
  if (BBS(F)->level) PetscCall(MatGetOrdering_Level(A, MATORDERINGLEVEL, &level[0], &level[1]));
  PetscCall(BBS(F)->factors.SetStructure(A, icc ? HeptaBBSKind::icc : HeptaBBSKind::ilu, BBS(F)->level ? level[0] : row,
                                         BBS(F)->level ? level[1] : col, options));
  for (IS &is : level) PetscCall(ISDestroy(&is));
  if (icc) F->ops->choleskyfactornumeric = HeptaNoThrow<Numeric>;
  else F->ops->lufactornumeric = HeptaNoThrow<Numeric>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SymbolicICC(Mat F, Mat A, IS perm, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCall(Symbolic(F, A, perm, perm, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetSolverType(Mat, MatSolverType *type)
{
  PetscFunctionBegin;
  *type = MATSOLVERBBS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool by_name> static PetscErrorCode MatGetFactor_BBS(Mat A, MatFactorType type, Mat *F)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), F));
  PetscCall(MatSetSizes(*F, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(PetscStrallocpy(MATSOLVERBBS, &((PetscObject)*F)->type_name));
  PetscCall(MatSetBlockSizesFromMats(*F, A, A));
  PetscCall(PetscLayoutSetUp((*F)->rmap));
  PetscCall(PetscLayoutSetUp((*F)->cmap));
  (*F)->data           = new Mat_BBS;
  BBS(*F)->by_name     = by_name;
  (*F)->factortype     = type;
  (*F)->canuseordering = PETSC_TRUE;
  (*F)->ops->destroy   = HeptaNoThrow<MatDestroy_BBS>;
  (*F)->ops->view      = HeptaNoThrow<MatView_BBS>;
  (*F)->ops->getinfo   = HeptaNoThrow<MatGetInfo_BBS>;
  if (type == MAT_FACTOR_ICC) (*F)->ops->iccfactorsymbolic = HeptaNoThrow<SymbolicICC>;
  else (*F)->ops->ilufactorsymbolic = HeptaNoThrow<Symbolic>;
  PetscCall(PetscFree((*F)->solvertype));
  PetscCall(PetscStrallocpy(MATSOLVERBBS, &(*F)->solvertype));
  PetscCall(PetscStrallocpy(MATORDERINGNATURAL, (char **)&(*F)->preferredordering[type]));
  PetscCall(PetscObjectComposeFunction((PetscObject)*F, "MatFactorGetSolverType_C", HeptaNoThrow<GetSolverType>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATSOLVERBBS - "bbs" - IC(0) and ILU(0) on the host or the device, and triangular solves with them, level by level

   When to take it:
   Take `MATSOLVERBBS` in `PCICC` and `PCILU` without fill, above all for many solves on a GPU, and where multigrid does not fit:
   contact, stiff inclusions, several unknowns a cell.

   Options Database Keys:
+  -pc_factor_mat_solver_type bbs                          - uses it in `PCICC` and `PCILU`; the default there for `MATBDIA` and
                                                            `MATBROW`, on the device too
.  -mat_bbs_ordering <natural>                             - `natural` or `level`: order of the rows where the factorization is
                                                            given none, see `MATORDERINGLEVEL`
.  -mat_bbs_engine <auto,levels,syncfree,chunks,together> - how the device goes through the levels
.  -mat_bbs_chunk <rows>                                   - rows that a thread block solves (engine `chunks`)
-  -mat_bbs_storage <double>                               - `double` or `single`: type of the values of triangular solves

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type aij -ksp_type cg -pc_type icc -pc_factor_mat_solver_type bbs
.ve

   Limits:
   With levels of fill PETSc takes the default `MATSOLVERPETSC`. Requested by name, `MATSOLVERBBS` refuses levels of fill. A `PC`
   that has factored without levels counts as a request by name: call `PCFactorSetMatSolverType()` with `MATSOLVERPETSC` before
   more levels.

   Level: intermediate

   Notes:
   Works for `MATSEQAIJ`, `MATSEQAIJCUSPARSE`, `MATSEQBAIJ`, `MATSEQBDIA`, `MATSEQBDIACUDA`, `MATSEQBROW` and `MATSEQBROWCUDA`, in
   parallel under `PCBJACOBI` and `PCASM`. `MATSEQBAIJ` and Hepta's types with block size > 1 (of the `Mat`, not of the tiles) are
   factored by point blocks; for point blocks the shifts see singular diagonal blocks only. The factors are equal to PETSc's own
   with `-pc_factor_levels 0`, PETSc's shifts (`-pc_factor_shift_type`) and restarts included. IC(0) reads the upper triangle. New
   values reuse the structure.

   `MatSolve()`, `MatSolveTranspose()`, `MatMatSolve()`, `MatMatSolveTranspose()`, `MatForwardSolve()` and `MatBackwardSolve()`
   run where the vectors are, one solve of a factor at a time. `MatForwardSolve()` solves with L, `MatBackwardSolve()` with D U;
   for IC(0) of block size 1 each half has the square root of D.

   The matrix is factored as (I + L) D (I + U). A row without dependencies has level 1, any other row 1 + the largest level among
   its dependencies. The host solves row by row. On the device an engine goes from level to level:

.vb
     levels      - a kernel for each level
     syncfree    - one cooperative kernel without barriers: warps take the rows level by level, and wait for each value
     chunks      - a thread block solves a run of neighboring rows in shared memory, with a barrier for each level, and waits for
                   values of other runs; entries are copied to shared memory ahead of use
     together    - a warp solves a row for 32 right-hand sides, and waits for each value; entries are read from the factors, so
                   transposed solves take the engine of auto
     auto        - the least estimated time: chunks for near dependencies and levels that are narrow or shared by many chunks;
                   syncfree for far dependencies or levels that follow each other chunk by chunk; levels for rows without
                   dependencies and for very long rows; together from the number of right-hand sides on that the view shows,
                   unless -mat_bbs_chunk is given
.ve

   `MatView()` with `PETSC_VIEWER_ASCII_INFO` (`-ksp_view`) shows the levels, the shift and, for solves on the device, the engine
   and its numbers. Repeated solves give the same bits.

   On the device the levels and the storage of a new structure are found there, and new values are factored there; the host first
   reads the structure of other types than `MATSEQAIJCUSPARSE`, of reordered matrices, and for IC(0). Many right-hand sides are
   solved 1 GB at a time; `together` works in 2 GB, kept for the next solve. For one right-hand side `syncfree` keeps three more
   numbers for each row of a triangle. Tiles take 1 kB a row where every row is a level.

   The symbolic step reads the options: other options take effect after `PCReset()`. With `-mat_bbs_storage single` the matrix is
   factored in double precision, and the strict triangles are rounded to single
   precision; values below 1e-38 become zero. The host solves in double precision. The device scales each right-hand side by its
   largest finite entry and solves in single precision, where a solution 1e38 times as large as b overflows. b, x, the diagonal
   and engine `together`, which `auto` takes for many right-hand sides, stay in double precision. `KSPGMRES` on the right adds
   applications to single vectors, so that its true residual may exceed the residual that it reports: take `KSPFGMRES`. A chunk
   holds twice as many rows, so that on one H200 IC(0) of 2-D grids is 1.3 times as fast with 8 million cells and 1.4 times with
   16 million, and on 2-D grids of up to 4 million cells and on 3-D grids as fast (bench/results/precision-h200.md).

   Errors:
   `PETSC_ERR_ARG_WRONGSTATE` for a row without a diagonal entry, with its number, and for a matrix whose type or nonzero
   locations have changed since the symbolic step; `PETSC_ERR_SUP` for levels of fill, if requested by name; `PETSC_ERR_LIB` for
   `syncfree` on a device without cooperative launches. With `MatSetErrorIfFailure()` or `KSPSetErrorIfNotConverged()` a bad pivot
   raises `PETSC_ERR_MAT_LU_ZRPVT` or `PETSC_ERR_MAT_CH_ZRPVT`, with its row, and a value that is not finite, or that
   `-mat_bbs_storage single` cannot hold, raises `PETSC_ERR_FP`. Otherwise `KSPSolve()` ends with `KSP_DIVERGED_PC_FAILED`, and
   the nonzero state of the matrix rises, so that the next set-up makes a new factor.

   References:
   See `PCBBS`. W. Liu, A. Li, J. Hogg, I. S. Duff, B. Vinter, A synchronization-free algorithm for parallel sparse triangular
   solves, Euro-Par 2016 (waiting for values).

.seealso: `PCBBS`, `MATORDERINGLEVEL`, `HeptaMatGetLevels()`, `PCICC`, `PCILU`, `MatGetFactor()`, `PCFactorSetMatSolverType()`,
   `PCFactorSetShiftType()`, `MATBDIA`, `MATBROW`
M*/

PetscErrorCode MatSolverTypeRegister_BBS(void)
{
  PetscFunctionBegin;
  for (MatFactorType type : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
    /*
       For a solver requested by name PETSc takes the first entry whose name is a prefix of the matrix's type, so a longer name
       comes before its prefixes. For a default solver PETSc takes the entry of exactly the type: the second group serves only as
       a default.
    */
    for (MatType name : {"seqbdi", "seqbro", MATSEQAIJCUSPARSE, MATSEQAIJ, MATSEQBAIJ})
      PetscCall(MatSolverTypeRegister(MATSOLVERBBS, name, type, HeptaNoThrow<MatGetFactor_BBS<true>>));
    for (MatType name : {MATSEQBDIACUDA, MATSEQBDIA, MATSEQBROWCUDA, MATSEQBROW})
      PetscCall(MatSolverTypeRegister(MATSOLVERBBS, name, type, HeptaNoThrow<MatGetFactor_BBS<false>>));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
