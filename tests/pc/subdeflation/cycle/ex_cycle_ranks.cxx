static char help[] = "The cycle over nested boxes on several processes: against dense arithmetic with their boxes, and against one process.\n\n";

#include "cycle_dense.h"

#include "failure.h"

static std::string Name(const CycleGrid &g)
{
  std::string name = CycleName(g) + " as";

  for (PetscInt planes : g.planes) name += " " + std::to_string(planes);
  return name;
}

static CycleGrid Split(CycleGrid g, const std::vector<PetscInt> &planes)
{
  g.comm   = PETSC_COMM_WORLD;
  g.planes = planes;
  return g;
}

static std::string Gather(PetscInt cells)
{
  return " -pc_subdeflation_gather " + std::to_string(cells);
}

/* Applications, with all levels but the last in slabs, some, and none */
static PetscErrorCode Oracle(const CycleGrid &g, const std::vector<PetscInt> &sizes)
{
  Mat A;

  PetscFunctionBeginUser;
  for (bool half : {false, true}) {
    PetscCall(CycleMat(g, &A, half));
    for (PetscInt gather : {(PetscInt)0, g.Cells() / 3, g.Cells()}) {
      PetscCall(CheckCycle(g, A, sizes, {}, "-pc_subdeflation_cycle_storage double" + Gather(gather), PetscMax(1e-10, 100 * PETSC_MACHINE_EPSILON), gather));
      PetscCall(CheckCycle(g, A, sizes, {}, "-pc_subdeflation_cycle_storage single" + Gather(gather), 1e-5, gather));
      for (const CycleShape &s : {
             CycleShape{1.8, true,  1, 1, false},
             {1.8, false, 2, 1, false},
             {1.8, false, 0, 1, false},
             {1.8, true,  1, 2, true }
      })
        if (!half) PetscCall(CheckCycle(g, A, sizes, s, "-pc_subdeflation_cycle_storage double" + Gather(gather), PetscMax(1e-10, 100 * PETSC_MACHINE_EPSILON), gather));
    }
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Oracles(const CycleGrid &g, const std::vector<PetscInt> &sizes)
{
  PetscFunctionBeginUser;
  for (const auto &planes : Splits(g.n[g.Last()])) PetscCall(Oracle(Split(g, planes), sizes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of an application is symmetric, the transposed application's too, and positive definite */
static PetscErrorCode Definite(const CycleGrid &g)
{
  Mat   A;
  PC    pc;
  Dense B, C;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle -pc_subdeflation_cycle_storage double -pc_subdeflation_levels 3" + Gather(0), &pc));
  PetscCall(DenseFromPC(pc, A, false, &B));
  PetscCall(DenseFromPC(pc, A, true, &C));
  PetscCall(CheckDense(B, DenseTranspose(B), 1e-12, Name(g) + ", symmetry"));
  PetscCall(CheckDense(B, C, 1e-12, Name(g) + ", transposed application"));
  PetscCheck(SmallestPivot(B) > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: pivot %g of the preconditioner's matrix", Name(g).c_str(), (double)SmallestPivot(B));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *x <- the solution for the random right-hand side, without its mean where the matrix is singular; *its <- the iterations, if there are */
static PetscErrorCode Solution(const CycleGrid &g, Mat A, const std::string &options, Vec *x, PetscInt *its)
{
  KSP                ksp;
  Vec                b;
  MatNullSpace       constants = nullptr;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, x, &b));
  PetscCall(CycleRandom(b, 8));
  if (g.closed) {
    PetscCall(MatNullSpaceCreate(g.comm, PETSC_TRUE, 0, nullptr, &constants));
    PetscCall(MatSetNullSpace(A, constants));
    PetscCall(MatNullSpaceRemove(constants, b));
  }
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(KSPSolve(ksp, b, *x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s: reason %d", Name(g).c_str(), options.c_str(), (int)reason);
  PetscCall(KSPGetIterationNumber(ksp, its));
  if (constants) PetscCall(MatNullSpaceRemove(constants, *x));
  PetscCall(MatNullSpaceDestroy(&constants));
  PetscCall(Destroy(&ksp, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterations of one process but for 2, and the solution of its LU factorization, or where the matrix is singular of its cycle */
static PetscErrorCode Solves(CycleGrid g, const std::string &kind, std::string options)
{
  const std::string  what = Name(g) + ", " + kind + ", " + options, grid = " -pc_subdeflation_grid " + std::to_string(g.n[0]) + "," + std::to_string(g.n[1]) + "," + std::to_string(g.n[2]);
  CycleGrid          alone = g;
  Mat                A, one;
  Vec                x, y, exact;
  PetscInt           its, of_one, none, start, end;
  const PetscScalar *a, *e;

  PetscFunctionBeginUser;
  alone.comm = PETSC_COMM_SELF;
  alone.planes.clear();
  PetscCall(kind == "aij" ? CycleAIJ(g, &A) : CycleMat(g, &A, kind == "half"));
  options += grid + " -pc_subdeflation_variant cycle";
  PetscCall(CycleAIJ(alone, &one));
  PetscCall(Solution(g, A, options, &x, &its));
  PetscCall(Solution(alone, one, options, &y, &of_one));
  PetscCheck(PetscAbsInt(its - of_one) <= 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations, and %" PetscInt_FMT " on one process", what.c_str(), its, of_one);
  if (g.closed) exact = y;
  else {
    PetscCall(Solution(alone, one, "-ksp_type preonly -ksp_norm_type none -pc_type lu", &exact, &none));
    PetscCall(VecDestroy(&y));
  }
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(exact, &e));
  for (PetscInt i = start; i < end; i++) PetscCheck(std::abs(a[i - start] - e[i]) <= 1e-5 * (1 + std::abs(e[i])), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " is %g, not %g", what.c_str(), i, (double)a[i - start], (double)e[i]);
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(VecRestoreArrayRead(exact, &e));
  PetscCall(Destroy(&x, &exact, &A, &one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From values in float, over the borders too, whose row sums are not zero any more */
static PetscErrorCode FromSingle(const CycleGrid &g)
{
  Mat A, P;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CycleMat(g, &P, false, true));
  PetscCall(CycleKSP(A, "-pc_subdeflation_variant cycle" + Gather(0), &ksp));
  PetscCall(KSPSetOperators(ksp, A, P));
  PetscCall(CheckSolve(ksp, Name(g) + ", from single"));
  PetscCall(Destroy(&ksp, &A, &P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Applications of the kept solver have the bits of a new one's with the same options */
static PetscErrorCode SameAsNew(KSP kept, Mat A, const std::string &what)
{
  KSP       ksp;
  PC        pc;
  Vec       x, y[2];
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(KSPSetOperators(kept, A, A));
  PetscCall(CheckSolve(kept, what));
  PetscCall(CycleKSP(A, Gather(0), &ksp));
  PetscCall(KSPSetUp(ksp));
  PetscCall(MatCreateVecs(A, &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(CycleRandom(x, 3));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPGetPC(k ? ksp : kept, &pc));
    PetscCall(PCApply(pc, x, y[k]));
    PetscCall(CheckView(pc, {"V-cycle over"}));
  }
  PetscCall(VecEqual(y[0], y[1], &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: not what a new solver does", what.c_str());
  PetscCall(Destroy(&ksp, &x, &y[0], &y[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other values, also bad ones on one process alone, which are an error of all; other locations of entries; other planes for the processes */
static PetscErrorCode Changes(CycleGrid g)
{
  KSP ksp;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(CycleMat(g, &A));
  PetscCall(CycleKSP(A, Gather(0), &ksp));
  PetscCall(SameAsNew(ksp, A, Name(g) + ", first values"));
  g.seed  = 2;
  g.scale = 1e-3;
  PetscCall(CycleFill(g, A));
  PetscCall(SameAsNew(ksp, A, Name(g) + ", other values"));
  for (PetscInt row : {(PetscInt)0, g.Cells() / 2, g.Cells() - 1}) {
    PetscInt start, end;
    PetscCall(MatGetOwnershipRange(A, &start, &end));
    if (row >= start && row < end) PetscCall(MatSetValue(A, row, row, std::nan(""), INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(ExpectError(PETSC_ERR_FP, "row " + std::to_string(row) + " of the matrix has an entry that is Inf or NaN", [&] { return KSPSetUp(ksp); }));
    PetscCall(CycleFill(g, A));
  }
  PetscCall(SameAsNew(ksp, A, Name(g) + ", good again"));
  PetscCall(MatDestroy(&A));
  for (const auto &planes : Splits(g.n[g.Last()])) {
    PetscCall(KSPReset(ksp));
    g.planes = planes;
    PetscCall(CycleMat(g, &A));
    PetscCall(SameAsNew(ksp, A, Name(g) + ", after another matrix"));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static CycleGrid Grid(PetscInt x, PetscInt y, PetscInt z, PetscReal contrast = 1000, bool closed = false)
{
  CycleGrid g{};

  g.n[0]     = x;
  g.n[1]     = y;
  g.n[2]     = z;
  g.contrast = contrast;
  g.closed   = closed;
  return g;
}

/* How often levels are exchanged: before each pass where a process has few planes, or the cycle is none of the default */
static PetscErrorCode Exchanges(PetscInt lines, const std::string &options, const std::vector<const char *> &view)
{
  PetscMPIInt size;
  Mat         A;
  PC          pc;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CycleMat(Split(Grid(10, lines * size, 1), std::vector<PetscInt>(size, lines)), &A));
  PetscCall(CyclePC(A, "-pc_subdeflation_levels 3" + Gather(0) + options, &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckView(pc, view));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  const char *const kinds[] = {"full", "half", "aij"};

  PetscFunctionBeginUser;
  PetscCall(Oracles(Grid(120, 1, 1), {2, 2, 2}));
  PetscCall(Oracles(Grid(13, 19, 1), {2, 2}));
  PetscCall(Oracles(Grid(9, 22, 1), {3, 2}));
  PetscCall(Oracles(Grid(12, 1, 18), {2, 3}));
  PetscCall(Oracles(Grid(1, 7, 24), {2, 2, 2}));
  PetscCall(Oracles(Grid(5, 4, 17), {2, 2}));
  PetscCall(Oracles(Grid(6, 3, 10), {4}));
  PetscCall(Oracles(Grid(5, 8, 1), {}));
  PetscCall(Oracles(Grid(30, 4, 1), {2})); /* with a line for each of 4 processes, which alone has no couplings along the last axis */
  PetscCall(Exchanges(10, "", {"level 0: 3 planes of each neighbor, once", "level 1: 4 planes of each neighbor, once"}));
  PetscCall(Exchanges(10, " -pc_subdeflation_smooth_post 2", {"level 0: one plane of each neighbor before each pass"}));
  PetscCall(Exchanges(2, "", {"level 0: one plane of each neighbor before each pass"}));
  for (const CycleGrid &g : {Grid(8, 21, 1), Grid(4, 3, 15)}) {
    for (const auto &planes : Splits(g.n[g.Last()])) PetscCall(Definite(Split(g, planes)));
  }
  for (const CycleGrid &g : {Grid(301, 1, 1, 10), Grid(33, 45, 1), Grid(24, 31, 1, 1e6), Grid(13, 11, 26), Grid(28, 40, 1, 1000, true), Grid(9, 10, 21, 1000, true)}) {
    size_t kind = 0; /* with another method each time */
    for (const auto &planes : Splits(g.n[g.Last()])) {
      for (const char *method : {"cg", "fusedcg", "gmres"}) {
        for (PetscInt gather : {0, 16384}) PetscCall(Solves(Split(g, planes), kinds[kind++ % 3], std::string("-ksp_type ") + method + Gather(gather)));
      }
      kind++;
      PetscCall(FromSingle(Split(g, planes)));
    }
  }
  for (const CycleGrid &g : {Grid(17, 23, 1), Grid(6, 7, 14), Grid(150, 1, 1)}) PetscCall(Changes(Split(g, Splits(g.n[g.Last()])[1])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
