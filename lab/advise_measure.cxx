/* Converts the matrix to each candidate, and times the products */
#include "advise.h"
#include "tune.h"

#include <algorithm>
#include <petscdevice.h>
#include <petsctime.h>

constexpr int    rounds = 7;    /* the time of a product is the median of this number of measurements, */
constexpr double least  = 1e-3; /* each of which repeats the product for about this number of seconds, */
constexpr double most   = 1000; /* but not more often than this */

/* Raises an error on all ranks of W if a rank has an error: ranks without an error would wait in the next step */
static PetscErrorCode Agree(Mat W, PetscErrorCode code)
{
  PetscFunctionBegin;
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)W), code, "A step of a measurement has failed"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *B <- an empty matrix of a Hepta type; MatConvert() gives *B the block size of W */
static PetscErrorCode CreateOurs(Mat W, const HeptaCandidate &c, MatType type, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(Agree(W, MatCreate(PetscObjectComm((PetscObject)W), B)));
  PetscCall(Agree(W, MatSetSizes(*B, W->rmap->n, W->cmap->n, W->rmap->N, W->cmap->N)));
  PetscCall(Agree(W, MatSetType(*B, type)));
  if (c.format == HeptaMatFormat::brow) PetscCall(Agree(W, MatBROWSetTileSize(*B, c.bs)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAdviceConvert(Mat W, PetscInt given, const HeptaCandidate &c, bool device, Mat *B)
{
  const MatType  type = HeptaMatFormatType(c.format, device);
  const PetscInt bs   = c.format == HeptaMatFormat::baij || c.format == HeptaMatFormat::bdia ? c.bs : given;

  PetscFunctionBegin;
  if (HeptaBlockSize(W->rmap) != bs || HeptaBlockSize(W->cmap) != bs) PetscCall(Agree(W, MatSetBlockSizes(W, bs, bs)));
  if (c.format == HeptaMatFormat::bdia || c.format == HeptaMatFormat::brow) {
    PetscCall(CreateOurs(W, c, type, B));
    PetscCall(Agree(W, MatConvert(W, type, MAT_REUSE_MATRIX, B)));
  } else if (c.format == HeptaMatFormat::sell && device) { /* PETSc has no direct conversion from aij */
    PetscCall(Agree(W, MatConvert(W, MATSELL, MAT_INITIAL_MATRIX, B)));
    PetscCall(Agree(W, MatConvert(*B, type, MAT_INPLACE_MATRIX, B)));
  } else PetscCall(Agree(W, MatConvert(W, type, MAT_INITIAL_MATRIX, B)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   y <- B x, `times` times, complete on return. A rank goes on after an error, since other ranks wait for its numbers in each
   product.
*/
static PetscErrorCode Multiply(Mat B, Vec x, Vec y, int times, bool device)
{
  PetscErrorCode failed = PETSC_SUCCESS;

  PetscFunctionBegin;
  for (int k = 0; k < times; k++) {
    const PetscErrorCode code = MatMult(B, x, y);
    if (code) failed = code;
  }
  PetscCall(failed);
  if (device) PetscCall(PetscDeviceContextSynchronize(nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *seconds <- the average time of one of `times` products, on the slowest rank */
static PetscErrorCode TimeProducts(Mat B, Vec x, Vec y, int times, bool device, double *seconds)
{
  PetscLogDouble begin, end;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PetscObjectComm((PetscObject)B)));
  PetscCall(PetscTime(&begin));
  code = Multiply(B, x, y, times, device);
  PetscCall(PetscTime(&end));
  PetscCall(Agree(B, code));
  *seconds = (end - begin) / times;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)B)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vectors are the caller's to destroy, after an error as well */
static PetscErrorCode MedianProduct(Mat B, bool device, Vec *x, Vec *y, double *median)
{
  double              once;
  std::vector<double> seconds(rounds);
  PetscMPIInt         size;

  PetscFunctionBegin;
  PetscCall(Agree(B, MatCreateVecs(B, x, y)));
  PetscCall(Agree(B, VecSet(*x, 1)));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)B), &size));
  if (device && size == 1) { /* several processes wait for each other in a product */
    PetscCall(HeptaTuneQueued([&] { return MatMult(B, *x, *y); }, median));
    *median *= 1e-6;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* the first product also sets up what later ones reuse */
  for (int k = 0; k < 2; k++) PetscCall(TimeProducts(B, *x, *y, 1, device, &once));
  for (double &s : seconds)
    PetscCall(TimeProducts(B, *x, *y, (int)std::min(most, std::max(1.0, least / std::max(once, 1e-9))), device, &s));
  std::sort(seconds.begin(), seconds.end());
  *median = seconds[rounds / 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error of the conversion or of the product, on all ranks alike, sets `refused`, and is no error of HeptaMatAdvise() */
static PetscErrorCode Measure(Mat W, PetscInt bs, HeptaCandidate &c, bool device)
{
  HeptaAdviceTime &time = c.time[device];
  Mat              B    = nullptr;
  Vec              x = nullptr, y = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  time.refused = HeptaAdviceConvert(W, bs, c, device, &B) != PETSC_SUCCESS ||
                 MedianProduct(B, device, &x, &y, &time.measured) != PETSC_SUCCESS;
  PetscCall(PetscPopErrorHandler());
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAdviceMeasure(HeptaAdvice &a)
{
  const PetscInt bs = HeptaCommonBlockSize(a.aij);
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
      if (c.misfit.empty() && a.space[device].there && HeptaMatFormatType(c.format, device))
        PetscCall(Measure(c.ordered ? ordered : W, c.ordered ? 1 : bs, c, device));
    }
  }
  PetscCall(MatDestroy(&W));
  PetscCall(MatDestroy(&ordered));
  PetscFunctionReturn(PETSC_SUCCESS);
}
