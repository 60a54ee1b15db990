static char help[] =
  "PC blockic against block ILU(0) by dense arithmetic: block sizes, offsets, kinds of matrix blocks, storages, conversions.\n\n";

#include "blockic_dense.h"

#include <petscdmda.h>

/* A grid in natural order and its cut into matrix blocks */
struct Cut {
  const char *blocks;
  PetscInt    size;
  PetscInt    J, H, I;
};

static PetscErrorCode CreatePC(Mat A, const std::string &options, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(nullptr));
  PetscCall(PetscOptionsInsertString(nullptr, options.c_str()));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetType(*pc, PCBLOCKIC));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::string Options(const Cut &c)
{
  return std::string("-pc_blockic_blocks ") + c.blocks + " -pc_blockic_size " + std::to_string(c.size) + " -pc_blockic_grid " +
         std::to_string(c.J) + "," + std::to_string(c.H) + "," + std::to_string(c.I);
}

/* The matrix block of each local block row */
static PetscErrorCode Groups(Mat A, const Cut &c, std::vector<PetscInt> *group)
{
  PetscInt start, end, bs;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(MatGetBlockSize(A, &bs));
  group->clear();
  for (PetscInt m = start / bs; m < end / bs; m++) {
    const PetscInt x = m % c.J / c.size, y = m / c.J % c.H / c.size, z = m / c.J / c.H / c.size;
    if (c.blocks[0] == 'r') group->push_back((m - start / bs) / c.size);
    else if (c.blocks[0] == 'l') group->push_back(m / c.J / c.size);
    else group->push_back(x + 100 * (y + 100 * z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One matrix as bdia and, converted by the preconditioner, as aij; then with other values. rounded: with factors of floats */
static PetscErrorCode Check(PairSpec s, const Cut &c, PetscReal tol, bool rounded = false)
{
  const PetscReal   exact = rounded ? 1e-5 : 1e-11;
  const std::string what  = "bs " + std::to_string(s.bs) + ", offset " + std::to_string(s.off[0]) + ", " + Options(c) + " " +
                           s.options + (s.symmetric ? " symmetric" : "");
  std::vector<PetscInt> group;
  Pair                  p;
  PC                    pc;

  PetscFunctionBegin;
  s.nb = c.J * c.H * c.I;
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(Groups(p.aij, c, &group));
  PetscCall(CreatePC(p.bdia,
                     Options(c) + " -mat_bdia_max_fill 1000 -mat_bdia_max_offsets 1000 -pc_blockic_storage " +
                       (rounded ? "single" : "double"),
                     &pc));
  for (Mat A : {p.bdia, p.aij}) {
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetUp(pc));
    PetscCall(CheckDense(pc, p.aij, group, A == p.aij ? exact : PetscMax(tol, exact), what.c_str()));
    PetscCall(PairFill(p.aij, s, s.seed + 1));
    if (A == p.bdia) PetscCall(PairFill(p.bdia, s, s.seed + 1));
    PetscCall(PCSetUp(pc));
    PetscCall(CheckDense(pc, p.aij, group, A == p.aij ? exact : PetscMax(tol, exact), (what + ", new values").c_str()));
    PetscCall(PairFill(p.aij, s, s.seed));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define FULL "-pair_mat_bdia_max_fill 1000 -pair_mat_bdia_half 0 -pair_mat_bdia_storage "
static const char *const           full[] = {FULL "double", FULL "single"};
static const char *const           half   = "-pair_mat_bdia_max_fill 1000 -pair_mat_bdia_storage double -pair_mat_bdia_half 1";
static const std::vector<PetscInt> all[]  = {
  {-6, -1, 0, 1, 6}, {-12, -4, -1, 0, 1, 4, 12}, {-7, -3, 0, 2, 5}, {-5, -4, -2, -1, 0, 1, 3, 4}, {0}};
static const Cut cuts[] = {
  {"lines", 2, 6, 8, 1}, {"lines", 4, 6, 8, 1}, {"lines", 3, 4, 3, 4}, {"boxes", 3, 6, 8, 1},
  {"boxes", 2, 4, 3, 4}, {"rows", 7, 6, 8, 1},  {"rows", 1, 6, 8, 1},  {"rows", 1000, 6, 8, 1},
};

static PetscErrorCode Structures(void)
{
  PetscFunctionBegin;
  for (PetscInt bs : {1, 2, 3}) {
    for (const Cut &c : cuts) {
      for (const auto &off : all) {
        PairSpec s;
        s.bs  = bs;
        s.off = off;
        for (int single = 0; single < (bs < 3 ? 2 : 1); single++) {
          s.options = full[single];
          PetscCall(Check(s, c, single ? 1e-5 : 1e-11));
        }
        s.options = full[0];
        PetscCall(Check(s, c, 1e-11, true));
        if (off[0] != -off.back()) continue;
        s.symmetric = true;
        for (const char *o : {full[0], half}) {
          s.options = o;
          PetscCall(Check(s, c, 1e-11));
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines long enough for the scan, in one tile and in several, and couplings that end inside a tile */
static PetscErrorCode Lines(void)
{
  const Cut cuts[] = {{"lines", 2, 40, 9, 1}, {"lines", 4, 33, 9, 1},   {"rows", 100, 70, 5, 1},
                      {"rows", 51, 70, 5, 1}, {"rows", 1000, 40, 9, 1}, {"lines", 1, 300, 2, 1}};

  PetscFunctionBegin;
  for (const Cut &c : cuts) {
    PairSpec s;
    s.options = full[0];
    for (bool rounded : {false, true}) {
      s.off       = {-c.J, -1, 0, 1, c.J};
      s.symmetric = true;
      PetscCall(Check(s, c, 1e-11, rounded));
      s.off       = {-2 * c.J, -c.J - 1, -1, 0, 1, c.J};
      s.symmetric = false;
      PetscCall(Check(s, c, 1e-11, rounded));
      s.off = {-c.J, 0, c.J + 1};
      PetscCall(Check(s, c, 1e-11, rounded));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines of J cells, 20 by levels and 40 by scans: the factors in single precision are read, and are near those in double */
static PetscErrorCode Rounded(PetscInt J)
{
  const Cut c = {"lines", 2, J, 9, 1};
  Vec       x, y[2];
  PetscReal difference, norm;
  PairSpec  s;
  Pair      p;

  PetscFunctionBegin;
  s.off     = {-J, -1, 0, 1, J};
  s.nb      = c.J * c.H * c.I;
  s.options = full[0];
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(MatCreateVecs(p.bdia, &x, nullptr));
  PetscCall(VecSetRandom(x, nullptr));
  for (int single = 0; single < 2; single++) {
    PC pc;
    PetscCall(CreatePC(p.bdia, Options(c) + " -pc_blockic_storage " + (single ? "single" : "double"), &pc));
    PetscCall(VecDuplicate(x, &y[single]));
    PetscCall(PCApply(pc, x, y[single]));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(VecNorm(y[0], NORM_2, &norm));
  PetscCall(VecAXPY(y[1], -1, y[0]));
  PetscCall(VecNorm(y[1], NORM_2, &difference));
  PetscCheck(difference > 1e-12 * norm && difference < 1e-5 * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "Lines of %" PetscInt_FMT " cells: results in double and single differ by %g", J, (double)(difference / norm));
  for (Vec *v : {&x, &y[0], &y[1]}) PetscCall(VecDestroy(v));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The grid that the matrix was given, stored in full and by half; pairs of lines are the default */
static PetscErrorCode FromMatrix(const char options[])
{
  const Cut             c = {"lines", 2, 6, 4, 2};
  std::vector<PetscInt> group;
  PairSpec              s;
  Pair                  p;
  PC                    pc;

  PetscFunctionBegin;
  s.off       = {-24, -6, -1, 0, 1, 6, 24};
  s.nb        = c.J * c.H * c.I;
  s.symmetric = true;
  s.options   = options;
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(Groups(p.aij, c, &group));
  PetscCall(CreatePC(p.bdia, "", &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckDense(pc, p.aij, group, 1e-11, options));
  PetscCall(PCDestroy(&pc));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A three-term recurrence whose multipliers exceed 1: no scan, the same answer; then values for which a scan would do */
static PetscErrorCode Steep(void)
{
  const PetscInt        n = 400;
  const Cut             c = {"rows", 64, n, 1, 1};
  PetscInt              start, end;
  std::vector<PetscInt> group;
  Pair                  p;
  PairSpec              s;
  PC                    pc;

  PetscFunctionBegin;
  s.off     = {-1, 0, 1};
  s.nb      = n;
  s.options = "-pair_mat_bdia_max_fill 1000 -pair_mat_bdia_storage double -pair_mat_bdia_half 0";
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(Groups(p.aij, c, &group));
  PetscCall(CreatePC(p.bdia, Options(c), &pc));
  for (PetscScalar l : {1.5, 0.3}) {
    PetscCall(MatGetOwnershipRange(p.aij, &start, &end));
    for (Mat A : {p.aij, p.bdia}) {
      for (PetscInt i = start; i < end; i++) {
        if (i && PairNumber(i - 1, i, 4711) >= -0.8 && PairNumber(i, i - 1, 4711) >= -0.8)
          PetscCall(MatSetValue(A, i, i - 1, -l, INSERT_VALUES));
        PetscCall(MatSetValue(A, i, i, 1 + 0.1 * l, INSERT_VALUES));
        if (i + 1 < n && PairNumber(i, i + 1, 4711) >= -0.8) PetscCall(MatSetValue(A, i, i + 1, -0.05, INSERT_VALUES));
      }
      PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    }
    PetscCall(PCSetUp(pc));
    PetscCall(CheckDense(pc, p.aij, group, 1e-8, "steep"));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values at the locations that aij has, for both; the diagonal dominates */
static PetscErrorCode FillRandom(Mat aij, Mat A)
{
  PetscInt                                   start, end, n;
  const PetscInt                            *j;
  std::vector<std::pair<PetscInt, PetscInt>> locations;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(aij, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatGetRow(aij, i, &n, &j, nullptr));
    for (PetscInt k = 0; k < n; k++) locations.push_back({i, j[k]});
    PetscCall(MatRestoreRow(aij, i, &n, &j, nullptr));
  }
  PetscCheck((PetscInt)locations.size() > 2 * (end - start), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d rows have %d entries",
             (int)(end - start), (int)locations.size());
  for (Mat M : {aij, A}) {
    for (const auto &p : locations)
      PetscCall(
        MatSetValue(M, p.first, p.second, PairNumber(p.first, p.second, 3) + (p.first == p.second ? 6 : 0), INSERT_VALUES));
    PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The grid of a DMDA, without an option: pairs of a rank's own lines */
static PetscErrorCode FromDMDA(PetscInt dim)
{
  PetscInt              size[3] = {1, 1, 1}, lines;
  std::vector<PetscInt> group;
  DM                    da;
  Mat                   A, aij;
  PC                    pc;

  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(nullptr));
  if (dim == 2)
    PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 12, 10, PETSC_DECIDE,
                           PETSC_DECIDE, 1, 1, nullptr, nullptr, &da));
  else
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 6, 5, 4,
                           PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr, &da));
  PetscCall(DMSetMatType(da, TestType()));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCall(FillRandom(aij, A));
  PetscCall(DMDAGetCorners(da, nullptr, nullptr, nullptr, &size[0], &size[1], &size[2]));
  for (const char *options : {"", "-pc_blockic_size 3", "-pc_blockic_blocks boxes -pc_blockic_size 2"}) {
    lines = *options ? 3 : 2;
    PetscCall(CreatePC(A, options, &pc));
    PetscCall(PCSetUp(pc));
    group.clear();
    for (PetscInt m = 0; m < size[0] * size[1] * size[2]; m++) {
      const PetscInt x = m % size[0] / 2, y = m / size[0] % size[1] / 2, z = m / size[0] / size[1] / 2;
      group.push_back(strstr(options, "boxes") ? x + 100 * (y + 100 * z) : m / size[0] / lines);
    }
    PetscCall(CheckDense(pc, aij, group, 1e-11, options));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(MatDestroy(&aij));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(Structures());
  PetscCall(Lines());
  PetscCall(Steep());
  if (!PetscDefined(USE_REAL_SINGLE)) {
    for (PetscInt J : {20, 40}) PetscCall(Rounded(J));
  }
  PetscCall(PetscOptionsClear(nullptr));
  for (const char *half : {"0", "1"})
    PetscCall(FromMatrix((std::string("-pair_mat_bdia_grid 6,4,2 -pair_mat_bdia_half ") + half).c_str()));
  for (PetscInt dim : {2, 3}) PetscCall(FromDMDA(dim));
  PetscCall(PetscFinalize());
  return 0;
}
