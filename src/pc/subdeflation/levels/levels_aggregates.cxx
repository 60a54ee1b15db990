/* Which block rows of a level are put together: boxes of the grid, or rows that are strongly coupled */
#include <algorithm>
#include <cmath>

#include "../subdeflation.h"
#include "strength_kernels.hxx"

using hepta::Index;

/* The column of entries in columns of other MPI processes */
constexpr PetscInt ELSEWHERE = -1;

/* Calls f(block row, block column, value) for the entries of this process's rows of A, numbered from 0, with their values on the host */
template <class F> static PetscErrorCode ForEntries(Mat A, F f)
{
  const PetscInt         bs = A->rmap->bs, start = A->rmap->rstart;
  HeptaStorage          &local  = *MatBlocked(A)->local;
  hepta::blocked::Ghost &ghosts = MatBlocked(A)->ghost;
  void                  *v;

  PetscFunctionBegin;
  PetscCall(local.values.Access(HeptaSpace(), HeptaAccess::read, &v));
  PetscCall(ghosts.Look());
  for (PetscInt row = 0; row < A->rmap->n; row++) {
    PetscCall(HeptaForSetInRow(A, row, [&](bool ghost, PetscInt column, size_t at) {
      if (ghost) f(row / bs, ELSEWHERE, ghosts.Value(at));
      else f(row / bs, (column - start) / bs, local.single ? (PetscReal)((const float *)v)[at] : PetscRealPart(((const PetscScalar *)v)[at]));
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaLevelCells(const HeptaGrid &grid, HeptaLevel &L)
{
  const PetscInt rows  = L.A->rmap->n / L.A->rmap->bs;
  PetscInt       lo[3] = {0, 0, 0}, hi[3] = {-1, -1, -1}, c[3];
  bool           whole = true;

  L.place.clear();
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
  L.place.resize(rows);
  for (PetscInt m = 0; m < rows; m++) {
    grid.Cell(m, c);
    L.place[m] = c[0] - lo[0] + L.n[0] * (c[1] - lo[1] + L.n[1] * (c[2] - lo[2]));
    whole      = whole && L.place[m] == m;
  }
  if (whole && (PetscInt64)L.n[0] * L.n[1] * L.n[2] == rows) L.place.clear();
}

/* The sum of the sizes of the couplings along each axis within MPI processes: the same bits on all, for decisions follow from them */
static PetscErrorCode Strengths(const HeptaLevel &L, PetscReal strength[3])
{
  const PetscInt         step[3] = {1, L.n[0], L.n[0] * L.n[1]};
  std::vector<PetscReal> mine(3, 0), all;
  const auto             place = [&](PetscInt m) { return L.place.empty() ? m : L.place[m]; };

  PetscFunctionBegin;
  PetscCall(ForEntries(L.A, [&](PetscInt m, PetscInt c, PetscReal v) {
    for (int a = 0; a < 3 && c != ELSEWHERE; a++) {
      if (L.n[a] > 1 && std::abs(place(c) - place(m)) == step[a]) mine[a] += PetscAbsReal(v);
    }
  }));
  PetscCall(HeptaGatherAll(PetscObjectComm((PetscObject)L.A), MPIU_REAL, mine, all));
  for (int a = 0; a < 3; a++) strength[a] = 0;
  for (size_t k = 0; k < all.size(); k++) strength[k % 3] += all[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number <- the places of the numbers among those that occur, which become the places of the next level's cells; *count <- how many they are. Nothing changes where all `boxes` occur. */
static void DropEmpty(PetscInt boxes, std::vector<PetscInt> &number, std::vector<PetscInt> &place, PetscInt *count)
{
  std::vector<PetscInt> among(boxes, -1);

  place.clear();
  for (PetscInt e : number) among[e] = 0;
  for (PetscInt e = 0; e < boxes; e++) {
    if (among[e] < 0) continue;
    among[e] = (PetscInt)place.size();
    place.push_back(e);
  }
  for (PetscInt &e : number) e = among[e];
  *count = (PetscInt)place.size();
  if (*count == boxes) place.clear();
}

PetscErrorCode HeptaLevelBoxes(PC pc, size_t l, HeptaLevel &L, HeptaLevel &next, std::vector<PetscInt> &number, PetscInt *count)
{
  const HeptaCycleChoice &choice = Subdeflation(pc)->cycle.choice;
  PetscReal               strength[3], largest = 0;

  PetscFunctionBegin;
  PetscCheck(choice.Size(l) > 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_size 1 for level %d of the cycle: its boxes must have at least 2 cells a side", (int)l);
  PetscCall(Strengths(L, strength));
  for (int a = 0; a < 3; a++) largest = PetscMax(largest, strength[a]);
  for (int a = 0; a < 3; a++) {
    L.box[a]  = L.n[a] > 1 && !(strength[a] < choice.strong * largest) ? PetscMin(choice.Size(l), L.n[a]) : 1; /* NaN is not weak */
    next.n[a] = L.n[a] / L.box[a];
  }
  const auto box = [&](int a, PetscInt cell) { return PetscMin(cell / L.box[a], next.n[a] - 1); }; /* the last has what is left over too */
  for (size_t m = 0; m < number.size(); m++) {
    const PetscInt k = L.place.empty() ? (PetscInt)m : L.place[m];
    number[m]        = box(0, k % L.n[0]) + next.n[0] * (box(1, k / L.n[0] % L.n[1]) + next.n[1] * box(2, k / L.n[0] / L.n[1]));
  }
  DropEmpty(next.n[0] * next.n[1] * next.n[2], number, next.place, count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Couplings c of the block rows by rows, in both directions the mean of the two */
struct Couplings {
  std::vector<size_t>    first;
  std::vector<Index>     neighbor;
  std::vector<PetscReal> c;
};

/* The transposed one */
static Couplings Transpose(const Couplings &A)
{
  const size_t n = A.first.size() - 1;
  Couplings    T{std::vector<size_t>(n + 1, 0), std::vector<Index>(A.neighbor.size()), std::vector<PetscReal>(A.c.size())};

  for (Index j : A.neighbor) T.first[j + 1]++;
  for (size_t j = 0; j < n; j++) T.first[j + 1] += T.first[j];
  std::vector<size_t> next(T.first.begin(), T.first.end() - 1);
  for (size_t i = 0; i < n; i++) {
    for (size_t p = A.first[i]; p < A.first[i + 1]; p++) {
      const size_t at = next[A.neighbor[p]]++;
      T.neighbor[at]  = (Index)i;
      T.c[at]         = A.c[p];
    }
  }
  return T;
}

/* Sums of entries by row and column, rows in ascending order */
class Gatherer {
public:
  explicit Gatherer(size_t n) : place(n, SIZE_MAX) { C.first.push_back(0); }
  void Add(Index j, PetscReal c)
  {
    if (place[j] == SIZE_MAX) {
      place[j] = C.c.size();
      C.neighbor.push_back(j);
      C.c.push_back(0);
    }
    C.c[place[j]] += c;
  }
  void EndRow()
  {
    for (size_t p = C.first.back(); p < C.c.size(); p++) place[C.neighbor[p]] = SIZE_MAX;
    C.first.push_back(C.c.size());
  }
  Couplings C;

private:
  std::vector<size_t> place;
};

/* (C + C^T) / 2 */
static Couplings Symmetrized(const Couplings &A)
{
  const Couplings T = Transpose(A);
  Gatherer        sum(A.first.size() - 1);

  for (size_t i = 0; i + 1 < A.first.size(); i++) {
    for (const Couplings *part : {&A, &T}) {
      for (size_t p = part->first[i]; p < part->first[i + 1]; p++) sum.Add(part->neighbor[p], part->c[p] / 2);
    }
    sum.EndRow();
  }
  return sum.C;
}

/*
   The couplings of a level: for block size 1 -a_ij by the sign of the diagonal entry, because a positive entry beside a positive diagonal couples nothing that is smooth; for blocks
   their Frobenius norm. outward[m] <- is block row m coupled with rows of other MPI processes?
*/
static PetscErrorCode FindCouplings(Mat A, Couplings &C, std::vector<bool> &outward)
{
  const PetscInt bs = A->rmap->bs, nb = A->rmap->n / bs;
  Gatherer       gather(nb);
  PetscInt       row  = 0;
  PetscReal      sign = 1;

  PetscFunctionBegin;
  outward.assign(nb, false);
  const auto end = [&] {
    for (size_t p = gather.C.first.back(); p < gather.C.c.size(); p++) gather.C.c[p] = bs == 1 ? -sign * gather.C.c[p] : std::sqrt(gather.C.c[p]);
    gather.EndRow();
    sign = 1;
  };
  PetscCall(ForEntries(A, [&](PetscInt m, PetscInt c, PetscReal v) {
    for (; row < m; row++) end();
    if (c == ELSEWHERE) outward[m] = outward[m] || v != 0;
    else if (c != m) gather.Add((Index)c, bs == 1 ? v : v * v);
    else sign = v < 0 ? -1 : 1;
  }));
  for (; row < nb; row++) end();
  C = Symmetrized(gather.C);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The couplings between aggregates */
static Couplings Coarsened(const Couplings &C, const std::vector<Index> &number, Index count)
{
  std::vector<size_t> first(count + 1, 0);
  std::vector<Index>  member(number.size());
  Gatherer            sum(count);

  for (Index e : number) first[e + 1]++;
  for (Index e = 0; e < count; e++) first[e + 1] += first[e];
  std::vector<size_t> next(first.begin(), first.end() - 1);
  for (size_t i = 0; i < number.size(); i++) member[next[number[i]]++] = (Index)i;
  for (Index e = 0; e < count; e++) {
    for (size_t q = first[e]; q < first[e + 1]; q++) {
      for (size_t p = C.first[member[q]]; p < C.first[member[q] + 1]; p++) {
        if (number[C.neighbor[p]] != e) sum.Add(number[C.neighbor[p]], C.c[p]);
      }
    }
    sum.EndRow();
  }
  return sum.C;
}

/* One pairing: the number of each row's pair */
static PetscErrorCode Pair(const Couplings &C, bool alone_together, std::vector<Index> &number, Index *count)
{
  const Index        n = (Index)C.first.size() - 1;
  std::vector<Index> partner(n), again(n);

  PetscFunctionBegin;
  number.resize(n);
  PetscCallHepta(hepta::strength::pair_host({n, C.first.data(), C.neighbor.data(), C.c.data()}, alone_together, number.data(), partner.data(), again.data(), count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows that are coupled with none of this MPI process, but are with others, become aggregates of their own; the aggregates are numbered in the order of their first rows */
static void Part(const Couplings &C, const std::vector<bool> &outward, std::vector<Index> &number, Index *count)
{
  std::vector<Index> name(*count + number.size(), -1);
  Index              next    = *count;
  const auto         coupled = [&](size_t m) { return std::any_of(C.c.begin() + C.first[m], C.c.begin() + C.first[m + 1], [](PetscReal c) { return c > 0; }); };

  for (size_t m = 0; m < number.size(); m++) {
    if (outward[m] && !coupled(m)) number[m] = next++;
  }
  *count = 0;
  for (Index &e : number) {
    if (name[e] < 0) name[e] = (*count)++;
    e = name[e];
  }
}

PetscErrorCode HeptaLevelStrength(const HeptaLevel &L, std::vector<PetscInt> &number, PetscInt *count)
{
  Couplings          C;
  std::vector<bool>  outward;
  std::vector<Index> pair, four;
  Index              pairs, fours;

  PetscFunctionBegin;
  PetscCall(FindCouplings(L.A, C, outward));
  PetscCall(Pair(C, true, pair, &pairs)); /* rows alone are solved by this level's smoother, */
  Part(C, outward, pair, &pairs);         /* unless other MPI processes have what they are coupled with */
  PetscCall(Pair(Coarsened(C, pair, pairs), false, four, &fours));
  for (size_t m = 0; m < number.size(); m++) number[m] = four[pair[m]];
  *count = fours;
  PetscFunctionReturn(PETSC_SUCCESS);
}
