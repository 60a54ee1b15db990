/* PC "bbs": solves with the user's own triangular matrix */
#include "../operator.h"
#include "factors.h"

const char *const HeptaBBSTriangles[] = {"auto", "upper", "lower", "both", "HeptaBBSTriangle", "HEPTA_BBS_", nullptr};

struct PC_BBS : HeptaPCData {
  HeptaBBSTriangle              triangle = HEPTA_BBS_AUTO; /* has the number of a HeptaBBSKind */
  HeptaBBSOptions               options;
  std::unique_ptr<HeptaFactors> factors{new HeptaFactors};
};

static PC_BBS *BBS(PC pc)
{
  return (PC_BBS *)pc->data;
}

static PetscErrorCode SetUp(PC pc)
{
  PC_BBS       *bbs = BBS(pc);
  MatFactorInfo info;
  PetscInt      bad, infinite;
  bool          can;

  PetscFunctionBegin;
  if (!bbs->factors->structure.Of(pc->pmat)) {
    PetscCall(HeptaPatternCanRead(pc->pmat, &can));
    PetscCheck(can, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
               "PC bbs solves with a triangular matrix of type seqaij, seqaijcusparse, seqbaij, seqbdia or seqbrow, not %s; on "
               "several MPI processes use it inside -pc_type bjacobi",
               ((PetscObject)pc->pmat)->type_name);
    PetscCall(HeptaCheckSquare(pc, pc->pmat));
    PetscCall(bbs->factors->SetStructure(pc->pmat, (HeptaBBSKind)bbs->triangle, nullptr, nullptr, bbs->options));
  }
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(bbs->factors->SetValues(pc->pmat, info, &bad, &infinite));
  PetscCheck(bad < 0, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
             "PC bbs: the diagonal entry of row %" PetscInt_FMT
             " is zero or too small to divide by, or its diagonal block is singular",
             bad);
  PetscCheck(infinite < 0, PETSC_COMM_SELF, PETSC_ERR_FP, "PC bbs: row %" PetscInt_FMT " has an entry that is Inf or NaN",
             infinite);
  PetscCall(bbs->factors->Prepare());
  const PetscInt overflow = bbs->factors->Overflow();
  PetscCheck(overflow < 0, PETSC_COMM_SELF, PETSC_ERR_FP, HEPTA_BBS_OVERFLOW, overflow);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For X = Vec, and for X = Mat of several columns */
template <class X, HeptaSolve WHICH> static PetscErrorCode Apply(PC pc, X b, X x)
{
  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  PetscCall(BBS(pc)->factors->Solve(WHICH, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCReset_BBS(PC pc)
{
  PetscFunctionBegin;
  BBS(pc)->stage = HeptaPCStage::none;
  BBS(pc)->factors.reset(new HeptaFactors);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCBBSSetTriangle_BBS(PC pc, HeptaBBSTriangle triangle)
{
  PetscFunctionBegin;
  if (BBS(pc)->triangle != triangle) PetscCall(HeptaPCStartAnew(pc));
  BBS(pc)->triangle = triangle;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBBSSetTriangle - Sets what the matrix of `PCBBS` is

  Logically Collective

  Input Parameters:
+ pc       - the preconditioner
- triangle - `HEPTA_BBS_AUTO`, the default, `HEPTA_BBS_UPPER`, `HEPTA_BBS_LOWER` or `HEPTA_BBS_BOTH`

  Options Database Key:
. -pc_bbs_triangle <auto> - `auto`, `upper`, `lower` or `both`

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. After set-up it makes the next `PCSetUp()` start anew.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is no `HeptaBBSTriangle`.

.seealso: `PCBBS`, `HeptaBBSTriangle`, `HeptaMatGetLevels()`
@*/
PetscErrorCode PCBBSSetTriangle(PC pc, HeptaBBSTriangle triangle)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, triangle, 2);
  PetscCall(HeptaCheckEnum(PetscObjectComm((PetscObject)pc), triangle, HeptaBBSTriangles));
  PetscTryMethod(pc, "PCBBSSetTriangle_C", (PC, HeptaBBSTriangle), (pc, triangle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetFromOptions_BBS(PC pc, PetscOptionItems PetscOptionsObject)
{
  PC_BBS    *bbs      = BBS(pc);
  const auto before   = bbs->options;
  PetscInt   triangle = bbs->triangle;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Block back substitution options");
  PetscCall(PetscOptionsEList("-pc_bbs_triangle", "What the matrix is", "PCBBSSetTriangle", HeptaBBSTriangles, 4,
                              HeptaBBSTriangles[triangle], &triangle, nullptr));
  PetscCall(PCBBSSetTriangle(pc, (HeptaBBSTriangle)triangle));
  PetscCall(bbs->options.SetFromOptions(PetscOptionsObject));
  PetscOptionsHeadEnd();
  if (!(before == bbs->options)) PetscCall(HeptaPCStartAnew(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_BBS(PC pc, PetscViewer viewer)
{
  static const char *const kinds[] = {"", "upper triangle", "lower triangle", "unit lower and upper triangle"};
  PC_BBS                  *bbs     = BBS(pc);

  PetscFunctionBegin;
  if (!bbs->factors->structure.Known()) PetscCall(PetscViewerASCIIPrintf(viewer, "  not yet set up\n"));
  else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", kinds[(int)bbs->factors->kind]));
    PetscCall(bbs->factors->View(viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   PCBBS - "bbs" - Solves with the user's own triangular matrix, level by level: block back substitution

   When to take it:
   `PCBBS` factors nothing: it is for programs with their own factors, and for `KSPPREONLY`. For factors of the matrix take
   `PCICC` or `PCILU` with `MATSOLVERBBS`.

   Options Database Keys:
+  -pc_bbs_triangle <auto>                                 - `auto`, `upper`, `lower` or `both`: what the matrix is
.  -mat_bbs_engine <auto,levels,syncfree,chunks,together> - how the device goes through the levels, see `MATSOLVERBBS`
.  -mat_bbs_chunk <rows>                                   - rows that a thread block solves
-  -mat_bbs_storage <double>                               - `double` or `single`: type of the values, see `MATSOLVERBBS`

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -ksp_type fusedbcgs -pc_type bbs -pc_bbs_triangle both
.ve

   Limits:
   On several MPI processes use `PCBBS` inside `PCBJACOBI`. One solve at a time.

   Level: intermediate

   Notes:
   `PCApply()` is x = U^-1 b or x = L^-1 b, `PCApplyTranspose()` is x = U^-T b or x = L^-T b. `PCMatApply()` and
   `PCMatApplyTranspose()` solve for many right-hand sides at once, the columns of `MATDENSE` or `MATDENSECUDA`.

   With `auto` the matrix must be upper or lower triangular. `both` applies U^-1 L^-1 for factors stored in one matrix: L is the
   strictly lower part with a unit diagonal, U the upper part with the diagonal.

   The matrix is of type `MATSEQAIJ` or one of its relatives, `MATSEQBAIJ`, `MATSEQBDIA` or `MATSEQBROW`. `MATSEQBAIJ`,
   `MATSEQBDIA` and `MATSEQBROW` have a diagonal of point blocks, which the set-up inverts. A set-up for a new structure finds the
   levels, where the matrix is; a set-up for new values is one pass over the values. The first transposed solve on the device
   makes the tables of transposed solves. Repeated solves give the same bits.

   Errors:
   `PETSC_ERR_ARG_WRONG` for a matrix that is not triangular, with the row and column of the first wrong entry;
   `PETSC_ERR_ARG_WRONGSTATE` for a row without a diagonal entry; `PETSC_ERR_MAT_LU_ZRPVT` for a zero on the diagonal, or a
   singular diagonal block, with its row; `PETSC_ERR_FP` for NaN and Inf, with the row; `PETSC_ERR_SUP` for other matrix types;
   `PETSC_ERR_ARG_SIZ` for a matrix that is not square.

   References:
   J. Nibbeling, Implementation of a Parallel Back Substitution Solver on GPUs, B.Sc. thesis, Universiteit Leiden, 2016,
   algorithms 2 (block back substitution) and 3 (levels), section 3.2 (ELL storage by columns). Y. Saad, Iterative Methods for
   Sparse Linear Systems, section 11.6 (level scheduling).

.seealso: `PCBBSSetTriangle()`, `MATSOLVERBBS`, `MATORDERINGLEVEL`, `HeptaMatGetLevels()`, `PCBLOCKIC`, `PCICC`, `PCILU`,
   `PCBJACOBI`, `KSPPREONLY`
M*/

PETSC_INTERN PetscErrorCode PCCreate_BBS(PC pc)
{
  PetscFunctionBegin;
  pc->data                = new PC_BBS;
  pc->ops->setup          = HeptaNoThrow<HeptaPCSetUp<&HeptaEvents::bbs_setup, SetUp>>;
  pc->ops->apply          = HeptaNoThrow<Apply<Vec, HeptaSolve::all>>;
  pc->ops->applytranspose = HeptaNoThrow<Apply<Vec, HeptaSolve::transposed>>;
  pc->ops->matapply       = HeptaNoThrow<Apply<Mat, HeptaSolve::all>>;
#if PETSC_VERSION_GE(3, 24, 0) /* older versions lack the operation */
  pc->ops->matapplytranspose = HeptaNoThrow<Apply<Mat, HeptaSolve::transposed>>;
#endif
  pc->ops->reset          = HeptaNoThrow<PCReset_BBS>;
  pc->ops->destroy        = HeptaNoThrow<HeptaPCDestroy>;
  pc->ops->setfromoptions = HeptaNoThrow<PCSetFromOptions_BBS>;
  pc->ops->view           = HeptaNoThrow<HeptaPCView<PCView_BBS>>;
  PetscCall(HeptaPCComposeFunction(pc, HEPTA_RECORDED, HeptaNoThrow<HeptaPCRecordsAlways>));
  PetscCall(HeptaPCComposeFunction(pc, "PCBBSSetTriangle_C", HeptaNoThrow<PCBBSSetTriangle_BBS>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
