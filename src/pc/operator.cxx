#include "operator.h"
#include "../mat/brow/brow.h"
#include "../mat/toaij.h"
#include "../shared/rows.h"

PetscErrorCode HeptaPCSetUpBy(PC pc, PetscLogEvent event, PetscErrorCode (*steps)(PC))
{
  HeptaPCData *data = (HeptaPCData *)pc->data;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, pc, pc->pmat, nullptr, nullptr));
  if (data->stage == HeptaPCStage::begun) PetscUseTypeMethod(pc, reset); /* parts may be of different matrices */
  data->stage     = HeptaPCStage::begun;
  pc->setupcalled = PETSC_FALSE; /* after an error each application and KSPSolve() repeat PCSetUp() */
  PetscCall(steps(pc));
  data->stage = HeptaPCStage::ready;
  PetscCall(PetscLogEventEnd(event, pc, pc->pmat, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPCDestroy(PC pc)
{
  HeptaPCData *data = (HeptaPCData *)pc->data;

  PetscFunctionBegin;
  PetscUseTypeMethod(pc, reset);
  for (const char *name : data->composed) PetscCall(PetscObjectComposeFunction((PetscObject)pc, name, nullptr));
  delete data;
  pc->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPCCheckReady(PC pc)
{
  PetscFunctionBegin;
  if (((HeptaPCData *)pc->data)->stage == HeptaPCStage::ready) PetscFunctionReturn(PETSC_SUCCESS);
  pc->setupcalled = PETSC_FALSE;
  PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPCStartAnew(PC pc)
{
  PetscFunctionBegin;
  PetscUseTypeMethod(pc, reset); /* PCReset() would take the operators away */
  pc->setupcalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaCheckSquare(PC pc, Mat P)
{
  const bool  fits = P->rmap->N == P->cmap->N && P->rmap->n == P->cmap->n;
  std::string why;

  PetscFunctionBegin;
  if (!fits) {
    why = HeptaFormat("PC %s needs a square matrix with rows and columns split over the ranks in the same way, not %" PetscInt_FMT
                      " x %" PetscInt_FMT " with %" PetscInt_FMT " rows and %" PetscInt_FMT " columns on a rank",
                      ((PetscObject)pc)->type_name, P->rmap->N, P->cmap->N, P->rmap->n, P->cmap->n);
  }
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)pc), fits ? PETSC_SUCCESS : PETSC_ERR_ARG_SIZ, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFirstRowNotFinite(Mat A, PetscInt *row)
{
  PetscInt first = PETSC_INT_MAX;

  PetscFunctionBegin;
  PetscCall(
    HeptaForRows(A, A->rmap->rstart, A->rmap->rend, true, [&](PetscInt i, PetscInt n, const PetscInt *, const PetscScalar *a) {
      for (PetscInt k = 0; k < n && i < first; k++) {
        if (PetscIsInfOrNanScalar(a[k])) first = i;
      }
      return PETSC_SUCCESS;
    }));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_MIN, PetscObjectComm((PetscObject)A)));
  *row = first == PETSC_INT_MAX ? -1 : first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaCheckFinite(Mat A, PCType type)
{
  PetscInt row;

  PetscFunctionBegin;
  PetscCall(HeptaFirstRowNotFinite(A, &row));
  PetscCheck(row < 0, PetscObjectComm((PetscObject)A), PETSC_ERR_FP,
             "PC %s: row %" PetscInt_FMT " of the matrix has an entry that is Inf or NaN", type, row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaCheckNotNegative(PC pc, const char key[], PetscInt n)
{
  PetscFunctionBegin;
  PetscCheck(n >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "%s %" PetscInt_FMT " must not be negative", key,
             n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKnownSymmetric(Mat A, bool *symmetric)
{
  PetscBool known, is;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(A, &known, &is));
  *symmetric = known && is;
  PetscCall(MatIsSPDKnown(A, &known, &is));
  *symmetric = *symmetric || (known && is);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHasDeviceVecs(Mat A, bool *has)
{
  VecType   type;
  PetscBool cuda;

  PetscFunctionBegin;
  PetscCall(MatGetVecType(A, &type));
  PetscCall(PetscStrcmpAny(type, &cuda, VECCUDA, VECSEQCUDA, VECMPICUDA, ""));
  *has = cuda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does P have the form? */
static PetscErrorCode HasForm(Mat P, HeptaForm form, bool *has)
{
  const hepta::bdia::Diagonals *D = MatBDIADiagonals(P);
  PetscBool                     aij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)P, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  switch (form) {
  case HeptaForm::diagonals: *has = D; break;
  case HeptaForm::full_diagonals: *has = D && !D->half; break;
  case HeptaForm::rows: *has = D || aij; break;
  case HeptaForm::aij: *has = aij; break;
  case HeptaForm::block_rows: *has = MatBROWBlockRows(P); break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   *B <- P in the given form, with vectors where P's vectors are; try_diagonals: *B <- null if P does not fit block diagonals;
   plain: as in HeptaOperator
*/
static PetscErrorCode Convert(Mat P, HeptaForm form, bool try_diagonals, bool plain, MatReuse reuse, Mat *B)
{
  bool       cuda = false;
  const bool full = form == HeptaForm::full_diagonals;

  PetscFunctionBegin;
  PetscCall(HeptaHasDeviceVecs(P, &cuda));
  const MatType diagonals = cuda ? MATBDIACUDA : MATBDIA, rows = cuda ? MATBROWCUDA : MATBROW;
  if (try_diagonals || full) PetscCall(MatBlockedConvert(P, diagonals, reuse, {full, try_diagonals, plain}, B));
  else if (form == HeptaForm::rows || form == HeptaForm::aij) PetscCall(HeptaConvertToAIJ(P, reuse, B));
  else if (form == HeptaForm::block_rows) PetscCall(MatBlockedConvert(P, rows, reuse, {false, false, plain}, B));
  else PetscCall(MatConvert(P, diagonals, reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaOperator::Update(PC pc, HeptaForm wanted, HeptaForm otherwise, bool *same_structure)
{
  Mat              P = pc->pmat;
  PetscObjectState values;
  bool             has = false;

  PetscFunctionBegin;
  PetscCall(HeptaCheckSquare(pc, P));
  PetscCall(PetscObjectStateGet((PetscObject)P, &values));
  *same_structure = A && structure.Of(P);
  if (!*same_structure) {
    form  = wanted;
    unfit = false;
  }
  PetscCall(HasForm(P, form, &has));
  if (!has && !*same_structure) {
    PetscCall(Reset());
    PetscCall(Convert(P, form, wanted != otherwise, plain, MAT_INITIAL_MATRIX, &A));
    if (!A) {
      form  = otherwise;
      unfit = true;
      PetscCall(HasForm(P, form, &has));
      if (!has) PetscCall(Convert(P, form, false, plain, MAT_INITIAL_MATRIX, &A));
    }
  } else if (!has && state != values) PetscCall(Convert(P, form, false, plain, MAT_REUSE_MATRIX, &A));
  if (has && A != P) {
    PetscCall(Reset());
    PetscCall(PetscObjectReference((PetscObject)P));
    A = P;
  }
  state = values;
  structure.Note(P);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaOperator::View(Mat P, PetscViewer viewer) const
{
  const char *type = A ? ((PetscObject)A)->type_name : nullptr;

  PetscFunctionBegin;
  if (A && unfit && A == P)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  made from the rows of the matrix, which does not fit block diagonals\n"));
  else if (A && A != P)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  made from the matrix converted to %s%s\n", type,
                                     unfit ? ", for it does not fit block diagonals" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaOperator::Reset()
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&A));
  state = -1;
  structure.Forget();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaOperatorSpace(Mat A, HeptaSpace *space)
{
  bool cuda = false;

  PetscFunctionBegin;
  PetscCall(HeptaHasDeviceVecs(A, &cuda));
  PetscCall(HeptaSpaceOf(cuda || MatBlocked(A)->local->values.IsOnDevice() ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaOperatorSpaceOfAll(Mat A, HeptaSpace *space)
{
  PetscFunctionBegin;
  PetscCall(HeptaOperatorSpace(A, space));
  bool device = space->device;
  PetscCall(HeptaAgreeOnAny(PetscObjectComm((PetscObject)A), &device));
  PetscCall(HeptaSpaceOf(device ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}
