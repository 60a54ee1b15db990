/* The dense inverse of the coarse matrix */
#include <petscblaslapack.h>

#include "../../mat/bdia/bdia_kernels.hxx"
#include "subdeflation.h"

using namespace hepta::subdeflation;

/* X <- E^-1 by LAPACK; E is overwritten. By rows, which LAPACK takes for the transposed matrix. */
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
  for (size_t i = 0; i < d; i++) { /* the symmetric one stands below LAPACK's diagonal: in rows i <= j of ours */
    for (size_t j = 0; j < d; j++) X[i * d + j] = symmetric && j < i ? E[j * d + i] : E[i * d + j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* X <- E^-1, by Cholesky's factor or LU; *bad <- 0, or the pivot from 1 at which a rank failed */
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
    PetscCallHepta(invert_dense_cuda(&c.solver, (size_t)c.d, symmetric, e, x, &pivot, space.stream));
    *bad = pivot;
  } else
#endif
    PetscCall(InvertOnHost((size_t)c.d, symmetric, e, x, bad));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, bad, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)pc))); /* by rounding the ranks may differ */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B <- B + alpha sum of c c^T over the null vectors */
static PetscErrorCode AddNull(HeptaCoarse &c, const HeptaSpace &space, PetscScalar alpha, HeptaValues &B)
{
  PetscScalar *b, *p;

  PetscFunctionBegin;
  PetscCall(B.Access(space, HeptaAccess::read_write, &b));
  for (const auto &vector : c.null) {
    HeptaValues v;
    PetscCall(v.Make(HeptaSpace(), (size_t)c.d, &p));
    PetscCall(PetscArraycpy(p, vector.data(), c.d));
    PetscCall(v.Access(space, HeptaAccess::read, &p));
    HeptaLaunchEach(space, add_rank_one, (size_t)c.d, alpha, (const PetscScalar *)p, b);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* E <- its entries + alpha sum of c c^T */
static PetscErrorCode FillDense(HeptaCoarse &c, const HeptaSpace &space, const HeptaCoarseEntries &entries, PetscScalar alpha, HeptaValues &E)
{
  HeptaTable<size_t>      at_table;
  HeptaTable<PetscScalar> value_table;
  const size_t           *places;
  const PetscScalar      *values;
  PetscScalar            *e;

  PetscFunctionBegin;
  PetscCall(E.Resize((size_t)c.d * c.d * sizeof(PetscScalar)));
  PetscCall(E.Access(space, HeptaAccess::read_write, &e)); /* zeros */
  PetscCall(at_table.Get(space, entries.at, &places));
  PetscCall(value_table.Get(space, entries.value, &values));
  HeptaLaunchEach(space, hepta::blocked::scatter, entries.at.size(), places, values, e);
  PetscCall(AddNull(c, space, alpha, E));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A factorization stopped at a pivot: an error. Cholesky's stops at one that is not positive, by rounding or because E is indefinite; LU's at zero. So E
   is factored by LU, with the diagonal made larger by its rounding; where that shows no singular E, E is indefinite.
*/
static PetscErrorCode RaisePivot(PC pc, const HeptaSpace &space, HeptaCoarseEntries entries, PetscScalar alpha, PetscInt pivot)
{
  HeptaCoarse &c = Subdeflation(pc)->coarse;
  HeptaValues  E;
  PetscInt     bad;

  PetscFunctionBegin;
  for (size_t k = 0; k < entries.at.size(); k++) {
    if (entries.at[k] / c.d == entries.at[k] % c.d) entries.value[k] += PETSC_MACHINE_EPSILON / 4 * (PetscAbsScalar(entries.value[k]) + alpha);
  }
  PetscCall(FillDense(c, space, entries, alpha, E));
  PetscCall(Invert(pc, space, false, E, c.inverse, &bad));
  if (!bad) {
    PetscCall(AddNull(c, space, -1 / alpha, c.inverse));
    c.single                      = false; /* as the inverse is now */
    c.solvable                    = true;
    const PetscErrorCode singular = HeptaSubdeflationCheckCoarse(pc, space);
    c.solvable                    = false;
    PetscCall(singular);
  }
  PetscCheck(!c.symmetric, PetscObjectComm((PetscObject)pc), PETSC_ERR_MAT_CH_ZRPVT,
             "The coarse matrix Z^T A Z of size %" PetscInt_FMT " is not positive definite: its pivot %" PetscInt_FMT " is not positive. The matrix is indefinite, or negative definite: then solve with -A", c.d, pivot - 1);
  SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_MAT_LU_ZRPVT, "The coarse matrix Z^T A Z of size %" PetscInt_FMT " is singular: its pivot %" PetscInt_FMT " is zero", c.d, pivot - 1);
}

/*
   inverse <- E^-1; for null vectors c (E c = 0, c^T c = 1) the pseudo-inverse, (E + alpha c c^T)^-1 - c c^T / alpha, with alpha of
   the size of E's diagonal
*/
PetscErrorCode HeptaSubdeflationDenseInverse(PC pc, const HeptaSpace &space, const HeptaCoarseEntries &entries)
{
  HeptaCoarse &c    = Subdeflation(pc)->coarse;
  const size_t size = (size_t)c.d * c.d;
  HeptaValues  E;
  PetscScalar *x;
  float       *f;
  PetscReal    trace = 0;
  PetscInt     bad;

  PetscFunctionBegin;
  if (c.null.size() >= (size_t)c.d) { /* E is zero but for rounding, and so is its pseudo-inverse */
    PetscCall(c.inverse.Resize(size * (c.single ? sizeof(float) : sizeof(PetscScalar))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (size_t k = 0; k < entries.at.size(); k++) trace += entries.at[k] / c.d == entries.at[k] % c.d ? PetscAbsScalar(entries.value[k]) : 0;
  const PetscScalar alpha = trace > 0 ? trace / c.d : 1;
  PetscCall(FillDense(c, space, entries, alpha, E));
  PetscCall(c.inverse.Resize(size * sizeof(PetscScalar)));
  PetscCall(Invert(pc, space, c.symmetric, E, c.inverse, &bad));
  if (bad) PetscCall(RaisePivot(pc, space, entries, alpha, bad));
  PetscCall(AddNull(c, space, -1 / alpha, c.inverse));
  if (!c.single) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(c.inverse.Access(space, HeptaAccess::read, &x));
  PetscCall(E.Make(space, size, &f));
  HeptaLaunchEach(space, to_float, size, (const PetscScalar *)x, f);
  c.inverse.Swap(E);
  PetscFunctionReturn(PETSC_SUCCESS);
}
