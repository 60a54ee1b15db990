/* Which rows make up a matrix block: grid lines, boxes of cells, or a number of rows; blocks never cross ranks */
#include <map>

#include "blockic.h"

using namespace hepta;

/* *number <- the keys, in any order, numbered 0, 1, ... in ascending order */
static void Number(std::vector<PetscInt64> *keys, std::vector<PetscInt> *number)
{
  std::map<PetscInt64, PetscInt> names;

  for (size_t m = 0; m < keys->size(); m++) {
    if (!m || (*keys)[m] != (*keys)[m - 1]) names[(*keys)[m]] = 0;
  }
  PetscInt next = 0;
  for (auto &n : names) n.second = next++;
  for (size_t m = 0; m < keys->size(); m++) (*number)[m] = m && (*keys)[m] == (*keys)[m - 1] ? (*number)[m - 1] : names[(*keys)[m]];
}

/* The key of the line or box of a row. Lines and boxes are counted from the first cell of the grid, or of the rank's box if there is one */
static void Key(const HeptaGrid &g, HeptaBlockICBlocks blocks, PetscInt size, PetscInt row, PetscInt64 *key)
{
  const PetscInt *n = g.box ? g.size : g.n;
  PetscInt        c[3];

  g.Cell(row, c);
  for (int x = 0; x < 3 && g.box; x++) c[x] -= g.start[x];
  if (blocks == HeptaBlockICBlocks::lines) *key = (c[1] + (PetscInt64)c[2] * n[1]) / size;
  else *key = c[0] / size + ((PetscInt64)(n[0] - 1) / size + 1) * (c[1] / size + ((PetscInt64)(n[1] - 1) / size + 1) * (c[2] / size));
}

PetscErrorCode HeptaBlockICPartition(PC pc, std::vector<PetscInt> *block_of_row)
{
  PC_BlockIC             *ic       = BlockIC(pc);
  const PetscInt          n        = ic->op.A->rmap->n / ic->op.A->rmap->bs;
  const PetscInt          usual[3] = {2, 8, 512};
  HeptaGrid               grid;
  std::vector<PetscInt64> keys(n);
  DM                      dm;

  PetscFunctionBegin;
  PetscCall(PCGetDM(pc, &dm));
  if (!dm) PetscCall(MatGetDM(pc->pmat, &dm));
  /* a converted copy does not know the grid of the matrix that it comes from */
  PetscCall(HeptaGridOf(pc->pmat->rmap->bs == ic->op.A->rmap->bs ? pc->pmat : ic->op.A, dm, ic->grid, "-pc_blockic_grid", &grid));
  if (ic->given_blocks != PETSC_DECIDE) ic->blocks = (HeptaBlockICBlocks)ic->given_blocks;
  else ic->blocks = grid.dim > 1 ? HeptaBlockICBlocks::lines : HeptaBlockICBlocks::rows;
  PetscCheck(grid.dim || ic->blocks == HeptaBlockICBlocks::rows, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
             "-pc_blockic_blocks %s needs a grid, and neither a DMDA nor the matrix gives one: give it by -pc_blockic_grid J,H,I, or use -pc_blockic_blocks rows", ic->blocks == HeptaBlockICBlocks::lines ? "lines" : "boxes");
  ic->size = ic->given_size != PETSC_DECIDE ? ic->given_size : usual[(int)ic->blocks];
  for (PetscInt m = 0; m < n; m++) {
    if (ic->blocks == HeptaBlockICBlocks::rows) keys[m] = m / ic->size;
    else Key(grid, ic->blocks, ic->size, m, &keys[m]);
  }
  block_of_row->resize(n);
  Number(&keys, block_of_row);
  PetscFunctionReturn(PETSC_SUCCESS);
}
