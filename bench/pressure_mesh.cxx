/* Problems of bench/pressure without a grid: matrices from PETSc binary files, and those of flows */
#include <hepta.h>

#include <cmath>
#include <filesystem>

#include "pressure.h"

/* As aij of the host: MatLoad() puts the block size of FILE.info into the options, where it must not stay for the next file */
static PetscErrorCode Load(const std::string &file, Mat *A)
{
  static const char option[] = "-matload_block_size";
  PetscViewer       viewer;
  PetscBool         given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, option, &given));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  if (!given) PetscCall(PetscOptionsClearValue(nullptr, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rigid-body modes of the nodes whose coordinates the file has; nothing if there is none */
static PetscErrorCode SetNearNullSpace(const std::string &file, Mat A)
{
  MatNullSpace space;
  PetscViewer  viewer;
  PetscBool    have;
  Vec          coordinates;

  PetscFunctionBegin;
  PetscCall(PetscTestFile(file.c_str(), 'r', &have));
  if (!have) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(A, &coordinates, nullptr));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(VecLoad(coordinates, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatNullSpaceCreateRigidBody(coordinates, &space));
  PetscCall(MatSetNearNullSpace(A, space));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(VecDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What p says of its matrix. More than ten blocks a row are taken for those of three dimensions. */
static PetscErrorCode Describe(const PressureOptions &o, MeshProblem *p)
{
  MatInfo  info;
  PetscInt bs;

  PetscFunctionBegin;
  PetscCall(MatGetSize(p->theirs, &p->rows, nullptr));
  PetscCall(MatGetBlockSize(p->theirs, &bs));
  PetscCall(MatGetInfo(p->theirs, MAT_GLOBAL_SUM, &info));
  p->dim    = info.nz_used > 10. * (double)p->rows * (double)bs ? 3 : 2;
  p->device = o.device;
  for (MatOption option : {MAT_SPD, MAT_SPD_ETERNAL}) PetscCall(MatSetOption(p->theirs, option, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeshLoad(const PressureOptions &o, const std::string &file, MeshProblem *p)
{
  PetscFunctionBegin;
  *p      = MeshProblem();
  p->name = std::filesystem::path(file).stem().string();
  PetscCall(Load(file, &p->theirs));
  PetscCall(SetNearNullSpace(file + ".coordinates", p->theirs));
  PetscCall(Describe(o, p));
  if (o.device) PetscCall(MatConvert(p->theirs, MATAIJCUSPARSE, MAT_INPLACE_MATRIX, &p->theirs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeshOfFlow(const PressureOptions &o, FlowProblem kind, PetscInt n, MeshProblem *p)
{
  GridProblem grid;
  PetscInt    begin, end;
  Mat         A;
  IS          own;

  PetscFunctionBegin;
  *p = MeshProblem();
  PetscCall(ProblemCreate(o, kind, n, &grid));
  p->name = grid.Title();
  PetscCall(grid.Matrix(false, &A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - begin, begin, 1, &own));
  PetscCall(MatCreateSubMatrix(A, own, own, MAT_INITIAL_MATRIX, &p->theirs)); /* all of it, without the DM */
  PetscCall(ISDestroy(&own));
  PetscCall(grid.Destroy());
  PetscCall(Describe(o, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D of the later time over that of the earlier one: a few percent, so that an interpolation of the first values stays good */
static PetscErrorCode Factors(Mat A, PetscReal from, PetscReal to, Vec *d)
{
  const PetscReal change = 0.02 * (std::sin(to) - std::sin(from));
  PetscInt        begin, end, rows, bs;
  PetscScalar    *a;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, d, nullptr));
  PetscCall(MatGetSize(A, &rows, nullptr));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(VecGetOwnershipRange(*d, &begin, &end));
  PetscCall(VecGetArrayWrite(*d, &a));
  for (PetscInt i = begin; i < end; i++)
    a[i - begin] = std::exp(change * std::sin(6 * PETSC_PI * (PetscReal)(i / bs * bs) / (PetscReal)rows));
  PetscCall(VecRestoreArrayWrite(*d, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal MeshProblem::Time(const PressureOptions &, PetscInt round) const
{
  return (PetscReal)round;
}

PetscErrorCode MeshProblem::SetTime(PetscReal t)
{
  PetscFunctionBegin;
  time = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeshProblem::Matrix(bool of_ours, Mat *A)
{
  MatNullSpace space;
  Vec          d;

  PetscFunctionBegin;
  if (of_ours && !ours) {
    PetscCall(MatConvert(theirs, device ? MATBROWCUDA : MATBROW, MAT_INITIAL_MATRIX, &ours));
    PetscCall(MatGetNearNullSpace(theirs, &space));
    if (space) PetscCall(MatSetNearNullSpace(ours, space));
    for (MatOption option : {MAT_SPD, MAT_SPD_ETERNAL}) PetscCall(MatSetOption(ours, option, PETSC_TRUE));
    at[1] = at[0];
  }
  *A = of_ours ? ours : theirs;
  if (at[of_ours] != time) {
    PetscCall(Factors(*A, at[of_ours], time, &d));
    PetscCall(MatDiagonalScale(*A, d, d));
    PetscCall(VecDestroy(&d));
    at[of_ours] = time;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeshProblem::CreateVec(Vec *v)
{
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(theirs, v, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeshProblem::RHS(PetscInt, Vec b, Vec exact)
{
  PetscFunctionBegin;
  PetscCall(VecSetRandom(exact, nullptr));
  PetscCall(Apply(exact, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeshProblem::Apply(Vec x, Vec y)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(Matrix(false, &A));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
