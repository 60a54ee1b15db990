/*
   Products of the matrices that multiply through a local part: the local part is built from the compressed rows at the first
   product after a change, and multiplies by its own launchers.
*/
#include "../../shared/arrays.h"
#include "seqaijblocked.h"

using hepta::aijblocked::base;
using hepta::aijblocked::Extra;
using hepta::blocked::CSRView;

static PetscErrorCode ExtraDestroy(PetscCtxRt ctx)
{
  PetscFunctionBegin;
  delete *(Extra **)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kind of a type's name */
static PetscErrorCode FindKind(const char name[], const HeptaSeqAIJKind **kind)
{
  PetscBool same;

  PetscFunctionBegin;
  for (const HeptaBlockedFormat *f : HeptaFormats()) {
    *kind = f->seqaij;
    PetscCall(PetscStrcmp(name, f->seqaij->name, &same));
    if (same) PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is not a type that multiplies through a local part", name);
}

PetscErrorCode MatSeqAIJBlockedGetExtra(Mat A, Extra **x)
{
  PetscFunctionBegin;
  *x = nullptr;
  PetscCall(PetscObjectContainerQuery((PetscObject)A, HEPTA_SEQAIJBLOCKED_KEY, x));
  if (*x) PetscFunctionReturn(PETSC_SUCCESS);
  *x = new Extra;
  PetscCall(PetscObjectContainerCompose((PetscObject)A, HEPTA_SEQAIJBLOCKED_KEY, *x, HeptaNoThrow<ExtraDestroy>));
  PetscCall(FindKind(((PetscObject)A)->type_name, &(*x)->kind));
  (*x)->local.reset((*x)->kind->format->storage());
  PetscCall((*x)->kind->options(A, (*x)->set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills x->local and x->why from the compressed rows */
static PetscErrorCode ReadRows(Mat A, Extra *x, const CSRView &csr)
{
  const PetscInt bs     = HeptaBlockSize(A->rmap);
  const bool     blocks = bs > 1 && HeptaBlockSize(A->cmap) == bs && csr.rows % bs == 0 && csr.cols % bs == 0;

  PetscFunctionBegin;
  x->entries     = csr.rows ? csr.i[csr.rows] : 0;
  x->filled_rows = 0;
  for (PetscInt i = 0; i < csr.rows; i++) x->filled_rows += csr.i[i + 1] > csr.i[i];
  const PetscInt empty_rows = csr.rows - x->filled_rows;
  if (A->structure_only || A->factortype) x->why = "no values to multiply";
  else if (!x->entries) x->why = "no entries";
  else if (empty_rows >= 0.6 * csr.rows) { /* PETSc's product reads only the other rows, so ours would be slower */
    x->why = HeptaFormat("%" PetscInt_FMT " of %" PetscInt_FMT " rows are empty", empty_rows, csr.rows);
  } else {
    x->why.clear();
    if (blocks) PetscCall(x->kind->read(x->set, csr, bs, *x->local, &x->why));
    if (!blocks || !x->why.empty()) {
      x->why.clear();
      PetscCall(x->kind->read(x->set, csr, 1, *x->local, &x->why));
    }
  }
  if (!x->why.empty()) x->local->Free();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAIJBlockedRefresh(Mat A, Extra **extra)
{
  Extra       *x;
  HeptaAIJRows rows;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJBlockedGetExtra(A, extra));
  x = *extra;
  if (x->current && x->data == A->data && x->state == ((PetscObject)A)->state && x->nonzerostate == A->nonzerostate)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(x->kind->format->events.convert, A, nullptr, nullptr, nullptr));
  PetscCall(rows.Get(A));
  PetscCall(ReadRows(A, x, {A->rmap->n, A->cmap->n, rows.ia, rows.ja, rows.v}));
  PetscCall(rows.Restore());
  x->current      = true;
  x->data         = A->data;
  x->state        = ((PetscObject)A)->state;
  x->nonzerostate = A->nonzerostate;
  PetscCall(PetscLogEventEnd(x->kind->format->events.convert, A, nullptr, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flops are counted as for aij */
PetscErrorCode MatSeqAIJBlockedMultiply(Mat A, bool transpose, Vec x, Vec z, Vec y)
{
  Extra     *e;
  HeptaSpace space;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJBlockedRefresh(A, &e));
  if (!e->why.empty()) {
    if (z) PetscCall((transpose ? base.multtransposeadd : base.multadd)(A, x, z, y));
    else PetscCall((transpose ? base.multtranspose : base.mult)(A, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const PetscLogEvent event = transpose ? e->kind->format->events.multtranspose : e->kind->format->events.mult;
  PetscCall(PetscLogEventBegin(event, A, x, y, nullptr));
  PetscCall(HeptaBlockedProduct(*e->local, transpose, false, x, z, y, &space));
  PetscCall(HeptaLogFlops(space, 2.0 * (PetscLogDouble)e->entries - (transpose || z ? 0 : (PetscLogDouble)e->filled_rows)));
  PetscCall(PetscLogEventEnd(event, A, x, y, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
