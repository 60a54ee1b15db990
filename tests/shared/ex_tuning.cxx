static char help[] = "Absurd numbers in place of each of those by which kernels are chosen: products, triangular solves and Krylov methods have the same results.\n\n";

#include <hepta.h>

#include "failure.h"
#include "pair.h"
#include "media.h"

/* An operation, and by how much its results may differ: sums are added in another order */
struct Case {
  const char *options;
  PetscReal   tol;
};

static const Case CASES[] = {
  {"",                                                                                         1e-13},
  {"-ksp_type preonly -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_mat_solver_type bbs",   1e-11},
  {"-ksp_type fusedcg -pc_type jacobi -ksp_rtol 1e-10 -ksp_norm_type natural",                 1e-7 },
  {"-ksp_type fusedcg -pc_type gridmg -ksp_rtol 1e-10 -ksp_fusedcg_precision double",          1e-7 },
  {"-ksp_type fusedcg -pc_type gridmg -ksp_rtol 1e-10 -ksp_fusedcg_precision single",          1e-7 },
};

/* y <- A x, or the solution */
static PetscErrorCode Compute(Mat A, const Case &c, Vec x, Vec y)
{
  KSP                ksp;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  if (!*c.options) {
    PetscCall(MatMult(A, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(SetOptions(c.options + std::string(TestQuick() || !TestOnDevice() ? " -pc_gridmg_grid 24,24" : " -pc_gridmg_grid 150,150")));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, x, y));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s ends with reason %d", c.options, (int)reason);
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the number `name`, or all of them, times `factor` */
static PetscErrorCode CheckWith(Mat A, const Case &c, Vec x, Vec expected, const std::vector<std::string> &names, PetscReal factor)
{
  std::vector<PetscReal> before(names.size());
  PetscReal              norm, difference;
  Vec                    y;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(expected, &y));
  for (size_t k = 0; k < names.size(); k++) {
    PetscCall(HeptaGetTuning(names[k].c_str(), &before[k]));
    PetscCall(HeptaSetTuning(names[k].c_str(), PetscMax(1e-9, PetscMin(1e9, factor * before[k]))));
  }
  PetscCall(Compute(A, c, x, y));
  for (size_t k = 0; k < names.size(); k++) PetscCall(HeptaSetTuning(names[k].c_str(), before[k]));
  PetscCall(VecNorm(expected, NORM_2, &norm));
  PetscCall(VecAXPY(y, -1, expected));
  PetscCall(VecNorm(y, NORM_2, &difference));
  PetscCheck(difference <= c.tol * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s%s times %g: the result differs by %g of %g", c.options, names[0].c_str(), names.size() > 1 ? " and all others" : "", (double)factor,
             (double)difference, (double)norm);
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
  PetscCheck(code == PETSC_ERR_ARG_UNKNOWN_TYPE, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A number that is none gives code %d", (int)code);
  text = text.substr(text.find("tuning: ") + 8);
  for (size_t at = 0; at != std::string::npos;) {
    const size_t end = text.find(", ", at);
    names->push_back(text.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + 2;
  }
  PetscCheck(names->size() == 31, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The error lists %d names", (int)names->size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  std::vector<std::string> names;
  Mat                      A;
  Vec                      x, expected;

  PetscFunctionBeginUser;
  PetscCall(Names(&names));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "The number pass of Hepta's tuning must be from 1e-09 to 1e+09, not 0", [] { return HeptaSetTuning("pass", 0); }));
  PetscCall(MediumMat(PETSC_COMM_WORLD, TestQuick() || !TestOnDevice() ? 24 : 150, Disk, 0, &A));
  PetscCall(MatCreateVecs(A, &expected, &x));
  PetscCall(VecSetRandom(x, nullptr)); /* from PETSc's default seed */
  for (const Case &c : CASES) {
    PetscCall(Compute(A, c, x, expected));
    for (PetscReal factor : {1e-9, 1e9}) {
      for (const std::string &name : names) PetscCall(CheckWith(A, c, x, expected, {name}, factor));
      PetscCall(CheckWith(A, c, x, expected, names, factor));
    }
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&expected));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
