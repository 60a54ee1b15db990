/* Checks the null spaces that the program gave a matrix: A v = 0 and A^T w = 0 */
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
   A matrix with rows has a diagonal. MatGetDiagonal() of a matrix without rows may end in an error, as for a composition of
   shells. For a matrix without rows a product with random numbers, made on the host, tells |A|.
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

PetscErrorCode HeptaSubdeflationFindWrong(Mat A, bool transposed, const std::vector<Vec> &basis, PetscInt *wrong,
                                          PetscReal *ratio)
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
  if (transposed && !symmetric) { /* the parts of a composed matrix may lack an operation that the composition has */
    PetscCall(MatHasOperation(A, MATOP_MULT_TRANSPOSE, &has));
    PetscCall(MatHasOperation(A, MATOP_GET_ROW, &own));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSHELL, &shell));
  }
  if (!has || (!own && !shell)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaSubdeflationNullBasis(pc, space, basis));
  PetscCall(HeptaSubdeflationFindWrong(A, transposed && !symmetric, basis, &wrong, &ratio));
  for (Vec &v : basis) PetscCall(VecDestroy(&v));
  PetscCheck(wrong < 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONG,
             "Vector %" PetscInt_FMT
             " of the null space that %s() gave the %s is not null: |%s v| = %g |%s| |v| in the largest entries, "
             "|%s| being that of the diagonal, or of a product with numbers from 1 to 2",
             wrong, transposed ? "MatSetTransposeNullSpace" : "MatSetNullSpace", A == pc->pmat ? "matrix" : "operator", name,
             (double)ratio, name, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product is needed only if the null spaces or the matrix have changed since the last check */
static PetscErrorCode CheckNullSpacesOf(PC pc, Mat A, HeptaCheckedNull &last)
{
  HeptaCheckedNull now;
  MatNullSpace     space[2];
  bool             symmetric;
  PetscBool        differences;

  PetscFunctionBegin;
  /* the rounding of differences may exceed the tolerance */
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMFFD, &differences));
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
   Methods project the operator's null space out of the preconditioner's result, and the null space of the transposed operator out
   of the right-hand side. Methods do not check the vectors: with a false null vector a method solves another system and reports
   convergence. The coarse problem has the null space of the preconditioner's matrix. The program can give a null space, or
   assemble the operator, after the set-up, so each solve checks too.
*/
PetscErrorCode HeptaCheckNullSpaces(PC pc, HeptaCheckedNull checked[2])
{
  PetscFunctionBegin;
  PetscCall(CheckNullSpacesOf(pc, pc->pmat, checked[0]));
  if (pc->mat != pc->pmat) PetscCall(CheckNullSpacesOf(pc, pc->mat, checked[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
