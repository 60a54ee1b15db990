static char help[] = "The ordering blockdensity: of every type the same permutation, the permuted matrix dense in its tiles and "
                     "multiplying as before; what it refuses; HeptaMatAdvise() shows it.\n\n";

#include "failure.h"
#include "hepta_lab.h"
#include "testmat.h"
#include "view.h"

constexpr PetscInt nodes = 50, unknowns = 3;

/* A ring of nodes; unknown u of node k is row u*nodes + k, so that no rows of a node are neighbors */
static PetscErrorCode Create(Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, unknowns * nodes, unknowns * nodes, 3 * unknowns, nullptr, A));
  for (PetscInt i = 0; i < unknowns * nodes; i++) {
    for (PetscInt d : {0, 7, -7}) {
      for (PetscInt u = 0; u < unknowns; u++) {
        const PetscInt j = u * nodes + (i + d + nodes) % nodes;
        PetscCall(MatSetValue(*A, i, j, i == j ? 10 : PairNumber(i, j, 1), INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P A P^T as MATBROW, with the vectors' permutations of the manual page */
static PetscErrorCode CheckPermuted(Mat A, IS rows, IS columns)
{
  Mat      B;
  Vec      x, y, z;
  PetscInt tile;
  MatInfo  info;

  PetscFunctionBegin;
  PetscCall(MatPermute(A, rows, columns, &B));
  PetscCall(MatConvert(B, MATBROW, MAT_INPLACE_MATRIX, &B));
  PetscCall(MatBROWGetTileSize(B, &tile));
  PetscCheck(tile == unknowns, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %d", (int)tile);
  PetscCall(MatGetInfo(B, MAT_LOCAL, &info));
  PetscCheck(info.nz_used == 9. * unknowns * nodes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%g entries", info.nz_used);
  PetscCall(TestRandomVecs(A, 3, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecPermute(x, columns, PETSC_FALSE));
  PetscCall(MatMult(B, x, z));
  PetscCall(VecPermute(z, rows, PETSC_TRUE));
  PetscReal difference = 0, largest = 0;
  PetscCall(TestDifference(y, z, &difference, &largest));
  PetscCheck(difference <= 1e-12 * largest, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Products differ by %g of %g", (double)difference,
             (double)largest);
  for (Vec *v : {&x, &y, &z}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckTypes(Mat A, IS rows)
{
  Mat       B;
  IS        r, c;
  PetscBool same;

  PetscFunctionBegin;
  for (MatType type : {(MatType)MATBROW, (MatType)MATSEQAIJBROW, (MatType)MATSELL}) {
    PetscCall(MatConvert(A, type, MAT_INITIAL_MATRIX, &B));
    PetscCall(MatGetOrdering(B, MATORDERINGBLOCKDENSITY, &r, &c));
    for (IS *is : {&r, &c}) {
      PetscCall(ISEqual(rows, *is, &same));
      PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Another order for %s", type);
      PetscCall(ISDestroy(is));
    }
    PetscCall(MatDestroy(&B));
  }
  PetscCall(MatConvert(A, MATBAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(ExpectError(PETSC_ERR_SUP, "scalar rows", [&] { return MatGetOrdering(B, MATORDERINGBLOCKDENSITY, &r, &c); }));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several ranks: each orders its diagonal block; here all have the same one */
static PetscErrorCode CheckParallel(Mat A, IS rows)
{
  const PetscInt *own, *all;
  PetscInt        start, n, i = 0;
  Mat             B;
  IS              r, c;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &B));
  PetscCall(MatSetSizes(B, unknowns * nodes, unknowns * nodes, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(B, MATBROW));
  PetscCall(MatSetUp(B));
  PetscCall(MatGetOwnershipRange(B, &start, nullptr));
  for (PetscInt k = 0; k < unknowns * nodes; k++) {
    const PetscInt *cols;
    PetscCall(MatGetRow(A, k, &n, &cols, nullptr));
    for (PetscInt l = 0; l < n; l++) PetscCall(MatSetValue(B, start + k, start + cols[l], 1, INSERT_VALUES));
    PetscCall(MatRestoreRow(A, k, &n, &cols, nullptr));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetOrdering(B, MATORDERINGBLOCKDENSITY, &r, &c));
  PetscCall(ISGetLocalSize(r, &n));
  PetscCheck(n == unknowns * nodes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d rows in order", (int)n);
  PetscCall(ISGetIndices(rows, &own));
  PetscCall(ISGetIndices(r, &all));
  while (i < n && all[i] == own[i] + start) i++;
  PetscCheck(i == n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Not the order of the diagonal block at %d", (int)i);
  PetscCall(ISRestoreIndices(rows, &own));
  PetscCall(ISRestoreIndices(r, &all));
  PetscCall(ISDestroy(&r));
  PetscCall(ISDestroy(&c));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An identity: nothing to be gained */
static PetscErrorCode CheckNatural()
{
  Mat       A;
  IS        r, c;
  PetscBool identity;

  PetscFunctionBegin;
  PetscCall(MatCreateConstantDiagonal(PETSC_COMM_SELF, 30, 30, 30, 30, 1, &A));
  PetscCall(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, &A));
  PetscCall(MatGetOrdering(A, MATORDERINGBLOCKDENSITY, &r, &c));
  PetscCall(ISIdentity(r, &identity));
  PetscCheck(identity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The order changed");
  PetscCall(ISDestroy(&r));
  PetscCall(ISDestroy(&c));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckAdvice(Mat A)
{
  std::string text;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(nullptr, "-hepta_advise_measure", "true"));
  PetscCall(TakeText(PETSC_COMM_SELF, &text, [&](PetscViewer viewer) { return HeptaMatAdvise(A, viewer); }));
  for (const char *words :
       {"density 1.00, rows reordered", "after MatGetOrdering() by blockdensity", "-mat_type brow -mat_brow_bs 3"})
    PetscCheck(text.find(words) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" is missing in\n%s", words,
               text.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;
  IS  rows, columns;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(Create(&A));
  PetscCall(MatGetOrdering(A, MATORDERINGBLOCKDENSITY, &rows, &columns));
  PetscCall(CheckPermuted(A, rows, columns));
  PetscCall(CheckTypes(A, rows));
  PetscCall(CheckParallel(A, rows));
  PetscCall(CheckNatural());
  PetscCall(CheckAdvice(A));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&columns));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
