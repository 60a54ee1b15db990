/* Aggregates of rows that are strongly coupled: the couplings of a level, and two pairings of them */
#include <algorithm>
#include <cmath>

#include "levels_entries.h"
#include "strength_kernels.hxx"

using hepta::Index;
using hepta::Scalar;
using namespace hepta::strength;

/* Couplings c of the block rows, by rows; symmetrized, they are the mean of both directions */
struct Couplings {
  std::vector<size_t>    first;
  std::vector<Index>     neighbor;
  std::vector<PetscReal> c;
};

/* The transpose */
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

/* Adds up entries with the same row and column; rows must come in ascending order */
class Gatherer {
public:
  /* n rows and columns; entries: the most that are expected */
  Gatherer(size_t n, size_t entries) : position(n, SIZE_MAX)
  {
    C.first.reserve(n + 1);
    C.first.push_back(0);
    C.neighbor.reserve(entries);
    C.c.reserve(entries);
  }
  void Add(Index j, PetscReal c)
  {
    if (position[j] == SIZE_MAX) {
      position[j] = C.c.size();
      C.neighbor.push_back(j);
      C.c.push_back(0);
    }
    C.c[position[j]] += c;
  }
  void EndRow()
  {
    for (size_t p = C.first.back(); p < C.c.size(); p++) position[C.neighbor[p]] = SIZE_MAX;
    C.first.push_back(C.c.size());
  }
  Couplings C;

private:
  std::vector<size_t> position;
};

/* c <- the values of (A + A^T) / 2 in the pattern of A, if A^T has the same pattern and rows are ascending: then the entries (j, i) of row j come in the order of i, as rows are gone through */
static bool SymmetrizedInPlace(const Couplings &A, std::vector<PetscReal> &c)
{
  std::vector<size_t> next(A.first.begin(), A.first.end() - 1);

  c.resize(A.c.size());
  for (size_t i = 0; i + 1 < A.first.size(); i++) {
    for (size_t p = A.first[i]; p < A.first[i + 1]; p++) {
      const size_t j = A.neighbor[p], at = next[j]++;
      if (at >= A.first[j + 1] || (size_t)A.neighbor[at] != i) return false;
      c[p] = A.c[p] / 2 + A.c[at] / 2;
    }
  }
  return true;
}

/* (A + A^T) / 2 */
static Couplings Symmetrized(Couplings A)
{
  std::vector<PetscReal> c;

  if (SymmetrizedInPlace(A, c)) {
    A.c = std::move(c);
    return A;
  }
  const Couplings T = Transpose(A);
  Gatherer        sum(A.first.size() - 1, 2 * A.c.size());

  for (size_t i = 0; i + 1 < A.first.size(); i++) {
    for (const Couplings *part : {(const Couplings *)&A, &T}) {
      for (size_t p = part->first[i]; p < part->first[i + 1]; p++) sum.Add(part->neighbor[p], part->c[p] / 2);
    }
    sum.EndRow();
  }
  return std::move(sum.C);
}

/*
   The couplings of a level in all cases, on the host: for block size 1 -a_ij by the sign of the diagonal entry, as couplings() has them; for blocks
   their Frobenius norm. outward[m] <- is block row m coupled with rows of other MPI processes?
*/
static PetscErrorCode FindCouplings(Mat A, Couplings &C, std::vector<bool> &outward)
{
  const PetscInt bs = A->rmap->bs, nb = A->rmap->n / bs;
  Gatherer       gather(nb, (size_t)(MatBlocked(A)->local->entries / (bs * bs)));
  PetscInt       row  = 0;
  PetscReal      sign = 1;

  PetscFunctionBegin;
  outward.assign(nb, false);
  const auto end = [&] {
    for (size_t p = gather.C.first.back(); p < gather.C.c.size(); p++) gather.C.c[p] = bs == 1 ? -sign * gather.C.c[p] : std::sqrt(gather.C.c[p]);
    gather.EndRow();
    sign = 1;
  };
  PetscCall(HeptaForEntries(A, [&](PetscInt m, PetscInt c, PetscReal v) {
    for (; row < m; row++) end();
    if (c == HEPTA_ELSEWHERE) outward[m] = outward[m] || v != 0;
    else if (c != m) gather.Add((Index)c, bs == 1 ? v : v * v);
    else sign = v < 0 ? -1 : 1;
  }));
  for (; row < nb; row++) end();
  C = Symmetrized(std::move(gather.C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes rows that are coupled only with rows of other MPI processes aggregates of their own */
static void Part(const Couplings &C, const std::vector<bool> &outward, Index *number, Index *count)
{
  const auto coupled = [&](size_t m) { return std::any_of(C.c.begin() + C.first[m], C.c.begin() + C.first[m + 1], [](PetscReal c) { return c > 0; }); };

  for (size_t m = 0; m < outward.size(); m++) {
    if (outward[m] && !coupled(m)) number[m] = (*count)++;
  }
}

/* Work space of the launchers */
struct Work {
  HeptaValues weight, sign, found, partner, point, least; /* numbers for each row */
  HeptaValues first, neighbor, coarse_weight;             /* couplings between pairs */
  HeptaValues again;                                      /* the numbers of the pairs of pairs */
};

/* Finds the couplings for block size 1 on one MPI process, in the matrix's memory; *done stays false if the pattern of A is not symmetric */
static PetscErrorCode CouplingsOfEntries(HeptaLevel &L, const HeptaSpace &space, Work &work, Graph *g, bool *done)
{
  const Index                 n = (Index)L.A->rmap->n;
  hepta::blocked::EntryArrays entries;
  Scalar                     *weight, *sign;
  long long                  *found, missing = 0;

  PetscFunctionBegin;
  PetscCall(MatBlocked(L.A)->local->GetEntries(space, L.entries, &entries));
  PetscCall(work.weight.Make(space, L.entries.n, &weight));
  PetscCall(work.sign.Make(space, (size_t)n, &sign));
  PetscCall(work.found.Make(space, 2, &found));
  PetscCall(HeptaVisitValues(*MatBlocked(L.A)->local, space, HeptaAccess::read, [&](const auto *v) {
    HeptaLaunchEach(space, couplings, (Entries<std::decay_t<decltype(*v)>>{n, entries.first, entries.column, entries.slot, v}), sign, weight, found);
    return PETSC_SUCCESS;
  }));
  HeptaLaunchEach(space, hepta::fetch, (const long long *)found, &missing);
  *g    = {n, entries.first, entries.column, weight};
  *done = !missing;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One pairing: the number of each row's pair */
static PetscErrorCode Pair(const HeptaSpace &space, const Graph &g, bool alone_together, Work &work, HeptaValues &number, Index *count)
{
  PairWork w;
  Index   *numbers;

  PetscFunctionBegin;
  PetscCall(work.partner.Make(space, (size_t)g.n, &w.partner));
  PetscCall(work.point.Make(space, (size_t)g.n + 1, &w.point));
  PetscCall(work.found.Make(space, 2, &w.found));
  PetscCall(number.Make(space, (size_t)g.n, &numbers));
  HeptaLaunchEach(space, pair, g, alone_together, numbers, w, count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the pairs in the order of their first rows */
static PetscErrorCode Renumber(const HeptaSpace &space, size_t n, Work &work, HeptaValues &number, Index *count)
{
  Index *numbers, *least, *rank;

  PetscFunctionBegin;
  PetscCall(number.Access(space, HeptaAccess::read_write, &numbers));
  PetscCall(work.least.Make(space, (size_t)*count, &least));
  PetscCall(work.point.Make(space, n + 1, &rank));
  HeptaLaunchEach(space, renumber, n, numbers, least, rank, count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs the pairs that `number` holds: number[i] <- the pair of pairs of row i, *count <- their number. entries: of g */
static PetscErrorCode PairAgain(const HeptaSpace &space, const Graph &g, size_t entries, Work &work, HeptaValues &number, Index *count)
{
  const Index pairs = *count;
  size_t     *first, left;
  Index      *neighbor, *numbers, *again;
  Scalar     *weight;

  PetscFunctionBegin;
  PetscCall(number.Access(space, HeptaAccess::read_write, &numbers));
  PetscCall(work.first.Make(space, (size_t)pairs + 1, &first));
  PetscCall(work.neighbor.Make(space, entries, &neighbor));
  PetscCall(work.coarse_weight.Make(space, entries, &weight));
  HeptaLaunch(space, coarsen, g, (const Index *)numbers, pairs, first, neighbor, weight, &left);
  PetscCall(Pair(space, {pairs, first, neighbor, weight}, false, work, work.again, count));
  PetscCall(work.again.Access(space, HeptaAccess::read, &again));
  HeptaLaunchEach(space, compose, (size_t)g.n, (const Index *)again, numbers);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevelStrength(HeptaLevel &L, HeptaValues &number, PetscInt *count)
{
  Couplings         C;
  std::vector<bool> outward;
  HeptaSpace        space;
  Work              work;
  Graph             g{};
  Index            *numbers;
  bool              done = false;

  PetscFunctionBegin;
  if (L.A->rmap->size == 1 && L.A->rmap->bs == 1) {
    PetscCall(HeptaOperatorSpace(L.A, &space));
    PetscCall(CouplingsOfEntries(L, space, work, &g, &done));
  }
  if (!done) {
    space = HeptaSpace();
    PetscCall(FindCouplings(L.A, C, outward));
    g = {(Index)outward.size(), C.first.data(), C.neighbor.data(), C.c.data()};
  }
  PetscCall(Pair(space, g, true, work, number, count)); /* rows without couplings are one aggregate, since this level's smoother solves them, */
  if (!done) {
    PetscCall(number.Access(space, HeptaAccess::read_write, &numbers));
    Part(C, outward, numbers, count); /* unless other MPI processes have what they are coupled with */
  }
  PetscCall(Renumber(space, (size_t)g.n, work, number, count));
  PetscCall(PairAgain(space, g, done ? L.entries.n : C.c.size(), work, number, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}
