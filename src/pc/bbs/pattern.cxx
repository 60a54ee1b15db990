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
  PetscBool cusparse = PETSC_FALSE, bound;

  PetscFunctionBegin;
  if (HeptaIsBlocked(A)) {
    PetscCall(HeptaOperatorSpace(A, space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#if defined(HEPTA_HAVE_CUDA)
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &cusparse));
#endif
  PetscCall(MatBoundToCPU(A, &bound));
  PetscCall(HeptaSpaceOf(cusparse && !bound ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPatternCheckSize(size_t values)
{
  PetscFunctionBegin;
  PetscCheck(values < (size_t)PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "bbs: %zu values on an MPI process are too many for PetscInt: configure PETSc with --with-64-bit-indices, or take "
             "more processes",
             values);
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
  from.reserve(MatBlocked(A)->local->Size());
  j.reserve(MatBlocked(A)->local->Size() / ((size_t)bs * bs));
  i.reserve((size_t)n + 1);
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
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: matrices of type %s do not show their rows; convert to " MATSEQAIJ,
             ((PetscObject)A)->type_name);
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

/* A block of a permuted matrix: the column; p for the original block p, ~p for the transpose of block p, or `none` */
using Block = std::pair<Index, Index>;

/*
   The blocks of the permuted matrix by rows, and by columns in each row; *first <- the first block of each row. Arguments as in
   HeptaPattern::Permute().
*/
static std::vector<Block> PermutedBlocks(const HeptaPattern &A, const std::vector<Index> &row, const std::vector<Index> &col,
                                         bool symmetric, const std::vector<PetscInt> *part, std::vector<Index> *first)
{
  const Index rows = (Index)A.n, none = (Index)A.j.size();
  /* the position of each column in col; where the next block of each row goes */
  std::vector<Index> position(rows), next(rows + 1, 0);
  std::vector<Block> blocks;
  const auto         visit = [&](const auto &f) {
    for (Index r = 0; r < rows; r++) {
      const Index m = row.empty() ? r : row[r], end = A.i[m + 1];
      bool        found = !part; /* the diagonal block */
      for (Index p = A.i[m]; p < end; p++) {
        if (part && (*part)[A.j[p]] != (*part)[m]) continue;
        const Index c = position[A.j[p]];
        found         = found || A.j[p] == m;
        if (!symmetric || c >= r) f(r, c, p);
        if (symmetric && c > r) f(c, r, ~p);
      }
      if (!found) f(r, r, none);
    }
  };

  for (Index k = 0; k < rows; k++) position[col.empty() ? k : col[k]] = k;
  visit([&](Index r, Index, Index) { next[r + 1]++; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  *first = next;
  blocks.resize(next[rows]);
  visit([&](Index r, Index c, Index p) { blocks[next[r]++] = {c, p}; });
  if (row.empty() && col.empty() && !part && A.Ascends()) return blocks; /* visited in ascending order */
  for (Index r = 0; r < rows; r++) {
    const auto begin = blocks.begin() + (*first)[r], end = blocks.begin() + (*first)[r + 1];
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
  }
  return blocks;
}

void HeptaPattern::Permute(const std::vector<Index> &row, const std::vector<Index> &col, bool symmetric,
                           const std::vector<PetscInt> *part)
{
  if (row.empty() && col.empty() && !symmetric && !part && Ascends()) return;
  std::vector<Index>       first, old, mirror; /* mirror: the position of each value of a block in its transpose */
  const std::vector<Block> blocks = PermutedBlocks(*this, row, col, symmetric, part, &first);
  const Index              none = (Index)j.size(), size = (Index)(bs * bs);

  for (Index k = 0; k < size; k++) mirror.push_back(k % (Index)bs * (Index)bs + k / (Index)bs);
  i.swap(first);
  old.swap(from);
  j.resize(blocks.size());
  from.resize(blocks.size() * size);
  for (size_t q = 0; q < blocks.size(); q++) {
    const bool  mirrored = blocks[q].second < 0;
    const Index p        = mirrored ? ~blocks[q].second : blocks[q].second;
    j[q]                 = blocks[q].first;
    for (Index k = 0; k < size; k++) {
      const size_t e     = (size_t)p * size + (mirrored ? mirror[k] : k);
      from[q * size + k] = p == none ? -1 : old.empty() ? (Index)e : old[e];
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
    PetscCheck(p < i[m + 1] && j[p] == m, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "bbs: row %" PetscInt_FMT
               " has no diagonal entry: add it before the matrix is assembled, with the value 0 if need be",
               (row.empty() ? m : (PetscInt)row[m]) * bs);
    (*diagonal)[m] = p;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
