static char help[] = "Solves with PCSUBDEFLATION: variants in PETSc's methods, guesses, right-hand sides in the range of A Z, "
                     "singular systems, changed values.\n\n";

#include "failure.h"
#include "phases.h"
#include "program.h"

static const PetscInt N = 18; /* cells a side */

enum Rhs {
  FROM_RANDOM, /* A times a random vector */
  CONSTANT,
  IN_RANGE_OF_AZ,
  ZERO,
  RHS_COUNT
};
static const char *const rhs_names[] = {"random solution", "constant", "in the range of A Z", "zero"};

static PetscErrorCode Numbers(Vec x, PetscInt seed)
{
  PetscInt     start, end;
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  PetscCall(VecGetArrayWrite(x, &a));
  for (PetscInt i = start; i < end; i++) a[i - start] = PairNumber(i, 3, seed);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boxes of 6 x 6 cells */
static PetscErrorCode FillRhs(Mat A, Rhs rhs, Vec b)
{
  PetscInt     start, end;
  PetscScalar *a;
  Vec          x;

  PetscFunctionBeginUser;
  PetscCall(VecSet(b, rhs == CONSTANT ? 1 : 0));
  if (rhs == CONSTANT || rhs == ZERO) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(b, &x));
  PetscCall(Numbers(x, 1));
  if (rhs == IN_RANGE_OF_AZ) {
    PetscCall(VecGetOwnershipRange(x, &start, &end));
    PetscCall(VecGetArrayWrite(x, &a));
    for (PetscInt i = start; i < end; i++) a[i - start] = PairNumber(i / N / 6, i % N / 6, 2);
    PetscCall(VecRestoreArrayWrite(x, &a));
  }
  PetscCall(MatMult(A, x, b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewKSP(Mat A, const char type[], HeptaSubdeflationVariant variant, KSPNormType norm, KSP *ksp)
{
  PC        pc;
  PetscBool bcgs;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(PetscStrcmp(type, KSPBCGS, &bcgs));
  /* how many bcgs takes depends on the rounding of its inner products */
  PetscCall(KSPSetTolerances(*ksp, TestTolerance(1e-9), 1e-50, PETSC_CURRENT, bcgs ? 3000 : 300));
  PetscCall(KSPSetNormType(*ksp, norm));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCSUBDEFLATION));
  PetscCall(PCSubdeflationSetVariant(pc, variant));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |b - A x| <= tol |b|, and for b = 0 nothing that is not small; the preconditioned norm measures b by other means */
static PetscErrorCode CheckAnswer(KSP ksp, Mat A, Vec b, Vec x, const std::string &what)
{
  KSPConvergedReason reason;
  PetscReal          nb, nr, rtol, abstol;
  PetscInt           its;
  KSPNormType        norm;
  PetscBool          bcgs;
  Vec                r;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(b, NORM_2, &nb));
  PetscCall(VecNorm(r, NORM_2, &nr));
  PetscCall(VecDestroy(&r));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetTolerances(ksp, &rtol, &abstol, nullptr, nullptr));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPBCGS, &bcgs));
  if (bcgs && reason == KSP_DIVERGED_BREAKDOWN) PetscFunctionReturn(PETSC_SUCCESS); /* the method's own risk, which it reports */
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d after %" PetscInt_FMT " iterations", what.c_str(),
             (int)reason, its);
  PetscCall(KSPGetNormType(ksp, &norm));
  /* the tolerance of single is nearer to its rounding */
  const PetscReal most = (PetscDefined(USE_REAL_SINGLE) ? 4 : 1) * TestTolerance(norm == KSP_NORM_PRECONDITIONED ? 1e-5 : 1e-7);
  PetscCheck(nr <= most * (nb > 0 ? nb : 10), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: residual %g of %g after %" PetscInt_FMT " iterations", what.c_str(), (double)nr, (double)nb, its);
  PetscCheck(abstol == (PetscReal)1e-50, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the absolute tolerance is %g now", what.c_str(),
             (double)abstol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zero guess with numbers left in x, twice with the same KSP; then a given guess */
static PetscErrorCode Guesses(KSP ksp, Mat A, Vec b, const std::string &what)
{
  Vec       x;
  PetscBool nonzero;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 3; k++) {
    PetscCall(Numbers(x, 10 + k));
    PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)(k == 2)));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(CheckAnswer(ksp, A, b, x, what + (k == 2 ? ", given guess" : ", zero guess")));
    PetscCall(KSPGetInitialGuessNonzero(ksp, &nonzero));
    PetscCheck((k == 2) == (bool)nonzero, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the initial guess counts as %s afterwards",
               what.c_str(), nonzero ? "nonzero" : "zero");
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Combinations of method, variant and norm that do not work, or that several ranks leave out */
static bool Skipped(const std::string &type, int variant, KSPNormType norm, PetscMPIInt size)
{
  const bool preconditioned = norm == KSP_NORM_PRECONDITIONED;

  if (variant == HEPTA_SUBDEFLATION_ADEF1 && (type == KSPCG || type == KSPFCG)) return true; /* not symmetric */
  if (type == KSPFGMRES && preconditioned) return true;
  /* the rounding of def2 in single exceeds the tolerance */
  if (PetscDefined(USE_REAL_SINGLE) && variant == HEPTA_SUBDEFLATION_DEF2 && preconditioned) return true;
  /* messages between processes that share a core are slow */
  return size > 1 && (type == KSPFCG || preconditioned || variant == HEPTA_SUBDEFLATION_DEF2);
}

static PetscErrorCode Methods(MPI_Comm comm, bool dirichlet)
{
  Mat          A;
  Vec          b, x;
  MatNullSpace null;
  PetscMPIInt  size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PhaseMat(comm, N, TestType(), dirichlet, &A));
  PetscCall(MatNullSpaceCreate(comm, PETSC_TRUE, 0, nullptr, &null));
  if (!dirichlet) PetscCall(MatSetNullSpace(A, null));
  PetscCall(MatCreateVecs(A, &x, &b));
  for (const char *type : {KSPCG, KSPFCG, KSPGMRES, KSPFGMRES, KSPBCGS}) {
    for (int v = HEPTA_SUBDEFLATION_DEF1; v <= HEPTA_SUBDEFLATION_BNN; v++) {
      for (KSPNormType norm : {KSP_NORM_PRECONDITIONED, KSP_NORM_UNPRECONDITIONED}) {
        const std::string t       = type;
        const bool        right   = t == KSPFGMRES || (t != KSPCG && t != KSPFCG && norm == KSP_NORM_UNPRECONDITIONED);
        const bool        refused = v == HEPTA_SUBDEFLATION_DEF1 && (t == KSPCG || t == KSPFCG || right);
        KSP               ksp;
        if (Skipped(t, v, norm, size)) continue;
        for (int rhs = 0; rhs < RHS_COUNT; rhs += size > 1 ? 2 : 1) {
          /* a new one: bcgs, from the right, adds an earlier solve's given guess to later answers */
          PetscCall(NewKSP(A, type, (HeptaSubdeflationVariant)v, norm, &ksp));
          PetscCall(FillRhs(A, (Rhs)rhs, b));
          if (!dirichlet) PetscCall(MatNullSpaceRemove(null, b));
          if (refused) PetscCall(ExpectError(PETSC_ERR_SUP, "The variant def1", [&] { return KSPSolve(ksp, b, x); }));
          else
            PetscCall(Guesses(ksp, A, b,
                              t + ", " + HeptaSubdeflationVariants[v] + ", " + KSPNormTypes[norm] + ", " + rhs_names[rhs] +
                                (dirichlet ? "" : ", singular")));
          PetscCall(KSPDestroy(&ksp));
        }
      }
    }
  }
  PetscCall(Destroy(&null, &x, &b, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For a singular system the answer is orthogonal to the null space; in every coarse solver */
static PetscErrorCode Singular(MPI_Comm comm, const char coarse[])
{
  Mat          A;
  Vec          b, x;
  MatNullSpace null;
  KSP          ksp;
  PetscScalar  sum;
  PetscReal    most;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_coarse", coarse));
  PetscCall(PhaseMat(comm, N, TestType(), false, &A));
  PetscCall(MatNullSpaceCreate(comm, PETSC_TRUE, 0, nullptr, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillRhs(A, FROM_RANDOM, b));
  PetscCall(NewKSP(A, KSPFCG, HEPTA_SUBDEFLATION_ADEF2, KSP_NORM_UNPRECONDITIONED, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(CheckAnswer(ksp, A, b, x, std::string("singular, ") + coarse));
  PetscCall(VecSum(x, &sum));
  PetscCall(VecNorm(x, NORM_INFINITY, &most));
  PetscCheck(PetscAbsScalar(sum) <= TestTolerance(1e-10) * most * N * N, comm, PETSC_ERR_PLIB, "The answer has sum %g",
             (double)PetscRealPart(sum));
  PetscCheck(most < 100, comm, PETSC_ERR_PLIB, "The answer has an unknown of %g", (double)most);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatNullSpaceDestroy(&null));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscOptionsClearValue(nullptr, "-pc_subdeflation_coarse"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A KSP kept while the values change takes as many iterations as a new one; materials follow the values */
static PetscErrorCode ChangedValues(MPI_Comm comm, const char kind[])
{
  Mat      A, B;
  Vec      b, x;
  KSP      kept, new_ksp;
  PetscInt its[2];

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-pc_subdeflation_type", kind));
  PetscCall(PhaseMat(comm, N, TestType(), true, &A));
  PetscCall(PhaseMat(comm, N, TestType(), true, &B));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillRhs(A, CONSTANT, b));
  PetscCall(NewKSP(A, KSPCG, HEPTA_SUBDEFLATION_ADEF2, KSP_NORM_UNPRECONDITIONED, &kept));
  PetscCall(KSPSolve(kept, b, x));
  PetscCall(VecSet(x, 1));
  PetscCall(Numbers(x, 4));
  PetscCall(VecExp(x));
  PetscCall(MatDiagonalScale(A, x, x)); /* still symmetric */
  PetscCall(MatDiagonalScale(B, x, x));
  PetscCall(KSPSolve(kept, b, x));
  PetscCall(CheckAnswer(kept, A, b, x, std::string("changed values, ") + kind));
  PetscCall(KSPGetIterationNumber(kept, &its[0]));
  PetscCall(NewKSP(B, KSPCG, HEPTA_SUBDEFLATION_ADEF2, KSP_NORM_UNPRECONDITIONED, &new_ksp));
  PetscCall(KSPSolve(new_ksp, b, x));
  PetscCall(KSPGetIterationNumber(new_ksp, &its[1]));
  PetscCheck(its[0] == its[1], comm, PETSC_ERR_PLIB,
             "%s: %" PetscInt_FMT " iterations with what was kept, %" PetscInt_FMT " with a new one", kind, its[0], its[1]);
  for (KSP *k : {&kept, &new_ksp}) PetscCall(KSPDestroy(k));
  for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
  for (Mat *M : {&A, &B}) PetscCall(MatDestroy(M));
  PetscCall(PetscOptionsClearValue(nullptr, "-pc_subdeflation_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-pc_subdeflation_grid 18,18 -pc_subdeflation_size 6 -pc_subdeflation_count 9"));
  for (bool dirichlet : {true, false}) PetscCall(Methods(PETSC_COMM_WORLD, dirichlet));
  for (const char *coarse : {"inverse", "cholesky", "ksp"}) PetscCall(Singular(PETSC_COMM_WORLD, coarse));
  for (const char *kind : {"boxes", "stripes", "graph", "material", "materialboxes"})
    PetscCall(ChangedValues(PETSC_COMM_WORLD, kind));
  PetscCall(PetscFinalize());
  return 0;
}
