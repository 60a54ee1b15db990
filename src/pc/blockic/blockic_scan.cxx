/* Matrix blocks with scans as triangular solves: which blocks allow scans, and the tables of the scan kernels */
#include <algorithm>
#include <map>

#include "blockic.h"

using namespace hepta;
using namespace hepta::blockic;

/*
   least_reach: the fewest rows of a tile of the scan; with nearer coupled rows solving by levels is faster. all_rows: the sum of
   two row numbers below all_rows fits an Index.
*/
static constexpr Index least_reach = 32, all_rows = 1 << 30;

/* Can a tile of rows be solved at once? Only ±1 may couple rows of a tile; offsets longer than every block couple none. */
bool HeptaBlockICScan::Fits(const bdia::Diagonals &D, const std::vector<PetscInt> &block_of_row, PetscInt most)
{
  Index terms[2] = {0, 0};

  reach = all_rows;
  for (Index o : D.off) {
    const Index distance = PetscAbs(o);
    if (distance < 2 || distance >= most) continue;
    reach = PetscMin(reach, distance); /* both sides, since a transposed solve reverses the directions */
    terms[o > 0]++;
  }
  return D.bs == 1 && D.nbr <= all_rows && D.Find(0) >= 0 && PetscMax(terms[0], terms[1]) <= max_terms && reach >= least_reach &&
         std::is_sorted(block_of_row.begin(), block_of_row.end());
}

/*
   order <- the rows 0 ... n - 1 of a block by level, a row depending on the rows at offsets < 0; returns where levels begin, and
   the end
*/
static std::vector<Index> SortByLevel(Index n, const std::vector<Index> &off, std::vector<Index> *order)
{
  std::vector<Index> level(n), start(1, 0), column;

  for (Index i = 0; i < n; i++) {
    for (Index o : off) {
      if (o < 0 && i + o >= 0) column.push_back(i + o);
    }
    start.push_back((Index)column.size());
  }
  const Index levels = bbs::find_levels({n, start.data(), column.data()}, false, level.data()).levels;
  order->resize(n);
  return bbs::sort_by_level(n, levels, level.data(), order->data());
}

void HeptaBlockICScan::Build(const bdia::Diagonals &D, const std::vector<Index> &first)
{
  std::map<Index, Index> plans; /* the number of rows of a block -> where the blocks' plan begins */
  std::vector<Index>     order;

  for (int k = 0; k < PARTS; k++) {
    part[k].clear();
    tables[k].Invalidate();
  }
  ld          = D.ld;
  main        = D.Find(0);
  widest      = 1;
  most        = 0;
  part[OFF]   = D.off;
  part[FIRST] = first;
  for (Index o : D.off) {
    for (Index e : D.off) part[TARGET].push_back((Index)D.Find(o + e));
  }
  for (size_t b = 0; b + 1 < first.size(); b++) {
    const Index n    = first[b + 1] - first[b];
    const auto  plan = plans.insert({n, (Index)part[PLAN].size()});
    part[PLAN_OF].push_back(plan.first->second);
    if (!plan.second) continue;
    const std::vector<Index> at = SortByLevel(n, D.off, &order);
    for (size_t l = 1; l < at.size(); l++) widest = PetscMax(widest, int(at[l] - at[l - 1]));
    most = PetscMax(most, n);
    part[PLAN].push_back((Index)at.size() - 1);
    part[PLAN].insert(part[PLAN].end(), at.begin(), at.end());
    part[PLAN].insert(part[PLAN].end(), order.begin(), order.end());
  }
}

PetscErrorCode HeptaBlockICScan::Views(const HeptaSpace &space, HeptaAccess to_values, Factors *F, Blocks *B)
{
  const Index *p[PARTS];

  PetscFunctionBegin;
  for (int k = 0; k < PARTS; k++) PetscCall(tables[k].Get(space, part[k], &p[k]));
  *B = {(Index)part[PLAN_OF].size(), widest, most, p[FIRST], p[PLAN_OF], p[PLAN]};
  *F = {(int)part[OFF].size(), main, ld, p[OFF], p[TARGET], nullptr, nullptr};
  PetscCall(values.Access(space, to_values, &F->v));
  PetscCall(rounded.Access(space, to_values, &F->rounded));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> void HeptaBlockICScan::Sweeps(const Factors &F, const V *values_of, bool transpose, Sweep<V> sweep[2]) const
{
  for (int up = 0; up < 2; up++) {
    sweep[up] = {up == 1, 1, reach, {{nullptr, up ? 1 : -1, 0}}};
    for (int d = 0; d < F.nd; d++) {
      const Index delta = transpose ? -part[OFF][d] : part[OFF][d];
      /* the entries of a column of the factor are in different rows */
      const Term<V> term = {values_of + std::size_t(d) * F.ld, delta, transpose ? delta : 0};

      if ((up ? delta : -delta) <= 0 || PetscAbs(delta) >= most) continue;
      if (PetscAbs(delta) == 1) sweep[up].term[0] = term;
      else sweep[up].term[sweep[up].n++] = term;
    }
  }
}

template void HeptaBlockICScan::Sweeps(const Factors &, const double *, bool, Sweep<double> *) const;
template void HeptaBlockICScan::Sweeps(const Factors &, const float *, bool, Sweep<float> *) const;
