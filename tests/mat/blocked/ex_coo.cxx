static char help[] = "MatSetPreallocationCOO() and MatSetValuesCOO() on MATBDIA, compared with MATAIJ.\n\n";

#include "core.h"
#include "failure.h"

#include <petscdmda.h>

/* The locations a rank gives: any rows, repeated ones, negative ones */
struct Locations {
  std::vector<PetscInt> i, j;
};

static Locations MakeLocations(MPI_Comm comm, const Shape &s, const std::vector<Block> &blocks, PetscInt seed)
{
  PetscMPIInt rank, size;
  Locations   p;

  (void)MPI_Comm_rank(comm, &rank);
  (void)MPI_Comm_size(comm, &size);
  for (const Block &b : blocks) {
    for (PetscInt i = b.first * s.bs; i < (b.first + 1) * s.bs; i++) {
      for (PetscInt j = b.second * s.bs; j < (b.second + 1) * s.bs; j++) {
        for (PetscInt part = 0; part < 2; part++) { /* twice, from two ranks or the same */
          if (SetterOf(i, j, seed + part, size) != rank || PairNumber(i, j, 4711) < -0.8) continue;
          p.i.push_back(i);
          p.j.push_back(j);
          if (PairNumber(i, j, 12) < 0.8) continue;
          p.i.push_back(j % 2 ? -1 : i);
          p.j.push_back(j % 2 ? j : -7);
        }
      }
    }
  }
  return p;
}

/* INSERT and ADD in turn */
static PetscErrorCode SetAll(Mat A, size_t n)
{
  std::vector<PetscScalar> v(n);
  PetscMPIInt              rank;
  PetscInt                 seed = 1;
  PetscBool                aij;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  for (InsertMode mode : {INSERT_VALUES, ADD_VALUES, ADD_VALUES, INSERT_VALUES, ADD_VALUES}) {
    for (size_t k = 0; k < n; k++) v[k] = PairNumber((PetscInt)k, rank, seed);
    seed++;
    PetscCall(MatSetValuesCOO(A, v.data(), mode));
  }
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (!aij) PetscCall(MatSetValuesCOO(A, nullptr, ADD_VALUES)); /* aij does not take the null that stands for zeros */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUp(Mat A, const Locations &locations)
{
  Locations p = locations; /* the call may change them */

  PetscFunctionBegin;
  PetscCall(MatSetPreallocationCOO(A, (PetscCount)p.i.size(), p.i.data(), p.j.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A structure after another; values by MatSetValues() in between */
static PetscErrorCode Twice(Mat A, const Locations &first, const Locations &second)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(SetUp(A, first));
  PetscCall(SetAll(A, first.i.size()));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    /* not at a new location: aij refuses those */
    if (PairNumber(i, i, 4711) >= -0.8) PetscCall(MatSetValue(A, i, i, 0.5, ADD_VALUES));
  }
  PetscCall(Assemble(A));
  PetscCall(SetAll(A, first.i.size()));
  PetscCall(SetUp(A, second));
  PetscCall(SetAll(A, second.i.size()));
  PetscCall(MatScale(A, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local indices: each rank numbers all blocks in an order of its own */
static PetscErrorCode Local(Mat A, const Shape &s, const Locations &locations)
{
  Locations              p = locations;
  PetscMPIInt            rank;
  std::vector<PetscInt>  global(s.nbr), local_of(s.nbr);
  ISLocalToGlobalMapping map;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  for (PetscInt k = 0; k < s.nbr; k++) global[k] = (k + 5 * rank + 1) % s.nbr;
  for (PetscInt k = 0; k < s.nbr; k++) local_of[global[k]] = k;
  PetscCall(ISLocalToGlobalMappingCreate(PetscObjectComm((PetscObject)A), s.bs, s.nbr, global.data(), PETSC_COPY_VALUES, &map));
  PetscCall(MatSetLocalToGlobalMapping(A, map, map));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  for (std::vector<PetscInt> *v : {&p.i, &p.j}) {
    for (PetscInt &i : *v) i = i < 0 ? i : local_of[i / s.bs] * s.bs + i % s.bs;
  }
  PetscCall(MatSetPreallocationCOOLocal(A, (PetscCount)p.i.size(), p.i.data(), p.j.data()));
  PetscCall(SetAll(A, p.i.size()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New locations set by MatSetValues() end a COO structure; values without one are refused */
static PetscErrorCode WrongOrder(MPI_Comm comm, const Shape &s, const Locations &locations)
{
  Mat                      A;
  PetscInt                 start, end;
  std::vector<PetscScalar> v(locations.i.size() + 1, 1.);

  PetscFunctionBegin;
  PetscCall(NewMat(comm, s, TestType(), "t_", &A));
  PetscCall(MatSetUp(A));
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "MatSetPreallocationCOO()",
                        [&] { return MatSetValuesCOO(A, v.data(), INSERT_VALUES); }));
  PetscCall(SetUp(A, locations));
  PetscCall(MatSetValuesCOO(A, v.data(), INSERT_VALUES));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) PetscCall(MatSetValue(A, i, s.nbc * s.bs - 1 - i, 1, INSERT_VALUES));
  /* not assembled yet */
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "MatSetPreallocationCOO()",
                        [&] { return MatSetValuesCOO(A, v.data(), INSERT_VALUES); }));
  PetscCall(Assemble(A));
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "MatSetPreallocationCOO()",
                        [&] { return MatSetValuesCOO(A, v.data(), INSERT_VALUES); }));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry with one negative index is ignored, whatever the other is */
static PetscErrorCode Ignored(MPI_Comm comm, PetscInt bs)
{
  const Shape       s{bs, 2, 2}; /* small, so that one entry is enough for the limit of the fill */
  PetscInt          i[] = {-1, s.nbr * bs, 0}, j[] = {s.nbc * bs + 3, -1, 0};
  const PetscScalar v[] = {5, 6, 7};
  PetscMPIInt       size;
  PetscReal         norm;
  Mat               A;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(NewMat(comm, s, TestType(), "t_", &A));
  PetscCall(MatSetPreallocationCOO(A, 3, i, j));
  PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &norm));
  PetscCheck(PetscAbsReal(norm - 7 * size) < TestTolerance(1e-12), comm, PETSC_ERR_PLIB, "The norm is %g, not %d", (double)norm,
             7 * (int)size);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An index past the end is found on all ranks, whoever gives it */
static PetscErrorCode OutOfRange(MPI_Comm comm, const Shape &s)
{
  PetscMPIInt    rank, size;
  const PetscInt n = s.nbr * s.bs;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (bool row : {false, true}) {
    Mat      A;
    PetscInt i[3] = {0, row && rank == size - 1 ? n : 0, 0}, j[3] = {0, !row && rank == size - 1 ? n + 3 : 0, 0};
    PetscCall(NewMat(comm, s, TestType(), "t_", &A));
    PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE,
                          "COO entry 1 has row " + std::to_string(row ? n : 0) + ", column " + std::to_string(row ? 0 : n + 3),
                          [&] { return MatSetPreallocationCOO(A, 3, i, j); }));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  PetscMPIInt rank;
  Shape       wide   = s;
  const auto  first  = MakeLocations(comm, s, MakeBlocks(s, {-4, -1, 0, 1, 3}, 3), 1),
              second = MakeLocations(comm, s, MakeBlocks(s, {-2, 0, 2}, 5), 2);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (const char *prefix : {"t_", "single_"}) {
    const PetscReal tol = *prefix == 't' ? 1e-13 : 1e-5;
    PetscCall(CheckRecipe(comm, s, prefix, tol, std::string(prefix) + "COO", [&](Mat A) {
      PetscCall(SetUp(A, first));
      return SetAll(A, first.i.size());
    }));
    PetscCall(
      CheckRecipe(comm, s, prefix, tol, std::string(prefix) + "COO twice", [&](Mat A) { return Twice(A, first, second); }));
  }
  PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "local COO", [&](Mat A) { return Local(A, s, first); }));
  PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "COO from one rank", [&](Mat A) {
    PetscCall(SetUp(A, rank ? Locations() : first));
    return SetAll(A, rank ? 0 : first.i.size());
  }));
  PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "empty COO", [&](Mat A) {
    PetscCall(SetUp(A, Locations()));
    return SetAll(A, 0);
  }));
  wide.nbc       = s.nbr + 4;
  wide.cols      = Share::RAMP;
  const auto far = MakeLocations(comm, wide, MakeBlocks(wide, {-1, 0, 2, 6}, 3), 1);
  PetscCall(CheckRecipe(comm, wide, "t_", 1e-13, "wide COO", [&](Mat A) {
    PetscCall(SetUp(A, far));
    return SetAll(A, far.i.size());
  }));
  PetscCall(WrongOrder(comm, s, first));
  PetscCall(OutOfRange(comm, s));
  PetscCall(Ignored(comm, s.bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a DMDA's matrix COO sets the structure anew, the stencil does not limit it */
static PetscErrorCode OnDMDA(MPI_Comm comm, bool skip)
{
  DM  da;
  Mat A[2];

  PetscFunctionBegin;
  PetscCall(DMDACreate2d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 7, 6, PETSC_DECIDE, PETSC_DECIDE, 2, 1,
                         nullptr, nullptr, &da));
  PetscCall(DMSetFromOptions(da));
  PetscCall(DMSetUp(da));
  PetscCall(DMSetMatrixPreallocateSkip(da, (PetscBool)skip));
  for (int k = 0; k < 2; k++) {
    Locations p;
    PetscInt  start, end;
    PetscCall(DMSetMatType(da, k ? TestType() : MATAIJ));
    PetscCall(DMCreateMatrix(da, &A[k]));
    PetscCall(MatGetOwnershipRange(A[k], &start, &end));
    for (PetscInt i = start; i < end; i++) {
      for (PetscInt o : {-13, 0, 1, 9}) {
        if (i + o < 0 || i + o >= 84) continue;
        p.i.push_back(i);
        p.j.push_back(i + o);
      }
    }
    PetscCall(SetUp(A[k], p));
    PetscCall(SetAll(A[k], p.i.size()));
  }
  PetscCall(CheckSame(A[0], A[1], 1e-13, skip ? "COO on a DMDA without preallocation" : "COO on a DMDA"));
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"", "t_", "single_"}));
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-single_mat_bdia_storage single").c_str()));
  for (bool skip : {false, true}) PetscCall(OnDMDA(PETSC_COMM_WORLD, skip));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(PetscFinalize());
  return 0;
}
