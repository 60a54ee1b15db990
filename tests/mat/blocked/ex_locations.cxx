static char help[] =
  "Locations of entries that come late, differ between matrices or are there in part, compared with MATAIJ.\n\n";

#include <petsc/private/matimpl.h>

#include "core.h"
#include "failure.h"

typedef std::function<bool(PetscInt, PetscInt)> Locations;

static bool All(PetscInt, PetscInt)
{
  return true;
}

/* Three of four, anywhere */
static bool Some(PetscInt i, PetscInt j)
{
  return i == j || PairNumber(i, j, 9) > -0.5;
}

/* The entries of a band that are at the locations; the diagonal is the largest. Not assembled. */
static PetscErrorCode SetBand(Mat A, const Locations &there, PetscInt seed)
{
  PetscInt start, end, N;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(MatGetSize(A, nullptr, &N));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = PetscMax(0, i - 3); j < PetscMin(N, i + 4); j++) {
      const PetscScalar v = PairNumber(i, j, seed) + (i == j ? 10 : 0);
      if (there(i, j)) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, INSERT_VALUES));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same band as MATAIJ and as the type under test, both open to new locations */
static PetscErrorCode Create(MPI_Comm comm, PetscInt bs, const Locations &there, Mat A[2])
{
  Shape s;

  PetscFunctionBeginUser;
  s.bs  = bs;
  s.nbr = s.nbc = 12 / bs;
  for (int k = 0; k < 2; k++) {
    PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, "any_", &A[k]));
    PetscCall(MatSetOption(A[k], MAT_USE_INODES, PETSC_FALSE));
    PetscCall(SetBand(A[k], there, 1));
    PetscCall(Assemble(A[k]));
    PetscCall(MatSetOption(A[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DestroyBoth(Mat A[2])
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A sweep, through MATAIJ for the type under test */
static PetscErrorCode CheckSweep(const Mat A[2], const char what[])
{
  Vec b, x[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(A[k], &x[k], &b));
    PetscCall(VecSet(b, 1));
    PetscCall(MatSOR(A[k], b, 1, (MatSORType)(SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x[k]));
    PetscCall(VecDestroy(&b));
  }
  PetscCall(CheckVec(x[0], x[1], 1e-13, what));
  for (Vec &v : x) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New locations raise the state of the structure, values alone do not, and what goes through MATAIJ knows them */
static PetscErrorCode LatePlaces(MPI_Comm comm, PetscInt bs)
{
  Mat              A[2];
  PetscObjectState state[3];

  PetscFunctionBeginUser;
  PetscCall(Create(comm, bs, Some, A));
  PetscCall(CheckSweep(A, "SOR"));
  PetscCall(MatGetNonzeroState(A[1], &state[0]));
  for (int late = 0; late < 2; late++) {
    for (int k = 0; k < 2; k++) {
      PetscCall(SetBand(A[k], late ? Locations(All) : Locations(Some), 2));
      PetscCall(Assemble(A[k]));
    }
    PetscCall(MatGetNonzeroState(A[1], &state[1 + late]));
    PetscCall(TestSame(A[0], A[1], 1e-13, late ? "new locations" : "new values"));
    PetscCall(CheckSweep(A, late ? "SOR after new locations" : "SOR after new values"));
  }
  PetscCheck(state[0] == state[1] && state[1] < state[2], comm, PETSC_ERR_PLIB,
             "The state of the structure is %d, %d after new values, %d after new locations", (int)state[0], (int)state[1],
             (int)state[2]);
  PetscCall(DestroyBoth(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeroed between two assemblies: the locations stay, and nothing that waited comes back */
static PetscErrorCode ZeroedBetween(MPI_Comm comm)
{
  Mat       A;
  Shape     s;
  MatInfo   info;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(NewMat(comm, s, TestType(), "any_", &A));
  PetscCall(SetBand(A, All, 1));
  PetscCall(Assemble(A, MAT_FLUSH_ASSEMBLY));
  PetscCall(MatZeroEntries(A));
  PetscCall(Assemble(A));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &norm));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCheck(norm == 0 && info.nz_used == 7 * 17 - 12, comm, PETSC_ERR_PLIB, "Zeroed between two assemblies: norm %g, %g entries",
             (double)norm, info.nz_used);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A diagonal that is there in part is completed; a sum has the locations of both */
static PetscErrorCode Parts(MPI_Comm comm, PetscInt bs)
{
  Mat A[2], B[2];

  PetscFunctionBeginUser;
  PetscCall(Create(comm, bs, [](PetscInt i, PetscInt j) { return i != j || i % 2; }, A));
  for (Mat M : {A[0], A[1]}) PetscCall(MatShift(M, 3));
  PetscCall(TestSame(A[0], A[1], 1e-13, "MatShift, half of the diagonal there"));
  PetscCall(DestroyBoth(A));
  PetscCall(Create(comm, bs, All, A));
  PetscCall(Create(comm, bs, Some, B));
  for (int k = 0; k < 2; k++) PetscCall(MatAXPY(B[k], 2, A[k], DIFFERENT_NONZERO_PATTERN));
  PetscCall(TestSame(B[0], B[1], 1e-13, "MatAXPY with more locations in the blocks"));
  PetscCall(DestroyBoth(A));
  PetscCall(DestroyBoth(B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Couplings to other ranks that differ in nothing but which row has which column */
static PetscErrorCode Crossed(MPI_Comm comm)
{
  Mat A[2], B[2];

  PetscFunctionBeginUser;
  PetscCall(Create(comm, 1, [](PetscInt i, PetscInt j) { return i == j; }, A));
  PetscCall(Create(comm, 1, [](PetscInt i, PetscInt j) { return i == j; }, B));
  for (int k = 0; k < 2; k++) {
    for (int cross = 0; cross < 2; cross++) {
      Mat      M = cross ? B[k] : A[k];
      PetscInt start, end, N;
      PetscCall(MatGetOwnershipRange(M, &start, &end));
      PetscCall(MatGetSize(M, nullptr, &N));
      for (PetscInt i = start; i < PetscMin(end, 2); i++)
        PetscCall(MatSetValue(M, i, cross ? N - 1 - i : N - 2 + i, 5 + i, INSERT_VALUES));
      PetscCall(Assemble(M));
    }
    PetscCall(MatAXPY(B[k], 2, A[k], DIFFERENT_NONZERO_PATTERN));
  }
  PetscCall(TestSame(B[0], B[1], 1e-13, "MatAXPY, couplings crossed"));
  PetscCall(DestroyBoth(A));
  PetscCall(DestroyBoth(B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Converted again from a matrix with fewer locations: the others are zero then. A local numbering goes along. */
static PetscErrorCode Again(MPI_Comm comm)
{
  Mat                    A[2], B[2], C;
  ISLocalToGlobalMapping map;
  IS                     rows;
  PetscInt               start, end;

  PetscFunctionBeginUser;
  PetscCall(Create(comm, 1, All, A));
  PetscCall(Create(comm, 1, Some, B));
  PetscCall(MatGetOwnershipRange(A[0], &start, &end));
  PetscCall(ISCreateStride(comm, end - start, start, 1, &rows));
  PetscCall(ISLocalToGlobalMappingCreateIS(rows, &map));
  PetscCall(MatSetLocalToGlobalMapping(A[0], map, map));
  PetscCall(MatSetOptionsPrefix(A[0], "two_"));
  PetscCall(MatConvert(A[0], TestType(), MAT_INITIAL_MATRIX, &C));
  PetscCheck(C->rmap->mapping && C->rmap->bs == (TestIsBDIA() ? 2 : 1), comm, PETSC_ERR_PLIB,
             "A converted matrix with a local numbering has %s and block size %d", C->rmap->mapping ? "it" : "none",
             (int)C->rmap->bs);
  PetscCall(MatConvert(B[0], TestType(), MAT_REUSE_MATRIX, &C));
  PetscCall(TestSame(B[0], C, 1e-13, "converted again with fewer locations", false)); /* C keeps the locations of A, with zeros */
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscCall(ISDestroy(&rows));
  PetscCall(MatDestroy(&C));
  PetscCall(DestroyBoth(A));
  PetscCall(DestroyBoth(B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* COO values given twice to half storage: the second ones stand */
static PetscErrorCode HalfCOO(MPI_Comm comm)
{
  Mat                      A[2];
  Shape                    s;
  PetscInt                 start, end;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, "half_", &A[k]));
    PetscCall(MatGetOwnershipRange(A[k], &start, &end)); /* of a matrix with sizes */
  }
  for (PetscInt m = start; m < end; m++) {
    for (PetscInt c = PetscMax(0, m - 1); c < PetscMin(17, m + 2); c++) {
      i.push_back(m);
      j.push_back(c);
    }
  }
  v.resize(i.size());
  for (Mat M : {A[0], A[1]}) {
    std::vector<PetscInt> rows = i, cols = j;
    PetscCall(MatSetPreallocationCOO(M, (PetscCount)i.size(), rows.data(), cols.data()));
    for (PetscInt seed : {1, 2}) {
      for (size_t k = 0; k < v.size(); k++) v[k] = PairNumber(PetscMin(i[k], j[k]), PetscMax(i[k], j[k]), seed);
      PetscCall(MatSetValuesCOO(M, v.data(), INSERT_VALUES));
    }
  }
  PetscCall(TestSame(A[0], A[1], 1e-13, "COO values twice, half storage"));
  PetscCall(DestroyBoth(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ranks that do not set in the same way, and a vector of another size, are refused */
static PetscErrorCode Refused(MPI_Comm comm)
{
  Mat         A[2];
  Vec         r;
  PetscInt    n, start;
  PetscMPIInt rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(Create(comm, 1, All, A));
  PetscCall(MatGetLocalSize(A[1], nullptr, &n));
  PetscCall(MatGetOwnershipRange(A[1], &start, nullptr));
  PetscCall(VecCreateMPI(comm, n + 1, PETSC_DETERMINE, &r));
  PetscCall(VecSet(r, 1));
  TestFails(PETSC_ERR_ARG_SIZ, MatDiagonalScale(A[1], nullptr, r));
  PetscCall(VecDestroy(&r));
  if (size > 1) {
    PetscCall(MatSetValue(A[1], start, start, 1, rank ? ADD_VALUES : INSERT_VALUES));
    PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "Some ranks inserted values and others added values",
                          [&] { return MatAssemblyBegin(A[1], MAT_FINAL_ASSEMBLY); }));
  }
  PetscCall(DestroyBoth(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a copy to a matrix that refuses new locations, of the type under test and MATAIJ, the rows of the one that was read can
   be had */
static PetscErrorCode RefusedCopy(MPI_Comm comm)
{
  Mat A[2], D[2];

  PetscFunctionBeginUser;
  PetscCall(Create(comm, 1, All, A));
  PetscCall(Create(comm, 1, [](PetscInt i, PetscInt j) { return i == j; }, D));
  for (Mat to : D) {
    PetscCall(MatSetOption(to, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
    TestFails(PETSC_ERR_ARG_OUTOFRANGE, MatCopy(A[1], to, DIFFERENT_NONZERO_PATTERN));
  }
  PetscCall(CheckRows(A[0], A[1], 0, "after a copy that was refused"));
  PetscCall(DestroyBoth(D));
  PetscCall(DestroyBoth(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"any_", "two_", "half_"}));
  PetscCall(PetscOptionsInsertString(nullptr, "-two_mat_bdia_bs 2 -half_mat_bdia_half"));
  for (PetscInt bs : {1, 2}) {
    PetscCall(LatePlaces(PETSC_COMM_WORLD, bs));
    PetscCall(Parts(PETSC_COMM_WORLD, bs));
  }
  PetscCall(ZeroedBetween(PETSC_COMM_WORLD));
  PetscCall(Crossed(PETSC_COMM_WORLD));
  PetscCall(Again(PETSC_COMM_WORLD));
  PetscCall(HalfCOO(PETSC_COMM_WORLD));
  PetscCall(Refused(PETSC_COMM_WORLD));
  PetscCall(RefusedCopy(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}
