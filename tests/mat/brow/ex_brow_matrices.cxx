static char help[] = "brow with tiles of every size against MATAIJ, and densities of tiles: real matrices, and patterns that no "
                     "block fits.\n\n";

#include "program.h"
#include "testmat.h"

#include <matrix_market.h>

#include <set>

#define MAX_TILE 8 /* the largest that brow chooses */

/* Table 5 of M. Verschoor, A. C. Jalba, Parallel Computing 38, 2012: percents d_2, d_4 and d_8, which the paper has cut and not
   rounded */
static const std::map<std::string, std::vector<int>> published = {
  {"bcsstk34", {76, 52, 34}},       {"plbuckle", {54, 36, 27}}, {"msc01440", {62, 42, 24}}, {"nasa1824", {52, 35, 23}},
  {"Trefethen_2000", {55, 30, 17}}, {"crystm01", {32, 22, 14}}, {"bcsstk38", {75, 53, 34}}, {"fv1", {50, 32, 16}},
  {"ted_B", {55, 40, 30}},          {"Dubcova1", {37, 15, 7}},  {"bodyy4", {49, 24, 12}},   {"bodyy6", {49, 24, 12}},
  {"jnlbrng1", {50, 25, 12}},       {"bcsstm39", {50, 25, 12}}, {"cvxbqp1", {26, 10, 4}},
};

/* The same matrix in tiles of several sizes, also chosen, and set apart row by row */
static PetscErrorCode Compare(Mat A, const std::string &name)
{
  const char *const options[] = {"-mat_brow_bs auto", "-mat_brow_bs 1",  "-mat_brow_bs 2",
                                 "-mat_brow_bs 3",    "-mat_brow_bs 4",  "-mat_brow_bs 5",
                                 "-mat_brow_bs 6",    "-mat_brow_bs 7",  "-mat_brow_bs 8",
                                 "-mat_brow_bs 9",    "-mat_brow_bs 13", "-mat_brow_bs 3 -mat_brow_mapping warp"};

  PetscFunctionBeginUser;
  for (const char *o : options) {
    Mat B;
    PetscCall(PetscOptionsInsertString(nullptr, "-mat_brow_mapping auto"));
    PetscCall(PetscOptionsInsertString(nullptr, o));
    PetscCall(MatConvert(A, TestOnDevice() ? MATBROWCUDA : MATBROW, MAT_INITIAL_MATRIX, &B));
    PetscCall(TestSame(A, B, 1e-13, (name + ", " + o).c_str()));
    PetscCall(MatDestroy(&B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tiles[n] <- tiles of n x n with an entry of this rank's rows and columns, as a set of their places; tiles[1]: entries */
static PetscErrorCode CountTiles(Mat A, std::vector<PetscInt> *tiles)
{
  PetscInt start, end, left, right, length;

  PetscFunctionBeginUser;
  tiles->assign(MAX_TILE + 1, 0);
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(MatGetOwnershipRangeColumn(A, &left, &right));
  for (PetscInt n = 1; n <= MAX_TILE; n++) {
    std::set<std::pair<PetscInt, PetscInt>> places;
    for (PetscInt i = start; i < end; i++) {
      const PetscInt *cols;
      PetscCall(MatGetRow(A, i, &length, &cols, nullptr));
      for (PetscInt k = 0; k < length; k++) {
        if (cols[k] >= left && cols[k] < right) places.insert({(i - start) / n, (cols[k] - left) / n});
      }
      PetscCall(MatRestoreRow(A, i, &length, &cols, nullptr));
    }
    (*tiles)[n] = (PetscInt)places.size();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries for each place in a tile of n x n, and the bytes of a product, as the page of MATBROW has them */
static double Density(const std::vector<PetscInt> &tiles, PetscInt n)
{
  return (double)tiles[1] / ((double)tiles[n] * (double)(n * n));
}
static double Bytes(const std::vector<PetscInt> &tiles, PetscInt rows, PetscInt n)
{
  return (double)tiles[n] * (double)(n * n * (PetscInt)sizeof(PetscScalar) + 4) + 8.0 * (double)((rows + n - 1) / n);
}

/* The densities that the view has and the tile size that is chosen, against a count; and those of the paper */
static PetscErrorCode Densities(Mat A, const std::string &name)
{
  Mat                   B, C;
  PetscInt              rows, size, best = 1;
  PetscMPIInt           rank, ranks;
  std::vector<PetscInt> tiles;
  std::string           view, line = "; density";
  char                  word[16];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_brow_mapping auto -mat_brow_bs auto"));
  PetscCall(MatConvert(A, TestAIJ(), MAT_INITIAL_MATRIX, &B)); /* on a device the tiles are counted there */
  PetscCall(MatConvert(B, TestOnDevice() ? MATBROWCUDA : MATBROW, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatGetLocalSize(A, &rows, nullptr));
  PetscCall(CountTiles(A, &tiles));
  for (PetscInt n = 1; n <= MAX_TILE && tiles[1]; n++) {
    std::snprintf(word, sizeof(word), " %.2f", Density(tiles, n));
    line += word;
    if (Bytes(tiles, rows, n) <= Bytes(tiles, rows, best)) best = n;
  }
  PetscCall(TakeView((PetscObject)C, PETSC_VIEWER_ASCII_INFO, &view));
  PetscCheck(rank || !tiles[1] || view.find(line + " in tiles of 1 to 8") != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: the view does not hold \"%s\":\n%s", name.c_str(), line.c_str(), view.c_str());
  PetscCall(MatBROWGetTileSize(C, &size));
  PetscCheck(!tiles[1] || size == best, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: tiles of %" PetscInt_FMT ", not %" PetscInt_FMT,
             name.c_str(), size, best);
  const auto paper = published.find(name);
  for (PetscInt k = 0; k < 3 && ranks == 1 && paper != published.end(); k++)
    PetscCheck((int)(100 * Density(tiles, 2 << k)) == paper->second[k], PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: density %g in tiles of %d, published 0.%02d", name.c_str(), Density(tiles, 2 << k), 2 << k, paper->second[k]);
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rectangular: empty rows, empty block rows, one full row, rows and columns that no tile divides */
static PetscErrorCode Odd(PetscInt rows, PetscInt cols)
{
  Mat      A;
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, rows, cols));
  PetscCall(MatSetType(A, MATAIJ));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = 0; j < cols && i / 8 % 3 != 1; j++) {
      const PetscScalar v = PairNumber(i, j, 3);
      if (i == rows / 2 || v > 0.9) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Compare(A, std::to_string(rows) + " x " + std::to_string(cols)));
  PetscCall(Densities(A, std::to_string(rows) + " x " + std::to_string(cols)));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Files()
{
  std::map<std::string, std::string> files;

  PetscFunctionBeginUser;
  PetscCall(MatrixFiles(&files));
  for (const auto &f : files) {
    Mat A;
    PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_WORLD, f.second.c_str(), 1, &A));
    PetscCall(Compare(A, f.first));
    PetscCall(Densities(A, f.first));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMain(argc, argv, help, [] {
    for (PetscInt rows : {1, 50, 131}) {
      for (PetscInt cols : {1, 77, 131}) PetscCall(Odd(rows, cols));
    }
    PetscCall(Files());
    return PETSC_SUCCESS;
  });
}
