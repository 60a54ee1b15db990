/* In which order the rows of the matrix blocks stand, and which of them can be taken together */
#include <algorithm>
#include <map>
#include <numeric>

#include "blockic.h"

using namespace hepta;

/* Rows of a tile of the scan; fewer than that between coupled rows, and levels are the better way */
static constexpr Index least_reach = 32, all_rows = 1 << 30;

/*
   Tables of offsets: target, plus and minus of the Factors. *columns <- all offsets and their negatives, without 0: the columns of `col`. A row waits for
   those that it is coupled to from below, and for those that are coupled to it, so that both triangular solves find their rows done.
*/
void HeptaBlockICStructure::Offsets(const bdia::Diagonals &D, std::vector<Index> *columns)
{
  const std::vector<Index> &off  = D.off;
  const auto                find = [](const std::vector<Index> &list, Index o) {
    const auto at = std::find(list.begin(), list.end(), o);
    return at == list.end() ? Index(-1) : Index(at - list.begin());
  };

  for (Index o : off) {
    if (o) columns->insert(columns->end(), {o, -o});
  }
  std::sort(columns->begin(), columns->end());
  columns->erase(std::unique(columns->begin(), columns->end()), columns->end());
  part[OFF] = off;
  main      = (int)find(off, 0);
  for (Index o : off) {
    for (Index e : off) part[TARGET].push_back(find(off, o + e));
    part[PLUS].push_back(PetscMax(find(*columns, o), 0));
    part[MINUS].push_back(PetscMax(find(*columns, -o), 0));
  }
}

/* Can a tile of rows be solved together? Only ±1 may couple rows of a tile; offsets longer than every block couple none. */
bool HeptaBlockICStructure::CanScan(const bdia::Diagonals &D, bool consecutive)
{
  Index terms[2] = {0, 0};

  reach[0] = reach[1] = all_rows;
  for (Index o : D.off) {
    const Index distance = PetscAbs(o);
    if (distance < 2 || distance >= most) continue;
    reach[o > 0] = PetscMin(reach[o > 0], distance);
    terms[o > 0]++;
  }
  const Index least = PetscMin(reach[0], reach[1]); /* with the transpose each serves both ways */
  reach[0] = reach[1] = least;
  return consecutive && D.bs == 1 && main >= 0 && PetscMax(terms[0], terms[1]) <= blockic::max_terms && least >= least_reach;
}

/* The levels of rows 0 ... n - 1: at[l] ... at[l + 1] - 1 of `order`; neighbor(i, o): the row at offset o < 0, or -1 */
template <class F> static void Levels(Index n, const std::vector<Index> &columns, F neighbor, std::vector<Index> *order, std::vector<Index> *at)
{
  std::vector<Index> level(n, 0);
  Index              last = 0;

  for (Index i = 0; i < n; i++) {
    for (Index o : columns) {
      const Index k = o < 0 ? neighbor(i, o) : -1;
      if (k >= 0) level[i] = PetscMax(level[i], level[k] + 1);
    }
    last = PetscMax(last, level[i]);
  }
  at->assign(last + 2, 0);
  for (Index i = 0; i < n; i++) (*at)[level[i] + 1]++;
  std::partial_sum(at->begin(), at->end(), at->begin());
  std::vector<Index> next(at->begin(), at->end() - 1);
  order->resize(n);
  for (Index i = 0; i < n; i++) (*order)[next[level[i]]++] = i;
}

/* Blocks of consecutive rows have one shape for each number of rows */
void HeptaBlockICStructure::OrderNatural(const std::vector<Index> &columns)
{
  std::map<Index, Index> shapes;
  std::vector<Index>     order, at;

  for (Index b = 0; b < nblocks; b++) {
    const Index n    = part[FIRST][b + 1] - part[FIRST][b];
    const auto  find = shapes.find(n);
    if (find != shapes.end()) {
      part[SHAPE].push_back(find->second);
      continue;
    }
    part[SHAPE].push_back(shapes[n] = (Index)shapes.size());
    Levels(
      n, columns, [](Index i, Index o) { return i + o; }, &order, &at);
    for (size_t l = 1; l < at.size(); l++) widest = PetscMax(widest, int(at[l] - at[l - 1]));
    part[FIRST_LEVEL].push_back((Index)part[LEVEL].size());
    part[FIRST_ORDER].push_back((Index)part[ORDER].size());
    part[LEVEL].insert(part[LEVEL].end(), at.begin(), at.end());
    part[ORDER].insert(part[ORDER].end(), order.begin(), order.end());
  }
  part[FIRST_LEVEL].push_back((Index)part[LEVEL].size());
}

/* Positions by levels: the rows of a level stand together. rows: the block rows by blocks. */
void HeptaBlockICStructure::OrderByLevels(const std::vector<Index> &columns, const std::vector<PetscInt> &block_of_row, const std::vector<Index> &rows)
{
  const Index                         n = (Index)rows.size();
  std::map<std::vector<Index>, Index> shapes;
  std::vector<Index>                  order, at, place(n);

  part[ROW].resize(n);
  for (Index b = 0; b < nblocks; b++) {
    const Index first = part[FIRST][b], end = part[FIRST][b + 1];
    const auto  neighbor = [&](Index i, Index o) {
      const Index k = rows[first + i] + o;
      return k >= 0 && block_of_row[k] == b ? place[k] : Index(-1);
    };
    for (Index p = first; p < end; p++) place[rows[p]] = p - first;
    Levels(end - first, columns, neighbor, &order, &at);
    for (size_t l = 1; l < at.size(); l++) widest = PetscMax(widest, int(at[l] - at[l - 1]));
    const auto shape = shapes.insert({at, (Index)shapes.size()});
    if (shape.second) {
      part[FIRST_LEVEL].push_back((Index)part[LEVEL].size());
      part[LEVEL].insert(part[LEVEL].end(), at.begin(), at.end());
    }
    part[SHAPE].push_back(shape.first->second);
    for (Index k = 0; k < end - first; k++) part[ROW][first + k] = rows[first + order[k]];
  }
  part[FIRST_LEVEL].push_back((Index)part[LEVEL].size());
  for (Index p = 0; p < n; p++) place[part[ROW][p]] = p;
  part[COL].resize(columns.size() * n);
  for (size_t k = 0; k < columns.size(); k++) {
    for (Index p = 0; p < n; p++) {
      const PetscInt64 c   = (PetscInt64)part[ROW][p] + columns[k];
      part[COL][k * n + p] = c >= 0 && c < n && block_of_row[c] == block_of_row[part[ROW][p]] ? place[c] : -1;
    }
  }
}

/* The matrix blocks and their sizes */
void HeptaBlockICStructure::Count(const std::vector<PetscInt> &block_of_row)
{
  nblocks = block_of_row.empty() ? 0 : Index(*std::max_element(block_of_row.begin(), block_of_row.end()) + 1);
  part[FIRST].assign(nblocks + 1, 0);
  for (PetscInt b : block_of_row) part[FIRST][b + 1]++;
  most = *std::max_element(part[FIRST].begin(), part[FIRST].end());
  std::partial_sum(part[FIRST].begin(), part[FIRST].end(), part[FIRST].begin());
}

PetscErrorCode HeptaBlockICStructure::Build(const bdia::Diagonals &D, const std::vector<PetscInt> &block_of_row, bool allow_scan)
{
  const Index        n = D.nbr;
  std::vector<Index> columns, rows(n);

  PetscFunctionBegin;
  PetscCheck(n <= all_rows, PETSC_COMM_SELF, PETSC_ERR_SUP, "%" PetscInt_FMT " block rows on an MPI process are more than the %" PetscInt_FMT " that blockic takes: use more processes", (PetscInt)n, (PetscInt)all_rows);
  nbr = n;
  bs  = (int)D.bs;
  ld  = D.ld;
  for (int k = 0; k < PARTS; k++) {
    part[k].clear();
    tables[k].Invalidate();
  }
  Count(block_of_row);
  std::vector<Index> next(part[FIRST]);
  for (Index m = 0; m < n; m++) rows[next[block_of_row[m]]++] = m;
  widest = 1;
  Offsets(D, &columns);
  natural = CanScan(D, std::is_sorted(rows.begin(), rows.end())) && allow_scan;
  if (natural) OrderNatural(columns);
  else OrderByLevels(columns, block_of_row, rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaBlockICStructure::Views(const HeptaSpace &space, blockic::Factors *F, blockic::Blocks *B)
{
  const Index *p[PARTS];

  PetscFunctionBegin;
  for (int k = 0; k < PARTS; k++) {
    PetscCall(tables[k].Get(space, part[k], &p[k]));
    if (part[k].empty()) p[k] = nullptr;
  }
  *B = {nblocks, widest, most, p[FIRST], p[SHAPE], p[FIRST_LEVEL], p[LEVEL], p[FIRST_ORDER], p[ORDER]};
  *F = {nbr, bs, (int)part[OFF].size(), main, ld, p[OFF], p[TARGET], p[PLUS], p[MINUS], p[ROW], p[COL], nullptr, nullptr};
  PetscFunctionReturn(PETSC_SUCCESS);
}
