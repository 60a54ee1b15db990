static char help[] = "COO with indices and values in device memory, compared with MATAIJ; grids of a DMDA.\n\n";

#include <petscdmda.h>

#include "core.h"
#include "device_array.h"

struct Locations {
  std::vector<PetscInt> i, j;
};

/* Every entry given twice, by this rank or another, symmetric in locations and sums; some entries that are to be ignored */
static Locations MakeLocations(MPI_Comm comm, const Shape &s, const std::vector<Block> &blocks)
{
  PetscMPIInt rank, size;
  Locations   p;

  (void)MPI_Comm_rank(comm, &rank);
  (void)MPI_Comm_size(comm, &size);
  for (const Block &b : blocks) {
    for (PetscInt k = 0; k < s.bs * s.bs; k++) {
      const PetscInt i = b.first * s.bs + k / s.bs, j = b.second * s.bs + k % s.bs;
      for (PetscInt part = 0; part < 2; part++) {
        if (SetterOf(PetscMin(i, j), PetscMax(i, j), part, size) != rank) continue;
        p.i.push_back(i);
        p.j.push_back(j);
      }
      if (k % 5 || SetterOf(i, j, 2, size) != rank) continue;
      p.i.push_back(k % 2 ? -1 : i);
      p.j.push_back(k % 2 ? j : -3);
    }
  }
  return p;
}

/* Which arrays stand in device memory */
struct Where {
  bool        indices, values;
  const char *name;
};

static const Where wheres[] = {
  {true, true, "all on the device"},
  {false, true, "values on the device"},
  {true, false, "indices on the device"},
  {false, false, "all on the host"},
};

static PetscErrorCode SetUp(Mat A, const Locations &locations, bool device)
{
  Locations p  = locations; /* the call may change them */
  PetscInt *di = nullptr, *dj = nullptr;

  PetscFunctionBegin;
  if (device) PetscCall(ToDevice(p.i, &di));
  if (device) PetscCall(ToDevice(p.j, &dj));
  PetscCall(MatSetPreallocationCOO(A, (PetscCount)p.i.size(), device ? di : p.i.data(), device ? dj : p.j.data()));
  PetscCall(FreeDevice(&di));
  PetscCall(FreeDevice(&dj));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Insert and add in turn, without a copy between the sides when values and matrix are on the device */
static PetscErrorCode SetAll(Mat A, const Locations &p, bool device)
{
  PetscInt seed = 1;

  PetscFunctionBegin;
  for (InsertMode mode : {INSERT_VALUES, ADD_VALUES, ADD_VALUES, INSERT_VALUES, ADD_VALUES}) {
    std::vector<PetscScalar> v(p.i.size());
    PetscScalar             *dv = nullptr;

    for (size_t k = 0; k < v.size(); k++) v[k] = PairNumber(PetscMin(p.i[k], p.j[k]), PetscMax(p.i[k], p.j[k]), seed);
    seed++;
    if (device) PetscCall(ToDevice(v, &dv));
    const PetscLogDouble before = CountCopies();
    PetscCall(MatSetValuesCOO(A, device ? dv : v.data(), mode));
    if (device && seed > 2)
      PetscCall(CheckCopies(PetscObjectComm((PetscObject)A), before, "MatSetValuesCOO() with device values"));
    PetscCall(FreeDevice(&dv));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  const auto blocks = MakeBlocks(s, {-4, -1, 0, 1, 4}, 0), others = MakeBlocks(s, {-2, 0, 2}, 0);

  PetscFunctionBegin;
  for (const char *prefix : {"t_", "single_", "half_"}) {
    for (const Where &w : wheres) {
      const std::string what = std::string(prefix) + "COO, " + w.name + ": " + ShapeName(s);
      Mat               A[2];

      for (int k = 0; k < 2; k++) PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, prefix, &A[k]));
      for (const auto &b : {blocks, others, blocks}) { /* another structure takes the place of the first */
        const Locations p = MakeLocations(comm, s, b);
        for (int k = 0; k < 2; k++) {
          PetscCall(SetUp(A[k], p, k && w.indices));
          PetscCall(SetAll(A[k], p, k && w.values));
        }
        PetscCall(CheckSame(A[0], A[1], *prefix == 's' ? 1e-5 : 1e-13, what.c_str()));
        for (int k = 0; k < 2; k++) PetscCall(SetAll(A[k], p, k && w.values)); /* after the host has read the values */
        PetscCall(CheckSame(A[0], A[1], *prefix == 's' ? 1e-5 : 1e-13, what.c_str()));
      }
      for (Mat &M : A) PetscCall(MatDestroy(&M));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values at all locations that `pattern` has */
static PetscErrorCode FillLike(Mat pattern, Mat A)
{
  std::vector<std::vector<PetscInt>> columns;
  PetscInt                           start, end, n;
  const PetscInt                    *cols;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) { /* all rows first: setting values makes a matrix unassembled */
    PetscCall(MatGetRow(pattern, i, &n, &cols, nullptr));
    columns.emplace_back(cols, cols + n);
    PetscCall(MatRestoreRow(pattern, i, &n, &cols, nullptr));
  }
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j : columns[i - start]) PetscCall(MatSetValue(A, i, j, PairNumber(i, j, 9), INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -dm_mat_type bdiacuda -dm_vec_type cuda: matrix and vectors of a DMDA */
static PetscErrorCode OnDMDA(MPI_Comm comm, PetscInt dof, const char prefix[])
{
  DM        da;
  Mat       A[2];
  Vec       x, y, z;
  PetscBool cuda;
  VecType   vec;
  MatType   mat;

  PetscFunctionBegin;
  PetscCall(DMDACreate3d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 5, 7, 6, PETSC_DECIDE,
                         PETSC_DECIDE, PETSC_DECIDE, dof, 1, nullptr, nullptr, nullptr, &da));
  PetscCall(DMSetOptionsPrefix(da, prefix));
  PetscCall(DMSetFromOptions(da));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A[1]));
  PetscCall(DMCreateGlobalVector(da, &x));
  PetscCall(VecGetType(x, &vec));
  PetscCall(MatGetType(A[1], &mat));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)x, &cuda, VECSEQCUDA, VECMPICUDA, ""));
  PetscCheck(cuda, comm, PETSC_ERR_PLIB, "-dm_vec_type cuda made a %s", vec);
  PetscCheck(std::string(mat) == "seq" + std::string(TestType()) || std::string(mat) == "mpi" + std::string(TestType()), comm,
             PETSC_ERR_PLIB, "-dm_mat_type %s made a %s", TestType(), mat);
  PetscCall(DMSetMatType(da, MATAIJ));
  PetscCall(DMCreateMatrix(da, &A[0]));
  PetscCall(FillLike(A[0], A[0]));
  PetscCall(FillLike(A[0], A[1]));
  PetscCall(CheckSame(A[0], A[1], 1e-13, "DMDA"));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(VecSet(x, 1.5));
  PetscCall(MatMult(A[0], x, y));
  PetscCall(MatMult(A[1], x, z));
  PetscCall(CheckVec(y, z, 1e-12, "DMDA"));
  for (Vec *v : {&x, &y, &z}) PetscCall(VecDestroy(v));
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help, true));
  PetscCall(NoLimits({"", "t_", "single_", "half_"}));
  PetscCall(
    PetscOptionsInsertString(nullptr, TestOptions("-single_mat_bdia_storage single -half_mat_bdia_half -grid_dm_mat_type " +
                                                  std::string(TestType()) + " -grid_dm_vec_type cuda -options_left no")
                                        .c_str()));
  for (PetscInt dof = 1; dof <= 4; dof++) PetscCall(OnDMDA(PETSC_COMM_WORLD, dof, "grid_"));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(PetscFinalize());
  return 0;
}
