/* The coarse matrix E = Z^T A Z, and solves with it */
#include "../../shared/arrays.h"
#include "subdeflation.h"

using namespace hepta::subdeflation;

PetscErrorCode HeptaCoarse::Reset()
{
  PetscFunctionBegin;
  PetscCall(of_ranks.Reset());
  PetscCall(parts.Reset());
  for (HeptaValues *v : {&inverse, &q, &y, &sums, &dense, &locations, &given, &vector}) PetscCall(v->Free());
  solver.reset();
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&E));
  PetscCall(VecDestroy(&eq));
  PetscCall(VecDestroy(&ey));
  null.clear();
  solvable = found_constants = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sums <- this rank's part of E, by segments */
static PetscErrorCode SumSegments(PC pc, const HeptaSpace &space, std::vector<PetscScalar> &sums)
{
  HeptaAZ           &az  = Subdeflation(pc)->az;
  HeptaValues       &out = Subdeflation(pc)->coarse.sums;
  size_t            *segment;
  const PetscScalar *partial;
  PetscScalar       *p;

  PetscFunctionBegin;
  PetscCall(HeptaAZSums(az, space, nullptr, nullptr, &partial));
  PetscCall(az.segment.Access(space, HeptaAccess::read, &segment));
  PetscCall(out.Make(space, az.segments, &p));
  HeptaLaunchEach(space, gather, az.segments, (const size_t *)segment, (const size_t *)nullptr, PetscScalar(1), partial, p);
  PetscCall(out.Give(az.segments, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* entries <- the entries of all ranks; entries of several ranks at one location are added; collective */
static PetscErrorCode SumOverRanks(PC pc, HeptaCoarseEntries &entries)
{
  std::vector<size_t>          &at    = entries.at;
  std::vector<PetscScalar>     &value = entries.value;
  MPI_Comm                      comm  = PetscObjectComm((PetscObject)pc);
  std::vector<PetscInt64>       location, mine(at.begin(), at.end());
  std::vector<PetscScalar>      all;
  std::map<size_t, PetscScalar> sum;

  PetscFunctionBegin;
  if (pc->pmat->rmap->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaGatherAll(comm, MPIU_INT64, mine, location));
  PetscCall(HeptaGatherAll(comm, MPIU_SCALAR, value, all));
  for (size_t k = 0; k < all.size(); k++) sum[location[k]] += all[k];
  at.clear();
  value.clear();
  for (const auto &entry : sum) {
    at.push_back(entry.first);
    value.push_back(entry.second);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries of E for user vectors, this rank's part: z_f . A z_e */
static PetscErrorCode SumVectors(PC pc, std::vector<size_t> &at, std::vector<PetscScalar> &value)
{
  PC_Subdeflation *s = Subdeflation(pc);
  const PetscInt   d = s->coarse.d;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < d; e++) {
    std::vector<PetscScalar> column(d);
    PetscCall(VecMDot(s->az_vectors[e], d, s->vectors.data(), column.data()));
    for (PetscInt f = 0; f < d; f++) {
      at.push_back((size_t)f * d + e);
      value.push_back(s->scale[f] * column[f]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationCoarseSetUp(PC pc, const HeptaSpace &space)
{
  PC_Subdeflation   *s = Subdeflation(pc);
  HeptaCoarse       &c = s->coarse;
  HeptaCoarseEntries entries;

  PetscFunctionBegin;
  c.solvable = false;
  c.single   = s->storage == HEPTA_MAT_STORAGE_SINGLE;
  for (HeptaValues *v : {&c.q, &c.y}) PetscCall(v->Reserve(c.d * sizeof(PetscScalar)));
  if (s->UsesLabels()) {
    PetscCall(SumSegments(pc, space, entries.value));
    for (size_t k = 0; k < s->az.segments; k++) entries.at.push_back((size_t)s->az.segment_f[k] * c.d + s->az.segment_e[k]);
  } else PetscCall(SumVectors(pc, entries.at, entries.value));
  PetscMPIInt bad = 0;
  for (const PetscScalar &v : entries.value) bad = bad || PetscIsInfOrNanScalar(v);
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)pc), bad ? PETSC_ERR_FP : PETSC_SUCCESS,
                              "PC subdeflation: the matrix holds NaN or infinity, so Z^T A Z does"));
  if (s->coarse_type == HEPTA_SUBDEFLATION_COARSE_INVERSE) {
    if (s->UsesLabels()) PetscCall(SumOverRanks(pc, entries));
    PetscCall(HeptaSubdeflationDenseInverse(pc, space, entries));
  } else PetscCall(HeptaSubdeflationKSPSetUp(pc, space, entries.value));
  PetscCall(HeptaSubdeflationCheckCoarse(pc, space));
  c.solvable = true;
  c.made++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationCoarseSolve(PC pc, const HeptaSpace &space)
{
  PC_Subdeflation *s = Subdeflation(pc);
  HeptaCoarse     &c = s->coarse;
  PetscScalar     *q, *y;
  void            *inverse;

  PetscFunctionBegin;
  if (s->coarse_type != HEPTA_SUBDEFLATION_COARSE_INVERSE) {
    PetscCall(HeptaSubdeflationKSPSolve(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(c.q.Access(space, HeptaAccess::read, &q));
  PetscCall(c.y.Access(space, HeptaAccess::write, &y));
  PetscCall(c.inverse.Access(space, HeptaAccess::read, &inverse));
  if (c.single) HeptaLaunch(space, dense_product, (size_t)c.d, (const float *)inverse, (const PetscScalar *)q, y);
  else HeptaLaunch(space, dense_product, (size_t)c.d, (const PetscScalar *)inverse, (const PetscScalar *)q, y);
  PetscCall(HeptaLogFlops(space, 2. * c.d * c.d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
