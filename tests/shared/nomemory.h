/* For ex_nomemory: a small matrix with vectors, and operations that it goes through */
#pragma once

#include <petscksp.h>

#include <hepta.h>

#include <functional>

/* What a step works on and makes; all is destroyed afterwards, whatever the step did */
struct Run {
  const char *type = nullptr;
  Mat         A = nullptr, aij = nullptr, B = nullptr;
  Vec         x = nullptr, y = nullptr;
  KSP         ksp     = nullptr;
  IS          is[2]   = {nullptr, nullptr};
  PetscViewer nowhere = nullptr;
};

struct Step {
  const char                          *name;
  const char                          *only;      /* for types that begin so; null: all */
  bool                                 allocates; /* by C++, in every type */
  std::function<PetscErrorCode(Run &)> call;
};

/* Locations that are few, and one block far off */
static PetscErrorCode SetEntries(Mat A, PetscScalar far)
{
  const PetscInt n = 24;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j : {i - 6, i - 1, i, i + 1, i + 6}) {
      const PetscScalar v = i == j ? 5 : -1;
      if (j >= 0 && j < n) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, INSERT_VALUES));
    }
  }
  if (far != 0) PetscCall(MatSetValue(A, 2, n - 2, far, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewMatrix(const char type[], PetscScalar far, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, 24, 24, 24, 24));
  PetscCall(MatSetBlockSize(*A, 2));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(SetEntries(*A, far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunCreate(const char type[], Run *run)
{
  PetscFunctionBegin;
  run->type = type;
  PetscCall(NewMatrix(type, 0, &run->A));
  PetscCall(NewMatrix(MATSEQAIJ, 0.25, &run->aij));
  PetscCall(MatCreateVecs(run->A, &run->x, &run->y));
  PetscCall(VecSet(run->x, 1));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "/dev/null", &run->nowhere));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunDestroy(Run *run)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&run->ksp));
  for (Mat *A : {&run->B, &run->aij, &run->A}) PetscCall(MatDestroy(A));
  for (Vec *v : {&run->x, &run->y}) PetscCall(VecDestroy(v));
  for (IS &is : run->is) PetscCall(ISDestroy(&is));
  PetscCall(PetscViewerDestroy(&run->nowhere));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with a preconditioner given by its options, and views it */
static PetscErrorCode Solve(Run &run, const char pc[], const char options[])
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(nullptr, options));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &run.ksp));
  PetscCall(KSPSetOperators(run.ksp, run.A, run.A));
  PC p;
  PetscCall(KSPGetPC(run.ksp, &p));
  PetscCall(PCSetType(p, pc));
  PetscCall(KSPSetFromOptions(run.ksp));
  PetscCall(KSPSolve(run.ksp, run.x, run.y));
  PetscCall(MatScale(run.A, 2)); /* new values */
  PetscCall(KSPSolve(run.ksp, run.x, run.y));
  PetscCall(KSPView(run.ksp, run.nowhere));
  PetscCall(PCReset(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSetAndCOO(Run &run)
{
  PetscInt    i[] = {0, 0, 5, 5, 23}, j[] = {0, 9, 5, 5, 1};
  PetscScalar v[] = {1, 2, 3, 4, 5};

  PetscFunctionBegin;
  PetscCall(NewMatrix(run.type, 0.5, &run.B));
  PetscCall(MatSetOption(run.B, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetValue(run.B, 20, 3, 1, ADD_VALUES));
  PetscCall(MatAssemblyBegin(run.B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(run.B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDestroy(&run.B));
  PetscCall(MatCreate(PETSC_COMM_SELF, &run.B));
  PetscCall(MatSetSizes(run.B, 24, 24, 24, 24));
  PetscCall(MatSetType(run.B, run.type));
  PetscCall(MatSetFromOptions(run.B));
  PetscCall(MatSetPreallocationCOO(run.B, 5, i, j));
  PetscCall(MatSetValuesCOO(run.B, v, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Products(Run &run)
{
  PetscFunctionBegin;
  PetscCall(MatMult(run.A, run.x, run.y));
  PetscCall(MatMultAdd(run.A, run.x, run.y, run.y));
  PetscCall(MatMultTranspose(run.A, run.x, run.y));
  PetscCall(MatMultTransposeAdd(run.A, run.x, run.y, run.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Values(Run &run)
{
  PetscReal          norm;
  PetscInt           n, rows[] = {3, 8}, col = 4;
  const PetscInt    *cols;
  const PetscScalar *v;
  PetscScalar        one;

  PetscFunctionBegin;
  PetscCall(MatScale(run.A, 2));
  PetscCall(MatShift(run.A, 1));
  PetscCall(MatGetDiagonal(run.A, run.y));
  PetscCall(MatDiagonalSet(run.A, run.y, ADD_VALUES));
  PetscCall(MatDiagonalScale(run.A, run.x, run.x));
  for (NormType type : {NORM_1, NORM_FROBENIUS, NORM_INFINITY}) PetscCall(MatNorm(run.A, type, &norm));
  PetscCall(MatGetRow(run.A, 2, &n, &cols, &v));
  PetscCall(MatRestoreRow(run.A, 2, &n, &cols, &v));
  PetscCall(MatGetValues(run.A, 1, rows, 1, &col, &one));
  PetscCall(MatZeroRows(run.A, 2, rows, 1, run.x, run.y));
  PetscCall(MatZeroRowsColumns(run.A, 2, rows, 1, run.x, run.y));
  PetscCall(MatZeroEntries(run.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode View(Run &run)
{
  PetscFunctionBegin;
  for (PetscViewerFormat format :
       {PETSC_VIEWER_DEFAULT, PETSC_VIEWER_ASCII_INFO, PETSC_VIEWER_ASCII_INFO_DETAIL, PETSC_VIEWER_ASCII_MATLAB}) {
    PetscCall(PetscViewerPushFormat(run.nowhere, format));
    PetscCall(MatView(run.A, run.nowhere));
    PetscCall(PetscViewerPopFormat(run.nowhere));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coloring(Run &run)
{
  MatColoring   coloring;
  ISColoring    colors;
  MatFDColoring fd;

  PetscFunctionBegin;
  PetscCall(MatColoringCreate(run.A, &coloring));
  PetscCall(MatColoringSetType(coloring, MATCOLORINGSL));
  PetscCall(MatColoringApply(coloring, &colors));
  PetscCall(MatFDColoringCreate(run.A, colors, &fd));
  PetscCall(MatFDColoringSetUp(run.A, colors, fd));
  PetscCall(MatFDColoringDestroy(&fd));
  PetscCall(ISColoringDestroy(&colors));
  PetscCall(MatColoringDestroy(&coloring));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Dense(Run &run)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, 24, 3, nullptr, &run.B));
  PetscCall(MatSetRandom(run.B, nullptr));
  Mat C;
  PetscCall(MatMatMult(run.A, run.B, MAT_INITIAL_MATRIX, 1, &C));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Change(Run &run)
{
  PetscFunctionBegin;
  PetscCall(NewMatrix(run.type, 0.5, &run.B));
  PetscCall(MatAXPY(run.A, 2, run.B, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatCopy(run.B, run.A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatTranspose(run.B, MAT_INPLACE_MATRIX, &run.B));
  PetscCall(MatDestroy(&run.B));
  PetscCall(MatTranspose(run.A, MAT_INITIAL_MATRIX, &run.B));
  PetscCall(SetEntries(run.A, 0.75)); /* new locations */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Convert(Run &run)
{
  PetscFunctionBegin;
  PetscCall(MatConvert(run.A, MATSEQAIJ, MAT_INITIAL_MATRIX, &run.B));
  PetscCall(MatDestroy(&run.B));
  PetscCall(MatConvert(run.aij, run.type, MAT_INITIAL_MATRIX, &run.B));
  PetscCall(MatDestroy(&run.B));
  PetscCall(MatDuplicate(run.A, MAT_COPY_VALUES, &run.B));
  PetscCall(MatConvert(run.aij, run.type, MAT_INPLACE_MATRIX, &run.aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Analyses(Run &run)
{
  PetscInt levels, blocks, ell;

  PetscFunctionBegin;
  PetscCall(HeptaMatGetLevels(run.A, PETSC_TRUE, &levels, &blocks, &ell, nullptr));
  PetscCall(HeptaMatGetBalancedRows(run.A, 0, &run.is[0]));
  PetscCall(ISDestroy(&run.is[0]));
  for (const char *type : {MATORDERINGLEVEL, MATORDERINGBLOCKDENSITY}) {
    PetscCall(MatGetOrdering(run.A, type, &run.is[0], &run.is[1]));
    for (IS &is : run.is) PetscCall(ISDestroy(&is));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Labels(Run &run)
{
  PC p;

  PetscFunctionBegin;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, 12, 0, 0, &run.is[0]));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &run.ksp));
  PetscCall(KSPSetOperators(run.ksp, run.A, run.A));
  PetscCall(KSPGetPC(run.ksp, &p));
  PetscCall(PCSetType(p, PCSUBDEFLATION));
  PetscCall(PCSubdeflationSetLabels(p, run.is[0]));
  PetscCall(KSPSetUp(run.ksp));
  PetscCall(PCSubdeflationSetVectors(p, 1, &run.x));
  PetscCall(PCSubdeflationSetType(p, HEPTA_SUBDEFLATION_VECTORS));
  PetscCall(KSPSolve(run.ksp, run.x, run.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline std::vector<Step> Steps()
{
  const auto with = [](const char *pc, const char *options) { return [=](Run &run) { return Solve(run, pc, options); }; };

  return {
    {"entries", nullptr, true, CreateSetAndCOO},
    {"products", nullptr, false, Products},
    {"values", nullptr, false, Values},
    {"dense", nullptr, false, Dense},
    {"change", nullptr, true, Change},
    {"conversion", nullptr, true, Convert},
    {"views", nullptr, false, View},
    {"coloring", "seqb", true, Coloring},
    {"analyses", nullptr, true, Analyses},
    {"ilu", nullptr, true, with(PCILU, "-pc_factor_mat_solver_type bbs")},
    {"lu", "seqb", true, with(PCLU, "-pc_factor_mat_solver_type petsc")},
    {"sor", "seqb", true, with(PCSOR, "")},
    {"bbs", nullptr, true, with(PCBBS, "-ksp_type preonly -pc_bbs_triangle both")},
    {"ip", nullptr, true, with(PCIP, "-ksp_type cg")},
    {"blockic", nullptr, true, with(PCBLOCKIC, "")},
    {"subdeflation", nullptr, true, with(PCSUBDEFLATION, "-pc_subdeflation_type stripes -pc_subdeflation_count 3")},
    {"labels", nullptr, true, Labels},
  };
}
