/* Aggregates of rows that are strongly coupled: the couplings of a level, and two pairings of them */
#include <cmath>

#include "../subdeflation.h"
#include "strength_row.hxx"

using hepta::Index;
using hepta::Scalar;
using namespace hepta::strength;

/* Couplings of rows, as in Graph */
struct Couplings {
  std::vector<size_t> first;
  std::vector<Index>  neighbor;
  std::vector<Scalar> weight;

  Graph View() const { return {(Index)first.size() - 1, first.data(), neighbor.data(), weight.data()}; }
};

/* The couplings between `count` aggregates of the rows of g, by coarsen_host() */
static PetscErrorCode Coarsen(const Graph &g, const std::vector<Index> &number, Index count, Couplings &C)
{
  size_t entries = g.first[g.n];

  PetscFunctionBegin;
  C.first.resize((size_t)count + 1);
  C.neighbor.resize(entries);
  C.weight.resize(entries);
  PetscCallHepta(coarsen_host(g, number.data(), count, C.first.data(), C.neighbor.data(), C.weight.data(), &entries));
  C.neighbor.resize(entries);
  C.weight.resize(entries);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C <- (g + g^T) / 2, without the diagonal: rows n to 2 n - 1 of `both` are those of g^T, and row n + i belongs to aggregate i, as row i does */
static PetscErrorCode Symmetrize(const Graph &g, Couplings &C)
{
  const size_t n = (size_t)g.n, entries = g.first[n];
  Couplings    both = {
       {g.first,    g.first + n + 1     },
       {g.neighbor, g.neighbor + entries},
       {g.weight,   g.weight + entries  }
  };
  std::vector<Index> number(2 * n);

  PetscFunctionBegin;
  both.first.resize(2 * n + 1, 0);
  both.neighbor.resize(2 * entries);
  both.weight.resize(2 * entries);
  for (size_t p = 0; p < entries; p++) both.first[n + both.neighbor[p] + 1]++;
  for (size_t j = n; j < 2 * n; j++) both.first[j + 1] += both.first[j];
  std::vector<size_t> next(both.first.begin() + n, both.first.end());
  for (size_t i = 0; i < n; i++) {
    number[i] = number[n + i] = (Index)i;
    for (size_t p = both.first[i]; p < both.first[i + 1]; p++) {
      const size_t at   = next[both.neighbor[p]]++;
      both.neighbor[at] = (Index)i;
      both.weight[at]   = both.weight[p];
    }
  }
  for (Scalar &w : both.weight) w /= 2;
  PetscCall(Coarsen(both.View(), number, (Index)n, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The couplings of a level in all cases, on the host: for block size 1 -a_ij by the sign of the diagonal entry, as couplings() has them; for blocks
   their Frobenius norm. outward[m] <- is block row m coupled with rows of other MPI processes?
*/
static PetscErrorCode FindCouplings(HeptaLevel &L, Couplings &C, std::vector<bool> &outward)
{
  const Index                 n = (Index)L.A->rmap->n, bs = (Index)L.A->rmap->bs;
  HeptaStorage               &local = *MatBlocked(L.A)->local;
  hepta::blocked::Ghost      &ghost = MatBlocked(L.A)->ghost;
  hepta::blocked::EntryArrays entries;
  hepta::blocked::EntryList   own; /* where the level's list is made on the device */
  HeptaSpace                  space;
  std::vector<Index>          number(n);

  PetscFunctionBegin;
  PetscCall(L.ListSpace(&space));
  hepta::blocked::EntryList &list = space.device ? own : L.entries;
  PetscCall(local.GetEntries(HeptaSpace(), list, &entries));
  std::vector<Scalar> weight(list.n);
  PetscCall(HeptaVisitValues(local, HeptaSpace(), HeptaAccess::read, [&](const auto *v) {
    const Entries<std::decay_t<decltype(*v)>> A = {n, entries.first, entries.column, entries.slot, v};
    for (Index i = 0; i < n; i++) {
      const Scalar sign = sign_of_row(A, i);
      number[i]         = i / bs;
      for (size_t p = A.first[i]; p < A.first[i + 1]; p++) {
        const Scalar a = v[A.slot[p]];
        weight[p]      = bs == 1 ? -sign * a : a * a;
      }
    }
    return PETSC_SUCCESS;
  }));
  const Graph all = {n, entries.first, entries.column, weight.data()};
  if (bs > 1) PetscCall(Coarsen(all, number, n / bs, C));
  for (Scalar &w : C.weight) w = std::sqrt(w);
  PetscCall(Symmetrize(bs > 1 ? C.View() : all, C));
  outward.assign(n / bs, false);
  PetscCall(ghost.Look());
  for (PetscInt q = 0; q < (PetscInt)ghost.line.size(); q++) {
    for (Index k = 0; k < bs * bs; k++) outward[ghost.line[q]] = outward[ghost.line[q]] || ghost.Value(ghost.Slot(q, k % bs, k / bs)) != 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes rows that are coupled only with rows of other MPI processes aggregates of their own */
static void Part(const Graph &g, const std::vector<bool> &outward, Index *number, Index *count)
{
  for (Index m = 0; m < g.n; m++) {
    if (outward[m] && !(strongest(g, m) > 0)) number[m] = (*count)++;
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
    PetscCall(FindCouplings(L, C, outward));
    g = C.View();
  }
  PetscCall(Pair(space, g, true, work, number, count)); /* rows without couplings are one aggregate, since this level's smoother solves them, */
  if (!done) {
    PetscCall(number.Access(space, HeptaAccess::read_write, &numbers));
    Part(g, outward, numbers, count); /* unless other MPI processes have what they are coupled with */
  }
  PetscCall(Renumber(space, (size_t)g.n, work, number, count));
  PetscCall(PairAgain(space, g, done ? L.entries.n : C.weight.size(), work, number, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}
