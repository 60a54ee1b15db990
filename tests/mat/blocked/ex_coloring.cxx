static char help[] = "Jacobians by finite differences and coloring: MATBDIA against MATAIJ, each way of storing,\n\
both step rules, colors in groups, and the colorings that a DMDA makes.\n\n";

#include "pair.h"

#include <petscdmda.h>

#include <cstring>

struct Context {
  Mat A; /* F(x) = A x + x^3 */
};

static PetscErrorCode Function(void *, Vec x, Vec f, void *ctx)
{
  Vec cube;

  PetscFunctionBeginUser;
  PetscCall(MatMult(((Context *)ctx)->A, x, f));
  PetscCall(VecDuplicate(x, &cube));
  PetscCall(VecCopy(x, cube));
  PetscCall(VecPow(cube, 3));
  PetscCall(VecAXPY(f, 1, cube));
  PetscCall(VecDestroy(&cube));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J by coloring, twice at different points with the same coloring */
static PetscErrorCode Difference(Mat J, Context *ctx, const char type[], PetscInt bcols, Vec x)
{
  MatColoring   mc;
  ISColoring    colors;
  MatFDColoring fd;

  PetscFunctionBeginUser;
  PetscCall(MatColoringCreate(J, &mc));
  PetscCall(MatColoringSetType(mc, MATCOLORINGSL));
  PetscCall(MatColoringSetDistance(mc, 2));
  PetscCall(MatColoringApply(mc, &colors));
  PetscCall(MatColoringDestroy(&mc));
  PetscCall(MatFDColoringCreate(J, colors, &fd));
  PetscCall(MatFDColoringSetFunction(fd, (MatFDColoringFn *)(void (*)(void))Function, ctx));
  PetscCall(MatFDColoringSetType(fd, type));
  if (bcols) PetscCall(MatFDColoringSetBlockSize(fd, PETSC_DEFAULT, bcols));
  PetscCall(MatFDColoringSetUp(J, colors, fd));
  PetscCall(ISColoringDestroy(&colors));
  PetscCall(MatZeroEntries(J));
  PetscCall(MatFDColoringApply(J, fd, x, nullptr));
  PetscCall(VecShift(x, 0.5));
  PetscCall(MatFDColoringApply(J, fd, x, nullptr));
  PetscCall(VecShift(x, -0.5));
  PetscCall(MatFDColoringDestroy(&fd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const PairSpec &s)
{
  Pair    p;
  Context ctx;
  Vec     x;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(MatDuplicate(p.aij, MAT_COPY_VALUES, &ctx.A));
  PetscCall(MatCreateVecs(p.aij, &x, nullptr));
  PetscCall(VecSetRandom(x, nullptr));
  for (const char *type : {MATMFFD_WP, MATMFFD_DS}) {
    for (PetscInt bcols : {0, 1, 3}) {
      const std::string what =
        std::string("bs ") + std::to_string(s.bs) + " " + s.options + " " + type + ", groups of " + std::to_string(bcols);
      for (Mat J : {p.aij, p.bdia}) PetscCall(Difference(J, &ctx, type, bcols, x));
      PetscCall(CheckMat(p.aij, p.bdia, s.symmetric ? 1e-6 : strstr(s.options, "single") ? 1e-6 : 1e-14, what.c_str()));
    }
  }
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&ctx.A));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f = 5-point operator with a cubic term, from a local (ghosted) vector or a global one */
static PetscErrorCode DAFunction(void *, Vec x, Vec f, void *ctx)
{
  DM             da    = *(DM *)ctx;
  Vec            local = x;
  PetscInt       xs, ys, xm, ym, M, N, dof, nl;
  PetscScalar ***u, ***v;

  PetscFunctionBeginUser;
  PetscCall(
    DMDAGetInfo(da, nullptr, &M, &N, nullptr, nullptr, nullptr, nullptr, &dof, nullptr, nullptr, nullptr, nullptr, nullptr));
  PetscCall(DMDAGetCorners(da, &xs, &ys, nullptr, &xm, &ym, nullptr));
  PetscCall(VecGetLocalSize(x, &nl));
  const bool own = nl == xm * ym * dof; /* else x is local already */
  if (own) {
    PetscCall(DMGetLocalVector(da, &local));
    PetscCall(DMGlobalToLocal(da, x, INSERT_VALUES, local));
  }
  PetscCall(DMDAVecGetArrayDOF(da, local, &u));
  PetscCall(DMDAVecGetArrayDOF(da, f, &v));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      for (PetscInt c = 0; c < dof; c++) {
        v[j][i][c] = (4 + c) * u[j][i][c] + u[j][i][c] * u[j][i][(c + 1) % dof] * u[j][i][c];
        if (i > 0) v[j][i][c] -= u[j][i - 1][c];
        if (i < M - 1) v[j][i][c] -= 2 * u[j][i + 1][c];
        if (j > 0) v[j][i][c] -= u[j - 1][i][c];
        if (j < N - 1) v[j][i][c] -= 0.5 * u[j + 1][i][c];
      }
    }
  }
  PetscCall(DMDAVecRestoreArrayDOF(da, local, &u));
  PetscCall(DMDAVecRestoreArrayDOF(da, f, &v));
  if (own) PetscCall(DMRestoreLocalVector(da, &local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DADifference(DM da, ISColoringType ctype, Vec x, Mat *J)
{
  ISColoring    colors;
  MatFDColoring fd;

  PetscFunctionBeginUser;
  PetscCall(DMCreateMatrix(da, J));
  PetscCall(DMCreateColoring(da, ctype, &colors));
  PetscCall(MatFDColoringCreate(*J, colors, &fd));
  PetscCall(MatFDColoringSetFunction(fd, (MatFDColoringFn *)(void (*)(void))DAFunction, &da));
  PetscCall(MatFDColoringSetUp(*J, colors, fd));
  if (ctype == IS_COLORING_LOCAL) PetscCall(MatFDColoringUseDM(*J, fd));
  PetscCall(ISColoringDestroy(&colors));
  PetscCall(MatFDColoringApply(*J, fd, x, nullptr));
  PetscCall(MatFDColoringDestroy(&fd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix and the coloring of a DMDA; the local coloring goes by MatFDColoringUseDM(), which replaces our operation */
static PetscErrorCode CheckDA(PetscInt dof, ISColoringType ctype)
{
  DM  da;
  Vec x;
  Mat J[2];

  PetscFunctionBeginUser;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 9, 7, PETSC_DECIDE,
                         PETSC_DECIDE, dof, 1, nullptr, nullptr, &da));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateGlobalVector(da, &x));
  PetscCall(VecSetRandom(x, nullptr));
  for (int k = 0; k < 2; k++) {
    PetscCall(DMSetMatType(da, k ? TestType() : MATAIJ));
    PetscCall(DADifference(da, ctype, x, &J[k]));
  }
  PetscCall(CheckMat(J[0], J[1], 1e-14, ctype == IS_COLORING_LOCAL ? "DMDA, local coloring" : "DMDA, global coloring"));
  for (Mat &m : J) PetscCall(MatDestroy(&m));
  PetscCall(VecDestroy(&x));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PairSpec s;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PairEachBlockSize(20, 9, Check));
  for (PetscInt dof : {1, 2}) {
    for (ISColoringType ctype : {IS_COLORING_GLOBAL, IS_COLORING_LOCAL}) PetscCall(CheckDA(dof, ctype));
  }
  s.bs      = 2;
  s.options = "-pair_mat_bdia_storage single";
  PetscCall(Check(s));
  s.symmetric = true;
  s.options   = "-pair_mat_bdia_storage double -pair_mat_bdia_half";
  PetscCall(Check(s));
  PetscCall(PetscFinalize());
  return 0;
}
