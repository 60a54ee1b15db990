static char help[] = "The cycle over levels of matrices as programs use it: changed values and structures, subdomains that follow values, null spaces, errors that pass, later choices.\n\n";

#include "cycle_same.h"
#include "failure.h"
#include "levels_dense.h"
#include "phases.h"

static const char WIND[] = "levels of nested boxes, ip 1 before and 1 after", BLOCKS[] = "block rows of size 2";

/* With rows of all processes, in multiples of `unit`: 1 cuts planes */
static LevelsCase World(LevelsCase s, PetscInt unit = 1)
{
  const auto splits = Splits(s.Cells(), unit);

  return LevelsSplit(s, splits[PetscMin(splits.size() - 1, (size_t)1)]);
}

/* Values change, and NaN comes and goes; the same structure keeps the levels */
static PetscErrorCode Values(LevelsCase s, const char words[])
{
  const std::string options = "-ksp_type gmres -pc_subdeflation_variant cycle -pc_subdeflation_levels 3" + s.Grid();
  const PetscInt    row     = s.Cells() * s.bs / 2;
  Mat               A;
  KSP               ksp;
  PC                pc;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(LevelsMat(s, &A));
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(SameAsNew(ksp, options, words, "first values"));
  PetscInt start, end;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  s.seed = 2;
  PetscCall(LevelsFill(s, A));
  PetscCall(SameAsNew(ksp, options, words, "other values"));
  PetscCall(MatScale(A, 1e-3));
  PetscCall(SameAsNew(ksp, options, words, "scaled"));
  if (row >= start && row < end) PetscCall(MatSetValue(A, row, row, PETSC_MAX_REAL * 10, INSERT_VALUES)); /* of one process: an error of all */
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  for (int k = 0; k < 2; k++) PetscCall(ExpectError(PETSC_ERR_FP, "row " + std::to_string(row) + " of the matrix has an entry that is Inf or NaN", [&] { return KSPSetUp(ksp); }));
  PetscCall(LevelsFill(s, A));
  PetscCall(SameAsNew(ksp, options, words, "finite again"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCReset(pc));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(SameAsNew(ksp, options, words, "reset"));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New couplings, another matrix of another size, and a symmetric one */
static PetscErrorCode Structures()
{
  const std::string options = "-ksp_type gmres -pc_subdeflation_variant cycle -pc_subdeflation_levels 3";
  CycleGrid         plain{
    {14, 12, 1}
  };
  LevelsCase s{
    {16, 15, 1}
  };
  s.told       = true;
  plain.comm   = PETSC_COMM_WORLD;
  plain.planes = Splits(12)[0];
  Mat A, B, C;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  for (Mat *M : {&A, &B}) {
    PetscCall(LevelsMat(World(s, 16), M));
    s.n[1] = 13;
  }
  PetscCall(CycleMat(plain, &C));
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(SameAsNew(ksp, options, WIND, "the first matrix"));
  PetscInt start, end;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  if (start <= 3 && end > 3) PetscCall(MatSetValue(A, 3, 40, -0.1, INSERT_VALUES)); /* of one process */
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(SameAsNew(ksp, options, WIND, "a new coupling"));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(SameAsNew(ksp, options, WIND, "another matrix"));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, C, C));
  PetscCall(SameAsNew(ksp, options, WIND, "a symmetric matrix"));
  PetscCall(Destroy(&ksp, &A, &B, &C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two phases whose border moves: material subdomains move with it, aggregates by strength stay */
static PetscErrorCode Materials()
{
  const PetscInt    n       = 24;
  const std::string options = "-ksp_type cg -pc_subdeflation_variant cycle -pc_subdeflation_type materialboxes -pc_subdeflation_grid 24,24";
  Mat               A, B;
  KSP               ksp;
  PetscInt          start, end;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, n, TestType(), true, &A));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, n, TestType(), true, &B));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(SameAsNew(ksp, options, "aggregates: first the subdomains materialboxes", "two phases"));
  for (PetscInt y = 0; y < n; y++) { /* a wall between the cells x = 6 and x = 7 */
    const PetscInt i = y * n + 6;
    for (PetscInt j : {i, i + 1}) {
      const PetscInt    other = 2 * i + 1 - j;
      const PetscScalar less  = -1 + 1e-4;
      if (j < start || j >= end) continue;
      PetscCall(MatSetValue(A, j, other, -less, ADD_VALUES));
      PetscCall(MatSetValue(A, j, j, less, ADD_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(SameAsNew(ksp, options, "aggregates: first the subdomains materialboxes", "a wall"));
  PetscCall(Destroy(&ksp, &A, &B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Closed walls, with the null space declared and found */
static PetscErrorCode NullSpaces()
{
  MatNullSpace null;
  Mat          A;
  KSP          ksp;
  PC           pc;
  PetscInt     its;

  PetscFunctionBeginUser;
  for (bool declared : {false, true}) {
    for (const char *options : {"-pc_subdeflation_type strength", "-pc_subdeflation_smoother sor -pc_subdeflation_grid 20,20", "-pc_subdeflation_smoother blockic -pc_subdeflation_grid 20,20 -pc_subdeflation_levels 3"}) {
      PetscCall(SetOptions(""));
      PetscCall(PhaseMat(PETSC_COMM_WORLD, 20, TestType(), false, &A));
      PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &null));
      if (declared) PetscCall(MatSetNullSpace(A, null));
      PetscCall(CycleKSP(A, std::string("-ksp_type cg ") + options, &ksp));
      PetscCall(CheckSolve(ksp, options, &its));
      PetscCheck(its <= 17, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations", options, its); /* 10 to 14 */
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(CheckView(pc, {"the last level's matrix is singular: null space of dimension 1"}));
      PetscCall(Destroy(&null, &ksp, &A));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks with one constant for each field */
static PetscErrorCode Fields()
{
  LevelsCase s{
    {12, 11, 1},
    2, true, true, "bdia", 1, 0
  };
  MatNullSpace null;
  Mat          A;
  KSP          ksp;
  PC           pc;
  PetscInt     its;
  Vec          fields[2];

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  s.laplace = true;
  PetscCall(LevelsMat(World(s), &A));
  for (PetscInt r = 0; r < 2; r++) {
    PetscCall(MatCreateVecs(A, &fields[r], nullptr));
    for (PetscInt m = 0; m < s.Cells(); m++) PetscCall(VecSetValue(fields[r], 2 * m + r, 1 / PetscSqrtReal((PetscReal)s.Cells()), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(fields[r]));
    PetscCall(VecAssemblyEnd(fields[r]));
  }
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 2, fields, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(CycleKSP(A, "-ksp_type cg -pc_subdeflation_variant cycle -pc_subdeflation_levels 4" + s.Grid(), &ksp));
  PetscCall(CheckSolve(ksp, "a constant for each field", &its));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {"the last level's matrix is singular: null space of dimension 2", BLOCKS}));
  PetscCall(Destroy(&null, &ksp, &A, &fields[0], &fields[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A choice after the set-up starts anew */
static PetscErrorCode Choices()
{
  const LevelsCase s = World({
    {12, 11, 1},
    2
  });
  PetscMPIInt      size;
  Mat              A;
  PC               pc;
  Vec              x, y;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(s.comm, &size));
  const char *const local = size == 1 ? "-pc_subdeflation_smoother ilu" : "-pc_subdeflation_smoother bjacobi";
  PetscCall(SetOptions(""));
  PetscCall(LevelsMat(s, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(CycleRandom(x, 1));
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle" + s.Grid(), &pc));
  for (const char *options : {"-pc_subdeflation_smoother pbjacobi", local, "-pc_subdeflation_levels 2", "-pc_subdeflation_type strength"}) {
    PetscCall(PCApply(pc, x, y));
    PetscCall(SetOptions(options));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(PCApply(pc, x, y));
    const std::string value = std::string(options).substr(std::string(options).find(' ') + 1);
    PetscCall(CheckView(pc, {value == "2" ? "over 2 levels of nested boxes" : value == "strength" ? "aggregates of strongly coupled rows" : value.c_str()}));
  }
  PetscCall(PCSubdeflationSetVariant(pc, HEPTA_SUBDEFLATION_ADEF2));
  PetscCall(ExpectError(PETSC_ERR_SUP, "-pc_subdeflation_type strength has aggregates for many levels, and the variant adef2 has two", [&] { return PCApply(pc, x, y); }));
  PetscCall(PCSubdeflationSetType(pc, HEPTA_SUBDEFLATION_STRIPES));
  PetscCall(PCApply(pc, x, y));
  PetscCall(CheckView(pc, {"subdomains stripes, variant adef2"}));
  PetscCall(Destroy(&pc, &A, &x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A refused set-up is refused again, and another choice is good */
static PetscErrorCode RefusedTwice()
{
  const LevelsCase s = World({
    {70, 68, 1},
    2
  });
  Mat              A;
  PC               pc;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(LevelsMat(s, &A));
  PetscCall(CyclePC(A, "-pc_subdeflation_variant cycle -pc_subdeflation_levels 1" + s.Grid(), &pc));
  for (int k = 0; k < 2; k++) PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "the last level has 9520 unknowns, which are too many for a dense inverse", [&] { return PCSetUp(pc); }));
  PetscCall(SetOptions("-pc_subdeflation_levels 3"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckView(pc, {"over 3 levels of nested boxes"}));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  LevelsCase scalar{
    {16, 15, 3},
    1, true
  },
    blocks{{12, 7, 3}, 2, true};
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (const char *form : {"bdia", "brow", "aij"}) {
    scalar.form = blocks.form = form;
    PetscCall(Values(World(scalar), "levels of nested boxes, ip 1 before and 1 after"));
    PetscCall(Values(World(blocks), BLOCKS));
    if (size > 2) break; /* with more processes than processors each message takes long */
  }
  PetscCall(Structures());
  PetscCall(Materials());
  PetscCall(NullSpaces());
  PetscCall(Fields());
  PetscCall(Choices());
  PetscCall(RefusedTwice());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
