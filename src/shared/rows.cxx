#include <vector>

#include "rows.h"

/* A row of a matrix; the destructor restores it also after an error or an exception, since otherwise the matrix's next MatGetRow() would fail */
struct Row {
  Mat                A = nullptr; /* null while there is no row to restore */
  PetscInt           i = 0, n = 0;
  const PetscInt    *cols = nullptr;
  const PetscScalar *vals = nullptr;

  Row()                       = default;
  Row(const Row &)            = delete;
  Row &operator=(const Row &) = delete;
  ~Row() { (void)Restore(); }

  PetscErrorCode Get(Mat from, PetscInt row)
  {
    PetscFunctionBegin;
    PetscCall(MatGetRow(from, row, &n, &cols, &vals));
    A = from;
    i = row;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Restore()
  {
    const Mat of = A;

    PetscFunctionBegin;
    A = nullptr;
    if (of) PetscCall(MatRestoreRow(of, i, &n, &cols, &vals));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* The two parts of a MATMPIAIJ, with the global columns of the second, ascending */
struct Parts {
  Mat             own, other;
  const PetscInt *garray;
  PetscInt        rstart, cstart;
};

/* Joins the two parts of row i: columns of lower ranks, of this rank, of higher ranks */
static PetscErrorCode JoinRow(const Parts &p, PetscInt i, std::vector<PetscInt> &cols, std::vector<PetscScalar> &vals)
{
  PetscInt k = 0;
  Row      own, other;

  PetscFunctionBegin;
  cols.clear();
  vals.clear();
  PetscCall(own.Get(p.own, i - p.rstart));
  PetscCall(other.Get(p.other, i - p.rstart));
  for (; k < other.n && p.garray[other.cols[k]] < p.cstart; k++) cols.push_back(p.garray[other.cols[k]]);
  for (PetscInt l = 0; l < own.n; l++) cols.push_back(p.cstart + own.cols[l]);
  vals.assign(other.vals, other.vals + k);
  vals.insert(vals.end(), own.vals, own.vals + own.n);
  vals.insert(vals.end(), other.vals + k, other.vals + other.n);
  for (; k < other.n; k++) cols.push_back(p.garray[other.cols[k]]);
  PetscCall(other.Restore());
  PetscCall(own.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaForRows(Mat A, PetscInt first, PetscInt last, const std::function<PetscErrorCode(PetscInt, PetscInt, const PetscInt *, const PetscScalar *)> &f)
{
  PetscBool                parts;
  Parts                    p = {nullptr, nullptr, nullptr, A->rmap->rstart, A->cmap->rstart};
  std::vector<PetscInt>    cols;
  std::vector<PetscScalar> vals;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parts));
  if (parts) PetscCall(MatMPIAIJGetSeqAIJ(A, &p.own, &p.other, &p.garray));
  for (PetscInt i = first; i < last; i++) {
    Row row;

    if (parts) {
      PetscCall(JoinRow(p, i, cols, vals));
      PetscCall(f(i, (PetscInt)cols.size(), cols.data(), vals.data()));
      continue;
    }
    PetscCall(row.Get(A, i));
    PetscCall(f(i, row.n, row.cols, row.vals));
    PetscCall(row.Restore());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
