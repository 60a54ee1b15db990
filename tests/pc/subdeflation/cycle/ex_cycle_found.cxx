static char help[] = "What the cycle over nested boxes finds in values: couplings that rounding hides, null spaces of the program's that are none.\n\n";

#include "cycle_refused.h"

/* Two materials at random, with harmonic means and `along` as factor of the couplings along y, and an open end of x */
static PetscErrorCode TwoMaterials(PetscInt nx, PetscInt ny, PetscReal contrast, PetscReal along, PetscInt seed, Mat *A)
{
  const PetscInt n[2] = {nx, ny};
  const auto     k    = [=](PetscInt i) { return PairNumber(i, 7, seed) > 0 ? contrast : 1; };

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, nx * ny, nx * ny, nx * ny, nx * ny));
  PetscCall(MatSetType(*A, TestType()));
  PetscCall(HeptaMatBDIASetGrid(*A, nx, ny, 1));
  PetscCall(MatSetUp(*A));
  for (PetscInt i = 0; i < nx * ny; i++) {
    PetscReal sum = i % nx == nx - 1 ? 2 * k(i) : 0;
    for (int a = 0; a < 2; a++) {
      for (int side = -1; side <= 1; side += 2) {
        const PetscInt at = (a ? i / nx : i % nx) + side, j = i + side * (a ? nx : 1);
        if (at < 0 || at == n[a]) continue;
        const PetscReal v = 2 * k(i) * k(j) / (k(i) + k(j)) * (a ? along : 1);
        sum += v;
        PetscCall(MatSetValue(*A, i, j, -v, INSERT_VALUES));
      }
    }
    PetscCall(MatSetValue(*A, i, i, sum, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A x = b for b = A u: a method that says that it converged has the right answer, or the set-up of two levels says that the matrix is
   singular to rounding; *cycles <- does the cycle solve? *solved <- did the method converge? */
static PetscErrorCode RightAnswer(Mat A, PetscInt seed, const std::string &options, const std::string &what, bool *cycles, bool *solved)
{
  KSP                ksp;
  PC                 pc;
  Vec                x, b;
  KSPConvergedReason reason;
  PetscReal          nr, nb;
  std::string        text, message;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-5, PETSC_CURRENT, PETSC_CURRENT, 400));
  PetscCall(CycleRandom(x, seed));
  PetscCall(MatMult(A, x, b));
  PetscCall(PetscPushErrorHandler(KeepMessage, &message));
  const PetscErrorCode code = KSPSolve(ksp, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!code || message.find("is singular to rounding") != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: error %d %s", what.c_str(), (int)code, message.c_str());
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(TakeView((PetscObject)pc, PETSC_VIEWER_DEFAULT, &text));
  *cycles = !code && text.find("V-cycle over") != std::string::npos;
  *solved = false;
  if (!code) {
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(VecNorm(b, NORM_2, &nb));
    PetscCall(VecScale(b, -1));
    PetscCall(MatMultAdd(A, x, b, b));
    PetscCall(VecNorm(b, NORM_2, &nr));
    *solved = reason > 0;
    PetscCheck(!*solved || nr <= 1e-3 * nb, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: reason %d, residual %g of %g", what.c_str(), (int)reason, (double)nr, (double)nb);
  }
  PetscCall(Destroy(&ksp, &x, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Contrasts beyond the rounding of diagonal entries: the answer is right, by two levels if need be; up to 1e12 it is the cycle's */
static PetscErrorCode Contrasts(PetscInt nx, PetscInt ny, int most)
{
  const PetscInt seeds   = TestQuick() ? 1 : 12;
  int            refused = 0, failed = 0;

  PetscFunctionBeginUser;
  for (PetscInt seed = 1; seed <= seeds; seed++) {
    for (auto [contrast, along] : {
           std::pair<PetscReal, PetscReal>{1e15, 1   },
            {1e15, 1e3 },
            {1e15, 1e-3},
            {1e12, 1   }
    }) {
      Mat A;
      PetscCall(TwoMaterials(nx, ny, contrast, along, seed, &A));
      for (const char *method : {"-ksp_type fgmres", "-ksp_type fusedcg -ksp_norm_type unpreconditioned"}) {
        bool cycles, solved;
        PetscCall(RightAnswer(A, seed, method, std::to_string(nx) + " x " + std::to_string(ny) + " cells, contrast " + std::to_string(contrast) + ", factor " + std::to_string(along) + ", seed " + std::to_string(seed) + ", " + method, &cycles, &solved));
        PetscCheck(cycles || contrast > 1e12, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The cycle is not taken at a contrast of 1e12");
        refused += !cycles;
        failed += !solved;
      }
      PetscCall(MatDestroy(&A));
    }
  }
  PetscCheck(failed <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d of 96 solves are refused by two levels or do not converge, more than %d", failed, most);
  PetscCheck(refused > 0 || TestQuick(), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Each matrix with a contrast of 1e15 is solved by the cycle");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells of two boxes that are so strongly coupled that rounding hides their couplings with others */
static PetscErrorCode Hidden()
{
  PetscFunctionBeginUser;
  PetscCall(Edited(
    {
      {20, 17, 1}
  },
    [](Mat A) { return Chain(A, 42, 5e14); }, "the box of cells that begins with row 44 is coupled with the others by"));
  PetscCall(Edited(
    {
      {40, 40, 1}
  },
    [](Mat A) { return Chain(A, 846, 1e15); }, "the box of cells that begins with row 848 is coupled with the others by"));
  for (PetscInt lines : {17, 12}) { /* two levels, and one */
    PetscCall(Edited(
      {
        {20, lines, 1}
    },
      [](Mat A) { return Pair(A, 43, 1e15); }, "the box of cells that begins with row 44 is coupled with the others by"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells that only the boundary holds, two that are coupled by 1e16: by so little that rounding hides it, and by enough */
static PetscErrorCode Wall()
{
  const CycleGrid g{
    {20, 12, 1}
  };
  const auto pair = [](PetscReal held) {
    return [held](Mat A) {
      PetscFunctionBeginUser;
      for (PetscInt i : {0, 1}) {
        PetscCall(SetBoth(A, i, i + 20, 0));
        PetscCall(MatSetValue(A, i, i, 1e16 + (i ? 0 : held), INSERT_VALUES));
      }
      PetscCall(SetBoth(A, 0, 1, -1e16));
      PetscCall(SetBoth(A, 1, 2, 0));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
  };
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(Edited(g, pair(160), "the box of cells that begins with row 1 is coupled with the others by"));
  PetscCall(CycleMat(g, &A));
  PetscCall(pair(1000)(A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(CyclePC(A, "", &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckView(pc, {"V-cycle over"}));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of a grid without couplings between them: the null vector of each that nothing holds is known, and no reason against the cycle */
static PetscErrorCode Separate()
{
  const CycleGrid g{
    {20, 17, 1},
    1, true
  };
  const auto island = [](PetscInt i) { return i % 20 / 2 == 3 && i / 40 == 2; }; /* a box of the last level, which gets no unknown */
  const auto part   = [&](PetscInt i) { return island(i) ? 2 : int(i >= 200); };

  PetscFunctionBeginUser;
  for (PetscReal held : {0, 1}) {
    Mat      A;
    KSP      ksp;
    PC       pc;
    PetscInt its;
    PetscCall(SetOptions(""));
    PetscCall(CycleMat(g, &A));
    PetscCall(Parts(g, part, held, A));
    PetscCall(CycleKSP(A, "-ksp_type fusedcg", &ksp));
    PetscCall(CheckSolve(ksp, "a grid in parts", &its));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(CheckView(pc, {"V-cycle over 2 levels"}));
    PetscCall(Destroy(&ksp, &A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  if (!PetscDefined(USE_REAL_SINGLE)) {
    PetscCall(Contrasts(9, 7, 20));
    PetscCall(Contrasts(19, 29, 12));
    PetscCall(Hidden());
    PetscCall(Wall());
  }
  PetscCall(Separate());
  PetscCall(RefusesNullSpaces(
    {
      {40, 33, 1},
      1000, true
  },
    ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
