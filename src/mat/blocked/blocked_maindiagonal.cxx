/* Operations on the main diagonal and its blocks */
#include <algorithm>

#include "../../shared/arrays.h"
#include "blocked.h"

using namespace hepta::blocked;

/* Is a_ii entry (i, i) of the local part for every local row i that has a main-diagonal entry? */
static bool DiagonalIsLocal(Mat A)
{
  return A->rmap->rstart == A->cmap->rstart && (A->rmap->rend == A->cmap->rend || A->cmap->n == A->cmap->N);
}

/* Was a_ii set? For matrices with DiagonalIsLocal() */
static bool DiagonalIsSet(const HeptaStorage &D, PetscInt i)
{
  size_t at = 0;

  return D.FindSlot(i, i, &at) && D.IsSet(at);
}

PetscErrorCode MatGetDiagonal_Blocked(Mat A, Vec v)
{
  PetscInt    n;
  HeptaArrays p;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCheck(n == A->rmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The vector has %" PetscInt_FMT " local entries, the matrix %" PetscInt_FMT " local rows", n, A->rmap->n);
  PetscCheck(DiagonalIsLocal(A), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The diagonal needs rows and columns split over the ranks in the same way; convert the matrix to MATAIJ first");
  PetscCall(HeptaArraysGet(nullptr, nullptr, v, &p));
  PetscCall(MatBlocked(A)->local->GetDiagonal(p.space, p.y));
  PetscCall(HeptaArraysRestore(nullptr, nullptr, v, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Does a rank have to set main-diagonal entries one by one, because such entries are new or in other ranks' columns?
   *first <- the first such local row, or -1
*/
static PetscErrorCode NeedsNewDiagonal(Mat A, const HeptaFlags *row, PetscInt *first, bool *needed)
{
  HeptaStorage  &D     = *MatBlocked(A)->local;
  const PetscInt n     = PetscMin(A->rmap->n, A->cmap->N - A->rmap->rstart);
  const bool     known = A->assembled && DiagonalIsLocal(A), all = known && D.main == n;

  PetscFunctionBegin;
  *first = -1;
  if (known && !all) PetscCall(D.StructureToHost());
  for (PetscInt i = 0; i < n && *first < 0 && !all; i++) {
    if ((!row || (*row)[i]) && !(known && DiagonalIsSet(D, i))) *first = i;
  }
  *needed = *first >= 0;
  PetscCall(HeptaAgreeOnAny(PetscObjectComm((PetscObject)A), needed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the main diagonal entry by entry, new entries included; without v all entries are alpha */
static PetscErrorCode PutDiagonal(Mat A, const HeptaFlags *row, const PetscScalar *v, PetscScalar alpha, InsertMode mode,
                                  int policy)
{
  PetscFunctionBegin;
  {
    const HeptaNewEntryPolicy while_setting(A, policy);
    for (PetscInt i = 0; i < A->rmap->n; i++) {
      const PetscInt global = A->rmap->rstart + i;
      if (global < A->cmap->N && (!row || (*row)[i]))
        PetscCall(MatSetValues(A, 1, &global, 1, &global, v ? v + i : &alpha, mode));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a_ii <- beta a_ii + (v ? v_i : alpha), beta 0 or 1 */
static PetscErrorCode UpdateDiagonal(Mat A, PetscScalar beta, PetscScalar alpha, Vec v)
{
  Mat_Blocked *a = MatBlocked(A);
  PetscInt     first;
  bool         one_by_one;
  HeptaArrays  p;

  PetscFunctionBegin;
  PetscCall(NeedsNewDiagonal(A, nullptr, &first, &one_by_one));
  if (one_by_one) { /* the caller wants new locations: only MAT_NEW_NONZERO_LOCATION* may refuse them */
    const int          policy = a->set.new_entry == -2 ? 0 : a->set.new_entry;
    const PetscScalar *d      = nullptr;
    if (v) PetscCall(VecGetArrayRead(v, &d));
    PetscCall(PutDiagonal(A, nullptr, d, alpha, beta == (PetscScalar)0 ? INSERT_VALUES : ADD_VALUES, policy));
    if (v) PetscCall(VecRestoreArrayRead(v, &d));
  } else if (DiagonalIsLocal(A) && a->local->HasDiagonal()) {
    PetscCall(HeptaArraysGet(v, nullptr, nullptr, &p));
    if (!v) PetscCall(a->local->values.Space(&p.space));
    PetscCall(a->local->SetDiagonal(p.space, beta, alpha, p.x));
    PetscCall(HeptaArraysRestore(v, nullptr, nullptr, &p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatShift_Blocked(Mat A, PetscScalar alpha)
{
  PetscFunctionBegin;
  PetscCall(UpdateDiagonal(A, 1, alpha, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDiagonalSet_Blocked(Mat A, Vec v, InsertMode mode)
{
  PetscFunctionBegin;
  PetscCheck(mode == INSERT_VALUES || mode == ADD_VALUES, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "MatDiagonalSet() of %s takes INSERT_VALUES or ADD_VALUES", MatBlocked(A)->format->name);
  PetscCall(UpdateDiagonal(A, mode == ADD_VALUES ? 1 : 0, 0, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedSetDiagonalRows(Mat A, const HeptaFlags &row, PetscScalar alpha, bool keep)
{
  Mat_Blocked *a        = MatBlocked(A);
  const auto   diagonal = row.begin() + PetscMin(A->rmap->n, A->cmap->n); /* the end of the rows with a main-diagonal entry */
  PetscInt     first;
  bool         one_by_one;
  std::string  why;

  PetscFunctionBegin;
  PetscCall(NeedsNewDiagonal(A, &row, &first, &one_by_one));
  if (one_by_one) {
    if (keep && DiagonalIsLocal(A) && first >= 0) {
      why = HeptaFormat("Row %" PetscInt_FMT
                        " is to get a diagonal value, but has no diagonal entry and MAT_KEEP_NONZERO_PATTERN is set",
                        first + A->rmap->rstart);
    }
    PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), why.empty() ? PETSC_SUCCESS : PETSC_ERR_ARG_WRONGSTATE, why));
    PetscCall(PutDiagonal(A, &row, nullptr, alpha, INSERT_VALUES, keep ? a->set.new_entry : 0));
    /* the flagged rows have diagonal entries; other rows need none */
  } else if (DiagonalIsLocal(A) && std::find(row.begin(), diagonal, 1) != diagonal) {
    PetscCall(a->local->SetDiagonalRows(row.data(), alpha));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The inverse blocks are stored by columns, as PETSc requires. As with baij a singular block is an error only with
   MatSetErrorIfFailure(). */
PetscErrorCode MatInvertBlockDiagonal_Blocked(Mat A, const PetscScalar **values)
{
  Mat_Blocked   *a  = MatBlocked(A);
  const PetscInt bs = a->ghost.bs;
  hepta::Index   bad;

  PetscFunctionBegin;
  PetscCheck(
    DiagonalIsLocal(A), PETSC_COMM_SELF, PETSC_ERR_SUP,
    "The diagonal blocks need rows and columns split over the ranks in the same way; convert the matrix to MATAIJ first");
  a->inverse.resize((size_t)A->rmap->n * bs);
  PetscCall(a->local->DiagonalBlocks(bs, a->inverse.data()));
  PetscCallHepta(invert_blocks_host(A->rmap->n / bs, bs, a->inverse.data(), &bad));
  A->factorerrortype = MAT_FACTOR_NOERROR;
  if (bad >= 0) {
    const PetscInt row = A->rmap->rstart + bad;
    PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               "Zero pivot in row %" PetscInt_FMT ": diagonal block %" PetscInt_FMT " has no inverse", row, row / bs);
    PetscCall(
      PetscInfo(A, "Zero pivot in row %" PetscInt_FMT ": diagonal block %" PetscInt_FMT " has no inverse\n", row, row / bs));
    A->factorerrortype             = MAT_FACTOR_NUMERIC_ZEROPIVOT;
    A->factorerror_zeropivot_value = 0;
    A->factorerror_zeropivot_row   = row;
  }
  if (values) *values = a->inverse.data();
  PetscCall(PetscLogFlops(2. * (PetscLogDouble)A->rmap->n * bs * bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}
