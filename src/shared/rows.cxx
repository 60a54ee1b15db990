#include <memory>
#include <type_traits>
#include <vector>

#include "rows.h"

PetscErrorCode HeptaAIJRows::Get(Mat from, bool values)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(Restore());
  PetscCall(MatAssembled(from, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)from), PETSC_ERR_ARG_WRONGSTATE, "Not for unassembled matrix");
  PetscCall(MatGetRowIJ(from, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  A = from;
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No compressed rows");
  if (values) PetscCall(MatSeqAIJGetArrayRead(from, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAIJRows::Restore()
{
  const Mat of = A;
  PetscBool done;

  PetscFunctionBegin;
  A = nullptr;
  if (!of) PetscFunctionReturn(PETSC_SUCCESS);
  if (v) PetscCall(MatSeqAIJRestoreArrayRead(of, &v));
  PetscCall(MatRestoreRowIJ(of, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Joins row i of the two parts of a MATMPIAIJ: columns of lower ranks, of this rank, of higher ranks */
static void JoinRow(const HeptaAIJRows &own, const HeptaAIJRows &other, const PetscInt garray[], PetscInt cstart, PetscInt i,
                    std::vector<PetscInt> &cols, std::vector<PetscScalar> &vals)
{
  PetscInt   k   = other.ia[i];
  const auto put = [&](const HeptaAIJRows &part, PetscInt p, PetscInt column) {
    cols.push_back(column);
    if (part.v) vals.push_back(part.v[p]);
  };

  cols.clear();
  vals.clear();
  for (; k < other.ia[i + 1] && garray[other.ja[k]] < cstart; k++) put(other, k, garray[other.ja[k]]);
  for (PetscInt l = own.ia[i]; l < own.ia[i + 1]; l++) put(own, l, cstart + own.ja[l]);
  for (; k < other.ia[i + 1]; k++) put(other, k, garray[other.ja[k]]);
}

/* Calls f with row i by MatGetRow() */
static PetscErrorCode CallWithRow(Mat A, PetscInt i, const HeptaRowFunction &f)
{
  PetscInt           n;
  const PetscInt    *columns;
  const PetscScalar *entries;
  PetscErrorCode     code    = PETSC_SUCCESS;
  auto               restore = [&](Mat of) { code = MatRestoreRow(of, i, &n, &columns, &entries); };

  PetscFunctionBegin;
  PetscCall(MatGetRow(A, i, &n, &columns, &entries));
  /* restored also after an error or an exception, since otherwise the matrix's next MatGetRow() would fail */
  std::unique_ptr<std::remove_pointer_t<Mat>, decltype(restore)> row(A, restore);
  PetscCall(f(i, n, columns, entries));
  row.reset();
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaForRows(Mat A, PetscInt first, PetscInt last, bool values, const HeptaRowFunction &f)
{
  const PetscInt          *garray;
  Mat                      parts[2] = {A, nullptr};
  PetscBool                seq, mpi;
  PetscInt                 rstart, cstart;
  HeptaAIJRows             own, other;
  std::vector<PetscInt>    cols;
  std::vector<PetscScalar> vals;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  PetscCall(MatGetOwnershipRange(A, &rstart, nullptr));
  PetscCall(MatGetOwnershipRangeColumn(A, &cstart, nullptr));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &parts[0], &parts[1], &garray));
  if (seq || mpi) PetscCall(own.Get(parts[0], values));
  if (mpi) PetscCall(other.Get(parts[1], values));
  for (PetscInt i = first; i < last; i++) {
    if (mpi) {
      JoinRow(own, other, garray, cstart, i - rstart, cols, vals);
      PetscCall(f(i, (PetscInt)cols.size(), cols.data(), vals.size() == cols.size() ? vals.data() : nullptr));
    } else if (seq) {
      const PetscInt begin = own.ia[i];
      PetscCall(f(i, own.ia[i + 1] - begin, own.ja + begin, own.v ? own.v + begin : nullptr));
    } else PetscCall(CallWithRow(A, i, f));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
