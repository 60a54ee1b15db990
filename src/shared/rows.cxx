#include <vector>

#include "rows.h"

/* The two parts of a MATMPIAIJ, with the global columns of the second, ascending */
struct Parts {
  Mat             own, other;
  const PetscInt *garray;
  PetscInt        rstart, cstart;
};

/* Row i put together: columns of lower ranks, this rank's, those of higher ranks */
static PetscErrorCode JoinRow(const Parts &p, PetscInt i, std::vector<PetscInt> &cols, std::vector<PetscScalar> &vals)
{
  PetscInt           n, m, k = 0;
  const PetscInt    *jown, *jother;
  const PetscScalar *own, *other;

  PetscFunctionBegin;
  cols.clear();
  vals.clear();
  PetscCall(MatGetRow(p.own, i - p.rstart, &n, &jown, &own));
  PetscCall(MatGetRow(p.other, i - p.rstart, &m, &jother, &other));
  for (; k < m && p.garray[jother[k]] < p.cstart; k++) cols.push_back(p.garray[jother[k]]);
  for (PetscInt l = 0; l < n; l++) cols.push_back(p.cstart + jown[l]);
  vals.assign(other, other + k);
  vals.insert(vals.end(), own, own + n);
  vals.insert(vals.end(), other + k, other + m);
  for (; k < m; k++) cols.push_back(p.garray[jother[k]]);
  PetscCall(MatRestoreRow(p.other, i - p.rstart, &m, &jother, &other));
  PetscCall(MatRestoreRow(p.own, i - p.rstart, &n, &jown, &own));
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
    PetscInt           n;
    const PetscInt    *j;
    const PetscScalar *v;

    if (parts) {
      PetscCall(JoinRow(p, i, cols, vals));
      PetscCall(f(i, (PetscInt)cols.size(), cols.data(), vals.data()));
      continue;
    }
    PetscCall(MatGetRow(A, i, &n, &j, &v));
    PetscCall(f(i, n, j, v));
    PetscCall(MatRestoreRow(A, i, &n, &j, &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
