/*
   Connected components of strongly coupled block rows: the phases of a two-phase flow, its bubbles. Blocks i and j are
   strongly coupled when |A_ij| >= strength * sqrt(|A_ii| |A_jj|), with Frobenius norms of the blocks.
*/
#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../shared/rows.h"
#include "subdeflation.h"

/* Union-find over any numbers */
struct Sets {
  std::map<PetscInt64, PetscInt64> parent;

  PetscInt64 Find(PetscInt64 a)
  {
    auto at = parent.find(a);
    while (at != parent.end() && at->second != a) {
      a  = at->second;
      at = parent.find(a);
    }
    return a;
  }
  /* the least number of a set names it, whatever the order */
  void Join(PetscInt64 a, PetscInt64 b)
  {
    a         = Find(a);
    b         = Find(b);
    parent[a] = parent[b] = PetscMin(a, b);
  }
};

static PetscInt Root(std::vector<PetscInt> &parent, PetscInt m)
{
  while (parent[m] != m) m = parent[m] = parent[parent[m]];
  return m;
}

/* The square of the Frobenius norm of a block, and its global block column */
typedef std::pair<PetscInt, PetscReal> BlockNorm;

/* Those of block row m's blocks */
static PetscErrorCode BlockNorms(Mat A, PetscInt m, std::vector<BlockNorm> &norm)
{
  const PetscInt bs = A->rmap->bs;

  PetscFunctionBegin;
  norm.clear();
  PetscCall(HeptaForRows(A, A->rmap->rstart + m * bs, A->rmap->rstart + (m + 1) * bs, [&](PetscInt, PetscInt n, const PetscInt *j, const PetscScalar *v) {
    for (PetscInt k = 0; k < n; k++) {
      auto at = std::find_if(norm.begin(), norm.end(), [&](const BlockNorm &b) { return b.first == j[k] / bs; });
      if (at == norm.end()) at = norm.insert(at, {j[k] / bs, 0});
      at->second += PetscSqr(PetscRealPart(v[k]));
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ghost[k] <- value[i] of the row that ghost column k belongs to */
template <class T> static PetscErrorCode ToGhosts(const HeptaRows &r, MPI_Datatype type, const std::vector<T> &value, std::vector<T> &ghost)
{
  PetscFunctionBegin;
  ghost.resize(r.ghosts.size());
  PetscCall(PetscSFBcastBegin(r.sf, type, value.data(), ghost.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(r.sf, type, value.data(), ghost.data(), MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Joins this rank's strongly coupled block rows in parent; collects strong couplings (local block row, place among the ghosts) with others' */
static PetscErrorCode JoinLocal(PC pc, std::vector<PetscInt> &parent, std::vector<std::pair<PetscInt, PetscInt>> &across)
{
  PC_SubDeflation       *s  = SubDeflation(pc);
  Mat                    A  = s->rows.A;
  const PetscInt         bs = A->rmap->bs, first = A->rmap->rstart / bs, nb = (PetscInt)parent.size();
  std::vector<PetscReal> diagonal(A->rmap->n, 0), ghost;
  std::vector<BlockNorm> norm;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < nb; m++) {
    PetscCall(BlockNorms(A, m, norm));
    for (const BlockNorm &block : norm) {
      for (PetscInt r = 0; r < bs && block.first == first + m; r++) diagonal[m * bs + r] = block.second;
    }
  }
  PetscCall(ToGhosts(s->rows, MPIU_REAL, diagonal, ghost));
  for (PetscInt m = 0; m < nb; m++) {
    PetscCall(BlockNorms(A, m, norm));
    for (const BlockNorm &block : norm) {
      const PetscInt c    = block.first - first;
      const bool     here = c >= 0 && c < nb;
      const size_t   at   = here ? 0 : std::lower_bound(s->rows.ghosts.begin(), s->rows.ghosts.end(), block.first * bs) - s->rows.ghosts.begin();
      /* |A_ij| >= s sqrt(|A_ii| |A_jj|), to the fourth power in the squares that norm and diagonal hold */
      if (c == m || PetscSqr(block.second) < PetscSqr(PetscSqr(s->strength)) * diagonal[m * bs] * (here ? diagonal[c * bs] : ghost[at])) continue;
      if (here) parent[Root(parent, m)] = Root(parent, c);
      else across.push_back({m, (PetscInt)at});
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubDeflationMaterial(PC pc, std::vector<PetscInt> &label, PetscInt *n)
{
  PC_SubDeflation                           *s  = SubDeflation(pc);
  Mat                                        A  = s->rows.A;
  const PetscInt                             bs = A->rmap->bs;
  std::vector<PetscInt>                      parent(A->rmap->n / bs);
  std::vector<PetscInt64>                    root(A->rmap->n), ghost, pairs, all, names;
  std::vector<std::pair<PetscInt, PetscInt>> across;
  Sets                                       sets;

  PetscFunctionBegin;
  std::iota(parent.begin(), parent.end(), 0);
  PetscCall(JoinLocal(pc, parent, across));
  for (PetscInt i = 0; i < A->rmap->n; i++) root[i] = A->rmap->rstart / bs + Root(parent, i / bs);
  PetscCall(ToGhosts(s->rows, MPIU_INT64, root, ghost));
  std::sort(across.begin(), across.end());
  for (const auto &pair : across) {
    pairs.push_back(root[pair.first * bs]);
    pairs.push_back(ghost[pair.second]);
  }
  PetscCall(HeptaGatherAll(PetscObjectComm((PetscObject)pc), MPIU_INT64, pairs, all));
  for (size_t k = 0; k < all.size(); k += 2) sets.Join(all[k], all[k + 1]);
  for (size_t m = 0; m < parent.size(); m++) names.push_back(sets.Find(root[m * bs]));
  PetscCall(HeptaNumberKeys(PetscObjectComm((PetscObject)pc), names, label, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
