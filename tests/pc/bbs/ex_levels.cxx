static char help[] =
  "HeptaMatGetLevels() and the ordering \"level\" against answers counted by hand; block sizes, types, errors.\n\n";

#include "failure.h"
#include "level_matrices.h"

#include <algorithm>
#include <utility>

struct Answer {
  PetscInt levels, blocks, ell;
  Ints     level;
};

struct Case {
  const char *name;
  Picture     rows;
  Answer      upper, lower;
  Ints        order; /* of the ordering "level" */
};

/* clang-format off */
static const Case cases[] = {
  /* Figure 2.2 of J. Nibbeling's thesis */
  {"2 x 2 blocks",  {"x.xxxx",
                     ".xxxxx",
                     "..x.xx",
                     "...xxx",
                     "....x.",
                     ".....x"}, {3, 3, 5, {3, 3, 2, 2, 1, 1}}, {1, 1, 1, {1, 1, 1, 1, 1, 1}}, {0, 1, 2, 3, 4, 5}},
  {"diagonal",      {"x...",
                     ".x..",
                     "..x.",
                     "...x"}, {1, 1, 1, {1, 1, 1, 1}}, {1, 1, 1, {1, 1, 1, 1}}, {0, 1, 2, 3}},
  {"chain",         {"xx...",
                     "xxx..",
                     ".xxx.",
                     "..xxx",
                     "...xx"}, {5, 5, 2, {5, 4, 3, 2, 1}}, {5, 5, 2, {1, 2, 3, 4, 5}}, {0, 1, 2, 3, 4}},
  {"arrow down",    {"x...x",
                     ".x..x",
                     "..x.x",
                     "...xx",
                     "xxxxx"}, {2, 2, 2, {2, 2, 2, 2, 1}}, {2, 2, 5, {1, 1, 1, 1, 2}}, {0, 1, 2, 3, 4}},
  {"arrow up",      {"xxxxx",
                     "xx...",
                     "x.x..",
                     "x..x.",
                     "x...x"}, {2, 2, 5, {2, 1, 1, 1, 1}}, {2, 2, 2, {1, 2, 2, 2, 2}}, {0, 1, 2, 3, 4}},
  /* more blocks than levels: rows 1 and 2 are a block, of two levels */
  {"two chains",    {"xx..",
                     "xx..",
                     "..xx",
                     "..xx"}, {2, 3, 2, {2, 1, 2, 1}}, {2, 3, 2, {1, 2, 1, 2}}, {0, 2, 1, 3}},
  {"upper only",    {"x.x.",
                     ".x.x",
                     "..xx",
                     "...x"}, {3, 3, 2, {3, 2, 2, 1}}, {1, 1, 1, {1, 1, 1, 1}}, {0, 1, 2, 3}},
  /* an entry in one triangle, none in the other; L's blocks are 012 3 45 6 7 */
  {"unsymmetric",   {"x.x.....",
                     ".xx.....",
                     "..x.....",
                     "xx.x....",
                     "...xx...",
                     "x....x..",
                     ".....xx.",
                     "......xx"}, {2, 2, 2, {2, 2, 1, 1, 1, 1, 1, 1}}, {4, 5, 3, {1, 1, 1, 2, 3, 2, 3, 4}},
                    {0, 1, 2, 3, 5, 4, 6, 7}},
  {"no diagonal",   {".x.",
                     "x.x",
                     ".x."}, {3, 3, 1, {3, 2, 1}}, {3, 3, 1, {1, 2, 3}}, {0, 1, 2}},
  {"one row",       {"x"}, {1, 1, 1, {1}}, {1, 1, 1, {1}}, {0}},
  {"empty",         {}, {0, 0, 0, {}}, {0, 0, 0, {}}, {}},
};
/* clang-format on */

static PetscErrorCode ExpectLevels(Mat A, PetscBool upper, const Answer &want)
{
  PetscInt levels, blocks, ell;
  Ints     level(want.level.size());

  PetscFunctionBegin;
  PetscCall(HeptaMatGetLevels(A, upper, &levels, &blocks, &ell, level.data()));
  PetscCheck(levels == want.levels && blocks == want.blocks && ell == want.ell, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: %d levels, %d blocks, row length %d instead of %d, %d, %d", upper ? "upper" : "lower", (int)levels, (int)blocks,
             (int)ell, (int)want.levels, (int)want.blocks, (int)want.ell);
  for (size_t i = 0; i < level.size(); i++)
    PetscCheck(level[i] == want.level[i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %d has level %d instead of %d",
               upper ? "upper" : "lower", (int)i, (int)level[i], (int)want.level[i]);
  PetscCall(HeptaMatGetLevels(A, upper, nullptr, &blocks, nullptr, nullptr));
  PetscCheck(blocks == want.blocks, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d blocks when only they are asked for", (int)blocks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOrder(Mat A, Ints *order)
{
  IS              row, col;
  PetscInt        n;
  const PetscInt *index;
  PetscBool       same;

  PetscFunctionBegin;
  PetscCall(MatGetOrdering(A, MATORDERINGLEVEL, &row, &col));
  PetscCall(ISEqual(row, col, &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rows and columns have different orders");
  PetscCall(ISGetLocalSize(row, &n));
  PetscCall(ISGetIndices(row, &index));
  order->assign(index, index + n);
  PetscCall(ISRestoreIndices(row, &index));
  PetscCall(Destroy(&row, &col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool IsSymmetric(const Picture &rows)
{
  bool same = true;

  for (size_t i = 0; i < rows.size(); i++) {
    for (size_t j = 0; j < i; j++) same = same && rows[i][j] == rows[j][i];
  }
  return same;
}

/* Every type has the same answers; mpiaij gives its rows one at a time */
static PetscErrorCode TestCases()
{
  PetscFunctionBegin;
  for (const Case &c : cases) {
    for (MatType type : {MATSEQAIJ, MATSEQBAIJ, MATMPIAIJ, TestOnDevice() ? MATSEQBDIACUDA : MATSEQBDIA, MATSEQSBAIJ}) {
      Mat  A;
      Ints order;
      if (!std::strcmp(type, MATSEQSBAIJ) && !IsSymmetric(c.rows)) continue;
      PetscCall(FromPicture(c.rows, type, &A));
      PetscErrorCode code = ExpectLevels(A, PETSC_TRUE, c.upper);
      if (!code) code = ExpectLevels(A, PETSC_FALSE, c.lower);
      if (!code) code = GetOrder(A, &order);
      if (code) (void)(*PetscErrorPrintf)("Failed: %s as %s\n", c.name, type);
      PetscCall(code);
      PetscCheck(order == c.order, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s as %s is in another order than by levels", c.name, type);
      PetscCall(MatDestroy(&A));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cell (x, y) has level x + y + 1 in L; a cell at the end of a line does not depend on the first of the next one, so each two
   lines share a block */
static PetscErrorCode TestGrids()
{
  PetscFunctionBegin;
  for (const auto &n : {std::pair<PetscInt, PetscInt>(30, 20), {7, 11}, {2, 2}, {1, 9}, {9, 1}}) {
    const PetscInt nx = n.first, ny = n.second;
    Answer         upper = {nx + ny - 1, nx > 1 ? nx * ny - ny + 1 : ny, nx > 1 && ny > 1 ? 3 : 2, {}}, lower = upper;
    Mat            A, B;
    for (PetscInt i = 0; i < nx * ny; i++) {
      lower.level.push_back(i % nx + i / nx + 1);
      upper.level.push_back(nx + ny - lower.level.back());
    }
    PetscCall(Grid(nx, ny, 1, MATSEQAIJ, Values(), &A));
    PetscCall(ExpectLevels(A, PETSC_TRUE, upper));
    PetscCall(ExpectLevels(A, PETSC_FALSE, lower));
    PetscCall(InLevelOrder(A, &B));
    PetscCall(Destroy(&A, &B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of three unknowns: levels of scalar rows, orders of block rows for baij, of scalar rows in whole blocks for bdia, of
   scalar rows for aij */
static PetscErrorCode TestBlocks()
{
  const PetscInt nx = 4, ny = 3, bs = 3;
  Ints           cells, rows;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < nx + ny - 1; l++) {
    for (PetscInt c = 0; c < nx * ny; c++) {
      if (c % nx + c / nx == l) cells.push_back(c);
    }
  }
  for (PetscInt c : cells) {
    for (PetscInt r = 0; r < bs; r++) rows.push_back(c * bs + r);
  }
  for (MatType type : {MATSEQAIJ, MATSEQBAIJ, TestOnDevice() ? MATSEQBDIACUDA : MATSEQBDIA}) {
    Mat      A;
    PetscInt levels, ell;
    Ints     order, byrow(nx * ny * bs);
    PetscCall(Grid(nx, ny, bs, type, Values(), &A));
    for (PetscBool upper : {PETSC_FALSE, PETSC_TRUE}) {
      PetscCall(HeptaMatGetLevels(A, upper, &levels, nullptr, &ell, nullptr));
      PetscCheck(levels == (nx + ny - 1) * bs && ell == 3 * bs, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "%d levels and row length %d of blocks in %s", (int)levels, (int)ell, type);
    }
    PetscCall(HeptaMatGetLevels(A, PETSC_FALSE, nullptr, nullptr, nullptr, byrow.data()));
    PetscCall(GetOrder(A, &order));
    if (!std::strcmp(type, MATSEQAIJ)) {
      const bool sorted = std::is_sorted(order.begin(), order.end(), [&](PetscInt i, PetscInt j) {
        return byrow[i] < byrow[j] || (byrow[i] == byrow[j] && i < j);
      });
      PetscCheck(order.size() == rows.size() && sorted, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "The rows of aij are not sorted by level");
    } else
      PetscCheck(order == (std::strcmp(type, MATSEQBAIJ) ? rows : cells), PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "The blocks of %s are not in the order of their levels", type);
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Wrong input, in words that help */
static PetscErrorCode TestErrors()
{
  Mat      A, S;
  PetscInt n;
  IS       row, col;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 3, 3, 0, nullptr, &A));
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "needs an assembled matrix",
                        [&] { return HeptaMatGetLevels(A, PETSC_TRUE, &n, nullptr, nullptr, nullptr); }));
  PetscCall(MatDestroy(&A));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 3, 4, 0, nullptr, &A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(ExpectError(PETSC_ERR_ARG_SIZ, "HeptaMatGetLevels() needs a square matrix, not one of 3 x 4",
                        [&] { return HeptaMatGetLevels(A, PETSC_TRUE, &n, nullptr, nullptr, nullptr); }));
  PetscCall(MatDestroy(&A));
  PetscCall(MatCreateShell(PETSC_COMM_SELF, 3, 3, 3, 3, nullptr, &S));
  PetscCall(ExpectError(PETSC_ERR_SUP, "type shell cannot be found",
                        [&] { return HeptaMatGetLevels(S, PETSC_TRUE, &n, nullptr, nullptr, nullptr); }));
  PetscCall(
    ExpectError(PETSC_ERR_SUP, "type shell cannot be found", [&] { return MatGetOrdering(S, MATORDERINGLEVEL, &row, &col); }));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMain(argc, argv, help, [] {
    PetscCall(TestCases());
    PetscCall(TestGrids());
    PetscCall(TestBlocks());
    PetscCall(TestErrors());
    return PETSC_SUCCESS;
  });
}
