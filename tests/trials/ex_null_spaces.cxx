static char help[] = "Singular matrices with and without a null space, dependent deflation vectors, materials at any scale: the "
                     "right answer, or an error in words.\n\n";

#include "trial.h"

#include <cmath>

/* Neumann's operator: is its null space told, or a wrong one, the right one and a wrong vector, or a wrong one of the transposed
   operator? */
enum class Told {
  YES,
  NO,
  WRONG,
  TWO,
  TRANSPOSED
};
static const char *const told_names[] = {"told", "not told", "wrong", "and a wrong vector", "of the transposed, wrong"};

static PetscErrorCode TellNullSpace(Mat A, Told told)
{
  const bool   one = told == Told::YES || told == Told::TWO;
  MatNullSpace space;
  Vec          v[2];
  PetscInt     start, end;
  PetscScalar  mean;

  PetscFunctionBeginUser;
  if (told == Told::NO) PetscFunctionReturn(PETSC_SUCCESS);
  for (Vec &w : v) PetscCall(MatCreateVecs(A, &w, nullptr));
  PetscCall(VecGetOwnershipRange(v[0], &start, &end));
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = start; i < end; i++) PetscCall(VecSetValue(v[k], i, k || !one ? 1 + i % 5 : 1, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(v[k]));
    PetscCall(VecAssemblyEnd(v[k]));
  }
  PetscCall(VecMean(v[1], &mean));
  PetscCall(VecShift(v[1], -mean)); /* orthogonal to constants */
  for (Vec &w : v) PetscCall(VecNormalize(w, nullptr));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, told == Told::TWO ? 2 : 1, v, &space));
  PetscCall(told == Told::TRANSPOSED ? MatSetTransposeNullSpace(A, space) : MatSetNullSpace(A, space));
  PetscCall(MatNullSpaceDestroy(&space));
  for (Vec &w : v) PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool Holds(const std::string &text, const std::vector<std::string> &words)
{
  for (const std::string &w : words) {
    if (text.find(w) != std::string::npos) return true;
  }
  return false;
}

/* The sides are in the range or not; an answer must be right, an error must say "null space" or name the coarse matrix */
static PetscErrorCode Neumann(Told told, bool consistent, MatType type, const std::string &options)
{
  Mat     A;
  KSP     ksp;
  Vec     x, b;
  Outcome out;

  PetscFunctionBeginUser;
  PetscCall(Laplace(type, 8, 8, true, One, &A));
  PetscCall(TellNullSpace(A, told));
  PetscCall(Sides(A, consistent, &x, &b));
  PetscCall(NewSolver(A, options, &ksp));
  out = Outcome();
  if (consistent) PetscCall(Solve(ksp, A, b, x, "Neumann", &out)); /* which expects a small residual of a converged solve */
  else out.code = Try([&] { return KSPSolve(ksp, b, x); }, &out.message);
  PetscCall(
    Expect(told != Told::YES || !consistent || out.Converged(), "the null space is known and the solve fails: " + out.message));
  PetscCall(Expect(told == Told::YES || told == Told::NO || out.code, "a null space that is none is taken for one"));
  PetscCall(Expect(!out.code || out.message.empty() || Holds(out.message, {"null space", "MatSetNullSpace"}),
                   "the error does not speak of the null space: " + out.message));
  /* there is no exact answer: who says that it converged has one of moderate length, unless single rounds away what is wrong */
  if (!out.code && !consistent && !PetscDefined(USE_REAL_SINGLE)) {
    PetscReal nx;
    PetscCall(VecNorm(x, NORM_2, &nx));
    PetscCall(KSPGetConvergedReason(ksp, &out.reason));
    PetscCall(Expect(out.reason < 0 || nx < 1e6, "converged with an answer of length " + std::to_string((double)nx)));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Four vectors, made dependent in some way */
static PetscErrorCode Dependent(const std::string &way, bool wrong)
{
  Mat      A;
  KSP      ksp;
  PC       pc;
  Vec      x, b, v[4];
  PetscInt start, end;
  Outcome  out;

  PetscFunctionBeginUser;
  PetscCall(Laplace(TestType(), 8, 8, false, One, &A));
  PetscCall(Sides(A, false, &x, &b));
  for (int q = 0; q < 4; q++) {
    PetscCall(MatCreateVecs(A, &v[q], nullptr));
    PetscCall(VecGetOwnershipRange(v[q], &start, &end));
    for (PetscInt i = start; i < end; i++)
      PetscCall(VecSetValue(v[q], i, q ? PetscCosReal((PetscReal)(q * i) / 10) : 1, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(v[q]));
    PetscCall(VecAssemblyEnd(v[q]));
  }
  if (way == "equal") PetscCall(VecCopy(v[0], v[1]));
  if (way == "zero") PetscCall(VecSet(v[2], 0));
  if (way == "nan") PetscCall(VecSet(v[2], std::numeric_limits<PetscReal>::quiet_NaN()));
  if (way == "sum") PetscCall(VecWAXPY(v[2], 2, v[0], v[1]));
  if (way == "small") PetscCall(VecScale(v[1], 1e-10));
  PetscCall(NewSolver(A, "-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-6 -ksp_max_it 200", &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSUBDEFLATION));
  out.code = Try([&] { return PCSubdeflationSetVectors(pc, 4, v); }, &out.message);
  if (!out.code) PetscCall(Solve(ksp, A, b, x, way, &out));
  PetscCall(Expect(wrong ? out.code || out.residual < 1e-3 : out.Converged(), "vectors: " + out.message));
  PetscCall(Expect(!out.code || out.message.empty() || Holds(out.message, {"vector", "depend", "null space"}),
                   "the error does not speak of the vectors: " + out.message));
  for (Vec &w : v) PetscCall(VecDestroy(&w));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many iterations two materials take, a bubble in the middle, with the matrix multiplied by a number */
static PetscErrorCode Bubble(PetscReal contrast, PetscReal scale, PetscInt *its)
{
  Mat     A;
  KSP     ksp;
  Vec     x, b;
  Outcome out;

  PetscFunctionBeginUser;
  PetscCall(Laplace(
    TestType(), 12, 12, false,
    [contrast](PetscInt i) { return i % 12 > 3 && i % 12 < 8 && i / 12 > 3 && i / 12 < 8 ? 1 : contrast; }, &A));
  PetscCall(Sides(A, false, &x, &b));
  PetscCall(MatScale(A, scale));
  PetscCall(VecScale(b, scale));
  PetscCall(NewSolver(
    A, "-ksp_type cg -ksp_rtol 1e-6 -ksp_atol 0 -ksp_max_it 400 -pc_type subdeflation -pc_subdeflation_type material", &ksp));
  PetscCall(Solve(ksp, A, b, x, "materials", &out));
  PetscCall(Expect(out.Converged(), "materials: reason " + std::to_string((int)out.reason) + " " + out.message));
  *its = out.its;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same materials are found at any scale, so as many iterations are needed, up to rounding */
static PetscErrorCode Materials(PetscReal contrast, PetscReal scale)
{
  PetscInt its[2] = {0, 0};

  PetscFunctionBeginUser;
  PetscCall(Bubble(contrast, 1, &its[0]));
  PetscCall(Bubble(contrast, scale, &its[1]));
  PetscCall(Expect(its[0] > 0 && PetscAbsInt(its[0] - its[1]) <= 1,
                   std::to_string((int)its[1]) + " iterations instead of " + std::to_string((int)its[0])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of solvers that must see a null space */
static std::vector<std::string> Solvers(void)
{
  const std::string cg = "-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-6 -ksp_max_it 200 -pc_type subdeflation "
                         "-pc_subdeflation_type stripes -pc_subdeflation_count 8 ";
  const std::vector<std::string> coarse = {"", "-pc_subdeflation_coarse cholesky", "-pc_subdeflation_coarse ksp",
                                           "-pc_subdeflation_variant bnn"};
  const std::string              boxes  = "-ksp_rtol 1e-6 -ksp_max_it 200 -pc_type subdeflation -pc_subdeflation_grid 8,8 ";
  std::vector<std::string>       solvers;

  for (const std::string &c : coarse) solvers.push_back(cg + c);
  for (const char *method : {"gmres", "fusedcg"}) {
    solvers.push_back("-ksp_type " + std::string(method) + " " + boxes);
    for (const char *size : {"", " -pc_aggmg_coarse_size 12"})
      solvers.push_back("-ksp_type " + std::string(method) + " -ksp_rtol 1e-6 -ksp_max_it 200 -pc_type aggmg" + size);
  }
  return solvers;
}

int main(int argc, char **argv)
{
  int status = 1;

  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-options_left no"));
  for (MatType type : {TestType(), MATAIJ}) {
    for (const std::string &options : Solvers()) {
      for (Told told : {Told::YES, Told::NO, Told::WRONG, Told::TWO, Told::TRANSPOSED}) {
        for (bool consistent : {true, false}) {
          const std::string name = std::string("neumann ") + type + " null space " + told_names[(int)told] +
                                   (consistent ? " " : ", sides outside the range ") + options;
          PetscCall(Case(name, [&] { return Neumann(told, consistent, type, options); }));
        }
      }
    }
  }
  for (const char *way : {"equal", "zero", "nan", "sum"})
    PetscCall(Case(std::string("vectors ") + way, [&] { return Dependent(way, true); }));
  for (const char *way : {"independent", "small"})
    PetscCall(Case(std::string("vectors ") + way, [&] { return Dependent(way, false); }));
  const PetscReal high = PetscDefined(USE_REAL_SINGLE) ? 1e2 : 1e5; /* whose products with the rounding are small */
  for (PetscReal contrast : {1 / high, high}) {
    for (PetscReal power : {0., -12., 9., -80., 80.}) {
      if (PetscDefined(USE_REAL_SINGLE) && PetscAbsReal(power) > 20) continue;
      PetscCall(Case("materials contrast " + std::to_string((double)contrast) + " times 1e" + std::to_string((int)power),
                     [&] { return Materials(contrast, std::pow((PetscReal)10, power)); }));
    }
  }
  PetscCall(TrialsEnd(&status));
  return status;
}
