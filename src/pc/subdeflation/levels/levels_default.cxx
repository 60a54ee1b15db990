/* Is a cycle the default for a matrix? */
#include "../../l1jacobi/l1jacobi.h"
#include "../subdeflation.h"

/* Is A symmetric to rounding, by what is known, or by its products with a vector of random numbers? */
static PetscErrorCode IsSymmetric(Mat A, bool *symmetric)
{
  PetscBool known, is, has;
  PetscReal size, difference;
  Vec       x, y, t;

  PetscFunctionBegin;
  PetscCall(HeptaKnownSymmetric(A, symmetric));
  PetscCall(MatIsSymmetricKnown(A, &known, &is));
  PetscCall(MatHasOperation(A, MATOP_MULT_TRANSPOSE, &has));
  if (*symmetric || known || !has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &t));
  PetscCall(VecSetRandom(x, nullptr));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMultTranspose(A, x, t));
  PetscCall(VecNorm(y, NORM_2, &size));
  PetscCall(VecAXPY(t, -1, y));
  PetscCall(VecNorm(t, NORM_2, &difference));
  *symmetric = difference <= PETSC_SQRT_MACHINE_EPSILON * size;
  for (Vec *v : {&x, &y, &t}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What needs no conversion: where a grid is known, one unknown a cell, symmetric, and few entries */
PetscErrorCode HeptaLevels::FitsBefore(PC pc, std::string *why)
{
  PC_Subdeflation *s = Subdeflation(pc);
  const Mat        P = pc->pmat;
  PetscBool        has;
  MatInfo          info;
  bool             symmetric;

  PetscFunctionBegin;
  PetscCall(HeptaGridOf(P, pc->dm, s->grid_given, "-pc_subdeflation_grid", &s->grid));
  if (!s->grid.dim) PetscFunctionReturn(PETSC_SUCCESS);
  if (P->rmap->bs > 1) *why = HeptaFormat("the block size is %" PetscInt_FMT, P->rmap->bs);
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatHasOperation(P, MATOP_GETINFO, &has));
  if (has) PetscCall(MatGetInfo(P, MAT_GLOBAL_SUM, &info));
  if (has && info.nz_used > (PetscLogDouble)MOST * (PetscLogDouble)P->rmap->N) *why = HeptaFormat("its rows have more than %" PetscInt_FMT " entries", MOST);
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsSymmetric(P, &symmetric));
  if (!symmetric) *why = "the matrix is not symmetric";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::FitsValues(PC pc, std::string *why)
{
  PetscInt row;

  PetscFunctionBegin;
  if (!Subdeflation(pc)->grid.dim) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaFirstRowNotDominant(op.A, MOST, &row));
  if (row >= 0) *why = HeptaFormat("row %" PetscInt_FMT " is not diagonally dominant or has more than %" PetscInt_FMT " entries", row, MOST);
  PetscFunctionReturn(PETSC_SUCCESS);
}
