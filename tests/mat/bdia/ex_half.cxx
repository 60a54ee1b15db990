static char help[] =
  "Half storage of symmetric matrices: what is set, in either half or in both, gives the matrix that MATAIJ has.\n\n";

#include "core.h"
#include "failure.h"

enum class Set {
  BOTH,
  UPPER,       /* by entries: the upper triangle */
  UPPER_BLOCKS /* by blocks: those on and above the diagonal, diagonal blocks whole */
};

/* A symmetric set of blocks, with some far from the diagonal */
static std::vector<Block> SymmetricBlocks(const Shape &s, const std::vector<PetscInt> &off, PetscInt more)
{
  std::vector<Block> blocks = MakeBlocks(s, off, more);

  for (size_t k = 0, n = blocks.size(); k < n; k++) blocks.push_back({blocks[k].second, blocks[k].first});
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

static PetscScalar Value(PetscInt i, PetscInt j, PetscInt seed)
{
  return PairNumber(PetscMin(i, j), PetscMax(i, j), seed);
}

/* Entries, one in ten pairs left out, from any rank */
static PetscErrorCode Entries(Mat A, const Shape &s, const std::vector<Block> &blocks, PetscInt seed, Set set, InsertMode mode)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  for (const Block &b : blocks) {
    for (PetscInt i = b.first * s.bs; i < (b.first + 1) * s.bs; i++) {
      for (PetscInt j = b.second * s.bs; j < (b.second + 1) * s.bs; j++) {
        const PetscScalar v = Value(i, j, seed);
        if (Value(i, j, 4711) < -0.8 || SetterOf(i, j, 0, size) != rank || (set == Set::UPPER && j < i)) continue;
        PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, mode));
      }
    }
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Blocks(Mat A, const Shape &s, const std::vector<Block> &blocks, PetscInt seed, Set set, InsertMode mode)
{
  PetscMPIInt              rank, size;
  std::vector<PetscScalar> v(s.bs * s.bs);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  for (const Block &b : blocks) {
    if (SetterOf(b.first, b.second, 0, size) != rank || (set != Set::BOTH && b.second < b.first)) continue;
    for (PetscInt k = 0; k < s.bs * s.bs; k++) v[k] = Value(b.first * s.bs + k / s.bs, b.second * s.bs + k % s.bs, seed);
    PetscCall(MatSetValuesBlocked(A, 1, &b.first, 1, &b.second, v.data(), mode));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Filled again and again, with one half or both, inserted or added: aij always gets both */
static PetscErrorCode Sequences(MPI_Comm comm, const Shape &s, const char prefix[], PetscReal tol)
{
  const std::vector<Block> blocks = SymmetricBlocks(s, {0, 1, 4}, 2), more = SymmetricBlocks(s, {0, 1, 2, 4}, 4);
  auto                     fill = Entries;

  PetscFunctionBegin;
  for (bool blocked : {false, true}) {
    fill = blocked ? Blocks : Entries;
    for (Set first : {Set::BOTH, blocked ? Set::UPPER_BLOCKS : Set::UPPER}) {
      for (Set second : {Set::BOTH, blocked ? Set::UPPER_BLOCKS : Set::UPPER}) {
        const std::string what = std::string(prefix) + (blocked ? "blocks " : "entries ") + std::to_string((int)first) +
                                 ", then " + std::to_string((int)second);
        PetscCall(CheckRecipe(comm, s, prefix, tol, what, [&](Mat A) {
          PetscBool aij;
          PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
          PetscCall(PreallocateAIJ(A));
          PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
          PetscCall(fill(A, s, blocks, 1, aij ? Set::BOTH : first, INSERT_VALUES));
          PetscCall(fill(A, s, blocks, 2, aij ? Set::BOTH : second, ADD_VALUES));
          PetscCall(fill(A, s, more, 3, aij ? Set::BOTH : first, ADD_VALUES)); /* new locations too */
          return fill(A, s, blocks, 4, aij ? Set::BOTH : second, INSERT_VALUES);
        }));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only the diagonal and upper offsets are stored */
static PetscErrorCode UpperOnly(MPI_Comm comm, const Shape &s)
{
  Mat             A;
  PetscInt        nd;
  const PetscInt *off;

  PetscFunctionBegin;
  PetscCall(NewMat(comm, s, TestType(), "h_", &A));
  PetscCall(Entries(A, s, SymmetricBlocks(s, {0, 1, 4}, 0), 1, Set::BOTH, INSERT_VALUES));
  PetscCall(MatBDIAGetOffsets(A, &nd, &off));
  for (PetscInt d = 0; d < nd; d++)
    PetscCheck(off[d] == 0 || off[d] == 1 || off[d] == 4, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Offset %d is stored", (int)off[d]);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the message say "... row i, column j is <value> ..."? */
static bool Holds(const std::string &message, PetscInt i, PetscInt j, const char value[])
{
  return message.find("row " + std::to_string(i) + ", column " + std::to_string(j) + " is " + value) != std::string::npos;
}

/* A pair of different entries, or a lone one below the diagonal: the error names both locations, on all ranks */
static PetscErrorCode Unsymmetric(MPI_Comm comm, const Shape &s, PetscInt i, PetscInt j, bool again, bool lone)
{
  Mat               A;
  PetscInt          start, end;
  const PetscScalar wrong = 17.5, other = 16;

  PetscFunctionBegin;
  PetscCall(NewMat(comm, s, TestType(), "h_", &A));
  if (again) PetscCall(Blocks(A, s, SymmetricBlocks(s, {0, 1, 4}, 2), 1, Set::BOTH, INSERT_VALUES));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  if (i >= start && i < end) PetscCall(MatSetValues(A, 1, &i, 1, &j, &wrong, INSERT_VALUES));
  if (j >= start && j < end && !lone) PetscCall(MatSetValues(A, 1, &j, 1, &i, &other, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  std::string text;
  PetscCall(PetscPushErrorHandler(KeepMessage, &text));
  const PetscErrorCode code = MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(code == PETSC_ERR_ARG_WRONG, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entry %d, %d: error %d instead of %d, message %s",
             (int)i, (int)j, (int)code, (int)PETSC_ERR_ARG_WRONG, text.c_str());
  PetscCheck(Holds(text, i, j, "17.5") && (lone ? Holds(text, j, i, "") : Holds(text, j, i, "16")) &&
               text.find("-mat_bdia_half") != std::string::npos,
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entry %d, %d: the message is: %s", (int)i, (int)j, text.c_str());
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* COO with both halves or the upper one, from any rank, set twice */
static PetscErrorCode COO(MPI_Comm comm, const Shape &s, bool upper)
{
  const std::vector<Block> blocks = SymmetricBlocks(s, {0, 1, 4}, 2);

  PetscFunctionBegin;
  PetscCall(CheckRecipe(comm, s, "h_", 1e-13, upper ? "COO, upper half" : "COO, both halves", [&](Mat A) {
    PetscBool                aij;
    PetscMPIInt              rank, size;
    std::vector<PetscInt>    i, j, ci, cj;
    std::vector<PetscScalar> v;

    PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCallMPI(MPI_Comm_size(comm, &size));
    for (const Block &b : blocks) {
      for (PetscInt k = 0; k < s.bs * s.bs; k++) {
        const PetscInt row = b.first * s.bs + k / s.bs, col = b.second * s.bs + k % s.bs;
        if (SetterOf(row, col, 0, size) != rank || (upper && !aij && col < row)) continue;
        i.push_back(row);
        j.push_back(col);
      }
    }
    ci = i;
    cj = j;
    PetscCall(MatSetPreallocationCOO(A, (PetscCount)i.size(), ci.data(), cj.data()));
    v.resize(i.size());
    for (InsertMode mode : {INSERT_VALUES, ADD_VALUES, INSERT_VALUES, ADD_VALUES}) {
      for (size_t k = 0; k < i.size(); k++) v[k] = Value(i[k], j[k], mode == ADD_VALUES ? 6 : 5);
      PetscCall(MatSetValuesCOO(A, v.data(), mode));
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  const PetscInt last = s.nbr * s.bs - 1;

  PetscFunctionBegin;
  PetscCall(Sequences(comm, s, "h_", 1e-12));
  if (s.bs < 5) PetscCall(Sequences(comm, s, "hs_", 1e-5));
  PetscCall(UpperOnly(comm, s));
  for (bool again : {false, true}) {
    PetscCall(Unsymmetric(comm, s, s.bs, 0, again, false)); /* neighbors */
    PetscCall(Unsymmetric(comm, s, last, 0, again, false)); /* on different ranks */
    PetscCall(Unsymmetric(comm, s, 0, last, again, false));
    if (!again) PetscCall(Unsymmetric(comm, s, last, 0, false, true));
    if (!again) PetscCall(Unsymmetric(comm, s, s.bs, 0, false, true));
    if (s.bs > 1) PetscCall(Unsymmetric(comm, s, last, last - 1, again, false)); /* in a diagonal block */
    if (s.bs > 1) PetscCall(Unsymmetric(comm, s, s.bs, s.bs + 1, again, false));
  }
  for (bool upper : {false, true}) PetscCall(COO(comm, s, upper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"h_", "hs_"}));
  PetscCall(PetscOptionsInsertString(nullptr, "-h_mat_bdia_half -hs_mat_bdia_half -hs_mat_bdia_storage single"));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(PetscFinalize());
  return 0;
}
