/*
   Products of the seqaijbdia matrix: its block diagonals are read from the compressed rows at the first product after a
   change, and multiply by the launchers of bdia.
*/
#include "../../shared/arrays.h"
#include "csr_kernels.hxx"
#include "seqaijbdia.h"

using namespace hepta::bdia;
using namespace hepta::blocked;
using hepta::aijbdia::Extra;

static PetscErrorCode ExtraDestroy(PetscCtxRt ctx)
{
  PetscFunctionBegin;
  delete *(Extra **)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAIJBDIAGetExtra(Mat A, Extra **x)
{
  PetscFunctionBegin;
  *x = nullptr;
  PetscCall(PetscObjectContainerQuery((PetscObject)A, HEPTA_SEQAIJBDIA_KEY, x));
  if (*x) PetscFunctionReturn(PETSC_SUCCESS);
  *x = new Extra;
  PetscCall(PetscObjectContainerCompose((PetscObject)A, HEPTA_SEQAIJBDIA_KEY, *x, ExtraDestroy));
  PetscObjectOptionsBegin((PetscObject)A);
  PetscCall(PetscOptionsBoundedInt("-mat_bdia_max_offsets", "Most block offsets; more are left to the compressed rows", "MATSEQAIJBDIA", (*x)->max_offsets, &(*x)->max_offsets, nullptr, 1));
  PetscCall(PetscOptionsBoundedReal("-mat_bdia_max_fill", "Most value slots per entry; more are left to the compressed rows", "MATSEQAIJBDIA", (*x)->max_fill, &(*x)->max_fill, nullptr, 1.0));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tries the block size; *why says what stands against it, or is empty and x->diag has the structure */
static PetscErrorCode TryBlockSize(Extra *x, const CSRView &csr, PetscInt bs, std::string *why)
{
  const PetscInt        nbr = csr.rows / bs, nbc = csr.cols / bs;
  std::vector<PetscInt> off;
  Diagonals            &D     = x->diag;
  PetscCount            slots = 0;

  PetscFunctionBegin;
  why->clear();
  PetscCallHepta(csr_offsets_host(csr, (int)bs, off));
  if ((PetscInt)off.size() > x->max_offsets) {
    *why = HeptaFormat("%d block offsets at block size %" PetscInt_FMT ", more than -mat_bdia_max_offsets %" PetscInt_FMT, (int)off.size(), bs, x->max_offsets);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt o : off) slots += (PetscCount)(PetscMin(nbr, nbc - o) - PetscMax(0, -o)) * bs * bs;
  if ((PetscReal)slots > x->max_fill * (PetscReal)x->entries) {
    *why = HeptaFormat("fill %.2f at block size %" PetscInt_FMT ", above -mat_bdia_max_fill %g", (double)slots / (double)x->entries, bs, (double)x->max_fill);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (D.bs != bs || D.nbr != nbr || D.nbc != nbc || D.off != off) {
    PetscCall(D.Shape(bs, nbr, nbc, false));
    PetscCall(D.Preset(off));
  }
  D.entries = x->entries;
  D.slots   = slots;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills x->diag and x->why from the compressed rows */
static PetscErrorCode ReadRows(Mat A, Extra *x, const CSRView &csr)
{
  const PetscInt bs     = A->rmap->bs;
  const bool     blocks = bs > 1 && A->cmap->bs == bs && csr.rows % bs == 0 && csr.cols % bs == 0;

  PetscFunctionBegin;
  x->entries     = csr.rows ? csr.i[csr.rows] : 0;
  x->filled_rows = 0;
  for (PetscInt i = 0; i < csr.rows; i++) x->filled_rows += csr.i[i + 1] > csr.i[i];
  const PetscInt empty_rows = csr.rows - x->filled_rows;
  if (A->structure_only || A->factortype) x->why = "no values to multiply";
  else if (!x->entries) x->why = "no entries";
  else if (empty_rows >= 0.6 * csr.rows) { /* PETSc's product walks the other rows only: block diagonals would be slower */ x->why = HeptaFormat("%" PetscInt_FMT " of %" PetscInt_FMT " rows are empty", empty_rows, csr.rows);
  } else {
    if (blocks) PetscCall(TryBlockSize(x, csr, bs, &x->why));
    if (!blocks || !x->why.empty()) PetscCall(TryBlockSize(x, csr, 1, &x->why));
    if (x->why.empty()) {
      View<PetscScalar> view;
      PetscCall(x->diag.Typed(HeptaSpace(), HeptaAccess::write, &view));
      PetscCallHepta(csr_fill_host(csr, view));
    }
  }
  if (!x->why.empty()) x->diag.Free();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAIJBDIARefresh(Mat A, Extra **extra)
{
  Extra             *x;
  PetscInt           n;
  const PetscInt    *i, *j;
  const PetscScalar *a;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJBDIAGetExtra(A, extra));
  x = *extra;
  if (x->current && x->data == A->data && x->state == ((PetscObject)A)->state && x->nonzerostate == A->nonzerostate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(HEPTA_Event.bdia.convert, A, nullptr, nullptr, nullptr));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No compressed rows");
  PetscCall(MatSeqAIJGetArrayRead(A, &a));
  PetscCall(ReadRows(A, x, {A->rmap->n, A->cmap->n, i, j, a}));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  x->current      = true;
  x->data         = A->data;
  x->state        = ((PetscObject)A)->state;
  x->nonzerostate = A->nonzerostate;
  PetscCall(PetscLogEventEnd(HEPTA_Event.bdia.convert, A, nullptr, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- z + A x, flops counted as aij counts them */
PetscErrorCode MatMultAdd_SeqAIJBDIA(Mat A, Vec x, Vec z, Vec y)
{
  Extra     *e;
  HeptaSpace space;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJBDIARefresh(A, &e));
  if (!e->why.empty()) {
    if (z) PetscCall(MatSeqAIJBDIABaseOps()->multadd(A, x, z, y));
    else PetscCall(MatSeqAIJBDIABaseOps()->mult(A, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscLogEventBegin(HEPTA_Event.bdia.mult, A, x, y, nullptr));
  PetscCall(HeptaBlockedProduct(e->diag, false, x, z, y, &space));
  PetscCall(HeptaLogFlops(space, 2.0 * (PetscLogDouble)e->entries - (z ? 0 : (PetscLogDouble)e->filled_rows)));
  PetscCall(PetscLogEventEnd(HEPTA_Event.bdia.mult, A, x, y, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_SeqAIJBDIA(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMultAdd_SeqAIJBDIA(A, x, nullptr, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- z + A^T x */
PetscErrorCode MatMultTransposeAdd_SeqAIJBDIA(Mat A, Vec x, Vec z, Vec y)
{
  Extra     *e;
  HeptaSpace space;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJBDIARefresh(A, &e));
  if (!e->why.empty()) {
    if (z) PetscCall(MatSeqAIJBDIABaseOps()->multtransposeadd(A, x, z, y));
    else PetscCall(MatSeqAIJBDIABaseOps()->multtranspose(A, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscLogEventBegin(HEPTA_Event.bdia.multtranspose, A, x, y, nullptr));
  PetscCall(HeptaBlockedProduct(e->diag, true, x, z, y, &space));
  PetscCall(HeptaLogFlops(space, 2.0 * (PetscLogDouble)e->entries));
  PetscCall(PetscLogEventEnd(HEPTA_Event.bdia.multtranspose, A, x, y, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTranspose_SeqAIJBDIA(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMultTransposeAdd_SeqAIJBDIA(A, x, nullptr, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
