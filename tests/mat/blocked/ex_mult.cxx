static char help[] = "Products of MATBDIA matrices, compared with MATAIJ and with loops over a dense matrix.\n\n";

#include "core.h"

/* A product y <- (z +) op(A) x; one of "into itself" works on a copy of z in y */
struct Product {
  const char *name;
  bool        transpose;
  PetscErrorCode (*run)(Mat A, Vec x, Vec z, Vec y);
};

static PetscErrorCode Mult(Mat A, Vec x, Vec, Vec y)
{
  return MatMult(A, x, y);
}

static PetscErrorCode MultTranspose(Mat A, Vec x, Vec, Vec y)
{
  return MatMultTranspose(A, x, y);
}

template <PetscErrorCode (*Add)(Mat, Vec, Vec, Vec)> static PetscErrorCode IntoItself(Mat A, Vec x, Vec z, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(z, y));
  PetscCall(Add(A, x, y, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Product products[] = {
  {"MatMult", false, Mult},
  {"MatMultAdd", false, MatMultAdd},
  {"MatMultAdd into itself", false, IntoItself<MatMultAdd>},
  {"MatMultTranspose", true, MultTranspose},
  {"MatMultTransposeAdd", true, MatMultTransposeAdd},
  {"MatMultTransposeAdd into itself", true, IntoItself<MatMultTransposeAdd>},
};

static PetscErrorCode Compare(Mat aij, Mat bdia, PetscReal tol, const std::string &what)
{
  Vec right, left, y[2];

  PetscFunctionBegin;
  PetscCall(TestRandomVecs(bdia, 3, &right, &left));
  for (const Product &p : products) {
    Vec x = p.transpose ? left : right, z = p.transpose ? right : left;
    for (int k = 0; k < 2; k++) {
      PetscCall(VecDuplicate(z, &y[k]));
      PetscCall(VecSet(y[k], 1e30)); /* what was there must not count */
      PetscCall(p.run(k ? bdia : aij, x, z, y[k]));
    }
    PetscCall(CheckVec(y[0], y[1], tol, (what + ": " + p.name).c_str()));
    for (Vec &v : y) PetscCall(VecDestroy(&v));
  }
  PetscCall(VecDestroy(&right));
  PetscCall(VecDestroy(&left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(MPI_Comm comm, const Shape &s, const char prefix[], PetscReal tol, const std::vector<Block> &blocks,
                            const std::string &what)
{
  Mat               A[2];
  const std::string name = what + ": " + ShapeName(s);

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, prefix, &A[k]));
  for (PetscInt seed : {1, 2}) { /* the second time new values in the same structure */
    for (int k = 0; k < 2; k++) PetscCall(FillBlocks(A[k], s, blocks, seed));
    PetscCall(Compare(A[0], A[1], tol, name));
  }
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Offsets short and long, such as no rank's share holds; tall and wide; one block; none */
static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  Shape tall = s, wide = s, one = s;

  PetscFunctionBegin;
  PetscCall(Check(comm, s, "t_", 1e-12, MakeBlocks(s, {-5, -1, 0, 1, 5}, 0), "five diagonals"));
  PetscCall(Check(comm, s, "t_", 1e-12, MakeBlocks(s, {1 - s.nbr, -3, 2, s.nbr - 2}, 5), "long offsets, none 0"));
  PetscCall(Check(comm, s, "t_", 1e-12, MakeBlocks(s, {}, 20), "scattered blocks"));
  PetscCall(Check(comm, s, "single_", 1e-6, MakeBlocks(s, {-4, -1, 0, 1, 4}, 2), "stored as float"));
  PetscCall(Check(comm, s, "t_", 0, {}, "no values"));
  tall.nbc  = 6;
  tall.cols = Share::RAMP;
  PetscCall(Check(comm, tall, "t_", 1e-12, MakeBlocks(tall, {-8, -1, 0, 2}, 3), "tall"));
  wide.nbr  = 5;
  wide.cols = Share::RAMP;
  PetscCall(Check(comm, wide, "t_", 1e-12, MakeBlocks(wide, {-2, 0, 3, 7}, 3), "wide"));
  PetscCall(Check(comm, wide, "single_", 1e-6, MakeBlocks(wide, {-2, 0, 3, 7}, 3), "wide, stored as float"));
  one.nbr = one.nbc = 1;
  PetscCall(Check(comm, one, "t_", 1e-12, {{0, 0}}, "one block"));
  one.nbr = 0;
  PetscCall(Check(comm, one, "t_", 0, {}, "no rows"));
  one.nbr = 3;
  one.nbc = 0;
  PetscCall(Check(comm, one, "t_", 0, {}, "no columns"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of small integers and its products, by hand: they come out exactly */
static const PetscScalar hand[6][6] = {{1, 2, 0, 0, 3, 0}, {0, 4, 0, 0, 0, 5}, {6, 0, 7, 0, 0, 0},
                                       {0, 8, 9, 1, 0, 0}, {0, 0, 2, 0, 3, 4}, {0, 0, 0, 5, 0, 6}};
static const PetscScalar hand_x[6] = {1, -2, 3, -4, 5, -6}, hand_ax[6] = {12, -38, 27, 7, -3, -56},
                         hand_atx[6] = {19, -38, -5, -34, 18, -26};

static PetscErrorCode CheckHand(Vec y, const PetscScalar want[], const char what[])
{
  const PetscScalar *a;
  PetscInt           start, end;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(y, &start, &end));
  PetscCall(VecGetArrayRead(y, &a));
  for (PetscInt i = start; i < end; i++)
    PetscCheck(a[i - start] == want[i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "By hand, %s: y[%d] = %g instead of %g", what, (int)i,
               (double)PetscRealPart(a[i - start]), (double)PetscRealPart(want[i]));
  PetscCall(VecRestoreArrayRead(y, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The exchange alone brings numbers of columns of other ranks, ascending, and one for each entry of this rank's rows there */
static PetscErrorCode CheckExchange(Mat A, Vec x)
{
  PetscErrorCode (*exchange)(Mat, Vec, Vec *);
  Vec                ghosts = nullptr;
  const PetscScalar *a;
  PetscInt           start, end, n, at = 0;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatHeptaExchange_C", &exchange));
  PetscCheck(exchange, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No function for the exchange alone");
  PetscCall(exchange(A, x, &ghosts));
  if (!ghosts) {
    PetscCheck(start == 0 && end == 6, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No exchange for rows %d to %d", (int)start, (int)end);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetLocalSize(ghosts, &n));
  PetscCall(VecGetArrayRead(ghosts, &a));
  for (PetscInt j = 0; j < 6; j++) {
    const bool here = at < n && a[at] == hand_x[j];
    bool       need = false;
    if (j >= start && j < end) continue;
    for (PetscInt i = start; i < end; i++) need = need || hand[i][j] != 0.;
    PetscCheck(here || !need, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The number of column %d has not come", (int)j);
    at += here;
  }
  PetscCheck(at == n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d of %d numbers have come that no column has", (int)(n - at), (int)n);
  PetscCall(VecRestoreArrayRead(ghosts, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ByHand(MPI_Comm comm, const char prefix[])
{
  Mat      A;
  Vec      x, y;
  PetscInt start, end;
  Shape    s;

  PetscFunctionBegin;
  s.bs  = 2;
  s.nbr = s.nbc = 3;
  PetscCall(NewMat(comm, s, TestType(), prefix, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(VecSetValue(x, i, hand_x[i], INSERT_VALUES));
    for (PetscInt j = 0; j < 6; j++) {
      if (hand[i][j] != 0.) PetscCall(MatSetValue(A, i, j, hand[i][j], INSERT_VALUES));
    }
  }
  PetscCall(Assemble(A));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(MatMult(A, x, y));
  PetscCall(CheckHand(y, hand_ax, "A x"));
  PetscCall(MatMultTranspose(A, x, y));
  PetscCall(CheckHand(y, hand_atx, "A^T x"));
  PetscCall(CheckExchange(A, x));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"t_", "single_"}));
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-single_mat_bdia_storage single").c_str()));
  for (const char *prefix : {"t_", "single_"}) PetscCall(ByHand(PETSC_COMM_WORLD, prefix));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(PetscFinalize());
  return 0;
}
