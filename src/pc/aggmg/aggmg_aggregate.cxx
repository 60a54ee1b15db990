/* The aggregates of a level's nodes, the prolongations P_0 and P, and the next level's near null vectors */
#include "aggmg.h"

using namespace hepta::aggmg;
using hepta::Index;

/* Rounds of find_roots() until no node is open */
static PetscErrorCode FindRoots(const HeptaSpace &space, const Pattern &G, HeptaValues keys[3], Found *found, std::uint64_t **key)
{
  std::uint64_t *near, *far;
  long long      open = 1;

  PetscFunctionBegin;
  PetscCall(keys[0].Make(space, (size_t)G.rows, key));
  PetscCall(keys[1].Make(space, (size_t)G.rows, &near));
  PetscCall(keys[2].Make(space, (size_t)G.rows, &far));
  HeptaLaunchEach(space, open_all, G, *key);
  while (open) {
    HeptaLaunchEach(space, find_roots, G, *key, near, far, &found->open);
    HeptaLaunchEach(space, hepta::fetch, (const long long *)&found->open, &open);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The strong couplings of a level, by the norms of take_norms(), ghosts included; rest: see strong_pattern() */
template <class T>
static PetscErrorCode StrongPattern(const HeptaSpace &space, HeptaAggMGLevel &L, PetscReal threshold, const double *norm,
                                    bool rest, HeptaTiles *G, Pattern *p)
{
  Tiles<T> A;
  Index   *first, *col, total;

  PetscFunctionBegin;
  PetscCall(L.A.Typed(space, HeptaAccess::read, &A));
  G->rows    = L.A.rows;
  G->columns = L.A.columns;
  G->br = G->bc = L.A.br;
  PetscCall(G->first.Make(space, (size_t)L.A.rows + 1, &first));
  HeptaLaunchEach(space, strong_pattern, A, (double)threshold, norm, rest, first, (Index *)nullptr);
  HeptaLaunchEach(space, hepta::fetch, (const Index *)first + L.A.rows, &total);
  G->tiles = (size_t)total;
  PetscCall(G->col.Make(space, PetscMax((size_t)total, 1), &col));
  HeptaLaunchEach(space, strong_pattern, A, (double)threshold, norm, rest, first, col);
  PetscCall(G->View(space, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The aggregates of a level, P_0 and the next level's near null vectors; *coarser: are there aggregates, and fewer than nodes? */
template <class T> PetscErrorCode HeptaAggMG::Aggregate(const HeptaSpace &space, size_t l, bool *coarser)
{
  HeptaAggMGLevel &L = *levels[l];
  HeptaTiles       strong;
  HeptaValues      keys[3], numbers, norms;
  Pattern          G;
  Tiles<T>         A;
  Found           *f;
  std::uint64_t   *key;
  double          *norm;
  Index           *number, *aggregate, *from, count = 0;

  PetscFunctionBegin;
  /* P^T A P has many weak couplings, which would leave few roots two couplings apart, and cost cg iterations */
  const PetscReal threshold = l ? PetscMax(choice.threshold * PetscPowReal(0.5, (PetscReal)l), 0.03) : choice.threshold;
  PetscCall(L.A.Typed(space, HeptaAccess::read, &A));
  PetscCall(norms.Make(space, (size_t)L.A.columns, &norm));
  HeptaLaunchEach(space, take_norms, A, norm);
  if (Distributed(l)) PetscCall(L.part.node.Bring({space, norm, norm + L.A.rows}));
  PetscCall(StrongPattern<T>(space, L, threshold, norm, false, &strong, &G));
  PetscCall(found.Access(space, HeptaAccess::read_write, &f));
  PetscCall(FindRoots(space, G, keys, f, &key));
  PetscCall(numbers.Make(space, (size_t)L.A.rows + 1, &number));
  PetscCall(L.aggregate.Make(space, (size_t)L.A.rows, &aggregate));
  HeptaLaunchEach(space, number_roots, L.A.rows, (const std::uint64_t *)key, number, aggregate, &count);
  from = number;
  for (int round = 0; round < 2; round++) { /* neighbors of roots, then theirs */
    HeptaLaunchEach(space, join, A, G, (const Index *)aggregate, from);
    std::swap(aggregate, from);
  }
  *coarser     = count > 0 && (size_t)count * (size_t)k < L.Rows();
  L.part.start = 0;
  L.part.own   = count;
  if (Distributed(l)) PetscCall(NumberAggregates(space, l, aggregate, &count, coarser));
  L.filtered.tiles = 0;
  if (SmoothsProlongation(l) && choice.threshold > 0)
    PetscCall(StrongPattern<T>(space, L, choice.threshold / (l ? 3 : 1), norm, true, &L.filtered, &G));
  if (*coarser) PetscCall(Tentative(space, l, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tiles of P_0 from columns of orthonormal vectors; count: aggregates of all processes */
PetscErrorCode HeptaAggMG::TakeTentative(const HeptaSpace &space, size_t l, Index count, const double *T)
{
  HeptaAggMGLevel &L = *levels[l];
  HeptaTiles      &P = L.tentative;
  Index           *aggregate, *first, *col, *row, total;
  double          *val;

  PetscFunctionBegin;
  PetscCall(L.aggregate.Access(space, HeptaAccess::read, &aggregate));
  P.rows    = L.A.rows;
  P.columns = count;
  P.br      = L.A.br;
  P.bc      = k;
  PetscCall(P.first.Make(space, (size_t)P.rows + 1, &first));
  PetscCall(P.col.Make(space, (size_t)P.rows, &col));
  PetscCall(P.row.Make(space, (size_t)P.rows, &row));
  HeptaLaunchEach(space, tentative_pattern, P.rows, L.part.start, (const Index *)aggregate, first, col, row);
  HeptaLaunchEach(space, hepta::fetch, (const Index *)first + P.rows, &total);
  P.tiles = P.own = (size_t)total;
  if (Distributed(l)) PetscCall(ExtendRows(space, l, P, &L.part.tentative));
  PetscCall(P.first.Access(space, HeptaAccess::read, &first));
  PetscCall(P.val.Make(space, P.Values(), &val));
  HeptaLaunchEach(space, take_tentative, P.rows, P.br * P.bc, (const Index *)aggregate, (const Index *)first, T, val);
  if (Distributed(l)) PetscCall(L.part.tentative.Bring({space, val, val}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P_0 from the aggregates, and the next level's near null vectors; count: aggregates of all processes */
PetscErrorCode HeptaAggMG::Tentative(const HeptaSpace &space, size_t l, Index count)
{
  HeptaAggMGLevel &L = *levels[l];
  HeptaValues      groups, orders, starts, columns;
  Index           *aggregate, *group, *order;
  size_t          *start;
  double          *B, *R, *T;

  PetscFunctionBegin;
  levels.emplace_back(new HeptaAggMGLevel);
  levels[l + 1]->part.distributed = Distributed(l) && StaysDistributed(count);
  PetscCall(L.aggregate.Access(space, HeptaAccess::read, &aggregate));
  PetscCall(groups.Make(space, (size_t)L.A.rows, &group));
  PetscCall(orders.Make(space, (size_t)L.A.rows, &order));
  PetscCall(starts.Make(space, (size_t)L.part.own + 2, &start));
  HeptaLaunchEach(space, order_nodes, L.A.rows, L.part.own, (const Index *)aggregate, group, order, start);
  PetscCall(L.null.Access(space, HeptaAccess::read, &B));
  PetscCall(levels[l + 1]->null.Make(space, (size_t)L.part.own * (size_t)(k * k), &R));
  PetscCall(columns.Make(space, L.Rows() * (size_t)k, &T));
  HeptaLaunchEach(space, orthonormalize, L.part.own, L.A.br, k, (const Index *)order, (const size_t *)start, (const double *)B, R,
                  T);
  PetscCall(TakeTentative(space, l, count, T));
  if (Distributed(l) && !Distributed(l + 1)) PetscCall(GatherNull(space, l, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *A <- A with weak couplings moved to the diagonal, so that rows keep their sums; *w <- 1 / (rho D) of the new A */
template <class T>
static PetscErrorCode Filter(const HeptaSpace &space, HeptaAggMGLevel &L, Tiles<T> *A, HeptaValues *weights, double **w)
{
  const double *own = *w;
  Pattern       f;
  double       *rho;
  T            *val;

  PetscFunctionBegin;
  PetscCall(L.filtered.View(space, &f));
  PetscCall(L.rho.Access(space, HeptaAccess::read, &rho));
  PetscCall(L.filtered.val.Make(space, L.filtered.Values(), &val));
  PetscCall(weights->Make(space, L.Rows(), w));
  HeptaLaunchEach(space, filter_values, *A, f, (const double *)rho, own, val, *w);
  PetscCall(L.filtered.Typed(space, HeptaAccess::read, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of P and P^T */
template <class T> PetscErrorCode HeptaAggMG::Interpolate(const HeptaSpace &space, size_t l)
{
  HeptaAggMGLevel &L = *levels[l];
  Tiles<T>         A;
  Tiles<double>    P0;
  Pattern          p;
  HeptaWorkSpace   products, weights;
  double          *product = nullptr, *w;
  Index           *at;
  T               *val, *to;

  PetscFunctionBegin;
  PetscCall(L.A.Typed(space, HeptaAccess::read, &A));
  PetscCall(L.tentative.Typed(space, HeptaAccess::read, &P0));
  PetscCall(L.P.View(space, &p));
  PetscCall(L.w.Access(space, HeptaAccess::read, &w));
  PetscCall(L.P.val.Make(space, L.P.Values(), &val));
  if (L.filtered.tiles) PetscCall(Filter<T>(space, L, &A, &weights, &w));
  if (SmoothsProlongation(l)) {
    PetscCall(products.Make(space, L.P.Values(), &product));
    HeptaLaunchEach(space, multiply, A, P0, p, Products{}, L.P.own, product);
  }
  HeptaLaunchEach(space, smooth, P0, (const double *)w, p, L.P.own, (const double *)product, val);
  if (choice.reuse) {
    L.filtered.tiles = 0;
    for (HeptaValues *v : {&L.filtered.first, &L.filtered.col, &L.filtered.val}) PetscCall(v->Free());
  }
  if (Distributed(l)) PetscCall((SmoothsProlongation(l) ? L.part.P : L.part.tentative).Bring({space, val, val}));
  PetscCall(L.at.Access(space, HeptaAccess::read, &at));
  PetscCall(L.R.val.Make(space, L.R.Values(), &to));
  HeptaLaunchEach(space, transpose_values, L.R.tiles, L.P.br, L.P.bc, (const Index *)at, (const T *)val, to);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode HeptaAggMG::Aggregate<float>(const HeptaSpace &, size_t, bool *);
template PetscErrorCode HeptaAggMG::Aggregate<double>(const HeptaSpace &, size_t, bool *);
template PetscErrorCode HeptaAggMG::Interpolate<float>(const HeptaSpace &, size_t);
template PetscErrorCode HeptaAggMG::Interpolate<double>(const HeptaSpace &, size_t);
