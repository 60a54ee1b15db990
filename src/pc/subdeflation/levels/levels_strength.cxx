/* Aggregates of rows that are strongly coupled: the couplings of a level, and two pairings of them */
#include <algorithm>
#include <cmath>

#include "levels_entries.h"
#include "strength_kernels.hxx"

using hepta::Index;

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
  /* n rows and columns; as many entries as are expected at most */
  Gatherer(size_t n, size_t entries) : place(n, SIZE_MAX)
  {
    C.first.reserve(n + 1);
    C.first.push_back(0);
    C.neighbor.reserve(entries);
    C.c.reserve(entries);
  }
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

/* c <- the values of (A + A^T) / 2 in the places of A, if those of A^T are the same and rows are ascending: then the entries (j, i) of row j come in the order of i, as rows are gone through */
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
   The couplings of a level: for block size 1 -a_ij by the sign of the diagonal entry, because a positive entry beside a positive diagonal couples nothing that is smooth; for blocks
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

/* The couplings between aggregates */
static Couplings Coarsened(const Couplings &C, const std::vector<Index> &number, Index count)
{
  std::vector<size_t> first(count + 1, 0);
  std::vector<Index>  member(number.size());
  Gatherer            sum(count, C.c.size());

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
  return std::move(sum.C);
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
