/* The structures of the levels */
#include <algorithm>

#include "../../mat/blocked/blocked.h"
#include "aggmg.h"

using namespace hepta::aggmg;
using hepta::Index;

PetscErrorCode HeptaTiles::View(const HeptaSpace &space, Pattern *p)
{
  Index *f, *c, *r;

  PetscFunctionBegin;
  PetscCall(first.Access(space, HeptaAccess::read, &f));
  PetscCall(col.Access(space, HeptaAccess::read, &c));
  PetscCall(row.Access(space, HeptaAccess::read, &r));
  *p = {rows, f, c, r};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Raises an error on all processes if a process has too many tiles for Index; collective */
PetscErrorCode HeptaAggMG::CheckTiles(size_t tiles) const
{
  PetscFunctionBegin;
  PetscCall(HeptaAgreeOnError(
    PetscObjectComm((PetscObject)op.A), tiles < (size_t)PETSC_INT_MAX ? PETSC_SUCCESS : PETSC_ERR_SUP,
    HeptaFormat(
      "A level of PC aggmg has %zu blocks, too many for PetscInt of %d bits: configure PETSc with --with-64-bit-indices", tiles,
      (int)(8 * sizeof(PetscInt)))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMG::Split(const HeptaSpace &space, const std::uint64_t *key, HeptaTiles *C)
{
  Index *first, *col, *row;

  PetscFunctionBegin;
  C->own = C->tiles;
  PetscCall(C->first.Make(space, (size_t)C->rows + 1, &first));
  PetscCall(C->col.Make(space, C->tiles, &col));
  PetscCall(C->row.Make(space, C->tiles, &row));
  HeptaLaunchEach(space, split_keys, C->rows, PetscMax(C->columns, 1), key, C->tiles, first, col, row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of C = A B on the host, by rows with a mark in each column that a row has */
static PetscErrorCode MultiplyPatterns(const Pattern &A, const Pattern &B, HeptaTiles *C)
{
  std::vector<Index> first(1, 0), col, row, seen((size_t)C->columns, -1);

  PetscFunctionBegin;
  for (Index m = 0; m < A.rows; m++) {
    const size_t begin = col.size();
    for (Index a = A.first[m]; a < A.first[m + 1]; a++) {
      for (Index b = B.first[A.col[a]]; b < B.first[A.col[a] + 1]; b++) {
        if (seen[(size_t)B.col[b]] != m) col.push_back(B.col[b]);
        seen[(size_t)B.col[b]] = m;
      }
    }
    std::sort(col.begin() + (std::ptrdiff_t)begin, col.end());
    if (col.size() >= (size_t)PETSC_INT_MAX) break; /* an error in Product() */
    first.push_back((Index)col.size());
    row.resize(col.size(), m);
  }
  C->tiles = C->own = col.size();
  PetscCall(C->first.Take(first));
  PetscCall(C->col.Take(col));
  PetscCall(C->row.Take(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of C = A B */
PetscErrorCode HeptaAggMG::Product(const HeptaSpace &space, HeptaTiles &A, HeptaTiles &B, HeptaTiles *C)
{
  Pattern        a, b;
  HeptaValues    keys;
  size_t        *offset, total;
  std::uint64_t *key;

  PetscFunctionBegin;
  C->rows    = A.rows;
  C->columns = B.columns;
  C->br      = A.br;
  C->bc      = B.bc;
  PetscCall(A.View(space, &a));
  PetscCall(B.View(space, &b));
  if (!space.device) {
    PetscCall(MultiplyPatterns(a, b, C));
    PetscCall(CheckTiles(C->tiles));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(work.Make(space, (size_t)A.rows + 1, &offset));
  HeptaLaunchEach(space, product_offsets, a, b, offset);
  HeptaLaunchEach(space, hepta::fetch, (const size_t *)offset + A.rows, &total);
  PetscCall(keys.Make(space, total, &key));
  HeptaLaunchEach(space, product_keys, a, b, PetscMax(C->columns, 1), offset, key);
  HeptaSortRows(space, C->rows, offset, BitsOf(*C), key, &C->tiles);
  PetscCall(CheckTiles(C->tiles));
  PetscCall(Split(space, key, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaProducts::View(const HeptaSpace &space, Products *p)
{
  size_t   *f;
  unsigned *q;

  PetscFunctionBegin;
  *p = {};
  if (!count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(first.Access(space, HeptaAccess::read, &f));
  PetscCall(pair.Access(space, HeptaAccess::read, &q));
  *p = {count, f, q};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The list of products for C = A B; a device needs it, the host does not */
PetscErrorCode HeptaAggMG::ListProducts(const HeptaSpace &space, HeptaTiles &A, HeptaTiles &B, HeptaTiles &C, HeptaProducts *p)
{
  Pattern   a, b, c;
  Found    *f;
  size_t   *first, count;
  long long too_long;
  unsigned *pair;

  PetscFunctionBegin;
  p->count = p->bytes = 0;
  if (!space.device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(A.View(space, &a));
  PetscCall(B.View(space, &b));
  PetscCall(C.View(space, &c));
  PetscCall(found.Access(space, HeptaAccess::read_write, &f));
  PetscCall(p->first.Make(space, C.own + 1, &first));
  HeptaLaunchEach(space, count_products, a, b, c, C.own, first, &f->too_long);
  HeptaLaunchEach(space, hepta::fetch, (const size_t *)first + C.own, &count);
  HeptaLaunchEach(space, hepta::fetch, (const long long *)&f->too_long, &too_long);
  if (too_long) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(p->pair.Make(space, count, &pair));
  HeptaLaunchEach(space, list_products, a, b, c, C.own, (const size_t *)first, pair);
  p->count = count;
  p->bytes = count * sizeof(unsigned) + (C.own + 1) * sizeof(size_t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes of the matrix, and the slot of each value of their tiles */
PetscErrorCode HeptaAggMG::FirstLevel(const HeptaSpace &space)
{
  HeptaTiles                 &A  = levels[0]->A;
  const int                   bs = (int)HeptaBlockSize(op.A->rmap);
  hepta::blocked::EntryList   list;
  hepta::blocked::EntryArrays entries;
  HeptaValues                 keys;
  Pattern                     p;
  size_t                     *offset;
  std::uint64_t              *key;
  long long                  *from;

  PetscFunctionBegin;
  A.rows = A.columns = (Index)(op.A->rmap->n / bs);
  A.br = A.bc = bs;
  PetscCall(ConnectFirst());
  PetscCall(ListGhosts(space, &list));
  PetscCall(MatBlocked(op.A)->local->GetEntries(space, list, &entries));
  PetscCall(work.Make(space, (size_t)A.rows + 1, &offset));
  PetscCall(keys.Make(space, list.n, &key));
  HeptaLaunchEach(space, node_keys, A.rows, PetscMax(A.columns, 1), bs, entries.first, entries.column, offset, key);
  HeptaSortRows(space, A.rows, offset, BitsOf(A), key, &A.tiles);
  PetscCall(CheckTiles(A.tiles));
  PetscCall(Split(space, key, &A));
  PetscCall(A.View(space, &p));
  PetscCall(levels[0]->from.Make(space, A.Values(), &from));
  HeptaLaunchEach(space, fill_with, A.Values(), -1LL, from);
  HeptaLaunchEach(space, list_slots, p, bs, entries.first, entries.column, entries.slot, from);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of P^T, for the own columns of P */
PetscErrorCode HeptaAggMG::Transpose(const HeptaSpace &space, HeptaAggMGLevel &L)
{
  HeptaTiles &R = L.R;
  HeptaValues starts, groups;
  Pattern     p;
  Index      *first, *col, *row, *at, *group, total;
  size_t     *start;

  PetscFunctionBegin;
  R.rows    = L.part.own;
  R.columns = L.A.columns;
  R.br      = k;
  R.bc      = L.A.br;
  PetscCall(L.P.View(space, &p));
  PetscCall(R.first.Make(space, (size_t)R.rows + 1, &first));
  PetscCall(R.col.Make(space, L.P.tiles, &col));
  PetscCall(R.row.Make(space, L.P.tiles, &row));
  PetscCall(L.at.Make(space, L.P.tiles, &at));
  PetscCall(groups.Make(space, L.P.tiles, &group));
  PetscCall(starts.Make(space, (size_t)R.rows + 2, &start));
  HeptaLaunchEach(space, transpose_pattern, p, L.P.tiles, L.part.start, R.rows, first, col, row, at, group, start);
  HeptaLaunchEach(space, hepta::fetch, (const Index *)first + R.rows, &total);
  R.tiles = R.own = (size_t)total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The patterns of P, P^T, A P and of the next level */
PetscErrorCode HeptaAggMG::Patterns(const HeptaSpace &space, size_t l)
{
  HeptaAggMGLevel &L = *levels[l];
  HeptaTiles      &C = Distributed(l) ? L.part.coarse : levels[l + 1]->A;

  PetscFunctionBegin;
  L.P.br = L.A.br;
  L.P.bc = k;
  if (SmoothsProlongation(l)) {
    PetscCall(Product(space, L.filtered.tiles ? L.filtered : L.A, L.tentative, &L.P));
    if (Distributed(l)) PetscCall(ExtendRows(space, l, L.P, &L.part.P));
  } else {
    L.P.rows    = L.tentative.rows;
    L.P.columns = L.tentative.columns;
    L.P.tiles   = L.tentative.tiles;
    L.P.own     = L.tentative.own;
    PetscCall(L.P.first.CopyOf(L.tentative.first));
    PetscCall(L.P.col.CopyOf(L.tentative.col));
    PetscCall(L.P.row.CopyOf(L.tentative.row));
  }
  PetscCall(Transpose(space, L));
  PetscCall(Product(space, L.A, L.P, &L.AP));
  if (Distributed(l)) PetscCall(ExtendRows(space, l, L.AP, &L.part.AP));
  PetscCall(Product(space, L.R, L.AP, &C));
  PetscCall(ListProducts(space, L.A, L.P, L.AP, &L.for_AP));
  PetscCall(ListProducts(space, L.R, L.AP, C, &L.for_next));
  if (Distributed(l)) PetscCall(Distributed(l + 1) ? LocalPattern(space, l) : GatherPattern(space, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}
