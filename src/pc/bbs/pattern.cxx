/* The block rows of a Mat, and its values */
#include "factors.h"

#include <algorithm>
#include <numeric>

using namespace hepta;
using namespace hepta::bbs;

PetscErrorCode HeptaPatternCanRead(Mat A, bool *can)
{
  PetscBool baij, aij;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  *can = A->rmap->size == 1 && (baij || aij || HeptaIsBlocked(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPatternSpace(Mat A, HeptaSpace *space)
{
  PetscBool cusparse = PETSC_FALSE;

  PetscFunctionBegin;
  if (HeptaIsBlocked(A)) {
    PetscCall(HeptaOperatorSpace(A, space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#if defined(HEPTA_HAVE_CUDA)
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &cusparse));
#endif
  PetscCall(HeptaSpaceOf(cusparse && !A->boundtocpu ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPatternCheckSize(size_t values)
{
  PetscFunctionBegin;
  PetscCheck(values < (size_t)PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: %zu values on an MPI process are too many for PetscInt: configure PETSc with --with-64-bit-indices, or take more processes", values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPatternGather(Mat A, const HeptaSpace &space, size_t n, const Index *from, Scalar *w)
{
  const PetscScalar *v;
  PetscScalar       *blocks;
  PetscBool          baij;
  const auto         gather = [&](auto *values) {
    HeptaLaunchEach(space, hepta::blocked::gather, n, from, values, w);
    return PETSC_SUCCESS;
  };

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  if (HeptaIsBlocked(A)) PetscCall(HeptaVisitValues(*MatBlocked(A)->local, space, HeptaAccess::read, gather));
  else if (baij) {
    PetscCall(MatSeqBAIJGetArray(A, &blocks));
    PetscCall(gather((const PetscScalar *)blocks));
    PetscCall(MatSeqBAIJRestoreArray(A, &blocks));
#if defined(HEPTA_HAVE_CUDA)
  } else if (space.device) {
    PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &v));
    PetscCall(gather(v));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &v));
#endif
  } else {
    PetscCall(MatSeqAIJGetArrayRead(A, &v));
    PetscCall(gather(v));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the blocks in which an entry was set */
PetscErrorCode HeptaPattern::ReadBlocked(Mat A)
{
  std::vector<Index> position;

  PetscFunctionBegin;
  PetscCall(HeptaPatternCheckSize(MatBlocked(A)->local->Size()));
  position.assign(n, -1); /* position[c]: the position of block column c among the blocks of this row */
  i.assign(1, 0);
  for (PetscInt m = 0; m < n; m++) {
    for (PetscInt r = 0; r < bs; r++) {
      PetscCall(HeptaForSetInRow(A, m * bs + r, [&](bool, PetscInt c, size_t at) {
        Index &p = position[c / bs];
        if (p < i[m]) {
          p = (Index)j.size();
          j.push_back(c / bs);
          from.resize(j.size() * bs * bs, -1);
        }
        from[((size_t)p * bs + c % bs) * bs + r] = (Index)at;
      }));
    }
    i.push_back((Index)j.size());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPattern::ReadDiagonals(Mat A)
{
  const bdia::Diagonals &diagonals = *MatBDIADiagonals(A);
  const auto             D         = diagonals.StructureView();

  PetscFunctionBegin;
  PetscCall(HeptaPatternCheckSize(diagonals.Size()));
  *this = {D.nbr, D.bs, {0}, {}, {}};
  for (Index m = 0; m < D.nbr; m++) {
    for (int d = 0; d < D.nd; d++) {
      if (m + D.off[d] < 0 || m + D.off[d] >= D.nbc) continue;
      j.push_back(m + D.off[d]);
      for (int e = 0; e < D.bs * D.bs; e++) from.push_back((Index)bdia::slot(D, d, m, e % D.bs, e / D.bs));
    }
    i.push_back((Index)j.size());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPattern::Read(Mat A, PetscInt size)
{
  const PetscBool blocks = size > 1 ? PETSC_TRUE : PETSC_FALSE;
  const PetscInt *ia, *ja;
  PetscInt        rows;
  PetscBool       done;

  PetscFunctionBegin;
  *this = {A->rmap->n / size, size, {}, {}, {}};
  if (HeptaIsBlocked(A)) {
    PetscCall(ReadBlocked(A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, blocks, &rows, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: matrices of type %s do not show their rows; convert to " MATSEQAIJ, ((PetscObject)A)->type_name);
  i.assign(ia, ia + n + 1);
  j.assign(ja, ja + i[n]);
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, blocks, &rows, &ia, &ja, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaPattern::Ascends() const
{
  for (PetscInt m = 0; m < n; m++) {
    for (Index p = i[m] + 1; p < i[m + 1]; p++) {
      if (j[p - 1] >= j[p]) return false;
    }
  }
  return true;
}

/* A block of a permuted matrix: its column; its number p before, or ~p if it is the transpose of block p, or `none` */
using Block = std::pair<Index, Index>;

void HeptaPattern::Permute(const std::vector<Index> &row, const std::vector<Index> &col, bool symmetric, const std::vector<PetscInt> *part)
{
  if (row.empty() && col.empty() && !symmetric && !part && Ascends()) return;
  const HeptaPattern old  = std::move(*this);
  const Index        size = (Index)(old.bs * old.bs), none = (Index)old.j.size();
  std::vector<Index> position(old.n), next(old.n + 1, 0); /* where col has each column; where the next block of each row goes */
  std::vector<Block> blocks;
  const auto         visit = [&](const auto &f) {
    for (Index r = 0; r < old.n; r++) {
      const Index m   = row.empty() ? r : row[r];
      const auto  end = old.j.begin() + old.i[m + 1];
      for (Index p = old.i[m]; p < old.i[m + 1]; p++) {
        if (part && (*part)[old.j[p]] != (*part)[m]) continue;
        const Index c = position[old.j[p]];
        if (!symmetric || c >= r) f(r, c, p);
        if (symmetric && c > r) f(c, r, ~p);
      }
      if (part && std::find(old.j.begin() + old.i[m], end, m) == end) f(r, r, none);
    }
  };

  for (Index k = 0; k < old.n; k++) position[col.empty() ? k : col[k]] = k;
  visit([&](Index r, Index, Index) { next[r + 1]++; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  blocks.resize(next[old.n]);
  *this = {old.n, old.bs, next, std::vector<Index>(blocks.size()), std::vector<Index>(blocks.size() * size)};
  visit([&](Index r, Index c, Index p) { blocks[next[r]++] = {c, p}; });
  for (Index r = 0; r < n; r++) {
    if (!std::is_sorted(blocks.begin() + i[r], blocks.begin() + i[r + 1])) std::sort(blocks.begin() + i[r], blocks.begin() + i[r + 1]);
  }
  for (size_t q = 0; q < blocks.size(); q++) {
    const bool  mirrored = blocks[q].second < 0;
    const Index p        = mirrored ? ~blocks[q].second : blocks[q].second;
    j[q]                 = blocks[q].first;
    for (Index k = 0; k < size; k++) {
      const size_t e     = (size_t)p * size + (mirrored ? k % bs * bs + k / bs : k);
      from[q * size + k] = p == none ? -1 : old.from.empty() ? (Index)e : old.from[e];
    }
  }
}

PetscErrorCode HeptaPattern::Diagonals(const std::vector<Index> &row, std::vector<Index> *diagonal) const
{
  PetscFunctionBegin;
  diagonal->resize(n);
  for (PetscInt m = 0; m < n; m++) {
    Index p = i[m];
    while (p < i[m + 1] && j[p] < m) p++;
    PetscCheck(p < i[m + 1] && j[p] == m, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "bbs: row %" PetscInt_FMT " has no diagonal entry: add it before the matrix is assembled, with the value 0 if need be", (row.empty() ? m : (PetscInt)row[m]) * bs);
    (*diagonal)[m] = p;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
