static char help[] = "Sizes and shapes at the limits, lists of entries that are wrong, calls in the wrong order: right, or an "
                     "error in words, and the matrix can be destroyed.\n\n";

#include "trial.h"

/* f() must fail with the code and with words in its message */
static PetscErrorCode Refused(PetscErrorCode code, const char words[], const std::function<PetscErrorCode()> &f)
{
  std::string          message;
  const PetscErrorCode got = Try(f, &message);

  PetscFunctionBeginUser;
  PetscCall(Expect(got == code, "error code " + std::to_string((int)got) + " instead of " + std::to_string((int)code)));
  PetscCall(Expect(message.find(words) != std::string::npos || message.empty(),
                   "the message \"" + message + "\" does not hold \"" + words + "\""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewMatrix(PetscInt m, PetscInt n, PetscInt bs, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, m, n));
  if (bs > 1) PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, TestType()));
  PetscCall(MatSetFromOptions(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n rows, all of them the last rank's: solves, and what makes other matrices of it */
static PetscErrorCode FewRows(PetscInt n, const std::string &pc)
{
  Mat         A, B;
  KSP         ksp;
  Vec         x, b;
  Outcome     out;
  PetscMPIInt rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const PetscInt m = rank == size - 1 ? n : 0;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, m, m, n, n));
  PetscCall(MatSetType(A, TestType()));
  PetscCall(MatSetUp(A));
  for (PetscInt i = 0; i < m; i++) PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(Sides(A, false, &x, &b));
  PetscCall(NewSolver(A, "-ksp_type cg " + pc, &ksp));
  PetscCall(Solve(ksp, A, b, x, pc, &out));
  PetscCall(Expect(out.Converged(),
                   "code " + std::to_string((int)out.code) + ", reason " + std::to_string((int)out.reason) + " " + out.message));
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatAXPY(B, 1, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&B));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatDestroy(&B));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A diagonal of ones and one more entry, from a list on each rank; its norm */
static PetscErrorCode COO(PetscInt repeat, PetscInt row, PetscInt col, PetscScalar value, PetscReal *norm)
{
  const PetscInt           n = 20;
  Mat                      A;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;
  PetscInt                 start, end;
  PetscErrorCode           code;

  PetscFunctionBeginUser;
  PetscCall(NewMatrix(n, n, 1, &A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt k = start; k < end; k++) i.push_back(k), j.push_back(k), v.push_back(1);
  for (PetscInt k = 0; k < repeat && start <= 3 && end > 3; k++) i.push_back(row), j.push_back(col), v.push_back(value);
  code = MatSetPreallocationCOO(A, (PetscCount)i.size(), i.data(), j.data());
  if (!code) code = MatSetValuesCOO(A, v.data(), INSERT_VALUES);
  if (!code && norm) code = MatNorm(A, NORM_1, norm);
  (void)MatDestroy(&A); /* also after an error */
  PetscFunctionReturn(code);
}

static PetscErrorCode ListsOfEntries()
{
  PetscReal norm = 0;

  PetscFunctionBeginUser;
  PetscCall(COO(1000, 3, 4, 0.5, &norm));
  PetscCall(Expect(PetscAbsReal(norm - 501) < 1e-3, "a location given 1000 times: norm " + std::to_string((double)norm)));
  PetscCall(COO(1, -1, 4, 9, &norm));
  PetscCall(Expect(norm == 1, "a negative row is left out: norm " + std::to_string((double)norm)));
  PetscCall(COO(1, 3, -7, 9, &norm));
  PetscCall(Expect(norm == 1, "a negative column is left out: norm " + std::to_string((double)norm)));
  PetscCall(Refused(PETSC_ERR_ARG_OUTOFRANGE, "column", [] { return COO(1, 3, 20, 1, nullptr); }));
  PetscCall(Refused(PETSC_ERR_ARG_OUTOFRANGE, "row", [] { return COO(1, 20, 3, 1, nullptr); }));
  PetscCall(Refused(PETSC_ERR_ARG_OUTOFRANGE, "column", [] { return COO(1, 3, PETSC_INT_MAX, 1, nullptr); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two entries in each row, the first and the last: what is stored does not grow with the columns between */
static PetscErrorCode ManyColumns(PetscInt n)
{
  Mat       A;
  PetscInt  start, end;
  PetscReal norm = 0;

  PetscFunctionBeginUser;
  PetscCall(NewMatrix(4, n, 1, &A));
  const PetscErrorCode code = Try([&] {
    PetscCall(MatSetUp(A));
    PetscCall(MatGetOwnershipRange(A, &start, &end));
    for (PetscInt i = start; i < end; i++) {
      PetscCall(MatSetValue(A, i, n - 1, 3, ADD_VALUES));
      PetscCall(MatSetValue(A, i, 0, 2, ADD_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatNorm(A, NORM_INFINITY, &norm));
    return PETSC_SUCCESS;
  });
  PetscCall(Expect(!code && norm == 5,
                   "error code " + std::to_string((int)code) + ", norm " + std::to_string((double)norm) + " instead of 5"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of a matrix's entries, after each of which it works as before */
static PetscErrorCode Entries()
{
  Mat       A;
  PetscInt  start, end;
  PetscReal before, after;

  PetscFunctionBeginUser;
  PetscCall(Laplace(TestType(), 6, 6, false, One, &A));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &before));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  if (start < end) {
    std::string          message;
    const PetscErrorCode code = Try([&] { return MatSetValue(A, start, (start + 17) % 36, 5, INSERT_VALUES); }, &message);
    PetscCheck(code == PETSC_ERR_ARG_OUTOFRANGE && message.find("new nonzero") != std::string::npos, PETSC_COMM_SELF,
               PETSC_ERR_PLIB, "A new location: error %d, %s", (int)code, message.c_str());
    const PetscErrorCode past = Try([&] { return MatSetValue(A, start, 36, 5, INSERT_VALUES); }, &message);
    PetscCheck(past == PETSC_ERR_ARG_OUTOFRANGE && message.find("past the last column") != std::string::npos, PETSC_COMM_SELF,
               PETSC_ERR_PLIB, "A column past the last: error %d, %s", (int)past, message.c_str());
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &after));
  PetscCall(Expect(before == after, "the matrix is another after errors"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner that is asked too early says so, and works later */
static PetscErrorCode TooEarly(PCType type)
{
  PC        pc;
  Mat       A;
  Vec       x, b;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(Laplace(TestType(), 6, 6, false, One, &A));
  PetscCall(Sides(A, false, &x, &b));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(Refused(PETSC_ERR_ORDER, "PCSetOperators()", [&] { return PCSetUp(pc); }));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCApply(pc, b, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(Expect(norm > 0 && norm < 100, "an answer of length " + std::to_string((double)norm)));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const std::vector<std::string> pcs    = {"-pc_type ip", "-pc_type blockic", "-pc_type subdeflation", "-pc_type jacobi"};
  int                            status = 1;

  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-options_left no"));
  for (PetscInt n : {0, 1, 3}) {
    for (const std::string &pc : pcs) PetscCall(Case(std::to_string((int)n) + " rows " + pc, [&] { return FewRows(n, pc); }));
  }
  PetscCall(Case("lists of entries", ListsOfEntries));
  for (PetscInt n : {20000000, 2147483646}) PetscCall(Case(std::to_string((int)n) + " columns", [&] { return ManyColumns(n); }));
  PetscCall(Case("entries", Entries));
  for (PCType type : {PCIP, PCBLOCKIC, PCSUBDEFLATION})
    PetscCall(Case(std::string("too early ") + type, [&] { return TooEarly(type); }));
  PetscCall(TrialsEnd(&status));
  return status;
}
