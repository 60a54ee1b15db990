/* Products of matrices in blocks: brow against cuSPARSE */
#include "contest.h"
#include "csr_file.h"

/* The tile that brow chooses, and its blocks; cuSPARSE gets the same block size where it divides the rows */
static PetscErrorCode Tiles(Contest &c, PetscInt *bs, double *slots)
{
  Mat     B;
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(BenchConvert(c.aij, MATSEQBROW, "-mat_brow_bs", "auto", &B));
  PetscCall(MatBROWGetTileSize(B, bs));
  PetscCall(MatGetInfo(B, MAT_LOCAL, &info));
  *slots = info.nz_allocated;
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The floor counts tiles with their zeros, their indices, and the vectors once; for conversions, entries read with columns twice
   and without once, and tiles written */
static PetscErrorCode CompareOne(Bench &b, CSR &&A, const std::string &name)
{
  Contest  c;
  PetscInt bs    = 1;
  double   slots = 0;

  PetscFunctionBegin;
  c.A = std::move(A);
  PetscCall(Start(c));
  PetscCall(Tiles(c, &bs, &slots));
  c.A.nc = c.A.rows % bs ? 1 : bs;
  PetscCall(AddCusparse(b, c, BLOCKS_DOUBLE, BLOCKS_SINGLE));
  PetscCall(AddMat(c, MATSEQBROWCUDA, "-mat_brow_bs", std::to_string(bs).c_str(), 1e-12, {{BLOCKS_DOUBLE, "brow"}}));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_brow_bs", std::to_string(bs).c_str()));
  PetscCall(AddMat(c, MATSEQBROWCUDA, "-mat_brow_storage", "single", 1e-5, {{BLOCKS_SINGLE, "brow single"}}));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_brow_bs"));
  PetscCall(AddConversions(b, c, bs));
  c.A.nc            = bs;
  const double rest = 4 * slots / (double)(bs * bs) + 8. * c.A.rows / (double)bs + 16. * c.A.rows;
  char         density[32];
  PetscCall(PetscSNPrintf(density, sizeof(density), ", density %.2f", (double)c.A.val.size() / slots));
  PetscCall(Finish(b, c, name + density,
                   {{BLOCKS_DOUBLE, 8 * slots + rest},
                    {BLOCKS_SINGLE, 4 * slots + rest},
                    {CONVERSION, 20. * (double)c.A.val.size() + 4. * c.A.rows + 8 * slots}}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareBlocks(Bench &b, PetscInt n)
{
  char    *files[64];
  PetscInt count = 64, rows = 2000000, dense = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, "-f", files, &count, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-copies_to", &rows, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-blocks_n", &n, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-dense_n", &dense, nullptr));
  for (PetscInt k = 0; k < count; k++) {
    const std::string name = CSRFileName(files[k]);
    for (PetscInt least : {(PetscInt)0, rows}) {
      CSR A;
      PetscCall(CSRRead(files[k], least, &A));
      PetscCall(CompareOne(b, std::move(A), name + (least ? ", copies" : "")));
    }
    PetscCall(PetscFree(files[k]));
  }
  if (dense > 0) PetscCall(CompareDense(b, dense));
  PetscCall(CompareOne(b, CSRElasticity(PetscMax(4, n * 69 / 256), 3), "27-point, 3 unknowns"));
  PetscCall(CompareOne(b, CSRWells(PetscMax(4, n * 87 / 256), 3, 50, 12), "7-point with wells, 3 unknowns"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
