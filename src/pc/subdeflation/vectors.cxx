/* Z from user vectors: scale, check of independence, and A Z */
#include <cmath>

#include "subdeflation.h"

/* Checks that vector k has the layout of the matrix's columns */
static PetscErrorCode CheckSize(PC pc, size_t k)
{
  const Mat A = pc->pmat;
  const Vec z = Subdeflation(pc)->vectors[k];
  PetscInt  N, n;

  PetscFunctionBegin;
  PetscCall(VecGetSize(z, &N));
  PetscCall(VecGetLocalSize(z, &n));
  const bool        fits = N == A->cmap->N && n == A->cmap->n;
  const std::string why  = HeptaFormat("Deflation vector %d has %" PetscInt_FMT " entries, %" PetscInt_FMT
                                       " of them on a rank, where the matrix has %" PetscInt_FMT " and %" PetscInt_FMT
                                       " columns: make it by MatCreateVecs()",
                                       (int)k, N, n, A->cmap->N, A->cmap->n);
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)pc), fits ? PETSC_SUCCESS : PETSC_ERR_ARG_SIZ, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   scale[k] <- the power of two that brings the largest entry of vector k to 1/2 ... 1, so that neither E nor its rank depends on
   the lengths of the vectors
*/
static PetscErrorCode FindScale(PC pc)
{
  PC_Subdeflation *s    = Subdeflation(pc);
  MPI_Comm         comm = PetscObjectComm((PetscObject)pc);

  PetscFunctionBegin;
  s->scale.assign(s->vectors.size(), 1);
  for (size_t k = 0; k < s->vectors.size(); k++) {
    PetscReal most, sum;
    int       exponent;

    PetscCall(CheckSize(pc, k));
    PetscCall(VecNorm(s->vectors[k], NORM_1, &sum)); /* the maximum may miss a NaN */
    PetscCall(VecNorm(s->vectors[k], NORM_INFINITY, &most));
    PetscCheck(!PetscIsNanReal(sum) && !PetscIsInfOrNanReal(most), comm, PETSC_ERR_FP,
               "Deflation vector %d of PCSubdeflationSetVectors() holds NaN or infinity", (int)k);
    PetscCheck(most > 0, comm, PETSC_ERR_ARG_WRONG,
               "Deflation vector %d of PCSubdeflationSetVectors() is zero: the vectors must be linearly independent", (int)k);
    (void)std::frexp(most, &exponent);
    s->scale[k] = std::ldexp((PetscReal)1, PetscMin(-exponent, std::numeric_limits<PetscReal>::max_exponent - 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Raises an error for the first vector k that depends linearly on the vectors before k. With G = L L^T, G_fe = z_f . z_e, l_kk^2
   / G_kk is the squared sine of the angle between vector k and the span of the vectors before k: about eps, by rounding, for a
   dependent vector.
*/
static PetscErrorCode CheckIndependent(PC pc, Vec t)
{
  PC_Subdeflation         *s = Subdeflation(pc);
  const size_t             d = s->vectors.size();
  std::vector<PetscScalar> L(d * d), row(d);

  PetscFunctionBegin;
  for (size_t k = 0; k < d; k++) {
    PetscCall(HeptaSubdeflationScaledVector(pc, k, t));
    PetscCall(VecMDot(t, (PetscInt)k + 1, s->vectors.data(), row.data()));
    for (size_t j = 0; j <= k; j++) row[j] *= s->scale[j];
    PetscScalar left = row[k];
    for (size_t j = 0; j < k; j++) {
      PetscScalar sum = row[j];
      for (size_t i = 0; i < j; i++) sum -= L[k * d + i] * L[j * d + i];
      L[k * d + j] = sum / L[j * d + j];
      left -= L[k * d + j] * L[k * d + j];
    }
    PetscCheck(left > 100 * PETSC_MACHINE_EPSILON * row[k], PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONG,
               "Deflation vector %d of PCSubdeflationSetVectors() is a combination of those before it: the vectors must be "
               "linearly independent",
               (int)k);
    L[k * d + k] = PetscSqrtReal(left);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationMultiplyVectors(PC pc)
{
  PC_Subdeflation *s       = Subdeflation(pc);
  Mat              A       = pc->pmat;
  const bool       changed = s->VectorStates() != s->states;
  Vec              t;

  PetscFunctionBegin;
  PetscCheck(!s->vectors.empty(), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
             "-pc_subdeflation_type vectors needs PCSubdeflationSetVectors()");
  s->coarse.d = (PetscInt)s->vectors.size();
  PetscCheck(s->coarse.d <= A->rmap->N, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " deflation vectors are more than the matrix has rows: %" PetscInt_FMT, s->coarse.d, A->rmap->N);
  if (changed) {
    s->states.clear(); /* until a set-up succeeds */
    PetscCall(FindScale(pc));
  }
  PetscCall(VecDuplicate(s->vectors[0], &t));
  if (changed) PetscCall(CheckIndependent(pc, t));
  s->az_vectors.resize(s->vectors.size());
  for (size_t k = 0; k < s->vectors.size(); k++) {
    if (!s->az_vectors[k]) PetscCall(MatCreateVecs(A, nullptr, &s->az_vectors[k]));
    PetscCall(HeptaSubdeflationScaledVector(pc, k, t));
    PetscCall(MatMult(A, t, s->az_vectors[k]));
  }
  PetscCall(VecDestroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationScaledVector(PC pc, size_t k, Vec t)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(Subdeflation(pc)->vectors[k], t));
  PetscCall(VecScale(t, Subdeflation(pc)->scale[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
