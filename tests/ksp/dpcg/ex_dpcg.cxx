static char help[] = "KSPDPCG beside KSPCG with the same deflation.\n\n";

#include "beside_cg.h"
#include "windy.h"

#include "view.h"

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
  else if (size == 1)
    pcs.insert(pcs.end(), {"icc", "icc -pc_subdeflation_pc_factor_mat_solver_type bbs", "ip -pc_subdeflation_coarse cholesky",
                           "ip -pc_subdeflation_variant def2", "ip -pc_subdeflation_storage single"});
  for (const std::string &pc : pcs) {
    for (const char *norm : {"natural", "unpreconditioned"})
      PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type " + norm + " -pc_subdeflation_pc_type " + pc));
  }
  PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type none -ksp_max_it 7"));
  PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type natural -ksp_max_it 3"));
  PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type natural",
                    [](KSP ksp, Vec) { return KSPSetInitialGuessNonzero(ksp, PETSC_TRUE); }));
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
  PetscCheck(run.reason == KSP_CONVERGED_RTOL && PetscAbsReal(norm - run.history.back()) <= TestTolerance(1e-3) * norm,
             PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Reason %d, norm %g instead of %g", (int)run.reason, (double)run.history.back(),
             (double)norm);
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
  PetscCall(Compare(TYPES, A, std::string(DEFLATION) + "-ksp_norm_type unpreconditioned",
                    [&](KSP, Vec b) { return MatNullSpaceRemove(null, b); }));
  PetscCall(MatNullSpaceDestroy(&null));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const STRIPES = "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4 ";

/*
   The set-up refuses, and so do solves, which leave b and x alone, as often as they are asked; another method solves meanwhile;
   and when the program has mended the cause the same KSP solves
*/
static PetscErrorCode Refuses(Mat A, KSP ksp, const char *why, const std::function<PetscErrorCode(KSP)> &mend,
                              bool in_setup = true)
{
  Vec         b, kept, x;
  Run         run;
  std::string view;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  for (Vec *v : {&kept, &x, &run.x}) PetscCall(VecDuplicate(b, v));
  PetscCall(VecCopy(b, kept));
  PetscCall(VecSet(x, 3));
  PetscCall(VecSet(run.x, 3));
  for (int k = 0; k < 3; k++) {
    if (in_setup) PetscCall(ExpectError(PETSC_ERR_SUP, why, [&] { return KSPSetUp(ksp); }));
    PetscCall(ExpectError(PETSC_ERR_SUP, why, [&] { return KSPSolve(ksp, b, run.x); }));
    if (in_setup) PetscCall(CheckVec(x, run.x, 0, why));
    PetscCall(CheckVec(kept, b, 0, why));
    PetscCall(VecCopy(kept, b));
    if (k == 0) continue;
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(Solve(ksp, b, &run));
    PetscCheck(run.reason != KSP_CONVERGED_ITERATING, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: cg ends with no reason", why);
    PetscCall(VecSet(run.x, 3));
    PetscCall(KSPSetType(ksp, KSPDPCG));
    in_setup = true; /* a new method */
  }
  PetscCall(mend(ksp));
  PetscCall(Solve(ksp, b, &run));
  PetscCheck(run.reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d when it is mended", why, (int)run.reason);
  PetscCall(MatMult(A, run.x, x));
  PetscCall(CheckVec(b, x, 1e-6, why));
  PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_DEFAULT, &view));
  PetscCheck(view.find("not known to be symmetric") == std::string::npos, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: the coarse matrix is taken for unsymmetric when it is mended:\n%s", why, view.c_str());
  for (Vec *v : {&b, &kept, &x, &run.x}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetPC(KSP ksp, PCType type)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetVariant(KSP ksp, HeptaSubdeflationVariant variant)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSubdeflationSetVariant(pc, variant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const ANOTHER_PC             = "KSP dpcg deflates with PC subdeflation, not with jacobi",
                         *const ANOTHER_VARIANT = "KSP dpcg is the variant adef2 of PC subdeflation, not bnn",
                         *const VECTORS         = "KSP dpcg deflates subdomains, not vectors",
                         *const NOT_SYMMETRIC   = "KSP dpcg needs a matrix known to be symmetric";

/* The first set-up of a KSP refuses */
static PetscErrorCode RefusesFirst(Mat A)
{
  KSP ksp;
  PC  pc;
  Vec ones;
  Mat B;

  PetscFunctionBeginUser;
  PetscCall(NewSolver(A, KSPDPCG, "-pc_type jacobi", &ksp));
  PetscCall(Refuses(A, ksp, ANOTHER_PC, [](KSP k) { return SetPC(k, PCSUBDEFLATION); }));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(NewSolver(A, KSPDPCG, std::string(STRIPES) + "-pc_subdeflation_variant bnn", &ksp));
  PetscCall(Refuses(A, ksp, ANOTHER_VARIANT, [](KSP k) { return SetVariant(k, HEPTA_SUBDEFLATION_DEF2); }));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(NewSolver(A, KSPDPCG, "-pc_type subdeflation", &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatCreateVecs(A, &ones, nullptr));
  PetscCall(VecSet(ones, 1));
  PetscCall(PCSubdeflationSetVectors(pc, 1, &ones));
  PetscCall(Refuses(A, ksp, VECTORS, [&](KSP) { return PCSubdeflationSetType(pc, HEPTA_SUBDEFLATION_STRIPES); }));
  PetscCall(VecDestroy(&ones));
  PetscCall(KSPDestroy(&ksp));
  /* where the variant is given, cg keeps a set-up for a matrix that is not known to be symmetric */
  for (const char *variant : {"", "-pc_subdeflation_variant adef2"}) {
    PetscCall(Windy(PETSC_COMM_WORLD, N, 0, &B));
    PetscCall(NewSolver(B, KSPDPCG, std::string(STRIPES) + variant, &ksp));
    PetscCall(Refuses(B, ksp, NOT_SYMMETRIC, [&](KSP) { return MatSetOption(B, MAT_SYMMETRIC, PETSC_TRUE); }));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is refused by a KSP that has solved before */
static PetscErrorCode RefusesLater()
{
  Mat A;
  KSP ksp;
  PC  pc, other;
  Vec b;
  Run run;

  PetscFunctionBeginUser;
  PetscCall(Windy(PETSC_COMM_WORLD, N, 0, &A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, KSPDPCG, STRIPES, &ksp));
  PetscCall(Solve(ksp, b, &run));
  PetscCall(SetPC(ksp, PCJACOBI)); /* not known before the solve */
  PetscCall(Refuses(A, ksp, ANOTHER_PC, [](KSP k) { return SetPC(k, PCSUBDEFLATION); }, false));
  PetscCall(Solve(ksp, b, &run));
  PetscCall(SetVariant(ksp, HEPTA_SUBDEFLATION_BNN));
  PetscCall(Refuses(A, ksp, ANOTHER_VARIANT, [](KSP k) { return SetVariant(k, HEPTA_SUBDEFLATION_ADEF2); }, false));
  PetscCall(Solve(ksp, b, &run));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectReference((PetscObject)pc));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &other));
  PetscCall(PCSetOperators(other, A, A));
  PetscCall(PCSetType(other, PCJACOBI));
  PetscCall(KSPSetPC(ksp, other));
  PetscCall(Refuses(A, ksp, ANOTHER_PC, [&](KSP k) { return KSPSetPC(k, pc); }));
  PetscCall(Solve(ksp, b, &run));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(MatScale(A, 2));
  PetscCall(Refuses(A, ksp, NOT_SYMMETRIC, [&](KSP) { return MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE); }));
  PetscCall(PCDestroy(&other));
  PetscCall(PCDestroy(&pc));
  PetscCall(KSPDestroy(&ksp));
  for (Vec *v : {&b, &run.x}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Inside(A));
  PetscCall(PreconditionedNorm(A));
  PetscCall(RefusesFirst(A));
  PetscCall(MatDestroy(&A));
  PetscCall(RefusesLater());
  PetscCall(Singular(PETSC_COMM_WORLD));
  PetscCall(Kept(TYPES, PETSC_COMM_WORLD, N, std::string(DEFLATION) + "-ksp_norm_type natural"));
  /* a recording must not hold on to where the inverse before was */
  PetscCall(Kept({KSPCG, KSPFUSEDCG}, PETSC_COMM_WORLD, N,
                 std::string(DEFLATION) + "-ksp_norm_type natural -pc_subdeflation_coarse_storage single"));
  PetscCall(PetscFinalize());
  return 0;
}
