/* Aggregation of a level's block rows: boxes of the grid */
#include <algorithm>
#include <cmath>

#include "../subdeflation.h"

void HeptaLevelCells(const HeptaGrid &grid, HeptaLevel &L)
{
  const PetscInt rows  = L.A->rmap->n / L.A->rmap->bs;
  PetscInt       lo[3] = {0, 0, 0}, hi[3] = {-1, -1, -1}, c[3];
  bool           whole = true;

  L.cell.clear();
  std::copy(grid.n, grid.n + 3, L.n);
  if (L.A->rmap->n == L.A->rmap->N) return; /* all cells, in natural order */
  for (PetscInt m = 0; m < rows; m++) {
    grid.Cell(m, c);
    for (int a = 0; a < 3; a++) {
      lo[a] = m ? PetscMin(lo[a], c[a]) : c[a];
      hi[a] = PetscMax(hi[a], c[a]);
    }
  }
  for (int a = 0; a < 3; a++) L.n[a] = hi[a] - lo[a] + 1;
  L.cell.resize(rows);
  for (PetscInt m = 0; m < rows; m++) {
    grid.Cell(m, c);
    L.cell[m] = c[0] - lo[0] + L.n[0] * (c[1] - lo[1] + L.n[1] * (c[2] - lo[2]));
    whole     = whole && L.cell[m] == m;
  }
  if (whole && (PetscInt64)L.n[0] * L.n[1] * L.n[2] == rows) L.cell.clear();
}

/* The sum of |a_ij| along each axis over couplings within MPI processes, with the same bits on all processes, since decisions depend on it */
static PetscErrorCode Strengths(HeptaLevel &L, PetscReal strength[3])
{
  const PetscInt              step[3] = {1, L.n[0], L.n[0] * L.n[1]};
  HeptaStorage               &local   = *MatBlocked(L.A)->local;
  hepta::blocked::EntryArrays entries;
  hepta::blocked::EntryList   own; /* where the level's list is made on the device */
  HeptaSpace                  space;
  std::vector<PetscReal>      mine(3, 0), all;
  const auto                  cell = [&](PetscInt i) { return L.cell.empty() ? i / L.A->rmap->bs : L.cell[i / L.A->rmap->bs]; };

  PetscFunctionBegin;
  PetscCall(L.ListSpace(&space));
  PetscCall(local.GetEntries(HeptaSpace(), space.device ? own : L.entries, &entries));
  PetscCall(HeptaVisitValues(local, HeptaSpace(), HeptaAccess::read, [&](const auto *v) {
    for (PetscInt i = 0; i < L.A->rmap->n; i++) {
      for (size_t p = entries.first[i]; p < entries.first[i + 1]; p++) {
        for (int a = 0; a < 3; a++) {
          if (L.n[a] > 1 && std::abs(cell(entries.column[p]) - cell(i)) == step[a]) mine[a] += std::abs(v[entries.slot[p]]);
        }
      }
    }
    return PETSC_SUCCESS;
  }));
  PetscCall(HeptaGatherAll(PetscObjectComm((PetscObject)L.A), MPIU_REAL, mine, all));
  for (int a = 0; a < 3; a++) strength[a] = 0;
  for (size_t k = 0; k < all.size(); k++) strength[k % 3] += all[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the boxes that occur in `number` without gaps: cell <- these boxes, ascending, *count <- how many they are; number <- their new numbers. If all `boxes` occur nothing changes. */
static void DropEmpty(PetscInt boxes, std::vector<PetscInt> &number, std::vector<PetscInt> &cell, PetscInt *count)
{
  std::vector<PetscInt> among(boxes, -1);

  cell.clear();
  for (PetscInt e : number) among[e] = 0;
  for (PetscInt e = 0; e < boxes; e++) {
    if (among[e] < 0) continue;
    among[e] = (PetscInt)cell.size();
    cell.push_back(e);
  }
  for (PetscInt &e : number) e = among[e];
  *count = (PetscInt)cell.size();
  if (*count == boxes) cell.clear();
}

PetscErrorCode HeptaLevelBoxes(PC pc, size_t l, HeptaLevel &L, HeptaLevel &next, HeptaValues &number, PetscInt *count)
{
  const HeptaLevelsChoice &choice = Subdeflation(pc)->levels.choice;
  PetscReal                strength[3], largest = 0;
  std::vector<PetscInt>    numbers(L.A->rmap->n / L.A->rmap->bs);

  PetscFunctionBegin;
  PetscCheck(choice.Size(l) > 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_size 1 for level %d of the cycle: its boxes must have at least 2 cells a side", (int)l);
  PetscCall(Strengths(L, strength));
  for (int a = 0; a < 3; a++) largest = PetscMax(largest, strength[a]);
  for (int a = 0; a < 3; a++) {
    L.box[a]  = L.n[a] > 1 && !(strength[a] < choice.strong * largest) ? PetscMin(choice.Size(l), L.n[a]) : 1; /* NaN is not weak */
    next.n[a] = L.n[a] / L.box[a];
  }
  const auto box = [&](int a, PetscInt cell) { return PetscMin(cell / L.box[a], next.n[a] - 1); }; /* the last box also has the remaining cells */
  for (size_t m = 0; m < numbers.size(); m++) {
    const PetscInt k = L.cell.empty() ? (PetscInt)m : L.cell[m];
    numbers[m]       = box(0, k % L.n[0]) + next.n[0] * (box(1, k / L.n[0] % L.n[1]) + next.n[1] * box(2, k / L.n[0] / L.n[1]));
  }
  DropEmpty(next.n[0] * next.n[1] * next.n[2], numbers, next.cell, count);
  PetscCall(number.Take(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}
