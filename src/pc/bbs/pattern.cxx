#include "pattern.h"

using namespace hepta;
using namespace hepta::bbs;

static PetscErrorCode IsBAIJ(Mat A, bool *is)
{
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQBAIJ, &flg));
  *is = flg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsAIJ(Mat A, bool *is)
{
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &flg));
  *is = flg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does A keep its values on the device? */
static PetscErrorCode IsCUSPARSE(Mat A, bool *is)
{
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &flg));
  *is = flg && !A->boundtocpu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPatternCanRead(Mat A, bool *can)
{
  PetscMPIInt size;
  bool        is[3];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(IsBAIJ(A, &is[0]));
  PetscCall(IsAIJ(A, &is[1]));
  PetscCall(HeptaIsBDIA(A, &is[2]));
  *can = size == 1 && (is[0] || is[1] || is[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPatternSpace(Mat A, HeptaSpace *space)
{
  bool bdia = false, cusparse = false;

  PetscFunctionBegin;
  PetscCall(HeptaIsBDIA(A, &bdia));
  PetscCall(IsCUSPARSE(A, &cusparse));
  if (bdia) PetscCall(HeptaOperatorSpace(A, space));
  else PetscCall(HeptaSpaceOf(cusparse ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPatternGather(Mat A, const HeptaSpace &space, size_t n, const Index *from, Scalar *w)
{
  const PetscScalar *v;
  PetscScalar       *blocks;
  bool               bdia = false, baij = false;

  PetscFunctionBegin;
  PetscCall(HeptaIsBDIA(A, &bdia));
  PetscCall(IsBAIJ(A, &baij));
  if (bdia) {
    PetscCall(HeptaVisit(*MatBDIA(A)->diag, space, HeptaAccess::read, [&](auto view) {
      HeptaLaunch(space, gather, n, from, view.v, w);
      return PETSC_SUCCESS;
    }));
  } else if (baij) {
    PetscCall(MatSeqBAIJGetArray(A, &blocks));
    HeptaLaunch(space, gather, n, from, (const PetscScalar *)blocks, w);
    PetscCall(MatSeqBAIJRestoreArray(A, &blocks));
#if defined(HEPTA_HAVE_CUDA)
  } else if (space.device) {
    PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &v));
    HeptaLaunch(space, gather, n, from, v, w);
    PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &v));
#endif
  } else {
    PetscCall(MatSeqAIJGetArrayRead(A, &v));
    HeptaLaunch(space, gather, n, from, v, w);
    PetscCall(MatSeqAIJRestoreArrayRead(A, &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPattern::ReadRows(Mat A, bool blocks)
{
  const PetscInt *ia, *ja;
  PetscInt        rows; /* MatRestoreRowIJ() clears it */
  PetscBool       done;

  PetscFunctionBegin;
  bs = blocks ? A->rmap->bs : 1;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, blocks ? PETSC_TRUE : PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: matrices of type %s do not show their rows; convert to " MATSEQAIJ, ((PetscObject)A)->type_name);
  n = rows;
  i.assign(ia, ia + n + 1);
  j.assign(ja, ja + i[n]);
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, blocks ? PETSC_TRUE : PETSC_FALSE, &rows, &ia, &ja, &done));
  from.resize(j.size() * bs * bs);
  for (size_t e = 0; e < from.size(); e++) from[e] = (Index)e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block is there when an entry of it was set */
PetscErrorCode HeptaPattern::ReadDiagonals(Mat A)
{
  std::vector<Index> place;

  PetscFunctionBegin;
  bs = A->rmap->bs;
  n  = A->rmap->n / bs;
  place.assign(n, -1); /* of block column c among the blocks of this row */
  i.assign(1, 0);
  for (PetscInt m = 0; m < n; m++) {
    for (PetscInt r = 0; r < bs; r++) {
      HeptaForSetInRow(A, m * bs + r, [&](bool, PetscInt c, size_t at) {
        Index &p = place[c / bs];
        if (p < i[m]) {
          p = (Index)j.size();
          j.push_back(c / bs);
          from.resize(j.size() * bs * bs, -1);
        }
        from[((size_t)p * bs + c % bs) * bs + r] = (Index)at;
      });
    }
    i.push_back((Index)j.size());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPattern::Read(Mat A)
{
  bool bdia = false, baij = false;

  PetscFunctionBegin;
  *this = HeptaPattern();
  PetscCall(HeptaIsBDIA(A, &bdia));
  PetscCall(IsBAIJ(A, &baij));
  if (bdia) PetscCall(ReadDiagonals(A));
  else PetscCall(ReadRows(A, baij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The place of each entry of a permutation; the identity for none */
static std::vector<Index> Inverse(const std::vector<Index> &p, PetscInt n)
{
  std::vector<Index> q(n);

  for (PetscInt k = 0; k < n; k++) q[p.empty() ? k : p[k]] = (Index)k;
  return q;
}

void HeptaPattern::Permute(const std::vector<Index> &row, const std::vector<Index> &col, bool symmetric)
{
  struct Entry {
    Index m, block;
    bool  mirrored;
  };
  const std::vector<Index>        place[2] = {Inverse(row, n), Inverse(col, n)};
  std::vector<std::vector<Entry>> columns(n); /* so that each row's columns come in ascending order */
  std::vector<Index>              old(from), count(n + 1, 0);

  for (Index m = 0; m < n; m++) {
    for (Index p = i[m]; p < i[m + 1]; p++) {
      const Index r = place[0][m], c = place[1][j[p]];
      if (symmetric && c < r) continue;
      columns[c].push_back({r, p, false});
      if (symmetric && c > r) columns[r].push_back({c, p, true});
    }
  }
  for (const auto &column : columns) {
    for (const Entry &e : column) count[e.m + 1]++;
  }
  for (Index m = 0; m < n; m++) count[m + 1] += count[m];
  i = count;
  j.resize(i[n]);
  from.resize(j.size() * bs * bs);
  for (Index c = 0; c < n; c++) {
    for (const Entry &e : columns[c]) {
      const size_t p = (size_t)count[e.m]++;
      j[p]           = c;
      for (PetscInt k = 0; k < bs * bs; k++) from[p * bs * bs + k] = old[(size_t)e.block * bs * bs + (e.mirrored ? k % bs * bs + k / bs : k)];
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

StrictRows HeptaPattern::Strict(const std::vector<Index> &diagonal, bool upper) const
{
  StrictRows T;

  T.upper = upper;
  T.bs    = (int)bs;
  T.first.reserve((size_t)n * bs + 1);
  T.first.push_back(0);
  for (PetscInt m = 0; m < n; m++) {
    const Index begin = upper ? diagonal[m] + 1 : i[m], end = upper ? i[m + 1] : diagonal[m];
    for (PetscInt r = 0; r < bs; r++) {
      for (Index p = begin; p < end; p++) {
        for (PetscInt s = 0; s < bs; s++) {
          T.col.push_back(j[p] * (Index)bs + (Index)s);
          T.from.push_back((p * (Index)bs + (Index)s) * (Index)bs + (Index)r);
        }
      }
      T.first.push_back((Index)T.col.size());
    }
  }
  return T;
}
