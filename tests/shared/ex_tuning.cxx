static char help[] = "Absurd numbers in place of each of those by which kernels are chosen: products, triangular solves and "
                     "Krylov methods have the same results.\n\n";

#include <hepta.h>

#include "disk.h"
#include "failure.h"
#include "pair.h"

/* An operation, and by how much its results may differ: sums are added in another order */
struct Case {
  const char *options;
  PetscReal   tol;
};

static const std::vector<Case> CASES = {
  {"transposed", 1e-13},
  {"", 1e-13},
  {"-ksp_type preonly -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_mat_solver_type bbs", 1e-11},
  {"-ksp_type fusedcg -pc_type jacobi -ksp_rtol 1e-10 -ksp_norm_type natural", 1e-7},
  {"-ksp_type fusedcg -pc_type gridmg -ksp_rtol 1e-10 -ksp_fusedcg_precision double", 1e-7},
  {"-ksp_type fusedcg -pc_type gridmg -ksp_rtol 1e-10 -ksp_fusedcg_precision single", 1e-7},
};

/* y <- A x, or the solution */
static PetscErrorCode Compute(Mat A, const Case &c, Vec x, Vec y, PetscInt *its)
{
  KSP                ksp;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  *its = 0;
  if (!*c.options || *c.options != '-') {
    PetscCall((*c.options ? MatMultTranspose : MatMult)(A, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(
    SetOptions(c.options + std::string(TestQuick() || !TestOnDevice() ? " -pc_gridmg_grid 24,24" : " -pc_gridmg_grid 150,150")));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, x, y));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s ends with reason %d", c.options, (int)reason);
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the number `name`, or all of them, times `factor` */
static PetscErrorCode CheckWith(Mat A, const Case &c, Vec x, Vec expected, PetscInt its, const std::vector<std::string> &names,
                                PetscReal factor)
{
  std::vector<PetscReal> before(names.size());
  PetscReal              norm, difference;
  PetscInt               now;
  Vec                    y;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(expected, &y));
  for (size_t k = 0; k < names.size(); k++) {
    PetscCall(HeptaGetTuning(names[k].c_str(), &before[k]));
    PetscCall(HeptaSetTuning(names[k].c_str(), PetscMax(1e-9, PetscMin(1e9, factor * before[k]))));
  }
  PetscCall(Compute(A, c, x, y, &now));
  for (size_t k = 0; k < names.size(); k++) PetscCall(HeptaSetTuning(names[k].c_str(), before[k]));
  PetscCheck(PetscAbsInt(now - its) <= 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s, %s%s times %g: %" PetscInt_FMT " iterations, and %" PetscInt_FMT " with the constants", c.options,
             names[0].c_str(), names.size() > 1 ? " and all others" : "", (double)factor, now, its);
  PetscCall(VecNorm(expected, NORM_2, &norm));
  PetscCall(VecAXPY(y, -1, expected));
  PetscCall(VecNorm(y, NORM_2, &difference));
  PetscCheck(difference <= c.tol * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s%s times %g: the result differs by %g of %g",
             c.options, names[0].c_str(), names.size() > 1 ? " and all others" : "", (double)factor, (double)difference,
             (double)norm);
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The names of all numbers, from the error for one that is none */
static PetscErrorCode Names(std::vector<std::string> *names)
{
  std::string text;
  PetscReal   number;

  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(KeepMessage, &text));
  const PetscErrorCode code = HeptaGetTuning("speed", &number);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(code == PETSC_ERR_ARG_UNKNOWN_TYPE, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A number that is none gives code %d",
             (int)code);
  text = text.substr(text.find("tuning: ") + 8);
  for (size_t at = 0; at != std::string::npos;) {
    const size_t end = text.find(", ", at);
    names->push_back(text.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + 2;
  }
  PetscCheck(names->size() == 31, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The error lists %d names", (int)names->size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each case with each number, and all of them, at both ends */
static PetscErrorCode CheckAll(Mat A, const std::vector<Case> &cases, const std::vector<std::string> &names)
{
  PetscInt its;
  Vec      x, expected;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &expected, &x));
  PetscCall(VecSetRandom(x, nullptr)); /* from PETSc's default seed */
  for (const Case &c : cases) {
    PetscCall(Compute(A, c, x, expected, &its));
    for (PetscReal factor : {1e-9, 1e9}) {
      for (const std::string &name : names) PetscCall(CheckWith(A, c, x, expected, its, {name}, factor));
      PetscCall(CheckWith(A, c, x, expected, its, names, factor));
    }
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of 16 on three diagonals, whose columns' sums need the most shared memory */
static PetscErrorCode BlockMat(Mat *A)
{
  const PetscInt bs = 16, n = 40;
  PetscInt       start, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n * bs, n * bs));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, TestType()));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = PetscMax(0, i / bs - 1) * bs; j < PetscMin(n, i / bs + 2) * bs; j++)
      PetscCall(MatSetValue(*A, i, j, PairNumber(i, j, 3), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  std::vector<std::string> names;
  Mat                      A, B;

  PetscFunctionBeginUser;
  PetscCall(Names(&names));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "The number pass of Hepta's tuning must be from 1e-09 to 1e+09, not 0",
                        [] { return HeptaSetTuning("pass", 0); }));
  PetscCall(DiskMat(TestQuick() || !TestOnDevice() ? 24 : 150, &A));
  PetscCall(CheckAll(A, CASES, names));
  PetscCall(BlockMat(&B));
  PetscCall(CheckAll(B, {CASES[0], CASES[1]}, names));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
