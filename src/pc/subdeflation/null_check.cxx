/* Are the null spaces that the program gave a matrix null? */
#include "subdeflation.h"

PetscErrorCode HeptaSubdeflationNullBasis(PC pc, MatNullSpace space, std::vector<Vec> &basis)
{
  PetscBool  constant;
  PetscInt   n;
  const Vec *vecs;

  PetscFunctionBegin;
  PetscCall(MatNullSpaceGetVecs(space, &constant, &n, &vecs));
  basis.resize((size_t)n + constant);
  for (PetscInt k = 0; k < n + constant; k++) {
    PetscCall(MatCreateVecs(pc->pmat, &basis[k], nullptr));
    PetscCall(k < n ? VecCopy(vecs[k], basis[k]) : VecSet(basis[k], 1));
    PetscCall(VecNormalize(basis[k], nullptr));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationProduct(Mat A, bool transposed, Vec v, Vec w, PetscReal *product, PetscReal *size)
{
  PetscBool has;

  PetscFunctionBegin;
  PetscCall((transposed ? MatMultTranspose : MatMult)(A, v, w));
  PetscCall(VecNorm(w, NORM_INFINITY, product));
  *size = PETSC_MAX_REAL;
  PetscCall(MatHasOperation(A, MATOP_GET_DIAGONAL, &has));
  if (has) {
    PetscCall(MatGetDiagonal(A, w));
    PetscCall(VecNorm(w, NORM_INFINITY, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationFindWrong(Mat A, bool transposed, const std::vector<Vec> &basis, PetscInt *wrong, PetscReal *ratio)
{
  Vec w;

  PetscFunctionBegin;
  *wrong = -1;
  PetscCall(MatCreateVecs(A, nullptr, &w));
  for (size_t k = 0; k < basis.size() && *wrong < 0; k++) {
    PetscReal product, size, most;
    PetscCall(VecNorm(basis[k], NORM_INFINITY, &most));
    PetscCall(HeptaSubdeflationProduct(A, transposed, basis[k], w, &product, &size));
    if (product > HEPTA_SUBDEFLATION_NULL_TOLERANCE * size * most) {
      *wrong = (PetscInt)k;
      *ratio = size * most > 0 ? product / (size * most) : PETSC_MAX_REAL;
    }
  }
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckNullSpace(PC pc, MatNullSpace space, bool transposed)
{
  const char *const A = transposed ? "A^T" : "A";
  std::vector<Vec>  basis;
  PetscInt          wrong;
  PetscReal         ratio;
  bool              symmetric;
  PetscBool         has = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(HeptaKnownSymmetric(pc->pmat, &symmetric));
  if (transposed && !symmetric) PetscCall(MatHasOperation(pc->pmat, MATOP_MULT_TRANSPOSE, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaSubdeflationNullBasis(pc, space, basis));
  PetscCall(HeptaSubdeflationFindWrong(pc->pmat, transposed && !symmetric, basis, &wrong, &ratio));
  for (Vec &v : basis) PetscCall(VecDestroy(&v));
  PetscCheck(wrong < 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONG,
             "Vector %" PetscInt_FMT " of the null space that %s() gave the matrix is not null: |%s v| = %g |%s| |v|, with the largest entries "
             "of A's diagonal and of the vectors",
             wrong, transposed ? "MatSetTransposeNullSpace" : "MatSetNullSpace", A, (double)ratio, A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Methods remove the part of the null space from what the preconditioner gives, and that of the transposed matrix from the right-hand
   side, both without a look at the matrix: with vectors that are not null they solve another system and report that they have
   converged. Null spaces can be given at any time, which the set-up does not notice, so each solve asks too; a product is needed only
   if the null spaces or the matrix are others than the last time.
*/
PetscErrorCode HeptaSubdeflationCheckNullSpaces(PC pc)
{
  HeptaCheckedNull now;
  MatNullSpace     space[2];
  bool             symmetric;

  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(pc->pmat, &space[0]));
  PetscCall(MatGetTransposeNullSpace(pc->pmat, &space[1]));
  if (!space[0] && !space[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)pc->pmat, &now.matrix));
  PetscCall(PetscObjectStateGet((PetscObject)pc->pmat, &now.state));
  for (int k = 0; k < 2; k++) {
    if (space[k]) PetscCall(PetscObjectGetId((PetscObject)space[k], &now.space[k]));
  }
  HeptaCheckedNull &last = Subdeflation(pc)->checked_null;
  if (now == last) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaCheckSquare(pc, pc->pmat));
  last = HeptaCheckedNull();
  PetscCall(HeptaKnownSymmetric(pc->pmat, &symmetric));
  if (space[0]) PetscCall(CheckNullSpace(pc, space[0], false));
  if (space[1] && !(symmetric && space[1] == space[0])) PetscCall(CheckNullSpace(pc, space[1], true));
  last = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}
