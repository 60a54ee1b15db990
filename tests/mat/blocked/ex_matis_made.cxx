static char help[] = "MATIS with local matrices of the tested type: the ways to make it, to fill it and to assemble it, beside "
                     "the assembled MATAIJ.\n\n";

#include <petscdmda.h>

#include "failure.h"
#include "substructures.h"

/* A x, A^T x and the diagonal of the assembled matrix and of another agree within tol */
static PetscErrorCode CheckLike(Mat aij, Mat other, PetscReal tol, const std::string &what)
{
  Vec x, y[2][3];

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(aij, &x, nullptr));
  PetscCall(VecSetRandom(x, nullptr));
  for (int k = 0; k < 2; k++) {
    Mat A = k ? other : aij;
    Vec w;
    PetscCall(MatCreateVecs(A, &w, nullptr)); /* on the device where A's are */
    for (Vec &v : y[k]) PetscCall(VecDuplicate(w, &v));
    PetscCall(VecCopy(x, w));
    PetscCall(MatMult(A, w, y[k][0]));
    PetscCall(MatMultTranspose(A, w, y[k][1]));
    PetscCall(MatGetDiagonal(A, y[k][2]));
    PetscCall(VecDestroy(&w));
  }
  PetscCall(VecDestroy(&x));
  for (int op = 0; op < 3; op++) {
    PetscCall(CheckVec(y[0][op], y[1][op], tol, (what + (op == 0 ? ", A x" : op == 1 ? ", A^T x" : ", diagonal")).c_str()));
    for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&y[k][op]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Problem {
  Elements               e;
  Part                   p;
  PetscInt               n, N; /* rows of this process, of all */
  ISLocalToGlobalMapping map;
};

static PetscErrorCode CreateIS(const Problem &q, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateIS(PETSC_COMM_WORLD, q.e.dof, q.n, q.n, q.N, q.N, q.map, q.map, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatCreateIS() makes local matrices of type aij, which then change their type */
static PetscErrorCode TypeSetLater(const Problem &q, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(CreateIS(q, A));
  PetscCall(MatISSetLocalMatType(*A, TestType()));
  PetscCall(AddElements(*A, q.e, q.p, 1, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ByOptions(const Problem &q, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(
    PetscOptionsInsertString(nullptr, (std::string("-made_mat_type is -made_mat_is_localmat_type ") + TestType()).c_str()));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, q.n, q.n, q.N, q.N));
  PetscCall(MatSetOptionsPrefix(*A, "made_"));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetLocalToGlobalMapping(*A, q.map, q.map));
  PetscCall(MatISSetPreallocation(*A, 1, nullptr, 1, nullptr)); /* too few for aij, of no matter for ours */
  PetscCall(AddElements(*A, q.e, q.p, 1, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entry by entry, in the numbers of the process and of the whole matrix */
static PetscErrorCode EntryByEntry(const Problem &q, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(NewMatIS(PETSC_COMM_WORLD, q.e, q.p, TestType(), A));
  PetscCall(EachElement(q.e, q.p, 1, [&](PetscInt n, const PetscInt *nodes, const PetscScalar *v) -> PetscErrorCode {
    const PetscInt dof = q.e.dof;
    for (PetscInt c = 0; c < n * n * dof * dof; c++) {
      const PetscInt r = c / (n * dof), s = c % (n * dof), i = nodes[r / dof] * dof + r % dof, j = nodes[s / dof] * dof + s % dof;
      const PetscInt I = q.p.global[nodes[r / dof]] * dof + r % dof, J = q.p.global[nodes[s / dof]] * dof + s % dof;
      PetscCall(c % 2 ? MatSetValuesLocal(*A, 1, &i, 1, &j, &v[c], ADD_VALUES)
                      : MatSetValues(*A, 1, &I, 1, &J, &v[c], ADD_VALUES));
    }
    return PETSC_SUCCESS;
  }));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Locations and values of all elements by MatSetPreallocationCOOLocal() or MatSetPreallocationCOO(), with other values first. */
static PetscErrorCode ByCOO(const Problem &q, bool local, Mat *A)
{
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> a;

  PetscFunctionBeginUser;
  PetscCall(NewMatIS(PETSC_COMM_WORLD, q.e, q.p, TestType(), A));
  PetscCall(EachElement(q.e, q.p, 1, [&](PetscInt n, const PetscInt *nodes, const PetscScalar *v) -> PetscErrorCode {
    const PetscInt dof = q.e.dof;
    for (PetscInt c = 0; c < n * n * dof * dof; c++) {
      const PetscInt r = c / (n * dof), s = c % (n * dof);
      i.push_back((local ? nodes[r / dof] : q.p.global[nodes[r / dof]]) * dof + r % dof);
      j.push_back((local ? nodes[s / dof] : q.p.global[nodes[s / dof]]) * dof + s % dof);
      a.push_back(v[c]);
    }
    return PETSC_SUCCESS;
  }));
  PetscCall((local ? MatSetPreallocationCOOLocal : MatSetPreallocationCOO)(*A, (PetscCount)a.size(), i.data(), j.data()));
  PetscCall(MatSetValuesCOO(*A, std::vector<PetscScalar>(a.size(), 1.).data(), INSERT_VALUES));
  PetscCall(MatSetValuesCOO(*A, a.data(), INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the assembled matrix: PETSc cuts it up into local matrices of type aij, which are converted and given back. Their rows are
   in no grid's order, so there are many block offsets. */
static PetscErrorCode FromAssembled(const Problem &q, Mat *A)
{
  Mat aij, local, other;

  PetscFunctionBeginUser;
  PetscCall(NewAssembled(PETSC_COMM_WORLD, q.e, MATAIJ, &aij));
  PetscCall(AddElements(aij, q.e, q.p, 1, false));
  PetscCall(MatConvert(aij, MATIS, MAT_INITIAL_MATRIX, A));
  PetscCall(MatDestroy(&aij));
  PetscCall(MatISGetLocalMat(*A, &local));
  PetscCall(MatSetOptionsPrefix(local, "cut_"));
  PetscCall(MatConvert(local, TestType(), MAT_INITIAL_MATRIX, &other));
  PetscCall(MatISRestoreLocalMat(*A, &local));
  PetscCall(MatISSetLocalMat(*A, other));
  PetscCall(MatDestroy(&other));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ByLocalCOO(const Problem &q, Mat *A)
{
  return ByCOO(q, true, A);
}
static PetscErrorCode ByWholeCOO(const Problem &q, Mat *A)
{
  /* PETSc 3.26.1 maps locations of the whole matrix wrongly where the block size is above 1, for local matrices of any type */
  return ByCOO(q, q.e.dof > 1, A);
}

static const struct {
  const char *name;
  PetscErrorCode (*f)(const Problem &, Mat *);
} ways[] = {
  {"type set later", TypeSetLater}, {"by options", ByOptions},  {"entry by entry", EntryByEntry},
  {"COO, local", ByLocalCOO},       {"COO, whole", ByWholeCOO}, {"from MATAIJ", FromAssembled},
};

/* MatConvert() to the tested type assembles A, also again with new values; PETSc itself refuses to on several processes, and says
   which type is in its way */
static PetscErrorCode CheckAssembled(const Problem &q, Mat aij, Mat A)
{
  Mat         B, C = nullptr;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCall(CheckLike(aij, B, 1e-12, ElementsName(q.e) + ", assembled"));
  PetscCall(MatScale(A, 3));
  PetscCall(MatScale(aij, 3));
  PetscCall(MatConvert(A, TestType(), MAT_REUSE_MATRIX, &B));
  PetscCall(CheckLike(aij, B, 1e-12, ElementsName(q.e) + ", assembled again"));
  if (size > 1)
    PetscCall(ExpectError(PETSC_ERR_SUP, std::string("Not for matrix type seq") + TestType(),
                          [&] { return MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C); }));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of the local matrices have the prefix is_: float values are rounded, as these products are */
static PetscErrorCode CheckLocalOptions(const Problem &q, Mat aij)
{
  Mat       A, B;
  PetscReal all, difference;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-is_mat_bdia_storage single").c_str()));
  PetscCall(CreateIS(q, &A));
  PetscCall(MatISSetLocalMatType(A, TestType()));
  PetscCall(MatSetFromOptions(A));
  PetscCall(PetscOptionsClearValue(nullptr, TestOptions("-is_mat_bdia_storage").c_str()));
  PetscCall(AddElements(A, q.e, q.p, 1, true));
  PetscCall(CheckLike(aij, A, 1e-6, ElementsName(q.e) + ", values in float"));
  PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCall(MatConvert(B, MATAIJ, MAT_INPLACE_MATRIX, &B));
  PetscCall(MatAXPY(B, -1, aij, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &difference));
  PetscCall(MatNorm(aij, NORM_FROBENIUS, &all));
  PetscCheck(difference > 1e-10 * all, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "The option of the local matrices has no effect: they differ by %g of %g", (double)difference, (double)all);
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWays(const Elements &e)
{
  Problem q = {e, {}, 0, NodesOf(e) * e.dof, nullptr};
  Mat     aij, A;
  MatType type;

  PetscFunctionBeginUser;
  PetscCall(PartOf(PETSC_COMM_WORLD, e, &q.p));
  PetscCall(RowsOf(PETSC_COMM_WORLD, e, &q.n));
  PetscCall(PartMapping(PETSC_COMM_WORLD, e, q.p, &q.map));
  PetscCall(NewAssembled(PETSC_COMM_WORLD, e, MATAIJ, &aij));
  PetscCall(AddElements(aij, e, q.p, 1, false));
  if (TestKind() != "aij") PetscCall(CheckLocalOptions(q, aij));
  for (const auto &way : ways) {
    Mat local;
    PetscCall(way.f(q, &A));
    PetscCall(CheckLike(aij, A, 1e-12, ElementsName(e) + ", " + way.name));
    PetscCall(MatISGetLocalMat(A, &local));
    PetscCall(MatGetType(local, &type));
    PetscCheck(std::string("seq") + TestType() == type, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the local matrix is a %s", way.name,
               type);
    PetscCall(MatISRestoreLocalMat(A, &local));
    if (way.f == EntryByEntry) PetscCall(CheckAssembled(q, aij, A));
    if (way.f == EntryByEntry) PetscCall(MatScale(aij, 1. / 3));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(MatDestroy(&aij));
  PetscCall(ISLocalToGlobalMappingDestroy(&q.map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -dm_mat_type is with a DMDA, which has its own elements and gives the matrix their structure, zeros and a mapping with entries
   for no row */
static PetscErrorCode TestDMDA(PetscInt dim, PetscInt dof)
{
  DM              da;
  Mat             A[2];
  PetscInt        count, n;
  const PetscInt *nodes;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(nullptr, (std::string("-mat_is_localmat_type ") + TestType()).c_str()));
  if (dim == 2)
    PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, 9, 8, PETSC_DECIDE,
                           PETSC_DECIDE, dof, 1, nullptr, nullptr, &da));
  else
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, 5, 4, 6,
                           PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, dof, 1, nullptr, nullptr, nullptr, &da));
  PetscCall(DMSetUp(da));
  for (int k = 0; k < 2; k++) {
    PetscCall(DMSetMatType(da, k ? MATIS : MATAIJ));
    PetscCall(DMCreateMatrix(da, &A[k]));
    PetscCall(DMDAGetElements(da, &count, &n, &nodes));
    for (PetscInt c = 0; c < count; c++) {
      std::vector<PetscScalar> v(n * n * dof * dof);
      for (size_t m = 0; m < v.size(); m++) v[m] = PairNumber(c, (PetscInt)m, 12);
      PetscCall(MatSetValuesBlockedLocal(A[k], n, nodes + c * n, n, nodes + c * n, v.data(), ADD_VALUES));
    }
    PetscCall(DMDARestoreElements(da, &count, &n, &nodes));
    PetscCall(MatAssemblyBegin(A[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A[k], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(CheckLike(A[0], A[1], 1e-12, "DMDA of " + std::to_string(dim) + " dimensions"));
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Elements grids[] = {
  {2, {6, 7, 1}, 2, true, 0.1},
  {3, {4, 3, 5}, 1, false, 0.1},
};

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-cut_mat_bdia_max_offsets 1000 -cut_mat_bdia_max_fill 1000").c_str()));
  for (const Elements &e : grids) PetscCall(TestWays(e));
  PetscCall(TestDMDA(2, 3));
  PetscCall(TestDMDA(3, 1));
  PetscCall(PetscFinalize());
  return 0;
}
