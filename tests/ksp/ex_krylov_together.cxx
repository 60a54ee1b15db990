static char help[] = "Several Krylov methods in one program: two on one matrix, changes between their solves, several right-hand "
                     "sides, transposed solves, their ends in any order.\n\n";

#include "krylov.h"
#include "windy.h"

static const PetscInt N = TestQuick() ? 6 : 9; /* cells a side */

/* What a new solver of the method gives now */
static PetscErrorCode SolveByNew(Mat A, KSPType type, const std::string &options, Vec b, Run *run)
{
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(NewSolver(A, type, options, &ksp));
  PetscCall(Solve(ksp, b, run));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver that is kept does what a new one does, bit by bit */
static PetscErrorCode AsNew(KSP ksp, KSPType type, const std::string &options, const std::string &when)
{
  const std::string what = std::string(type) + " " + options + ", " + when;
  Mat               A;
  Vec               b;
  Run               kept, other;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(Side(A, &b));
  PetscCall(Solve(ksp, b, &kept));
  PetscCall(SolveByNew(A, type, options, b, &other));
  PetscCheck(kept.reason > 0 && kept.its > 2 && kept.reason == other.reason, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: reason %d after %d iterations, of a new solver %d", what.c_str(), (int)kept.reason, (int)kept.its,
             (int)other.reason);
  PetscCheck(kept.history == other.history, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: not the norms of a new solver", what.c_str());
  PetscCall(CheckAnswer(other.x, kept.x, 0, what));
  for (Vec *v : {&b, &kept.x, &other.x}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dense matrices of the vectors' type; B's columns are numbers of their own */
static PetscErrorCode Columns(Mat A, PetscInt columns, Mat *B, Mat *X)
{
  PetscInt     n, start;
  PetscScalar *a;
  VecType      type;

  PetscFunctionBeginUser;
  PetscCall(MatGetVecType(A, &type));
  PetscCall(MatGetLocalSize(A, &n, nullptr));
  PetscCall(MatGetOwnershipRange(A, &start, nullptr));
  for (Mat *M : {B, X})
    PetscCall(MatCreateDenseFromVecType(PetscObjectComm((PetscObject)A), type, n, PETSC_DECIDE, PETSC_DETERMINE, columns, -1,
                                        nullptr, M));
  PetscCall(MatDenseGetArrayWrite(*B, &a));
  for (PetscInt c = 0; c < columns; c++) {
    for (PetscInt i = 0; i < n; i++) a[c * n + i] = PairNumber(start + i, c, 8);
  }
  PetscCall(MatDenseRestoreArrayWrite(*B, &a));
  for (Mat M : {*B, *X}) {
    PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More columns than before need more work space, which a recording must not hold on to */
static PetscErrorCode ApplyToColumns(KSP ksp, PetscInt columns)
{
  Mat A, B, X;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(Columns(A, columns, &B, &X));
  PetscCall(PCMatApply(pc, B, X));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver, and the options of a new one that does the same */
struct Solver {
  KSP           ksp = nullptr;
  const Method *m;
  std::string   options;

  PetscErrorCode Check(const std::string &when) const { return AsNew(ksp, m->types.ours, options, when); }
};

/* Another preconditioner, in the solver by PETSc's functions and in the options; deflated it is the one inside */
static PetscErrorCode ChangePC(Solver &k, const char *type, const char *options, HeptaIPVariant variant)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(k.ksp, &pc));
  if (k.m->deflated) PetscCall(PCSubdeflationGetPC(pc, &pc));
  PetscCall(PCSetType(pc, type));
  if (!strcmp(type, PCIP)) PetscCall(PCIPSetVariant(pc, variant));
  k.options = WithPC(*k.m, std::string(type) + options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Turns(Mat A, Mat other, Solver k[2])
{
  PetscFunctionBeginUser;
  for (int step = 0; step < 8; step++) {
    const std::string when = "step " + std::to_string(step);

    if (step == 1) PetscCall(MatScale(A, 2.5));
    if (step == 2) PetscCall(ApplyToColumns(k[0].ksp, 20));
    if (step == 3) PetscCall(ApplyToColumns(k[1].ksp, 45));
    if (step == 4) PetscCall(ChangePC(k[0], PCBLOCKIC, "", HEPTA_IP_SCALED));
    if (step == 5) PetscCall(ChangePC(k[0], PCIP, " -pc_ip_variant full", HEPTA_IP_FULL));
    if (step == 6) PetscCall(ChangePC(k[1], PCJACOBI, "", HEPTA_IP_SCALED));
    if (step == 7) PetscCall(KSPSetOperators(k[1].ksp, other, other));
    PetscCall(k[0].Check(when));
    PetscCall(k[1].Check(when));
    PetscCall(k[0].Check(when + ", once more"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values of the matrix, and the preconditioner's work space for these, leave the recording as it is */
static PetscErrorCode RecordedOnce(Mat A, KSPType type, const std::string &options)
{
  const char  words[] = "recordings so far: 1)";
  std::string view;
  KSP         ksp;
  Vec         b, x;

  PetscFunctionBeginUser;
  PetscCall(NewSolver(A, type, options, &ksp));
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x)); /* a recording has its address */
  for (PetscReal factor : {1., 1.25, 0.8}) {
    PetscCall(MatScale(A, factor));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_DEFAULT, &view));
    PetscCheck(view.find(words) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s %s, values times %g: no \"%s\" in\n%s",
               type, options.c_str(), (double)factor, words, view.c_str());
  }
  for (Vec *v : {&b, &x}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A recording is of one process on a device */
static PetscErrorCode Recordings(Mat A)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1 || !TestOnDevice()) PetscFunctionReturn(PETSC_SUCCESS);
  for (const char *pc : {"jacobi", "ip", "ip -pc_ip_variant full", "blockic", "aggmg", "icc -pc_factor_mat_solver_type bbs"}) {
    for (KSPType type : {KSPFUSEDCG, KSPFUSEDBCGS}) PetscCall(RecordedOnce(A, type, std::string("-pc_type ") + pc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two methods by turns on one matrix; then they and the matrix end in an order of their own */
static PetscErrorCode TwoSolvers(const Method &one, const Method &two, const char *pc, int order)
{
  Mat    A[2];
  Solver k[2];

  PetscFunctionBeginUser;
  for (Mat &M : A) PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &M));
  PetscCall(MatShift(A[1], 0.2));
  for (int i = 0; i < 2; i++) {
    k[i].m       = i ? &two : &one;
    k[i].options = WithPC(*k[i].m, i ? "ip" : pc);
    PetscCall(NewSolver(A[0], k[i].m->types.ours, k[i].options, &k[i].ksp));
  }
  PetscCall(Turns(A[0], A[1], k));
  if (order % 2) PetscCall(MatDestroy(&A[0]));
  PetscCall(KSPDestroy(&k[order / 2 % 2].ksp));
  PetscCall(k[1 - order / 2 % 2].Check("alone"));
  PetscCall(KSPDestroy(&k[1 - order / 2 % 2].ksp));
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Pairs()
{
  PetscMPIInt size;
  int         order = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (const Method &one : METHODS) {
    for (const Method &two : METHODS) {
      const char *pc = size > 1 || order % 2 ? "ip"
                       : one.unsymmetric     ? "ilu -pc_factor_mat_solver_type bbs"
                                             : "icc -pc_factor_mat_solver_type bbs";

      if (size > 1 && &two <= &one) continue;
      if (TestQuick() && order > 2) break;
      PetscCall(TwoSolvers(one, two, pc, order++));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPMatSolve() gives the answers of one solve for each column */
static PetscErrorCode SeveralSides(Mat A)
{
  PetscFunctionBeginUser;
  for (const Method &m : METHODS) {
    const std::string options = WithPC(m, "ip");
    Mat               B, X;
    KSP               ksp;
    PetscCall(Columns(A, 5, &B, &X));
    PetscCall(NewSolver(A, m.types.ours, options, &ksp));
    for (int twice = 0; twice < 2; twice++) {
      PetscCall(KSPMatSolve(ksp, B, X));
      for (PetscInt c = 0; c < 5; c++) {
        Vec column, b, x;
        Run run;

        PetscCall(MatCreateVecs(A, &x, &b));
        PetscCall(MatGetColumnVector(B, b, c));
        PetscCall(MatDenseGetColumnVecRead(X, c, &column));
        PetscCall(VecCopy(column, x));
        PetscCall(MatDenseRestoreColumnVecRead(X, c, &column));
        PetscCall(SolveByNew(A, m.types.ours, options, b, &run));
        PetscCheck(run.reason > 0 && run.its > 2, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d after %d iterations",
                   m.types.ours, (int)run.reason, (int)run.its);
        PetscCall(CheckAnswer(run.x, x, 1e-12, std::string(m.types.ours) + ": column " + std::to_string(c)));
        for (Vec *v : {&b, &x, &run.x}) PetscCall(VecDestroy(v));
      }
    }
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x <- A^-T b and then A^-1 b with the same solver: in both the equations hold, and the two differ unless A is symmetric */
static PetscErrorCode Transposed(Mat A, KSPType type, const std::string &options, bool symmetric)
{
  KSP                ksp;
  Vec                b, x, y, r;
  PetscReal          nb, nr, difference, size;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  for (Vec *v : {&x, &y, &r}) PetscCall(VecDuplicate(b, v));
  PetscCall(VecNorm(b, NORM_2, &nb));
  PetscCall(NewSolver(A, type, options, &ksp));
  for (int step = 0; step < 4; step++) {
    const bool transposed = step % 2 == 0;
    Vec        v          = transposed ? x : y;

    PetscCall(transposed ? KSPSolveTranspose(ksp, b, v) : KSPSolve(ksp, b, v));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(transposed ? MatMultTranspose(A, v, r) : MatMult(A, v, r));
    PetscCall(VecAYPX(r, -1, b));
    PetscCall(VecNorm(r, NORM_2, &nr));
    PetscCheck(reason > 0 && nr <= 1e-7 * nb, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s %s, step %d: reason %d, the residual is %g of %g", type, options.c_str(), step, (int)reason, (double)nr,
               (double)nb);
  }
  PetscCall(VecNorm(x, NORM_2, &size));
  PetscCall(VecAXPY(x, -1, y));
  PetscCall(VecNorm(x, NORM_2, &difference));
  PetscCheck(symmetric == (difference <= 1e-5 * size), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: the transposed solve differs by %g of %g", type, (double)difference, (double)size);
  for (Vec *v : {&b, &x, &y, &r}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TransposedSolves(Mat A)
{
  std::vector<const char *> pcs = {"jacobi", "ip"};
  PetscMPIInt               size;
  Mat                       B;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) pcs.insert(pcs.end(), {"none", "pbjacobi"});
  PetscCall(Windy(PETSC_COMM_WORLD, N, 0.3, &B));
  for (const char *pc : pcs) {
    for (const Method &m : METHODS) PetscCall(Transposed(A, m.types.ours, WithPC(m, pc), true));
    for (KSPType type : {KSPFUSEDBCGS, KSPBICGCR}) PetscCall(Transposed(B, type, std::string("-pc_type ") + pc, false));
  }
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Resets where there is nothing, options read twice, other types and other matrices for one KSP, and ends without a solve */
static PetscErrorCode Lives(Mat A, Mat larger)
{
  KSP ksp;

  PetscFunctionBeginUser;
  for (const Method &m : METHODS) {
    const std::string options = WithPC(m, "ip");
    for (int solved = 0; solved < 3; solved++) {
      PetscCall(NewSolver(A, m.types.ours, options, &ksp));
      if (solved == 1) PetscCall(KSPSetUp(ksp));
      if (solved == 2) PetscCall(AsNew(ksp, m.types.ours, options, "before KSPReset()"));
      if (solved) PetscCall(KSPReset(ksp));
      PetscCall(KSPReset(ksp));
      if (solved == 2) PetscCall(KSPSetOperators(ksp, larger, larger));
      if (solved == 2) PetscCall(AsNew(ksp, m.types.ours, options, "after KSPReset()"));
      PetscCall(KSPDestroy(&ksp));
    }
  }
  PetscCall(NewSolver(A, KSPFUSEDCG, "", &ksp));
  for (int round = 0; round < 2; round++) {
    for (const Method &m : METHODS) {
      /* the side and the norm of before stay */
      const std::string options =
        WithPC(m, round ? "jacobi" : "ip") + (m.unsymmetric ? "-ksp_norm_type unpreconditioned " : "-ksp_pc_side left ");
      PetscCall(KSPSetType(ksp, m.types.ours));
      PetscCall(PetscOptionsInsertString(nullptr, (options + " -ksp_type " + m.types.ours).c_str()));
      for (int twice = 0; twice < 2; twice++) PetscCall(KSPSetFromOptions(ksp));
      PetscCall(AsNew(ksp, m.types.ours, options, "of a KSP of many types"));
    }
  }
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, larger;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N + 3, TestType(), true, &larger));
  PetscCall(Recordings(A));
  PetscCall(Pairs());
  PetscCall(SeveralSides(A));
  PetscCall(TransposedSolves(A));
  PetscCall(Lives(A, larger));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&larger));
  PetscCall(PetscFinalize());
  return 0;
}
