/* Converts the matrix to each candidate, and times the products */
#include "advise.h"

#include <algorithm>
#include <petscdevice.h>
#include <petsctime.h>

constexpr int    rounds = 7;    /* the time of a product is the median of this number of measurements, */
constexpr double least  = 1e-3; /* each of which repeats the product for about this number of seconds, */
constexpr double most   = 1000; /* but not more often than this */

/* *B <- an empty matrix of one of our types; MatConvert() gives it the block size of W */
static PetscErrorCode CreateOurs(Mat W, const HeptaCandidate &c, MatType type, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)W), B));
  PetscCall(MatSetSizes(*B, W->rmap->n, W->cmap->n, W->rmap->N, W->cmap->N));
  PetscCall(MatSetType(*B, type));
  if (c.format == HeptaMatFormat::brow) PetscCall(HeptaMatBROWSetTileSize(*B, c.bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   *B <- W, of type aij, converted to the candidate. The block size of W is set to the candidate's for formats that take theirs from W, otherwise to `given`, that of
   the user's matrix. After an error *B may exist.
*/
static PetscErrorCode Convert(Mat W, PetscInt given, const HeptaCandidate &c, bool device, Mat *B)
{
  const MatType  type = HeptaMatFormatType(c.format, device);
  const PetscInt bs   = c.format == HeptaMatFormat::baij || c.format == HeptaMatFormat::bdia ? c.bs : given;

  PetscFunctionBegin;
  if (W->rmap->bs != bs || W->cmap->bs != bs) PetscCall(MatSetBlockSizes(W, bs, bs));
  if (c.format == HeptaMatFormat::bdia || c.format == HeptaMatFormat::brow) {
    PetscCall(CreateOurs(W, c, type, B));
    PetscCall(MatConvert(W, type, MAT_REUSE_MATRIX, B));
  } else if (c.format == HeptaMatFormat::sell && device) { /* PETSc has no direct conversion from aij */
    PetscCall(MatConvert(W, MATSELL, MAT_INITIAL_MATRIX, B));
    PetscCall(MatConvert(*B, type, MAT_INPLACE_MATRIX, B));
  } else PetscCall(MatConvert(W, type, MAT_INITIAL_MATRIX, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *seconds <- the average time of one of `times` products, on the slowest rank */
static PetscErrorCode TimeProducts(Mat B, Vec x, Vec y, int times, bool device, double *seconds)
{
  PetscDeviceContext context;
  PetscLogDouble     begin, end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PetscObjectComm((PetscObject)B)));
  PetscCall(PetscTime(&begin));
  for (int k = 0; k < times; k++) PetscCall(MatMult(B, x, y));
  if (device) {
    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextSynchronize(context));
  }
  PetscCall(PetscTime(&end));
  *seconds = (end - begin) / times;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)B)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MedianProduct(Mat B, bool device, double *median)
{
  Vec                 x, y;
  double              once;
  std::vector<double> seconds(rounds);

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(VecSet(x, 1));
  for (int k = 0; k < 2; k++) PetscCall(TimeProducts(B, x, y, 1, device, &once)); /* the first product also sets up what later ones reuse */
  for (double &s : seconds) PetscCall(TimeProducts(B, x, y, (int)std::min(most, std::max(1.0, least / std::max(once, 1e-9))), device, &s));
  std::sort(seconds.begin(), seconds.end());
  *median = seconds[rounds / 2];
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error of the conversion or of the product sets `refused`, and is no error of HeptaMatAdvise() */
static PetscErrorCode Measure(Mat W, PetscInt bs, HeptaCandidate &c, bool device)
{
  HeptaAdviceTime &time = c.time[device];
  Mat              B    = nullptr;
  int              bad;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  bad = Convert(W, bs, c, device, &B) != PETSC_SUCCESS;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)W)));
  if (!bad) bad = MedianProduct(B, device, &time.measured) != PETSC_SUCCESS;
  PetscCall(PetscPopErrorHandler());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)W)));
  time.refused = bad;
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAdviceMeasure(HeptaAdvice &a)
{
  const PetscInt bs = a.aij->rmap->bs == a.aij->cmap->bs ? a.aij->rmap->bs : 1;
  Mat            W, ordered = nullptr;
  IS             order;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(a.aij, MAT_COPY_VALUES, &W));
  if (!a.order.empty()) {
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)a.order.size(), a.order.data(), PETSC_COPY_VALUES, &order));
    PetscCall(ISSetPermutation(order));
    PetscCall(MatPermute(W, order, order, &ordered));
    PetscCall(ISDestroy(&order));
  }
  for (int device = 0; device < 2; device++) {
    for (HeptaCandidate &c : a.candidates) {
      if (c.misfit.empty() && a.space[device].there && HeptaMatFormatType(c.format, device)) PetscCall(Measure(c.ordered ? ordered : W, c.ordered ? 1 : bs, c, device));
    }
  }
  PetscCall(MatDestroy(&W));
  PetscCall(MatDestroy(&ordered));
  PetscFunctionReturn(PETSC_SUCCESS);
}
