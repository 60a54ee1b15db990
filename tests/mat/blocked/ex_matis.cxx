static char help[] = "MATIS with local matrices of the tested type, made, filled and changed in all ways, compared with the "
                     "assembled matrix of type MATAIJ.\n\n";

#include "entries.h"
#include "substructures.h"

/* z <- what operation `op` makes of two vectors of given numbers */
static PetscErrorCode Apply(Mat A, int op, Vec *z)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, z));
  PetscCall(FillVec(x, 3));
  PetscCall(FillVec(y, 4));
  if (op == 0) PetscCall(MatMult(A, x, *z));
  if (op == 1) PetscCall(MatMultTranspose(A, x, *z));
  if (op == 2) PetscCall(MatMultAdd(A, x, y, *z));
  if (op == 3) PetscCall(MatMultTransposeAdd(A, x, y, *z));
  if (op == 4) PetscCall(MatGetDiagonal(A, *z));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A x, A^T x, y + A x, y + A^T x and the diagonal of both agree */
static PetscErrorCode CheckProducts(Mat aij, Mat is, const std::string &what)
{
  static const char *const names[] = {", A x", ", A^T x", ", y + A x", ", y + A^T x", ", diagonal"};

  PetscFunctionBeginUser;
  for (int op = 0; op < 5; op++) {
    Vec z[2];
    PetscCall(Apply(aij, op, &z[0]));
    PetscCall(Apply(is, op, &z[1]));
    PetscCall(CheckVec(z[0], z[1], 1e-12, (what + names[op]).c_str()));
    for (Vec &v : z) PetscCall(VecDestroy(&v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local matrices are of the tested type, on each process the sequential one */
static PetscErrorCode CheckLocalType(Mat A, const std::string &what)
{
  Mat               local;
  MatType           type;
  const std::string expected = std::string("seq") + TestType();

  PetscFunctionBeginUser;
  PetscCall(MatISGetLocalMat(A, &local));
  PetscCall(MatGetType(local, &type));
  PetscCheck(expected == type, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the local matrix is a %s, not a %s", what.c_str(), type,
             expected.c_str());
  PetscCall(MatISRestoreLocalMat(A, &local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What all that makes and changes matrices gets: the assembled matrix or MATIS, the elements, and those of this process */
struct Problem {
  Elements e;
  Part     p;
};

static PetscErrorCode ZeroSome(Mat A, PetscScalar diagonal, bool columns)
{
  std::vector<PetscInt> rows;
  const PetscInt       *first;
  PetscInt              start, end;
  PetscMPIInt           size;
  Vec                   x, b;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(MatGetOwnershipRanges(A, &first));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  for (PetscInt i = start; i < end; i += 3) rows.push_back(i);
  for (PetscMPIInt r = 0; r < size; r++) { /* a row of each process that has two, asked for by all */
    if (first[r + 1] > first[r] + 1) rows.push_back(first[r] + 1);
  }
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(x, 6));
  PetscCall(FillVec(b, 7));
  PetscCall((columns ? MatZeroRowsColumns : MatZeroRows)(A, (PetscInt)rows.size(), rows.data(), diagonal, x, b));
  PetscCall(MatDiagonalSet(A, b, ADD_VALUES)); /* so that the comparison of the matrices sees the right-hand sides */
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetDiagonal(Mat A, InsertMode mode)
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, nullptr, &d));
  PetscCall(FillVec(d, 8));
  PetscCall(MatDiagonalSet(A, d, mode));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ScaleRowsColumns(Mat A)
{
  Vec left, right;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &right, &left));
  PetscCall(FillVec(left, 9));
  PetscCall(FillVec(right, 10));
  PetscCall(MatDiagonalScale(A, left, right));
  PetscCall(VecDestroy(&left));
  PetscCall(VecDestroy(&right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows are zeroed and the elements added once more: entries come back where MatZeroRows() has taken them out */
static PetscErrorCode ZeroAndAdd(Mat A, const Problem &problem)
{
  PetscFunctionBeginUser;
  PetscCall(ZeroSome(A, 2, false));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(AddElements(A, problem.e, problem.p, 5, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewValues(Mat A, const Problem &problem)
{
  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(A));
  PetscCall(AddElements(A, problem.e, problem.p, 5, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A change of the values; `like` is a matrix of the same structure and type */
struct Change {
  const char *name;
  PetscErrorCode (*f)(Mat A, Mat like, const Problem &problem);
  bool counts; /* needs MATIS to know how many local rows stand for a row */
};

static const Change changes[] = {
  {"a copy", [](Mat, Mat, const Problem &) { return PETSC_SUCCESS; }, false},
  {"scaled", [](Mat A, Mat, const Problem &) { return MatScale(A, -1.5); }, false},
  {"shifted", [](Mat A, Mat, const Problem &) { return MatShift(A, 2.5); }, true},
  {"diagonal added", [](Mat A, Mat, const Problem &) { return SetDiagonal(A, ADD_VALUES); }, true},
  {"diagonal inserted", [](Mat A, Mat, const Problem &) { return SetDiagonal(A, INSERT_VALUES); }, true},
  {"rows and columns scaled", [](Mat A, Mat, const Problem &) { return ScaleRowsColumns(A); }, false},
  {"sum", [](Mat A, Mat B, const Problem &) { return MatAXPY(A, 0.5, B, SAME_NONZERO_PATTERN); }, false},
  {"values of another", [](Mat A, Mat B, const Problem &) { return MatCopy(B, A, SAME_NONZERO_PATTERN); }, false},
  {"transposed", [](Mat A, Mat, const Problem &) { return MatTranspose(A, MAT_INPLACE_MATRIX, &A); }, false},
  {"rows zeroed", [](Mat A, Mat, const Problem &) { return ZeroSome(A, 2, false); }, true},
  {"rows zeroed, no diagonal", [](Mat A, Mat, const Problem &) { return ZeroSome(A, 0, false); }, true},
  {"rows and columns zeroed", [](Mat A, Mat, const Problem &) { return ZeroSome(A, 2, true); }, true},
  {"rows zeroed, elements added", [](Mat A, Mat, const Problem &problem) { return ZeroAndAdd(A, problem); }, true},
  {"new values", [](Mat A, Mat, const Problem &problem) { return NewValues(A, problem); }, false},
};

static PetscErrorCode TestChanges(const Problem &problem)
{
  Mat         A[2], like[2], B[2];
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  /* otherwise MATIS of PETSc 3.26.1 has counted in memory that it had not set, whatever the local type */
  const bool counted = size > 1 || !TestOnDevice();
  PetscCall(NewAssembled(PETSC_COMM_WORLD, problem.e, MATAIJ, &A[0]));
  PetscCall(NewMatIS(PETSC_COMM_WORLD, problem.e, problem.p, TestType(), &A[1]));
  for (int k = 0; k < 2; k++) {
    PetscCall(AddElements(A[k], problem.e, problem.p, 1, k));
    PetscCall(MatDuplicate(A[k], MAT_COPY_VALUES, &like[k]));
    PetscCall(MatScale(like[k], 1.3));
  }
  for (const Change &c : changes) {
    if (c.counts && !counted) continue;
    const std::string what = ElementsName(problem.e) + ", " + c.name;
    for (int k = 0; k < 2; k++) {
      PetscCall(MatDuplicate(A[k], MAT_COPY_VALUES, &B[k]));
      const PetscErrorCode code = c.f(B[k], like[k], problem);
      if (code) (void)(*PetscErrorPrintf)("Failed: %s\n", what.c_str());
      PetscCall(code);
    }
    PetscCall(CheckProducts(B[0], B[1], what));
    PetscCall(CheckLocalType(B[1], what));
    for (Mat &M : B) PetscCall(MatDestroy(&M));
  }
  for (Mat *M : {&A[0], &A[1], &like[0], &like[1]}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every node stands twice among those of its process, which MatISSetAllowRepeated() allows, and the elements are added to both:
   twice the matrix, also where it is assembled */
static PetscErrorCode TestRepeated(const Problem &problem)
{
  Mat                    aij, A, B;
  ISLocalToGlobalMapping map;
  Part                   twice = problem.p;
  PetscInt               n     = 0;

  PetscFunctionBeginUser;
  twice.global.insert(twice.global.end(), problem.p.global.begin(), problem.p.global.end());
  twice.nodes *= 2;
  PetscCall(RowsOf(PETSC_COMM_WORLD, problem.e, &n));
  PetscCall(PartMapping(PETSC_COMM_WORLD, problem.e, twice, &map));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, n, n, NodesOf(problem.e) * problem.e.dof, NodesOf(problem.e) * problem.e.dof));
  PetscCall(MatSetType(A, MATIS));
  PetscCall(MatISSetAllowRepeated(A, PETSC_TRUE));
  PetscCall(MatISSetLocalMatType(A, TestType()));
  PetscCall(MatSetLocalToGlobalMapping(A, map, map));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscCall(EachElement(problem.e, problem.p, 1, [&](PetscInt m, const PetscInt *nodes, const PetscScalar *v) -> PetscErrorCode {
    std::vector<PetscInt> rows(nodes, nodes + m);
    PetscCall(MatSetValuesBlockedLocal(A, m, rows.data(), m, rows.data(), v, ADD_VALUES));
    for (PetscInt &r : rows) r += problem.p.nodes;
    PetscCall(MatSetValuesBlockedLocal(A, m, rows.data(), m, rows.data(), v, ADD_VALUES));
    return PETSC_SUCCESS;
  }));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(NewAssembled(PETSC_COMM_WORLD, problem.e, MATAIJ, &aij));
  PetscCall(AddElements(aij, problem.e, problem.p, 1, false));
  PetscCall(MatScale(aij, 2));
  PetscCall(CheckProducts(aij, A, ElementsName(problem.e) + ", nodes twice"));
  PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCall(CheckProducts(aij, B, ElementsName(problem.e) + ", nodes twice, assembled"));
  for (Mat *M : {&aij, &A, &B}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local matrices are replaced by ones of another type, and by ones of their own again, without another assembly */
static PetscErrorCode TestReplaced(const Problem &problem)
{
  Mat A[2];

  PetscFunctionBeginUser;
  PetscCall(NewAssembled(PETSC_COMM_WORLD, problem.e, MATAIJ, &A[0]));
  PetscCall(NewMatIS(PETSC_COMM_WORLD, problem.e, problem.p, TestType(), &A[1]));
  for (int k = 0; k < 2; k++) PetscCall(AddElements(A[k], problem.e, problem.p, 1, k));
  for (const std::string &type : {std::string("seqaij"), std::string("seq") + TestType()}) {
    Mat local, other;
    PetscCall(MatISGetLocalMat(A[1], &local));
    PetscCall(MatConvert(local, type.c_str(), MAT_INITIAL_MATRIX, &other));
    PetscCall(MatScale(other, 2));
    PetscCall(MatISRestoreLocalMat(A[1], &local));
    PetscCall(MatISSetLocalMat(A[1], other));
    PetscCall(MatDestroy(&other));
    PetscCall(MatScale(A[0], 2));
    PetscCall(CheckProducts(A[0], A[1], ElementsName(problem.e) + ", local matrices of type " + type));
  }
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A chain of nodes: the rows of a process follow each other in its local numbering, after the last row of the process before */
static PetscErrorCode TestChain()
{
  Mat A, B;

  PetscFunctionBeginUser;
  PetscCall(NewChain(5, {1, 0, false}, &A, &B, [](PetscInt node) {
    const PetscScalar w = 1 + PairNumber(node, 1, 2);
    return std::array<PetscScalar, 4>{w + 1, -w, -2 * w, w + 2};
  }));
  PetscCall(CheckProducts(B, A, "chain"));
  for (Mat *M : {&A, &B}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Elements cases[] = {
  {2, {5, 4, 1}, 2, true, 0.1},
  {3, {3, 4, 3}, 1, false, 0.1},
};

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  for (const Elements &e : cases) {
    Problem problem = {e, {}};
    PetscCall(PartOf(PETSC_COMM_WORLD, e, &problem.p));
    PetscCall(TestChanges(problem));
    PetscCall(TestRepeated(problem));
    PetscCall(TestReplaced(problem));
  }
  PetscCall(TestChain());
  PetscCall(PetscFinalize());
  return 0;
}
