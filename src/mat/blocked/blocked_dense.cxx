/*
   Products with many vectors, C = A B with B and C dense: a matrix value is read once for several columns. The rows of B that
   other ranks own are exchanged for some columns at a time while the local part multiplies these columns; the ghost part follows:

     C_c <- A_local B_c + A_ghost (B_c)_ghost    for columns c

   The product is on the device if B and C are both on the device, otherwise on the host.
*/
#include "../../shared/arrays.h"
#include "blocked.h"

using namespace hepta::blocked;

static constexpr PetscInt batch = 32; /* columns that are exchanged together */

/* The arrays of B and C in one memory; column c begins at b + c*ldb and c + c*ldc */
struct DenseArrays {
  HeptaSpace         space;
  bool               fetched = false; /* the arrays are on the host although one matrix may be on the device */
  const PetscScalar *b       = nullptr;
  PetscScalar       *c       = nullptr;
  size_t             ldb = 0, ldc = 0;
};

static PetscErrorCode ArraysGet(Mat B, Mat C, DenseArrays *p)
{
  PetscMemType type = PETSC_MEMTYPE_HOST;
  PetscBool    bound[2];
  PetscInt     ld[2];

  PetscFunctionBegin;
  PetscCall(MatBoundToCPU(B, &bound[0]));
  PetscCall(MatBoundToCPU(C, &bound[1]));
  p->fetched = bound[0] || bound[1];
  if (p->fetched) {
    PetscCall(MatDenseGetArrayRead(B, &p->b));
    PetscCall(MatDenseGetArrayWrite(C, &p->c));
  } else {
    PetscMemType other;
    PetscCall(MatDenseGetArrayReadAndMemType(B, &p->b, &other));
    PetscCall(MatDenseGetArrayWriteAndMemType(C, &p->c, &type));
    PetscCheck(PetscMemTypeHost(other) == PetscMemTypeHost(type), PetscObjectComm((PetscObject)C), PETSC_ERR_SUP,
               "The factor of type %s and the result of type %s are in different memories: make both %s",
               ((PetscObject)B)->type_name, ((PetscObject)C)->type_name, ((PetscObject)B)->type_name);
  }
  PetscCall(MatDenseGetLDA(B, &ld[0]));
  PetscCall(MatDenseGetLDA(C, &ld[1]));
  p->ldb = (size_t)ld[0];
  p->ldc = (size_t)ld[1];
  PetscCall(HeptaSpaceOf(type, &p->space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ArraysRestore(Mat B, Mat C, DenseArrays *p)
{
  PetscFunctionBegin;
  PetscCall(p->fetched ? MatDenseRestoreArrayRead(B, &p->b) : MatDenseRestoreArrayReadAndMemType(B, &p->b));
  PetscCall(p->fetched ? MatDenseRestoreArrayWrite(C, &p->c) : MatDenseRestoreArrayWriteAndMemType(C, &p->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns [c0, c0 + n) of C, with the ghost part, whose columns are exchanged together */
static PetscErrorCode BatchProduct(Mat_Blocked *a, const DenseArrays &p, PetscInt c0, PetscInt n)
{
  const size_t       ng = a->ghost.garray.size() * a->ghost.bs;
  const PetscScalar *b  = p.b + c0 * p.ldb;
  PetscScalar       *c  = p.c + c0 * p.ldc, *ghosts;

  PetscFunctionBegin;
  PetscCall(a->columns.Reserve(ng * n * sizeof(PetscScalar)));
  PetscCall(a->columns.Access(p.space, HeptaAccess::write, &ghosts));
  const HeptaHaloArrays h = {p.space, b, ghosts, n, p.ldb, ng};
  PetscCall(a->halo.Begin(h));
  PetscCall(a->local->ProductColumns(p.space, n, b, p.ldb, c, p.ldc));
  PetscCall(a->halo.End(h));
  PetscCall(HeptaVisitLaunch(a->ghost, p.space, HeptaAccess::read, ghost_spmm, n, ghosts, ng, c, p.ldc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which sizes do not match? Empty if the local rows of B are the local columns of A, and C has the local sizes of A B */
static std::string Misfit(Mat A, Mat B, Mat C)
{
  if (A->cmap->n != B->rmap->n || A->cmap->rstart != B->rmap->rstart) {
    return HeptaFormat("Matrix local dimensions are incompatible: a rank has columns %" PetscInt_FMT " to %" PetscInt_FMT
                       " of the blocked matrix, but rows %" PetscInt_FMT " to %" PetscInt_FMT
                       " of the dense one; give that the same local sizes",
                       A->cmap->rstart, A->cmap->rend - 1, B->rmap->rstart, B->rmap->rend - 1);
  }
  if (C->rmap->n != A->rmap->n || C->cmap->N != B->cmap->N) {
    return HeptaFormat("The result has %" PetscInt_FMT " local rows and %" PetscInt_FMT
                       " columns, but the product has %" PetscInt_FMT " and %" PetscInt_FMT,
                       C->rmap->n, C->cmap->N, A->rmap->n, B->cmap->N);
  }
  return "";
}

static PetscErrorCode MatProductNumeric_Blocked_Dense(Mat C)
{
  Mat            A = C->product->A, B = C->product->B;
  Mat_Blocked   *a = MatBlocked(A);
  const PetscInt N = B->cmap->N;
  DenseArrays    p;

  PetscFunctionBegin;
  const std::string why = Misfit(A, B, C);
  PetscCheck(why.empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "%s", why.c_str());
  PetscCall(ArraysGet(B, C, &p));
  if (!a->halo) PetscCall(a->local->ProductColumns(p.space, N, p.b, p.ldb, p.c, p.ldc));
  for (PetscInt c = 0; c < N && a->halo; c += batch) PetscCall(BatchProduct(a, p, c, PetscMin(batch, N - c)));
  PetscCall(HeptaLogFlops(p.space, (PetscLogDouble)N * MatBlockedFlops(A, false)));
  PetscCall(ArraysRestore(B, C, &p));
  PetscCall(MatSetOption(C, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductSymbolic_Blocked_Dense(Mat C)
{
  Mat       A = C->product->A, B = C->product->B;
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(MatSetSizes(C, A->rmap->n, B->cmap->n, A->rmap->N, B->cmap->N));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)C, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  if (!dense) {
    PetscCall(MatSetType(C, ((PetscObject)B)->type_name));
    PetscCall(MatSetVecType(C, B->defaultvectype));
  }
  PetscCall(MatSetUp(C));
  const std::string why = Misfit(A, B, C);
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)C), why.empty() ? PETSC_SUCCESS : PETSC_ERR_ARG_SIZ, why));
  C->ops->productsymbolic = HeptaNoThrow<MatProductSymbolic_Blocked_Dense>;
  C->ops->productnumeric  = HeptaNoThrow<MatProductNumeric_Blocked_Dense>;
  PetscFunctionReturn(PETSC_SUCCESS);
}
