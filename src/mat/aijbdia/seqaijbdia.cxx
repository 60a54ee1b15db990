/*
   The seqaijbdia matrix: a MATSEQAIJ in every respect, with products through block diagonals. PETSc's operations stay
   in place; the few that this type replaces call them.
*/
#include "seqaijbdia.h"

using hepta::aijbdia::Extra;

/* Every plain seqaij has the same operations: one copy serves all, also after MatHeaderMerge() has taken a matrix apart */
static struct _MatOps base;

const struct _MatOps *MatSeqAIJBDIABaseOps(void)
{
  return &base;
}

/*
   An operation that changes values or structure. The object's state is not enough to notice: MPIAIJ calls the
   operations of its local blocks directly, as MatDiagonalScale_MPIAIJ() does.
*/
template <auto Op> struct Changing;
template <class... Args, PetscErrorCode (*_MatOps::*Op)(Mat, Args...)> struct Changing<Op> {
  static PetscErrorCode Call(Mat A, Args... args)
  {
    Extra *x;

    PetscFunctionBegin;
    PetscCall((base.*Op)(A, args...));
    PetscCall(MatSeqAIJBDIAGetExtra(A, &x));
    x->current = false;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static void Put(Mat A, bool ours)
  {
    if (base.*Op) A->ops[0].*Op = ours ? Call : base.*Op;
  }
};

/*
   Operations that change a matrix otherwise need no place here: MatSetValues() and its kin end in assemblyend,
   MatCopy() and MatSeqAIJRestoreArray() raise the state of what they wrote to.
*/
template <auto... Ops> static void PutChanging(Mat A, bool ours)
{
  (Changing<Ops>::Put(A, ours), ...);
}

static PetscErrorCode MatDestroy_SeqAIJBDIA(Mat);
static PetscErrorCode MatDuplicate_SeqAIJBDIA(Mat, MatDuplicateOption, Mat *);
static PetscErrorCode MatView_SeqAIJBDIA(Mat, PetscViewer);

/* Puts our operations in the place of PETSc's, or PETSc's back */
static void PutOps(Mat A, bool ours)
{
  A->ops->mult             = ours ? MatMult_SeqAIJBDIA : base.mult;
  A->ops->multadd          = ours ? MatMultAdd_SeqAIJBDIA : base.multadd;
  A->ops->multtranspose    = ours ? MatMultTranspose_SeqAIJBDIA : base.multtranspose;
  A->ops->multtransposeadd = ours ? MatMultTransposeAdd_SeqAIJBDIA : base.multtransposeadd;
  A->ops->destroy          = ours ? MatDestroy_SeqAIJBDIA : base.destroy;
  A->ops->duplicate        = ours ? MatDuplicate_SeqAIJBDIA : base.duplicate;
  A->ops->view             = ours ? MatView_SeqAIJBDIA : base.view;
  PutChanging<&_MatOps::assemblyend, &_MatOps::zeroentries, &_MatOps::zerorows, &_MatOps::zerorowscolumns, &_MatOps::eliminatezeros>(A, ours);
  PutChanging<&_MatOps::scale, &_MatOps::shift, &_MatOps::diagonalset, &_MatOps::diagonalscale, &_MatOps::axpy>(A, ours);
  PutChanging<&_MatOps::setrandom, &_MatOps::setvaluesrow, &_MatOps::conjugate, &_MatOps::realpart, &_MatOps::imaginarypart>(A, ours);
  PutChanging<&_MatOps::load, &_MatOps::lufactor, &_MatOps::ilufactor>(A, ours);
}

/* PETSc finds the product of aij and dense under the names of the two types: look under aij's */
static PetscErrorCode MatProductSetFromOptions_SeqAIJBDIA_SeqDense(Mat C)
{
  PetscErrorCode (*f)(Mat);

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)C->product->B, "MatProductSetFromOptions_seqaij_seqdense_C", &f));
  if (f) PetscCall((*f)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_SeqAIJBDIA_SeqAIJ(Mat, MatType, MatReuse, Mat *);

/* What PETSc composes on a seqaij under its name, under ours too; taken away when ours is false */
static PetscErrorCode ComposeFunctions(Mat A, bool ours)
{
  static const char *const names[][2] = {
    {"MatConvert_seqaij_seqsbaij_C",               "MatConvert_seqaijbdia_seqsbaij_C"              },
    {"MatConvert_seqaij_seqbaij_C",                "MatConvert_seqaijbdia_seqbaij_C"               },
    {"MatConvert_seqaij_seqdense_C",               "MatConvert_seqaijbdia_seqdense_C"              },
    {"MatConvert_seqaij_seqsell_C",                "MatConvert_seqaijbdia_seqsell_C"               },
    {"MatConvert_seqaij_is_C",                     "MatConvert_seqaijbdia_is_C"                    },
    {"MatProductSetFromOptions_is_seqaij_C",       "MatProductSetFromOptions_is_seqaijbdia_C"      },
    {"MatProductSetFromOptions_seqdense_seqaij_C", "MatProductSetFromOptions_seqdense_seqaijbdia_C"}
  };
  PetscErrorCode (*f)(void);

  PetscFunctionBegin;
  for (auto &name : names) {
    PetscCall(PetscObjectQueryFunction((PetscObject)A, name[0], &f));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, name[1], ours ? f : nullptr));
  }
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatProductSetFromOptions_seqaijbdia_seqdense_C", ours ? MatProductSetFromOptions_SeqAIJBDIA_SeqDense : nullptr));
  /* MatConvert() asks a matrix of the wanted type too. PETSc relies on this converter keeping the arrays: MatTranspose_SeqAIJ() */
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatConvert_seqaij_seqaijbdia_C", ours ? MatConvert_SeqAIJ_SeqAIJBDIA : nullptr));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatConvert_seqaijbdia_seqaij_C", ours ? MatConvert_SeqAIJBDIA_SeqAIJ : nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Undoes the conversion: A is a plain seqaij again */
static PetscErrorCode BecomePlain(Mat A)
{
  PetscFunctionBegin;
  PutOps(A, false);
  PetscCall(ComposeFunctions(A, false));
  PetscCall(PetscObjectCompose((PetscObject)A, HEPTA_SEQAIJBDIA_KEY, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_SeqAIJBDIA(Mat A)
{
  PetscFunctionBegin;
  PetscCall(BecomePlain(A));
  PetscCall(base.destroy(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The copy has this type because PETSc makes it by the type's name; the limits are the original's */
static PetscErrorCode MatDuplicate_SeqAIJBDIA(Mat A, MatDuplicateOption op, Mat *B)
{
  Extra *x, *y;

  PetscFunctionBegin;
  PetscCall(base.duplicate(A, op, B));
  PetscCall(MatSeqAIJBDIAGetExtra(A, &x));
  PetscCall(MatSeqAIJBDIAGetExtra(*B, &y));
  y->max_offsets = x->max_offsets;
  y->max_fill    = x->max_fill;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_SeqAIJBDIA(Mat A, PetscViewer viewer)
{
  Extra            *x;
  PetscBool         isascii;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(base.view(A, viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (!isascii || (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!A->assembled || A->factortype) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJBDIARefresh(A, &x));
  if (!x->why.empty()) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "products through compressed rows: %s\n", x->why.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const int    offsets = (int)x->diag.off.size();
  const double fill    = (double)x->diag.slots / (double)x->diag.entries;
  PetscCall(PetscViewerASCIIPrintf(viewer, "products through block diagonals: block size %" PetscInt_FMT ", %d offsets, fill %.2f\n", x->diag.bs, offsets, fill));
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "block offsets:"));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
    for (PetscInt o : x->diag.off) PetscCall(PetscViewerASCIIPrintf(viewer, " %" PetscInt_FMT, o));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_SeqAIJBDIA_SeqAIJ(Mat A, MatType, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
  PetscCall(BecomePlain(*B));
  PetscCall(PetscObjectChangeTypeName((PetscObject)*B, MATSEQAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_SeqAIJ_SeqAIJBDIA(Mat A, MatType, MatReuse reuse, Mat *newmat)
{
  Mat       B = *newmat;
  Extra    *x;
  PetscBool same;

  PetscFunctionBegin;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  else if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *newmat = B;
  PetscCall(PetscObjectTypeCompare((PetscObject)B, MATSEQAIJBDIA, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)B, MATSEQAIJ, &same));
  PetscCheck(same, PetscObjectComm((PetscObject)B), PETSC_ERR_SUP, "Cannot make %s of %s: convert to %s first, and leave out -mat_seqaij_type %s", MATSEQAIJBDIA, ((PetscObject)B)->type_name, MATSEQAIJ, ((PetscObject)B)->type_name);
  PetscCheck(!B->hash_active, PetscObjectComm((PetscObject)B), PETSC_ERR_ARG_WRONGSTATE, "Cannot make %s of a matrix between MatSetUp() and its first assembly", MATSEQAIJBDIA);
  if (!base.mult) base = B->ops[0]; /* once: a later one may carry operations that its program replaced */
  PutOps(B, true);
  PetscCall(ComposeFunctions(B, true));
  PetscCall(MatSeqAIJBDIAGetExtra(B, &x));
  PetscCall(PetscObjectChangeTypeName((PetscObject)B, MATSEQAIJBDIA));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATSEQAIJBDIA - "seqaijbdia" - a `MATSEQAIJ` that multiplies through block diagonals, for programs that ask for `MATAIJ` in their code

   Options Database Keys:
+ -mat_seqaij_type seqaijbdia - every sequential `MATSEQAIJ` of the program, and the local blocks of every `MATMPIAIJ`, become matrices of this type
. -mat_type seqaijbdia        - sets the type of one sequential matrix
. -mat_bdia_max_offsets n     - matrices with more block offsets multiply through their compressed rows (default 27)
- -mat_bdia_max_fill f        - matrices with more value slots per entry multiply through their compressed rows (default 4)

   Level: beginner

   References:
   See `MATBDIA`.

   Notes:
   The compressed rows stay and serve everything but `MatMult()`, `MatMultAdd()`, `MatMultTranspose()` and `MatMultTransposeAdd()`:
   assembly, factorizations, relaxation, products of matrices, submatrices. The block diagonals are a copy, read at the first product
   after values or structure changed; they need the memory of the values times the fill. Vectors in device memory are multiplied on the
   device, with a copy of the block diagonals there.

   There is no such matrix on several MPI processes. The root name, `-mat_type aijbdia`, gives a plain `MATMPIAIJ` there; it exists because PETSc looks
   up under it which parallel type has parts of this one. Use `-mat_seqaij_type seqaijbdia`: then the local blocks of every `MATMPIAIJ` are of this type.

   The block size is that of the matrix when that fits the limits, else 1. A matrix that fits neither way (an interpolation, for example), or
   most of whose rows are empty (as in the off-diagonal block of a `MATMPIAIJ`), keeps multiplying through its compressed rows. `MatView()`
   with the format `PETSC_VIEWER_ASCII_INFO` says which, and why.

   `MatConvert()` to `MATSEQAIJ` gives a plain `MATSEQAIJ`, also under `-mat_seqaij_type seqaijbdia`. PETSc itself counts on every
   `MATSEQAIJ` being of the type that the option names when it transposes one: convert it back first, or clear the option.

   Half storage and single precision belong to `MATBDIA`, which keeps no compressed rows.

.seealso: `MATBDIA`, `MATSEQAIJ`, `MatSeqAIJSetType()`, `MatSeqAIJRegister()`
M*/
PetscErrorCode MatCreate_SeqAIJBDIA(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(MatConvert_SeqAIJ_SeqAIJBDIA(A, MATSEQAIJBDIA, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
