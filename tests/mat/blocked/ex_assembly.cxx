static char help[] = "Every way of setting values in a MATBDIA matrix, compared with MATAIJ.\n\n";

#include "core.h"

static PetscMPIInt Rank(Mat A)
{
  PetscMPIInt rank;

  (void)MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank);
  return rank;
}

static PetscMPIInt Size(Mat A)
{
  PetscMPIInt size;

  (void)MPI_Comm_size(PetscObjectComm((PetscObject)A), &size);
  return size;
}

/* Calls f(i, j) for the entries of the blocks, one in ten left out */
template <class F> static PetscErrorCode EachEntry(const Shape &s, const std::vector<Block> &blocks, F f)
{
  PetscFunctionBegin;
  for (const Block &b : blocks) {
    for (PetscInt i = b.first * s.bs; i < (b.first + 1) * s.bs; i++) {
      for (PetscInt j = b.second * s.bs; j < (b.second + 1) * s.bs; j++) {
        if (PairNumber(i, j, 4711) > -0.8) PetscCall(f(i, j));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each entry set, or added twice, by ranks that mostly do not own it */
static PetscErrorCode Entries(Mat A, const Shape &s, const std::vector<Block> &blocks, PetscInt seed, InsertMode mode)
{
  PetscFunctionBegin;
  PetscCall(EachEntry(s, blocks, [&](PetscInt i, PetscInt j) {
    for (PetscInt part = 0; part < (mode == ADD_VALUES ? 2 : 1); part++) {
      const PetscScalar v = PairNumber(i, j, seed + part);
      if (SetterOf(i, j, part, Size(A)) == Rank(A)) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, mode));
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dense pieces of up to 3 block rows by 2 block columns around each block, with negative indices among them */
static PetscErrorCode Pieces(Mat A, const Shape &s, const std::vector<Block> &blocks, PetscBool by_row, InsertMode mode)
{
  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_ROW_ORIENTED, by_row));
  for (const Block &b : blocks) {
    std::vector<PetscInt>    rows(1, -5), cols;
    std::vector<PetscScalar> v;

    if (SetterOf(b.first, b.second, 0, Size(A)) != Rank(A)) continue;
    for (PetscInt i = b.first * s.bs; i < PetscMin(b.first + 3, s.nbr) * s.bs; i++) rows.push_back(i);
    for (PetscInt j = PetscMin(b.second + 2, s.nbc) * s.bs - 1; j >= b.second * s.bs; j--) cols.push_back(j);
    cols.push_back(-1);
    const size_t m = rows.size(), n = cols.size();
    v.resize(m * n);
    for (size_t k = 0; k < m; k++) {
      for (size_t l = 0; l < n; l++)
        v[by_row ? k * n + l : l * m + k] = PairNumber(rows[k], cols[l], mode == ADD_VALUES ? b.first : 3);
    }
    PetscCall(MatSetValues(A, (PetscInt)m, rows.data(), (PetscInt)n, cols.data(), v.data(), mode));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same in blocks; rows and columns go through `map` and `set` is MatSetValuesBlocked() or a kin of it */
typedef PetscErrorCode (*BlockSetter)(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[], const PetscScalar[],
                                      InsertMode);

static PetscErrorCode BlockPieces(Mat A, const Shape &s, const std::vector<Block> &blocks, PetscBool by_row, InsertMode mode,
                                  const std::vector<PetscInt> &map, BlockSetter set)
{
  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_ROW_ORIENTED, by_row));
  for (const Block &b : blocks) {
    const PetscInt           rows[] = {b.first, -1, b.second}, cols[] = {b.second, -2, b.first};
    PetscInt                 mrows[3], mcols[3];
    std::vector<PetscScalar> v(9 * s.bs * s.bs);

    if (SetterOf(b.first, b.second, 0, Size(A)) != Rank(A)) continue;
    for (PetscInt k = 0; k < 3; k++) {
      mrows[k] = rows[k] < 0 ? rows[k] : map[rows[k]];
      mcols[k] = cols[k] < 0 ? cols[k] : map[cols[k]];
    }
    for (PetscInt k = 0; k < 3 * s.bs; k++) {
      for (PetscInt l = 0; l < 3 * s.bs; l++) {
        const PetscInt i = rows[k / s.bs] * s.bs + k % s.bs, j = cols[l / s.bs] * s.bs + l % s.bs;
        v[by_row ? k * 3 * s.bs + l : l * 3 * s.bs + k] = PairNumber(i, j, mode == ADD_VALUES ? b.first : 3);
      }
    }
    PetscCall(set(A, 3, mrows, 3, mcols, v.data(), mode));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local numbering: all blocks, in an order of each rank's own */
static PetscErrorCode SetMapping(Mat A, const Shape &s, std::vector<PetscInt> &local_of)
{
  std::vector<PetscInt>  global(s.nbr);
  ISLocalToGlobalMapping map;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < s.nbr; k++) global[k] = (k + 3 * Rank(A)) % s.nbr;
  local_of.resize(s.nbr);
  for (PetscInt k = 0; k < s.nbr; k++) local_of[global[k]] = k;
  PetscCall(ISLocalToGlobalMappingCreate(PetscObjectComm((PetscObject)A), s.bs, s.nbr, global.data(), PETSC_COPY_VALUES, &map));
  PetscCall(MatSetLocalToGlobalMapping(A, map, map));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LocalEntries(Mat A, const Shape &s, const std::vector<Block> &blocks, InsertMode mode)
{
  std::vector<PetscInt> local_of;

  PetscFunctionBegin;
  PetscCall(SetMapping(A, s, local_of));
  PetscCall(EachEntry(s, blocks, [&](PetscInt i, PetscInt j) {
    const PetscInt    row = local_of[i / s.bs] * s.bs + i % s.bs, cols[2] = {-1, local_of[j / s.bs] * s.bs + j % s.bs};
    const PetscScalar v[2] = {99, PairNumber(i, j, 5)};
    if (SetterOf(i, j, 0, Size(A)) == Rank(A)) PetscCall(MatSetValuesLocal(A, 1, &row, 2, cols, v, mode));
    return PETSC_SUCCESS;
  }));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LocalBlocks(Mat A, const Shape &s, const std::vector<Block> &blocks, InsertMode mode)
{
  std::vector<PetscInt> local_of;

  PetscFunctionBegin;
  PetscCall(SetMapping(A, s, local_of));
  PetscCall(BlockPieces(A, s, blocks, PETSC_TRUE, mode, local_of, MatSetValuesBlockedLocal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A grid of one dimension: each rank sets its own cells' couplings at distance 0, 1, 2 */
static PetscErrorCode Stencil(Mat A, const Shape &s, bool blocked, InsertMode mode)
{
  PetscInt               start, end;
  const PetscInt         dim = s.nbr, zero = 0;
  std::vector<PetscInt>  all(s.nbr);
  ISLocalToGlobalMapping map;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < s.nbr; k++) all[k] = k;
  PetscCall(ISLocalToGlobalMappingCreate(PetscObjectComm((PetscObject)A), s.bs, s.nbr, all.data(), PETSC_COPY_VALUES, &map));
  PetscCall(MatSetLocalToGlobalMapping(A, map, map));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscCall(MatSetStencil(A, 1, &dim, &zero, s.bs));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt m = start / s.bs; m < end / s.bs; m++) {
    for (PetscInt o = 0; o <= 2; o++) {
      MatStencil               row = {0, 0, m, 0}, col = {0, 0, m + o, 0};
      std::vector<PetscScalar> v(s.bs * s.bs);
      if (m + o >= s.nbr) continue;
      for (size_t k = 0; k < v.size(); k++) v[k] = PairNumber(m * s.bs + (PetscInt)k, o, 8);
      if (blocked) PetscCall(MatSetValuesBlockedStencil(A, 1, &row, 1, &col, v.data(), mode));
      for (PetscInt c = 0; c < s.bs && !blocked; c++) {
        row.c = c;
        col.c = s.bs - 1 - c;
        PetscCall(MatSetValuesStencil(A, 1, &row, 1, &col, &v[c], mode));
      }
    }
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* insert, flush, add, flush, insert elsewhere */
static PetscErrorCode Flush(Mat A, const Shape &s, const std::vector<Block> &blocks)
{
  std::vector<Block> some;

  PetscFunctionBegin;
  PetscCall(PreallocateAIJ(A));
  for (size_t k = 0; k < blocks.size(); k += 3) some.push_back(blocks[k]);
  PetscCall(Entries(A, s, blocks, 1, INSERT_VALUES));
  PetscCall(Assemble(A, MAT_FLUSH_ASSEMBLY));
  PetscCall(Entries(A, s, blocks, 2, ADD_VALUES));
  PetscCall(Assemble(A, MAT_FLUSH_ASSEMBLY));
  PetscCall(Entries(A, s, some, 4, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two rows of each rank hold every column: entries here and there in turns, which come three times. The others, which have
   columns of other ranks too, are not made as long. */
static PetscErrorCode LongRows(Mat A, const Shape &s)
{
  const PetscInt n = s.nbc * s.bs;
  PetscInt       start, end;
  PetscBool      rows;
  MatInfo        info;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt k = 0; k < 3 * n; k++) {
    const PetscInt    j    = (7 * k + k / n) % n; /* 7 and n have no common factor */
    const PetscScalar v[2] = {PairNumber(k, j, 1), PairNumber(k, j, 2)};
    for (PetscInt r = 0; r < 2; r++) PetscCall(MatSetValue(A, r ? end - 1 : start, j, v[r], ADD_VALUES));
  }
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatSetValue(A, i, i, 4, ADD_VALUES));
    PetscCall(MatSetValue(A, i, (i + n / 2) % n, 1, ADD_VALUES));
  }
  PetscCall(Assemble(A));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &rows, MATMPIBROW, MATMPIBROWCUDA, ""));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCheck(!rows || info.nz_allocated < 2 * (double)s.bs * info.nz_used, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%g slots for %g entries", info.nz_allocated, info.nz_used);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestLongRows(MPI_Comm comm)
{
  PetscFunctionBegin;
  for (PetscInt bs : {1, 2}) {
    Shape s;
    s.bs  = bs;
    s.nbr = s.nbc = 500;
    PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "long rows", [&](Mat A) { return LongRows(A, s); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  const std::vector<PetscInt> identity = [&] {
    std::vector<PetscInt> v(s.nbr);
    for (PetscInt k = 0; k < s.nbr; k++) v[k] = k;
    return v;
  }();
  const std::vector<Block> blocks = MakeBlocks(s, {-5, -1, 0, 1, 2}, 3);

  PetscFunctionBegin;
  for (InsertMode mode : {INSERT_VALUES, ADD_VALUES}) {
    const std::string m     = mode == INSERT_VALUES ? " (insert)" : " (add)";
    const auto        check = [&](const char what[], const Recipe &recipe) {
      return CheckRecipe(comm, s, "t_", 1e-13, what + m, recipe);
    };

    PetscCall(check("entries", [&](Mat A) {
      PetscCall(Entries(A, s, blocks, 1, mode));
      return Assemble(A);
    }));
    for (PetscBool by_row : {PETSC_TRUE, PETSC_FALSE}) {
      PetscCall(check(by_row ? "pieces by row" : "pieces by column", [&](Mat A) { return Pieces(A, s, blocks, by_row, mode); }));
      PetscCall(check(by_row ? "blocks by row" : "blocks by column",
                      [&](Mat A) { return BlockPieces(A, s, blocks, by_row, mode, identity, MatSetValuesBlocked); }));
    }
    PetscCall(check("local", [&](Mat A) { return LocalEntries(A, s, blocks, mode); }));
    PetscCall(check("local blocks", [&](Mat A) { return LocalBlocks(A, s, blocks, mode); }));
    PetscCall(check("stencil", [&](Mat A) { return Stencil(A, s, false, mode); }));
    PetscCall(check("blocked stencil", [&](Mat A) { return Stencil(A, s, true, mode); }));
  }
  PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "flush", [&](Mat A) { return Flush(A, s, blocks); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"t_"}));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(TestLongRows(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}
