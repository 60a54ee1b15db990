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

/*
   A matrix that has rows has a diagonal. Others may have MatGetDiagonal() and end in an error there, as those composed of shells; then a
   product with random numbers tells A's size, at the price of making them on the host.
*/
PetscErrorCode HeptaSubdeflationSize(Mat A, Vec v, Vec w, PetscReal *size)
{
  PetscBool has, rows;

  PetscFunctionBegin;
  *size = 0;
  PetscCall(MatHasOperation(A, MATOP_GET_DIAGONAL, &has));
  PetscCall(MatHasOperation(A, MATOP_GET_ROW, &rows));
  if (has && rows) {
    PetscCall(MatGetDiagonal(A, w));
    PetscCall(VecNorm(w, NORM_INFINITY, size));
  }
  if (*size == 0) {
    PetscCall(VecSetRandom(v, nullptr)); /* from 0 to 1 */
    PetscCall(VecShift(v, 1));
    PetscCall(MatMult(A, v, w));
    PetscCall(VecNorm(w, NORM_INFINITY, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationFindWrong(Mat A, bool transposed, const std::vector<Vec> &basis, PetscInt *wrong, PetscReal *ratio)
{
  Vec       v, w;
  PetscReal size;

  PetscFunctionBegin;
  *wrong = -1;
  if (basis.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(basis[0], &v));
  PetscCall(VecDuplicate(basis[0], &w));
  PetscCall(HeptaSubdeflationSize(A, v, w, &size));
  for (size_t k = 0; k < basis.size() && *wrong < 0; k++) {
    PetscReal product, most;
    PetscCall(VecNorm(basis[k], NORM_INFINITY, &most));
    PetscCall((transposed ? MatMultTranspose : MatMult)(A, basis[k], w));
    PetscCall(VecNorm(w, NORM_INFINITY, &product));
    if (product > HEPTA_SUBDEFLATION_NULL_TOLERANCE * size * most) {
      *wrong = (PetscInt)k;
      *ratio = size * most > 0 ? product / (size * most) : PETSC_MAX_REAL;
    }
  }
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckNullSpace(PC pc, Mat A, MatNullSpace space, bool transposed)
{
  const char *const name = transposed ? "A^T" : "A";
  std::vector<Vec>  basis;
  PetscInt          wrong;
  PetscReal         ratio;
  bool              symmetric;
  PetscBool         has = PETSC_TRUE, own = PETSC_TRUE, shell = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(HeptaKnownSymmetric(A, &symmetric));
  if (transposed && !symmetric) { /* what is composed of other matrices has an operation that they may lack */
    PetscCall(MatHasOperation(A, MATOP_MULT_TRANSPOSE, &has));
    PetscCall(MatHasOperation(A, MATOP_GET_ROW, &own));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSHELL, &shell));
  }
  if (!has || (!own && !shell)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaSubdeflationNullBasis(pc, space, basis));
  PetscCall(HeptaSubdeflationFindWrong(A, transposed && !symmetric, basis, &wrong, &ratio));
  for (Vec &v : basis) PetscCall(VecDestroy(&v));
  PetscCheck(wrong < 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONG,
             "Vector %" PetscInt_FMT " of the null space that %s() gave the %s is not null: |%s v| = %g |%s| |v| in the largest entries, "
             "|%s| being that of the diagonal, or of a product with numbers from 1 to 2",
             wrong, transposed ? "MatSetTransposeNullSpace" : "MatSetNullSpace", A == pc->pmat ? "matrix" : "operator", name, (double)ratio, name, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product is needed only if the null spaces or the matrix are others than the last time */
static PetscErrorCode CheckNullSpacesOf(PC pc, Mat A, HeptaCheckedNull &last)
{
  HeptaCheckedNull now;
  MatNullSpace     space[2];
  bool             symmetric;
  PetscBool        differences;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMFFD, &differences)); /* whose rounding may pass the tolerance */
  if (differences) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetNullSpace(A, &space[0]));
  PetscCall(MatGetTransposeNullSpace(A, &space[1]));
  if (!A->assembled || (!space[0] && !space[1])) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)A, &now.matrix));
  PetscCall(PetscObjectStateGet((PetscObject)A, &now.state));
  for (int k = 0; k < 2; k++) {
    if (space[k]) PetscCall(PetscObjectGetId((PetscObject)space[k], &now.space[k]));
  }
  if (now == last) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaCheckSquare(pc, A));
  last = HeptaCheckedNull();
  PetscCall(HeptaKnownSymmetric(A, &symmetric));
  if (space[0]) PetscCall(CheckNullSpace(pc, A, space[0], false));
  if (space[1] && !(symmetric && space[1] == space[0])) PetscCall(CheckNullSpace(pc, A, space[1], true));
  last = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Methods remove the part of the operator's null space from what the preconditioner gives, and that of the transposed operator from the
   right-hand side, both without a look at the operator: with vectors that are not null they solve another system and report that they
   have converged. The coarse problem has the null space of the preconditioner's matrix. Null spaces can be given at any time, which the
   set-up does not notice, so each solve asks too; an operator may be assembled after the set-up.
*/
PetscErrorCode HeptaCheckNullSpaces(PC pc, HeptaCheckedNull checked[2])
{
  PetscFunctionBegin;
  PetscCall(CheckNullSpacesOf(pc, pc->pmat, checked[0]));
  if (pc->mat != pc->pmat) PetscCall(CheckNullSpacesOf(pc, pc->mat, checked[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
