static char help[] = "Solvers kept over changes in place: conversions, transposes, sums and replaced headers. A solve then is "
                     "that of a new solver, or an error in words.\n\n";

#include "failure.h"
#include "pair.h"

/* Rows with a diagonal entry and couplings at distance d and, but for every third row, 2 d; not symmetric */
static PetscErrorCode Create(MatType type, PetscInt d, Mat *A)
{
  const PetscInt n = 24;
  PetscInt       start, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatSetValue(*A, i, i, 4 + i * 0.1, INSERT_VALUES));
    if (i + d >= 0 && i + d < n) PetscCall(MatSetValue(*A, i, i + d, -1 - i * 0.05, INSERT_VALUES));
    if (i + 2 * d >= 0 && i + 2 * d < n && i % 3) PetscCall(MatSetValue(*A, i, i + 2 * d, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Changes A in place; `to` names a type for convert and sums */
static PetscErrorCode Change(const std::string &change, MatType to, Mat *A)
{
  Mat B;

  PetscFunctionBeginUser;
  if (change == "transpose") PetscCall(MatTranspose(*A, MAT_INPLACE_MATRIX, A));
  else if (change == "convert") PetscCall(MatConvert(*A, to, MAT_INPLACE_MATRIX, A));
  else if (change == "sum") {
    PetscCall(Create(to, -2, &B));
    PetscCall(MatAXPY(*A, 0.5, B, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&B));
  } else { /* entries elsewhere under the nonzero state of A */
    PetscCall(Create(to, -2, &B));
    PetscCall(MatHeaderReplace(*A, &B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual of what the KSP takes for the solution */
static PetscErrorCode Solve(KSP ksp, Mat A, PetscReal *residual)
{
  Vec x, b, r;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecSet(b, 1));
  const PetscErrorCode code = KSPSolve(ksp, b, x);
  if (!code) {
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAXPY(r, -1, b));
    PetscCall(VecNorm(r, NORM_2, residual));
  }
  for (Vec *v : {&x, &b, &r}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(code);
}

static PetscErrorCode NewKSP(Mat A, const char pc_type[], KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetTolerances(*ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(KSPSetType(*ksp, KSPGMRES));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, pc_type));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many iterations as a new solver takes, and right; replaced headers may be refused by a factor, in these words */
static PetscErrorCode Kept(MatType type, const std::string &change, MatType to, const char pc_type[])
{
  const std::string what = std::string(type) + ", " + change + " " + to + ", " + pc_type;
  KSP               ksp, other;
  Mat               A;
  PetscReal         residual = 1;
  PetscInt          its[2];
  std::string       message;

  PetscFunctionBeginUser;
  PetscCall(Create(type, 3, &A));
  PetscCall(NewKSP(A, pc_type, &ksp));
  PetscCall(Solve(ksp, A, &residual));
  PetscCheck(residual < 1e-8, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: residual %g before", what.c_str(), (double)residual);
  PetscCall(Change(change, to, &A));
  PetscCall(PetscPushErrorHandler(KeepMessage, &message));
  const PetscErrorCode code = Solve(ksp, A, &residual);
  PetscCall(PetscPopErrorHandler());
  const bool refused = code == PETSC_ERR_ARG_WRONGSTATE && change == "replace" && message.find("made for") != std::string::npos;
  PetscCheck(!code || refused, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: error %d \"%s\"", what.c_str(), (int)code, message.c_str());
  if (!code) {
    PetscCall(KSPGetIterationNumber(ksp, &its[0]));
    PetscCheck(residual < 1e-8, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: residual %g", what.c_str(), (double)residual);
    PetscCall(NewKSP(A, pc_type, &other));
    PetscCall(Solve(other, A, &residual));
    PetscCall(KSPGetIterationNumber(other, &its[1]));
    PetscCall(KSPDestroy(&other));
    PetscCheck(its[0] == its[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: %" PetscInt_FMT " iterations, a new solver takes %" PetscInt_FMT, what.c_str(), its[0], its[1]);
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor made for a matrix that has another type or other entries since refuses it */
static PetscErrorCode Refused(MatType type, MatSolverType solver, MatFactorType kind)
{
  Mat           A, F;
  MatFactorInfo info;
  IS            row, col;

  PetscFunctionBeginUser;
  for (const char *change : {"convert", "transpose"}) {
    PetscCall(Create(type, 3, &A));
    PetscCall(MatGetFactor(A, solver, kind, &F));
    PetscCall(MatFactorInfoInitialize(&info));
    info.fill = 5;
    PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &row, &col));
    if (kind == MAT_FACTOR_LU) PetscCall(MatLUFactorSymbolic(F, A, row, col, &info));
    else PetscCall(MatILUFactorSymbolic(F, A, row, col, &info));
    PetscCall(MatLUFactorNumeric(F, A, &info));
    PetscCall(Change(change, MATAIJ, &A));
    PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "made for", [&] { return MatLUFactorNumeric(F, A, &info); }));
    for (IS *is : {&row, &col}) PetscCall(ISDestroy(is));
    PetscCall(MatDestroy(&F));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  std::vector<MatType>      types = {MATBDIA, MATBROW};
  std::vector<const char *> pcs   = {PCJACOBI, PCSOR, PCBJACOBI, "ip", "blockic", "subdeflation"};
  PetscMPIInt               size;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_bdia_max_fill 100 -mat_bdia_max_offsets 50 -pc_subdeflation_count 4"));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) {
    types.insert(types.end(), {MATSEQAIJBDIA, MATSEQAIJBROW});
    pcs.insert(pcs.end(), {PCLU, PCILU});
  }
  for (MatType type : types) {
    for (const char *pc : pcs) {
      PetscCall(Kept(type, "transpose", "", pc));
      for (MatType to : {MATAIJ, MATBDIA, MATBROW, MATBAIJ}) {
        if (std::string(to) != type) PetscCall(Kept(type, "convert", to, pc));
      }
      for (MatType to : {MATAIJ, type}) PetscCall(Kept(type, "sum", to, pc));
      if (type == types[0] || type == types[1]) PetscCall(Kept(type, "replace", type, pc));
    }
  }
  for (MatType type : {MATSEQBDIA, MATSEQBROW}) {
    if (size > 1) break;
    PetscCall(Refused(type, MATSOLVERPETSC, MAT_FACTOR_LU));
    PetscCall(Refused(type, MATSOLVERPETSC, MAT_FACTOR_ILU));
    PetscCall(Refused(type, MATSOLVERBBS, MAT_FACTOR_ILU));
  }
  PetscCall(PetscFinalize());
  return 0;
}
