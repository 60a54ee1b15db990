static char help[] = "PCAGGMG against dense matrices: symmetric, positive definite, and a contraction, for 200 random positive "
                     "definite matrices; meshes, changed values, what it refuses.\n\n";

#include "dense.h"
#include "entries.h"
#include "failure.h"
#include "mesh.h"
#include "program.h"
#include "view.h"

/* Random elements v v^T of a few nodes with entries of both signs, a small diagonal, and by kind a node next to all, parts that
   are apart, rows of a single entry, factors from 1 to 1e4 */
static Entries Random(PetscInt seed)
{
  const int      kind = seed % 5;
  const PetscInt n = 20 + seed % 130, bs = seed % 7 == 3 ? 2 : 1, rows = n / bs * bs;
  Dense          A(rows);
  Entries        e;

  const auto number = [&](PetscInt i, PetscInt j) { return PairNumber(i, j, seed); };
  for (PetscInt m = 0; m < 2 * rows; m++) {
    PetscInt  node[4];
    PetscReal v[4], size = kind == 4 && m % 3 == 0 ? 1e4 : 1;
    for (int k = 0; k < 4; k++) {
      node[k] = (m / 2 + (PetscInt)(std::abs(number(m, k)) * (k ? 7 : 1))) % rows;
      if (kind == 1 && k == 3) node[k] = 0;
      if (kind == 2 && (node[k] < rows / 3) != (node[0] < rows / 3)) node[k] = node[0];
      v[k] = number(m, k + 10);
      if (kind == 3 && node[k] % 6 == 0) v[k] = 0;
    }
    for (int k = 0; k < 16; k++) A(node[k / 4], node[k % 4]) += size * v[k / 4] * v[k % 4];
  }
  e.n         = rows;
  e.bs        = bs;
  e.symmetric = true;
  for (PetscInt i = 0; i < rows; i++) {
    A(i, i) += 1e-2;
    for (PetscInt j = 0; j < rows; j++) {
      if (A(i, j) != 0) e.Add(i, j, A(i, j));
    }
  }
  return e;
}

/* M is symmetric and positive definite, and no eigenvalue of M A is above one: A - A M A has no negative one */
static PetscErrorCode CheckPC(Mat A, PC pc, PetscReal tol, const std::string &what)
{
  Dense     a, m, t;
  PetscReal most = 0;

  PetscFunctionBeginUser;
  PetscCall(DenseFromMat(A, &a));
  PetscCall(DenseFromPC(pc, A, false, &m));
  PetscCall(DenseFromPC(pc, A, true, &t));
  PetscCall(CheckDense(m, DenseTranspose(m), tol, what + ", symmetric"));
  PetscCall(CheckDense(m, t, tol, what + ", transposed"));
  for (PetscReal x : a.a) most = PetscMax(most, std::abs(x));
  const Dense half = DenseSum(0.5, m, 0.5, DenseTranspose(m));
  PetscCheck(SmallestPivot(half) > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the preconditioner is not positive definite",
             what.c_str());
  const Dense left = DenseSum(1, a, -1, DenseProduct(a, DenseProduct(half, a)));
  PetscCheck(SmallestPivot(DenseSum(1, left, TestTolerance(tol) * most, DenseIdentity(a.n))) > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: an eigenvalue of M A is above 1", what.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRandom(PetscInt seed, MatType type)
{
  const bool        single  = seed % 3 == 0;
  const std::string options = "-pc_type aggmg -pc_aggmg_coarse_size " + std::to_string(seed % 2 ? 8 : 20) + " -pc_aggmg_degree " +
                              std::to_string(2 + seed % 3) + " -pc_aggmg_storage " + (single ? "single" : "double") +
                              (seed % 11 == 5 ? " -pc_aggmg_threshold 0.1" : "") +
                              (seed % 13 == 7 ? " -pc_aggmg_smooth_prolongation no" : "") +
                              (seed % 2 ? " -pc_aggmg_gather 0" : "");
  Mat               A;
  PC                pc;

  PetscFunctionBeginUser;
  PetscCall(Make(PETSC_COMM_WORLD, type, Random(seed), &A));
  PetscCall(NewPC(A, options, &pc));
  PetscCall(CheckPC(A, pc, single ? 1e-4 : 1e-9, "random matrix " + std::to_string(seed) + ", " + type + ", " + options));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations of fusedcg for A and an application, y, with values of A in place of other ones of the same structure; other: none
   for a new preconditioner */
static PetscErrorCode SolveChanged(Mat A, Mat other, const std::string &options, Vec b, PetscInt *its, Vec *y)
{
  KSP ksp;
  PC  pc;
  Mat W;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(other ? other : A, MAT_COPY_VALUES, &W));
  PetscCall(MatSetOption(W, MAT_SPD, PETSC_TRUE));
  const std::string all = "-ksp_type fusedcg -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 -pc_type aggmg "
                          "-pc_aggmg_coarse_size 50 -pc_aggmg_threshold 0 " +
                          options;
  PetscCall(NewKSP(W, all, &ksp));
  if (other) {
    PetscCall(KSPSetUp(ksp));
    PetscCall(MatCopy(A, W, SAME_NONZERO_PATTERN));
    PetscCall(MatSetOption(W, MAT_SPD, PETSC_TRUE));
    PetscCall(KSPSetOperators(ksp, W, W));
  }
  PetscCall(VecDuplicate(b, y));
  PetscCall(KSPSolve(ksp, b, *y));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCApply(pc, b, *y));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&W));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   On one process new interpolation is nearer to that of a new preconditioner, from which the bounds of eigenvalues differ, than
   the kept interpolation; iterations are about the same with both
*/
static PetscErrorCode CheckChanged(Mat A, Mat other)
{
  const char *const options[] = {"", "-pc_aggmg_reuse_interpolation no", ""};
  PetscInt          its[3];
  PetscReal         far[2];
  PetscMPIInt       size;
  Vec               x, b, y[3];

  PetscFunctionBeginUser;
  PetscCall(NewVecs(A, &x, &b));
  for (int k = 0; k < 3; k++) PetscCall(SolveChanged(A, k < 2 ? other : nullptr, options[k], b, &its[k], &y[k]));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecAXPY(y[k], -1, y[2]));
    PetscCall(VecNorm(y[k], NORM_2, &far[k]));
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size > 1 || far[1] < far[0] / 2, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "New values: kept interpolation is %g from a new preconditioner, new interpolation %g", (double)far[0],
             (double)far[1]);
  PetscCheck(its[0] <= its[2] + its[2] / 2 && PetscAbsInt(its[1] - its[2]) <= 3, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "New values: %" PetscInt_FMT " iterations, with new interpolation %" PetscInt_FMT
             ", with a new preconditioner %" PetscInt_FMT,
             its[0], its[1], its[2]);
  for (Vec &v : y) PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With two levels the preconditioner is the same whether the second level is distributed or gathered */
static PetscErrorCode CheckDistributed(const Mesh &mesh, MeshProblem problem, MatType type, const char what[])
{
  PetscReal size, far;
  PC        pc[2];
  Mat       A;
  Vec       x, b, y;

  PetscFunctionBeginUser;
  PetscCall(MeshMat(mesh, problem, type, &A));
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  for (int k = 0; k < 2; k++)
    PetscCall(
      NewPC(A, std::string("-pc_type aggmg -pc_aggmg_levels 2 -pc_aggmg_storage double -pc_aggmg_gather ") + (k ? "100000" : "0"),
            &pc[k]));
  PetscCall(CheckView(pc[1], {"and levels from 1 on again on each process"}));
  for (int values = 0; values < 2; values++) {
    PetscCall(PCApply(pc[0], b, x));
    PetscCall(PCApply(pc[1], b, y));
    PetscCall(VecNorm(y, NORM_2, &size));
    PetscCall(VecAXPY(y, -1, x));
    PetscCall(VecNorm(y, NORM_2, &far));
    PetscCheck(
      far <= TestTolerance(1e-10) * size, PETSC_COMM_SELF, PETSC_ERR_PLIB,
      "%s, %s: an application with a distributed second level is %g from that with a gathered second level, whose length is %g",
      what, type, (double)far, (double)size);
    PetscCall(MatScale(A, 3));
    PetscCall(MatShift(A, 1));
    for (PC p : pc) {
      PetscCall(PCSetOperators(p, A, A));
      PetscCall(PCSetUp(p));
    }
  }
  for (PC &p : pc) PetscCall(PCDestroy(&p));
  for (Vec *v : {&x, &b, &y}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Meshes, with at most so many iterations */
static PetscErrorCode CheckMesh(const Mesh &mesh, MeshProblem problem, MatType type, PetscInt most, const char what[])
{
  PetscInt           its;
  KSPConvergedReason reason;
  KSP                ksp;
  Mat                A;
  Vec                x, b;

  PetscFunctionBeginUser;
  PetscCall(MeshMat(mesh, problem, type, &A));
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(NewKSP(A,
                   "-ksp_type fusedcg -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 -pc_type aggmg -pc_aggmg_coarse_size 50 "
                   "-pc_aggmg_gather 100",
                   &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0 && its <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s, %s: %" PetscInt_FMT " iterations, at most %" PetscInt_FMT " expected, reason %d", what, type, its, most,
             (int)reason);
  if (problem == MeshProblem::jumps) {
    Mat other;
    PetscCall(MeshMat(mesh, MeshProblem::layers, type, &other));
    PetscCall(CheckChanged(A, other));
    PetscCall(MatDestroy(&other));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRefused(MatType type)
{
  const std::string aggmg = "-pc_type aggmg ";
  Entries           e     = Random(40);
  Mat               A;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < e.v.size(); k++) {
    if (e.i[k] == 7 && e.j[k] == 7) e.v[k] = -1;
  }
  PetscCall(
    ExpectRefused(PETSC_COMM_WORLD, type, e, aggmg, PETSC_ERR_SUP, "the diagonal entry of row 7 is 0 or of another sign"));
  PetscCall(Make(PETSC_COMM_WORLD, type, Random(40), &A));
  for (const auto &[option, words] :
       {std::pair<const char *, const char *>{"-pc_aggmg_degree 5", "-pc_aggmg_degree 5 must be from 2 to 4"},
        {"-pc_aggmg_threshold 1.5", "-pc_aggmg_threshold 1.5 must be from 0"},
        {"-pc_aggmg_coarse_size 5000", "must be from 1 to 4096"}}) {
    PC pc = nullptr;
    PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, words, [&, o = option] { return NewPC(A, aggmg + o, &pc); }));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscMPIInt                size;
  const std::vector<MatType> types = {TestAIJ(), TestOnDevice() ? MATBDIACUDA : MATBDIA, TestOnDevice() ? MATBROWCUDA : MATBROW};

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt seed = 0; seed < 200; seed += TestQuick() ? 67 : size > 2 ? 41 : size > 1 ? 9 : TestOnDevice() ? 5 : 1)
    PetscCall(CheckRandom(seed, types[(size_t)seed % 3]));
  for (MatType type : {types[0], types[2]}) {
    if (TestQuick()) break;
    PetscCall(CheckMesh(MeshMake(2, 35), MeshProblem::laplace, type, 60, "2-D Laplace"));
    PetscCall(CheckMesh(MeshMake(3, 12), MeshProblem::jumps, type, 51, "3-D jumps"));
    PetscCall(CheckMesh(MeshMake(2, 24), MeshProblem::elasticity, type, 90, "2-D elasticity, constants"));
    PetscCall(CheckRefused(type));
    if (size == 1) continue;
    PetscCall(CheckDistributed(MeshMake(2, 115), MeshProblem::laplace, type, "2-D Laplace"));
    PetscCall(CheckDistributed(MeshMake(2, 85), MeshProblem::elasticity, type, "2-D elasticity"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
