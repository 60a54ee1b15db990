static char help[] = "KSPDPCG beside KSPCG with the same deflation.\n\n";

#include "beside_cg.h"
#include "windy.h"

static const PetscInt N     = TestQuick() ? 8 : 16; /* cells a side */
static const Methods  TYPES = {KSPCG, KSPDPCG};

static const char *const DEFLATION = "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 6 ";

static PetscErrorCode Inside(Mat A)
{
  PetscMPIInt              size;
  std::vector<std::string> pcs = {"none", "jacobi", "ip", "blockic"};

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (TestQuick()) pcs = {"jacobi", "ip"};
  else if (size == 1) pcs.insert(pcs.end(), {"icc", "icc -pc_subdeflation_pc_factor_mat_solver_type bbs", "ip -pc_subdeflation_coarse cholesky", "ip -pc_subdeflation_variant def2", "ip -pc_subdeflation_storage single"});
  for (const std::string &pc : pcs) {
    for (const char *norm : {"natural", "unpreconditioned"}) PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type " + norm + " -pc_subdeflation_pc_type " + pc));
  }
  PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type none -ksp_max_it 7"));
  PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type natural -ksp_max_it 3"));
  PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type natural", [](KSP ksp, Vec) { return KSPSetInitialGuessNonzero(ksp, PETSC_TRUE); }));
  PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type natural", [](KSP, Vec b) { return VecSet(b, 0); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norm of M^-1 r ends the solve where it should */
static PetscErrorCode PreconditionedNorm(Mat A)
{
  KSP       ksp;
  PC        pc, inner;
  Vec       b, r, z;
  PetscReal norm;
  Run       run;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, KSPDPCG, std::string(DEFLATION) + "-ksp_norm_type preconditioned", &ksp));
  PetscCall(Solve(ksp, b, &run));
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(VecDuplicate(r, &z));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSubdeflationGetPC(pc, &inner));
  PetscCall(PCApply(inner, r, z));
  PetscCall(VecNorm(z, NORM_2, &norm));
  PetscCheck(run.reason == KSP_CONVERGED_RTOL && PetscAbsReal(norm - run.history.back()) <= 1e-3 * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Reason %d, norm %g instead of %g", (int)run.reason, (double)run.history.back(), (double)norm);
  for (Vec *v : {&b, &r, &z, &run.x}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Closed walls, with the constants given as the null space: x is orthogonal to them, as from cg */
static PetscErrorCode Singular(MPI_Comm comm)
{
  Mat          A;
  MatNullSpace null;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, N, TestType(), false, &A));
  PetscCall(MatNullSpaceCreate(comm, PETSC_TRUE, 0, nullptr, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type unpreconditioned", [&](KSP, Vec b) { return MatNullSpaceRemove(null, b); }));
  PetscCall(MatNullSpaceDestroy(&null));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refuses(Mat A, const std::string &options, const char *why)
{
  KSP ksp;
  Vec b, x;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(NewSolver(A, KSPDPCG, options, &ksp));
  PetscCall(ExpectError(PETSC_ERR_SUP, why, [&] { return KSPSolve(ksp, b, x); }));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, B;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Inside(A));
  PetscCall(PreconditionedNorm(A));
  PetscCall(Refuses(A, "-pc_type jacobi", "KSP dpcg deflates with PC subdeflation, not with jacobi"));
  PetscCall(Refuses(A, "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4 -pc_subdeflation_variant bnn", "KSP dpcg is the variant adef2"));
  PetscCall(MatDestroy(&A));
  PetscCall(Windy(PETSC_COMM_WORLD, N, 0.3, &B));
  PetscCall(Refuses(B, "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4", "KSP dpcg needs a matrix known to be symmetric"));
  PetscCall(MatDestroy(&B));
  PetscCall(Singular(PETSC_COMM_WORLD));
  PetscCall(Kept(TYPES, PETSC_COMM_WORLD, N, std::string(DEFLATION) + "-ksp_norm_type natural"));
  PetscCall(Kept({KSPCG, KSPFUSEDCG}, PETSC_COMM_WORLD, N, std::string(DEFLATION) + "-ksp_norm_type natural -pc_subdeflation_coarse_storage single")); /* a recording must not hold on to where the inverse before was */
  PetscCall(PetscFinalize());
  return 0;
}
