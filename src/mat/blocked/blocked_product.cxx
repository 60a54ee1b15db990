/*
   Matrix products with factors of our types (MatProduct: AB, AtB, ABt, PtAP, RARt, ABC). A second Mat_Product, with the aij
   copies in place of our matrices, does the work; its two phases run on the result itself, with copies brought up to date before
   each phase. Results are aij. Products with dense matrices are elsewhere: C = A B in blocked_dense.cxx, C = A^T B in PETSc's
   loop over columns.
*/
#include "blocked.h"

/* Mat_Product::data of the product that the user sees */
struct AIJProduct {
  Mat inner     = nullptr; /* carries the Mat_Product of the copies, and its numeric phase */
  Mat copies[3] = {};      /* the copies of the symbolic phase: a factor with another pattern has another copy */
};

static PetscErrorCode ProductDestroy(PetscCtxRt ctx)
{
  AIJProduct *p = *(AIJProduct **)ctx;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&p->inner));
  for (Mat &m : p->copies) PetscCall(MatDestroy(&m));
  delete p;
  *(AIJProduct **)ctx = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The factors as aij: copies with the present values, or factors of other types as they are */
static PetscErrorCode GetCopies(const Mat_Product *product, Mat copies[], PetscBool *any)
{
  const Mat factors[3] = {product->A, product->B, product->C};

  PetscFunctionBegin;
  *any = PETSC_FALSE;
  for (int k = 0; k < 3; k++) {
    const bool ours = factors[k] && HeptaIsBlocked(factors[k]);
    copies[k]       = factors[k];
    if (ours) PetscCall(MatBlockedGetAIJ(factors[k], &copies[k]));
    *any = (PetscBool)(*any || ours);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The product of the copies, before its phases */
static PetscErrorCode InnerCreate(Mat C, Mat copies[], Mat *inner)
{
  const Mat_Product *product = C->product;

  PetscFunctionBegin;
  PetscCall(MatProductCreate(copies[0], copies[1], copies[2], inner));
  PetscCall(MatSetOptionsPrefix(*inner, ((PetscObject)C)->prefix));
  PetscCall(MatProductSetType(*inner, product->type));
  PetscCall(MatProductSetAlgorithm(*inner, product->alg));
  PetscCall(MatProductSetFill(*inner, product->fill));
  (*inner)->product->api_user = product->api_user;
  (*inner)->structure_only    = C->structure_only;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs f on C as if C were the result of the product of the copies */
template <class F> static PetscErrorCode AsInner(Mat C, Mat inner, F f)
{
  Mat_Product *product = C->product;

  PetscFunctionBegin;
  C->product                 = inner->product;
  C->ops->productnumeric     = inner->ops->productnumeric;
  const PetscErrorCode ierr  = (*f)(C);
  inner->product             = C->product;
  inner->ops->productnumeric = C->ops->productnumeric;
  C->product                 = product;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductView_Blocked(Mat C, PetscViewer viewer)
{
  Mat_Product *product = C->product, *inner = ((AIJProduct *)product->data)->inner->product;

  PetscFunctionBegin;
  if (!inner->view) PetscFunctionReturn(PETSC_SUCCESS);
  C->product                = inner;
  const PetscErrorCode ierr = (*inner->view)(C, viewer);
  C->product                = product;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductNumeric_Blocked(Mat);

/* Looks for the product anew: the symbolic phase needs more of PETSc's table of operations than the address */
static PetscErrorCode InnerSymbolic(Mat C)
{
  PetscFunctionBegin;
  PetscCall(MatProductSetFromOptions(C));
  PetscUseTypeMethod(C, productsymbolic);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductSymbolic_Blocked(Mat C)
{
  AIJProduct *p = new AIJProduct;
  PetscBool   any;

  PetscFunctionBegin;
  C->product->data    = p;
  C->product->destroy = HeptaNoThrow<HeptaDestroyData<ProductDestroy>>;
  C->product->view    = HeptaNoThrow<MatProductView_Blocked>;
  PetscCall(GetCopies(C->product, p->copies, &any));
  for (Mat m : p->copies) PetscCall(PetscObjectReference((PetscObject)m));
  PetscCall(InnerCreate(C, p->copies, &p->inner));
  PetscCall(AsInner(C, p->inner, InnerSymbolic));
  C->ops->productsymbolic = HeptaNoThrow<MatProductSymbolic_Blocked>;
  C->ops->productnumeric  = HeptaNoThrow<MatProductNumeric_Blocked>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Brings the copies up to date; starts over if the symbolic phase had other copies, or keeps values */
static PetscErrorCode Refresh(Mat C)
{
  Mat_Product *product = C->product;
  AIJProduct  *p       = (AIJProduct *)product->data;
  Mat          copies[3];
  PetscBool    any;
  bool         same = true;

  PetscFunctionBegin;
  PetscCall(GetCopies(product, copies, &any));
  for (int k = 0; k < 3; k++) same = same && copies[k] == p->copies[k];
  /* mpiaij keeps the old transpose of B */
  if (same && !(product->type == MATPRODUCT_ABt && C->rmap->size > 1)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ProductDestroy(&product->data));
  PetscCall(MatProductSymbolic_Blocked(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductNumeric_Blocked(Mat C)
{
  PetscFunctionBegin;
  PetscCall(Refresh(C));
  Mat inner = ((AIJProduct *)C->product->data)->inner;
  PetscCheck(inner->ops->productnumeric, PetscObjectComm((PetscObject)C), PETSC_ERR_SUP,
             "No numeric phase for this product of %s and %s: convert to aij with MatConvert()",
             ((PetscObject)C->product->A)->type_name, ((PetscObject)C->product->B)->type_name);
  PetscCall(AsInner(C, inner, inner->ops->productnumeric));
  C->ops->productsymbolic = HeptaNoThrow<MatProductSymbolic_Blocked>;
  C->ops->productnumeric  = HeptaNoThrow<MatProductNumeric_Blocked>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Found by the name MatProductSetFromOptions_anytype_C on any factor */
PetscErrorCode MatProductSetFromOptions_Blocked(Mat C)
{
  const Mat_Product *product = C->product;
  Mat                copies[3], inner;
  PetscBool          any, dense = PETSC_FALSE;

  PetscFunctionBegin;
  if (product->type == MATPRODUCT_AB || product->type == MATPRODUCT_AtB) {
    PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)product->B, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  }
  if (dense) {
    if (product->type == MATPRODUCT_AB) C->ops->productsymbolic = HeptaNoThrow<MatProductSymbolic_Blocked_Dense>;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(GetCopies(product, copies, &any));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(InnerCreate(C, copies, &inner));
  PetscCall(MatProductSetFromOptions(inner));
  if (inner->ops->productsymbolic) C->ops->productsymbolic = HeptaNoThrow<MatProductSymbolic_Blocked>;
  PetscCall(MatDestroy(&inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
