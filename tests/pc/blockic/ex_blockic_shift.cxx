static char help[] = "PC blockic against PETSc's icc and ilu; pivots that fail, shifts, errors, and what the view says.\n\n";

#include "blockic_dense.h"

#include <limits>

#include "pivots.h"

static PetscErrorCode FivePoint(MatType type, PetscInt J, PetscInt H, PetscScalar diagonal, PetscScalar skew, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_WORLD, type, FivePoint(J, H, diagonal, skew), A));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, skew == 1. ? PETSC_TRUE : PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `copies` times on each rank */
static PetscErrorCode Kershaw(PetscInt copies, Mat *A)
{
  PetscInt start;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, 4 * copies, 4 * copies, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, TestType()));
  PetscCall(MatGetOwnershipRange(*A, &start, nullptr));
  for (PetscInt k = 0; k < 16 * copies; k++) {
    const PetscInt first = start + k / 16 * 4, r = k % 16 / 4, s = k % 4;
    if (kershaw[r][s] != 0.) PetscCall(MatSetValue(*A, first + r, first + s, kershaw[r][s], INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves A x = b, with the true residual checked */
static PetscErrorCode Solve(Mat A, const std::string &options, PetscInt *its, KSP *ksp)
{
  Vec       x, b, r;
  PetscReal norm, full;
  PetscInt  start, end;

  PetscFunctionBegin;
  PetscCall(SetOptions(options));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(*ksp, 1e-9, PETSC_CURRENT, PETSC_CURRENT, 1000));
  PetscCall(KSPSetErrorIfNotConverged(*ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecGetOwnershipRange(b, &start, &end));
  for (PetscInt i = start; i < end; i++) PetscCall(VecSetValue(b, i, PairNumber(i, 1, 3), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(KSPSolve(*ksp, b, x));
  PetscCall(KSPGetIterationNumber(*ksp, its));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAXPY(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(b, NORM_2, &full));
  PetscCheck(norm <= 1e-8 * full, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: residual %g", options.c_str(), (double)(norm / full));
  for (Vec *v : {&x, &b, &r}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One block is PETSc's factorization: the same vectors, the same iterations, also after a shift */
static PetscErrorCode AsPETSc(PetscScalar diagonal, PetscScalar skew, const std::string &theirs, const std::string &ours,
                              bool solves)
{
  const std::string method     = skew == 1. ? "-ksp_type cg " : "-ksp_type gmres ";
  const std::string options[2] = {"-pc_type " + theirs, "-pc_type blockic -pc_blockic_blocks rows -pc_blockic_size 2000 " + ours};
  PetscInt          its[2];
  Mat               A[2];
  KSP               ksp[2];
  PC                pc[2];
  Vec               x[2], y[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(FivePoint(k ? TestType() : MATAIJ, 37, 31, diagonal, skew, &A[k]));
    if (solves) {
      PetscCall(Solve(A[k], method + options[k], &its[k], &ksp[k]));
      PetscCall(KSPGetPC(ksp[k], &pc[k]));
      continue;
    }
    PetscCall(SetOptions(options[k]));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp[k]));
    PetscCall(KSPGetPC(ksp[k], &pc[k]));
    PetscCall(PCSetOperators(pc[k], A[k], A[k]));
    PetscCall(PCSetFromOptions(pc[k]));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(A[k], &x[k], &y[k]));
    for (PetscInt i = 0; i < 37 * 31; i++) PetscCall(VecSetValue(x[k], i, PairNumber(i, 2, 3), INSERT_VALUES));
    PetscCall(PCApply(pc[k], x[k], y[k]));
  }
  PetscCall(CheckVec(y[0], y[1], solves ? 1e-12 : 1e-10, (theirs + " and " + ours).c_str()));
  PetscCheck(!solves || its[0] == its[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %d iterations instead of %d", theirs.c_str(),
             (int)its[1], (int)its[0]);
  for (int k = 0; k < 2; k++) PetscCall(Destroy(&x[k], &y[k], &ksp[k], &A[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Larger blocks, fewer iterations */
static PetscErrorCode Blocks(void)
{
  PetscInt its, last = PETSC_INT_MAX;
  Mat      A;
  KSP      ksp;

  PetscFunctionBegin;
  PetscCall(FivePoint(TestType(), 64, 64, 4, 1, &A));
  for (const char *size : {"2", "4", "8"}) {
    PetscCall(Solve(A, std::string("-ksp_type cg -pc_type blockic -pc_blockic_grid 64,64 -pc_blockic_size ") + size, &its, &ksp));
    PetscCheck(its < last, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s lines a block: %d iterations, %d before", size, (int)its,
               (int)last);
    last = its;
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shifts(void)
{
  const char *const cases[][2] = {
    {"", "shift POSITIVE_DEFINITE: "},
    {"-pc_blockic_shift_type positive_definite", "added to the diagonal, after"},
    {"-pc_blockic_shift_type nonzero", "shift NONZERO: "},
    {"-pc_blockic_shift_type nonzero -pc_blockic_shift_amount 2", " added to the diagonal, after 2 attempts"},
    {"-pc_blockic_shift_type inblocks -pc_blockic_shift_amount 1", "shift INBLOCKS: 1"},
  };
  PetscMPIInt rank;
  PetscInt    its;
  Mat         A;
  KSP         ksp;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(Kershaw(rank ? 5 : 3, &A));
  for (const auto &c : cases) {
    PetscCall(Solve(A, std::string("-ksp_type cg -pc_type blockic ") + c[0], &its, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(CheckView(pc, {c[1], "IC(0) of "}));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The setters choose as the options do, and the next set-up starts anew */
static PetscErrorCode Setters(void)
{
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(Kershaw(4, &A));
  PetscCall(NewPC(A, "-pc_type blockic -pc_blockic_blocks rows", &pc));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONZERO));
  PetscCall(PCFactorSetShiftAmount(pc, 2));
  PetscCall(PCBlockICSetBlocks(pc, HEPTA_BLOCKIC_ROWS, 8));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckView(pc, {" added to the diagonal, after 2 attempts", "(rows): 8 block rows"}));
  PetscCall(
    ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "the amount -2. must be positive", [&] { return PCFactorSetShiftAmount(pc, -2); }));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "the size 0 must be positive",
                        [&] { return PCBlockICSetBlocks(pc, HEPTA_BLOCKIC_ROWS, 0); }));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "9 is no HeptaBlockICBlocks",
                        [&] { return PCBlockICSetBlocks(pc, (HeptaBlockICBlocks)9, 2); }));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What couples one block of `rows` rows to another counts for nothing, in the shift neither */
static PetscErrorCode Apart(PetscInt rows, PetscErrorCode (*create)(Mat *))
{
  Mat       A;
  PC        pc;
  Vec       x, y[2];
  PetscInt  start, end;
  PetscReal difference;

  PetscFunctionBegin;
  for (int coupled = 0; coupled < 2; coupled++) {
    PetscCall(create(&A));
    PetscCall(MatGetOwnershipRange(A, &start, &end));
    for (PetscInt i = start + rows - 1; i < end - 1 && coupled; i += rows) {
      for (PetscInt k = 0; k < 2; k++) PetscCall(MatSetValue(A, i + k, i + 1 - k, 5, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(
      SetOptions("-pc_blockic_blocks rows -pc_blockic_shift_type positive_definite -pc_blockic_size " + std::to_string(rows)));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetType(pc, PCBLOCKIC));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(MatCreateVecs(A, &x, &y[coupled]));
    PetscCall(VecSet(x, 1));
    PetscCall(PCApply(pc, x, y[coupled]));
    PetscCall(VecDestroy(&x));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(VecAXPY(y[0], -1, y[1]));
  PetscCall(VecNorm(y[0], NORM_2, &difference));
  PetscCheck(difference == 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Couplings of blocks change an application by %g",
             (double)difference);
  for (Vec &v : y) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks that are solved by levels, and lines of a grid, which are solved by scans */
static PetscErrorCode Apart(void)
{
  PetscFunctionBegin;
  PetscCall(Apart(4, [](Mat *A) { return Kershaw(3, A); }));
  PetscCall(Apart(74, [](Mat *A) { return FivePoint(TestType(), 37, 24, 2.5, 1, A); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Setting up must fail */
static PetscErrorCode Fails(Mat A, const char options[], PetscErrorCode code, const std::string &words)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(SetOptions(options));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCBLOCKIC));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(ExpectError(code, words, [&] {
    const PetscErrorCode ierr = PCSetFromOptions(pc);
    return ierr ? ierr : PCSetUp(pc);
  }));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a grid whose lines have J cells: 40 are enough for scans */
static PetscErrorCode BadPivots(PetscInt J)
{
  PetscMPIInt size;
  PetscInt    first, N;
  Mat         A;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(FivePoint(TestType(), J, 15, 4, 0.5, &A));
  PetscCall(MatGetSize(A, &N, nullptr));
  first = size > 1 ? N - N / size : 0; /* the last rank's first row, when all have as many */
  for (PetscReal tiny : {0., 1e-15}) { /* against the rest of its row */
    if (N % size) break;
    PetscCall(MatSetValue(A, first, first, tiny, INSERT_VALUES));
    /* a scan must see it, too, not a factor too large for scans */
    for (PetscInt k = 0; k < 2; k++) PetscCall(MatSetValue(A, first + k, first + 1 - k, 0, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(Fails(A, "", PETSC_ERR_MAT_LU_ZRPVT, "in row " + std::to_string(first) + ";"));
  }
  PetscCall(MatSetValue(A, 21, 20, std::numeric_limits<PetscReal>::infinity(), INSERT_VALUES));
  PetscCall(MatSetValue(A, first, first, 4, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Fails(A, "", PETSC_ERR_FP, "row 21 "));
  PetscCall(Fails(A, "-pc_blockic_shift_type inblocks", PETSC_ERR_FP, "row 21 "));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor beyond single precision, in lines of J cells, for the cell of the line before; double precision holds the factor */
static PetscErrorCode Overflow(PetscInt J)
{
  Mat A;
  PC  pc;

  PetscFunctionBegin;
  if (PetscDefined(USE_REAL_SINGLE)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FivePoint(TestType(), J, 15, 4, 0.5, &A));
  PetscCall(MatSetValue(A, J + 5, 5, 1e60, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  for (const std::string &words :
       {"row " + std::to_string(J + 5) + " of the factors", std::string("(-pc_blockic_storage double")})
    PetscCall(Fails(A, "-pc_blockic_storage single", PETSC_ERR_FP, words));
  PetscCall(NewPC(A, "-pc_type blockic -pc_blockic_storage double", &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Errors(void)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(Kershaw(3, &A));
  PetscCall(Fails(A, "-pc_blockic_shift_type none", PETSC_ERR_MAT_CH_ZRPVT, "in row 3;"));
  PetscCall(Fails(A, "-pc_blockic_blocks lines", PETSC_ERR_ARG_WRONGSTATE, "-pc_blockic_grid"));
  PetscCall(Fails(A, "-pc_blockic_blocks boxes", PETSC_ERR_ARG_WRONGSTATE, "-pc_blockic_grid"));
  PetscCall(Fails(A, "-pc_blockic_size 0", PETSC_ERR_ARG_OUTOFRANGE, "-pc_blockic_size"));
  PetscCall(Fails(A, "-pc_blockic_grid 7,5", PETSC_ERR_ARG_SIZ, "-pc_blockic_grid"));
  PetscCall(Fails(A, "-pc_blockic_grid 7,-5", PETSC_ERR_ARG_OUTOFRANGE, "-pc_blockic_grid"));
  PetscCall(MatDestroy(&A));

  for (PetscInt cells : {20, 40}) {
    PetscCall(BadPivots(cells));
    PetscCall(Overflow(cells));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) {
    PetscCall(AsPETSc(4, 1, "icc", "", true));
    PetscCall(AsPETSc(4, 0.5, "ilu", "", true));
    PetscCall(AsPETSc(2.5, 1, "icc", "", false));
    PetscCall(
      AsPETSc(2.5, 0.9, "ilu -pc_factor_shift_type positive_definite", "-pc_blockic_shift_type positive_definite", false));
    PetscCall(AsPETSc(0, 0.5, "ilu -pc_factor_shift_type nonzero -pc_factor_shift_amount 4",
                      "-pc_blockic_shift_type nonzero -pc_blockic_shift_amount 4", false));
    PetscCall(AsPETSc(0, 0.5, "ilu -pc_factor_shift_type inblocks -pc_factor_shift_amount 4",
                      "-pc_blockic_shift_type inblocks -pc_blockic_shift_amount 4", false));
  }
  PetscCall(Blocks());
  PetscCall(Shifts());
  PetscCall(Setters());
  PetscCall(Apart());
  PetscCall(Errors());
  PetscCall(PetscFinalize());
  return 0;
}
