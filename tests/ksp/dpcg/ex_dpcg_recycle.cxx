static char help[] = "KSPDPCG with deflation vectors from earlier solves.\n\n";

#include "krylov.h"

static const PetscInt N = TestQuick() ? 12 : 24; /* cells a side */

static const PetscScalar ISLAND = PetscDefined(USE_REAL_SINGLE) ? 30 : 1000; /* couplings in islands */

static const char *const DEFLATION = "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4 "
                                     "-ksp_norm_type unpreconditioned -pc_subdeflation_pc_type ";

/* Is this text in the view of the KSP, which process 0 gets? */
static PetscErrorCode Says(KSP ksp, const char *text)
{
  std::string view;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_DEFAULT, &view));
  PetscCheck(rank || view.find(text) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The view does not say \"%s\":\n%s",
             text, view.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Couplings of 1, and of `island` in islands of 9 cells, which cost CG an iteration or more each */
static PetscErrorCode Islands(MPI_Comm comm, bool dirichlet, Mat *A, PetscScalar island = ISLAND)
{
  const auto inside   = [](PetscInt x, PetscInt y) { return x % 6 < 3 && y % 6 < 3; };
  const auto coupling = [&](PetscInt x, PetscInt y, PetscInt X, PetscInt Y) { return inside(x, y) && inside(X, Y) ? island : 1; };

  return CellMat(comm, N, TestType(), dirichlet, coupling, A);
}

/* 24 rows, coupled in a line by 1, 2, 5, 10, 17 and 1 again, the first to a wall */
static PetscErrorCode Chain(Mat *A)
{
  const auto coupling = [](PetscInt i) {
    return i < 0 ? PetscScalar(1) : i >= 23 ? PetscScalar(0) : PetscScalar(i % 5 * (i % 5) + 1);
  };
  PetscInt start, end;
  PairSpec s;

  PetscFunctionBeginUser;
  s.nb = 24;
  PetscCall(PairCreateOne(PETSC_COMM_WORLD, s, TestType(), A));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatSetValue(*A, i, i, coupling(i - 1) + coupling(i), INSERT_VALUES));
    if (i) PetscCall(MatSetValue(*A, i, i - 1, -coupling(i - 1), INSERT_VALUES));
    if (i < 23) PetscCall(MatSetValue(*A, i, i + 1, -coupling(i), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CG on a matrix of 24 rows with 4 subdomains ends, but for rounding, after the 20 distinct eigenvalues that deflation leaves.
   Each eigenvector among the recycled vectors takes one of them away; vectors that are no eigenvectors take none.
*/
static PetscErrorCode Eigenvectors()
{
  Mat A;
  Vec b, c;
  KSP ksp;
  Run learns, uses;

  PetscFunctionBeginUser;
  PetscCall(Chain(&A));
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &c));
  PetscCall(MatMult(A, b, c));
  PetscCall(NewSolver(A, KSPDPCG, std::string(DEFLATION) + "jacobi -ksp_dpcg_recycle 8 -ksp_rtol 1e-10", &ksp));
  PetscCall(Solve(ksp, b, &learns));
  PetscCall(Says(ksp, "recycles 8 vectors of a solve of"));
  PetscCall(Solve(ksp, c, &uses));
  PetscCheck(learns.its <= 21 && uses.its <= 12 && uses.its > 0 && uses.reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " iterations, and %" PetscInt_FMT " with 8 of 20 eigenvectors", learns.its, uses.its);
  PetscCall(CheckVec(b, uses.x, 1e-8, "the answer"));
  for (Vec *v : {&b, &c, &learns.x, &uses.x}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve whose true residual is what the tolerance asks for */
static PetscErrorCode Solved(Mat A, KSP ksp, Vec b, Run *run)
{
  Vec       r;
  PetscReal norm, left;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(Solve(ksp, b, run));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, run->x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &left));
  PetscCheck(run->reason > 0 && left <= (PetscDefined(USE_REAL_SINGLE) ? 5e-3 : 2e-9) * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "Reason %d, true relative residual %g", (int)run->reason, (double)(left / norm));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Five solves with values that change; each right-hand side is the answer before */
static PetscErrorCode Sequence(const std::string &options, bool singular, std::vector<Run> *runs)
{
  MatNullSpace null = nullptr;
  Mat          A;
  KSP          ksp;
  Vec          b;

  PetscFunctionBeginUser;
  PetscCall(Islands(PETSC_COMM_WORLD, !singular, &A));
  if (singular) PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, KSPDPCG, DEFLATION + options + " -ksp_rtol 1e-9 -ksp_max_it 600", &ksp));
  for (int step = 0; step < 5; step++) {
    Run run;

    if (null) PetscCall(MatNullSpaceRemove(null, b));
    PetscCall(Solved(A, ksp, b, &run));
    runs->push_back(run);
    PetscCall(VecCopy(run.x, b));
    PetscCall(MatScale(A, 1.5));
    if (!singular) PetscCall(MatShift(A, 1e-3));
  }
  PetscCall(MatNullSpaceDestroy(&null));
  PetscCall(VecDestroy(&b));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with recycled vectors take fewer iterations; repeated sequences give the same bits */
static PetscErrorCode Steps(const std::string &pc, bool singular)
{
  std::vector<Run> plain, recycled, again;
  PetscInt         its[2] = {0, 0};

  PetscFunctionBeginUser;
  PetscCall(Sequence(pc, singular, &plain));
  PetscCall(Sequence(pc + " -ksp_dpcg_recycle 12", singular, &recycled));
  PetscCall(Sequence(pc + " -ksp_dpcg_recycle 12", singular, &again));
  for (size_t step = 0; step < plain.size(); step++) {
    if (step) its[0] += plain[step].its;
    if (step) its[1] += recycled[step].its;
    PetscCheck(recycled[step].history == again[step].history, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, step %d: other norms",
               pc.c_str(), (int)step);
    PetscCall(CheckAnswer(recycled[step].x, again[step].x, 0, pc));
    for (Run *run : {&plain[step], &recycled[step], &again[step]}) PetscCall(VecDestroy(&run->x));
  }
  /* in single the vectors cost twice as much beside an iteration, and are given up earlier */
  PetscCheck(PetscDefined(USE_REAL_SINGLE) ? its[1] < its[0] : 4 * its[1] < 3 * its[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: %" PetscInt_FMT " iterations instead of %" PetscInt_FMT, pc.c_str(), its[1], its[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where CG loses its orthogonality Ritz vectors repeat, and no repeated vector may be deflated twice */
static PetscErrorCode Stiff()
{
  Mat A;
  Vec b;
  KSP ksp;
  Run first, run;

  PetscFunctionBeginUser;
  if (PetscDefined(USE_REAL_SINGLE)) PetscFunctionReturn(PETSC_SUCCESS); /* has no room for such coefficients */
  PetscCall(Islands(PETSC_COMM_WORLD, true, &A, 1e6));
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, KSPDPCG, std::string(DEFLATION) + "jacobi -ksp_dpcg_recycle 24 -ksp_max_it 2000", &ksp));
  PetscCall(Solve(ksp, b, &first));
  for (int k = 0; k < 3; k++) {
    PetscCall(Solve(ksp, b, &run));
    PetscCheck(run.reason > 0 && run.its <= first.its, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "Solve %d: reason %d, %" PetscInt_FMT " iterations instead of %" PetscInt_FMT, k, (int)run.reason, run.its,
               first.its);
  }
  PetscCall(KSPSetType(ksp, KSPCG)); /* frees the vectors */
  for (Vec *v : {&b, &first.x, &run.x}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve without iterations: x, which the vectors correct, gets no part in the null space */
static PetscErrorCode Settled()
{
  MatNullSpace null;
  Mat          A;
  Vec          b;
  KSP          ksp;
  Run          run;
  PetscScalar  sum;
  PetscReal    size;

  PetscFunctionBeginUser;
  PetscCall(Islands(PETSC_COMM_WORLD, false, &A));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(Side(A, &b));
  PetscCall(MatNullSpaceRemove(null, b));
  PetscCall(NewSolver(A, KSPDPCG, std::string(DEFLATION) + "jacobi -ksp_dpcg_recycle 12 -ksp_max_it 600", &ksp));
  for (int k = 0; k < 2; k++) PetscCall(Solve(ksp, b, &run));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, 1e30, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(Solve(ksp, b, &run));
  PetscCall(VecSum(run.x, &sum));
  PetscCall(VecNorm(run.x, NORM_1, &size));
  PetscCheck(!run.its && PetscAbsScalar(sum) <= TestTolerance(1e-9) * size, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " iterations, sum %g", run.its, (double)PetscRealPart(sum));
  for (Vec *v : {&b, &run.x}) PetscCall(VecDestroy(v));
  PetscCall(MatNullSpaceDestroy(&null));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From learning to use, to other sizes, and to vectors that are given up */
static PetscErrorCode Life()
{
  PetscMPIInt size, rank;
  Mat         A, B;
  Vec         b, c;
  KSP         ksp;
  Run         run, other;

  PetscFunctionBeginUser;
  PetscCall(Islands(PETSC_COMM_WORLD, true, &A));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(LineMat(PETSC_COMM_WORLD, 60, rank ? 60 / size : 60 - (size - 1) * (60 / size), &B));
  PetscCall(Side(A, &b));
  PetscCall(Side(B, &c));
  PetscCall(NewSolver(A, KSPDPCG, std::string(DEFLATION) + "jacobi -ksp_dpcg_recycle 2 -ksp_max_it 600", &ksp));
  PetscCall(Says(ksp, "keeps the directions of a solve, to recycle 2 vectors"));
  PetscCall(Solve(ksp, b, &run));
  PetscCall(Says(ksp, "recycles 2 vectors"));
  PetscCall(KSPDPCGSetRecycle(ksp, 12));
  PetscCall(Says(ksp, "keeps the directions"));
  for (int k = 0; k < 2; k++) PetscCall(Solve(ksp, b, &run));
  PetscCall(Says(ksp, "recycles 12 vectors"));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(KSPDPCGSetRecycle(ksp, 1));
  for (int k = 0; k < 4; k++) {
    PetscCall(Solve(ksp, c, &other));
    PetscCheck(other.reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Solve %d of another matrix: reason %d", k, (int)other.reason);
  }
  PetscCall(Says(ksp, "recycles no vectors: they cost more than they saved"));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPDPCGSetRecycle(ksp, 3)); /* does nothing for another method */
  for (Vec *v : {&b, &c, &run.x, &other.x}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refusals()
{
  Mat A;
  Vec b;
  KSP ksp;
  Run run;

  PetscFunctionBeginUser;
  PetscCall(Islands(PETSC_COMM_WORLD, true, &A));
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &run.x));
  PetscCall(NewSolver(A, KSPDPCG, std::string(DEFLATION) + "none -ksp_dpcg_recycle 4 -ksp_max_it 2000", &ksp));
  PetscCall(ExpectError(PETSC_ERR_SUP, "needs a preconditioner inside PC subdeflation", [&] { return KSPSolve(ksp, b, run.x); }));
  for (PetscInt k : {-1, 65})
    PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "recycles 0 to 64 vectors", [&] { return KSPDPCGSetRecycle(ksp, k); }));
  PetscCall(KSPDPCGSetRecycle(ksp, 0));
  PetscCall(Side(A, &b));
  PetscCall(Solve(ksp, b, &run));
  PetscCheck(run.reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Reason %d after refusals", (int)run.reason);
  for (Vec *v : {&b, &run.x}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(Eigenvectors());
  for (const char *pc : {"jacobi", "ip"}) PetscCall(Steps(pc, false));
  PetscCall(Steps("jacobi", true));
  PetscCall(Stiff());
  PetscCall(Settled());
  PetscCall(Life());
  PetscCall(Refusals());
  PetscCall(PetscFinalize());
  return 0;
}
