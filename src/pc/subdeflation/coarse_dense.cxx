/* The dense inverse of the coarse matrix */
#include <petscblaslapack.h>

#include "subdeflation.h"

using namespace hepta::subdeflation;

/* X <- E^-1 by LAPACK; E is overwritten. LAPACK reads a matrix stored by rows as its transpose. */
static PetscErrorCode InvertOnHost(size_t d, bool symmetric, PetscScalar *E, PetscScalar *X, PetscInt *bad)
{
  PetscBLASInt              n, info = 0, lwork;
  std::vector<PetscBLASInt> pivots(d);
  std::vector<PetscScalar>  work(64 * d);

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast((PetscInt)d, &n));
  PetscCall(PetscBLASIntCast((PetscInt)work.size(), &lwork));
  if (symmetric) LAPACKpotrf_("L", &n, E, &n, &info);
  else LAPACKgetrf_(&n, &n, E, &n, pivots.data(), &info);
  *bad = info;
  if (info) PetscFunctionReturn(PETSC_SUCCESS);
  if (symmetric) LAPACKpotri_("L", &n, E, &n, &info);
  else LAPACKgetri_(&n, E, &n, pivots.data(), work.data(), &lwork, &info);
  *bad = info;
  for (size_t i = 0; i < d; i++) { /* LAPACK leaves a symmetric inverse in its lower triangle: entries i <= j by rows */
    for (size_t j = 0; j < d; j++) X[i * d + j] = symmetric && j < i ? E[j * d + i] : E[i * d + j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* X <- E^-1, by Cholesky factorization or LU; *bad <- 0, or the number, from 1, of the pivot at which a rank failed */
static PetscErrorCode Invert(PC pc, const HeptaSpace &space, bool symmetric, HeptaValues &E, HeptaValues &X, PetscInt *bad)
{
  HeptaCoarse &c = Subdeflation(pc)->coarse;
  PetscScalar *e, *x;

  PetscFunctionBegin;
  *bad = 0;
  PetscCall(E.Access(space, HeptaAccess::read_write, &e));
  PetscCall(X.Access(space, HeptaAccess::write, &x));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) {
    int pivot = 0;
    PetscCallHepta(invert_dense_cuda(c.solver, (size_t)c.d, symmetric, e, x, &pivot, space.stream));
    *bad = pivot;
  } else
#endif
    PetscCall(InvertOnHost((size_t)c.d, symmetric, e, x, bad));
  /* ranks may differ because of rounding */
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, bad, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)pc)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B <- B + alpha sum of c c^T over the null vectors */
static PetscErrorCode AddNull(HeptaCoarse &c, const HeptaSpace &space, PetscScalar alpha, HeptaValues &B)
{
  PetscScalar *b, *p;

  PetscFunctionBegin;
  PetscCall(B.Access(space, HeptaAccess::read_write, &b));
  for (const auto &vector : c.null) {
    PetscCall(c.vector.Take(vector));
    PetscCall(c.vector.Access(space, HeptaAccess::read, &p));
    HeptaLaunchEach(space, add_rank_one, (size_t)c.d, alpha, (const PetscScalar *)p, b);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FillDense(HeptaCoarse &c, const HeptaSpace &space, const HeptaCoarseEntries &entries)
{
  size_t      *locations;
  PetscScalar *values, *e;

  PetscFunctionBegin;
  PetscCall(c.dense.Reserve((size_t)c.d * c.d * sizeof(PetscScalar)));
  PetscCall(c.dense.Zero(space));
  PetscCall(c.dense.Access(space, HeptaAccess::read_write, &e));
  PetscCall(c.locations.Take(entries.at));
  PetscCall(c.given.Take(entries.value));
  PetscCall(c.locations.Access(space, HeptaAccess::read, &locations));
  PetscCall(c.given.Access(space, HeptaAccess::read, &values));
  HeptaLaunchEach(space, hepta::blocked::scatter, entries.at.size(), (const size_t *)locations, (const PetscScalar *)values, e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *mean <- the mean of |E_ee|, or 1 if the mean is zero; the host waits for the mean; y is overwritten */
static PetscErrorCode MeanDiagonal(HeptaCoarse &c, const HeptaSpace &space, PetscScalar *mean)
{
  PetscScalar *e, *y;
  PetscReal    trace = 0;

  PetscFunctionBegin;
  PetscCall(c.dense.Access(space, HeptaAccess::read, &e));
  PetscCall(c.y.Access(space, HeptaAccess::write, &y));
  HeptaLaunchEach(space, dense_diagonal, (size_t)c.d, (const PetscScalar *)e, y);
  PetscCall(c.y.Access(HeptaSpace(), HeptaAccess::read, &y));
  for (PetscInt k = 0; k < c.d; k++) trace += PetscAbsScalar(y[k]);
  *mean = trace > 0 ? trace / c.d : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Raises the error after a factorization stopped at a pivot. LU stops at a zero pivot. Cholesky stops at a pivot <= 0: by
   rounding, or because E is indefinite. LU of E, with the diagonal increased by its rounding, tells the two causes apart: a
   regular E is indefinite.
*/
static PetscErrorCode RaisePivot(PC pc, const HeptaSpace &space, const HeptaCoarseEntries &entries, PetscInt pivot)
{
  HeptaCoarse &c = Subdeflation(pc)->coarse;
  PetscScalar *e, alpha;
  PetscInt     bad;

  PetscFunctionBegin;
  PetscCall(FillDense(c, space, entries));
  PetscCall(MeanDiagonal(c, space, &alpha));
  PetscCall(c.dense.Access(HeptaSpace(), HeptaAccess::read_write, &e));
  for (size_t k = 0; k < (size_t)c.d; k++) e[k * c.d + k] += PETSC_MACHINE_EPSILON / 4 * (PetscAbsScalar(e[k * c.d + k]) + alpha);
  PetscCall(AddNull(c, space, alpha, c.dense));
  PetscCall(Invert(pc, space, false, c.dense, c.inverse, &bad));
  if (!bad) {
    PetscCall(AddNull(c, space, -1 / alpha, c.inverse));
    c.single = false; /* because the inverse is in double now */
    PetscCall(HeptaSubdeflationCheckCoarse(pc, space));
  }
  PetscCheck(!c.symmetric, PetscObjectComm((PetscObject)pc), PETSC_ERR_MAT_CH_ZRPVT,
             "The coarse matrix Z^T A Z of size %" PetscInt_FMT " is not positive definite: its pivot %" PetscInt_FMT
             " is not positive. The matrix is indefinite, or negative definite: then solve with -A",
             c.d, pivot - 1);
  SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_MAT_LU_ZRPVT,
          "The coarse matrix Z^T A Z of size %" PetscInt_FMT " is singular: its pivot %" PetscInt_FMT " is zero", c.d, pivot - 1);
}

/* An E of up to kept_rows rows (32 MB) keeps its memory for the next set-up, since freed memory invalidates recordings */
constexpr PetscInt kept_rows = 2048;

/*
   inverse <- E^-1. With null vectors c (E c = 0, c^T c = 1) inverse <- the pseudo-inverse (E + alpha c c^T)^-1 - c c^T / alpha,
   alpha being the mean size of E's diagonal.
*/
PetscErrorCode HeptaSubdeflationDenseInverse(PC pc, const HeptaSpace &space, const HeptaCoarseEntries &entries)
{
  HeptaCoarse &c     = Subdeflation(pc)->coarse;
  const size_t size  = (size_t)c.d * c.d;
  PetscScalar  alpha = 1, *x;
  float       *f;
  PetscInt     bad;

  PetscFunctionBegin;
  if (c.null.size() >= (size_t)c.d) { /* E is zero up to rounding, so its pseudo-inverse is zero */
    PetscCall(c.inverse.Resize(size * (c.single ? sizeof(float) : sizeof(PetscScalar))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FillDense(c, space, entries));
  if (!c.null.empty()) {
    PetscCall(MeanDiagonal(c, space, &alpha));
    PetscCall(AddNull(c, space, alpha, c.dense));
  }
  PetscCall(c.inverse.Reserve(size * sizeof(PetscScalar)));
  PetscCall(Invert(pc, space, c.symmetric, c.dense, c.inverse, &bad));
  if (bad) PetscCall(RaisePivot(pc, space, entries, bad));
  PetscCall(AddNull(c, space, -1 / alpha, c.inverse));
  if (c.single) {
    PetscCall(c.inverse.Access(space, HeptaAccess::read, &x));
    PetscCall(c.dense.Access(space, HeptaAccess::write, &f));
    HeptaLaunchEach(space, hepta::blocked::copy, size, (const PetscScalar *)x, f);
    PetscCall(c.inverse.Access(space, HeptaAccess::write, &x));
    PetscCall(HeptaCopy(space, x, f, size * sizeof(float)));
  }
  if (c.d > kept_rows) PetscCall(c.dense.Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}
