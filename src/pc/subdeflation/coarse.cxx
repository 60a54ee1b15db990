/* The coarse matrix E = Z^T A Z, and solves with its dense inverse */
#include <petscblaslapack.h>

#include "../../mat/bdia/bdia_kernels.hxx"
#include "subdeflation.h"

using namespace hepta::subdeflation;

PetscErrorCode HeptaCoarse::Reset()
{
  PetscFunctionBegin;
  for (HeptaValues *v : {&inverse, &q, &y}) PetscCall(v->Free());
#if defined(HEPTA_HAVE_CUDA)
  if (solver) PetscCallHepta(solver_free(solver));
#endif
  solver = nullptr;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&E));
  PetscCall(VecDestroy(&eq));
  PetscCall(VecDestroy(&ey));
  null.clear();
  null_of = -1;
  d       = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sums <- this rank's part of E, by segments */
static PetscErrorCode SumSegments(PC pc, const HeptaSpace &space, std::vector<PetscScalar> &sums)
{
  HeptaAZ           &az = SubDeflation(pc)->az;
  const size_t       n  = az.segment_e.size();
  const size_t      *segment;
  const PetscScalar *partial;
  HeptaValues        out;
  void              *p;

  PetscFunctionBegin;
  PetscCall(HeptaAZSums(az, space, nullptr, nullptr, &partial));
  PetscCall(az.size_tables[1].Get(space, az.segment, &segment));
  PetscCall(out.Resize(n * sizeof(PetscScalar)));
  PetscCall(out.Access(space, HeptaAccess::write, &p));
  HeptaLaunch(space, gather, n, segment, (const size_t *)nullptr, PetscScalar(1), partial, (PetscScalar *)p);
  PetscCall(out.Access(HeptaSpace(), HeptaAccess::read, &p));
  sums.assign((PetscScalar *)p, (PetscScalar *)p + n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All ranks' parts: places in the dense E, each once, and values */
static PetscErrorCode SumOverRanks(PC pc, std::vector<size_t> &at, std::vector<PetscScalar> &value)
{
  MPI_Comm                      comm = PetscObjectComm((PetscObject)pc);
  std::vector<PetscInt64>       place, mine(at.begin(), at.end());
  std::vector<PetscScalar>      all;
  std::map<size_t, PetscScalar> sum;
  PetscMPIInt                   size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaGatherAll(comm, MPIU_INT64, mine, place));
  PetscCall(HeptaGatherAll(comm, MPIU_SCALAR, value, all));
  for (size_t k = 0; k < all.size(); k++) sum[place[k]] += all[k];
  at.clear();
  value.clear();
  for (const auto &entry : sum) {
    at.push_back(entry.first);
    value.push_back(entry.second);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts of E of user vectors: z_f . A z_e */
static PetscErrorCode SumVectors(PC pc, std::vector<size_t> &at, std::vector<PetscScalar> &value)
{
  PC_SubDeflation *s = SubDeflation(pc);
  const PetscInt   d = s->coarse.d;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < d; e++) {
    std::vector<PetscScalar> column(d);
    PetscCall(VecMDot(s->az_vectors[e], d, s->vectors.data(), column.data()));
    for (PetscInt f = 0; f < d; f++) {
      at.push_back((size_t)f * d + e);
      value.push_back(column[f]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Turns a pivot that is not positive (symmetric) or is zero into an error */
static PetscErrorCode CheckPivot(PC pc, PetscInt pivot)
{
  const HeptaCoarse &c = SubDeflation(pc)->coarse;

  PetscFunctionBegin;
  PetscCheck(!pivot || !c.symmetric, PetscObjectComm((PetscObject)pc), PETSC_ERR_MAT_CH_ZRPVT,
             "The coarse matrix Z^T A Z of size %" PetscInt_FMT " is not positive definite: its pivot %" PetscInt_FMT " is not positive. Is the matrix indefinite, or singular without MatSetNullSpace()?", c.d, pivot - 1);
  PetscCheck(!pivot, PetscObjectComm((PetscObject)pc), PETSC_ERR_MAT_LU_ZRPVT, "The coarse matrix Z^T A Z of size %" PetscInt_FMT " is singular: its pivot %" PetscInt_FMT " is zero. Is the matrix singular without MatSetNullSpace()?", c.d, pivot - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

static PetscErrorCode Invert(PC pc, const HeptaSpace &space, HeptaValues &E, HeptaValues &X)
{
  HeptaCoarse &c = SubDeflation(pc)->coarse;
  void        *e, *x;
  PetscInt     bad = 0;

  PetscFunctionBegin;
  PetscCall(E.Access(space, HeptaAccess::read_write, &e));
  PetscCall(X.Access(space, HeptaAccess::write, &x));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) {
    int pivot = 0;
    PetscCallHepta(invert_dense_cuda(&c.solver, (size_t)c.d, c.symmetric, (PetscScalar *)e, (PetscScalar *)x, &pivot, space.stream));
    bad = pivot;
  } else
#endif
    PetscCall(InvertOnHost((size_t)c.d, c.symmetric, (PetscScalar *)e, (PetscScalar *)x, &bad));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &bad, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)pc))); /* by rounding the ranks may differ */
  PetscCall(CheckPivot(pc, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B <- B + alpha sum of c c^T over the null vectors */
static PetscErrorCode AddNull(HeptaCoarse &c, const HeptaSpace &space, PetscScalar alpha, HeptaValues &B)
{
  void *b, *p;

  PetscFunctionBegin;
  PetscCall(B.Access(space, HeptaAccess::read_write, &b));
  for (const auto &vector : c.null) {
    HeptaValues v;
    PetscCall(v.Resize(c.d * sizeof(PetscScalar)));
    PetscCall(v.Access(HeptaSpace(), HeptaAccess::write, &p));
    PetscCall(PetscArraycpy((PetscScalar *)p, vector.data(), c.d));
    PetscCall(v.Access(space, HeptaAccess::read, &p));
    HeptaLaunch(space, add_rank_one, (size_t)c.d, alpha, (const PetscScalar *)p, (PetscScalar *)b);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   inverse <- E^-1; for null vectors c (E c = 0, c^T c = 1) the pseudo-inverse, (E + alpha c c^T)^-1 - c c^T / alpha, with alpha of
   the size of E's diagonal
*/
static PetscErrorCode DenseInverse(PC pc, const HeptaSpace &space, const std::vector<size_t> &at, const std::vector<PetscScalar> &value)
{
  HeptaCoarse            &c    = SubDeflation(pc)->coarse;
  const size_t            size = (size_t)c.d * c.d;
  HeptaValues             E;
  HeptaTable<size_t>      at_table;
  HeptaTable<PetscScalar> value_table;
  const size_t           *places;
  const PetscScalar      *values;
  void                   *e, *x, *f;
  PetscReal               trace = 0;

  PetscFunctionBegin;
  if (c.null.size() >= (size_t)c.d) { /* E is zero but for rounding, and so is its pseudo-inverse */
    PetscCall(c.inverse.Resize(size * (c.single ? sizeof(float) : sizeof(PetscScalar))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (size_t k = 0; k < at.size(); k++) trace += at[k] / c.d == at[k] % c.d ? PetscAbsScalar(value[k]) : 0;
  const PetscScalar alpha = trace > 0 ? trace / c.d : 1;
  PetscCall(E.Resize(size * sizeof(PetscScalar)));
  PetscCall(E.Access(space, HeptaAccess::read_write, &e)); /* zeros */
  PetscCall(at_table.Get(space, at, &places));
  PetscCall(value_table.Get(space, value, &values));
  HeptaLaunch(space, hepta::blocked::scatter, at.size(), places, values, (PetscScalar *)e);
  PetscCall(AddNull(c, space, alpha, E));
  PetscCall(c.inverse.Resize(size * sizeof(PetscScalar)));
  PetscCall(Invert(pc, space, E, c.inverse));
  PetscCall(AddNull(c, space, -1 / alpha, c.inverse));
  if (!c.single) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(c.inverse.Access(space, HeptaAccess::read, &x));
  PetscCall(E.Resize(size * sizeof(float)));
  PetscCall(E.Access(space, HeptaAccess::write, &f));
  HeptaLaunch(space, to_float, size, (const PetscScalar *)x, (float *)f);
  c.inverse.Swap(E);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubDeflationCoarseSetUp(PC pc, const HeptaSpace &space)
{
  PC_SubDeflation         *s = SubDeflation(pc);
  HeptaCoarse             &c = s->coarse;
  std::vector<size_t>      at;
  std::vector<PetscScalar> value;

  PetscFunctionBegin;
  c.single = s->storage == HEPTA_MAT_STORAGE_SINGLE;
  for (HeptaValues *v : {&c.q, &c.y}) PetscCall(v->Resize(c.d * sizeof(PetscScalar)));
  if (s->UsesLabels()) {
    PetscCall(SumSegments(pc, space, value));
    at = s->az.dense_at;
  } else PetscCall(SumVectors(pc, at, value));
  PetscMPIInt bad = 0;
  for (const PetscScalar &v : value) bad = bad || PetscIsInfOrNanScalar(v);
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)pc), bad ? PETSC_ERR_FP : PETSC_SUCCESS, "PC subdeflation: the matrix holds NaN or infinity, so Z^T A Z does"));
  if (s->coarse_type != HEPTA_SUBDEFLATION_COARSE_INVERSE) {
    PetscCall(HeptaSubDeflationKSPSetUp(pc, space, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (s->UsesLabels()) PetscCall(SumOverRanks(pc, at, value));
  PetscCall(DenseInverse(pc, space, at, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubDeflationCoarseSolve(PC pc, const HeptaSpace &space)
{
  PC_SubDeflation *s = SubDeflation(pc);
  HeptaCoarse     &c = s->coarse;
  void            *q, *y, *inverse;

  PetscFunctionBegin;
  if (s->coarse_type != HEPTA_SUBDEFLATION_COARSE_INVERSE) {
    PetscCall(HeptaSubDeflationKSPSolve(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(c.q.Access(space, HeptaAccess::read, &q));
  PetscCall(c.y.Access(space, HeptaAccess::write, &y));
  PetscCall(c.inverse.Access(space, HeptaAccess::read, &inverse));
  if (c.single) HeptaLaunch(space, dense_product, (size_t)c.d, (const float *)inverse, (const PetscScalar *)q, (PetscScalar *)y);
  else HeptaLaunch(space, dense_product, (size_t)c.d, (const PetscScalar *)inverse, (const PetscScalar *)q, (PetscScalar *)y);
  if (space.device) PetscCall(PetscLogGpuFlops(2. * c.d * c.d));
  else PetscCall(PetscLogFlops(2. * c.d * c.d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
