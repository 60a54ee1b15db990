/*
   Connected components of strongly coupled block rows: the phases of a two-phase flow, its bubbles. Blocks i and j are
   strongly coupled when |A_ij| >= strength * sqrt(|A_ii| |A_jj|), with Frobenius norms of the blocks.
*/
#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../../shared/rows.h"
#include "rows_visit.h"
#include "subdomains_row.hxx"

using hepta::Index;
using namespace hepta::subdeflation;

/* A component for each of n rows, to be joined by join_components() */
static std::vector<Index> Alone(size_t n)
{
  std::vector<Index> parent(n);

  std::iota(parent.begin(), parent.end(), 0);
  return parent;
}

/* The global block column of a block, and its Frobenius norm */
typedef std::pair<PetscInt, PetscReal> BlockNorm;

/* The norms of the blocks of block row m */
static PetscErrorCode BlockNorms(Mat A, PetscInt m, std::vector<BlockNorm> &norm)
{
  const PetscInt bs = HeptaBlockSize(A->rmap);

  PetscFunctionBegin;
  norm.clear();
  PetscCall(HeptaForRows(A, A->rmap->rstart + m * bs, A->rmap->rstart + (m + 1) * bs, true,
                         [&](PetscInt, PetscInt n, const PetscInt *j, const PetscScalar *v) {
                           for (PetscInt k = 0; k < n; k++) {
                             auto at =
                               std::find_if(norm.begin(), norm.end(), [&](const BlockNorm &b) { return b.first == j[k] / bs; });
                             if (at == norm.end()) at = norm.insert(at, {j[k] / bs, 0});
                             at->second =
                               std::hypot(at->second, PetscRealPart(v[k])); /* without squares, which may underflow or overflow */
                           }
                           return PETSC_SUCCESS;
                         }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ghost[k] <- value[i] of the row that ghost column k belongs to */
template <class T>
static PetscErrorCode ToGhosts(const HeptaRows &r, MPI_Datatype type, const std::vector<T> &value, std::vector<T> &ghost)
{
  PetscFunctionBegin;
  ghost.resize(r.ghosts.size());
  PetscCall(PetscSFBcastBegin(r.sf, type, value.data(), ghost.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(r.sf, type, value.data(), ghost.data(), MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Joins this rank's strongly coupled block rows; across <- strong couplings (local block row, position of the ghost) to other
   ranks
*/
static PetscErrorCode JoinLocal(PC pc, std::vector<Index> &parent, std::vector<std::pair<PetscInt, PetscInt>> &across)
{
  PC_Subdeflation       *s  = Subdeflation(pc);
  Mat                    A  = s->rows.A;
  const PetscInt         bs = HeptaBlockSize(A->rmap), first = A->rmap->rstart / bs, nb = A->rmap->n / bs;
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
      const size_t   at =
        here ? 0 : std::lower_bound(s->rows.ghosts.begin(), s->rows.ghosts.end(), block.first * bs) - s->rows.ghosts.begin();
      if (c == m || !strongly_coupled(block.second, diagonal[m * bs], here ? diagonal[c * bs] : ghost[at], s->strength)) continue;
      if (here) join_components(parent.data(), (Index)m, (Index)c);
      else across.push_back({m, (PetscInt)at});
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* name <- for each block row the least name in its component, after the pairs of names are joined; equal on all ranks */
static void JoinAcross(const std::vector<PetscInt64> &pairs, std::vector<PetscInt64> &name)
{
  std::vector<PetscInt64> names(pairs);

  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto number = [&](PetscInt64 a) { return (size_t)(std::lower_bound(names.begin(), names.end(), a) - names.begin()); };
  std::vector<Index> parent = Alone(names.size());
  for (size_t k = 0; k < pairs.size(); k += 2)
    join_components(parent.data(), (Index)number(pairs[k]), (Index)number(pairs[k + 1]));
  for (PetscInt64 &a : name) {
    const size_t at = number(a);
    if (at < names.size() && names[at] == a) a = names[find_root(parent.data(), (Index)at)];
  }
}

/* For any block size and number of ranks, on the host; used for blocks and on several ranks */
static PetscErrorCode OnHost(PC pc, std::vector<PetscInt> &label, PetscInt *n)
{
  PC_Subdeflation                           *s      = Subdeflation(pc);
  Mat                                        A      = s->rows.A;
  const PetscInt                             bs     = HeptaBlockSize(A->rmap);
  std::vector<Index>                         parent = Alone(A->rmap->n / bs);
  std::vector<PetscInt64>                    root(A->rmap->n), ghost, pairs, all, names;
  std::vector<std::pair<PetscInt, PetscInt>> across;

  PetscFunctionBegin;
  PetscCall(JoinLocal(pc, parent, across));
  for (PetscInt i = 0; i < A->rmap->n; i++)
    root[i] = A->rmap->rstart / bs + (PetscInt64)find_root(parent.data(), (Index)(i / bs));
  PetscCall(ToGhosts(s->rows, MPIU_INT64, root, ghost));
  std::sort(across.begin(), across.end());
  for (const auto &pair : across) {
    pairs.push_back(root[pair.first * bs]);
    pairs.push_back(ghost[pair.second]);
  }
  PetscCall(HeptaGatherAll(PetscObjectComm((PetscObject)pc), MPIU_INT64, pairs, all));
  for (PetscInt m = 0; m < A->rmap->n / bs; m++) names.push_back(root[m * bs]);
  JoinAcross(all, names);
  PetscCall(HeptaNumberKeys(PetscObjectComm((PetscObject)pc), names, label, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For block size 1 on one rank, in the matrix's memory */
static PetscErrorCode WhereTheMatrixIs(PC pc, const HeptaSpace &space, HeptaValues &label, PetscInt *n)
{
  PC_Subdeflation *s    = Subdeflation(pc);
  const size_t     rows = (size_t)s->rows.A->rmap->n;
  HeptaValues      names, diagonals;
  PetscScalar     *diagonal;
  Index           *name;

  PetscFunctionBegin;
  PetscCall(names.Make(space, rows, &name));
  PetscCall(diagonals.Make(space, rows, &diagonal));
  PetscCall(HeptaVisitEntries(s->rows, space, [&](const auto &R) {
    HeptaLaunchEach(space, components, rows, R, (PetscScalar)s->strength, diagonal, name);
    return PETSC_SUCCESS;
  }));
  PetscCall(HeptaNumberLocal(space, rows, nullptr, 0, names, (PetscInt)rows, label, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationMaterial(PC pc, const HeptaSpace &space, HeptaValues &label, PetscInt *n)
{
  Mat                   A = Subdeflation(pc)->rows.A;
  std::vector<PetscInt> labels;

  PetscFunctionBegin;
  if (A->rmap->size == 1 && HeptaBlockSize(A->rmap) == 1) PetscCall(WhereTheMatrixIs(pc, space, label, n));
  else {
    PetscCall(OnHost(pc, labels, n));
    PetscCall(label.Take(labels));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
