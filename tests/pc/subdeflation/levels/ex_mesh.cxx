static char help[] = "Subdeflation with no options on meshes of finite elements with nearly flat ones: the cycle by strength, and the smoother that it chooses.\n\n";

#include "cycle_same.h"
#include "failure.h"
#include "mesh.h"

struct Case {
  const char *name;
  int         dim;
  PetscInt    n;
  MeshProblem problem;
  PetscInt    most; /* iterations */
};

/* more rows than a dense inverse has on the device, 1024, so that there are levels */
static const Case cases[] = {
  {"Laplace 2-D",    2, 35, MeshProblem::laplace,    85 },
  {"jumps 2-D",      2, 35, MeshProblem::jumps,      95 },
  {"layers 2-D",     2, 35, MeshProblem::layers,     105},
  {"elasticity 2-D", 2, 25, MeshProblem::elasticity, 105},
  {"Laplace 3-D",    3, 11, MeshProblem::laplace,    65 },
  {"jumps 3-D",      3, 11, MeshProblem::jumps,      75 },
  {"layers 3-D",     3, 11, MeshProblem::layers,     85 },
  {"elasticity 3-D", 3, 8,  MeshProblem::elasticity, 105},
};

/* How a solve with the options ends, and its number of iterations */
static PetscErrorCode Solve(Mat A, const std::string &options, KSPConvergedReason *reason, PetscInt *its)
{
  KSP ksp;
  Vec x, b;

  PetscFunctionBeginUser;
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(CycleRandom(x, 1));
  PetscCall(MatMult(A, x, b));
  PetscCall(VecSet(x, 0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(Destroy(&ksp, &x, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations of all cases, of the default and as V-cycle */
struct Iterations {
  PetscInt w = 0, v = 0;
};

/* Without an option it is a cycle whose preconditioner is positive definite */
static PetscErrorCode Default(const Case &c, Mat A, const std::string &what, PetscInt *its)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CycleKSP(A, "-ksp_type fusedcg", &ksp));
  PetscCall(CheckSolve(ksp, what, its));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {"W-cycle over", "levels of aggregates of strongly coupled rows, l1jacobi 1 before and 1 after",
                           c.problem == MeshProblem::elasticity ? "l1jacobi because the block size is" : "is not diagonally dominant or has more than 7 entries"}));
  PetscCheck(*its <= c.most, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations, more than %" PetscInt_FMT, what.c_str(), *its, c.most);
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its iterations beside those of gamg, and of the V-cycle, which is a solver too */
static PetscErrorCode Compare(const Case &c, const Mesh &m, MatType type, Iterations *sum)
{
  const std::string  what = std::string(c.name) + ", " + type;
  Mat                A;
  PetscInt           its, gamg, v;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(MeshMat(m, c.problem, type, &A));
  PetscCall(Default(c, A, what, &its));
  if (!TestQuick()) {
    PetscCall(Solve(A, "-pc_type gamg", &reason, &gamg));
    PetscCheck(its <= 1.8 * gamg, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations, gamg %" PetscInt_FMT, what.c_str(), its, gamg);
    PetscCall(Solve(A, "-pc_subdeflation_cycle_type v -pc_subdeflation_overcorrection 1.8", &reason, &v));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " iterations, %" PetscInt_FMT " as V-cycle; gamg %" PetscInt_FMT "\n", what.c_str(), its, v, gamg));
    PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, V-cycle: %s", what.c_str(), KSPConvergedReasons[reason]);
    sum->w += its;
    sum->v += v;
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The meshes are bad enough: with smoothers that are no contraction the cycle is indefinite */
static PetscErrorCode Indefinite(const Case &c, const Mesh &m)
{
  const bool                      blocks = c.problem == MeshProblem::elasticity;
  const std::vector<const char *> in_2d  = blocks ? std::vector<const char *>{PCIP, PCJACOBI} : std::vector<const char *>{PCIP};
  const std::vector<const char *> in_3d  = {PCIP, PCJACOBI, PCPBJACOBI};
  Mat                             A;
  PetscInt                        its;
  KSPConvergedReason              reason;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(MeshMat(m, c.problem, MATBROW, &A));
  for (const char *smoother : c.dim == 2 ? in_2d : in_3d) {
    PetscCall(Solve(A, std::string("-pc_subdeflation_variant cycle -pc_subdeflation_smoother ") + smoother, &reason, &its));
    PetscCheck(reason == KSP_DIVERGED_INDEFINITE_PC, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s: %s", c.name, smoother, KSPConvergedReasons[reason]);
  }
  PetscCall(Destroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values of the same structure decide anew: rows of an M-matrix with up to 7 entries get ip, and l1-Jacobi when one of them is no longer dominant */
static PetscErrorCode Changed()
{
  const CycleGrid g{
    {36, 35, 1}
  };
  const std::string options = "-ksp_type cg";
  CycleGrid         all     = g;
  Mat               A;
  KSP               ksp;
  PetscInt          start, end;

  PetscFunctionBeginUser;
  all.comm   = PETSC_COMM_WORLD;
  all.planes = Splits(35)[0];
  PetscCall(SetOptions(""));
  PetscCall(CycleAIJ(all, &A));
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(SameAsNew(ksp, options, "ip because all rows are diagonally dominant and have up to 7 entries", "an M-matrix"));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  if (start <= 42 && end > 42) PetscCall(MatSetValue(A, 42, 42, -1e-3, ADD_VALUES)); /* an inner cell: its row sums to zero */
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(SameAsNew(ksp, options, "l1jacobi because row 42 is not diagonally dominant", "a row that is not dominant"));
  PetscCall(CycleFill(all, A));
  PetscCall(SameAsNew(ksp, options, "ip because all rows are diagonally dominant and have up to 7 entries", "the first values again"));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrices that are not symmetric, with convection, and methods for them */
static PetscErrorCode Wind()
{
  Mat      A;
  KSP      ksp;
  PetscInt its;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(MeshMat(MeshMake(2, 25), MeshProblem::wind, MATBROW, &A));
  for (const char *method : {"gmres", "fusedbcgs"}) {
    PetscCall(CycleKSP(A, std::string("-ksp_type ") + method, &ksp));
    PetscCall(CheckSolve(ksp, std::string("wind, ") + method, &its));
    PetscCheck(its <= 150, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "wind, %s: %" PetscInt_FMT " iterations", method, its);
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(Destroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows that are coupled with rows of other processes only have no aggregates: two levels, with both reasons, at each set-up; an error where the cycle is asked for */
static PetscErrorCode Refused()
{
  const PetscInt N = 4400; /* more than a dense inverse may have */
  PetscInt       start, end;
  Mat            A;
  KSP            ksp;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, N, 1, nullptr, 1, nullptr, &A));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
    PetscCall(MatSetValue(A, i, (i + N / 2) % N, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(CycleKSP(A, "-ksp_type cg", &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckSolve(ksp, "no aggregates"));
    PetscCall(
      CheckView(pc, {"two levels in place of a cycle, because level 0 has 4400 unknowns whose aggregates are hardly fewer, which are too many for a dense inverse\n", "subdomains stripes, variant adef2"}));
    PetscCall(MatScale(A, 2));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle", &pc));
  PetscCall(ExpectError(PETSC_ERR_SUP, "The variant cycle cannot be used: level 0 has 4400 unknowns", [&] { return PCSetUp(pc); }));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of 5 points on 68 x 65 cells, more than a dense inverse may have, and one in the other half of them, which is one of another process; the couplings with these are `near` and `far`, that of the first two rows is `first` */
static PetscErrorCode FillCells(PetscReal near, PetscReal far, PetscReal first, Mat A)
{
  const PetscInt n[2] = {68, 65}, N = n[0] * n[1];
  PetscInt       start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (int side = -1; side <= 1; side += 2) {
      const PetscInt x = i % n[0] + side, y = i / n[0] + side;
      if (x >= 0 && x < n[0]) PetscCall(MatSetValue(A, i, i + side, i + i + side == 1 ? -first : -near, INSERT_VALUES));
      if (y >= 0 && y < n[1]) PetscCall(MatSetValue(A, i, i + side * n[0], -near, INSERT_VALUES));
    }
    PetscCall(MatSetValue(A, i, (i + N / 2) % N, -far, INSERT_VALUES));
    PetscCall(MatSetValue(A, i, i, (i < 2 ? first : near) + 4, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kept solver whose matrix gets values that levels refuse, and others in the same structure: two levels and the cycle in turns. The values are couplings that rounding hides or, on several processes, none within a process. */
static PetscErrorCode InTurns(bool hidden)
{
  const PetscInt   N       = 68 * 65;
  const char *const reason = hidden ? "because the aggregate that begins with row 0 is coupled with the others by" :
                                      "because level 0 has 4420 unknowns whose aggregates are hardly fewer, which are too many for a dense inverse\n";
  Mat              A;
  KSP              ksp;
  PC               pc;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, N, 6, nullptr, 6, nullptr, &A));
  PetscCall(FillCells(1, 1, 1, A));
  PetscCall(CycleKSP(A, "-ksp_type cg", &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (int k = 0; k < 5; k++) {
    const bool refused = hidden ? k % 2 == 0 : !k; /* aggregates that have been found stay */
    if (refused) PetscCall(FillCells(hidden, 1, hidden ? 4e15 : 0, A));
    else PetscCall(FillCells(1, 0, 1, A));
    if (k > 2) PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetUp(ksp));
    if (!refused || !hidden) PetscCall(CheckSolve(ksp, refused ? "values that levels refuse" : "after values that levels refuse"));
    if (!refused) PetscCall(CheckView(pc, {"W-cycle over"}));
    else PetscCall(CheckView(pc, {reason, "subdomains stripes, variant adef2"}));
  }
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSP dpcg takes two levels, of stripes without a grid */
static PetscErrorCode Deflated()
{
  Mat A;
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(MeshMat(MeshMake(2, 17), MeshProblem::laplace, MATBROW, &A));
  PetscCall(CycleKSP(A, "-ksp_type dpcg", &ksp));
  PetscCall(CheckSolve(ksp, "dpcg"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {"subdomains stripes, variant adef2"}));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cases, or one of each dimension for sanitizers */
static PetscErrorCode Cases()
{
  const bool one = PetscGlobalSize == 1;
  Iterations sum;

  PetscFunctionBeginUser;
  for (const Case &c : cases) {
    if (TestQuick() && c.problem != (c.dim == 2 ? MeshProblem::jumps : MeshProblem::elasticity)) continue;
    const Mesh m = MeshMake(c.dim, c.n);
    if (one && !TestQuick()) PetscCall(Indefinite(c, m));
    PetscCall(Compare(c, m, one ? TestAIJ() : MATBROW, &sum));
  }
  PetscCheck(sum.w <= 0.97 * sum.v, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The default takes %" PetscInt_FMT " iterations in all cases, V-cycles %" PetscInt_FMT, sum.w, sum.v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, [] {
    PetscFunctionBeginUser;
    PetscCall(Cases());
    PetscCall(Changed());
    if (TestQuick()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Wind());
    PetscCall(Deflated());
    if (!PetscDefined(USE_REAL_SINGLE)) PetscCall(InTurns(true));
    if (PetscGlobalSize == 1) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(InTurns(false));
    PetscCall(Refused());
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}
