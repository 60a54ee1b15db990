static char help[] = "A solver that is kept while its matrix is transposed, added to, or converted in place, or gets a new "
                     "entry: it must do what a new solver does.\n\n";

#include "trial.h"

/* Offsets off and 2 off (two rows of three) with coefficients that differ from row to row; the diagonal dominates */
static PetscErrorCode NewMatrix(MatType type, PetscInt off, Mat *A)
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
    const PetscInt j[2] = {i + off, i + 2 * off};
    PetscCall(MatSetValue(*A, i, i, 4 + i * 0.1, INSERT_VALUES));
    if (j[0] >= 0 && j[0] < n) PetscCall(MatSetValue(*A, i, j[0], -1 - i * 0.05, INSERT_VALUES));
    if (j[1] >= 0 && j[1] < n && i % 3) PetscCall(MatSetValue(*A, i, j[1], -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "axpy brow": A + B/2, B of that type with other offsets; "convert aij" */
static PetscErrorCode Change(const std::string &what, Mat *A)
{
  const std::string type = what.find(' ') == std::string::npos ? "" : what.substr(what.find(' ') + 1);
  Mat               B;

  PetscFunctionBeginUser;
  if (what == "transpose") PetscCall(MatTranspose(*A, MAT_INPLACE_MATRIX, A));
  if (what == "replace") { /* another matrix in the same object */
    PetscCall(NewMatrix(TestType(), -5, &B));
    PetscCall(MatHeaderReplace(*A, &B));
  }
  if (what == "entry") PetscCall(PutEntry(*A, 0, 23, 0.5));
  if (what.rfind("axpy", 0) == 0) {
    PetscCall(NewMatrix(type.c_str(), -2, &B));
    PetscCall(MatAXPY(*A, 0.5, B, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&B));
  }
  if (what.rfind("convert", 0) == 0) PetscCall(MatConvert(*A, type.c_str(), MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KeptLikeNew(const std::string &what, const std::string &options)
{
  Mat       A;
  KSP       kept, made;
  Vec       x, y, b;
  Outcome   before, after, other;
  PetscReal nx, nd;

  PetscFunctionBeginUser;
  PetscCall(NewMatrix(TestType(), 3, &A));
  PetscCall(Sides(A, false, &x, &b));
  PetscCall(NewSolver(A, options, &kept));
  PetscCall(Solve(kept, A, b, x, "before", &before));
  PetscCall(Expect(before.Converged(), "the solve before the change: " + before.message));
  PetscCall(Change(what, &A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(Sides(A, false, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(Solve(kept, A, b, x, "kept solver", &after));
  PetscCall(NewSolver(A, options, &made));
  PetscCall(Solve(made, A, b, y, "new solver", &other));
  PetscCall(Expect(other.Converged(), "the new solver: " + other.message));
  /* MatHeaderReplace() may hide from PETSc that the structure is another: an error is right too */
  if (what != "replace" || !after.code) {
    PetscCall(Expect(after.code == other.code && after.reason == other.reason && after.its == other.its,
                     "the kept solver: " + Tell(after) + "; a new one: " + Tell(other)));
    PetscCall(VecNorm(y, NORM_2, &nx));
    PetscCall(VecAXPY(x, -1, y));
    PetscCall(VecNorm(x, NORM_2, &nd));
    PetscCall(Expect(nd <= 1e-6 * nx, "the kept solver's answer differs from a new one's"));
  }
  for (KSP *k : {&kept, &made}) PetscCall(KSPDestroy(k));
  for (Vec *v : {&x, &y, &b}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const std::string gmres = "-ksp_type gmres -ksp_rtol 1e-10 -ksp_max_it 200 ", other = TestKind() == MATBDIA ? "brow" : "bdia";
  std::vector<std::string> pcs = {"-pc_type ip",
                                  "-pc_type blockic",
                                  "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 3",
                                  "-pc_type jacobi",
                                  "-pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_mat_solver_type bbs",
                                  "-pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_mat_solver_type petsc",
                                  "-pc_type bjacobi -sub_pc_type bbs -sub_pc_bbs_triangle both"};
  PetscMPIInt              size;
  int                      status = 1;

  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_bdia_max_fill 100 -mat_bdia_max_offsets 100 -options_left no"));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1)
    pcs.insert(pcs.end(), {"-pc_type lu", "-pc_type ilu -pc_factor_mat_solver_type bbs",
                           "-pc_type ilu -pc_factor_mat_solver_type petsc", "-pc_type bbs -pc_bbs_triangle both"});
  const std::vector<std::string> changes = {"transpose",   "replace",         "entry",
                                            "axpy aij",    "axpy " + other,   std::string("axpy ") + TestType(),
                                            "convert aij", "convert " + other};
  for (const std::string &what : changes) {
    for (const std::string &pc : pcs) PetscCall(Case(what + " " + pc, [&] { return KeptLikeNew(what, gmres + pc); }));
  }
  PetscCall(TrialsEnd(&status));
  return status;
}
