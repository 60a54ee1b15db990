static char help[] = "KSPFUSEDCG in float inside an outer iteration in double.\n\n";

#include "beside_cg.h"
#include "program.h"
#include "view.h"

static const PetscInt N = TestQuick() ? 8 : 20; /* cells a side */

static const char SINGLE[] = " -ksp_fusedcg_precision single";

/* Does the view say `text`? Only process 0 has the view. */
static PetscErrorCode Says(KSP ksp, const std::string &text, const std::string &what)
{
  std::string view;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_DEFAULT, &view));
  PetscCheck(rank || view.find(text) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the view does not say \"%s\":\n%s",
             what.c_str(), text.c_str(), view.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norm of b - A x relative to the norm of the first residual, b - A 3 */
static PetscErrorCode TrueResidual(Mat A, Vec b, Vec x, PetscReal *relative)
{
  Vec       r;
  PetscReal norm[2];

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAYPX(r, -1, b));
    PetscCall(VecNorm(r, NORM_2, &norm[k]));
    if (!k) PetscCall(VecSet(x, 3));
  }
  *relative = norm[0] / norm[1];
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   In float as in double: the reason, at most `more` times the iterations, a norm of each, and the same bits the second time. With the
   norm of the residual, b - A x passes the test. says: what the view says
*/
static PetscErrorCode Beside(Mat A, Vec b, const std::string &options, const std::string &says, PetscInt *its = nullptr,
                             double more = 1.6)
{
  const PetscReal tol = 1e-9;
  Run             run[3];
  PetscBool       same;
  PetscReal       relative[2];
  KSP             ksp;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(NewSolver(A, KSPFUSEDCG, options + " -ksp_initial_guess_nonzero" + (k ? SINGLE : ""), &ksp));
    PetscCall(KSPSetTolerances(ksp, tol, 0, 1e30, 1000));
    PetscCall(Solve(ksp, b, &run[k]));
    if (!k) PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(Says(ksp, says, options));
  PetscCall(Solve(ksp, b, &run[2]));
  PetscCall(KSPDestroy(&ksp));
  PetscCheck(run[0].reason > 0 && run[1].reason > 0 && run[1].its <= more * run[0].its + 5, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: reasons %d and %d after %d iterations, %d in float", options.c_str(), (int)run[0].reason, (int)run[1].reason,
             (int)run[0].its, (int)run[1].its);
  PetscCheck((PetscInt)run[1].history.size() == run[1].its + 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %d norms of %d iterations",
             options.c_str(), (int)run[1].history.size(), (int)run[1].its);
  PetscCall(VecEqual(run[1].x, run[2].x, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: other bits the second time", options.c_str());
  for (int k = 0; k < 2; k++) PetscCall(TrueResidual(A, b, run[k].x, &relative[k]));
  PetscCheck(relative[1] <= PetscMax(tol * (options.find("unpreconditioned") != std::string::npos ? 1.0001 : 1e3), 2 * relative[0]),
             PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: b - A x is %g of the first residual, in double %g", options.c_str(),
             (double)relative[1], (double)relative[0]);
  if (its) *its = run[1].its;
  for (Run &r : run) PetscCall(VecDestroy(&r.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the test's matrices and processes allow */
static std::string Expected()
{
  PetscMPIInt size;

  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (PetscDefined(USE_REAL_SINGLE)) return "in double, because so is PETSc, which has no double";
  if (size > 1) return "in double, because there are several MPI processes";
  return std::string(TestType()).find(MATBDIA) == 0 ? "in single, with" : "in double, because the matrix is not in block diagonals";
}

/* Matrices of tiny and huge numbers take the iterations of others */
static PetscErrorCode Scales()
{
  PetscInt its[3];
  Mat      A;
  Vec      b;
  int      k = 0;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Side(A, &b));
  for (double scale : {1., 1e-60, 1e120}) { /* times the scale before */
    if (PetscDefined(USE_REAL_SINGLE)) scale = std::pow(scale, 0.1);
    PetscCall(MatScale(A, (PetscReal)scale));
    PetscCall(VecScale(b, (PetscReal)scale));
    PetscCall(Beside(A, b, "-pc_type jacobi -ksp_norm_type unpreconditioned", Expected(), &its[k++]));
  }
  PetscCall(VecDestroy(&b));
  PetscCheck(PetscDefined(USE_REAL_SINGLE) || (PetscAbsInt(its[1] - its[0]) <= 1 && PetscAbsInt(its[2] - its[0]) <= 1),
             PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%d iterations, %d and %d with other scales", (int)its[0], (int)its[1], (int)its[2]);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three unknowns a cell, each coupled with itself in the cells beside, and with the other two in the cell */
static PetscErrorCode BlockMat(Mat *A)
{
  const PetscInt bs = 3;
  PairSpec       s;
  PetscInt       start, end;

  PetscFunctionBeginUser;
  s.nb = N * N;
  s.bs = bs;
  PetscCall(PairCreateOne(PETSC_COMM_WORLD, s, TestType(), A));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    const PetscInt cell = i / bs;
    for (PetscInt to : {cell - N, cell - 1, cell + 1, cell + N}) {
      if (to < 0 || to >= N * N) continue;
      PetscCall(MatSetValue(*A, i, to * bs + i % bs, -1 - PetscMin(cell, to) % 3, INSERT_VALUES));
    }
    for (PetscInt r = 0; r < bs; r++)
      PetscCall(MatSetValue(*A, i, cell * bs + r, cell * bs + r == i ? 12.5 + 3 * r : -0.25, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solves()
{
  Mat A;
  Vec b;

  PetscFunctionBeginUser;
  for (bool blocks : {false, true}) {
    PetscCall(blocks ? BlockMat(&A) : PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
    PetscCall(Side(A, &b));
    for (const char *pc : {"none", "jacobi", "pbjacobi", "ip"}) {
      if (!strcmp(pc, "pbjacobi") && !blocks) continue;
      for (const char *norm : {"unpreconditioned", "preconditioned", "natural"})
        PetscCall(Beside(A, b, std::string("-pc_type ") + pc + " -ksp_norm_type " + norm, Expected()));
    }
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves that are in double whatever the choice, and the reason that the view gives */
static PetscErrorCode Refusals()
{
  const char *const cases[][2] = {
    {"-pc_type blockic", "the preconditioner is none of none, jacobi"},
    {"-pc_type jacobi -ksp_fusedcg_flexible", "so is this form of the method"},
    {"-pc_type jacobi -ksp_fusedcg_single_reduction", "so is this form of the method"},
    {"-pc_type jacobi -ksp_convergence_test skip", "no norm is tested"},
    {"-pc_type jacobi -ksp_fusedcg_error_estimate", "errors are estimated"},
    {"-pc_type jacobi -ksp_monitor_true_residual ascii:/dev/null", "a monitor or a convergence test looks at more"},
  };
  Run run;
  Mat A;
  Vec b;
  KSP ksp;

  PetscFunctionBeginUser;
  if (Expected() != "in single, with") PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Side(A, &b));
  for (const auto &c : cases) {
    PetscCall(NewSolver(A, KSPFUSEDCG, std::string(c[0]) + SINGLE, &ksp));
    PetscCall(Solve(ksp, b, &run));
    PetscCheck(run.reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d", c[0], (int)run.reason);
    PetscCall(Says(ksp, std::string("in double, because ") + c[1], c[0]));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(VecDestroy(&run.x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One cell holds two regions, which hardly exchange anything: floats cannot hold the small row sums, and double goes on */
static PetscErrorCode Hard()
{
  const auto coupling = [](PetscInt x, PetscInt, PetscInt X, PetscInt) { return (x < N / 2) == (X < N / 2) ? 1 : 1e-10; };
  Mat        A;
  Vec        b;

  PetscFunctionBeginUser;
  if (Expected() != "in single, with") PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CellMat(PETSC_COMM_WORLD, N, TestType(), true, coupling, &A));
  PetscCall(Side(A, &b));
  PetscCall(Beside(A, b, "-pc_type jacobi -ksp_norm_type unpreconditioned", "then in double, because single goes no further",
                   nullptr, 2.5));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The limit on iterations, values that are not numbers, an indefinite matrix, and then good values again in a kept solver */
static PetscErrorCode Ends()
{
  const PetscReal bad[] = {0, PETSC_INFINITY, -1e3};
  PetscInt        its   = 0;
  Run             run;
  Mat             A;
  Vec             b;
  KSP             ksp;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, KSPFUSEDCG, std::string("-pc_type none -ksp_norm_type unpreconditioned -ksp_max_it 7") + SINGLE, &ksp));
  PetscCall(Solve(ksp, b, &run));
  PetscCheck(run.reason == KSP_DIVERGED_ITS && run.its == 7 && run.history.size() == 8, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "reason %d after %d iterations, of at most 7", (int)run.reason, (int)run.its);
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 1000));
  for (PetscReal number : bad) {
    for (PetscReal diagonal : {number, (PetscReal)4}) { /* as in an inner row, or in a row beside the wall */
      const bool good = diagonal == 4;
      if (!number && !good) continue;
      PetscCall(MatSetValue(A, N + 3, N + 3, diagonal, INSERT_VALUES));
      PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      PetscCall(Solve(ksp, b, &run));
      PetscCheck(good ? run.reason > 0 && (!its || run.its == its) : run.reason < 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
                 "diagonal entry %g: reason %d after %d iterations", (double)diagonal, (int)run.reason, (int)run.its);
      if (good) its = run.its;
    }
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&run.x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Closed walls, and a null space that the matrix knows */
static PetscErrorCode Singular()
{
  MatNullSpace null;
  Mat          A;
  Vec          b;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), false, &A));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(Side(A, &b));
  PetscCall(MatNullSpaceRemove(null, b));
  PetscCall(Beside(A, b, "-pc_type jacobi -ksp_norm_type unpreconditioned", Expected()));
  PetscCall(MatNullSpaceDestroy(&null));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, [] {
    PetscCall(Solves());
    PetscCall(Scales());
    PetscCall(Refusals());
    PetscCall(Hard());
    PetscCall(Ends());
    PetscCall(Singular());
    return PETSC_SUCCESS;
  });
}
