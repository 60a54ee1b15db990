/*
   Matrices that are a MATSEQAIJ in every respect, with products through a local part. PETSc's operations stay in place; the
   few that these types replace call them.
*/
#include "../structure.h"
#include "seqaijblocked.h"

using hepta::aijblocked::base;
using hepta::aijblocked::Extra;

struct _MatOps hepta::aijblocked::base;

/*
   An operation that changes values or structure. The object's state does not always show this: MPIAIJ calls the
   operations of its local blocks directly, as MatDiagonalScale_MPIAIJ() does. MatAXPY_SeqAIJ() and others end in
   MatHeaderMerge(), which may give the matrix other entries under the nonzero state that it had.
*/
template <auto Op> struct Changing;
template <class... Args, PetscErrorCode (*_MatOps::*Op)(Mat, Args...)> struct Changing<Op> {
  static PetscErrorCode Call(Mat A, Args... args)
  {
    const void *const      data  = A->data;
    const PetscObjectState state = A->nonzerostate;
    Extra                 *x;

    PetscFunctionBegin;
    PetscCall((base.*Op)(A, args...));
    if (A->data != data) PetscCall(HeptaRaiseNonzeroState(A, state));
    PetscCall(MatSeqAIJBlockedGetExtra(A, &x));
    x->current = false;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static void Put(Mat A, bool ours)
  {
    if (base.*Op) A->ops[0].*Op = ours ? HeptaNoThrow<Call> : base.*Op;
  }
};

/*
   Other operations that change a matrix need not be here: MatSetValues() and its kin end in assemblyend,
   MatCopy() and MatSeqAIJRestoreArray() increase the state of the matrix that they write to.
*/
template <auto... Ops> static void PutChanging(Mat A, bool ours)
{
  (Changing<Ops>::Put(A, ours), ...);
}

/*
   PETSc's relaxation by i-nodes sizes its buffers at its first call, and writes past them when the i-nodes grow. After a change
   of structure the rows are relaxed one by one.
*/
static PetscErrorCode MatSOR_SeqAIJBlocked(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its,
                                           PetscInt lits, Vec x)
{
  Extra *e;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJBlockedGetExtra(A, &e));
  if (e->relaxed < 0) e->relaxed = A->nonzerostate;
  if (e->relaxed != A->nonzerostate) PetscCall(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(base.sor(A, b, omega, flag, shift, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool transpose> static PetscErrorCode MatMult_SeqAIJBlocked(Mat A, Vec x, Vec y)
{
  return MatSeqAIJBlockedMultiply(A, transpose, x, nullptr, y);
}

template <bool transpose> static PetscErrorCode MatMultAdd_SeqAIJBlocked(Mat A, Vec x, Vec z, Vec y)
{
  return MatSeqAIJBlockedMultiply(A, transpose, x, z, y);
}

static PetscErrorCode MatDestroy_SeqAIJBlocked(Mat);
static PetscErrorCode MatDuplicate_SeqAIJBlocked(Mat, MatDuplicateOption, Mat *);
static PetscErrorCode MatView_SeqAIJBlocked(Mat, PetscViewer);
static PetscErrorCode MatTranspose_SeqAIJBlocked(Mat, MatReuse, Mat *);

/* Replaces PETSc's operations by ours, or restores PETSc's */
static void PutOps(Mat A, bool ours)
{
  A->ops->mult             = ours ? HeptaNoThrow<MatMult_SeqAIJBlocked<false>> : base.mult;
  A->ops->multadd          = ours ? HeptaNoThrow<MatMultAdd_SeqAIJBlocked<false>> : base.multadd;
  A->ops->multtranspose    = ours ? HeptaNoThrow<MatMult_SeqAIJBlocked<true>> : base.multtranspose;
  A->ops->multtransposeadd = ours ? HeptaNoThrow<MatMultAdd_SeqAIJBlocked<true>> : base.multtransposeadd;
  A->ops->sor              = ours ? HeptaNoThrow<MatSOR_SeqAIJBlocked> : base.sor;
  A->ops->destroy          = ours ? HeptaNoThrow<MatDestroy_SeqAIJBlocked> : base.destroy;
  A->ops->duplicate        = ours ? HeptaNoThrow<MatDuplicate_SeqAIJBlocked> : base.duplicate;
  A->ops->transpose        = ours ? HeptaNoThrow<MatTranspose_SeqAIJBlocked> : base.transpose;
  A->ops->view             = ours ? HeptaNoThrow<MatView_SeqAIJBlocked> : base.view;
  PutChanging<&_MatOps::assemblyend, &_MatOps::zeroentries, &_MatOps::zerorows, &_MatOps::zerorowscolumns,
              &_MatOps::eliminatezeros>(A, ours);
  PutChanging<&_MatOps::scale, &_MatOps::shift, &_MatOps::diagonalset, &_MatOps::diagonalscale, &_MatOps::axpy>(A, ours);
  PutChanging<&_MatOps::setrandom, &_MatOps::setvaluesrow, &_MatOps::conjugate, &_MatOps::realpart, &_MatOps::imaginarypart>(
    A, ours);
  PutChanging<&_MatOps::load, &_MatOps::lufactor, &_MatOps::ilufactor>(A, ours);
}

/* PETSc looks for the product of aij and dense by the names of the two types: here it is looked up by aij's */
static PetscErrorCode MatProductSetFromOptions_SeqAIJBlocked_SeqDense(Mat C)
{
  PetscErrorCode (*f)(Mat);

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)C->product->B, "MatProductSetFromOptions_seqaij_seqdense_C", &f));
  if (f) PetscCall((*f)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The empty matrix in which PETSc's own MatAXPY() builds Y + alpha X when X is of another type, and by which it replaces Y */
static PetscErrorCode MatAXPYGetPreallocation_SeqAIJBlocked(Mat Y, Mat, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)Y), B));
  PetscCall(MatSetLayouts(*B, Y->rmap, Y->cmap));
  PetscCall(MatSetType(*B, ((PetscObject)Y)->type_name));
  PetscCall(MatSetUp(*B));
  PetscCall(HeptaRaiseNonzeroState(*B, Y->nonzerostate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_Blocked_SeqAIJ(Mat, MatType, MatReuse, Mat *);

static PetscErrorCode (*base_retrieve)(Mat); /* of a plain seqaij */

static PetscErrorCode MatRetrieveValues_SeqAIJBlocked(Mat A)
{
  PetscFunctionBegin;
  PetscCall(base_retrieve(A));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ComposeRetrieve(Mat A, bool ours)
{
  PetscFunctionBegin;
  if (HEPTA_RETRIEVE_RAISES_STATE) PetscFunctionReturn(PETSC_SUCCESS);
  if (!base_retrieve) PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatRetrieveValues_C", &base_retrieve));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatRetrieveValues_C",
                                       ours ? HeptaNoThrow<MatRetrieveValues_SeqAIJBlocked> : base_retrieve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composes what PETSc composes on a seqaij under its name under ours too; removes that when ours is false */
static PetscErrorCode ComposeFunctions(Mat A, const HeptaSeqAIJKind &kind, bool ours)
{
  const std::string                           name    = kind.name;
  const std::pair<const char *, const char *> names[] = {{"MatConvert_", "_seqsbaij_C"},
                                                         {"MatConvert_", "_seqbaij_C"},
                                                         {"MatConvert_", "_seqdense_C"},
                                                         {"MatConvert_", "_seqsell_C"},
                                                         {"MatConvert_", "_is_C"},
                                                         {"MatProductSetFromOptions_is_", "_C"},
                                                         {"MatProductSetFromOptions_seqdense_", "_C"}};
  PetscErrorCode (*f)(void);

  PetscFunctionBegin;
  for (auto &n : names) {
    PetscCall(PetscObjectQueryFunction((PetscObject)A, (n.first + std::string(MATSEQAIJ) + n.second).c_str(), &f));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, (n.first + name + n.second).c_str(), ours ? f : nullptr));
  }
  PetscCall(PetscObjectComposeFunction((PetscObject)A, ("MatProductSetFromOptions_" + name + "_seqdense_C").c_str(),
                                       ours ? HeptaNoThrow<MatProductSetFromOptions_SeqAIJBlocked_SeqDense> : nullptr));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatAXPYGetPreallocation_C",
                                       ours ? HeptaNoThrow<MatAXPYGetPreallocation_SeqAIJBlocked> : nullptr));
  PetscCall(ComposeRetrieve(A, ours));
  /* MatConvert() also looks for a converter in a matrix of the wanted type: MatTranspose_SeqAIJ() keeps the arrays by it */
  PetscCall(
    PetscObjectComposeFunction((PetscObject)A, ("MatConvert_seqaij_" + name + "_C").c_str(), ours ? kind.convert : nullptr));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, ("MatConvert_" + name + "_seqaij_C").c_str(),
                                       ours ? HeptaNoThrow<MatConvert_Blocked_SeqAIJ> : nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Undoes the conversion: A is a plain seqaij again */
static PetscErrorCode BecomePlain(Mat A)
{
  PetscFunctionBegin;
  PutOps(A, false);
  for (const HeptaBlockedFormat *f : HeptaFormats()) PetscCall(ComposeFunctions(A, *f->seqaij, false));
  PetscCall(PetscObjectCompose((PetscObject)A, HEPTA_SEQAIJBLOCKED_KEY, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_SeqAIJBlocked(Mat A)
{
  PetscFunctionBegin;
  PetscCall(BecomePlain(A));
  PetscCall(base.destroy(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The copy has this type because PETSc creates it by the type's name; here it gets the limits of the original */
static PetscErrorCode MatDuplicate_SeqAIJBlocked(Mat A, MatDuplicateOption op, Mat *B)
{
  Extra *x, *y;

  PetscFunctionBegin;
  PetscCall(base.duplicate(A, op, B));
  PetscCall(MatSeqAIJBlockedGetExtra(A, &x));
  PetscCall(MatSeqAIJBlockedGetExtra(*B, &y));
  y->set = x->set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatTranspose_SeqAIJBlocked(Mat A, MatReuse reuse, Mat *B)
{
  const PetscObjectState state = A->nonzerostate;

  PetscFunctionBegin;
  PetscCall(base.transpose(A, reuse, B));
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(HeptaRaiseNonzeroState(A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_SeqAIJBlocked(Mat A, PetscViewer viewer)
{
  Extra            *x;
  PetscBool         isascii;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(base.view(A, viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (!isascii || (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (!A->assembled || A->factortype) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJBlockedRefresh(A, &x));
  if (!x->why.empty()) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "products through compressed rows: %s\n", x->why.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "products through %s: %s, fill %.2f\n", x->kind->through,
                                   x->local->Title(false).c_str(), (double)x->local->slots / (double)x->local->entries));
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", x->local->Detail().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_Blocked_SeqAIJ(Mat A, MatType, MatReuse reuse, Mat *B)
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

PetscErrorCode MatConvert_SeqAIJ_Blocked(Mat A, const HeptaSeqAIJKind &kind, MatReuse reuse, Mat *newmat)
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
  PetscCall(PetscObjectTypeCompare((PetscObject)B, kind.name, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)B, MATSEQAIJ, &same));
  PetscCheck(same, PetscObjectComm((PetscObject)B), PETSC_ERR_SUP,
             "Cannot make %s of %s: convert to %s first, and leave out -mat_seqaij_type %s", kind.name,
             ((PetscObject)B)->type_name, MATSEQAIJ, ((PetscObject)B)->type_name);
  PetscCheck(!B->hash_active, PetscObjectComm((PetscObject)B), PETSC_ERR_ARG_WRONGSTATE,
             "Cannot make %s of a matrix between MatSetUp() and its first assembly", kind.name);
  if (!base.mult) base = B->ops[0]; /* only once: a later matrix may have operations that its program replaced */
  PutOps(B, true);
  PetscCall(ComposeFunctions(B, kind, true));
  PetscCall(PetscObjectChangeTypeName((PetscObject)B, kind.name));
  PetscCall(MatSeqAIJBlockedGetExtra(B, &x)); /* of the kind that the name says */
  PetscFunctionReturn(PETSC_SUCCESS);
}
