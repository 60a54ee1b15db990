static char help[] =
  "KSPFUSEDBCGS beside KSPBCGS: sides, norms, preconditioners, guesses, limits, breakdowns, changes between solves.\n\n";

#include "beside_cg.h"
#include "windy.h"

static const PetscInt N     = TestQuick() ? 6 : 12; /* cells a side */
static const Methods  TYPES = {KSPBCGS, KSPFUSEDBCGS};

static PetscErrorCode SidesAndPreconditioners(Mat A)
{
  PetscMPIInt              size;
  std::vector<std::string> pcs = {"none -ksp_max_it 20", "jacobi -ksp_max_it 25", "pbjacobi -ksp_max_it 20", "ip",
                                  "subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4"};

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (TestQuick()) pcs = {"none -ksp_max_it 20", "jacobi", "ip"};
  else if (size == 1) pcs.insert(pcs.end(), {"ilu", "ilu -pc_factor_mat_solver_type bbs", "ip -pc_ip_variant full", "sor"});
  for (const std::string &pc : pcs) {
    for (const char *side : {"left", "right"})
      PetscCall(Compare(TYPES, A, std::string("-ksp_pc_side ") + side + " -pc_type " + pc));
  }
  PetscCall(Compare(TYPES, A, "-ksp_norm_type none -ksp_max_it 5 -pc_type jacobi"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Limits(Mat A)
{
  PetscFunctionBeginUser;
  for (const char *options :
       {"-ksp_max_it 1", "-ksp_max_it 5", "-ksp_max_it 0", "-ksp_rtol 1e-30 -ksp_atol 1e-3",
        "-ksp_divtol 1.0001 -pc_type none -ksp_max_it 20", "-ksp_check_norm_iteration 6", "-ksp_pc_side right -ksp_max_it 4"})
    PetscCall(Compare(TYPES, A, options));
  for (const char *options : {"-pc_type jacobi -ksp_max_it 20", "-pc_type jacobi -ksp_pc_side right -ksp_max_it 20",
                              "-pc_type ip -ksp_pc_side right -ksp_max_it 20"}) {
    PetscCall(Compare(TYPES, A, options, [](KSP ksp, Vec) { return KSPSetInitialGuessNonzero(ksp, PETSC_TRUE); }));
    PetscCall(Compare(TYPES, A, options, [](KSP, Vec b) { return VecSet(b, 0); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solution of each iteration is in x, whatever the side */
static PetscErrorCode Watched(Mat A)
{
  return NormsAreTrue(A, KSPFUSEDBCGS, "-pc_type ip -ksp_pc_side right");
}

/* Diagonal matrices: K s = 0 with s = 0 and without, a zero (r0, v), and a value that is not finite. b is ones. */
static PetscErrorCode Breakdowns(MPI_Comm comm)
{
  PetscFunctionBeginUser;
  for (int kind = 0; kind < 4; kind++) {
    Mat A;
    Vec b;

    PetscCall(PhaseMat(comm, 4, TestType(), true, &A));
    PetscCall(MatZeroEntries(A));
    PetscCall(MatCreateVecs(A, nullptr, &b));
    PetscCall(VecSet(b, kind == 0 ? 2 : 1));
    if (kind == 1) PetscCall(VecSetValue(b, 0, 0, INSERT_VALUES)); /* the first row sees its right-hand side alone */
    if (kind == 2) {
      /* half of them negative: their sum is zero */
      for (PetscInt i = 0; i < 8; i++) PetscCall(VecSetValue(b, i, -1, INSERT_VALUES));
    }
    if (kind == 3) PetscCall(VecSetValue(b, 3, NAN, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(b));
    PetscCall(VecAssemblyEnd(b));
    PetscCall(MatDiagonalSet(A, b, INSERT_VALUES));
    PetscCall(VecDestroy(&b));
    /* PETSc's history has the norm of before where s = 0 */
    const char *options = kind ? "-pc_type none -ksp_max_it 6" : "-pc_type none -ksp_norm_type none -ksp_max_it 6";
    PetscCall(Compare(TYPES, A, options, [](KSP, Vec rhs) { return VecSet(rhs, 1); }));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K s = 0 although s is not: A has 1 and 1 in its first row and nothing else, b is 1 and 1, so v = (2, 0), alpha = 1 and s = (-1,
   1). x stays as it was. */
static PetscErrorCode ZeroDirection(MPI_Comm comm)
{
  Mat      A;
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, 4, TestType(), true, &A));
  PetscCall(MatZeroEntries(A));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt j = 0; start == 0 && end > 0 && j < 2; j++) PetscCall(MatSetValue(A, 0, j, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Compare(TYPES, A, "-pc_type none", [](KSP, Vec b) {
    PetscFunctionBeginUser;
    PetscCall(VecSet(b, 0));
    for (PetscInt i = 0; i < 2; i++) PetscCall(VecSetValue(b, i, 1, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(b));
    PetscCall(VecAssemblyEnd(b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solver with one preconditioner after the other */
static PetscErrorCode Exchanged(Mat A)
{
  Vec b;
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, KSPFUSEDBCGS, "-ksp_max_it 12", &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (PCType type : {PCNONE, PCJACOBI, PCPBJACOBI, PCIP, PCNONE}) {
    KSP other;
    Run ours, petsc;

    PetscCall(PCSetType(pc, type));
    PetscCall(Solve(ksp, b, &ours));
    PetscCall(NewSolver(A, KSPBCGS, std::string("-ksp_max_it 12 -pc_type ") + type, &other));
    PetscCall(Solve(other, b, &petsc));
    PetscCall(Same(petsc, ours, std::string("fusedbcgs that gets ") + type));
    PetscCall(KSPDestroy(&other));
    for (Run *r : {&ours, &petsc}) PetscCall(VecDestroy(&r->x));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(Windy(PETSC_COMM_WORLD, N, 0, &A));
  PetscCall(Limits(A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(SidesAndPreconditioners(A));
  PetscCall(MatDestroy(&A));
  PetscCall(Windy(PETSC_COMM_WORLD, N, 0.3, &A));
  PetscCall(SidesAndPreconditioners(A));
  PetscCall(Watched(A));
  PetscCall(Exchanged(A));
  PetscCall(MatDestroy(&A));
  PetscCall(Breakdowns(PETSC_COMM_WORLD));
  PetscCall(ZeroDirection(PETSC_COMM_WORLD));
  for (const char *options :
       {"-pc_type jacobi -ksp_max_it 20", "-pc_type ip -ksp_pc_side right -ksp_max_it 20", "-pc_type none -ksp_max_it 20"}) {
    PetscCall(Kept(TYPES, PETSC_COMM_WORLD, N, options));
    if (TestQuick()) break;
  }
  PetscCall(PetscFinalize());
  return 0;
}
