static char help[] = "MATAIJ made under -mat_seqaij_type seqaijbdia must serve wherever plain MATAIJ does.\n\n";

#include "seqaijbdia.h"
#include "view.h"

#include <petscdmda.h>

#include <cstdlib>

/* A product of matrices with the same in plain aij */
static PetscErrorCode TestMatProducts(Mat A, Mat O)
{
  Mat C, D, T;

  PetscFunctionBeginUser;
  PetscCall(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatMatMult(O, O, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &D));
  PetscCall(Products(C, D, "A A"));
  PetscCall(MatScale(A, 2));
  PetscCall(MatScale(O, 2));
  PetscCall(MatMatMult(A, A, MAT_REUSE_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatMatMult(O, O, MAT_REUSE_MATRIX, PETSC_DETERMINE, &D));
  PetscCall(Products(C, D, "A A again"));
  for (Mat *M : {&C, &D}) PetscCall(MatDestroy(M));
  PetscCall(MatConvert(O, MATDENSE, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatMatMult(A, T, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatMatMult(O, T, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &D));
  PetscCall(Products(C, D, "aij times dense"));
  for (Mat *M : {&C, &D, &T}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Transposes inside and out. PETSc's transpose of a plain seqaij relies on MATSEQAIJ being plain: the oracle's is made without
   the option. */
static PetscErrorCode TestTransposes(Mat A, Mat O)
{
  Mat T, S, C;

  PetscFunctionBeginUser;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatPtAP(A, A, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_seqaij_type"));
  PetscCall(MatTranspose(O, MAT_INITIAL_MATRIX, &S));
  PetscCall(Products(T, S, "transpose"));
  PetscCall(MatScale(A, 3));
  PetscCall(MatScale(O, 3));
  PetscCall(MatTranspose(A, MAT_REUSE_MATRIX, &T));
  PetscCall(MatTranspose(O, MAT_REUSE_MATRIX, &S));
  PetscCall(Products(T, S, "transpose again"));
  PetscCall(MatDestroy(&T));
  PetscCall(MatDestroy(&S));
  PetscCall(MatPtAP(A, A, MAT_REUSE_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatPtAP(O, O, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &S));
  PetscCall(MatPtAP(A, O, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &T));
  PetscCall(Products(C, S, "PtAP"));
  PetscCall(Products(T, S, "PtAP, one of each"));
  for (Mat *M : {&C, &T, &S}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies and other types */
static PetscErrorCode TestConversions(Mat A, Mat O)
{
  PetscMPIInt size;
  Mat         B;
  PetscBool   plain;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(Products(B, O, "duplicate"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDuplicate(A, MAT_SHARE_NONZERO_PATTERN, &B));
  PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
  PetscCall(Products(B, O, "duplicate and copy"));
  PetscCall(MatCopy(O, B, DIFFERENT_NONZERO_PATTERN));
  PetscCall(Products(B, O, "copy of plain aij"));
  PetscCall(MatDestroy(&B));
  for (MatType type : {MATBAIJ, MATDENSE, MATAIJ}) {
    PetscCall(MatConvert(A, type, MAT_INITIAL_MATRIX, &B));
    PetscCall(Products(B, O, std::string("conversion to ") + type));
    PetscCall(MatDestroy(&B));
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(PetscObjectTypeCompare((PetscObject)B, MATSEQAIJ, &plain));
  PetscCheck(plain, PETSC_COMM_SELF, PETSC_ERR_PLIB, "MatConvert() to seqaij gave another type");
  PetscCall(Products(B, O, "conversion to seqaij"));
  PetscCall(MatConvert(B, "seqaijbdia", MAT_INPLACE_MATRIX, &B));
  PetscCall(PetscObjectTypeCompare((PetscObject)B, "seqaijbdia", &plain));
  PetscCheck(plain, PETSC_COMM_SELF, PETSC_ERR_PLIB, "MatConvert() to seqaijbdia gave another type");
  PetscCall(Products(B, O, "conversion back"));
  PetscCall(MatConvert(A, MATSEQAIJ, MAT_REUSE_MATRIX, &B));
  PetscCall(MatConvert(B, MATSEQAIJ, MAT_INPLACE_MATRIX, &B));
  PetscCall(Products(B, O, "conversion in place"));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every second row and column, by each rank's own */
static PetscErrorCode TestSubmatrices(Mat A, Mat O)
{
  PetscInt start, end;
  IS       is;
  Mat      B, P;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end - start) / 2, start, 2, &is));
  PetscCall(MatCreateSubMatrix(A, is, is, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatCreateSubMatrix(O, is, is, MAT_INITIAL_MATRIX, &P));
  PetscCall(Products(B, P, "submatrix"));
  PetscCall(MatScale(A, -1));
  PetscCall(MatScale(O, -1));
  PetscCall(MatCreateSubMatrix(A, is, is, MAT_REUSE_MATRIX, &B));
  PetscCall(MatCreateSubMatrix(O, is, is, MAT_REUSE_MATRIX, &P));
  PetscCall(Products(B, P, "submatrix again"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&P));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSolvers(Mat A, Mat O)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (const char *pc : {"jacobi", "pbjacobi", "sor", "bjacobi", "asm", "gamg", "lu", "ilu", "redundant"}) {
    const bool sequential = pc == std::string("lu") || pc == std::string("ilu");
    PetscInt   its[2];

    if (sequential && size > 1) continue;
    for (Mat M : {A, O}) {
      KSP ksp;
      PC  p;
      Vec x, b;
      PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
      PetscCall(KSPSetOperators(ksp, M, M));
      PetscCall(KSPSetType(ksp, KSPGMRES));
      PetscCall(KSPGetPC(ksp, &p));
      PetscCall(PCSetType(p, pc));
      PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
      PetscCall(MatCreateVecs(M, &x, &b));
      PetscCall(VecSet(b, 1));
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetIterationNumber(ksp, &its[M == O]));
      PetscCall(VecDestroy(&x));
      PetscCall(VecDestroy(&b));
      PetscCall(KSPDestroy(&ksp));
    }
    PetscCheck(its[0] == its[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: %" PetscInt_FMT " iterations, plain aij takes %" PetscInt_FMT, pc, its[0], its[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What MatView() says of the products, one rank */
static PetscErrorCode CheckView(Mat A, const char want[])
{
  std::string text;

  PetscFunctionBeginUser;
  PetscCall(TakeView((PetscObject)A, PETSC_VIEWER_ASCII_INFO_DETAIL, &text));
  PetscCheck(text.find(want) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the view lacks \"%s\":\n%s", want,
             text.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrices that fit and matrices that do not, one rank; Q is an interpolation */
static PetscErrorCode TestViews(void)
{
  Subtype subtype;
  DM      fine, coarse;
  Mat     A, B, Q;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate2d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 9, 9, 1, 1, 3, 1, nullptr,
                         nullptr, &fine));
  PetscCall(DMSetUp(fine));
  PetscCall(DMCreateMatrix(fine, &A));
  PetscCall(CheckView(A, "products through block diagonals: block size 3, 5 block offsets: -9 -1 0 1 9, fill 1.04"));
  PetscCall(CheckView(A, "block offsets: -9 -1 0 1 9"));
  PetscCall(DMCoarsen(fine, PETSC_COMM_SELF, &coarse));
  PetscCall(DMCreateInterpolation(coarse, fine, &Q, nullptr));
  PetscCall(CheckView(Q, "products through compressed rows: "));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_bdia_max_offsets", "4"));
  PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatConvert(B, "seqaijbdia", MAT_INPLACE_MATRIX, &B));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_bdia_max_offsets"));
  PetscCall(CheckView(B, "more than -mat_bdia_max_offsets 4"));
  PetscCall(Products(B, A, "kept rows"));
  PetscCall(MatZeroEntries(A));
  PetscCall(CheckView(A, "5 block offsets"));
  for (Mat *M : {&A, &B, &Q}) PetscCall(MatDestroy(M));
  PetscCall(DMDestroy(&fine));
  PetscCall(DMDestroy(&coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How often block diagonals multiplied */
static PetscErrorCode Count(int *count)
{
  PetscLogEvent      event;
  PetscEventPerfInfo info;

  PetscFunctionBeginUser;
  *count = 0;
  for (const char *name : {"HeptaBDIAMult", "HeptaBDIAMultTr"}) {
    PetscCall(PetscLogEventGetId(name, &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    *count += info.count;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt bs : {1, 2, 3, 7, 13}) {
    Mat A, O;
    int before, after;

    PetscCall(Create(bs, 40, &O));
    Subtype subtype; /* from here on, whatever PETSc makes inside is of the type too */
    PetscCall(Create(bs, 40, &A));
    PetscCall(Count(&before));
    PetscCall(Products(A, O, "block size " + std::to_string(bs)));
    PetscCall(Count(&after));
    PetscCheck(after >= before + 5, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%d products through block diagonals, expected 5",
               after - before);
    PetscCall(TestConversions(A, O));
    PetscCall(TestSubmatrices(A, O));
    PetscCall(TestSolvers(A, O));
    PetscCall(TestMatProducts(A, O));
    PetscCall(TestTransposes(A, O));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&O));
  }
  if (size == 1) PetscCall(TestViews());
  PetscCall(PetscFinalize());
  return 0;
}
