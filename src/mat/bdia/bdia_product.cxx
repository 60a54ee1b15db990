/*
   Matrix products with bdia factors (MatProduct: AB, AtB, ABt, PtAP, RARt, ABC). The aij copies take the places of the bdia
   matrices, and PETSc finds the product for aij; its two phases are wrapped so that the copies are up to date before
   each. Results are aij. Only bdia times dense is left to PETSc's loop over columns, which multiplies by bdia itself.
*/
#include "bdia.h"

namespace
{

/* Stands in Mat_Product::data between the phases; the product that runs on the copies has its own data inside */
struct Product {
  Mat                plain[3] = {}; /* what the symbolic phase saw: copies, or the matrices themselves; referenced */
  void              *data     = nullptr;
  PetscCtxDestroyFn *destroy  = nullptr;
  PetscErrorCode (*numeric)(Mat)           = nullptr;
  PetscErrorCode (*view)(Mat, PetscViewer) = nullptr;
};

/* The factors of a product, and the copies that stand in for them */
struct Factors {
  Mat *place[3], saved[3];
};

} // namespace

static PetscErrorCode ProductDestroy(PetscCtxRt ctx)
{
  Product *p = *(Product **)ctx;

  PetscFunctionBegin;
  if (p->destroy) PetscCall((*p->destroy)(&p->data));
  for (Mat &m : p->plain) PetscCall(MatDestroy(&m));
  delete p;
  *(Product **)ctx = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsBDIA(Mat A, PetscBool *is)
{
  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (A) PetscCall(PetscObjectTypeCompareAny((PetscObject)A, is, MATSEQBDIA, MATMPIBDIA, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts the copies, brought up to date, in the places of the bdia factors */
static PetscErrorCode PutCopies(Mat_Product *product, Factors *f)
{
  PetscFunctionBegin;
  *f = {{&product->A, &product->B, &product->C}, {product->A, product->B, product->C}};
  for (int k = 0; k < 3; k++) {
    PetscBool bdia;
    PetscCall(IsBDIA(f->saved[k], &bdia));
    if (bdia) PetscCall(MatBDIAGetAIJ(f->saved[k], f->place[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PutBack(const Factors &f)
{
  for (int k = 0; k < 3; k++) *f.place[k] = f.saved[k];
}

static PetscErrorCode MatProductNumeric_BDIA(Mat);

/* Mat_Product as the product that runs on the copies left it */
static void PutInner(Mat C, const Product *p)
{
  C->product->data       = p->data;
  C->product->destroy    = p->destroy;
  C->product->view       = p->view;
  C->ops->productnumeric = p->numeric;
}

static PetscErrorCode MatProductView_BDIA(Mat C, PetscViewer viewer);

/* The same with our data around it */
static void PutOuter(Mat C, Product *p)
{
  p->data                = C->product->data;
  p->destroy             = C->product->destroy;
  p->view                = C->product->view;
  p->numeric             = C->ops->productnumeric;
  C->product->data       = p;
  C->product->destroy    = ProductDestroy;
  C->product->view       = p->view ? MatProductView_BDIA : nullptr;
  C->ops->productnumeric = MatProductNumeric_BDIA;
}

static PetscErrorCode MatProductView_BDIA(Mat C, PetscViewer viewer)
{
  Product *p = (Product *)C->product->data;

  PetscFunctionBegin;
  PutInner(C, p);
  const PetscErrorCode ierr = (*p->view)(C, viewer);
  PutOuter(C, p);
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InnerSymbolic(Mat C)
{
  PetscFunctionBegin;
  PetscCall(MatProductSetFromOptions(C));
  PetscUseTypeMethod(C, productsymbolic);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs PETSc's symbolic phase on the copies and hides its data in ours */
static PetscErrorCode MatProductSymbolic_BDIA(Mat C)
{
  Mat_Product *product = C->product;
  Product     *p       = new Product;
  Factors      f;

  PetscFunctionBegin;
  PetscCall(PutCopies(product, &f));
  for (int k = 0; k < 3; k++) {
    p->plain[k] = *f.place[k];
    PetscCall(PetscObjectReference((PetscObject)p->plain[k]));
  }
  const PetscErrorCode ierr = InnerSymbolic(C);
  PutBack(f); /* before an error is passed on: the places hold no references to the copies */
  PutOuter(C, p);
  PetscCall(ierr);
  C->ops->productsymbolic = MatProductSymbolic_BDIA;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor with another pattern has another copy: the symbolic phase must see it */
static PetscErrorCode RenewIfReplaced(Mat C)
{
  Mat_Product *product = C->product;
  Product     *p       = (Product *)product->data;
  Factors      f;
  bool         same = true;

  PetscFunctionBegin;
  PetscCall(PutCopies(product, &f));
  for (int k = 0; k < 3; k++) same = same && *f.place[k] == p->plain[k];
  PutBack(f);
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ProductDestroy(&product->data));
  product->data    = nullptr;
  product->destroy = nullptr;
  product->view    = nullptr;
  PetscCall(MatProductSymbolic_BDIA(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductNumeric_BDIA(Mat C)
{
  Mat_Product *product = C->product;
  Product     *p;
  Factors      f;

  PetscFunctionBegin;
  PetscCall(RenewIfReplaced(C));
  p = (Product *)product->data;
  PetscCheck(p->numeric, PetscObjectComm((PetscObject)C), PETSC_ERR_SUP, "No numeric phase for this product of %s and %s: convert to aij with MatConvert()", ((PetscObject)product->A)->type_name, ((PetscObject)product->B)->type_name);
  PetscCall(PutCopies(product, &f));
  PutInner(C, p);
  const PetscErrorCode ierr = (*p->numeric)(C);
  PutBack(f);
  PutOuter(C, p);
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* bdia times dense and its transpose: left to PETSc */
static PetscErrorCode IsTimesDense(const Mat_Product *product, PetscBool *is)
{
  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (product->type != MATPRODUCT_AB && product->type != MATPRODUCT_AtB) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)product->B, is, MATSEQDENSE, MATMPIDENSE, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Found by the name MatProductSetFromOptions_anytype_C on any of the factors */
PetscErrorCode MatProductSetFromOptions_BDIA(Mat C)
{
  Factors   f;
  PetscBool dense, bdia[3];

  PetscFunctionBegin;
  PetscCall(IsBDIA(C->product->A, &bdia[0]));
  PetscCall(IsBDIA(C->product->B, &bdia[1]));
  PetscCall(IsBDIA(C->product->C, &bdia[2]));
  PetscCall(IsTimesDense(C->product, &dense));
  if (dense || !(bdia[0] || bdia[1] || bdia[2])) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PutCopies(C->product, &f));
  const PetscErrorCode ierr = MatProductSetFromOptions(C);
  PutBack(f);
  PetscCall(ierr);
  if (C->ops->productsymbolic) C->ops->productsymbolic = MatProductSymbolic_BDIA;
  PetscFunctionReturn(PETSC_SUCCESS);
}
