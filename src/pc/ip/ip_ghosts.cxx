/*
   The terms with other ranks. Row m of M sums S_mk S_kc over the rows k beyond both m and c (or before both). If k or c belongs
   to another rank, the block diagonals do not cover the term. S_kc in another rank's row k is requested once, and sent at each
   set-up.
*/
#include <algorithm>

#include "ip.h"

using hepta::Index;
using namespace hepta::bdia;
using namespace hepta::blocked;
using namespace hepta::ip;

/* One product: the positions of the blocks target, left and right in S; remote: `right` is the number of a request */
struct Product {
  size_t target, left, right;
  bool   remote;
};

/* A block of row k, column c (global block numbers) */
struct Wanted {
  PetscInt k, c;
};

/* The blocks of local block row m off the diagonal: global block column, and position in S */
static std::vector<std::pair<PetscInt, size_t>> Row(Mat M, PetscInt m)
{
  const Mat_Blocked                       *a     = MatBlocked(M);
  const Diagonals                         &D     = *MatBDIADiagonals(M);
  const PetscInt                           first = M->rmap->rstart / D.bs;
  std::vector<std::pair<PetscInt, size_t>> row;

  for (size_t d = 0; d < D.off.size(); d++) {
    const PetscInt c = m + D.off[d];
    if (c >= 0 && c < D.nbc) row.push_back({first + c, d * D.DiagonalSize() + (size_t)m * D.bs});
  }
  const PetscInt b = a->ghost.BorderRow(m), length = a->ghost.Length(b);
  for (PetscInt k = 0; k < length; k++) {
    const PetscInt q = a->ghost.Block(k, b);
    row.push_back({a->ghost.garray[a->ghost.col[q]], D.Size() + a->ghost.Slot(q, 0, 0)});
  }
  return row;
}

/* The position in S of block (m, c) of this rank's row m, SIZE_MAX if not stored */
static size_t FindBlock(Mat M, PetscInt m, PetscInt c)
{
  for (const auto &block : Row(M, m)) {
    if (block.first == c) return block.second;
  }
  return SIZE_MAX;
}

/*
   Lists all products of border rows that the block diagonals do not cover; a product with another rank's row k becomes a request
*/
static void FindProducts(Mat M, bool left_lower, std::vector<Product> &products, std::vector<Wanted> &wanted)
{
  const Ghost   &g     = MatBlocked(M)->ghost;
  const PetscInt first = M->rmap->rstart / g.bs, end = first + g.nbr;

  for (const Index m : g.row) {
    const PetscInt here = first + m;
    const auto     row  = Row(M, m);
    for (const auto &target : row) {
      const PetscInt c = target.first;
      for (const auto &left : row) {
        const PetscInt k     = left.first;
        const bool     local = k >= first && k < end;
        if (left_lower ? k >= here || k >= c : k <= here || k <= c) continue;
        if (local && c >= first && c < end) continue; /* covered by HeptaIPFactor's pairs */
        if (local) {
          const size_t at = FindBlock(M, k - first, c);
          if (at != SIZE_MAX) products.push_back({target.second, left.second, at, false});
        } else {
          products.push_back({target.second, left.second, wanted.size(), true});
          wanted.push_back({k, c});
        }
      }
    }
  }
}

/*
   *sf <- the graph with the requested blocks as leaves and their rows as roots; at <- for each arriving request the position of
   its block in S, SIZE_MAX if not stored
*/
static PetscErrorCode RequestBlocks(Mat M, const std::vector<Wanted> &wanted, PetscSF *sf, std::vector<size_t> &at)
{
  const PetscInt           bs = HeptaBlockSize(M->rmap);
  std::vector<PetscSFNode> remote;
  std::vector<PetscInt>    column;
  const PetscInt          *degree;
  PetscSF                  multi;
  PetscInt                 row, n;
  PetscMPIInt              owner;

  PetscFunctionBegin;
  for (const Wanted &w : wanted) {
    PetscCall(PetscLayoutFindOwnerIndex(M->rmap, w.k * bs, &owner, &row));
    remote.push_back({owner, row / bs});
    column.push_back(w.c);
  }
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)M), sf));
  PetscCall(PetscSFSetFromOptions(*sf)); /* -sf_type */
  PetscCall(
    PetscSFSetGraph(*sf, M->rmap->n / bs, (PetscInt)wanted.size(), nullptr, PETSC_COPY_VALUES, remote.data(), PETSC_COPY_VALUES));
  PetscCall(PetscSFComputeDegreeBegin(*sf, &degree));
  PetscCall(PetscSFComputeDegreeEnd(*sf, &degree));
  PetscCall(PetscSFGetMultiSF(*sf, &multi));
  PetscCall(PetscSFGetGraph(multi, &n, nullptr, nullptr, nullptr));
  std::vector<PetscInt> arrived(n);
  PetscCall(PetscSFGatherBegin(*sf, MPIU_INT, column.data(), arrived.data()));
  PetscCall(PetscSFGatherEnd(*sf, MPIU_INT, column.data(), arrived.data()));
  at.resize(n);
  for (PetscInt m = 0, p = 0; m < M->rmap->n / bs; m++) {
    for (PetscInt e = p + degree[m]; p < e; p++) at[p] = FindBlock(M, m, arrived[p]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Drops requests for blocks that the owners do not store */
static PetscErrorCode DropMissing(Mat M, std::vector<Product> &products, std::vector<Wanted> &wanted)
{
  PetscSF             sf;
  std::vector<size_t> at;

  PetscFunctionBegin;
  PetscCall(RequestBlocks(M, wanted, &sf, at));
  std::vector<PetscInt> stored(at.size()), there(wanted.size(), 0), number(wanted.size(), -1);
  for (size_t k = 0; k < at.size(); k++) stored[k] = at[k] != SIZE_MAX;
  PetscCall(PetscSFScatterBegin(sf, MPIU_INT, stored.data(), there.data()));
  PetscCall(PetscSFScatterEnd(sf, MPIU_INT, stored.data(), there.data()));
  PetscCall(PetscSFDestroy(&sf));
  PetscInt n = 0;
  for (size_t k = 0; k < wanted.size(); k++) {
    if (!there[k]) continue;
    wanted[n] = wanted[k];
    number[k] = n++;
  }
  wanted.resize(n);
  std::vector<Product> kept;
  for (Product p : products) {
    if (p.remote && number[p.right] < 0) continue;
    if (p.remote) p.right = number[p.right];
    kept.push_back(p);
  }
  products.swap(kept);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPPlanGhosts(Mat A, HeptaIPFactor &f)
{
  const Mat_Blocked   *m    = MatBlocked(f.M);
  const Ghost         &G    = m->ghost;
  const size_t         base = m->local->Size() + G.Size(), block = (size_t)G.bs * G.bs;
  std::vector<Product> products;
  std::vector<Wanted>  wanted;
  PetscSF              sf, multi;

  PetscFunctionBegin;
  f.ghosts.reset(new HeptaIPGhosts);
  HeptaIPGhosts &g = *f.ghosts;
  g.lower.assign(G.col.size(), 0);
  for (size_t k = 0; k < G.col.size(); k++) g.lower[k] = G.garray[G.col[k]] < A->rmap->rstart / G.bs;
  if (!f.pairs) PetscFunctionReturn(PETSC_SUCCESS);
  FindProducts(f.M, f.left_lower, products, wanted);
  PetscCall(DropMissing(f.M, products, wanted));
  PetscCall(RequestBlocks(f.M, wanted, &sf, g.send));
  PetscCall(PetscSFGetMultiSF(sf, &multi)); /* the roots of multi are the arriving requests */
  PetscCall(PetscObjectReference((PetscObject)multi));
  PetscCall(g.halo.SetUp(multi, G.bs * G.bs));
  PetscCall(PetscSFDestroy(&sf));
  g.received = (PetscInt)wanted.size();
  std::stable_sort(products.begin(), products.end(), [](const Product &p, const Product &q) { return p.target < q.target; });
  for (const Product &p : products) {
    if (g.target.empty() || g.target.back() != p.target) {
      g.target.push_back(p.target);
      g.first.push_back(g.left.size());
    }
    g.left.push_back(p.left);
    g.right.push_back(p.remote ? base + p.right * block : p.right);
  }
  g.first.push_back(g.left.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPExchange(HeptaIPGhosts &g, const HeptaSpace &space, const Work &S)
{
  HeptaWorkSpace packed;
  PetscScalar   *blocks;
  const size_t  *at;

  PetscFunctionBegin;
  if (!g.halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(g.tables[4].Get(space, g.send, &at));
  PetscCall(packed.Make(space, g.send.size() * S.bs * S.bs, &blocks));
  HeptaLaunchEach(space, pack, g.send.size(), at, S, blocks);
  PetscCall(g.halo.Bring({space, blocks, S.v + S.local + S.ghost}));
  PetscFunctionReturn(PETSC_SUCCESS);
}
